//! Purchasing in the portal: a suggestion becomes an order, the order is revised, the received goods are billed by two
//! invoices, credited and paid.

use crate::furnished::patch;
use crate::looks::look;
use crate::office::order_to_settlement::{choose, holds_over_a_reload, received, step};
use crate::office::portal::go;
use crate::screen::{ENTER, Screen};
use serde_json::{Value, json};
use testkit::linked::Linked;
use testkit::wait;

const ADMIN: &str = "admin@hub.example";
const SKU: &str = "8990007";

/// Creates a supplier of a product of which the store has too few pieces.
#[track_caller]
fn supplied(shop: &mut Linked) -> String {
    let terms = json!({"name": "PT Sinar Jaya", "code": "SJ", "payment_terms_days": 30});
    let supplier = shop.made("/api/suppliers", &terms)["supplier_id"].as_str().unwrap().to_owned();
    shop.made(
        &format!("/api/suppliers/{supplier}/products"),
        &json!({"sku": SKU, "unit_cost": 12_000, "min_qty": 12}),
    );
    let level = json!({"reorder_level": 500});
    let path = format!("/api/products/{SKU}");
    let json = [("Content-Type", "application/json")];
    shop.office.send("PATCH", &path, &json, level.to_string().as_bytes()).data(200);
    shop.synced();
    supplier
}

#[track_caller]
fn orders(shop: &mut Linked) -> Value {
    shop.office.get("/api/purchase-orders").data(200)["items"][0].clone()
}

/// Enters an invoice for pieces that are not billed, at the proposed cost.
#[track_caller]
fn billed(screen: &mut Screen<()>, supplier: &str, number: &str, pieces: &str) {
    go(screen, &format!("#/invoices/new?supplier_id={supplier}"), "#qty-0");
    choose(screen, "#invoice_no", number);
    choose(screen, "#qty-0", pieces);
    // A reload keeps the draft.
    holds_over_a_reload(screen, "#qty-0", pieces);
    assert_eq!(screen.script("return document.querySelector('#invoice_no').value"), number);
    assert_eq!(screen.script("return document.querySelector('#cost-0').value"), "12,500", "{number}");
    screen.browser.press(".title .primary");
    screen.reads(".steps .now", "draft");
    step(screen, "Match", false, "Match: done");
}

#[test]
fn a_suggestion_is_ordered_revised_billed_credited_and_paid() {
    let mut shop = Linked::open();
    let supplier = supplied(&mut shop);
    let company = json!({"company.name": "PT Toko Contoh", "company.address": "Jl. Sudirman 1\nJakarta"});
    patch(&mut shop.office, "/api/settings", &company);
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as(ADMIN);
    screen.sees("page-overview h1");

    go(&mut screen, "#/suggestions", "#qty-0");
    screen.reads("page-suggestions tbody", "PT Sinar Jaya");
    choose(&mut screen, "#qty-0", "24");
    screen.browser.press(".title .primary");
    screen.reads(".steps .now", "draft");
    step(&mut screen, "Approve", true, "Approve: done");
    step(&mut screen, "Mark as sent", true, "Marked as sent");
    paper(&mut screen);

    // A revision previews its changes and keeps the former state.
    let order = orders(&mut shop);
    let id = order["po_id"].as_str().unwrap().to_owned();
    go(&mut screen, &format!("#/orders/{id}/revise"), "#qty-0");
    choose(&mut screen, "#qty-0", "30");
    screen.script("document.querySelector('#cost-0').focus()");
    choose(&mut screen, "#cost-0", "12500");
    screen.reads("page-revise-form tbody", "was 24 pieces, was 12,000 each");
    // A reload keeps the draft.
    holds_over_a_reload(&mut screen, "#qty-0", "30");
    screen.reads("page-revise-form tbody", "was 24 pieces, was 12,000 each");
    screen.browser.press(".title .primary");
    screen.reads("page-revise-form", "Reason is missing");
    choose(&mut screen, "#reason", "A new price list");
    look(&mut screen, "portal-revise");
    screen.browser.press(".title .primary");
    screen.reads("page-record", "24 to 30 pieces");
    let order = orders(&mut shop);
    assert_eq!((&order["revision"], &order["total"]), (&json!(1), &json!(375_000)));
    received(&mut shop, &order);

    go(&mut screen, "#/receipts", "page-records tbody a");
    screen.script("document.querySelector('page-records tbody a').click()");
    screen.reads("page-record .figures", "375,000");
    // The first invoice reserves its pieces; the second one gets the same cost per piece.
    billed(&mut screen, &supplier, "INV-1", "10");
    billed(&mut screen, &supplier, "INV-2", "20");
    step(&mut screen, "Approve", true, "Approved and posted");
    let owed = shop.office.get("/api/finance/invoices?state=approved").data(200)["items"][0].clone();
    assert_eq!(owed["total"], json!(250_000));
    credited_and_paid(&mut shop, &mut screen, &owed);

    screen.is_clean();
}

