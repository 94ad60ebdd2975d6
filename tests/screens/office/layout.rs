//! Head office's pages at the sizes of its screens, in both languages and at 200 %: nothing is cut and nothing lies over
//! anything else. The walk has the phones and the attacks; here texts are as people write them.

use crate::examine::strings;
use crate::furnished::{Furnished, as_people, furnished};
use crate::screen::Screen;
use serde_json::json;

/// Width and height in the page's own pixels; the last one is 1280 by 800 at 200 %.
const SIZES: [(u32, u32); 5] = [(768, 1024), (1024, 768), (1280, 800), (1920, 1080), (640, 400)];
const LANGUAGES: [&str; 2] = ["en", "id"];
/// What is wrong with the page that is open, in each language.
const LOOKS: &str = "const wrong = []; for (const language of LANGUAGES) {\
        if (document.documentElement.lang !== language) examine.app().speak(language);\
        await examine.drawn();\
        wrong.push(...[...examine.fits(), ...examine.overlaps()].map((what) => `${language}: ${what}`)); }\
    return wrong";

#[test]
fn nothing_is_cut_or_covered_on_head_offices_screens() {
    let Furnished { shop, portal, .. } = furnished(as_people);
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as("admin@hub.example");
    screen.sees("page-overview h1");
    let menu = strings(&screen.script("return examine.app().menu().map(([name]) => `#/${name}`)"));
    let documents = portal.into_iter().map(|(_, address)| address);
    let looks =
        format!("return (async () => {{ {} }})()", LOOKS.replace("LANGUAGES", &json!(LANGUAGES).to_string()));
    let mut wrong = Vec::new();
    for address in menu.into_iter().chain(documents) {
        screen.script(&format!("return examine.go({})", json!(address)));
        for (width, height) in SIZES {
            let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
            screen.browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
            let found = strings(&screen.script(&looks));
            wrong.extend(found.iter().map(|what| format!("{address} at {width} x {height}, {what}")));
        }
        screen.browser.devtools("Emulation.clearDeviceMetricsOverride", &json!({}));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    screen.is_clean();
}
