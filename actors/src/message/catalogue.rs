//! Messages to the catalogue.

use crate::runtime::command::{AnyCommand, CatalogueRows};
use crate::runtime::failure::Failure;
use crate::runtime::pending::Pending;
use domain::model::base::event::Event;
use domain::model::base::time::UtcMs;
use tokio::sync::oneshot;

/// Reports that a change is durable, or why there was none.
pub(crate) type Applied = oneshot::Sender<Result<(), Failure>>;

/// Message to the catalogue.
pub(crate) enum CatalogueMessage {
    /// Apply these changes in one commit; the reply comes when they are durable.
    Apply { events: Vec<Event>, at: UtcMs, applied: Applied },
    /// Decide on a command.
    Run(Box<dyn AnyCommand<CatalogueRows>>),
    /// Probe whether commands are processed; answered like a command.
    Probe { pending: Pending },
    #[cfg(test)]
    Panic,
}
