//! Effects of returns on goods and money.

use super::*;
use domain::model::base::figures::Money;

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
    assert_eq!(
        (row.qty.get(), row.value, row.damaged.get(), row.damaged_value),
        (8, 4_800.into(), 1, 600.into())
    );

    shop.void_return(&boss(), &document).unwrap();
    let row = &shop.ledger.stock["a"];
    assert_eq!(
        (row.qty.get(), row.value, row.damaged.get(), row.damaged_value),
        (7, 4_200.into(), 0, Money::ZERO)
    );
    let totals = &shop.shift.shift.totals;
    assert_eq!(
        (totals.returns_count, totals.returns_total, totals.returns_tax),
        (0, Money::ZERO, Money::ZERO)
    );
    let again = shop.void_return(
        &boss(),
        &Return { state: domain::model::selling::returns::ReturnState::Voided, ..document },
    );
    assert_eq!(again.unwrap_err().code(), "invalid_state");
}

#[test]
fn a_void_does_not_take_out_what_was_sold_again() {
    let mut shop = open();
    shop.rules.negative_stock = NegativeStock::Reject;
    in_cash(&mut shop);
    let set_aside = NewReturnItem { disposition: Some(Disposition::Damaged), ..back("a", 1) };
    let cmd = of(&shop, vec![back("a", 2), set_aside]);
    let document = shop.give_back(&ani(), &cmd).unwrap();
    assert_eq!(shop.ledger.stock["a"].qty, 9);
    shop.sell(vec![item("a", 8, 1000)]).unwrap();
    let refused = shop.void_return(&boss(), &document).unwrap_err();
    let short = ShortItem {
        path: None,
        sku: "a".to_owned(),
        stock: ShortStock::OnHand(1.into()),
        requested: 2.into(),
    };
    assert_eq!(refused, Refusal::InsufficientStock { items: vec![short] });
    shop.rules.negative_stock = NegativeStock::Allow;
    shop.void_return(&boss(), &document).unwrap();
    assert_eq!((shop.ledger.stock["a"].qty.get(), shop.ledger.stock["a"].damaged.get()), (-1, 0));
}

/// A void can't take out damaged pieces that have left since.
#[test]
fn a_void_takes_out_no_damaged_pieces_that_are_gone() {
    let mut shop = open();
    in_cash(&mut shop);
    let set_aside = NewReturnItem { disposition: Some(Disposition::Damaged), ..back("a", 1) };
    let cmd = of(&shop, vec![set_aside]);
    let document = shop.give_back(&ani(), &cmd).unwrap();
    let row = shop.ledger.stock.get_mut("a").unwrap();
    (row.damaged, row.damaged_value) = (0.into(), Money::ZERO);
    let short = ShortItem {
        path: None,
        sku: "a".to_owned(),
        stock: ShortStock::Damaged(0.into()),
        requested: 1.into(),
    };
    let refused = shop.void_return(&boss(), &document).unwrap_err();
    assert_eq!(refused, Refusal::InsufficientStock { items: vec![short] });
}

#[test]
fn a_sale_without_a_receipt_comes_back_at_the_average() {
    let mut shop = open();
    let document = shop.give_back(&boss(), &bare(Some(500))).unwrap();
    assert_eq!((document.refund_total, document.tax), (555.into(), 55.into()));
    assert_eq!(document.items[0].cost, 600);
    assert_eq!(shop.ledger.stock["a"].value, 6_600);
    assert_eq!(document.receipt_no, "S001-main-00000001");
}

#[test]
fn cashiers_do_not_see_what_goods_cost() {
    let mut shop = open();
    let id = in_cash(&mut shop);
    let document = shop.take_back(&id, "a", 1).unwrap();
    let seen = domain::rules::selling::returns::view(&document, Role::Cashier)["items"][0].clone();
    assert!(seen.get("cost").is_none() && seen.get("correction").is_none(), "{seen}");
    assert_eq!(seen["refund"], 1110);
    assert_eq!(domain::rules::selling::returns::view(&document, Role::StoreManager)["items"][0]["cost"], 600);
}
