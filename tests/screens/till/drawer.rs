//! The drawer is counted by notes, blind where the shop requires it, and no basket is left behind.

use crate::screen::{ENTER, ESCAPE, F9, F10, Screen};
use crate::till::taken_back::approve;
use serde_json::{Value, json};
use testkit::Store;

#[test]
fn a_float_is_counted_by_notes_and_a_basket_that_nobody_finished_is_shown() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    screen.log_in("till-1");
    screen.sees("#by-notes");
    screen.browser.press("#by-notes");
    screen.sees("#note-100000");
    // Enter moves to the next note, and does not open the shift before the count is complete.
    screen.types("1");
    screen.presses(ENTER);
    screen.types("2");
    assert_eq!(screen.script("return document.querySelector('#float').value"), "200,000");
    screen.browser.write("#opening-note", "from the safe");
    screen.presses(F9);
    screen.sees("#line");
    let mut till = screen.store.login("till-1");
    let shift = till.get("/api/shifts/current").data(200);
    assert_eq!((&shift["opening_float"], &shift["note"]), (&json!(200_000), &json!("from the safe")));
    // A basket of this shift that no page shows, for example from another tab.
    let left = json!({"items": [{"sku": "8990007", "qty": 1}]});
    till.post("/api/pos/transactions", &left).data(201);
    screen.basket(&["89900010"], "2,220");
    screen.pays("k");
    screen.presses(F10);
    screen.sees(".facts");
    screen.presses(F9);
    screen.reads(".notice", "Unfinished sales: 1");
    screen.browser.press(".bring");
    screen.sees("#line");
    screen.reads("#total", "27,750");
    screen.pays("k");
    screen.presses(F10);
    screen.sees(".facts");
    screen.presses(F9);
    screen.sees("#note-100000");
    assert_eq!(screen.script("return document.querySelector('.bring')"), Value::Null);
    screen.types("2");
    screen.browser.write("#counted-card", "29000");
    screen.presses(F9);
    screen.reads("#variance", "0");
    screen.reads("#by-method", "\u{2212}970");
    screen.is_clean();
}

#[test]
fn a_blind_shift_is_ended_before_it_is_counted() {
    let Some(mut screen) =
        Screen::selling(Store::open_with("shifts.blind = true\nshifts.variance_tolerance = 100\n", 2))
    else {
        return;
    };
    screen.basket(&["89900010"], "2,220");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("5.");
    screen.presses(ENTER);
    screen.sees("#receipt-no");
    screen.presses(ENTER);
    screen.basket(&["89900010"], "2,220");
    screen.presses(F10);
    screen.reads("page-cash", "is shown after counting");
    screen.presses(F9);
    screen.reads(".work", "without showing");
    // Not while a basket is open.
    screen.presses(F9);
    screen.reads("#banner", "A sale is still open");
    screen.presses(ESCAPE);
    screen.sees("page-cash .facts");
    screen.presses(ESCAPE);
    screen.pays("k");
    screen.presses(F10);
    screen.sees(".facts");
    screen.presses(F9);
    screen.sees(".work .pay");
    screen.presses(F9);
    screen.sees("#note-100000");
    // Selling is over, also after a reload, and nothing shows the expected amount.
    screen.visit("/pos");
    screen.sees("#note-100000");
    assert!(!screen.text("main").contains("200,000") && !screen.text("main").contains("Expected"));
    screen.types("1");
    screen.presses(F9);
    approve(&mut screen);
    screen.reads("#variance", "\u{2212}102,220");
    screen.is_clean();
}
