//! Ends a hold without a sale: it waited too long, or somebody voids it.

use super::recall::waiting;
use super::{Hold, HoldState};
use crate::event::Event;
use crate::ids::HoldId;
use crate::ledger::LedgerBook;
use crate::mandate::Mandate;
use crate::reasons::Why;
use crate::refusal::Refusal;
use crate::sale::VoidSale;
use crate::settings::Rules;
use crate::time::UtcMs;
use crate::transaction::{Transaction, TransactionState};

/// Why an expired hold's sale is voided.
pub const HOLD_EXPIRED: &str = "hold_expired";

/// Whether a hold has waited too long.
pub(super) fn due(hold: &Hold, now: UtcMs) -> bool {
    hold.expires_at.is_some_and(|at| at <= now)
}

/// Voids the baskets that waited too long, in no shift: one event each.
pub fn expire(now: UtcMs, book: &LedgerBook) -> Vec<Event> {
    let late = book.holds.values().filter(|(hold, _)| due(hold, now));
    late.map(|(hold, basket)| ended(hold, basket, HoldState::Expired, HOLD_EXPIRED, now)).collect()
}

/// Voids a basket that waits; it counts in no shift.
///
/// # Errors
/// `insufficient_role`, `validation_failed`, `invalid_state` (no longer waiting).
pub fn void(
    cmd: &VoidSale,
    id: &HoldId,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    mandate.at_till()?;
    cmd.check()?;
    rules.policy.reasons.check(Why::Void, "reason", Some(&cmd.reason))?;
    let (hold, basket) = waiting(id, book)?;
    Ok(ended(hold, basket, HoldState::Voided, &cmd.reason, now))
}

fn ended(hold: &Hold, basket: &Transaction, state: HoldState, reason: &str, now: UtcMs) -> Event {
    let transaction = Transaction {
        state: TransactionState::Voided,
        voided_at: Some(now),
        void_reason: Some(reason.to_owned()),
        ..basket.clone()
    };
    Event::HoldVoided { hold: Box::new(Hold { state, ..hold.clone() }), transaction: Box::new(transaction) }
}
