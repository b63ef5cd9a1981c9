//! Every sample event of `events/` through the real binary, behind an emulated Lambda Runtime API.

use edgetile_tests::binary;
use edgetile_tests::client::header;
use edgetile_tests::runtime_api::{Function, body};
use edgetile_tests::server::Server;
use serde_json::{Value, json};

fn event(name: &str) -> Value {
    let text = std::fs::read_to_string(binary::file("events").join(name)).expect("an event");
    serde_json::from_str(&text).expect("JSON")
}

/// An event like that of `name`, for another path and query.
fn like(name: &str, path: &str, query: &str) -> Value {
    let mut event = event(name);
    event["rawPath"] = path.into();
    event["rawQueryString"] = query.into();
    event
}

#[tokio::test]
async fn every_door_gives_the_tile_that_the_server_gives() {
    let (function, server) = (Function::start(&[]).await, Server::start(&[], &[]));
    let place = "12/2179/1421.png";
    let by_url = format!("/ndvi/{place}?url=sample.tif&red=3&nir=4");
    for (name, target) in [
        ("tile.json", format!("/tiles/truecolour/{place}")),
        ("ndvi.json", by_url.clone()),
        ("apigw-v2.json", by_url.clone()),
        ("apigw-v1.json", by_url.clone()),
        ("alb.json", by_url.clone()),
    ] {
        let answer = function
            .invoke(&event(name))
            .await
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(answer["statusCode"], 200, "{name}: {answer}");
        assert_eq!(answer["isBase64Encoded"], true, "{name}");
        assert_eq!(answer["headers"]["content-type"], "image/png", "{name}");
        let served = server.get(&target).await;
        assert_eq!(&served.body()[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(
            *body(&answer),
            served.body()[..],
            "{name} and {target} are one picture"
        );
    }
}

/// The same request of every door that carries a body, encoded or not.
#[tokio::test]
async fn a_body_reaches_the_function_through_every_door() {
    let function = Function::start(&[]).await;
    let encoded = event("statistics.json");
    let first = function.invoke(&encoded).await.expect("statistics");
    assert_eq!(first["statusCode"], 200, "{first}");
    assert_eq!(first["headers"]["content-type"], "application/geo+json");
    assert_eq!(first["headers"]["cache-control"], "no-store");
    let told: Value = serde_json::from_slice(&body(&first)).expect("JSON");
    let count = told["properties"]["statistics"]["b1"]["count"].as_f64();
    assert!(count.is_some_and(|count| count > 1000.0), "{told}");
    let mut sent = told.clone();
    sent["properties"] = json!({"name": "field"});
    for name in ["tile.json", "apigw-v2.json", "apigw-v1.json", "alb.json"] {
        let mut plain = event(name);
        for path in ["rawPath", "path"] {
            if plain[path].is_string() {
                plain[path] = "/ndvi/statistics".into();
            }
        }
        if plain["rawQueryString"].is_string() {
            plain["rawQueryString"] = "".into();
        }
        for query in ["queryStringParameters", "multiValueQueryStringParameters"] {
            plain[query] = json!({});
        }
        if plain["httpMethod"].is_string() {
            plain["httpMethod"] = "POST".into();
            plain["requestContext"]["path"] = "/ndvi/statistics".into();
        } else {
            plain["requestContext"]["http"]["method"] = "POST".into();
        }
        plain["body"] = sent.to_string().into();
        let answer = function.invoke(&plain).await.expect(name);
        assert_eq!(answer["statusCode"], 200, "{name}: {answer}");
        let other: Value = serde_json::from_slice(&body(&answer)).expect("JSON");
        assert_eq!(other, told, "{name}");
    }
}

#[tokio::test]
async fn a_request_is_one_line_that_carries_its_metrics() {
    let function = Function::start(&[("EDGETILE_METRICS", "tiles")]).await;
    for _ in 0..2 {
        function.invoke(&event("ndvi.json")).await.unwrap();
    }
    let lines: Vec<Value> = function
        .log(2)
        .await
        .iter()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect();
    let requests: Vec<&Value> = lines.iter().filter(|line| line.get("_aws").is_some()).collect();
    assert_eq!(requests.len(), 2, "{lines:?}");
    for (line, first) in requests.iter().zip([1, 0]) {
        assert_eq!(line["_aws"]["CloudWatchMetrics"][0]["Namespace"], "tiles");
        assert_eq!(
            (&line["FunctionName"], &line["status"]),
            (&json!("edgetile"), &json!(200))
        );
        assert_eq!(
            (&line["FirstRequests"], &line["Faults"]),
            (&json!(first), &json!(0))
        );
        assert!(line["Milliseconds"].as_f64() > Some(0.0) && line["AnswerBytes"].as_u64() > Some(1000));
    }
}

#[tokio::test]
async fn documents_are_text_and_name_the_public_host() {
    let function = Function::start(&[]).await;
    let health = function.invoke(&event("healthz.json")).await.unwrap();
    assert_eq!(
        (&health["statusCode"], &health["isBase64Encoded"]),
        (&json!(200), &json!(false))
    );
    let tilejson = function.invoke(&event("tilejson.json")).await.unwrap();
    let document: Value = serde_json::from_slice(&body(&tilejson)).unwrap();
    assert_eq!(
        document["tiles"][0],
        "https://tiles.example.com/tiles/ndvi/{z}/{x}/{y}@2x.png"
    );
    let stage = function
        .invoke(&like("apigw-v2.json", "/prod/ndvi/tilejson.json", ""))
        .await
        .unwrap();
    let document: Value = serde_json::from_slice(&body(&stage)).unwrap();
    let wanted = "https://abcdefghij.execute-api.eu-central-1.amazonaws.com/prod/ndvi/{z}/{x}/{y}@2x.png";
    assert_eq!(document["tiles"][0], wanted);
}

#[tokio::test]
async fn a_load_balancer_gets_its_own_form() {
    let function = Function::start(&[]).await;
    let answer = function.invoke(&event("alb.json")).await.unwrap();
    assert_eq!(answer["statusDescription"], "200 OK");
    let mut many = event("alb.json");
    let headers = many["headers"].as_object().unwrap().clone();
    many["multiValueHeaders"] = headers
        .into_iter()
        .map(|(name, value)| (name, json!([value])))
        .collect();
    many.as_object_mut().unwrap().remove("headers");
    let answer = function.invoke(&many).await.unwrap();
    assert_eq!(answer["multiValueHeaders"]["content-type"], json!(["image/png"]));
}

#[tokio::test]
async fn a_held_tile_is_304_without_a_body() {
    let function = Function::start(&[]).await;
    let mut held = event("ndvi.json");
    let first = function.invoke(&held).await.unwrap();
    held["headers"]["if-none-match"] = first["headers"]["etag"].clone();
    let again = function.invoke(&held).await.unwrap();
    assert_eq!((&again["statusCode"], &again["body"]), (&json!(304), &json!("")));
}

#[tokio::test]
async fn mistakes_are_problems_and_the_environment_lives_on() {
    let function = Function::start(&[]).await;
    for (path, query, status) in [
        ("/nosuch", "", 404),
        ("/tiles/nosuch/0/0/0", "", 404),
        ("/cog/info", "url=https%3A%2F%2Fexample.com%2Fa.tif", 403),
        ("/cog/info", "url=../sample.tif", 403),
        ("/ndvi/12/2179/1421.png", "url=sample.tif&red=3&nir=9", 400),
    ] {
        let answer = function.invoke(&like("tile.json", path, query)).await.unwrap();
        assert_eq!(answer["statusCode"], status, "{path}?{query}: {answer}");
        assert_eq!(answer["headers"]["content-type"], "application/problem+json");
    }
    let no_http = function.invoke(&json!({"source": "aws.events"})).await;
    assert!(
        no_http.is_err(),
        "an event of another kind is an error of the invocation"
    );
    assert_eq!(
        function.invoke(&event("healthz.json")).await.unwrap()["statusCode"],
        200
    );
}

#[tokio::test]
async fn an_answer_over_six_megabytes_is_413_and_names_the_remedy() {
    let function = Function::start(&[]).await;
    // Four bands and a mask of 1024 x 1024 uint16: 10 MB.
    let large = like(
        "tile.json",
        "/cog/tiles/WebMercatorQuad/12/2179/1421.npy",
        "url=sample.tif&tilesize=1024",
    );
    let answer = function.invoke(&large).await.unwrap();
    assert_eq!(answer["statusCode"], 413, "{answer}");
    let text = String::from_utf8(body(&answer)).unwrap();
    assert!(
        text.contains("6 MB") && text.contains("smaller tilesize"),
        "{text}"
    );
    // The server has no such limit.
    let server = Server::start(&[], &[]);
    let served = server
        .get("/cog/tiles/WebMercatorQuad/12/2179/1421.npy?url=sample.tif&tilesize=1024")
        .await;
    assert_eq!(served.status(), 200);
    assert!(header(&served, "content-length").parse::<usize>().unwrap() > 10_000_000);
}

#[tokio::test]
async fn one_line_of_json_is_logged_for_each_request_and_no_query() {
    let function = Function::start(&[]).await;
    let secret = like(
        "tile.json",
        "/cog/info",
        "url=https%3A%2F%2Fh%2Fa.tif%3FX-Amz-Signature%3Dhush",
    );
    for event in [event("ndvi.json"), secret] {
        function.invoke(&event).await.unwrap();
    }
    let lines: Vec<Value> = function
        .log(2)
        .await
        .iter()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert_eq!(
        (&lines[0]["path"], &lines[0]["status"]),
        (&json!("/ndvi/12/2179/1421.png"), &json!(200))
    );
    assert_eq!(lines[0]["trace"], "Root=1-00000000-0000-4000-8000-000000000001");
    assert!(
        lines[0]["cost"].as_str().unwrap().starts_with("gets="),
        "{}",
        lines[0]
    );
    assert_eq!(
        (&lines[1]["status"], &lines[1]["level"]),
        (&json!(403), &json!("INFO"))
    );
    assert!(!lines[1].to_string().contains("hush"), "{}", lines[1]);
}

#[tokio::test]
async fn invocations_side_by_side_are_answered_side_by_side() {
    let function = Function::start(&[("AWS_LAMBDA_MAX_CONCURRENCY", "4")]).await;
    let asked = (0..16).map(|x| like("tile.json", &format!("/ndvi/13/{}/2843.png", 4350 + x), ""));
    let events: Vec<Value> = asked.collect();
    let answers = futures_util::future::join_all(events.iter().map(|event| function.invoke(event))).await;
    for answer in answers {
        let status = answer.unwrap()["statusCode"].clone();
        assert!([json!(200), json!(204)].contains(&status), "{status}");
    }
}