/// The supplier's letter: the buyer, the delivery address, column headings, a total in the company's currency; in the
/// language of the page, and printed without controls.
#[track_caller]
fn paper(screen: &mut Screen<()>) {
    screen.presses_named(".title .btn", "Print");
    for said in ["PT Toko Contoh", "Jl. Sudirman 1", "PT Sinar Jaya", "Deliver to", "Price each", "288,000"] {
        screen.reads(".order-paper", said);
    }
    screen.reads(".order-paper .total", "Rp");
    screen.script(
        "window.print = () => { window.printed = true; }; document.querySelector('.title .primary').click()",
    );
    assert_eq!(screen.script("return window.printed"), true);
    screen.browser.devtools("Emulation.setEmulatedMedia", &json!({"media": "print"}));
    let hidden =
        "return ['.side', '.title .btn'].map((one) => document.querySelector(one).checkVisibility())";
    assert_eq!(screen.script(hidden), json!([false, false]));
    screen.browser.devtools("Emulation.setEmulatedMedia", &json!({"media": ""}));
    screen.script("document.querySelector('portal-app').speak('id')");
    screen.reads(".order-paper", "Pesanan pembelian");
    screen.reads(".order-paper .total", "288.000");
    screen.script("document.querySelector('portal-app').speak('en')");
    screen.reads(".order-paper", "Purchase order");
}

/// Credits a part of the invoice, pays the rest, and reverses the payment.
fn credited_and_paid(shop: &mut Linked, screen: &mut Screen<()>, owed: &Value) {
    let (supplier, invoice) = (owed["supplier_id"].as_str().unwrap(), owed["invoice_id"].as_str().unwrap());
    go(screen, &format!("#/credit-notes/new?supplier_id={supplier}&invoice_id={invoice}"), "#net-0");
    choose(screen, "#credit_note_no", "CN-7");
    choose(screen, "#net-0", "50000");
    holds_over_a_reload(screen, "#net-0", "50,000");
    assert_eq!(screen.script("return document.querySelector('#credit_note_no').value"), "CN-7");
    look(screen, "portal-credit-form");
    screen.browser.press(".title .primary");
    screen.reads(".steps .now", "draft");
    step(screen, "Approve", true, "Approve: done");
    step(screen, "Apply to an invoice", true, "done");

    // The invoice is due in thirty days and is proposed for that day.
    go(screen, "#/payments/new", "#account");
    screen.reads("page-payment-form", "Nothing due by that day");
    let due = owed["due_date"].as_str().unwrap();
    choose(screen, "#date", due);
    screen.reads("page-payment-form tbody", "INV-2");
    choose(screen, "#pays-0", "100000");
    holds_over_a_reload(screen, "#pays-0", "100,000");
    assert_eq!(screen.script("return document.querySelector('#date').closest('x-date').value"), due);
    // The field shows the date as tables do, and rejects another format.
    let shown = screen.script("return document.querySelector('#date').value");
    assert!(!shown.as_str().unwrap().contains(['/', '-']), "{shown}");
    choose(screen, "#date", "11/28/2026");
    screen.reads("page-payment-form .problem", "11/28/2026 is not a date. Example:");
    choose(screen, "#date", shown.as_str().unwrap());
    assert_eq!(screen.script("return document.querySelector('#date').closest('x-date').value"), due);
    look(screen, "portal-payment-form");
    let paid = json!({"supplier_id": supplier, "date": owed["invoice_date"], "account": "1040", "amount": 200_000,
        "allocations": [{"invoice_id": invoice, "amount": 200_000}]});
    let paid = shop.made("/api/finance/payments", &paid);
    go(screen, &format!("#/payments/{}", paid["payment_id"].as_str().unwrap()), "page-record .part");
    screen.presses_named(".title .btn", "Reverse");
    screen.sees("#f-reason");
    screen.script("document.querySelector('#f-reason').focus()");
    screen.types("Sent back");
    screen.browser.press("dialog .danger");
    wait::until("the payment is reversed", || {
        let path = format!("/api/finance/payments/{}", paid["payment_id"].as_str().unwrap());
        (shop.office.get(&path).data(200)["state"] == "reversed").then_some(())
    });
    screen.presses(ENTER);
}
