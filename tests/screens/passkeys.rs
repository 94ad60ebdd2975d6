//! Passkeys in the pages: registered, used to log in, to unlock and to approve, and removed. Each app has its own
//! session.

use crate::screen::{ENTER, ESCAPE, F10, Screen};
use serde_json::{Value, json};
use testkit::store::PASSWORD;
use testkit::{Store, wait};

/// Registers a passkey for the user who is logged in. The page of devices must be open.
#[track_caller]
fn register(screen: &mut Screen, name: &str) {
    screen.sees("page-devices .btn.primary:enabled");
    screen.browser.press("page-devices .btn.primary");
    screen.sees("#f-name");
    screen.browser.write("#f-name", name);
    screen.browser.write("#f-again", PASSWORD);
    screen.presses(ENTER);
    screen.reads("page-devices tbody", name);
}

/// Waits until the till is unlocked.
#[track_caller]
fn is_unlocked(screen: &mut Screen) {
    let gone =
        "return document.querySelector('page-locked') === null && localStorage.getItem('locked') === null";
    wait::until("the till is unlocked", || (screen.script(gone) == true).then_some(()));
}

#[test]
fn a_device_logs_in_approves_and_is_removed() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    the_cashier_logs_in_and_unlocks(&mut screen);
    the_manager_registers(&mut screen);
    a_lock_opens_only_for_its_own_user(&mut screen);
    the_manager_approves_a_void(&mut screen);
    the_passkey_is_removed(&mut screen);
}

fn the_cashier_logs_in_and_unlocks(screen: &mut Screen) {
    screen.log_in("till-1");
    screen.sees("#float");
    screen.script("document.querySelector('pos-app').show('devices')");
    register(screen, "Thumb of till 1");
    screen.reads("#banner", "Thumb of till 1 added");
    screen.script("document.querySelector('pos-app').logOut()");
    screen.sees("#username");
    screen.browser.write("#username", "till-1@s001.example");
    screen.browser.press("button[name=by]");
    screen.sees("#float");
    screen.open_shift();
    screen.presses(F10);
    screen.sees(".facts");
    screen.types("l");
    screen.sees("#unlock");
    screen.browser.press("page-locked button[name=by]");
    is_unlocked(screen);
}

/// Registers a passkey in Store Admin, which has its own session in the same browser.
fn the_manager_registers(screen: &mut Screen) {
    screen.visit("/admin");
    screen.log_in("manager");
    screen.sees(".figures");
    screen.script("location.hash = '#/devices'");
    register(screen, "Thumb of the manager");
}

fn a_lock_opens_only_for_its_own_user(screen: &mut Screen) {
    screen.visit("/pos");
    screen.sees("#line");
    let who = screen.text(".person");
    assert!(who.contains("till-1") || !who.contains("anager"), "{who}");
    screen.basket(&["89900070"], "27,750");
    screen.script("void document.querySelector('pos-app').lock()");
    screen.sees("#unlock");
    screen.browser.write("#unlock-name", "manager@s001.example");
    screen.browser.press("page-locked button[name=by]");
    screen.reads("page-locked [role=alert]", "Only");
    screen.browser.write("#unlock-name", "till-1@s001.example");
    screen.browser.press("page-locked button[name=by]");
    is_unlocked(screen);
    screen.pays("c");
}

fn the_manager_approves_a_void(screen: &mut Screen) {
    screen.script("document.querySelector('pos-app').show('receipts')");
    screen.sees("tbody tr");
    screen.browser.keys("\u{E017}", 0);
    screen.sees("#why");
    screen.browser.press("dialog .danger");
    screen.sees("#approver");
    screen.browser.write("#approver", "manager@s001.example");
    screen.browser.press("dialog button[name=by]");
    screen.reads("#banner", "Voided");
    screen.presses(ESCAPE);
    screen.sees("#line");
}

fn the_passkey_is_removed(screen: &mut Screen) {
    screen.visit("/admin");
    screen.sees(".figures");
    screen.script("location.hash = '#/devices'");
    screen.sees("page-devices tbody button");
    screen.browser.press("page-devices tbody button");
    screen.sees("dialog .danger");
    screen.browser.press("dialog .danger");
    screen.reads("page-devices", "No passkeys registered");
    screen.is_clean();
    let approved = screen.store.login("manager").get("/api/audit?limit=100").data(200);
    let voided =
        approved["items"].as_array().unwrap().iter().find(|one| one["action"] == json!("transaction.voided"));
    assert!(voided.is_some_and(|one| one["approved_by"] != Value::Null), "{approved}");
}

#[test]
fn over_plain_http_a_password_logs_in_and_no_device_is_offered() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    // Browsers remove these APIs on plain HTTP, except for the local machine, where this test runs. So it removes
    // them.
    let plain = "Object.defineProperty(window, 'isSecureContext', {value: false});\
        delete window.PublicKeyCredential; delete Navigator.prototype.credentials;\
        delete Crypto.prototype.subtle; delete Crypto.prototype.randomUUID;";
    screen.browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": plain}));
    for path in ["/admin", "/pos"] {
        screen.visit(path);
        screen.sees("#username");
        let offered = "return [isSecureContext, document.querySelectorAll('[name=by]').length]";
        assert_eq!(screen.script(offered), json!([false, 0]));
    }
    screen.log_in("till-1");
    screen.open_shift();
    screen.script("document.querySelector('pos-app').show('devices')");
    screen.reads("page-devices", "Passkeys need HTTPS");
    screen.script("void document.querySelector('pos-app').lock()");
    screen.sees("#unlock");
    assert_eq!(screen.script("return document.querySelectorAll('[name=by]').length"), 0);
    screen.is_clean();
}
