//! Compares the file, the tills, the store and the hub about the same sales and returns.

use crate::trade::books::Books;
use crate::trade::figures::{Account, Figures, Flow};
use crate::trade::hubside::HubSide;
use crate::trade::table::{Row, print_comparison};
use crate::trade::till::Seen;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

pub mod costs;
mod shifts;
mod store;

pub use costs::Costs;
pub use store::StoreSide;

/// The parties, in this order.
const PARTIES: [&str; 4] = ["file", "tills", "store", "hub"];
/// Most differing keys of each sort that are named.
const KEYS_SHOWN: usize = 10;
/// Figures that head office does not report.
const NOT_AT_HUB: [&str; 8] = [
    "lines",
    "price overrides",
    "points earned",
    "points redeemed",
    "lines back",
    "pieces back",
    "points taken back",
    "points given back",
];

/// Everything that has to agree.
pub struct Comparison<'a> {
    /// From the file alone.
    pub file: &'a Books,
    /// The figures seen by each till, by its shift.
    pub tills: BTreeMap<&'a str, &'a Seen>,
    pub store: &'a StoreSide,
    /// Sums of the store's movements, computed again.
    pub costs: &'a Costs,
    pub hub: &'a HubSide,
    /// Sales and returns that the store refused.
    pub refused: i64,
}

/// The outcome: a table, and the differences by name.
pub struct Verdict {
    rows: Vec<Row>,
    /// Sort, and its differing keys.
    differing: Vec<(&'static str, Vec<String>)>,
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
fn differing<V: PartialEq + Debug>(one: &BTreeMap<String, V>, other: &BTreeMap<String, V>) -> Vec<String> {
    let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let apart = keys.into_iter().filter(|key| one.get(*key) != other.get(*key));
    let reported = |value: Option<&V>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:?}"));
    apart.map(|key| format!("{key}: {} / {}", reported(one.get(key)), reported(other.get(key)))).collect()
}

impl Comparison<'_> {
    pub fn verdict(&self) -> Verdict {
        let mut verdict = Verdict { rows: Vec::new(), differing: Vec::new() };
        let mut tills = Account::default();
        for seen in self.tills.values() {
            seen.documents.values().for_each(|account| tills.add(account));
        }
        self.figure_rows(&mut verdict, &tills.figures);
        self.money_rows(&mut verdict, &tills.money);
        self.cash_rows(&mut verdict);
        self.identity_rows(&mut verdict);
        self.stock_rows(&mut verdict);
        self.point_rows(&mut verdict);
        verdict
    }

    fn figure_rows(&self, verdict: &mut Verdict, tills: &Figures) {
        let sides = [&self.file.whole.figures, tills, &self.store.whole.figures, &self.hub.whole.figures];
        let [file, tills, store, hub] = sides.map(|figures| figures.clone().each().map(|(_, value)| *value));
        let names = Figures::default().each().map(|(name, _)| name);
        for ((((name, file), till), store), hub) in names.into_iter().zip(file).zip(tills).zip(store).zip(hub)
        {
            let hub = (!NOT_AT_HUB.contains(&name)).then_some(hub);
            verdict.rows.push(Row::new(name, [Some(file), Some(till), Some(store), hub]));
        }
    }

    fn money_rows(&self, verdict: &mut Verdict, tills: &BTreeMap<String, Flow>) {
        let sides = [&self.file.whole.money, tills, &self.store.whole.money, &self.hub.whole.money];
        let methods: BTreeSet<&String> = sides.into_iter().flat_map(BTreeMap::keys).collect();
        for method in methods {
            let flows = sides.map(|money| money.get(method).copied().unwrap_or_default());
            verdict.rows.push(Row::new(format!("{method}: sales"), flows.map(|flow| Some(flow.came))));
            verdict.rows.push(Row::new(format!("{method}: refunds"), flows.map(|flow| Some(flow.went))));
        }
    }

