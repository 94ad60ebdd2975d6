//! A real headless browser, driven over WebDriver, with a software authenticator: Chromium, or Firefox if [`CHOICE`] is
//! set.

use crate::client::Client;
use crate::client::firefox::{self, Bidi};
use crate::process::{Daemon, find_program};
use crate::store::free_address;
use crate::wait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// Environment variable that names the browser. Default: Chromium.
pub const CHOICE: &str = "TEST_BROWSER";
const FIREFOX: &str = "firefox-esr";
const FIREFOX_DRIVER: &str = "geckodriver";
const DRIVER: &str = "chromedriver";
/// The headless shell of Chromium starts in a quarter of the time. The browser is used where the shell is not
/// installed.
const HEADLESS: &str = "chromium-headless-shell";
const CHROMIUM: &str = "chromium";
/// Timeout of the start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest wait for an element before it is pressed or written into.
const FOUND_WITHIN_MS: u64 = 30_000;
/// WebDriver's key for an element in its answers.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Ctrl, as a bit of the browser's protocol.
const CTRL: u64 = 2;

/// Keys by their names in WebDriver.
const CONTROL: char = '\u{E009}';
const ENTER: char = '\u{E007}';
const TAB: char = '\u{E004}';

/// Script that returns the page's time once the last typed key is handled: no key comes before the earlier one is done.
const AFTER: &str = "return new Promise((begin) => { const look = () => {\
    const now = (performance.timeOrigin + performance.now()) / 1000;\
    if (now > LAST + 0.06) begin(now); else setTimeout(look, 10); }; look(); })";

/// One browser with one page, and an empty profile.
pub struct Browser {
    driver: Client,
    session: String,
    authenticator: String,
    /// Time in seconds of the last key that was typed with its own time.
    typed_at: f64,
    /// Firefox's connection for commands that WebDriver lacks.
    bidi: Option<Bidi>,
    _process: Daemon,
    /// The last field, because the processes must end before their folder is removed.
    _folder: TempDir,
}

/// A command that starts `shell` with a page: it opens none by itself, and the driver waits for one.
fn with_a_page(shell: &Path, folder: &Path) -> PathBuf {
    let command = folder.join("browser");
    let script = format!("#!/bin/sh\nexec {} \"$@\" about:blank\n", shell.display());
    std::fs::write(&command, script).unwrap();
    std::fs::set_permissions(&command, std::fs::Permissions::from_mode(0o700)).unwrap();
    command
}

fn options(chromium: &Path, folder: &Path) -> Value {
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let args = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        &profile,
    ];
    json!({"browserName": "chrome", "webauthn:virtualAuthenticators": true,
        "timeouts": {"implicit": FOUND_WITHIN_MS},
        "goog:chromeOptions": {"binary": chromium, "args": args}})
}

/// Returns the command of a driver that listens on a port, and the capabilities of its sessions.
fn chromium(folder: &Path, port: u16) -> Option<(Command, Value)> {
    let chromium = find_program(HEADLESS).map(|shell| with_a_page(&shell, folder));
    let chromium = chromium.or_else(|| find_program(CHROMIUM))?;
    let mut command = Command::new(find_program(DRIVER)?);
    command.arg(format!("--port={port}"));
    Some((command, options(&chromium, folder)))
}

/// As [`chromium`].
fn firefox(port: u16) -> Option<(Command, Value)> {
    let mut command = Command::new(find_program(FIREFOX_DRIVER)?);
    command.arg(format!("--port={port}")).arg(format!("--websocket-port={}", free_address().port()));
    Some((command, firefox::capabilities(&find_program(FIREFOX)?, FOUND_WITHIN_MS)))
}

/// Whether tests use Firefox.
pub fn is_firefox() -> bool {
    std::env::var(CHOICE).is_ok_and(|name| name == "firefox")
}

