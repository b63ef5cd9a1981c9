//! What each sender sends, and what it is sent.

use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::*;

fn read(event: Value) -> Event {
    serde_json::from_value(event).unwrap()
}

fn target(event: Value) -> String {
    read(event).request.uri().to_string()
}

fn function_url(path: &str, query: &str) -> Value {
    json!({
        "version": "2.0", "rawPath": path, "rawQueryString": query, "isBase64Encoded": false,
        "headers": {"host": "abc.lambda-url.eu-central-1.on.aws", "x-forwarded-proto": "https"},
        "requestContext": {"stage": "$default", "http": {"method": "GET", "path": path}},
    })
}

fn rest(path: &str, outside: &str, query: &Value, many: &Value) -> Value {
    json!({
        "path": path, "httpMethod": "GET", "headers": {"Host": "h"}, "multiValueHeaders": {"Host": ["h"]},
        "queryStringParameters": query, "multiValueQueryStringParameters": many, "body": null,
        "requestContext": {"stage": "prod", "path": outside, "httpMethod": "GET"},
    })
}

#[test]
fn a_function_url_passes_path_and_query_as_they_were_sent() {
    let event = read(function_url(
        "/ndvi/1/0/0.png",
        "url=a%2Bb.tif&expression=b1+b2&bidx=1&bidx=2",
    ));
    assert_eq!(event.door, Door::Http);
    assert_eq!(event.request.method(), Method::GET);
    assert_eq!(
        event.request.uri(),
        "/ndvi/1/0/0.png?url=a%2Bb.tif&expression=b1+b2&bidx=1&bidx=2"
    );
    assert_eq!(
        event.request.headers()["host"],
        "abc.lambda-url.eu-central-1.on.aws"
    );
    assert_eq!(event.request.extensions().get::<PublicPrefix>(), None);
}

#[test]
fn a_named_stage_of_an_http_api_is_taken_off_and_remembered() {
    for (path, inside, prefix) in [
        ("/prod/tiles/a/1/0/0", "/tiles/a/1/0/0", Some("/prod")),
        ("/prod", "/", Some("/prod")),
        ("/production/x", "/production/x", None),
        ("/tiles/prod", "/tiles/prod", None),
    ] {
        let mut event = function_url(path, "");
        event["requestContext"]["stage"] = "prod".into();
        let request = read(event).request;
        assert_eq!(request.uri(), inside);
        assert_eq!(
            request
                .extensions()
                .get::<PublicPrefix>()
                .map(|prefix| prefix.0.as_str()),
            prefix,
            "{path}"
        );
    }
}

#[test]
fn a_rest_api_decodes_and_is_encoded_again() {
    let many = json!({"url": ["https://h/a b.tif?x=1&y=2"], "bidx": ["1", "2"], "expression": ["b1+b2"]});
    let event = read(rest("/cog/info", "/prod/cog/info", &json!({"bidx": "2"}), &many));
    assert_eq!(event.door, Door::Rest);
    let query = event.request.uri().query().unwrap();
    assert_eq!(
        query,
        "bidx=1&bidx=2&expression=b1%2Bb2&url=https://h/a%20b.tif?x%3D1%26y%3D2"
    );
    let read_back = crate::request::Query::parse(query).unwrap();
    assert_eq!(read_back.one("url").unwrap(), Some("https://h/a b.tif?x=1&y=2"));
    assert_eq!(
        event.request.extensions().get(),
        Some(&PublicPrefix("/prod".into()))
    );
    assert_eq!(event.request.headers().get_all("host").iter().count(), 1);
}

#[test]
fn a_rest_path_that_looks_like_its_stage_stays() {
    let event = read(rest("/prod/x", "/prod/prod/x", &Value::Null, &Value::Null));
    assert_eq!(event.request.uri(), "/prod/x");
    let event = read(rest("/prod/x", "/prod/x", &Value::Null, &Value::Null));
    assert_eq!(event.request.uri(), "/x");
}

#[test]
fn a_balancer_leaves_values_as_they_were_sent() {
    let event = read(json!({
        "requestContext": {"elb": {"targetGroupArn": "arn:x"}}, "httpMethod": "HEAD", "path": "/cog/info",
        "queryStringParameters": {"url": "a%2Fb%20c.tif", "flag": ""}, "headers": {"host": "h"},
        "body": "", "isBase64Encoded": false,
    }));
    assert_eq!(event.door, Door::Balancer { multi_value: false });
    assert_eq!(event.request.uri(), "/cog/info?flag=&url=a%2Fb%20c.tif");
    assert_eq!(event.request.method(), Method::HEAD);
    let event = read(json!({
        "requestContext": {"elb": {}}, "httpMethod": "GET", "path": "/",
        "multiValueQueryStringParameters": {"bidx": ["2", "1"]},
        "multiValueHeaders": {"if-none-match": ["\"a\"", "\"b\""]},
    }));
    assert_eq!(event.door, Door::Balancer { multi_value: true });
    assert_eq!(event.request.uri(), "/?bidx=2&bidx=1");
    assert_eq!(event.request.headers().get_all("if-none-match").iter().count(), 2);
}

