//! Stores without a daemon: a key and a chain of records, of their own or like those of a real store.

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
use std::sync::Arc;
use std::time::Duration;

/// Timeout of a store's call when hundreds call at once.
const PATIENCE: Duration = Duration::from_secs(120);
const EPOCH: &str = "1-00000000000000aa";

/// A store as its hub sees it: an ID, a key and a chain of records. It makes the bodies of its calls and sends none.
#[derive(Clone)]
pub struct Chain {
    pub id: String,
    key: Arc<SigningKey>,
    currency: String,
    seq: u64,
    hash: String,
}

impl Chain {
    pub fn new(id: &str) -> Self {
        Self::counting_in(id, "IDR")
    }

    /// Does the same with amounts in this currency.
    pub fn counting_in(id: &str, currency: &str) -> Self {
        let key = Arc::new(SigningKey::generate().unwrap());
        let (id, currency) = (id.to_owned(), currency.to_owned());
        Self { id, key, currency, seq: 0, hash: GENESIS.to_owned() }
    }

    /// Returns a token for one call at this hub, now.
    pub fn token(&self, hub_id: &str) -> String {
        self.token_at(hub_id, clock::now())
    }

    fn token_at(&self, hub_id: &str, now: UtcMs) -> String {
        sync::issue(&self.key, &self.id, hub_id, now).unwrap()
    }

    /// Returns the body that enrols it with the token that head office made when it was `added`.
    pub fn enrolment(&self, added: &Value) -> Value {
        json!({"enrolment_token": added["enrolment_token"], "store_id": self.id,
            "public_key": self.key.public_key_text(), "version": "0.1.0", "currency": self.currency})
    }

    /// Returns its hello, with some of its records acknowledged or none of them.
    pub fn hello(&self, is_acked: bool) -> Value {
        self.hello_at(is_acked, clock::now())
    }

    fn hello_at(&self, is_acked: bool, now: UtcMs) -> Value {
        let (seq, hash) = if is_acked { (self.seq, self.hash.as_str()) } else { (0, GENESIS) };
        let state = json!({"epoch": EPOCH, "head_seq": self.seq, "head_hash": self.hash, "acked_seq": seq,
            "acked_hash": hash, "min_kept_seq": 1});
        let lineage = if self.seq == 0 { json!([]) } else { json!([state]) };
        json!({"store_id": self.id, "epoch": EPOCH, "lineage": lineage, "apart": false,
            "version": "0.1.0", "schema_max": 1, "cursor": null, "wall_clock": now,
            "backlog": {"pending": self.seq - seq, "oldest_pending_at": null}, "day_start": "00:00",
            "currency": self.currency})
    }

    /// Returns the push of these records; the chain continues after them.
    pub fn push(&mut self, records: impl IntoIterator<Item = String>) -> Value {
        let (before, mut events) = (self.hash.clone(), Vec::new());
        for record in records {
            (self.seq, self.hash) = (self.seq + 1, chain::next(&self.hash, &record));
            events.push(json!({"seq": self.seq, "hash": self.hash, "record": record}));
        }
        let backlog = json!({"pending": events.len(), "oldest_pending_at": null});
        json!({"store_id": self.id, "sender_epoch": EPOCH, "epoch": EPOCH, "prev_hash": before, "events": events,
            "backlog": backlog})
    }
}

/// An enrolled store that has said hello.
pub struct Shop {
    hub: SocketAddr,
    chain: Chain,
}

/// An event in a store.
pub struct Reported {
    pub kind: &'static str,
    pub event_id: String,
    pub at: UtcMs,
    pub payload: Value,
}

#[track_caller]
fn enrolled(hub: &Hub, admin: &mut Client, id: &str) -> Chain {
    let added = admin.post("/api/stores", &json!({"store_id": id})).data(201);
    let company = admin.get("/api/company").data(200);
    let chain = Chain::counting_in(id, company["currency"].as_str().unwrap());
    hub.client().post("/api/sync/enrol", &chain.enrolment(&added)).data(200);
    chain
}

