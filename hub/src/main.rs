//! hub
fn main() {}
