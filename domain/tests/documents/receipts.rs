//! Receipts: reversed, returned to the supplier, with missing pieces.

use super::*;
use domain::model::base::figures::Money;

pub(super) fn a_receipt(shop: &mut Shop) -> Receiving {
    let line = |qty: i64, unit_cost| NewReceivingLine {
        sku: "a".into(),
        code: None,
        qty: qty.into(),
        unit_cost: Some(unit_cost),
        line_total: None,
        rejected_qty: None,
        note: None,
    };
    let cmd = NewReceiving {
        supplier_id: Some("sup_1".to_owned()),
        delivery_note_no: Some("N-1".to_owned()),
        lines: vec![line(5, Money::new(1200)), line(1, Money::new(1200))],
        ..NewReceiving::default()
    };
    let ids: Vec<MovementId> = shop.ids("mov_", 2);
    let id = shop.next("rcv_").into();
    let event = receiving::receive(&cmd, id, ids, &shop.products, &shop.stock_context(&boss()));
    let event = event.unwrap();
    let receiving = &event.fact.receiving;
    let receiving = receiving.clone();
    shop.commit(event);
    receiving
}

#[test]
fn a_receipt_is_taken_back_once_and_its_note_may_come_again() {
    let mut shop = open();
    shop.stock("a", 6, 6_000);
    let receipt = a_receipt(&mut shop);
    assert_eq!(on_hand(&shop, "a"), (12, 13_200));
    let ids = ids(&mut shop);
    let reversed =
        |shop: &Shop| receiving::reverse(&receipt, None, ids.clone(), &shop.stock_context(&boss()));
    let event = reversed(&shop).unwrap();
    shop.commit(event);
    assert_eq!(on_hand(&shop, "a"), (6, 6_600), "at the average cost; the rest is purchase variance");
    assert_eq!(reversed(&shop).unwrap_err().code(), "invalid_state");
    a_receipt(&mut shop);
}

#[test]
fn goods_go_back_to_their_supplier_at_the_average() {
    use domain::rules::inventory::supplier_return::{
        NewSupplierReturn, NewSupplierReturnLine, return_to_supplier,
    };
    let mut shop = open();
    shop.stock("a", 10, 10_100);
    let line = |qty: i64, unit_cost| NewSupplierReturnLine {
        sku: "a".into(),
        qty: qty.into(),
        unit_cost,
        ..Default::default()
    };
    let cmd = NewSupplierReturn {
        supplier_id: "sup_1".to_owned(),
        lines: vec![line(5, Some(Money::new(1_000))), line(1, None)],
        ..NewSupplierReturn::default()
    };
    let (who, ids) = (staff(), ids(&mut shop));
    let run = |who: &Principal, cmd: &NewSupplierReturn, shop: &Shop| {
        return_to_supplier(cmd, "srt_1".into(), ids.clone(), true, &shop.products, &shop.stock_context(who))
    };
    assert_eq!(run(&ani(), &cmd, &shop).unwrap_err().code(), "insufficient_role");
    let nothing = NewSupplierReturn { supplier_id: String::new(), ..NewSupplierReturn::default() };
    let refused = run(&who, &nothing, &shop).unwrap_err().details().to_string();
    assert!(refused.contains("supplier_id") && refused.contains("lines"), "{refused}");
    let event = run(&who, &cmd, &shop).unwrap();
    let document = &event.fact.document;
    assert_eq!(
        (document.claim, document.stock_cost),
        (6_010.into(), 6_060.into()),
        "M33, and one piece at the average cost"
    );
    shop.commit(event);
    assert_eq!(on_hand(&shop, "a"), (4, 4_040));
}

