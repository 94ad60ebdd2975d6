//! Moves points without a sale: a manager's correction, and expiry in a store without a hub.

use super::{AdjustPoints, Cause};
use crate::day::dated;
use crate::event::Event;
use crate::ids::{MemberId, UserId};
use crate::ledger::LedgerBook;
use crate::mandate::{Mandate, allow};
use crate::money::FIGURE_MAX;
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::time::UtcMs;
use jiff::civil::Date;

/// Corrects a member's points. `reference_id` names this correction and no other.
///
/// # Errors
/// `validation_failed`, `insufficient_role`.
pub fn adjust(
    cmd: &AdjustPoints,
    member: &MemberId,
    reference_id: &str,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    cmd.check()?;
    allow(mandate.caller.role.manages())?;
    let cause = Cause {
        reference_id,
        business_date: dated(now, rules, book),
        user_id: &mandate.caller.user_id,
        at: now,
    };
    let mut account = book.account(member);
    let entry = cmd.apply(&mut account, rules, &cause);
    if entry.balance_after.unsigned_abs() > FIGURE_MAX.unsigned_abs() {
        return Err(Refusal::field("points", "the balance would leave the range of figures"));
    }
    Ok(Event::PointsChanged { entries: vec![entry], account: Box::new(account) })
}

/// Expires one member's lots on `today`; none where nothing has died. At the hub, or in a store
/// without one: if every store did, a member would lose them as often as there are stores.
pub fn expire(member: &MemberId, today: Date, now: UtcMs, by: &UserId, book: &LedgerBook) -> Option<Event> {
    let reference_id = format!("{member}:{today}");
    let cause = Cause { reference_id: &reference_id, business_date: today, user_id: by, at: now };
    let mut account = book.account(member);
    let entry = account.expire(&cause)?;
    Some(Event::PointsChanged { entries: vec![entry], account: Box::new(account) })
}
