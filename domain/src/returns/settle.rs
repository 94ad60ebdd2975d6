//! Settles a return: what came back before is known here, so two tills can't return one piece.

use super::{Return, ReturnDraft, ReturnState, SaleAfter, after, goods, lines, money, taken};
use crate::event::Event;
use crate::ids::{MovementId, PaymentId};
use crate::ledger::{self, LedgerBook};
use crate::mandate::Mandate;
use crate::money::sum;
use crate::payment::{EXCHANGE, POINTS};
use crate::points::{self, Cause, PointsAccount, PointsEntry};
use crate::record;
use crate::refusal::{NeedsApproval, Refusal};
use crate::sale::{self, PAYMENTS_MAX};
use crate::settings::Rules;
use crate::shift::Shift;
use crate::stock::{Document, Moves};
use crate::time::UtcMs;
use crate::transaction::{Payment, PaymentState, Transaction, TransactionState};

/// The events of one return: its own, and that of the transaction that an exchange pays.
///
/// # Errors
/// `return_exceeds_sold`, `invalid_state` (the sale was voided), `approval_required`,
/// `payment_mismatch`, `unknown_sku`, `insufficient_stock` (of an exchange that completes),
/// `validation_failed`.
pub fn settle(
    draft: ReturnDraft,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Vec<Event>, Refusal> {
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
    limits(refund_total, sale.is_some(), mandate, rules)?;
    let refunds = money::refunds(&draft.cmd, refund_total, sale, &mut after, mandate, rules)?;
    after.refunded = sum("items", [after.refunded, refund_total])?;

    let id = draft.ids.return_id.clone();
    let user_id = &mandate.caller.user_id;
    let document = Document { kind: "return", id: id.as_str(), user_id, at: now };
    let mut ids = draft.ids.movements.clone();
    let rest = ids.split_off(items.len().min(ids.len()));
    let mut moves = Moves::new(book, document, ids);
    // The handle leaves the number only where the sale is not this store's.
    let of_another_store = draft.cmd.receipt_no.is_some();
    for line in &mut items {
        goods::take_back(line, of_another_store, &mut moves)?;
    }
    let (movements, stock) = moves.done();
    let mut back = Return {
        return_id: id.clone(),
        receipt_no: draft.receipt_no.clone(),
        state: ReturnState::Posted,
        transaction_id: sale.map(|sale| sale.transaction_id.clone()),
        origin_receipt_no: draft.cmd.receipt_no.clone(),
        verification: draft.verification,
        store_id: draft.shift.store_id.clone(),
        register_id: draft.shift.register_id.clone(),
        shift_id: draft.shift.shift_id.clone(),
        cashier_id: user_id.clone(),
        approved_by: mandate.approved_by(),
        member_id: sale.and_then(|sale| sale.member_id.clone()),
        business_date: draft.shift.business_date,
        prices_include_tax: sale.map_or(rules.prices_include_tax, |sale| sale.prices_include_tax),
        tax: sum("items", items.iter().map(|line| line.tax))?,
        items,
        refund_total,
        rounding: sum("refunds", refunds.iter().map(|refund| refund.rounding))?,
        refunds,
        points_reversed: 0,
        points_back: 0,
        note: draft.cmd.note.clone(),
        created_at: now,
        voided_at: None,
        void_reason: None,
    };
    let cause = Cause { reference_id: id.as_str(), business_date: back.business_date, user_id, at: now };
    let (account, points) = match sale {
        Some(sale) => points_of(&mut back, sale, &before, &mut after, &cause, rules, book),
        None => (None, Vec::new()),
    };
    record::document_fits("items", &back, back.items.len())?;
    // The row is this store's own: what others took is told anew each time.
    let row = sale.map(|sale| {
        after::refunded(&back, sale, &mut own);
        Box::new(own)
    });
    let mut shift = draft.shift.clone();
    shift.totals.refund(&back)?;
    let posted = Event::ReturnPosted {
        document: Box::new(back),
        after: row,
        movements,
        stock,
        shift: Box::new(shift.clone()),
        counters: draft.counters.clone(),
        points,
        account: account.map(Box::new),
    };
    let mut events = vec![posted];
    if let Some(event) = exchange(&draft, &events, shift, rest, now, rules, book)? {
        events.push(event);
    }
    Ok(events)
}

fn limits(total: i64, receipted: bool, mandate: &Mandate<'_>, rules: &Rules) -> Result<(), Refusal> {
    let policy = &rules.policy;
    if !receipted && policy.unreceipted_max > 0 && total > policy.unreceipted_max {
        let most = policy.unreceipted_max;
        return Err(Refusal::field("items", format!("without a receipt at most {most} goes back")));
    }
    let limit = policy.return_cashier_limit;
    if limit > 0 && total > limit {
        mandate.manager_for(|| {
            NeedsApproval::of("a refund of this size").beyond(total, limit, "returns.cashier_limit")
        })?;
    }
    Ok(())
}

/// Takes back what the rest of the sale would not have earned, gives back what had paid.
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
    let lost = sale.points_earned.saturating_sub(kept).saturating_sub(before.points_reversed).max(0);
    let refunded = after.paid.iter().find(|paid| paid.method == POINTS).map_or(0, |paid| paid.refunded);
    let so_far = points::back(sale.points_redeemed, by_points, refunded);
    let given = so_far.saturating_sub(before.points_back).max(0);
    let mut account = book.account(member);
    let mut entries = Vec::new();
    if lost > 0 {
        after.points_reversed = after.points_reversed.saturating_add(lost);
        entries.push(account.reverse(lost, sale.points_expire, cause));
    }
    if given > 0 {
        after.points_back = after.points_back.saturating_add(given);
        entries.push(account.give_back(&mut after.points_lots, given, rules, cause));
    }
    (back.points_reversed, back.points_back) = (lost, given);
    ((!entries.is_empty()).then_some(account), entries)
}

