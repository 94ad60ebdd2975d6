//! Matches lines with items in steps. A line that a step has used is not seen by the later steps.

use crate::model::base::figures::Money;
use crate::rules::books::settlement::bank::{BankText, Payout};
use crate::rules::books::settlement::by_net::Sums;
use crate::rules::books::settlement::exception::ExceptionKind;
use crate::rules::books::settlement::item::ItemKey;
use crate::rules::books::settlement::line::LineKey;
use crate::rules::books::settlement::{LineKind, Match, OpenItem, OpenLine, Raised, Rule, SourceKind, Terms};
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};

/// Matches of earlier imports, by reference keys. A line that reports a matched payment again is not another payment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Before {
    /// Key and gross of matched lines.
    pub lines: BTreeSet<(String, Money)>,
    /// Keys of matched items.
    pub items: BTreeSet<String>,
}

/// Other data that matching uses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// Earlier matches.
    pub before: Before,
    /// For a bank: payouts that providers reported and that no line of the bank is matched with.
    pub payouts: Vec<Payout>,
    /// For a bank: texts with their accounts.
    pub texts: Vec<BankText>,
}

/// Result of matching. A line that is in none of the lists stays open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found<'a> {
    /// Each line and each item at most once.
    pub matches: Vec<Match<'a>>,
    /// Differences that a person has to look at.
    pub raised: Vec<Raised>,
    /// Lines that are fees of their own.
    pub fees: Vec<String>,
    /// Lines in which providers report payouts. They post nothing, since the other lines of the batch have posted the
    /// amount.
    pub payouts: Vec<String>,
    /// Batch of each payout, by line: source and batch.
    pub paid_out: BTreeMap<String, (String, String)>,
}

/// Lines and items that are not matched yet, sorted.
pub(super) struct Matcher<'a> {
    pub terms: Terms,
    pub lines: BTreeMap<LineKey<'a>, &'a OpenLine>,
    pub items: BTreeMap<ItemKey<'a>, &'a OpenItem>,
    /// Sums of customers' items of a day and store.
    pub cells: BTreeMap<(Date, &'a str), Sums>,
    pub found: Found<'a>,
}

/// Matches the open lines of a source with the open items that it settles.
pub fn match_lines<'a>(
    terms: &Terms,
    lines: &'a [OpenLine],
    items: &'a [OpenItem],
    known: &Known,
) -> Found<'a> {
    let mut matcher = Matcher::new(terms, lines, items);
    matcher.set_aside();
    matcher.contra();
    matcher.by_reference(&known.before);
    matcher.by_reference_of_net();
    matcher.by_amount();
    if terms.kind == SourceKind::Bank {
        matcher.of_bank(known);
    }
    matcher.by_net();
    matcher.without_items();
    matcher.found
}

/// Matches by reference only. A line that remains is an exception `missing_in_store`.
pub fn match_references<'a>(
    terms: &Terms,
    lines: &'a [OpenLine],
    items: &'a [OpenItem],
    before: &Before,
) -> Found<'a> {
    let mut matcher = Matcher::new(terms, lines, items);
    matcher.by_reference(before);
    matcher.without_items();
    matcher.found
}

/// Matches the nets of whole days only.
pub fn match_nets<'a>(terms: &Terms, lines: &'a [OpenLine], items: &'a [OpenItem]) -> Found<'a> {
    let mut matcher = Matcher::new(terms, lines, items);
    matcher.by_net();
    matcher.found
}

/// Sum of the figures.
pub(super) fn total(figures: impl Iterator<Item = Money>) -> Money {
    figures.sum()
}

impl<'a> Matcher<'a> {
    pub(super) fn new(terms: &Terms, lines: &'a [OpenLine], items: &'a [OpenItem]) -> Self {
        let mut cells: BTreeMap<(Date, &str), Sums> = BTreeMap::new();
        let items: BTreeMap<_, _> = items.iter().map(|item| (item.sort_key(), item)).collect();
        for item in items.values().filter(|item| item.kind.is_of_customers()) {
            let cell = cells.entry((item.business_date, item.store_id.as_str())).or_default();
            cell.add(item.amount, terms.fee(item.amount), 1);
        }
        let lines = lines.iter().map(|line| (line.sort_key(), line)).collect();
        Self { terms: *terms, lines, items, cells, found: Found::default() }
    }

    /// Whether an item is still free.
    pub(super) fn is_free(&self, item: &OpenItem) -> bool {
        self.items.contains_key(&item.sort_key())
    }

    fn take(&mut self, item: &'a OpenItem) {
        if self.items.remove(&item.sort_key()).is_none() || !item.kind.is_of_customers() {
            return;
        }
        let fee = self.terms.fee(item.amount);
        if let Some(cell) = self.cells.get_mut(&(item.business_date, item.store_id.as_str())) {
            cell.add(item.amount.saturating_neg(), fee.saturating_neg(), -1);
            if cell.count == 0 {
                self.cells.remove(&(item.business_date, item.store_id.as_str()));
            }
        }
    }

