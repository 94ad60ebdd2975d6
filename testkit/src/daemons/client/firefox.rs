//! Firefox for the tests of pages: it is driven like Chromium, and commands of Chromium's own protocol are translated
//! to WebDriver BiDi. Commands without a counterpart panic; tests that need them run only in Chromium.

use serde_json::{Value, json};
use std::net::{SocketAddr, TcpStream};
use tungstenite::{Message, WebSocket};

/// The capabilities of a session with a virtual authenticator.
pub fn capabilities(firefox: &std::path::Path, wait_ms: u64) -> Value {
    let preferences = json!({
        "intl.accept_languages": "en-GB, en", "intl.locale.requested": "en-GB",
        "security.webauth.webauthn_enable_softtoken": true, "security.webauth.webauthn_enable_usbtoken": false,
    });
    json!({"browserName": "firefox", "webSocketUrl": true, "webauthn:virtualAuthenticators": true,
        "timeouts": {"implicit": wait_ms},
        "moz:firefoxOptions": {"binary": firefox, "args": ["-headless"], "prefs": preferences}})
}

/// A connection for WebDriver BiDi.
pub struct Bidi {
    socket: WebSocket<TcpStream>,
    /// ID of the last command.
    last: u64,
}

impl Bidi {
    /// Connects to the `webSocketUrl` of a session.
    pub fn connect(url: &str) -> Self {
        let host = url.trim_start_matches("ws://").split('/').next().unwrap();
        let stream = TcpStream::connect(host.parse::<SocketAddr>().unwrap()).unwrap();
        let (socket, _) = tungstenite::client(url, stream).unwrap();
        Self { socket, last: 0 }
    }

    /// Carries out a command of Chromium's protocol in a tab.
    #[track_caller]
    pub fn devtools(&mut self, tab: &str, command: &str, params: &Value) -> Value {
        match command {
            "Page.addScriptToEvaluateOnNewDocument" => {
                let function = format!("() => {{ {} }}", params["source"].as_str().unwrap());
                let script = json!({"functionDeclaration": function, "contexts": [tab]});
                self.command("script.addPreloadScript", &script)
            }
            "Emulation.setLocaleOverride" => {
                let locale = json!({"locale": params["locale"], "contexts": [tab]});
                self.command("emulation.setLocaleOverride", &locale)
            }
            "Emulation.setDeviceMetricsOverride" => {
                let viewport = json!({"width": params["width"], "height": params["height"]});
                let scale = params["deviceScaleFactor"].as_f64().filter(|scale| *scale > 0.0);
                let size = json!({"context": tab, "viewport": viewport, "devicePixelRatio": scale});
                self.command("browsingContext.setViewport", &size)
            }
            "Emulation.clearDeviceMetricsOverride" => {
                let size = json!({"context": tab, "viewport": null, "devicePixelRatio": null});
                self.command("browsingContext.setViewport", &size)
            }
            "Runtime.evaluate" => {
                let script = json!({"expression": params["expression"], "target": {"context": tab}, "awaitPromise": false});
                self.command("script.evaluate", &script)
            }
            // The window of a browser without a screen always has the focus.
            "Emulation.setFocusEmulationEnabled" => Value::Null,
            other => panic!("Firefox has no {other}"),
        }
    }

    #[track_caller]
    fn command(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let text = json!({"id": self.last, "method": method, "params": params}).to_string();
        self.socket.send(Message::text(text)).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.last {
                assert_eq!(answer["type"], "success", "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }
}
