//! Urls that try to be others.

use super::*;

fn access(root: &str, allowed: &str) -> Access {
    Access::new(
        Some(Root::parse(root).unwrap()),
        Pattern::parse_list(allowed).unwrap(),
    )
}

fn object(bucket: &str, key: &str) -> Object {
    Object {
        bucket: bucket.into(),
        key: key.into(),
    }
}

/// Every way out of a folder that we know.
const WAYS_OUT: &[&str] = &[
    "",
    ".",
    "..",
    "../a.tif",
    "a/../../b.tif",
    "a/..",
    "a/./b.tif",
    "/etc/passwd",
    "//host/a.tif",
    "///a.tif",
    "a//b.tif",
    "a/",
    "\\etc\\passwd",
    "..\\a.tif",
    "a\\..\\b.tif",
    "%2e%2e/a.tif",
    "%2E%2e%2fa.tif",
    "..%2fa.tif",
    "a%2f..%2f..%2fb.tif",
    "%252e%252e/a.tif",
    "%25252e%25252e%25252fa.tif",
    "%2525252525252e./a.tif",
    "..%5ca.tif",
    "%5c%5chost%5cshare",
    "%2fetc%2fpasswd",
    "a\0.tif",
    "a%00.tif",
    "a\n.tif",
    ".. /a.tif",
    "..;/a.tif",
    "a%ff.tif",
    "C:\\a.tif",
    "c:/a.tif",
    "c:a.tif",
    "file:///etc/passwd",
    "file:/etc/passwd",
    "FILE:///etc/passwd",
    "data:text/plain,x",
    "vsicurl:https://h/a.tif",
];

#[test]
fn no_relative_url_leaves_any_root() {
    for root in ["/data", "s3://b/p", "gs://b/p", "az://c/p", "https://h/p"] {
        let access = access(root, "");
        for way in WAYS_OUT {
            assert_eq!(access.resolve(way), Err(Denied), "{way:?} below {root}");
        }
    }
    let embedded = Access::new(Some(Root::Embedded), Vec::new());
    assert!(WAYS_OUT.iter().all(|way| embedded.resolve(way) == Err(Denied)));
}

#[test]
fn allowing_everything_allows_no_local_file_and_no_disguise() {
    let access = access("/data", "*");
    for way in WAYS_OUT {
        assert_eq!(access.resolve(way), Err(Denied), "{way:?}");
    }
    assert!(access.resolve("https://any.where/a.tif").is_ok());
    assert!(access.resolve("https://user:word@any.where/a.tif").is_err());
}

#[test]
fn plain_names_stand_below_their_root() {
    let name = "2024/a b+c%20\u{e9}.tif";
    let below = |root: &str| access(root, "").resolve(name).unwrap();
    assert_eq!(
        below("/data/"),
        Location::Local("/data/2024/a b+c%20\u{e9}.tif".into())
    );
    assert_eq!(
        below("data"),
        Location::Local("data/2024/a b+c%20\u{e9}.tif".into())
    );
    assert_eq!(
        below("s3://b/p/"),
        Location::S3(object("b", "p/2024/a b+c%20\u{e9}.tif"))
    );
    assert_eq!(
        below("s3://b"),
        Location::S3(object("b", "2024/a b+c%20\u{e9}.tif"))
    );
    assert_eq!(
        below("gs://b/p"),
        Location::Gs(object("b", "p/2024/a b+c%20\u{e9}.tif"))
    );
    assert_eq!(
        below("az://c"),
        Location::Az(object("c", "2024/a b+c%20\u{e9}.tif"))
    );
    assert_eq!(
        below("https://H:443/p"),
        Location::Http("https://h/p/2024/a%20b+c%20%C3%A9.tif".into())
    );
    let dotted = access("/data", "").resolve("..a/b../.hidden/...tif").unwrap();
    assert_eq!(dotted, Location::Local("/data/..a/b../.hidden/...tif".into()));
}

#[test]
fn without_a_root_no_relative_url_is_allowed() {
    assert_eq!(Access::default().resolve("a.tif"), Err(Denied));
    assert_eq!(Access::default().resolve("https://h/a.tif"), Err(Denied));
}

