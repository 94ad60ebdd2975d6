//! Current rows of the till and the stock room: holds, what became of sales, documents under way.

use super::Read;
use crate::handle::Storage;
use crate::rows::table::Table;
use domain::adjustment::Adjustment;
use domain::day::{Day, ReopenedDay};
use domain::deposit::SafeOpening;
use domain::hold::Hold;
use domain::ids::{HoldId, OpnameId, ShiftId, Sku, TransactionId};
use domain::opname::{Opname, OpnameLine};
use domain::promotion::Promotion;
use domain::purchase::{OrderProgress, PurchaseOrder, Supplier};
use domain::returns::SaleAfter;
use domain::shift::Shift;
use domain::transfer::Transfer;
use jiff::civil::Date;
use std::sync::Arc;

impl Storage {
    /// A hold that waits.
    pub fn hold(&self, id: &HoldId) -> Read<Option<Hold>> {
        self.rows().row(Table::Hold, id.as_str())
    }

    /// The holds that wait, oldest first.
    pub fn holds(&self) -> Read<Vec<Hold>> {
        self.rows().page(Table::Hold, None, usize::MAX)
    }

    /// What became of a sale; none: it is as it was sold.
    pub fn sale_after(&self, sale: &TransactionId) -> Read<Option<SaleAfter>> {
        self.rows().row(Table::SaleAfter, sale.as_str())
    }

    /// Promotions, in order of id; read from the disk only after one changed.
    pub fn promotions(&self) -> Read<Arc<Vec<Promotion>>> {
        self.rows().promotions.get(|| self.rows().page(Table::Promotion, None, usize::MAX))
    }

    /// Adjustments that wait for a decision.
    pub fn pending_adjustments(&self) -> Read<Vec<Adjustment>> {
        self.rows().page(Table::Adjustment, None, usize::MAX)
    }

    /// Transfers that are not over.
    pub fn open_transfers(&self) -> Read<Vec<Transfer>> {
        self.rows().page(Table::Transfer, None, usize::MAX)
    }

    /// Counts that are not over.
    pub fn open_opnames(&self) -> Read<Vec<Opname>> {
        self.rows().page(Table::Opname, None, usize::MAX)
    }

    /// Counted lines of a count, over or not, after a sku, in order of sku (bytes).
    pub fn opname_lines(&self, id: &OpnameId, after: Option<&Sku>, limit: usize) -> Read<Vec<OpnameLine>> {
        let prefix = Table::OpnameLine.pair(id.as_str(), "");
        let rows = self.rows().range(&prefix, after.map(|sku| sku.as_str().as_bytes()), limit)?;
        rows.iter().map(|(_, bytes)| self.rows().decoded(bytes)).collect()
    }

    /// A sealed day.
    pub fn day(&self, date: Date) -> Read<Option<Day>> {
        self.rows().row(Table::Day, &date.to_string())
    }

    /// Shifts of business dates, the newest first: from a date on, up to one, before the last one of a page.
    pub fn shifts_back(
        &self,
        (from, to): (Option<Date>, Option<Date>),
        before: Option<&(Date, ShiftId)>,
        limit: usize,
    ) -> Read<Vec<Shift>> {
        let table = Table::DayShift;
        let from = table.key(&from.map(|date| date.to_string()).unwrap_or_default());
        // Behind all shifts of that date, whose keys go on with a zero byte; else behind the table.
        let to = to.map_or_else(|| vec![table as u8 + 1], |date| table.key(&format!("{date}\u{1}")));
        let before = before.map_or_else(
            || to.clone(),
            |(date, id)| table.pair(&date.to_string(), id.as_str()).min(to.clone()),
        );
        let keys = self.rows().range_back(&from, &before, limit)?;
        let id = |key: &[u8]| {
            let id = key.split(|byte| *byte == 0).nth(1).unwrap_or_default();
            String::from_utf8_lossy(id).into_owned()
        };
        keys.iter().filter_map(|(key, _)| self.rows().row(Table::Shift, &id(key)).transpose()).collect()
    }

    /// What lay in the safe when the books began, if somebody said.
    pub fn safe_opening(&self) -> Read<Option<SafeOpening>> {
        self.rows().row(Table::SafeOpening, "")
    }

    /// All sealed days, in order.
    pub fn sealed_days(&self) -> Read<Vec<Day>> {
        self.rows().page(Table::Day, None, usize::MAX)
    }

    /// Days that are open again, in order.
    pub fn reopened_days(&self) -> Read<Vec<ReopenedDay>> {
        self.rows().page(Table::ReopenedDay, None, usize::MAX)
    }

    /// Days with shifts that are not sealed, in order; one look for each day that ever had a shift.
    pub fn unsealed_days(&self) -> Read<Vec<Date>> {
        let mut days = Vec::new();
        let mut after: Option<Vec<u8>> = None;
        loop {
            let found = self.rows().range(&[Table::DayShift as u8], after.as_deref(), 1)?;
            let Some((key, _)) = found.first() else { return Ok(days) };
            let day = key.get(1..).unwrap_or_default().split(|byte| *byte == 0).next().unwrap_or_default();
            if let Some(date) = std::str::from_utf8(day).ok().and_then(|day| day.parse().ok())
                && self.day(date)?.is_none()
            {
                days.push(date);
            }
            // Behind all its shifts, whose keys go on with a zero byte.
            after = Some([day, &[1]].concat());
        }
    }

    /// A supplier.
    pub fn supplier(&self, id: &str) -> Read<Option<Supplier>> {
        self.rows().row(Table::Supplier, id)
    }

    /// Suppliers after an id, in order of id.
    pub fn suppliers(&self, after: Option<&str>, limit: usize) -> Read<Vec<Supplier>> {
        self.rows().page(Table::Supplier, after, limit)
    }

    /// A purchase order as head office has it; closed and cancelled ones are gone.
    pub fn purchase_order(&self, id: &str) -> Read<Option<PurchaseOrder>> {
        self.rows().row(Table::PurchaseOrder, id)
    }

    /// Purchase orders after an id, in order of id, as head office has them.
    pub fn purchase_orders(&self, after: Option<&str>, limit: usize) -> Read<Vec<PurchaseOrder>> {
        self.rows().page(Table::PurchaseOrder, after, limit)
    }

    /// What came of an order in this store; none: nothing yet.
    pub fn order_progress(&self, id: &str) -> Read<Option<OrderProgress>> {
        self.rows().row(Table::OrderProgress, id)
    }
}
