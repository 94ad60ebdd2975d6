//! A payment outlives `kill -9`: the page finishes it by its key, once.

use crate::screen::{ENTER, ESCAPE, F8, F9, Screen};
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

#[test]
fn what_is_not_confirmed_is_listed_and_looked_up() {
    let Some(mut screen) = about_to_pay() else { return };
    let shows = "document.querySelector('pos-app').show('unconfirmed')";
    screen.script(shows);
    screen.reads("#state-0", "Asking again");
    screen.reads("tbody", "Rp\u{a0}50,000");
    // Somebody else comes to the till: it is named to them, and they see how far it got; only its person's key finishes it.
    screen.script("localStorage.removeItem('session.generation.pos')");
    screen.browser.open("about:blank");
    screen.store.start();
    screen.visit("/pos");
    screen.log_in("manager");
    screen.reads("#banner", "is not confirmed. It waits until they log in again");
    screen.browser.press("#banner-act");
    screen.reads("#state-0", "Waits until");
    screen.browser.press("tbody .btn");
    screen.reads("#state-0", "By the books: open");
    screen.script("document.querySelector('pos-app').logOut()");
    screen.log_in("till-1");
    screen.reads("#banner", "Payment Rp\u{a0}50,000: done, receipt");
    is_sold_once(&screen);
    screen.script(shows);
    screen.reads("page-unconfirmed", "Nothing is in doubt");
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.is_clean();
}

#[test]
fn the_list_says_what_came_of_a_command_that_is_under_way() {
    let Some(mut screen) = about_to_pay() else { return };
    screen.script("document.querySelector('pos-app').show('unconfirmed')");
    screen.reads("#state-0", "Asking again");
    screen.store.start();
    screen.reads("#state-0", "Done, receipt");
    is_sold_once(&screen);
    screen.presses(ESCAPE);
    screen.reads(".last", "22,250");
    screen.is_clean();
    assert_eq!(screen.script(INTENTS_LEFT), 0);
}
