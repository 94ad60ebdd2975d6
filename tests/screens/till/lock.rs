//! The lock of a till: nothing of the page is visible or works behind it, its session has ended, and only the password
//! of its person unlocks it. Dialogs are closed only by their answer.

use crate::looks::look;
use crate::screen::{ENTER, ESCAPE, F6, F9, Screen};
use serde_json::{Value, json};
use testkit::store::PASSWORD;
use testkit::{Store, audit, wait};

/// Script that returns the visible and usable elements of the page, and whether its session still works.
const BEHIND: &str = "return (async () => { \
    const drawn = [...document.querySelectorAll('page-sell, page-pay, .strip, .pay, #line, #total, dialog')].length; \
    const refresh = await fetch('/api/auth/refresh', {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json', \
    'Idempotency-Key': 'tried-behind-the-lock-' + Math.random(), 'X-Session': 'cookie; app=pos'}}); \
    return [drawn, refresh.status]; })()";

#[track_caller]
fn locks(screen: &mut Screen) {
    screen.script("const app = document.querySelector('pos-app'); app.touched = 0; app.idle()");
    screen.sees("#unlock");
}

#[track_caller]
fn unlocks(screen: &mut Screen, who: &str, password: &str) {
    screen.browser.write("#unlock-name", who);
    screen.browser.write("#unlock", password);
    screen.presses(ENTER);
}

/// Tries the keys of a till, as a thief would.
#[track_caller]
fn is_locked(screen: &mut Screen) {
    for key in [ESCAPE, ESCAPE, F6, F9] {
        screen.presses(key);
    }
    screen.script("document.activeElement.blur()");
    screen.types("5");
    screen.scans("89900020");
    screen.sees("#unlock");
    assert_eq!(screen.script(BEHIND), json!([0, 401]));
}

fn open_baskets(screen: &Screen) -> Vec<Value> {
    audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions")
}

#[test]
fn a_lock_is_opened_by_no_key_while_a_wrong_password_is_checked() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900010"], "2,220");
    locks(&mut screen);
    look(&mut screen, "locked");
    screen.holds_back("auth.login");
    screen.browser.write("#unlock", "anything");
    screen.presses(ENTER);
    screen.sees("page-locked [aria-busy=true]");
    is_locked(&mut screen);
    screen.script("goes()");
    screen.reads("page-locked [role=alert]", "Wrong login name or password");
    is_locked(&mut screen);
    // Neither a reload nor the browser's Back shows the page.
    screen.visit("/pos");
    screen.sees("#unlock");
    is_locked(&mut screen);
    screen.visit("/health");
    screen.browser.back();
    wait::until("the till is back", || (screen.script("return location.pathname") == "/pos").then_some(()));
    screen.sees("#unlock");
    is_locked(&mut screen);
    assert_eq!(open_baskets(&screen).len(), 1);
    unlocks(&mut screen, "till-1@s001.example", PASSWORD);
    screen.reads("#total", "2,220");
    screen.basket(&["89900020"], "5,550");
    screen.is_clean();
}

#[test]
fn a_till_that_nobody_is_at_is_locked_for_everybody_else() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900010"], "2,220");
    // An unanswered dialog does not keep the till unlocked.
    screen.script("document.querySelector('pos-app').current.firstElementChild.keys().F2()");
    screen.sees("#member-search");
    locks(&mut screen);
    unlocks(&mut screen, "manager@s001.example", PASSWORD);
    screen.reads("page-locked [role=alert]", "Only");
    is_locked(&mut screen);
    // A dialog that opens in the meantime waits until the till is unlocked: it is neither visible nor answered.
    screen.script(
        "document.querySelector('pos-app').approved({ label: 'Payment', amount: 1 }, { details: {} }, null)",
    );
    is_locked(&mut screen);
    unlocks(&mut screen, "till-1@s001.example", PASSWORD);
    screen.sees("#approver");
    screen.presses(ESCAPE);
    wait::until("the till continues", || {
        (screen.script("return document.querySelector('dialog')") == Value::Null).then_some(())
    });
    screen.basket(&["89900020"], "5,550");
    // The person may log out there. The next person sees nothing of the basket.
    locks(&mut screen);
    screen.browser.press("#leave");
    screen.log_in("till-2");
    screen.sees("#float");
    screen.is_clean();
}

#[test]
fn a_command_that_was_running_when_the_till_was_locked_is_done_once() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900070"], "27,750");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("e");
    screen.holds_back("pay$");
    screen.presses(ENTER);
    wait::until("the payment is being sent", || {
        (screen.script("return Boolean(window.goes)") == true).then_some(())
    });
    locks(&mut screen);
    // The payment is sent with an expired session, and again when its person is back.
    screen.script("goes()");
    is_locked(&mut screen);
    unlocks(&mut screen, "till-1@s001.example", PASSWORD);
    wait::until("the sale is paid", || (open_baskets(&screen)[0]["state"] == json!("paid")).then_some(()));
    let sales = open_baskets(&screen);
    assert_eq!((sales.len(), sales[0]["payments"].as_array().map(Vec::len)), (1, Some(1)));
    screen.is_clean();
}

#[test]
fn a_question_whose_answer_is_checked_is_closed_by_no_key() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900010"], "2,220");
    screen.script(
        "window.answered = null; document.querySelector('pos-app').approved({ label: 'Payment', amount: 1 }, { details: {} }, \
         () => new Promise((yes, no) => { window.refuses = () => no(new Error('refused')); })).then((answer) => { window.answered = [answer]; })",
    );
    screen.sees("#approver");
    screen.browser.write("#approver", "manager@s001.example");
    screen.browser.write("#approval-password", "anything");
    screen.presses(ENTER);
    screen.sees("dialog form[aria-busy=true]");
    for _ in 0..3 {
        screen.presses(ESCAPE);
    }
    // The browser can't close it either.
    screen.script("document.querySelector('dialog').close()");
    wait::until("the dialog is visible again", || {
        (screen.script("return document.querySelector('dialog')?.matches(':modal')") == true).then_some(())
    });
    assert_eq!(
        screen.script("return [document.querySelector('x-dialog').isOpen, window.answered]"),
        json!([true, null])
    );
    screen.script("window.refuses()");
    screen.reads("dialog [role=alert]", "refused");
    screen.presses(ESCAPE);
    wait::until("the dialog is cancelled", || {
        (screen.script("return window.answered") == json!([null])).then_some(())
    });
    screen.basket(&["89900020"], "5,550");
    screen.is_clean();
}
