//! Moves points without a sale: a manager's correction, and expiry in a store without a hub.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::fields::Fields;
use crate::model::base::figures::{Money, Points};
use crate::model::base::ids::{MemberId, UserId};
use crate::model::base::limits::{FIGURE_MAX, TEXT_CHARS_MAX};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::people::authorization::{Authorization, allow};
use crate::model::people::points::{Cause, PointsAccount, PointsEntry, PointsReason, expiry};
use crate::rules::books::day::dated;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Points that moved without a sale.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    pub entry: PointsEntry,
    /// Points of the member after the movement.
    pub account: PointsAccount,
}

impl From<Moved> for Event {
    fn from(Moved { entry, account }: Moved) -> Self {
        let rows = Rows { points: vec![entry], account: Some(Box::new(account)), ..Rows::default() };
        Event::new(fact::PointsMoved {}, rows).into()
    }
}

/// Corrects a member's points. `reference_id` names this correction and no other.
///
/// # Errors
/// `validation_failed`, `insufficient_role`.
pub fn adjust(
    cmd: &AdjustPoints,
    member: &MemberId,
    reference_id: &str,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Moved, Refusal> {
    cmd.check()?;
    allow(authorization.caller.role.manages())?;
    let cause = Cause {
        reference_id,
        business_date: dated(now, rules, book),
        user_id: &authorization.caller.user_id,
        at: now,
        worth: rules.redeem_value,
    };
    let mut account = book.account(member);
    let entry = cmd.apply(&mut account, rules, &cause);
    if !entry.balance_after.is_sound() {
        return Err(Refusal::field("points", "must not make the balance too large or too small"));
    }
    Ok(Moved { entry, account })
}

/// Expires one member's lots on `today`; `None` if none has expired. At the hub, or in a store without one: if every
/// store did it, a member would lose the points once per store.
pub fn expire(member: &MemberId, today: Date, now: UtcMs, by: &UserId, book: &LedgerBook) -> Option<Moved> {
    let reference_id = format!("{member}:{today}");
    let cause =
        Cause { reference_id: &reference_id, business_date: today, user_id: by, at: now, worth: Money::ZERO };
    let mut account = book.account(member);
    let entry = account.expire(&cause)?;
    Some(Moved { entry, account })
}

/// Request body of `POST /api/members/:id/points/adjust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdjustPoints {
    /// Points to add or to subtract, signed, not 0.
    #[schemars(range(min = -FIGURE_MAX, max = FIGURE_MAX))]
    pub points: Points,
    /// Reason for the correction.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

impl AdjustPoints {
    /// Checks that need no data of the member.
    ///
    /// # Errors
    /// `validation_failed`.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.range("points", self.points, -FIGURE_MAX..=FIGURE_MAX);
        if self.points == 0 {
            fields.wrong("points", "must not be 0");
        }
        fields.name("reason", &self.reason, TEXT_CHARS_MAX);
        fields.done()
    }

    /// The account and its entry afterwards; the caller is a manager.
    pub fn apply(&self, account: &mut PointsAccount, rules: &Rules, cause: &Cause<'_>) -> PointsEntry {
        let expires = expiry(cause.business_date, rules);
        let lots = if self.points > 0 {
            account.lots.earn(cause.reference_id, self.points, expires).into_iter().collect()
        } else {
            account.lots.reverse(expires, self.points.saturating_neg())
        };
        account.entry(self.points, PointsReason::Adjust, lots, cause)
    }
}
