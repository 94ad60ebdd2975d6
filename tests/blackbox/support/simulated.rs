//! A store that is nothing but a key and a chain of records, made after those of a real one.

use super::http::Client;
use super::hub::{HUB_ID, Hub};
use super::store::STORE_ID;
use domain::chain::{self, GENESIS};
use edge::keys::SigningKey;
use edge::{clock, tokens::sync};
use serde_json::{Value, json};
use std::net::SocketAddr;

const EPOCH: &str = "1-00000000000000aa";

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
        Client::new(self.hub).with_token(&token)
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

fn later(reply: &super::Reply) -> Pushed {
    reply.refused(503, "unavailable");
    Pushed::Later(reply.header("retry-after").and_then(|after| after.parse().ok()).expect("Retry-After"))
}
