//! The binary `edgetile`.
fn main() {}