    /// Matches lines with items.
    pub(super) fn settle(&mut self, rule: Rule, lines: &[&'a OpenLine], items: &[&'a OpenItem]) {
        let gross = total(items.iter().map(|item| item.amount));
        let reported_gross = total(lines.iter().map(|line| line.gross.unwrap_or_default()));
        let expected = total(items.iter().map(|item| self.terms.fee(item.amount)));
        let all = |of: fn(&OpenLine) -> Option<Money>| {
            let figures: Option<Vec<Money>> = lines.iter().map(|line| of(line)).collect();
            figures.filter(|figures| !figures.is_empty()).map(|figures| total(figures.into_iter()))
        };
        let reported = all(|line| line.fee);
        let nets = all(|line| line.net);
        let (fee, net) = match (reported, nets, rule) {
            (.., Rule::Contra) => (Money::ZERO, Money::ZERO),
            // For deposits and payments to suppliers the bank's amount is the net amount. No fee was reported.
            (_, Some(net), Rule::Deposit | Rule::SupplierPayment) => (Money::ZERO, net),
            (Some(fee), Some(net), _) => (fee, net),
            (Some(fee), None, _) => (fee, reported_gross.saturating_sub(fee)),
            (None, Some(net), Rule::Net) if self.terms.fee_rate_bp.is_none() => {
                (gross.saturating_sub(net), net)
            }
            (None, Some(net), Rule::Net) => (expected, net),
            (None, Some(net), _) if lines.iter().all(|line| line.gross.is_none()) => (expected, net),
            (None, Some(net), _) => (reported_gross.saturating_sub(net), net),
            (None, None, _) => (expected, reported_gross.saturating_sub(expected)),
        };
        let difference = gross.saturating_sub(fee).saturating_sub(net);
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let near = self.terms.is_near(i128::from(fee), i128::from(expected), count);
        if self.terms.fee_rate_bp.is_some()
            && rule != Rule::Net
            && reported_gross == gross
            && reported.is_some()
            && !near
        {
            self.raise(ExceptionKind::FeeDiffers, lines, items, fee.saturating_sub(expected));
        }
        for item in items {
            self.take(item);
        }
        for line in lines {
            self.lines.remove(&line.sort_key());
        }
        let (lines, items) = (lines.to_vec(), items.to_vec());
        self.found.matches.push(Match { rule, lines, items, gross, fee, net, difference, account: None });
    }

    /// Raises an exception for lines and items, and removes the lines from matching.
    pub(super) fn raise(
        &mut self,
        kind: ExceptionKind,
        lines: &[&'a OpenLine],
        items: &[&'a OpenItem],
        amount: Money,
    ) {
        for line in lines {
            self.lines.remove(&line.sort_key());
        }
        self.found.raised.push(Raised {
            kind,
            line_ids: lines.iter().map(|line| line.line_id.clone()).collect(),
            items: items.iter().map(|item| item.item_ref()).collect(),
            candidates: Vec::new(),
            amount,
        });
    }

    /// Raises an exception for a line that several groups of items fit equally well.
    pub(super) fn ambiguous(&mut self, line: &'a OpenLine, groups: Vec<Vec<&'a OpenItem>>) {
        self.raise(ExceptionKind::Ambiguous, &[line], &[], line.amount());
        if let Some(raised) = self.found.raised.last_mut() {
            let refs = |group: Vec<&OpenItem>| group.into_iter().map(OpenItem::item_ref).collect();
            raised.candidates = groups.into_iter().map(refs).collect();
        }
    }

    /// Removes the lines that are never matched with items.
    fn set_aside(&mut self) {
        use LineKind::{Adjustment, Chargeback, ChargebackReversal, Deposit, Fee, Payout, Reserve, Transfer};
        let lines: Vec<&'a OpenLine> = self.lines.values().copied().collect();
        let of_provider = self.terms.kind == SourceKind::Provider;
        for line in lines {
            match line.kind {
                Payout if of_provider => {
                    self.lines.remove(&line.sort_key());
                    self.found.payouts.push(line.line_id.clone());
                }
                _ if line.unknown_store => {
                    self.raise(ExceptionKind::UnknownStore, &[line], &[], line.amount());
                }
                Chargeback | ChargebackReversal => {
                    self.raise(ExceptionKind::Chargeback, &[line], &[], line.amount());
                }
                Fee if of_provider => self.fee(line),
                Reserve | Adjustment | Transfer | Deposit if of_provider => {
                    self.raise(ExceptionKind::NotAPayment, &[line], &[], line.posted());
                }
                _ => {}
            }
        }
    }

    /// Records a line that is a fee and needs no match.
    fn fee(&mut self, line: &'a OpenLine) {
        self.lines.remove(&line.sort_key());
        self.found.fees.push(line.line_id.clone());
    }

    /// Matches an item with the item that reverses it, if no line has the reference of either.
    fn contra(&mut self) {
        let reported: BTreeSet<String> =
            self.lines.values().filter_map(|line| super::reference_key(&line.reference)).collect();
        let by_id: BTreeMap<(&str, &str), &'a OpenItem> = self
            .items
            .values()
            .map(|item| ((item.store_id.as_str(), item.item_id.as_str()), *item))
            .collect();
        let is_reported = |item: &OpenItem| item.reference_key().is_some_and(|key| reported.contains(&key));
        let pair = |contra: &'a OpenItem| {
            let of = contra.contra_of.as_deref()?;
            let item = *by_id.get(&(contra.store_id.as_str(), of))?;
            let whole = item.amount == contra.amount.saturating_neg() && item.account == contra.account;
            (whole && !is_reported(item) && !is_reported(contra)).then_some([item, contra])
        };
        let pairs: Vec<[&'a OpenItem; 2]> = self.items.values().copied().filter_map(pair).collect();
        for [item, contra] in pairs {
            // If two items reverse the same one, only the first is matched with it.
            if self.is_free(item) && self.is_free(contra) {
                self.settle(Rule::Contra, &[], &[item, contra]);
            }
        }
    }

    /// Lines that no step has taken.
    fn without_items(&mut self) {
        let lines: Vec<&'a OpenLine> = self.lines.values().copied().collect();
        for line in lines {
            match line.kind {
                LineKind::Reserve | LineKind::Adjustment | LineKind::Transfer => {
                    self.raise(ExceptionKind::NotAPayment, &[line], &[], line.posted());
                }
                _ => self.raise(ExceptionKind::MissingInStore, &[line], &[], line.amount()),
            }
        }
    }
}
