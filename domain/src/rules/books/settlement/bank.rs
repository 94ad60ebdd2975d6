//! Bank lines beside customers' money: a deposit, a provider's payout, a supplier's payment, a known text.

use crate::model::base::figures::Money;
use crate::rules::books::posting::plan::Account;
use crate::rules::books::settlement::exception::ExceptionKind;
use crate::rules::books::settlement::matching::{Known, Matcher};
use crate::rules::books::settlement::{ItemKind, Match, OpenItem, OpenLine, Rule, has_word};
use jiff::civil::Date;

/// Payout of a provider by its own lines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Payout {
    /// The last day of its lines.
    pub date: Date,
    /// Source ID of the provider.
    pub source_id: String,
    /// Payout batch of the lines.
    pub batch: String,
    /// Sum of the net of its lines.
    pub net: Money,
}

/// A text that a bank's lines are known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankText {
    /// Lower-cased; anywhere in a line.
    pub key: String,
    /// Account to which such lines are posted.
    pub account: Account,
    /// Valid for lines from this day on, until a later one of the same key.
    pub from: Date,
}

fn places(payouts: &[Payout], fits: impl Fn(&Payout) -> bool) -> Vec<usize> {
    payouts.iter().enumerate().filter(|(_, payout)| fits(payout)).map(|(place, _)| place).collect()
}

/// How a line is matched, in order of certainty. Matches by name are made for all lines before matches by amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    NameAndAmount,
    Name,
    Amount,
}

impl<'a> Matcher<'a> {
    /// Lines of a bank, each by the first of these that takes it.
    pub(super) fn of_bank(&mut self, known: &Known) {
        let mut payouts = known.payouts.clone();
        payouts.sort();
        let lines: Vec<&'a OpenLine> = self.lines.values().copied().collect();
        // These are few beside the customers' payments: each line checks only these.
        let (bags, paid) = (self.of_kind(ItemKind::Deposit), self.of_kind(ItemKind::SupplierPayment));
        for by in [By::NameAndAmount, By::Name, By::Amount] {
            for line in &lines {
                let Some(net) = line.net.filter(|_| self.lines.contains_key(&line.sort_key())) else {
                    continue;
                };
                let text = line.text();
                let _taken = self.deposit((line, net, &text), &bags, by)
                    || self.payout((line, net, &text), &mut payouts, by)
                    || self.supplier_payment((line, net, &text), &paid, by);
            }
        }
        for line in lines {
            if let Some(net) = line.net.filter(|_| self.lines.contains_key(&line.sort_key())) {
                self.known_text(line, net, &line.text(), known);
            }
        }
    }

