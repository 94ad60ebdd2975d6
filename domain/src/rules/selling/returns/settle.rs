//! Settles a return: earlier returns are known here, so two tills can't return one piece.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::{Money, Points};
use crate::model::base::ids::{MovementId, PaymentId};
use crate::model::base::limits::PAYMENTS_MAX;
use crate::model::base::money::sum;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::books::shift::Shift;
use crate::model::people::authorization::Authorization;
use crate::model::people::points;
use crate::model::people::points::{Cause, PointsAccount, PointsEntry};
use crate::model::selling::payment::{EXCHANGE, POINTS};
use crate::model::selling::returns::{Return, ReturnState, SaleAfter};
use crate::model::selling::transaction::{Line, Payment, PaymentState, Transaction, TransactionState};
use crate::rules::books::ledger;
use crate::rules::books::shift::hands_back;
use crate::rules::inventory::stock::{Document, Moves};
use crate::rules::selling::returns;
use crate::rules::selling::returns::{ReturnDraft, lines, money, stock_moves, taken};
use crate::rules::selling::sale;
use crate::wire::record;

/// A return, and its payment of another transaction: one commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    pub posted: Event<fact::ReturnPosted>,
    /// Transaction that the return was exchanged for.
    pub exchange: Option<Exchange>,
}

/// Payment of another transaction by a return.
#[derive(Debug, Clone, PartialEq)]
pub enum Exchange {
    /// A part of a basket.
    Part(Event<fact::TransactionOpen>),
    /// The rest of it.
    Paid(Event<fact::TransactionPaid>),
}

impl Settled {
    /// The events in their order.
    pub fn events(self) -> Vec<Event> {
        let exchange = self.exchange.map(|exchange| match exchange {
            Exchange::Part(event) => event.into(),
            Exchange::Paid(event) => event.into(),
        });
        [self.posted.into()].into_iter().chain(exchange).collect()
    }
}

