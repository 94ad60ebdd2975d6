//! Passwords: argon2id off the async threads, at most two at once, and equal work for unknown names.

use crate::api::error::ApiError;
use crate::metrics::HASHES;
use argon2::{
    Algorithm, Argon2, Version,
    password_hash::{Error, PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use domain::model::base::limits::{PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN};
use domain::model::people::user::costs::Costs;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tokio::sync::{Semaphore, oneshot};
use workers::Workers;

mod common;
mod workers;

/// Hashes that are computed at once: each needs `Params::memory_kib`.
pub const HASHES_AT_ONCE: usize = 2;
/// `Retry-After` when there is no memory for a hash, in seconds.
const MEMORY_RETRY_S: u64 = 2;

/// Cost of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    memory_kib: u32,
    iterations: u32,
    parallelism: u32,
}

/// Reason why a password can't be hashed or checked.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The settings are below the safe minimum, or beyond what a machine can compute.
    #[error("must be at least {} and at most {}", Params::FLOOR, Params::CEILING)]
    Params,
    /// The hash could not be computed.
    #[error("the password could not be hashed: {0}")]
    Hash(String),
    /// There is no memory for it now: neither a wrong password nor a defect.
    #[error("there is not enough memory to check a password")]
    Memory,
    /// The stored text is not a hash.
    #[error("the stored password hash can't be read: {0}")]
    Stored(String),
}

impl From<PasswordError> for ApiError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Memory => Self::unavailable(error.to_string(), MEMORY_RETRY_S),
            error => Self::internal(error),
        }
    }
}

impl Params {
    /// The default: RFC 9106's second choice.
    pub const DEFAULT: Self = Self { memory_kib: 65_536, iterations: 3, parallelism: 1 };
    /// The least that a released program accepts, for small machines and demos.
    pub const LEAST: Self = Self { memory_kib: 19_456, iterations: 2, parallelism: 1 };
    /// The least that this build accepts. Builds with debug assertions accept cheap hashes: their tests log in
    /// thousands of times.
    const FLOOR: Self = if cfg!(debug_assertions) {
        Self { memory_kib: 64, iterations: 1, parallelism: 1 }
    } else {
        Self::LEAST
    };
    /// The most that the settings may ask for.
    const CEILING: Self = Self { memory_kib: 4 << 20, iterations: 100, parallelism: 64 };

    /// Parameters from the settings `auth.argon2`.
    ///
    /// # Errors
    /// [`PasswordError::Params`] below [`Params::LEAST`] (in builds with debug assertions: 64 KiB and 1 iteration), above
    /// 4 GiB, 100 iterations or 64 lanes, or if argon2 needs more memory for so many lanes.
    pub fn new(memory_kib: u32, iterations: u32, parallelism: u32) -> Result<Self, PasswordError> {
        let params = Self { memory_kib, iterations, parallelism };
        let bounded =
            Self::FLOOR.costs().within(params.costs()) && params.costs().within(Self::CEILING.costs());
        if bounded && params.argon2().is_some() { Ok(params) } else { Err(PasswordError::Params) }
    }

    /// The most that the check of a stored hash may cost beside these.
    pub fn most(self) -> Costs {
        self.costs().most()
    }

    fn argon2(self) -> Option<Argon2<'static>> {
        let params = argon2::Params::new(self.memory_kib, self.iterations, self.parallelism, None).ok()?;
        Some(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }

    fn costs(self) -> Costs {
        let Self { memory_kib, iterations, parallelism } = self;
        Costs { memory_kib, iterations, parallelism }
    }
}

impl std::fmt::Display for Params {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { memory_kib, iterations, parallelism } = self;
        write!(f, "memory_kib {memory_kib}, iterations {iterations}, parallelism {parallelism}")
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A well-formed hash of these costs that belongs to no password.
fn dummy_hash(costs: Costs) -> String {
    let Costs { memory_kib, iterations, parallelism } = costs;
    format!(
        "$argon2id$v=19$m={memory_kib},t={iterations},p={parallelism}${}${}",
        "bm9ib2R5LW5vYm9keQ", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    )
}

/// The hasher of a process.
#[derive(Debug, Clone)]
pub struct Passwords {
    params: Params,
    permits: Arc<Semaphore>,
    computed: Arc<AtomicU64>,
    workers: Workers,
}

impl Passwords {
    /// A hasher with these costs.
    pub fn new(params: Params) -> Self {
        let permits = Arc::new(Semaphore::new(HASHES_AT_ONCE));
        Self { params, permits, computed: Arc::default(), workers: Workers::new(HASHES_AT_ONCE) }
    }

    /// Number of hashes that were computed, for new passwords and for comparing: the work that a log-in costs.
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// The password's argon2id hash in PHC form, under a new salt.
    ///
    /// # Errors
    /// [`PasswordError::Hash`].
    pub async fn hash(&self, password: String) -> Result<String, PasswordError> {
        let params = self.params;
        self.on_worker(move || hash_now(params, &password)).await?
    }

