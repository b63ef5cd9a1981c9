//! Commands, carried out over the same app that serves requests.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Method;
use http::Request;
use tokio::runtime::Builder;
use tracing::Level;

use super::command::{Command, Tile, Usage};
use crate::access::{Location, Root};
use crate::app::App;
use crate::guard::now_s;
use crate::request::{Query, Route, encode};
use crate::response::{About, Outcome, Problem};
use crate::serve::{Server, told_to_stop};
use crate::settings::Settings;

/// Why a command came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The command cannot be meant.
    #[error("{0}")]
    Usage(String),
    /// It could be meant, and failed.
    #[error("{0}")]
    Failed(String),
    /// A question that was not answered, where [`Failed`](Self::Failed) means no.
    #[error("{0}")]
    Unanswered(String),
}

impl Failure {
    /// The same, told of a file.
    fn of(self, url: &str) -> Self {
        match self {
            Self::Failed(message) => Self::Failed(format!("{url}: {message}")),
            other => other,
        }
    }
}

impl From<Usage> for Failure {
    fn from(usage: Usage) -> Self {
        Self::Usage(usage.to_string())
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Refused(refused) => Self::Usage(refused.to_string()),
            problem => Self::Failed(problem.to_string()),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
fn failed<E: ToString>(error: E) -> Failure {
    Failure::Failed(error.to_string())
}

pub(super) fn run(command: Command, environment: BTreeMap<String, String>) -> Result<(), Failure> {
    match command {
        Command::Print(text) => print(&text),
        Command::Serve {
            host,
            port,
            verbose,
            settings,
        } => {
            let settings =
                Settings::read(&settings, environment).map_err(|error| Failure::Usage(error.to_string()))?;
            log_for_people(if verbose { Level::INFO } else { Level::WARN });
            to_the_end(serve(&host, port, settings))
        }
        Command::Tile(tile) => {
            checked(&tile.url)?;
            to_the_end(draw(&tile, environment))
        }
        Command::Info { url } => {
            checked(&url)?;
            to_the_end(describe(&url, environment))
        }
        Command::Validate { url, is_strict } => {
            checked(&url)?;
            to_the_end(validate(&url, is_strict, environment))
        }
        Command::Sign {
            url,
            expires,
            is_posted,
        } => {
            let settings = Settings::read(&BTreeMap::new(), environment)
                .map_err(|error| Failure::Usage(error.to_string()))?;
            let method = if is_posted { Method::POST } else { Method::GET };
            print(&sign(&method, &url, &expires, &settings)?)
        }
        Command::Index { urls } => {
            let urls = listed(urls)?;
            let locations = urls
                .iter()
                .map(|url| located(url))
                .collect::<Result<Vec<_>, _>>()?;
            to_the_end(index(&urls, &locations, environment))
        }
    }
}

/// An address with its signature.
fn sign(method: &Method, url: &str, expires: &str, settings: &Settings) -> Result<String, Failure> {
    let usage = |message: &str| Failure::Usage(message.to_owned());
    let expires_s =
        end_of(expires).ok_or_else(|| usage("--expires is none of 30m, 12h, 7d and seconds since 1970"))?;
    if expires_s <= now_s() {
        return Err(usage("--expires is past: nobody could use the address"));
    }
    let own = settings
        .public_url
        .as_deref()
        .and_then(|base| url.strip_prefix(base));
    let path = match (own, url.split_once("://")) {
        (Some(path), _) => path,
        (None, Some((_, rest))) => rest.find('/').map_or("/", |at| &rest[at..]),
        (None, None) => url,
    };
    if !path.starts_with('/') {
        return Err(usage("sign takes an address or a path that begins with /"));
    }
    if path.contains('#') {
        return Err(usage(
            "sign takes an address without a fragment: servers never see what follows #",
        ));
    }
    let (path_alone, raw_query) = path.split_once('?').unwrap_or((path, ""));
    let query = Query::parse(raw_query).map_err(Problem::from)?;
    let own = ["access_token", "expires", "signature"];
    if let Some(name) = query.names().find(|name| own.contains(name)) {
        let message = format!("sign takes an address without {name}: what it prints is passed on to others");
        return Err(usage(&message));
    }
    Route::foresee(method, path_alone, raw_query)
        .map_err(|refused| usage(&format!("sign takes an address that is answered: {refused}")))?;
    let signature = settings.guard().sign(method, path, expires_s);
    let signature =
        signature.ok_or_else(|| usage("EDGETILE_SIGNING_KEYS is empty: there is nothing to sign with"))?;
    let mark = if url.contains('?') { '&' } else { '?' };
    Ok(format!("{url}{mark}{signature}"))
}

/// A time from now, or as it is, in seconds since 1970.
fn end_of(text: &str) -> Option<u64> {
    let unit_s = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return text.parse().ok(),
    };
    let count: u64 = text[..text.len() - 1].parse().ok()?;
    now_s().checked_add(count.checked_mul(unit_s)?)
}

/// How long a thread that has nothing to do stays: its stack and its allocator's lists are some 0.4 MB that only its end gives
/// back. Sixteen tiles at once leave some 20 of them, which must be gone when memory is given back a second after the last.
const SPARE: Duration = Duration::from_millis(500);

/// Runs a command. When it is done, so is the process: a read of a file that hangs is not waited for.
fn to_the_end(command: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder
        .enable_all()
        .thread_keep_alive(SPARE)
        .build()
        .map_err(failed)?;
    let done = runtime.block_on(command);
    runtime.shutdown_background();
    done
}

fn log_for_people(level: Level) {
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .with_ansi(false)
        .with_writer(std::io::stderr)
        .init();
}

/// Prints, and does not mind a reader that has seen enough.
fn print(text: &str) -> Result<(), Failure> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(failed(error)),
        _ => Ok(()),
    }
}

