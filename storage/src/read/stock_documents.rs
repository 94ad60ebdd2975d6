//! Reads of adjustments, transfers and stock counts.

use super::{Listed, Read, StockDocuments, document};
use crate::journal::index::{document, list};
use crate::rows::table::Table;
use domain::model::base::event::Event;
use domain::model::base::ids::{AdjustmentId, OpnameId, Sku, TransferId};
use domain::model::inventory::adjustment::Adjustment;
use domain::model::inventory::opname::{Opname, OpnameLine};
use domain::model::inventory::transfer::Transfer;
use domain::model::inventory::write_off::WrittenOff;
use std::sync::Arc;

impl StockDocuments<'_> {
    /// Whether a step of this document is in the journal, of whatever noun it is.
    pub fn has_step(&self, id: &str) -> Read<bool> {
        let step = self.0.history.find(document(id), |body| {
            let of = |event: &Event| event.fact.document().is_some_and(|(_, known)| known == id);
            Ok(body.events()?.iter().any(of).then_some(()))
        })?;
        Ok(step.is_some())
    }

    document!(
        adjustment,
        adjustments,
        Adjustment,
        AdjustmentId,
        adjustment_id,
        AdjustmentChanged { adjustment }
    );

    /// Adjustments that wait for a decision.
    pub fn pending_adjustments(&self) -> Read<Vec<Adjustment>> {
        self.0.rows.page(Table::Adjustment, None, usize::MAX)
    }

    /// What people have written off without an approval, one row for each person.
    pub fn written_off(&self) -> Read<Vec<WrittenOff>> {
        self.0.rows.page(Table::WrittenOff, None, usize::MAX)
    }

    document!(transfer, transfers, Transfer, TransferId, transfer_id, TransferChanged { transfer });

    /// Transfers that are not over.
    pub fn open_transfers(&self) -> Read<Arc<Vec<Transfer>>> {
        self.0.rows.known.transfers.get(|| self.0.rows.page(Table::Transfer, None, usize::MAX))
    }

    document!(opname, opnames, Opname, OpnameId, opname_id, OpnameChanged { opname });

    /// Counts that are not over.
    pub fn open_opnames(&self) -> Read<Vec<Opname>> {
        self.0.rows.page(Table::Opname, None, usize::MAX)
    }

    /// Count of one product.
    pub fn opname_line(&self, id: &OpnameId, sku: &Sku) -> Read<Option<OpnameLine>> {
        let row = self.0.rows.get(&Table::OpnameLine.pair(id.as_str(), sku.as_str()))?;
        row.map(|bytes| self.0.rows.decoded(&bytes)).transpose()
    }

    /// Counted lines of a count, over or not, after a sku, in order of sku (bytes).
    pub fn opname_lines(&self, id: &OpnameId, after: Option<&Sku>, limit: usize) -> Read<Vec<OpnameLine>> {
        let prefix = Table::OpnameLine.pair(id.as_str(), "");
        let rows = self.0.rows.range(&prefix, after.map(|sku| sku.as_str().as_bytes()), limit)?;
        rows.iter().map(|(_, bytes)| self.0.rows.decoded(bytes)).collect()
    }
}
