//! A cashier's tasks other than scanning: discounts, prices by hand, cash to the safe, held sales.

use crate::screen::{ENTER, ESCAPE, F3, F6, F7, F8, F9, F10, Screen};
use serde_json::{Value, json};
use testkit::{Store, audit};

const F4: char = '\u{E034}';

/// Replaces the content of a field and submits its form.
#[track_caller]
fn answers(screen: &mut Screen, field: &str, text: &str) {
    screen.sees(field);
    screen.script(&format!("const one = document.querySelector('{field}'); one.focus(); one.select()"));
    screen.types(text);
    screen.presses(ENTER);
}

#[test]
fn a_discount_is_an_amount_or_a_percentage_and_shown_on_its_line() {
    let limit = "pricing.discount_limit_bp = 2000\n";
    let Some(mut screen) = Screen::selling(Store::open_with(limit, 1)) else { return };
    screen.basket(&["89900070"], "27,750");
    screen.presses(F3);
    screen.sees("#off");
    screen.types("10%");
    screen.reads("#off-is", "10% of Rp\u{a0}25,000 is Rp\u{a0}2,500");
    screen.presses(ENTER);
    screen.reads("#total", "24,975");
    screen.sees(".display[aria-busy=false]");
    // An invalid discount, or one that exceeds the line, is refused at once without asking a manager.
    screen.presses(F3);
    answers(&mut screen, "#off", "110%");
    screen.reads("dialog .problem", "percentage up to 100 %");
    answers(&mut screen, "#off", "25001");
    screen.reads("dialog .problem", "The discount is more than Rp\u{a0}25,000");
    screen.presses(ESCAPE);
    // A discount on the sale is computed after those of its lines, and is split among them.
    screen.script("document.querySelector('page-sell').keys()['Shift+F3']()");
    screen.sees("#off-20");
    screen.browser.press("#off-20");
    screen.reads("#off-is", "20% of Rp\u{a0}22,500 is Rp\u{a0}4,500");
    assert_eq!(screen.focus(), "off");
    screen.presses(ENTER);
    // Together they exceed the cashier's limit.
    screen.reads(
        "dialog",
        "Discounts on this sale would be Rp\u{a0}7,000. Cashiers may give up to Rp\u{a0}5,000",
    );
    screen.presses(ESCAPE);
    screen.reads("#total", "24,975");
    screen.script("document.querySelector('page-sell').keys()['Shift+F3']()");
    answers(&mut screen, "#off", "4%");
    screen.reads(".row", "Discount on the sale, \u{2212}900");
    screen.is_clean();
}

#[test]
fn a_price_set_by_hand_has_its_reason_and_shows_the_catalogues() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900070"], "27,750");
    screen.presses(F4);
    screen.sees("#line-price");
    assert_eq!(screen.script("return document.querySelector('#reason')"), Value::Null);
    screen.script("const one = document.querySelector('#line-price'); one.focus(); one.select()");
    screen.types("24000");
    screen.reads("#list-price", "25,000");
    screen.script("document.querySelector('#reason').value = 'price_match'");
    screen.presses(ENTER);
    screen.reads(".row", "Catalogue price 25,000");
    screen.sees(".display[aria-busy=false]");
    // The line keeps its reason when something else in the sale changes.
    screen.basket(&["89900010"], "28,860");
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    let lines = sales[0]["items"].as_array().unwrap();
    assert_eq!(lines[0]["price_reason"], json!("price_match"));
    assert_eq!(lines[1]["price_reason"], Value::Null);
    screen.is_clean();
}

#[test]
fn the_shown_amount_is_moved_and_a_drop_needs_no_reason() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.presses(F10);
    screen.sees(".facts");
    screen.script("document.querySelector('page-cash').move('pay_out')");
    answers(&mut screen, "#cash-amount", "50000");
    screen.reads("dialog .problem", "Enter a reason");
    // After the refusal the dialog is drawn again and keeps the amount.
    assert_eq!(screen.script("return document.querySelector('#cash-amount').value"), "50,000");
    answers(&mut screen, "#cash-reason", "ice");
    screen.reads("#banner", "Pay out: Rp\u{a0}50,000");
    screen.script("document.querySelector('page-cash').move('drop')");
    answers(&mut screen, "#cash-amount", "70000");
    screen.reads("#banner", "Drop to safe: Rp\u{a0}70,000");
    screen.is_clean();
}

