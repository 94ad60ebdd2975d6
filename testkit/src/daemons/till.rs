//! A till: it sells continuously with an idempotency key per request, and repeats a request until it has an answer,
//! across crashes and restarts, as a real till does.

use crate::client::{Client, Reply};
use crate::counter::SALES;
use crate::dice::Random;
use crate::store::{PRODUCTS, Store};
use crate::wait;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A sale that the store has acknowledged, as the till knows it.
#[derive(Debug, Clone)]
pub struct Sold {
    pub transaction_id: String,
    pub receipt_no: String,
    pub total: i64,
    pub tax: i64,
    pub gross: i64,
    /// Pieces by sku.
    pub pieces: BTreeMap<&'static str, i64>,
    /// The part paid in cash.
    pub cash: i64,
    /// The path of its payment, or of the request that was the whole sale, whose stored answer a repetition must
    /// return.
    pub pay_path: String,
    pub pay_key: String,
    pub pay_body: Value,
    pub pay_answer: Vec<u8>,
}

impl Sold {
    /// Requests that it took, each a commit.
    pub fn requests(&self) -> usize {
        if self.pay_path == SALES { 1 } else { 2 }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Connections that ended without an answer: the outcome was unknown.
    pub lost: u64,
    /// 503: repeated with the same key.
    pub unavailable: u64,
    /// Answers that a retry got from the store's memory.
    pub replayed: u64,
}

/// One till with its cashier and an open shift.
pub struct Till {
    client: Client,
    pub register: String,
    pub shift_id: String,
    pub sold: Vec<Sold>,
    pub counts: Counts,
    random: Random,
    requests: u64,
}

/// Longest time for which one request may be unanswered, including its repetitions.
const ANSWERED_WITHIN: Duration = Duration::from_secs(45);

impl Till {
    /// Logs `till-<n>` in and opens a shift on the register of the same name.
    #[track_caller]
    pub fn open(store: &Store, n: usize, random: &mut Random) -> Self {
        let register = format!("till-{n}");
        let client =
            store.login(&register).at_register(&register).keeping_alive().patient_for(Duration::from_secs(5));
        let mut till = Self {
            client,
            register,
            shift_id: String::new(),
            sold: Vec::new(),
            counts: Counts::default(),
            random: random.fork(),
            requests: 0,
        };
        let (reply, ..) = till.persist("/api/shifts/open", &json!({"opening_float": 100_000}));
        till.shift_id = reply.data(201)["shift_id"].as_str().expect("a shift_id").to_owned();
        till
    }

    /// Returns a till of another machine with a copy of this one's disk: the same shift, and no sales of its own yet.
    #[track_caller]
    pub fn twin(&mut self, store: &Store) -> Self {
        let (register, shift_id) = (self.register.clone(), self.shift_id.clone());
        let client = store.login(&register).at_register(&register);
        let (sold, counts, random) = (Vec::new(), Counts::default(), self.random.fork());
        Self { client, register, shift_id, sold, counts, random, requests: 0 }
    }

    /// Logs its cashier in again, as after a restore.
    #[track_caller]
    pub fn log_in_again(&mut self, store: &Store) {
        self.client = store.login(&self.register).at_register(&self.register);
    }

    /// Makes one sale, from basket to receipt.
    #[track_caller]
    pub fn sell(&mut self) {
        if let Err(refused) = self.try_to_sell() {
            panic!("{}: {} {}", self.register, refused.status, refused.text());
        }
    }

    /// Does the same, or returns the store's refusal.
    #[track_caller]
    pub fn try_to_sell(&mut self) -> Result<(), Reply> {
        let mut pieces = BTreeMap::new();
        let (mut gross, mut tax, mut items) = (0, 0, Vec::new());
        for _ in 0..=self.random.below(3) {
            let (sku, price) = PRODUCTS[self.random.below(PRODUCTS.len() as u64) as usize];
            let qty = 1 + self.random.below(4) as i64;
            *pieces.entry(sku).or_insert(0) += qty;
            gross += qty * price;
            tax += half_up(qty * price * 1_100, 10_000);
            items.push(json!({"sku": sku, "qty": qty, "price": price}));
        }
        let total = gross + tax;
        let (payments, cash) = match self.random.below(3) {
            0 => (json!([{"method": "card", "amount": total}]), 0),
            1 => (json!([{"method": "cash", "amount": total, "tendered": total + 500}]), total),
            _ => {
                let card = total / 2;
                let parts = [("card", card), ("cash", total - card)];
                let parts = parts.into_iter().filter(|&(_, amount)| amount > 0);
                (
                    parts.map(|(method, amount)| json!({"method": method, "amount": amount})).collect(),
                    total - card,
                )
            }
        };
        // Half of the sales are one request, half are two.
        let (pay_path, pay_body, status) = if self.random.below(2) == 0 {
            (SALES.to_owned(), json!({"items": items, "payments": payments}), 201)
        } else {
            let (created, ..) = self.ask(SALES, &json!({"items": items}))?;
            let created = created.data(201);
            assert_eq!(created["total"], json!(total), "{created}");
            let transaction_id = created["transaction_id"].as_str().expect("a transaction_id");
            (format!("{SALES}/{transaction_id}/pay"), json!({"payments": payments}), 200)
        };
        let (paid, pay_key) = self.ask(&pay_path, &pay_body)?;
        let pay_answer = paid.body.clone();
        let paid = paid.data(status);
        assert_eq!((&paid["state"], &paid["total"]), (&json!("paid"), &json!(total)), "{paid}");
        let transaction_id = paid["transaction_id"].as_str().expect("a transaction_id").to_owned();
        let receipt_no = paid["receipt_no"].as_str().expect("a receipt_no").to_owned();
        self.sold.push(Sold {
            transaction_id,
            receipt_no,
            total,
            tax,
            gross,
            pieces,
            cash,
            pay_path,
            pay_key,
            pay_body,
            pay_answer,
        });
        Ok(())
    }

