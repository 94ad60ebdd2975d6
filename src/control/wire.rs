//! Messages on the socket: one JSON value a line. A command, its rows; then progress and the end.

use crate::exit::{Exit, FAILED, code_of};
use crate::upkeep::Step;
use actors::Failure;
use domain::model::base::refusal::Refusal;
use domain::model::hub::stamp::HubIdentity;
use domain::model::people::user::User;
use domain::rules::inventory::product::CatalogueRow;
use domain::rules::inventory::stock::OpeningRow;
use domain::rules::people::member::MemberRow;
use domain::rules::people::points::PointsRow;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// The longest line, in bytes (64 KiB): a product is far below it.
pub const LINE_BYTES_MAX: u64 = 64 * 1024;
/// The longest line of an answer, in bytes (4 MiB): a list of bad rows.
pub const ANSWER_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Request to the running store.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    AddUser(Box<User>),
    ListUsers,
    /// Kill every token of the user with this login name.
    RevokeUser(String),
    /// Give the user with this login name another password.
    ResetPassword {
        username: String,
        hash: String,
    },
    /// List the devices of the user with this login name.
    ListDevices(String),
    /// Remove a device of the user with this login name.
    RemoveDevice {
        username: String,
        credential_id: String,
    },
    /// Take these products into the catalogue.
    ImportProducts(Vec<CatalogueRow>),
    /// Take this first stock into the books.
    ImportStock(Vec<OpeningRow>),
    ImportMembers(Vec<MemberRow>),
    /// Give these members their opening points.
    ImportPoints(Vec<PointsRow>),
    /// This hub knows the store now, up to the epoch of this number.
    Enrolled {
        /// Identity of the hub, and of the store there.
        hub: HubIdentity,
        /// The current epoch's number there; 0 if there is none.
        n: u64,
    },
    /// Make this copy the shop again, in a new epoch.
    Rejoin,
    /// Tell how the store is.
    Status,
    /// Report head office's settings for the store.
    HubSettings,
    Verify,
    /// Back the store up.
    Backup {
        /// Into this folder, absolute; with `keep`, into a new folder inside of it.
        folder: PathBuf,
        /// Number of backups that stay in the folder. `None`: the folder is the backup.
        keep: Option<usize>,
        keys: bool,
    },
}

/// The first line of a command; rows follow one a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum CommandHeader {
    /// [`Order::AddUser`]
    AddUser {
        /// The user.
        user: Box<User>,
    },
    /// [`Order::ListUsers`]
    ListUsers,
    /// [`Order::RevokeUser`]
    RevokeUser {
        /// Login name.
        username: String,
    },
    /// [`Order::ResetPassword`]
    ResetPassword {
        /// Login name.
        username: String,
        /// Hash of the password.
        hash: String,
    },
    /// [`Order::ListDevices`]
    ListDevices {
        /// Login name.
        username: String,
    },
    /// [`Order::RemoveDevice`]
    RemoveDevice {
        /// Login name.
        username: String,
        /// The device.
        credential_id: String,
    },
    /// [`Order::ImportProducts`]
    ImportProducts {
        /// Number of rows that follow, one a line.
        rows: usize,
    },
    /// [`Order::ImportStock`]
    ImportStock {
        /// Number of rows that follow, one a line.
        rows: usize,
    },
    /// [`Order::ImportMembers`]
    ImportMembers {
        /// Number of rows that follow, one a line.
        rows: usize,
    },
    /// [`Order::ImportPoints`]
    ImportPoints {
        /// Number of rows that follow, one a line.
        rows: usize,
    },
    /// [`Order::Enrolled`]
    Enrolled {
        /// The hub.
        hub: HubIdentity,
        /// The epoch's number.
        n: u64,
    },
    /// [`Order::Rejoin`]
    Rejoin,
    /// [`Order::Status`]
    Status,
    /// [`Order::HubSettings`]
    HubSettings,
    /// [`Order::Verify`]
    Verify,
    /// [`Order::Backup`]
    Backup {
        /// The folder.
        folder: PathBuf,
        /// Number of backups that stay in it.
        keep: Option<usize>,
        /// With keys.
        keys: bool,
    },
}

/// A line of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// It continues; also sent without progress, so that silence means trouble.
    Working(Option<Step>),
    Done(Value),
    Failed(Trouble),
}

/// Reason why a command failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Trouble {
    pub code: u8,
    /// Description of the failure, for people.
    pub message: String,
    /// Every single thing that is wrong, a line each.
    pub notes: Vec<String>,
}

impl Trouble {
    /// A failure without further details.
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: FAILED, message: message.into(), notes: Vec::new() }
    }

    /// The end of a command; the notes have been shown.
    pub fn exit(self) -> Exit {
        Exit::new(self.code, self.message)
    }
}

impl From<anyhow::Error> for Trouble {
    fn from(error: anyhow::Error) -> Self {
        Self { code: code_of(&error), ..Self::new(edge::server::command::words(error.as_ref())) }
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        let Failure::Refused(Refusal::ValidationFailed(problems)) = &failure else {
            return Self::new(failure.to_string());
        };
        let notes: Vec<_> =
            problems.iter().map(|problem| format!("{}: {}", problem.path, problem.problem)).collect();
        let rows = if notes.len() == 1 { "row" } else { "rows" };
        Self { notes, ..Self::new(format!("{} bad {rows}: nothing was imported", problems.len())) }
    }
}

impl Order {
    /// The first line, and the rows after it.
    pub fn lines(&self) -> serde_json::Result<(CommandHeader, Vec<String>)> {
        let mut rows = Vec::new();
        let head = match self {
            Self::AddUser(user) => CommandHeader::AddUser { user: user.clone() },
            Self::ListUsers => CommandHeader::ListUsers,
            Self::RevokeUser(username) => CommandHeader::RevokeUser { username: username.clone() },
            Self::ResetPassword { username, hash } => {
                CommandHeader::ResetPassword { username: username.clone(), hash: hash.clone() }
            }
            Self::ListDevices(username) => CommandHeader::ListDevices { username: username.clone() },
            Self::RemoveDevice { username, credential_id } => CommandHeader::RemoveDevice {
                username: username.clone(),
                credential_id: credential_id.clone(),
            },
            Self::ImportProducts(products) => {
                rows = products.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
                CommandHeader::ImportProducts { rows: rows.len() }
            }
            Self::ImportStock(opening) => {
                rows = opening.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
                CommandHeader::ImportStock { rows: rows.len() }
            }
            Self::ImportMembers(members) => {
                rows = members.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
                CommandHeader::ImportMembers { rows: rows.len() }
            }
            Self::ImportPoints(points) => {
                rows = points.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
                CommandHeader::ImportPoints { rows: rows.len() }
            }
            Self::Enrolled { hub, n } => CommandHeader::Enrolled { hub: hub.clone(), n: *n },
            Self::Rejoin => CommandHeader::Rejoin,
            Self::Status => CommandHeader::Status,
            Self::HubSettings => CommandHeader::HubSettings,
            Self::Verify => CommandHeader::Verify,
            Self::Backup { folder, keep, keys } => {
                CommandHeader::Backup { folder: folder.clone(), keep: *keep, keys: *keys }
            }
        };
        Ok((head, rows))
    }
}
