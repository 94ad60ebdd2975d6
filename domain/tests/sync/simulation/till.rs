//! Events at a till: shifts, sales, receipts; and the effect of a new epoch on them.

use super::broken::Broken;
use super::fact::{self, Fact};
use super::shop::{Journal, Shop, TILL, place};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::model::books::register::series;
use domain::model::books::shift::{Shift, ShiftState, ShiftTotals};
use domain::rules::hub::restored::restored;
use std::collections::{BTreeMap, BTreeSet};

/// The store.
const STORE: &str = "S001";
/// Numbers that a single receipt series skips if nothing is known of the time since.
const BLOCK: u64 = 3;
/// A minute, in milliseconds.
const MINUTE_MS: i64 = 60 * 1000;

/// An action at a till.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Sell,
    /// A sale that only a later version of the hub reads.
    SellNewer,
    Void,
    Correct,
    /// As [`Act::SellNewer`], for an existing sale.
    CorrectNewer,
    CloseShift,
}

impl Shop {
    /// Returns the records of an action; `id` is their ID. Returns none if the action is not possible.
    pub fn act(&mut self, act: Act, id: u64, now: UtcMs) -> Vec<Fact> {
        let newest = self.open_sales().into_iter().max_by_key(|sale| number(sale)).cloned();
        let mut facts = Vec::new();
        if self.shift.is_none() && act != Act::CloseShift && (newest.is_some() || sells(act)) {
            self.shift = Some(format!("s{id}"));
            let (shift, kind) = (format!("s{id}"), fact::OPENED.to_owned());
            facts.push(Fact { id: format!("o{id}"), kind, schema: 1, shift, ..Fact::default() });
        }
        let shift = self.shift.clone().unwrap_or_default();
        let base = Fact { id: format!("e{id}"), schema: 1, shift: shift.clone(), ..Fact::default() };
        let of_shift = self.books.facts().filter(|fact| fact.shift == shift && fact.kind != fact::CLOSED);
        let expected = of_shift.map(|fact| fact.amount).sum();
        let of_sale =
            |sale: Fact, kind: &str| Fact { kind: kind.to_owned(), sale: sale.sale, ..base.clone() };
        let newer = |fact: Fact| Fact { schema: fact::NEWER, ..fact };
        facts.extend(match act {
            Act::Sell | Act::SellNewer => {
                let receipt = Some(self.receipt());
                let (kind, sale) = (fact::PAID.to_owned(), format!("t{id}"));
                let (amount, points) = (10 + id as i64 % 7, 1 + id as i64 % 3);
                let sold = Fact { kind, sale, receipt, amount, points, ..base };
                self.sold = true;
                Some(if act == Act::Sell { sold } else { newer(sold) })
            }
            Act::Void => newest.map(|sale| {
                let (amount, points) = (-sale.amount, -sale.points);
                Fact { amount, points, ..of_sale(sale, fact::VOIDED) }
            }),
            Act::Correct => newest.map(|sale| of_sale(sale, fact::CORRECTED)),
            Act::CorrectNewer => newest.map(|sale| newer(of_sale(sale, fact::CORRECTED))),
            Act::CloseShift => {
                let closed = Fact { amount: expected, kind: fact::CLOSED.to_owned(), ..base };
                self.shift.is_some().then_some(closed)
            }
        });
        if act == Act::CloseShift {
            self.shift = None;
        }
        for fact in &facts {
            self.account.meet((self.account.balance().get() + fact.points).into(), &[], now);
            self.write(fact::text(fact, self.wall(now)));
        }
        facts
    }

    fn receipt(&mut self) -> String {
        let one = matches!(self.broken, Broken::Receipts | Broken::ReceiptsByTime);
        let series = if one { String::new() } else { series(&self.current) };
        self.counters.next_receipt(&STORE.into(), &series)
    }

    /// Opens an epoch: open shifts are interrupted, and receipts get a new series.
    pub fn open(&mut self, epoch: String, now: UtcMs) {
        let open = self.shift.take().map(|id| shift(&id)).into_iter().collect();
        let domain::model::base::event::Rows { shifts, counters, .. } =
            restored(open, vec![self.counters.clone()]).rows;
        let goes_on = |shift: &Shift| shift.state == ShiftState::Open || self.broken == Broken::Shifts;
        self.shift = shifts.into_iter().find(goes_on).map(|shift| shift.shift_id.0);
        match self.broken {
            Broken::Receipts => self.counters.receipt += BLOCK,
            // This defect assumes at most one receipt a minute, but by whose clock?
            Broken::ReceiptsByTime => {
                let minutes = (self.wall(now).0 - self.copied_at.0) / MINUTE_MS;
                self.counters.receipt += minutes.max(0).unsigned_abs();
            }
            _ => self.counters = counters.into_iter().next().unwrap(),
        }
        self.epochs.insert(place(&epoch), Journal::default());
        self.current = epoch;
        (self.fenced, self.apart, self.session, self.auto) = (false, false, None, false);
    }
}

fn sells(act: Act) -> bool {
    matches!(act, Act::Sell | Act::SellNewer)
}

fn number(fact: &Fact) -> usize {
    fact.id.trim_start_matches('e').parse().unwrap_or_default()
}

fn shift(id: &str) -> Shift {
    Shift {
        shift_id: id.into(),
        store_id: STORE.into(),
        register_id: TILL.into(),
        moved_to: None,
        business_date: jiff::civil::Date::default(),
        state: ShiftState::Open,
        opened_by: "u1".into(),
        opened_at: UtcMs(0),
        opening_float: Money::ZERO,
        closed_by: None,
        closed_at: None,
        counted_cash: None,
        expected_cash: None,
        variance: None,
        counts: BTreeMap::new(),
        denominations: Vec::new(),
        ended_at: None,
        approved_by: None,
        recounts: Vec::new(),
        reversed: BTreeSet::new(),
        z_no: None,
        note: None,
        terms: None,
        totals: ShiftTotals::default(),
    }
}
