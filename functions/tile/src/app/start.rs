//! From settings to an app: the one time that anything is read before a request asks for it.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt;
use http::HeaderMap;
use tokio::sync::Semaphore;

use super::App;
use super::journal::Journal;
use crate::access::{Access, Location, Malformed, Root};
use crate::fetch::{Fetcher, Meter};
use crate::layers::{Catalog, Files, LayersError};
use crate::response::{Policy, Problem};
use crate::settings::Settings;
use crate::source::Sources;
use crate::source::index::{Index, IndexError};
use crate::source::store::{Buckets, StoreError, Stores, Unfit};
use crate::stretch;
use crate::tile::{Call, Reading};

/// The layers of the sample.
const SAMPLE_LAYERS: &str = include_str!("../../sample/layers.json");
/// The scene of the sample.
const SAMPLE: (&str, &[u8]) = ("sample.tif", include_bytes!("../../sample/sample.tif"));
/// The largest layers file that is read, in bytes.
const LAYERS_BYTES: u64 = 16 << 20;
/// Of the memory for headers and blocks, one part in so many is for headers. One of them takes about 75 kB and spares a
/// round trip; a block takes about as much and spares a read beside others.
const HEADERS_SHARE: u64 = 4;
/// Of the same memory, one part in so many is for documents: those of some two hundred items by default.
const DOCUMENTS_SHARE: u64 = 8;
/// The largest index of headers that is read, in bytes: that of some ten thousand scenes.
const INDEX_BYTES: u64 = 256 << 20;
/// How long the layers file may take: a Lambda function has 10 s to become ready.
const PATIENCE: Duration = Duration::from_secs(8);

/// How long opening the layers' files may take.
const WARMTH: Duration = Duration::from_secs(3);
/// Files of layers that are opened before they are asked for: about as many as the cache holds with its default.
const WARM: usize = 64;

/// How long opening a file for an index may take.
const FILE_PATIENCE: Duration = Duration::from_secs(30);
/// Files that are opened at once for an index.
const AT_ONCE: usize = 32;

/// Why the app cannot start. All of it is for the operator to mend.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The layers file or the index has an address that is none.
    #[error("{path}: {error}")]
    Address {
        /// As it was written.
        path: String,
        /// What is wrong with it.
        error: Malformed,
    },
    /// The layers file cannot be read.
    #[error("layers file {path}: {error}")]
    Unreadable {
        /// As it was written.
        path: String,
        /// Why.
        error: StoreError,
    },
    /// The layers file is not what it should be.
    #[error("layers file {path}:{error}")]
    Layers {
        /// As it was written.
        path: String,
        /// Where it is wrong.
        error: LayersError,
    },
    /// The root of relative urls is a folder that is not there.
    #[error("EDGETILE_DATA or --data names {0}, which is no folder here")]
    NoFolder(String),
    /// Something is protected and nobody could come in.
    #[error(
        "EDGETILE_PROTECT or a layer's access asks for keys: set EDGETILE_API_KEYS or EDGETILE_SIGNING_KEYS"
    )]
    NoKeys,
    /// The table of buckets cannot be read.
    #[error("EDGETILE_BUCKETS: {0}")]
    NoBuckets(std::io::Error),
    /// The table of buckets is not what it should be.
    #[error("EDGETILE_BUCKETS: {0}")]
    Buckets(#[from] Unfit),
    /// The index of headers cannot be read.
    #[error("index of headers {path}: {error}")]
    Unindexed {
        /// As it was written.
        path: String,
        /// Why.
        error: StoreError,
    },
    /// The index of headers is not what it should be.
    #[error("index of headers {path}: {error}")]
    Index {
        /// As it was written.
        path: String,
        /// What is wrong with it.
        error: IndexError,
    },
    /// `Cache-Control` cannot be sent.
    #[error("EDGETILE_CACHE_CONTROL holds a character that a header cannot")]
    CacheControl,
}

impl App {
    /// Builds the app: reads the layers file, opens nothing else. [`Self::warm`] does.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        if let Some(Root::Folder(folder)) = &settings.data
            && !folder.is_dir()
        {
            return Err(StartError::NoFolder(folder.display().to_string()));
        }
        Self::with_access(settings.access(), settings).await
    }

    /// An app for the operator's own command line: it may read any file that the operator can.
    pub async fn for_operator(settings: Settings) -> Result<Self, StartError> {
        Self::with_access(Access::of_operator(), settings).await
    }

    async fn with_access(access: Access, settings: Settings) -> Result<Self, StartError> {
        let stores = Stores::new(
            settings.stores.clone(),
            buckets(&settings)?,
            embedded,
            settings.reads,
        );
        let cache_bytes = settings.cache_bytes as u64;
        let (of_headers, of_documents) = (cache_bytes / HEADERS_SHARE, cache_bytes / DOCUMENTS_SHARE);
        let fetcher = Fetcher::new(cache_bytes - of_headers - of_documents);
        let catalog = catalog(access.clone(), &settings, &stores, &fetcher).await?;
        let guard = settings.guard();
        let asks_for_keys = guard.protects_layers()
            || guard.protects_urls()
            || catalog.layers().iter().any(|layer| layer.needs_key == Some(true));
        if asks_for_keys && !guard.has_keys() {
            return Err(StartError::NoKeys);
        }
        let index = index(&settings, &stores, &fetcher).await?;
        let tile_cache_control = settings
            .cache_control
            .parse()
            .map_err(|_| StartError::CacheControl)?;
        Ok(Self {
            catalog,
            reading: Reading {
                sources: Sources::new(stores, index, of_headers, of_documents),
                access,
                alternate: settings.stac_alternate.clone(),
                fetcher,
                percentiles: stretch::kept(),
                processors: Semaphore::new(available_parallelism().map_or(1, NonZero::get)),
            },
            policy: Policy {
                empty_tile: settings.empty_tile,
                tile_cache_control,
            },
            guard,
            journal: Journal::new(settings.metrics.clone()),
            settings,
        })
    }
}

