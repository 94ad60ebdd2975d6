//! A scan is never an amount: wherever the focus is, it is a code or it is refused.

use crate::screen::{ENTER, ESCAPE, F9, Screen};
use serde_json::json;
use testkit::{Store, audit};

#[test]
fn scans_at_machine_speed_all_become_lines() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    let codes: Vec<_> = (0..30).map(|n| if n % 2 == 0 { "89900010" } else { "89900020" }).collect();
    let before = std::time::Instant::now();
    screen.basket(&codes, "83,250");
    println!("30 scans in {} ms", before.elapsed().as_millis());
    screen.is_clean();
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    assert_eq!(sales.len(), 1);
    assert_eq!((&sales[0]["items"][0]["qty"], &sales[0]["items"][1]["qty"]), (&json!(15), &json!(15)));
}

#[test]
fn a_scan_into_an_amount_gives_the_field_back() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    screen.log_in("till-1");
    screen.sees("#float");
    screen.types("150.");
    screen.scans("89900010");
    screen.reads("#banner", "89900010 was not taken");
    assert_eq!(screen.script("return document.querySelector('#float').value"), "150,000");
    screen.presses(ENTER);
    screen.sees("#line");
    screen.basket(&["89900010"], "2,220");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("5");
    screen.scans("89900030");
    // Nothing is paid yet: the code is offered as a product, and is no amount.
    screen.reads("dialog h2", "Product 8990003");
    screen.scans("89900020");
    screen.reads("#banner", "89900020 was not taken");
    screen.presses(ESCAPE);
    assert_eq!(screen.script("return document.querySelector('#amount').value"), "5");
    screen.types("000");
    screen.presses(ENTER);
    screen.reads("#change", "2,780");
    // The next customer's goods are already being scanned.
    screen.scans("89900020");
    screen.reads("#total", "3,330");
    screen.is_clean();
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    let total =
        |state: &str| sales.iter().find(|sale| sale["state"] == state).map(|sale| sale["total"].clone());
    assert_eq!((total("paid"), total("open")), (Some(json!(2_220)), Some(json!(3_330))));
}

#[test]
fn an_unknown_code_is_said_and_nothing_is_sold() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.scans("4006381333931");
    screen.reads("#banner", "4006381333931 is not in the catalogue");
    assert_eq!(screen.focus(), "line");
    assert_eq!(audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions").len(), 0);
}
