//! The sender's manager records what happened to missing pieces.

use crate::model::base::event::{Event, fact};
use crate::model::base::ids::MovementId;
use crate::model::base::refusal::Refusal;
use crate::model::inventory::stock::MovementReason;
use crate::model::inventory::transfer::{Resolution, Transfer, TransferState};
use crate::rules::inventory::stock::{Incoming, StockContext};
use crate::rules::inventory::transfer::ResolveTransfer;
use crate::rules::inventory::transfer::send::{moves, sent_from_here};

/// Settles missing pieces; those found at the source are back at their cost.
///
/// # Errors
/// `validation_failed` (more than is missing), `insufficient_role`, `not_found`, `invalid_state`.
pub fn resolve(
    cmd: &ResolveTransfer,
    transfer: &Transfer,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::TransferChanged>, Refusal> {
    cmd.check()?;
    context.managers_only()?;
    let known = sent_from_here(transfer, context)?;
    if known.state != TransferState::Received {
        return Err(known.state.refusal());
    }
    let mut after = Transfer { business_date: context.today(), ..known.clone() };
    let mut moves = moves(&known.transfer_id, movement_ids, context);
    for (place, asked) in cmd.lines.iter().enumerate() {
        let found = after.lines.iter_mut().find(|line| line.sku == asked.sku);
        let Some(line) = found else {
            return Err(Refusal::field(format!("lines[{place}].sku"), "was not sent"));
        };
        let path = format!("lines[{place}].qty");
        let by = context.authorization.caller.user_id.clone();
        let cost = line.resolve(&path, asked.resolution, asked.qty, by, context.now)?;
        if asked.resolution == Resolution::FoundAtSource {
            let back = Incoming::Back(cost);
            moves.bring(&line.sku, line.line_no, asked.qty, back, MovementReason::TransferOut)?;
        }
    }
    Ok(Event::new(fact::TransferChanged { transfer: after }, moves.done()))
}
