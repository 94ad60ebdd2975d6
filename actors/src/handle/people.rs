//! Users, as whoever runs the machine changes them.

use super::{COMMAND_DEADLINE, StoreHandle};
use crate::failure::Failure;
use crate::sessions::SessionsMessage;
use domain::user::User;
use tokio::sync::oneshot;

const RESTARTING: Failure = Failure::Unavailable("sessions are restarting");

impl StoreHandle {
    /// Adds a user; it is on the disk when this returns.
    ///
    /// # Errors
    /// [`Failure::Refused`] when the login name is taken, [`Failure::Unavailable`] while sessions restart.
    pub async fn add_user(&self, user: User) -> Result<(), Failure> {
        self.ask_sessions(|reply| SessionsMessage::AddUser { user: Box::new(user), reply }).await
    }

    /// Kills every token of a user at once and for good; the user may log in anew.
    ///
    /// # Errors
    /// [`Failure::Refused`] when nobody has this login name, [`Failure::Unavailable`] while sessions restart.
    pub async fn revoke_user(&self, username: &str) -> Result<User, Failure> {
        let username = username.to_owned();
        self.ask_sessions(|reply| SessionsMessage::Revoke { username, reply }).await
    }

    async fn ask_sessions<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<Result<T, Failure>>) -> SessionsMessage,
    ) -> Result<T, Failure> {
        self.door.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
        let (reply, answered) = oneshot::channel();
        self.door.sessions.send(message(reply)).await.map_err(|_| RESTARTING)?;
        match tokio::time::timeout(COMMAND_DEADLINE, answered).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) | Err(_) => Err(RESTARTING),
        }
    }
}
