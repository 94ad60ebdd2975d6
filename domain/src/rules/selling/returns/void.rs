//! Voids a return in its own shift: the goods leave again, and the money comes back.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::ids::MovementId;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::base::settings::{NegativeStock, Rules};
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::books::shift::{Shift, ShiftBook};
use crate::model::people::authorization::Authorization;
use crate::model::people::points::Cause;
use crate::model::selling::payment::EXCHANGE;
use crate::model::selling::reasons::Why;
use crate::model::selling::returns::{Disposition, Return, ReturnLine, ReturnState};
use crate::model::selling::transaction::Transaction;
use crate::rules::books::shift::may_sell;
use crate::rules::inventory::stock::check_on_hand;
use crate::rules::inventory::stock::{Document, Moves};
use crate::rules::selling::returns::stock_moves;
use crate::rules::selling::sale::VoidSale;

/// A voided return, before the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct ReturnVoidDraft {
    pub document: Return,
    /// The shift with this void applied.
    pub shift: Shift,
}

/// Drafts the void of a posted return in its own shift.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `approval_required`, `invalid_state` (voided before,
/// another shift, it paid an exchange).
pub fn draft_void(
    cmd: &VoidSale,
    back: &Return,
    now: UtcMs,
    authorization: &Authorization<'_>,
    book: &ShiftBook,
) -> Result<ReturnVoidDraft, Refusal> {
    cmd.check()?;
    let exchanged = back.refunds.iter().any(|refund| refund.method == EXCHANGE);
    if back.state != ReturnState::Posted || back.shift_id != book.shift.shift_id || exchanged {
        let state = if exchanged { "exchanged" } else { back.state.name() };
        return Err(Refusal::InvalidState { state: state.to_owned(), allowed: Vec::new() });
    }
    may_sell(authorization, &book.shift)?;
    authorization.manager_for(|| NeedsApproval::of("voiding a return"))?;
    let mut shift = book.shift.clone();
    shift.totals.unrefund(back);
    let document = Return {
        state: ReturnState::Voided,
        voided_at: Some(now),
        void_reason: Some(cmd.reason.trim().to_owned()),
        ..back.clone()
    };
    Ok(ReturnVoidDraft { document, shift })
}

/// Settles a voided return: goods leave the stock at average cost, and points become as before.
///
/// `sale` is the return's sale if this store sold it. For a sale of another store the book has the row. `movement_ids`
/// has an ID for each line.
///
/// # Errors
/// `insufficient_points` (the returned points are spent), `insufficient_stock` (the restocked pieces are sold, in a
/// store without negative stock), `validation_failed`.
pub fn settle_void(
    draft: ReturnVoidDraft,
    sale: Option<&Transaction>,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event<fact::ReturnVoided>, Refusal> {
    let ReturnVoidDraft { document: mut back, shift } = draft;
    rules.policy.reasons.check(Why::Void, "reason", back.void_reason.as_deref())?;
    let user_id = &authorization.caller.user_id;
    let id = back.return_id.clone();
    if rules.negative_stock == NegativeStock::Reject {
        let out = |line: &&ReturnLine| line.track_stock && line.disposition == Disposition::Restock;
        let asked: Vec<_> = back.items.iter().filter(out).map(|line| (&line.sku, line.qty)).collect();
        check_on_hand(&asked, book)?;
    }
    let document = Document { kind: "return", id: id.as_str(), user_id, at: now };
    let mut moves = Moves::new(book, document, movement_ids);
    for line in &mut back.items {
        stock_moves::give_out(line, &mut moves)?;
    }
    let elsewhere = || back.transaction_id.as_ref().and_then(|id| book.sales.get(id).cloned());
    let mut after = sale.map(|sale| book.after(sale)).or_else(elsewhere);
    let (mut account, mut points) = (None, Vec::new());
    if let Some(after) = &mut after {
        for line in &back.items {
            let Some(line_no) = line.sold_line_no else { continue };
            after.free(line_no, &line.pieces);
        }
        after.refunded = after.refunded.saturating_sub(back.refund_total);
        for refund in &back.refunds {
            after.take_back_refund(refund);
        }
        after.points_back = after.points_back.saturating_sub(back.points_back);
        after.points_reversed = after.points_reversed.saturating_sub(back.points_reversed);
        if let Some(member) = &back.member_id {
            let cause = Cause {
                reference_id: id.as_str(),
                business_date: back.business_date,
                user_id,
                at: now,
                worth: rules.redeem_value,
            };
            let mut row = book.account(member);
            if back.points_back > 0 {
                let reserved = book.reserved_by_others(member, None);
                let entry = row.redeem(back.points_back, reserved, false, rules, &cause)?;
                after.points_lots.extend(entry.lots.iter().cloned());
                points.push(entry);
            }
            if back.points_reversed > 0 {
                points.push(row.earn(back.points_reversed, sale.and_then(|sale| sale.points_expire), &cause));
            }
            account = (!points.is_empty()).then(|| Box::new(row));
        }
    }
    let after = after.map(Box::new);
    let rows = Rows { after, shifts: vec![shift], points, account, ..moves.done() };
    Ok(Event::new(fact::ReturnVoided { document: back }, rows))
}
