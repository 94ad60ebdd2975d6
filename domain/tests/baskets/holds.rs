//! Holds: recalled at current prices, expired, voided.

use super::*;
use domain::model::base::event::fact;
use domain::model::base::figures::Money;
use domain::model::books::ledger::HeldBasket;

#[test]
fn a_basket_is_recalled_at_the_prices_and_promotions_of_now() {
    let mut shop = open();
    let discounted = NewItem { discount: Some(Money::new(500)), ..item("b", 1, 2500) };
    let id = shop.create(&CreateSale {
        discount: Some(Money::new(300)),
        ..basket(vec![item("a", 2, 2000), discounted])
    });
    let hold = shop.hold(&id.unwrap()).unwrap();
    assert!(shop.shift.open.is_empty(), "a held basket belongs to no shift");
    assert_eq!(shop.ledger.holds[&hold].hold.item_count, 3);
    shop.products.get_mut("a").unwrap().price = Money::new(2200);
    let promotion: Promotion = serde_json::from_str(
        r#"{"promotion_id":"P","type":"line_percent","value":1000,"priority":1,"stackable":true,
            "skus":["a"],"from":"2026-11-01","to":"2026-11-30"}"#,
    )
    .unwrap();
    shop.promotions.push(promotion);
    let changes = shop.recall(&hold).unwrap();
    let basket = shop.shift.open.values().next().unwrap();
    assert_eq!(basket.items[0].price, 2200);
    assert_eq!(basket.items[1].price, 2500, "a price set by a cashier is kept");
    let by = |source| {
        let parts = basket.items.iter().flat_map(|line| &line.discounts);
        parts.filter(|part| part.source == source).map(|part| part.amount).sum::<i64>()
    };
    assert_eq!((by(DiscountSource::Promotion), by(DiscountSource::Manual)), (440, 500));
    assert_eq!(by(DiscountSource::Basket), 300);
    let reported: Vec<_> =
        changes.iter().map(|change| (change.line_no, change.field, change.before, change.after)).collect();
    assert!(reported.contains(&(Some(1), "price", Money::new(2000), Money::new(2200))), "{reported:?}");
    assert!(reported.contains(&(None, "total", Money::new(6_327), Money::new(6_283))), "{reported:?}");
    assert!(reported.iter().all(|(_, _, before, after)| before != after));
}

/// 500 lines fill a record once each has a discount with a long name.
#[test]
fn a_basket_that_grew_too_large_while_it_waited_comes_back_as_it_was_held() {
    let promotion = |n: usize| {
        let named = json!({"promotion_id": format!("P{n}"), "name": "x".repeat(121), "type": "line_percent", "value": 100,
            "priority": n, "stackable": true, "from": "2026-11-01", "to": "2026-11-30"});
        serde_json::from_value::<Promotion>(named).unwrap()
    };
    type Grow = fn(&mut Shop, fn(usize) -> Promotion);
    let grown: [Grow; 3] = [
        |shop, of| shop.promotions.push(of(1)),
        |shop, of| shop.promotions.extend((1..=6).map(of)),
        |shop, _| shop.products.get_mut("a").unwrap().name = "\"".repeat(128),
    ];
    for grow in grown {
        let mut shop = open();
        shop.products.get_mut("a").unwrap().name = "x".repeat(63);
        let id = shop.create(&basket(vec![item("a", 1, 2000); 500])).unwrap();
        let hold = shop.hold(&id).unwrap();
        let total = shop.ledger.holds[&hold].basket.total;
        grow(&mut shop, promotion);
        let fresh = shop.create(&basket(vec![item("a", 1, 2000); 500])).map(drop).unwrap_err();
        assert!(fresh.to_string().contains("262144"), "{fresh}");
        let refused = shop.recall(&hold).unwrap_err();
        let Refusal::ValidationFailed(problems) = &refused else { panic!("{refused}") };
        assert_eq!(problems[0].path, "keep_prices");
        assert_eq!(shop.recall_as(&hold, RecallHold { keep_prices: true }).unwrap(), []);
        let back = shop.shift.open.values().next().unwrap().clone();
        assert_eq!((back.total, back.items.len()), (total, 500));
        record::basket_fits(&back).unwrap();
        shop.change(
            &back.transaction_id,
            &ChangeSale { items: Some(vec![item("a", 1, 2000); 9]), ..ChangeSale::default() },
        )
        .unwrap();
    }
}

