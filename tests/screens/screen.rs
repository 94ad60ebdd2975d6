//! A page as used by a person and a scanner. Every violation of its policy and every script error fails the test.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::chaos::Proxy;
use testkit::client::browser::Browser;
use testkit::hub::Hub;
use testkit::store::PASSWORD;
use testkit::{Store, wait};

pub const ENTER: char = '\u{E007}';
pub const ESCAPE: char = '\u{E00C}';
pub const F1: char = '\u{E031}';
pub const F2: char = '\u{E032}';
pub const F3: char = '\u{E033}';
pub const F6: char = '\u{E036}';
pub const F7: char = '\u{E037}';
pub const F8: char = '\u{E038}';
pub const F9: char = '\u{E039}';
pub const F10: char = '\u{E03A}';
/// Milliseconds between two keys of a person, and of a scanner.
const PERSON: u64 = 70;
const SCANNER: u32 = 5;

/// Script that records violations of the policy and script errors from the start of every page.
const WATCH: &str = "window.troubles = [];\
    document.addEventListener('securitypolicyviolation', (e) => troubles.push(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}`));\
    addEventListener('error', (e) => troubles.push(e.error?.stack ?? e.message));\
    addEventListener('unhandledrejection', (e) => troubles.push(e.reason?.stack ?? String(e.reason)));";

/// Time after which the test prints a page that lacks an expected element.
pub const TELLS_AFTER: Duration = Duration::from_secs(5);
const WHOLE_PAGE: &str = "return location.href + ' ' + document.body.innerText";

/// Checks of a page, which run inside it.
const EXAMINE: &str = include_str!("examine.js");

/// Prepares a tab before its first page.
#[track_caller]
fn watch(browser: &mut Browser) {
    for source in [WATCH, EXAMINE] {
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": source}));
    }
    // Pages must not depend on the machine's locale.
    browser.devtools("Emulation.setLocaleOverride", &json!({"locale": "en-GB"}));
}

/// One page in one browser, and its store. Head office has none.
pub struct Screen<S = Store> {
    pub browser: Browser,
    pub store: S,
    /// Port of the daemon that serves the pages.
    port: u16,
}

impl Screen<()> {
    /// Opens the portal of a head office. Returns `None` without a browser.
    #[track_caller]
    pub fn office(hub: &Hub) -> Option<Self> {
        let mut screen = Self::blank((), hub.address().port())?;
        screen.visit("/");
        Some(screen)
    }

    /// Opens a page of a store that runs elsewhere. Returns `None` without a browser.
    #[track_caller]
    pub fn of(store: &Store, path: &str) -> Option<Self> {
        let mut screen = Self::blank((), store.port())?;
        screen.visit(path);
        Some(screen)
    }

    /// Continues in the same browser at a page of another store.
    #[track_caller]
    pub fn turns_to(&mut self, store: &Store, path: &str) {
        self.port = store.port();
        self.visit(path);
    }

    /// Opens a page of the store behind a proxy.
    #[track_caller]
    pub fn through(proxy: &Proxy, path: &str) -> Option<Self> {
        let mut screen = Self::blank((), proxy.address.port())?;
        screen.visit(path);
        Some(screen)
    }
}

impl Screen {
    /// Opens the till's page of a store. Returns `None` without a browser.
    #[track_caller]
    pub fn open(store: Store) -> Option<Self> {
        let port = store.port();
        let mut screen = Self::blank(store, port)?;
        screen.visit("/pos");
        Some(screen)
    }

    /// Logs in a cashier and opens a shift by keyboard.
    #[track_caller]
    pub fn selling(store: Store) -> Option<Self> {
        let mut screen = Self::open(store)?;
        screen.log_in("till-1");
        screen.open_shift();
        Some(screen)
    }
}

impl<S> Screen<S> {
    #[track_caller]
    fn blank(store: S, port: u16) -> Option<Self> {
        let mut browser = Browser::start()?;
        watch(&mut browser);
        Some(Self { browser, store, port })
    }

    /// Opens a tab and switches to it. Returns the former one.
    #[track_caller]
    pub fn tab(&mut self) -> String {
        let before = self.browser.tab();
        watch(&mut self.browser);
        before
    }

    #[track_caller]
    pub fn visit(&mut self, path: &str) {
        self.browser.open(&format!("http://localhost:{}{path}", self.port));
    }

    #[track_caller]
    pub fn log_in(&mut self, who: &str) {
        self.log_in_as(&format!("{who}@s001.example"));
    }

