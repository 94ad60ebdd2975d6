//! Two processes of one hub, a store, and an accountant at both.

use crate::office::finance::tells;
use crate::office::finance_entries::text;
use crate::operation::processes::{Process, at_once, started};
use crate::support::server::{Answer, Api, PASSWORD, Place, stderr, stdout};
use crate::support::shop::{Chain, FIRST, Shop};
use edge::keys::SigningKey;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Default number of races per pair; `cargo xtask soak` runs more.
const TRIES: usize = 12;
const TRIES_VARIABLE: &str = "RACE_TRIES";

/// Returns the number of races of each pair.
pub fn tries() -> usize {
    std::env::var(TRIES_VARIABLE).ok().and_then(|tries| tries.parse().ok()).unwrap_or(TRIES)
}

/// The hub's processes.
pub struct Two {
    place: Place,
    processes: Vec<Process>,
    apis: Vec<Api>,
    shops: BTreeMap<String, Shop>,
    next: i64,
}

impl Two {
    pub async fn open() -> Self {
        let place = Place::initialised().await;
        let processes = started(&place).await;
        let login = Api::new(processes[0].address).login("boss", PASSWORD).await;
        let apis = processes.iter().map(|process| login.at(process.address)).collect();
        Self { place, processes, apis, shops: BTreeMap::new(), next: 1_000 }
    }

    /// The first process.
    pub fn first(&self) -> &Api {
        &self.apis[0]
    }

    /// Returns another process if there is one, otherwise the first.
    pub fn other(&self) -> &Api {
        &self.apis[self.apis.len() - 1]
    }

    /// Returns a unique number.
    pub fn number(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    pub async fn create(&self, path: &str, body: &Value) -> Value {
        self.first().post(path, body).await.data().clone()
    }

    /// Sends two requests at the same moment, each to its own process. Which one is sent first alternates.
    pub async fn race(&self, turn: usize, asks: [(&str, Value); 2]) -> Vec<Answer> {
        self.race_by(Method::POST, turn, asks).await
    }

    /// Does the same with two changes.
    pub async fn change_both(&self, turn: usize, asks: [(&str, Value); 2]) -> Vec<Answer> {
        self.race_by(Method::PATCH, turn, asks).await
    }

    async fn race_by(&self, method: Method, turn: usize, asks: [(&str, Value); 2]) -> Vec<Answer> {
        let apis = [self.first(), self.other()];
        let of =
            |((path, body), api): ((&str, Value), &Api)| (api.clone(), method.clone(), path.to_owned(), body);
        let mut asks: Vec<_> = asks.into_iter().zip(apis).map(of).collect();
        let turned = turn % 2 == 1;
        if turned {
            asks.reverse();
        }
        let mut answers = at_once(asks).await;
        if turned {
            answers.reverse();
        }
        answers
    }

    /// Sends one request to both processes: one succeeds and the other is refused with one of these codes. Returns the
    /// data of the successful one.
    pub async fn succeeds_once(&self, turn: usize, (path, body): (&str, Value), refusals: &[&str]) -> Value {
        let answers = self.race(turn, [(path, body.clone()), (path, body)]).await;
        answers[one_wins(&answers, refusals)].data().clone()
    }

    /// Enrols a store and sends its hello.
    pub async fn shop(&mut self, id: &str) -> &mut Shop {
        if !self.shops.contains_key(id) {
            let token = self.place.add_store(id);
            let health = self.first().get("/health").await;
            let shop = Shop {
                id: id.to_owned(),
                hub_id: text(health.data(), "hub_id"),
                key: Arc::new(SigningKey::generate().unwrap()),
                api: self.first().clone(),
                chains: vec![Chain::new(FIRST)],
            };
            shop.enrol(&token).await.data();
            shop.hello().await.data();
            self.shops.insert(id.to_owned(), shop);
        }
        self.shops.get_mut(id).unwrap()
    }

    pub async fn reported(&mut self, store: &str, records: Vec<String>) {
        let answer = tells(self.shop(store).await, records).await;
        assert_eq!(answer["parked"], json!([]));
    }

    /// Asserts that nothing is half done: every proof succeeds and `verify` finds nothing.
    pub async fn assert_sound(self) {
        let proofs = self.create("/api/finance/proofs", &json!({})).await;
        assert_eq!(proofs["ok"], true, "{proofs}");
        self.processes.into_iter().for_each(Process::stop);
        let done = self.place.run(&["verify"], "");
        assert!(done.status.success(), "{}{}", stdout(&done), stderr(&done));
    }
}

/// Returns the index of the winner. The other has one of these refusals.
pub fn one_wins(answers: &[Answer], refusals: &[&str]) -> usize {
    let won: Vec<usize> =
        answers.iter().enumerate().filter(|(_, one)| one.status.is_success()).map(|(at, _)| at).collect();
    assert_eq!(won.len(), 1, "{answers:?}");
    let lost = answers[1 - won[0]].refusal();
    assert!(refusals.contains(&lost.as_str()), "{lost}: {answers:?}");
    won[0]
}
