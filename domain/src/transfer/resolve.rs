//! The sender's manager says what became of missing pieces.

use super::send::{moves, own};
use super::{Resolution, ResolveTransfer, Transfer, TransferState};
use crate::event::Event;
use crate::ids::MovementId;
use crate::refusal::Refusal;
use crate::stock::{Incoming, MovementReason, StockRoom};

/// Settles missing pieces; those found at the source are back at their cost.
///
/// # Errors
/// `validation_failed` (more than is missing), `insufficient_role`, `not_found`, `invalid_state`.
pub fn resolve(
    cmd: &ResolveTransfer,
    transfer: &Transfer,
    movement_ids: Vec<MovementId>,
    room: &StockRoom<'_>,
) -> Result<Event, Refusal> {
    cmd.check()?;
    room.managers_only()?;
    let known = own(transfer, room)?;
    if known.state != TransferState::Received {
        return Err(known.state.refusal());
    }
    let mut after = known.clone();
    let mut moves = moves(&known.transfer_id, movement_ids, room);
    for (place, asked) in cmd.lines.iter().enumerate() {
        let found = after.lines.iter_mut().find(|line| line.sku == asked.sku);
        let Some(line) = found else {
            return Err(Refusal::field(format!("lines[{place}].sku"), "was not sent"));
        };
        let path = format!("lines[{place}].qty");
        let by = room.mandate.caller.user_id.clone();
        let cost = line.resolve(&path, asked.resolution, asked.qty, by, room.now)?;
        if asked.resolution == Resolution::FoundAtSource {
            let back = Incoming::Back(cost);
            moves.bring(&line.sku, line.line_no, asked.qty, back, MovementReason::TransferOut)?;
        }
    }
    let (movements, stock) = moves.done();
    Ok(Event::TransferChanged { transfer: Box::new(after), movements, stock })
}