/// The events of one return: its own, and one of the transaction that an exchange pays.
///
/// # Errors
/// `return_exceeds_sold`, `invalid_state` (the sale was voided), `approval_required` (also for more cash than the drawer
/// holds),
/// `payment_mismatch`, `unknown_sku`, `insufficient_stock` (of an exchange that completes),
/// `validation_failed`.
pub fn settle(
    draft: ReturnDraft,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Settled, Refusal> {
    let sale = draft.sale.as_ref();
    let known = |sale: &Transaction| {
        let row = book.sales.get(&sale.transaction_id);
        taken::before(row, sale, &draft.shift.store_id, draft.taken.as_deref())
    };
    let (mut own, before) = sale.map(known).unwrap_or_default();
    if before.voided {
        return Err(TransactionState::Voided.refusal());
    }
    let mut after = before.clone();
    let mut items = match sale {
        Some(sale) => lines::receipted(&draft.cmd, sale, &mut after)?,
        None => lines::unreceipted(&draft.cmd, &draft.products, rules)?,
    };
    let refund_total = sum("items", items.iter().map(|line| line.refund))?;
    let so_far = sum("items", [before.refunded, refund_total])?;
    limits((refund_total, so_far), sale.is_some(), authorization, rules)?;
    keeps_no_larger_discount(sale, (&before, &after), authorization, rules)?;
    let refunds = money::refunds(&draft.cmd, refund_total, sale, &mut after, authorization, rules)?;
    after.refunded = sum("items", [after.refunded, refund_total])?;

    let id = draft.ids.return_id.clone();
    let user_id = &authorization.caller.user_id;
    let document = Document { kind: "return", id: id.as_str(), user_id, at: now };
    let mut ids = draft.ids.movements.clone();
    let rest = ids.split_off(items.len().min(ids.len()));
    let mut moves = Moves::new(book, document, ids);
    // The handle leaves the number only where the sale is not this store's.
    let of_another_store = draft.cmd.receipt_no.is_some();
    for line in &mut items {
        stock_moves::take_back(line, of_another_store, &mut moves)?;
    }
    let moved = moves.done();
    let mut back = Return {
        return_id: id.clone(),
        receipt_no: draft.receipt_no.clone(),
        state: ReturnState::Posted,
        transaction_id: sale.map(|sale| sale.transaction_id.clone()),
        origin_receipt_no: draft.cmd.receipt_no.clone(),
        verification: draft.verification,
        store_id: draft.shift.store_id.clone(),
        register_id: draft.counters.register_id.clone(),
        shift_id: draft.shift.shift_id.clone(),
        cashier_id: user_id.clone(),
        approved_by: authorization.approved_by(),
        member_id: sale.and_then(|sale| sale.member_id.clone()),
        business_date: draft.shift.business_date,
        prices_include_tax: sale.map_or(rules.prices_include_tax, |sale| sale.prices_include_tax),
        tax: sum("items", items.iter().map(|line| line.tax))?,
        items,
        refund_total,
        rounding: sum("refunds", refunds.iter().map(|refund| refund.rounding))?,
        refunds,
        points_reversed: Points::ZERO,
        points_back: Points::ZERO,
        note: draft.cmd.note.clone(),
        created_at: now,
        voided_at: None,
        void_reason: None,
    };
    let cause = Cause {
        reference_id: id.as_str(),
        business_date: back.business_date,
        user_id,
        at: now,
        worth: rules.redeem_value,
    };
    let (account, points) = match sale {
        Some(sale) => points_of(&mut back, sale, &before, &mut after, &cause, rules, book),
        None => (None, Vec::new()),
    };
    record::document_fits("items", &back, back.items.len())?;
    // The row has this store's returns only: returns at other stores are reported each time.
    let row = sale.map(|sale| {
        returns::refunded(&back, sale, &mut own);
        Box::new(own)
    });
    let mut shift = draft.shift.clone();
    shift.totals.refund(&back)?;
    // A quote costs nothing: amount after amount it would show a cashier who counts blind what the drawer holds.
    if !(draft.is_quote && rules.policy.blind) {
        hands_back(&draft.shift, &shift, authorization, rules)?;
    }
    let posted = Event::new(
        fact::ReturnPosted { document: back },
        Rows {
            after: row,
            shifts: vec![shift.clone()],
            counters: vec![draft.counters.clone()],
            points,
            account: account.map(Box::new),
            ..moved
        },
    );
    let exchange = exchange(&draft, &posted, shift, rest, now, rules, book)?;
    Ok(Settled { posted, exchange })
}

/// Requires a manager if the goods that stay sold have a larger share taken off by hand than a cashier may give.
fn keeps_no_larger_discount(
    sale: Option<&Transaction>,
    (before, after): (&SaleAfter, &SaleAfter),
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<(), Refusal> {
    let Some(sale) = sale else { return Ok(()) };
    let left = |row: &SaleAfter, line: &Line| line.qty.saturating_sub(row.returned(line.line_no));
    if !sale::return_raises_discount(sale, |line| left(before, line), |line| left(after, line), rules) {
        return Ok(());
    }
    authorization.manager_for(|| {
        NeedsApproval::of("a return that leaves a sale with a discount above pricing.discount_limit_bp")
    })
}

/// The limits of a return of this amount, with what came back of its sale before.
fn limits(
    (total, so_far): (Money, Money),
    receipted: bool,
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<(), Refusal> {
    let policy = &rules.policy;
    if !receipted && policy.unreceipted_max > 0 && total > policy.unreceipted_max {
        let most = policy.unreceipted_max;
        return Err(Refusal::field(
            "items",
            format!(
                "must make a refund of at most {most}, because there is no receipt: {total} was requested"
            ),
        ));
    }
    let limit = policy.return_cashier_limit;
    if limit > 0 && so_far > limit {
        authorization.manager_for(|| {
            NeedsApproval::of("refunding this much for one sale").beyond(
                so_far,
                limit,
                "returns.cashier_limit",
            )
        })?;
    }
    Ok(())
}

/// Removes the points that the rest of the sale would not have earned, and restores points that had paid.
fn points_of(
    back: &mut Return,
    sale: &Transaction,
    before: &SaleAfter,
    after: &mut SaleAfter,
    cause: &Cause<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> (Option<PointsAccount>, Vec<PointsEntry>) {
    let Some(member) = &sale.member_id else { return (None, Vec::new()) };
    let by_points = sale.paid_by_points();
    let kept = points::kept(sale.total, by_points, after.refunded, sale.earn_per, sale.multiplier_bp);
    let lost =
        sale.points_earned.saturating_sub(kept).saturating_sub(before.points_reversed).max(Points::ZERO);
    let refunded =
        after.paid.iter().find(|paid| paid.method == POINTS).map_or(Money::ZERO, |paid| paid.refunded);
    let so_far = points::back(sale.points_redeemed, by_points, refunded);
    let given = so_far.saturating_sub(before.points_back).max(Points::ZERO);
    let mut account = book.account(member);
    let mut entries = Vec::new();
    if lost > 0 {
        after.points_reversed = after.points_reversed.saturating_add(lost);
        entries.push(account.reverse(lost, sale.points_expire, cause));
    }
    if given > 0 {
        after.points_back = after.points_back.saturating_add(given);
        entries.push(account.restore_points(&mut after.points_lots, given, rules, cause));
    }
    (back.points_reversed, back.points_back) = (lost, given);
    ((!entries.is_empty()).then_some(account), entries)
}

/// The exchange pays its transaction, after the return: one commit for both.
fn exchange(
    draft: &ReturnDraft,
    posted: &Event<fact::ReturnPosted>,
    mut shift: Shift,
    movements: Vec<MovementId>,
    now: UtcMs,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Option<Exchange>, Refusal> {
    let (Some(target), document) = (&draft.target, &posted.fact.document) else { return Ok(None) };
    let parts: Vec<_> = document.refunds.iter().filter(|refund| refund.method == EXCHANGE).collect();
    if target.payments.len().saturating_add(parts.len()) > PAYMENTS_MAX
        || draft.ids.payments.len() < parts.len()
    {
        return Err(Refusal::field(
            "refunds",
            format!("must not give a transaction more than {PAYMENTS_MAX} payments"),
        ));
    }
    let paid = |(id, part): (&PaymentId, &&crate::model::selling::returns::Refund)| Payment {
        payment_id: id.clone(),
        method: EXCHANGE.to_owned(),
        amount: part.amount,
        tendered: part.amount,
        change: Money::ZERO,
        rounding: Money::ZERO,
        origin_rounding: part.origin_rounding,
        reference: Some(document.return_id.0.clone()),
        state: PaymentState::Accepted,
        origin: part.origin.clone(),
        paid_at: now,
    };
    let payments: Vec<Payment> = draft.ids.payments.iter().zip(&parts).map(paid).collect();
    shift.totals.take(&payments)?;
    let after = sale::add_payments(target.clone(), payments, rules)?;
    if after.amount_due > 0 {
        let event = Event::new(fact::TransactionOpen { transaction: after }, Rows::of_shift(shift));
        return Ok(Some(Exchange::Part(event)));
    }
    let done = sale::finish_sale(after, shift, now, draft.counters.clone(), &draft.series)?;
    // The new sale sees the goods and points as the return left them.
    let mut seen = book.part(&done.transaction);
    seen.evolve(&posted.clone().into());
    let mut movements = movements;
    movements.truncate(done.transaction.items.len());
    ledger::settle(done, movements, now, rules, &seen).map(|event| Some(Exchange::Paid(event)))
}
