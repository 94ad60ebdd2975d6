//! Types and helpers of the probes.

use serde_json::{Value, json};
use std::sync::Mutex;
use testkit::client::authenticator::Authenticator;
use testkit::{Client, Store};

/// Test of one operation. Probes share one shop and run in order.
pub struct Probe<S> {
    /// Method and path as in the document.
    pub operation: &'static str,
    pub prepare: fn(&mut S) -> Attempt,
}

/// Three bodies for one path and one key.
pub struct Attempt {
    pub client: Client,
    pub path: String,
    pub media_type: &'static str,
    pub refused: String,
    pub body: String,
    pub other: String,
}

impl Attempt {
    /// Registers a person's first device. Its ID is kept for the probe that removes it.
    pub fn new_device(mut client: Client, password: &str, port: u16, kept: &Mutex<Option<String>>) -> Self {
        let mut device = Authenticator::new(&format!("http://localhost:{port}"), None);
        *kept.lock().unwrap() = Some(device.credential_id());
        let confirmed = json!({"password": password});
        let begun = client.post("/api/auth/webauthn/register/start", &confirmed).data(200);
        let credential = device.register(&begun["public_key"]);
        let body =
            |name: &str| json!({"ceremony_id": begun["ceremony_id"], "name": name, "credential": credential});
        let (body, other) = (body("A"), body("B"));
        Self::new(client, "/api/auth/webauthn/register/finish", body, other)
    }

    /// Registers a device for a person and returns its ID.
    pub fn registered(client: Client, password: &str, port: u16) -> String {
        let kept = Mutex::new(None);
        let Self { mut client, path, body, .. } = Self::new_device(client, password, port, &kept);
        client.send("POST", &path, &[("Content-Type", "application/json")], body.as_bytes()).data(201);
        kept.into_inner().unwrap().unwrap()
    }

    pub fn new(client: Client, path: &str, body: Value, other: Value) -> Self {
        Self {
            client,
            path: path.to_owned(),
            media_type: "application/json",
            refused: json!({"no_such_field": 1}).to_string(),
            body: body.to_string(),
            other: other.to_string(),
        }
    }
}

/// Voids the unpaid baskets that earlier probes left in a shift. Closing the shift does not void partly paid ones.
pub fn voided(store: &Store, shift: &str) {
    let mut manager = store.login("manager");
    let open = manager.get(&format!("/api/pos/transactions?shift_id={shift}&state=open")).data(200);
    for basket in open["items"].as_array().unwrap() {
        let path = format!("/api/pos/transactions/{}/void", basket["transaction_id"].as_str().unwrap());
        manager.post(&path, &json!({"reason": "left"})).data(200);
    }
}
