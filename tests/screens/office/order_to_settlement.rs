//! Goods and money with only the portal's pages: an order is written, approved and sent, its receipt is billed and
//! owed; a provider's statement is imported, and its day is settled and locked.

use crate::looks::look;
use crate::office::portal::{go, person};
use crate::screen::{ENTER, Screen, TELLS_AFTER};
use jiff::Span;
use serde_json::{Value, json};
use std::time::Instant;
use testkit::clock::Clock;
use testkit::linked::Linked;
use testkit::{Client, wait};

const PURCHASING: &str = "rudi@hub.example";
const FINANCE: &str = "dewi@hub.example";

/// Asserts that a field has the value, and has it again after a reload.
#[track_caller]
pub fn holds_over_a_reload(screen: &mut Screen<()>, selector: &str, value: &str) {
    let reads = format!("return document.querySelector('{selector}')?.value ?? null");
    assert_eq!(screen.script(&reads), value);
    screen.script("window.before = true; location.reload()");
    let mut reported = Instant::now();
    wait::until(&format!("{selector} reads {value} on a new page"), || {
        let anew = screen.script("return window.before !== true") == true;
        let reads = anew && screen.script(&reads) == value;
        if !reads && reported.elapsed() > TELLS_AFTER {
            reported = Instant::now();
            screen.tells(&format!("{selector} does not read {value}"));
        }
        reads.then_some(())
    });
}

/// Sets a field of a page as a person does.
#[track_caller]
pub fn choose(screen: &mut Screen<()>, selector: &str, value: &str) {
    screen.script(&format!(
        "const field = document.querySelector({}); field.value = {};\
         for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {{bubbles: true}}))",
        json!(selector),
        json!(value)
    ));
}

/// Presses the page's main button and confirms.
#[track_caller]
pub fn step(screen: &mut Screen<()>, label: &str, asks: bool, said: &str) {
    screen.reads(".title .primary", label);
    screen.browser.press(".title .primary");
    if asks {
        screen.sees("dialog .primary");
        screen.browser.press("dialog .primary");
    }
    screen.reads("#banner", said);
}

#[track_caller]
fn become_somebody(screen: &mut Screen<()>, who: &str) {
    screen.script("document.querySelector('portal-app').logOut()");
    screen.log_in_as(who);
    screen.sees("page-overview h1");
}

/// Receives the whole order at the store.
#[track_caller]
pub fn received(shop: &mut Linked, order: &Value) {
    let id = order["po_id"].as_str().unwrap();
    // Also its last revision: the store receives no more than it knows of.
    let is_it = |one: &Value| one["po_id"] == id && one["revision"] == order["revision"];
    let knows = |list: &Value| list["items"].as_array().is_some_and(|all| all.iter().any(is_it));
    shop.seen("the store knows the order", "/api/purchase-orders", knows);
    let lines: Vec<_> = order["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| json!({"sku": line["sku"], "qty": line["qty"], "unit_cost": line["unit_cost"]}))
        .collect();
    let delivery = json!({"po_id": id, "delivery_note_no": "SJ-88213", "lines": lines});
    shop.store.login("warehouse").post("/api/receiving", &delivery).data(201);
    shop.synced();
}

/// Makes a sale by card and counts the drawer.
#[track_caller]
pub fn sold(shop: &mut Linked) -> Value {
    let basket = json!({"items": [{"sku": "8990007", "qty": 1, "price": 25_000}]});
    let sale = shop.till.post("/api/pos/transactions", &basket).data(201);
    let path = format!("/api/pos/transactions/{}/pay", sale["transaction_id"].as_str().unwrap());
    let paid = json!({"payments": [{"method": "card", "amount": sale["total"], "reference": "C-1003"}]});
    let sale = shop.till.post(&path, &paid).data(200);
    let shift = shop.till.get("/api/shifts/current").data(200);
    let path = format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap());
    shop.till.post(&path, &json!({"counted_cash": 0})).data(200);
    shop.synced();
    sale
}

fn only(office: &mut Client, path: &str) -> Value {
    office.get(path).data(200)["items"][0].clone()
}

