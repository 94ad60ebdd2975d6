//! The limit of what a person writes off on a day: adjustments, returns to suppliers and transfers together.

use super::*;
use domain::model::base::figures::Money;
use domain::model::people::authorization::Authorization;
use domain::rules::inventory::stock::StockContext;
use domain::rules::inventory::supplier_return::{
    NewSupplierReturn, NewSupplierReturnLine, return_to_supplier,
};

/// A piece of `a` costs 1,000, and a person may write off 2,500 on a day.
fn limited() -> Shop {
    let mut shop = Shop::open(rules(), [product("a", 9_000)]);
    shop.stock("a", 20, 20_000);
    shop.rules.policy.adjustment_value = Money::new(2_500);
    shop
}

fn lose(shop: &mut Shop, who: &Principal, qty: i64) -> Result<(), Refusal> {
    shop.adjust(who, &adjusting(AdjustmentReason::Loss, "a", -qty)).map(drop)
}

fn give_back(shop: &mut Shop, is_listed: bool, qty: i64, claim: i64) -> Result<(), Refusal> {
    let line = NewSupplierReturnLine {
        sku: "a".into(),
        qty: qty.into(),
        line_total: Some(Money::new(claim)),
        ..NewSupplierReturnLine::default()
    };
    let cmd = NewSupplierReturn {
        supplier_id: "sup_1".to_owned(),
        lines: vec![line],
        ..NewSupplierReturn::default()
    };
    let ids = ids(shop);
    let event = return_to_supplier(
        &cmd,
        "srt_1".into(),
        ids,
        is_listed,
        &shop.products,
        &shop.stock_context(&staff()),
    )?;
    shop.commit(event);
    Ok(())
}

fn send(shop: &mut Shop, receiver: Receiver, qty: i64) -> Result<(), Refusal> {
    let lines = vec![NewTransferLine { sku: "a".into(), code: None, qty: qty.into() }];
    let cmd = NewTransfer { to_store_id: "S009".into(), lines, note: None, draft: None };
    let ids = ids(shop);
    let event =
        transfer::create(&cmd, receiver, "trf_9".into(), ids, &shop.products, &shop.stock_context(&staff()))?;
    shop.commit(event);
    Ok(())
}

/// What the refusal says of the figures.
fn beyond(refused: Result<(), Refusal>) -> (i64, i64) {
    let Refusal::ApprovalRequired(needs) = refused.unwrap_err() else { panic!() };
    (needs.value.unwrap(), needs.limit.unwrap())
}

#[test]
fn adjustments_of_one_person_on_one_day_count_together() {
    let mut shop = limited();
    lose(&mut shop, &staff(), 2).unwrap();
    assert_eq!(beyond(lose(&mut shop, &staff(), 1)), (3_000, 2_500));
    // Found goods are no way round it either, another person and another day have their own sums.
    assert_eq!(
        beyond(shop.adjust(&staff(), &adjusting(AdjustmentReason::Found, "a", 1)).map(drop)),
        (3_000, 2_500)
    );
    let other = caller("sari", Role::WarehouseStaff);
    lose(&mut shop, &other, 1).unwrap();
    shop.now = UtcMs(shop.now.0 + 86_400_000);
    lose(&mut shop, &staff(), 2).unwrap();
    assert_eq!(shop.ledger.written_off.len(), 2, "one row for each person");
}

#[test]
fn a_write_off_that_a_manager_made_or_approved_counts_for_nobody() {
    let mut shop = limited();
    lose(&mut shop, &boss(), 5).unwrap();
    let (wati, boss) = (staff(), boss());
    let cmd = adjusting(AdjustmentReason::Loss, "a", -4);
    let ids = ids(&mut shop);
    let event = {
        let authorization = Authorization { approver: Some(&boss), ..Authorization::unapproved(&wati) };
        let context = StockContext { authorization, ..shop.stock_context(&wati) };
        adjustment::adjust(&cmd, "adj_9".into(), ids, &shop.products, &context).unwrap()
    };
    assert_eq!(event.fact.adjustment.decided_by.as_ref(), Some(&boss.user_id));
    shop.commit(event);
    lose(&mut shop, &wati, 2).unwrap();
    assert_eq!(beyond(lose(&mut shop, &wati, 1)), (3_000, 2_500));
}

#[test]
fn goods_for_a_supplier_on_no_list_count_with_their_cost_whatever_is_claimed() {
    let mut shop = limited();
    assert_eq!(beyond(give_back(&mut shop, false, 3, 3_000)), (3_000, 2_500));
    give_back(&mut shop, true, 3, 3_000).unwrap();
    give_back(&mut shop, true, 2, 500).unwrap();
    assert_eq!(beyond(give_back(&mut shop, false, 2, 2_000)), (3_500, 2_500));
    assert_eq!(beyond(lose(&mut shop, &staff(), 2)), (3_500, 2_500));
    lose(&mut shop, &staff(), 1).unwrap();
}

#[test]
fn goods_for_a_store_on_no_list_are_written_off() {
    let mut shop = limited();
    send(&mut shop, Receiver::Listed, 3).unwrap();
    send(&mut shop, Receiver::Unlisted, 2).unwrap();
    assert_eq!(beyond(send(&mut shop, Receiver::Unlisted, 1)), (3_000, 2_500));
    assert_eq!(beyond(lose(&mut shop, &staff(), 1)), (3_000, 2_500));
}
