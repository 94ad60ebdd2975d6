//! Credit notes, debts on a day, and wrong invoices.

use crate::office::finance_entries::{accountant, text};
use crate::office::settlement::items::is_first_row;
use crate::support::server::{Api, Place, Server, stderr, stdout};
use crate::support::shop::Shop;
use crate::sync::records::{DAY, NOON, receiving};
use serde_json::{Value, json};

pub const INVOICES: &str = "/api/finance/invoices";
pub const PAYMENTS: &str = "/api/finance/payments";
pub const NOTES: &str = "/api/finance/credit-notes";

pub async fn supplier(admin: &Api, code: &str) -> String {
    let supplier = json!({"code": code, "name": code, "payment_terms_days": 30});
    text(admin.post("/api/suppliers", &supplier).await.data(), "supplier_id")
}

pub async fn tells(shop: &mut Shop, record: &Value) {
    shop.chain().append(record.to_string());
    let seq = shop.chain().records.len();
    let answer = shop.push(&shop.batch(seq, seq)).await;
    assert_eq!(answer.data()["parked"], json!([]));
}

/// Returns a receipt of pieces at 1,000 each.
pub fn came(supplier_id: &str, event_id: &str, qty: i64) -> Value {
    let mut record: Value = serde_json::from_str(&receiving("S001", "A", qty, event_id)).unwrap();
    let receipt = &mut record["payload"]["receiving"];
    receipt["supplier_id"] = json!(supplier_id);
    receipt["lines"][0]["unit_cost"] = json!(1_000);
    receipt["lines"][0]["cost"] = json!(qty * 1_000);
    receipt["total_cost"] = json!(qty * 1_000);
    record
}

