//! Settings: the one module that reads the environment.
//!
//! [`TABLE`] is the list of all settings as data; the help text and the README are held against it. A flag of the
//! command line wins over its variable; an empty variable counts as absent.

use std::collections::BTreeMap;
use std::fmt;

use crate::access::{Access, Pattern, Root};
use crate::guard::{Guard, Protects, Secrets};

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The environment variable.
    pub name: &'static str,
    /// The flag of `edgetile serve` that wins over it.
    pub flag: Option<&'static str>,
    /// What holds when neither is given, in words.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn setting(
    name: &'static str,
    flag: Option<&'static str>,
    default: &'static str,
    meaning: &'static str,
) -> Setting {
    Setting {
        name,
        flag,
        default,
        meaning,
    }
}

/// The default of `EDGETILE_CACHE_CONTROL`.
const CACHE_CONTROL: &str = "public, max-age=3600, stale-while-revalidate=86400";
/// The default of `EDGETILE_CACHE_MB`: the headers of fifty files and a hundred blocks. With it a process that answers one
/// request at a time stays below 30 MB (docs/reads.md), which the smallest function has.
const CACHE_MB: u32 = 16;
/// The default of `EDGETILE_READS`: some servers allow a client that many connections. S3 bears hundreds.
const READS: u32 = 32;

/// Every setting of our own, in the order of the README.
pub const TABLE: &[Setting] = &[
    setting(
        "EDGETILE_DATA",
        Some("--data"),
        "the embedded sample",
        "Root against which a relative url resolves: a folder, s3://bucket/prefix, gs://, az:// or https://.",
    ),
    setting(
        "EDGETILE_LAYERS",
        Some("--layers"),
        "the embedded sample's layers",
        "The layers file: JSON, a path or a url.",
    ),
    setting(
        "EDGETILE_ALLOW_URLS",
        Some("--allow-urls"),
        "none",
        "Absolute urls that requests may name: patterns with *, separated by commas.",
    ),
    setting(
        "EDGETILE_CACHE_MB",
        Some("--cache-mb"),
        "16",
        "Memory for headers and blocks, in MB.",
    ),
    setting(
        "EDGETILE_BUCKETS",
        Some("--buckets"),
        "none",
        "How single buckets are read where it differs from the rest: JSON, or the path of such a file.",
    ),
    setting(
        "EDGETILE_STAC_ALTERNATE",
        Some("--stac-alternate"),
        "none",
        "Which of a STAC asset's alternate addresses comes first, such as s3.",
    ),
    setting(
        "EDGETILE_INDEX",
        Some("--index"),
        "none",
        "An index of headers that edgetile index made: a path or a url.",
    ),
    setting(
        "EDGETILE_READS",
        Some("--reads"),
        "32",
        "Reads in flight to one host of a store; more wait.",
    ),
    setting(
        "EDGETILE_EMPTY_TILE",
        Some("--empty-tile"),
        "204",
        "The answer where a tile holds no data: 204, 404 or transparent.",
    ),
    setting(
        "EDGETILE_CACHE_CONTROL",
        Some("--cache-control"),
        CACHE_CONTROL,
        "Cache-Control of tiles.",
    ),
    setting(
        "EDGETILE_PUBLIC_URL",
        Some("--public-url"),
        "taken from each request's `X-Public-Host`, or else `Host` and `X-Forwarded-Proto`; proxies must set these",
        "The address that tilejson and the viewer give out, such as https://tiles.example.com.",
    ),
    setting(
        "EDGETILE_API_KEYS",
        None,
        "none",
        "Keys that let callers in: secrets of 16 characters or more, separated by commas.",
    ),
    setting(
        "EDGETILE_SIGNING_KEYS",
        None,
        "none",
        "Secrets that sign addresses, in the same form: the first signs, all are accepted.",
    ),
    setting(
        "EDGETILE_PROTECT",
        Some("--protect"),
        "all where there is a key, else none",
        "What needs a key or a signature unless a layer says so itself: all, urls, layers or none.",
    ),
    setting(
        "EDGETILE_METRICS",
        None,
        "none",
        "Namespace of the CloudWatch metrics that each request's log line carries.",
    ),
];

