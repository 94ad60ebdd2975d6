//! A shop's day by keyboard and scanner only, from the float to the Z report. The drawer agrees with the documents.

use crate::looks::look;
use crate::screen::{ENTER, ESCAPE, F2, F3, F6, F7, F8, F9, F10, Screen};
use crate::till::mistakes::{PAPERS, papers};
use serde_json::{Value, json};
use testkit::store::PASSWORD;
use testkit::{Store, audit, wait};

const TAB: char = '\u{E004}';
const SALES: usize = 40;
const FLOAT: i64 = 200_000;
/// Denominations of the drawer.
const NOTES: [i64; 10] = [100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100];

/// Fills fields one after the other, beginning with the focused one.
#[track_caller]
fn fills(screen: &mut Screen, fields: &[&str]) {
    screen.types(&fields.join(&TAB.to_string()));
    screen.presses(ENTER);
}

/// Pays the sale with these keys, and continues with the next customer.
#[track_caller]
fn takes(screen: &mut Screen, keys: &str) {
    screen.presses(F9);
    screen.sees("#amount");
    screen.types(keys);
    screen.presses(ENTER);
    screen.sees("#receipt-no");
    screen.presses(ENTER);
    screen.sees("#line");
}

/// Makes ordinary sales, each with another method.
#[track_caller]
fn plain_sales(screen: &mut Screen, many: usize) {
    for n in 0..many {
        let (codes, total, keys): (&[&str], _, _) = match n % 4 {
            0 => (&["89900010"], "2,220", "e"),
            1 => (&["89900030"], "13,875", "50."),
            2 => (&["89900070"], "27,750", "ke"),
            _ => (&["89900010", "89900030"], "16,095", "qe"),
        };
        screen.basket(codes, total);
        takes(screen, keys);
    }
}

/// Pays a part by card and the rest in cash. The rest has to be confirmed: Enter alone takes nothing.
#[track_caller]
fn split_sale(screen: &mut Screen) {
    screen.basket(&["89900010", "89900010", "89900030"], "18,315");
    screen.types("3*");
    screen.presses(ENTER);
    screen.reads("#total", "46,065");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("k20.");
    screen.presses(ENTER);
    screen.reads("#left", "26,100");
    screen.presses(ENTER);
    screen.reads("#banner", "Enter the cash received");
    screen.types("50.");
    screen.reads("#changing", "23,900");
    screen.presses(ENTER);
    screen.reads("#change", "23,900");
    screen.presses(ENTER);
    screen.sees("#line");
    assert_eq!(screen.focus(), "line");
}

/// Holds a basket while the next customer pays.
#[track_caller]
fn held_sale(screen: &mut Screen) {
    screen.basket(&["89900010"], "2,220");
    screen.presses(F6);
    screen.reads("#banner", "Sale held");
    screen.basket(&["89900070"], "27,750");
    takes(screen, "e");
    screen.presses(F7);
    screen.sees("tbody tr");
    screen.presses(ENTER);
    screen.reads("#total", "2,220");
    takes(screen, "5.");
}

/// Registers a member, who earns points and pays with them.
#[track_caller]
fn members_sales(screen: &mut Screen) {
    screen.presses(F2);
    screen.sees("#member-search");
    screen.presses(TAB);
    screen.presses(ENTER);
    screen.sees("#member-name");
    fills(screen, &["Ratna Kusuma", "0812345678"]);
    screen.reads(".member", "Ratna");
    screen.basket(&["89900070"], "27,750");
    takes(screen, "ke");
    screen.presses(F2);
    screen.sees("#member-search");
    screen.types("0812345678");
    screen.presses(ENTER);
    screen.reads("dialog .menu", "27 points");
    screen.presses(ENTER);
    screen.reads(".member", "27");
    screen.presses(F2);
    screen.reads("#member-points", "27 points");
    screen.reads("#member-points tbody tr", "Earned");
    screen.reads("#member-points tbody tr .num", "+27");
    look(screen, "member");
    screen.presses(ESCAPE);
    screen.basket(&["89900010"], "2,220");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("p");
    screen.reads("#worth", "2,700");
    screen.types("1500");
    screen.presses(ENTER);
    screen.reads("#left", "700");
    screen.types("e");
    screen.presses(ENTER);
    screen.sees("#receipt-no");
    screen.presses(ENTER);
    screen.sees("#line");
}

/// Gives a discount above the cashier's limit, which a manager approves at the till.
#[track_caller]
fn discounted_sale(screen: &mut Screen) {
    screen.basket(&["89900070"], "27,750");
    screen.presses(F3);
    screen.sees("#off");
    screen.types("10.");
    screen.presses(ENTER);
    screen.sees("#approver");
    fills(screen, &["manager@s001.example", PASSWORD]);
    screen.reads("#total", "16,650");
    screen.sees(".display[aria-busy=false]");
    takes(screen, "20.");
}

