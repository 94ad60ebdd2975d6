//! Effects of events on the points' liability: one pool of points and value for the company, folded in the order of the
//! entries.
//!
//! The pool never goes below 0 or above the largest figure: the excess is cut, in the pool and in the entry.

use crate::model::base::figures::{BasisPoints, Money, Points};
use crate::model::base::limits::FIGURE_MAX;
use crate::model::base::money::{half_up, product};
use crate::model::people::points::{PointsEntry, PointsReason};
use crate::model::selling::payment::POINTS;
use crate::model::selling::transaction::Transaction;
use crate::rules::books::posting::{PointsEffect, PointsPolicy};
use crate::rules::people::points::{Pool, defer};
use crate::wire::record::{AnyPayload, ReturnRecord, TransactionPaid};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolTerms {
    /// Accounting policy for points.
    pub policy: PointsPolicy,
    /// Value of one point, as a store last reported it.
    pub redeem_value: Money,
    /// Share of the points that is expected to be redeemed, in basis points.
    pub redemption_bp: BasisPoints,
}

/// Kind of a step of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A sale earned them.
    Earned,
    /// They paid for a sale.
    Redeemed,
    /// Points that a sale had earned were deducted.
    Reversed,
    /// Points that had paid were given back.
    GivenBack,
    /// A person moved them.
    Adjusted,
    Expired,
}

/// One step of the pool, signed as the pool moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolStep {
    /// Kind of the step.
    pub kind: StepKind,
    /// The sale that earned or redeemed them; empty if there is none.
    pub transaction_id: String,
    /// The document that moved them.
    pub document_id: String,
    pub points: Points,
    pub value: Money,
}

/// The sale whose points a record moves again, if it does: its earlier steps are needed. Points that pay or are
/// refunded move the pool even if no entry of the member shows it.
pub fn sale_of(payload: &AnyPayload) -> Option<&str> {
    match payload {
        // A transaction that was never a sale has moved nothing.
        AnyPayload::TransactionVoided(it) if it.transaction.receipt_no.is_some() => {
            let moves = !it.points.is_empty() || paid_by_points(&it.transaction);
            moves.then(|| it.transaction.transaction_id.as_str())
        }
        AnyPayload::ReturnPosted(it) | AnyPayload::ReturnVoided(it) => {
            let back = it.document.refunds.iter().any(|refund| refund.method == POINTS);
            let sale = || it.document.transaction_id.as_ref().map_or("", |id| id.as_str());
            (back || !it.points.is_empty()).then(sale)
        }
        _ => None,
    }
}

fn paid_by_points(sale: &Transaction) -> bool {
    sale.payments.iter().any(|payment| payment.method == POINTS)
}

/// Whether a record moves the pool.
pub fn moves_points(payload: &AnyPayload) -> bool {
    match payload {
        AnyPayload::TransactionPaid(it) => !it.points.is_empty() || paid_by_points(&it.transaction),
        AnyPayload::PointsAdjusted(_) => true,
        other => sale_of(other).is_some(),
    }
}

/// Value of one point at the store that reported a record. `None` if it is not stated.
pub fn worth(payload: &AnyPayload) -> Option<Money> {
    let entries = match payload {
        AnyPayload::TransactionPaid(it) => it.points.as_slice(),
        AnyPayload::TransactionVoided(it) => it.points.as_slice(),
        AnyPayload::ReturnPosted(it) | AnyPayload::ReturnVoided(it) => it.points.as_slice(),
        AnyPayload::PointsAdjusted(it) => std::slice::from_ref(&it.entry),
        _ => &[],
    };
    entries.iter().map(|entry| entry.worth).find(|worth| *worth > 0)
}

/// Moves the pool by a record; `before`: the previous steps of its sale.
pub fn fold(
    pool: &mut Pool,
    terms: &PoolTerms,
    payload: &AnyPayload,
    before: &[PoolStep],
) -> (PointsEffect, Vec<PoolStep>) {
    let terms = &PoolTerms { redeem_value: worth(payload).unwrap_or(terms.redeem_value), ..*terms };
    let mut book = PoolBook { pool, terms, before, steps: Vec::new(), transaction_id: "", document_id: "" };
    let effect = match payload {
        AnyPayload::TransactionPaid(it) => book.paid(it),
        AnyPayload::TransactionVoided(it) => {
            book.of(it.transaction.transaction_id.as_str(), it.transaction.transaction_id.as_str());
            book.voided(&it.points)
        }
        AnyPayload::ReturnPosted(it) => book.of_return(it).returned(it),
        AnyPayload::ReturnVoided(it) => book.of_return(it).return_voided(it),
        AnyPayload::PointsAdjusted(it) => {
            book.of("", &it.entry.entry_id);
            book.adjusted(&it.entry)
        }
        _ => PointsEffect::default(),
    };
    (PointsEffect { policy: terms.policy, ..effect }, book.steps)
}