/// Variables of the stores start with one of these; they keep the names that other tools gave them.
const STORE_PREFIXES: &[&str] = &["AWS_", "GOOGLE_", "AZURE_"];

/// What holds for the life of the process.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where relative urls resolve, when one is set.
    pub data: Option<Root>,
    /// The layers file, as it was written.
    pub layers: Option<String>,
    /// Absolute urls that requests may name.
    pub allowed: Vec<Pattern>,
    /// Memory for headers and blocks, in bytes.
    pub cache_bytes: usize,
    /// The table of single buckets, as it was written.
    pub buckets: Option<String>,
    /// Which of an asset's alternate addresses comes first.
    pub stac_alternate: Option<String>,
    /// The index of headers, as it was written.
    pub index: Option<String>,
    /// Reads that may be in flight to one host.
    pub reads: usize,
    /// The answer where a tile holds no data.
    pub empty_tile: EmptyTile,
    /// `Cache-Control` of tiles.
    pub cache_control: String,
    /// The address to give out, without a slash at the end.
    pub public_url: Option<String>,
    /// Keys of callers.
    pub api_keys: Secrets,
    /// Keys that sign addresses.
    pub signing_keys: Secrets,
    /// What is protected, where the operator says so.
    pub protects: Option<Protects>,
    /// The metrics that log lines carry, if any.
    pub metrics: Option<Metrics>,
    /// The variables of the stores.
    pub stores: StoreVariables,
}

/// The answer where a tile lies on the grid but holds no data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptyTile {
    /// 204, no body.
    #[default]
    NoContent,
    /// 404.
    NotFound,
    /// 200, a transparent picture.
    Transparent,
}

/// Metrics in log lines, as CloudWatch reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metrics {
    /// Their namespace.
    pub namespace: String,
    /// Their dimension `FunctionName`: the Lambda function's name, `edgetile` elsewhere.
    pub function: String,
}

/// Variables of the stores. Shown by name alone: the values are credentials.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct StoreVariables(BTreeMap<String, String>);

impl StoreVariables {
    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The variables whose name starts with `prefix`, as (name, value).
    pub fn starting_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let pairs = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        pairs.filter(move |(name, _)| name.starts_with(prefix))
    }
}

impl fmt::Debug for StoreVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// A setting that cannot be meant. It names the variable or the flag.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct Unusable {
    name: String,
    reason: String,
}

impl Settings {
    /// The process's environment, as it is given to [`Self::read`].
    pub fn environment() -> BTreeMap<String, String> {
        // Names and values that are not UTF-8 cannot be settings of ours.
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    /// Whether the Lambda runtime started this process.
    pub fn is_lambda(environment: &BTreeMap<String, String>) -> bool {
        environment.contains_key("AWS_LAMBDA_RUNTIME_API")
    }

    /// Settings from flags, by their name, and where those are silent from the environment.
    pub fn read(
        flags: &BTreeMap<String, String>,
        environment: BTreeMap<String, String>,
    ) -> Result<Self, Unusable> {
        let sources = Sources {
            flags,
            environment: &environment,
        };
        let layers = sources.text("EDGETILE_LAYERS");
        let data = sources.with("EDGETILE_DATA", Root::parse)?;
        Ok(Self {
            // With nothing configured, the sample is there to be seen.
            data: data.or_else(|| layers.is_none().then_some(Root::Embedded)),
            layers,
            allowed: sources
                .with("EDGETILE_ALLOW_URLS", Pattern::parse_list)?
                .unwrap_or_default(),
            cache_bytes: sources
                .with("EDGETILE_CACHE_MB", read_megabytes)?
                .unwrap_or(CACHE_MB) as usize
                * 1_000_000,
            buckets: sources.text("EDGETILE_BUCKETS"),
            stac_alternate: sources.text("EDGETILE_STAC_ALTERNATE"),
            index: sources.text("EDGETILE_INDEX"),
            reads: sources.with("EDGETILE_READS", read_reads)?.unwrap_or(READS) as usize,
            empty_tile: sources
                .with("EDGETILE_EMPTY_TILE", EmptyTile::parse)?
                .unwrap_or_default(),
            cache_control: sources
                .with("EDGETILE_CACHE_CONTROL", read_header)?
                .unwrap_or_else(|| CACHE_CONTROL.into()),
            public_url: sources.with("EDGETILE_PUBLIC_URL", read_public_url)?,
            api_keys: sources
                .with("EDGETILE_API_KEYS", Secrets::parse)?
                .unwrap_or_default(),
            signing_keys: sources
                .with("EDGETILE_SIGNING_KEYS", Secrets::parse)?
                .unwrap_or_default(),
            protects: sources.with("EDGETILE_PROTECT", Protects::parse)?,
            metrics: sources
                .with("EDGETILE_METRICS", read_namespace)?
                .map(|namespace| Metrics {
                    namespace,
                    function: environment
                        .get("AWS_LAMBDA_FUNCTION_NAME")
                        .map_or("edgetile", String::as_str)
                        .to_owned(),
                }),
            stores: StoreVariables(environment.into_iter().filter(is_of_a_store).collect()),
        })
    }

    /// Who may come in.
    pub fn guard(&self) -> Guard {
        Guard::new(&self.api_keys, &self.signing_keys, self.protects)
    }

    /// What callers may read.
    pub fn access(&self) -> Access {
        Access::new(self.data.clone(), self.allowed.clone())
    }
}

impl EmptyTile {
    fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "204" => Ok(Self::NoContent),
            "404" => Ok(Self::NotFound),
            "transparent" => Ok(Self::Transparent),
            _ => Err("is none of 204, 404, transparent"),
        }
    }
}

