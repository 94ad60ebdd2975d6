//! Takings of a store in Store Admin: a period's sales from its chart down to one receipt, a sealed day, the safe and
//! the bag to the bank, tills.

use crate::looks::look;
use crate::screen::{ENTER, Screen};
use crate::stockroom::{admin, choose, go};
use serde_json::{Value, json};
use testkit::counter::text;
use testkit::{Client, Store, audit};

/// Sells one of each of these products for card or cash.
#[track_caller]
fn sells(till: &mut Client, skus: &[&str], method: &str) -> Value {
    let items: Vec<_> = skus.iter().map(|sku| json!({"sku": sku, "qty": 1})).collect();
    let priced: Vec<_> = items
        .iter()
        .map(|item| {
            let mut item = item.clone();
            item["price"] =
                till.get(&format!("/api/pos/products/{}", item["sku"].as_str().unwrap())).data(200)["price"]
                    .clone();
            item
        })
        .collect();
    let sale = till.post("/api/pos/transactions", &json!({"items": priced})).data(201);
    let due = if method == "cash" { &sale["cash_due"] } else { &sale["total"] };
    let paid = json!({"payments": [{"method": method, "amount": due, "reference": (method == "card").then_some("C-1")}]});
    let path = format!("/api/pos/transactions/{}/pay", text(&sale, "transaction_id"));
    till.post(&path, &paid).data(200)
}

/// Opens a store that sold by two methods and whose shift is still open. Returns the till and its shift.
#[track_caller]
fn sold() -> (Store, Client, String) {
    let store = Store::open_with("", 1);
    store.receive_all(10);
    let mut till = store.login("till-1").at_register("till-1");
    let shift = till.post("/api/shifts/open", &json!({"opening_float": 200_000})).data(201);
    sells(&mut till, &["8990007"], "cash");
    sells(&mut till, &["8990001", "8990003"], "card");
    (store, till, text(&shift, "shift_id"))
}

/// Returns one piece of the card sale. The return is found by that sale's receipt and links to it.
#[track_caller]
fn came_back(screen: &mut Screen<()>, till: &mut Client) {
    let sold = till.get("/api/pos/transactions").data(200)["items"][0].clone();
    let back = json!({"transaction_id": sold["transaction_id"], "items": [{"sku": "8990003", "qty": 1, "reason": "defective"}]});
    let back = till.post("/api/pos/returns", &back).data(201);
    go(screen, "#/returns?receipt_no=none", "page-records");
    screen.reads("page-records .empty", "No results for");
    go(screen, &format!("#/returns?receipt_no={}", text(&sold, "receipt_no")), "page-records tbody a");
    screen.reads("page-records tbody", "13,875");
    screen.script("document.querySelector('page-records tbody a').click()");
    screen.reads("page-record", "Refunded");
    look(screen, "admin-return");
    screen.reads("page-record", "Defective");
    screen.reads("page-record", &text(&back, "receipt_no"));
    screen.script("document.querySelector('page-record .facts-grid a').click()");
    screen.reads("page-record .figures", "Refunded");
    screen.reads("page-record .figures", "13,875");
    go(screen, "#/today", "#checks");
    screen.reads("#checks", "none yet");
    screen.reads("#checks", "not since restart");
    go(screen, "#/machine", "#verify");
    screen.browser.press("#verify");
    screen.reads("#verified", "No problems found");
    go(screen, "#/today", "#checks");
    screen.reads("#checks", "no problems");
    go(screen, "#/stock", "#category");
    choose(screen, "#category", "grocery");
    screen.reads("tbody", "Product 8990001");
}

