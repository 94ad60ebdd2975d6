//! Every page at four widths, light and dark: nothing overflows, nothing that axe-core calls serious; and how much is
//! loaded. `SCREENS=write` keeps the pictures in `docs/screens/`.

use crate::screen::{ENTER, ESCAPE, F7, F8, F9, F10, Screen};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use testkit::{Store, wait};

const WIDTHS: [(u32, u32); 4] = [(360, 780), (768, 1024), (1280, 800), (1920, 1080)];
/// What is shown at every width.
const MAIN: [&str; 4] = ["sell", "pay", "admin-today", "portal-stores"];
/// What is loaded before the first sale, as it goes over the wire.
const BYTES_MAX: u64 = 90 * 1024;
const REQUESTS_MAX: u64 = 30;
const AXE: &str = include_str!("axe.min.js");

/// Looks at the page that is open.
#[track_caller]
pub fn look<S>(screen: &mut Screen<S>, name: &str) {
    // The longest transition and the banner are over; nothing moves any more.
    screen.script("return document.fonts.ready.then(() => true)");
    for theme in ["light", "dark"] {
        screen.script(&format!("document.documentElement.dataset.theme = '{theme}'"));
        for (width, height) in WIDTHS {
            let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
            screen.browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
            // A page scrolls in its own part too: the till's strip and dock stay.
            let widest = "return Math.max(document.documentElement.scrollWidth, document.querySelector('main')?.scrollWidth ?? 0)";
            let wide = screen.script(widest).as_u64().unwrap();
            assert!(wide <= width.into(), "{name} at {width}: {wide} px wide");
            if width == 360 || width == 1280 {
                is_accessible(screen, &format!("{name}, {theme}, {width}"));
            }
            let shown = MAIN.contains(&name) || matches!((width, theme), (1280, "light") | (360, "dark"));
            if shown && std::env::var_os("SCREENS").is_some() {
                let page = match name.split_once('-') {
                    Some((app @ ("admin" | "portal" | "buying" | "books" | "catalogue"), page)) => {
                        format!("{app}/{page}")
                    }
                    _ => format!("pos/{name}"),
                };
                let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screens").join(page);
                std::fs::create_dir_all(&folder).unwrap();
                let dark = if theme == "dark" { "-dark" } else { "" };
                std::fs::write(folder.join(format!("{width}{dark}.png")), screen.browser.picture()).unwrap();
            }
        }
    }
    screen.browser.devtools("Emulation.clearDeviceMetricsOverride", &json!({}));
    screen.is_clean();
}

