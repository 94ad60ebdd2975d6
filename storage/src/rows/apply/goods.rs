//! Rows of stock documents that are under way; those that are over are history.

use super::super::RowOp;
use super::super::table::Table;
use super::{Encoded, delete, put};
use domain::adjustment::AdjustmentState;
use domain::event::Event;

pub fn ops(event: &Event, out: &mut Vec<RowOp>) -> Encoded {
    match event {
        Event::ReceivingPosted { receiving, .. } => match &receiving.delivery_note_no {
            // A note without a supplier is unique among its like: the ledger's rule.
            Some(note) => {
                let supplier = receiving.supplier_id.as_deref().unwrap_or_default();
                put(delivery_note_key(supplier, note), &receiving.receiving_id, out)
            }
            None => Ok(()),
        },
        Event::ReceivingReversed { freed, .. } => {
            freed.iter().for_each(|note| delete(delivery_note_key(&note.supplier_id, &note.number), out));
            Ok(())
        }
        Event::AdjustmentChanged { adjustment, .. } => {
            let key = Table::Adjustment.key(adjustment.adjustment_id.as_str());
            put_while(adjustment.state == AdjustmentState::Pending, key, adjustment, out)
        }
        Event::TransferChanged { transfer, .. } => {
            let key = Table::Transfer.key(transfer.transfer_id.as_str());
            put_while(!transfer.settled(), key, transfer, out)
        }
        Event::OpnameChanged { opname, lines, .. } => {
            for line in lines {
                put(Table::OpnameLine.pair(line.opname_id.as_str(), line.sku.as_str()), line, out)?;
            }
            let key = Table::Opname.key(opname.opname_id.as_str());
            put_while(!opname.state.over(), key, opname, out)
        }
        _ => Ok(()),
    }
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
