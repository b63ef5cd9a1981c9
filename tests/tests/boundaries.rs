//! The boundaries of the line, held by reading the sources: a message that says what to do instead when one is crossed.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie below the root")
        .to_owned()
}

/// Every Rust file below a folder but those of tests alone: its path from there, and its text without tests and comments.
fn sources(folder: &str) -> Vec<(String, String)> {
    let base = root().join(folder);
    let mut found = Vec::new();
    let mut folders = vec![base.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a source folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !is_of_tests(&path) {
                let name = path
                    .strip_prefix(&base)
                    .expect("below its base")
                    .to_string_lossy()
                    .into_owned();
                found.push((name, code(&fs::read_to_string(&path).expect("text"))));
            }
        }
    }
    assert!(
        found.len() > 5,
        "no sources found in {folder}: has the layout changed?"
    );
    found
}

/// Whether the module around a file declares it for tests alone.
fn is_of_tests(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_stem()) else {
        return false;
    };
    let declared = format!("\nmod {};", name.to_string_lossy());
    // Between the attribute and the module there may be others, but no other item.
    let for_tests = |text: String| {
        text.split("#[cfg(test)]").skip(1).any(|after| {
            let attributes = after.find(&declared).map(|at| &after[..at]);
            attributes.is_some_and(|attributes| !attributes.contains(';'))
        })
    };
    ["mod.rs", "lib.rs"]
        .map(|module| folder.join(module))
        .into_iter()
        .chain([folder.with_extension("rs")])
        .any(|module| fs::read_to_string(module).is_ok_and(for_tests))
}

/// The lines that are neither comments nor in the test module at the end of a file.
fn code(text: &str) -> String {
    let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..tests]
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Asserts that only `allowed` files below `folder` hold one of `words`.
fn only(folder: &str, words: &[&str], allowed: &[&str], instead: &str) {
    for (name, text) in sources(folder) {
        if allowed.iter().any(|allowed| name.starts_with(allowed)) {
            continue;
        }
        for word in words {
            assert!(!text.contains(word), "{folder}/{name} names {word}: {instead}");
        }
    }
}

#[test]
fn the_raster_library_never_waits_and_knows_no_machine() {
    only(
        "functions/raster/src",
        &[
            "async ",
            ".await",
            "std::net",
            "std::env",
            "std::fs",
            "std::time",
            "std::thread",
            "tokio",
        ],
        &[],
        "it takes bytes and gives pixels; where bytes are missing it answers Missing, and functions/tile fetches them",
    );
}

#[test]
fn one_module_reads_the_environment() {
    only(
        "functions/tile/src",
        &["env::var", "vars_os", "var_os"],
        &["settings.rs"],
        "add a row to the table in settings.rs and pass the value on",
    );
}

#[test]
fn one_module_names_status_codes() {
    // The store's own answers have statuses too; those do not leave source/store.
    only(
        "functions/tile/src",
        &["StatusCode::"],
        &["response.rs", "source/store/", "source/transport/"],
        "answer a Problem or an Outcome; response.rs alone decides which status says so",
    );
}

#[test]
fn two_modules_name_the_object_store() {
    only(
        "functions/tile/src",
        &["object_store"],
        &["source/store/", "source/transport/"],
        "read through source::store::Object",
    );
}

#[test]
fn each_codec_is_named_in_one_module_a_direction() {
    let codecs = [
        (
            "libdeflater",
            &[
                "decode/inflate.rs",
                "encode/",
                "colour/named.rs",
                "crs/registry/packed.rs",
            ][..],
        ),
        ("zstd::", &["decode/zstandard.rs"]),
        (
            "turbojpeg",
            &["decode/jpeg/turbo.rs", "encode/jpeg.rs", "encode/error.rs"],
        ),
        ("libwebp_sys", &["decode/webp.rs", "encode/webp.rs"]),
        ("image_webp", &["encode/webp.rs", "encode/error.rs"]),
        ("liblzma", &["decode/lzma.rs"]),
        ("lerc_reader", &["decode/lerc.rs"]),
        ("roxmltree", &["header/bands.rs"]),
    ];
    for (codec, homes) in codecs {
        only(
            "functions/raster/src",
            &[codec],
            homes,
            "a codec has one home; call that",
        );
    }
}

#[test]
fn arrows_point_one_way() {
    let steps: [(&str, &[&str]); 7] = [
        ("span.rs", &["crate::"]),
        (
            "crs/",
            &[
                "crate::header",
                "crate::plan",
                "crate::decode",
                "crate::warp",
                "crate::math",
                "crate::colour",
            ],
        ),
        (
            "header/",
            &[
                "crate::plan",
                "crate::warp",
                "crate::math",
                "crate::colour",
                "crate::encode",
            ],
        ),
        (
            "decode/",
            &[
                "crate::crs",
                "crate::header",
                "crate::plan",
                "crate::warp",
                "crate::math",
                "crate::colour",
            ],
        ),
        (
            "warp/",
            &["crate::math", "crate::colour", "crate::encode", "decode::decode"],
        ),
        (
            "math/",
            &[
                "crate::crs",
                "crate::header",
                "crate::plan",
                "crate::decode",
                "crate::warp",
                "crate::colour",
            ],
        ),
        (
            "colour/",
            &[
                "crate::crs",
                "crate::header",
                "crate::plan",
                "crate::decode",
                "crate::warp",
                "crate::encode",
            ],
        ),
    ];
    for (name, text) in sources("functions/raster/src") {
        for (step, may_not) in steps.iter().filter(|(step, _)| name.starts_with(step)) {
            for other in *may_not {
                assert!(
                    !text.contains(other),
                    "{name}: the step {step} may not know {other}"
                );
            }
        }
    }
}

#[test]
fn tls_is_ring() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("the lock file");
    let tests_only = fs::read_to_string(root().join("tests/Cargo.toml")).expect("the manifest");
    assert!(
        !lock.contains("name = \"aws-lc-sys\"") || tests_only.contains("aws-lc"),
        "aws-lc is in the graph: its first handshake costs 30 ms of CPU; find who enables it with cargo tree -i aws-lc-sys"
    );
}
