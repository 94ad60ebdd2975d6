//! Limits of a drawer against sums that are too large, and against finding the expected amount by trial.

use domain::model::base::figures::Money;
use domain::model::base::refusal::Refusal;
use domain::model::books::shift::{CashKind, Shift};
use domain::model::people::authorization::Authorization;
use domain::model::selling::transaction::Line;
use domain::rules::books::day::{Figures, by_method};
use domain::rules::books::shift::{BLIND_TRIES_MAX, CloseShift, close, is_blind_try};
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::sale::PaySale;
use testkit::shop::*;

/// 8 × 10^15, of which two exceed the largest figure.
const DEAR: (i64, i64) = (8_000, 1_000_000_000_000);
const LARGEST: i64 = 9_007_199_254_740_991;

fn dear() -> Shop {
    let mut shop = open();
    shop.products.get_mut("wrap").unwrap().price = Money::new(DEAR.1);
    shop.rules.default_rate_bp = 0;
    shop
}

/// Closes the shift as its actor does: refused attempts count.
fn closing(shop: &mut Shop, approved: bool, counted_cash: i64) -> Result<Shift, Refusal> {
    let cmd =
        CloseShift { counted_cash: Money::new(counted_cash), void_open: Some(true), ..CloseShift::default() };
    let (who, manager) = (ani(), boss());
    let authorization =
        Authorization { approver: approved.then_some(&manager), ..Authorization::unapproved(&who) };
    match close(&cmd, NOW, &authorization, &shop.rules, &shop.shift) {
        Ok(event) => {
            shop.commit(event);
            Ok(shop.shift.shift.clone())
        }
        Err(refusal) => {
            shop.shift.blind_tries += u32::from(is_blind_try(&refusal, &authorization, &shop.rules));
            Err(refusal)
        }
    }
}

#[test]
fn a_shift_is_closed_with_open_baskets_of_any_amount() {
    let mut shop = dear();
    for _ in 0..2 {
        shop.create(&basket(vec![item("wrap", DEAR.0, DEAR.1)])).unwrap();
    }
    let shift = closing(&mut shop, false, 0).unwrap();
    assert_eq!((shift.totals.voids_count, shift.totals.voids_total), (2, LARGEST.into()));
}

#[test]
fn baskets_and_sales_of_any_amount_are_voided() {
    let mut shop = dear();
    for _ in 0..2 {
        let id = shop.create(&basket(vec![item("wrap", DEAR.0, DEAR.1)])).unwrap();
        shop.void_open_as(&ani(), &id).unwrap();
    }
    for _ in 0..2 {
        let id = shop.create(&basket(vec![item("wrap", DEAR.0, DEAR.1)])).unwrap();
        shop.pay(&id, &pay_by("card", DEAR.0 * DEAR.1)).unwrap();
        shop.void_paid(&boss(), &id).unwrap();
    }
    let totals = &shop.shift.shift.totals;
    assert_eq!((totals.voids_count, totals.voids_total, totals.total), (4, LARGEST.into(), Money::ZERO));
}

#[test]
fn a_day_hides_a_figure_that_is_too_large_and_shows_the_others() {
    let mut shop = dear();
    shop.sell(vec![item("wrap", DEAR.0, DEAR.1)]).unwrap();
    let shift = shop.shift.shift.clone();
    let one = Figures::of([&shift]);
    let two = Figures::of([&shift, &shift]);
    assert_eq!((one.sums.total, one.sums.sales_count), ((DEAR.0 * DEAR.1).into(), 1));
    assert_eq!(
        (two.sums.total, two.net_total, two.sums.sales_count),
        (Money::new(i64::MAX), Money::new(i64::MAX), 2)
    );
    assert_eq!(
        (two.sums.tax, two.voids_total, two.sums.items_count.get()),
        (Money::ZERO, Money::ZERO, 2 * DEAR.0)
    );
    let methods = by_method([&shift, &shift, &shift]);
    assert_eq!(
        (methods[0].sales, methods[0].net, methods[0].sales_count),
        (Money::new(i64::MAX), Money::new(i64::MAX), 3)
    );
}

