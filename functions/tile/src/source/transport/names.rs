//! Names of hosts → addresses, remembered for a while: a look-up is a round trip, and a thread of its own.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tower_service::Service;

/// How long addresses are used without asking again. S3's names live for seconds, but its addresses answer for days.
const LIFE: Duration = Duration::from_mins(1);

/// Names that are remembered.
const NAMES: usize = 256;

/// The system's resolver, with a memory.
#[derive(Clone, Debug)]
pub(super) struct Names<Resolver = GaiResolver> {
    system: Resolver,
    known: Arc<Mutex<HashMap<String, Known>>>,
}

#[derive(Clone, Debug)]
struct Known {
    addresses: Vec<SocketAddr>,
    since: Instant,
}

impl Default for Names {
    fn default() -> Self {
        Self::over(GaiResolver::new())
    }
}

impl<Resolver> Names<Resolver> {
    fn over(system: Resolver) -> Self {
        Self {
            system,
            known: Arc::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is remembered; the next caller begins with the next address, so that connections spread over them.
    fn recall(&self, name: &str) -> Option<Known> {
        let mut names = self.known();
        let known = names.get_mut(name)?;
        let one = known.addresses.len().min(1);
        known.addresses.rotate_left(one);
        Some(known.clone())
    }

    fn remember(&self, name: String, addresses: Vec<SocketAddr>) {
        let mut names = self.known();
        if names.len() >= NAMES {
            names.clear();
        }
        let since = Instant::now();
        names.insert(name, Known { addresses, since });
    }
}

impl<Resolver> Service<Name> for Names<Resolver>
where
    Resolver: Service<Name, Error = io::Error> + Clone + Send + 'static,
    Resolver::Response: Iterator<Item = SocketAddr>,
    Resolver::Future: Send,
{
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.system.poll_ready(context)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let text = name.as_str().to_owned();
        let known = self.recall(&text);
        if let Some(known) = known.as_ref().filter(|known| known.since.elapsed() < LIFE) {
            return std::future::ready(Ok(known.addresses.clone().into_iter())).boxed();
        }
        let (asked, names) = (self.system.call(name), self.clone());
        async move {
            match asked.await {
                Ok(addresses) => {
                    let addresses: Vec<SocketAddr> = addresses.collect();
                    names.remember(text, addresses.clone());
                    Ok(addresses.into_iter())
                }
                // An address that was right a while ago is better than none.
                Err(error) => known.map(|known| known.addresses.into_iter()).ok_or(error),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers two addresses, counting; fails after the first time.
    #[derive(Clone, Default)]
    struct Once(Arc<AtomicUsize>);

    impl Service<Name> for Once {
        type Response = std::vec::IntoIter<SocketAddr>;
        type Error = io::Error;
        type Future = std::future::Ready<io::Result<Self::Response>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Name) -> Self::Future {
            let addresses = ["10.0.0.1:0", "10.0.0.2:0"].map(|address| address.parse().unwrap());
            std::future::ready(match self.0.fetch_add(1, Ordering::Relaxed) {
                0 => Ok(addresses.into_iter().collect::<Vec<_>>().into_iter()),
                _ => Err(io::Error::other("the resolver is gone")),
            })
        }
    }

    #[tokio::test]
    async fn a_name_is_looked_up_once_and_outlives_its_resolver() {
        let asked = Once::default();
        let mut names = Names::over(asked.clone());
        let mut first = Vec::new();
        for _ in 0..3 {
            let addresses = names.call("store.test".parse().unwrap()).await.unwrap();
            first.extend(addresses.take(1));
        }
        assert_eq!(asked.0.load(Ordering::Relaxed), 1);
        assert_ne!(first[1], first[2], "connections spread over the addresses");
        // Long ago: it is asked again, in vain.
        names.known().get_mut("store.test").unwrap().since -= 2 * LIFE;
        assert!(names.call("store.test".parse().unwrap()).await.is_ok());
        assert_eq!(asked.0.load(Ordering::Relaxed), 2);
        assert!(names.call("other.test".parse().unwrap()).await.is_err());
    }
}
