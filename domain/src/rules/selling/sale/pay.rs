//! Accepts payments of a sale. The last payment drafts the completed sale.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::Money;
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
use crate::rules::selling::sale::create::basket;
use crate::rules::selling::sale::plausible::plausible_cash;
use crate::rules::selling::sale::{CreateSale, PaySale, TillContext};

#[derive(Debug, Clone, PartialEq)]
pub enum PayOutcome {
    /// An amount is still due. The ledger checks the event before it is committed.
    Partial(Box<Event<fact::TransactionOpen>>),
    /// The sale is paid completely. The ledger settles its goods.
    Complete(Box<SaleDraft>),
}

/// A paid sale before the ledger has settled its goods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleDraft {
    /// The paid sale with its receipt number. The ledger adds the costs of the lines.
    pub transaction: Transaction,
    /// The shift with this sale applied.
    pub shift: Shift,
    /// Counters of the till after the sale.
    pub counters: Counters,
}

/// Accepts payments for a transaction of the book's shift.
///
/// The caller has checked that the transaction belongs to this shift, so one that is not open in the book was
/// completed meanwhile. `payment_ids` has an ID for each payment. `member` is the transaction's member with its
/// current state; it is needed for payments with points.
///
/// # Errors
/// `invalid_state`, `insufficient_role`, `payment_mismatch`, `validation_failed`.
#[expect(clippy::too_many_arguments, reason = "everything that a rule depends on is an argument")]
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
    may_sell(authorization, &book.shift)?;
    let before = book.open.get(transaction_id).ok_or_else(|| TransactionState::Paid.refusal())?;
    if !before.state.payable() {
        return Err(before.state.refusal());
    }
    pay_basket(&cmd.payments, before.clone(), payment_ids, now, member, rules, book)
}

/// Creates a transaction that the payments of the same request complete: as [`create`](super::create) and [`pay`], but
/// in one decision.
///
/// # Errors
/// The errors of both; `payment_mismatch` if an amount is left to pay.
pub fn sell(
    cmd: &CreateSale,
    offers: &[NewPayment],
    id: TransactionId,
    payment_ids: Vec<PaymentId>,
    till: &TillContext<'_>,
) -> Result<Box<SaleDraft>, Refusal> {
    let basket = basket(cmd, id, till)?;
    match pay_basket(offers, basket, payment_ids, till.now, till.pricing.member, till.rules, till.book)? {
        PayOutcome::Complete(draft) => Ok(draft),
        PayOutcome::Partial(event) => {
            let Transaction { total, amount_due, .. } = event.fact.transaction;
            let problem =
                format!("the payments leave {amount_due} of {total} to pay; send payments for all of it");
            Err(Refusal::PaymentMismatch { problem, amount_due: total })
        }
    }
}

fn pay_basket(
    offers: &[NewPayment],
    before: Transaction,
    payment_ids: Vec<PaymentId>,
    now: UtcMs,
    member: Option<&Member>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<PayOutcome, Refusal> {
    check_count(offers, &payment_ids, &before)?;
    check_methods(offers, &before, member)?;
    plausible_cash(before.amount_due, offers, rules)?;
    let accepted = accept(before.amount_due, offers, rules)?;
    let payments: Vec<Payment> = payment_ids
        .into_iter()
        .zip(offers.iter().zip(accepted))
        .map(|(id, (offer, accepted))| accepted_payment(id, offer, accepted, now))
        .collect();
    let mut shift = book.shift.clone();
    shift.totals.take(&payments)?;
    let after = add_payments(before, payments, rules)?;
    if after.amount_due > 0 {
        let event = Event::new(fact::TransactionOpen { transaction: after }, Rows::of_shift(shift));
        return Ok(PayOutcome::Partial(Box::new(event)));
    }
    let counters = book.counters_at(&after.register_id)?;
    finish_sale(after, shift, now, counters, &book.series).map(|draft| PayOutcome::Complete(Box::new(draft)))
}

fn check_count(offers: &[NewPayment], ids: &[PaymentId], before: &Transaction) -> Result<(), Refusal> {
    if before.payments.len().saturating_add(offers.len()) > PAYMENTS_MAX {
        return Err(Refusal::field("payments", format!("must be at most {PAYMENTS_MAX} in a transaction")));
    }
    if ids.len() != offers.len() {
        return Err(Refusal::field("payments", "each payment needs an id"));
    }
    Ok(())
}

/// Checks that points are redeemed by an active member of the transaction, and that no payment is an exchange:
/// posting a return pays those.
fn check_methods(
    offers: &[NewPayment],
    before: &Transaction,
    member: Option<&Member>,
) -> Result<(), Refusal> {
    let index_of = |method: &str| offers.iter().position(|payment| payment.method == method);
    if let Some(index) = index_of(EXCHANGE) {
        let problem = "must not be exchange: an exchange is paid by posting its return";
        return Err(Refusal::field(format!("payments[{index}].method"), problem));
    }
    let Some(index) = index_of(POINTS) else { return Ok(()) };
    let path = format!("payments[{index}].method");
    match (&before.member_id, member.map(|member| member.state)) {
        (None, _) => Err(Refusal::field(path, "must not be points: the transaction has no member")),
        (Some(_), Some(MemberState::Active)) => Ok(()),
        (Some(_), _) => Err(Refusal::field(path, "must not be points: the member can't redeem points")),
    }
}

pub(super) fn accepted_payment(id: PaymentId, offer: &NewPayment, accepted: Accepted, now: UtcMs) -> Payment {
    Payment {
        payment_id: id,
        method: offer.method.clone(),
        amount: accepted.amount,
        tendered: accepted.tendered,
        change: accepted.change,
        rounding: accepted.rounding,
        origin_rounding: Money::ZERO,
        reference: offer.reference.clone(),
        state: PaymentState::Accepted,
        origin: None,
        paid_at: now,
    }
}

/// The partly paid transaction with `new` payments added and its sums computed again.
pub(crate) fn add_payments(
    mut after: Transaction,
    new: Vec<Payment>,
    rules: &Rules,
) -> Result<Transaction, Refusal> {
    after.payments.extend(new);
    let total = |figure: fn(&Payment) -> Money| {
        sum("payments", after.payments.iter().filter(|payment| payment.counts()).map(figure))
    };
    let paid = total(|payment| payment.amount)?;
    let rounding = total(|payment| payment.rounding)?;
    let change = total(|payment| payment.change)?;
    let worth = rules.redeem_value.get().max(1);
    after.points_redeemed = after.paid_by_points().get().checked_div(worth).unwrap_or(0).into();
    after.points_earned = after.earning();
    (after.amount_paid, after.rounding, after.change) = (paid, rounding, change);
    after.amount_due = after.total.saturating_sub(paid);
    after.cash_due = cash_due(after.amount_due, rules)?;
    after.state = TransactionState::PartiallyPaid;
    Ok(after)
}

/// Assigns the receipt number and adds the sale to the totals of its shift.
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
