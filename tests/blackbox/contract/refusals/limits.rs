//! Refusals because of a limit name the line, the remaining allowance, and who may exceed it.

use super::Bench;
use serde_json::{Value, json};
use testkit::Reply;
use testkit::counter::approved;

const SALES: &str = "/api/pos/transactions";
const RETURNS: &str = "/api/pos/returns";

fn message(reply: &Reply) -> String {
    reply.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_refusal_by_a_limit_says_what_to_do() {
    let mut bench = Bench::open_with(
        "returns.cashier_limit = 2_000\npricing.discount_limit_bp = 1000\nstock.negative = \"reject\"\n",
    );
    let items = |qty: i64| json!([{"sku": "8990001", "qty": qty, "price": 2_000}]);
    let approvers = json!(["store_manager", "admin"]);
    let reply = bench.till.post(SALES, &json!({"items": items(3), "discount": 1_000}));
    let expected = json!({"action": "a discount of this size", "path": "discount", "value": 1_000, "limit": 600,
        "setting": "pricing.discount_limit_bp", "approvers": approvers});
    assert_eq!(reply.refused(403, "approval_required"), expected);
    assert!(message(&reply).contains("without approval at most 600"), "{}", message(&reply));

    let made = bench.till.post(SALES, &json!({"items": items(3)})).data(201);
    let path = format!("{SALES}/{}", made["transaction_id"].as_str().unwrap());
    let sold = bench.till.post(&format!("{path}/pay"), &json!({"method": "card", "amount": 6_660})).data(200);
    let details =
        bench.till.post(&format!("{path}/void"), &json!({"reason": "x"})).refused(403, "approval_required");
    assert_eq!(details, json!({"action": "voiding a paid sale", "approvers": approvers}));

    let back = |sale: &Value, qty: i64| {
        json!({"transaction_id": sale["transaction_id"],
        "items": [{"sku": "8990001", "qty": qty, "restock": true}]})
    };
    let details = bench.till.post(RETURNS, &back(&sold, 1)).refused(403, "approval_required");
    let expected = json!({"action": "refunding this much for one sale", "value": 2_220, "limit": 2_000,
        "setting": "returns.cashier_limit", "approvers": approvers});
    assert_eq!(details, expected);
    bench.till.post(RETURNS, &approved(back(&sold, 2))).data(201);
    let reply = bench.till.post(RETURNS, &approved(back(&sold, 2)));
    let expected = json!({"items": [{"path": "items[0]", "sku": "8990001", "sold": 3, "returned_qty": 2, "left": 1,
        "requested": 2}]});
    assert_eq!(reply.refused(422, "return_exceeds_sold"), expected);
    assert!(message(&reply).contains("3 were sold, and 1 can still be returned"), "{}", message(&reply));

    let many = bench.till.post(SALES, &json!({"items": items(20)})).data(201);
    let path = format!("{SALES}/{}/pay", many["transaction_id"].as_str().unwrap());
    let reply = bench.till.post(&path, &json!({"method": "card", "amount": many["total"]}));
    reply.refused(409, "insufficient_stock");
    assert!(
        message(&reply).contains("20 of 8990001 were requested, but only 9 are on hand"),
        "{}",
        message(&reply)
    );
}
