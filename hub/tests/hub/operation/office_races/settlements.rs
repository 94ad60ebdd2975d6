//! Concurrent requests at two processes about files, matches, settlements and days, while stores push records.

use super::two::{Two, one_wins, tries};
use crate::office::finance_entries::text;
use crate::office::settlement::story::{day, paid, sealed, settlement};
use serde_json::{Value, json};

const STATE: &[&str] = &["409 invalid_state"];
const MATCHES: &str = "/api/settlement-matches";
/// Number of days per store, because statements must be of the last year.
const DAYS: usize = 90;

/// Returns the store and the day of a turn. Each kind of race has its own stores.
fn place(kind: char, turn: usize) -> (String, i8) {
    (format!("{kind}{}", turn / DAYS), 15 - i8::try_from(DAYS - 1 - turn % DAYS).unwrap())
}

/// Returns a sale by card whose totals equal its only line.
fn card(store: &str, of: i8, number: i64, reference: &str) -> String {
    let record = paid(store, of, number.unsigned_abs(), ("card", number, reference));
    let mut record: Value = serde_json::from_str(&record).unwrap();
    let sale = &mut record["payload"]["transaction"];
    (sale["tax"], sale["subtotal"], sale["total"]) = (json!(0), json!(number), json!(number));
    record.to_string()
}

async fn source(two: &Two) -> String {
    let source = json!({"name": "Cards", "kind": "provider", "methods": ["card"]});
    text(&two.create("/api/statement-sources", &source).await, "source_id")
}

async fn line_ids(two: &Two, statement: &Value) -> Vec<Value> {
    let path = format!("/api/statements/{}/lines", text(statement, "statement_id"));
    let lines = two.first().get(&path).await.data()["items"].clone();
    lines.as_array().unwrap().iter().map(|line| line["line_id"].clone()).collect()
}

/// Races one file at both, and two lines for one payment.
async fn lines(two: &mut Two, source: &str, turn: usize) {
    let ((store, of), number) = (place('L', turn), two.number());
    two.reported(&store, vec![card(&store, of, number, "")]).await;
    // Too late for an automatic match.
    let date = day(of + 6);
    let line =
        |name: &str| json!({"date": date, "reference": format!("{name}{number}"), "gross": number, "fee": 0});
    let file = json!({"source_id": source, "lines": [line("XXXX"), line("YYYY")]});
    let read = two.succeeds_once(turn, ("/api/statements", file), &["409 duplicate"]).await;
    assert_eq!(read["lines_new"], 2);
    let ids = line_ids(two, &read).await;
    let by_hand = |line: &Value| json!({"source_id": source, "line_ids": [line], "item_ids": [format!("pay_{number}")], "reason": "it is"});
    let answers = two.race(turn, [(MATCHES, by_hand(&ids[0])), (MATCHES, by_hand(&ids[1]))]).await;
    one_wins(&answers, STATE);
}

/// Races a new settlement, the undoing of its match with its approval, and two approvals.
async fn a_settlement(two: &mut Two, source: &str, turn: usize) {
    let ((store, of), number) = (place('M', turn), two.number());
    let reference = format!("C-{number}");
    two.reported(&store, vec![card(&store, of, number, &reference)]).await;
    let make = json!({"store_id": store, "business_date": day(of), "force": true, "reason": "early"});
    let made = two.succeeds_once(turn, ("/api/settlements", make), &["409 duplicate"]).await;
    let line = json!({"date": day(of + 1), "reference": reference, "gross": number, "fee": 0});
    let read = two.create("/api/statements", &json!({"source_id": source, "lines": [line]})).await;
    assert_eq!(read["matched"], 1);
    let path = format!("/api/statements/{}/lines", text(&read, "statement_id"));
    let match_id = text(&two.first().get(&path).await.data()["items"][0], "match_id");
    let undo = format!("{MATCHES}/{match_id}/undo");
    let approve = format!("/api/settlements/{}/approve", text(&made, "settlement_id"));
    let asks = [(approve.as_str(), json!({})), (undo.as_str(), json!({"reason": "a slip"}))];
    let answers = two.race(turn, asks).await;
    let posted = one_wins(&answers, STATE) == 0;
    let state = settlement(two.first(), &store, of).await["state"].clone();
    assert_eq!(state == "approved", posted, "{state}: {answers:?}");
}

/// Races the approval of a day without items.
async fn an_empty_day(two: &mut Two, turn: usize) {
    let (store, of) = place('E', turn);
    two.reported(&store, vec![sealed(&store, of)]).await;
    let id = text(&settlement(two.first(), &store, of).await, "settlement_id");
    two.succeeds_once(turn, (&format!("/api/settlements/{id}/approve"), json!({})), STATE).await;
}

/// Races locks of a day while its store pushes a sale to both. The sale is included or late, and counts once.
async fn a_day(two: &mut Two, turn: usize) {
    let ((store, of), number) = (place('D', turn), two.number());
    let sale = card(&store, of, number, "");
    let shop = two.shop(&store).await;
    shop.chain().append(sale);
    let seq = shop.chain().records.len();
    let (first, mut second) = (shop.clone(), shop.clone());
    let push = shop.batch(seq, seq);
    second.api = two.other().clone();
    let date = day(of);
    let lock = format!("/api/finance/days/{date}/lock");
    let body = json!({"store_ids": [store], "force": true, "reason": "race"});
    let (locks, one, other) = tokio::join!(
        two.race(turn, [(&lock, body.clone()), (&lock, body)]),
        first.push(&push),
        second.push(&push)
    );
    let locked = |answer: &Value| !answer["locked"].as_array().unwrap().is_empty();
    let count = locks.iter().filter(|answer| locked(answer.data())).count();
    assert_eq!(count, 1, "{locks:?}");
    for answer in [one, other] {
        assert_eq!(answer.data()["acked_seq"], seq);
    }
    let path = format!("/api/finance/journal?store_id={store}&cause_id=trx_S001_{number}");
    let found = two.first().get(&path).await.data()["items"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let late = found[0]["entry_date"] != json!(date);
    assert_eq!(found[0]["reference_date"] == json!(date), late, "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_one_settles_and_locks_and_a_record_counts_once() {
    let mut two = Two::open().await;
    let source = source(&two).await;
    for turn in 0..tries() {
        lines(&mut two, &source, turn).await;
        a_settlement(&mut two, &source, turn).await;
        an_empty_day(&mut two, turn).await;
        a_day(&mut two, turn).await;
    }
    two.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_of_an_entry_is_not_counted_as_made() {
    let two = Two::open().await;
    let line = json!({"date": day(20), "reference": "X-0001", "gross": 5, "fee": 0});
    two.create("/api/statements", &json!({"source_id": "src_default", "lines": [line]})).await;
    let found = two.first().get("/api/settlement-exceptions?state=open").await.data()["items"][0].clone();
    let path = format!("/api/settlement-exceptions/{}/resolve", text(&found, "exception_id"));
    let said = json!({"resolution": "post", "account": "6060", "reason": "nobody knows"});
    // The process has made no entry of this kind, so it has no such metric.
    let counted = async || {
        let metrics = two.first().text("/metrics", "*/*").await;
        metrics
            .lines()
            .filter(|line| line.contains("{kind=\"settlement\"}"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let shown = two.create(&format!("{path}?preview=true"), &said).await;
    assert_eq!((shown["posting"].as_array().unwrap().len(), counted().await), (1, Vec::new()));
    two.create(&path, &said).await;
    assert_eq!(counted().await, ["hub_entries_total{kind=\"settlement\"} 1"]);
    two.assert_sound().await;
}