impl App {
    /// Opens the files of the layers, so that the first request finds their headers in memory and connections to their
    /// stores. Takes at most [`WARMTH`]; a file that cannot be opened now is left to the requests for it.
    pub async fn warm(&self) {
        let mut files: Vec<&Files> = Vec::new();
        for of_layer in self.catalog.layers().iter().map(|layer| &layer.files) {
            let so_far: usize = files.iter().map(|files| files.locations().count()).sum();
            if so_far < WARM && !files.contains(&of_layer) {
                files.push(of_layer);
            }
        }
        let call = Call {
            headers: &HeaderMap::new(),
            deadline: Instant::now() + WARMTH,
            meter: Meter::default(),
        };
        let open = files
            .into_iter()
            .map(|files| self.reading.open(files, None, &call));
        futures_util::future::join_all(open).await;
    }

    /// An index of the headers of files, to be loaded as `EDGETILE_INDEX`; and which files are not in it, for they cannot be opened,
    /// by their place, and why.
    pub async fn index(&self, locations: &[Location]) -> (Vec<u8>, Vec<(usize, Problem)>) {
        let Reading { sources, fetcher, .. } = &self.reading;
        let meter = Meter::default();
        let pack = async |(at, location): (usize, &Location)| {
            let deadline = Instant::now() + FILE_PATIENCE;
            let packed = async {
                let source = sources.open(location, fetcher, deadline, &meter).await?;
                source.packed(fetcher, deadline, &meter).await
            };
            packed.await.map_err(|error| (at, error.into()))
        };
        let packed = futures_util::stream::iter(locations.iter().enumerate().map(pack));
        let mut packed = std::pin::pin!(packed.buffered(AT_ONCE));
        let (mut index, mut left_out) = (Index::begin(), Vec::new());
        while let Some(entry) = packed.next().await {
            match entry {
                Ok(entry) => index.extend(entry),
                Err(fault) => left_out.push(fault),
            }
        }
        (index, left_out)
    }
}

fn embedded(name: &str) -> Option<&'static [u8]> {
    (name == SAMPLE.0).then_some(SAMPLE.1)
}

async fn catalog(
    access: Access,
    settings: &Settings,
    stores: &Stores,
    fetcher: &Fetcher,
) -> Result<Catalog, StartError> {
    let Some(path) = settings.layers.clone() else {
        // The sample's layers go with the sample alone: beside another data root they would lead nowhere.
        if settings.data != Some(Root::Embedded) {
            return Ok(Catalog::of_files(access));
        }
        let sample = Catalog::parse(SAMPLE_LAYERS, &Root::Embedded, access);
        return sample.map_err(|error| StartError::Layers {
            path: "of the sample".to_owned(),
            error,
        });
    };
    let location = match Root::Folder(".".into()).trusted(&path) {
        Ok(location) => location,
        Err(error) => return Err(StartError::Address { path, error }),
    };
    let base = settings
        .data
        .clone()
        .unwrap_or_else(|| Root::parent_of(&location));
    let text = match read(&location, LAYERS_BYTES, stores, fetcher).await {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return Err(StartError::Unreadable { path, error }),
    };
    Catalog::parse(&text, &base, access).map_err(|error| StartError::Layers { path, error })
}

fn buckets(settings: &Settings) -> Result<Buckets, StartError> {
    match settings.buckets.as_deref() {
        None => Ok(Buckets::default()),
        Some(json) if json.starts_with('{') => Ok(Buckets::parse(json)?),
        Some(path) => {
            let json = std::fs::read_to_string(path).map_err(StartError::NoBuckets)?;
            Ok(Buckets::parse(&json)?)
        }
    }
}

async fn index(settings: &Settings, stores: &Stores, fetcher: &Fetcher) -> Result<Index, StartError> {
    let Some(path) = settings.index.clone() else {
        return Ok(Index::default());
    };
    let location = match Root::Folder(".".into()).trusted(&path) {
        Ok(location) => location,
        Err(error) => return Err(StartError::Address { path, error }),
    };
    match read(&location, INDEX_BYTES, stores, fetcher).await {
        Ok(bytes) => Index::parse(bytes).map_err(|error| StartError::Index { path, error }),
        Err(error) => Err(StartError::Unindexed { path, error }),
    }
}

/// A whole file, up to `limit` bytes of it.
async fn read(
    location: &Location,
    limit: u64,
    stores: &Stores,
    fetcher: &Fetcher,
) -> Result<Bytes, StoreError> {
    let object = stores.object(location)?;
    let deadline = Instant::now() + PATIENCE;
    let answer = fetcher
        .read(&object, 0..limit, None, deadline, &Meter::default(), &|_| ())
        .await?;
    Ok(answer.bytes)
}
