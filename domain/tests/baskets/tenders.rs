//! Removed lines, reversed payments, corrected payment methods and approvals.

use super::*;
use domain::model::base::figures::{BasisPoints, Money};

#[test]
fn removed_lines_are_listed() {
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
    assert_eq!((basket.state, basket.amount_due), (TransactionState::PartiallyPaid, 4_000.into()));
    shop.reverse(&id, &ids[1]).unwrap();
    let basket = &shop.shift.open[&id];
    assert_eq!((basket.state, basket.amount_due), (TransactionState::Open, 4_440.into()));
    assert_eq!(basket.payments.len(), 2, "both rows are kept");
    shop.pay(&id, &pay_by("cash", 4_440)).unwrap().expect("paid");
}

#[test]
fn after_a_reversed_payment_only_a_removal_or_a_discount_needs_approval() {
    let lines = |items: &[(&str, i64)]| {
        let items =
            items.iter().map(|(sku, qty)| item(sku, *qty, if *sku == "a" { 2000 } else { 3000 })).collect();
        ChangeSale { items: Some(items), ..ChangeSale::default() }
    };
    let note = ChangeSale { note: Some("gift".to_owned()), ..ChangeSale::default() };
    let discount = ChangeSale { discount: Some(Money::new(1)), ..ChangeSale::default() };
    for (cmd, without_approval) in [
        (lines(&[("a", 2), ("b", 1)]), true),
        (lines(&[("a", 3)]), true),
        (note, true),
        (lines(&[("a", 1), ("b", 1)]), false),
        (discount, false),
    ] {
        let mut shop = open();
        taken_back(&mut shop);
        let changed = change(&mut shop, cmd.clone()).map_err(|refusal| refusal.code());
        let expected = if without_approval { Ok(()) } else { Err("approval_required") };
        assert_eq!(changed.map(drop), expected, "{cmd:?}");
    }
}

#[test]
fn a_void_of_a_part_paid_basket_lists_what_goes_back() {
    let mut shop = open();
    let id = one(&mut shop);
    shop.pay(&id, &pay_by("cash", 1000)).unwrap();
    shop.pay(&id, &pay_by("card", 440)).unwrap();
    let given = shop.void_open_as(&boss(), &id).unwrap();
    let given: Vec<_> = given.iter().map(|part| (part.method.as_str(), part.amount.get())).collect();
    assert_eq!(given, [("cash", 1000), ("card", 440)]);
    assert_eq!(Cash::of(&shop.shift.shift).expected, 0);
    assert_eq!(shop.shift.shift.totals.voids_total, 4_440);
}

#[test]
fn a_wrong_payment_method_is_corrected_and_both_rows_stay() {
    let mut shop = open();
    shop.rules.cash_rounding = Money::new(100);
    let sale = shop.create(&basket(vec![item("a", 1, 2000)])).unwrap();
    shop.pay(&sale, &pay_by("cash", 2220)).unwrap().expect("paid");
    assert_eq!(Cash::of(&shop.shift.shift).expected, 2200);
    let wrong = sale_of(&shop, &sale).payments[0].payment_id.clone();
    shop.correct(&sale, &wrong, payment("card", 2220)).unwrap();
    let sale = sale_of(&shop, &sale);
    assert_eq!((sale.payments.len(), sale.rounding, sale.amount_due), (2, Money::ZERO, Money::ZERO));
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
    let authorization = Authorization { approver: Some(&manager), ..Authorization::unapproved(&who) };
    let id = first(&shop);
    let voided = sale::void_open(&why("x"), &id, NOW, &authorization, &shop.rules, &shop.shift);
    assert!(voided.is_ok());
    assert_eq!(authorization.approved_by(), Some("usr_boss".into()));
    let colleague = budi();
    let authorization = Authorization { approver: Some(&colleague), ..Authorization::unapproved(&who) };
    assert!(!authorization.manages(), "a colleague is not a manager");
    let authorization = Authorization { approver: Some(&manager), ..Authorization::unapproved(&manager) };
    assert_eq!(authorization.approved_by(), None, "the role allowed it without an approval");
}

