//! What the actor of an open shift is asked.

use crate::command::AnyCommand;
use domain::shift::ShiftBook;

/// What a shift is asked.
pub(crate) enum ShiftMessage {
    /// Decide on a command.
    Run(Box<dyn AnyCommand<ShiftBook>>),
    #[cfg(debug_assertions)]
    Panic,
}
