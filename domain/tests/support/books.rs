//! What a bookkeeper would compute from the events alone, and compare.

#![allow(dead_code, reason = "each test file uses a part of it")]

use crate::shop::Shop;
use domain::event::Event;
use domain::points::PointsEntry;
use domain::posting::{
    Fact, PointsEffect, TrialBalance, of_adjustment, of_cash, of_correction, of_opening, of_opname,
    of_return, of_return_void, of_sale, of_void, post,
};
use domain::record::LineEffect;
use domain::shift::{Cash, ShiftTotals};
use domain::stock::Movement;
use domain::transaction::TransactionState;
use domain::transfer::TransferState;
use std::collections::BTreeMap;

pub fn movements(shop: &Shop) -> impl Iterator<Item = &Movement> {
    shop.events.iter().flat_map(|event| match event {
        Event::TransactionPaid { movements, .. }
        | Event::SaleVoided { movements, .. }
        | Event::ReturnPosted { movements, .. }
        | Event::ReturnVoided { movements, .. }
        | Event::ReceivingPosted { movements, .. }
        | Event::AdjustmentChanged { movements, .. }
        | Event::TransferChanged { movements, .. }
        | Event::OpnameChanged { movements, .. } => movements.as_slice(),
        _ => &[],
    })
}

pub fn points(shop: &Shop) -> impl Iterator<Item = &PointsEntry> {
    shop.events.iter().flat_map(|event| match event {
        Event::TransactionPaid { points, .. }
        | Event::SaleVoided { points, .. }
        | Event::ReturnPosted { points, .. }
        | Event::ReturnVoided { points, .. } => points.as_slice(),
        Event::PointsChanged { entries, .. } => entries.as_slice(),
        _ => &[],
    })
}

pub fn goods_are_conserved(shop: &Shop, skus: &[&str]) {
    for sku in skus {
        let moves: Vec<_> = movements(shop).filter(|moved| moved.sku.as_str() == *sku).collect();
        let row = shop.ledger.stock.get(*sku).cloned().unwrap_or_default();
        assert_eq!(row.qty, moves.iter().map(|moved| moved.qty).sum::<i64>());
        assert_eq!(row.value, moves.iter().map(|moved| moved.cost - moved.correction).sum::<i64>());
        assert!(row.qty != 0 || row.value == 0, "{row:?}");
        assert!(row.value == 0 || row.value.signum() == row.qty.signum(), "{row:?}");
        assert!(row.damaged >= 0 && row.damaged_value >= 0, "{row:?}");
        assert_eq!(row.moves, moves.len() as u64);
        assert!(moves.last().is_none_or(|last| last.balance_after == row.qty), "{moves:?}");
        assert!(moves.iter().all(|moved| moved.negative == (moved.balance_after < 0)));
    }
}

/// Sales and returns share the register's counter.
pub fn numbers_have_no_gap(shop: &Shop) {
    let numbers: Vec<String> = shop
        .events
        .iter()
        .filter_map(|event| match event {
            Event::TransactionPaid { transaction, .. } => transaction.receipt_no.clone(),
            Event::ReturnPosted { document, .. } => Some(document.receipt_no.clone()),
            _ => None,
        })
        .collect();
    for (place, number) in numbers.iter().enumerate() {
        assert_eq!(*number, format!("S001-main-{:08}", place + 1), "no gap");
    }
    assert_eq!(shop.shift.counters.receipt, numbers.len() as u64);
}

/// The running sums, made again from what happened.
pub fn totals_are_those_of_the_documents(shop: &Shop) {
    let mut totals = ShiftTotals::default();
    for event in &shop.events {
        match event {
            Event::TransactionPaid { transaction, .. } => totals.complete(transaction).unwrap(),
            Event::SaleVoided { transaction, .. } => totals.uncomplete(transaction).unwrap(),
            Event::TransactionVoided { transaction, .. } => totals.void(transaction).unwrap(),
            Event::ReturnPosted { document, .. } => totals.refund(document).unwrap(),
            Event::ReturnVoided { document, .. } => totals.unrefund(document).unwrap(),
            Event::CashMoved { movement, .. } => match movement.kind {
                domain::shift::CashKind::PayIn => totals.pay_in += movement.amount,
                domain::shift::CashKind::PayOut => totals.pay_out += movement.amount,
                domain::shift::CashKind::Drop => totals.drops += movement.amount,
                domain::shift::CashKind::NoSale => {}
            },
            _ => {}
        }
    }
    let mut shown = shop.shift.shift.totals.clone();
    // Money by method, and its rounding, is compared with the books.
    totals.by_method = BTreeMap::new();
    shown.by_method = BTreeMap::new();
    (totals.rounding, shown.rounding) = (0, 0);
    assert_eq!(shown, totals);
}

