//! The real binary, built once by cargo in the profile of the tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The repository's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie below the root")
}

/// A file of the repository, by its path from the root.
pub fn file(path: &str) -> PathBuf {
    root().join(path)
}

/// A command that runs the binary with an empty environment: no credentials, no settings, no Lambda.
pub fn command() -> Command {
    let mut command = Command::new(path());
    command.env_clear();
    command
}

/// Where the binary is: `EDGETILE_BIN`, or what cargo builds beside the tests.
fn path() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| std::env::var_os("EDGETILE_BIN").map_or_else(build, PathBuf::from))
}

fn build() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    // target/{profile}/deps/{test}
    let folder = test.ancestors().nth(2).expect("a profile's folder");
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let target = folder.parent().expect("a target folder");
    let mut cargo = Command::new(env!("CARGO"));
    // What cargo tells the tests about themselves: build scripts would take it for a change and build all anew.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            cargo.env_remove(&*name);
        }
    }
    let status = cargo
        .args([
            "build",
            "--quiet",
            "-p",
            "edgetile",
            "--profile",
            profile,
            "--target-dir",
        ])
        .arg(target)
        .current_dir(root())
        .status()
        .expect("cargo runs");
    assert!(status.success(), "the binary does not build");
    folder.join("edgetile")
}