#[test]
fn text_that_no_target_can_hold_is_encoded_rather_than_refused() {
    assert_eq!(
        target(function_url("/tiles/\u{e9} {x}", "a=\u{e9} \"<>")),
        "/tiles/%C3%A9%20%7Bx%7D?a=%C3%A9%20%22%3C%3E"
    );
    assert_eq!(target(function_url("/a?b", "")), "/a%3Fb");
}

#[test]
fn bodies_arrive_decoded() {
    let mut event = function_url("/", "");
    event["body"] = "aGk=".into();
    assert_eq!(read(event.clone()).request.body(), "aGk=");
    event["isBase64Encoded"] = true.into();
    assert_eq!(read(event.clone()).request.body(), "hi");
    event["body"] = "***".into();
    assert!(serde_json::from_value::<Event>(event).is_err());
}

#[test]
fn what_is_no_http_request_is_said_to_be_none() {
    for event in [
        json!({}),
        json!({"source": "aws.events"}),
        json!({"path": "/"}),
        json!({"path": "/", "httpMethod": "a b"}),
    ] {
        assert!(serde_json::from_value::<Event>(event).is_err());
    }
}

fn answer(media_type: &str, body: &'static [u8]) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from_static(body));
    response
        .headers_mut()
        .insert("content-type", HeaderValue::from_str(media_type).unwrap());
    response
        .headers_mut()
        .append("vary", HeaderValue::from_static("a"));
    response
        .headers_mut()
        .append("vary", HeaderValue::from_static("b"));
    response
}

fn envelope(door: Door, response: &Response<Bytes>) -> Value {
    serde_json::from_str(door.envelope(response).unwrap().get()).unwrap()
}

#[test]
fn binary_is_base64_and_text_is_text() {
    let tile = envelope(Door::Http, &answer("image/png", b"\x89PNG\r\n"));
    assert_eq!(
        tile,
        json!({"statusCode": 200, "headers": {"content-type": "image/png", "vary": "a, b"}, "isBase64Encoded": true, "body": "iVBORw0K"})
    );
    for media_type in [
        "application/json",
        "application/problem+json",
        "text/html; charset=utf-8",
        "image/svg+xml",
    ] {
        let page = envelope(Door::Rest, &answer(media_type, "\"\n\u{e9}".as_bytes()));
        assert_eq!(
            (&page["isBase64Encoded"], &page["body"]),
            (&json!(false), &json!("\"\n\u{e9}")),
            "{media_type}"
        );
    }
    let broken = envelope(Door::Http, &answer("text/plain", b"\xff"));
    assert_eq!(broken["body"], "/w==");
}

#[test]
fn an_empty_answer_has_an_empty_text() {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let empty = envelope(Door::Http, &response);
    assert_eq!(
        empty,
        json!({"statusCode": 204, "headers": {}, "isBase64Encoded": false, "body": ""})
    );
}

#[test]
fn a_balancer_is_told_the_status_in_words() {
    let one = envelope(Door::Balancer { multi_value: false }, &answer("image/png", b"x"));
    assert_eq!(
        (&one["statusDescription"], &one["headers"]["vary"]),
        (&json!("200 OK"), &json!("a, b"))
    );
    let many = envelope(Door::Balancer { multi_value: true }, &answer("image/png", b"x"));
    assert_eq!(many["multiValueHeaders"]["content-type"], json!(["image/png"]));
    assert_eq!(many.get("headers"), None);
}

#[test]
fn an_answer_over_the_limit_is_none() {
    let of = |len: usize| Response::new(Bytes::from(vec![0xff; len]));
    let outcome = |door: Door, len: usize| door.envelope(&of(len)).map(|_| ());
    // 6,291,556 bytes of JSON hold 4.7 MB of picture.
    let around = Door::Http.envelope(&of(3)).unwrap().get().len() - 4;
    let largest = (6_291_556 - around) / 4 * 3;
    assert_eq!(outcome(Door::Http, largest), Ok(()));
    assert_eq!(outcome(Door::Rest, largest + 3), Err(OverLimit { limit_mb: 6 }));
    assert_eq!(
        outcome(Door::Balancer { multi_value: false }, 800_000),
        Err(OverLimit { limit_mb: 1 })
    );
}
