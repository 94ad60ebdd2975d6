//! The rules of counts, transfers and promotions, called by vectors.

use super::rules::{int, int_or, list, refused, text};
use domain::model::base::figures::Money;
use domain::model::base::ids::{Sku, StoreId, UserId};
use domain::model::base::money::spread;
use domain::model::base::time::UtcMs;
use domain::model::inventory::opname::OpnameLine;
use domain::model::inventory::stock::Stock;
use domain::model::inventory::transfer::{Resolution, TransferLine};
use domain::model::selling::promotion::{Occasion, Promotion};
use domain::rules::inventory::stock::Incoming;
use domain::rules::selling::promotion::{PromoLine, evaluate};
use serde_json::{Value, json};

pub fn opname(given: &Value) -> Value {
    let start = &given["start"];
    let mut stock = Stock {
        qty: int(start, "qty").into(),
        value: Money::new(int(start, "value")),
        last_cost: Money::new(int(start, "last_cost")),
        ..Stock::default()
    };
    let mut line = OpnameLine::default();
    for step in list(given, "events") {
        match text(step, "do") {
            "sale" => {
                stock.take_out(int(step, "qty").into()).unwrap();
            }
            "receive" => {
                stock
                    .take_in(int(step, "qty").into(), Incoming::Priced(Money::new(int(step, "cost"))))
                    .unwrap();
            }
            "count" => {
                let zone = step["zone"].as_str().unwrap_or_default();
                let counted = (int(step, "qty").into(), None);
                line.count(zone, counted, &stock, &UserId::default(), UtcMs(0)).unwrap();
            }
            "post" if line.zones.is_empty() => {}
            "post" => {
                line.post(&mut stock).unwrap();
            }
            other => panic!("nothing is called {other}"),
        }
    }
    if line.zones.is_empty() {
        return json!({"posted": false, "on_hand": stock.qty, "value": stock.value});
    }
    json!({
        "posted": true, "expected": line.expected, "counted": line.counted(),
        "variance": line.variance(), "variance_value": line.variance_value,
        "moved_between_counts": line.moved_between_counts(),
        "on_hand": stock.qty, "value": stock.value,
    })
}

pub fn transfer(given: &Value) -> Value {
    let mut line = TransferLine {
        qty: int(given, "sent").into(),
        cost: Money::new(int(given, "cost")),
        ..TransferLine::default()
    };
    if let Err(refusal) = line.receive(int(given, "received").into()) {
        return refused(&refusal);
    }
    let resolved: Vec<Value> = list(given, "resolve")
        .iter()
        .map(|step| {
            let how: Resolution = serde_json::from_value(step["resolution"].clone()).unwrap();
            let qty = int(step, "qty");
            match line.resolve("lines[0].qty", how, qty.into(), UserId::default(), UtcMs(0)) {
                Err(refusal) => refused(&refusal),
                Ok(cost) => json!({"resolution": how, "qty": qty, "cost": cost}),
            }
        })
        .collect();
    json!({
        "in_cost": line.in_cost, "short": line.short(),
        "in_transit_value": line.in_transit_value(), "resolved": resolved,
    })
}

/// Applies the promotions by their rule, then the cashier's basket discount, split as `basket` splits it.
pub fn promo(given: &Value) -> Value {
    let promotions: Vec<Promotion> = serde_json::from_value(given["promotions"].clone()).unwrap();
    let skus: Vec<Sku> = list(given, "lines").iter().map(|line| text(line, "sku").into()).collect();
    let lines: Vec<PromoLine> = list(given, "lines")
        .iter()
        .zip(&skus)
        .map(|(line, sku)| PromoLine {
            sku,
            category: line["category"].as_str(),
            qty: int(line, "qty").into(),
            price: Money::new(int(line, "price")),
        })
        .collect();
    let store_id = StoreId::from(given["store_id"].as_str().unwrap_or("S001"));
    let on = Occasion {
        date: text(given, "date").parse().unwrap(),
        store_id: &store_id,
        tier: given["tier"].as_str(),
    };
    let shared = evaluate(&lines, &promotions, &on);
    let left: Vec<i64> = lines
        .iter()
        .zip(&shared)
        .map(|(line, given)| {
            line.price.times(line.qty).get() - given.iter().map(|part| part.amount).sum::<i64>()
        })
        .collect();
    let manual = spread(int_or(given, "manual", 0), &left);
    let out: Vec<Value> = shared
        .iter()
        .zip(left.iter().zip(manual))
        .zip(&lines)
        .map(|((given, (left, manual)), line)| {
            let mut discounts: Vec<Value> = given
                .iter()
                .map(|part| json!({"promotion_id": part.promotion_id, "amount": part.amount}))
                .collect();
            if manual > 0 {
                discounts.push(json!({"promotion_id": null, "amount": manual}));
            }
            let net = left - manual;
            json!({"discounts": discounts, "discount": line.price.times(line.qty).get() - net, "net": net})
        })
        .collect();
    json!({"lines": out})
}
