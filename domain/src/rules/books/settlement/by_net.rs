//! Matching one amount with many items: groups are whole days of stores, never any subset.

use crate::model::base::figures::Money;
use crate::rules::books::settlement::exception::ExceptionKind;
use crate::rules::books::settlement::item::ItemKey;
use crate::rules::books::settlement::matching::Matcher;
use crate::rules::books::settlement::{OpenItem, OpenLine, Rule, Terms, reference_key};
use jiff::civil::Date;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub gross: i128,
    /// Fees that are expected.
    pub fee: i128,
    pub count: i64,
}

impl Sums {
    pub(super) fn add(&mut self, gross: Money, fee: Money, count: i64) {
        self.join(Self { gross: i128::from(gross), fee: i128::from(fee), count });
    }

    fn join(&mut self, other: Self) {
        self.gross = self.gross.saturating_add(other.gross);
        self.fee = self.fee.saturating_add(other.fee);
        self.count = self.count.saturating_add(other.count);
    }

    /// Whether a line may be all of it.
    fn is_all_of(&self, line: &OpenLine, terms: &Terms) -> bool {
        if self.count == 0 || line.gross.is_some_and(|gross| i128::from(gross) != self.gross) {
            return false;
        }
        let fee = match (line.fee, line.net) {
            (Some(fee), _) => i128::from(fee),
            (None, Some(net)) => self.gross.saturating_sub(i128::from(net)),
            (None, None) => return line.gross.is_some(),
        };
        match terms.fee_rate_bp {
            Some(_) => terms.is_near(fee, self.fee, self.count),
            None => fee == i128::from(line.fee.unwrap_or_default()),
        }
    }
}

/// All items of a store, or of all stores, of some days.
#[derive(Debug, Clone, Copy)]
struct Group<'a> {
    store_id: Option<&'a str>,
    from: Date,
    to: Date,
}

/// Items of customers by their reference, in their order.
type ByKey<'a> = BTreeMap<String, Vec<&'a OpenItem>>;

/// Sums of each day, in order.
type Days = BTreeMap<Date, Sums>;

/// Runs of days: of one day, or of more than one.
fn runs<'a>(store_id: Option<&'a str>, days: &Days, long: bool) -> Vec<(Group<'a>, Sums)> {
    let mut runs = Vec::new();
    for (from, first) in days {
        let mut sums = *first;
        if !long {
            runs.push((Group { store_id, from: *from, to: *from }, sums));
            continue;
        }
        for (to, more) in days.range(*from..).skip(1) {
            sums.join(*more);
            runs.push((Group { store_id, from: *from, to: *to }, sums));
        }
    }
    runs
}