    fn cash_rows(&self, verdict: &mut Verdict) {
        let drawers = self.tills.values().map(|seen| seen.drawer).sum();
        let floats: i64 = self.tills.values().map(|seen| seen.opening_float).sum();
        let file = floats + self.file.whole.cash();
        let row = [Some(file), Some(drawers), Some(self.store.expected_cash), None];
        verdict.rows.push(Row::new("cash in the drawers", row));
        verdict.rows.push(Row::new("cash variance", [Some(0), None, Some(self.store.variance), None]));
        let shifts = shifts::amiss(self.file, &self.tills, &self.store.shifts);
        verdict.count("figures of shifts amiss", 2, shifts);
    }

    fn identity_rows(&self, verdict: &mut Verdict) {
        let spread = |(name, account): (&String, &Account)| shifts::spread(name, account);
        let file = self.file.documents.iter().flat_map(spread).collect();
        let tills = self.tills.values().flat_map(|seen| &seen.documents).flat_map(spread).collect();
        verdict.count("figures of documents amiss", 1, differing(&file, &tills));
        let known = self.tills.values().flat_map(|seen| seen.receipts.clone()).collect();
        verdict.count("receipts known to one side", 2, differing(&known, &self.store.receipts));
        let gaps = gaps(self.store.receipts.values().cloned());
        verdict.rows.push(Row::new("receipt numbers amiss", [Some(0), None, Some(gaps), None]));
        verdict.rows.push(Row::new("refused by the store", [Some(0), Some(self.refused), None, None]));
    }

    fn stock_rows(&self, verdict: &mut Verdict) {
        let known = |sku: &&String| !self.costs.left_out.contains(*sku);
        let worth = |sku: &String| self.costs.value.get(sku).copied().unwrap_or(0);
        let value = self.file.stock.keys().filter(known).map(|sku| (sku.clone(), worth(sku))).collect();
        let at_store = self.store.value.iter().filter(|(sku, _)| known(sku));
        let at_store = at_store.map(|(sku, value)| (sku.clone(), *value)).collect();
        for (name, other, file, store) in [
            ("pieces on hand", "skus with another stock", &self.file.stock, &self.store.stock),
            ("value on hand, where walked", "skus with another value", &value, &at_store),
        ] {
            let [sum, of_store] = [file, store].map(|side| Some(side.values().sum::<i64>()));
            verdict.rows.push(Row::new(name, [sum, None, of_store, None]));
            verdict.count(other, 2, differing(file, store));
        }
        verdict.count("movements at another cost", 2, self.costs.amiss.clone());
        verdict.count("skus with other sales", 3, differing(&self.file.by_sku, &self.hub.by_sku));
    }

    fn point_rows(&self, verdict: &mut Verdict) {
        let sides = [&self.file.points, &self.store.points, &self.hub.points];
        let [file, store, hub] = sides.map(|points| Some(points.values().sum::<i64>()));
        verdict.rows.push(Row::new("points of all members", [file, None, store, hub]));
        verdict.count("members amiss at the store", 2, differing(&self.file.points, &self.store.points));
        verdict.count("members amiss at the hub", 3, differing(&self.file.points, &self.hub.points));
    }
}

impl Verdict {
    /// A row with how many keys the file and one other party know differently.
    fn count(&mut self, name: &'static str, party: usize, keys: Vec<String>) {
        let mut values = [Some(0), None, None, None];
        if let Some(value) = values.get_mut(party) {
            *value = Some(keys.len() as i64);
        }
        self.rows.push(Row::new(name, values));
        if !keys.is_empty() {
            self.differing.push((name, keys));
        }
    }

    /// True if every row agrees.
    pub fn agrees(&self) -> bool {
        self.rows.iter().all(Row::agrees)
    }

    /// Prints the table and the differences; true if all agree.
    pub fn print(&self) -> bool {
        print_comparison(&PARTIES, &self.rows);
        for (name, keys) in &self.differing {
            println!("\n{name} (file / other side):");
            keys.iter().take(KEYS_SHOWN).for_each(|key| println!("  {key}"));
            if let Some(more) = keys.len().checked_sub(KEYS_SHOWN).filter(|more| *more > 0) {
                println!("  and {more} more");
            }
        }
        self.agrees()
    }
}

#[cfg(test)]
mod tests;
