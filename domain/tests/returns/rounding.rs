//! Cash rounding of refunds: nobody gains by buying and returning.

use super::*;
use domain::model::base::figures::Money;
use domain::model::base::settings::RoundingMode;

fn rounded(step: i64, mode: RoundingMode) -> Shop {
    let no_tax = domain::model::base::settings::Rules { default_rate_bp: 0, ..rules() };
    let mut shop = Shop::open(no_tax, [product("a", 500), product("b", 1_000)]);
    shop.stock("a", 50, 5_000);
    shop.stock("b", 50, 5_000);
    (shop.rules.cash_rounding, shop.rules.cash_rounding_mode) = (step.into(), mode);
    shop
}

fn bought(shop: &mut Shop, qty: i64, price: i64, methods: &[(&str, i64)]) -> TransactionId {
    let id = shop.create(&basket(vec![item("a", qty, price)])).unwrap();
    let payments = methods.iter().map(|(method, amount)| payment(method, *amount)).collect();
    shop.pay(&id, &PaySale { payments }).unwrap().expect("the sale is fully paid");
    id
}

fn out(document: &Return) -> i64 {
    document.refunds.iter().map(|part| part.amount.saturating_add(part.rounding)).sum()
}

/// Returns pieces one by one. Returns the cash paid out for each.
fn one_by_one(shop: &mut Shop, id: &TransactionId, qty: i64) -> Vec<i64> {
    (0..qty).map(|_| out(&shop.take_back(id, "a", 1).unwrap())).collect()
}