impl Browser {
    /// Starts a browser. Returns `None` and prints this if none is installed.
    pub fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let address = free_address();
        let found =
            if is_firefox() { firefox(address.port()) } else { chromium(folder.path(), address.port()) };
        let Some((mut command, capabilities)) = found else {
            println!("NOT RUN: the browser and its driver are not here; `cargo xtask test` installs them");
            return None;
        };
        command.env("HOME", folder.path());
        let process = Daemon::start(command, &folder.path().join("driver.log"));
        let mut client = Client::new(address).patient_for(PATIENCE);
        wait::until("the browser's driver answers", || {
            client.try_send("GET", "/status", &[], b"").ok().filter(|reply| reply.status == 200)
        });
        let capabilities = json!({"capabilities": {"alwaysMatch": capabilities}});
        let session = value(&mut client, "POST", "/session", &capabilities);
        let mut browser = Self {
            driver: client,
            session: session["sessionId"].as_str().unwrap().to_owned(),
            authenticator: String::new(),
            typed_at: 0.0,
            bidi: session["capabilities"]["webSocketUrl"].as_str().map(Bidi::connect),
            _process: process,
            _folder: folder,
        };
        let thumb = json!({"protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
            "hasUserVerification": true, "isUserConsenting": true, "isUserVerified": true});
        let id = browser.ask("POST", "/webauthn/authenticator", &thumb);
        id.as_str().unwrap().clone_into(&mut browser.authenticator);
        Some(browser)
    }

    #[track_caller]
    fn ask(&mut self, method: &str, path: &str, body: &Value) -> Value {
        value(&mut self.driver, method, &format!("/session/{}{path}", self.session), body)
    }

    #[track_caller]
    pub fn open(&mut self, address: &str) {
        self.ask("POST", "/url", &json!({"url": address}));
    }

    /// Goes back to the former page, like the Back button.
    #[track_caller]
    pub fn back(&mut self) {
        self.ask("POST", "/back", &json!({}));
    }

    /// Loads the page again, and waits until it is there.
    #[track_caller]
    pub fn reload(&mut self) {
        self.ask("POST", "/refresh", &json!({}));
    }

    /// Opens another tab of the same profile and continues in it. Returns the former tab.
    #[track_caller]
    pub fn tab(&mut self) -> String {
        let before = self.ask("GET", "/window", &Value::Null).as_str().unwrap().to_owned();
        let new = self.ask("POST", "/window/new", &json!({"type": "tab"}));
        self.go_on_in(new["handle"].as_str().unwrap());
        before
    }

    /// Continues in an existing tab.
    #[track_caller]
    pub fn go_on_in(&mut self, tab: &str) {
        self.ask("POST", "/window", &json!({"handle": tab}));
    }

    /// Runs a script in the page and returns its result; the script may return a promise.
    #[track_caller]
    pub fn run(&mut self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Sends a command of the browser's own protocol.
    #[track_caller]
    pub fn devtools(&mut self, command: &str, params: &Value) -> Value {
        if self.bidi.is_some() {
            let tab = self.ask("GET", "/window", &Value::Null);
            return self.bidi.as_mut().unwrap().devtools(tab.as_str().unwrap(), command, params);
        }
        self.ask("POST", "/goog/cdp/execute", &json!({"cmd": command, "params": params}))
    }

    /// Presses these keys one after the other, this many milliseconds apart: 5 is a scanner, 60 a person.
    #[track_caller]
    pub fn keys(&mut self, keys: &str, gap_ms: u64) {
        // The pause comes first as well, because a person's key does not follow a scanner's at once.
        let pause = json!({"type": "pause", "duration": gap_ms});
        let pressed = keys.chars().flat_map(|key| {
            [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key}), pause.clone()]
        });
        let actions: Vec<_> = std::iter::once(pause.clone()).chain(pressed).collect();
        self.ask(
            "POST",
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}),
        );
    }

    /// Types a code and Enter as a scanner does, by the clock of the events, so that load of the machine has no effect.
    #[track_caller]
    pub fn scan(&mut self, code: &str, gap_ms: u32) {
        self.types_at(&format!("{code}\r"), gap_ms);
    }

    /// Types this many milliseconds apart by the events' own clock; `\r` is Enter, `\t`
    /// Tab, `\u{1d}` the Ctrl and `]` of FNC1.
    #[track_caller]
    pub fn types_at(&mut self, text: &str, gap_ms: u32) {
        self.types_in_parts(&[text], gap_ms, 0);
    }

    /// Does the same with a longer pause between the parts, like a scanner that stops for a moment.
    #[track_caller]
    pub fn types_in_parts(&mut self, parts: &[&str], gap_ms: u32, pause_ms: u32) {
        if self.bidi.is_some() {
            self.types_in_time(parts, gap_ms, pause_ms);
            return;
        }
        let mut at = self.run(&AFTER.replace("LAST", &self.typed_at.to_string())).as_f64().unwrap();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                at += (f64::from(pause_ms) - f64::from(gap_ms)) / 1000.0;
            }
            for text in part.chars().map(String::from) {
                self.key_at(&text, at);
                at += f64::from(gap_ms) / 1000.0;
            }
        }
    }

    /// Does the same by the machine's clock, for a browser whose events have no other.
    #[track_caller]
    fn types_in_time(&mut self, parts: &[&str], gap_ms: u32, pause_ms: u32) {
        let mut actions = vec![json!({"type": "pause", "duration": 100.max(gap_ms)})];
        for part in parts {
            for key in part.chars() {
                let (held, key) = match key {
                    '\u{1d}' => (Some(CONTROL), ']'),
                    '\r' => (None, ENTER),
                    '\t' => (None, TAB),
                    key => (None, key),
                };
                actions.extend(held.map(|held| json!({"type": "keyDown", "value": held})));
                actions.push(json!({"type": "keyDown", "value": key}));
                actions.push(json!({"type": "keyUp", "value": key}));
                actions.extend(held.map(|held| json!({"type": "keyUp", "value": held})));
                actions.push(json!({"type": "pause", "duration": gap_ms}));
            }
            actions.push(json!({"type": "pause", "duration": pause_ms}));
        }
        let typed = json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]});
        self.ask("POST", "/actions", &typed);
    }

    #[track_caller]
    fn key_at(&mut self, text: &str, at: f64) {
        self.typed_at = at;
        let event = match text {
            "\u{1d}" => json!({"type": "rawKeyDown", "key": "]", "modifiers": CTRL, "timestamp": at}),
            "\r" => {
                json!({"type": "keyDown", "key": "Enter", "text": text, "windowsVirtualKeyCode": 13, "timestamp": at})
            }
            "\t" => {
                json!({"type": "keyDown", "key": "Tab", "text": text, "windowsVirtualKeyCode": 9, "timestamp": at})
            }
            key => {
                json!({"type": "keyDown", "key": key, "text": key, "windowsVirtualKeyCode": 0, "timestamp": at})
            }
        };
        self.devtools("Input.dispatchKeyEvent", &event);
    }

    /// Makes the next keys come after a person's pause.
    #[track_caller]
    pub fn pauses(&mut self, ms: u32) {
        let now = self.run("return (performance.timeOrigin + performance.now()) / 1000").as_f64().unwrap();
        self.typed_at = now + f64::from(ms) / 1000.0;
    }

    /// The visible page, as a PNG.
    #[track_caller]
    pub fn picture(&mut self) -> Vec<u8> {
        let picture = self.ask("GET", "/screenshot", &Value::Null);
        STANDARD.decode(picture.as_str().unwrap()).unwrap()
    }

    /// Presses the element that the selector finds, as a user would, once it exists.
    #[track_caller]
    pub fn press(&mut self, selector: &str) {
        let element = self.find(selector);
        self.ask("POST", &format!("/element/{element}/click"), &json!({}));
    }

    #[track_caller]
    pub fn write(&mut self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.ask("POST", &format!("/element/{element}/clear"), &json!({}));
        self.ask("POST", &format!("/element/{element}/value"), &json!({"text": text}));
    }

    #[track_caller]
    pub fn text(&mut self, selector: &str) -> String {
        let element = self.find(selector);
        let text = self.ask("GET", &format!("/element/{element}/text"), &Value::Null);
        text.as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn find(&mut self, selector: &str) -> String {
        let found = self.ask("POST", "/element", &json!({"using": "css selector", "value": selector}));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Sets whether the device verifies its user.
    #[track_caller]
    pub fn verifies_its_user(&mut self, verifies: bool) {
        let path = format!("/webauthn/authenticator/{}/uv", self.authenticator);
        self.ask("POST", &path, &json!({"isUserVerified": verifies}));
    }

    /// Credentials of the authenticator.
    #[track_caller]
    pub fn credentials(&mut self) -> Vec<Value> {
        let path = format!("/webauthn/authenticator/{}/credentials", self.authenticator);
        self.ask("GET", &path, &Value::Null).as_array().unwrap().clone()
    }

    /// Puts a credential into the authenticator, as a thief with a copy would.
    #[track_caller]
    pub fn hold(&mut self, credential: &Value) {
        let path = format!("/webauthn/authenticator/{}", self.authenticator);
        let id = credential["credentialId"].as_str().unwrap();
        self.ask("DELETE", &format!("{path}/credentials/{id}"), &Value::Null);
        self.ask("POST", &format!("{path}/credential"), credential);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium ends with its session. Killing only the driver would leave it running.
        let _ = self.driver.try_send("DELETE", &format!("/session/{}", self.session), &[], b"");
    }
}

#[track_caller]
fn value(driver: &mut Client, method: &str, path: &str, body: &Value) -> Value {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let reply = driver.send(method, path, &[], body.as_bytes());
    assert_eq!(reply.status, 200, "{method} {path}: {}", reply.text());
    serde_json::from_slice::<Value>(&reply.body).unwrap()["value"].clone()
}
