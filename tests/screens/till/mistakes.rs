//! Actions at the wrong moment, by a cashier, a scanner or a new version, cost neither money nor goods, and the page
//! reports them.

use crate::screen::{ENTER, ESCAPE, F8, F9, F10, Screen};
use crate::till::taken_back::approve;
use serde_json::{Value, json};
use testkit::{Store, audit};

const DELETE: char = '\u{E017}';
/// Ctrl in the browser's protocol.
const CTRL: u64 = 2;
/// Script that sends keys to the focused element at once, as a scanner does, followed by Enter.
const BURST: &str = "for (const key of [...CODE, 'Enter']) { const at = document.activeElement;\
    const event = new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true});\
    if (at.dispatchEvent(event) && key.length === 1) document.execCommand('insertText', false, key); }";
/// Script that records what the browser prints; like a real printer it reports when it is done.
pub const PAPERS: &str = "window.papers = []; window.print = () => { \
    papers.push(document.getElementById('paper').textContent); dispatchEvent(new Event('afterprint')); }";

/// Scans a code with letters at the focused element, and waits until the page could have acted on a letter.
#[track_caller]
fn burst(screen: &mut Screen, code: &str) {
    screen.script(&BURST.replace("CODE", &json!(code).to_string()));
    screen.script("return new Promise((done) => setTimeout(done, 150))");
}

#[track_caller]
fn presses_with(screen: &mut Screen, key: &str, number: u64, more: Value) {
    let mut event = json!({"type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": number});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    screen.browser.devtools("Input.dispatchKeyEvent", &event);
}

pub fn papers(screen: &mut Screen) -> Vec<String> {
    serde_json::from_value(screen.script("return papers")).unwrap()
}

#[test]
fn letters_of_a_scan_are_no_keys_of_a_page() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.script(PAPERS);
    screen.basket(&["89900070"], "27,750");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("5");
    // Without a person's pause the digit might belong to the code.
    screen.script("return new Promise((done) => setTimeout(done, 600))");
    for code in ["CKQTV-01", "QTVKCQE7", "8K9Q0E1V"] {
        burst(&mut screen, code);
        // Letters are not a bar code and may be confidential, so they are not shown.
        screen.reads("#banner", "This code: unknown barcode");
        screen.script("document.querySelector('pos-app').say(null)");
        let method =
            "return document.querySelector('[role=radio][aria-checked=true]').innerText.split('\\n')[0]";
        assert_eq!(screen.script(method), "Cash", "{code}");
        assert_eq!(screen.script("return document.querySelector('#amount').value"), "5", "{code}");
    }
    // A scanner that sends no ending is recognised by the pause after the code.
    let unended = BURST.replace("[...CODE, 'Enter']", "'89900030'");
    screen.script(&unended);
    screen.reads("dialog h2", "Product 8990003");
    assert_eq!(screen.script("return document.querySelector('#amount').value"), "5");
    screen.presses(ESCAPE);
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.pays("k");
    // Letters of a code trigger nothing: P prints no receipt, T corrects no payment, L logs nobody out.
    screen.script("document.querySelector('pos-app').show('receipts')");
    screen.sees(".slip");
    burst(&mut screen, "PTPT-TPPT");
    screen.reads("#banner", "Scan of this code ignored");
    assert_eq!(screen.script("return document.querySelector('dialog')"), Value::Null);
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.presses(F10);
    screen.sees(".facts");
    burst(&mut screen, "XLXLXLXL");
    screen.reads("#banner", "Scan of this code ignored");
    screen.sees("page-cash");
    assert!(papers(&mut screen).is_empty());
    // A letter that a person presses does.
    screen.types("x");
    testkit::wait::until("the X report is printed", || (papers(&mut screen).len() == 1).then_some(()));
    screen.is_clean();
}

#[test]
fn a_drawer_that_nobody_counted_is_not_empty() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    screen.log_in("till-1");
    screen.sees("#float");
    screen.presses(ENTER);
    screen.reads("#banner", "Enter the cash in the drawer");
    screen.open_shift();
    screen.presses(F10);
    screen.sees(".facts");
    // F9 that is held down only opens the page; pressed again, it asks for the count.
    screen.presses(F9);
    screen.sees("#note-100000");
    for _ in 0..3 {
        presses_with(&mut screen, "F9", 120, json!({"autoRepeat": true}));
    }
    assert_eq!(screen.text("#banner"), "");
    screen.presses(F9);
    screen.reads("#banner", "Count the drawer first");
    assert_eq!(screen.focus(), "note-100000");
    screen.types("0");
    screen.presses(F9);
    screen.reads("#variance", "\u{2212}200,000");
    screen.is_clean();
}

#[test]
fn a_code_behind_typed_text_is_sold_and_an_older_list_is_not() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.types("product");
    screen.sees("#found-0");
    screen.scans("89900070");
    screen.reads("#total", "27,750");
    screen.types("product");
    screen.sees("#found-0");
    // The list does not belong to the text that is typed afterwards.
    screen.script(
        "const real = window.fetch; window.fetch = (url, options) => (/products\\?q=product%20|products\\?q=product\\+/.test(url) \
            && /limit=8/.test(url) ? new Promise(() => {}) : real(url, options))",
    );
    screen.types(" x9");
    screen.presses(ENTER);
    screen.reads("#banner", "This code: unknown barcode");
    // The text stays and is selected, so the next scan replaces it.
    assert_eq!(screen.script("return getSelection().toString()"), "product x9");
    screen.scans("89900010");
    screen.reads("#total", "29,970");
    // A line that was removed by mistake can be restored. The last line needs a reason.
    screen.presses(DELETE);
    screen.reads("#total", "27,750");
    screen.browser.press("#banner-act");
    screen.reads("#total", "29,970");
    screen.presses(DELETE);
    screen.reads("#total", "27,750");
    screen.presses(DELETE);
    screen.sees("dialog #why");
    screen.presses(ESCAPE);
    screen.reads("#total", "27,750");
    screen.is_clean();
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    assert_eq!((sales.len(), &sales[0]["state"]), (1, &json!("open")));
}