#[test]
fn a_figure_of_the_report_leads_down_to_its_receipt() {
    let (store, mut till, shift) = sold();
    let total = store.login("manager").get("/api/shifts?limit=1").data(200);
    let day = text(&total["items"][0], "business_date");
    let Some(mut screen) = admin(&store, "manager") else { return };
    // A chart needs two days, and the first of a month has one.
    let first = day.parse::<jiff::civil::Date>().unwrap().saturating_sub(jiff::Span::new().days(6));
    go(&mut screen, &format!("#/reports?from={first}&to={day}"), ".columns .column");
    let shown = store.login("manager").get(&format!("/api/reports/sales?from={day}&to={day}")).data(200);
    let net = shown["totals"]["net_total"].as_i64().unwrap();
    let grouped = screen.script(&format!("return Intl.NumberFormat('en-GB').format({net})"));
    screen.reads(".figures", grouped.as_str().unwrap());
    screen.reads("tfoot", grouped.as_str().unwrap());
    look(&mut screen, "admin-reports");
    choose(&mut screen, "#filter-by", "method");
    screen.reads("tbody", "Card");
    for by in ["hour", "category", "cashier", "sku"] {
        choose(&mut screen, "#filter-by", by);
        screen.sees(".compared tbody tr");
        screen.sees("[aria-busy=false]");
    }
    screen.reads("tbody", "Product 8990001");
    // From the day to the shift to the sale.
    choose(&mut screen, "#filter-by", "day");
    screen.sees(&format!("tbody a[href='#/days/{day}']"));
    screen.browser.press(&format!("tbody a[href='#/days/{day}']"));
    screen.sees(&format!("a[href='#/shifts/{shift}']"));
    screen.reads("main", "1 shift is still open");
    look(&mut screen, "admin-day");
    screen.browser.press(&format!("a[href='#/shifts/{shift}']"));
    screen.reads(".paper", "X");
    look(&mut screen, "admin-shift");
    screen.browser.press(".part-head a.btn");
    screen.sees("page-records tbody a");
    look(&mut screen, "admin-sales");
    screen.script("document.querySelector('page-records tbody a').click()");
    screen.reads("page-record", "Card");
    look(&mut screen, "admin-sale");
    // The next documents of the list can be opened without going back to it.
    screen.reads(".title h1", "00000002");
    screen.types("]");
    screen.reads(".title h1", "00000001");
    screen.types("[");
    screen.reads(".title h1", "00000002");
    came_back(&mut screen, &mut till);
    till.get("/api/shifts/current").data(200);
    screen.is_clean();
}

/// Finds the document by the digits of its number that the page shows, and by the code on its paper.
#[track_caller]
fn found_by_number(screen: &mut Screen<()>, sale: &Value) {
    let no = text(sale, "receipt_no");
    let one = format!("page-records tbody tr:only-child a[href$='{}']", text(sale, "transaction_id"));
    screen.browser.write("#filter-receipt_no", no.rsplit('-').next().unwrap().trim_start_matches('0'));
    screen.sees(&one);
    choose(screen, "#filter-receipt_no", "");
    screen.sees("page-records tbody tr:nth-child(2)");
    screen.scans(&no);
    screen.sees(&one);
    choose(screen, "#filter-receipt_no", "");
    screen.sees("page-records tbody tr:nth-child(2)");
}

#[test]
fn a_sale_is_voided_while_its_shift_is_open_and_its_page_says_who_did_it() {
    let (store, mut till, shift) = sold();
    let kept = sells(&mut till, &["8990002"], "card");
    let Some(mut screen) = admin(&store, "manager") else { return };
    go(&mut screen, "#/sales", "page-records tbody tr:nth-child(2)");
    found_by_number(&mut screen, &kept);
    screen
        .script("[...document.querySelectorAll('page-records tbody tr')].at(-1).querySelector('a').click()");
    screen.reads(".title .end", "Void sale");
    screen.browser.press(".title .end .btn");
    screen.reads("dialog", "put the items back on the shelf");
    choose(&mut screen, "#f-reason", "wrong_item");
    look(&mut screen, "admin-sale-void");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Voided. Refund: Cash");
    screen.reads(".title .badge", "voided");
    screen.reads("page-record", "History of actions");
    screen.reads("page-record", "Sale voided");
    let voided = audit::items(&mut store.login("manager"), "/api/pos/transactions?state=voided");
    assert_eq!((voided.len(), &voided[0]["void_reason"]), (1, &json!("wrong_item")));
    // After the close only a return is possible, and the page says so.
    till.post(&format!("/api/shifts/{shift}/close"), &json!({"counted_cash": 200_000})).data(200);
    go(&mut screen, &format!("#/sales/{}", text(&kept, "transaction_id")), ".because");
    screen.reads(".because", "its shift is closed");
    assert_eq!(screen.script("return document.querySelector('.title .end .btn').disabled"), true);
    screen.is_clean();
}

