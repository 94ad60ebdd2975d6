//! The rules of refunds and points, called by vectors.

use super::rules::{int, int_or, list, refused, text};
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::people::points::{LotPart, Lots};
use domain::model::selling::payment::Paid;
use domain::rules::people::points;
use domain::rules::people::points::Pool;
use domain::rules::selling::refund::{SoldLine, cost_back, tenders};
use jiff::civil::Date;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn refund_parts(given: &Value) -> Value {
    let line = &given["line"];
    let sold = SoldLine {
        qty: int(line, "qty").into(),
        price: Money::new(int(line, "price")),
        discount: Money::new(int(line, "discount")),
        tax: Money::new(int(line, "tax")),
        contained: given["tax"] == "contained",
    };
    let (mut returned, mut refunded) = (0_i64, Money::ZERO);
    let parts: Vec<Value> = list(given, "parts")
        .iter()
        .map(|qty| {
            let qty = qty.as_i64().unwrap();
            match sold.part(returned.into(), qty.into()) {
                Err(refusal) => refused(&refusal),
                Ok(part) => {
                    (returned, refunded) = (returned + qty, refunded.saturating_add(part.refund));
                    json!({
                        "gross": part.gross, "discount": part.discount, "tax": part.tax,
                        "refund": part.refund,
                    })
                }
            }
        })
        .collect();
    json!({"parts": parts, "refunded": refunded})
}

pub fn refund_tenders(given: &Value) -> Value {
    let redeem_value = int_or(given, "redeem_value", 1);
    let mut paid: Vec<Paid> = list(given, "payments")
        .iter()
        .map(|payment| Paid {
            method: text(payment, "method").to_owned(),
            amount: Money::new(int(payment, "amount")),
            ..Paid::nothing(String::new())
        })
        .collect();
    let refunds: Vec<Value> = list(given, "refunds")
        .iter()
        .map(|amount| {
            let parts = tenders(Money::new(int(given, "total")), Money::new(amount.as_i64().unwrap()), &paid);
            let shown = parts.iter().map(|part| {
                let method = paid.iter_mut().find(|method| method.method == part.method).unwrap();
                let before = method.refunded;
                method.refunded = method.refunded.saturating_add(part.amount);
                let mut out = json!({"method": part.method, "amount": part.amount});
                if part.method == "points" {
                    let (paid, redeemed) = (method.amount, method.amount.get() / redeem_value);
                    let so_far =
                        |refunded| domain::model::people::points::back(redeemed.into(), paid, refunded);
                    out["points"] = json!(so_far(method.refunded).saturating_sub(so_far(before)));
                }
                out
            });
            json!(shown.collect::<Vec<_>>())
        })
        .collect();
    json!({"refunds": refunds})
}

pub fn cost_parts(given: &Value) -> Value {
    let mut returned = 0_i64;
    let costs: Vec<Money> = list(given, "parts")
        .iter()
        .map(|n| {
            let n = n.as_i64().unwrap();
            let cost = cost_back(
                Money::new(int(given, "cost")),
                int(given, "qty").into(),
                returned.into(),
                n.into(),
            );
            returned += n;
            cost
        })
        .collect();
    json!({"costs": costs})
}

fn date(step: &Value, field: &str) -> Option<Date> {
    step[field].as_str().map(|text| text.parse().unwrap())
}

fn by_lot(parts: &[LotPart]) -> Value {
    json!(parts.iter().map(|part| (part.lot_id.as_str(), part.points)).collect::<BTreeMap<_, _>>())
}

pub fn lots(given: &Value) -> Value {
    let mut lots = Lots::default();
    let mut earned: BTreeMap<&str, Option<Date>> = BTreeMap::new();
    let mut redeemed: BTreeMap<&str, Vec<LotPart>> = BTreeMap::new();
    let log: Vec<Value> = list(given, "events")
        .iter()
        .map(|step| {
            let points = int_or(step, "points", 0);
            let before = lots.balance();
            let mut out = json!({"do": step["do"], "points": points});
            match text(step, "do") {
                "earn" => {
                    earned.insert(text(step, "id"), date(step, "expires"));
                    lots.earn(text(step, "id"), points.into(), date(step, "expires"));
                }
                // A vector without a day tests only the order.
                "redeem" => match lots.redeem(points.into(), date(step, "on").unwrap_or(Date::MIN)) {
                    Err(refusal) => {
                        let code = refusal.code();
                        return json!({"do": "redeem", "error": code, "balance": lots.balance()});
                    }
                    Ok(parts) => {
                        out["points"] = json!(-points);
                        out["from"] = by_lot(&parts);
                        redeemed.insert(text(step, "id"), parts);
                    }
                },
                "give_back" => {
                    let taken = redeemed.get_mut(text(step, "of")).unwrap();
                    let days = u32::try_from(int_or(given, "restore_days", 30)).unwrap();
                    out["into"] =
                        by_lot(&lots.restore_points(taken, points.into(), date(step, "on").unwrap(), days));
                }
                "reverse" => {
                    lots.reverse(earned[text(step, "of")], points.into());
                    out["points"] = json!(-points);
                }
                "expire" => {
                    lots.expire(date(step, "on").unwrap());
                    out["points"] = json!(lots.balance().saturating_sub(before));
                }
                other => panic!("nothing is called {other}"),
            }
            out["balance"] = json!(lots.balance());
            out
        })
        .collect();
    json!({"log": log, "balance": lots.balance()})
}

pub fn defer(given: &Value) -> Value {
    let deferred = points::defer(
        int(given, "net").into(),
        int(given, "earned").into(),
        int(given, "redeem_value").into(),
        BasisPoints::new(int(given, "redemption_bp")),
    );
    json!({"standalone": deferred.standalone, "deferred": deferred.deferred})
}

pub fn pool(given: &Value) -> Value {
    let start = &given["start"];
    let mut pool = Pool { points: int(start, "points").into(), value: int(start, "value").into() };
    let steps: Vec<Value> = list(given, "events")
        .iter()
        .map(|step| {
            let mut out = json!({});
            if let Some(points) = step["release"].as_i64() {
                out["released"] = json!(pool.release(points.into()));
            } else {
                pool.add(int(step, "earn").into(), int(step, "value").into());
            }
            out["points"] = json!(pool.points);
            out["value"] = json!(pool.value);
            out
        })
        .collect();
    json!({"steps": steps})
}
