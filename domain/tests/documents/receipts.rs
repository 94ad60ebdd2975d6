//! Receipts taken back, goods sent back, what is missing.

use super::*;

fn a_receipt(shop: &mut Shop) -> Receiving {
    let line = |qty, unit_cost| NewReceivingLine {
        sku: "a".into(),
        qty,
        unit_cost: Some(unit_cost),
        rejected_qty: None,
        note: None,
    };
    let cmd = NewReceiving {
        supplier_id: Some("sup_1".to_owned()),
        delivery_note_no: Some("N-1".to_owned()),
        lines: vec![line(5, 1200), line(1, 1200)],
        ..NewReceiving::default()
    };
    let ids: Vec<MovementId> = shop.ids("mov_", 2);
    let id = shop.next("rcv_").into();
    let event = receiving::receive(&cmd, id, ids, &shop.products, &shop.room(&boss()));
    let event = event.unwrap();
    let Event::ReceivingPosted { receiving, .. } = &event else { panic!() };
    let receiving = (**receiving).clone();
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
    let reversed = |shop: &Shop| receiving::reverse(&receipt, ids.clone(), &shop.room(&boss()));
    let event = reversed(&shop).unwrap();
    shop.commit(event);
    assert_eq!(on_hand(&shop, "a"), (6, 6_600), "at the average: the rest is purchase variance");
    assert_eq!(reversed(&shop).unwrap_err().code(), "invalid_state");
    a_receipt(&mut shop);
}

#[test]
fn goods_go_back_to_their_supplier_at_the_average() {
    use domain::supplier_return::{NewSupplierReturn, NewSupplierReturnLine, give_back};
    let mut shop = open();
    shop.stock("a", 10, 10_100);
    let line = |qty, unit_cost| NewSupplierReturnLine { sku: "a".into(), qty, unit_cost };
    let cmd = NewSupplierReturn {
        supplier_id: "sup_1".to_owned(),
        lines: vec![line(5, Some(1_000)), line(1, None)],
        ..NewSupplierReturn::default()
    };
    let (who, ids) = (staff(), ids(&mut shop));
    let run = |who: &Caller, cmd: &NewSupplierReturn, shop: &Shop| {
        give_back(cmd, "srt_1".into(), ids.clone(), &shop.products, &shop.room(who))
    };
    assert_eq!(run(&ani(), &cmd, &shop).unwrap_err().code(), "insufficient_role");
    let nothing = NewSupplierReturn { supplier_id: String::new(), ..NewSupplierReturn::default() };
    let refused = run(&who, &nothing, &shop).unwrap_err().details().to_string();
    assert!(refused.contains("supplier_id") && refused.contains("lines"), "{refused}");
    let event = run(&who, &cmd, &shop).unwrap();
    let Event::SupplierReturnPosted { document, .. } = &event else { panic!("{event:?}") };
    assert_eq!((document.claim, document.stock_cost), (6_010, 6_060), "M33 and one at the average");
    shop.commit(event);
    assert_eq!(on_hand(&shop, "a"), (4, 4_040));
}
