//! Baskets: changed, held, recalled at the prices of now, voided, their payments taken back.

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
use domain::hold::{HoldSale, HoldState, expire};
use domain::ids::{HoldId, TransactionId};
use domain::mandate::Mandate;
use domain::promotion::Promotion;
use domain::refusal::Refusal;
use domain::sale::{self, ChangeSale, CreateSale, NewItem, PaySale};
use domain::settings::PriceOverride;
use domain::shift::{Cash, ShiftState};
use domain::stock::Stock;
use domain::time::UtcMs;
use domain::transaction::{DiscountSource, TransactionState};
use domain::user::Role;
use proptest::prelude::*;
use shop::*;

fn open() -> Shop {
    Shop::open(rules(), [product("a", 2000), product("b", 3000)])
}

fn one(shop: &mut Shop) -> TransactionId {
    shop.create(&basket(vec![item("a", 2, 2000)])).unwrap()
}

fn a_basket(shop: &mut Shop) {
    one(shop);
}

fn a_hold(shop: &mut Shop) {
    let id = one(shop);
    shop.hold(&id).unwrap();
}

fn part_paid(shop: &mut Shop) {
    let id = one(shop);
    shop.pay(&id, &pay_by("cash", 1000)).unwrap();
}

fn sold(shop: &mut Shop) {
    shop.sell(vec![item("a", 2, 2000)]).unwrap();
}

fn first(shop: &Shop) -> TransactionId {
    shop.shift.open.keys().next().unwrap().clone()
}

fn held(shop: &Shop) -> HoldId {
    shop.ledger.holds.keys().next().unwrap().clone()
}

fn change(shop: &mut Shop, cmd: ChangeSale) -> Result<(), Refusal> {
    let id = first(shop);
    shop.change(&id, &cmd).map(|_| ())
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
fn holds_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "a basket that is partly paid",
                part_paid,
                |s| s.hold(&first(s)).map(|_| ()),
                "invalid_state",
                "pay",
            ),
            case(
                "a sale that is complete",
                sold,
                |s| s.hold(&"trx_1".into()).map(|_| ()),
                "invalid_state",
                "return",
            ),
            case(
                "recalled twice",
                |s| {
                    a_hold(s);
                    s.recall(&held(s)).unwrap();
                },
                |s| s.recall(&"hld_2".into()).map(|_| ()),
                "invalid_state",
                "recalled",
            ),
            case(
                "recalled after its time",
                |s| {
                    s.rules.policy.hold_expire_after_ms = 1_000;
                    a_hold(s);
                    s.later(1_000);
                },
                |s| s.recall(&held(s)).map(|_| ()),
                "invalid_state",
                "expired",
            ),
            case(
                "recalled into a shift that sells no more",
                |s| {
                    a_hold(s);
                    s.shift.shift.state = ShiftState::Ended;
                },
                |s| s.recall(&held(s)).map(|_| ()),
                "invalid_state",
                "close",
            ),
        ],
    );
}

#[test]
fn changes_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "no lines",
                a_basket,
                |s| change(s, ChangeSale { items: Some(vec![]), ..ChangeSale::default() }),
                "validation_failed",
                "items",
            ),
            case(
                "an unknown product",
                a_basket,
                |s| change(s, ChangeSale { items: Some(vec![item("x", 1, 1)]), ..ChangeSale::default() }),
                "unknown_sku",
                "x",
            ),
            case(
                "an unknown member",
                a_basket,
                |s| change(s, ChangeSale { member_id: Some("mbr_9".into()), ..ChangeSale::default() }),
                "unknown_member",
                "mbr_9",
            ),
            case(
                "a discount above what is left",
                a_basket,
                |s| change(s, ChangeSale { discount: Some(4001), ..ChangeSale::default() }),
                "validation_failed",
                "discount",
            ),
            case(
                "a price for managers",
                |s| {
                    a_basket(s);
                    s.rules.price_override = PriceOverride::Manager;
                },
                |s| change(s, ChangeSale { items: Some(vec![item("a", 1, 1)]), ..ChangeSale::default() }),
                "approval_required",
                "",
            ),
            case(
                "partly paid",
                part_paid,
                |s| change(s, ChangeSale { discount: Some(1), ..ChangeSale::default() }),
                "invalid_state",
                "partially_paid",
            ),
            case(
                "after its day, where that is refused",
                |s| {
                    a_basket(s);
                    s.rules.policy.refuse_overdue = true;
                    s.later(86_400_000);
                },
                |s| change(s, ChangeSale { discount: Some(1), ..ChangeSale::default() }),
                "invalid_state",
                "overdue",
            ),
        ],
    );
}

