//! A PIN at the till: set, typed to log in and to unlock, locked after wrong attempts, and a manager's for an approval;
//! and a till that changes its cashier.

use crate::looks::look;
use crate::screen::{ENTER, ESCAPE, Screen};
use serde_json::{Value, json};
use testkit::store::PASSWORD;
use testkit::{Store, wait};

const PIN: &str = "4711";

/// Sets a PIN for the user who is logged in.
#[track_caller]
fn sets_a_pin(screen: &mut Screen) {
    screen.script("document.querySelector('pos-app').show('devices')");
    screen.sees("#set-pin");
    screen.browser.press("#set-pin");
    screen.sees("#f-pin");
    screen.browser.write("#f-pin", "1234");
    screen.browser.write("#f-again", PASSWORD);
    screen.presses(ENTER);
    screen.reads("dialog [role=alert]", "count up or down");
    screen.browser.write("#f-pin", PIN);
    screen.browser.write("#f-again", PASSWORD);
    screen.presses(ENTER);
    screen.reads("#banner", "PIN saved");
    screen.reads("page-devices", "Change the PIN");
}

/// Selects one of the listed names.
#[track_caller]
fn chooses(screen: &mut Screen, place: usize) {
    let name = format!("page-people [role=group] button:nth-child({place})");
    screen.sees(&name);
    screen.browser.press(&name);
}

#[track_caller]
fn taps(screen: &mut Screen, pin: &str) {
    screen.sees("#pin");
    for digit in pin.chars() {
        screen.browser.press(&format!("page-people .pad-keys [aria-label='{digit}']"));
    }
    screen.browser.press("page-people .pad-keys .tall");
}

#[track_caller]
fn locks(screen: &mut Screen) {
    screen.script("void document.querySelector('pos-app').lock()");
    screen.sees("#pin");
}

#[track_caller]
fn changes_cashier(screen: &mut Screen) {
    screen.script("void document.querySelector('pos-app').menu()");
    screen.sees(".menu");
    screen.script(
        "[...document.querySelectorAll('.menu .btn')].find((one) => one.textContent.includes('Change cashier')).click()",
    );
    screen.reads("page-people h1", "Change cashier");
}

#[test]
fn a_pin_is_set_tapped_forgotten_and_the_till_goes_from_hand_to_hand() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    sets_a_pin(&mut screen);
    it_logs_in_by_taps(&mut screen);
    five_wrong_ones_ask_for_the_password(&mut screen);
    somebody_else_takes_the_till_and_gives_it_back(&mut screen);
    the_manager_approves_with_a_pin(&mut screen);
    a_till_that_is_no_longer_known_asks_for_the_password(&mut screen);
    screen.is_clean();
}

fn it_logs_in_by_taps(screen: &mut Screen) {
    screen.script("document.querySelector('pos-app').logOut()");
    screen.sees("page-people #somebody");
    look(screen, "names");
    chooses(screen, 1);
    screen.sees("#pin");
    look(screen, "pin");
    taps(screen, PIN);
    screen.sees("#line");
}

fn five_wrong_ones_ask_for_the_password(screen: &mut Screen) {
    screen.basket(&["89900010"], "2,220");
    locks(screen);
    for _ in 0..4 {
        screen.sees("#pin:focus");
        screen.types("4712");
        screen.presses(ENTER);
        screen.reads("page-people [role=alert]", "Wrong PIN");
        screen.sees("form[aria-busy=false]");
    }
    screen.types("4712");
    screen.presses(ENTER);
    screen.reads("page-people [role=alert]", "wrong too often");
    screen.browser.write("#password", PASSWORD);
    screen.presses(ENTER);
    screen.reads("#total", "2,220");
    // The PIN works again, also from a page that is loaded locked.
    locks(screen);
    screen.visit("/pos");
    screen.sees("#pin:focus");
    screen.types(PIN);
    screen.presses(ENTER);
    screen.reads("#total", "2,220");
}

fn somebody_else_takes_the_till_and_gives_it_back(screen: &mut Screen) {
    // A person who returns to their own sale continues it.
    changes_cashier(screen);
    chooses(screen, 1);
    taps(screen, PIN);
    screen.reads("#total", "2,220");
    changes_cashier(screen);
    screen.browser.press("#somebody");
    screen.sees("#username");
    screen.browser.write("#username", "manager@s001.example");
    screen.browser.write("#password", PASSWORD);
    screen.presses(ENTER);
    screen.sees("#float");
    assert_eq!(screen.script("return localStorage.getItem('locked')"), Value::Null);
    sets_a_pin(screen);
    screen.script("document.querySelector('pos-app').logOut()");
    chooses(screen, 2);
    taps(screen, PIN);
    screen.reads("#total", "2,220");
    let known = screen.script(
        "return JSON.parse(localStorage.getItem('till.people')).map(({role, has_pin}) => [role, has_pin])",
    );
    assert_eq!(known, json!([["cashier", true], ["store_manager", true]]));
}

fn the_manager_approves_with_a_pin(screen: &mut Screen) {
    screen.pays("c");
    screen.script("document.querySelector('pos-app').show('receipts')");
    screen.sees("tbody tr");
    screen.browser.keys("\u{E017}", 0);
    screen.sees("#why");
    screen.browser.press("dialog .danger");
    screen.sees("#approval-pin:focus");
    look(screen, "approval-pin");
    screen.types("4712");
    screen.presses(ENTER);
    screen.reads("dialog [role=alert]", "Wrong PIN");
    screen.browser.press("#approve-by-password");
    screen.sees("#approver");
    screen.browser.press("#approver-0");
    screen.sees("#approval-pin:focus");
    screen.types(PIN);
    screen.presses(ENTER);
    screen.reads("#banner", "Voided");
    screen.presses(ESCAPE);
    screen.sees("#line");
    let rows =
        screen.store.login("manager").get("/api/audit?action=transaction.voided").data(200)["items"].clone();
    assert!(rows[0]["approved_by"].is_string(), "{rows}");
}

fn a_till_that_is_no_longer_known_asks_for_the_password(screen: &mut Screen) {
    locks(screen);
    let me = screen.script("return document.querySelector('pos-app').locked.id");
    let path = format!("/api/users/{}/revoke-tokens", me.as_str().unwrap());
    screen.store.login("manager").post(&path, &json!({})).data(200);
    screen.types(PIN);
    screen.presses(ENTER);
    screen.reads("page-people [role=alert]", "password at this till again");
    screen.browser.write("#password", PASSWORD);
    screen.presses(ENTER);
    wait::until("the till is unlocked", || {
        (screen.script("return document.querySelector('page-people') === null") == true).then_some(())
    });
    screen.sees("#line");
}
