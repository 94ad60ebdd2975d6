//! Messages to the shifts' supervisor.

use domain::model::base::ids::ShiftId;
use tokio::sync::oneshot;

/// Message to the shifts' supervisor.
pub(crate) enum ShiftsMessage {
    /// Run this shift's actor if it is open and not running yet.
    Ensure { shift_id: ShiftId, ensured: oneshot::Sender<()> },
    /// Try again to start an actor that did not start.
    Retry { shift_id: ShiftId, attempt: u32 },
    #[cfg(test)]
    Panic,
}
