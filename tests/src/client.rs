//! A client that shows what was answered: no retries, no redirects, nothing decoded.

use std::net::SocketAddr;

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Asks once, over a connection of its own.
pub async fn ask(address: SocketAddr, request: Request<Bytes>) -> Response<Bytes> {
    let stream = TcpStream::connect(address).await.expect("somebody listens");
    stream.set_nodelay(true).expect("a socket");
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .expect("a connection");
    tokio::spawn(connection);
    let mut request = request.map(Full::new);
    let host = HeaderValue::from_str(&address.to_string()).expect("an address is a header");
    request.headers_mut().entry(HOST).or_insert(host);
    let (head, body) = sender
        .send_request(request)
        .await
        .expect("an answer")
        .into_parts();
    let body = body.collect().await.expect("a whole body").to_bytes();
    Response::from_parts(head, body)
}

/// A request without a body.
pub fn request(method: Method, target: &str, headers: &[(&'static str, &str)]) -> Request<Bytes> {
    let mut request = Request::new(Bytes::new());
    *request.method_mut() = method;
    *request.uri_mut() = target.parse().expect("a target");
    for (name, value) in headers {
        request
            .headers_mut()
            .insert(*name, HeaderValue::from_str(value).expect("a header"));
    }
    request
}

/// The value of a header, empty without one.
pub fn header<'a>(response: &'a Response<Bytes>, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().expect("a header of text"))
}
