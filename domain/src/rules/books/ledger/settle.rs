//! Settles a paid sale: its goods go out, line by line; points are spent and earned.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::{BasisPoints, Money, Points, Quantity};
use crate::model::base::ids::{MovementId, Sku};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::{NegativeStock, Rules};
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::inventory::stock::MovementReason;
use crate::model::people::points::{Cause, PointsAccount, PointsEntry, expiry};
use crate::model::selling::transaction::{NEGATIVE_STOCK, Transaction};
use crate::rules::inventory::stock::{Document, Moves, check_on_hand};
use crate::rules::selling::sale::SaleDraft;

/// Takes the sale's goods out of stock, at cost, lines of one sku in their order; and settles its points.
///
/// `movement_ids` has one ID per line. A sku without a row in the book starts at zero.
///
/// # Errors
/// `insufficient_stock` with every short sku, where the store does not sell below zero;
/// `insufficient_points`; `validation_failed` when a stock leaves the range of figures, or points of a
/// member that was blocked meanwhile are to pay.
pub fn settle(
    draft: SaleDraft,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event<fact::TransactionPaid>, Refusal> {
    let SaleDraft { mut transaction, shift, counters } = draft;
    if movement_ids.len() != transaction.items.len() {
        return Err(Refusal::field("items", "each line needs a movement id"));
    }
    enough(&transaction, rules, book)?;
    let (account, points) = points(&mut transaction, now, rules, book)?;
    let id = transaction.transaction_id.clone();
    let user_id = transaction.cashier_id.clone();
    let document = Document { kind: "transaction", id: id.as_str(), user_id: &user_id, at: now };
    let mut moves = Moves::new(book, document, movement_ids);
    for line in &mut transaction.items {
        line.cost = Some(Money::ZERO);
        if line.track_stock {
            let moved = moves.send(&line.sku, line.line_no, line.qty, MovementReason::Sale)?;
            line.cost = Some(moved.cost.saturating_neg());
        }
    }
    let moved = moves.done();
    let flagged = transaction.flags.iter().any(|flag| flag == NEGATIVE_STOCK);
    if !flagged && moved.movements.iter().any(|movement| movement.negative) {
        transaction.flags.push(NEGATIVE_STOCK.to_owned());
    }
    Ok(Event::new(
        fact::TransactionPaid { transaction },
        Rows {
            shifts: vec![shift],
            counters: vec![counters],
            points,
            account: account.map(Box::new),
            ..moved
        },
    ))
}

/// Checks a partial payment as if it completed the sale, so that a customer who has paid a part does not learn at the
/// end that goods or points are missing.
///
/// # Errors
/// The errors of [`settle`].
pub fn check_part(sale: &Transaction, now: UtcMs, rules: &Rules, book: &LedgerBook) -> Result<(), Refusal> {
    enough(sale, rules, book)?;
    points(&mut sale.clone(), now, rules, book).map(drop)
}

/// Spends the redeemed points, then earns: points of this sale can't pay for it.
fn points(
    sale: &mut Transaction,
    now: UtcMs,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<(Option<PointsAccount>, Vec<PointsEntry>), Refusal> {
    let Some(member) = sale.member_id.clone() else { return Ok((None, Vec::new())) };
    let cause = Cause {
        reference_id: sale.transaction_id.as_str(),
        business_date: sale.business_date,
        user_id: &sale.cashier_id,
        at: now,
        worth: rules.redeem_value,
    };
    if book.idle.contains(&member) {
        // Blocked after the basket was made.
        if sale.points_redeemed > 0 {
            let problem = "the member can't redeem points any more: undo the payment with points";
            return Err(Refusal::field("payments", problem));
        }
        sale.multiplier_bp = BasisPoints::ZERO;
    }
    let mut account = book.account(&member);
    let mut entries = Vec::new();
    if sale.points_redeemed > 0 {
        let entry = redeem(sale, &mut account, rules, book, &cause)?;
        sale.points_lots.clone_from(&entry.lots);
        entries.push(entry);
    }
    sale.points_earned = sale.earning();
    if sale.points_earned > 0 {
        sale.points_expire = expiry(sale.business_date, rules);
        entries.push(account.earn(sale.points_earned, sale.points_expire, &cause));
    }
    Ok(((!entries.is_empty()).then_some(account), entries))
}

/// Spends the sale's points. Points held by other unfinished sales stay theirs if this sale redeems more than it held;
/// if it held all of them and the balance has decreased, the sale that completes first gets them.
fn redeem(
    sale: &Transaction,
    account: &mut PointsAccount,
    rules: &Rules,
    book: &LedgerBook,
    cause: &Cause<'_>,
) -> Result<PointsEntry, Refusal> {
    let own = &sale.transaction_id;
    let had = book.reserved_points.get(own).map_or(Points::ZERO, |held| held.points);
    let new = sale.points_redeemed > had;
    let others = if new { book.reserved_by_others(&account.member_id, Some(own)) } else { Points::ZERO };
    let refused = match account.redeem(sale.points_redeemed, others, book.apart, rules, cause) {
        Err(Refusal::InsufficientPoints { member_id, balance, reserved, available, requested }) if new => {
            // In terms of the payment that is offered now.
            Refusal::InsufficientPoints {
                member_id,
                balance,
                reserved: reserved.saturating_add(had),
                available: available.saturating_sub(had).max(Points::ZERO),
                requested: requested.saturating_sub(had),
            }
        }
        other => return other,
    };
    Err(refused)
}

/// Each sku must cover the sum of its lines, where the store does not sell below zero.
fn enough(sale: &Transaction, rules: &Rules, book: &LedgerBook) -> Result<(), Refusal> {
    if rules.negative_stock != NegativeStock::Reject {
        return Ok(());
    }
    let mut asked: Vec<(&Sku, Quantity)> = Vec::new();
    for line in sale.items.iter().filter(|line| line.track_stock) {
        match asked.iter_mut().find(|(sku, _)| **sku == line.sku) {
            Some((_, sum)) => *sum = sum.saturating_add(line.qty),
            None => asked.push((&line.sku, line.qty)),
        }
    }
    check_on_hand(&asked, book)
}
