//! Reads of users, sessions, passkeys and PINs.

use super::{Read, Users};
use crate::rows::table::{Table, passkey_key};
use domain::model::base::ids::{SessionId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{Passkey, Pin, Rotation, Session, User};
use std::sync::atomic::Ordering::Acquire;

impl Users<'_> {
    /// Rises with every change of a user or a session: earlier reads are older.
    pub fn version(&self) -> u64 {
        self.0.rows.accounts.load(Acquire)
    }

    /// Reads a user.
    pub fn user(&self, id: &UserId) -> Read<Option<User>> {
        self.0.rows.row(Table::User, id.as_str())
    }

    /// The user with a login name (lower-cased).
    pub fn user_by_name(&self, username: &str) -> Read<Option<User>> {
        let Some(id) = self.0.rows.row::<UserId>(Table::Username, username)? else {
            return Ok(None);
        };
        Ok(self.user(&id)?.filter(|user| user.username == username))
    }

    /// All users, in order of ID.
    pub fn users(&self) -> Read<Vec<User>> {
        self.0.rows.page(Table::User, None, usize::MAX)
    }

    /// A session that was not closed.
    pub fn session(&self, id: &SessionId) -> Read<Option<Session>> {
        self.0.rows.row(Table::Session, id.as_str())
    }

    /// All sessions that were not closed, in order of ID.
    pub fn sessions(&self) -> Read<Vec<Session>> {
        self.0.rows.page(Table::Session, None, usize::MAX)
    }

    /// Sessions that expired by `now`, among the `limit` first by ID, which are the oldest: looked for at
    /// every log-in, they don't gather.
    pub fn expired_sessions(&self, now: UtcMs, limit: usize) -> Read<Vec<SessionId>> {
        let oldest: Vec<Session> = self.0.rows.page(Table::Session, None, limit)?;
        let expired = oldest.into_iter().filter(|session| session.expires_at <= now);
        Ok(expired.map(|session| session.session_id).collect())
    }

    /// The living refresh token of a session; `None` if it was never refreshed.
    pub fn rotation(&self, id: &SessionId) -> Read<Option<Rotation>> {
        self.0.rows.row(Table::Rotation, id.as_str())
    }

    /// All passkeys, in order of their users' IDs and their own.
    pub fn passkeys(&self) -> Read<Vec<Passkey>> {
        self.0.rows.page(Table::Passkey, None, usize::MAX)
    }

    /// A user's passkeys, in order of their IDs.
    pub fn passkeys_of(&self, user: &UserId) -> Read<Vec<Passkey>> {
        let rows = self.0.rows.range(&passkey_key(user.as_str(), ""), None, usize::MAX)?;
        rows.iter().map(|(_, bytes)| self.0.rows.decoded(bytes)).collect()
    }

    /// A user's PIN.
    pub fn pin(&self, user: &UserId) -> Read<Option<Pin>> {
        self.0.rows.row(Table::Pin, user.as_str())
    }
}
