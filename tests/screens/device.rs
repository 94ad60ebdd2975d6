//! The settings of this device: the page shows the scanner's speed, and sets the limit between a scan and a person. For
//! both apps.

use crate::looks::look;
use crate::screen::{ESCAPE, Screen};
use crate::stockroom::{admin, choose, go};
use serde_json::json;
use testkit::Store;

/// Milliseconds between the keys of a scanner that is too slow for the default limit.
const SLOW: u32 = 70;

#[test]
fn a_slow_scanner_is_seen_and_its_limits_are_set_for_every_page_of_the_device() {
    let store = Store::open();
    let Some(mut screen) = admin(&store, "warehouse") else { return };
    go(&mut screen, "#/device", "#test-scan");
    screen.script("document.querySelector('#test-scan').focus()");
    screen.scans("8990001234");
    screen.reads("#measured", "8990001234");
    screen.reads("#measured .badge", "Scan");
    screen.reads("#measured", "Enter,");
    screen.browser.scan("8990001234", SLOW);
    screen.reads("#measured .badge", "Not a scan");
    look(&mut screen, "admin-device");
    for (limit, value) in [("gap", "150"), ("median", "120")] {
        choose(&mut screen, &format!("#limit-{limit}"), value);
    }
    screen.script("document.querySelector('#test-scan').focus()");
    screen.browser.scan("8990001234", SLOW);
    screen.reads("#measured .badge", "Scan");
    // In any other field this scanner is now recognised, and the field keeps its value.
    screen.script("document.querySelector('#device-lock').focus()");
    screen.browser.scan("8990001234", SLOW);
    screen.reads("#banner", "8990001234 ignored");
    assert_eq!(screen.script("return document.querySelector('#device-lock').value"), "15");
    // An invalid number is replaced by the nearest valid one, also after a reload.
    choose(&mut screen, "#limit-suffix", "90000");
    screen.browser.reload();
    screen.sees("#limit-suffix");
    let shown =
        "return ['gap', 'median', 'suffix'].map((one) => document.querySelector(`#limit-${one}`).value)";
    assert_eq!(screen.script(shown), json!(["150", "120", "500"]));
    screen.browser.press("#as-shipped");
    assert_eq!(screen.script(shown), json!(["50", "35", "100"]));
    screen.is_clean();
}

#[test]
fn the_till_has_the_same_page_and_locks_itself_as_it_says() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.script("document.querySelector('pos-app').menu()");
    screen.presses_named("dialog .btn", "This device");
    screen.sees("#device-lock");
    choose(&mut screen, "#device-lock", "1");
    screen.browser.press("#device-sounds");
    choose(&mut screen, "#device-theme", "dark");
    choose(&mut screen, "#device-language", "id");
    screen.reads("h1", "Perangkat ini");
    assert_eq!(
        screen.script("return [localStorage.sounds, document.documentElement.dataset.theme]"),
        json!(["off", "dark"])
    );
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.script("const till = document.querySelector('pos-app'); till.touched -= 61_000; till.idle()");
    screen.reads("page-locked", "Terkunci");
    screen.is_clean();
}
