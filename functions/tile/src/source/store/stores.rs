//! Makes objects of locations: which store, with which settings and credentials.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use object_store::RetryConfig;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;

use super::remote::{Bucket, Remote};
use super::{Object, Reader, StoreError};
use crate::access::{self, Location};
use crate::fetch::Host;
use crate::settings::StoreVariables;
use crate::source::transport::Transport;

/// Hosts that are remembered; beyond, those that nobody reads any more are forgotten.
const HOSTS: usize = 256;

/// Finds a file that the binary carries by its name.
pub type Embedded = fn(&str) -> Option<&'static [u8]>;

/// Makes objects of locations; a store is built once and shares the pool.
#[derive(Debug)]
pub struct Stores {
    transport: Transport,
    variables: StoreVariables,
    embedded: Embedded,
    /// Reads that may be in flight to one host.
    reads: usize,
    disk: Arc<Host>,
    hosts: Mutex<HashMap<String, Arc<Host>>>,
    built: Mutex<HashMap<String, Bucket>>,
}

impl Stores {
    /// Stores with the settings that the environment gave; `reads` may be in flight to each host.
    pub fn new(variables: StoreVariables, embedded: Embedded, reads: usize) -> Self {
        Self {
            transport: Transport::default(),
            variables,
            embedded,
            reads,
            disk: Arc::new(Host::disk()),
            hosts: Mutex::default(),
            built: Mutex::default(),
        }
    }

    /// The object at a location.
    pub fn object(&self, location: &Location) -> Result<Object, StoreError> {
        let reader = match location {
            Location::Embedded(name) => Reader::Embedded((self.embedded)(name).ok_or(StoreError::NotFound)?),
            Location::Local(path) => Reader::File(Arc::new(path.clone())),
            Location::Http(url) => Reader::Http(
                Box::new(self.transport.clone()),
                url.parse().map_err(|_| StoreError::BadAddress)?,
            ),
            Location::S3(at) => self.remote("s3", at, Self::s3)?,
            Location::Gs(at) => self.remote("gs", at, Self::gs)?,
            Location::Az(at) => self.remote("az", at, Self::az)?,
        };
        let host = match self.host_of(location) {
            Some(name) => self.host(name),
            None => self.disk.clone(),
        };
        Ok(Object { reader, host })
    }

    /// The name of the host that answers for a location; `None` for this machine.
    fn host_of(&self, location: &Location) -> Option<String> {
        let endpoint =
            |variable: &str, usual: &str| Some(self.variables.get(variable).unwrap_or(usual).to_owned());
        match location {
            Location::Embedded(_) | Location::Local(_) => None,
            Location::S3(_) => endpoint("AWS_ENDPOINT_URL", "s3"),
            Location::Gs(_) => endpoint("GOOGLE_BASE_URL", "gs"),
            Location::Az(_) => endpoint("AZURE_ENDPOINT", "az"),
            Location::Http(url) => {
                let end = url.match_indices('/').nth(2).map_or(url.len(), |(at, _)| at);
                Some(url[..end].to_owned())
            }
        }
    }

    fn host(&self, name: String) -> Arc<Host> {
        let mut hosts = lock(&self.hosts);
        if hosts.len() >= HOSTS {
            hosts.retain(|_, host| Arc::strong_count(host) > 1);
        }
        hosts
            .entry(name)
            .or_insert_with(|| Arc::new(Host::store(self.reads)))
            .clone()
    }

    fn remote(
        &self,
        scheme: &str,
        at: &access::Object,
        build: impl FnOnce(&Self, &str) -> object_store::Result<Bucket>,
    ) -> Result<Reader, StoreError> {
        let bucket = &at.bucket;
        // `parse` keeps the key as it is; `from` would encode it into another one.
        let path = Path::parse(&at.key).map_err(|_| StoreError::BadAddress)?;
        let mut built = lock(&self.built);
        let name = format!("{scheme}://{bucket}");
        if let Some(store) = built.get(&name) {
            let bucket = store.clone();
            return Ok(Reader::Remote(Remote { bucket, path }));
        }
        let store = build(self, bucket).map_err(|error| {
            tracing::error!(%error, "the store's settings are not usable");
            StoreError::Unavailable
        })?;
        built.insert(name, store.clone());
        Ok(Reader::Remote(Remote { bucket: store, path }))
    }

    fn s3(&self, bucket: &str) -> object_store::Result<Bucket> {
        let mut builder = AmazonS3Builder::new().with_bucket_name(bucket);
        let mut has_credentials = false;
        for (name, value) in self.variables.starting_with("AWS_") {
            let name = name.to_ascii_lowercase();
            has_credentials |= [
                "aws_access_key_id",
                "aws_web_identity_token_file",
                "aws_container_credentials_relative_uri",
                "aws_container_credentials_full_uri",
                "aws_skip_signature",
            ]
            .contains(&name.as_str());
            if let Ok(key) = name.parse() {
                builder = builder.with_config(key, value);
            }
        }
        if !has_credentials {
            // Without this the instance metadata service would be asked, which hangs where there is none.
            builder = builder.with_skip_signature(true);
        }
        Ok(Bucket::S3(Arc::new(
            builder
                .with_http_connector(self.transport.clone())
                .with_retry(no_retry())
                .build()?,
        )))
    }

    fn gs(&self, bucket: &str) -> object_store::Result<Bucket> {
        let mut builder = GoogleCloudStorageBuilder::new().with_bucket_name(bucket);
        let mut has_credentials = false;
        for (name, value) in self.variables.starting_with("GOOGLE_") {
            if let Ok(key) = name.to_ascii_lowercase().parse() {
                has_credentials = true;
                builder = builder.with_config(key, value);
            }
        }
        if !has_credentials {
            builder = builder.with_skip_signature(true);
        }
        Ok(Bucket::Gs(Arc::new(
            builder
                .with_http_connector(self.transport.clone())
                .with_retry(no_retry())
                .build()?,
        )))
    }

    fn az(&self, container: &str) -> object_store::Result<Bucket> {
        let mut builder = MicrosoftAzureBuilder::new().with_container_name(container);
        for (name, value) in self.variables.starting_with("AZURE_") {
            if let Ok(key) = name.to_ascii_lowercase().parse() {
                builder = builder.with_config(key, value);
            }
        }
        Ok(Bucket::Az(Arc::new(
            builder
                .with_http_connector(self.transport.clone())
                .with_retry(no_retry())
                .build()?,
        )))
    }
}

/// Retries are ours: they know the deadline.
fn no_retry() -> RetryConfig {
    RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
