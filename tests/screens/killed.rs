//! A payment outlives `kill -9`: the page finishes it by its key, once.

use crate::screen::{ENTER, F9, Screen};
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
    let left = "return new Promise((told) => { indexedDB.open('pos').onsuccess = (e) => \
        e.target.result.transaction('intents').objectStore('intents').count().onsuccess = (c) => told(c.target.result); })";
    assert_eq!(screen.script(left), 0);
}