    /// Free items of a kind.
    fn of_kind(&self, kind: ItemKind) -> Vec<&'a OpenItem> {
        self.items.values().copied().filter(|item| item.kind == kind).collect()
    }

    /// Whether a line that names it may be of a day.
    fn is_near(&self, line: &OpenLine, day: Date) -> bool {
        self.terms.in_named_window(line.date, day) || self.terms.is_late(line.date, day)
    }

    /// Those that are free still, and that a line may be of.
    fn near(&self, items: &[&'a OpenItem], line: &OpenLine) -> Vec<&'a OpenItem> {
        let near = |item: &&OpenItem| self.is_near(line, item.business_date) && self.is_free(item);
        items.iter().copied().filter(near).collect()
    }

    /// Items whose reference is in the text, unless it is only a part of another reference there.
    fn in_text(items: &[&'a OpenItem], text: &str) -> Vec<&'a OpenItem> {
        let named = |item: &&OpenItem| item.reference.as_deref().is_some_and(|word| has_word(text, word));
        let named: Vec<&'a OpenItem> = items.iter().copied().filter(named).collect();
        let is_part = |item: &OpenItem| {
            let own = item.reference.as_deref().unwrap_or_default();
            let longer = |other: &&OpenItem| {
                let other = other.reference.as_deref().unwrap_or_default();
                other.len() > own.len() && has_word(other, own)
            };
            named.iter().any(longer)
        };
        named.iter().copied().filter(|item| !is_part(item)).collect()
    }

    /// The only item of that amount in the window.
    fn only_of_amount(&self, items: &[&'a OpenItem], line: &OpenLine, net: Money) -> Option<&'a OpenItem> {
        let fits =
            |item: &&OpenItem| item.amount == net && self.terms.in_window(line.date, item.business_date);
        let mut equal = items.iter().copied().filter(fits);
        let first = equal.next()?;
        equal.next().is_none().then_some(first)
    }

    fn deposit(
        &mut self,
        (line, net, text): (&'a OpenLine, Money, &str),
        bags: &[&'a OpenItem],
        by: By,
    ) -> bool {
        let bags = self.near(bags, line);
        let mut named = Self::in_text(&bags, text);
        if by == By::NameAndAmount {
            named.retain(|bag| bag.amount == net);
        }
        match (by, named.as_slice()) {
            (By::Amount, _) => match self.only_of_amount(&bags, line, net) {
                Some(bag) => self.settle(Rule::Deposit, &[line], &[bag]),
                None => return false,
            },
            (_, []) => return false,
            (By::NameAndAmount, [bag]) => {
                let bag = *bag;
                self.settle(Rule::Deposit, &[line], &[bag]);
            }
            (By::Name, [bag]) => {
                let bag = *bag;
                self.settle(Rule::Deposit, &[line], &[bag]);
                let amount = bag.amount.saturating_sub(net);
                self.raise(ExceptionKind::DepositDiffers, &[line], &[bag], amount);
            }
            _ => self.ambiguous(line, named.into_iter().map(|bag| vec![bag]).collect()),
        }
        true
    }

    fn payout(
        &mut self,
        (line, net, text): (&'a OpenLine, Money, &str),
        payouts: &mut Vec<Payout>,
        by: By,
    ) -> bool {
        let fits = |payout: &Payout| {
            let named = self.is_near(line, payout.date) && has_word(text, &payout.batch);
            match by {
                By::NameAndAmount => named && payout.net == net,
                By::Name => named,
                By::Amount => payout.net == net && self.terms.in_window(line.date, payout.date),
            }
        };
        let [place] = places(payouts, fits)[..] else { return false };
        let Some(payout) = (place < payouts.len()).then(|| payouts.remove(place)) else { return false };
        self.found.paid_out.insert(line.line_id.clone(), (payout.source_id, payout.batch));
        self.without_item(Rule::Payout, line, net, None);
        if payout.net != net {
            let amount = payout.net.saturating_sub(net);
            self.raise(ExceptionKind::PayoutDiffers, &[line], &[], amount);
        }
        true
    }

    fn supplier_payment(
        &mut self,
        (line, net, text): (&'a OpenLine, Money, &str),
        paid: &[&'a OpenItem],
        by: By,
    ) -> bool {
        let paid = self.near(paid, line);
        let mut named = Self::in_text(&paid, text);
        named.retain(|item| item.amount == net);
        let item = match (by, named.as_slice()) {
            (By::NameAndAmount, [item]) => Some(*item),
            (By::Amount, _) => self.only_of_amount(&paid, line, net),
            _ => None,
        };
        if let Some(item) = item {
            self.settle(Rule::SupplierPayment, &[line], &[item]);
        }
        item.is_some()
    }

    /// The longest text that is in it, as it was mapped on the line's day.
    fn known_text(&mut self, line: &'a OpenLine, net: Money, text: &str, known: &Known) {
        let text = text.to_lowercase();
        let fits = |known: &&BankText| known.from <= line.date && text.contains(known.key.as_str());
        let longest =
            known.texts.iter().filter(fits).max_by_key(|known| (known.key.len(), &known.key, known.from));
        if let Some(BankText { account, .. }) = longest {
            self.without_item(Rule::Text, line, net, Some(*account));
        }
    }

    fn without_item(&mut self, rule: Rule, line: &'a OpenLine, net: Money, account: Option<Account>) {
        self.lines.remove(&line.sort_key());
        self.found.matches.push(Match {
            rule,
            lines: vec![line],
            items: Vec::new(),
            gross: net,
            fee: Money::ZERO,
            net,
            difference: Money::ZERO,
            account,
        });
    }
}
