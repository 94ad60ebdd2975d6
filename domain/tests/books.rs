//! Sums computed only from the events, as a bookkeeper would, and compared with the state.

use domain::model::base::event::Fact as Happened;
use domain::model::base::figures::{Money, Quantity};
use domain::model::books::shift::{Cash, ShiftTotals};
use domain::model::inventory::stock::Movement;
use domain::model::inventory::transfer::TransferState;
use domain::model::people::points::PointsEntry;
use domain::model::selling::transaction::TransactionState;
use domain::rules::books::posting::{
    Fact, Mapped, PointsEffect, TrialBalance, of_adjustment, of_cash, of_correction, of_opening, of_opname,
    of_return, of_return_void, of_sale, of_void, post,
};
use domain::wire::record::LineEffect;
use std::collections::BTreeMap;
use testkit::shop::Shop;

pub fn movements(shop: &Shop) -> impl Iterator<Item = &Movement> {
    shop.events.iter().flat_map(|event| &event.rows.movements)
}

pub fn points(shop: &Shop) -> impl Iterator<Item = &PointsEntry> {
    shop.events.iter().flat_map(|event| &event.rows.points)
}

pub fn goods_are_conserved(shop: &Shop, skus: &[&str]) {
    for sku in skus {
        let moves: Vec<_> = movements(shop).filter(|moved| moved.sku.as_str() == *sku).collect();
        let row = shop.ledger.stock.get(*sku).cloned().unwrap_or_default();
        assert_eq!(row.qty, moves.iter().map(|moved| moved.qty).sum::<Quantity>());
        assert_eq!(
            row.value,
            moves.iter().map(|moved| moved.cost.saturating_sub(moved.correction)).sum::<Money>()
        );
        assert!(row.qty != 0 || row.value == 0, "{row:?}");
        assert!(row.value == 0 || row.value.signum() == row.qty.signum(), "{row:?}");
        assert!(row.damaged >= 0 && row.damaged_value >= 0, "{row:?}");
        assert_eq!(row.moves, moves.len() as u64);
        assert!(moves.last().is_none_or(|last| last.balance_after == row.qty), "{moves:?}");
        assert!(moves.iter().all(|moved| moved.negative == (moved.balance_after < 0)));
    }
}

/// Asserts that sales and returns share the register's counter without a gap.
pub fn numbers_have_no_gap(shop: &Shop) {
    let numbers: Vec<String> = shop
        .events
        .iter()
        .filter_map(|event| match &event.fact {
            Happened::TransactionPaid(it) => it.transaction.receipt_no.clone(),
            Happened::ReturnPosted(it) => Some(it.document.receipt_no.clone()),
            _ => None,
        })
        .collect();
    for (place, number) in numbers.iter().enumerate() {
        assert_eq!(*number, format!("S001-main-{:08}", place + 1), "no gap in the numbers");
    }
    assert_eq!(shop.shift.counters[0].receipt, numbers.len() as u64);
}

/// Computes the running sums again from the documents and compares them.
pub fn totals_are_those_of_the_documents(shop: &Shop) {
    let mut totals = ShiftTotals::default();
    for event in &shop.events {
        match &event.fact {
            Happened::TransactionPaid(it) => totals.add_sale(&it.transaction).unwrap(),
            Happened::SaleVoided(it) => totals.uncomplete(&it.transaction),
            Happened::TransactionVoided(it) => totals.void(&it.transaction),
            Happened::ReturnPosted(it) => totals.refund(&it.document).unwrap(),
            Happened::ReturnVoided(it) => totals.unrefund(&it.document),
            Happened::CashMoved(it) => match it.movement.kind {
                domain::model::books::shift::CashKind::PayIn => {
                    totals.pay_in = totals.pay_in.saturating_add(it.movement.amount)
                }
                domain::model::books::shift::CashKind::PayOut => {
                    totals.pay_out = totals.pay_out.saturating_add(it.movement.amount)
                }
                domain::model::books::shift::CashKind::Drop => {
                    totals.drops = totals.drops.saturating_add(it.movement.amount)
                }
                domain::model::books::shift::CashKind::NoSale => {}
            },
            _ => {}
        }
    }
    let mut shown = shop.shift.shift.totals.clone();
    // Money by method and its rounding are compared with the books.
    totals.by_method = BTreeMap::new();
    shown.by_method = BTreeMap::new();
    (totals.rounding, shown.rounding) = (Money::ZERO, Money::ZERO);
    assert_eq!(shown, totals);
}

