//! A statement of many lines: each line is stored with its match, and is matched again when its payment arrives.

use crate::office::finance::tells;
use crate::office::settlement::resolved::reported;
use crate::office::settlement::story::{card_source, day, paid, sealed, settlement};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Text with characters that are special in the format that writes the lines to the database. None may act as a
/// separator.
const ODD: &str = "a, {\"b\\c\"} NULL";

fn sale(number: i64) -> String {
    let reference = format!("P-{}", 1_000 + number);
    paid("S001", 18, number.unsigned_abs(), ("card", 1_000 * number, &reference))
}

fn line(number: i64) -> Value {
    json!({"date": day(19), "reference": format!("P-{}", 1_000 + number), "description": ODD,
        "gross": 1_000 * number, "fee": 15 * number})
}

async fn lines(api: &Api, statement: &Value) -> Vec<Value> {
    let id = statement["statement_id"].as_str().unwrap();
    let page = api.get(&format!("/api/statements/{id}/lines?limit=100")).await;
    page.data()["items"].as_array().unwrap().clone()
}

fn states(lines: &[Value]) -> BTreeMap<&str, usize> {
    let mut states = BTreeMap::new();
    lines.iter().for_each(|line| *states.entry(line["state"].as_str().unwrap()).or_default() += 1);
    states
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_many_lines_is_kept_where_matching_leaves_it() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, (1..=60).map(sale).chain([sealed("S001", 18)]).collect()).await;
    let source = card_source(&admin).await;
    let mut file: Vec<Value> = (1..=70).map(line).collect();
    file.push(json!({"date": day(19), "type": "fee", "fee": 5_000}));
    let first = reported(&admin, &source, json!(file)).await;
    let figures = |of: &Value| json!([of["lines_total"], of["lines_new"], of["matched"], of["exceptions"]]);
    assert_eq!(figures(&first), json!([71, 71, 60, 10]));
    let kept = lines(&admin, &first).await;
    assert_eq!(states(&kept), BTreeMap::from([("matched", 60), ("excepted", 10), ("resolved", 1)]));
    assert!(kept.iter().take(70).all(|line| line["description"] == ODD));
    let matches: BTreeSet<&str> = kept.iter().filter_map(|line| line["match_id"].as_str()).collect();
    assert_eq!(matches.len(), 60, "each line separately");
    assert_eq!(settlement(&admin, "S001", 18).await["state"], "reconciled");
    let same = "SELECT COUNT(*) FROM statement_lines l JOIN settlement_items i ON i.match_id = l.match_id \
                WHERE i.state = 'matched' AND i.amount = l.gross";
    let same: i64 = sqlx::query_scalar(same).fetch_one(server.hub.db.pool()).await.unwrap();
    assert_eq!(same, 60);

    // The whole file again with one new line. In the meantime the missing payments have arrived.
    tells(&mut shop, (61..=65).map(sale).collect()).await;
    file.push(line(71));
    let second = reported(&admin, &source, json!(file)).await;
    assert_eq!(figures(&second), json!([72, 1, 0, 1]));
    let kept = lines(&admin, &first).await;
    assert_eq!(states(&kept), BTreeMap::from([("matched", 65), ("excepted", 5), ("resolved", 1)]));
    assert_eq!(
        admin.post("/api/statements", &json!({"source_id": source, "lines": file})).await.refusal(),
        "409 duplicate"
    );

    // A line whose match is undone waits again, and is matched again.
    let undo = format!("/api/settlement-matches/{}/undo", kept[64]["match_id"].as_str().unwrap());
    admin.post(&undo, &json!({"reason": "a slip"})).await.data();
    assert_eq!(states(&lines(&admin, &first).await).get("unmatched"), Some(&1));
    let id = settlement(&admin, "S001", 18).await["settlement_id"].as_str().unwrap().to_owned();
    admin.post(&format!("/api/settlements/{id}/match"), &json!({})).await.data();
    assert_eq!(states(&lines(&admin, &first).await).get("matched"), Some(&65));
    assert!(server.place.run(&["verify"], "").status.success());
}
