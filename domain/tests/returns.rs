//! Returns, exchanges and voids: what is refused, and what goes back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

#[path = "support/acts.rs"]
mod acts;
#[path = "support/shop.rs"]
mod shop;

use acts::*;
use domain::event::Event;
use domain::ids::TransactionId;
use domain::refusal::Refusal;
use domain::returns::{Disposition, NewRefund, NewReturn, NewReturnItem, Return};
use domain::sale::{CreateSale, NewPayment, PaySale};
use domain::shift::{Cash, ShiftState};
use domain::stock::Stock;
use domain::user::Role;
use shop::*;

fn open() -> Shop {
    let mut shop = Shop::open(rules(), [product("a", 1000), product("b", 3000)]);
    shop.ledger.stock.insert(
        "a".into(),
        Stock { sku: "a".into(), qty: 10, value: 6_000, last_cost: 600, ..Stock::default() },
    );
    shop
}

/// Three pieces `a`, 3,330 with tax, paid by these.
fn sold(shop: &mut Shop, payments: Vec<NewPayment>) -> TransactionId {
    let id = shop.create(&basket(vec![item("a", 3, 1000)])).unwrap();
    shop.pay(&id, &PaySale { payments }).unwrap().expect("all was paid");
    id
}

fn in_cash(shop: &mut Shop) -> TransactionId {
    sold(shop, vec![payment("cash", 3330)])
}

fn last(shop: &Shop) -> TransactionId {
    let paid = shop.events.iter().rev().find_map(|event| match event {
        Event::TransactionPaid { transaction, .. } => Some(transaction.transaction_id.clone()),
        _ => None,
    });
    paid.unwrap()
}

fn of(shop: &Shop, items: Vec<NewReturnItem>) -> NewReturn {
    NewReturn { transaction_id: Some(last(shop)), items, ..NewReturn::default() }
}

fn refund(shop: &mut Shop, change: impl FnOnce(&mut NewReturn)) -> Result<(), Refusal> {
    let mut cmd = of(shop, vec![back("a", 1)]);
    change(&mut cmd);
    shop.give_back(&ani(), &cmd).map(|_| ())
}

fn bare(price: Option<i64>) -> NewReturn {
    NewReturn { items: vec![NewReturnItem { price, ..back("a", 1) }], ..NewReturn::default() }
}

fn given_sale(shop: &mut Shop) {
    in_cash(shop);
}

fn case(
    name: &'static str,
    given: fn(&mut Shop),
    when: fn(&mut Shop) -> Result<(), Refusal>,
    code: &'static str,
    detail: &'static str,
) -> Case {
    Case { name, given, when, code, detail }
}

#[test]
fn returns_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "more than was sold",
                given_sale,
                |s| refund(s, |cmd| cmd.items[0].qty = 4),
                "return_exceeds_sold",
                "",
            ),
            case(
                "more than is left",
                |s| {
                    let id = in_cash(s);
                    s.take_back(&id, "a", 2).unwrap();
                },
                |s| refund(s, |cmd| cmd.items[0].qty = 2),
                "return_exceeds_sold",
                "",
            ),
            case(
                "one line twice in one return",
                given_sale,
                |s| refund(s, |cmd| cmd.items = vec![back("a", 2), back("a", 2)]),
                "return_exceeds_sold",
                "",
            ),
            case(
                "what was not in the sale",
                given_sale,
                |s| refund(s, |cmd| cmd.items = vec![back("b", 1)]),
                "return_exceeds_sold",
                "",
            ),
            case(
                "a line that is another product's",
                given_sale,
                |s| refund(s, |cmd| cmd.items[0].line_no = Some(2)),
                "return_exceeds_sold",
                "",
            ),
            case(
                "a price with a receipt",
                given_sale,
                |s| refund(s, |cmd| cmd.items[0].price = Some(1)),
                "validation_failed",
                "items[0].price",
            ),
            case(
                "restock against its disposition",
                given_sale,
                |s| {
                    refund(s, |cmd| {
                        cmd.items[0].restock = Some(true);
                        cmd.items[0].disposition = Some(Disposition::Damaged);
                    })
                },
                "validation_failed",
                "items[0].restock",
            ),
            case("nothing", given_sale, |s| refund(s, |cmd| cmd.items.clear()), "validation_failed", "items"),
            case(
                "refunds that are not the total",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("cash", 1109)])),
                "payment_mismatch",
                "1110",
            ),
            case(
                "a method that the store does not know",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("gold", 1110)])),
                "validation_failed",
                "refunds[0].method",
            ),
            case(
                "one method twice",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("cash", 1000), by("cash", 110)])),
                "validation_failed",
                "refunds[1].method",
            ),
            case(
                "more than a method paid, without approval",
                |s| {
                    sold(s, vec![payment("card", 3000), payment("cash", 330)]);
                },
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("cash", 1110)])),
                "approval_required",
                "",
            ),
            case(
                "points for what points never paid",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("points", 1110)])),
                "validation_failed",
                "refunds[0].amount",
            ),
            case(
                "above what a cashier may",
                |s| {
                    in_cash(s);
                    s.rules.policy.return_cashier_limit = 1109;
                },
                |s| refund(s, |_| {}),
                "approval_required",
                "",
            ),
            case(
                "later than the window",
                |s| {
                    in_cash(s);
                    s.later(31 * 86_400_000);
                },
                |s| refund(s, |_| {}),
                "approval_required",
                "",
            ),
            case(
                "a sale that was voided",
                |s| {
                    let id = in_cash(s);
                    s.void_paid(&boss(), &id).unwrap();
                },
                |s| refund(s, |_| {}),
                "invalid_state",
                "voided",
            ),
            case(
                "a shift that sells no more",
                |s| {
                    in_cash(s);
                    s.shift.shift.state = ShiftState::Ended;
                },
                |s| refund(s, |_| {}),
                "invalid_state",
                "close",
            ),
            case(
                "by the stock room",
                given_sale,
                |s| {
                    let cmd = of(s, vec![back("a", 1)]);
                    s.give_back(&caller("ani", Role::WarehouseStaff), &cmd).map(|_| ())
                },
                "insufficient_role",
                "",
            ),
        ],
    );
}

