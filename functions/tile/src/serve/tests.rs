//! The server over real sockets.

use std::collections::BTreeMap;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

use super::*;
use crate::settings::Settings;

/// A running server: its address, how to stop it, and its end.
async fn running() -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let settings = Settings::read(&BTreeMap::new(), BTreeMap::new()).unwrap();
    let app = Arc::new(App::start(settings).await.unwrap());
    let server = Server::bind("127.0.0.1", 0).await.unwrap();
    let address = server.address().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let run = tokio::spawn(server.run(app, async {
        let _ = stopped.await;
    }));
    (address, stop, run)
}

/// Sends raw bytes and reads until the server closes.
async fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn it_answers_on_the_port_that_it_took() {
    let (address, _stop, _run) = running().await;
    assert_ne!(address.port(), 0);
    let answer = exchange(
        address,
        "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.ends_with(r#""status":"ok","version":"0.1.0"}"#),
        "{answer}"
    );
}

#[tokio::test]
async fn head_has_the_length_of_get_and_no_body() {
    let (address, _stop, _run) = running().await;
    let ask = |method: &str| format!("{method} /colorMaps HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let get = exchange(address, &ask("GET")).await;
    let head = exchange(address, &ask("HEAD")).await;
    let (_, body) = get.split_once("\r\n\r\n").unwrap();
    assert!(
        head.contains(&format!("content-length: {}\r\n", body.len())),
        "{head}"
    );
    assert!(head.ends_with("\r\n\r\n"), "{head}");
}

#[tokio::test]
async fn a_body_is_read_up_to_its_limit() {
    let (address, _stop, _run) = running().await;
    let post =
        |more: &str| format!("POST /ndvi/statistics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{more}");
    let ring = "[[[11.52,48.10],[11.54,48.10],[11.54,48.11],[11.52,48.10]]]";
    let feature = format!(
        r#"{{"type":"Feature","properties":{{}},"geometry":{{"type":"Polygon","coordinates":{ring}}}}}"#
    );
    let length = feature.len();
    let whole = post(&format!("content-length: {length}\r\n\r\n{feature}"));
    assert!(exchange(address, &whole).await.contains(r#""statistics":{"b1""#));
    let chunk = format!("transfer-encoding: chunked\r\n\r\n{length:x}\r\n{feature}\r\n0\r\n\r\n");
    assert!(
        exchange(address, &post(&chunk))
            .await
            .contains(r#""statistics":{"b1""#)
    );
    // What says that it is too long is not waited for.
    let told = exchange(address, &post("content-length: 99999999999\r\n\r\n")).await;
    assert!(
        told.starts_with("HTTP/1.1 413 ") && told.contains("application/problem+json"),
        "{told}"
    );
    let long = " ".repeat(LONGEST_BODY_BYTES / 2);
    let chunk = format!("{:x}\r\n{long}\r\n", long.len()).repeat(3);
    let told = exchange(
        address,
        &post(&format!("transfer-encoding: chunked\r\n\r\n{chunk}")),
    )
    .await;
    assert!(told.starts_with("HTTP/1.1 413 "), "{told}");
}

/// What is sent to a client of `target` whose request goes on as in `rest`, and then ends where `is_cut`.
async fn refused(target: &str, rest: &str, is_cut: bool) -> String {
    let (address, _stop, _run) = running().await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("POST {target} HTTP/1.1\r\nhost: x\r\n{rest}");
    stream.write_all(request.as_bytes()).await.unwrap();
    if is_cut {
        stream.shutdown().await.unwrap();
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_body_that_is_not_read_says_why_is_kept_by_nobody_and_ends_its_connection() {
    let post = "/cog/statistics?url=a.tif";
    let long = format!("content-length: {}\r\n\r\n", LONGEST_BODY_BYTES + 1);
    for (target, rest, is_cut, status, detail) in [
        (post, long.as_str(), false, 413, "is longer than 1048576 bytes"),
        (
            post,
            "transfer-encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n",
            false,
            400,
            "did not arrive whole",
        ),
        (
            post,
            "content-length: 100\r\n\r\n{}",
            true,
            400,
            "did not arrive whole",
        ),
        // No body could make an answer of these.
        (
            "/cog/info?url=a.tif",
            &long,
            false,
            405,
            "only GET and HEAD are answered here",
        ),
        ("/cog/nosuch", &long, false, 404, "nothing at this path"),
    ] {
        let answer = refused(target, rest, is_cut).await;
        let start = format!("HTTP/1.1 {status} ");
        assert!(
            answer.starts_with(&start) && answer.contains(detail),
            "{rest}: {answer}"
        );
        for header in ["cache-control: no-store\r\n", "connection: close\r\n"] {
            assert!(answer.contains(header), "{target} {rest}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_body_that_takes_its_time_is_not_called_late_work() {
    use futures_util::stream;
    use http_body_util::StreamBody;
    let never = StreamBody::new(stream::pending::<Result<hyper::body::Frame<Bytes>, std::io::Error>>());
    let told = read(never, Duration::from_millis(5)).await;
    assert_eq!(told, Err(Refused::SlowBody));
}

#[tokio::test]
async fn requests_of_one_connection_follow_each_other() {
    let (address, _stop, _run) = running().await;
    let two = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /nosuch HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let answer = exchange(address, two).await;
    assert!(
        answer.contains("HTTP/1.1 200 OK") && answer.contains("HTTP/1.1 404 Not Found"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_head_without_end_and_nonsense_are_refused() {
    let (address, _stop, _run) = running().await;
    let long = format!("GET /?{} HTTP/1.1\r\nhost: x\r\n\r\n", "a".repeat(200_000));
    let answer = exchange(address, &long).await;
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    let answer = exchange(address, "\u{0}\u{1}nonsense\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    let answer = exchange(
        address,
        "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn told_to_stop_it_closes_idle_connections_and_ends() {
    let (address, stop, run) = running().await;
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    let mut first = [0; 15];
    idle.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(5), run)
        .await
        .expect("it ends soon")
        .unwrap();
    let mut rest = Vec::new();
    assert!(
        idle.read_to_end(&mut rest).await.is_ok(),
        "the connection was closed, not broken"
    );
    assert!(
        TcpStream::connect(address).await.is_err(),
        "nobody listens any more"
    );
}
