//! The binary `edgetile`: the function under Lambda, else the command line.

use std::process::ExitCode;

use edgetile_tile::{cli, settings::Settings};

fn main() -> ExitCode {
    cli::main(std::env::args_os().skip(1), Settings::environment())
}
