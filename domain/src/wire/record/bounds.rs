//! Bounds of the figures that stores report. No command that a store accepts exceeds them, so something else made a
//! record that does. It waits for a person, since two such records could hide every sum that they are part of.

use crate::model::base::figures::Quantity;
use crate::model::base::limits::{CASH_MAX, LINE_VALUE_MAX, PRICE_MAX, QTY_MAX};
use crate::model::inventory::stock::MovementReason;
use crate::model::selling::transaction::Transaction;
use crate::wire::record::AnyPayload;
use std::ops::RangeInclusive;

impl AnyPayload {
    /// Holds it to the bounds of the commands that make such records.
    ///
    /// # Errors
    /// The figure that is beyond them, for a person.
    pub fn check_bounds(&self) -> Result<(), String> {
        match self {
            Self::TransactionPaid(it) => sale(&it.transaction),
            Self::TransactionVoided(it) => sale(&it.transaction),
            Self::TenderCorrected(it) => sale(&it.transaction),
            Self::ReturnPosted(it) | Self::ReturnVoided(it) => {
                it.document.items.iter().try_for_each(|line| pieces(line.qty))
            }
            Self::ShiftOpened(it)
            | Self::ShiftMoved(it)
            | Self::ShiftClosed(it)
            | Self::ShiftRecounted(it) => {
                let shift = &it.shift;
                within("opening_float", shift.opening_float, 0..=CASH_MAX)?;
                let counts = shift.recounts.iter().map(|recount| recount.counted_cash);
                let mut counts = shift.counted_cash.into_iter().chain(counts);
                counts.try_for_each(|counted| within("counted_cash", counted, 0..=CASH_MAX))
            }
            Self::CashMoved(it) => within("amount", it.movement.amount, -CASH_MAX..=CASH_MAX),
            Self::CashDeposited(it) => within("amount", it.deposit.amount, -CASH_MAX..=CASH_MAX),
            Self::SafeOpened(it) => within("amount", it.amount, 0..=CASH_MAX),
            Self::ReceivingPosted(it) | Self::ReceivingReversed(it) => {
                it.receiving.lines.iter().try_for_each(|line| {
                    pieces(line.qty)
                        .and_then(|()| within("rejected_qty", line.rejected_qty, -QTY_MAX..=QTY_MAX))
                        .and_then(|()| within("cost", line.cost, -LINE_VALUE_MAX..=LINE_VALUE_MAX))
                        .map_err(|problem| format!("line {}: {problem}", line.line_no))
                })
            }
            Self::SupplierReturnPosted(it) => it.document.lines.iter().try_for_each(|line| pieces(line.qty)),
            Self::TransferSent(it)
            | Self::TransferReceived(it)
            | Self::TransferCancelled(it)
            | Self::TransferResolved(it) => it.transfer.lines.iter().try_for_each(|line| pieces(line.qty)),
            Self::AdjustmentPosted(it) => it.adjustment.lines.iter().try_for_each(|line| pieces(line.qty)),
            Self::StockMoved(it) => {
                let mut opened =
                    it.movements.iter().filter(|movement| movement.reason == MovementReason::Opening);
                opened.try_for_each(|movement| {
                    pieces(movement.qty)?;
                    within("cost", movement.cost, -LINE_VALUE_MAX..=LINE_VALUE_MAX)
                })
            }
            // Their figures have no bound here, or they have none.
            Self::DaySealed(_)
            | Self::DayReopened(_)
            | Self::ReceiptsSkipped(_)
            | Self::OpnamePosted(_)
            | Self::MemberChanged(_)
            | Self::PointsAdjusted(_)
            | Self::ProductSettingsChanged(_)
            | Self::UserChanged(_)
            | Self::AuditRecorded(_) => Ok(()),
        }
    }
}

fn sale(sale: &Transaction) -> Result<(), String> {
    sale.items.iter().try_for_each(|line| {
        pieces(line.qty)?;
        within("price", line.price, 0..=PRICE_MAX)
    })
}

fn pieces(qty: Quantity) -> Result<(), String> {
    within("qty", qty, -QTY_MAX..=QTY_MAX)
}

fn within(name: &str, figure: impl Into<i64>, bounds: RangeInclusive<i64>) -> Result<(), String> {
    let figure = figure.into();
    if bounds.contains(&figure) {
        return Ok(());
    }
    Err(format!("{name} is {figure}, but must be {} to {}", bounds.start(), bounds.end()))
}
