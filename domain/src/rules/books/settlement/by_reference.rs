//! Matching by reference, key by key: lines and items of equal amounts first, then equal sums, then a single line with
//! a single item.

use crate::model::base::figures::Money;
use crate::rules::books::settlement::exception::ExceptionKind;
use crate::rules::books::settlement::matching::{Before, Matcher, total};
use crate::rules::books::settlement::{ItemKind, OpenItem, OpenLine, Rule, reference_key};
use std::collections::{BTreeMap, BTreeSet};

/// Lines and items with one key.
#[derive(Default)]
struct Group<'a> {
    lines: Vec<&'a OpenLine>,
    items: Vec<&'a OpenItem>,
}

/// Groups lines that have an amount by their keys, and adds the customers' items with these keys. Lines and items keep
/// their order.
fn groups<'a>(
    lines: impl Iterator<Item = &'a OpenLine>,
    items: impl Iterator<Item = &'a OpenItem>,
) -> BTreeMap<String, Group<'a>> {
    let mut groups: BTreeMap<String, Group<'a>> = BTreeMap::new();
    for line in lines.filter(|line| line.gross.is_some()) {
        if let Some(key) = reference_key(&line.reference) {
            groups.entry(key).or_default().lines.push(line);
        }
    }
    for item in items.filter(|item| item.kind.is_of_customers()) {
        let group = item.reference_key().and_then(|key| groups.get_mut(&key));
        group.into_iter().for_each(|group| group.items.push(item));
    }
    groups
}

/// Reference keys for which the matching needs the earlier matches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Again {
    /// Keys of matched lines.
    pub lines: BTreeSet<String>,
    /// Keys of items, needed only where a line takes money back.
    pub items: BTreeSet<String>,
}

/// Keys of lines that may repeat earlier matches. Nearly all keys have exactly one line and one item of equal amounts:
/// they are left out, because these are matched with each other whatever was matched earlier.
pub fn may_tell_again(lines: &[OpenLine], items: &[OpenItem]) -> Again {
    let is_sure = |group: &Group<'_>| match (group.lines.as_slice(), group.items.as_slice()) {
        ([line], [item]) => item.amount == line.amount() && item.may_be_of(line.store_id.as_deref()),
        _ => false,
    };
    let mut again = Again::default();
    for (key, group) in groups(lines.iter(), items.iter()) {
        if is_sure(&group) {
            continue;
        }
        if group.lines.iter().any(|line| line.amount() < 0) {
            again.items.insert(key.clone());
        }
        again.lines.insert(key);
    }
    again
}

impl<'a> Matcher<'a> {
    /// Matches lines by the references of items.
    pub(super) fn by_reference(&mut self, before: &Before) {
        let groups = groups(self.lines.values().copied(), self.items.values().copied());
        let mut back = Vec::new();
        for (key, group) in groups {
            back.extend(self.of_key(&key, group, before));
        }
        // This is last, so that refunds with references of their own are matched with their own lines first.
        for line in back {
            self.goes_back(line);
        }
    }

    /// Matches money that goes back under the reference of a matched payment: a refund by a store, or a chargeback.
    fn goes_back(&mut self, line: &'a OpenLine) {
        let fits = |item: &&OpenItem| {
            item.kind == ItemKind::Refund
                && item.amount == line.amount()
                && item.may_be_of(line.store_id.as_deref())
                && self.terms.in_named_window(line.date, item.business_date)
        };
        let refunds: Vec<&'a OpenItem> = self.items.values().copied().filter(fits).collect();
        let Some(first) = refunds.first().copied() else {
            self.raise(ExceptionKind::Chargeback, &[line], &[], line.amount());
            return;
        };
        let alike =
            |item: &&OpenItem| (item.business_date, &item.store_id) == (first.business_date, &first.store_id);
        if refunds.iter().all(alike) {
            self.settle(Rule::Reference, &[line], &[first]);
        } else {
            self.ambiguous(line, refunds.into_iter().map(|item| vec![item]).collect());
        }
    }

    /// Matches the lines of one reference. Returns the lines that reverse an earlier match under it.
    fn of_key(&mut self, key: &str, mut group: Group<'a>, before: &Before) -> Vec<&'a OpenLine> {
        let of_key = (key.to_owned(), Money::new(i64::MIN))..=(key.to_owned(), Money::new(i64::MAX));
        let mut matched: BTreeSet<Money> = before.lines.range(of_key).map(|(_, gross)| *gross).collect();
        self.pairs(&mut group, &mut matched, false);
        self.pairs(&mut group, &mut matched, true);
        let Group { lines, items } = group;
        let terms = self.terms;
        let reaches = |line: &OpenLine, item: &OpenItem| {
            item.may_be_of(line.store_id.as_deref()) && terms.in_named_window(line.date, item.business_date)
        };
        let (reported, untold): (Vec<_>, Vec<_>) =
            lines.into_iter().partition(|line| items.iter().any(|item| reaches(line, item)));
        let near: Vec<&'a OpenItem> =
            items.into_iter().filter(|item| reported.iter().any(|line| reaches(line, item))).collect();
        let mut left = untold;
        let lines_sum = total(reported.iter().map(|line| line.amount()));
        let items_sum = total(near.iter().map(|item| item.amount));
        match (reported.as_slice(), near.as_slice()) {
            (_, []) => left.extend(reported),
            _ if lines_sum == items_sum => self.settle(Rule::Reference, &reported, &near),
            // Amounts of the opposite sign are not part of the match.
            ([line], [item]) if lines_sum.signum() == items_sum.signum() => {
                let (line, item) = (*line, *item);
                self.settle(Rule::Reference, &[line], &[item]);
                let amount = items_sum.saturating_sub(lines_sum);
                self.raise(ExceptionKind::AmountDiffers, &[line], &[item], amount);
            }
            _ => left.extend(reported),
        }
        let is_matched = before.items.contains(key) || !matched.is_empty();
        let (again, left): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|line| matched.contains(&line.amount()));
        for line in again {
            self.raise(ExceptionKind::Duplicate, &[line], &[], line.amount());
        }
        left.into_iter().filter(|line| line.amount() < 0 && is_matched).collect()
    }

    /// Matches lines and items of equal amounts one by one, the oldest first, and removes them from the group. Only
    /// items within the window are matched. If `late`, items of any day are matched, and each match raises an
    /// exception.
    fn pairs(&mut self, group: &mut Group<'a>, matched: &mut BTreeSet<Money>, late: bool) {
        let Group { lines, items } = group;
        lines.retain(|&line| {
            let (terms, gross) = (self.terms, line.amount());
            let found = items.iter().position(|item| {
                let near = terms.in_named_window(line.date, item.business_date);
                item.amount == gross && (late || near) && item.may_be_of(line.store_id.as_deref())
            });
            let Some(place) = found else { return true };
            let item = items.remove(place);
            self.settle(Rule::Reference, &[line], &[item]);
            if late {
                self.raise(ExceptionKind::Late, &[line], &[item], gross);
            }
            matched.insert(gross);
            false
        });
    }
}