#[test]
fn prices_are_kept_only_where_a_basket_cannot_be_priced_anew() {
    let mut shop = open();
    let id = shop.create(&basket(vec![item("a", 2, 2000)])).unwrap();
    let hold = shop.hold(&id).unwrap();
    shop.products.get_mut("a").unwrap().price = Money::new(2200);
    shop.recall_as(&hold, RecallHold { keep_prices: true }).unwrap();
    assert_eq!(shop.shift.open.values().next().unwrap().items[0].price, 2200);
}

#[test]
fn a_hold_that_waited_too_long_is_voided_in_no_shift() {
    let mut shop = open();
    shop.rules.policy.hold_expire_after_ms = 60_000;
    a_hold(&mut shop);
    let expire = |ms: i64| expire(UtcMs(shop.now.0 + ms), &shop.ledger, 100, 100_000);
    assert!(expire(59_999).is_empty());
    let mut events = expire(60_000);
    assert_eq!(events.len(), 1);
    let fact::HoldVoided { hold, transaction } = &events[0].fact;
    assert_eq!(hold.state, HoldState::Expired);
    assert_eq!(transaction.void_reason.as_deref(), Some("hold_expired"));
    assert_eq!(transaction.state, TransactionState::Voided);
    shop.commit(events.remove(0));
    assert!(shop.ledger.holds.is_empty());
    assert_eq!(shop.shift.shift.totals.voids_count, 0);
}

#[test]
fn holds_end_a_few_at_a_time_by_number_and_by_size() {
    let mut shop = open();
    shop.rules.policy.hold_expire_after_ms = 1;
    a_hold(&mut shop);
    let HeldBasket { hold, basket } = shop.ledger.holds.values().next().unwrap().clone();
    let size = serde_json::to_vec(&basket).unwrap().len();
    for n in 0..9 {
        let hold_id: domain::model::base::ids::HoldId = format!("hld_x{n}").as_str().into();
        let hold = Hold { hold_id: hold_id.clone(), ..hold.clone() };
        shop.ledger.holds.insert(hold_id, HeldBasket { hold, basket: basket.clone() });
    }
    let now = UtcMs(shop.now.0 + 1_000);
    for (count_max, bytes_max, ended) in
        [(100, 100 * size, 10), (4, 100 * size, 4), (100, 3 * size, 3), (100, 0, 1)]
    {
        assert_eq!(expire(now, &shop.ledger, count_max, bytes_max).len(), ended, "{count_max} {bytes_max}");
    }
}

#[test]
fn a_waiting_basket_can_be_voided_by_any_till() {
    let mut shop = open();
    a_hold(&mut shop);
    let id = held(&shop);
    let colleague = budi();
    let authorization = Authorization::unapproved(&colleague);
    let event =
        domain::rules::selling::hold::void(&why("gone"), &id, NOW, &authorization, &shop.rules, &shop.ledger)
            .unwrap();
    shop.commit(event);
    let again =
        domain::rules::selling::hold::void(&why("gone"), &id, NOW, &authorization, &shop.rules, &shop.ledger)
            .unwrap_err();
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
    let event =
        domain::rules::selling::hold::take(&cmd, "hld_1".into(), "trx_1".into(), &shop.till(&ani(), None));
    let fact::TransactionHeld { hold, transaction } = event.unwrap().fact;
    assert_eq!((hold.total, transaction.state), (2220.into(), TransactionState::Held));
}
