//! Two processes of one hub, which may be killed at any time, and callers that repeat each request until a process
//! answers it.

use super::work::{STORES, Work};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};
use testkit::clock::Clock;
use testkit::dice::Random;
use testkit::hub::Hub;
use testkit::simulated::Shop;
use testkit::{Client, Reply, process, wait};

/// Time of the hub: after the stores' days and their month.
const NOW: &str = "2026-12-05T12:00:00+07:00";
/// Longest time for which a caller repeats a request to killed processes.
const PATIENCE: Duration = Duration::from_secs(120);
/// Highest number of answers before a process is killed.
const KILL_EVERY: u64 = 40;
/// Upper bound, in microseconds, of the random delay before that kill.
const MOMENT_US: u64 = 30_000;
/// One of this many answered requests is repeated at once, and one of this many kills affects both processes.
const ONE_OF: u64 = 4;

/// Two processes.
pub struct Pair {
    hubs: [Mutex<Hub>; 2],
    addresses: [SocketAddr; 2],
    clock: Clock,
    token: String,
    answered: AtomicUsize,
    unanswered: AtomicUsize,
    turned_away: AtomicUsize,
    done: Mutex<Vec<Asked>>,
}

/// A request and its answer.
struct Asked {
    path: String,
    key: String,
    body: Value,
    reply: Reply,
}

/// Returns the part of a reply that must be the same when the request is repeated.
fn reported(reply: &Reply) -> (u16, Option<&str>, String) {
    (reply.status, reply.header("location"), reply.text())
}

impl Pair {
    /// Returns `None` if the clock can't be changed.
    pub fn open() -> Option<Self> {
        let clock = Clock::find()?;
        clock.set_to(NOW.parse().unwrap());
        let one = Hub::open_under(clock.environment(), "");
        let other = one.beside();
        let token = one.login().token().unwrap().to_owned();
        let addresses = [one.address(), other.address()];
        let hubs = [one, other].map(Mutex::new);
        let [answered, unanswered, turned_away] = [(); 3].map(|()| AtomicUsize::new(0));
        let done = Mutex::default();
        Some(Self { hubs, addresses, clock, token, answered, unanswered, turned_away, done })
    }

    /// Runs all workers to the end and kills processes in the meantime. Returns the number of kills.
    pub fn busy(&self, work: &Work, dice: &mut Random) -> usize {
        let shops = STORES.map(|id| Shop::open_at(&self.hubs[0].lock().unwrap(), id, self.clock.now()));
        thread::scope(|scope| {
            let mut busy = Vec::new();
            for (place, shop) in shops.into_iter().enumerate() {
                let caller = Caller::new(self, format!("store{place}"), dice.fork());
                busy.push(scope.spawn(move || work.tells(place, shop, caller)));
            }
            for (name, does) in Work::AT_THE_OFFICE {
                for number in 0..2 {
                    let caller = Caller::new(self, format!("{name}{number}"), dice.fork());
                    busy.push(scope.spawn(move || does(work, caller)));
                }
            }
            self.kill_until(dice, || busy.iter().all(thread::ScopedJoinHandle::is_finished))
        })
    }

    fn kill_until(&self, dice: &mut Random, finished: impl Fn() -> bool) -> usize {
        let mut kills = 0;
        loop {
            let target = self.answered.load(SeqCst) + 1 + usize::try_from(dice.below(KILL_EVERY)).unwrap();
            let awaited = || (finished() || self.answered.load(SeqCst) >= target).then_some(());
            wait::within(PATIENCE, "somebody is answered", awaited);
            let moment = Instant::now() + Duration::from_micros(dice.below(MOMENT_US));
            wait::until("the random time of the kill", || (Instant::now() >= moment).then_some(()));
            if finished() {
                return kills;
            }
            let first = usize::from(dice.below(2) == 0);
            let dying = if dice.below(ONE_OF) == 0 { vec![first, 1 - first] } else { vec![first] };
            for &one in &dying {
                self.hubs[one].lock().unwrap().kill9();
            }
            kills += dying.len();
            for one in dying {
                self.hubs[one].lock().unwrap().start();
            }
        }
    }

    pub fn figures(&self) -> String {
        let [answered, unanswered, turned_away] =
            [&self.answered, &self.unanswered, &self.turned_away].map(|figure| figure.load(SeqCst));
        let done = self.done.lock().unwrap().len();
        format!("{done} commands, {answered} answers, {unanswered} without one, {turned_away} times 503")
    }

    /// Returns the number of successful commands whose path matches.
    pub fn done(&self, of: impl Fn(&str) -> bool) -> usize {
        self.done.lock().unwrap().iter().filter(|asked| of(&asked.path)).count()
    }

    /// Repeats each command at both processes and asserts that the answer is the same as before.
    pub fn says_again(&self) {
        for asked in self.done.lock().unwrap().iter() {
            for address in self.addresses {
                let mut client = Client::new(address).with_token(&self.token);
                let again = client.post_keyed(&asked.path, &asked.key, &asked.body);
                assert_eq!(reported(&again), reported(&asked.reply), "{} {}", asked.path, asked.body);
            }
        }
    }

