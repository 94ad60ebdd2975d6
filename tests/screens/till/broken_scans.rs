//! A scan is one code, even if the scanner pauses: no part of it is ever sold without asking. A refused scan stays on
//! the page until it is dismissed, and a password is not a scan.

use crate::looks::look;
use crate::screen::{ENTER, ESCAPE, F9, Screen};
use serde_json::{Value, json};
use testkit::{Store, audit, process};

const GAP: u32 = 5;
/// Longer than the limit between two keys of a scanner, shorter than a person's pause.
const STOP: u32 = 104;
/// A person's pause.
const PAUSE: u32 = 600;

/// Opens a shop with tea, and with gold whose code is the end of the tea's.
#[track_caller]
fn shop() -> Option<Screen> {
    let store = Store::prepare("", 2);
    let products = "sku,name,price,category,barcode,reorder_level\nTEA1,Tea,15000,,8991234500188,\n500188,Gold,9000000,,,\n";
    let file = store.write_file("more.csv", products);
    process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
    let mut store = store;
    store.start();
    Screen::selling(store)
}

/// Returns the red lines, newest first.
#[track_caller]
fn refused(screen: &mut Screen) -> Vec<String> {
    let lines = "return [...document.querySelectorAll('.refused li')].map((one) => one.querySelector('.grow').innerText.trim())";
    serde_json::from_value(screen.script(lines)).unwrap()
}

/// Returns SKU and pieces of the open basket.
#[track_caller]
fn basket(screen: &Screen) -> Vec<(String, i64)> {
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    let lines = sales.first().and_then(|sale| sale["items"].as_array().cloned()).unwrap_or_default();
    lines
        .iter()
        .map(|line| (line["sku"].as_str().unwrap().to_owned(), line["qty"].as_i64().unwrap()))
        .collect()
}

#[test]
fn a_pause_inside_a_scan_never_sells_another_product() {
    let Some(mut screen) = shop() else { return };
    for (n, pause) in [(1, STOP), (2, 300), (3, PAUSE)] {
        screen.browser.types_in_parts(&["8991234", "500188\r"], GAP, pause);
        screen.reads("#total", &grouped(16_650 * n));
    }
    // The same after `3*`.
    screen.types("3*");
    screen.browser.types_in_parts(&["8991234", "500188\r"], GAP, STOP);
    screen.reads("#total", "99,900");
    screen.sees(".display[aria-busy=false]");
    assert_eq!(basket(&screen), [("TEA1".to_owned(), 6)]);
    // An unknown code whose end is another product's code: nothing is sold.
    screen.browser.types_in_parts(&["8991239", "500188\r"], GAP, STOP);
    screen.reads("#banner", "8991239500188: unknown barcode");
    assert_eq!(screen.script("return document.querySelector('dialog')"), Value::Null);
    // After a person's pause the till asks, and Enter sells nothing.
    screen.script("document.querySelector('#line').value = ''; document.querySelector('#line').dispatchEvent(new KeyboardEvent('keydown', {key: 'Backspace'}))");
    screen.browser.types_in_parts(&["8991239", "500188\r"], GAP, PAUSE);
    screen.reads("dialog h2", "Did you mean Gold?");
    look(&mut screen, "doubtful-scan");
    screen.presses(ENTER);
    screen.reads("#banner", "500188 was not added");
    assert_eq!(basket(&screen), [("TEA1".to_owned(), 6)]);
    assert_eq!(refused(&mut screen).iter().map(|line| &line[..6]).collect::<Vec<_>>(), ["500188", "899123"]);
    screen.is_clean();
}

fn grouped(amount: i64) -> String {
    format!("{},{:03}", amount / 1000, amount % 1000)
}

#[test]
fn outside_of_the_line_a_scan_with_a_pause_is_one_code_and_no_amount() {
    let Some(mut screen) = shop() else { return };
    screen.basket(&["89900010"], "2,220");
    screen.presses(F9);
    screen.sees("#amount");
    for pause in [STOP, 300] {
        screen.browser.types_in_parts(&["8991234", "500188\r"], GAP, pause);
        screen.reads("dialog h2", "Tea");
        screen.presses(ESCAPE);
        assert_eq!(screen.script("return document.querySelector('#amount').value"), "");
    }
    // The scanner's Enter may come late as well. It must not take a payment.
    screen.browser.types_in_parts(&["8991234500188", "\r"], GAP, 300);
    screen.reads("dialog h2", "Tea");
    screen.presses(ESCAPE);
    screen.browser.types_in_parts(&["8991239", "500188\r"], GAP, STOP);
    screen.reads("#banner", "8991239500188: unknown barcode");
    assert_eq!(screen.script("return document.querySelector('#amount').value"), "");
    screen.is_clean();
    assert_eq!(basket(&screen), [("8990001".to_owned(), 1)]);
}

