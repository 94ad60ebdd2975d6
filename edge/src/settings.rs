//! Settings of a program: its defaults, then one file, then the environment; the same rules at store and hub.
//!
//! Nothing starts with half-read settings: unknown keys and wrong types are refused with file, line and key.

pub mod auth;
pub mod duration;
pub mod error;
pub mod http;
pub mod key_span;
pub mod load;
pub mod log;
pub mod show;

use serde::{Serialize, de::DeserializeOwned};

/// A program's settings: a struct of sections, every one with defaults and `deny_unknown_fields`.
pub trait Settings: Serialize + DeserializeOwned {
    /// Places where the file is looked for without `--config`, in this order.
    const FILES: &'static [&'static str];
    /// Prefix of the program's environment variables, for example `STORE_ROUTER__`.
    const ENV_PREFIX: &'static str;
    /// Keys (`section.key`) whose value is an address that may carry a log-in: masked where shown.
    const MASKED: &'static [&'static str];

    /// The settings with the values that follow from others.
    #[must_use]
    fn completed(self) -> Self {
        self
    }

    /// Section and key with the problem, for every rule that the types don't express.
    fn problems(&self) -> Vec<(&'static str, String)>;
}