/// The page that is open at every width, also those that a browser zoomed to 200 and 400 % has: nothing is wider than the
/// window; and what axe-core says of it in both themes. Of a page that is made of the same parts as others.
#[track_caller]
pub fn fits<S>(screen: &mut Screen<S>, name: &str) {
    for (width, theme) in [(320, ""), (360, "dark"), (640, ""), (768, ""), (1280, "light"), (1920, "")] {
        let metrics = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        screen.browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
        let wide = screen.script("return document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(wide <= width, "{name} at {width}: {wide} px wide");
        if !theme.is_empty() {
            screen.script(&format!("document.documentElement.dataset.theme = '{theme}'"));
            is_accessible(screen, &format!("{name}, {theme}, {width}"));
        }
    }
    screen.browser.devtools("Emulation.clearDeviceMetricsOverride", &json!({}));
    screen.is_clean();
}

#[track_caller]
fn is_accessible<S>(screen: &mut Screen<S>, name: &str) {
    if screen.script("return typeof axe") == "undefined" {
        screen.browser.devtools("Runtime.evaluate", &json!({"expression": AXE}));
    }
    let found = screen.script(
        "return axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations\
         .filter(({impact}) => impact === 'serious' || impact === 'critical')\
         .map(({id, nodes}) => `${id}: ${nodes.map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')).join(' | ')}`))",
    );
    assert_eq!(found, json!([]), "{name}");
}

#[test]
fn every_page_of_the_till_is_fit_to_be_seen() {
    let Some(mut screen) = Screen::open(Store::open_with("payments.cash_rounding = 50\n", 1)) else { return };
    screen.sees("#username");
    look(&mut screen, "login");
    screen.log_in("till-1");
    screen.sees("#float");
    look(&mut screen, "open");
    // Goods without a code, as a person puts them on keys.
    let keys = json!([{"sku": "8990011", "name": "Plastic bag", "price": 1}, {"sku": "8990006", "name": "Ice cube", "price": 150}]);
    screen.script(&format!("localStorage.setItem('quick', JSON.stringify({keys}))"));
    screen.open_shift();
    look(&mut screen, "sell-empty");
    let goods = ["89900010", "89900030", "89900070", "89900120", "89900100", "89900020", "89900080"];
    screen.basket(&goods, "121,990");
    look(&mut screen, "sell");
    screen.types("product");
    screen.sees("#found-0");
    look(&mut screen, "search");
    screen.presses(ESCAPE);
    screen.types("/");
    screen.sees("dialog");
    look(&mut screen, "actions");
    screen.presses(ESCAPE);
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("k");
    screen.types("50.");
    screen.presses(ENTER);
    screen.sees(".due .btn");
    screen.types("100.");
    look(&mut screen, "pay");
    screen.presses(ENTER);
    screen.sees("#change");
    look(&mut screen, "paid");
    screen.presses(ENTER);
    screen.sees("#line");
    let no = screen
        .script("return document.querySelector('pos-app').last.receipt_no")
        .as_str()
        .unwrap()
        .to_owned();
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types(&no);
    screen.presses(ENTER);
    screen.sees("#back-1");
    screen.types("1");
    screen.sees(".pay:enabled");
    look(&mut screen, "return");
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.scans("89900010");
    screen.sees(".row");
    screen.presses('\u{E036}');
    screen.reads("#banner", "The basket waits");
    screen.presses(F7);
    screen.sees("tbody tr");
    look(&mut screen, "holds");
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.script("document.querySelector('pos-app').show('receipts')");
    screen.sees(".slip");
    look(&mut screen, "receipts");
    screen.presses(ESCAPE);
    screen.presses(F10);
    screen.sees(".facts");
    look(&mut screen, "cash");
    screen.presses(F9);
    screen.sees("#note-100000");
    screen.types("1");
    look(&mut screen, "close");
    screen.script("document.querySelector('pos-app').speak('id')");
    screen.reads("h1", "Tutup shift");
    look(&mut screen, "close-id");
}

#[test]
fn the_first_load_is_small_and_compressed() {
    let Some(mut screen) = Screen::open(Store::open_with("", 1)) else { return };
    screen.sees("#username");
    let loaded = screen.script(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]\
         .map((e) => [new URL(e.name).pathname, e.encodedBodySize, e.decodedBodySize])",
    );
    let loaded = loaded.as_array().unwrap();
    let bytes: u64 = loaded.iter().map(|file| file[1].as_u64().unwrap()).sum();
    println!("{} requests, {bytes} bytes", loaded.len());
    assert!(bytes <= BYTES_MAX && (loaded.len() as u64) <= REQUESTS_MAX, "{bytes} bytes in {loaded:#?}");
    for file in loaded.iter().filter(|file| file[2].as_u64() > Some(1024)) {
        assert!(file[1].as_u64() < file[2].as_u64(), "{file} is not compressed");
    }
}

#[test]
fn the_other_pages_keep_to_the_policy() {
    let Some(mut screen) = Screen::open(Store::open_with("", 1)) else { return };
    screen.visit("/docs");
    screen.reads("#title", "Store Router");
    screen.is_clean();
    // What was a page of its own leads to *My devices*.
    screen.visit("/passkeys");
    screen.log_in("till-1");
    screen.sees("page-devices h1");
    screen.is_clean();
}

/// The head of the answer to a browser that has the page: no till's client asks so.
fn raw(store: &Store, tag: &str) -> String {
    let mut stream = TcpStream::connect(store.address()).unwrap();
    let request =
        format!("GET /pos HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {tag}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn files_are_kept_and_asked_for_by_what_they_hold() {
    let store = Store::open_with("", 1);
    let page = store.client().get("/pos");
    assert_eq!(page.status, 200);
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("require-trusted-types-for 'script'") && !policy.contains("unsafe"), "{policy}");
    let tag = page.header("etag").unwrap().to_owned();
    assert!(raw(&store, &tag).starts_with("HTTP/1.1 304"), "{}", raw(&store, &tag));
    let text = page.text();
    let script = text.split("src=\"").nth(1).unwrap().split('"').next().unwrap();
    let file = store.client().send("GET", script, &[("Accept-Encoding", "gzip, br")], b"");
    assert_eq!((file.status, file.header("content-encoding")), (200, Some("gzip")));
    assert!(file.header("cache-control").unwrap().contains("immutable"));
    let other = script.replacen(script.split('/').nth(2).unwrap(), "0123456789abcdef", 1);
    store.client().get(&other).refused(404, "not_found");
    store.client().get(&script.replace("main.js", "main.ts")).refused(404, "not_found");
}

#[test]
fn a_wrong_password_is_said_beside_the_field() {
    let Some(mut screen) = Screen::open(Store::open_with("", 1)) else { return };
    screen.sees("#username");
    screen.browser.write("#username", "till-1@s001.example");
    screen.browser.write("#password", "wrong horse");
    screen.presses(ENTER);
    wait::until("it is said", || {
        (screen.text("page-login [role=alert]") == "The login name or the password is wrong").then_some(())
    });
    assert_eq!(screen.focus(), "password");
    assert_eq!(screen.script("return localStorage.getItem('session.generation.pos')"), Value::Null);
}