#[test]
fn a_drawer_is_counted_again_a_day_sealed_and_a_bag_goes_to_the_bank() {
    let (store, mut till, shift) = sold();
    let closed =
        till.post(&format!("/api/shifts/{shift}/close"), &json!({"counted_cash": 227_000})).data(200);
    let day = text(&closed["shift"], "business_date");
    let Some(mut screen) = admin(&store, "admin") else { return };
    // A recount, because a note was stuck in the tray.
    go(&mut screen, &format!("#/shifts/{shift}"), ".paper");
    screen.browser.press(".title .end .btn:not(.primary)");
    screen.sees("#f-counted_cash");
    screen.types("227750");
    screen.browser.write("#f-reason", "a note stuck in the tray");
    screen.browser.press("dialog .primary");
    screen.reads("#banner", "Recount saved");
    screen.reads("main", "a note stuck in the tray");
    screen.reads("main", "Drawer recounted");

    go(&mut screen, "#/days", "page-days tbody a");
    look(&mut screen, "admin-days");
    go(&mut screen, &format!("#/days/{day}"), "page-record .figures");
    screen.reads(".title .primary", "Close the day");
    screen.browser.press(".title .primary");
    // The day is not over, so sealing it needs a reason.
    screen.sees("#f-reason");
    screen.browser.press("dialog .primary");
    screen.reads("dialog", "is missing");
    screen.browser.write("#f-reason", "closed early: public holiday");
    look(&mut screen, "admin-day-seal");
    screen.browser.press("dialog .primary");
    screen.reads("#banner", "Day closed");
    let mut manager = store.login("manager");
    assert_eq!(manager.get(&format!("/api/days/{day}")).data(200)["state"], "sealed");
    screen.reads(".badge", "closed");
    // An administrator reopens the day.
    screen.browser.press(".title .end .btn:nth-of-type(2)");
    screen.sees("#f-reason");
    screen.browser.write("#f-reason", "counted wrong");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Day reopened");
    assert_eq!(manager.get(&format!("/api/days/{day}")).data(200)["state"], "open");

    go(&mut screen, "#/safe", "page-records .figures");
    deposits(&mut screen);
    let safe = manager.get("/api/safe").data(200);
    assert_eq!((&safe["deposited"], &safe["deposits"][0]["bag_no"]), (&json!(150_000), &json!("B-17")));
    screen.reads("tbody", "B-17");
    look(&mut screen, "admin-safe");
    screen.browser.press("tbody .acts .btn");
    screen.sees("#f-reason");
    screen.browser.write("#f-reason", "the bag is still here");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Reversed");
    assert_eq!(manager.get("/api/safe").data(200)["deposited"], json!(0));
    screen.is_clean();
}

#[track_caller]
fn deposits(screen: &mut Screen<()>) {
    // A bag can't exceed the balance of the safe, so its opening amount is entered first.
    screen.browser.press(".above .btn");
    screen.sees("#f-amount");
    screen.types("200.");
    screen.browser.write("#f-reason", "counted with the manager");
    screen.browser.press("dialog .primary");
    screen.reads("#banner", "Saved");
    screen.reads("page-records .figures", "227,750");
    screen.browser.press(".title .primary");
    screen.sees("#f-amount");
    screen.types("150.");
    screen.browser.write("#f-bag_no", "B-17");
    screen.browser.write("#f-bank_account", "BCA 123");
    screen.browser.press("dialog .primary");
    screen.reads("#banner", "Deposit recorded");
}

#[test]
fn a_till_is_added_renamed_and_switched_off_and_letters_lead_there() {
    let (store, _till, _) = sold();
    let Some(mut screen) = admin(&store, "manager") else { return };
    screen.sees(".figures");
    screen.types("gk");
    screen.sees("page-records tbody tr");
    screen.reads("tbody", "till-1");
    screen.reads("tbody", "open");
    screen.types("n");
    screen.sees("#f-register_id");
    screen.types("till-9");
    screen.browser.write("#f-name", "Back door");
    screen.browser.press("dialog .primary");
    screen.reads("tbody", "Back door");
    look(&mut screen, "admin-tills");
    let off = "[...document.querySelectorAll('tbody tr')].find((row) => row.textContent.includes('Back door')).querySelectorAll('.acts .btn')[2].click()";
    screen.script(off);
    screen.sees("dialog .danger");
    screen.browser.press("dialog .danger");
    screen.reads("tbody", "inactive");
    let registers = audit::items(&mut store.login("manager"), "/api/registers");
    let back = registers.iter().find(|one| one["register_id"] == "till-9").unwrap();
    assert_eq!((&back["name"], &back["state"]), (&json!("Back door"), &json!("disabled")));
    // The help lists the shortcuts, and Ctrl K lists actions.
    screen.types("?");
    screen.reads("dialog", "g k");
    look(&mut screen, "admin-keys");
    screen.browser.press("dialog footer .btn");
    screen.script("document.querySelector('admin-app').goTo()");
    screen.sees("#palette");
    screen.types("new tr");
    screen.presses(ENTER);
    screen.sees("#scan");
    nothing_was_chosen(&mut screen);
    screen.is_clean();
}

/// Without a selection the form shows the missing field at its place.
#[track_caller]
fn nothing_was_chosen(screen: &mut Screen<()>) {
    screen.browser.press(".title .primary");
    screen.reads(".problem", "Choose the receiving store");
    assert_eq!(screen.focus(), "store");
}