/// Enters a receipt's number, and returns its only piece.
#[track_caller]
fn comes_back(screen: &mut Screen, receipt: &str) {
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types(receipt);
    screen.presses(ENTER);
    screen.sees("#back-1");
    screen.types("1");
}

/// Returns goods for money, and exchanges goods for more expensive ones.
#[track_caller]
fn returns(screen: &mut Screen) {
    comes_back(screen, "1");
    screen.reads("#refund", "2,200");
    screen.presses(F9);
    screen.reads("#given", "2,200");
    screen.presses(ENTER);
    screen.sees("#line");
    screen.basket(&["89900070"], "27,750");
    comes_back(screen, "2");
    screen.reads("#refund", "13,900");
    screen.presses(F7);
    screen.reads(".swap", "27,750");
    screen.reads("#refund", "0");
    screen.sees(".pay:enabled");
    screen.presses(F9);
    screen.reads("#left", "13,900");
    screen.types("20.");
    screen.presses(ENTER);
    screen.reads("#change", "6,100");
    screen.presses(ENTER);
    screen.sees("#line");
}

#[track_caller]
fn drop_and_report(screen: &mut Screen) {
    screen.presses(F10);
    screen.sees(".facts");
    screen.types(&TAB.to_string().repeat(2));
    screen.presses(ENTER);
    screen.sees("#bag");
    fills(screen, &["100.", "BAG-7", "too much in the drawer"]);
    screen.reads("#banner", "100,000");
    screen.types("x");
    wait::until("the X report is printed", || (papers(screen).len() == 1).then_some(()));
}

/// Returns the cash in the drawer by the store's documents: payments less change, less refunds.
#[track_caller]
fn drawer(screen: &Screen) -> i64 {
    let mut till = screen.store.login("till-1");
    let of = |documents: &[Value], parts: &str, worth: fn(&Value) -> i64| -> i64 {
        let all = documents.iter().flat_map(|one| one[parts].as_array().unwrap());
        all.filter(|part| part["method"] == "cash").map(worth).sum()
    };
    let sales = audit::items(&mut till, "/api/pos/transactions?state=paid");
    assert_eq!(sales.len(), SALES + 1, "and the return of the exchange");
    let taken =
        of(&sales, "payments", |one| one["tendered"].as_i64().unwrap() - one["change"].as_i64().unwrap_or(0));
    let back = audit::items(&mut till, "/api/pos/returns");
    let given =
        of(&back, "refunds", |one| one["amount"].as_i64().unwrap() + one["rounding"].as_i64().unwrap_or(0));
    FLOAT + taken - given - 100_000
}

#[track_caller]
fn count_and_close(screen: &mut Screen, drawer: i64) {
    screen.presses(F9);
    screen.sees("#note-100000");
    let mut left = drawer;
    for note in NOTES {
        screen.types(&(left / note).to_string());
        screen.presses(ENTER);
        left %= note;
    }
    assert_eq!(left, 0, "{drawer}");
    screen.presses(F9);
    screen.reads(".okmark", "Z 1");
    screen.types("p");
    wait::until("the Z report is printed", || (papers(screen).len() == 2).then_some(()));
    screen.presses(ENTER);
    screen.sees("#float");
}

#[test]
fn a_day_needs_nothing_but_the_keyboard_and_the_drawer_is_right() {
    let Some(mut screen) = Screen::open(Store::open_with(
        "payments.cash_rounding = 100\npoints.redeem_value = 100\npricing.discount_limit_bp = 2000\n",
        2,
    )) else {
        return;
    };
    screen.script(PAPERS);
    screen.sees("#username");
    fills(&mut screen, &["till-1@s001.example", PASSWORD]);
    screen.open_shift();
    assert_eq!(screen.focus(), "line");
    plain_sales(&mut screen, 4);
    split_sale(&mut screen);
    held_sale(&mut screen);
    members_sales(&mut screen);
    discounted_sale(&mut screen);
    plain_sales(&mut screen, SALES - 10);
    returns(&mut screen);
    drop_and_report(&mut screen);
    let drawer = drawer(&screen);
    count_and_close(&mut screen, drawer);
    screen.is_clean();
    let shifts = audit::items(&mut screen.store.login("manager"), "/api/shifts");
    let shift = &shifts[0];
    assert_eq!((&shift["state"], &shift["variance"]), (&json!("closed"), &json!(0)), "{shift}");
    assert_eq!((&shift["counted_cash"], &shift["expected_cash"]), (&json!(drawer), &json!(drawer)));
}
