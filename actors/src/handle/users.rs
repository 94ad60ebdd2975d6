//! Users and their sessions.

use super::StoreHandle;
use crate::message::{Revoked, SessionsMessage};
use crate::runtime::command::COMMAND_DEADLINE;
use crate::runtime::failure::{Done, Failure};
use crate::runtime::mailbox;
use crate::runtime::request::RequestContext;
use domain::model::base::ids::{SessionId, UserId};
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::{Pin, Session, User};
use domain::rules::people::user::pin::PinTry;
use domain::rules::people::user::proof::Proof;
use domain::rules::people::user::rotation::{Presented, Refreshed};
use std::time::Duration;
use storage::NotWritable;
use tokio::sync::oneshot;

impl StoreHandle {
    /// Opens a session for a user whose password, PIN or device's assertion was checked; it is on the disk
    /// when this returns.
    ///
    /// # Errors
    /// [`Failure::Refused`] when the user, the PIN or the device was changed meanwhile,
    /// [`Failure::Unavailable`] while sessions restart.
    pub async fn open_session(
        &self,
        user: &User,
        proof: Proof,
        lifetime: Duration,
    ) -> Result<Session, Failure> {
        self.room_for_little()?;
        let (user, proof) = (Box::new(user.clone()), Box::new(proof));
        self.tell_sessions(|reply| SessionsMessage::Open { user, proof, lifetime, reply }).await
    }

    /// Counts a device's assertion, or a PIN, that was right; it is on the disk when this returns.
    ///
    /// # Errors
    /// The errors of [`StoreHandle::open_session`].
    pub async fn use_proof(&self, user: &User, proof: Proof) -> Result<(), Failure> {
        self.room_for_little()?;
        let (user, proof) = (Box::new(user.clone()), Box::new(proof));
        self.tell_sessions(|reply| SessionsMessage::Use { user, proof, reply }).await
    }

    /// Counts a try of a user's PIN, which the caller compares afterwards; it is on the disk when this returns.
    ///
    /// # Errors
    /// The errors of [`StoreHandle::open_session`].
    pub async fn try_pin(&self, user: &User) -> Result<PinTry, Failure> {
        self.room_for_little()?;
        let user = Box::new(user.clone());
        self.tell_sessions(|reply| SessionsMessage::TryPin { user, reply }).await
    }

    /// Stores a PIN that its owner has chosen; it is on the disk when this returns.
    ///
    /// # Errors
    /// The errors of [`StoreHandle::open_session`].
    pub async fn set_pin(&self, pin: Pin) -> Result<(), Failure> {
        self.ask_sessions(|reply| SessionsMessage::SetPin { pin: Box::new(pin), reply }).await
    }

    /// Removes a user's own PIN; it is removed from the disk when this returns.
    ///
    /// # Errors
    /// [`Failure::Refused`] if the user has none, [`Failure::Unavailable`] while sessions restart.
    pub async fn remove_pin(&self, user: &UserId) -> Result<(), Failure> {
        let user = user.clone();
        self.ask_sessions(|reply| SessionsMessage::RemovePin { user, reply }).await
    }

    /// Spends a refresh token that was verified; its successor is on the disk when this returns.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while sessions restart.
    pub async fn refresh(&self, presented: Presented) -> Result<Refreshed, Failure> {
        self.room_for_little()?;
        let presented = Box::new(presented);
        self.tell_sessions(|reply| SessionsMessage::Refresh { presented, reply }).await
    }

    /// Ends a session; it is over on the disk when this returns.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while sessions restart.
    pub async fn close_session(&self, session: SessionId) -> Result<(), Failure> {
        self.room_for_little()?;
        self.tell_sessions(|reply| SessionsMessage::Close { session, reply }).await
    }

    /// Writes entries of the audit log that no command of theirs wrote; on the disk when this returns.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while sessions restart.
    pub async fn audit(&self, entries: Vec<AuditEntry>) -> Result<(), Failure> {
        self.ask_sessions(|reply| SessionsMessage::Audit { entries, reply }).await
    }

    /// Stores a password that was just checked under another hash.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while sessions restart.
    pub async fn rehash(&self, user: &User, hash: String) -> Result<(), Failure> {
        let user = Box::new(user.clone());
        self.ask_sessions(|reply| SessionsMessage::Rehash { user, hash, reply }).await
    }

    /// The stored answer to a request that was answered before: asked before a password is looked at,
    /// which may be another one by now.
    ///
    /// # Errors
    /// [`Failure::KeyReused`] for another command under the same key.
    pub fn replayed(&self, request: &RequestContext) -> Result<Option<Done>, Failure> {
        let Some(request) = &request.key else { return Ok(None) };
        match self.context.storage.log().answer(&request.key)? {
            None => Ok(None),
            Some(stored) => match request.command.differs(&stored.command) {
                differs if differs.is_empty() => Ok(Some(Done { answer: stored.answer, replayed: true })),
                differs => Err(Failure::KeyReused(differs)),
            },
        }
    }

    /// Adds a user; it is on the disk when this returns.
    ///
    /// # Errors
    /// [`Failure::Refused`] when the login name is taken, [`Failure::Unavailable`] while sessions restart.
    pub async fn add_user(&self, user: User) -> Result<(), Failure> {
        self.ask_sessions(|reply| SessionsMessage::AddUser { user: Box::new(user), reply }).await
    }

    /// Revokes every token of a user, and removes every device, at once and permanently; the user may log in again.
    ///
    /// # Errors
    /// [`Failure::Refused`] if there is no such login name, [`Failure::Unavailable`] while sessions restart.
    pub async fn revoke_user(&self, username: &str) -> Result<Revoked, Failure> {
        let username = username.to_owned();
        self.ask_sessions(|reply| SessionsMessage::Revoke { username, reply }).await
    }

    /// Gives a user another password, whose hash this is. Tokens and devices end as in [`Self::revoke_user`].
    ///
    /// # Errors
    /// [`Failure::Refused`] if there is no such login name, [`Failure::Unavailable`] while sessions restart.
    pub async fn reset_password(&self, username: &str, hash: String) -> Result<Revoked, Failure> {
        let username = username.to_owned();
        self.ask_sessions(|reply| SessionsMessage::ResetPassword { username, hash, reply }).await
    }

    /// Removes a device of a user; it is removed from the disk when this returns.
    ///
    /// # Errors
    /// [`Failure::Refused`] if there is no such login name, or the user has no such device, [`Failure::Unavailable`]
    /// while sessions restart.
    pub async fn remove_device(&self, username: &str, credential_id: &str) -> Result<(), Failure> {
        let (username, credential_id) = (username.to_owned(), credential_id.to_owned());
        self.ask_sessions(|reply| SessionsMessage::RemoveDevice { username, credential_id, reply }).await
    }

    /// Log-ins are small, and reads continue with a full disk: the reserve is for them.
    fn room_for_little(&self) -> Result<(), Failure> {
        match self.context.storage.writable() {
            Ok(()) | Err(NotWritable::LowSpace { .. }) => Ok(()),
            Err(why) => Err(Failure::StorageFull(why.to_string())),
        }
    }

    async fn ask_sessions<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<Result<T, Failure>>) -> SessionsMessage,
    ) -> Result<T, Failure> {
        self.context.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
        self.tell_sessions(message).await
    }

    async fn tell_sessions<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<Result<T, Failure>>) -> SessionsMessage,
    ) -> Result<T, Failure> {
        self.context.sessions.call(COMMAND_DEADLINE, mailbox::SESSIONS, message).await?
    }
}
