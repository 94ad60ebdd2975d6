//! Bank payments of head office, items that were open when a book began, and items that nobody reported, which a
//! nightly job finds.

use crate::office::finance::tells;
use crate::office::settlement::items::balance;
use crate::office::settlement::matches::proved;
use crate::office::settlement::resolved::{exception, reported};
use crate::office::settlement::story::{added, approved, card_source, day, paid, posted, sealed, settlement};
use crate::support::server::{Place, Server};
use crate::support::shop::Shop;
use cloud_hub::night::jobs;
use cloud_hub::night::lease::Lease;
use domain::model::base::time::UtcMs;
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn payments_to_suppliers_are_found_at_the_bank() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let account = json!({"account": "1041", "name": "Other bank", "type": "asset"});
    admin.post("/api/finance/accounts", &account).await.data();
    let other = json!({"name": "Other bank", "kind": "bank", "methods": [], "account": "1041"});
    let other = added(&admin, &other).await;
    let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea Ltd"})).await;
    let supplier = supplier.data()["supplier_id"].clone();
    let mut paid_ids = Vec::new();
    for (amount, reference) in [(971_188, "TEA-778"), (5_000, "TEA-779")] {
        let payment = json!({"supplier_id": supplier, "date": day(19), "account": "1040", "amount": amount,
            "reference": reference});
        let made = admin.post("/api/finance/payments", &payment).await.data().clone();
        paid_ids.push(made["payment_id"].as_str().unwrap().to_owned());
    }
    let reverse = |id: &str| format!("/api/finance/payments/{id}/reverse");
    let because = json!({"reason": "the bank sent it back"});
    assert_eq!(admin.post(&reverse(&paid_ids[1]), &because).await.data()["state"], "reversed");
    let line =
        |reference: &str, amount: i64| json!({"date": day(20), "reference": reference, "amount": amount});
    let elsewhere = reported(&admin, &other, json!([line("TEA-778", -971_188)])).await;
    assert_eq!(elsewhere["matched"], 0, "the payment left another account");
    let statement =
        reported(&admin, &bank, json!([line("TEA-778", -971_188), line("TEA-779", -5_000)])).await;
    assert_eq!((&statement["matched"], &statement["exceptions"]), (&json!(1), &json!(1)));
    assert_eq!(admin.post(&reverse(&paid_ids[0]), &because).await.refusal(), "409 invalid_state");
    let open = admin.get(&format!("/api/settlement-exceptions?state=open&source_id={bank}")).await;
    let path = format!(
        "/api/settlement-exceptions/{}/resolve",
        open.data()["items"][0]["exception_id"].as_str().unwrap()
    );
    admin.post(&path, &json!({"resolution": "carry", "reason": "it goes back"})).await.data();
    let path = format!("/api/statements/{}/approve", statement["statement_id"].as_str().unwrap());
    assert_eq!(admin.post(&path, &json!({})).await.data()["state"], "approved");
    assert_eq!(balance(&server, "1040").await, -971_188, "the payment was posted when it was made");
    let items = admin.get("/api/settlement-items?method=supplier_payment").await.data()["items"].clone();
    let mut states: Vec<&str> =
        items.as_array().unwrap().iter().map(|item| item["state"].as_str().unwrap()).collect();
    states.sort_unstable();
    assert_eq!(states, ["posted", "written_off"]);
    assert_eq!(items[0]["entry_date"], json!(day(19)));
    assert!(server.place.run(&["verify"], "").status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn items_that_were_open_when_a_book_began_are_settled_like_others() {
    let server = Server::start().await;
    let admin = server.admin().await;
    Shop::open(&server, "S001").await;
    let item = |amount: i64| json!({"method": "card", "business_date": day(17), "amount": amount, "reference": "C-0900"});
    let mut opening = json!({"store_id": "S001", "date": day(18), "lines": [{"account": "1020", "debit": 1_000}],
        "items": [item(50_000), {"method": "cash", "business_date": day(19), "amount": 0}]});
    let refused = admin.post("/api/finance/opening", &opening).await;
    let fields = refused.body["error"]["details"]["fields"].as_array().unwrap().clone();
    let paths: Vec<&str> = fields.iter().map(|field| field["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["items[1].method", "items[1].business_date", "items[1].amount"]);
    opening["items"] = json!([item(50_000)]);
    let slip = admin.post("/api/finance/opening", &opening).await.data().clone();
    assert_eq!((balance(&server, "1110").await, balance(&server, "3010").await), (50_000, -51_000));
    proved(&admin).await;
    // A reversed payment is no longer expected. A new one is.
    let path = format!("/api/finance/journal/{}/reverse", slip["entry_id"].as_str().unwrap());
    admin.post(&path, &json!({"reason": "the wrong amount"})).await.data();
    proved(&admin).await;
    opening["items"] = json!([item(40_000)]);
    let opened = admin.post("/api/finance/opening", &opening).await.data().clone();
    let items = admin.get("/api/settlement-items?state=open").await.data()["items"].clone();
    assert_eq!((&items[0]["business_date"], &items[0]["entry_date"]), (&json!(day(17)), &json!(day(18))));
    let path = format!("/api/finance/journal/{}/reverse", opened["entry_id"].as_str().unwrap());
    // The item was written off, so its amount is already posted and would be posted twice.
    let [gone, back] = [
        "UPDATE settlement_items SET state = 'written_off' WHERE amount = 40000",
        "UPDATE settlement_items SET state = 'open' WHERE amount = 40000",
    ];
    sqlx::query(gone).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(admin.post(&path, &json!({"reason": "too late"})).await.refusal(), "409 invalid_state");
    sqlx::query(back).execute(server.hub.db.pool()).await.unwrap();
    let source = card_source(&admin).await;
    let line = json!([{"date": day(19), "reference": "C-0900", "gross": 40_000, "fee": 600}]);
    assert_eq!(reported(&admin, &source, line).await["matched"], 1);
    assert_eq!(admin.post(&path, &json!({"reason": "too late"})).await.refusal(), "409 invalid_state");
    assert_eq!(approved(&admin, "S001", 17).await["state"], "approved");
    assert_eq!(posted(&admin, "S001").await, ["1040 39400, 1110 -40000, 6030 600"]);
    proved(&admin).await;
    assert!(server.place.run(&["verify"], "").status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn unreported_payments_are_looked_for_at_night_by_one_process() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![paid("S001", 17, 1, ("card", 70_000, "C-0001")), sealed("S001", 17)]).await;
    let today = server.hub.today(edge::clock::now());
    let at = |hour: i8, minute: i8| {
        let local = today.at(hour, minute, 0, 0).to_zoned(server.hub.zone.clone()).unwrap();
        UtcMs(local.timestamp().as_millisecond())
    };
    assert!(jobs::run(&server.hub, at(23, 58)).await.is_empty(), "the job is not due");
    let (one, two) = tokio::join!(jobs::run(&server.hub, at(23, 59)), jobs::run(&server.hub, at(23, 59)));
    let mut done = [one, two].concat();
    done.sort_unstable();
    assert_eq!(done, ["points", "proofs", "settlement"], "each once");
    assert!(jobs::run(&server.hub, at(23, 59)).await.is_empty(), "the job has run");
    assert_eq!(exception(&admin, "missing_at_provider").await["amount"], 70_000);
    assert_eq!(settlement(&admin, "S001", 17).await["state"], "discrepant");
    assert!(admin.get("/api/finance/status").await.data()["last_proof"]["at"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bank_may_report_as_camt_053() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let balance = |code: &str, amount: i64| {
        format!(
            "<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy=\"IDR\">{amount}.00</Amt>\
             <CdtDbtInd>CRDT</CdtDbtInd></Bal>"
        )
    };
    let file = |amount: i64| {
        format!(
            "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.02\"><BkToCstmrStmt><Stmt>{}{}<Ntry>\
             <Amt Ccy=\"IDR\">5000.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>{}</Dt></BookgDt>\
             <AcctSvcrRef>A-1</AcctSvcrRef></Ntry></Stmt></BkToCstmrStmt></Document>",
            balance("OPBD", 20_000),
            balance("CLBD", amount),
            day(20)
        )
    };
    let (path, xml) = (format!("/api/statements?source_id={bank}"), "application/xml");
    let wrong = admin.file(&path, xml, &file(14_000)).await;
    assert_eq!(
        wrong.refusal(),
        "422 validation_failed",
        "opening balance and lines do not add up to the closing balance"
    );
    let reported = admin.file(&path, xml, &file(15_000)).await.data().clone();
    assert_eq!((&reported["lines_new"], &reported["net"]), (&json!(1), &json!(-5_000)));
    assert_eq!(
        (&reported["opening_balance"], &reported["closing_balance"]),
        (&json!(20_000), &json!(15_000))
    );
    assert_eq!(admin.file(&path, xml, &file(15_000)).await.refusal(), "409 duplicate");
    let declared = format!("<!DOCTYPE x>{}", file(15_000));
    assert_eq!(admin.file(&path, xml, &declared).await.refusal(), "422 validation_failed");
    let provider = card_source(&admin).await;
    let path = format!("/api/statements?source_id={provider}");
    assert_eq!(admin.file(&path, xml, &file(15_000)).await.refusal(), "422 validation_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_job_reports_its_progress() {
    let server = Server::start().await;
    let lease = Lease { name: "proofs", day: day(20), holder: "one" };
    let mut write = server.hub.db.write().await.unwrap();
    assert!(lease.claim(&mut write, UtcMs(1)).await.unwrap());
    write.commit().await.unwrap();
    let beaten = async {
        while server.figure("SELECT beat_at FROM jobs").await == 1 {
            tokio::task::yield_now().await;
        }
    };
    let every = Duration::from_millis(1);
    assert_eq!(jobs::while_beating(&server.hub, &lease, every, beaten).await, Some(()));
    // A process that has lost the lease stops.
    let taken = "UPDATE jobs SET holder = 'two'";
    sqlx::query(taken).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(jobs::while_beating(&server.hub, &lease, every, std::future::pending::<()>()).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_of_head_office_is_made_on_its_own_day() {
    let place = Place::initialised().await;
    // A time zone whose date at this hour differs from UTC.
    let now = edge::clock::now().timestamp().to_zoned(jiff::tz::TimeZone::UTC);
    let zone = if now.hour() >= 11 { "Pacific/Kiritimati" } else { "Pacific/Pago_Pago" };
    let config = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, format!("{config}\n[hub]\ntimezone = \"{zone}\"\n")).unwrap();
    let server = Server::on(place).await;
    let admin = server.admin().await;
    admin.post("/api/members", &json!({"name": "Ani", "phone": "0811 2345 6789"})).await.data();
    let today = server.hub.today(edge::clock::now());
    assert_ne!(today, now.date(), "{zone}");
    let sql = "SELECT made_on FROM shared_records WHERE resource = 'member'";
    let made: String = sqlx::query_scalar(sql).fetch_one(server.hub.db.pool()).await.unwrap();
    assert_eq!(made, today.to_string());
}
