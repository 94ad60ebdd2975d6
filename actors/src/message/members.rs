//! Messages to the members' owner.

use crate::runtime::command::{AnyCommand, MemberRows};
use crate::runtime::failure::Failure;
use crate::runtime::pending::Pending;
use domain::model::hub::sync::local::OwnWrite;
use domain::wire::feed::{Change, MemberDown};
use tokio::sync::oneshot;

/// Message to the members' owner.
pub(crate) enum MembersMessage {
    /// Decide on a command.
    Run(Box<dyn AnyCommand<MemberRows>>),
    /// Head office sent members; the reply comes when the changes are durable, with the ones that could not be used.
    Merge { members: Vec<(Change, MemberDown)>, origin: Origin, merged: Merged },
    /// Head office decided on own writes.
    Decided { writes: Vec<OwnWrite> },
    /// A page of the feed was taken in: it may contain results of own writes.
    Settle,
    /// Probe whether commands are processed; answered like a command.
    Probe { pending: Pending },
    #[cfg(test)]
    Panic,
}

/// Way in which head office came to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Feed,
    /// From the feed of a restored hub: values that are newer here are sent back.
    NewGeneration,
    /// The request was for a member who was not here: one who is here by now is left to the feed.
    LookUp,
}

impl Origin {
    /// From the feed, of a restored hub or not.
    pub(crate) fn feed(new_generation: bool) -> Self {
        if new_generation { Self::NewGeneration } else { Self::Feed }
    }
}

/// Reports the records of a page that could not be used, or why none was applied.
pub(crate) type Merged = oneshot::Sender<Result<Vec<(Change, String)>, Failure>>;