async fn serve(host: &str, port: u16, settings: Settings) -> Result<(), Failure> {
    let app = Arc::new(App::start(settings).await.map_err(failed)?);
    let server = Server::bind(host, port)
        .await
        .map_err(|error| Failure::Failed(format!("{host}:{port}: {error}")))?;
    let address = server.address().map_err(failed)?;
    print(&format!("edgetile serves http://{address}/"))?;
    let warmed = app.clone();
    tokio::spawn(async move { warmed.warm().await });
    server.run(app, told_to_stop()).await;
    Ok(())
}

/// Refuses an address that is none before anything else is looked at.
fn checked(url: &str) -> Result<(), Failure> {
    let here = Root::Folder(Path::new("").into());
    here.trusted(url)
        .map(|_| ())
        .map_err(|error| Failure::Usage(format!("{url}: {error}")))
}

/// The urls themselves; for `-` those on the lines of standard input.
fn listed(urls: Vec<String>) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for url in urls {
        if url == "-" {
            let text = std::io::read_to_string(std::io::stdin()).map_err(failed)?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            all.extend(lines.map(str::to_owned));
        } else {
            all.push(url);
        }
    }
    Ok(all)
}

/// Where a url leads that the operator wrote; paths from here are made whole, as a server elsewhere would write them.
fn located(url: &str) -> Result<Location, Failure> {
    let here = std::path::absolute(".").map_err(failed)?;
    Root::Folder(here)
        .trusted(url)
        .map_err(|error| Failure::Usage(format!("{url}: {error}")))
}

async fn index(
    urls: &[String],
    locations: &[Location],
    environment: BTreeMap<String, String>,
) -> Result<(), Failure> {
    let settings =
        Settings::read(&BTreeMap::new(), environment).map_err(|error| Failure::Usage(error.to_string()))?;
    let app = App::for_operator(settings).await.map_err(failed)?;
    let (index, left_out) = app.index(locations).await;
    write("-", &index)?;
    for (at, problem) in &left_out {
        eprintln!("{}: {problem}", urls.get(*at).map_or("", String::as_str));
    }
    match left_out.len() {
        0 => Ok(()),
        count => Err(Failure::Failed(format!(
            "{count} of {} files are not in the index",
            urls.len()
        ))),
    }
}

async fn ask(target: &str, environment: BTreeMap<String, String>) -> Result<Outcome, Failure> {
    let settings =
        Settings::read(&BTreeMap::new(), environment).map_err(|error| Failure::Usage(error.to_string()))?;
    let app = App::for_operator(settings).await.map_err(failed)?;
    let mut request = Request::new(Bytes::new());
    *request.uri_mut() = target
        .parse()
        .map_err(|_| Failure::Usage("this makes no request".to_owned()))?;
    Ok(app.outcome(&request).await?)
}

async fn describe(url: &str, environment: BTreeMap<String, String>) -> Result<(), Failure> {
    let target = format!("/cog/info?sidecars=auto&url={}", encode(url));
    let told = document(&target, environment)
        .await
        .map_err(|failure| failure.of(url))?;
    print(&format!("{told:#}"))
}

async fn validate(url: &str, is_strict: bool, environment: BTreeMap<String, String>) -> Result<(), Failure> {
    let target = format!("/cog/validate?strict={is_strict}&url={}", encode(url));
    let told = document(&target, environment)
        .await
        .map_err(|failure| match failure {
            Failure::Failed(message) => Failure::Unanswered(format!("{url}: {message}")),
            usage => usage,
        })?;
    print(&format!("{told:#}"))?;
    if told["COG"] == true {
        return Ok(());
    }
    Err(Failure::Failed(format!("{url} is no Cloud-Optimized GeoTIFF")))
}