/// (pattern, urls that it allows, urls that it does not)
const PATTERNS: &[(&str, &[&str], &[&str])] = &[
    (
        "https://good.com/data/*",
        &[
            "https://good.com/data/a.tif",
            "HTTPS://GOOD.com:443/data/x/y.tif?sig=a%2Fb&X=../..",
            "https://good.com/data/..a/b.tif",
            "https://good.com/data/%41.tif",
        ],
        &[
            "http://good.com/data/a.tif",
            "https://good.com/other/a.tif",
            "https://good.com/database/a.tif",
            "https://good.com:8443/data/a.tif",
            "https://good.com.evil.com/data/a.tif",
            "https://evil.com/data/a.tif",
            "https://evil.com/https://good.com/data/a.tif",
            "https://evil.com?https://good.com/data/a.tif",
            "https://evil.com#https://good.com/data/a.tif",
            "https://good.com@evil.com/data/a.tif",
            "https://good.com:x@evil.com/data/a.tif",
            "https://evil.com\\@good.com/data/a.tif",
            "https://evil.com\\.good.com/data/a.tif",
            "https://good.com%2eevil.com/data/a.tif",
            "https://good.com%00.evil.com/data/a.tif",
            "https://good.com\u{3002}evil.com/data/a.tif",
            "https://good.com./data/a.tif",
            "https://good.com/data/../private/a.tif",
            "https://good.com/data/%2e%2e/private/a.tif",
            "https://good.com/data/..%2fprivate/a.tif",
            "https://good.com/data/%252e%252e/private/a.tif",
            "https://good.com/data/..;x/private/a.tif",
            "https://good.com/data/.%5c../private/a.tif",
            "https://good.com/data/a\r\nHost: evil.com",
            "https:/good.com/data/a.tif",
            "https:good.com/data/a.tif",
            "https:///good.com/data/a.tif",
            "//good.com/data/a.tif",
            "ftp://good.com/data/a.tif",
            "s3://good.com/data/a.tif",
            "https://good.com:70000/data/a.tif",
            "https://good.com:/data/a.tif",
        ],
    ),
    (
        "https://good*",
        &[
            "https://good/a.tif",
            "https://good-data/a.tif",
            "https://good1/a.tif",
        ],
        &[
            "https://good.evil.com/a.tif",
            "https://good:8080/a.tif",
            "https://good-data.evil/a.tif",
            "https://goo/a",
        ],
    ),
    (
        "https://*.example.com/*",
        &["https://a.example.com/a.tif", "https://a.b.example.com/x/a.tif"],
        &[
            "https://example.com/a.tif",
            "https://.example.com/a.tif",
            "https://aexample.com/a.tif",
            "https://a.example.com.evil/a.tif",
        ],
    ),
    (
        "https://s3.*.amazonaws.com/b/*",
        &["https://s3.eu-central-1.amazonaws.com/b/a.tif"],
        &[
            "https://s3.evil.com.amazonaws.com/b/a.tif",
            "https://s3.x.amazonaws.com/bb/a.tif",
        ],
    ),
    (
        "https://*",
        &[
            "https://h/a.tif",
            "https://a.b.c:8443/a.tif",
            "https://[::1]:9/a.tif",
        ],
        &["http://h/a.tif", "s3://b/a.tif"],
    ),
    (
        "http://127.0.0.1:*/*",
        &["http://127.0.0.1:9000/a.tif", "http://127.0.0.1/a"],
        &["http://127.0.0.2:9000/a.tif"],
    ),
    (
        "s3://bucket/p/*",
        &["s3://bucket/p/a.tif", "S3://bucket/p/a b?#%.tif"],
        &[
            "s3://bucket/a.tif",
            "s3://Bucket/p/a.tif",
            "s3://bucket2/p/a.tif",
            "s3://bucket/p/../a.tif",
            "s3://bucket/p/%2e%2e/a.tif",
            "s3://bucket@evil/p/a.tif",
            "s3://bucket:80/p/a.tif",
            "s3://bucket?p/a.tif",
            "s3://bucket/",
            "s3://bucket",
            "gs://bucket/p/a.tif",
        ],
    ),
    (
        "s3://scenes-*",
        &["s3://scenes-2024/a.tif", "s3://scenes-/x"],
        &["s3://scenes/a.tif", "s3://scenes-a.b/a.tif"],
    ),
];

#[test]
fn patterns_allow_what_they_say_and_nothing_that_looks_like_it() {
    for (pattern, yes, no) in PATTERNS {
        let access = access("/data", pattern);
        for url in *yes {
            assert!(access.resolve(url).is_ok(), "{pattern} must allow {url}");
        }
        for url in *no {
            assert_eq!(access.resolve(url), Err(Denied), "{pattern} must not allow {url}");
        }
    }
}

#[test]
fn an_allowed_address_is_sent_as_it_was_checked() {
    let access = access("/data", "https://h/*,s3://b/*");
    let url = access
        .resolve("https://H:443/a b\u{e9}.tif?X-Amz-Signature=a%2Fb%2B&q=1#frag")
        .unwrap();
    assert_eq!(
        url,
        Location::Http("https://h/a%20b%C3%A9.tif?X-Amz-Signature=a%2Fb%2B&q=1%23frag".into())
    );
    assert_eq!(
        access.resolve("s3://b/a b%20.tif").unwrap(),
        Location::S3(object("b", "a b%20.tif"))
    );
}