#[test]
fn voids_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "partly paid, by a cashier alone",
                part_paid,
                |s| s.void_open_as(&ani(), &first(s)).map(|_| ()),
                "approval_required",
                "",
            ),
            case(
                "paid, by a cashier alone",
                sold,
                |s| s.void_paid(&ani(), &"trx_1".into()).map(|_| ()),
                "approval_required",
                "",
            ),
            case(
                "paid, in another shift",
                |s| {
                    sold(s);
                    s.shift.shift.shift_id = "shf_2".into();
                },
                |s| s.void_paid(&boss(), &"trx_1".into()).map(|_| ()),
                "invalid_state",
                "return",
            ),
            case(
                "paid, and something came back",
                |s| {
                    sold(s);
                    s.take_back(&"trx_1".into(), "a", 1).unwrap();
                },
                |s| s.void_paid(&boss(), &"trx_1".into()).map(|_| ()),
                "invalid_state",
                r#"["return"]"#,
            ),
            case(
                "voided before",
                |s| {
                    sold(s);
                    s.void_paid(&boss(), &"trx_1".into()).unwrap();
                },
                |s| s.void_paid(&boss(), &"trx_1".into()).map(|_| ()),
                "invalid_state",
                "voided",
            ),
            case(
                "somebody else's basket",
                a_basket,
                |s| s.void_open_as(&caller("budi", Role::Cashier), &first(s)).map(|_| ()),
                "insufficient_role",
                "",
            ),
            case(
                "a payment that is not there",
                part_paid,
                |s| s.reverse(&first(s), &"pay_9".into()),
                "not_found",
                "",
            ),
            case(
                "a payment twice",
                |s| {
                    let id = one(s);
                    s.pay(&id, &pay_by("cash", 1000)).unwrap();
                    s.pay(&id, &pay_by("card", 1000)).unwrap();
                    s.reverse(&id, &"pay_2".into()).unwrap();
                },
                |s| s.reverse(&first(s), &"pay_2".into()),
                "invalid_state",
                "reversed",
            ),
            case(
                "a tender for another amount",
                sold,
                |s| s.correct(&"trx_1".into(), &"pay_2".into(), payment("card", 4439)),
                "payment_mismatch",
                "4440",
            ),
            case(
                "a tender of points",
                sold,
                |s| s.correct(&"trx_1".into(), &"pay_2".into(), payment("points", 4440)),
                "validation_failed",
                "payments[0].method",
            ),
            case(
                "a tender after a return",
                |s| {
                    sold(s);
                    s.take_back(&"trx_1".into(), "a", 1).unwrap();
                },
                |s| s.correct(&"trx_1".into(), &"pay_2".into(), payment("card", 4440)),
                "invalid_state",
                "return",
            ),
        ],
    );
}

#[test]
fn a_basket_is_recalled_at_the_prices_and_promotions_of_now() {
    let mut shop = open();
    let discounted = NewItem { discount: Some(500), ..item("b", 1, 2500) };
    let id = shop.create(&CreateSale { discount: Some(300), ..basket(vec![item("a", 2, 2000), discounted]) });
    let hold = shop.hold(&id.unwrap()).unwrap();
    assert!(shop.shift.open.is_empty(), "a held basket belongs to no shift");
    assert_eq!(shop.ledger.holds[&hold].0.item_count, 3);
    shop.products.get_mut("a").unwrap().price = 2200;
    let promotion: Promotion = serde_json::from_str(
        r#"{"promotion_id":"P","type":"line_percent","value":1000,"priority":1,"stackable":true,
            "skus":["a"],"from":"2026-11-01","to":"2026-11-30"}"#,
    )
    .unwrap();
    shop.promotions.push(promotion);
    let changes = shop.recall(&hold).unwrap();
    let basket = shop.shift.open.values().next().unwrap();
    assert_eq!(basket.items[0].price, 2200);
    assert_eq!(basket.items[1].price, 2500, "a cashier's price stays");
    let by = |source| {
        let parts = basket.items.iter().flat_map(|line| &line.discounts);
        parts.filter(|part| part.source == source).map(|part| part.amount).sum::<i64>()
    };
    assert_eq!((by(DiscountSource::Promotion), by(DiscountSource::Manual)), (440, 500));
    assert_eq!(by(DiscountSource::Basket), 300);
    let told: Vec<_> =
        changes.iter().map(|change| (change.line_no, change.field, change.before, change.after)).collect();
    assert!(told.contains(&(Some(1), "price", 2000, 2200)), "{told:?}");
    assert!(told.contains(&(None, "total", 6_327, 6_283)), "{told:?}");
    assert!(told.iter().all(|(_, _, before, after)| before != after));
}