#[test]
fn returns_without_a_receipt_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "by a cashier alone",
                |_| {},
                |s| s.give_back(&ani(), &bare(Some(500))).map(|_| ()),
                "approval_required",
                "",
            ),
            case(
                "without a price",
                |_| {},
                |s| s.give_back(&boss(), &bare(None)).map(|_| ()),
                "validation_failed",
                "items[0].price",
            ),
            case(
                "above the limit, whoever asks",
                |s| s.rules.policy.unreceipted_max = 554,
                |s| s.give_back(&boss(), &bare(Some(500))).map(|_| ()),
                "validation_failed",
                "items",
            ),
            case(
                "an unknown product",
                |_| {},
                |s| {
                    let mut cmd = bare(Some(500));
                    cmd.items[0].sku = "gone".into();
                    s.give_back(&boss(), &cmd).map(|_| ())
                },
                "unknown_sku",
                "gone",
            ),
        ],
    );
}

fn exchange(into: &TransactionId, amount: i64) -> NewRefund {
    NewRefund { transaction_id: Some(into.clone()), ..by("exchange", amount) }
}

/// A new basket of `b`, 3,330 with tax.
fn wanted(shop: &mut Shop) -> TransactionId {
    shop.create(&basket(vec![item("b", 1, 3000)])).unwrap()
}

#[test]
fn exchanges_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "more than is due",
                |s| {
                    in_cash(s);
                    s.create(&basket(vec![item("a", 1, 100)])).unwrap();
                },
                |s| {
                    let target = s.shift.open.keys().next().unwrap().clone();
                    refund(s, |cmd| cmd.refunds = Some(vec![exchange(&target, 1110)]))
                },
                "payment_mismatch",
                "111",
            ),
            case(
                "into a transaction of nobody",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![exchange(&"trx_0".into(), 1110)])),
                "not_found",
                "",
            ),
            case(
                "into nothing",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("exchange", 1110)])),
                "validation_failed",
                "refunds[0].transaction_id",
            ),
            case(
                "by a payment",
                |s| {
                    wanted(s);
                },
                |s| {
                    s.rules.methods.push("exchange".to_owned());
                    let id = s.shift.open.keys().next().unwrap().clone();
                    let refused = s.pay(&id, &pay_by("exchange", 100)).map(|_| ());
                    s.rules.methods.pop();
                    refused
                },
                "validation_failed",
                "payments[0].method",
            ),
        ],
    );
}

fn methods(document: &Return) -> Vec<(&str, Option<&str>, i64)> {
    document
        .refunds
        .iter()
        .map(|refund| (refund.method.as_str(), refund.origin.as_deref(), refund.amount))
        .collect()
}

#[test]
fn a_card_sale_never_turns_into_cash_by_an_exchange() {
    let mut shop = open();
    let first = sold(&mut shop, vec![payment("card", 3000), payment("cash", 330)]);
    let target = wanted(&mut shop);
    let cmd = NewReturn {
        transaction_id: Some(first.clone()),
        items: vec![back("a", 3)],
        refunds: Some(vec![exchange(&target, 3330)]),
        ..NewReturn::default()
    };
    let document = shop.give_back(&ani(), &cmd).unwrap();
    assert_eq!(methods(&document), [("exchange", Some("card"), 3000), ("exchange", Some("cash"), 330)]);
    assert!(shop.shift.open.is_empty(), "the exchange completed the sale, in one commit");
    let sale = sale_of(&shop, &target);
    assert_eq!(sale.receipt_no.as_deref(), Some("S001-main-00000003"), "after the return's number");
    assert_eq!(Cash::of(&shop.shift.shift).expected, 330, "no cash moved");

    // Returned in turn, it goes back by the card that had paid the first sale.
    let mut again = shop.clone();
    let document = again.take_back(&target, "b", 1).unwrap();
    assert_eq!(methods(&document), [("card", None, 3000), ("cash", None, 330)]);

    // Voided instead: likewise, and the goods of the exchange are no longer given away.
    let given = shop.void_paid(&boss(), &target).unwrap();
    let given: Vec<_> = given.iter().map(|part| (part.method.as_str(), part.amount)).collect();
    assert_eq!(given, [("card", 3000), ("cash", 330)]);
    assert_eq!(Cash::of(&shop.shift.shift).expected, 0);
    assert_eq!(shop.shift.shift.totals.by_method["exchange"], Default::default());
}