/// The exchange pays its transaction, after the return: one commit for both.
fn exchange(
    draft: &ReturnDraft,
    posted: &[Event],
    mut shift: Shift,
    movements: Vec<MovementId>,
    now: UtcMs,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Option<Event>, Refusal> {
    let (Some(target), Some(Event::ReturnPosted { document, .. })) = (&draft.target, posted.first()) else {
        return Ok(None);
    };
    let parts: Vec<_> = document.refunds.iter().filter(|refund| refund.method == EXCHANGE).collect();
    if target.payments.len().saturating_add(parts.len()) > PAYMENTS_MAX
        || draft.ids.payments.len() < parts.len()
    {
        return Err(Refusal::field("refunds", format!("a transaction has at most {PAYMENTS_MAX} payments")));
    }
    let paid = |(id, part): (&PaymentId, &&super::Refund)| Payment {
        payment_id: id.clone(),
        method: EXCHANGE.to_owned(),
        amount: part.amount,
        tendered: part.amount,
        change: 0,
        rounding: 0,
        reference: Some(document.return_id.0.clone()),
        state: PaymentState::Accepted,
        origin: part.origin.clone(),
        paid_at: now,
    };
    let payments: Vec<Payment> = draft.ids.payments.iter().zip(&parts).map(paid).collect();
    shift.totals.take(&payments)?;
    let after = sale::paid_by(target.clone(), payments, rules)?;
    if after.amount_due > 0 {
        return Ok(Some(Event::TransactionOpen {
            transaction: Box::new(after),
            shift: Some(Box::new(shift)),
        }));
    }
    let done = sale::complete(after, shift, now, draft.counters.clone(), &draft.series)?;
    // The new sale sees the goods and points as the return left them.
    let mut seen = book.part(&done.transaction);
    posted.iter().for_each(|event| seen.evolve(event));
    let mut movements = movements;
    movements.truncate(done.transaction.items.len());
    ledger::settle(done, movements, now, rules, &seen).map(Some)
}
