//! CAMT.053 files as banks write them, imported over the portal's route, with every figure.

use crate::office::finance::tells;
use crate::office::settlement::story::{added, day, of_story, on, paid, sealed};
use crate::support::server::{Answer, Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::record;
use crate::sync::records::{DAY, NOON};
use serde_json::{Value, json};

const ACCOUNT: &str = "CH0000000000000000001";

async fn bank(admin: &Api, methods: &[&str], fee_rate_bp: Value) -> String {
    let source = json!({"name": "Bank", "kind": "bank", "methods": methods, "fee_rate_bp": fee_rate_bp,
        "account_no": ACCOUNT, "currency": "IDR"});
    added(admin, &source).await
}

async fn import(admin: &Api, bank: &str, query: &str, file: &str) -> Answer {
    let path = format!("/api/statements?source_id={bank}{query}");
    admin.file(&path, "application/xml", &of_story(file)).await
}

/// Returns amount, reference and text of each line of a statement.
async fn lines(admin: &Api, statement: &Value) -> Vec<String> {
    let path = format!("/api/statements/{}/lines", statement["statement_id"].as_str().unwrap());
    let items = admin.get(&path).await.data()["items"].as_array().unwrap().clone();
    let text = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    let line =
        |line: &Value| format!("{} {}|{}", line["net"], text(line, "reference"), text(line, "description"));
    items.iter().map(line).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_file_comes_in_with_its_lines_and_balances_or_says_whose_it_is() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let reversal = ["-500000 DD-1|DIRECT DEBIT RENT", "500000 DD-1R|RETURN OF DIRECT DEBIT RENT"];
    let collective = "COLLECTIVE CREDIT 3 PAYMENTS";
    let payment =
        |number: &str, text: &str, amount: i64| format!("{amount} T-{number}|Customer T-{number} INV {text}");
    let three = [("1001", "A", 150_000), ("1002", "B", 175_000), ("1003", "C", 125_000)];
    let mut batch: Vec<String> = three
        .iter()
        .map(|(number, text, amount)| format!("{} {collective}", payment(number, text, *amount)))
        .collect();
    batch.push(payment("1004", "D", 90_000));
    let days = ["-40000 D20-1|BIAYA ADM", "60000 D20-2|SETORAN TUNAI B-17"];
    let own = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<String>>();
    let structured = [
        "-971188 TEA-778|Leverancier Thee",
        "250000 |CASH DEPOSIT BAG B-17",
        "307830 |CARD SETTLEMENT 885004776763",
    ];
    for (file, [opening, closing], expected) in [
        (include_str!("files/camt-batch-booking.xml"), [1_000_000, 1_540_000], batch),
        (include_str!("files/camt-reversal-crdt.xml"), [10_000_000, 10_000_000], own(&reversal)),
        (include_str!("files/camt-reversal-dbit.xml"), [10_000_000, 10_000_000], own(&reversal)),
        (include_str!("files/camt-structured-reference.xml"), [2_000_000, 1_586_642], own(&structured)),
        (
            include_str!("files/camt-multi-day.xml"),
            [1_000_000, 1_120_000],
            [own(&["100000 D19-1|SETORAN TUNAI B-16"]), own(&days)].concat(),
        ),
        (include_str!("files/camt-two-accounts.xml"), [1_100_000, 1_120_000], own(&days)),
    ] {
        let bank = bank(&admin, &[], Value::Null).await;
        let shown = import(&admin, &bank, "&dry_run=true", file).await.data().clone();
        let reported = import(&admin, &bank, "", file).await.data().clone();
        for statement in [&shown, &reported] {
            let balances = (&statement["opening_balance"], &statement["closing_balance"]);
            assert_eq!(balances, (&json!(opening), &json!(closing)), "{file}");
            assert_eq!(statement["net"], json!(closing - opening), "{file}");
        }
        assert_eq!(lines(&admin, &reported).await, expected, "{file}");
        let others = if file.contains("<Id>B20</Id>") { json!({"account": 1}) } else { json!({}) };
        assert_eq!(
            [&shown["set_aside"], &reported["set_aside"]],
            [&others; 2],
            "rows of other accounts are counted"
        );
        admin.patch(&format!("/api/statement-sources/{bank}"), &json!({"state": "inactive"})).await.data();
    }
    let bank = bank(&admin, &[], Value::Null).await;
    for (file, words) in [
        (include_str!("files/camt-other-account.xml"), "CH0000000000000000002 in IDR"),
        (include_str!("files/camt-foreign-currency.xml"), "CH0000000000000000003 in USD"),
    ] {
        let refused = import(&admin, &bank, "", file).await;
        assert_eq!(refused.refusal(), "422 validation_failed");
        let said = refused.body["error"]["details"]["fields"][0]["problem"].as_str().unwrap().to_owned();
        assert!(said.contains(words) && said.contains(ACCOUNT), "{said}");
    }
    assert_eq!(server.figure("SELECT COUNT(*) FROM statements").await, 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_of_the_account_of_its_first_file() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let two = import(&admin, &bank, "", include_str!("files/camt-two-accounts.xml")).await;
    let said = two.body["error"]["details"]["fields"][0]["problem"].as_str().unwrap().to_owned();
    assert!(said.contains(ACCOUNT) && said.contains("CH0000000000000000002"), "{said}");
    import(&admin, &bank, "", include_str!("files/camt-multi-day.xml")).await.data();
    let source = admin.get(&format!("/api/statement-sources/{bank}")).await.data().clone();
    assert_eq!((&source["account_no"], &source["currency"]), (&json!(ACCOUNT), &json!("IDR")));
    for file in
        [include_str!("files/camt-other-account.xml"), include_str!("files/camt-foreign-currency.xml")]
    {
        assert_eq!(import(&admin, &bank, "", file).await.refusal(), "422 validation_failed");
    }
    // From then on other accounts in the file are ignored.
    let two = import(&admin, &bank, "", include_str!("files/camt-two-accounts.xml")).await;
    assert_eq!(two.refusal(), "409 duplicate", "both lines were in the file of several days");
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_of_a_collective_booking_are_found_one_by_one() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let amounts = [150_000, 175_000, 125_000, 90_000, 60_000];
    let mut sold: Vec<String> = (1..)
        .zip(amounts)
        .map(|(number, amount)| {
            paid("S001", 20, number, ("bank_transfer", amount, &format!("T-100{number}")))
        })
        .collect();
    sold.push(sealed("S001", 20));
    tells(&mut shop, sold).await;
    let bank = bank(&admin, &["bank_transfer"], Value::Null).await;
    let reported =
        import(&admin, &bank, "", include_str!("files/camt-batch-booking.xml")).await.data().clone();
    assert_eq!((&reported["matched"], &reported["exceptions"]), (&json!(4), &json!(0)));
    let open = admin.get("/api/settlement-items?state=open").await.data()["items"].clone();
    let open: Vec<&str> =
        open.as_array().unwrap().iter().map(|item| item["reference"].as_str().unwrap()).collect();
    assert_eq!(open, ["T-1005"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bag_a_supplier_and_cards_are_found_where_the_bank_writes_of_them() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let deposit = json!({"deposit_id": "dep_1", "amount": 250_000, "reverses": null, "reason": null, "bag_no": "B-17",
        "bank_account": "x", "deposited_at": NOON, "business_date": DAY, "user_id": "usr_1", "at": NOON});
    let bag = record("cash.deposited", "evt_dep_1", &json!({"business_date": DAY, "deposit": deposit}));
    let reported = vec![paid("S001", 19, 1, ("card", 310_000, "")), on("S001", 19, &bag), sealed("S001", 19)];
    tells(&mut shop, reported).await;
    let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea Ltd"})).await;
    let payment = json!({"supplier_id": supplier.data()["supplier_id"], "date": day(19), "account": "1040",
        "amount": 971_188, "reference": "TEA-778"});
    admin.post("/api/finance/payments", &payment).await.data();
    let bank = bank(&admin, &["card"], json!(70)).await;
    let file = include_str!("files/camt-structured-reference.xml");
    let reported = import(&admin, &bank, "", file).await.data().clone();
    assert_eq!((&reported["matched"], &reported["exceptions"]), (&json!(3), &json!(0)));
    let sql = "SELECT COUNT(*) FROM settlement_matches WHERE rule IN ('supplier_payment', 'deposit', 'net')";
    assert_eq!(server.figure(sql).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_without_entries_is_kept_once_with_its_balance() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let bank = bank(&admin, &[], Value::Null).await;
    let whole = include_str!("files/camt-multi-day.xml");
    let entries = whole.find("<Ntry>").unwrap()..whole.find("</Stmt>").unwrap();
    let mut empty = whole.to_owned();
    empty.replace_range(entries, "");
    let end = empty.find("</Stmt>").unwrap() + "</Stmt>".len()..empty.find("</BkToCstmrStmt>").unwrap();
    empty.replace_range(end, "");
    let empty = empty.replace("1100000.00", "1000000.00");
    let reported = import(&admin, &bank, "", &empty).await.data().clone();
    assert_eq!((&reported["lines_total"], &reported["closing_balance"]), (&json!(0), &json!(1_000_000)));
    assert_eq!((&reported["from"], &reported["state"]), (&json!(day(19)), &json!("reconciled")));
    assert_eq!(import(&admin, &bank, "", &empty).await.refusal(), "409 duplicate");
    let reported = import(&admin, &bank, "", whole).await.data().clone();
    assert_eq!(
        (&reported["lines_new"], &reported["exceptions"]),
        (&json!(3), &json!(3)),
        "no balance_differs"
    );
}