#[test]
fn a_pattern_that_is_none_is_named() {
    for wrong in [
        "good.com",
        "https://",
        "https://a@b/*",
        "ftp://h/*",
        "https://h:port/*",
        "https:///x",
        "s3:/b",
    ] {
        let error = Pattern::parse(wrong).unwrap_err().to_string();
        assert!(error.starts_with(wrong), "{error}");
    }
    assert_eq!(Pattern::parse_list(" , s3://a/* ,,https://b ").unwrap().len(), 2);
}

#[test]
fn the_operator_may_name_any_file() {
    let here = Root::Folder(".".into());
    assert_eq!(here.trusted("../a.tif"), Ok(Location::Local("./../a.tif".into())));
    assert_eq!(
        here.trusted("/abs/a.tif"),
        Ok(Location::Local("/abs/a.tif".into()))
    );
    assert_eq!(
        here.trusted("file:///abs/a%20b.tif"),
        Ok(Location::Local("/abs/a b.tif".into()))
    );
    assert_eq!(here.trusted("file://host/a.tif"), Err(Malformed::Authority));
    assert_eq!(
        here.trusted("s3://b/k.tif"),
        Ok(Location::S3(object("b", "k.tif")))
    );
    assert_eq!(here.trusted("https://u:p@h/a.tif"), Err(Malformed::Authority));
    assert_eq!(here.trusted("ftp://h/a.tif"), Err(Malformed::Scheme));
    assert_eq!(
        Root::Embedded.trusted("sample.tif"),
        Ok(Location::Embedded("sample.tif".into()))
    );
    assert_eq!(
        Root::parse("s3://b/p").unwrap().trusted("../a.tif"),
        Err(Malformed::Relative)
    );
}

#[test]
fn roots_are_folders_or_prefixes() {
    assert_eq!(Root::parse("/"), Ok(Root::Folder("/".into())));
    assert_eq!(Root::parse("file:///data/"), Ok(Root::Folder("/data".into())));
    assert_eq!(Root::parse("s3://b/"), Ok(Root::S3(object("b", ""))));
    assert_eq!(Root::parse("https://h"), Ok(Root::Http("https://h".into())));
    assert_eq!(Root::parse("https://h/p?sig=1"), Err(Malformed::Query));
    assert_eq!(Root::parse("ftp://h/p"), Err(Malformed::Scheme));
}

#[test]
fn a_signature_is_part_of_the_identity_and_never_shown() {
    let signed = Location::Http("https://h/a.tif?X-Amz-Signature=hush".into());
    assert_eq!(signed.to_string(), "https://h/a.tif?…");
    assert_eq!(signed.identity(), "https://h/a.tif?X-Amz-Signature=hush");
    assert_eq!(Location::S3(object("b", "a?b.tif")).to_string(), "s3://b/a?b.tif");
}

#[test]
fn the_operators_command_line_reads_what_the_operator_can() {
    let access = Access::of_operator();
    assert_eq!(access.resolve("../a.tif"), Ok(Location::Local("../a.tif".into())));
    assert_eq!(
        access.resolve("https://h/a.tif"),
        Ok(Location::Http("https://h/a.tif".into()))
    );
    assert_eq!(access.resolve("ftp://h/a.tif"), Err(Denied));
}

#[test]
fn around_a_layers_file_stand_its_neighbours() {
    let parent = |url: &str| Root::parent_of(&Root::Folder("".into()).trusted(url).unwrap());
    assert_eq!(parent("a/layers.json"), Root::Folder("a".into()));
    assert_eq!(parent("layers.json"), Root::Folder("".into()));
    assert_eq!(parent("s3://b/p/layers.json"), Root::S3(object("b", "p")));
    assert_eq!(parent("s3://b/layers.json"), Root::S3(object("b", "")));
    assert_eq!(
        parent("https://h/p/layers.json?v=1/2"),
        Root::Http("https://h/p".into())
    );
}

#[test]
fn the_name_of_a_file_beside_stands_before_a_query() {
    for (url, expected) in [
        ("a/b.tif", "a/b.tif.ovr"),
        ("HTTPS://h/a.tif?X=1", "HTTPS://h/a.tif.ovr?X=1"),
        // A key is raw text: its question mark is its own.
        ("s3://b/a?b.tif", "s3://b/a?b.tif.ovr"),
        ("\u{e9}", "\u{e9}.ovr"),
    ] {
        assert_eq!(beside(url, ".ovr"), expected);
    }
    let root = access("/data", "https://h/*");
    for url in ["a.tif", "https://h/a.tif?X=1"] {
        let of_text = root.resolve(&beside(url, ".msk")).unwrap();
        assert_eq!(root.resolve(url).unwrap().beside(".msk"), of_text);
    }
    let s3 = Location::S3(object("b", "k.tif"));
    assert_eq!(s3.beside(".ovr"), Location::S3(object("b", "k.tif.ovr")));
}
