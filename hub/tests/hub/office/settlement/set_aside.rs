//! Rows that are not lines: a person accepts or dismisses them. A payment that is reported again in other words is one
//! of them.

use crate::office::settlement::matches::proved;
use crate::office::settlement::story::{added, day};
use crate::support::server::{Answer, Api, Server};
use serde_json::{Value, json};

async fn bank(api: &Api, csv: Value) -> String {
    let id = added(api, &json!({"name": "Bank", "kind": "bank", "methods": [], "csv": csv})).await;
    format!("/api/statements?source_id={id}")
}

async fn row_path(api: &Api, reported: &Value, reason: &str) -> String {
    let statement = reported["statement_id"].as_str().unwrap();
    let path = format!("/api/statements/{statement}/set-aside");
    let rows = api.get(&format!("{path}?reason={reason}")).await.data()["items"].clone();
    format!("{path}/{}", rows[0]["row_id"].as_str().unwrap())
}

/// Accepts one bad row of a provider's file and dismisses another.
pub async fn decide_on_rows(api: &Api, source: &str, date: &str) {
    let file = format!("date,reference,amount,type\n{date},C-7,0,fee\n{date},C-8,x,fee\n{date},C-9,y,fee\n");
    let made = api.csv(&format!("/api/statements?source_id={source}"), &file).await.data().clone();
    let path = format!("/api/statements/{}/set-aside", made["statement_id"].as_str().unwrap());
    let row = |place: usize| made["rows_set_aside"][place]["row_id"].as_str().unwrap();
    let take = json!({"amount": 0, "type": "fee", "reason": "the slip"});
    api.post(&format!("{path}/{}/take", row(0)), &take).await.data();
    api.post(&format!("{path}/{}/dismiss", row(1)), &json!({"reason": "a note"})).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_row_is_kept_and_taken_in_by_hand() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let path = bank(&admin, json!({"decimal": "."})).await;
    let file =
        format!("date,reference,amount\n{0},a,100\n{0},b,\"12,34,5\"\n{0},c,7.50\n{0},d,??\n", day(19));
    let reported =
        admin.csv(&format!("{path}&opening_balance=0&closing_balance=12453"), &file).await.data().clone();
    assert_eq!(reported["set_aside"], json!({"fraction": 1, "invalid": 2}));
    // A difference from the balances is not refused while rows wait, but it is reported.
    assert_eq!((&reported["net"], &reported["balance_difference"]), (&json!(100), &json!(12_353)));
    assert_eq!(reported["set_aside_open"], 3);
    let bad = row_path(&admin, &reported, "invalid").await;
    let take = |body: Value| {
        let (admin, path) = (admin.clone(), format!("{bad}/take"));
        async move { admin.post(&path, &body).await }
    };
    assert_eq!(take(json!({"reason": "the slip"})).await.refusal(), "422 validation_failed");
    assert_eq!(take(json!({"amount": 5, "reason": ""})).await.refusal(), "422 validation_failed");
    let taken = take(json!({"amount": 12_345, "reason": "the slip"})).await.data().clone();
    assert_eq!((&taken["state"], &taken["decision"]), (&json!("taken"), &json!("the slip")));
    assert_eq!(take(json!({"amount": 12_345, "reason": "again"})).await.refusal(), "409 invalid_state");
    let fraction = row_path(&admin, &reported, "fraction").await;
    admin.post(&format!("{fraction}/take"), &json!({"reason": "rounded"})).await.data();
    let statement = reported["statement_id"].as_str().unwrap();
    let rest = format!("/api/statements/{statement}/set-aside?state=open");
    let rest = admin.get(&rest).await.data()["items"][0]["row_id"].as_str().unwrap().to_owned();
    let dismiss = format!("/api/statements/{statement}/set-aside/{rest}/dismiss");
    let gone = admin.post(&dismiss, &json!({"reason": "a note"})).await.data().clone();
    assert_eq!(gone["state"], "dismissed");
    assert_eq!(admin.post(&dismiss, &json!({"reason": "a note"})).await.refusal(), "409 invalid_state");
    let now = admin.get(&format!("/api/statements/{statement}")).await.data().clone();
    assert_eq!(
        (&now["net"], &now["set_aside_open"], &now["lines_new"]),
        (&json!(12_453), &json!(0), &json!(3))
    );
    assert_eq!(now["balance_difference"], Value::Null);
    // The same file again has nothing new and makes no new rows.
    assert_eq!(admin.csv(&path, &file).await.refusal(), "409 duplicate");
    let more = format!("{file}{},e,9\n", day(20));
    let reported = admin.csv(&path, &more).await.data().clone();
    assert_eq!((&reported["lines_new"], &reported["set_aside_open"]), (&json!(1), &json!(0)));
    proved(&admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn money_that_is_reported_again_in_other_words_is_named_before_it_is_stored() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let path = bank(&admin, json!({})).await;
    let file = format!(
        "date,reference,description,amount\n{0},T-1,TRSF A,500\n{0},T-2,TRSF B,500\n{0},,KLIRING,70\n",
        day(19)
    );
    let reported = admin.csv(&path, &file).await.data().clone();
    assert_eq!((&reported["lines_new"], &reported["repeats"]), (&json!(3), &json!([])));
    // A second download has other texts: two of the payments are known, one has its own reference.
    let other = format!(
        "date,reference,description,amount\n{0},t1,TRANSFER A,500\n{0},T-3,TRSF C,500\n{0},,CLEARING,70\n",
        day(19)
    );
    for query in ["&dry_run=true", ""] {
        let reported = admin.csv(&format!("{path}{query}"), &other).await.data().clone();
        assert_eq!(
            (&reported["lines_new"], &reported["net"], &reported["set_aside"]),
            (&json!(1), &json!(500), &json!({"repeat": 2}))
        );
        let repeats: Vec<&Value> =
            reported["repeats"].as_array().unwrap().iter().map(|row| &row["amount"]).collect();
        assert_eq!(repeats, [500, 70], "{query}");
    }
    // JSON for the same days without new lines is refused, unless the caller states that the payment is a different
    // one.
    let lines = json!([{"date": day(19), "description": "KLR", "amount": 70}]);
    let source = path.rsplit('=').next().unwrap();
    let again = json!({"source_id": source, "lines": lines});
    assert_eq!(admin.post("/api/statements", &again).await.refusal(), "409 duplicate");
    let reported = admin.post("/api/statements?accept_repeats=true", &again).await.data().clone();
    assert_eq!((&reported["lines_new"], &reported["net"]), (&json!(1), &json!(70)));
    // A row that was set aside as a repetition may still be accepted.
    let row = admin.get("/api/statements?limit=10").await.data()["items"].clone();
    let with = row.as_array().unwrap().iter().find(|row| row["set_aside_open"] == 2).unwrap().clone();
    let row = row_path(&admin, &with, "repeat").await;
    let taken = admin.post(&format!("{row}/take"), &json!({"reason": "two transfers"})).await.data().clone();
    assert_eq!(taken["state"], "taken");
    proved(&admin).await;
}

/// Returns a CAMT.053 entry of the 19th.
fn entry(amount: i64, rest: &str) -> String {
    format!(
        "<Ntry><Amt Ccy=\"IDR\">{amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>{}</Dt></BookgDt>{rest}</Ntry>",
        day(19)
    )
}

async fn camt(api: &Api, path: &str, entries: &str) -> Answer {
    let file = format!("<Document><BkToCstmrStmt><Stmt>{entries}</Stmt></BkToCstmrStmt></Document>");
    api.file(path, "application/xml", &file).await
}

#[tokio::test(flavor = "multi_thread")]
async fn csv_and_camt_of_one_day_tell_of_the_same_money() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let detail = |(number, amount): (i64, i64)| {
        format!(
            "<TxDtls><Refs><EndToEndId>T-{number}</EndToEndId></Refs><Amt Ccy=\"IDR\">{amount}</Amt></TxDtls>"
        )
    };
    let details: String =
        [(1001, 150_000), (1002, 175_000), (1003, 125_000)].into_iter().map(detail).collect();
    let batch = entry(450_000, &format!("<NtryDtls>{details}</NtryDtls>"));
    let own = "<AcctSvcrRef>FT26324ABC01</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>E2E-0001</EndToEndId></Refs>\
               </TxDtls></NtryDtls>";
    let file = batch + &entry(90_000, own) + &entry(7, "<AddtlNtryInf>NEU</AddtlNtryInf>");
    let csv = format!(
        "date,reference,description,amount\n{0},,SAMMELGUTSCHRIFT 3 POSTEN,450000\n{0},FT26324ABC01,KUNDE A,90000\n",
        day(19)
    );
    // The transactions of a collective entry come after its sum.
    let path = bank(&admin, json!({})).await;
    admin.csv(&path, &csv).await.data();
    for query in ["&dry_run=true", ""] {
        let reported = camt(&admin, &format!("{path}{query}"), &file).await.data().clone();
        assert_eq!((&reported["net"], &reported["set_aside"]), (&json!(7), &json!({"repeat": 4})), "{query}");
    }
    // The transactions may also come before the sum.
    let server = Server::start().await;
    let admin = server.admin().await;
    let path = bank(&admin, json!({})).await;
    camt(&admin, &path, &file).await.data();
    for query in ["&dry_run=true", ""] {
        let more = format!("{csv}{},,NEU B,1000\n", day(20));
        let reported = admin.csv(&format!("{path}{query}"), &more).await.data().clone();
        assert_eq!(
            (&reported["net"], &reported["set_aside"]),
            (&json!(1_000), &json!({"repeat": 2})),
            "{query}"
        );
    }
    proved(&admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_that_are_numbered_anew_are_known_by_day_amount_and_text() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let path = bank(&admin, json!({})).await;
    let numbered =
        |number: u8, amount: i64, rest: &str| entry(amount, &format!("<NtryRef>{number}</NtryRef>{rest}"));
    let text = |name: &str| format!("<AddtlNtryInf>QRIS SETTLEMENT {name}</AddtlNtryInf>");
    let equal = numbered(3, 5_000, &text("D")) + &numbered(4, 5_000, &text("D"));
    let first = numbered(1, 50_000, &text("A")) + &numbered(2, 70_000, &text("B")) + &equal;
    assert_eq!(
        camt(&admin, &path, &first).await.data()["net"],
        130_000,
        "two equal entries are two payments"
    );
    let second = numbered(1, 70_000, &text("B")) + &numbered(2, 90_000, &text("C"));
    assert_eq!(camt(&admin, &path, &second).await.data()["net"], 90_000);
    // The bank's own number came later.
    let own = format!("<AcctSvcrRef>BANKREF778899</AcctSvcrRef>{}", text("A"));
    let third = numbered(1, 50_000, &own) + &numbered(2, 1, &text("E"));
    let reported = camt(&admin, &path, &third).await.data().clone();
    assert_eq!((&reported["net"], &reported["set_aside"]), (&json!(1), &json!({"repeat": 1})));
    proved(&admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rounding_differences_are_posted_so_that_balances_agree() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let path = bank(&admin, json!({"decimal": ".", "fraction": "round"})).await;
    let mapping = json!({"of": "bank_text", "key": "bunga", "account": "7010", "from": day(18)});
    admin.post("/api/finance/mappings", &mapping).await.data();
    let file = format!(
        "date,description,amount\n{0},BUNGA,10.40\n{0},BUNGA HARIAN,20.40\n{0},BUNGA LAIN,5.40\n",
        day(19)
    );
    let reported =
        admin.csv(&format!("{path}&opening_balance=0&closing_balance=36"), &file).await.data().clone();
    // The bank has 36.20: 10, 20 and 5, and 1 lost by rounding.
    assert_eq!(
        (&reported["net"], &reported["matched"], &reported["balance_difference"]),
        (&json!(36), &json!(4), &Value::Null)
    );
    let id = reported["statement_id"].as_str().unwrap();
    assert_eq!(
        admin.post(&format!("/api/statements/{id}/approve"), &json!({})).await.data()["state"],
        "approved"
    );
    let balance = admin.get(&format!("/api/finance/trial-balance?date={}", day(20))).await.data().clone();
    let row = |row: &Value| {
        let amount = row["debit"].as_i64().unwrap() - row["credit"].as_i64().unwrap();
        (row["account"].as_str().unwrap().to_owned(), amount)
    };
    let rows: Vec<(String, i64)> = balance["items"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(
        rows,
        [("1040", 36), ("6020", -1), ("7010", -35)].map(|(account, amount)| (account.to_owned(), amount))
    );
    proved(&admin).await;
}