/// Returns five pieces to their supplier.
pub fn five_back(supplier_id: &str) -> Value {
    let mut back: Value = serde_json::from_str(&receiving("S001", "A", 1, "evt_2")).unwrap();
    back["type"] = json!("supplier_return.posted");
    back["payload"] = json!({"business_date": DAY, "document": {"supplier_return_id": "srt_1", "store_id": "S001",
        "supplier_id": supplier_id, "reference": null, "bucket": "on_hand", "lines": [{"line_no": 1, "sku": "A",
        "name": "Thing", "qty": 5, "claim": 5_000, "stock_cost": 5_050, "balance_after": 5}], "claim": 5_000,
        "stock_cost": 5_050, "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON}});
    back
}

pub fn bill(supplier_id: &str, invoice_no: &str, receiving_id: &str, qty: i64) -> Value {
    json!({"supplier_id": supplier_id, "invoice_no": invoice_no, "invoice_date": DAY,
        "lines": [{"receiving_id": receiving_id, "receiving_line_no": 1, "qty": qty, "unit_cost": 1_000,
            "tax_rate_bp": 1_100}]})
}

pub fn expense(supplier_id: &str, invoice_no: &str, amount: i64) -> Value {
    json!({"supplier_id": supplier_id, "invoice_no": invoice_no, "invoice_date": DAY,
        "lines": [{"account": "6060", "store_id": "S001", "qty": 1, "unit_cost": amount}]})
}

/// Enters an invoice, matches it and approves it.
pub async fn owed(finance: &Api, bill: &Value) -> Value {
    let made = finance.post(INVOICES, bill).await.data().clone();
    let path = format!("{INVOICES}/{}", text(&made, "invoice_id"));
    finance.post(&format!("{path}/match"), &json!({})).await.data();
    finance.post(&format!("{path}/approve"), &json!({})).await.data().clone()
}

/// Returns the balance of an account of a store, debit above 0.
pub async fn balance(finance: &Api, account: &str) -> i64 {
    let path = format!("/api/finance/trial-balance?date={DAY}&store_id=S001");
    let table = finance.get(&path).await.data().clone();
    let row = table["items"].as_array().unwrap().iter().find(|row| row["account"] == account).cloned();
    row.map_or(0, |row| row["debit"].as_i64().unwrap() - row["credit"].as_i64().unwrap())
}

pub async fn proven(finance: &Api) {
    let proofs = finance.post("/api/finance/proofs", &json!({})).await.data().clone();
    for proof in proofs["proofs"].as_array().unwrap() {
        let name = proof["name"].as_str().unwrap();
        let ours = ["entries", "payables", "payables_by_supplier", "not_invoiced"].contains(&name);
        assert!(!ours || proof["ok"] == true, "{proof}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn goods_that_go_back_after_the_invoice_make_a_credit_note() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = supplier(&admin, "TEA").await;
    let finance = accountant(&server).await;
    tells(&mut shop, &came(&supplier_id, "evt_1", 10)).await;
    let invoice = owed(&finance, &bill(&supplier_id, "T-1", "rcv_evt_1", 10)).await;
    assert_eq!((invoice["total"].clone(), balance(&finance, "2020").await), (json!(11_100), 0));
    tells(&mut shop, &five_back(&supplier_id)).await;
    // M34: 2010 5,550 against 1210 5,050 and 1310 550, with 50 in 5030.
    assert_eq!(balance(&finance, "2010").await, -5_550);
    assert_eq!((balance(&finance, "2020").await, balance(&finance, "1310").await), (0, 550));
    assert_eq!(balance(&finance, "5030").await, 50);
    assert_eq!(finance.get("/api/finance/uninvoiced").await.data()["items"], json!([]));
    proven(&finance).await;
    let note = finance.get(&format!("{NOTES}?state=expected")).await.data()["items"][0].clone();
    assert_eq!((&note["total"], &note["supplier_return_id"]), (&json!(5_550), &json!("srt_1")));
    // The number has the year in which the note was made, not that of the store's day. The return lists its entries.
    let year = server.hub.today(edge::clock::now()).year();
    assert_eq!(note["doc_no"], json!(format!("CN-{year}-000001")));
    let returned = finance.get("/api/supplier-returns/srt_1").await.data().clone();
    assert_eq!(returned["entries"].as_array().unwrap().len(), 2, "{returned}");
    for list in ["uninvoiced", "payables"] {
        let page = finance.get(&format!("/api/finance/{list}")).await.data().clone();
        assert_eq!(page["completeness"]["stores_expected"], 1, "{list}: {page}");
    }
    let path = format!("{NOTES}/{}", text(&note, "credit_note_id"));
    assert_eq!(finance.post(&format!("{path}/approve"), &json!({})).await.refusal(), "409 invalid_state");
    let paper = json!({"credit_note_no": "C-1", "date": DAY, "net": 5_000, "tax": 500});
    let confirmed = finance.post(&format!("{path}/confirm"), &paper).await.data().clone();
    assert_eq!((&confirmed["state"], &confirmed["open"]), (&json!("approved"), &json!(5_500)));
    assert_eq!(balance(&finance, "2010").await, -5_600);
    let apply =
        |amount: i64| json!({"allocations": [{"invoice_id": invoice["invoice_id"], "amount": amount}]});
    let step = format!("{path}/apply");
    assert_eq!(finance.post(&step, &apply(5_501)).await.refusal(), "422 payment_mismatch");
    let applied = finance.post(&step, &apply(5_500)).await.data().clone();
    assert_eq!((&applied["state"], &applied["open"]), (&json!("applied"), &json!(0)));
    let left = finance.get(&format!("{INVOICES}/{}", text(&invoice, "invoice_id"))).await.data().clone();
    assert_eq!((&left["state"], &left["open"]), (&json!("partially_paid"), &json!(5_600)));
    proven(&finance).await;
    let owed = finance.get(&format!("/api/finance/payables?as_of={DAY}")).await.data().clone();
    assert_eq!((&owed["totals"]["total"], &owed["totals"]["not_due"]), (&json!(5_600), &json!(11_100)));
    let tax = finance.get(&format!("/api/finance/tax?from={DAY}&to={DAY}")).await.data().clone();
    let input = json!([{"tax_rate_bp": 1_100, "base": 10_000, "tax": 1_100, "documents": 1},
        {"tax_rate_bp": null, "base": -5_000, "tax": -500, "documents": 1}]);
    assert_eq!((&tax["input"], &tax["payable"]), (&input, &json!(-600)));
    assert_eq!(tax["ledger"], json!({"output_tax": 0, "input_tax": 600, "agrees": true}));
    // The same figures by document.
    let documents = format!("/api/finance/tax?from={DAY}&to={DAY}&group_by=document&limit=1");
    let (mut pages, mut path) = (Vec::new(), documents.clone());
    loop {
        let page = finance.get(&path).await.data().clone();
        pages.extend(page["items"].as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        path = format!("{documents}&cursor={next}");
    }
    let row = |row: &Value| {
        json!([row["type"], row["supplier_doc_no"], row["base"], row["tax"], row["entry_date"]])
    };
    let mut rows: Vec<Value> = pages.iter().map(row).collect();
    rows.sort_by_key(Value::to_string);
    let total = |name: &str| pages.iter().map(|row| row[name].as_i64().unwrap()).sum::<i64>();
    // The expected part of the credit note, and what its document has beyond that.
    let expected = [
        json!(["credit_note", "C-1", -5_000, -550, DAY]),
        json!(["credit_note", "C-1", 0, 50, DAY]),
        json!(["invoice", "T-1", 10_000, 1_100, DAY]),
    ];
    assert_eq!(rows, expected);
    assert_eq!((total("base"), total("tax")), (5_000, 600));
    // Both are also tables.
    let page = finance.get(&documents).await.data().clone();
    let (next, table) = finance.headed(&documents, "text/csv", "x-next-cursor").await;
    assert_eq!(next.as_deref(), page["next_cursor"].as_str());
    is_first_row(&table, &page["items"][0]);
    let sums = format!("/api/finance/tax?from={DAY}&to={DAY}");
    let (complete, table) = finance.headed(&sums, "text/csv", "x-completeness").await;
    assert!(complete.unwrap().contains("/1"), "{table}");
    let rows: Vec<&str> = table.split("\r\n").skip(1).collect();
    assert_eq!(rows, ["input,,,,1100,,,,,10000,1100,,1", "input,,,,,,,,,-5000,-500,,1", ""]);
    let bare = finance.get(&format!("/api/finance/tax?from={DAY}&to={DAY}&limit=1")).await;
    assert_eq!(bare.refusal(), "400 invalid_query");
    let now = finance.get("/api/finance/payables?group_by=invoice").await.data().clone();
    assert_eq!((&now["items"][0]["days_over_90"], &now["totals"]["total"]), (&json!(5_600), &json!(5_600)));
    let before = finance.get("/api/finance/payables?as_of=2023-11-19").await.data().clone();
    assert_eq!(before["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn bills_and_payments_that_are_wrong_are_refused() {
    let place = Place::initialised().await;
    let config = std::fs::read_to_string(&place.config).unwrap();
    let set = "\n[finance]\napproval_limit = 900\nfour_eyes = true\n";
    std::fs::write(&place.config, config + set).unwrap();
    let server = Server::on(place).await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let (tea, rice) = (supplier(&admin, "TEA").await, supplier(&admin, "RICE").await);
    let finance = accountant(&server).await;
    let later = json!({"supplier_id": tea, "invoice_no": "T-1", "invoice_date": "2999-01-01",
        "lines": [{"account": "6060", "qty": 1, "unit_cost": 1}]});
    assert_eq!(finance.post(INVOICES, &later).await.refusal(), "422 validation_failed");
    for (place, wrong) in [("qty", json!(0)), ("unit_cost", json!(-1)), ("account", json!("2010"))] {
        let mut bad = expense(&tea, "T-1", 5);
        bad["lines"][0][place] = wrong;
        assert_eq!(finance.post(INVOICES, &bad).await.refusal(), "422 validation_failed", "{place}");
    }
    let mut none = expense(&tea, "T-1", 5);
    none["lines"] = json!([]);
    assert_eq!(finance.post(INVOICES, &none).await.refusal(), "422 validation_failed");
    // Two invoices for one receipt, matched at the same time.
    tells(&mut shop, &came(&tea, "evt_1", 10)).await;
    let mut paths = Vec::new();
    for invoice_no in ["A-1", "A-2"] {
        let made = finance.post(INVOICES, &bill(&tea, invoice_no, "rcv_evt_1", 10)).await.data().clone();
        paths.push(format!("{INVOICES}/{}", text(&made, "invoice_id")));
    }
    let run = async |path: &str| {
        let accept = json!({"accept": [{"type": "duplicate_suspect", "reason": "two bills"}]});
        finance.post(&format!("{path}/match"), &accept).await.data().clone()
    };
    let (one, two) = tokio::join!(run(&paths[0]), run(&paths[1]));
    let answers = [one, two];
    let mut states: Vec<&str> = answers.iter().map(|one| one["state"].as_str().unwrap()).collect();
    states.sort_unstable();
    assert_eq!(states, ["disputed", "matched"], "{answers:?}");
    let second = answers.iter().find(|one| one["state"] == "disputed").unwrap();
    assert!(second["exceptions"].to_string().contains("not_received"), "{second}");
    // Another receipt of the supplier does not help, because the match lacks no pieces of that receipt.
    let path = format!("{INVOICES}/{}", text(second, "invoice_id"));
    assert_eq!(finance.get(&path).await.data()["rematch"], false);
    // The writer can't approve the invoice, and finance can't approve this amount.
    let small = finance.post(INVOICES, &expense(&tea, "B-1", 100)).await.data().clone();
    let path = format!("{INVOICES}/{}", text(&small, "invoice_id"));
    finance.post(&format!("{path}/match"), &json!({})).await.data();
    assert_eq!(finance.post(&format!("{path}/approve"), &json!({})).await.refusal(), "403 approval_required");
    admin.post(&format!("{path}/approve"), &json!({})).await.data();
    let large = admin.post(INVOICES, &expense(&tea, "B-2", 901)).await.data().clone();
    let large = format!("{INVOICES}/{}", text(&large, "invoice_id"));
    finance.post(&format!("{large}/match"), &json!({})).await.data();
    let refused = finance.post(&format!("{large}/approve"), &json!({})).await;
    assert_eq!(
        (refused.refusal().as_str(), &refused.body["error"]["details"]["limit"]),
        ("403 approval_required", &json!(900))
    );
    let proposal = finance.get("/api/finance/payment-proposal").await.data().clone();
    assert_eq!((&proposal["items"][0]["amount"], &proposal["total"]), (&json!(100), &json!(100)));
    // Payments.
    let pay = |supplier_id: &str, invoice_id: &Value, amount: i64| {
        json!({"supplier_id": supplier_id, "date": DAY, "account": "1040", "amount": amount,
            "allocations": [{"invoice_id": invoice_id, "amount": amount}]})
    };
    let id = &small["invoice_id"];
    assert_eq!(finance.post(PAYMENTS, &pay(&tea, id, 101)).await.refusal(), "422 payment_mismatch");
    let nobody = finance.post(PAYMENTS, &pay(&tea, &json!("inv_none"), 100)).await;
    assert_eq!(nobody.refusal(), "422 validation_failed");
    assert_eq!(nobody.body["error"]["details"]["fields"][0]["path"], "allocations[0].invoice_id");
    assert_eq!(finance.post(PAYMENTS, &pay(&rice, id, 100)).await.refusal(), "422 validation_failed");
    let mut later = pay(&tea, id, 100);
    later["date"] = json!("2999-01-01");
    assert_eq!(finance.post(PAYMENTS, &later).await.refusal(), "422 validation_failed");
    finance.post(PAYMENTS, &pay(&tea, id, 100)).await.data();
    assert_eq!(finance.post(PAYMENTS, &pay(&tea, id, 100)).await.refusal(), "422 payment_mismatch");
    let dead = finance.post(INVOICES, &expense(&tea, "B-3", 100)).await.data().clone();
    let path = format!("{INVOICES}/{}/cancel", text(&dead, "invoice_id"));
    finance.post(&path, &json!({"reason": "not ours"})).await.data();
    let cancelled = finance.post(PAYMENTS, &pay(&tea, &dead["invoice_id"], 100)).await;
    assert_eq!(cancelled.refusal(), "409 invalid_state");
    let place = &server.place;
    let verified = place.run(&["verify"], "");
    assert!(verified.status.success(), "{}{}", stdout(&verified), stderr(&verified));
    for (wrong, right, says) in [
        (
            "uninvoiced SET open_value = open_value + 1",
            "uninvoiced SET open_value = open_value - 1",
            "2020 differs",
        ),
        (
            "uninvoiced SET invoiced_qty = invoiced_qty - 1",
            "uninvoiced SET invoiced_qty = invoiced_qty + 1",
            "the billed pieces of an uninvoiced row",
        ),
        (
            "receiving_lines SET qty = qty + 1",
            "receiving_lines SET qty = qty - 1",
            "differs from the received line",
        ),
        ("invoices SET open = open + 1", "invoices SET open = open - 1", "the open amount differs"),
        (
            "payable_moves SET amount = amount + 1 WHERE amount > 0",
            "payable_moves SET amount = amount - 1 WHERE amount > 0",
            "2010 differs",
        ),
    ] {
        let run = |sql: &str| {
            sqlx::query(sqlx::AssertSqlSafe(format!("UPDATE {sql}"))).execute(server.hub.db.pool())
        };
        run(wrong).await.unwrap();
        let found = place.run(&["verify"], "");
        let text = stdout(&found) + &stderr(&found);
        assert!(!found.status.success() && text.contains(says), "{wrong}: {text}");
        run(right).await.unwrap();
    }
    // The number can be used again, and the due date is proposed.
    finance.post(INVOICES, &expense(&tea, "b 3", 100)).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_without_an_invoice_keep_their_cost_while_an_invoice_holds_others() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = supplier(&admin, "TEA").await;
    let finance = accountant(&server).await;
    tells(&mut shop, &came(&supplier_id, "evt_1", 10)).await;
    let held = finance.post(INVOICES, &bill(&supplier_id, "T-1", "rcv_evt_1", 4)).await.data().clone();
    let path = format!("{INVOICES}/{}", text(&held, "invoice_id"));
    assert_eq!(finance.post(&format!("{path}/match"), &json!({})).await.data()["state"], "matched");
    // The books still have the whole value: divided by the remaining pieces it would be 1,667 each.
    let open = finance.get("/api/finance/uninvoiced").await.data()["items"][0].clone();
    let figures = (&open["open_qty"], &open["unit_cost"], &open["open_value"]);
    assert_eq!(figures, (&json!(6), &json!(1_000), &json!(10_000)));
    let rest = bill(&supplier_id, "T-2", "rcv_evt_1", 6);
    let rest = finance.post(INVOICES, &rest).await.data().clone();
    let path = format!("{INVOICES}/{}", text(&rest, "invoice_id"));
    assert_eq!(finance.post(&format!("{path}/match"), &json!({})).await.data()["state"], "matched");
    let then = finance.get(&format!("/api/finance/uninvoiced?as_of={DAY}")).await.data()["items"][0].clone();
    assert_eq!(then["unit_cost"], 1_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_that_nobody_bills_is_closed_and_is_no_document_of_tax() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let supplier_id = supplier(&server.admin().await, "TEA").await;
    let finance = accountant(&server).await;
    tells(&mut shop, &came(&supplier_id, "evt_1", 2)).await;
    let gift = json!({"store_id": "S001", "lines": [{"receiving_id": "rcv_evt_1", "line_no": 1}], "reason": "a gift"});
    finance.post("/api/finance/uninvoiced/close", &gift).await.data();
    let today = server.hub.today(edge::clock::now());
    let days = format!("from={today}&to={today}");
    let closed = finance.get(&format!("/api/finance/journal?{days}&kind=invoice")).await;
    assert_eq!(closed.data()["items"].as_array().unwrap().len(), 1);
    let documents = finance.get(&format!("/api/finance/tax?{days}&group_by=document")).await;
    assert_eq!(documents.data()["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn acceptances_of_an_invoice_count_together_against_the_limit() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = supplier(&admin, "TEA").await;
    let finance = accountant(&server).await;
    admin.patch("/api/settings", &json!({"purchasing.accept_limit": 400})).await.data();
    let mut lines = Vec::new();
    for event_id in ["evt_1", "evt_2"] {
        tells(&mut shop, &came(&supplier_id, event_id, 10)).await;
        let mut line = bill(&supplier_id, "T-1", &format!("rcv_{event_id}"), 10)["lines"][0].clone();
        line["unit_cost"] = json!(1_030);
        lines.push(line);
    }
    let new = json!({"supplier_id": supplier_id, "invoice_no": "T-1", "invoice_date": DAY, "lines": lines});
    let path = format!("{INVOICES}/{}/match", text(finance.post(INVOICES, &new).await.data(), "invoice_id"));
    let accept = |line_no: u32| json!({"accept": [{"line_no": line_no, "type": "price_over", "reason": "their letter"}]});
    assert_eq!(finance.post(&path, &accept(1)).await.data()["state"], "disputed", "300 is not above 400");
    let refused = finance.post(&path, &accept(2)).await;
    assert_eq!(refused.refusal(), "403 approval_required");
    assert_eq!(refused.body["error"]["details"], json!({"limit": 400, "amount": 600}));
    assert_eq!(
        finance.post(&path, &json!({})).await.data()["state"],
        "disputed",
        "nothing is accepted this time"
    );
    assert_eq!(admin.post(&path, &accept(2)).await.data()["state"], "matched");
}
