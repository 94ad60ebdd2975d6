//! Selling: the effects of a sale.

use crate::day::steps::{a_shop, any_rules, new_items};
use domain::model::base::event::{Event, Fact, Rows};
use domain::model::base::figures::Money;
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::{NegativeStock, PriceOverride, Rules};
use domain::model::books::shift::ShiftState;
use domain::model::inventory::product::Product;
use domain::model::people::user::Role;
use domain::model::selling::transaction::{DiscountSource, Transaction, TransactionState};
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::sale::{CreateSale, NewItem, PaySale};
use domain::rules::selling::transaction::view;
use proptest::prelude::*;
use serde_json::json;
use testkit::shop::*;

#[test]
fn a_sale_counts_in_its_shift_and_takes_its_goods() {
    let mut shop = open();
    let id = shop
        .create(&CreateSale {
            items: vec![
                NewItem { discount: Some(Money::new(100)), ..item("a", 2, 1900) },
                item("wrap", 1, 500),
                item("a", 1, 2000),
            ],
            discount: Some(Money::new(30)),
            discount_reason: Some("regular".into()),
            ..basket(vec![])
        })
        .unwrap();
    let due = shop.shift.open[&id].total;
    assert!(shop.pay(&id, &pay_by("card", 1000)).unwrap().is_none());
    assert_eq!(shop.shift.shift.totals.by_method["card"].sales, 1000, "it counts at once");
    assert_eq!(shop.shift.shift.totals.sales_count, 0, "but it is not a sale yet");
    let rest = NewPayment { tendered: Some(Money::new(10_000)), ..payment("cash", due.get() - 1000) };
    let sale = shop.pay(&id, &PaySale { payments: vec![rest] }).unwrap().unwrap();

    assert_eq!(sale.state, TransactionState::Paid);
    assert_eq!(sale.receipt_no.as_deref(), Some("S001-main-00000001"));
    assert_eq!(sale.flags, ["price_override", "negative_stock"]);
    assert_eq!(sale.items[0].discounts.len(), 2);
    assert_eq!(sale.items[0].discounts[1].source, DiscountSource::Basket);
    assert_eq!(sale.items[0].discounts[1].reason.as_deref(), Some("regular"));
    assert_eq!(sale.items[1].cost, Some(Money::ZERO), "a service has no stock");

    let Some(Event { fact: Fact::TransactionPaid(_), rows: Rows { movements, stock, .. } }) =
        shop.events.last()
    else {
        panic!()
    };
    let moved: Vec<_> =
        movements.iter().map(|m| (m.line_no, m.qty.get(), m.balance_after.get(), m.negative)).collect();
    assert_eq!(moved, [(1, -2, -2, true), (3, -1, -3, true)], "lines are settled in order");
    assert_eq!((stock.len(), stock[0].qty.get(), stock[0].updated_at), (1, -3, NOW));

    let totals = &shop.shift.shift.totals;
    assert_eq!((totals.sales_count, totals.items_count.get(), totals.price_overrides), (1, 4, 1));
    assert_eq!((totals.gross_sales, totals.discounts), (6300.into(), 130.into()));
    assert_eq!((totals.tax, totals.total), (sale.tax, due));
    assert_eq!(totals.by_method["cash"].sales, due.get() - 1000);
    assert_eq!(totals.first_receipt, totals.last_receipt);
    assert!(shop.shift.open.is_empty());
}