    #[track_caller]
    pub fn log_in_as(&mut self, username: &str) {
        self.sees("#username");
        self.browser.write("#username", username);
        self.browser.write("#password", PASSWORD);
        self.presses(ENTER);
    }

    #[track_caller]
    pub fn open_shift(&mut self) {
        self.sees("#float");
        self.types("200.");
        self.presses(ENTER);
        self.sees("#line");
    }

    /// Opens the shift of a till with this name.
    #[track_caller]
    pub fn open_till(&mut self, register: &str) {
        self.sees("#float");
        self.script(&format!("document.querySelector('#register').value = '{register}'"));
        self.open_shift();
    }

    /// Sells the basket for its exact amount by the method of this key, and continues.
    #[track_caller]
    pub fn pays(&mut self, letter: &str) {
        self.presses(F9);
        self.sees("#amount");
        self.types(letter);
        self.types("e");
        self.presses(ENTER);
        self.sees("#receipt-no");
        self.presses(ENTER);
        self.sees("#line");
    }

    /// Waits until the selector matches an element.
    #[track_caller]
    pub fn sees(&mut self, selector: &str) {
        let found = format!("return document.querySelector({}) !== null", json!(selector));
        let mut reported = Instant::now();
        wait::until(&format!("the page shows {selector}"), || {
            let is_there = self.script(&found) == true;
            // Reading a page's text causes a layout, which is too expensive for each poll.
            if !is_there && reported.elapsed() > TELLS_AFTER {
                reported = Instant::now();
                self.tells(&format!("without {selector}"));
            }
            is_there.then_some(())
        });
    }

    /// Prints the text of the page.
    #[track_caller]
    pub fn tells(&mut self, why: &str) {
        println!("{why}: {}", self.script(WHOLE_PAGE));
    }

    /// Waits until an element has this text.
    #[track_caller]
    pub fn reads(&mut self, selector: &str, expected: &str) {
        let mut last = String::new();
        wait::until(&format!("{selector} reads {expected}"), || {
            let text = self.text(selector);
            let right = text.contains(expected);
            if text != last {
                println!("{selector}: {text}");
                last = text;
            }
            right.then_some(())
        });
    }

    /// Returns the text of an element, or an empty string if there is none.
    #[track_caller]
    pub fn text(&mut self, selector: &str) -> String {
        let script = format!("return document.querySelector({})?.innerText ?? ''", json!(selector));
        self.script(&script).as_str().unwrap().trim().to_owned()
    }

    #[track_caller]
    pub fn script(&mut self, script: &str) -> Value {
        self.browser.run(script)
    }

    /// Holds back the page's next request to an address until `goes()` is called.
    #[track_caller]
    pub fn holds_back(&mut self, address: &str) {
        self.script(&format!(
            "const real = window.fetch; window.fetch = async (url, how) => {{ if (/{address}/.test(url)) \
             await new Promise((go) => {{ window.goes = () => {{ window.fetch = real; go(); }}; }}); return real(url, how); }}"
        ));
    }

    /// Returns the ID of the focused element.
    #[track_caller]
    pub fn focus(&mut self) -> String {
        self.script("return document.activeElement.id").as_str().unwrap().to_owned()
    }

    /// Presses the first of these elements with this text, once there is one.
    #[track_caller]
    pub fn presses_named(&mut self, selector: &str, label: &str) {
        let script = format!(
            "const one = [...document.querySelectorAll({})].find((one) => one.innerText.includes({}) && !one.disabled);\
             one?.click(); return Boolean(one)",
            json!(selector),
            json!(label)
        );
        wait::until(&format!("{selector} says {label}"), || (self.script(&script) == true).then_some(()));
    }

    #[track_caller]
    pub fn types(&mut self, text: &str) {
        self.browser.keys(text, PERSON);
    }

    #[track_caller]
    pub fn presses(&mut self, key: char) {
        self.browser.keys(&key.to_string(), PERSON);
    }

    #[track_caller]
    pub fn scans(&mut self, code: &str) {
        self.browser.scan(code, SCANNER);
    }

    /// Scans, and waits for the store's figures.
    #[track_caller]
    pub fn basket(&mut self, codes: &[&str], total: &str) {
        for code in codes {
            self.scans(code);
        }
        self.reads("#total", total);
        self.sees(".display[aria-busy=false]");
    }

    /// Asserts that there were no violations of the policy and no script errors.
    #[track_caller]
    pub fn is_clean(&mut self) {
        assert_eq!(self.script("return troubles"), json!([]));
    }
}