struct PoolBook<'a> {
    pool: &'a mut Pool,
    terms: &'a PoolTerms,
    before: &'a [PoolStep],
    steps: Vec<PoolStep>,
    transaction_id: &'a str,
    document_id: &'a str,
}

/// Points that a sale earned, or that were deducted from them.
const EARNING: [PointsReason; 2] = [PointsReason::Earn, PointsReason::Reverse];
/// Points that paid, or that were given back of them.
const PAYING: [PointsReason; 2] = [PointsReason::Redeem, PointsReason::GiveBack];

/// Sum of the points of entries with these reasons, signed.
fn moved(entries: &[PointsEntry], reasons: [PointsReason; 2]) -> Points {
    let entries = entries.iter().filter(|entry| reasons.contains(&entry.reason));
    entries.map(|entry| entry.points).sum()
}

impl<'a> PoolBook<'a> {
    fn of(&mut self, transaction_id: &'a str, document_id: &'a str) -> &mut Self {
        (self.transaction_id, self.document_id) = (transaction_id, document_id);
        self
    }

    fn of_return(&mut self, it: &'a ReturnRecord) -> &mut Self {
        let sale = it.document.transaction_id.as_ref().map_or("", |id| id.as_str());
        self.of(sale, it.document.return_id.as_str())
    }

    /// Moves the pool, but neither below 0 nor above the largest figure; the value that it moved by.
    fn step(&mut self, kind: StepKind, points: Points, value: Money) -> Money {
        let within = |moved: i64, stands: i64| {
            moved.min(FIGURE_MAX.saturating_sub(stands)).max(stands.saturating_neg())
        };
        let moves = points != 0 || value != 0;
        let points = within(points.get(), self.pool.points.get()).into();
        let value = within(value.get(), self.pool.value.get()).into();
        self.pool.add(points, value);
        // Kept although it was cut to 0, so that its later reversal is 0 as well.
        if moves {
            let (transaction_id, document_id) = (self.transaction_id.to_owned(), self.document_id.to_owned());
            self.steps.push(PoolStep { kind, transaction_id, document_id, points, value });
        }
        value
    }

    /// Value that the pool holds for this many points, by its average.
    fn average(&self, points: Points) -> Money {
        let mut pool = *self.pool;
        pool.release(points)
    }

    /// Value of points that no sale has paid for.
    fn alone(&self, points: Points) -> Money {
        let PoolTerms { policy, redeem_value, redemption_bp } = *self.terms;
        match policy {
            PointsPolicy::Expense => redeem_value.saturating_mul(points.get()),
            PointsPolicy::Deferral => {
                let alone =
                    defer(Money::ZERO, points.saturating_abs(), redeem_value, redemption_bp).standalone;
                alone.saturating_mul(points.signum())
            }
        }
    }

    fn paid(&mut self, it: &'a TransactionPaid) -> PointsEffect {
        let sale = &it.transaction;
        self.of(sale.transaction_id.as_str(), sale.transaction_id.as_str());
        let (earned, redeemed) = (moved(&it.points, EARNING), moved(&it.points, PAYING));
        let face = sale.paid_by_points();
        let release = match self.terms.policy {
            PointsPolicy::Deferral => self.average(redeemed.saturating_neg()),
            PointsPolicy::Expense => face,
        };
        let released = self.step(StepKind::Redeemed, redeemed, release.saturating_neg()).saturating_neg();
        let PoolTerms { policy, redeem_value, redemption_bp } = *self.terms;
        let value = match policy {
            PointsPolicy::Expense => redeem_value.saturating_mul(earned.get()),
            PointsPolicy::Deferral => {
                defer(sale.total.saturating_sub(sale.tax), earned, redeem_value, redemption_bp).deferred
            }
        };
        let earned_value = self.step(StepKind::Earned, earned, value);
        PointsEffect { earned_value, released: Some(released), ..PointsEffect::default() }
    }