#[test]
fn a_hold_that_waited_too_long_is_voided_in_no_shift() {
    let mut shop = open();
    shop.rules.policy.hold_expire_after_ms = 60_000;
    a_hold(&mut shop);
    assert!(expire(UtcMs(shop.now.0 + 59_999), &shop.ledger).is_empty());
    let mut events = expire(UtcMs(shop.now.0 + 60_000), &shop.ledger);
    assert_eq!(events.len(), 1);
    let domain::event::Event::HoldVoided { hold, transaction } = &events[0] else { panic!("{events:?}") };
    assert_eq!(hold.state, HoldState::Expired);
    assert_eq!(transaction.void_reason.as_deref(), Some("hold_expired"));
    assert_eq!(transaction.state, TransactionState::Voided);
    shop.commit(events.remove(0));
    assert!(shop.ledger.holds.is_empty());
    assert_eq!(shop.shift.shift.totals.voids_count, 0);
}

#[test]
fn a_waiting_basket_can_be_voided_by_any_till() {
    let mut shop = open();
    a_hold(&mut shop);
    let id = held(&shop);
    let colleague = caller("budi", Role::Cashier);
    let mandate = Mandate::own(&colleague);
    let event = domain::hold::void(&why("gone"), &id, NOW, &mandate, &shop.ledger).unwrap();
    shop.commit(event);
    let again = domain::hold::void(&why("gone"), &id, NOW, &mandate, &shop.ledger).unwrap_err();
    assert_eq!(again.code(), "invalid_state");
    assert_eq!(shop.recall(&id).unwrap_err().code(), "invalid_state");
}

#[test]
fn a_whole_basket_can_be_put_away_at_once() {
    let body = r#"{"items": [{"sku": "a", "qty": 1, "price": 2000}], "note": "the lady in red"}"#;
    let cmd: HoldSale = serde_json::from_str(body).unwrap();
    assert_eq!(cmd.note.as_deref(), Some("the lady in red"));
    for bad in [
        r#"{"note": "x"}"#,
        r#"{"transaction_id": "trx_1", "items": []}"#,
        r#"{"transaction_id": "trx_1", "discount": 1}"#,
        r#"{"transaction_id": "trx_1", "colour": 1}"#,
    ] {
        assert!(serde_json::from_str::<HoldSale>(bad).is_err(), "{bad}");
    }
    let shop = open();
    let who = ani();
    let event = domain::hold::take(
        &cmd,
        "hld_1".into(),
        "trx_1".into(),
        NOW,
        &Mandate::own(&who),
        &shop.shelf(None),
        &shop.rules,
        &shop.shift,
    );
    let domain::event::Event::TransactionHeld { hold, transaction } = event.unwrap() else { panic!() };
    assert_eq!((hold.total, transaction.state), (2220, TransactionState::Held));
}

#[test]
fn lines_that_are_taken_off_are_told() {
    let mut shop = open();
    let id = shop.create(&basket(vec![item("a", 3, 2000), item("b", 1, 3000), item("a", 1, 2000)])).unwrap();
    let items = Some(vec![item("a", 1, 2000), item("a", 1, 2000)]);
    let removed = shop.change(&id, &ChangeSale { items, ..ChangeSale::default() }).unwrap();
    assert_eq!(removed, ["2 a", "1 b"]);
    assert_eq!(shop.shift.open[&id].total, 4440);
}

#[test]
fn payments_are_taken_back_one_by_one() {
    let mut shop = open();
    let id = one(&mut shop);
    shop.pay(&id, &pay_by("cash", 1000)).unwrap();
    shop.pay(&id, &pay_by("card", 440)).unwrap();
    let ids: Vec<_> = shop.shift.open[&id].payments.iter().map(|p| p.payment_id.clone()).collect();
    shop.reverse(&id, &ids[0]).unwrap();
    assert_eq!(Cash::of(&shop.shift.shift).expected, 0);
    let basket = &shop.shift.open[&id];
    assert_eq!((basket.state, basket.amount_due), (TransactionState::PartiallyPaid, 4_000));
    shop.reverse(&id, &ids[1]).unwrap();
    let basket = &shop.shift.open[&id];
    assert_eq!((basket.state, basket.amount_due), (TransactionState::Open, 4_440));
    assert_eq!(basket.payments.len(), 2, "both rows stay");
    shop.pay(&id, &pay_by("cash", 4_440)).unwrap().expect("paid");
}

