//! A payment outlives `kill -9`: the page finishes it by its key, once.

use crate::screen::{ENTER, F8, F9, Screen};
use crate::till::sale::INTENTS_LEFT;
use testkit::{Store, audit};

#[track_caller]
fn about_to_pay() -> Option<Screen> {
    let mut screen = Screen::selling(Store::open())?;
    screen.basket(&["89900070"], "27,750");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("50.");
    screen.store.kill9();
    screen.presses(ENTER);
    screen.reads("#banner", "Not known yet: Payment Rp\u{a0}50,000");
    Some(screen)
}

#[track_caller]
fn is_sold_once(screen: &Screen) {
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    assert_eq!(sales.len(), 1, "{sales:?}");
    assert_eq!(
        (&sales[0]["state"], &sales[0]["payments"].as_array().map(Vec::len)),
        (&"paid".into(), &Some(1))
    );
}

#[test]
fn the_page_asks_until_the_store_is_back() {
    let Some(mut screen) = about_to_pay() else { return };
    screen.store.start();
    screen.reads("#change", "22,250");
    is_sold_once(&screen);
    screen.is_clean();
}

#[test]
fn a_page_that_is_loaded_anew_finishes_what_it_began() {
    let Some(mut screen) = about_to_pay() else { return };
    screen.browser.open("about:blank");
    screen.store.start();
    screen.visit("/pos");
    screen.reads("#banner", "Payment Rp\u{a0}50,000: done, receipt");
    screen.sees("#line");
    is_sold_once(&screen);
    screen.is_clean();
    assert_eq!(screen.script(INTENTS_LEFT), 0);
}

#[test]
fn what_a_return_gives_back_is_shown_when_its_answer_was_lost() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900070"], "27,750");
    screen.pays("c");
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types("S001-main-00000001");
    screen.presses(ENTER);
    screen.sees("#back-1");
    screen.types("1");
    screen.reads("#refund", "27,750");
    screen.store.kill9();
    screen.presses(F9);
    screen.reads("#banner", "Not known yet: Refund Rp\u{a0}27,750");
    screen.browser.open("about:blank");
    screen.store.start();
    screen.visit("/pos");
    screen.reads("#given", "27,750");
    screen.reads("#banner", "Refund Rp\u{a0}27,750: done, receipt");
    screen.presses(ENTER);
    screen.sees("#line");
    screen.is_clean();
    let returns = audit::items(&mut screen.store.login("till-1"), "/api/pos/returns");
    assert_eq!(returns.len(), 1, "{returns:?}");
}
