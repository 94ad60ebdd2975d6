//! Stores without a daemon behind them: a key and a chain of records, of their own or made after those of a real store.

use crate::client::Client;
use crate::hub::{HUB_ID, Hub};
use crate::store::STORE_ID;
use domain::model::hub::chain;
use domain::model::hub::chain::GENESIS;
use edge::keys::SigningKey;
use edge::{clock, tokens::sync};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

/// How long a store waits for an answer where hundreds ask at once.
const PATIENCE: Duration = Duration::from_secs(120);
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
            "about": crate::records::about(kind, payload), "payload": payload})
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

/// An enrolled store with records that the hub has not seen.
pub struct Simulated {
    hub: SocketAddr,
    id: String,
    key: SigningKey,
    events: Vec<Value>,
}

/// What became of a push.
pub enum Pushed {
    /// The hub has everything.
    All,
    /// It asks to come again after so many seconds.
    Later(u64),
}

impl Simulated {
    /// Another store's record, as this one would have written it.
    pub fn of(id: &str, record: &str) -> String {
        record.replace(STORE_ID, id).replace("\"event_id\":\"", &format!("\"event_id\":\"{id}-"))
    }

    #[track_caller]
    pub fn enrol(hub: &Hub, admin: &mut Client, id: &str, records: &[String]) -> Self {
        let added = admin.post("/api/stores", &json!({"store_id": id})).data(201);
        let key = SigningKey::generate().unwrap();
        let enrol = json!({"enrolment_token": added["enrolment_token"], "store_id": id,
            "public_key": key.public_key_text(), "version": "0.1.0"});
        hub.client().post("/api/sync/enrol", &enrol).data(200);
        let mut hash = GENESIS.to_owned();
        let event = |(seq, record): (usize, &String)| {
            let record = Self::of(id, record);
            hash = chain::next(&hash, &record);
            json!({"seq": seq + 1, "hash": hash, "record": record})
        };
        let events = records.iter().enumerate().map(event).collect();
        Self { hub: hub.address(), id: id.to_owned(), key, events }
    }

    fn client(&self) -> Client {
        let token = sync::issue(&self.key, &self.id, HUB_ID, clock::now()).unwrap();
        // Hundreds of stores come at once.
        Client::new(self.hub).with_token(&token).patient_for(PATIENCE)
    }

    /// Hello, and everything in one batch.
    #[track_caller]
    pub fn returns(&self) -> Pushed {
        let (head, now) = (self.events.last().unwrap(), clock::now());
        let state = json!({"epoch": EPOCH, "head_seq": head["seq"], "head_hash": head["hash"], "acked_seq": 0,
            "acked_hash": GENESIS, "min_kept_seq": 1});
        let backlog = json!({"pending": self.events.len(), "oldest_pending_at": now});
        let hello = json!({"store_id": self.id, "epoch": EPOCH, "lineage": [state], "apart": false,
            "version": "0.1.0", "schema_max": 1, "cursor": null, "wall_clock": now, "backlog": backlog,
            "day_start": "00:00"});
        let greeted = self.client().post("/api/sync/hello", &hello);
        if greeted.status == 503 {
            return later(&greeted);
        }
        assert_eq!(greeted.data(200)["directive"], json!("ok"));
        let push = json!({"store_id": self.id, "sender_epoch": EPOCH, "epoch": EPOCH, "prev_hash": GENESIS,
            "events": self.events, "backlog": backlog});
        let pushed = self.client().post("/api/sync/push", &push);
        if pushed.status == 503 {
            return later(&pushed);
        }
        assert_eq!(pushed.data(200)["acked_hash"], head["hash"]);
        Pushed::All
    }
}

fn later(reply: &crate::Reply) -> Pushed {
    reply.refused(503, "unavailable");
    Pushed::Later(reply.header("retry-after").and_then(|after| after.parse().ok()).expect("Retry-After"))
}
