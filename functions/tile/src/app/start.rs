//! From settings to an app: the one time that anything is read before a request asks for it.

use std::time::{Duration, Instant};

use super::App;
use super::journal::Journal;
use crate::access::{Access, Location, Malformed, Root};
use crate::fetch::{Fetcher, Meter};
use crate::layers::{Catalog, LayersError};
use crate::response::Policy;
use crate::settings::Settings;
use crate::source::Sources;
use crate::source::store::{StoreError, Stores};
use crate::tile::Reading;

/// The layers of the sample.
const SAMPLE_LAYERS: &str = include_str!("../../sample/layers.json");
/// The scene of the sample.
const SAMPLE: (&str, &[u8]) = ("sample.tif", include_bytes!("../../sample/sample.tif"));
/// The largest layers file that is read, in bytes.
const LAYERS_BYTES: u64 = 16 << 20;
/// Of the memory for headers and blocks, one part in so many is for headers. One of them takes about 75 kB and spares a
/// round trip; a block takes about as much and spares a read beside others.
const HEADERS_SHARE: u64 = 4;
/// How long the layers file may take: a Lambda function has 10 s to become ready.
const PATIENCE: Duration = Duration::from_secs(8);

/// How long opening the layers' files may take.
const WARMTH: Duration = Duration::from_secs(3);
/// Files of layers that are opened before they are asked for: as many as the cache holds with its default.
const WARM: usize = 64;

/// Why the app cannot start. All of it is for the operator to mend.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The layers file has an address that is none.
    #[error("layers file {path}: {error}")]
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
    #[error("layers file {path}: {error}")]
    Layers {
        /// As it was written.
        path: String,
        /// Where it is wrong.
        error: LayersError,
    },
    /// The root of relative urls is a folder that is not there.
    #[error("EDGETILE_DATA or --data names {0}, which is no folder here")]
    NoFolder(String),
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
        let stores = Stores::new(settings.stores.clone(), embedded, settings.reads);
        let cache_bytes = settings.cache_bytes as u64;
        let of_headers = cache_bytes / HEADERS_SHARE;
        let fetcher = Fetcher::new(cache_bytes - of_headers);
        let catalog = catalog(access, &settings, &stores, &fetcher).await?;
        let tile_cache_control = settings
            .cache_control
            .parse()
            .map_err(|_| StartError::CacheControl)?;
        Ok(Self {
            catalog,
            reading: Reading {
                sources: Sources::new(stores, of_headers),
                fetcher,
            },
            policy: Policy {
                empty_tile: settings.empty_tile,
                tile_cache_control,
            },
            journal: Journal::new(settings.metrics.clone()),
            settings,
        })
    }
}

impl App {
    /// Opens the files of the layers, so that the first request finds their headers in memory and connections to their
    /// stores. Takes at most [`WARMTH`]; a file that cannot be opened now is left to the requests for it.
    pub async fn warm(&self) {
        let files = self.catalog.layers().iter();
        let mut locations: Vec<&Location> = Vec::new();
        for location in files.flat_map(|layer| layer.files.locations()) {
            if locations.len() < WARM && !locations.contains(&location) {
                locations.push(location);
            }
        }
        let Reading { sources, fetcher } = &self.reading;
        let (deadline, meter) = (Instant::now() + WARMTH, Meter::default());
        let open = locations
            .into_iter()
            .map(|location| sources.open(location, fetcher, deadline, &meter));
        futures_util::future::join_all(open).await;
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
    let text = match read_text(&location, stores, fetcher).await {
        Ok(text) => text,
        Err(error) => return Err(StartError::Unreadable { path, error }),
    };
    Catalog::parse(&text, &base, access).map_err(|error| StartError::Layers { path, error })
}

async fn read_text(location: &Location, stores: &Stores, fetcher: &Fetcher) -> Result<String, StoreError> {
    let object = stores.object(location)?;
    let deadline = Instant::now() + PATIENCE;
    let answer = fetcher
        .read(&object, 0..LAYERS_BYTES, None, deadline, &Meter::default())
        .await?;
    Ok(String::from_utf8_lossy(&answer.bytes).into_owned())
}
