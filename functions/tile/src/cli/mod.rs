//! The command line: `edgetile serve`, `edgetile tile`, `edgetile info`; and the Lambda function, which has none.
//!
//! Exit codes: 0 done, 1 failed, 2 a command that cannot be meant.

mod command;
mod help;
mod run;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;

use crate::lambda;
use crate::settings::Settings;

pub use command::{Command, Usage};
pub use run::Failure;

/// Runs the function under Lambda, else what the arguments (without the program's name) say.
pub fn main(
    arguments: impl IntoIterator<Item = OsString>,
    environment: BTreeMap<String, String>,
) -> ExitCode {
    if Settings::is_lambda(&environment) {
        return exit(lambda::main(environment).map_err(Failure::Failed));
    }
    let done = Command::parse(arguments)
        .map_err(Failure::from)
        .and_then(|command| run::run(command, environment));
    exit(done)
}

fn exit(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Failed(message)) => {
            eprintln!("edgetile: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(message) | Failure::Unanswered(message)) => {
            eprintln!("edgetile: {message}");
            ExitCode::from(2)
        }
    }
}
