//! Rows of unfinished stock documents; finished ones are history.

use super::super::RowOp;
use super::super::table::Table;
use super::{Encoded, delete, put};
use domain::model::books::ledger::DeliveryNote;
use domain::model::inventory::adjustment::{Adjustment, AdjustmentState};
use domain::model::inventory::opname::{Opname, OpnameLine};
use domain::model::inventory::purchase::{OrderState, PurchaseOrder};
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::transfer::Transfer;

pub fn received(receiving: &Receiving, out: &mut Vec<RowOp>) -> Encoded {
    let Some(note) = DeliveryNote::of(receiving) else { return Ok(()) };
    put(delivery_note_key(&note.supplier_id, &note.number), &receiving.receiving_id, out)
}

pub fn reversed(freed: Option<&DeliveryNote>, out: &mut Vec<RowOp>) {
    freed.into_iter().for_each(|note| delete(delivery_note_key(&note.supplier_id, &note.number), out));
}

pub fn adjusted(adjustment: &Adjustment, out: &mut Vec<RowOp>) -> Encoded {
    let key = Table::Adjustment.key(adjustment.adjustment_id.as_str());
    put_while(adjustment.state == AdjustmentState::Pending, key, adjustment, out)
}

pub fn transferred(transfer: &Transfer, out: &mut Vec<RowOp>) -> Encoded {
    put_while(!transfer.settled(), Table::Transfer.key(transfer.transfer_id.as_str()), transfer, out)
}

pub fn counted(opname: &Opname, lines: &[OpnameLine], out: &mut Vec<RowOp>) -> Encoded {
    for line in lines {
        put(Table::OpnameLine.pair(line.opname_id.as_str(), line.sku.as_str()), line, out)?;
    }
    put_while(!opname.state.is_over(), Table::Opname.key(opname.opname_id.as_str()), opname, out)
}

/// Lists an order either among those with outstanding goods or among the finished ones.
pub fn ordered(order: &PurchaseOrder, out: &mut Vec<RowOp>) -> Encoded {
    let over = matches!(order.state, OrderState::Closed | OrderState::Cancelled);
    put_while(!over, Table::PurchaseOrder.key(&order.po_id), order, out)?;
    put_while(over, Table::OverOrder.key(&order.po_id), order, out)
}

/// Key of a delivery note.
pub fn delivery_note_key(supplier: &str, note: &str) -> Vec<u8> {
    Table::DeliveryNote.pair(supplier, note)
}

fn put_while<T: serde::Serialize>(under_way: bool, key: Vec<u8>, row: &T, out: &mut Vec<RowOp>) -> Encoded {
    if under_way {
        return put(key, row, out);
    }
    delete(key, out);
    Ok(())
}
