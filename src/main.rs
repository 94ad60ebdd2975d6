//! store-router
fn main() {}
