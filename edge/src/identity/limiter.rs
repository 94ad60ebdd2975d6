//! The login limiter: guesses per name and per address, in a sliding window and, beyond it, with a delay that doubles.
//! Its state can be kept over a restart.
//!
//! A name is counted apart from where it logged in lately, so that guesses from elsewhere don't lock its owner out.
//! Passwords of approvals are counted apart from log-ins: by requester, by register, and by approver, so that a cashier
//! can't lock a manager out; of all these ways together at most a hundred guesses of one name are tried in an hour.

use crate::api::error::ApiError;
use crate::api::rate_limit::{Left, RateLimit, RateLimits};
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use failures::{Counts, SavedFailures};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use usual_addresses::Usual;

mod failures;
mod under_way;
mod usual_addresses;

pub use under_way::Attempt;

/// Failures of one name in a window before it is refused.
pub const FAILURES_PER_NAME_MAX: usize = 5;
/// Failures from one address in a window before it is refused.
pub const FAILURES_PER_ADDRESS_MAX: usize = 50;
/// Refused approvals that one person asked for in a window before further ones are refused.
pub const APPROVALS_PER_REQUESTER_MAX: usize = 5;
/// Refused approvals at one register, by its network address.
pub const APPROVALS_PER_REGISTER_MAX: usize = 10;
/// Refused approvals by one approver's password, regardless of the caller.
pub const APPROVALS_PER_APPROVER_MAX: usize = 10;
/// The first delay beyond the maximum, in milliseconds: each further failure doubles it.
pub const DELAY_MS: i64 = 1000;
/// The longest delay, in milliseconds. It is short enough that a stranger can't lock a user out for good.
pub const DELAY_MS_MAX: i64 = 15 * 60 * 1000;
/// One failure is forgiven after so long, in milliseconds.
pub const FORGIVEN_MS: i64 = 6 * 60 * 1000;
/// Length of the window, in milliseconds.
pub const WINDOW_MS: i64 = 5 * 60 * 1000;
/// Attempts that run at once read the time before they are counted, in any order: a delay up to this, in milliseconds,
/// does not mean that the clock was set back.
pub const LATE_MS_MAX: i64 = 10_000;
/// Most names, and most addresses, that are remembered; beyond it the longest quiet one is forgotten.
pub const KEYS_MAX: usize = 10_000;
/// Longer names are cut here before they are counted.
const NAME_CHARS_MAX: usize = 128;

/// Counts attempts. An attempt counts as a failure from its beginning, so that guesses made at the
/// same time can't slip through together; success takes it back.
#[derive(Debug, Default)]
pub struct LoginLimiter {
    guesses: Mutex<Guesses>,
    changed: AtomicBool,
    under_way: under_way::UnderWay,
}

#[derive(Debug)]
struct Guesses {
    /// From addresses without a recent log-in of this name.
    names: Counts<String>,
    addresses: Counts<IpAddr>,
    usual: Usual,
    requesters: Counts<String>,
    registers: Counts<IpAddr>,
    approvers: Counts<String>,
}

impl Default for Guesses {
    fn default() -> Self {
        Self {
            names: Counts::new(FAILURES_PER_NAME_MAX),
            addresses: Counts::new(FAILURES_PER_ADDRESS_MAX),
            usual: Usual::default(),
            requesters: Counts::new(APPROVALS_PER_REQUESTER_MAX),
            registers: Counts::new(APPROVALS_PER_REGISTER_MAX),
            approvers: Counts::new(APPROVALS_PER_APPROVER_MAX),
        }
    }
}

/// State that is kept over a restart: the number of failures and the last one, by what they are counted for.
#[derive(Serialize, Deserialize)]
struct SavedGuesses {
    names: BTreeMap<String, SavedFailures>,
    addresses: BTreeMap<IpAddr, SavedFailures>,
    usual: usual_addresses::SavedUsual,
    requesters: BTreeMap<String, SavedFailures>,
    registers: BTreeMap<IpAddr, SavedFailures>,
    approvers: BTreeMap<String, SavedFailures>,
}

