//! The number of keys of a sale: twenty lines, paid by card and in cash.

use crate::screen::{ENTER, ESCAPE, F1, F2, F7, F8, F9, F10, Screen};
use crate::till::mistakes::{PAPERS, papers};
use testkit::{Store, wait};

const LINES: usize = 20;
/// F9, K, `100.`, Enter; `150.`, Enter. Scans are not keys of the cashier, and the next customer's first scan
/// continues.
const KEYS: u64 = 12;

#[test]
fn twenty_lines_by_card_and_cash_are_twelve_keys() {
    let store = Store::open_with("", 1);
    let rows: String = (0..LINES).map(|n| format!("K{n:02},Keyed {n:02},10000,,710000{n:02},\n")).collect();
    let file =
        store.write_file("keyed.csv", &format!("sku,name,price,category,barcode,reorder_level\n{rows}"));
    testkit::process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
    let Some(mut screen) = Screen::selling(store) else { return };
    for n in 0..LINES {
        screen.scans(&format!("710000{n:02}"));
    }
    screen.reads("#total", "222,000");
    screen.sees(".display[aria-busy=false]");
    assert_eq!(screen.script("return document.querySelectorAll('.row').length"), LINES);
    // From here on every key is counted.
    screen.script("window.pressed = 0; document.addEventListener('keydown', () => { pressed += 1; }, { capture: true })");
    screen.script(
        "window.sent = []; const ask = window.fetch; window.fetch = (url, request) => { \
         if (request.method !== 'GET') sent.push(url.split('/').at(-1)); return ask(url, request); }",
    );
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("k100.");
    screen.presses(ENTER);
    screen.reads("#left", "122,000");
    screen.types("150.");
    screen.presses(ENTER);
    screen.reads("#change", "28,000");
    assert_eq!(screen.script("return pressed"), KEYS);
    // The store has had the basket since its first scan: each payment is one round trip.
    assert_eq!(screen.script("return sent.join()"), "pay,pay");
    screen.scans("71000000");
    screen.reads("#total", "11,100");
    screen.is_clean();
}

#[test]
fn keys_act_on_every_page_and_help_names_them() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900010"], "2,220");
    screen.pays("k");
    screen.basket(&["89900070", "89900030"], "41,625");
    // Text behind a question mark searches in the basket, not in the catalogue.
    screen.types("?8990007");
    screen.reads(".row.sel", "Product 8990007");
    screen.presses(ENTER);
    screen.types("?nothing");
    screen.presses(ENTER);
    screen.reads("#banner", "No matching item in this sale");
    // A digit selects an action; a digit of a scan does not.
    screen.types("/");
    screen.sees("dialog .menu");
    // The keys are sent at once, because on a busy machine those of a scanner may be as slow as a person's.
    screen.script(
        "for (const key of [...'89900010', 'Enter']) document.activeElement.dispatchEvent(\
         new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }))",
    );
    screen.reads("#banner", "ignored");
    screen.sees("dialog .menu");
    screen.types("8");
    screen.sees("page-cash .facts");
    for (key, page) in [
        (F8, "page-return"),
        (F10, "page-cash .facts"),
        (F7, "page-holds"),
        (F9, "#amount"),
        (F8, "page-return"),
    ] {
        screen.presses(key);
        screen.sees(page);
    }
    screen.presses(F2);
    screen.sees("#member-search");
    // Too short for a phone number, so it may be a card.
    screen.types("12345");
    screen.presses(ENTER);
    screen.reads("dialog .menu", "No member found");
    screen.presses(ESCAPE);
    screen.reads("#total", "41,625");
    for page in ["sell", "pay", "holds", "return", "receipts", "cash", "close"] {
        screen.script(&format!("return document.querySelector('pos-app').show('{page}')"));
        screen.sees(&format!("page-{page}"));
        let keys = screen.script(&format!(
            "return Object.keys(document.querySelector('page-{page}').keys()).filter((name) => /^F\\d+$|^Delete$/.test(name))"
        ));
        screen.presses(F1);
        screen.reads("dialog h2", "Keys");
        let said = screen.text("dialog");
        for key in keys.as_array().unwrap() {
            assert!(said.contains(key.as_str().unwrap()), "{page} does not mention {key}: {said}");
        }
        screen.presses(ESCAPE);
    }
    // Text typed after a sale is the next customer's.
    screen.script("return document.querySelector('pos-app').show('sell')");
    screen.sees("#line");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("ke");
    screen.presses(ENTER);
    screen.sees("#receipt-no");
    screen.types("8990001");
    screen.reads("page-sell", "Product");
    screen.presses(ENTER);
    screen.reads("#total", "2,220");
    screen.pays("k");
    unread_lists_can_be_loaded_again(&mut screen);
    a_key_that_nothing_takes_is_the_lines(&mut screen);
    screen.is_clean();
}

/// Without an answer the page shows this in place of the list and offers a retry. Two retries at once list nothing
/// twice.
#[track_caller]
fn unread_lists_can_be_loaded_again(screen: &mut Screen) {
    for (page, seen) in [("holds", ".empty"), ("cash", ".facts"), ("close", ".pay"), ("receipts", ".slip")] {
        screen.script(&format!(
            "window.answers = window.fetch; window.fetch = () => Promise.reject(new TypeError('away')); \
             return document.querySelector('pos-app').show('{page}')"
        ));
        screen.reads(&format!("page-{page} [role=alert]"), "Try again");
        screen.script("window.fetch = answers");
        screen.browser.press("[role=alert] .btn");
        screen.sees(&format!("page-{page} {seen}:not([role=alert])"));
    }
    let rows = "const page = document.querySelector('page-receipts'); const before = page.items.length; page.cursors = [undefined, null]; \
        return Promise.all([page.more(), page.more()]).then(() => page.items.length - before)";
    assert_eq!(screen.script(rows), 3);
    screen.presses(ESCAPE);
    screen.sees("#line");
}

/// Letters start the next search after a sale and on pages that do not use them; P prints.
#[track_caller]
fn a_key_that_nothing_takes_is_the_lines(screen: &mut Screen) {
    let line = "return document.querySelector('#line')?.value ?? ''";
    let begins = |screen: &mut Screen, text: &str| {
        screen.types(text);
        wait::until("the text is in the line", || (screen.script(line) == text).then_some(()));
        assert_eq!(screen.focus(), "line");
        screen.presses(ESCAPE);
    };
    screen.script(PAPERS);
    screen.basket(&["89900010"], "2,220");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("ke");
    screen.presses(ENTER);
    screen.sees("#receipt-no");
    screen.types("p");
    wait::until("the receipt is printed", || (papers(screen).len() == 1).then_some(()));
    screen.sees("#receipt-no");
    begins(screen, "Kopi p");
    for page in ["receipts", "cash", "holds"] {
        screen.script(&format!("return document.querySelector('pos-app').show('{page}')"));
        screen.sees(&format!("page-{page}"));
        begins(screen, "susu");
    }
    // A key that is an action of the line works there.
    screen.script("return document.querySelector('pos-app').show('receipts')");
    screen.sees("page-receipts");
    screen.types("/");
    screen.sees("dialog .menu");
    screen.presses(ESCAPE);
}
