//! A payment survives `kill -9`: the page completes it by its key, exactly once.

use crate::screen::{ENTER, ESCAPE, F8, F9, Screen};
use crate::till::sale::INTENTS_LEFT;
use serde_json::Value;
use testkit::chaos::{ALL, Chaos, Proxy};
use testkit::{Store, audit, wait};

#[track_caller]
fn about_to_pay() -> Option<Screen> {
    let mut screen = Screen::selling(Store::open())?;
    screen.basket(&["89900070"], "27,750");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("50.");
    screen.store.kill9();
    screen.presses(ENTER);
    screen.reads("#banner", "Payment Rp\u{a0}50,000: not confirmed yet");
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

/// Moment at which the store is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    BeforeItIsAsked,
    /// The payment is being written to the journal.
    WhilePaying,
    /// The sale is paid, but the answer was lost.
    Paid,
    Reported,
}

/// Pays and kills the store at this moment. The answer to the payment is lost, unless the kill comes later.
#[track_caller]
fn pay_and_kill(screen: &mut Screen<()>, store: &mut Store, proxy: &Proxy, moment: Moment, sold: usize) {
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("50.");
    let fate = if moment == Moment::Reported { Chaos::Pass } else { Chaos::LoseAnswer };
    proxy.set(fate, b"POST /api/pos/transactions");
    if moment == Moment::BeforeItIsAsked {
        store.kill9();
    }
    screen.browser.types_at("\r", 0);
    match moment {
        Moment::BeforeItIsAsked => {}
        Moment::WhilePaying => {
            wait::until("the payment was requested", || (proxy.tampered() > 0).then_some(()))
        }
        Moment::Paid => {
            let mut till = store.login("till-1");
            let paid = "/api/pos/transactions?state=paid";
            wait::until("the sale is paid", || (audit::items(&mut till, paid).len() == sold).then_some(()));
        }
        Moment::Reported => screen.reads("#change", "22,250"),
    }
    if moment != Moment::BeforeItIsAsked {
        store.kill9();
    }
    if moment != Moment::Reported {
        screen.reads("#banner", "Payment Rp\u{a0}50,000: not confirmed yet");
    }
}

/// Checks the page once the store is back: one sentence at most, and the receipt of this sale.
#[track_caller]
fn is_reported_once(screen: &mut Screen<()>, reloaded: bool, moment: Moment, no: &str) {
    let sentence = |done: &str| format!("Payment Rp\u{a0}50,000: {done}, receipt \u{2026}{no}");
    let (now, earlier) = (sentence("done"), sentence("already done"));
    if reloaded {
        screen.visit("/pos");
    } else {
        screen.reads("#receipt-no", no);
        screen.reads("#change", "22,250");
    }
    // An open page shows the sale as done, without a message.
    let now = if reloaded { now } else { String::new() };
    match moment {
        Moment::BeforeItIsAsked => screen.reads("#banner", &now),
        Moment::WhilePaying if !reloaded => {}
        Moment::WhilePaying => screen.reads("#banner", no),
        Moment::Paid => screen.reads("#banner", &earlier),
        Moment::Reported => screen.sees(if reloaded { ".last" } else { "#change" }),
    }
    let said = screen.text("#banner");
    let expected = match moment {
        Moment::BeforeItIsAsked => said == now,
        Moment::WhilePaying => said == now || said == earlier,
        Moment::Paid => said == earlier,
        Moment::Reported => said.is_empty(),
    };
    assert!(expected, "{moment:?}, loaded anew: {reloaded}: {said}");
    if !reloaded {
        screen.presses(ENTER);
    }
    screen.sees("#line");
    screen.reads(".last", "22,250");
    screen.reads(".last", no);
}

#[test]
fn a_payment_is_one_sale_whenever_the_store_is_killed() {
    use Moment::{BeforeItIsAsked, Paid, Reported, WhilePaying};
    let mut store = Store::open_with("", 1);
    let proxy = Proxy::before(store.address());
    let Some(mut screen) = Screen::through(&proxy, "/pos") else { return };
    screen.log_in("till-1");
    screen.open_shift();
    let moments =
        [BeforeItIsAsked, WhilePaying, Paid, Reported].map(|moment| [(moment, false), (moment, true)]);
    for (at, (moment, reloads)) in moments.concat().into_iter().enumerate() {
        let (sold, no) = (at + 1, format!("{:08}", at + 1));
        println!("{moment:?}, loaded anew: {reloads}");
        screen.basket(&["89900070"], "27,750");
        pay_and_kill(&mut screen, &mut store, &proxy, moment, sold);
        if reloads {
            screen.browser.open("about:blank");
        }
        proxy.set(Chaos::Pass, ALL);
        store.start();
        is_reported_once(&mut screen, reloads, moment, &no);
        screen.is_clean();
        assert_eq!(screen.script(INTENTS_LEFT), 0);
        let sales = audit::items(&mut store.login("till-1"), "/api/pos/transactions");
        let whole = |sale: &Value| {
            sale["state"] == "paid" && sale["payments"].as_array().is_some_and(|all| all.len() == 1)
        };
        assert!(sales.len() == sold && sales.iter().all(whole), "{moment:?}: {sales:?}");
    }
}

#[test]
fn the_refund_of_a_return_is_shown_if_its_answer_was_lost() {
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
    screen.reads("#banner", "Refund Rp\u{a0}27,750: not confirmed yet");
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
fn unconfirmed_commands_are_listed_and_looked_up() {
    let Some(mut screen) = about_to_pay() else { return };
    let shows = "document.querySelector('pos-app').show('unconfirmed')";
    screen.script(shows);
    screen.reads("#state-0", "Checking again");
    screen.reads("tbody", "Rp\u{a0}50,000");
    // Another person logs in: the till shows them the unconfirmed payment and its progress, and only the cashier's own
    // log-in completes it.
    screen.script("localStorage.removeItem('session.generation.pos')");
    screen.browser.open("about:blank");
    screen.store.start();
    screen.visit("/pos");
    screen.log_in("manager");
    screen.reads("#banner", "is not confirmed. It is checked when they log in again");
    screen.browser.press("#banner-act");
    screen.reads("#state-0", "Waiting until");
    screen.browser.press("tbody .btn");
    screen.reads("#state-0", "On record: open");
    screen.script("document.querySelector('pos-app').logOut()");
    screen.log_in("till-1");
    screen.reads("#banner", "Payment Rp\u{a0}50,000: done, receipt");
    is_sold_once(&screen);
    screen.script(shows);
    screen.reads("page-unconfirmed", "Everything is confirmed");
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.is_clean();
}

#[test]
fn the_list_says_what_came_of_a_command_that_is_under_way() {
    let Some(mut screen) = about_to_pay() else { return };
    screen.script("document.querySelector('pos-app').show('unconfirmed')");
    screen.reads("#state-0", "Checking again");
    screen.store.start();
    screen.reads("#state-0", "Done, receipt");
    is_sold_once(&screen);
    screen.presses(ESCAPE);
    screen.reads(".last", "22,250");
    screen.is_clean();
    assert_eq!(screen.script(INTENTS_LEFT), 0);
}
