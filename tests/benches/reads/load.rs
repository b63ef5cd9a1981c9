//! Clients that ask for tiles: so many at once (closed loop), or so many a second, come what may (open loop).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use edgetile_tests::client;
use edgetile_tests::server::Server;
use http::Method;

/// Clients of one server.
pub(crate) struct Load<'a> {
    server: &'a Server,
    targets: Arc<Vec<String>>,
    next: Arc<AtomicUsize>,
}

/// What came of it.
pub(crate) struct Run {
    took_ms: Vec<f64>,
    /// Answers that were not 200.
    pub(crate) failed: usize,
    /// The most memory that the server held.
    pub(crate) peak_mb: u64,
    time: Duration,
}

impl Run {
    /// Tiles a second.
    pub(crate) fn rate(&self) -> f64 {
        self.took_ms.len() as f64 / self.time.as_secs_f64()
    }

    /// How many tiles there were.
    pub(crate) fn tiles(&self) -> usize {
        self.took_ms.len()
    }

    /// Milliseconds below which that share of the tiles stayed.
    pub(crate) fn percentile(&self, share: f64) -> f64 {
        let at = (share * self.took_ms.len() as f64).ceil() as usize;
        self.took_ms
            .get(at.saturating_sub(1))
            .copied()
            .unwrap_or(f64::NAN)
    }
}

impl<'a> Load<'a> {
    /// Clients that ask for these targets in turn.
    pub(crate) fn new(server: &'a Server, targets: &[String]) -> Self {
        Self {
            server,
            targets: Arc::new(targets.to_vec()),
            next: Arc::default(),
        }
    }

    /// Asks for the next tile; answers how long it took since `from`, or nothing if it failed.
    fn ask(&self, from: Instant) -> impl Future<Output = Option<f64>> + Send + use<> {
        let (targets, address) = (self.targets.clone(), self.server.address);
        let at = self.next.fetch_add(1, Ordering::Relaxed) % targets.len();
        async move {
            let request = client::request(Method::GET, &targets[at], &[]);
            let status = client::ask(address, request).await.status();
            (status == 200).then(|| from.elapsed().as_secs_f64() * 1e3)
        }
    }

    /// As many at once as said, for that time.
    pub(crate) async fn closed(&mut self, at_once: usize, time: Duration) -> Run {
        self.forget_peak();
        let began = Instant::now();
        let client = async |()| {
            let mut took = Vec::new();
            while began.elapsed() < time {
                took.push(self.ask(Instant::now()).await);
            }
            took
        };
        let all = futures_util::future::join_all((0..at_once).map(|_| client(()))).await;
        self.run(all.concat(), began.elapsed())
    }

    /// That many a second, each at its time whether others are answered or not; time counts from when it was due.
    pub(crate) async fn open(&mut self, per_second: f64, time: Duration) -> Run {
        self.forget_peak();
        let began = Instant::now();
        let mut asked = Vec::new();
        let count = (per_second * time.as_secs_f64()) as usize;
        for at in 0..count {
            let due = began + Duration::from_secs_f64(at as f64 / per_second);
            tokio::time::sleep_until(due.into()).await;
            asked.push(tokio::spawn(self.ask(due)));
        }
        let all = futures_util::future::join_all(asked).await;
        let all = all
            .into_iter()
            .map(|one| one.expect("no client panics"))
            .collect();
        self.run(all, began.elapsed())
    }

    fn run(&self, all: Vec<Option<f64>>, time: Duration) -> Run {
        let failed = all.iter().filter(|took| took.is_none()).count();
        let mut took_ms: Vec<f64> = all.into_iter().flatten().collect();
        took_ms.sort_by(f64::total_cmp);
        Run {
            took_ms,
            failed,
            peak_mb: self.peak_mb(),
            time,
        }
    }

    /// The server's most memory counts from now (proc(5), clear_refs and VmHWM).
    fn forget_peak(&self) {
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.server.id()), "5");
    }

    fn peak_mb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id()));
        let status = status.unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kb = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        kb.unwrap_or(0) / 1000
    }
}
