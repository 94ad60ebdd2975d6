//! The edge from its callers' view. Tests that set a hook or a logger of the whole process are separate programs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test may fail loudly"
)]

mod http;
mod log_ins_at_once;
mod logins;
mod rotation;
mod tokens;