/// A basket of the shop's member.
fn of_member(shop: &Shop, items: Vec<NewItem>) -> CreateSale {
    CreateSale { member_id: shop.members.members.keys().next().cloned(), ..basket(items) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// By any rules, with promotions, prices by hand and points; records for head office are made of the events.
    #[test]
    fn a_sale_by_one_command_is_the_sale_of_two(
        rules in any_rules(),
        items in prop::collection::vec((0..3_usize, 1..6_i64, 0..1_500_i64), 1..5),
        discount in 0..300_i64,
        (points, card) in (0..4_000_i64, 0..3_i64),
    ) {
        let (mut two, mut one) = (a_shop(rules.clone()), a_shop(rules));
        let cmd = CreateSale {
            discount: Some(Money::new(discount)),
            discount_reason: Some("regular".into()),
            ..of_member(&two, new_items(&items))
        };
        let id = two.create(&cmd);
        let due = id.as_ref().map_or(0, |id| two.shift.open[id].total.get());
        let points = points.min(due);
        let card = (due - points) * card / 2;
        let cash = NewPayment { tendered: Some(Money::new(10_000)), ..payment("cash", due - points - card) };
        let payments = [payment("points", points), payment("card", card), cash];
        let payments: Vec<_> = payments.into_iter().filter(|payment| payment.amount > 0).collect();
        let paid = id.and_then(|id| two.pay(&id, &PaySale { payments: payments.clone() }));
        let before = one.clone();
        let sold = one.sell_at_once(&cmd, &payments);
        prop_assert_eq!(&sold, &paid.map(|paid| paid.unwrap()));
        let begun = before.events.len();
        if sold.is_ok() {
            prop_assert_eq!(&one.events[begun..], &two.events[begun + 1..]);
            prop_assert_eq!((one.shift, one.ledger), (two.shift, two.ledger), "drawer, number, stock and points");
        } else {
            prop_assert_eq!(one.events.len(), begun);
            prop_assert_eq!((one.shift, one.ledger), (before.shift, before.ledger), "a refused sale leaves nothing");
        }
    }
}

#[test]
fn a_whole_sale_that_is_refused_leaves_nothing() {
    /// The goods, by one payment of their total and so much more.
    fn sells(shop: &mut Shop, method: &str, more: i64) -> Result<Transaction, Refusal> {
        let cmd = of_member(shop, vec![item("a", 2, 900), item("wrap", 1, 500)]);
        let mut other = shop.clone();
        let total = other.create(&cmd).map_or(0, |id| other.shift.open[&id].total.get());
        shop.sell_at_once(&cmd, &[payment(method, total + more)])
    }
    let mut shop = a_shop(rules());
    let cmd = of_member(&shop, vec![item("a", 2, 900), item("wrap", 1, 500)]);
    let Err(Refusal::PaymentMismatch { problem, amount_due }) =
        shop.sell_at_once(&cmd, &[payment("card", 2_552)])
    else {
        panic!()
    };
    assert_eq!(
        (problem.as_str(), amount_due.get()),
        ("the payments leave 1 of 2553 to pay; send payments for all of it", 2_553)
    );
    run_table(
        || a_shop(rules()),
        &[
            case(
                "no payment",
                nothing,
                |s| s.sell_at_once(&of_member(s, vec![item("a", 1, 1)]), &[]),
                "payment_mismatch",
                "amount_due",
            ),
            case("too little", nothing, |s| sells(s, "card", -1), "payment_mismatch", "2553"),
            case("too much", nothing, |s| sells(s, "card", 1), "payment_mismatch", "2553"),
            case(
                "no such method",
                nothing,
                |s| sells(s, "cheque", 0),
                "validation_failed",
                "payments[0].method",
            ),
            case(
                "points, and none are left",
                |s| {
                    sells(s, "points", 0).unwrap();
                },
                |s| sells(s, "points", 0),
                "insufficient_points",
                "2553",
            ),
            case(
                "goods that are not there",
                |s| s.rules.negative_stock = NegativeStock::Reject,
                |s| sells(s, "card", 0),
                "insufficient_stock",
                "\"a\"",
            ),
            case(
                "a price that needs a manager",
                |s| s.rules.price_override = PriceOverride::Manager,
                |s| sells(s, "card", 1),
                "approval_required",
                "items[0].price",
            ),
            case(
                "a shift that sells no more",
                |s| s.shift.shift.state = ShiftState::Ended,
                |s| sells(s, "card", 1),
                "invalid_state",
                "close",
            ),
        ],
    );
}

#[test]
fn a_refused_settlement_loses_no_receipt_number() {
    let strict = Rules { negative_stock: NegativeStock::Reject, ..rules() };
    let mut shop = Shop::open(strict, goods());
    shop.sell(vec![item("a", 1, 2000)]).unwrap_err();
    let sale = shop.sell(vec![item("wrap", 1, 500)]).unwrap();
    assert_eq!(sale.receipt_no.as_deref(), Some("S001-main-00000001"));
}

#[test]
fn a_manager_sells_in_any_shift_at_any_price() {
    let mut shop = Shop::open(Rules { price_override: PriceOverride::Manager, ..rules() }, goods());
    let id = shop.create_as(&boss(), &basket(vec![item("a", 1, 1)])).unwrap();
    let sale = shop.pay_as(&boss(), &id, &pay_by("cash", 1)).unwrap().unwrap();
    assert_eq!(sale.cashier_id.as_str(), "usr_boss");
    assert!(sale.items[0].price_override);
}

#[test]
fn a_total_of_zero_is_completed_by_no_payment() {
    let mut shop = open();
    let sale = shop.sell(vec![NewItem { discount: Some(Money::new(2000)), ..item("a", 1, 2000) }]).unwrap();
    assert_eq!((sale.total, sale.payments.len()), (Money::ZERO, 0));
}

#[test]
fn five_hundred_lines_with_a_discount_fit_a_record() {
    let mut shop = Shop::open(rules(), [Product { name: "n".repeat(40), ..product("123456", 2000) }]);
    let cmd = CreateSale { discount: Some(Money::new(5000)), ..basket(vec![item("123456", 10, 2000); 500]) };
    shop.create(&cmd).unwrap();
}

#[test]
fn cash_due_is_what_completing_in_cash_costs() {
    let mut shop = Shop::open(Rules { cash_rounding: Money::new(100), ..rules() }, goods());
    let id = shop.create(&basket(vec![item("a", 1, 2000)])).unwrap();
    assert_eq!(shop.shift.open[&id].cash_due, 2200);
    shop.pay(&id, &pay_by("card", 20)).unwrap();
    assert_eq!((shop.shift.open[&id].amount_due, shop.shift.open[&id].cash_due), (2200.into(), 2200.into()));
    shop.pay(&id, &pay_by("card", 55)).unwrap();
    assert_eq!((shop.shift.open[&id].amount_due, shop.shift.open[&id].cash_due), (2145.into(), 2100.into()));
}

#[test]
fn one_payment_may_stand_alone_and_strangers_are_named() {
    let read = |text: &str| serde_json::from_str::<PaySale>(text).map_err(|e| e.to_string());
    let alone = read(r#"{"method": "cash", "amount": 5, "tendered": 10}"#).unwrap();
    let listed = read(r#"{"payments": [{"method": "cash", "amount": 5, "tendered": 10}]}"#).unwrap();
    assert_eq!(alone, listed);
    assert_eq!(read(r#"{"payments": []}"#).unwrap().payments, []);
    for (text, problem) in [
        ("{}", "payments"),
        (r#"{"amount": 5}"#, "method"),
        (r#"{"method": "cash"}"#, "amount"),
        (r#"{"payments": [], "method": "cash"}"#, "not both"),
        (r#"{"payments": [], "tip": 1}"#, "tip"),
        (r#"{"payments": [{"method": "cash", "amount": 5, "tip": 1}]}"#, "tip"),
        (r#"{"method": "cash", "amount": 5.5}"#, "5.5"),
    ] {
        let answer = read(text).unwrap_err();
        assert!(answer.contains(problem), "{text}: {answer}");
    }
}

#[test]
fn the_cost_of_goods_is_not_for_cashiers() {
    let mut shop = open();
    let sale = shop.sell(vec![item("a", 1, 2000)]).unwrap();
    assert_eq!(view(&sale, Role::Cashier)["items"][0].get("cost"), None);
    assert_eq!(view(&sale, Role::StoreManager)["items"][0]["cost"], json!(0));
    let shown = view(&sale, Role::Cashier);
    for field in ["prices_include_tax", "track_stock"] {
        assert!(shown.get(field).is_none() && shown["items"][0].get(field).is_none(), "{field}");
    }
    assert_eq!(shown["payments"][0]["state"], "accepted");
    assert_eq!(shown["business_date"], "2026-11-20");
}
