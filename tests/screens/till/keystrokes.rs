//! What a sale costs a cashier's fingers: the keys of twenty lines, paid by card and in cash.

use crate::screen::{ENTER, F9, Screen};
use testkit::Store;

const LINES: usize = 20;
/// F9, K, `100.`, Enter; `150.`, Enter. What is scanned is no key of the cashier, and the next customer's first scan goes on.
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
    // From here on every key is the cashier's.
    screen.script("window.pressed = 0; document.addEventListener('keydown', () => { pressed += 1; }, { capture: true })");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("k100.");
    screen.presses(ENTER);
    screen.reads("#left", "122,000");
    screen.types("150.");
    screen.presses(ENTER);
    screen.reads("#change", "28,000");
    assert_eq!(screen.script("return pressed"), KEYS);
    screen.scans("71000000");
    screen.reads("#total", "11,100");
    screen.is_clean();
}
