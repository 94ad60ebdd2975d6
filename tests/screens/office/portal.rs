//! The portal of head office: log in, check the stores, resolve exceptions.

use crate::looks::look;
use crate::screen::Screen;
use serde_json::{Value, json};
use testkit::linked::Linked;
use testkit::{Client, wait};

const ADMIN: &str = "admin@hub.example";
/// Highest number of bytes transferred before the first page.
const BYTES_MAX: u64 = 120 * 1024;
const REQUESTS_MAX: u64 = 36;

/// Waits for the page of an address.
#[track_caller]
pub fn go(screen: &mut Screen<()>, address: &str, selector: &str) {
    screen.script(&format!("location.hash = {}", json!(address)));
    // The former page is gone when the mark at its entry in the menu, or at its tab, is gone.
    let section = address.split(['/', '?']).nth(1).unwrap_or_default();
    wait::until(&format!("the page is {address}"), || {
        (screen.script("return document.querySelector('portal-app').section") == section).then_some(())
    });
    screen.sees(selector);
}

/// Opens a store with one sale, and with a member whom head office has registered too while they were disconnected.
#[track_caller]
fn contradicting(shop: &mut Linked) {
    let basket = json!({"items": [{"sku": "8990007", "qty": 1, "price": 25_000}]});
    let sale = shop.till.post("/api/pos/transactions", &basket).data(201);
    let paid = json!({"payments": [{"method": "card", "amount": sale["total"], "reference": "C-1"}]});
    let path = format!("/api/pos/transactions/{}/pay", sale["transaction_id"].as_str().unwrap());
    shop.till.post(&path, &paid).data(200);
    shop.synced();
    let ani = json!({"name": "Ani", "phone": "081234567890"});
    shop.store.kill9();
    shop.made("/api/members", &ani);
    shop.hub.kill9();
    shop.store.start();
    shop.manager.post("/api/members", &ani).data(201);
    shop.hub.start();
    wait::until("head office has the exception", || {
        let found = shop.office.get("/api/exceptions?state=open").data(200);
        (found["items"].as_array()?.len() == 1).then_some(())
    });
    shop.synced();
}

/// Creates a user of head office.
#[track_caller]
pub fn person(office: &mut Client, username: &str, role: &str) {
    let new =
        json!({"username": username, "name": username, "role": role, "password": testkit::store::PASSWORD});
    office.post("/api/users", &new).data(201);
}

#[test]
fn head_office_sees_its_stores_and_settles_what_contradicts() {
    let mut shop = Linked::open();
    contradicting(&mut shop);
    let Linked { hub, mut office, .. } = shop;
    person(&mut office, "dewi@hub.example", "ho_finance");
    let Some(mut screen) = Screen::office(&hub) else { return };
    screen.log_in_as(ADMIN);
    screen.reads(".alerts", "Exceptions to resolve: 1");
    // Today, yesterday, this week and this month, in the company's currency, by day, store and product; each leads to
    // its report.
    for (label, figure) in [("Today", "Rp\u{a0}27,750"), ("This month", "Rp\u{a0}27,750"), ("Margin", "Rp")] {
        screen.reads(".figures", label);
        screen.reads(".figures", figure);
    }
    screen.reads("page-overview .halves", "Rp\u{a0}27,750");
    // The alerts change their language without a reload.
    screen.script("document.querySelector('portal-app').speak('id')");
    screen.reads(".alerts", "Catatan yang perlu ditinjau");
    screen.script("document.querySelector('portal-app').speak('en')");
    screen.reads(".alerts", "Exceptions to resolve: 1");
    screen.script("document.querySelectorAll('.column.leads').item(29).click()");
    screen.reads("page-report tbody", "27,750");
    go(&mut screen, "#/stores", ".fleet tbody tr");
    screen.reads(".sum .day", "27,750");
    // A company with few stores sees all of them.
    screen.reads(".fleet", "All stores");
    screen.reads(".fleet", "Conflicting records");
    // A row can be opened by pressing anywhere on it.
    screen.browser.press(".fleet tbody .state");
    screen.sees("page-store .figures");

    go(&mut screen, "#/exceptions", "tbody .acts .btn");
    screen.browser.press("tbody .acts .btn");
    screen.sees("#f-note");
    // Without a note the dialog shows the refusal and focuses the field.
    screen.browser.press("dialog .primary");
    screen.reads("dialog", "Resolution is missing");
    assert_eq!(screen.focus(), "f-note");
    screen.types("One person");
    look(&mut screen, "portal-settle");
    screen.browser.press("dialog .primary");
    screen.reads("#banner", "Resolved");
    screen.reads("page-records", "No exceptions");
    let settled = office.get("/api/exceptions?state=settled").data(200);
    assert_eq!(settled["items"][0]["note"], "One person");

    // The dialog explains the effect of disabling a store.
    go(&mut screen, "#/stores/S001", "page-store .figures");
    screen.script("[...document.querySelectorAll('page-store .title .btn')].at(-1).click()");
    screen.reads("dialog", "The store can keep selling");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "disabled");
    assert_eq!(office.get("/api/stores/S001/status").data(200)["state"], "disabled");

    // A page without permission is not in the menu, and its address shows a message.
    screen.script("document.querySelector('portal-app').logOut()");
    screen.log_in_as("dewi@hub.example");
    screen.sees("nav a[href='#/settlements']");
    assert_eq!(screen.script("return document.querySelector(\"nav a[href='#/stores']\")"), Value::Null);
    screen.script("location.hash = '#/stores'");
    screen.reads("main", "Your role does not allow this");
    screen.is_clean();
}

/// Changes by others appear on the open list without a reload.
#[test]
fn a_change_elsewhere_shows_on_the_open_list() {
    let mut shop = Linked::open();
    let supplier =
        shop.made("/api/suppliers", &json!({"name": "PT Sinar Jaya", "code": "SJ"}))["supplier_id"].clone();
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as(ADMIN);
    go(&mut screen, "#/orders", "page-records .empty");
    // From here on the list does not poll.
    let heard = "return Boolean(document.querySelector('portal-app').live?.receives)";
    wait::until("the page receives events", || (screen.script(heard) == true).then_some(()));
    let lines = json!([{"sku": "8990001", "qty": 12, "unit_cost": 900}]);
    let order = shop
        .made("/api/purchase-orders", &json!({"supplier_id": supplier, "store_id": "S001", "lines": lines}));
    screen.reads("page-records tbody", "10,800");
    shop.office
        .post(&format!("/api/purchase-orders/{}/approve", order["po_id"].as_str().unwrap()), &json!({}))
        .data(200);
    screen.reads("page-records tbody", "approved");
    screen.is_clean();
}

#[test]
fn the_portal_is_small_at_first() {
    let shop = Linked::open();
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as(ADMIN);
    screen.sees("page-overview .figures");
    // Parts of cached files are not requested again.
    let files = screen.script(
        "return [...new Map(performance.getEntriesByType('resource').filter((e) => e.name.includes('/ui/'))\
         .map((e) => [new URL(e.name).pathname, e.encodedBodySize])).values()]",
    );
    let sizes: Vec<u64> = files.as_array().unwrap().iter().filter_map(Value::as_u64).collect();
    let bytes: u64 = sizes.iter().sum();
    println!("{} files, {bytes} bytes", sizes.len());
    assert!(
        bytes <= BYTES_MAX && sizes.len() as u64 <= REQUESTS_MAX,
        "{bytes} bytes in {} files",
        sizes.len()
    );
}