#[test]
fn a_scanner_that_ends_with_tab_sells_and_the_focus_stays() {
    let Some(mut screen) = shop() else { return };
    screen.browser.types_at("8991234500188\t", GAP);
    screen.reads("#total", "16,650");
    assert_eq!(screen.focus(), "line");
    screen.browser.types_in_parts(&["8991234", "500188\t"], GAP, STOP);
    screen.reads("#total", "33,300");
    assert_eq!(screen.focus(), "line");
    // Tab typed by a person leaves the field.
    screen.types("tea\t");
    assert_ne!(screen.focus(), "line");
    // Every field for scans accepts it, here the field of a receipt in a form.
    screen.script("document.querySelector('pos-app').show('return')");
    screen.sees("#receipt");
    screen.browser.types_at("S001-main-00000009\t", GAP);
    screen.reads("#banner", "Not found");
    assert_eq!(screen.focus(), "receipt");
    screen.is_clean();
}

#[test]
fn a_refused_scan_stays_until_it_is_dismissed() {
    let Some(mut screen) = shop() else { return };
    for code in ["89900010", "4006381333931", "89900010", "4006381333948", "89900020"] {
        screen.scans(code);
    }
    screen.reads("#total", "7,770");
    screen.sees(".refused li + li");
    let lines = refused(&mut screen);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("4006381333948") && lines[1].starts_with("4006381333931"), "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("unknown barcode")), "{lines:?}");
    look(&mut screen, "refused-scans");
    screen.visit("/pos");
    screen.reads("#total", "7,770");
    assert_eq!(refused(&mut screen), lines);
    // The same on the payment page, where another scan is refused.
    screen.presses(F9);
    screen.sees("#amount");
    screen.scans("4006381333955");
    screen.reads(".refused", "4006381333955");
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.browser.press(".refused li:nth-child(2) button");
    testkit::wait::until("one is dismissed", || (refused(&mut screen).len() == 2).then_some(()));
    screen.browser.press(".refused > button");
    testkit::wait::until("all are dismissed", || refused(&mut screen).is_empty().then_some(()));
    assert_eq!(screen.focus(), "line");
    screen.visit("/pos");
    screen.reads("#total", "7,770");
    assert!(refused(&mut screen).is_empty());
    screen.is_clean();
}

#[test]
fn a_password_is_never_a_scan_and_never_shown() {
    const SECRET: &str = "correct-horse-battery-9";
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    let shows = format!(
        "return document.body.innerText.includes('{SECRET}') || [...document.querySelectorAll('input:not([type=password])')].some((one) => one.value.includes('{SECRET}')) || JSON.stringify(localStorage).includes('{SECRET}')"
    );
    // A password manager types as fast as a scanner: Tab moves to the password, and Enter logs in.
    screen.sees("#username");
    screen.script(
        "document.querySelector('#username').value = ''; document.querySelector('#username').focus()",
    );
    screen.browser.types_at("till-1@s001.example\t", GAP);
    assert_eq!(screen.focus(), "password");
    screen.browser.types_at(&format!("{SECRET}\r"), GAP);
    screen.reads("page-login [role=alert]", "Wrong login name or password");
    assert_eq!(screen.script("return document.querySelector('#username').value"), "till-1@s001.example");
    assert_eq!(screen.script(&shows), json!(false));
    screen.browser.types_at(&format!("{}\r", testkit::store::PASSWORD), GAP);
    screen.open_shift();
    screen.basket(&["89900010"], "2,220");
    // The same where a manager approves at the cashier's till.
    screen.script("document.querySelector('pos-app').approved({ label: 'Payment', amount: 1 }, { details: {} }, () => Promise.reject(new Error('no')))");
    screen.sees("#approver");
    screen.browser.types_at("manager@s001.example\t", GAP);
    assert_eq!(screen.focus(), "approval-password");
    screen.browser.types_at(&format!("{SECRET}\r"), GAP);
    screen.reads("dialog [role=alert]", "no");
    assert_eq!(screen.script("return document.querySelector('#approver').value"), "manager@s001.example");
    assert_eq!(screen.script(&shows), json!(false));
    screen.presses(ESCAPE);
    // A password typed into the wrong field is looked up but not shown.
    screen.browser.types_at(&format!("{SECRET}\r"), GAP);
    screen.reads("#banner", "This code: unknown barcode");
    screen.presses(F9);
    screen.sees("#amount");
    screen.browser.types_at(&format!("{SECRET}\r"), GAP);
    screen.reads("#banner", "This code: unknown barcode");
    assert_eq!(screen.script(&shows), json!(false));
    // The same while the till is locked.
    screen.script("document.querySelector('pos-app').lock()");
    screen.sees("#unlock-name");
    screen.script(
        "document.querySelector('#unlock-name').value = ''; document.querySelector('#unlock-name').focus()",
    );
    screen.browser.types_at("till-1@s001.example\t", GAP);
    assert_eq!(screen.focus(), "unlock");
    screen.browser.types_at(&format!("{SECRET}\r"), GAP);
    screen.reads("page-locked [role=alert]", "Wrong login name or password");
    assert_eq!(screen.script(&shows), json!(false));
    screen.is_clean();
}
