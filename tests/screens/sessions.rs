//! Two tabs of one person, and an answer that a proxy loses: nobody is logged out, and nothing is done twice.

use crate::screen::{ENTER, F9, Screen};
use serde_json::json;
use testkit::chaos::{Chaos, Proxy};
use testkit::{Store, audit, wait};

const TIMES: u32 = 200;
/// Rounds of one script: a driver waits 30 s for a script.
const OF_A_SCRIPT: u32 = 10;
/// Script that imports the session module that the open page uses.
const SESSION: &str = "const at = new URL('../kit/session.js', document.querySelector('script[type=module]').src);\
    const { ask, refresh } = await import(at); const tabs = new BroadcastChannel('two tabs'); const together = () => refresh().then(() => 1, () => 0);";

#[test]
fn two_tabs_that_refresh_at_one_moment_stay_logged_in() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    screen.visit("/admin");
    screen.log_in("manager");
    screen.sees(".figures");
    // This tab refreshes whenever the other one does, and reports the result to it.
    screen.script(&format!(
        "return (async () => {{ {SESSION} tabs.onmessage = async ({{data}}) => {{ if (data === 'now') tabs.postMessage([await together()]); }}; }})()"
    ));
    let first = screen.tab();
    screen.visit("/admin");
    screen.sees(".figures");
    let rounds = format!(
        "return (async () => {{ {SESSION} let well = 0; for (let n = 0; n < {OF_A_SCRIPT}; n += 1) {{\
         const told = new Promise((tell) => {{ tabs.onmessage = ({{data}}) => data !== 'now' && tell(data[0]); }});\
         tabs.postMessage('now'); const [own, other] = await Promise.all([together(), told]); well += own + other; }}\
         tabs.close(); return well; }})()"
    );
    for _ in 0..TIMES / OF_A_SCRIPT {
        assert_eq!(screen.script(&rounds), 2 * OF_A_SCRIPT, "each tab was let in each time");
    }
    let who = "return (async () => { const at = new URL('../kit/session.js', document.querySelector('script[type=module]').src);\
        return (await (await import(at)).ask('GET', '/api/auth/me')).user.role; })()";
    assert_eq!(screen.script(who), "store_manager");
    screen.is_clean();
    screen.browser.go_on_in(&first);
    assert_eq!(screen.script(who), "store_manager");
    screen.is_clean();
}

#[test]
fn an_answer_that_a_proxy_loses_is_asked_for_again_and_nothing_is_done_twice() {
    let store = Store::open_with("", 1);
    let proxy = Proxy::before(store.address());
    let Some(mut screen) = Screen::through(&proxy, "/pos") else { return };
    screen.log_in("till-1");
    screen.open_shift();
    screen.scans("89900070");
    screen.reads("#total", "27,750");
    screen.sees(".display[aria-busy=false]");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("50.");
    // The store takes the payment, but its answer is lost.
    proxy.set(Chaos::LoseAnswer, b"POST /api/pos/transactions");
    screen.presses(ENTER);
    screen.reads("#banner", "Payment Rp\u{a0}50,000: not confirmed yet");
    wait::until("the repeated request loses its answer too", || (proxy.tampered() > 1).then_some(()));
    proxy.set(Chaos::Pass, b"POST /api/pos/transactions");
    screen.reads("#change", "22,250");
    screen.reads("#banner", "Payment Rp\u{a0}50,000: already done, receipt \u{2026}00000001");
    screen.is_clean();
    let sales = audit::items(&mut store.login("till-1"), "/api/pos/transactions");
    assert_eq!((sales.len(), &sales[0]["state"]), (1, &json!("paid")));
    assert_eq!(sales[0]["payments"].as_array().map(Vec::len), Some(1));
}

/// Script that returns whether the browser's cookie can still refresh the till's session.
const RENEWS: &str = "return (async () => (await fetch('/api/auth/refresh', {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json',\
    'Idempotency-Key': 'who-is-still-there-' + Math.random(), 'X-Session': 'cookie; app=pos'}})).status)()";

#[test]
fn a_log_out_ends_the_session_also_when_the_pages_token_has_expired() {
    let Some(mut screen) = Screen::open(Store::open_with("", 1)) else { return };
    screen.log_in("till-1");
    screen.sees("#float");
    // The first request has a token that is no longer valid.
    screen.script(
        "const real = window.fetch; window.fetch = (url, how) => { if (!String(url).endsWith('/logout')) return real(url, how);\
         window.fetch = real; return real(url, {...how, headers: {...how.headers, Authorization: 'Bearer expired'}}); }",
    );
    screen.script("document.querySelector('pos-app').logOut()");
    screen.sees("#username");
    wait::until("the session is over", || {
        (screen.script("return localStorage.getItem('session.leaving.pos')") == json!(null)).then_some(())
    });
    assert_eq!(screen.script(RENEWS), 401);
    screen.is_clean();
}

#[test]
fn a_log_out_that_did_not_reach_the_store_is_shown_and_repeated() {
    let Some(mut screen) = Screen::open(Store::open_with("", 1)) else { return };
    screen.log_in("till-1");
    screen.sees("#float");
    screen.browser.devtools("Network.enable", &json!({}));
    screen.browser.devtools("Network.setBlockedURLs", &json!({"urls": ["*/api/auth/*"]}));
    screen.script("document.querySelector('pos-app').logOut()");
    screen.sees("#username");
    screen.reads("#banner", "Not logged out yet");
    // A reloaded page continues the log-out, and lets nobody in with the old session.
    screen.visit("/pos");
    screen.sees("#username");
    screen.reads("#banner", "Not logged out yet");
    screen.browser.devtools("Network.setBlockedURLs", &json!({"urls": []}));
    wait::until("the message has disappeared", || screen.text("#banner").is_empty().then_some(()));
    assert_eq!(screen.script(RENEWS), 401);
    screen.log_in("till-1");
    screen.sees("#float");
    screen.is_clean();
}
