//! Matching by amount and date, where that leaves no choice.

use crate::model::base::figures::Money;
use crate::rules::books::settlement::matching::Matcher;
use crate::rules::books::settlement::{OpenItem, OpenLine, Rule};
use std::collections::BTreeMap;

impl<'a> Matcher<'a> {
    /// Lines whose amount names their items. Lines that name a store come first.
    pub(super) fn by_amount(&mut self) {
        let mut groups: BTreeMap<(bool, &'a str, Money), Vec<&'a OpenLine>> = BTreeMap::new();
        for line in self.lines.values() {
            if let Some(gross) = line.gross {
                let store = line.store_id.as_deref();
                groups.entry((store.is_none(), store.unwrap_or_default(), gross)).or_default().push(line);
            }
        }
        let mut by_amount: BTreeMap<Money, Vec<&'a OpenItem>> = BTreeMap::new();
        for item in self.items.values().filter(|item| item.kind.is_of_customers()) {
            by_amount.entry(item.amount).or_default().push(item);
        }
        for ((any_store, store_id, gross), lines) in groups {
            let store = Some(store_id).filter(|_| !any_store);
            let equal = by_amount.get(&gross).map(Vec::as_slice).unwrap_or_default();
            let free = equal.iter().copied().filter(|item| item.may_be_of(store) && self.is_free(item));
            let items: Vec<&'a OpenItem> = free.collect();
            self.of_amount(lines, items);
        }
    }

    fn of_amount(&mut self, lines: Vec<&'a OpenLine>, items: Vec<&'a OpenItem>) {
        let terms = self.terms;
        let reaches = |line: &OpenLine, item: &OpenItem| terms.in_window(line.date, item.business_date);
        let near: Vec<&'a OpenItem> =
            items.into_iter().filter(|item| lines.iter().any(|line| reaches(line, item))).collect();
        let reported: Vec<&'a OpenLine> =
            lines.into_iter().filter(|line| near.iter().any(|item| reaches(line, item))).collect();
        let Some(first) = near.first() else { return };
        let alike = (first.business_date, &first.store_id);
        let one_day = near.iter().all(|item| (item.business_date, &item.store_id) == alike);
        let pairs: Vec<(&'a OpenLine, &'a OpenItem)> =
            reported.iter().copied().zip(near.iter().copied()).collect();
        let certain = reported.len() == near.len() || one_day;
        if certain && pairs.iter().all(|(line, item)| reaches(line, item)) {
            for (line, item) in pairs {
                self.settle(Rule::Amount, &[line], &[item]);
            }
            return;
        }
        for line in reported {
            let fit = near.iter().copied().filter(|item| reaches(line, item)).map(|item| vec![item]);
            let groups = fit.collect();
            self.ambiguous(line, groups);
        }
    }
}
