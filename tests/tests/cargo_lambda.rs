//! `cargo lambda invoke`, as people call it, against the real binary: the Invoke API (2015-03-31) in front of the
//! emulated Runtime API.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use edgetile_tests::binary;
use edgetile_tests::runtime_api::{Function, body};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

/// Answers one invocation.
async fn invoke(function: &Function, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let path = request.uri().path().to_owned();
    let event = request.into_body().collect().await.expect("a body").to_bytes();
    let mut response = Response::new(Full::new(Bytes::new()));
    if path != "/2015-03-31/functions/edgetile/invocations" {
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    }
    let event = serde_json::from_slice(&event).expect("an event of JSON");
    let answer = function.invoke(&event).await.expect("an answer");
    *response.body_mut() = Full::new(answer.to_string().into());
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn cargo_lambda_invoke_gives_the_ndvi_tile_of_the_sample_event() {
    let function = Arc::new(Function::start(&[]).await);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port().to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let function = function.clone();
            let service = service_fn(move |request| {
                let function = function.clone();
                async move { Ok::<_, Infallible>(invoke(&function, request).await) }
            });
            tokio::spawn(
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
            );
        }
    });
    let event = binary::file("events/ndvi.json");
    let done = tokio::process::Command::new("cargo-lambda")
        .args([
            "lambda",
            "invoke",
            "edgetile",
            "--invoke-address",
            "127.0.0.1",
            "--invoke-port",
            &port,
        ])
        .arg("--data-file")
        .arg(event)
        .output()
        .await
        .expect("cargo-lambda is installed: `make test` does so, or pip install cargo-lambda");
    let (text, errors) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    assert!(done.status.success(), "{errors}");
    let answer: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {errors}"));
    assert_eq!(answer["statusCode"], 200, "{text}");
    assert_eq!(answer["headers"]["content-type"], "image/png");
    assert_eq!(&body(&answer)[..8], b"\x89PNG\r\n\x1a\n");
}
