//! Entries by hand: entries, reversals, opening balances, accounts.

use crate::support::server::{Answer, Api, Place, Server, stderr};
use crate::support::shop::Shop;
use edge::clock;
use serde_json::{Value, json};

const JOURNAL: &str = "/api/finance/journal";

pub fn entry(date: &str, lines: &[(&str, &str, i64)]) -> Value {
    let line = |(store_id, account, amount): &(&str, &str, i64)| json!({"account": account, "debit": amount.max(&0), "credit": -amount.min(&0), "store_id": store_id});
    json!({"date": date, "memo": "by hand", "lines": lines.iter().map(line).collect::<Vec<_>>()})
}

pub fn text(data: &Value, name: &str) -> String {
    data[name].as_str().unwrap().to_owned()
}

/// Logs in as finance.
pub async fn accountant(server: &Server) -> Api {
    let user =
        ["user", "add", "--username", "fin", "--name", "Fin", "--role", "ho_finance", "--password-stdin"];
    let done = server.place.run(&user, "another-horse-9\n");
    assert!(done.status.success(), "{}", stderr(&done));
    server.api().login("fin", "another-horse-9").await
}

fn paths(answer: &Answer) -> Vec<&str> {
    let fields = answer.body["error"]["details"]["fields"].as_array().unwrap();
    fields.iter().map(|field| field["path"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_is_posted_once_and_reversed_once() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let body = entry("2026-11-02", &[("", "6050", 700), ("", "1040", -700)]);
    let first = finance.keyed(JOURNAL, "k1", &body).await;
    let again = finance.keyed(JOURNAL, "k1", &body).await;
    assert_eq!((first.status.as_u16(), again.replayed), (201, true));
    assert_eq!(first.body, again.body);
    let made = first.data();
    assert_eq!(
        (&made["entry_no"], &made["kind"], &made["total"]),
        (&json!(1), &json!("manual"), &json!(700))
    );
    assert_eq!((&made["group_id"], &made["source"]), (&Value::Null, &Value::Null));
    assert!(made["created_by"].is_string());
    let id = text(made, "entry_id");
    let reverse = format!("{JOURNAL}/{id}/reverse");
    let back = finance.post(&reverse, &json!({"reason": "wrong month"})).await.data().clone();
    assert_eq!((&back["kind"], &back["reverses"]), (&json!("reversal"), &json!(id)));
    assert_eq!((&back["entry_date"], &back["reference_date"]), (&json!("2026-11-02"), &Value::Null));
    assert_eq!(back["lines"][0], json!({"line_no": 1, "account": "6050", "debit": 0, "credit": 700}));
    let read = finance.get(&format!("{JOURNAL}/{id}")).await.data().clone();
    assert_eq!(read["reversed_by"], back["entry_id"]);
    let twice = finance.post(&reverse, &json!({"reason": "again"})).await;
    assert_eq!(twice.refusal(), "409 duplicate");
    assert_eq!(twice.body["error"]["details"], json!({"what": "reversal", "id": back["entry_id"]}));
    let of_reversal = format!("{JOURNAL}/{}/reverse", text(&back, "entry_id"));
    assert_eq!(finance.post(&of_reversal, &json!({"reason": "x"})).await.refusal(), "409 invalid_state");
    let _shop = Shop::sold(&server, "S001", 1).await;
    let event = finance.get(&format!("{JOURNAL}?kind=event")).await.data()["items"][0].clone();
    let of_event = format!("{JOURNAL}/{}/reverse", text(&event, "entry_id"));
    assert_eq!(finance.post(&of_event, &json!({"reason": "x"})).await.refusal(), "409 invalid_state");
    assert_eq!(
        finance.post(&format!("{JOURNAL}/jrn_1/reverse"), &json!({"reason": "x"})).await.refusal(),
        "404 not_found"
    );
    for (filter, count) in
        [("kind=manual", 1), ("kind=reversal", 1), ("head_office=true", 2), ("late=true", 0)]
    {
        let found = finance.get(&format!("{JOURNAL}?{filter}")).await.data()["items"].clone();
        assert_eq!(found.as_array().unwrap().len(), count, "{filter}");
    }
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_over_several_books_balances_in_each_and_is_reversed_as_one() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    server.place.add_store("S001");
    server.place.add_store("S002");
    let body = entry("2026-11-02", &[("", "1040", -700), ("S001", "6050", 500), ("S002", "6050", 200)]);
    let made = finance.post(JOURNAL, &body).await.data().clone();
    let group = text(&made, "group_id");
    let entries = made["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 3);
    for (entry, (book, amount)) in entries.iter().zip([("", 700_i64), ("S001", -500), ("S002", -200)]) {
        assert_eq!((&entry["store_id"], &entry["group_id"]), (&json!(book), &json!(group)));
        let between =
            json!({"line_no": 2, "account": "1290", "debit": amount.max(0), "credit": -amount.min(0)});
        assert_eq!(entry["lines"][1], between, "{book}");
        let query = if book.is_empty() { "head_office=true".to_owned() } else { format!("store_id={book}") };
        let balance =
            finance.get(&format!("/api/finance/trial-balance?date=2026-11-02&{query}")).await.data().clone();
        assert_eq!(balance["total_debit"], balance["total_credit"], "{book}");
        assert_eq!(balance["total_debit"], json!(amount.abs()), "{book}");
    }
    let listed = finance.get(&format!("{JOURNAL}?cause_id={group}")).await.data()["items"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 3);
    let second = text(&entries[1], "entry_id");
    let back = finance.post(&format!("{JOURNAL}/{second}/reverse"), &json!({"reason": "x"})).await;
    assert_eq!(back.data()["entries"].as_array().unwrap().len(), 3);
    let balance = finance.get("/api/finance/trial-balance?date=2026-11-02").await.data().clone();
    assert_eq!(balance["items"], json!([]));
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_entry_is_refused_with_its_line() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let day = "2026-11-02";
    let unbalanced = finance.post(JOURNAL, &entry(day, &[("", "6050", 5), ("", "1040", -4)])).await;
    assert_eq!(unbalanced.refusal(), "422 unbalanced");
    assert_eq!(unbalanced.body["error"]["details"], json!({"debit": 5, "credit": 4}));
    let mut both = entry(day, &[("", "6050", 5), ("", "1040", -5)]);
    both["lines"][1]["debit"] = json!(5);
    let today = server.hub.today(clock::now());
    let tomorrow = today.tomorrow().unwrap().to_string();
    for (body, path) in [
        (both, "lines[1]"),
        (entry(day, &[("", "6050", 5)]), "lines"),
        (entry(day, &[("", "6050", 0), ("", "1040", 0)]), "lines[0]"),
        (entry(day, &[("", "6050", 1_000_000_000_001), ("", "1040", -1_000_000_000_001)]), "lines[0]"),
        (entry(day, &[("", "1010", 5), ("", "1040", -5)]), "lines[0].account"),
        (entry(day, &[("", "6050", 5), ("", "9999", -5)]), "lines[1].account"),
        (entry(day, &[("S404", "6050", 5), ("", "1040", -5)]), "lines[0].store_id"),
        (entry(&tomorrow, &[("", "6050", 5), ("", "1040", -5)]), "date"),
    ] {
        let answer = finance.post(JOURNAL, &body).await;
        assert_eq!(answer.refusal(), "422 validation_failed", "{body}");
        assert_eq!(paths(&answer)[0], path, "{body}");
    }
    finance.post(JOURNAL, &entry(&today.to_string(), &[("", "6050", 5), ("", "1040", -5)])).await.data();
    let mut none = entry(day, &[("", "6050", 5), ("", "1040", -5)]);
    none["memo"] = json!(" ");
    assert_eq!(paths(&finance.post(JOURNAL, &none).await), ["memo"]);
    assert_eq!(server.figure("SELECT COUNT(*) FROM journal").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_an_administrator_posts_an_entry_above_the_limit() {
    let place = Place::initialised().await;
    let settings = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, settings + "[finance]\nmanual_limit = 1000\n").unwrap();
    let server = Server::on(place).await;
    let (finance, admin) = (accountant(&server).await, server.admin().await);
    let body = |amount| entry("2026-11-02", &[("", "6050", amount), ("", "1040", -amount)]);
    finance.post(JOURNAL, &body(1000)).await.data();
    let refused = finance.post(JOURNAL, &body(1001)).await;
    assert_eq!(refused.refusal(), "403 approval_required");
    assert_eq!(refused.body["error"]["details"], json!({"limit": 1000, "amount": 1001}));
    let made = admin.post(JOURNAL, &body(1001)).await.data().clone();
    // The limit also applies to the reversal of such an entry, and to opening a book.
    let reverse = format!("{JOURNAL}/{}/reverse", text(&made, "entry_id"));
    let opening = json!({"date": "2026-11-01", "lines": [{"account": "1040", "debit": 1001}]});
    for (path, body) in [(reverse.as_str(), json!({"reason": "wrong"})), ("/api/finance/opening", opening)] {
        assert_eq!(finance.post(path, &body).await.refusal(), "403 approval_required", "{path}");
        admin.post(path, &body).await.data();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_book_is_opened_once() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    server.place.add_store("S001");
    let path = "/api/finance/opening";
    let body = |book: &str, account: &str| json!({"store_id": book, "date": "2026-11-18", "lines": [{"account": account, "debit": 1_000_000}]});
    let made = finance.post(path, &body("S001", "1020")).await.data().clone();
    assert_eq!(made["lines"][1], json!({"line_no": 2, "account": "3010", "debit": 0, "credit": 1_000_000}));
    finance.post(path, &body("", "1040")).await.data();
    let twice = finance.post(path, &body("S001", "1020")).await;
    assert_eq!(twice.refusal(), "409 duplicate");
    assert_eq!(twice.body["error"]["details"], json!({"what": "opening", "id": made["entry_id"]}));
    assert_eq!(paths(&finance.post(path, &body("", "1210")).await), ["lines[0].account"]);
    // A wrong opening is reversed, and the book is opened again.
    let reverse = format!("{JOURNAL}/{}/reverse", text(&made, "entry_id"));
    finance.post(&reverse, &json!({"reason": "miscounted"})).await.data();
    finance.post(path, &body("S001", "1020")).await.data();
    assert_eq!(finance.post(path, &body("S001", "1020")).await.refusal(), "409 duplicate");
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_are_added_renamed_and_closed_when_their_balance_is_zero() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let accounts = "/api/finance/accounts";
    let rent = json!({"account": "6110", "name": "Rent", "type": "expense"});
    let made = finance.post(accounts, &rent).await.data().clone();
    assert_eq!(
        (&made["system"], &made["control"], &made["state"]),
        (&json!(false), &json!(false), &json!("active"))
    );
    assert_eq!(finance.post(accounts, &rent).await.refusal(), "409 duplicate");
    assert_eq!(
        finance.post(accounts, &json!({"account": "1010", "name": "x", "type": "asset"})).await.refusal(),
        "409 duplicate"
    );
    for (field, value) in [
        ("account", "611"),
        ("account", "0611"),
        ("account", "61a0"),
        ("type", "asset"),
        ("name", ""),
        ("parent", "9999"),
    ] {
        let mut wrong = rent.clone();
        wrong["account"] = json!("6120");
        wrong[field] = json!(value);
        assert_eq!(paths(&finance.post(accounts, &wrong).await), [field], "{value}");
    }
    let of = |account: &str| format!("{accounts}/{account}");
    let named = finance.patch(&of("1040"), &json!({"name": "Bank BCA"})).await.data().clone();
    assert_eq!((&named["name"], &named["system"]), (&json!("Bank BCA"), &json!(true)));
    assert_eq!(paths(&finance.patch(&of("1040"), &json!({"state": "closed"})).await), ["state"]);
    assert_eq!(paths(&finance.patch(&of("6110"), &json!({"parent": "6110"})).await), ["parent"]);
    assert_eq!(finance.patch(&of("6999"), &json!({"name": "x"})).await.refusal(), "404 not_found");
    let body = entry("2026-11-02", &[("", "6110", 700), ("", "1040", -700)]);
    let written = text(finance.post(JOURNAL, &body).await.data(), "entry_id");
    let balance = finance.get("/api/finance/trial-balance?date=2026-11-02").await.data()["items"].clone();
    assert_eq!((&balance[0]["name"], &balance[1]["name"]), (&json!("Bank BCA"), &json!("Rent")));
    assert_eq!(finance.get(&format!("{}/entries", of("6110"))).await.data()["closing_balance"], 700);
    let refused = finance.patch(&of("6110"), &json!({"state": "closed"})).await;
    assert_eq!(refused.refusal(), "409 not_ready");
    assert_eq!(refused.body["error"]["details"]["problems"][0]["code"], "balance");
    finance.post(&format!("{JOURNAL}/{written}/reverse"), &json!({"reason": "x"})).await.data();
    finance.patch(&of("6110"), &json!({"state": "closed"})).await.data();
    assert_eq!(paths(&finance.post(JOURNAL, &body).await), ["lines[0].account"]);
    let closed = finance.get(&format!("{accounts}?state=closed")).await.data()["items"].clone();
    assert_eq!((closed.as_array().unwrap().len(), &closed[0]["account"]), (1, &json!("6110")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reversal_over_several_books_has_one_day_that_is_open_in_all() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    server.place.add_store("S001");
    let lines = [("", "6050", 900), ("S001", "1040", -900)];
    let made = finance.post(JOURNAL, &entry("2026-11-02", &lines)).await.data().clone();
    for (book, day) in [("S001", "2026-11-05"), ("", "2026-11-03")] {
        let lock = json!({"store_ids": [book]});
        finance.post(&format!("/api/finance/days/{day}/lock"), &lock).await.data();
    }
    let reverse = format!("{JOURNAL}/{}/reverse", text(&made, "entry_id"));
    let back = finance.post(&reverse, &json!({"reason": "x"})).await.data().clone();
    let day = |entry: &Value| json!([entry["entry_date"], entry["reference_date"]]);
    let days: Vec<Value> = back["entries"].as_array().unwrap().iter().map(day).collect();
    assert_eq!(json!(days), json!([["2026-11-06", "2026-11-02"], ["2026-11-06", "2026-11-02"]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reversal_into_a_closed_account_is_refused() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let rent = json!({"account": "6110", "name": "Rent", "type": "expense"});
    finance.post("/api/finance/accounts", &rent).await.data();
    let paid = finance.post(JOURNAL, &entry("2026-11-02", &[("", "6110", 5), ("", "1040", -5)])).await;
    finance.post(JOURNAL, &entry("2026-11-02", &[("", "6110", -5), ("", "1040", 5)])).await.data();
    let account = "/api/finance/accounts/6110";
    finance.patch(account, &json!({"state": "closed"})).await.data();
    let reverse = format!("{JOURNAL}/{}/reverse", text(paid.data(), "entry_id"));
    let refused = finance.post(&reverse, &json!({"reason": "x"})).await;
    assert_eq!(refused.refusal(), "409 not_ready");
    assert_eq!(refused.body["error"]["details"]["problems"][0]["code"], "account_closed");
    finance.patch(account, &json!({"state": "active"})).await.data();
    finance.post(&reverse, &json!({"reason": "x"})).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_beyond_the_largest_sum_of_a_day_is_refused() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let body = entry("2026-11-02", &[("", "6050", 5), ("", "1040", -5)]);
    finance.post(JOURNAL, &body).await.data();
    let sql = "UPDATE ledger_days SET debit = 9223372036854775806 WHERE account = '6050'";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(paths(&finance.post(JOURNAL, &body).await), ["lines"]);
    assert_eq!(server.figure("SELECT COUNT(*) FROM journal").await, 1, "nothing is kept");
}
