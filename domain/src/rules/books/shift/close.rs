//! Closes a shift: compares the count with the expected sums.

use crate::model::base::event::{Event, fact};
use crate::model::base::figures::Money;
use crate::model::base::money::capped_sum;
use crate::model::base::refusal::{FieldProblem, NeedsApproval, Refusal};
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::{Cash, Shift, ShiftBook, ShiftState};
use crate::model::people::authorization::Authorization;
use crate::model::selling::transaction::{Transaction, TransactionState};
use crate::rules::books::shift::cash::may_try;
use crate::rules::books::shift::{CloseShift, may_run};
use std::collections::BTreeMap;

/// Reason for voiding a transaction by `void_open`.
pub const SHIFT_CLOSED: &str = "shift_closed";

/// Closes the book's shift; constant in the number of its sales. The ledger gives its Z number
/// ([`numbered`](crate::rules::books::ledger::numbered)).
///
/// # Errors
/// `insufficient_role` (another user's shift), `invalid_state` (closed before), `shift_has_open_transactions`,
/// `validation_failed`, `approval_required` (variance).
pub fn close(
    cmd: &CloseShift,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Event<fact::ShiftClosed>, Refusal> {
    cmd.check()?;
    may_run(authorization.caller, &book.shift)?;
    if book.shift.state == ShiftState::Closed {
        return Err(book.shift.state.refusal());
    }
    unfinished(cmd, book)?;
    may_try("counted_cash", authorization, rules, book)?;
    let mut shift = book.shift.clone();
    shift.counts = counts(cmd, &shift, rules)?;
    let voided: Vec<Transaction> = book.open.values().map(|basket| void(basket, now)).collect();
    for basket in &voided {
        shift.totals.void(basket);
    }
    let expected = capped_sum([Cash::of(&shift).expected]);
    shift.state = ShiftState::Closed;
    shift.closed_by = Some(authorization.caller.user_id.clone());
    shift.closed_at = Some(now);
    shift.counted_cash = Some(cmd.counted_cash);
    shift.expected_cash = Some(expected);
    let variance = capped_sum([cmd.counted_cash, expected.saturating_neg()]);
    if is_beyond_tolerance(variance, rules) {
        // Not by how much: in a blind count the cashier must not learn the expected amount.
        authorization.manager_for(|| {
            let needs = NeedsApproval::of("a count that differs").at("counted_cash");
            needs.by(rules.policy.variance_tolerance, "shifts.variance_tolerance")
        })?;
        shift.approved_by = authorization.approved_by();
    }
    shift.variance = Some(variance);
    shift.denominations = cmd.denominations.clone().unwrap_or_default();
    shift.note = notes(shift.note.take(), cmd.note.as_deref());
    Ok(Event::of(fact::ShiftClosed { shift, voided }))
}

/// Whether a count differs by so much that a manager has to approve it.
pub fn is_beyond_tolerance(variance: Money, rules: &Rules) -> bool {
    let tolerance = rules.policy.variance_tolerance;
    tolerance > 0 && variance.saturating_abs() > tolerance
}

/// Money that was taken for goods that never went out needs a person, also where it went back; an untouched basket does
/// not.
fn unfinished(cmd: &CloseShift, book: &ShiftBook) -> Result<(), Refusal> {
    let void_open = cmd.void_open.unwrap_or(false);
    let stays = |basket: &&Transaction| {
        !(void_open && basket.state == TransactionState::Open && basket.payments.is_empty())
    };
    let transactions: Vec<String> =
        book.open.values().filter(stays).map(|basket| basket.transaction_id.0.clone()).collect();
    if transactions.is_empty() { Ok(()) } else { Err(Refusal::ShiftHasOpenTransactions { transactions }) }
}

fn counts(cmd: &CloseShift, shift: &Shift, rules: &Rules) -> Result<BTreeMap<String, Money>, Refusal> {
    let counts = cmd.counts.as_deref().unwrap_or_default();
    let known =
        |method: &String| rules.methods.contains(method) || shift.totals.by_method.contains_key(method);
    let unknown: Vec<FieldProblem> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| !known(&count.method))
        .map(|(place, count)| FieldProblem {
            path: format!("counts[{place}].method"),
            problem: format!("{} is not a payment method of this store", count.method),
        })
        .collect();
    if !unknown.is_empty() {
        return Err(Refusal::ValidationFailed(unknown));
    }
    Ok(counts.iter().map(|count| (count.method.clone(), count.amount)).collect())
}

fn void(basket: &Transaction, now: UtcMs) -> Transaction {
    let mut voided = basket.clone();
    voided.state = TransactionState::Voided;
    voided.voided_at = Some(now);
    voided.void_reason = Some(SHIFT_CLOSED.to_owned());
    voided
}

/// Note after closing; the note at opening stays.
fn notes(opening: Option<String>, closing: Option<&str>) -> Option<String> {
    match (opening, closing) {
        (Some(opening), Some(closing)) => Some(format!("{opening}\n{closing}")),
        (opening, closing) => opening.or_else(|| closing.map(str::to_owned)),
    }
}