#[test]
fn a_void_of_a_part_paid_basket_lists_what_goes_back() {
    let mut shop = open();
    let id = one(&mut shop);
    shop.pay(&id, &pay_by("cash", 1000)).unwrap();
    shop.pay(&id, &pay_by("card", 440)).unwrap();
    let given = shop.void_open_as(&boss(), &id).unwrap();
    let given: Vec<_> = given.iter().map(|part| (part.method.as_str(), part.amount)).collect();
    assert_eq!(given, [("cash", 1000), ("card", 440)]);
    assert_eq!(Cash::of(&shop.shift.shift).expected, 0);
    assert_eq!(shop.shift.shift.totals.voids_total, 4_440);
}

#[test]
fn a_wrong_button_is_put_right_and_both_rows_stay() {
    let mut shop = open();
    shop.rules.cash_rounding = 100;
    let sale = shop.create(&basket(vec![item("a", 1, 2000)])).unwrap();
    shop.pay(&sale, &pay_by("cash", 2220)).unwrap().expect("paid");
    assert_eq!(Cash::of(&shop.shift.shift).expected, 2200);
    let wrong = sale_of(&shop, &sale).payments[0].payment_id.clone();
    shop.correct(&sale, &wrong, payment("card", 2220)).unwrap();
    let sale = sale_of(&shop, &sale);
    assert_eq!((sale.payments.len(), sale.rounding, sale.amount_due), (2, 0, 0));
    assert_eq!(sale.state, TransactionState::Paid);
    assert_eq!(Cash::of(&shop.shift.shift).expected, 0);
    assert_eq!(shop.shift.shift.totals.by_method["card"].sales, 2220);
    let document = shop.take_back(&sale.transaction_id, "a", 1).unwrap();
    assert_eq!(document.refunds[0].method, "card");
}

#[test]
fn an_approval_counts_as_a_manager_and_is_named() {
    let mut shop = open();
    part_paid(&mut shop);
    let (who, manager) = (ani(), boss());
    let mandate = Mandate { caller: &who, approver: Some(&manager) };
    let id = first(&shop);
    let voided = sale::void_open(&why("x"), &id, NOW, &mandate, &shop.rules, &shop.shift);
    assert!(voided.is_ok());
    assert_eq!(mandate.approved_by(), Some("usr_boss".into()));
    let colleague = caller("budi", Role::Cashier);
    let mandate = Mandate { caller: &who, approver: Some(&colleague) };
    assert_eq!(mandate.manager(), Err(Refusal::ApprovalRequired));
    let mandate = Mandate { caller: &manager, approver: Some(&manager) };
    assert_eq!(mandate.approved_by(), None, "the role allowed it anyway");
}

#[test]
fn blocked_members_buy_but_neither_earn_nor_redeem() {
    let mut shop = open();
    let id = shop.join("Siti", "0811 2233 445").unwrap();
    shop.rules.policy.tiers.insert("gold".to_owned(), 20_000);
    shop.members.members.get_mut(&id).unwrap().tier = Some("gold".to_owned());
    let cmd = CreateSale { member_id: Some(id.clone()), ..basket(vec![item("a", 1, 2000)]) };
    let sale = shop.create(&cmd).unwrap();
    assert_eq!(shop.shift.open[&sale].points_earned, 4, "⌊2,220 / 1,000⌋ × 2");
    shop.members.members.get_mut(&id).unwrap().state = domain::member::MemberState::Blocked;
    let refused = shop.pay(&sale, &pay_by("points", 1)).unwrap_err();
    assert_eq!(refused.code(), "validation_failed");
    let sale = shop.create(&cmd).unwrap();
    assert_eq!(shop.shift.open[&sale].points_earned, 0);
    shop.pay(&sale, &PaySale { payments: vec![payment("cash", 2220)] }).unwrap().expect("paid");
    assert!(!shop.ledger.points.contains_key(&id));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Also where several lines of one product went below zero: the last one comes back first.
    #[test]
    fn a_void_at_once_restores_every_row_exactly(
        (qty, value) in (0..12_i64, 1..9_000_i64),
        last_cost in 0..900_i64,
        lines in prop::collection::vec(1..9_i64, 1..5),
    ) {
        let mut shop = open();
        let value = if qty == 0 { 0 } else { value };
        let before = Stock { sku: "a".into(), qty, value, last_cost, ..Stock::default() };
        shop.ledger.stock.insert("a".into(), before);
        let sale = shop.sell(lines.iter().map(|qty| item("a", *qty, 2000)).collect()).unwrap();
        shop.void_paid(&boss(), &sale.transaction_id).unwrap();
        let after = &shop.ledger.stock["a"];
        prop_assert_eq!((after.qty, after.value), (qty, value));
        let Some(domain::event::Event::SaleVoided { movements, .. }) = shop.events.last() else { panic!() };
        prop_assert!(movements.iter().all(|moved| moved.correction == 0));
    }
}