#[test]
fn damaged_goods_that_go_back_are_posted_where_they_lay() {
    use domain::model::inventory::stock::{Stock, StockPlace};
    use domain::rules::books::posting::{of_supplier_return, post};
    use domain::rules::inventory::supplier_return::{
        NewSupplierReturn, NewSupplierReturnLine, return_to_supplier,
    };
    use domain::wire::record::{Record, SupplierReturnPosted, supplier_return_posted};
    let mut shop = open();
    let row =
        Stock { sku: "a".into(), damaged: 4.into(), damaged_value: Money::new(4_040), ..Stock::default() };
    shop.ledger.stock.insert("a".into(), row);
    let line = NewSupplierReturnLine {
        sku: "a".into(),
        qty: 3.into(),
        unit_cost: Some(Money::new(1_000)),
        ..NewSupplierReturnLine::default()
    };
    let cmd = NewSupplierReturn {
        supplier_id: "sup_1".to_owned(),
        bucket: StockPlace::Damaged,
        lines: vec![line],
        ..NewSupplierReturn::default()
    };
    let ids = ids(&mut shop);
    let event =
        return_to_supplier(&cmd, "srt_1".into(), ids, true, &shop.products, &shop.stock_context(&staff()))
            .unwrap();
    let Event { fact: fact::SupplierReturnPosted { document, .. }, rows: Rows { movements, .. } } = &event;
    assert!(movements.is_empty());
    // Head office receives everything that the posting needs.
    let text = supplier_return_posted(&shop.stamp(), document);
    let reported: Record<SupplierReturnPosted> = serde_json::from_str(&text).unwrap();
    let posted = post(&of_supplier_return(&reported.payload.document)).unwrap().here.rows;
    let rows: Vec<_> =
        posted.iter().map(|row| (String::from(row.account), row.debit.get(), row.credit.get())).collect();
    let expected = [("1230", 0, 3_030), ("2020", 3_000, 0), ("5030", 30, 0)];
    assert_eq!(rows, expected.map(|(account, debit, credit)| (account.to_owned(), debit, credit)));
}

#[test]
fn goods_whose_cost_is_no_whole_unit_are_claimed_to_the_unit() {
    use domain::rules::inventory::supplier_return::{
        NewSupplierReturn, NewSupplierReturnLine, return_to_supplier,
    };
    let mut shop = open();
    shop.stock("a", 1_000, 87_500);
    let half = |line_total| NewSupplierReturnLine {
        sku: "a".into(),
        qty: 250.into(),
        line_total,
        ..NewSupplierReturnLine::default()
    };
    let cmd = NewSupplierReturn {
        supplier_id: "sup_1".to_owned(),
        lines: vec![half(None), half(Some(Money::new(21_000)))],
        ..NewSupplierReturn::default()
    };
    let ids = ids(&mut shop);
    let event =
        return_to_supplier(&cmd, "srt_1".into(), ids, true, &shop.products, &shop.stock_context(&staff()))
            .unwrap();
    let claims: Vec<_> =
        event.fact.document.lines.iter().map(|line| (line.claim.get(), line.stock_cost.get())).collect();
    assert_eq!(claims, [(21_875, 21_875), (21_000, 21_875)]);
}

#[test]
fn damaged_goods_are_claimed_at_their_own_average_and_short_ones_are_named() {
    use domain::model::inventory::stock::{Stock, StockPlace};
    use domain::rules::inventory::supplier_return::{
        NewSupplierReturn, NewSupplierReturnLine, return_to_supplier,
    };
    let mut shop = open();
    let row = Stock {
        sku: "a".into(),
        qty: 1.into(),
        value: Money::new(9_000),
        damaged: 4.into(),
        damaged_value: Money::new(4_040),
        ..Stock::default()
    };
    shop.ledger.stock.insert("a".into(), row);
    let mut run = |bucket, pieces: &[(&str, i64)]| {
        let line = |(sku, qty): &(&str, i64)| NewSupplierReturnLine {
            sku: (*sku).into(),
            qty: (*qty).into(),
            ..NewSupplierReturnLine::default()
        };
        let cmd = NewSupplierReturn {
            supplier_id: "sup_1".to_owned(),
            bucket,
            lines: pieces.iter().map(line).collect(),
            ..NewSupplierReturn::default()
        };
        let ids = ids(&mut shop);
        return_to_supplier(&cmd, "srt_1".into(), ids, true, &shop.products, &shop.stock_context(&staff()))
    };
    let claims =
        [(StockPlace::OnHand, 1, 9_000), (StockPlace::Damaged, 1, 1_010), (StockPlace::Damaged, 4, 4_040)];
    for (bucket, qty, claim) in claims {
        assert_eq!(run(bucket, &[("a", qty)]).unwrap().fact.document.claim, claim, "{bucket:?} {qty}");
    }
    let short = [
        (vec![("a", 5)], "lines[0].qty", "a", 4, 5),
        (vec![("a", 2), ("a", 3)], "lines[0].qty", "a", 4, 5),
        (vec![("a", 4), ("b", 1)], "lines[1].qty", "b", 0, 1),
    ];
    for (lines, path, sku, damaged, requested) in short {
        let refused = run(StockPlace::Damaged, &lines).unwrap_err();
        let expected =
            serde_json::json!([{"path": path, "sku": sku, "damaged": damaged, "requested": requested}]);
        assert_eq!(refused.details()["items"], expected);
        assert!(
            refused.to_string().contains(&format!("from the damaged goods, but only {damaged} are damaged")),
            "{refused}"
        );
    }
}