#[test]
fn an_order_becomes_goods_a_debt_and_a_settled_day() {
    let Some(clock) = Clock::find() else { return };
    let mut shop = Linked::open();
    person(&mut shop.office, PURCHASING, "ho_purchasing");
    person(&mut shop.office, FINANCE, "ho_finance");
    let supplier = shop
        .made("/api/suppliers", &json!({"name": "PT Sinar Jaya", "code": "SJ", "payment_terms_days": 30}));
    let supplier = supplier["supplier_id"].as_str().unwrap().to_owned();
    let row = json!({"sku": "8990007", "unit_cost": 12_000});
    shop.made(&format!("/api/suppliers/{supplier}/products"), &row);
    let sale = sold(&mut shop);
    let Some(mut screen) = Screen::office(&shop.hub) else { return };

    screen.log_in_as(PURCHASING);
    screen.sees("page-overview h1");
    go(&mut screen, "#/orders/new", "#sku");
    choose(&mut screen, "#supplier", &supplier);
    let named = "return document.querySelector('#supplier').value";
    wait::until("the supplier is shown", || (screen.script(named) == "PT Sinar Jaya").then_some(()));
    choose(&mut screen, "#store", "S001");
    screen.script("document.querySelector('#sku').focus()");
    screen.types("8990007");
    screen.presses(ENTER);
    screen.sees("#qty-0");
    screen.reads("page-order-form tbody", "list 12,000");
    wait::until("the quantity field is shown", || (screen.focus() == "qty-0").then_some(()));
    screen.types("12");
    // After a reload the draft of an order is restored, whether the order is new or changed.
    holds_over_a_reload(&mut screen, "#qty-0", "12");
    look(&mut screen, "portal-order-lines");
    screen.browser.press(".title .primary");
    screen.reads(".steps .now", "draft");
    let order = only(&mut shop.office, "/api/purchase-orders");
    go(&mut screen, &format!("#/orders/new?of={}", order["po_id"].as_str().unwrap()), "#note");
    choose(&mut screen, "#note", "Mornings only");
    holds_over_a_reload(&mut screen, "#note", "Mornings only");
    screen.browser.press(".title .primary");
    screen.reads("page-record", "Mornings only");
    step(&mut screen, "Approve", true, "Approve: done");
    step(&mut screen, "Mark as sent", true, "Marked as sent");
    let order = only(&mut shop.office, "/api/purchase-orders");
    assert_eq!((&order["state"], &order["total"]), (&json!("sent"), &json!(144_000)));

    received(&mut shop, &order);
    become_somebody(&mut screen, FINANCE);
    go(&mut screen, &format!("#/orders/{}", order["po_id"].as_str().unwrap()), ".steps .now");
    screen.reads(".steps .now", "received");
    go(&mut screen, &format!("#/invoices/new?supplier_id={supplier}"), "#qty-0");
    screen.script("document.querySelector('#invoice_no').focus()");
    screen.types("INV-0117");
    screen.browser.press(".title .primary");
    screen.reads(".steps .now", "draft");
    step(&mut screen, "Match", false, "Match: done");
    step(&mut screen, "Approve", true, "Approved and posted");
    go(&mut screen, "#/payables", "page-records tbody tr");
    screen.reads("tbody", "PT Sinar Jaya");

    // The next day begins, because a day that is not over can't be settled.
    clock.set(Span::new().days(1));
    shop.hub.restart_with(&clock.environment());
    shop.office = shop.hub.login();
    become_somebody(&mut screen, FINANCE);
    settled(&mut shop, &mut screen, &sale);
    screen.is_clean();
}

/// Selects a file from the disk.
#[track_caller]
pub fn chosen(screen: &mut Screen<()>, name: &str, text: &str) {
    screen.script(&format!(
        "const files = new DataTransfer(); files.items.add(new File([{}], {}));\
         const field = document.querySelector('#file'); field.files = files.files; field.dispatchEvent(new Event('change'))",
        json!(text),
        json!(name)
    ));
}

/// Imports the provider's file and settles its day.
fn settled(shop: &mut Linked, screen: &mut Screen<()>, sale: &Value) {
    let source = json!({"name": "Card bank", "kind": "provider", "methods": ["card"], "lag_days": 0});
    shop.made("/api/statement-sources", &source);
    let (day, total) = (sale["business_date"].as_str().unwrap(), &sale["total"]);
    let file = format!("date,reference,amount,fee\n{day},C-1003,{total},0\n");
    go(screen, "#/statements", "#file");
    let bank = only(&mut shop.office, "/api/statement-sources?limit=10");
    assert!(bank["source_id"].is_string());
    screen.script(
        "const box = document.querySelector('#source'); box.value = [...box.options].find((one) => one.text === 'Card bank').value",
    );
    // The answer about an earlier file comes last. The page still shows and imports the later file.
    screen.script(
        "const {app} = document.querySelector('page-statements'); const change = app.change.bind(app); let first = true;\
         app.change = async (...all) => { const held = first; first = false; const answer = await change(...all);\
         if (held) await new Promise((go) => { window.letGo = go; }); return answer; }",
    );
    chosen(screen, "other.csv", &format!("{file}{day},C-9,500,0\n{day},C-8,700,0\n"));
    chosen(screen, "card.csv", &file);
    screen.reads("page-statements", "Preview, not saved yet: card.csv");
    screen.script("return window.letGo?.()");
    screen.reads("page-statements .pad .primary", "Import 1 line");
    look(screen, "portal-statement-preview");
    screen.browser.press("page-statements .pad .primary");
    screen.sees("page-record .steps");
    screen.reads("page-record .figures", "1 new, 0 already imported");
    go(screen, "#/settlements", "page-records h1");
    screen.browser.press(".title .primary");
    screen.sees("#f-store_id");
    for (field, value) in [("store_id", "S001"), ("business_date", day), ("reason", "The day is over")] {
        choose(screen, &format!("#f-{field}"), value);
    }
    screen.browser.press("dialog .primary");
    screen.reads("page-record .steps .now", "matches");
    step(screen, "Approve", true, "The day is locked");
    let settlement = only(&mut shop.office, "/api/settlements");
    assert_eq!((&settlement["state"], &settlement["approved_at"].is_string()), (&json!("approved"), &true));
    go(screen, "#/days", "page-records tbody tr");
    screen.reads("page-records tbody", "locked");
}
