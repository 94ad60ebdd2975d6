//! The largest accepted baskets: whatever happens to one, head office accepts its record.

use super::*;
use domain::model::base::event::{Event, Fact};
use domain::rules::selling::payment::NewPayment;
use domain::wire::record::RECORD_BYTES_MAX;

/// A shop with names and prices of the highest length.
#[derive(Debug, Clone)]
struct Growth {
    name: usize,
    promotions: usize,
    promotion_name: usize,
}

fn growth() -> impl Strategy<Value = Growth> {
    (1..=128_usize, 0..=6_usize, 0..=128_usize).prop_map(|(name, promotions, promotion_name)| Growth {
        name,
        promotions,
        promotion_name,
    })
}

fn grow(shop: &mut Shop, growth: &Growth, letter: &str) {
    shop.products.get_mut("a").unwrap().name = letter.repeat(growth.name);
    let promotion = |n: usize| {
        let name = letter.repeat(growth.promotion_name);
        let of = json!({"promotion_id": format!("P{n}"), "name": name, "type": "line_percent", "value": 100, "priority": n,
            "stackable": true, "from": "2026-11-01", "to": "2026-11-30"});
        serde_json::from_value::<Promotion>(of).unwrap()
    };
    shop.promotions = (0..growth.promotions).map(promotion).collect();
}

/// Pays in 20 payments with long references.
fn pay(shop: &mut Shop, id: &TransactionId, letter: &str) {
    let total = shop.shift.open[id].total;
    let part = |n: i64| NewPayment {
        reference: Some(letter.repeat(64)),
        ..payment("card", if n == 0 { total.get() - 19 } else { 1 })
    };
    shop.pay(id, &PaySale { payments: (0..20).map(part).collect() }).unwrap();
}

fn record_of(shop: &mut Shop, event: &Event) -> Option<String> {
    let stamp = shop.stamp();
    let rows = &event.rows;
    Some(match &event.fact {
        Fact::TransactionPaid(it) => {
            record::transaction_paid(&stamp, &it.transaction, &rows.movements, &rows.points)
        }
        Fact::SaleVoided(it) => {
            record::sale_voided(&stamp, &it.transaction, &rows.movements, &it.refunds, &rows.points)
        }
        Fact::TransactionVoided(it) => record::transaction_voided(&stamp, &it.transaction),
        _ => return None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn no_accepted_command_makes_a_record_that_head_office_refuses(
        lines in 150..=500_usize, letter in prop::sample::select(vec!["x", "\"", "é"]), before in growth(),
        after in growth(), paid in any::<bool>(), voided in any::<bool>(),
    ) {
        let mut shop = open();
        grow(&mut shop, &before, letter);
        let Ok(id) = shop.create(&basket(vec![item("a", 1, 2000); lines])) else { return Ok(()) };
        let hold = shop.hold(&id).unwrap();
        grow(&mut shop, &after, letter);
        if shop.recall(&hold).is_err() {
            shop.recall_as(&hold, RecallHold { keep_prices: true }).unwrap();
        }
        if paid {
            pay(&mut shop, &id, letter);
        }
        match (paid, voided) {
            (true, true) => drop(shop.void_paid(&boss(), &id).unwrap()),
            (false, _) => drop(shop.void_open_as(&boss(), &id).unwrap()),
            (true, false) => {}
        }
        for event in shop.events.clone() {
            if let Some(text) = record_of(&mut shop, &event) {
                prop_assert!(text.len() <= RECORD_BYTES_MAX, "{} bytes", text.len());
                prop_assert!(record::all_fit(&[text]).is_ok());
            }
        }
    }
}

#[test]
fn a_record_above_the_limit_is_no_outcome() {
    assert!(record::all_fit(&["x".repeat(RECORD_BYTES_MAX)]).is_ok());
    let refused = record::all_fit(&[String::new(), "x".repeat(RECORD_BYTES_MAX + 1)]).unwrap_err();
    assert!(refused.to_string().contains("262145 bytes, at most 262144"), "{refused}");
}