    /// Verifies a password at the cost that its hash states. A hash that costs more than this machine's maximum is not
    /// computed: the password is refused after the usual work. So is one that is longer than a new one may be.
    ///
    /// # Errors
    /// [`PasswordError::Stored`] if `hash` is not one.
    pub async fn verify(&self, password: String, hash: String) -> Result<bool, PasswordError> {
        let no_hash = || PasswordError::Stored("it is not an argon2id hash".to_owned());
        if Costs::of(&hash).ok_or_else(no_hash)?.within(self.params.most()) {
            let fits = password.chars().count() <= PASSWORD_CHARS_MAX;
            let right = self.on_worker(move || verify_now(&password, &hash)).await?;
            return right.map(|right| right && fits);
        }
        tracing::error!("a stored password hash needs far more work than auth.argon2: set a new password");
        let dummy = self.dummy_like(None);
        self.on_worker(move || verify_now(&password, &dummy)).await?.map(|_| false)
    }

    /// Whether a stored hash is compared with at all: it is one, and costs little more than new ones.
    pub fn is_usable(&self, hash: &str) -> bool {
        Costs::of(hash).is_some_and(|costs| costs.within(self.params.most()))
    }

    /// A hash of no password, with the costs of `hash`, or today's costs if there is none.
    pub fn dummy_like(&self, hash: Option<&str>) -> String {
        let costs = hash.filter(|hash| self.is_usable(hash)).and_then(Costs::of);
        dummy_hash(costs.unwrap_or(self.params.costs()))
    }

    /// Whether a stored hash is of other costs than new ones: to be replaced at the next login.
    pub fn is_outdated(&self, hash: &str) -> bool {
        let Params { memory_kib, iterations, parallelism } = self.params;
        !hash.starts_with(&format!("$argon2id$v=19$m={memory_kib},t={iterations},p={parallelism}$"))
    }

    async fn on_worker<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let failed = |error: &dyn std::fmt::Display| PasswordError::Hash(error.to_string());
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|error| failed(&error))?;
        self.computed.fetch_add(1, Ordering::Relaxed);
        metrics::counter!(HASHES).increment(1);
        let (done, answer) = oneshot::channel();
        let queued = self.workers.run(move || {
            // Held by the work, not by the waiting request: a client that hangs up frees nothing early.
            let _permit = permit;
            // The caller may have gone away.
            let _ = done.send(work());
        });
        if !queued {
            return Err(failed(&"no thread can hash passwords"));
        }
        answer.await.map_err(|error| failed(&error))
    }
}

/// [`Passwords::hash`] on this thread, for commands that run outside of a runtime.
///
/// # Errors
/// [`PasswordError::Hash`].
pub fn hash_now(params: Params, password: &str) -> Result<String, PasswordError> {
    let argon2 = params.argon2().ok_or(PasswordError::Params)?;
    let hash = argon2.hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| match error {
        Error::OutOfMemory => PasswordError::Memory,
        error => PasswordError::Hash(error.to_string()),
    })
}

fn verify_now(password: &str, hash: &str) -> Result<bool, PasswordError> {
    let hash = PasswordHash::new(hash).map_err(|error| PasswordError::Stored(error.to_string()))?;
    compared(Argon2::default().verify_password(password.as_bytes(), &hash))
}

/// Only a password that was compared is a wrong one.
fn compared(result: Result<(), Error>) -> Result<bool, PasswordError> {
    match result {
        Ok(()) => Ok(true),
        Err(Error::PasswordInvalid) => Ok(false),
        Err(Error::OutOfMemory) => Err(PasswordError::Memory),
        Err(error) => Err(PasswordError::Hash(error.to_string())),
    }
}

/// Problem of a new password, if it has one: 8–128 characters, of which at least the minimum are not white space; not
/// the login name, not a common password.
pub fn policy_problem(password: &str, username: &str) -> Option<&'static str> {
    let chars = password.chars().count();
    if !(PASSWORD_CHARS_MIN..=PASSWORD_CHARS_MAX).contains(&chars) {
        Some("must have 8 to 128 characters")
    } else if password.chars().filter(|c| !is_blank(*c)).count() < PASSWORD_CHARS_MIN {
        Some("must have 8 characters that are not spaces")
    } else if password.to_lowercase() == username.to_lowercase() {
        Some("must not be the login name")
    } else if common::is_common(password) {
        Some("is one of the most common passwords: choose another one")
    } else {
        None
    }
}

/// Whether a character is invisible: white space, and characters without width.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{Error, PasswordError, compared, policy_problem};
    use crate::api::error::{ApiError, Code};

    #[test]
    fn want_of_memory_is_no_wrong_password() {
        assert!(compared(Ok(())).unwrap() && !compared(Err(Error::PasswordInvalid)).unwrap());
        let short = ApiError::from(compared(Err(Error::OutOfMemory)).unwrap_err());
        assert_eq!((short.code, short.retry_after_s), (Code::Unavailable, Some(2)));
        assert!(matches!(compared(Err(Error::Crypto)).unwrap_err(), PasswordError::Hash(_)));
    }

    #[test]
    fn spaces_are_no_password() {
        for blank in [
            "        ",
            "\t\t\t\t\t\t\t\t\t",
            "a             b",
            "\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}",
        ] {
            assert!(policy_problem(blank, "ani").is_some(), "{blank:?}");
        }
        assert_eq!(policy_problem("  right horse  ", "ani"), None);
    }
}
