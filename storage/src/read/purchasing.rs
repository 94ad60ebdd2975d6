//! Reads of purchasing.

use super::{Listed, Purchasing, Read, document};
use crate::journal::index::{document, list};
use crate::rows::apply::delivery_note_key;
use crate::rows::table::Table;
use domain::model::base::ids::{ReceivingId, SupplierReturnId};
use domain::model::books::ledger::note_key;
use domain::model::inventory::purchase::{OrderProgress, PurchaseOrder, Supplier};
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::supplier_return::SupplierReturn;

impl Purchasing<'_> {
    /// Reads a supplier.
    pub fn supplier(&self, id: &str) -> Read<Option<Supplier>> {
        self.0.rows.row(Table::Supplier, id)
    }

    /// Suppliers after an ID, in order of ID.
    pub fn suppliers(&self, after: Option<&str>, limit: usize) -> Read<Vec<Supplier>> {
        self.0.rows.page(Table::Supplier, after, limit)
    }

    /// A purchase order as head office has it, whatever its state.
    pub fn purchase_order(&self, id: &str) -> Read<Option<PurchaseOrder>> {
        match self.0.rows.row(Table::PurchaseOrder, id)? {
            Some(order) => Ok(Some(order)),
            None => self.0.rows.row(Table::OverOrder, id),
        }
    }

    /// Purchase orders after an ID, in order of ID, as head office has them, but closed and cancelled ones.
    pub fn purchase_orders(&self, after: Option<&str>, limit: usize) -> Read<Vec<PurchaseOrder>> {
        self.0.rows.page(Table::PurchaseOrder, after, limit)
    }

    /// Pieces that this store received of an order; `None` if none yet.
    pub fn order_progress(&self, id: &str) -> Read<Option<OrderProgress>> {
        self.0.rows.row(Table::OrderProgress, id)
    }

    document!(
        receiving,
        receivings,
        Receiving,
        ReceivingId,
        receiving_id,
        ReceivingPosted { receiving } | ReceivingReversed { receiving }
    );

    /// The document that a supplier's delivery note was received with, however its number is spelt.
    pub fn delivery_note(&self, supplier: &str, note: &str) -> Read<Option<ReceivingId>> {
        let key = delivery_note_key(supplier, &note_key(note));
        let key = String::from_utf8_lossy(key.get(1..).unwrap_or_default()).into_owned();
        self.0.rows.row(Table::DeliveryNote, &key)
    }

    /// Every received delivery note: supplier, normalised number, document.
    pub fn delivery_notes(&self) -> Read<Vec<(String, String, ReceivingId)>> {
        let rows = self.0.rows.range(&[Table::DeliveryNote as u8], None, usize::MAX)?;
        rows.iter()
            .filter_map(|(key, bytes)| {
                let key = String::from_utf8_lossy(key.get(1..)?).into_owned();
                let (supplier, note) = key.split_once('\0')?;
                let id = self.0.rows.decoded(bytes);
                Some(id.map(|id| (supplier.to_owned(), note.to_owned(), id)))
            })
            .collect()
    }

    document!(
        supplier_return,
        supplier_returns,
        SupplierReturn,
        SupplierReturnId,
        supplier_return_id,
        SupplierReturnPosted { document }
    );
}
