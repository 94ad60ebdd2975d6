//! Pays: accepts payments, and with the last one drafts the completed sale.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::ids::{PaymentId, TransactionId};
use crate::model::base::limits::PAYMENTS_MAX;
use crate::model::base::money::sum;
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::register::Counters;
use crate::model::books::shift::{Shift, ShiftBook};
use crate::model::people::authorization::Authorization;
use crate::model::people::member::{Member, MemberState};
use crate::model::selling::payment::{EXCHANGE, POINTS};
use crate::model::selling::transaction::{Payment, PaymentState, Transaction, TransactionState};
use crate::rules::books::shift::may_sell;
use crate::rules::selling::payment::NewPayment;
use crate::rules::selling::payment::{Accepted, accept, cash_due};
use crate::rules::selling::sale::PaySale;
use crate::rules::selling::sale::plausible::plausible_cash;

#[derive(Debug, Clone, PartialEq)]
pub enum PayOutcome {
    /// Something is still due: the event is complete, once the ledger has checked it.
    Partial(Box<Event<fact::TransactionOpen>>),
    /// All is paid: the ledger has to settle the goods.
    Complete(Box<SaleDraft>),
}

/// A paid sale, before the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleDraft {
    /// Paid, with its receipt number; costs of its lines still unknown.
    pub transaction: Transaction,
    /// The shift with this sale applied.
    pub shift: Shift,
    /// Its register's counters afterwards.
    pub counters: Counters,
}

/// Accepts payments for a transaction of the book's shift.
///
/// The caller knows that the transaction belongs to this shift; one that is no longer open in it
/// was completed meanwhile. `payment_ids` has one ID per payment; `member` is the transaction's as
/// it is now, needed where points pay.
///
/// # Errors
/// `invalid_state`, `insufficient_role`, `payment_mismatch`, `validation_failed`.
#[expect(clippy::too_many_arguments, reason = "a rule gets all that it may know as arguments")]
pub fn pay(
    cmd: &PaySale,
    transaction_id: &TransactionId,
    payment_ids: Vec<PaymentId>,
    now: UtcMs,
    authorization: &Authorization<'_>,
    member: Option<&Member>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<PayOutcome, Refusal> {
    cmd.check()?;
    may_sell(authorization.caller, &book.shift)?;
    let before = book.open.get(transaction_id).ok_or_else(|| TransactionState::Paid.refusal())?;
    if !before.state.payable() {
        return Err(before.state.refusal());
    }
    counted(cmd, &payment_ids, before)?;
    payable(cmd, before, member)?;
    plausible_cash(before.amount_due, &cmd.payments, rules)?;
    let accepted = accept(before.amount_due, &cmd.payments, rules)?;
    let payments: Vec<Payment> = payment_ids
        .into_iter()
        .zip(cmd.payments.iter().zip(accepted))
        .map(|(id, (offer, accepted))| payment(id, offer, accepted, now))
        .collect();
    let mut shift = book.shift.clone();
    shift.totals.take(&payments)?;
    let after = paid_by(before.clone(), payments, rules)?;
    if after.amount_due > 0 {
        let event = Event::new(fact::TransactionOpen { transaction: after }, Rows::of_shift(shift));
        return Ok(PayOutcome::Partial(Box::new(event)));
    }
    finish_sale(after, shift, now, book.counters.clone(), &book.series)
        .map(|draft| PayOutcome::Complete(Box::new(draft)))
}

fn counted(cmd: &PaySale, ids: &[PaymentId], before: &Transaction) -> Result<(), Refusal> {
    if before.payments.len().saturating_add(cmd.payments.len()) > PAYMENTS_MAX {
        return Err(Refusal::field("payments", format!("must be at most {PAYMENTS_MAX} in a transaction")));
    }
    if ids.len() != cmd.payments.len() {
        return Err(Refusal::field("payments", "each payment needs an id"));
    }
    Ok(())
}

/// Points pay for their member, an exchange by way of a return.
fn payable(cmd: &PaySale, before: &Transaction, member: Option<&Member>) -> Result<(), Refusal> {
    let place = |method: &str| cmd.payments.iter().position(|payment| payment.method == method);
    if let Some(place) = place(EXCHANGE) {
        let problem = "must not be exchange: an exchange is paid by posting its return";
        return Err(Refusal::field(format!("payments[{place}].method"), problem));
    }
    let Some(place) = place(POINTS) else { return Ok(()) };
    let path = format!("payments[{place}].method");
    match (&before.member_id, member.map(|member| member.state)) {
        (None, _) => Err(Refusal::field(path, "must not be points: the transaction has no member")),
        (Some(_), Some(MemberState::Active)) => Ok(()),
        (Some(_), _) => Err(Refusal::field(path, "must not be points: the member can't redeem points")),
    }
}

pub(super) fn payment(id: PaymentId, offer: &NewPayment, accepted: Accepted, now: UtcMs) -> Payment {
    Payment {
        payment_id: id,
        method: offer.method.clone(),
        amount: accepted.amount,
        tendered: accepted.tendered,
        change: accepted.change,
        rounding: accepted.rounding,
        origin_rounding: 0,
        reference: offer.reference.clone(),
        state: PaymentState::Accepted,
        origin: None,
        paid_at: now,
    }
}

/// The transaction with these payments added to its own, partly paid.
pub(crate) fn paid_by(
    mut after: Transaction,
    new: Vec<Payment>,
    rules: &Rules,
) -> Result<Transaction, Refusal> {
    after.payments.extend(new);
    let counts = |payment: &&Payment| payment.counts();
    let of = |figure: fn(&Payment) -> i64| sum("payments", after.payments.iter().filter(counts).map(figure));
    let (paid, rounding, change) =
        (of(|payment| payment.amount)?, of(|payment| payment.rounding)?, of(|payment| payment.change)?);
    after.points_redeemed = after.paid_by_points().checked_div(rules.redeem_value.max(1)).unwrap_or(0);
    after.points_earned = after.earning();
    (after.amount_paid, after.rounding, after.change) = (paid, rounding, change);
    after.amount_due = after.total.saturating_sub(paid);
    after.cash_due = cash_due(after.amount_due, rules)?;
    after.state = TransactionState::PartiallyPaid;
    Ok(after)
}

/// Gives the receipt number and counts the sale in its shift.
pub(crate) fn finish_sale(
    mut sale: Transaction,
    mut shift: Shift,
    now: UtcMs,
    mut counters: Counters,
    series: &str,
) -> Result<SaleDraft, Refusal> {
    sale.receipt_no = Some(counters.next_receipt(&shift.store_id, series));
    sale.state = TransactionState::Paid;
    sale.occurred_at = now;
    sale.paid_at = Some(now);
    shift.totals.add_sale(&sale)?;
    Ok(SaleDraft { transaction: sale, shift, counters })
}
