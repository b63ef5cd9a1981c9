//! Makes objects of locations: which store, with which settings and credentials.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use object_store::RetryConfig;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;

use super::buckets::{Buckets, Special};
use super::profile::Profile;
use super::remote::{Bucket, Build, Home, Remote};
use super::role::AssumedRole;
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
    variables: Arc<StoreVariables>,
    buckets: Buckets,
    embedded: Embedded,
    /// Reads that may be in flight to one host.
    reads: usize,
    disk: Arc<Host>,
    hosts: Mutex<HashMap<String, Arc<Host>>>,
    homes: Mutex<HashMap<String, Arc<Home>>>,
}

impl Stores {
    /// Stores with the settings that the environment gave; `reads` may be in flight to each host.
    pub fn new(variables: StoreVariables, buckets: Buckets, embedded: Embedded, reads: usize) -> Self {
        Self {
            transport: Transport::new(reads),
            variables: Arc::new(variables),
            buckets,
            embedded,
            reads,
            disk: Arc::new(Host::disk()),
            hosts: Mutex::default(),
            homes: Mutex::default(),
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
            Location::S3(at) => {
                let special = self.buckets.find(at);
                let row = special.map_or_else(String::new, |(row, _)| row.to_string());
                let special = special.map(|(_, special)| special.clone()).unwrap_or_default();
                self.remote(&format!("s3{row}"), at, move |about, bucket, region| {
                    s3(about, bucket, region, &special)
                })?
            }
            Location::Gs(at) => self.remote("gs", at, |about, bucket, _| gs(about, bucket))?,
            Location::Az(at) => self.remote("az", at, |about, container, _| az(about, container))?,
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
            Location::S3(at) => {
                let special = self
                    .buckets
                    .find(at)
                    .and_then(|(_, special)| special.endpoint.clone());
                special.or_else(|| endpoint("AWS_ENDPOINT_URL", "s3"))
            }
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
        build: impl Fn(&About, &str, Option<&str>) -> object_store::Result<Bucket> + Send + Sync + 'static,
    ) -> Result<Reader, StoreError> {
        let bucket = at.bucket.clone();
        // `parse` keeps the key as it is; `from` would encode it into another one.
        let path = Path::parse(&at.key).map_err(|_| StoreError::BadAddress)?;
        let mut homes = lock(&self.homes);
        let name = format!("{scheme}://{bucket}");
        if let Some(home) = homes.get(&name) {
            let home = home.clone();
            return Ok(Reader::Remote(Remote { home, path }));
        }
        let about = About {
            variables: self.variables.clone(),
            transport: self.transport.clone(),
        };
        let build: Box<Build> = Box::new(move |region| build(&about, &bucket, region));
        let home = Home::new(build).map_err(|error| {
            tracing::error!(%error, "the store's settings are not usable");
            StoreError::Unavailable
        })?;
        let home = Arc::new(home);
        homes.insert(name, home.clone());
        Ok(Reader::Remote(Remote { home, path }))
    }
}

/// What every store is made with.
struct About {
    variables: Arc<StoreVariables>,
    transport: Transport,
}

fn s3(about: &About, bucket: &str, region: Option<&str>, special: &Special) -> object_store::Result<Bucket> {
    let mut builder = AmazonS3Builder::new().with_bucket_name(bucket);
    let mut has_credentials = false;
    for (name, value) in about.variables.starting_with("AWS_") {
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
    if let Some(region) = region.or(special.region.as_deref()) {
        builder = builder.with_region(region);
    }
    if let Some(endpoint) = &special.endpoint {
        builder = builder.with_endpoint(endpoint).with_allow_http(true);
    }
    if special.requester_pays {
        builder = builder.with_request_payer(true);
    }
    if special.virtual_hosted {
        builder = builder.with_virtual_hosted_style_request(true);
    }
    if special.anonymous {
        builder = builder.with_skip_signature(true);
    }
    let profile = match &special.profile {
        // As AWS's tools have it, keys in the environment come before the profile that is named there.
        None if !has_credentials => about.variables.get("AWS_PROFILE"),
        named => named.as_deref(),
    };
    if let Some(name) = profile {
        let keys = Profile::find(name, &about.variables)?;
        builder = builder.with_credentials(Arc::new(keys));
    } else if !has_credentials {
        // Without this the instance metadata service would be asked, which hangs where there is none.
        builder = builder.with_skip_signature(true);
    }
    builder = builder
        .with_http_connector(about.transport.clone())
        .with_retry(no_retry());
    if let Some(role) = &special.role {
        let assumed = assumed(about, role, special, builder.clone())?;
        builder = builder.with_credentials(Arc::new(assumed));
    }
    Ok(Bucket::S3(Arc::new(builder.build()?)))
}

/// A role, assumed with the credentials that the bucket would be read with.
fn assumed(
    about: &About,
    role: &str,
    special: &Special,
    builder: AmazonS3Builder,
) -> object_store::Result<AssumedRole> {
    let variable = |name: &str| about.variables.get(name).map(str::to_owned);
    let region = special.region.clone().or_else(|| variable("AWS_REGION"));
    let region = region.unwrap_or_else(|| "us-east-1".to_owned());
    let endpoint = variable("AWS_ENDPOINT_URL_STS");
    Ok(AssumedRole {
        own: builder.build()?.credentials().clone(),
        role: role.to_owned(),
        external_id: special.external_id.clone(),
        endpoint: endpoint.unwrap_or_else(|| format!("https://sts.{region}.amazonaws.com")),
        region,
        transport: about.transport.clone(),
        held: tokio::sync::Mutex::default(),
    })
}

fn gs(about: &About, bucket: &str) -> object_store::Result<Bucket> {
    let mut builder = GoogleCloudStorageBuilder::new().with_bucket_name(bucket);
    let mut has_credentials = false;
    for (name, value) in about.variables.starting_with("GOOGLE_") {
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
            .with_http_connector(about.transport.clone())
            .with_retry(no_retry())
            .build()?,
    )))
}

fn az(about: &About, container: &str) -> object_store::Result<Bucket> {
    let mut builder = MicrosoftAzureBuilder::new().with_container_name(container);
    for (name, value) in about.variables.starting_with("AZURE_") {
        if let Ok(key) = name.to_ascii_lowercase().parse() {
            builder = builder.with_config(key, value);
        }
    }
    Ok(Bucket::Az(Arc::new(
        builder
            .with_http_connector(about.transport.clone())
            .with_retry(no_retry())
            .build()?,
    )))
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
