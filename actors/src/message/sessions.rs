//! Messages to the owner of sessions and users.

use crate::runtime::command::{AnyCommand, UserRows};
use crate::runtime::failure::Failure;
use crate::runtime::pending::Pending;
use domain::model::base::ids::{SessionId, UserId};
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::{Pin, Session, User};
use domain::rules::people::user::pin::PinTry;
use domain::rules::people::user::proof::Proof;
use domain::rules::people::user::rotation::{Presented, Refreshed};
use domain::wire::feed::Change;
use std::time::Duration;
use tokio::sync::oneshot;

type Reply<T> = oneshot::Sender<Result<T, Failure>>;

pub(crate) enum SessionsMessage {
    /// Open a session with this lifetime, for a user whose proof was checked.
    Open { user: Box<User>, proof: Box<Proof>, lifetime: Duration, reply: Reply<Session> },
    /// Store the use of a device or a PIN, without opening a session.
    Use { user: Box<User>, proof: Box<Proof>, reply: Reply<()> },
    /// Count a try of a user's PIN, before it is compared.
    TryPin { user: Box<User>, reply: Reply<PinTry> },
    /// Store a PIN that its owner has chosen.
    SetPin { pin: Box<Pin>, reply: Reply<()> },
    /// Remove a user's own PIN.
    RemovePin { user: UserId, reply: Reply<()> },
    /// Spend a refresh token.
    Refresh { presented: Box<Presented>, reply: Reply<Refreshed> },
    /// End one session, as at a logout.
    Close { session: SessionId, reply: Reply<()> },
    /// Store a password hash with the present costs, if the user's hash is still the one that was checked.
    Rehash { user: Box<User>, hash: String, reply: Reply<()> },
    /// Record refusals.
    Audit { entries: Vec<AuditEntry>, reply: Reply<()> },
    /// Decide on a command.
    Run(Box<dyn AnyCommand<UserRows>>),
    /// A page of the feed contains people; the reply comes when the changes are durable.
    ApplyFeed { changes: Vec<Change>, new_generation: bool, applied: Reply<()> },
    /// Add a user whose login name is free.
    AddUser { user: Box<User>, reply: Reply<()> },
    /// Revoke all tokens of the user with this login name.
    Revoke { username: String, reply: Reply<Revoked> },
    /// Set another password of the user with this login name, and revoke all tokens.
    ResetPassword { username: String, hash: String, reply: Reply<Revoked> },
    /// Remove a device of the user with this login name.
    RemoveDevice { username: String, credential_id: String, reply: Reply<()> },
    /// Probe whether commands are processed; answered like a command.
    Probe { pending: Pending },
    #[cfg(test)]
    Panic,
}

/// User whose tokens were revoked, with the number of removed devices.
#[derive(Debug)]
pub struct Revoked {
    /// The user afterwards.
    pub user: User,
    /// Number of devices that were removed.
    pub devices_removed: usize,
}