#[test]
fn a_held_sale_keeps_its_note_and_another_takes_its_place() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900010"], "2,220");
    screen.types("ibu ani");
    screen.presses(F6);
    screen.reads("#banner", "Sale held");
    screen.basket(&["89900070"], "27,750");
    screen.presses(F7);
    screen.reads("tbody tr", "Product 8990001");
    screen.reads("tbody .btn", "Hold this one and recall");
    screen.presses(ENTER);
    screen.sees("#line");
    screen.reads("#total", "2,220");
    // A recalled sale is held again under its name, which need not be typed again.
    screen.presses(F6);
    screen.reads("#banner", "Sale held");
    screen.presses(F7);
    screen.sees("tbody tr:nth-child(2)");
    let notes =
        "return [...document.querySelectorAll('tbody tr')].map((row) => row.cells[2].innerText.trim())";
    assert_eq!(screen.script(notes), json!(["", "ibu ani"]));
    screen.presses(ENTER);
    screen.reads("#total", "27,750");
    // A partly paid sale can't be held, and the message says what to do.
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("k10.");
    screen.presses(ENTER);
    screen.reads("#left", "17,750");
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.presses(F6);
    screen.reads("#banner", "Finish or undo the payment");
    screen.browser.press("#banner-act");
    screen.sees("#amount");
    screen.is_clean();
}

#[test]
fn a_price_is_looked_up_and_nothing_is_sold() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.script("document.querySelector('page-sell').keys()['Shift+F4']()");
    screen.sees("#price-of");
    screen.scans("89900070");
    screen.reads("#prices", "Rp\u{a0}25,000");
    screen.reads("#prices", "on hand");
    answers(&mut screen, "#price-of", "nothing of this name");
    screen.reads("dialog .problem", "No product matches");
    screen.presses(ESCAPE);
    assert_eq!(screen.script("return document.querySelectorAll('.row').length"), 0);
    screen.is_clean();
}

#[test]
fn a_sale_without_its_paper_is_found_and_numbers_of_tills_are_distinguished() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    // Two tills, each with its first receipt.
    let mut other = screen.store.login("till-2");
    other.post("/api/shifts/open", &json!({"register_id": "till-2", "opening_float": 0})).data(201);
    let made =
        other.post("/api/pos/transactions", &json!({"items": [{"sku": "8990001", "qty": 1}]})).data(201);
    let pay = format!("/api/pos/transactions/{}/pay", made["transaction_id"].as_str().unwrap());
    other.post(&pay, &json!({"method": "card", "amount": made["total"]})).data(200);
    screen.log_in("till-1");
    screen.sees("#float");
    // The list shows who uses the other till, and a free till is selected.
    let named =
        "return [...document.querySelectorAll('#register option')].map((one) => one.innerText).join()";
    let tills = screen.script(named).as_str().unwrap().to_owned();
    assert!(tills.contains("till-2: "), "{tills}");
    screen.open_shift();
    screen.basket(&["89900070"], "27,750");
    screen.pays("k");
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types("1");
    screen.presses(ENTER);
    screen.reads("#same-number", "till-2-00000001");
    screen.presses(ESCAPE);
    screen.sees("#find-sale");
    screen.presses(F3);
    answers(&mut screen, "#f-product", "89900070");
    screen.reads("#found-sales", "27,750");
    screen.browser.press("#found-sales .btn");
    screen.sees("#back-1");
    screen.reads("h2", "00000001");
    screen.is_clean();
}

#[test]
fn an_exchange_shows_what_the_customer_still_pays() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900030"], "13,875");
    screen.pays("k");
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types("S001-main-00000001");
    screen.presses(ENTER);
    screen.sees("#back-1");
    screen.types("1");
    screen.reads("#refund", "13,875");
    screen.presses(F7);
    screen.reads(".row.back", "\u{2212}13,875");
    screen.reads("#balance", "To give back: Rp\u{a0}13,875");
    screen.basket(&["89900070"], "27,750");
    screen.reads("#balance", "To pay: Rp\u{a0}13,875");
    screen.is_clean();
}
