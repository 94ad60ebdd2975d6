//! Sales, holds and days that come back after changes were made here in the meantime.

use super::*;
use domain::model::books::day::{Day, ReopenedDay};
use domain::model::books::ledger::HeldBasket;
use domain::model::books::shift::ShiftTotals;
use domain::model::selling::transaction::{Payment, PaymentState, TransactionState};
use testkit::shop::{Shop, basket, item, product};

/// A held basket belongs to no shift, also when its void comes back.
#[test]
fn a_hold_that_was_voided_comes_back_in_no_shift() {
    let mut shop = Shop::open(rules(), [product("a", 2000)]);
    let basket = basket(vec![item("a", 1, 2000)]);
    let id = shop.create(&basket).unwrap();
    let id = shop.hold(&id).unwrap();
    let HeldBasket { hold, basket } = shop.ledger.holds[&id].clone();
    let voided = Transaction { state: TransactionState::Voided, voided_at: Some(NOW), ..basket };
    let mut till = Till::default();
    let stamp = till.stamp("a");
    let text = record::hold_voided(&stamp, &hold, &voided);
    let event = Book::new(&till).take(&text).unwrap().unwrap();
    assert!(matches!(&event.fact, Fact::HoldVoided(it) if it.hold == hold), "{:?}", event.fact);
    assert!(event.rows.shifts.is_empty(), "{:?}", event.rows.shifts);
    let alone = record::transaction_voided(&till.stamp("a"), &voided);
    let event = Book::new(&till).take(&alone).unwrap().unwrap();
    assert_eq!(event.rows.shifts.len(), 1, "a basket of a shift counts in it");
}

/// In whatever order and with whatever clocks changes come back, the latest change of a day counts.
#[test]
fn an_earlier_word_on_a_day_does_not_come_back_over_a_later_one() {
    let (business_date, by): (Date, _) = ("2026-11-20".parse().unwrap(), Some("usr_1".into()));
    let sealed = |at: i64| Day {
        business_date,
        shift_ids: Vec::new(),
        sealed_by: None,
        sealed_at: UtcMs(NOW.0 + at),
        reason: None,
    };
    let reopened_at = UtcMs(NOW.0 + 5);
    let reopened =
        ReopenedDay { business_date, reopened_by: by, reopened_at, open_until: business_date, reason: None };
    let mut till = Till::default();
    let texts = [
        record::day_reopened(&till.stamp("a"), &reopened),
        record::day_sealed(&till.stamp("b"), &sealed(3)),
        record::day_sealed(&till.stamp("c"), &sealed(7)),
        record::day_reopened(&till.stamp("d"), &reopened),
    ];
    let mut book = Book::new(&till);
    let taken = texts.map(|text| book.take(&text).unwrap().is_some());
    assert_eq!(taken, [true, false, true, false]);
}

/// A payment of a basket is reversed in the shift in which it was taken, even if the basket is completed in another.
#[test]
fn a_payment_is_taken_back_in_the_shift_in_which_it_was_taken() {
    let mut shop = Shop::open(rules(), [product("a", 2000)]);
    let sold = shop.sell(vec![item("a", 1, 2000)]).unwrap();
    let first = sold.payments[0].clone();
    let second = Payment { payment_id: "pay_second".into(), ..first.clone() };
    let gone = Payment { state: PaymentState::Reversed, ..first.clone() };
    let begun = Transaction {
        shift_id: "shf_1".into(),
        state: TransactionState::Open,
        receipt_no: None,
        payments: vec![first.clone()],
        ..sold.clone()
    };
    let paid = Transaction { shift_id: "shf_2".into(), payments: vec![gone, second], ..sold };
    let mut totals = ShiftTotals::default();
    totals.take(std::slice::from_ref(&first)).unwrap();
    let shift = Shift { shift_id: "shf_1".into(), totals: totals.clone(), ..shop.shift.shift.clone() };
    totals.untake(&first);
    let mut till = Till::default();
    till.sales.insert(begun.transaction_id.clone(), begun);
    till.shifts.insert(shift.shift_id.clone(), shift);
    let text = record::transaction_paid(&till.stamp("a"), &paid, &[], &[]);
    let event = Book::new(&till).take(&text).unwrap().unwrap();
    let shifts: Vec<_> = event.shifts().map(|shift| (shift.shift_id.as_str(), &shift.totals)).collect();
    assert_eq!(shifts.len(), 2, "{shifts:?}");
    assert_eq!((shifts[0].0, shifts[1]), ("shf_2", ("shf_1", &totals)));
}
