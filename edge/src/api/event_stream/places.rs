//! The places of streams: a bound for all, and one for each person.

use crate::api::error::ApiError;
use domain::model::base::ids::UserId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Seconds after which a stream that found no place may be asked for again.
const RETRY_AFTER_S: u64 = 5;

/// Open event streams, by listener.
#[derive(Debug, Clone)]
pub struct Streams {
    users: Arc<Mutex<HashMap<UserId, usize>>>,
    most: usize,
    most_per_user: usize,
}

/// A place, free again when this is dropped.
#[derive(Debug)]
pub struct StreamPermit {
    streams: Streams,
    user: UserId,
}

impl Streams {
    /// Limits of open streams: in total, and of one person.
    pub fn at_most(most: usize, most_per_user: usize) -> Self {
        Self { users: Arc::default(), most, most_per_user }
    }

    /// Number of open streams.
    pub fn count(&self) -> usize {
        self.lock().values().sum()
    }

    /// Takes a place for a user.
    ///
    /// # Errors
    /// 503 `unavailable`.
    pub fn enter(&self, user: &UserId) -> Result<StreamPermit, ApiError> {
        let mut users = self.lock();
        let own = users.get(user).copied().unwrap_or_default();
        if own >= self.most_per_user || users.values().sum::<usize>() >= self.most {
            return Err(ApiError::unavailable("too many event streams are open", RETRY_AFTER_S));
        }
        users.insert(user.clone(), own.saturating_add(1));
        Ok(StreamPermit { streams: self.clone(), user: user.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, usize>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut users = self.streams.lock();
        let left = users.get(&self.user).copied().unwrap_or_default().saturating_sub(1);
        if left == 0 {
            users.remove(&self.user);
        } else {
            users.insert(self.user.clone(), left);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::api::error::Code;

    #[test]
    fn places_are_bounded_and_come_back() {
        let (most, own) = (64, 8);
        let streams = Streams::at_most(most, own);
        let users: Vec<UserId> = (0..most).map(|n| UserId(format!("usr_{n}"))).collect();
        let one = users.first().unwrap();
        let own: Vec<StreamPermit> = (0..own).map(|_| streams.enter(one).unwrap()).collect();
        assert_eq!(streams.enter(one).unwrap_err().code, Code::Unavailable);
        let rest: Vec<StreamPermit> =
            users.iter().skip(1).map_while(|user| streams.enter(user).ok()).collect();
        assert_eq!((streams.count(), own.len() + rest.len()), (most, most));
        drop(rest);
        assert!(streams.enter(users.last().unwrap()).is_ok());
        drop(own);
        assert_eq!(streams.count(), 0);
    }
}