    /// Stops both processes and verifies the database.
    pub fn verified(self) {
        let mut hubs = self.hubs.map(|hub| hub.into_inner().unwrap());
        hubs.iter_mut().for_each(Hub::stop);
        process::succeed(hubs[0].command(&["verify"]), "");
    }

    /// Returns the answer if it is final. 503 means that the request must be repeated later, and so does an earlier
    /// attempt that is still running.
    fn judged(&self, sent: std::io::Result<Reply>) -> Option<Reply> {
        let Ok(reply) = sent else {
            self.unanswered.fetch_add(1, SeqCst);
            return None;
        };
        let code = reply.json()["error"]["code"].clone();
        if reply.status == 503 || code == "request_in_progress" {
            self.turned_away.fetch_add(1, SeqCst);
            return None;
        }
        assert!(reply.status < 500, "{}: {}", reply.status, reply.text());
        self.answered.fetch_add(1, SeqCst);
        Some(reply)
    }
}

/// A client that sends each request to both processes in turn until it is answered.
pub struct Caller<'a> {
    pair: &'a Pair,
    name: String,
    pub dice: Random,
    calls: usize,
}

impl<'a> Caller<'a> {
    pub fn new(pair: &'a Pair, name: String, dice: Random) -> Self {
        Self { pair, name, dice, calls: 0 }
    }

    fn says(&mut self, send: impl Fn(SocketAddr) -> std::io::Result<Reply>) -> Reply {
        let mut at = usize::from(self.dice.below(2) == 0);
        wait::within(PATIENCE, "a process answers", || {
            at = 1 - at;
            self.pair.judged(send(self.pair.addresses[at]))
        })
    }

    /// Sends a command with its own key.
    #[track_caller]
    fn posts(&mut self, path: &str, body: &Value) -> Reply {
        self.calls += 1;
        let key = format!("{}-{}", self.name, self.calls);
        let (pair, bytes) = (self.pair, body.to_string());
        let send = |address| {
            let headers = [("Idempotency-Key", key.as_str())];
            let mut client = Client::new(address).with_token(&pair.token);
            client.try_send("POST", path, &headers, bytes.as_bytes())
        };
        let reply = self.says(send);
        if reply.status < 300 {
            if self.dice.below(ONE_OF) == 0 {
                assert_eq!(reported(&self.says(send)), reported(&reply), "{path} {body}");
            }
            let asked = Asked { path: path.to_owned(), key, body: body.clone(), reply: reply.clone() };
            pair.done.lock().unwrap().push(asked);
        }
        reply
    }

    /// Sends a command that must succeed or be refused with one of these codes. Returns the data, or the details of the
    /// refusal.
    #[track_caller]
    pub fn tries(&mut self, path: &str, body: &Value, refusals: &[&str]) -> Result<Value, Value> {
        let reply = self.posts(path, body);
        if reply.status < 300 {
            return Ok(reply.data(reply.status));
        }
        let answer = reply.json();
        let refusal = format!("{} {}", reply.status, answer["error"]["code"].as_str().unwrap());
        assert!(refusals.contains(&refusal.as_str()), "{path} {body}: {answer}");
        Err(answer["error"]["details"].clone())
    }

    /// Sends a command that no other caller competes for.
    #[track_caller]
    pub fn did(&mut self, path: &str, body: &Value) -> Value {
        self.tries(path, body, &[]).unwrap()
    }

    #[track_caller]
    pub fn reads(&mut self, path: &str) -> Value {
        let token = &self.pair.token;
        self.says(|address| Client::new(address).with_token(token).try_send("GET", path, &[], b"")).data(200)
    }

    /// Returns all rows of a list.
    #[track_caller]
    pub fn lists(&mut self, path: &str, filter: &str) -> Vec<Value> {
        let (mut items, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.reads(&format!("{path}?limit=500{filter}{cursor}"));
            items.extend(page["items"].as_array().unwrap().iter().cloned());
            let Some(next) = page["next_cursor"].as_str() else { return items };
            cursor = format!("&cursor={next}");
        }
    }

    /// Pushes a store's batch. Sometimes the store does not learn that it arrived.
    #[track_caller]
    pub fn pushes(&mut self, shop: &Shop, batch: &Value) {
        let (now, body) = (self.pair.clock.now(), batch.to_string());
        let send =
            |address| shop.speaks_to(address, now).try_send("POST", "/api/sync/push", &[], body.as_bytes());
        let reported = batch["events"].as_array().unwrap().last().unwrap()["seq"].clone();
        for _ in 0..=u8::from(self.dice.below(ONE_OF) == 0) {
            let answer = self.says(send).data(200);
            assert_eq!((&answer["acked_seq"], &answer["parked"]), (&reported, &json!([])), "{answer}");
        }
    }
}
