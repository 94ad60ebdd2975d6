//! Settles the void of a sale and the correction of a tender: only while nothing came back.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::Money;
use crate::model::base::ids::MovementId;
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::inventory::stock::MovementReason;
use crate::model::people::authorization::Authorization;
use crate::model::people::points::Cause;
use crate::model::selling::payment::Paid;
use crate::model::selling::returns::SaleAfter;
use crate::model::selling::transaction::{Transaction, TransactionState};
use crate::rules::inventory::stock::{Document, Incoming, Moves};
use crate::rules::selling::sale::{TenderDraft, VoidDraft, only_return};

/// Puts the sale's goods back at the cost they left with, the last line first, and its points.
///
/// `movement_ids` has one ID per line.
///
/// # Errors
/// `invalid_state` (voided before, something came back), `validation_failed`.
pub fn settle_void(
    draft: VoidDraft,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event<fact::SaleVoided>, Refusal> {
    let VoidDraft { transaction: sale, shift, refunds } = draft;
    let mut after = untouched(&sale, book)?;
    after.voided = true;
    let user_id = &authorization.caller.user_id;
    let document = Document { kind: "transaction", id: sale.transaction_id.as_str(), user_id, at: now };
    let mut moves = Moves::new(book, document, movement_ids);
    for line in sale.items.iter().rev().filter(|line| line.track_stock) {
        let back = Incoming::Back(line.cost.unwrap_or(Money::ZERO));
        moves.bring(&line.sku, line.line_no, line.qty, back, MovementReason::SaleVoid)?;
    }
    let (mut account, mut points) = (None, Vec::new());
    if let Some(member) = &sale.member_id {
        let cause = Cause {
            reference_id: sale.transaction_id.as_str(),
            business_date: sale.business_date,
            user_id,
            at: now,
            worth: rules.redeem_value,
        };
        let mut row = book.account(member);
        if sale.points_earned > 0 {
            points.push(row.reverse(sale.points_earned, sale.points_expire, &cause));
            after.points_reversed = sale.points_earned;
        }
        if sale.points_redeemed > 0 {
            points.push(row.restore_points(&mut after.points_lots, sale.points_redeemed, rules, &cause));
        }
        account = (!points.is_empty()).then(|| Box::new(row));
    }
    let after = Some(Box::new(after));
    let rows = Rows { after, shifts: vec![shift], points, account, ..moves.done() };
    Ok(Event::new(fact::SaleVoided { transaction: sale, refunds }, rows))
}

/// Settles a corrected tender.
///
/// # Errors
/// `invalid_state` (voided, something came back).
pub fn settle_correction(
    draft: TenderDraft,
    book: &LedgerBook,
) -> Result<Event<fact::TenderCorrected>, Refusal> {
    let TenderDraft { transaction, wrong, shift, .. } = draft;
    let before = untouched(&transaction, book)?;
    let paid: Vec<Paid> = SaleAfter::of(&transaction).paid;
    let after = SaleAfter { paid, ..before };
    Ok(Event::new(
        fact::TenderCorrected { transaction, wrong },
        Rows { after: Some(Box::new(after)), shifts: vec![shift], ..Rows::default() },
    ))
}

/// State of a sale without returns.
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
