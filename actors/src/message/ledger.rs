//! Messages to the ledger.

use super::Origin;
use crate::runtime::command::AnyCommand;
use crate::runtime::decide::ShiftDraft;
use crate::runtime::failure::Failure;
use crate::runtime::pending::{Pending, Reply};
use crate::runtime::request::RequestContext;
use domain::model::base::event::Event;
use domain::model::base::ids::{MemberId, ShiftId};
use domain::model::base::settings::Rules;
use domain::model::books::ledger::LedgerBook;
use domain::model::inventory::transfer::Transfer;
use domain::model::people::points::PointsEntry;
use domain::wire::feed::{Coverage, PointsDown, RegisterDown};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Message to the ledger.
pub(crate) enum LedgerMessage {
    /// Decide on a command.
    Run(Box<dyn AnyCommand<LedgerBook>>),
    /// Settle a draft of this incarnation of a shift.
    Settle {
        draft: ShiftDraft,
        shift_id: ShiftId,
        incarnation: u64,
        /// The rules of the shift.
        rules: Arc<Rules>,
        request: Arc<RequestContext>,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    },
    /// Do the work of time: end the holds that waited too long, seal a day that is over.
    ExpireHolds,
    /// Lets points expire whose last day has passed, of the members after this one; the ledger sends this to itself.
    ExpirePoints { after: Option<MemberId> },
    /// A page of the feed has balances of head office; the reply comes when they are durable.
    MergePoints { page: PointsPage, merged: oneshot::Sender<Result<(), Failure>> },
    /// Applies a transfer of head office. The reply is sent when its effects are durable.
    MergeTransfer { transfer: Box<Transfer>, request: Arc<RequestContext>, merged: Reply },
    /// Head office sent a till; the reply comes when the change is durable.
    MergeRegister { register: RegisterDown, request: Arc<RequestContext>, merged: Reply },
    /// Probe whether commands are processed; answered like a command.
    Probe { pending: Pending },
    /// Begin a new epoch; the reply comes when it is durable.
    OpenEpoch { epoch: String, opened: oneshot::Sender<()> },
    #[cfg(test)]
    Panic,
}

impl LedgerMessage {
    /// Request whose document gets the present date.
    pub(crate) fn dates(&self) -> Option<&RequestContext> {
        match self {
            Self::Run(command) => command.dates(),
            Self::MergeTransfer { request, .. } => Some(request),
            _ => None,
        }
    }

    /// Ends a message that could not be sent.
    pub(crate) fn fail(self, failure: Failure) {
        match self {
            Self::Run(command) => command.fail(failure),
            Self::Settle { pending, .. } | Self::Probe { pending } => pending.fail(failure),
            // The reply is dropped, which wakes callers that wait for an epoch or the feed.
            Self::MergePoints { .. }
            | Self::MergeTransfer { .. }
            | Self::MergeRegister { .. }
            | Self::ExpirePoints { .. }
            | Self::ExpireHolds
            | Self::OpenEpoch { .. } => {}
            #[cfg(test)]
            Self::Panic => {}
        }
    }
}

/// Answer of the ledger to a waiting shift.
pub(crate) enum Settled {
    /// These were submitted, in this order: fold them.
    Submitted(Vec<Event>),
    /// It was refused: nothing changed.
    Refused,
}

/// Balances of a page of the feed, with the own entries that are not in them. Those are looked for in the whole
/// history of a member: outside of the ledger, which holds up every till.
pub(crate) struct PointsPage {
    /// The last commit that was looked at.
    pub(crate) lsn: u64,
    pub(crate) balances: Vec<(PointsDown, Vec<PointsEntry>)>,
    /// The store's own records that the balances include.
    pub(crate) coverage: Coverage,
    /// Way in which head office came to report.
    pub(crate) origin: Origin,
}
