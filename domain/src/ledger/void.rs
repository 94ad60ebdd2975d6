//! Settles the void of a sale and the correction of a tender: only while nothing came back.

use super::LedgerBook;
use crate::event::Event;
use crate::ids::MovementId;
use crate::mandate::Mandate;
use crate::points::Cause;
use crate::refund::Paid;
use crate::refusal::Refusal;
use crate::returns::SaleAfter;
use crate::sale::{TenderDraft, VoidDraft, only_return};
use crate::settings::Rules;
use crate::stock::{Document, Incoming, MovementReason, Moves};
use crate::time::UtcMs;
use crate::transaction::{Transaction, TransactionState};

/// Puts the sale's goods back at the cost they left with, the last line first, and its points.
///
/// `movement_ids` has one id per line.
///
/// # Errors
/// `invalid_state` (voided before, something came back), `validation_failed`.
pub fn settle_void(
    draft: VoidDraft,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    let VoidDraft { transaction: sale, shift, refunds } = draft;
    let mut after = untouched(&sale, book)?;
    after.voided = true;
    let user_id = &mandate.caller.user_id;
    let document = Document { kind: "transaction", id: sale.transaction_id.as_str(), user_id, at: now };
    let mut moves = Moves::new(book, document, movement_ids);
    for line in sale.items.iter().rev().filter(|line| line.track_stock) {
        let back = Incoming::Back(line.cost.unwrap_or(0));
        moves.bring(&line.sku, line.line_no, line.qty, back, MovementReason::SaleVoid)?;
    }
    let (movements, stock) = moves.done();
    let (mut account, mut points) = (None, Vec::new());
    if let Some(member) = &sale.member_id {
        let cause = Cause {
            reference_id: sale.transaction_id.as_str(),
            business_date: sale.business_date,
            user_id,
            at: now,
        };
        let mut row = book.account(member);
        if sale.points_earned > 0 {
            points.push(row.reverse(sale.points_earned, sale.points_expire, &cause));
            after.points_reversed = sale.points_earned;
        }
        if sale.points_redeemed > 0 {
            points.push(row.give_back(&mut after.points_lots, sale.points_redeemed, rules, &cause));
        }
        account = (!points.is_empty()).then(|| Box::new(row));
    }
    Ok(Event::SaleVoided {
        transaction: Box::new(sale),
        after: Box::new(after),
        refunds,
        movements,
        stock,
        shift: Box::new(shift),
        points,
        account,
    })
}

/// Settles a corrected tender.
///
/// # Errors
/// `invalid_state` (voided, something came back).
pub fn settle_correction(draft: TenderDraft, book: &LedgerBook) -> Result<Event, Refusal> {
    let TenderDraft { transaction, wrong, shift, .. } = draft;
    let before = untouched(&transaction, book)?;
    let paid: Vec<Paid> = SaleAfter::of(&transaction).paid;
    let after = SaleAfter { paid, ..before };
    Ok(Event::TenderCorrected {
        transaction: Box::new(transaction),
        wrong,
        after: Box::new(after),
        shift: Box::new(shift),
    })
}

/// What became of a sale: nothing yet.
fn untouched(sale: &Transaction, book: &LedgerBook) -> Result<SaleAfter, Refusal> {
    let after = book.after(sale);
    let known = book.sales.contains_key(&sale.transaction_id);
    if known && after.voided {
        return Err(TransactionState::Voided.refusal());
    }
    if after.refunded > 0 || !after.returned.is_empty() {
        return Err(only_return());
    }
    Ok(after)
}