impl<'a> Matcher<'a> {
    /// Free items of customers by their reference.
    fn by_key(&self) -> ByKey<'a> {
        let mut by_key = ByKey::new();
        for item in self.items.values().filter(|item| item.kind.is_of_customers()) {
            item.reference_key().into_iter().for_each(|key| by_key.entry(key).or_default().push(item));
        }
        by_key
    }

    /// Lines that have only a net amount and the reference of items. They are matched with those items even if others
    /// have the same amount.
    pub(super) fn by_reference_of_net(&mut self) {
        let by_key = self.by_key();
        let net_only = self.lines.values().copied().filter(|line| line.gross.is_none() && line.net.is_some());
        let lines: Vec<&'a OpenLine> = net_only.collect();
        for line in &lines {
            if let Some(items) = self.of_its_key(line, &by_key) {
                self.settle(Rule::Reference, &[line], &items);
            }
        }
        let mut of_key: BTreeMap<String, Vec<&'a OpenLine>> = BTreeMap::new();
        for line in lines.into_iter().filter(|line| self.lines.contains_key(&line.sort_key())) {
            reference_key(&line.reference)
                .into_iter()
                .for_each(|key| of_key.entry(key).or_default().push(line));
        }
        for (key, lines) in of_key {
            let items = by_key.get(&key).map(|items| self.reached(lines.first().copied(), items));
            if let ([line], Some([item])) = (lines.as_slice(), items.as_deref())
                && line.amount().signum() == item.amount.signum()
            {
                let (line, item) = (*line, *item);
                self.settle(Rule::Reference, &[line], &[item]);
                let difference = self.found.matches.last().map_or(Money::ZERO, |made| made.difference);
                self.raise(ExceptionKind::AmountDiffers, &[line], &[item], difference);
            }
        }
    }

    /// Lines that are the only group of items of their days, fees taken off.
    pub(super) fn by_net(&mut self) {
        let lines: Vec<&'a OpenLine> = self.lines.values().copied().collect();
        let by_key = self.by_key();
        for line in lines {
            if line.gross.is_none() && line.net.is_none() {
                continue;
            }
            if let Some(items) = self.of_its_key(line, &by_key) {
                self.settle(Rule::Net, &[line], &items);
                continue;
            }
            let groups = self.accepted(line);
            let mut named: Vec<Vec<&'a OpenItem>> =
                groups.into_iter().map(|group| self.items_of(group)).collect();
            match (named.len(), named.pop()) {
                (1, Some(items)) => self.settle(Rule::Net, &[line], &items),
                (_, Some(last)) => {
                    named.push(last);
                    self.ambiguous(line, named);
                }
                (_, None) => {}
            }
        }
    }

    /// The items of its reference, where it may be all of them.
    fn of_its_key(&self, line: &OpenLine, by_key: &ByKey<'a>) -> Option<Vec<&'a OpenItem>> {
        let items = self.reached(Some(line), by_key.get(&reference_key(&line.reference)?)?);
        let mut sums = Sums::default();
        for item in &items {
            sums.add(item.amount, self.terms.fee(item.amount), 1);
        }
        sums.is_all_of(line, &self.terms).then_some(items)
    }

    /// The items of a line's reference that are within its reach.
    fn reached(&self, line: Option<&OpenLine>, items: &[&'a OpenItem]) -> Vec<&'a OpenItem> {
        let Some(line) = line else { return Vec::new() };
        let fits = |item: &&OpenItem| {
            self.terms.in_named_window(line.date, item.business_date)
                && item.may_be_of(line.store_id.as_deref())
                && self.is_free(item)
        };
        items.iter().copied().filter(fits).collect()
    }

    /// The groups of the first level that has any.
    fn accepted(&self, line: &OpenLine) -> Vec<Group<'a>> {
        let first = self.terms.first_day(line.date);
        let mut stores: BTreeMap<&'a str, Days> = BTreeMap::new();
        let mut all = Days::new();
        let cells = self.cells.range((first, "")..).take_while(|((day, _), _)| *day <= line.date);
        for ((day, store_id), sums) in cells {
            if line.store_id.as_deref().is_none_or(|of| of == *store_id) {
                stores.entry(store_id).or_default().insert(*day, *sums);
                all.entry(*day).or_default().join(*sums);
            }
        }
        for (over_all, long) in [(false, false), (false, true), (true, false), (true, true)] {
            let level: Vec<(Group<'a>, Sums)> = match over_all {
                false => {
                    stores.iter().flat_map(|(store_id, days)| runs(Some(*store_id), days, long)).collect()
                }
                true if line.store_id.is_some() => Vec::new(),
                true => runs(None, &all, long),
            };
            let fit = level.into_iter().filter(|(_, sums)| sums.is_all_of(line, &self.terms));
            let groups: Vec<Group<'a>> = fit.map(|(group, _)| group).collect();
            if !groups.is_empty() {
                return groups;
            }
        }
        Vec::new()
    }

    /// Unmatched items of customers in a group.
    fn items_of(&self, group: Group<'_>) -> Vec<&'a OpenItem> {
        let from = ItemKey::first_of_day(group.from);
        let items = self.items.range(from..).map(|(_, item)| *item);
        let items = items.take_while(|item| item.business_date <= group.to);
        items.filter(|item| item.kind.is_of_customers() && item.may_be_of(group.store_id)).collect()
    }
}
