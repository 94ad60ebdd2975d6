//! Unit tests of parts of the pages, in a real browser: each file of `units/` runs in the till's page.

use crate::screen::Screen;
use serde_json::json;
use testkit::Store;

/// Script with the helpers of each file: importing a module of the page, and comparing.
const AT_HAND: &str = "const wrong = []; const main = document.querySelector('script[type=module]').src;\
    const of = (file) => import(new URL(`../${file}.js`, main));\
    const is = (what, given, expected) => { const [found, meant] = [given, expected].map((one) => JSON.stringify(one));\
    if (found !== meant) wrong.push(`${what}: ${found}, not ${meant}`); };";

#[test]
fn parts_of_the_pages_do_what_they_say() {
    let Some(mut screen) = Screen::open(Store::open_with("", 1)) else { return };
    screen.sees("#username");
    for (name, unit) in [
        ("scan", include_str!("units/scan.js")),
        ("codes", include_str!("units/codes.js")),
        ("format", include_str!("units/format.js")),
        ("intents", include_str!("units/intents.js")),
        ("offers", include_str!("units/offers.js")),
        ("pages", include_str!("units/pages.js")),
        ("counts", include_str!("units/counts.js")),
        ("dates", include_str!("units/dates.js")),
        ("typed", include_str!("units/typed.js")),
    ] {
        let wrong = screen.script(&format!("return (async () => {{ {AT_HAND}\n{unit}\nreturn wrong; }})()"));
        assert_eq!(wrong, json!([]), "{name}");
    }
    screen.is_clean();
}
