//! A sale is serialised once. The texts that are built from this JSON have the same bytes as if each was serialised
//! separately.

use domain::model::base::answer::Answer;
use domain::model::base::event::{Event, Fact, Rows};
use domain::model::base::figures::Money;
use domain::model::hub::stamp::Stamp;
use domain::model::people::user::Role;
use domain::model::selling::transaction::{PriceReason, Scan, Transaction};
use domain::rules::selling::sale::{CreateSale, NewItem};
use domain::rules::selling::transaction::{TransactionView, answer};
use domain::wire::record;
use domain::wire::sale_text::{SaleText, write_event};
use proptest::prelude::*;
use testkit::shop::*;

/// Returns the events of a sale that is created, partly paid and paid, with discounts.
fn events() -> Vec<Event> {
    let mut shop = open();
    let items = vec![
        NewItem { discount: Some(Money::new(100)), ..item("a", 2, 1_900) },
        item("wrap", 1, 500),
        item("a", 1, 2_000),
    ];
    let id = shop
        .create(&CreateSale {
            discount: Some(Money::new(30)),
            discount_reason: Some("regular".into()),
            ..basket(items)
        })
        .unwrap();
    shop.pay(&id, &pay_by("card", 1_000)).unwrap();
    let due = shop.shift.open[&id].amount_due;
    shop.pay(&id, &pay_by("cash", due.get())).unwrap().unwrap();
    shop.events.split_off(1)
}

fn sale(event: &mut Event) -> &mut Transaction {
    match &mut event.fact {
        Fact::TransactionOpen(it) => &mut it.transaction,
        Fact::TransactionPaid(it) => &mut it.transaction,
        other => panic!("{other:?}"),
    }
}

fn check(event: &Event, sale: &Transaction) {
    let text = SaleText::of(sale);
    assert_eq!(text.as_str(), serde_json::to_string(sale).unwrap());
    for known in [None, Some(&text)] {
        let mut written = b"before".to_vec();
        write_event(event, known, &mut written).unwrap();
        assert_eq!(
            String::from_utf8(written).unwrap(),
            format!("before{}", serde_json::to_string(event).unwrap())
        );
    }
    for role in Role::ALL {
        let view = TransactionView::new(sale, role);
        assert_eq!(answer(false, sale, &text, role), Answer::ok(&view));
        let location = format!("/api/pos/transactions/{}", sale.transaction_id);
        assert_eq!(answer(true, sale, &text, role), Answer::created(location, &view));
    }
    let stamp = Stamp { now: NOW, at: "1795140394739-00000-S001".to_owned(), event_id: "evt_1".into() };
    let Rows { movements, points, .. } = &event.rows;
    let payload = record::TransactionPaid {
        business_date: sale.business_date,
        transaction: sale.clone(),
        lines: record::LineEffect::of(movements),
        points: points.clone(),
    };
    let payload = format!(",\"payload\":{}}}", serde_json::to_string(&payload).unwrap());
    assert!(record::sale_paid(&stamp, sale, &text, movements, points).ends_with(&payload));
}

#[test]
fn every_step_of_a_sale_has_the_same_bytes_from_each_writer() {
    let mut events = events();
    assert_eq!(events.len(), 3);
    for event in &mut events {
        let sale = sale(event).clone();
        check(event, &sale);
        let bare = Event { fact: event.fact.clone(), rows: Rows::default() };
        check(&bare, &sale);
    }
}

/// Returns words that look like the places at which the texts are cut.
fn words() -> impl Strategy<Value = String> {
    let tricky = [
        r#"","track_stock":true,"cost":7}"#,
        r#"],"scans":[],"subtotal":1,"#,
        r#"\","earn_per":1,"payments":["#,
        r#""transaction":null}}"#,
        "\u{1}\\\"é",
    ];
    prop_oneof![prop::sample::select(tricky.to_vec()).prop_map(str::to_owned), ".{0,20}"]
}

proptest! {
    #[test]
    fn typed_text_is_never_read_as_a_mark(
        name in words(), note in words(), sku in words(), reason in words(), code in prop::option::of(words()),
        why in prop::option::of(words()), cost in prop::option::of(any::<i64>()), step in 0..3_usize,
    ) {
        let mut event = events().swap_remove(step);
        let sale = sale(&mut event);
        sale.note = Some(note);
        let line = &mut sale.items[0];
        (line.name, line.sku, line.cost) = (name, sku.into(), cost.map(Money::new));
        line.discounts[0].reason = Some(reason.clone());
        sale.flags.push(reason);
        sale.scans.extend(code.map(|code| Scan { line_no: 2, code, pack_qty: 6.into() }));
        sale.price_reasons.extend(why.map(|reason| PriceReason { line_no: 1, reason }));
        let sale = sale.clone();
        check(&event, &sale);
    }
}
