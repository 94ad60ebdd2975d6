//! A store as the hub sees it: a key, epochs, a chain of records.

use crate::support::server::{Answer, Api, Server};
use crate::sync::records::Sale;
use domain::model::hub::chain;
use domain::model::hub::chain::GENESIS;
use edge::clock;
use edge::keys::SigningKey;
use edge::tokens::sync;
use serde_json::{Value, json};
use std::sync::Arc;

/// Chain of one epoch: `(hash, record)`, from seq 1.
#[derive(Clone, Default)]
pub struct Chain {
    pub epoch: String,
    pub records: Vec<(String, String)>,
    /// Number of records that the hub has acknowledged.
    pub acked: usize,
}

impl Chain {
    pub fn new(epoch: &str) -> Self {
        Self { epoch: epoch.to_owned(), ..Self::default() }
    }

    pub fn hash_at(&self, seq: usize) -> &str {
        seq.checked_sub(1).map_or(GENESIS, |index| &self.records[index].0)
    }

    pub fn append(&mut self, record: String) {
        let hash = chain::next(self.hash_at(self.records.len()), &record);
        self.records.push((hash, record));
    }

    pub fn state(&self) -> Value {
        let head = self.records.len();
        json!({"epoch": self.epoch, "head_seq": head, "head_hash": self.hash_at(head), "acked_seq": self.acked,
            "acked_hash": self.hash_at(self.acked), "min_kept_seq": 1})
    }

    /// Returns the records `from..=to`.
    pub fn events(&self, from: usize, to: usize) -> Vec<Value> {
        (from..=to)
            .map(
                |seq| json!({"seq": seq, "hash": self.records[seq - 1].0, "record": self.records[seq - 1].1}),
            )
            .collect()
    }
}

/// A store with its key.
#[derive(Clone)]
pub struct Shop {
    pub id: String,
    pub hub_id: String,
    pub key: Arc<SigningKey>,
    pub api: Api,
    pub chains: Vec<Chain>,
}

pub const FIRST: &str = "1-00000000000000aa";

impl Shop {
    /// Adds a store by the command and enrols it. It has sent no hello yet.
    pub async fn enrolled(server: &Server, id: &str) -> Self {
        let token = server.place.add_store(id);
        let shop = Self {
            id: id.to_owned(),
            hub_id: server.hub.identity.hub_id.clone(),
            key: Arc::new(SigningKey::generate().unwrap()),
            api: server.api(),
            chains: vec![Chain::new(FIRST)],
        };
        let answer = shop.enrol(&token).await;
        assert_eq!(answer.data()["hub_id"], shop.hub_id);
        shop
    }

    /// Enrols a store and sends the hello of its first epoch.
    pub async fn open(server: &Server, id: &str) -> Self {
        let shop = Self::enrolled(server, id).await;
        assert_eq!(shop.hello().await.data()["directive"], "ok");
        shop
    }

    pub async fn enrol(&self, token: &str) -> Answer {
        let body = json!({"enrolment_token": token, "store_id": self.id, "public_key": self.key.public_key_text(),
            "version": "0.1.0", "currency": "IDR"});
        self.api.post("/api/sync/enrol", &body).await
    }

    pub fn token(&self) -> String {
        sync::issue(&self.key, &self.id, &self.hub_id, clock::now()).unwrap()
    }

    pub fn speak(&self) -> Api {
        self.api.with_token(&self.token())
    }

    pub fn chain(&mut self) -> &mut Chain {
        self.chains.last_mut().unwrap()
    }

    pub fn hello_body(&self) -> Value {
        json!({"store_id": self.id, "epoch": self.chains.last().unwrap().epoch,
            "lineage": self.chains.iter().map(Chain::state).collect::<Vec<_>>(), "apart": false, "version": "0.1.0",
            "schema_max": 1, "cursor": null, "wall_clock": clock::now(),
            "backlog": {"pending": 0, "oldest_pending_at": null}, "day_start": "00:00", "currency": "IDR"})
    }

    pub async fn hello(&self) -> Answer {
        self.say_hello(&self.hello_body()).await
    }

    pub async fn say_hello(&self, body: &Value) -> Answer {
        self.speak().post("/api/sync/hello", body).await
    }

    /// Returns a batch of the current epoch.
    pub fn batch(&self, from: usize, to: usize) -> Value {
        let chain = self.chains.last().unwrap();
        json!({"store_id": self.id, "sender_epoch": chain.epoch, "epoch": chain.epoch,
            "prev_hash": chain.hash_at(from - 1), "events": chain.events(from, to),
            "backlog": {"pending": to + 1 - from, "oldest_pending_at": null}})
    }

    pub async fn push(&self, body: &Value) -> Answer {
        self.speak().post("/api/sync/push", body).await
    }

    /// Appends `count` sales of one piece each at 1,000 to the current epoch.
    pub fn sell(&mut self, count: usize) {
        for _ in 0..count {
            let number = self.chains.iter().map(|chain| chain.records.len() as u64).sum::<u64>() + 1;
            let store = self.id.clone();
            let sale = Sale { store: &store, number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
            self.chain().append(sale.record(&format!("evt_{store}_{number}")));
        }
    }

    /// Sells and pushes everything in one batch.
    pub async fn sold(server: &Server, id: &str, count: usize) -> Self {
        let mut shop = Self::open(server, id).await;
        shop.sell(count);
        let answer = shop.push(&shop.batch(1, count)).await;
        assert_eq!(answer.data()["acked_seq"], count);
        shop.chain().acked = count;
        shop
    }
}

/// Returns the sums of the store's status.
pub async fn sums(server: &Server, id: &str) -> Value {
    server.admin().await.get(&format!("/api/stores/{id}/status")).await.data()["sums"].clone()
}
