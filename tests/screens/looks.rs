//! Pages in intermediate states, the size of the first load, caching, forced colours and the content security policy.

use crate::examine::{Pictures, examined};
use crate::screen::{ENTER, F9, Screen};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use testkit::{Store, wait};

/// Highest number of bytes transferred before the first sale.
const BYTES_MAX: u64 = 90 * 1024;
const REQUESTS_MAX: u64 = 30;

/// Checks the open page in a state that has no address; `tests/screens/walk.rs` checks the others.
#[track_caller]
pub fn look<S>(screen: &mut Screen<S>, name: &str) {
    let place = match name.split_once('-') {
        Some((app @ ("admin" | "portal"), page)) => format!("{app}/{page}"),
        _ => format!("pos/{name}"),
    };
    let wrong = examined(screen, &place, Pictures::Two);
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    screen.is_clean();
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
fn with_forced_colours_selected_and_pressed_elements_have_a_border() {
    let Some(mut screen) = Screen::selling(Store::open_with("", 1)) else { return };
    let features = json!({"features": [{"name": "forced-colors", "value": "active"}]});
    screen.browser.devtools("Emulation.setEmulatedMedia", &features);
    screen.basket(&["89900010", "89900030"], "16,095");
    let bounded = |screen: &mut Screen, marks: &[&str]| {
        let bare = screen.script(&format!(
            "return {}.filter((mark) => {{ const one = document.querySelector(mark); const style = one && getComputedStyle(one);\
             const has = (side) => style[side + 'Style'] !== 'none' && parseFloat(style[side + 'Width']) >= 1;\
             return !one || !(has('outline') || has('borderTop')); }})",
            json!(marks)
        ));
        assert_eq!(bare, json!([]), "these elements have no visible border");
    };
    bounded(&mut screen, &[".row.sel", ".pay", ".line", ".member", ".display", ".acts button"]);
    screen.presses(F9);
    screen.sees("#amount");
    bounded(&mut screen, &[".methods [aria-checked=true]", ".pay, .primary", "#amount"]);
    screen.visit("/admin");
    screen.log_in("manager");
    screen.sees(".figures");
    bounded(&mut screen, &["nav [aria-current]", ".panel"]);
    screen.is_clean();
}

#[test]
fn the_other_pages_keep_the_content_security_policy() {
    let Some(mut screen) = Screen::open(Store::open_with("", 1)) else { return };
    screen.visit("/docs");
    screen.reads("#title", "Store Router");
    screen.is_clean();
    // The former address of a page leads to *My devices*.
    screen.visit("/passkeys");
    screen.log_in("till-1");
    screen.sees("page-devices h1");
    screen.is_clean();
}

/// Returns the head of the answer to a browser that has the page cached, which the test client can't request.
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
fn files_are_cached_by_their_content() {
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
    store.client().get(&other).refused(404, "path_not_found");
    store.client().get(&script.replace("main.js", "main.ts")).refused(404, "path_not_found");
    let texts = store.client().get(&script.replace("pos/main.js", "kit/texts.id.json"));
    assert_eq!((texts.status, texts.header("content-type")), (200, Some("application/json")));
    store.client().get(&script.replace("pos/main.js", "vendor/package.json")).refused(404, "path_not_found");
}

#[test]
fn a_wrong_password_shows_beside_the_field() {
    let Some(mut screen) = Screen::open(Store::open_with("", 1)) else { return };
    screen.sees("#username");
    screen.browser.write("#username", "till-1@s001.example");
    screen.browser.write("#password", "wrong horse");
    screen.presses(ENTER);
    wait::until("the message is shown", || {
        (screen.text("page-login [role=alert]") == "Wrong login name or password").then_some(())
    });
    assert_eq!(screen.focus(), "password");
    assert_eq!(screen.script("return localStorage.getItem('session.generation.pos')"), Value::Null);
}