struct Sources<'a> {
    flags: &'a BTreeMap<String, String>,
    environment: &'a BTreeMap<String, String>,
}

impl Sources<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.found(name).map(|(_, value)| value.to_owned())
    }

    /// The name under which the setting was given, and its value.
    fn found(&self, name: &str) -> Option<(&str, &str)> {
        let flag = TABLE
            .iter()
            .find(|setting| setting.name == name)
            .and_then(|setting| setting.flag);
        let by_flag = flag.and_then(|flag| self.flags.get_key_value(flag));
        let (name, value) = by_flag.or_else(|| self.environment.get_key_value(name))?;
        let value = value.trim();
        (!value.is_empty()).then_some((name, value))
    }

    fn with<T, E: fmt::Display>(
        &self,
        name: &str,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Unusable> {
        let Some((name, value)) = self.found(name) else {
            return Ok(None);
        };
        read(value).map(Some).map_err(|reason| Unusable {
            name: name.to_owned(),
            reason: reason.to_string(),
        })
    }
}

fn is_of_a_store(variable: &(String, String)) -> bool {
    // Profiles lie below HOME.
    let ours = variable.0 == "HOME" || STORE_PREFIXES.iter().any(|prefix| variable.0.starts_with(prefix));
    ours && !variable.0.starts_with("AWS_LAMBDA_") && !variable.1.is_empty()
}

fn read_megabytes(text: &str) -> Result<u32, &'static str> {
    text.parse()
        .ok()
        .filter(|mb| *mb <= 1_000_000)
        .ok_or("is not a number of megabytes")
}

fn read_reads(text: &str) -> Result<u32, &'static str> {
    text.parse()
        .ok()
        .filter(|reads| (1..=4096).contains(reads))
        .ok_or("is not a number of reads from 1 to 4096")
}

fn read_header(text: &str) -> Result<String, &'static str> {
    match http::HeaderValue::from_str(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err("holds a character that a header cannot"),
    }
}

/// A namespace as CloudWatch's `PutMetricData` takes it.
fn read_namespace(text: &str) -> Result<String, &'static str> {
    let plain =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'/' | b'#' | b':' | b' ');
    let own = !text.starts_with(':') && !text.starts_with("AWS/");
    if own && text.len() <= 255 && text.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("is not a namespace of CloudWatch: letters, digits and . - _ / # : and spaces, and not AWS/")
    }
}

fn read_public_url(text: &str) -> Result<String, &'static str> {
    let text = text.trim_end_matches('/');
    let plain = !text
        .contains(|c: char| c.is_control() || c.is_whitespace() || matches!(c, '?' | '#' | '"' | '<' | '>'));
    let web = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    match web {
        Some(host) if plain && !host.is_empty() => Ok(text.to_owned()),
        _ => Err("is not an address such as https://tiles.example.com"),
    }
}

#[cfg(test)]
mod tests;