/// Points are worth their face here: what they owe is not what is tested.
fn effect() -> PointsEffect {
    PointsEffect::default()
}

fn facts(shop: &Shop) -> Vec<Fact> {
    let mut facts = Vec::new();
    for event in &shop.events {
        match event {
            Event::ShiftOpened { shift, .. } => facts.push(of_opening(shift)),
            Event::TransactionPaid { transaction, .. } => facts.push(of_sale(transaction, effect())),
            Event::SaleVoided { transaction, movements, refunds, .. } => {
                facts.extend(of_void(transaction, &LineEffect::of(movements), refunds, effect()));
            }
            Event::TransactionVoided { transaction, refunds, .. } => {
                facts.extend(of_void(transaction, &[], refunds, effect()));
            }
            Event::TenderCorrected { transaction, wrong, .. } => {
                let wrong = transaction.payments.iter().find(|payment| payment.payment_id == *wrong);
                let right = transaction.payments.last().cloned().unwrap();
                facts.extend(of_correction(wrong.unwrap(), &[right]));
            }
            Event::ReturnPosted { document, .. } => facts.push(of_return(document, effect())),
            Event::ReturnVoided { document, .. } => facts.push(of_return_void(document, effect())),
            Event::CashMoved { movement, .. } => facts.push(of_cash(movement)),
            Event::AdjustmentChanged { adjustment, movements, .. } => {
                facts.extend(of_adjustment(adjustment, &LineEffect::of(movements)));
            }
            Event::OpnameChanged { lines, opname, .. } if opname.state.over() => {
                facts.push(of_opname(lines));
            }
            Event::TransferChanged { transfer, movements, .. } => {
                let cost = transfer.lines.iter().map(|line| line.cost).sum();
                let correction = movements.iter().map(|moved| moved.correction).sum();
                match transfer.state {
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

/// The nightly proofs of the hub, on one open shift.
pub fn books_agree(shop: &Shop) {
    let mut balance = TrialBalance::default();
    for fact in facts(shop) {
        let posted = post(&fact).unwrap_or_else(|refusal| panic!("{fact:?}: {refusal:?}"));
        let sum = |of: fn(&domain::posting::Row) -> i64| posted.here.rows.iter().map(of).sum::<i64>();
        assert_eq!(sum(|row| row.debit), sum(|row| row.credit), "{fact:?}");
        balance.add(&posted.here);
    }
    let rows = balance.rows().unwrap();
    let of = |number: &str| {
        let row = rows.iter().find(|row| String::from(row.account) == number);
        row.map_or(0, |row| row.debit - row.credit)
    };
    let stock = || shop.ledger.stock.values();
    assert_eq!(of("1210"), stock().map(|row| row.value).sum::<i64>(), "inventory");
    assert_eq!(of("1230"), stock().map(|row| row.damaged_value).sum::<i64>(), "damaged");
    let transit = shop.ledger.transfers.values().map(|transfer| transfer.in_transit_value());
    assert_eq!(of("1220"), transit.sum::<i64>(), "in transit");

    // What is paid of a sale that is not complete is in the drawer, and not yet posted.
    let mut partly: BTreeMap<&str, i64> = BTreeMap::new();
    let unfinished = shop.shift.open.values().filter(|t| t.state == TransactionState::PartiallyPaid);
    for payment in unfinished.flat_map(|basket| &basket.payments).filter(|payment| payment.counts()) {
        *partly.entry(payment.method.as_str()).or_default() += payment.amount + payment.rounding;
    }
    let partly = |method: &str| partly.get(method).copied().unwrap_or(0);
    assert_eq!(of("1010"), Cash::of(&shop.shift.shift).expected - partly("cash"), "tills");
    for (method, account) in [("card", "1110"), ("qris", "1120"), ("exchange", "1150")] {
        let sums = shop.shift.shift.totals.by_method.get(method).copied().unwrap_or_default();
        assert_eq!(of(account), sums.sales - sums.refunds - partly(method), "{method}");
    }
    assert_eq!(of("1150"), -partly("exchange"), "exchanges wait for their sale alone");
}
