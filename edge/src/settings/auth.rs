//! `[auth]`: lifetimes of tokens, work of a password check.

use super::duration::Period;
use crate::credentials::passwords::{Params, PasswordError};
use serde::{Deserialize, Serialize};

/// `[auth]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// Lifetime of an access token.
    pub access_ttl: Period,
    /// Lifetime of a refresh token, and so of a session.
    pub refresh_ttl: Period,
    /// The work of one password check.
    pub argon2: Argon2,
}

impl Default for Auth {
    fn default() -> Self {
        Self { access_ttl: Period::hours(1), refresh_ttl: Period::days(7), argon2: Argon2::default() }
    }
}

/// `auth.argon2`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Argon2 {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Number of passes over the memory.
    pub iterations: u32,
    /// Number of lanes.
    pub parallelism: u32,
}

impl Argon2 {
    /// The parameters that these settings ask for.
    ///
    /// # Errors
    /// The errors of [`Params::new`].
    pub fn params(self) -> Result<Params, PasswordError> {
        Params::new(self.memory_kib, self.iterations, self.parallelism)
    }
}

impl Default for Argon2 {
    fn default() -> Self {
        Self { memory_kib: 65_536, iterations: 3, parallelism: 1 }
    }
}