#[test]
fn a_second_print_is_a_copy_and_enter_presses_the_focused_button() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.script(PAPERS);
    screen.basket(&["89900070"], "27,750");
    screen.presses(F9);
    screen.sees("#amount");
    // While a payment is pending, no key leaves the page, scans are refused, and no second payment is taken.
    screen.holds_back("\\/pay$");
    screen.types("10.");
    screen.presses(ENTER);
    screen.reads(".pay", "Saving\u{2026}");
    screen.presses(ESCAPE);
    screen.scans("89900010");
    screen.reads("#banner", "89900010 ignored");
    screen.sees("page-pay");
    screen.script("document.querySelector('pos-app').show('sell')");
    screen.sees("#line");
    screen.presses(F9);
    screen.reads(".pay", "Saving\u{2026}");
    screen.types("10.");
    screen.presses(ENTER);
    screen.script("goes()");
    screen.reads("#left", "17,750");
    // The cashier moves to "Undo" by Tab and presses Enter: no payment is taken.
    screen.script("document.querySelector('.due .btn.big').focus()");
    screen.presses(ENTER);
    screen.reads("#left", "27,750");
    screen.types("k");
    screen.types("e");
    screen.presses(ENTER);
    screen.sees("#receipt-no");
    screen.script("document.querySelector('.done .btn').focus()");
    screen.presses(ENTER);
    testkit::wait::until("the receipt is printed", || (papers(&mut screen).len() == 1).then_some(()));
    assert!(!papers(&mut screen)[0].contains("COPY"));
    screen.presses(ENTER);
    screen.sees("#line");
    // Ctrl P prints through the store on any page: the paper is marked as a copy, and the store records the print.
    screen.script("document.querySelector('pos-app').show('receipts')");
    screen.sees(".slip");
    presses_with(&mut screen, "p", 80, json!({"modifiers": CTRL}));
    testkit::wait::until("a copy is printed", || (papers(&mut screen).len() == 2).then_some(()));
    assert!(papers(&mut screen)[1].contains("COPY"), "{}", papers(&mut screen)[1]);
    assert_eq!(screen.text("#paper"), "");
    screen.is_clean();
}

#[test]
fn goods_go_back_by_the_method_that_the_cashier_says() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900070"], "27,750");
    screen.pays("k");
    screen.script("document.querySelector('pos-app').show('receipts')");
    screen.sees(".slip");
    screen.presses(F8);
    screen.sees("#back-1");
    screen.types("1");
    screen.reads("#refund", "27,750");
    // A defective piece is not put back on sale automatically.
    assert_eq!(screen.script("return document.querySelectorAll('td select')[1].value"), "damaged");
    screen.script(
        "const by = document.querySelector('#by'); by.value = 'cash'; by.dispatchEvent(new Event('change'))",
    );
    screen.reads(".display dl", "Cash");
    screen.sees(".pay:enabled");
    screen.presses(F9);
    approve(&mut screen);
    screen.reads("#given", "27,750");
    screen.reads(".facts", "Cash");
    // The return is listed among the receipts and can be voided like one.
    screen.presses(ENTER);
    screen.sees("#line");
    screen.script("document.querySelector('pos-app').show('receipts')");
    screen.sees("tbody tr:nth-child(2)");
    screen.reads("tbody tr", "\u{2212}27,750");
    screen.presses(DELETE);
    screen.sees("#why");
    screen.browser.press("dialog .danger");
    approve(&mut screen);
    screen.reads("#banner", "Return voided. Collect: Cash Rp\u{a0}27,750");
    screen.is_clean();
}

#[test]
fn a_page_that_can_not_be_loaded_offers_to_reload() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900070"], "27,750");
    screen.browser.devtools("Network.enable", &json!({}));
    screen.browser.devtools("Network.setBlockedURLs", &json!({"urls": ["*/pos/pay.js"]}));
    screen.presses(F9);
    screen.reads("#banner", "A new version was installed");
    screen.browser.devtools("Network.setBlockedURLs", &json!({"urls": []}));
    screen.browser.press("#banner-act");
    // Nothing is lost.
    screen.reads("#total", "27,750");
    screen.presses(F9);
    screen.sees("#amount");
}

#[test]
fn nothing_is_scanned_while_the_store_is_away() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900010"], "2,220");
    screen.store.kill9();
    // The first scan detects the outage; a product that the page knows is not sold either.
    screen.scans("89900070");
    screen.reads("#banner", "No connection to the store server since");
    screen.scans("89900010");
    screen.sees(".pay:disabled");
    screen.store.start();
    screen.sees(".pay:enabled");
    screen.reads("#total", "2,220");
    screen.basket(&["89900020"], "5,550");
    screen.is_clean();
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    assert_eq!(sales[0]["items"].as_array().map(Vec::len), Some(2));
}
