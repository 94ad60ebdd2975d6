//! Real processes in their own folders, a small HTTP client, tills that sell and retry, and the audit that compares
//! their answers with the store's data afterwards.

pub mod audit;
pub mod books;
pub mod chaos;
pub mod client;
pub mod clock;
pub mod counter;
pub mod dice;
pub mod disk;
pub mod ends;
pub mod goods;
pub mod hub;
pub mod journal;
pub mod linked;
pub mod prepared;
pub mod process;
pub mod simulated;
pub mod store;
pub mod till;
pub mod wait;

pub use client::{Client, Reply};
pub use store::Store;

use std::path::Path;

/// The setting `auth.argon2` of daemons: the cheapest hashes that a build of this profile accepts.
pub const CHEAP_HASHES: &str = if cfg!(debug_assertions) {
    "{ memory_kib = 64, iterations = 1, parallelism = 1 }"
} else {
    "{ memory_kib = 19456, iterations = 2, parallelism = 1 }"
};

/// The committed OpenAPI document of a program.
pub fn document(program: &str) -> serde_json::Value {
    let file = root().join("docs/openapi").join(format!("{program}.json"));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
