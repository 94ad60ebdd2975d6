//! Rollups: the sums behind reports, by store, business date, the day in the books, and their subject. They are updated
//! in the transaction that applies the event.

use crate::db::insert::{self, Cell, NewRow};
use sqlx::{AnyConnection, AssertSqlSafe, Error};
use std::collections::BTreeMap;

/// A table of sums.
#[derive(Debug)]
pub struct Rollup {
    /// Name of the table.
    pub table: &'static str,
    /// The columns of its key.
    pub key: &'static [&'static str],
    /// The columns that are summed.
    pub figures: &'static [&'static str],
    columns: &'static [&'static str],
}

macro_rules! rollups {
    ($($(#[$doc:meta])* $name:ident $table:literal [$($key:literal),+] [$($figure:literal),+];)+) => {
        $($(#[$doc])* pub static $name: Rollup = Rollup {
            table: $table,
            key: &[$($key),+],
            figures: &[$($figure),+],
            columns: &[$($key,)+ $($figure),+],
        };)+
        /// All of them.
        pub static ROLLUPS: &[&Rollup] = &[$(&$name),+];
    };
}

rollups! {
    /// Sales and returns, each document once: by day and store.
    SALES_DAYS "sales_days" ["store_id", "business_date", "entry_date"]
        ["sales_count", "items_count", "gross", "discount", "tax", "total", "rounding", "returns_count",
         "returns_total", "returns_tax", "returns_rounding"];
    /// Sales and returns by hour. There are none by hour and till, which no report reads and which would be many rows.
    SALES_HOURS "sales_hours" ["store_id", "business_date", "entry_date", "hour"]
        ["sales_count", "items_count", "gross", "discount", "tax", "total", "rounding", "returns_count",
         "returns_total", "returns_tax", "returns_rounding"];
    /// Sales and returns by till and cashier.
    SALES_CASHIERS "sales_cashiers" ["store_id", "business_date", "entry_date", "register_id", "cashier_id"]
        ["sales_count", "items_count", "gross", "discount", "tax", "total", "rounding", "returns_count",
         "returns_total", "returns_tax", "returns_rounding"];
    /// Sold and returned quantities of a product, with its category at the time.
    SALES_SKUS "sales_skus" ["store_id", "business_date", "entry_date", "sku", "category"]
        ["sales_count", "items_count", "gross", "discount", "tax", "total", "cost", "returns_count",
         "returned_qty", "refund", "refund_tax", "refund_cost"];
    /// Quantities of a product by month: a range is read by its whole months, and by days at its ends.
    SALES_SKU_MONTHS "sales_sku_months" ["store_id", "business_month", "entry_month", "sku", "category"]
        ["sales_count", "items_count", "gross", "discount", "tax", "total", "cost", "returns_count",
         "returned_qty", "refund", "refund_tax", "refund_cost"];
    /// Sales and returns of a category by day: a document counts once in each category.
    SALES_CATEGORIES "sales_categories" ["store_id", "business_date", "entry_date", "category"]
        ["sales_count", "items_count", "gross", "discount", "tax", "total", "cost", "returns_count",
         "returned_qty", "refund", "refund_tax", "refund_cost"];
    /// Amounts that were paid and given back by a method.
    SALES_METHODS "sales_methods" ["store_id", "business_date", "entry_date", "method", "cashier_id"]
        ["sales_count", "payments_count", "total", "rounding", "returns_count", "refunds", "refunds_rounding"];
    /// Sales and returns at a tax rate; returns have the code of the sale.
    SALES_TAXES "sales_taxes" ["store_id", "business_date", "entry_date", "tax_code", "tax_rate_bp"]
        ["sales_count", "base", "tax", "returns_count", "returns_base", "returns_tax"];
    /// Discounts of a promotion.
    SALES_PROMOTIONS "sales_promotions" ["store_id", "business_date", "entry_date", "promotion_id"]
        ["uses", "discount", "net_sales"];
    /// Sales to members, and their points, by the tier of the time.
    MEMBER_DAYS "member_days" ["store_id", "business_date", "entry_date", "tier"]
        ["sales_count", "total", "member_sales_count", "member_total", "points_earned", "points_redeemed",
         "points_reversed", "points_returned", "points_expired", "points_adjusted"];
    /// Cash of shifts; a deposit has no shift.
    CASH_DAYS "cash_days" ["store_id", "business_date", "entry_date", "shift_id", "register_id", "cashier_id"]
        ["shifts", "opening_float", "sales", "refunds", "pay_in", "pay_out", "drops", "expected", "counted",
         "recounts", "deposited"];
    /// Moved pieces and value, on the shelf and among the damaged, by reason.
    STOCK_DAYS "stock_days" ["store_id", "business_date", "entry_date", "sku", "reason"]
        ["qty", "value", "correction", "damaged_qty", "damaged_value"];
    /// Moved pieces and value by month in the books.
    STOCK_MONTHS "stock_months" ["store_id", "entry_month", "sku", "reason"]
        ["qty", "value", "correction", "damaged_qty", "damaged_value"];
    /// Damaged pieces, and those that wait for their supplier.
    DAMAGED "damaged" ["store_id", "sku"]
        ["qty", "value"];
}

/// Pieces and value on their way from a store. Two stores report them: they are no sums of one store's records, and
/// `verify` compares them with account 1220.
pub static TRANSIT: Rollup = Rollup {
    table: "transit",
    key: &["store_id", "sku"],
    figures: &["qty", "value"],
    columns: &["store_id", "sku", "qty", "value"],
};

/// Movements of pieces and value in transit, by the day in the sender's book.
pub static TRANSIT_DAYS: Rollup = Rollup {
    table: "transit_days",
    key: &["store_id", "entry_date", "sku"],
    figures: &["qty", "value"],
    columns: &["store_id", "entry_date", "sku", "qty", "value"],
};

/// Part of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// TEXT.
    Text(String),
    /// BIGINT.
    Number(i64),
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Part {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<Part> for Cell {
    fn from(part: Part) -> Self {
        match part {
            Part::Text(text) => Self::Text(text),
            Part::Number(number) => Self::Int(number),
        }
    }
}

/// Rows of one table, by their keys.
type Rows = BTreeMap<Vec<Part>, Vec<i64>>;

/// Amounts that a batch adds to the rollups: one row for each key. Sums saturate: a poisoned one then fails
/// at its bound.
#[derive(Debug, Default)]
pub struct RollupSums(BTreeMap<&'static str, (&'static Rollup, Rows)>);

impl RollupSums {
    /// Adds to figures, by their names.
    pub fn add<const N: usize>(&mut self, rollup: &'static Rollup, key: Vec<Part>, parts: [(&str, i64); N]) {
        debug_assert!(key.len() == rollup.key.len(), "a key of another table");
        if parts.iter().all(|(_, part)| *part == 0) {
            return;
        }
        let (_, rows) = self.0.entry(rollup.table).or_insert_with(|| (rollup, Rows::new()));
        let sums = rows.entry(key).or_insert_with(|| vec![0; rollup.figures.len()]);
        for (name, part) in parts {
            let place = rollup.figures.iter().position(|figure| *figure == name);
            debug_assert!(place.is_some(), "{} has no figure {name}", rollup.table);
            if let Some(sum) = place.and_then(|place| sums.get_mut(place)) {
                *sum = sum.saturating_add(part);
            }
        }
    }

    /// Adds others to them.
    pub fn merge(&mut self, others: Self) {
        for (table, (rollup, rows)) in others.0 {
            let (_, known) = self.0.entry(table).or_insert_with(|| (rollup, Rows::new()));
            for (key, sums) in rows {
                let known = known.entry(key).or_insert_with(|| vec![0; sums.len()]);
                known.iter_mut().zip(sums).for_each(|(known, sum)| *known = known.saturating_add(sum));
            }
        }
    }

    pub fn rows(&self) -> usize {
        self.0.values().map(|(_, rows)| rows.len()).fold(0, usize::saturating_add)
    }

    /// Adds them to the tables, one upsert for each key.
    pub async fn write(self, connection: &mut AnyConnection) -> Result<(), Error> {
        self.write_into(connection, "").await
    }

    /// Adds the rows to tables with the same columns and this prefix in their names.
    pub async fn write_into(self, connection: &mut AnyConnection, prefix: &str) -> Result<(), Error> {
        for (rollup, rows) in self.0.into_values() {
            let row = |(key, sums): (Vec<Part>, Vec<i64>)| NewRow {
                columns: rollup.columns,
                cells: key.into_iter().map(Cell::from).chain(sums.into_iter().map(Cell::from)).collect(),
            };
            let rows = rows.into_iter().map(row).collect();
            let table = format!("{prefix}{}", rollup.table);
            insert::sums(&mut *connection, &table, rollup.key, rows).await?;
        }
        Ok(())
    }
}

/// Empties every rollup of a store.
pub async fn clear(connection: &mut AnyConnection, store_id: &str) -> Result<(), Error> {
    for rollup in ROLLUPS {
        let sql = format!("DELETE FROM {} WHERE store_id = $1", rollup.table);
        sqlx::query(AssertSqlSafe(sql)).bind(store_id.to_owned()).execute(&mut *connection).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn sums_of_one_key_are_one_row_and_what_comes_to_nothing_is_none() {
        let key = || vec![Part::from("S001"), Part::from("A")];
        let of = |parts: &[[(&str, i64); 1]]| {
            let mut sums = RollupSums::default();
            parts.iter().for_each(|part| sums.add(&DAMAGED, key(), *part));
            sums
        };
        assert_eq!(of(&[[("qty", 0)], [("value", 0)]]).rows(), 0);
        let mut sums = of(&[[("qty", 2)], [("value", 500)], [("value", i64::MAX)]]);
        sums.merge(of(&[[("qty", -3)]]));
        let (_, rows) = sums.0.pop_first().unwrap().1;
        assert_eq!(Vec::from_iter(rows), [(key(), vec![-1, i64::MAX])]);
    }
}