/// An approval that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Approval<'a> {
    /// User who asks for the approval.
    pub requester: &'a UserId,
    /// The network address of the register: its own name for itself is not trusted.
    pub register: IpAddr,
    /// Login name of the approver whose password is given. `None` for a device's assertion, which can't be guessed.
    pub approver: Option<&'a str>,
}

impl LoginLimiter {
    /// Begins an attempt.
    ///
    /// # Errors
    /// 429 `rate_limited` with the time until the next attempt is allowed.
    pub fn attempt(&self, name: &str, address: IpAddr, now: UtcMs) -> Result<(), ApiError> {
        self.try_attempt(name, address, now).map_err(|refused| limited(refused.wait_ms()))
    }

    /// Counts an attempt, or returns what is against it.
    fn try_attempt(&self, name: &str, address: IpAddr, now: UtcMs) -> Result<(), Against> {
        let mut guesses = self.changing();
        let (name, address) = (key(name), address.to_canonical());
        let usual = guesses.usual.wait_ms(&name, address, now);
        let name_ms = usual.unwrap_or_else(|| guesses.names.wait_ms(&name, now));
        let address_ms = guesses.addresses.wait_ms(&address, now);
        if name_ms > 0 || address_ms > 0 {
            return Err(Against { name_ms, address_ms });
        }
        if usual.is_some() {
            guesses.usual.push(&name, address, now);
        } else {
            guesses.names.push(name, now);
        }
        guesses.addresses.push(address, now);
        Ok(())
    }

    /// The attempt was neither right nor wrong: the machine could not look. It was never made.
    fn withdrawn(&self, name: &str, address: IpAddr, now: UtcMs) {
        let mut guesses = self.changing();
        let (name, address) = (key(name), address.to_canonical());
        if guesses.usual.wait_ms(&name, address, now).is_some() {
            guesses.usual.undo_last(&name, address, now);
        } else {
            guesses.names.undo_last(&name);
        }
        guesses.addresses.undo_last(&address);
    }

    /// The attempt was right: failures of the name from its address are forgotten, and this one is not counted for the
    /// address. Failures from elsewhere stay.
    pub fn succeeded(&self, name: &str, address: IpAddr, now: UtcMs) {
        let mut guesses = self.changing();
        let (name, address) = (key(name), address.to_canonical());
        if !guesses.usual.logged_in(&name, address, now) {
            guesses.names.forget(&name);
        }
        guesses.addresses.undo_last(&address);
    }

    /// Begins an attempt without a name: only its address counts.
    ///
    /// # Errors
    /// The errors of [`LoginLimiter::attempt`].
    pub fn attempt_from(&self, address: IpAddr, now: UtcMs) -> Result<(), ApiError> {
        let mut guesses = self.changing();
        let address = address.to_canonical();
        allowed(guesses.addresses.wait_ms(&address, now))?;
        guesses.addresses.push(address, now);
        Ok(())
    }

    /// An attempt without a name was right: it is not counted for the address.
    pub fn succeeded_from(&self, address: IpAddr) {
        self.changing().addresses.undo_last(&address.to_canonical());
    }

    /// A user with this name logged in there with a device: guesses from elsewhere do not lock out log-ins from there.
    pub fn logged_in(&self, name: &str, address: IpAddr, now: UtcMs) {
        self.changing().usual.logged_in(&key(name), address.to_canonical(), now);
    }

    /// Begins to ask for an approval. It counts nowhere as a log-in.
    ///
    /// # Errors
    /// 403 `approval_limited`.
    pub fn attempt_approval(&self, approval: &Approval<'_>, now: UtcMs) -> Result<(), ApiError> {
        self.try_approval(approval, now).map_err(|against| {
            let wait_ms = against.into_iter().max().unwrap_or_default();
            ApiError::approval_limited(wait_ms.unsigned_abs().div_ceil(1000))
        })
    }