impl Shop {
    #[track_caller]
    pub fn open(hub: &Hub, id: &str) -> Self {
        Self::open_at(hub, id, clock::now())
    }

    /// Does the same at this time of the hub.
    #[track_caller]
    pub fn open_at(hub: &Hub, id: &str, now: UtcMs) -> Self {
        let shop = Self { hub: hub.address(), chain: enrolled(hub, &mut hub.login(), id) };
        shop.greets(now);
        shop
    }

    #[track_caller]
    pub fn greets(&self, now: UtcMs) {
        let hello = self.chain.hello_at(true, now);
        assert_eq!(self.speaks(now).post("/api/sync/hello", &hello).data(200)["directive"], "ok");
    }

    /// A client with a token for one request at this time.
    pub fn speaks(&self, now: UtcMs) -> Client {
        self.speaks_to(self.hub, now)
    }

    /// Does the same for this process of the hub.
    pub fn speaks_to(&self, hub: SocketAddr, now: UtcMs) -> Client {
        Client::new(hub).with_token(&self.chain.token_at(HUB_ID, now))
    }

    /// Returns all changes of a lane of its feed.
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

    /// The push of all these records; the chain continues after it.
    pub fn batch(&mut self, reported: &[Reported]) -> Value {
        let id = self.chain.id.clone();
        let record = |Reported { kind, event_id, at, payload }: &Reported| {
            json!({"event_id": event_id, "type": kind, "schema": 1, "at": format!("{:013}-00000-{id}", at.0),
                "occurred_at": at, "about": crate::records::about(kind, payload), "payload": payload})
            .to_string()
        };
        let mut push = self.chain.push(reported.iter().map(record));
        push["backlog"]["oldest_pending_at"] = json!(reported.first().map(|reported| reported.at));
        push
    }

    /// Reports an event that happened just now; returns the hub's answer.
    #[track_caller]
    pub fn tells(&mut self, kind: &'static str, event_id: &str, payload: &Value) -> Value {
        let now = clock::now();
        let reported = Reported { kind, event_id: event_id.to_owned(), at: now, payload: payload.clone() };
        let body = self.batch(&[reported]);
        self.speaks(now).post("/api/sync/push", &body).data(200)
    }
}

/// An enrolled store with records that the hub has not seen.
pub struct Simulated {
    hub: SocketAddr,
    chain: Chain,
    push: Value,
}

/// Result of a push.
pub enum Pushed {
    /// The hub has everything.
    All,
    /// Retry requested after this number of seconds.
    Later(u64),
}

impl Simulated {
    /// Returns another store's record, as this one would have written it.
    pub fn of(id: &str, record: &str) -> String {
        record.replace(STORE_ID, id).replace("\"event_id\":\"", &format!("\"event_id\":\"{id}-"))
    }

    #[track_caller]
    pub fn enrol(hub: &Hub, admin: &mut Client, id: &str, records: &[String]) -> Self {
        let mut chain = enrolled(hub, admin, id);
        let push = chain.push(records.iter().map(|record| Self::of(id, record)));
        Self { hub: hub.address(), chain, push }
    }

    /// Hello, and everything in one batch.
    #[track_caller]
    pub fn returns(&self) -> Pushed {
        for (path, body) in [("hello", &self.chain.hello(false)), ("push", &self.push)] {
            // Hundreds of stores connect at once.
            let mut client =
                Client::new(self.hub).with_token(&self.chain.token(HUB_ID)).patient_for(PATIENCE);
            let reply = client.post(&format!("/api/sync/{path}"), body);
            if reply.status == 503 {
                reply.refused(503, "unavailable");
                let after = reply.header("retry-after").and_then(|after| after.parse().ok());
                return Pushed::Later(after.expect("Retry-After"));
            }
            let data = reply.data(200);
            match path {
                "hello" => assert_eq!(data["directive"], json!("ok")),
                _ => assert_eq!(data["acked_hash"], json!(self.chain.hash)),
            }
        }
        Pushed::All
    }
}
