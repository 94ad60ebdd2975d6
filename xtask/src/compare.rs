//! What the file, the tills, the store and the hub say about the same sales.

use crate::figures::Figures;
use crate::hubside::HubSide;
use crate::replay::input::Expected;
use crate::rest::{Api, figure, text};
use crate::table::{Row, print_comparison};
use crate::till::Till;
use anyhow::Context;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Who is asked, in this order.
const PARTIES: [&str; 4] = ["file", "tills", "store", "hub"];

/// The store's own account of the shifts.
#[derive(Default)]
pub struct StoreSide {
    /// Sums of the shift summaries.
    pub sums: Figures,
    /// Σ expected cash of the shifts.
    pub cash: i64,
    /// Σ variance of the shifts.
    pub variance: i64,
    /// Paid transactions listed by the store: id and receipt number.
    pub receipts: BTreeMap<String, String>,
    /// On hand by sku.
    pub stock: BTreeMap<String, i64>,
}

impl StoreSide {
    /// Adds a closed shift's summary.
    pub fn add_summary(&mut self, summary: &Value) -> anyhow::Result<()> {
        let tax = figure(summary, "/tax")?;
        self.sums.add(&Figures {
            sales: figure(summary, "/sales_count")?,
            pieces: figure(summary, "/items_count")?,
            subtotal: figure(summary, "/gross_sales")?,
            discount: figure(summary, "/discounts")?,
            tax,
            total: figure(summary, "/net_sales")? + tax,
            overrides: figure(summary, "/price_overrides")?,
            ..Figures::default()
        });
        self.cash += figure(summary, "/cash/expected")?;
        self.variance += figure(summary, "/shift/variance")?;
        Ok(())
    }

    /// Reads every sale of a shift and the stock of every product.
    pub async fn read(&mut self, manager: &Api, shifts: &[&str]) -> anyhow::Result<()> {
        for shift in shifts {
            let path = format!("/api/pos/transactions?shift_id={shift}&state=paid");
            for sale in manager.list(&path).await.context("the store's list of sales")? {
                self.sums.lines += sale.get("items").and_then(Value::as_array).map_or(0, Vec::len) as i64;
                self.receipts.insert(text(&sale, "transaction_id")?, text(&sale, "receipt_no")?);
            }
        }
        for row in manager.list("/api/stock").await.context("the store's stock")? {
            self.stock.insert(text(&row, "sku")?, figure(&row, "/on_hand")?);
        }
        Ok(())
    }
}

/// Everything that has to agree.
pub struct Comparison<'a> {
    /// From the file alone.
    pub file: Expected,
    /// The tills.
    pub tills: &'a [Till],
    /// The store.
    pub store: StoreSide,
    /// The hub.
    pub hub: HubSide,
    /// Sales that the store refused.
    pub refused: i64,
}

/// Receipt numbers that are missing or doubled in the registers' series.
fn gaps(receipts: impl Iterator<Item = String>) -> i64 {
    let mut series: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for receipt in receipts {
        let (register, number) = receipt.rsplit_once('-').unwrap_or((&receipt, "0"));
        series.entry(register.to_owned()).or_default().push(number.parse().unwrap_or(0));
    }
    let wrong = |mut numbers: Vec<u64>| {
        numbers.sort_unstable();
        numbers.iter().zip(1..).filter(|(number, place)| *number != place).count() as i64
    };
    series.into_values().map(wrong).sum()
}

/// Keys that only one side has, or that the sides have with different values.
fn differing<V: PartialEq>(one: &BTreeMap<String, V>, other: &BTreeMap<String, V>) -> i64 {
    let apart = one.iter().filter(|(key, value)| other.get(*key) != Some(*value)).count();
    let extra = other.keys().filter(|key| !one.contains_key(*key)).count();
    (apart + extra) as i64
}

impl Comparison<'_> {
    /// Prints it; true if all agree.
    pub fn print(&self) -> bool {
        let tills = self.tills.iter().fold(Figures::default(), |mut sum, till| {
            sum.add(&till.seen);
            sum
        });
        let all = |name, pick: fn(&Figures) -> i64| {
            let values =
                [&self.file.sums, &tills, &self.store.sums, &self.hub.sums].map(|side| Some(pick(side)));
            Row::new(name, values)
        };
        let no_hub = |name, pick: fn(&Figures) -> i64| {
            let [file, till, store] =
                [&self.file.sums, &tills, &self.store.sums].map(|side| Some(pick(side)));
            Row::new(name, [file, till, store, None])
        };
        let mut rows = vec![
            all("sales", |f| f.sales),
            no_hub("lines", |f| f.lines),
            all("pieces", |f| f.pieces),
            all("subtotal", |f| f.subtotal),
            all("discount", |f| f.discount),
            all("tax", |f| f.tax),
            all("total", |f| f.total),
            no_hub("price overrides", |f| f.overrides),
        ];
        rows.extend(self.cash_rows());
        rows.extend(self.identity_rows());
        rows.extend(self.stock_rows());
        print_comparison(&PARTIES, &rows)
    }

    fn cash_rows(&self) -> [Row; 2] {
        let drawers = self.tills.iter().map(|till| till.drawer).sum();
        [
            Row::new("cash in the drawers", [None, Some(drawers), Some(self.store.cash), None]),
            Row::new("cash variance", [None, Some(0), Some(self.store.variance), None]),
        ]
    }

    fn identity_rows(&self) -> [Row; 4] {
        let known: BTreeSet<_> = self.tills.iter().flat_map(|till| &till.receipts).collect();
        let listed: BTreeSet<_> = self.store.receipts.iter().collect();
        let apart = known.symmetric_difference(&listed).count() as i64;
        let count = known.len() as i64;
        let gaps = gaps(self.store.receipts.values().cloned());
        [
            Row::new(
                "distinct sales",
                [Some(self.file.sums.sales), Some(count), Some(listed.len() as i64), None],
            ),
            Row::new("sales known to one side", [None, Some(0), Some(apart), None]),
            Row::new("receipt numbers amiss", [None, Some(0), Some(gaps), None]),
            Row::new("sales refused by the store", [Some(0), Some(self.refused), None, None]),
        ]
    }

    fn stock_rows(&self) -> [Row; 3] {
        let wrong = differing(&self.file.stock, &self.store.stock);
        let missold = differing(&self.file.by_sku, &self.hub.by_sku);
        let [file, store] =
            [&self.file.stock, &self.store.stock].map(|side| Some(side.values().sum::<i64>()));
        [
            Row::new("pieces on hand", [file, None, store, None]),
            Row::new("skus with another stock", [Some(0), None, Some(wrong), None]),
            Row::new("skus with other sales", [Some(0), None, None, Some(missold)]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::{differing, gaps};
    use std::collections::BTreeMap;

    #[test]
    fn gaps_and_doubles_are_counted_per_register() {
        let count = |list: &[&str]| gaps(list.iter().map(|text| (*text).to_owned()));
        assert_eq!(count(&["S-a-00000001", "S-b-00000001", "S-a-00000002"]), 0);
        assert_eq!(count(&["S-a-00000001", "S-a-00000003"]), 1);
        assert_eq!(count(&["S-a-00000001", "S-a-00000001"]), 1);
    }

    #[test]
    fn a_difference_on_either_side_is_counted() {
        let side = |list: &[(&str, i64)]| -> BTreeMap<String, i64> {
            list.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect()
        };
        assert_eq!(differing(&side(&[("a", 1)]), &side(&[("a", 1)])), 0);
        assert_eq!(differing(&side(&[("a", 1), ("b", 2)]), &side(&[("b", 3), ("c", 4)])), 3);
    }
}