    /// Sum of the steps so far, of these kinds.
    fn so_far(&self, kinds: &[StepKind]) -> Pool {
        let mut moved = Pool::default();
        for step in self.before.iter().filter(|step| kinds.contains(&step.kind)) {
            moved.add(step.points, step.value);
        }
        moved
    }

    /// The mirror of the sale's own effect.
    fn voided(&mut self, entries: &[PointsEntry]) -> PointsEffect {
        let earned = self.so_far(&[StepKind::Earned]).value;
        let redeemed = self.so_far(&[StepKind::Redeemed]).value;
        let reversed = moved(entries, EARNING);
        let reversed = self.step(StepKind::Reversed, reversed, earned.saturating_neg());
        let back = moved(entries, PAYING);
        let back = self.step(StepKind::GivenBack, back, redeemed.saturating_neg());
        let earned_value = reversed.saturating_neg();
        PointsEffect { earned_value, released: Some(back), ..PointsEffect::default() }
    }

    /// Value of this many more of the sale's points, in proportion and in total. `None` if the sale is not known. If
    /// the sale's points were cut, the value is that of the remaining ones.
    fn share(&self, first: StepKind, then: StepKind, points: Points) -> Option<Money> {
        let (moved, gone) = (self.so_far(&[first]), self.so_far(&[then]));
        let whole = moved.points.saturating_abs();
        if whole == 0 {
            let of_sale = |step: &PoolStep| matches!(step.kind, StepKind::Earned | StepKind::Redeemed);
            return self.before.iter().any(of_sale).then_some(Money::ZERO);
        }
        let all = gone.points.saturating_add(points).saturating_abs().min(whole);
        let target = half_up(product(moved.value.saturating_abs(), all), whole.into());
        Money::try_from(target.saturating_sub(gone.value.saturating_abs().into())).ok()
    }

    fn returned(&mut self, it: &ReturnRecord) -> PointsEffect {
        let (reverse, back) = (moved(&it.points, EARNING), moved(&it.points, PAYING));
        let value = self.share(StepKind::Earned, StepKind::Reversed, reverse);
        let value = value.unwrap_or_else(|| self.average(reverse.saturating_neg()));
        let reversed = self.step(StepKind::Reversed, reverse, value.saturating_neg());
        let value = self.share(StepKind::Redeemed, StepKind::GivenBack, back);
        let value = value.unwrap_or_else(|| self.alone(back));
        let back_value = self.step(StepKind::GivenBack, back, value);
        let reversed_value = reversed.saturating_neg();
        PointsEffect { reversed_value, back_value: Some(back_value), ..PointsEffect::default() }
    }

    /// The mirror of its return's effect.
    fn return_voided(&mut self, it: &ReturnRecord) -> PointsEffect {
        let own: Vec<_> = self
            .before
            .iter()
            .filter(|step| step.document_id == it.document.return_id.as_str())
            .cloned()
            .collect();
        let mut mirror = |kind: StepKind, points: Points| {
            let own = own.iter().filter(|step| step.kind == kind).map(|step| step.value);
            self.step(kind, points, own.sum::<Money>().saturating_neg())
        };
        let reversed_value = mirror(StepKind::Reversed, moved(&it.points, EARNING));
        let back = mirror(StepKind::GivenBack, moved(&it.points, PAYING));
        PointsEffect { reversed_value, back_value: Some(back.saturating_neg()), ..PointsEffect::default() }
    }

    fn adjusted(&mut self, entry: &PointsEntry) -> PointsEffect {
        if entry.reason == PointsReason::Expire {
            // Points that expired too early come back at the average; an empty pool has none.
            let value = match entry.points > 0 && self.pool.points == 0 {
                true => self.alone(entry.points),
                false => self.average(entry.points.saturating_neg()).saturating_neg(),
            };
            let released = self.step(StepKind::Expired, entry.points, value).saturating_neg();
            return PointsEffect { released: Some(released), ..PointsEffect::default() };
        }
        let value = self.alone(entry.points);
        PointsEffect {
            earned_value: self.step(StepKind::Adjusted, entry.points, value),
            ..PointsEffect::default()
        }
    }
}