    /// Posts with a new key and repeats the request until the answer is final. A refusal is unexpected.
    #[track_caller]
    pub fn persist(&mut self, path: &str, body: &Value) -> (Reply, String) {
        match self.ask(path, body) {
            Ok(answered) => answered,
            Err(reply) => panic!("{} {path} {body}: {} {}", self.register, reply.status, reply.text()),
        }
    }

    /// Does the same, and returns a refusal as an error.
    #[track_caller]
    fn ask(&mut self, path: &str, body: &Value) -> Result<(Reply, String), Reply> {
        self.requests += 1;
        let key = format!("{}-{}-{:016x}", self.register, self.requests, self.random.roll());
        let bytes = body.to_string().into_bytes();
        let deadline = Instant::now() + ANSWERED_WITHIN;
        loop {
            match self.client.try_send("POST", path, &[("Idempotency-Key", &key)], &bytes) {
                Ok(reply) if reply.status == 503 => {
                    reply.refused(503, "unavailable");
                    assert!(reply.header("retry-after").is_some(), "503 without Retry-After");
                    self.counts.unavailable += 1;
                }
                Ok(reply)
                    if reply.status == 409
                        && reply.json()["error"]["code"] == json!("request_in_progress") =>
                {
                    self.counts.unavailable += 1;
                }
                Ok(reply) if reply.status < 300 => {
                    self.counts.replayed += u64::from(reply.header("idempotency-replayed") == Some("true"));
                    return Ok((reply, key));
                }
                Ok(reply) => return Err(reply),
                Err(_) => self.counts.lost += 1,
            }
            assert!(
                Instant::now() < deadline,
                "{}: {path} was unanswered for {ANSWERED_WITHIN:?}",
                self.register
            );
            wait::glance();
        }
    }

    /// Returns its shift, as a manager sees it.
    #[track_caller]
    pub fn shift(&self, manager: &mut Client) -> Value {
        manager.get(&format!("/api/shifts/{}/summary", self.shift_id)).data(200)["shift"].clone()
    }

    /// Closes its connection, so that a store that stops need not wait for it.
    pub fn hang_up(&mut self) {
        self.client.hang_up();
    }

    /// The answer to a repeated payment of a sale.
    #[track_caller]
    pub fn pay_again(&mut self, sale: &Sold) -> Reply {
        // The store may have been restarted since this till's last request.
        self.client.hang_up();
        self.client.post_keyed(&sale.pay_path, &sale.pay_key, &sale.pay_body)
    }
}

/// Half-up division of numbers that are not negative, as in docs/arithmetic.md#rounding-and-range.
pub fn half_up(a: i64, b: i64) -> i64 {
    (2 * a + b) / (2 * b)
}

/// Tills that sell on threads of their own until they are stopped.
pub struct Load {
    stop: Arc<AtomicBool>,
    acknowledged: Arc<AtomicUsize>,
    tills: Vec<JoinHandle<Till>>,
}

impl Load {
    pub fn start(tills: Vec<Till>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let acknowledged = Arc::new(AtomicUsize::new(tills.iter().map(|till| till.sold.len()).sum()));
        let tills = tills
            .into_iter()
            .map(|mut till| {
                let (stop, acknowledged) = (Arc::clone(&stop), Arc::clone(&acknowledged));
                std::thread::spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        till.sell();
                        acknowledged.fetch_add(1, Ordering::Relaxed);
                    }
                    till
                })
            })
            .collect();
        Self { stop, acknowledged, tills }
    }

    /// Sales acknowledged so far.
    pub fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Waits until `more` further sales are acknowledged.
    #[track_caller]
    pub fn wait_for(&self, more: usize) {
        let goal = self.acknowledged() + more;
        wait::until("the tills sell", || {
            assert!(!self.tills.iter().any(JoinHandle::is_finished), "a till gave up: see above");
            (self.acknowledged() >= goal).then_some(())
        });
    }

    /// Stops every till after its current sale.
    #[track_caller]
    pub fn finish(self) -> Vec<Till> {
        self.stop.store(true, Ordering::Relaxed);
        self.tills.into_iter().map(|till| till.join().expect("a till gave up: see above")).collect()
    }
}
