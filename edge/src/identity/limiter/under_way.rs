//! Attempts under way. Each counts as a failure until it is decided, so that guesses made at the same time can't slip
//! through together. One that is refused for nothing but such attempts waits until they are decided: ten right log-ins
//! at once are ten log-ins.

use super::{Approval, LoginLimiter, key, limited};
use crate::api::error::ApiError;
use domain::model::base::time::UtcMs;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Time that an attempt waits for others to be decided.
const OTHERS_WAIT: Duration = Duration::from_secs(10);

/// Key that an attempt is counted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Counted {
    Name(String),
    Address(IpAddr),
    Requester(String),
    Register(IpAddr),
    Approver(String),
}

/// Number of attempts under way, by what they count for.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    attempts: Mutex<HashMap<Counted, usize>>,
    decided: Notify,
}

/// An attempt under way. Dropped, it was wrong.
pub struct Attempt<'a> {
    limiter: &'a LoginLimiter,
    counted: Vec<Counted>,
    name: &'a str,
    address: IpAddr,
}

impl UnderWay {
    fn begin(&self, counted: &[Counted]) {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        for counted in counted {
            let count = attempts.entry(counted.clone()).or_default();
            *count = count.saturating_add(1);
        }
    }

    fn end(&self, counted: &[Counted]) {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        for counted in counted {
            if let Some(count) = attempts.get_mut(counted) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    attempts.remove(counted);
                }
            }
        }
        drop(attempts);
        self.decided.notify_waiters();
    }

    /// Whether all that has to wait may be free as soon as attempts under way are decided.
    fn may_pass(&self, waits: &[(&Counted, i64)]) -> bool {
        let attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        waits.iter().all(|(counted, wait_ms)| *wait_ms <= 0 || attempts.contains_key(*counted))
    }
}

impl LoginLimiter {
    /// Tries until it is counted, or until the refusal does not depend on attempts under way.
    async fn counted<E>(
        &self,
        counted: Vec<Counted>,
        mut attempt: impl FnMut() -> Result<(), (Vec<i64>, E)>,
    ) -> Result<Vec<Counted>, E> {
        let deadline = Instant::now() + OTHERS_WAIT;
        loop {
            // Listens before it tries, so that no decision in between is missed.
            let mut decided = std::pin::pin!(self.under_way.decided.notified());
            decided.as_mut().enable();
            match attempt() {
                Ok(()) => {
                    self.under_way.begin(&counted);
                    return Ok(counted);
                }
                Err((waits, refused)) => {
                    let waits: Vec<_> = counted.iter().zip(waits).collect();
                    if !self.under_way.may_pass(&waits)
                        || tokio::time::timeout_at(deadline, decided).await.is_err()
                    {
                        return Err(refused);
                    }
                }
            }
        }
    }

    /// Begins a log-in.
    ///
    /// # Errors
    /// 429 `rate_limited`.
    pub async fn begin<'a>(
        &'a self,
        name: &'a str,
        address: IpAddr,
        now: UtcMs,
    ) -> Result<Attempt<'a>, ApiError> {
        let counted = vec![Counted::Name(key(name)), Counted::Address(address.to_canonical())];
        let attempt = || {
            let against = self.try_attempt(name, address, now);
            against.map_err(|it| (vec![it.name_ms, it.address_ms], limited(it.wait_ms())))
        };
        Ok(Attempt { limiter: self, counted: self.counted(counted, attempt).await?, name, address })
    }

    /// Begins an approval attempt; the caller reports a right one with [`LoginLimiter::approved`].
    ///
    /// # Errors
    /// 403 `approval_limited`.
    pub async fn begin_approval<'a>(
        &'a self,
        approval: &Approval<'a>,
        now: UtcMs,
    ) -> Result<Attempt<'a>, ApiError> {
        let (requester, register) = (approval.requester.0.clone(), approval.register.to_canonical());
        let mut counted = vec![Counted::Requester(requester), Counted::Register(register)];
        counted.extend(approval.approver.map(|approver| Counted::Approver(key(approver))));
        let attempt = || {
            self.try_approval(approval, now).map_err(|against| {
                let wait_ms = against.iter().copied().max().unwrap_or_default();
                let refused = ApiError::approval_limited(wait_ms.unsigned_abs().div_ceil(1000));
                (against.to_vec(), refused)
            })
        };
        let counted = self.counted(counted, attempt).await?;
        Ok(Attempt { limiter: self, counted, name: "", address: approval.register })
    }
}

impl Attempt<'_> {
    /// The password was right.
    pub fn succeeded(self, now: UtcMs) {
        self.limiter.succeeded(self.name, self.address, now);
    }

    /// It could not be checked, for example for want of memory: it is not counted.
    pub fn withdrawn(self, now: UtcMs) {
        self.limiter.withdrawn(self.name, self.address, now);
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        self.limiter.under_way.end(&self.counted);
    }
}
