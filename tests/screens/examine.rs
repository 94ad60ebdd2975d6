//! Checks of every page: at up to six widths nothing is cut off or wider than the window, and the main action can be
//! pressed; axe-core finds no problem of any level on a page, and no serious one in an intermediate state, in either
//! theme and language; Tab reaches every control and shows its position. `SCREENS=write` writes the pictures to
//! `target/screens/`.

use crate::screen::Screen;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const AXE: &str = include_str!("axe.min.js");
const TAB: &str = "\u{E004}";
/// Quality of the pictures, of 100: the lowest at which text is sharp.
const QUALITY: u32 = 60;
/// Highest number of elements of a page with as many rows as a list loads at once.
const ELEMENTS_MAX: u64 = 1_500;
const ROWS_AT_ONCE: u64 = 50;

/// A window, and the checks of the page in it.
struct Window {
    width: u32,
    height: u32,
    theme: &'static str,
    /// Whether to use the other language.
    translated: bool,
    /// Whether the page is also checked at this width by `tests/screens/layout.rs` or `till/layout.rs`.
    laid_out: bool,
    axe: bool,
    picture: bool,
}

const fn window(width: u32, height: u32, theme: &'static str) -> Window {
    Window { width, height, theme, translated: false, laid_out: false, axe: false, picture: true }
}

const fn asked(before: Window) -> Window {
    Window { axe: true, ..before }
}

const fn translated(before: Window) -> Window {
    Window { translated: true, picture: false, axe: true, ..before }
}

const fn laid_out(before: Window) -> Window {
    Window { laid_out: true, ..before }
}

const fn unseen(before: Window) -> Window {
    Window { picture: false, ..before }
}

/// The first two are 1280 by 1024 at 400 and 200 %. The runs of axe-core combine each theme with each width and
/// language.
const WINDOWS: [Window; 8] = [
    unseen(window(320, 256, "light")),
    laid_out(unseen(window(640, 512, "light"))),
    laid_out(window(768, 1024, "light")),
    laid_out(window(1920, 1080, "light")),
    translated(window(360, 780, "light")),
    translated(window(1280, 800, "dark")),
    asked(window(360, 780, "dark")),
    asked(window(1280, 800, "light")),
];
/// More pictures, in addition to those of [`WINDOWS`].
const MORE_PICTURES: [Window; 4] = [
    window(360, 780, "light"),
    window(768, 1024, "dark"),
    window(1280, 800, "dark"),
    window(1920, 1080, "dark"),
];

/// Number of pictures of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pictures {
    /// Four widths in both themes.
    All,
    /// A wide light one and a narrow dark one, for intermediate states of a page.
    Two,
}

pub fn writes_pictures() -> bool {
    std::env::var_os("SCREENS").is_some()
}

pub fn strings(found: &Value) -> Vec<String> {
    found.as_array().into_iter().flatten().map(|one| one.as_str().unwrap_or_default().to_owned()).collect()
}

/// Checks the open page in every window, and reports problems. `place` is the folder of its pictures.
#[track_caller]
pub fn examined<S>(screen: &mut Screen<S>, place: &str, pictures: Pictures) -> Vec<String> {
    let own = screen.script("return document.documentElement.lang");
    let other = if own == "id" { "en" } else { "id" };
    let mut wrong = Vec::new();
    // States that only one test reaches are checked in every window.
    for one in WINDOWS.iter().filter(|one| pictures == Pictures::Two || writes_pictures() || !one.laid_out) {
        open(screen, one, if one.translated { other } else { own.as_str().unwrap() });
        let name =
            format!("{} px, {}{}", one.width, one.theme, if one.translated { ", translated" } else { "" });
        wrong.extend(
            strings(&screen.script("return examine.fits()")).iter().map(|what| format!("{name}: {what}")),
        );
        if one.axe {
            wrong.extend(inaccessible(screen, pictures).iter().map(|what| format!("{name}: {what}")));
        }
        if one.picture {
            keep(screen, one, place, pictures);
        }
    }
    if writes_pictures() && pictures == Pictures::All {
        for one in &MORE_PICTURES {
            open(screen, one, own.as_str().unwrap());
            keep(screen, one, place, pictures);
        }
    }
    screen.browser.devtools("Emulation.clearDeviceMetricsOverride", &json!({}));
    screen.script("document.documentElement.dataset.theme = 'light'");
    wrong
}

#[track_caller]
fn open<S>(screen: &mut Screen<S>, window: &Window, language: &str) {
    let metrics =
        json!({"width": window.width, "height": window.height, "deviceScaleFactor": 1, "mobile": false});
    screen.browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    screen.script(&format!(
        "document.documentElement.dataset.theme = '{}';\
         if (document.documentElement.lang !== '{language}') examine.app().speak('{language}');\
         return examine.drawn()",
        window.theme
    ));
}

#[track_caller]
fn keep<S>(screen: &mut Screen<S>, window: &Window, place: &str, pictures: Pictures) {
    let few = matches!((window.width, window.theme), (1280, "light") | (360, "dark"));
    if !writes_pictures() || (pictures == Pictures::Two && !few) {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screens").join(place);
    fs::create_dir_all(&folder).unwrap();
    let dark = if window.theme == "dark" { "-dark" } else { "" };
    let how = json!({"format": "webp", "quality": QUALITY});
    let picture = screen.browser.devtools("Page.captureScreenshot", &how);
    let bytes = STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
    fs::write(folder.join(format!("{}{dark}.webp", window.width)), bytes).unwrap();
}

#[track_caller]
fn inaccessible<S>(screen: &mut Screen<S>, pictures: Pictures) -> Vec<String> {
    if screen.script("return typeof axe") == "undefined" {
        screen.browser.devtools("Runtime.evaluate", &json!({"expression": AXE}));
    }
    // An intermediate state may lack parts of a whole page, such as a heading.
    let levels =
        if pictures == Pictures::All { "impact" } else { "['serious', 'critical'].includes(impact)" };
    strings(&screen.script(&format!(
        "return axe.run(document, {{resultTypes: ['violations']}}).then(({{violations}}) => violations\
         .filter(({{impact}}) => {levels})\
         .map(({{id, nodes}}) => `${{id}}: ${{nodes.map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')).join(' | ')}}`))",
    )))
}

/// Goes through the open page by Tab only.
#[track_caller]
pub fn tabbed<S>(screen: &mut Screen<S>) -> Vec<String> {
    let many = screen.script("return examine.tabsBegin()").as_u64().unwrap();
    screen.browser.keys(&TAB.repeat(usize::try_from(many).unwrap()), 0);
    // The last Tab may have left the page for the browser. Focus rings are drawn only in the active window.
    let inside = |screen: &mut Screen<S>, on: bool| {
        screen.browser.devtools("Emulation.setFocusEmulationEnabled", &json!({"enabled": on}));
    };
    inside(screen, true);
    let wrong = strings(&screen.script("return examine.tabsEnd()"));
    inside(screen, false);
    screen.script("return examine.app().focusPage()");
    wrong
}

/// Asserts that the page has no more elements than allowed.
#[track_caller]
pub fn crowded<S>(screen: &mut Screen<S>) -> Option<String> {
    let many = screen.script(&format!("return examine.elements({ROWS_AT_ONCE})")).as_u64().unwrap();
    (many > ELEMENTS_MAX).then(|| format!("{many} elements with {ROWS_AT_ONCE} rows"))
}
