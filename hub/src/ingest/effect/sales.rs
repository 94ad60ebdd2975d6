//! Sales, their voids, returns, corrected tenders.

use super::{Document, Effect, Known, Problem, invalid, moves, of_store};
use domain::ids::{PaymentId, ShiftId, Sku};
use domain::record::{ReturnRecord, TenderCorrected, TransactionPaid, TransactionVoided};
use domain::returns::Return;
use domain::transaction::{Payment, PaymentState, Transaction, TransactionState};

fn line(sale: &Transaction, line_no: u32) -> Option<&Sku> {
    sale.items.iter().find(|item| item.line_no == line_no).map(|item| &item.sku)
}

fn with_rounding(payment: &Payment) -> i64 {
    payment.amount.saturating_add(payment.rounding)
}

/// A completed sale: its accepted payments, its goods, its points.
pub(super) fn paid(paid: TransactionPaid, store_id: &str) -> Result<Effect, Problem> {
    let sale = &paid.transaction;
    of_store(sale.store_id.as_str(), store_id)?;
    if sale.state != TransactionState::Paid {
        return Err(invalid("the transaction is not paid"));
    }
    let moves = moves(&paid.lines, |line_no| line(sale, line_no))?;
    let accepted = sale.payments.iter().filter(|payment| payment.state == PaymentState::Accepted);
    let method = |payment: &Payment| (sale.shift_id.clone(), payment.method.clone(), with_rounding(payment));
    let methods = accepted.map(method).collect();
    let (points, known) = (paid.points.clone(), Known::Sale(sale.transaction_id.0.clone()));
    let document = Document::Sale(Box::new(paid));
    Ok(Effect { document, moves, methods, points, ..Effect::default() }.giving(known))
}

/// A void: of a basket that was never complete it moves nothing here, since nothing came before.
pub(super) fn voided(voided: TransactionVoided, store_id: &str) -> Result<Effect, Problem> {
    let sale = voided.transaction;
    of_store(sale.store_id.as_str(), store_id)?;
    if sale.state != TransactionState::Voided {
        return Err(invalid("the transaction is not voided"));
    }
    if sale.receipt_no.is_none() {
        return Ok(Effect::default());
    }
    let moves = moves(&voided.lines, |line_no| line(&sale, line_no))?;
    let back = |amount: i64, rounding: i64| amount.saturating_add(rounding).saturating_neg();
    let refunds = voided.refunds.iter();
    let methods = refunds
        .map(|given| (sale.shift_id.clone(), given.method.clone(), back(given.amount, given.rounding)))
        .collect();
    let known = Known::Sale(sale.transaction_id.0.clone());
    let document = Document::Void(Box::new(sale));
    Ok(Effect { document, moves, methods, points: voided.points, ..Effect::default() }.needing(known))
}

fn refunds(back: &Return, sign: i64) -> Vec<(ShiftId, String, i64)> {
    let one = |refund: &domain::returns::Refund| {
        let amount = refund.amount.saturating_add(refund.rounding).saturating_mul(sign);
        (back.shift_id.clone(), refund.method.clone(), amount)
    };
    back.refunds.iter().map(one).collect()
}

fn returned_line(back: &Return, line_no: u32) -> Option<&Sku> {
    back.items.iter().find(|item| item.line_no == line_no).map(|item| &item.sku)
}

/// Goods and money go back.
pub(super) fn returned(record: ReturnRecord, store_id: &str) -> Result<Effect, Problem> {
    let back = record.document;
    of_store(back.store_id.as_str(), store_id)?;
    let moves = moves(&record.lines, |line_no| returned_line(&back, line_no))?;
    let methods = refunds(&back, -1);
    // A receipt of another store is that store's to tell of.
    let own = back.transaction_id.as_ref().filter(|_| back.origin_receipt_no.is_none());
    let needs = own.map(|id| Known::Sale(id.0.clone()));
    let gives = Some(Known::Return(back.return_id.0.clone()));
    let document = Document::Return(Box::new(back));
    Ok(Effect { document, moves, methods, points: record.points, needs, gives })
}

/// A return is taken back.
pub(super) fn return_voided(record: ReturnRecord, store_id: &str) -> Result<Effect, Problem> {
    let back = record.document;
    of_store(back.store_id.as_str(), store_id)?;
    let moves = moves(&record.lines, |line_no| returned_line(&back, line_no))?;
    let methods = refunds(&back, 1);
    let known = Known::Return(back.return_id.0.clone());
    let document = Document::ReturnVoid(Box::new(back));
    Ok(Effect { document, moves, methods, points: record.points, ..Effect::default() }.needing(known))
}

/// Another method was meant: the wrong payment never came, the right ones did.
pub(super) fn corrected(record: TenderCorrected, store_id: &str) -> Result<Effect, Problem> {
    let sale = &record.transaction;
    of_store(sale.store_id.as_str(), store_id)?;
    let find = |id: &PaymentId| {
        let found = sale.payments.iter().find(|payment| payment.payment_id == *id);
        found.ok_or_else(|| invalid(format!("payment {} is not in the sale", id.0)))
    };
    let wrong = find(&record.wrong)?;
    let mut methods =
        vec![(sale.shift_id.clone(), wrong.method.clone(), with_rounding(wrong).saturating_neg())];
    let mut rounding = wrong.rounding.saturating_neg();
    for id in &record.right {
        let right = find(id)?;
        rounding = rounding.saturating_add(right.rounding);
        methods.push((sale.shift_id.clone(), right.method.clone(), with_rounding(right)));
    }
    let known = Known::Sale(sale.transaction_id.0.clone());
    let document = Document::Tender { sale: Box::new(record.transaction), rounding };
    Ok(Effect { document, methods, ..Effect::default() }.needing(known))
}
