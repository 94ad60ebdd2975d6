//! One till sells in one tab, and a manager approves at it.

use crate::screen::{ENTER, ESCAPE, Screen};
use testkit::{Store, audit};

/// Script that returns the number of commands that the page would send again after a reload.
pub const INTENTS_LEFT: &str = "return new Promise((told) => { indexedDB.open('pos').onsuccess = (e) => \
    e.target.result.transaction('intents').objectStore('intents').count().onsuccess = (c) => told(c.target.result); })";

#[test]
fn one_tab_sells_and_the_other_says_so() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    // A device that is new shows the shop; later it shows shop and till.
    screen.reads("#place", "Test shop");
    screen.log_in("till-1");
    screen.open_shift();
    screen.visit("/pos");
    screen.sees("#line");
    screen.script("document.querySelector('pos-app').logOut()");
    screen.reads("#place", "Test shop, main");
    screen.log_in("till-1");
    screen.sees("#line");
    screen.basket(&["89900010"], "2,220");
    screen.script("new BroadcastChannel('pos').postMessage('selling')");
    screen.reads("h1", "This till is open in another tab");
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
    screen.reads("dialog", "Wrong manager login name");
    // Without a password nothing is sent, because it would count as a wrong attempt.
    screen.presses(ENTER);
    screen.reads("dialog", "Password is missing");
    screen.browser.write("#approval-password", testkit::store::PASSWORD);
    screen.presses(ENTER);
    // The payment was by card, so no cash is paid out.
    screen.reads("#banner", "Voided. Refund: Card Rp\u{a0}27,750");
    // A reloaded page sends neither the refused nor the approved command again.
    assert_eq!(screen.script(INTENTS_LEFT), 0);
    screen.is_clean();
    screen.presses(ESCAPE);
    screen.sees("#line");
    let sold = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    assert_eq!(sold[0]["state"], "voided");
}
