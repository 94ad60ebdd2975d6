//! Stores without a daemon behind them: a key and a chain of records, of their own or made after those of a real store.

use crate::client::Client;
use crate::hub::{HUB_ID, Hub};
use crate::store::STORE_ID;
use domain::model::base::time::UtcMs;
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

/// Something that happened in a store.
pub struct Told {
    pub kind: &'static str,
    pub event_id: String,
    pub at: UtcMs,
    pub payload: Value,
}

impl Shop {
    #[track_caller]
    pub fn open(hub: &Hub, id: &'static str) -> Self {
        Self::open_at(hub, id, clock::now())
    }

    /// The same where this is the hub's time.
    #[track_caller]
    pub fn open_at(hub: &Hub, id: &'static str, now: UtcMs) -> Self {
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
        shop.greets(now);
        shop
    }

    #[track_caller]
    pub fn greets(&self, now: UtcMs) {
        let lineage = match self.seq {
            0 => json!([]),
            head => json!([{"epoch": EPOCH, "head_seq": head, "head_hash": self.hash, "acked_seq": head,
                "acked_hash": self.hash, "min_kept_seq": 1}]),
        };
        let hello = json!({"store_id": self.id, "epoch": EPOCH, "lineage": lineage, "apart": false,
            "version": "0.1.0", "schema_max": 1, "cursor": null, "wall_clock": now,
            "backlog": {"pending": 0, "oldest_pending_at": null}, "day_start": "00:00"});
        assert_eq!(self.speaks(now).post("/api/sync/hello", &hello).data(200)["directive"], "ok");
    }

    /// Somebody with a token for one request at this time.
    pub fn speaks(&self, now: UtcMs) -> Client {
        self.speaks_to(self.hub, now)
    }

    /// The same to this process of the hub.
    pub fn speaks_to(&self, hub: SocketAddr, now: UtcMs) -> Client {
        let token = sync::issue(&self.key, self.id, HUB_ID, now).unwrap();
        Client::new(hub).with_token(&token)
    }

    /// A lane of its feed, whole.
    #[track_caller]
    pub fn hears(&self, lane: &str) -> Vec<Value> {
        let (mut changes, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/api/sync/pull?lane={lane}&limit=500{cursor}");
            let page = self.speaks(clock::now()).get(&path).data(200);
            changes.extend(page["changes"].as_array().unwrap().iter().cloned());
            cursor = format!("&cursor={}", page["next_cursor"].as_str().unwrap());
            if page["more"] == json!(false) {
                return changes;
            }
        }
    }

    /// The push that tells of all this; the chain continues behind it.
    pub fn batch(&mut self, told: &[Told]) -> Value {
        let (before, oldest) = (self.hash.clone(), told.first().map(|told| told.at));
        let mut events = Vec::new();
        for Told { kind, event_id, at, payload } in told {
            let stamp = format!("{:013}-00000-{}", at.0, self.id);
            let record =
                json!({"event_id": event_id, "type": kind, "schema": 1, "at": stamp, "occurred_at": at,
                "about": crate::records::about(kind, payload), "payload": payload})
                .to_string();
            (self.seq, self.hash) = (self.seq + 1, chain::next(&self.hash, &record));
            events.push(json!({"seq": self.seq, "hash": self.hash, "record": record}));
        }
        let backlog = json!({"pending": events.len(), "oldest_pending_at": oldest});
        json!({"store_id": self.id, "sender_epoch": EPOCH, "epoch": EPOCH, "prev_hash": before, "events": events,
            "backlog": backlog})
    }

    /// Tells of something that happened just now; gives the hub's answer.
    #[track_caller]
    pub fn tells(&mut self, kind: &'static str, event_id: &str, payload: &Value) -> Value {
        let now = clock::now();
        let told = Told { kind, event_id: event_id.to_owned(), at: now, payload: payload.clone() };
        let body = self.batch(&[told]);
        self.speaks(now).post("/api/sync/push", &body).data(200)
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
    /// It asks to retry after this many seconds.
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
