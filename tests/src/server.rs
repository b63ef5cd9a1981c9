//! The binary as a server: `edgetile serve` on a free port.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Method, Response};

use crate::{binary, client};

/// A running server. Dropping it ends it.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Starts the server with these arguments after `serve`, in this environment, and waits until it is ready.
    pub fn start(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = binary::command();
        command
            .args(["serve", "--port", "0"])
            .args(arguments)
            .envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
        let stdout = child.stdout.take().expect("standard output");
        let mut line = String::new();
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("a line of text");
        let address = line
            .trim()
            .strip_prefix("edgetile serves http://")
            .and_then(|rest| rest.strip_suffix('/'));
        let address = address.and_then(|address| address.parse().ok());
        Self {
            address: address.unwrap_or_else(|| panic!("the server is not ready: {line:?}")),
            child,
        }
    }

    /// Asks for a target, such as `/healthz`.
    pub async fn get(&self, target: &str) -> Response<Bytes> {
        self.ask(Method::GET, target, &[]).await
    }

    /// Asks with a method and headers.
    pub async fn ask(
        &self,
        method: Method,
        target: &str,
        headers: &[(&'static str, &str)],
    ) -> Response<Bytes> {
        client::ask(self.address, client::request(method, target, headers)).await
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the process to end, as a supervisor does.
    pub fn terminate(&self) {
        let status = Command::new("kill")
            .args(["-TERM", &self.id().to_string()])
            .status();
        assert!(status.is_ok_and(|status| status.success()), "the process is gone");
    }

    /// Waits for the process to end by itself.
    pub fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
