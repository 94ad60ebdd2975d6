//! Where returned goods go: to the shelf at the cost they left with, or aside.

use crate::model::base::figures::Money;
use crate::model::base::money::sum;
use crate::model::base::refusal::Refusal;
use crate::model::inventory::stock::MovementReason;
use crate::model::selling::returns::{Disposition, ReturnLine};
use crate::rules::inventory::stock::{Incoming, Moves};

/// Takes a line's goods back. Goods without a receipt, or of another store's receipt, which has no cost, are taken in
/// at the average.
pub(super) fn take_back(
    line: &mut ReturnLine,
    of_another_store: bool,
    moves: &mut Moves<'_>,
) -> Result<(), Refusal> {
    if !line.track_stock {
        line.cost = Money::ZERO;
        return Ok(());
    }
    let found = of_another_store || line.sold_line_no.is_none();
    match line.disposition {
        Disposition::Restock => {
            let incoming = if found { Incoming::Found } else { Incoming::Back(line.cost) };
            let moved = moves.bring(&line.sku, line.line_no, line.qty, incoming, MovementReason::Return)?;
            line.cost = moved.cost;
            line.correction = moved.correction;
            line.balance_after = Some(moved.balance_after);
        }
        Disposition::Damaged | Disposition::Vendor => {
            let row = moves.row(&line.sku);
            if found {
                line.cost = row.worth(line.qty)?;
            }
            row.damaged = sum("stock", [row.damaged, line.qty])?;
            row.damaged_value = sum("stock", [row.damaged_value, line.cost])?;
        }
        Disposition::None if found => {
            line.cost = moves.row(&line.sku).worth(line.qty)?;
        }
        Disposition::None => {}
    }
    Ok(())
}

/// Gives a line's goods out again: its return is voided.
pub(super) fn give_out(line: &mut ReturnLine, moves: &mut Moves<'_>) -> Result<(), Refusal> {
    if !line.track_stock {
        return Ok(());
    }
    match line.disposition {
        Disposition::Restock => {
            let moved = moves.send(&line.sku, line.line_no, line.qty, MovementReason::Return)?;
            line.cost = moved.cost.saturating_neg();
            line.correction = Money::ZERO;
            line.balance_after = Some(moved.balance_after);
        }
        Disposition::Damaged | Disposition::Vendor => {
            line.cost = moves.send_damaged(&line.sku, line.qty)?;
        }
        Disposition::None => {}
    }
    Ok(())
}