#[test]
fn an_exchange_leaves_points_to_points() {
    let mut shop = open();
    let member = shop.join("Siti", "0811 2233 445").unwrap();
    let mut account = domain::points::PointsAccount::new(member.clone());
    account.lots.earn("gift", 1_000, None);
    shop.ledger.points.insert(member.clone(), account);
    let cmd = CreateSale { member_id: Some(member.clone()), ..basket(vec![item("a", 3, 1000)]) };
    let id = shop.create(&cmd).unwrap();
    let payments = vec![payment("points", 1000), payment("card", 2330)];
    shop.pay(&id, &PaySale { payments }).unwrap().expect("paid");
    assert_eq!(shop.ledger.points[&member].balance(), 2, "⌊2,330 / 1,000⌋");
    let target = wanted(&mut shop);
    let mut cmd = of(&shop, vec![back("a", 3)]);
    cmd.refunds = Some(vec![exchange(&target, 3330)]);
    let refused = shop.give_back(&boss(), &cmd).unwrap_err();
    assert_eq!(refused.code(), "payment_mismatch");
    cmd.refunds = Some(vec![by("points", 1000), exchange(&target, 2330)]);
    let document = shop.give_back(&boss(), &cmd).unwrap();
    assert_eq!((document.points_back, document.points_reversed), (1000, 2));
    assert_eq!(shop.ledger.points[&member].balance(), 1000);
}

#[test]
fn goods_go_where_they_are_sent() {
    let mut shop = open();
    in_cash(&mut shop);
    let to = |disposition| NewReturnItem { disposition: Some(disposition), ..back("a", 1) };
    let kinds = [Disposition::Restock, Disposition::Vendor, Disposition::None];
    let cmd = of(&shop, kinds.map(to).to_vec());
    let document = shop.give_back(&ani(), &cmd).unwrap();
    assert_eq!(document.refund_total, 3330);
    assert_eq!(document.items.iter().map(|line| line.cost).collect::<Vec<_>>(), [600, 600, 600]);
    let row = &shop.ledger.stock["a"];
    assert_eq!((row.qty, row.value, row.damaged, row.damaged_value), (8, 4_800, 1, 600));

    shop.void_return(&boss(), &document).unwrap();
    let row = &shop.ledger.stock["a"];
    assert_eq!((row.qty, row.value, row.damaged, row.damaged_value), (7, 4_200, 0, 0));
    let totals = &shop.shift.shift.totals;
    assert_eq!((totals.returns_count, totals.returns_total, totals.returns_tax), (0, 0, 0));
    let again =
        shop.void_return(&boss(), &Return { state: domain::returns::ReturnState::Voided, ..document });
    assert_eq!(again.unwrap_err().code(), "invalid_state");
}

#[test]
fn a_cash_refund_is_rounded_by_itself() {
    let mut shop = open();
    shop.rules.cash_rounding = 100;
    let id = in_cash(&mut shop);
    assert_eq!(Cash::of(&shop.shift.shift).sales, 3300);
    let document = shop.take_back(&id, "a", 1).unwrap();
    assert_eq!((document.refund_total, document.rounding), (1110, -10));
    assert_eq!(Cash::of(&shop.shift.shift).refunds, 1100);
}

#[test]
fn a_sale_without_a_receipt_comes_back_at_the_average() {
    let mut shop = open();
    let document = shop.give_back(&boss(), &bare(Some(500))).unwrap();
    assert_eq!((document.refund_total, document.tax), (555, 55));
    assert_eq!(document.items[0].cost, 600);
    assert_eq!(shop.ledger.stock["a"].value, 6_600);
    assert_eq!(document.receipt_no, "S001-main-00000001");
}

#[test]
fn cashiers_do_not_see_what_goods_cost() {
    let mut shop = open();
    let id = in_cash(&mut shop);
    let document = shop.take_back(&id, "a", 1).unwrap();
    let seen = domain::returns::view(&document, Role::Cashier)["items"][0].clone();
    assert!(seen.get("cost").is_none() && seen.get("correction").is_none(), "{seen}");
    assert_eq!(seen["refund"], 1110);
    assert_eq!(domain::returns::view(&document, Role::StoreManager)["items"][0]["cost"], 600);
}
