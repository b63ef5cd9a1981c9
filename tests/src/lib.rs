//! What the integration tests share: the real binary as a server and as a Lambda function, and stores for it to read.
//!
//! Everything here is a double of something outside: a client, Lambda's Runtime API, an S3, an HTTP server that
//! misbehaves. Nothing here knows the inside of edgetile.

#![expect(
    clippy::missing_panics_doc,
    reason = "a double that cannot go on ends its test"
)]

pub mod binary;
pub mod client;
pub mod server;
pub mod runtime_api;
mod listen;
pub mod log;
pub mod store;
pub mod cog;
pub mod http_store;
