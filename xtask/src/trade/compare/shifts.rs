//! Compares each shift's summary with the file's figures of the documents made in it.

use super::differing;
use super::store::Shift;
use crate::trade::books::Books;
use crate::trade::figures::{Account, Figures};
use crate::trade::till::Seen;
use std::collections::BTreeMap;

/// Only the figures that a summary has.
pub(super) fn summarised(account: Account) -> Account {
    let reported = Figures {
        lines: 0,
        lines_back: 0,
        pieces_back: 0,
        earned: 0,
        redeemed: 0,
        reversed: 0,
        given_back: 0,
        ..account.figures
    };
    Account { figures: reported, money: account.money }
}

/// Every figure of an account under a name of its own; zeros are left out.
pub(super) fn spread(of: &str, account: &Account) -> Vec<(String, i64)> {
    let at = |name: &str| format!("{of} {name}");
    let mut figures = account.figures.clone();
    let mut all: Vec<(String, i64)> =
        figures.each().into_iter().map(|(name, value)| (at(name), *value)).collect();
    for (method, flow) in &account.money {
        all.push((at(&format!("{method} sales")), flow.came));
        all.push((at(&format!("{method} refunds")), flow.went));
    }
    all.retain(|(_, value)| *value != 0);
    all
}

/// Every figure of a shift, with the expected cash of its drawer.
fn of_shift(shift_id: &str, shift: &Shift) -> Vec<(String, i64)> {
    let mut all = spread(shift_id, &shift.account);
    all.push((format!("{shift_id} expected cash"), shift.expected_cash));
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
        let account = summarised(file.together(seen.documents.keys()));
        let expected_cash = seen.opening_float + account.cash();
        expected.extend(of_shift(shift_id, &Shift { account, expected_cash }));
    }
    let found: BTreeMap<String, i64> = summaries.iter().flat_map(|(id, shift)| of_shift(id, shift)).collect();
    differing(&expected, &found)
}
