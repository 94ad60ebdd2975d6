//! Messages to the hub connection.

use crate::hub::hub_client::CallError;
use crate::hub::sync_state::Link;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::OwnWrite;
use domain::wire::feed::PullAnswer;
use domain::wire::sync::HelloAnswer;
use tokio::sync::oneshot;

/// Message to the hub connection.
pub(crate) enum HubMessage {
    /// Say hello now, if this is still the newest plan.
    Hello { plan: u64 },
    /// The hub answered a hello, or the call failed.
    Greeted { plan: u64, result: Box<Result<HelloAnswer, CallError>> },
    /// Every epoch is complete here: records that the hub lacks may be pushed.
    Completed { plan: u64, result: Result<(), CallError> },
    /// A pull came back.
    Pulled { plan: u64, lane: Lane, result: Box<Result<FeedPage, CallError>> },
    /// A push of this session failed.
    Lost { session: u64, error: CallError },
    /// A push went through.
    Delivered,
    /// Head office decided on own writes to settings: where the feed has the outcome already, it is taken in.
    Decided { writes: Vec<OwnWrite> },
    /// The outbox restarted and needs a session.
    OutboxStarted,
    /// The state of backups or disk in a hello has changed.
    HelloAgain,
    /// A person asks for a synchronisation now. `begun` gets the link as it is before that has an effect.
    Force { full: bool, begun: oneshot::Sender<Link> },
    #[cfg(test)]
    Panic,
}

/// A lane: its place in [`domain::wire::feed::lane::LANES`].
pub(crate) type Lane = usize;

/// Outcome of asking a lane.
pub(crate) enum FeedPage {
    /// Changes after the cursor.
    Changes(PullAnswer),
    /// The hub no longer knew the cursor, and the whole lane was read again.
    Anew { cursor: String, hub_time: UtcMs, changes: u64 },
}