/// (step, mode, pieces, price, cash received for the sale, cash paid out for each piece).
#[test]
fn parts_pay_out_no_more_cash_than_the_sale_brought() {
    use RoundingMode::{Customer, Nearest, Shop as InFavourOfShop};
    type Case = (i64, RoundingMode, i64, i64, i64, &'static [i64]);
    let cases: [Case; 7] = [
        (1_000, Nearest, 3, 500, 2_000, &[1_000, 0, 1_000]),
        (1_000, Nearest, 4, 1_490, 6_000, &[1_000, 2_000, 1_000, 2_000]),
        (1_000, Customer, 1, 9_490, 9_000, &[9_000]),
        (1_000, Customer, 3, 500, 1_000, &[0, 1_000, 0]),
        (1_000, InFavourOfShop, 3, 500, 2_000, &[1_000, 0, 1_000]),
        (100, Nearest, 3, 1_110, 3_300, &[1_100, 1_100, 1_100]),
        (100, InFavourOfShop, 2, 1_001, 2_100, &[1_100, 1_000]),
    ];
    for (step, mode, qty, price, brought, each) in cases {
        let mut shop = rounded(step, mode);
        let id = bought(&mut shop, qty, price, &[("cash", qty * price)]);
        assert_eq!(Cash::of(&shop.shift.shift).sales, brought);
        assert_eq!(one_by_one(&mut shop, &id, qty), each, "{qty} × {price}, {mode:?} {step}");
        assert_eq!(Cash::of(&shop.shift.shift).expected, 0, "the drawer is as before");
        let totals = &shop.shift.shift.totals;
        assert_eq!(totals.rounding, totals.returns_rounding, "6020 is 0 for sale and returns together");
    }
}

#[test]
fn only_the_cash_part_of_a_sale_is_rounded_back() {
    let mut shop = rounded(1_000, RoundingMode::Nearest);
    let id = bought(&mut shop, 3, 500, &[("card", 400), ("cash", 1_100)]);
    assert_eq!(one_by_one(&mut shop, &id, 3), [400, 1_000, 0], "card first; 1,000 was received in cash");
}

#[test]
fn another_step_at_the_return_still_pays_out_what_the_sale_brought() {
    for step in [0, 50, 5_000] {
        let mut shop = rounded(1_000, RoundingMode::Nearest);
        let id = bought(&mut shop, 3, 500, &[("cash", 1_500)]);
        shop.rules.cash_rounding = Money::new(step);
        assert_eq!(one_by_one(&mut shop, &id, 3).iter().sum::<i64>(), 2_000, "step {step}");
    }
}

#[test]
fn a_voided_return_takes_its_rounding_with_it() {
    let mut shop = rounded(1_000, RoundingMode::Nearest);
    let id = bought(&mut shop, 3, 500, &[("cash", 1_500)]);
    let first = shop.take_back(&id, "a", 1).unwrap();
    assert_eq!(one_by_one(&mut shop, &id, 1), [0]);
    shop.void_return(&boss(), &first).unwrap();
    assert_eq!(one_by_one(&mut shop, &id, 2), [1_000, 1_000]);
}

#[test]
fn refunds_of_another_store_count() {
    use domain::model::selling::returns::{LineReturned, MethodBack, Span, TakenBack};
    let mut shop = rounded(1_000, RoundingMode::Nearest);
    bought(&mut shop, 3, 500, &[("cash", 1_500)]);
    let reported = TakenBack {
        store_id: "S002".into(),
        lines: vec![LineReturned { line_no: 1, pieces: vec![Span { start: 0, end: 1 }] }],
        refunds: vec![MethodBack {
            method: "cash".to_owned(),
            amount: Money::new(500),
            rounding: Money::new(500),
        }],
        refunded: Money::new(500),
        ..TakenBack::default()
    };
    let cmd = of(&shop, vec![back("a", 2)]);
    let document = shop.give_back_reported(&ani(), &cmd, Some(vec![reported])).unwrap();
    assert_eq!((document.refund_total, out(&document)), (1_000.into(), 1_000));
}

#[test]
fn cash_that_other_methods_gave_back_is_part_of_the_cash() {
    let mut shop = rounded(1_000, RoundingMode::Nearest);
    let id = bought(&mut shop, 2, 725, &[("cash", 1_450)]);
    let mut cmd = of(&shop, vec![back("a", 1)]);
    cmd.refunds = Some(vec![by("card", 725)]);
    shop.give_back(&boss(), &cmd).unwrap();
    assert_eq!(one_by_one(&mut shop, &id, 1), [275], "1,000 was received");
}

#[test]
fn without_cash_of_a_sale_behind_it_rounding_favours_nobody_or_goes_down() {
    let cases =
        [(RoundingMode::Nearest, 10_000), (RoundingMode::Customer, 9_900), (RoundingMode::Shop, 9_900)];
    for (mode, paid) in cases {
        let mut shop = rounded(100, mode);
        shop.rules.policy.unreceipted_any_price = true;
        let bare = shop.give_back(&boss(), &bare(Some(9_950))).unwrap();
        assert_eq!(out(&bare), paid, "{mode:?}, without a receipt");
        bought(&mut shop, 1, 9_950, &[("card", 9_950)]);
        let mut cmd = of(&shop, vec![back("a", 1)]);
        cmd.refunds = Some(vec![by("cash", 9_950)]);
        let moved = shop.give_back(&boss(), &cmd).unwrap();
        assert_eq!(out(&moved), paid, "{mode:?}, paid by card");
    }
}

/// 1,500 was rounded to 2,000 in cash. Exchanged piece by piece and returned for cash, it is 2,000 again.
#[test]
fn an_exchange_carries_the_rounding_of_the_cash_behind_it() {
    let mut shop = rounded(1_000, RoundingMode::Nearest);
    let first = bought(&mut shop, 3, 500, &[("cash", 1_500)]);
    let mut given = Vec::new();
    for voided in [true, false, true] {
        let target = shop.create(&basket(vec![item("b", 1, 500)])).unwrap();
        let cmd = NewReturn {
            transaction_id: Some(first.clone()),
            items: vec![back("a", 1)],
            refunds: Some(vec![NewRefund { transaction_id: Some(target.clone()), ..by("exchange", 500) }]),
            ..NewReturn::default()
        };
        let document = shop.give_back(&ani(), &cmd).unwrap();
        assert_eq!(document.rounding, 0, "no cash moved");
        if voided {
            let parts = shop.void_paid(&boss(), &target).unwrap();
            given.push(parts.iter().map(|part| part.amount.saturating_add(part.rounding)).sum());
        } else {
            given.push(out(&shop.take_back(&target, "b", 1).unwrap()));
        }
    }
    assert_eq!(given, [1_000, 0, 1_000]);
    assert_eq!(Cash::of(&shop.shift.shift).expected, 0);
}
