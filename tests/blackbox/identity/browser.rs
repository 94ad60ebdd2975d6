//! Passkeys in a real browser, on *My devices*, which `/passkeys` opens.

use serde_json::json;
use testkit::client::browser::Browser;
use testkit::store::{PASSWORD, Store};
use testkit::wait;

const ALERT: &str = "page-login [role=alert]";
const PROBLEM: &str = "dialog .problem";
const DEVICES: &str = "page-devices h1";
const BY_DEVICE: &str = "button[name=by]";
const REGISTER: &str = "page-devices .btn.primary";

/// Returns the text of an element, or an empty string if there is none.
fn words(browser: &mut Browser, selector: &str) -> String {
    let script = format!("return document.querySelector({})?.innerText ?? ''", json!(selector));
    browser.run(&script).as_str().unwrap_or_default().to_owned()
}

/// Waits until the text of an element contains these words.
#[track_caller]
fn reads(browser: &mut Browser, selector: &str, expected: &str) {
    wait::until(&format!("{selector} says {expected}"), || {
        let said = words(browser, selector);
        (!said.is_empty() && said.contains(expected)).then_some(())
    });
}

#[track_caller]
fn leave(browser: &mut Browser) {
    browser.press(".foot button:last-child");
    reads(browser, "page-login h1", "Log in");
}

/// Confirms the registration with a password.
#[track_caller]
fn register(browser: &mut Browser, again: &str) {
    browser.write("#f-again", again);
    browser.press("dialog .btn.primary");
}

#[test]
fn a_device_is_registered_and_logs_in_on_the_stores_own_page() {
    let store = Store::open_with("", 1);
    let Some(mut browser) = Browser::start() else { return };
    browser.devtools("Emulation.setLocaleOverride", &json!({"locale": "en-GB"}));
    browser.open(&format!("http://localhost:{}/passkeys", store.port()));
    reads(&mut browser, "page-login h1", "Log in");
    browser.write("#username", "till-1@s001.example");
    browser.write("#password", "a wrong horse");
    browser.press("page-login .btn.primary");
    reads(&mut browser, ALERT, "Wrong login name or password");
    // No passkey is registered yet, so the browser finds none for the store's request.
    browser.press(BY_DEVICE);
    reads(&mut browser, ALERT, "No passkey was used");
    browser.write("#password", PASSWORD);
    browser.press("page-login .btn.primary");
    reads(&mut browser, DEVICES, "My devices");
    reads(&mut browser, "page-devices", "No passkeys registered");
    browser.press(REGISTER);
    reads(&mut browser, "#dialog-title", "Add a passkey");
    browser.write("#f-name", "Thumb of till 1");
    // A session is not enough: registering needs the password again, or a registered device.
    browser.press("dialog .btn.primary");
    reads(&mut browser, PROBLEM, "is missing");
    register(&mut browser, "a wrong horse");
    reads(&mut browser, PROBLEM, "Wrong login name or password");
    register(&mut browser, PASSWORD);
    reads(&mut browser, "page-devices tbody", "Thumb of till 1");
    let copied = browser.credentials();
    assert_eq!(copied.len(), 1);
    // A device can be registered only once. The person has confirmed who they are before the browser is asked for a new
    // passkey.
    browser.press(REGISTER);
    browser.write("#f-name", "The same thumb");
    browser.press("dialog .btn.primary");
    reads(&mut browser, PROBLEM, "already has a passkey");
    browser.press("dialog footer button[type=button]");
    let used = store.login("till-1").get("/api/auth/webauthn/credentials").data(200);
    assert!(used["items"][0]["last_used_at"].is_string(), "{used}");
    leave(&mut browser);

    browser.press(BY_DEVICE);
    reads(&mut browser, DEVICES, "My devices");
    leave(&mut browser);
    // The device can't verify its user.
    browser.verifies_its_user(false);
    browser.press(BY_DEVICE);
    reads(&mut browser, ALERT, "No passkey was used");
    browser.verifies_its_user(true);
    browser.press(BY_DEVICE);
    reads(&mut browser, DEVICES, "My devices");
    leave(&mut browser);
    // A copy from before those log-ins has a counter that was already used.
    let genuine = browser.credentials();
    browser.hold(&copied[0]);
    browser.press(BY_DEVICE);
    reads(&mut browser, ALERT, "Wrong login name or password");
    browser.hold(&genuine[0]);
    browser.press(BY_DEVICE);
    reads(&mut browser, DEVICES, "My devices");
    browser.press("page-devices tbody button");
    reads(&mut browser, "#dialog-title", "Remove Thumb of till 1?");
    browser.press("dialog .danger");
    reads(&mut browser, "page-devices", "No passkeys registered");
    leave(&mut browser);
    browser.press(BY_DEVICE);
    reads(&mut browser, ALERT, "No passkey was used");
}
