//! A store as the hub sees one, without a daemon behind it: a key and a chain of records.

use super::Client;
use super::hub::Hub;
use domain::chain::{self, GENESIS};
use edge::keys::SigningKey;
use edge::{clock, tokens::sync};
use serde_json::{Value, json};
use std::net::SocketAddr;

const EPOCH: &str = "1-00000000000000aa";

/// An enrolled store that has said hello.
pub struct Shop {
    hub: SocketAddr,
    id: &'static str,
    key: SigningKey,
    seq: u64,
    hash: String,
}

impl Shop {
    #[track_caller]
    pub fn open(hub: &Hub, id: &'static str) -> Self {
        let added = hub.login().post("/api/stores", &json!({"store_id": id})).data(201);
        let shop = Self {
            hub: hub.address(),
            id,
            key: SigningKey::generate().unwrap(),
            seq: 0,
            hash: GENESIS.to_owned(),
        };
        let enrol = json!({"enrolment_token": added["enrolment_token"], "store_id": id,
            "public_key": shop.key.public_key_text(), "version": "0.1.0"});
        hub.client().post("/api/sync/enrol", &enrol).data(200);
        shop.says(
            "/api/sync/hello",
            &json!({"store_id": id, "epoch": EPOCH, "lineage": [], "apart": false,
            "version": "0.1.0", "schema_max": 1, "cursor": null, "wall_clock": clock::now(),
            "backlog": {"pending": 0, "oldest_pending_at": null}, "day_start": "00:00"}),
        );
        shop
    }

    #[track_caller]
    fn says(&self, path: &str, body: &Value) -> Value {
        self.client().post(path, body).data(200)
    }

    fn client(&self) -> Client {
        let token = sync::issue(&self.key, self.id, "H001", clock::now()).unwrap();
        Client::new(self.hub).with_token(&token)
    }

    /// A lane of its feed, whole.
    #[track_caller]
    pub fn hears(&self, lane: &str) -> Vec<Value> {
        let (mut changes, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/api/sync/pull?lane={lane}&limit=500{cursor}");
            let page = self.client().get(&path).data(200);
            changes.extend(page["changes"].as_array().unwrap().iter().cloned());
            cursor = format!("&cursor={}", page["next_cursor"].as_str().unwrap());
            if page["more"] == json!(false) {
                return changes;
            }
        }
    }

    /// Tells of something that happened just now; gives the hub's answer.
    #[track_caller]
    pub fn tells(&mut self, kind: &str, event_id: &str, payload: &Value) -> Value {
        let now = clock::now();
        let at = format!("{:013}-00000-{}", now.0, self.id);
        let record = json!({"event_id": event_id, "type": kind, "schema": 1, "at": at, "occurred_at": now,
            "payload": payload})
        .to_string();
        let hash = chain::next(&self.hash, &record);
        self.seq += 1;
        let body = json!({"store_id": self.id, "sender_epoch": EPOCH, "epoch": EPOCH, "prev_hash": self.hash,
            "events": [{"seq": self.seq, "hash": hash, "record": record}],
            "backlog": {"pending": 1, "oldest_pending_at": now}});
        self.hash = hash;
        self.says("/api/sync/push", &body)
    }
}
