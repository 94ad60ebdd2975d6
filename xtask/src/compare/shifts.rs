//! Each shift's summary beside what the file says of the documents that were made in it.

use super::differing;
use super::store::Shift;
use crate::books::Books;
use crate::figures::{Account, Figures};
use crate::till::Seen;
use std::collections::BTreeMap;

/// Only what a summary tells.
pub(super) fn told(account: Account) -> Account {
    let told = Figures { lines: 0, lines_back: 0, pieces_back: 0, earned: 0, reversed: 0, ..account.figures };
    Account { figures: told, money: account.money }
}

/// Every figure of a shift under its own name.
fn spread(shift_id: &str, shift: &Shift) -> Vec<(String, i64)> {
    let at = |name: &str| format!("{shift_id} {name}");
    let mut figures = shift.account.figures.clone();
    let mut all: Vec<(String, i64)> =
        figures.each().into_iter().map(|(name, value)| (at(name), *value)).collect();
    for (method, flow) in &shift.account.money {
        all.push((at(&format!("{method} sales")), flow.came));
        all.push((at(&format!("{method} refunds")), flow.went));
    }
    all.push((at("expected cash"), shift.expected_cash));
    all
}

/// Figures of shifts that the file and the summaries know differently.
pub fn amiss(
    file: &Books,
    tills: &BTreeMap<&str, &Seen>,
    summaries: &BTreeMap<String, Shift>,
) -> Vec<String> {
    let mut expected = BTreeMap::new();
    for (shift_id, seen) in tills {
        let account = told(file.together(seen.documents.keys()));
        let expected_cash = seen.opening_float + account.cash();
        expected.extend(spread(shift_id, &Shift { account, expected_cash }));
    }
    let found: BTreeMap<String, i64> = summaries.iter().flat_map(|(id, shift)| spread(id, shift)).collect();
    differing(&expected, &found)
}
