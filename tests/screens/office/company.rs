//! A company with stores in two time zones: the time zone of each time, a period compared with the one before and its
//! details, parked records by reason, a new token.

use crate::office::order_to_settlement::sold;
use crate::office::portal::go;
use crate::screen::Screen;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use testkit::Store;
use testkit::hub::Hub;
use testkit::linked::Linked;
use testkit::simulated::Shop;
use testkit::wait;

const ADMIN: &str = "admin@hub.example";
/// A time zone two hours ahead of head office.
const JAYAPURA: &str = "store.timezone = \"Asia/Jayapura\"\n";

#[track_caller]
fn opened() -> Linked {
    let hub = Hub::open();
    let mut store = Store::prepare(JAYAPURA, 1);
    hub.enrol(&store);
    store.start();
    store.receive_all(100);
    let (office, manager) = (hub.login(), store.login("manager"));
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    Linked { hub, office, store, till, manager }
}

/// Returns another store's sale of a day.
fn sale_of(day: Date, total: i64) -> Value {
    let at = "2026-11-20T02:06:34.739Z";
    let line = json!({"line_no": 1, "sku": "8990007", "name": "Thing", "qty": 1, "price": total, "list_price": total,
        "discounts": [], "discount": 0, "tax_rate_bp": 0, "tax_code": null, "tax": 0, "total": total,
        "price_override": false, "returned_qty": 0, "track_stock": true, "cost": 0});
    let payment = json!({"payment_id": "pay_1", "method": "cash", "amount": total, "tendered": total, "change": 0,
        "rounding": 0, "reference": null, "state": "accepted", "origin": null, "paid_at": at});
    let sale = json!({"transaction_id": "trx_1", "receipt_no": "S200-main-00000001", "state": "paid",
        "business_date": day, "occurred_at": at, "store_id": "S200", "register_id": "main", "shift_id": "shf_1",
        "cashier_id": "usr_1", "member_id": null, "items": [line], "prices_include_tax": false, "subtotal": total,
        "discount": 0, "tax": 0, "rounding": 0, "total": total, "points_earned": 0, "points_redeemed": 0, "scans": [],
        "earn_per": 0, "multiplier_bp": 0, "points_expire": null, "points_lots": [], "payments": [payment],
        "amount_paid": total, "amount_due": 0, "cash_due": 0, "change": 0, "refunded": 0, "flags": [],
        "created_at": at, "paid_at": at, "voided_at": null, "void_reason": null, "note": null});
    json!({"business_date": day, "transaction": sale, "lines": [], "points": []})
}

/// Asserts that a time on the page is shown in this time zone, with its name.
#[track_caller]
fn is_told_by(screen: &mut Screen<()>, selector: &str, zone: &str, name: &str) {
    screen.sees(selector);
    let reported = screen.script(&format!(
        "const at = document.querySelector(\"{selector}\"); return [at.dateTime, at.textContent, at.title]"
    ));
    let at: Timestamp = reported[0].as_str().unwrap().parse().unwrap();
    let expected = format!("{}\u{a0}{name}", at.to_zoned(TimeZone::get(zone).unwrap()).strftime("%H:%M"));
    for text in [&reported[1], &reported[2]] {
        assert!(text.as_str().unwrap().ends_with(&expected), "{reported} is not {expected}");
    }
}

#[test]
fn a_time_is_shown_by_its_stores_clock_and_a_period_beside_the_one_before() {
    let mut shop = opened();
    let sale = sold(&mut shop);
    let day: Date = sale["business_date"].as_str().unwrap().parse().unwrap();
    let mut other = Shop::open(&shop.hub, "S200");
    let answer =
        other.tells("transaction.paid", "evt_1", &sale_of(day.checked_sub(1.day()).unwrap(), 18_500));
    assert_eq!(answer["parked"], json!([]));
    other.tells("odd.type", "evt_2", &json!({}));
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as(ADMIN);
    screen.sees("page-overview h1");

    let id = sale["transaction_id"].as_str().unwrap();
    go(&mut screen, &format!("#/sales/{id}?store_id=S001"), "page-record .facts-grid");
    is_told_by(&mut screen, "page-record .figures time", "Asia/Jayapura", "WIT");
    go(&mut screen, "#/audit", "page-records tbody tr");
    is_told_by(&mut screen, "page-records tbody time", "Asia/Jakarta", "WIB");
    // The audit log shows actions in words.
    screen.reads("page-records tbody", "Logged in");
    screen.reads("page-records tbody", "Store: created");
    assert!(!screen.text("page-records tbody").contains("ses_"));

    compared(&mut screen, day);
    parked_and_renewed(&mut screen);
    screen.is_clean();
}

