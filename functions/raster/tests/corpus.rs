//! Feeds every input that fuzzing found and that was kept (`tests/fuzz/corpus`) to the functions that the fuzz targets
//! call: none may panic, and none may take long.

#[path = "../../../tests/fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "a package of its own where it is fuzzed")]
mod fuzz;

use std::path::Path;
use std::time::{Duration, Instant};

/// Far above what any input takes, a few milliseconds, so that a busy machine fails no test.
const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn inputs_that_fuzzing_found_are_answered() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus");
    for (name, target) in fuzz::TARGETS {
        let folder = corpus.join(name);
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut count = 0;
        for entry in entries {
            let path = entry.unwrap().path();
            let input = std::fs::read(&path).unwrap();
            let start = Instant::now();
            let answer = std::panic::catch_unwind(|| target(&input));
            assert!(answer.is_ok(), "{} panics", path.display());
            assert!(
                start.elapsed() < LIMIT,
                "{} takes {:?}",
                path.display(),
                start.elapsed()
            );
            count += 1;
        }
        assert!(count > 0, "no input is kept for {name}");
    }
}
