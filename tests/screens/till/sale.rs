//! A cashier's work by keyboard alone.

use crate::screen::{ENTER, ESCAPE, F6, F7, F8, F9, F10, Screen};
use serde_json::json;
use testkit::{Client, Store, audit};

/// Commands that the page would send again after a reload.
pub const INTENTS_LEFT: &str = "return new Promise((told) => { indexedDB.open('pos').onsuccess = (e) => \
    e.target.result.transaction('intents').objectStore('intents').count().onsuccess = (c) => told(c.target.result); })";

#[track_caller]
fn sales(till: &mut Client) -> Vec<serde_json::Value> {
    audit::items(till, "/api/pos/transactions")
}

#[test]
fn a_sale_needs_nothing_but_the_keyboard() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    assert_eq!(screen.focus(), "line");
    screen.basket(&["89900010", "89900010", "89900030"], "18,315");
    screen.types("3*");
    screen.presses(ENTER);
    screen.reads("#total", "46,065");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("k");
    screen.types("20.");
    screen.presses(ENTER);
    screen.reads("#left", "26,065");
    // Cash is a decision: Enter alone takes nothing.
    screen.presses(ENTER);
    screen.reads("#banner", "Type what was received");
    screen.types("50.");
    screen.reads("#changing", "23,935");
    screen.presses(ENTER);
    screen.reads("#change", "23,935");
    screen.reads("#receipt-no", "00000001");
    screen.is_clean();
    screen.presses(ENTER);
    screen.sees("#line");
    assert_eq!(screen.focus(), "line");

    let mut till = screen.store.login("till-1");
    let sold = sales(&mut till);
    assert_eq!(sold.len(), 1, "{sold:?}");
    assert_eq!(
        (&sold[0]["state"], &sold[0]["total"], &sold[0]["change"]),
        (&json!("paid"), &json!(46_065), &json!(23_935))
    );
}

#[test]
fn a_basket_waits_goes_on_comes_back_and_the_drawer_is_counted() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900010"], "2,220");
    screen.presses(F6);
    screen.reads("#banner", "The basket waits");
    screen.basket(&["89900070"], "27,750");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("e");
    screen.presses(ENTER);
    screen.reads("#receipt-no", "00000001");
    screen.presses(ENTER);
    screen.sees("#line");
    screen.presses(F7);
    screen.sees("tbody tr");
    screen.presses(ENTER);
    screen.reads("#total", "2,220");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("5.");
    screen.presses(ENTER);
    screen.reads("#change", "2,780");
    screen.presses(ENTER);
    screen.sees("#line");

    // The receipt is typed, its one line filled in.
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types("S001-main-00000001");
    screen.presses(ENTER);
    screen.sees("#back-1");
    screen.types("1");
    screen.reads("#refund", "27,750");
    screen.presses(F9);
    screen.reads("h1, .okmark", "Returned");
    screen.presses(ENTER);
    screen.sees("#line");

    screen.presses(F10);
    screen.sees(".facts");
    screen.presses(F9);
    screen.sees("#note-100000");
    screen.types("2");
    screen.reads("#counted", "200,000");
    screen.presses(F9);
    screen.reads("#variance", "\u{2212}2,220");
    screen.is_clean();
    screen.presses(ENTER);
    screen.sees("#float");
    let shifts = audit::items(&mut screen.store.login("manager"), "/api/shifts");
    assert_eq!((&shifts[0]["state"], &shifts[0]["variance"]), (&json!("closed"), &json!(-2_220)));
}

#[test]
fn one_tab_sells_and_the_other_says_so() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900010"], "2,220");
    screen.script("new BroadcastChannel('pos').postMessage('selling')");
    screen.reads("h1", "This till sells in another tab");
    screen.presses(ENTER);
    screen.reads("#total", "2,220");
    screen.is_clean();
}

#[test]
fn a_manager_approves_on_the_spot() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900070"], "27,750");
    screen.pays("k");
    screen.browser.run("document.querySelector('pos-app').show('receipts')");
    screen.sees("tbody tr");
    screen.browser.keys("\u{E017}", 0);
    screen.sees("#why");
    screen.browser.press("dialog .danger");
    screen.sees("#approver");
    screen.types("manager@s001.example\u{E004}wrong");
    screen.presses(ENTER);
    screen.reads("dialog", "is wrong");
    screen.browser.write("#approval-password", testkit::store::PASSWORD);
    screen.presses(ENTER);
    // It was a card: nothing is handed out of the drawer.
    screen.reads("#banner", "Voided. Give back: Card Rp\u{a0}27,750");
    // Neither what was refused nor what was approved is sent again by a page that is loaded anew.
    assert_eq!(screen.script(INTENTS_LEFT), 0);
    screen.is_clean();
    screen.presses(ESCAPE);
    screen.sees("#line");
    let sold = sales(&mut screen.store.login("till-1"));
    assert_eq!(sold[0]["state"], "voided");
}
