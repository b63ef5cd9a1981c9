//! What a pass takes: time on a core, or instructions under valgrind.

use std::process::Command;
use std::time::Duration;

/// How long this thread has run: other work on the machine does not count.
#[expect(unsafe_code, reason = "the clock of a thread is a C call")]
pub(crate) fn on_core() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is written and nothing else.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "this system has no clock of a thread");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The instructions of `measured_pass` in this program, when it is called with `one` and these arguments.
pub(crate) fn instructions(case: &[&str]) -> f64 {
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--collect-atstart=no",
        ])
        .arg("--toggle-collect=*measured_pass*")
        .arg(std::env::current_exe().expect("this program has a path"))
        .arg("one")
        .args(case)
        .output()
        .expect("valgrind is installed");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected = text.lines().find_map(|line| line.split_once("Collected :"));
    let count = collected.and_then(|(_, count)| count.split_whitespace().next()?.parse().ok());
    count.unwrap_or_else(|| panic!("{text}"))
}
