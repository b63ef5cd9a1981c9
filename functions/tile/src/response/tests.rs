//! Statuses and headers, as callers and caches see them.

use super::*;
use crate::request::Methods;

fn policy(empty_tile: EmptyTile) -> Policy {
    Policy {
        empty_tile,
        tile_cache_control: HeaderValue::from_static("public, max-age=7"),
    }
}

fn problem(problem: Problem) -> Response<Bytes> {
    policy(EmptyTile::NoContent).respond(Err(problem))
}

fn header<'a>(response: &'a Response<Bytes>, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

#[test]
fn every_problem_has_the_status_of_who_must_act_and_the_freshness_of_how_soon() {
    let refused = |refused: Refused| Problem::Refused(refused);
    for (given, status, freshness) in [
        (
            refused(Refused::parameter("bidx", "is wrong")),
            400,
            "public, max-age=300",
        ),
        (
            refused(Refused::TooLong { limit_bytes: 1 }),
            400,
            "public, max-age=300",
        ),
        (
            refused(Refused::TooManyPixels { edge_px: 9 }),
            413,
            "public, max-age=300",
        ),
        (
            refused(Refused::LargeWindow { edge_px: 9 }),
            413,
            "public, max-age=300",
        ),
        (
            refused(Refused::OffGrid {
                grid: "g".into(),
                remedy: "r".into(),
                z: 0,
                x: 1,
                y: 0,
            }),
            404,
            "public, max-age=300",
        ),
        (refused(Refused::NoSuchPath), 404, "public, max-age=300"),
        (
            refused(Refused::Unknown { kind: "layer" }),
            404,
            "public, max-age=300",
        ),
        (
            refused(Refused::Method(Methods::Read)),
            405,
            "public, max-age=300",
        ),
        (Problem::Moved, 502, "no-store"),
        (refused(Refused::SlowBody), 408, "no-store"),
        (refused(Refused::BrokenBody), 400, "public, max-age=300"),
        (refused(Refused::CodedBody), 415, "public, max-age=300"),
        (Problem::Denied(Denied), 403, "public, max-age=10"),
        (Problem::not_found("file at this url"), 404, "public, max-age=300"),
        (
            Problem::TooLarge {
                what: "a".into(),
                remedy: "b".into(),
            },
            413,
            "public, max-age=300",
        ),
        (Problem::Broken("a".into()), 422, "public, max-age=300"),
        (Problem::Unsupported("a".into()), 415, "public, max-age=300"),
        (Problem::StoreFailed, 502, "no-store"),
        (Problem::StoreBusy, 503, "no-store"),
        (Problem::OutOfTime, 504, "no-store"),
        (Problem::Internal, 500, "no-store"),
    ] {
        let response = problem(given.clone());
        assert_eq!(response.status().as_u16(), status, "{given:?}");
        assert_eq!(header(&response, "cache-control"), freshness, "{given:?}");
        assert_eq!(header(&response, "content-type"), "application/problem+json");
        assert_eq!(header(&response, "access-control-allow-origin"), "*");
        let document: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
        assert_eq!(document["status"], status);
        assert_eq!(document["detail"], given.to_string());
        assert_eq!(
            header(&response, "content-length"),
            response.body().len().to_string()
        );
    }
}

#[test]
fn some_problems_say_what_to_do_in_a_header() {
    assert_eq!(
        header(&problem(Refused::Method(Methods::Read).into()), "allow"),
        "GET, HEAD, OPTIONS"
    );
    assert_eq!(header(&problem(Problem::StoreBusy), "retry-after"), "1");
}

#[test]
fn content_carries_what_is_known_about_it() {
    let mut timing = Timing::default();
    timing.add("fetch", Duration::from_micros(12_345));
    timing.add("decode", Duration::from_millis(4));
    let etag = ETag::of(["x"]);
    let about = About {
        audience: crate::guard::Audience::Everyone,
        freshness: Freshness::Tile,
        etag: Some(etag.clone()),
        cost: Some(Cost {
            gets: 3,
            bytes: 1_402_345,
            level: 1,
            blocks: 4,
            hits: 2,
            misses: 3,
        }),
        timing,
        gzip: true,
        vary: Some("Accept-Encoding"),
        place: Some(Place {
            bbox: [-1.5, 2.0, 3.0, 4.25],
            crs_uri: Some("http://www.opengis.net/def/crs/EPSG/0/4326".to_owned()),
            size: (9, 8),
        }),
    };
    let outcome = Outcome::Content {
        body: Bytes::from_static(b"abc"),
        media_type: "image/png",
        about,
    };
    let response = policy(EmptyTile::NoContent).respond(Ok(outcome));
    assert_eq!(response.status(), StatusCode::OK);
    for (name, value) in [
        ("content-type", "image/png"),
        ("content-length", "3"),
        ("content-encoding", "gzip"),
        ("vary", "Accept-Encoding"),
        ("cache-control", "public, max-age=7"),
        ("etag", etag.as_str()),
        (
            "edgetile-cost",
            "gets=3;bytes=1402345;level=1;blocks=4;hits=2;misses=3",
        ),
        ("server-timing", "fetch;dur=12.35, decode;dur=4.00"),
        ("content-bbox", "-1.5,2,3,4.25"),
        ("content-crs", "<http://www.opengis.net/def/crs/EPSG/0/4326>"),
        (
            "access-control-expose-headers",
            "ETag, Server-Timing, Edgetile-Cost, Content-Bbox, Content-Crs",
        ),
    ] {
        assert_eq!(header(&response, name), value);
    }
}