/// Returns an effect in which points have their nominal value, because their liability is not tested here.
fn effect() -> PointsEffect {
    PointsEffect::default()
}

fn facts(shop: &Shop) -> Vec<Fact> {
    let mut facts = Vec::new();
    for event in &shop.events {
        let movements = &event.rows.movements;
        match &event.fact {
            Happened::ShiftOpened(it) => facts.push(of_opening(&it.shift)),
            Happened::TransactionPaid(it) => facts.push(of_sale(&it.transaction, effect())),
            Happened::SaleVoided(it) => {
                facts.extend(of_void(&it.transaction, &LineEffect::of(movements), &it.refunds, effect()));
            }
            Happened::TransactionVoided(it) => {
                facts.extend(of_void(&it.transaction, &[], &it.refunds, effect()));
            }
            Happened::TenderCorrected(it) => {
                let wrong = it.transaction.payments.iter().find(|payment| payment.payment_id == it.wrong);
                let right = it.transaction.payments.last().cloned().unwrap();
                facts.extend(of_correction(wrong.unwrap(), &[right]));
            }
            Happened::ReturnPosted(it) => facts.push(of_return(&it.document, effect())),
            Happened::ReturnVoided(it) => facts.push(of_return_void(&it.document, effect())),
            Happened::CashMoved(it) => facts.push(of_cash(&it.movement, &Mapped::default())),
            Happened::AdjustmentChanged(it) => {
                facts.extend(of_adjustment(
                    &it.adjustment,
                    &LineEffect::of(movements),
                    false,
                    &Mapped::default(),
                ));
            }
            Happened::OpnameChanged(it) if it.opname.state.is_over() => facts.push(of_opname(&it.lines)),
            Happened::TransferChanged(it) => {
                let cost = it.transfer.lines.iter().map(|line| line.cost).sum();
                let correction = movements.iter().map(|moved| moved.correction).sum();
                match it.transfer.state {
                    TransferState::InTransit => facts.push(Fact::TransferSent { cost }),
                    TransferState::Cancelled => facts.push(Fact::TransferCancelled { cost, correction }),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    facts
}

/// Runs the nightly proofs of the hub for one open shift.
pub fn books_agree(shop: &Shop) {
    let mut balance = TrialBalance::default();
    for fact in facts(shop) {
        let posted = post(&fact).unwrap_or_else(|refusal| panic!("{fact:?}: {refusal:?}"));
        let sum = |of: fn(&domain::rules::books::posting::Row) -> Money| {
            posted.here.rows.iter().map(of).sum::<Money>()
        };
        assert_eq!(sum(|row| row.debit), sum(|row| row.credit), "{fact:?}");
        balance.add(&posted.here);
    }
    let rows = balance.rows().unwrap();
    let of = |number: &str| {
        let row = rows.iter().find(|row| String::from(row.account) == number);
        row.map_or(0, |row| row.debit.get() - row.credit.get())
    };
    let stock = || shop.ledger.stock.values();
    assert_eq!(of("1210"), stock().map(|row| row.value).sum::<i64>(), "inventory");
    assert_eq!(of("1230"), stock().map(|row| row.damaged_value).sum::<i64>(), "damaged");
    let transit = shop.ledger.transfers.values().map(|transfer| transfer.in_transit_value());
    assert_eq!(of("1220"), transit.sum::<i64>(), "in transit");

    // Payments of an incomplete sale are in the drawer, but not posted yet.
    let mut partly: BTreeMap<&str, i64> = BTreeMap::new();
    let unfinished = shop.shift.open.values().filter(|t| t.state == TransactionState::PartiallyPaid);
    for payment in unfinished.flat_map(|basket| &basket.payments).filter(|payment| payment.counts()) {
        *partly.entry(payment.method.as_str()).or_default() += payment.amount.get() + payment.rounding.get();
    }
    let partly = |method: &str| partly.get(method).copied().unwrap_or(0);
    assert_eq!(of("1010"), Cash::of(&shop.shift.shift).expected.get() - partly("cash"), "tills");
    for (method, account) in [("card", "1110"), ("qris", "1120"), ("exchange", "1150")] {
        let sums = shop.shift.shift.totals.by_method.get(method).copied().unwrap_or_default();
        assert_eq!(of(account), sums.sales.get() - sums.refunds.get() - partly(method), "{method}");
    }
    assert_eq!(of("1150"), -partly("exchange"), "only an exchange waits for its sale");
}
