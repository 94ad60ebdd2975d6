//! Ends a hold without a sale: it waited too long, or a user voids it.

use crate::model::base::event::{Event, fact};
use crate::model::base::ids::HoldId;
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::{HeldBasket, LedgerBook};
use crate::model::people::authorization::Authorization;
use crate::model::selling::hold::{Hold, HoldState};
use crate::model::selling::reasons::Why;
use crate::model::selling::transaction::{Transaction, TransactionState};
use crate::rules::selling::hold::recall::waiting_hold;
use crate::rules::selling::sale::{VoidSale, may_drop};

/// Reason for voiding an expired hold's sale.
pub const HOLD_EXPIRED: &str = "hold_expired";

/// Whether a hold has waited too long.
pub(super) fn due(hold: &Hold, now: UtcMs) -> bool {
    hold.expires_at.is_some_and(|at| at <= now)
}

/// Voids baskets that waited too long, in no shift, one event each: at most `count_max` of them, and no more after
/// their texts have `bytes_max` bytes together. The rest is for the next time.
pub fn expire(
    now: UtcMs,
    book: &LedgerBook,
    count_max: usize,
    bytes_max: usize,
) -> Vec<Event<fact::HoldVoided>> {
    let (mut events, mut bytes) = (Vec::new(), 0_usize);
    for HeldBasket { hold, basket } in book.holds.values().filter(|held| due(&held.hold, now)).take(count_max)
    {
        let size = serde_json::to_vec(basket).map_or(0, |text| text.len());
        bytes = bytes.saturating_add(size);
        if bytes > bytes_max && !events.is_empty() {
            break;
        }
        events.push(ended(hold, basket, HoldState::Expired, HOLD_EXPIRED, now));
    }
    events
}

/// Voids a basket that waits; it counts in no shift.
///
/// # Errors
/// `insufficient_role`, `validation_failed`, `invalid_state` (no longer waiting), `approval_required` (something was
/// paid).
pub fn void(
    cmd: &VoidSale,
    id: &HoldId,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event<fact::HoldVoided>, Refusal> {
    authorization.at_till()?;
    cmd.check()?;
    rules.policy.reasons.check(Why::Void, "reason", Some(&cmd.reason))?;
    let HeldBasket { hold, basket } = waiting_hold(id, book)?;
    may_drop(basket, authorization)?;
    Ok(ended(hold, basket, HoldState::Voided, &cmd.reason, now))
}

fn ended(
    hold: &Hold,
    basket: &Transaction,
    state: HoldState,
    reason: &str,
    now: UtcMs,
) -> Event<fact::HoldVoided> {
    let transaction = Transaction {
        state: TransactionState::Voided,
        voided_at: Some(now),
        void_reason: Some(reason.to_owned()),
        ..basket.clone()
    };
    Event::of(fact::HoldVoided { hold: Hold { state, ..hold.clone() }, transaction })
}