#[test]
fn a_blind_count_is_not_found_out_by_trying() {
    let mut shop = open();
    (shop.rules.policy.blind, shop.rules.policy.variance_tolerance) = (true, 1_000.into());
    shop.cash(CashKind::PayIn, 500_000).unwrap();
    for tried in 0..BLIND_TRIES_MAX {
        let refused = closing(&mut shop, false, i64::from(tried) * 1_000).unwrap_err();
        assert_eq!(refused.code(), "approval_required");
    }
    let refused = closing(&mut shop, false, 500_000).unwrap_err();
    assert_eq!(refused.code(), "approval_required", "the right amount as well");
    assert!(!refused.to_string().contains("500000"), "{refused}");
    assert_eq!(
        shop.cash(CashKind::Drop, 1).unwrap_err().code(),
        "approval_required",
        "nor by paying cash out"
    );
    assert_eq!(closing(&mut shop, true, 499_000).unwrap().variance, Some((-1_000).into()));
}

#[test]
fn a_user_who_sees_the_expected_cash_may_try_again() {
    let mut shop = open();
    shop.rules.policy.variance_tolerance = Money::new(1_000);
    for _ in 0..5 {
        assert_eq!(closing(&mut shop, false, 5_000).unwrap_err().code(), "approval_required");
    }
    assert_eq!(closing(&mut shop, false, 1_000).unwrap().variance, Some(1_000.into()));
}

#[test]
fn the_pay_outs_of_a_shift_count_together_for_the_limit() {
    let mut shop = open();
    shop.rules.policy.pay_out_value = Money::new(500_000);
    shop.cash(CashKind::PayIn, 2_000_000).unwrap();
    shop.cash(CashKind::PayOut, 499_999).unwrap();
    shop.cash(CashKind::PayOut, 1).unwrap();
    let refused = shop.cash(CashKind::PayOut, 400_000).unwrap_err();
    assert!(refused.to_string().contains("900000"), "{refused}");
    assert_eq!(shop.cash(CashKind::PayOut, 1).unwrap_err().code(), "approval_required");
    shop.cash(CashKind::Drop, 1_000_000).unwrap();
}

#[test]
fn a_bar_code_is_no_cash_and_no_price() {
    let mut shop = open();
    shop.rules.policy.denominations = [100_000, 500].map(Money::new).into();
    let pay = |shop: &mut Shop, tendered: i64| {
        let id = shop.create(&basket(vec![item("a", 10, 2000)])).unwrap();
        let cash = NewPayment { tendered: Some(Money::new(tendered)), ..payment("cash", 22_200) };
        shop.pay(&id, &PaySale { payments: vec![cash] }).map(drop)
    };
    for (tendered, taken) in
        [(22_200, true), (10_000_000, true), (10_000_001, false), (8_991_234_500_119, false)]
    {
        assert_eq!(pay(&mut shop, tendered).is_ok(), taken, "{tendered}");
    }
    let refused = pay(&mut shop, 8_991_234_500_119).unwrap_err().to_string();
    assert!(refused.contains("payments[0].tendered") && refused.contains("10000000"), "{refused}");
    let price = |shop: &mut Shop, price: i64| shop.create(&basket(vec![item("a", 1, price)])).map(drop);
    price(&mut shop, 10_000_000).unwrap();
    assert_eq!(price(&mut shop, 899_123_450_011).unwrap_err().code(), "approval_required");
    shop.create_as(&boss(), &basket(vec![item("a", 1, 899_123_450_011)])).unwrap();
}

#[test]
fn a_price_by_hand_keeps_why() {
    let mut shop = open();
    let line = |reason: Option<&str>| domain::rules::selling::sale::NewItem {
        price_reason: reason.map(str::to_owned),
        ..item("a", 1, 1_500)
    };
    let cmd = domain::rules::selling::sale::CreateSale {
        discount_reason: Some("opened box".to_owned()),
        ..basket(vec![line(None), line(Some("torn")), item("a", 1, 2_000)])
    };
    let id = shop.create(&cmd).unwrap();
    let reasons = |shop: &Shop| {
        let sale = &shop.shift.open[&id];
        let reason = |line: &Line| sale.price_reason(line.line_no).unwrap_or_default().to_owned();
        sale.items.iter().map(reason).collect::<Vec<_>>()
    };
    assert_eq!(reasons(&shop), ["opened box", "torn", ""]);
    shop.change(
        &id,
        &domain::rules::selling::sale::ChangeSale { note: Some("x".to_owned()), ..Default::default() },
    )
    .unwrap();
    assert_eq!(reasons(&shop), ["opened box", "torn", ""], "the reason stays with the line");
    let basket = &shop.shift.open[&id];
    let by_hand = domain::rules::selling::sale::prices_by_hand(None, basket);
    assert_eq!(by_hand.iter().map(|line| line.line_no).collect::<Vec<_>>(), [1, 2]);
    assert!(domain::rules::selling::sale::prices_by_hand(Some(basket), basket).is_empty(), "reported once");
}