/// The answer to a request for JSON.
async fn document(target: &str, environment: BTreeMap<String, String>) -> Result<serde_json::Value, Failure> {
    match ask(target, environment).await? {
        Outcome::Content { body, .. } => serde_json::from_slice(&body).map_err(failed),
        _ => Ok(serde_json::Value::Null),
    }
}

async fn draw(tile: &Tile, environment: BTreeMap<String, String>) -> Result<(), Failure> {
    let started = Instant::now();
    let outcome = ask(&target(tile), environment)
        .await
        .map_err(|failure| failure.of(&tile.url))?;
    let ms = started.elapsed().as_secs_f64() * 1e3;
    match outcome {
        Outcome::Content { body, about, .. } => {
            let output = tile
                .output
                .clone()
                .unwrap_or_else(|| format!("{}.{}", tile.place.join("-"), extension(tile)));
            write(&output, &body)?;
            eprintln!("{output}: {} bytes in {ms:.1} ms, {}", body.len(), cost(&about));
        }
        nothing => eprintln!("no data in this tile, nothing written; {}", cost(nothing.about())),
    }
    Ok(())
}

/// The request that draws the tile.
fn target(tile: &Tile) -> String {
    let segment = |text: &str| encode(text).replace('/', "%2F");
    let [z, x, y] = tile.place.each_ref().map(|text| segment(text));
    let grid = segment(tile.grid.as_deref().unwrap_or("WebMercatorQuad"));
    let scale = tile
        .scale
        .as_ref()
        .map(|scale| format!("@{}x", segment(scale)))
        .unwrap_or_default();
    let mut target = format!(
        "/cog/tiles/{grid}/{z}/{x}/{y}{scale}.{}?url={}",
        segment(extension(tile)),
        encode(&tile.url)
    );
    for (name, value) in &tile.style {
        target.push_str(&["&", name, "=", &encode(value)].concat());
    }
    target
}

fn extension(tile: &Tile) -> &str {
    let of_output = tile
        .output
        .as_deref()
        .and_then(|output| Path::new(output).extension()?.to_str());
    tile.format.as_deref().or(of_output).unwrap_or("png")
}

fn write(output: &str, body: &[u8]) -> Result<(), Failure> {
    let written = if output == "-" {
        std::io::stdout().write_all(body)
    } else {
        std::fs::write(output, body)
    };
    written.map_err(|error| Failure::Failed(format!("{output}: {error}")))
}

fn cost(about: &About) -> String {
    let steps = about
        .timing
        .steps()
        .map(|(step, took)| format!("{step} {:.1} ms", took.as_secs_f64() * 1e3));
    let cost = about.cost.map(|cost| cost.to_string()).unwrap_or_default();
    std::iter::once(cost).chain(steps).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_becomes_the_request_that_draws_it() {
        let tile = Tile {
            url: "a b&c.tif".into(),
            place: ["1", "2", "3/4"].map(str::to_owned),
            output: Some("t.npy".into()),
            scale: Some("2".into()),
            style: vec![("expression".into(), "b1+b2".into())],
            ..Tile::default()
        };
        assert_eq!(
            target(&tile),
            "/cog/tiles/WebMercatorQuad/1/2/3%2F4@2x.npy?url=a%20b%26c.tif&expression=b1%2Bb2"
        );
    }

    #[test]
    fn the_format_is_as_said_or_as_the_file_ends() {
        let of = |output: Option<&str>, format: Option<&str>| {
            let tile = Tile {
                output: output.map(Into::into),
                format: format.map(Into::into),
                ..Tile::default()
            };
            extension(&tile).to_owned()
        };
        assert_eq!(of(None, None), "png");
        assert_eq!(of(Some("-"), None), "png");
        assert_eq!(of(Some("a.tif"), None), "tif");
        assert_eq!(of(Some("a.tif"), Some("npy")), "npy");
    }

    #[test]
    fn what_the_caller_wrote_wrong_is_usage_and_the_rest_is_failure() {
        let refused = Problem::Refused(crate::request::Refused::parameter("bidx", "is wrong"));
        assert_eq!(Failure::from(refused), Failure::Usage("bidx is wrong".into()));
        assert!(matches!(Failure::from(Problem::StoreBusy), Failure::Failed(_)));
        assert!(matches!(checked("ftp://h/a.tif"), Err(Failure::Usage(_))));
        assert_eq!(checked("no/such/file.tif"), Ok(()));
    }
}