/// 27,750 on the day compared with 18,500 on the day before, and the links from the day down to the shift.
#[track_caller]
fn compared(screen: &mut Screen<()>, day: Date) {
    go(screen, &format!("#/reports/sales?from={day}&to={day}&group_by=day"), "page-report tfoot");
    assert_eq!(screen.script("return document.querySelector('.against')"), Value::Null);
    screen.script(
        "const box = document.querySelector('#filter-compare'); box.value = 'previous'; box.dispatchEvent(new Event('change'))",
    );
    screen.reads("page-report tbody .against", "+50");
    screen.reads("page-report tfoot .against", "+50");
    screen.reads("page-report .figures", "vs previous period");
    // The figures of the former choice are not shown with the new one while its answer is pending.
    screen.script(
        "const { app } = document.querySelector('page-report'); const get = app.get; window.held = [];\
         app.get = (...all) => new Promise((go) => held.push(() => go(get.apply(app, all))));\
         const box = document.querySelector('#filter-by'); box.value = 'store'; box.dispatchEvent(new Event('change'));\
         window.goes = () => { app.get = get; held.forEach((go) => go()); }",
    );
    screen.sees("page-report [aria-busy=true]");
    assert_eq!(screen.script("return document.querySelector('page-report tfoot')"), Value::Null);
    screen.script("goes()");
    screen.sees("page-report tfoot");
    screen.script("const box = document.querySelector('#filter-by'); box.value = 'day'; box.dispatchEvent(new Event('change'))");
    screen.reads("page-report tbody .against", "+50");
    assert_eq!(screen.script("return location.hash.includes('compare=previous')"), true);
    screen.script(
        "window.print = () => { window.printed = document.querySelector('.on-paper').textContent.trim() }",
    );
    screen.presses_named(".title .btn", "Print");
    let printed = screen.script("return window.printed");
    assert!(printed.as_str().unwrap().ends_with("all stores"), "{printed}");
    screen.script("document.querySelector('page-report tbody a').click()");
    screen.sees("page-report tbody a[href^='#/shifts']");
    screen.script("document.querySelector(`page-report tbody a[href^='#/shifts']`).click()");
    screen.sees("page-records tbody .rowlink[href^='#/shifts']");
    screen.script("document.querySelector('page-records tbody .rowlink').click()");
    screen.sees("page-record .facts-grid a[href^='#/sales?shift_id']");
    screen.script("document.querySelector(`page-record .facts-grid a[href^='#/sales?shift_id']`).click()");
    screen.sees("page-records #filter-shift_id");
    screen.sees("page-records tbody .rowlink[href^='#/sales']");
}

/// Retries unknown records by their reason, and makes a new token for a store.
#[track_caller]
fn parked_and_renewed(screen: &mut Screen<()>) {
    go(screen, "#/parked", "page-records .above tbody");
    screen.reads("page-records .above tbody", "Unknown type");
    screen.presses_named(".above .btn", "Try all again");
    screen.reads("#banner", "0 applied, 1 still on hold");
    screen.script("document.querySelector('.above tbody a').click()");
    wait::until("one reason is selected", || {
        (screen.script("return document.querySelector('#filter-code')?.value") == "unknown_type")
            .then_some(())
    });
    screen.reads("page-records .records", "odd.type");

    go(screen, "#/stores/S200", "page-store .figures");
    screen.presses_named(".title .btn", "New token");
    screen.reads("dialog", "Earlier tokens stop working");
    screen.browser.press("dialog .primary");
    screen.sees("dialog .token");
    assert!(screen.text("dialog .token").len() > 10);
    screen.script("document.querySelector('dialog footer .btn').click()");
}
