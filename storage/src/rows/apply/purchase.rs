//! Rows of purchasing: suppliers, and the orders that goods may still come for.

use super::super::RowOp;
use super::super::table::Table;
use super::{Encoded, delete, put};
use domain::event::Event;
use domain::purchase::OrderState;

pub fn ops(event: &Event, out: &mut Vec<RowOp>) -> Encoded {
    match event {
        Event::SupplierChanged { supplier } => put(Table::Supplier.key(&supplier.supplier_id), supplier, out),
        Event::PurchaseOrderChanged { order } => {
            let key = Table::PurchaseOrder.key(&order.po_id);
            if matches!(order.state, OrderState::Closed | OrderState::Cancelled) {
                delete(key, out);
                return Ok(());
            }
            put(key, order, out)
        }
        Event::OrderProgressed { progress } => put(Table::OrderProgress.key(&progress.po_id), progress, out),
        _ => Ok(()),
    }
}
