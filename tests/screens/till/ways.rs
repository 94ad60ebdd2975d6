//! Steps of a cashier for each task of `tests/screens/till/tasks.rs`, by keyboard and by touch.

use crate::screen::{ENTER, F2, F3, F7, F8, F9, F10, Screen};
use serde_json::json;

pub const TAB: char = '\u{E004}';
pub const DELETE: char = '\u{E017}';
const SHIFT: u32 = 8;
const CONTROL: u32 = 2;

// ---- preparations

pub fn scanned(screen: &mut Screen) {
    screen.basket(&["89900070"], "27,750");
}

pub fn two_lines(screen: &mut Screen) {
    screen.basket(&["89900070", "89900010"], "29,970");
}

pub fn taken_off(screen: &mut Screen) {
    two_lines(screen);
    screen.presses(DELETE);
    screen.sees("#banner-act");
}

pub fn sold(screen: &mut Screen) {
    scanned(screen);
    screen.pays("k");
}

// ---- common steps

pub fn presses(screen: &mut Screen, keys: &[char]) {
    for key in keys {
        screen.presses(*key);
    }
}

/// Presses a key with Shift or Control held, by the browser's own protocol.
pub fn held(screen: &mut Screen, modifiers: u32, key: &str, code: u32) {
    for kind in ["keyDown", "keyUp"] {
        let pressed =
            json!({"type": kind, "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers});
        screen.browser.devtools("Input.dispatchKeyEvent", &pressed);
    }
}

/// Scans without counting keys.
fn scans(screen: &mut Screen, code: &str) {
    screen.script("window.before = effort; return null");
    screen.scans(code);
    screen.script("examine.quiet().then(() => { effort = before; }); return examine.quiet()");
}

pub fn taps(screen: &mut Screen, all: &[&str]) {
    for one in all {
        screen.sees(one);
        screen.browser.press(one);
    }
}

/// Presses digits of the number pad, in a dialog or on the page.
fn pad(screen: &mut Screen, around: &str, digits: &[u32]) {
    screen.sees(&format!("{around} num-pad[shown]"));
    for digit in digits {
        let at = digit + (digit - 1) / 3;
        screen.browser.press(&format!("{around} num-pad[shown] .pad-keys .btn:nth-child({at})"));
    }
}

pub fn pay(screen: &mut Screen, given: &str) {
    screen.presses(F9);
    screen.sees("#amount");
    screen.types(given);
    screen.presses(ENTER);
    screen.sees("#receipt-no");
}

pub fn paid(screen: &mut Screen, how: &[&str]) {
    taps(screen, &["page-sell .pay", how[0], "page-pay .pay"]);
    screen.sees("#receipt-no");
}

pub fn line(screen: &mut Screen, then: &[&str]) {
    taps(screen, &[".row"]);
    taps(screen, then);
}

/// Returns the number of the last receipt without the prefix that all receipts of the till have.
fn last_receipt(screen: &mut Screen) -> String {
    let no = screen.script("return examine.app().last.receipt_no");
    no.as_str().unwrap().rsplit('-').next().unwrap().trim_start_matches('0').to_owned()
}

// ---- the tasks, each by keyboard and by touch

/// Counts notes. Enter after a note moves to the next one in every product, so it belongs to the digits.
pub fn notes(screen: &mut Screen) {
    screen.sees("#note-100000");
    screen.types("2");
}

pub fn open_by_keys(screen: &mut Screen) {
    screen.sees("#float");
    presses(screen, &[TAB, ENTER]);
    notes(screen);
    screen.presses(F9);
    screen.sees("#line");
}

pub fn open_by_touch(screen: &mut Screen) {
    taps(screen, &["#by-notes"]);
    screen.sees("#note-100000");
    pad(screen, "", &[2]);
    taps(screen, &["form .primary:not(.pad-keys *)"]);
    screen.sees("#line");
}

pub fn split_by_keys(screen: &mut Screen) {
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("k10000");
    screen.presses(ENTER);
    screen.reads("#left", "17,750");
    screen.types("20000");
    screen.presses(ENTER);
    screen.sees("#receipt-no");
}

pub fn split_by_touch(screen: &mut Screen) {
    taps(screen, &["page-sell .pay", ".methods .btn:nth-child(2)"]);
    pad(screen, "", &[1, 1, 1, 1]);
    taps(screen, &["page-pay .pay"]);
    screen.reads("#left", "26,");
    taps(screen, &[".offers .btn:nth-child(2)", "page-pay .pay"]);
    screen.sees("#receipt-no");
}

pub fn one_more(screen: &mut Screen) {
    screen.types("+");
    screen.reads("#total", "55,500");
}

pub fn five_by_keys(screen: &mut Screen) {
    screen.types("5*");
    screen.presses(ENTER);
    screen.reads("#total", "138,750");
}

pub fn five_by_touch(screen: &mut Screen) {
    line(screen, &[".opened .count"]);
    pad(screen, "dialog", &[5]);
    taps(screen, &["dialog .pad-keys .tall"]);
    screen.reads("#total", "138,750");
}

pub fn discount_by_keys(screen: &mut Screen) {
    screen.presses(F3);
    screen.sees("#off");
    screen.types("10%");
    screen.presses(ENTER);
    screen.reads("#total", "24,975");
}

pub fn discount_by_touch(screen: &mut Screen) {
    line(screen, &[".opened > .btn:nth-last-child(2)", "#off-10", "dialog footer .primary:not(.pad-keys *)"]);
    screen.reads("#total", "24,975");
}

pub fn member_by_keys(screen: &mut Screen) {
    screen.presses(F2);
    screen.sees("#member-search");
    screen.types("081298765432");
    screen.presses(ENTER);
    screen.sees("dialog [name=member]");
    screen.presses(ENTER);
    screen.reads(".member", "Siti");
}

pub fn member_by_touch(screen: &mut Screen) {
    taps(screen, &["page-sell .member"]);
    screen.sees("#member-search");
    screen.types("081298765432");
    taps(screen, &["dialog footer .primary:not(.pad-keys *)", "dialog [name=member]"]);
    screen.reads(".member", "Siti");
}

pub fn recall_by_keys(screen: &mut Screen) {
    screen.presses(F7);
    screen.sees("tbody tr");
    screen.presses(ENTER);
    screen.reads("#total", "27,750");
}

pub fn recall_by_touch(screen: &mut Screen) {
    taps(screen, &[".acts button:nth-child(2)", "tbody tr .btn"]);
    screen.reads("#total", "27,750");
}

pub fn void_by_keys(screen: &mut Screen) {
    held(screen, SHIFT, "Delete", 46);
    screen.sees("#why");
    presses(screen, &[TAB, ENTER]);
    screen.sees(".rows.first");
}

pub fn void_by_touch(screen: &mut Screen) {
    taps(screen, &[".acts button:last-child", "dialog .menu .btn:nth-child(12)", "dialog .danger"]);
    screen.sees(".rows.first");
}

pub fn return_by_keys(screen: &mut Screen) {
    let no = last_receipt(screen);
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types(&no);
    screen.presses(ENTER);
    screen.sees("#back-1");
    screen.types("1");
    screen.sees(".pay:enabled");
    screen.presses(F9);
    screen.sees("#given");
}

pub fn return_by_touch(screen: &mut Screen) {
    let no = last_receipt(screen);
    taps(screen, &[".acts button:nth-child(4)"]);
    screen.sees("#receipt");
    screen.types(&no);
    taps(screen, &[".finder .btn"]);
    screen.sees("#back-1");
    pad(screen, "", &[1]);
    taps(screen, &["page-return .pay:enabled"]);
    screen.sees("#given");
}

/// Exchanges a piece for another one.
fn changed(screen: &mut Screen) {
    screen.sees("#line");
    screen.sees("#exchange");
    scans(screen, "89900070");
    scans(screen, "89900010");
    screen.reads("#balance", "2,220");
}

pub fn exchange_by_keys(screen: &mut Screen) {
    let no = last_receipt(screen);
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types(&no);
    screen.presses(ENTER);
    screen.sees("#back-1");
    screen.types("1");
    screen.reads("#refund", "27,750");
    screen.presses(F7);
    changed(screen);
    screen.presses(F9);
    screen.sees("page-return .pay:enabled");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("k");
    screen.presses(ENTER);
    screen.sees("#receipt-no");
}

pub fn exchange_by_touch(screen: &mut Screen) {
    let no = last_receipt(screen);
    taps(screen, &[".acts button:nth-child(4)"]);
    screen.sees("#receipt");
    screen.types(&no);
    taps(screen, &[".finder .btn"]);
    screen.sees("#back-1");
    pad(screen, "", &[1]);
    screen.reads("#refund", "27,750");
    taps(screen, &["#swap"]);
    changed(screen);
    taps(screen, &["#exchange", "page-return .pay:enabled", ".methods .btn:nth-child(2)", "page-pay .pay"]);
    screen.sees("#receipt-no");
}

pub fn price_by_keys(screen: &mut Screen) {
    held(screen, SHIFT, "F4", 115);
    screen.sees("#price-of");
    scans(screen, "89900070");
    screen.reads("#prices", "25,000");
}

pub fn price_by_touch(screen: &mut Screen) {
    taps(screen, &[".acts button:last-child", "dialog .menu .btn:nth-child(10)"]);
    screen.sees("#price-of");
    scans(screen, "89900070");
    screen.reads("#prices", "25,000");
}

pub fn reprint(screen: &mut Screen) {
    held(screen, CONTROL, "p", 80);
}

pub fn pay_out_by_keys(screen: &mut Screen) {
    screen.presses(F10);
    screen.sees(".facts");
    screen.types("o");
    screen.sees("#cash-amount");
    screen.types("5000");
    screen.presses(TAB);
    screen.types("1");
    screen.presses(ENTER);
    screen.reads("#banner", "5,000");
}

pub fn pay_out_by_touch(screen: &mut Screen) {
    taps(screen, &[".acts button:nth-child(5)", ".work .rowx .btn:nth-child(2)"]);
    pad(screen, "dialog", &[5, 5, 5, 5]);
    taps(screen, &["#cash-reason"]);
    screen.types("1");
    taps(screen, &["dialog footer .primary:not(.pad-keys *)"]);
    screen.reads("#banner", "5,555");
}

pub fn close_by_keys(screen: &mut Screen) {
    screen.presses(F10);
    screen.sees(".facts");
    screen.presses(F9);
    notes(screen);
    screen.presses(F9);
    screen.sees("#variance");
}

pub fn close_by_touch(screen: &mut Screen) {
    taps(screen, &[".acts button:nth-child(5)", ".bar .primary"]);
    screen.sees("#note-100000");
    pad(screen, "", &[2]);
    taps(screen, &["page-close .pay"]);
    screen.sees("#variance");
}