#[test]
fn answers_without_a_body_keep_their_tag() {
    let about = || About {
        etag: Some(ETag::of(["x"])),
        ..About::default()
    };
    for (outcome, empty_tile, status, length) in [
        (Outcome::NotModified(about()), EmptyTile::NoContent, 304, ""),
        (Outcome::Empty(about()), EmptyTile::NoContent, 204, ""),
        (Outcome::Empty(about()), EmptyTile::NotFound, 404, "0"),
    ] {
        let response = policy(empty_tile).respond(Ok(outcome));
        assert_eq!(response.status().as_u16(), status);
        assert!(response.body().is_empty());
        assert_eq!(header(&response, "content-length"), length);
        assert_eq!(header(&response, "etag"), ETag::of(["x"]).as_str());
        assert_eq!(header(&response, "cache-control"), "public, max-age=7");
    }
}

#[test]
fn any_page_may_ask() {
    let response = preflight();
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    assert_eq!(header(&response, "access-control-allow-origin"), "*");
    assert_eq!(
        header(&response, "access-control-allow-methods"),
        "GET, HEAD, POST, OPTIONS"
    );
    assert_eq!(header(&response, "access-control-max-age"), "86400");
}

#[test]
fn what_a_key_or_a_signature_opened_is_kept_no_longer_than_that() {
    let policy = Policy {
        empty_tile: EmptyTile::NoContent,
        tile_cache_control: HeaderValue::from_static(
            "public, max-age=600, s-maxage=9000, stale-while-revalidate=60",
        ),
    };
    let kept = |audience, freshness| {
        let about = About {
            freshness,
            audience,
            ..About::default()
        };
        let response = policy.respond(Ok(Outcome::Empty(about)));
        response.headers()["cache-control"].to_str().unwrap().to_owned()
    };
    let until = |left_s| Audience::Until { expires_s: 0, left_s };
    assert_eq!(kept(Audience::KeyHolder, Freshness::Tile), "private, max-age=600");
    assert_eq!(
        kept(Audience::KeyHolder, Freshness::Revalidate),
        "private, no-cache"
    );
    assert_eq!(
        kept(until(30), Freshness::Tile),
        "public, max-age=30, s-maxage=30"
    );
    assert_eq!(
        kept(until(1000), Freshness::Tile),
        "public, max-age=600, s-maxage=1000"
    );
    assert_eq!(kept(until(1000), Freshness::Immutable), "public, max-age=1000");
}

#[test]
fn however_the_operator_writes_it_others_do_not_get_what_a_key_opened() {
    let until = Audience::Until {
        expires_s: 0,
        left_s: 30,
    };
    for (set, of_key, of_signature) in [
        ("s-maxage=600", "private", "public, max-age=0, s-maxage=30"),
        ("public", "private", "public, max-age=0"),
        (
            "Public, Max-Age=3600",
            "private, max-age=3600",
            "public, max-age=30",
        ),
        ("immutable, public", "private", "public, max-age=0"),
        (
            "private, max-age=60",
            "private, max-age=60",
            "private, max-age=30",
        ),
        ("no-cache", "private, no-cache", "public, no-cache, max-age=0"),
        ("no-store", "no-store", "no-store"),
    ] {
        let kept = |audience| {
            let mut response = Response::new(Bytes::new());
            let headers = response.headers_mut();
            headers.insert("cache-control", HeaderValue::from_static(set));
            keep_for(audience, &mut response);
            response.headers()["cache-control"].to_str().unwrap().to_owned()
        };
        assert_eq!(
            (kept(Audience::KeyHolder).as_str(), kept(until).as_str()),
            (of_key, of_signature)
        );
        assert_eq!(kept(Audience::Everyone), set);
    }
}
