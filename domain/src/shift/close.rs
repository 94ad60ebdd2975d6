//! Closes a shift: what was counted meets what the sums expect.

use super::{Cash, CloseShift, Shift, ShiftBook, ShiftState, may_run};
use crate::event::Event;
use crate::mandate::Mandate;
use crate::money::sum;
use crate::refusal::{FieldProblem, NeedsApproval, Refusal};
use crate::settings::Rules;
use crate::time::UtcMs;
use crate::transaction::{Transaction, TransactionState};
use std::collections::BTreeMap;

/// Why `void_open` voided a transaction.
pub const SHIFT_CLOSED: &str = "shift_closed";

/// Closes the book's shift; constant in the number of its sales.
///
/// # Errors
/// `insufficient_role` (somebody else's), `invalid_state` (closed before),
/// `shift_has_open_transactions`, `validation_failed`, `approval_required` (variance).
pub fn close(
    cmd: &CloseShift,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Event, Refusal> {
    cmd.check()?;
    may_run(mandate.caller, &book.shift)?;
    if book.shift.state == ShiftState::Closed {
        return Err(book.shift.state.refusal());
    }
    unfinished(cmd, book)?;
    let mut shift = book.shift.clone();
    shift.counts = counts(cmd, &shift, rules)?;
    let voided: Vec<Transaction> = book.open.values().map(|basket| void(basket, now)).collect();
    for basket in &voided {
        shift.totals.void(basket)?;
    }
    let expected = sum("shift", [Cash::of(&shift).expected])?;
    let mut counters = book.counters.clone();
    shift.state = ShiftState::Closed;
    shift.closed_by = Some(mandate.caller.user_id.clone());
    shift.closed_at = Some(now);
    shift.counted_cash = Some(cmd.counted_cash);
    shift.expected_cash = Some(expected);
    let variance = sum("counted_cash", [cmd.counted_cash, expected.saturating_neg()])?;
    let tolerance = rules.policy.variance_tolerance;
    if tolerance > 0 && variance.saturating_abs() > tolerance {
        // Not by how much: whoever counts blind must not learn what is expected.
        mandate.manager_for(|| {
            let needs = NeedsApproval::of("a count that differs").at("counted_cash");
            needs.by(tolerance, "shifts.variance_tolerance")
        })?;
        shift.approved_by = mandate.approved_by();
    }
    shift.variance = Some(variance);
    shift.z_no = Some(counters.next_z());
    shift.denominations = cmd.denominations.clone().unwrap_or_default();
    shift.note = notes(shift.note.take(), cmd.note.as_deref());
    Ok(Event::ShiftClosed { shift: Box::new(shift), counters, voided })
}

/// Money that was taken for goods that never went out needs a person; an untouched basket does not.
fn unfinished(cmd: &CloseShift, book: &ShiftBook) -> Result<(), Refusal> {
    let void_open = cmd.void_open.unwrap_or(false);
    let stays = |basket: &&Transaction| !(void_open && basket.state == TransactionState::Open);
    let transactions: Vec<String> =
        book.open.values().filter(stays).map(|basket| basket.transaction_id.0.clone()).collect();
    if transactions.is_empty() { Ok(()) } else { Err(Refusal::ShiftHasOpenTransactions { transactions }) }
}

fn counts(cmd: &CloseShift, shift: &Shift, rules: &Rules) -> Result<BTreeMap<String, i64>, Refusal> {
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

/// What was noted at opening stays.
fn notes(opening: Option<String>, closing: Option<&str>) -> Option<String> {
    match (opening, closing) {
        (Some(opening), Some(closing)) => Some(format!("{opening}\n{closing}")),
        (opening, closing) => opening.or_else(|| closing.map(str::to_owned)),
    }
}