    /// Counts a requested approval, or returns how long requester, register and approver have to wait.
    fn try_approval(&self, approval: &Approval<'_>, now: UtcMs) -> Result<(), [i64; 3]> {
        let mut guesses = self.changing();
        let (requester, register) = (approval.requester.0.clone(), approval.register.to_canonical());
        let approver = approval.approver.map(key);
        let approver_ms = approver.as_ref().map_or(0, |approver| guesses.approvers.wait_ms(approver, now));
        let requester_ms = guesses.requesters.wait_ms(&requester, now);
        let against = [requester_ms, guesses.registers.wait_ms(&register, now), approver_ms];
        if against.iter().any(|wait_ms| *wait_ms > 0) {
            return Err(against);
        }
        guesses.requesters.push(requester, now);
        guesses.registers.push(register, now);
        if let Some(approver) = approver {
            guesses.approvers.push(approver, now);
        }
        Ok(())
    }

    /// The approval was right: it is not counted. Earlier refused ones stay counted, or a person who approves often
    /// would allow more guesses.
    pub fn approved(&self, approval: &Approval<'_>) {
        let mut guesses = self.changing();
        guesses.requesters.undo_last(&approval.requester.0);
        guesses.registers.undo_last(&approval.register.to_canonical());
        if let Some(approver) = approval.approver.map(key) {
            guesses.approvers.undo_last(&approver);
        }
    }

    /// The limits of log-ins, and what is left to an address.
    pub fn rate_limits(&self, address: IpAddr, now: UtcMs) -> RateLimits {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let (attempts, within_ms) = guesses.addresses.left(&address.to_canonical(), now);
        let seconds = |ms: i64| ms.unsigned_abs().div_ceil(1000);
        let limit = |name, quota| RateLimit { name, quota, window_s: seconds(WINDOW_MS) };
        RateLimits {
            name: limit("name", FAILURES_PER_NAME_MAX),
            address: limit("address", FAILURES_PER_ADDRESS_MAX),
            left: Left { attempts, within_s: seconds(within_ms) },
        }
    }

    /// Addresses with a recent log-in.
    pub fn usual_addresses(&self) -> Vec<IpAddr> {
        self.guesses.lock().unwrap_or_else(PoisonError::into_inner).usual.addresses()
    }

    /// State to keep over a restart, as JSON. `None` if it has not changed since the last call.
    pub fn to_save(&self) -> Option<Vec<u8>> {
        if !self.changed.swap(false, Ordering::Relaxed) {
            return None;
        }
        let guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = SavedGuesses {
            names: guesses.names.saved(),
            addresses: guesses.addresses.saved(),
            usual: guesses.usual.saved(),
            requesters: guesses.requesters.saved(),
            registers: guesses.registers.saved(),
            approvers: guesses.approvers.saved(),
        };
        serde_json::to_vec(&kept).ok()
    }

    /// Continues from a stored state. Invalid text changes nothing.
    ///
    /// # Errors
    /// The problem with the text.
    pub fn restore(&self, kept: &[u8]) -> Result<(), serde_json::Error> {
        let kept: SavedGuesses = serde_json::from_slice(kept)?;
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        guesses.names.restore(kept.names);
        guesses.addresses.restore(kept.addresses);
        guesses.usual.restore(kept.usual);
        guesses.requesters.restore(kept.requesters);
        guesses.registers.restore(kept.registers);
        guesses.approvers.restore(kept.approvers);
        Ok(())
    }

    fn changing(&self) -> MutexGuard<'_, Guesses> {
        let guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.store(true, Ordering::Relaxed);
        guesses
    }
}

/// Milliseconds that name and address have to wait.
#[derive(Debug, Clone, Copy)]
struct Against {
    name_ms: i64,
    address_ms: i64,
}

impl Against {
    fn wait_ms(self) -> i64 {
        self.name_ms.max(self.address_ms)
    }
}

fn limited(wait_ms: i64) -> ApiError {
    ApiError::rate_limited(wait_ms.unsigned_abs().div_ceil(1000))
}

fn allowed(wait_ms: i64) -> Result<(), ApiError> {
    if wait_ms > 0 { Err(limited(wait_ms)) } else { Ok(()) }
}

fn key(name: &str) -> String {
    name.chars().take(NAME_CHARS_MAX).flat_map(char::to_lowercase).collect()
}