#[test]
fn blocked_members_buy_but_neither_earn_nor_redeem() {
    let mut shop = open();
    let id = shop.join("Siti", "0811 2233 445").unwrap();
    shop.rules.policy.tiers.insert("gold".to_owned(), BasisPoints::new(20_000));
    shop.members.members.get_mut(&id).unwrap().tier = Some("gold".to_owned());
    let cmd = CreateSale { member_id: Some(id.clone()), ..basket(vec![item("a", 1, 2000)]) };
    let sale = shop.create(&cmd).unwrap();
    assert_eq!(shop.shift.open[&sale].points_earned, 4, "⌊2,220 / 1,000⌋ × 2");
    shop.members.members.get_mut(&id).unwrap().state = domain::model::people::member::MemberState::Blocked;
    let refused = shop.pay(&sale, &pay_by("points", 1)).unwrap_err();
    assert_eq!(refused.code(), "validation_failed");
    let sale = shop.create(&cmd).unwrap();
    assert_eq!(shop.shift.open[&sale].points_earned, 0);
    shop.pay(&sale, &PaySale { payments: vec![payment("cash", 2220)] }).unwrap().expect("paid");
    assert!(!shop.ledger.points.contains_key(&id));
}

#[test]
fn a_member_that_is_blocked_at_the_till_neither_earns_nor_redeems() {
    use domain::model::people::member::MemberState::{Active, Blocked};
    let mut shop = open();
    let id = shop.join("Siti", "0811 2233 445").unwrap();
    let cmd = CreateSale { member_id: Some(id.clone()), ..basket(vec![item("a", 5, 2000)]) };
    let paid = |shop: &mut Shop, sale: &TransactionId, how: &[(&str, i64)]| {
        let payments = how.iter().map(|(method, amount)| payment(method, *amount)).collect();
        shop.pay(sale, &PaySale { payments })
    };
    let first = shop.create(&cmd).unwrap();
    paid(&mut shop, &first, &[("cash", 11_100)]).unwrap().unwrap();
    assert_eq!(shop.ledger.points[&id].balance(), 11);
    // Points pay a part while the member is active. A blocked member can't complete the sale.
    let part = shop.create(&cmd).unwrap();
    paid(&mut shop, &part, &[("points", 5)]).unwrap();
    let open = shop.create(&cmd).unwrap();
    shop.members.members.get_mut(&id).unwrap().state = Blocked;
    let refused = paid(&mut shop, &part, &[("cash", 11_095)]).unwrap_err();
    assert_eq!(refused.code(), "validation_failed");
    // The basket was created before the member was blocked, so it still shows 11 points.
    assert_eq!(shop.shift.open[&open].points_earned, 11);
    let sale = paid(&mut shop, &open, &[("cash", 11_100)]).unwrap().unwrap();
    assert_eq!((sale.points_earned.get(), shop.ledger.points[&id].balance().get()), (0, 11));
    shop.members.members.get_mut(&id).unwrap().state = Active;
    paid(&mut shop, &part, &[("cash", 11_095)]).unwrap().unwrap();
    assert_eq!(shop.ledger.points[&id].balance(), 11 - 5 + 11);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// This also holds if several lines of one product took the stock below zero: lines are restored in reverse order.
    #[test]
    fn a_void_at_once_restores_every_row_exactly(
        (qty, value) in (0..12_i64, 1..9_000_i64),
        last_cost in 0..900_i64,
        lines in prop::collection::vec(1..9_i64, 1..5),
    ) {
        let mut shop = open();
        let value = if qty == 0 { 0 } else { value };
        let before = Stock { sku: "a".into(), qty: qty.into(), value: Money::new(value), last_cost: Money::new(last_cost), ..Stock::default() };
        shop.ledger.stock.insert("a".into(), before);
        let sale = shop.sell(lines.iter().map(|qty| item("a", *qty, 2000)).collect()).unwrap();
        shop.void_paid(&boss(), &sale.transaction_id).unwrap();
        let after = &shop.ledger.stock["a"];
        prop_assert_eq!((after.qty.get(), after.value.get()), (qty, value));
        let movements = &shop.events.last().unwrap().rows.movements;
        prop_assert!(movements.iter().all(|moved| moved.correction == 0));
    }
}
