//! Messages to the actor of an open shift.

use crate::runtime::command::AnyCommand;
use domain::model::books::shift::ShiftBook;

/// Message to a shift.
pub(crate) enum ShiftMessage {
    /// Decide on a command.
    Run(Box<dyn AnyCommand<ShiftBook>>),
    #[cfg(test)]
    Panic,
}
