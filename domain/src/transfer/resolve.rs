//! The sender's manager says what became of missing pieces.

use super::send::{document, own};
use super::{Resolution, ResolveTransfer, Transfer, TransferState};
use crate::event::Event;
use crate::ids::MovementId;
use crate::ledger::LedgerBook;
use crate::mandate::{Mandate, allow};
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::stock::{Incoming, MovementReason, Moves};
use crate::time::UtcMs;

/// Settles missing pieces; those found at the source are back at their cost.
///
/// # Errors
/// `validation_failed` (more than is missing), `insufficient_role`, `not_found`, `invalid_state`.
pub fn resolve(
    cmd: &ResolveTransfer,
    transfer: &Transfer,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    cmd.check()?;
    allow(mandate.caller.role.manages())?;
    let known = own(transfer, rules, book)?;
    if known.state != TransferState::Received {
        return Err(known.state.refusal());
    }
    let mut after = known.clone();
    let mut moves = Moves::new(book, document(&known.transfer_id, mandate, now), movement_ids);
    for (place, asked) in cmd.lines.iter().enumerate() {
        let found = after.lines.iter_mut().find(|line| line.sku == asked.sku);
        let Some(line) = found else {
            return Err(Refusal::field(format!("lines[{place}].sku"), "was not sent"));
        };
        let path = format!("lines[{place}].qty");
        let by = mandate.caller.user_id.clone();
        let cost = line.resolve(&path, asked.resolution, asked.qty, by, now)?;
        if asked.resolution == Resolution::FoundAtSource {
            let back = Incoming::Back(cost);
            moves.bring(&line.sku, line.line_no, asked.qty, back, MovementReason::TransferOut)?;
        }
    }
    let (movements, stock) = moves.done();
    Ok(Event::TransferChanged { transfer: Box::new(after), movements, stock })
}
