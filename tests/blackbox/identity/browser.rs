//! Passkeys in a real browser, on the page that the store serves.

use testkit::client::browser::Browser;
use testkit::store::{PASSWORD, Store};
use testkit::wait;

/// Waits until the page has told how a step ended; it has to have ended so.
#[track_caller]
fn told(browser: &mut Browser, expected: &str) {
    let told = wait::until("the page tells how it ended", || {
        let told = browser.text("#told");
        (!told.is_empty() && told != "…").then_some(told)
    });
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn a_device_is_registered_and_logs_in_on_the_stores_own_page() {
    let store = Store::open_with("", 1);
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&format!("http://localhost:{}/passkeys", store.port()));
    browser.write("#username", "till-1@s001.example");
    browser.write("#password", "a wrong horse");
    browser.press("#enter");
    told(&mut browser, "Refused: invalid_credentials");
    // Nothing is registered yet: the browser finds no key for what the store asks.
    browser.press("#device");
    told(&mut browser, "Refused: ");
    browser.write("#password", PASSWORD);
    browser.press("#enter");
    told(&mut browser, "Logged in");
    browser.write("#name", "Thumb of till 1");
    // Being logged in is not enough: the password once more, or a device that is registered.
    browser.press("#register");
    told(&mut browser, "Refused: ");
    browser.write("#again", "a wrong horse");
    browser.press("#register");
    told(&mut browser, "Refused: invalid_credentials");
    browser.write("#again", PASSWORD);
    browser.press("#register");
    told(&mut browser, "Registered");
    assert!(browser.text("#devices").contains("Thumb of till 1"));
    let copied = browser.credentials();
    assert_eq!(copied.len(), 1);
    // One device is registered once. It was asked who this is before the browser was asked for a new one.
    browser.press("#register");
    told(&mut browser, "Refused: ");
    let used = store.login("till-1").get("/api/auth/webauthn/credentials").data(200);
    assert!(used["items"][0]["last_used_at"].is_string(), "{used}");
    browser.press("#leave");
    told(&mut browser, "Logged out");

    browser.press("#device");
    told(&mut browser, "Logged in");
    browser.press("#leave");
    told(&mut browser, "Logged out");
    // Somebody else's thumb.
    browser.verifies_its_user(false);
    browser.press("#device");
    told(&mut browser, "Refused: ");
    browser.verifies_its_user(true);
    browser.press("#device");
    told(&mut browser, "Logged in");
    browser.press("#leave");
    told(&mut browser, "Logged out");
    // A copy from before those log-ins has a counter that has been seen.
    let genuine = browser.credentials();
    browser.hold(&copied[0]);
    browser.press("#device");
    told(&mut browser, "Refused: invalid_credentials");
    browser.hold(&genuine[0]);
    browser.press("#device");
    told(&mut browser, "Logged in");
    browser.press("#devices button");
    told(&mut browser, "Removed");
    browser.press("#leave");
    told(&mut browser, "Logged out");
    browser.press("#device");
    told(&mut browser, "Refused: ");
}
