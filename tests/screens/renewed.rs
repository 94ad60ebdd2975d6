//! A new version is announced before a file of the old one is missing, and is loaded when nothing can be lost.

use crate::screen::{ENTER, ESCAPE, F9, Screen};
use serde_json::{Value, json};
use testkit::hub::Hub;
use testkit::{Store, wait};

/// Script that makes each further answer come from a newer version.
const NEWER: &str = "window.old = true; const real = window.fetch; window.fetch = async (...asked) => {\
    const answer = await real(...asked); const { status } = answer; const headers = new Headers(answer.headers);\
    if (!location.href.includes(headers.get('x-build')) && !document.scripts[0].src.includes(headers.get('x-build'))) troubles.push('no build');\
    headers.set('x-build', 'newer'); return new Response(answer.body, { status, headers }); }";
const OLD: &str = "return window.old ?? null";

#[track_caller]
fn is_loaded_anew(screen: &mut Screen<impl Sized>) {
    wait::until("the page is reloaded", || screen.script(OLD).is_null().then_some(()));
}

#[test]
fn a_till_shows_a_new_version_but_not_during_a_payment() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.script(NEWER);
    screen.basket(&["89900010"], "2,220");
    screen.reads("#banner", "New version available");
    // Typed text would be lost, and so would a payment that is being entered.
    screen.types("pro");
    screen.sees("#found-0");
    assert_eq!(screen.text("#banner"), "");
    screen.presses(ESCAPE);
    screen.presses(F9);
    screen.sees("#amount");
    assert_eq!(screen.text("#banner"), "");
    screen.types("e");
    screen.presses(ENTER);
    screen.sees("#receipt-no");
    screen.reads("#banner", "New version available");
    screen.browser.press("#renew");
    is_loaded_anew(&mut screen);
    screen.reads(".last", "00000001");
    assert_eq!(screen.text("#banner"), "");
    // Between two customers the page reloads automatically when the till has not been used for a while, and only once.
    let quiet = "const app = document.querySelector('pos-app'); app.touched = 0; app.renew();";
    screen.script(NEWER);
    screen.basket(&["89900010"], "2,220");
    screen.script(quiet);
    assert_eq!(screen.script(OLD), json!(true), "there is a customer");
    screen.pays("k");
    screen.script("document.querySelector('pos-app').renew()");
    assert_eq!(screen.script(OLD), json!(true), "the till was used a moment ago");
    screen.script(quiet);
    is_loaded_anew(&mut screen);
    screen.sees("#line");
    screen.script(NEWER);
    screen.script("document.querySelector('pos-app').countHolds()");
    screen.reads("#banner", "New version available");
    screen.script(quiet);
    screen.script("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    assert_eq!(screen.script(OLD), json!(true), "the same version again");
    screen.is_clean();
}

#[test]
fn a_new_version_shows_behind_a_form_that_is_being_filled_in() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    screen.visit("/admin");
    screen.log_in("manager");
    screen.sees(".figures");
    screen.script(NEWER);
    screen.script("location.hash = '#/people'");
    screen.reads("#banner", "New version available");
    screen.script("location.hash = '#/members'");
    screen.sees("page-members input");
    screen.script("document.querySelector('main input').focus()");
    screen.types("an");
    wait::until("the banner is hidden", || screen.text("#banner").is_empty().then_some(()));
    screen.script("location.hash = '#/stock'");
    screen.sees("page-stock");
    screen.reads("#banner", "New version available");
    screen.browser.press("#renew");
    is_loaded_anew(&mut screen);
    screen.sees("page-stock tbody");
    screen.is_clean();
}

#[test]
fn head_office_shows_a_new_version_and_makes_its_first_page_once() {
    let hub = Hub::open();
    let Some(mut screen) = Screen::office(&hub) else { return };
    screen.sees("#username");
    screen.script(
        "window.made = 0; new MutationObserver((all) => { for (const { addedNodes } of all) for (const one of addedNodes)\
         if (one.localName === 'page-overview') window.made += 1; }).observe(document.body, { childList: true, subtree: true })",
    );
    // The page is reloaded while its first answers are pending.
    screen.script(
        "const real = window.fetch; window.fetch = (...asked) => { dispatchEvent(new Event('hashchange')); return real(...asked); }",
    );
    screen.log_in_as("admin@hub.example");
    screen.sees("page-overview .figures");
    assert_eq!(screen.script("return window.made"), json!(1));
    screen.script(NEWER);
    screen.script("location.hash = '#/stores'");
    screen.reads("#banner", "New version available");
    screen.browser.press("#renew");
    is_loaded_anew(&mut screen);
    screen.sees("page-stores");
    assert_eq!(screen.script("return troubles"), Value::Array(Vec::new()));
}
