//! A hub with the clock of the story, an accountant who repeats each request until it is answered, and two stores. If
//! the hub is killed, it is killed once during a request and once after answering it; the repeated request gets the
//! same answer.

use domain::model::base::currency::Currency;
use serde_json::{Value, json};
use std::thread;
use std::time::Duration;
use testkit::Client;
use testkit::Reply;
use testkit::clock::Clock;
use testkit::dice::Random;
use testkit::hub::Hub;
use testkit::simulated::{Reported, Shop};
use testkit::store::PASSWORD;

/// Upper bound of the delay between a request and the kill of the hub.
const CUT_WITHIN_MS: u64 = 40;
/// Start of the story, in Jakarta.
const BEGINNING: &str = "2026-11-18T07:00:00+07:00";

/// Head office and its stores.
pub struct World {
    pub hub: Hub,
    clock: Clock,
    token: String,
    shops: Vec<Shop>,
    /// Currency of all amounts.
    pub currency: Currency,
    /// Random source of the times at which the hub is killed, or `None` if it is not killed.
    kills: Option<Random>,
    calls: usize,
}

/// Caller of a request.
#[derive(Clone, Copy)]
enum Who {
    Accountant,
    Store(usize),
}

/// A request.
struct Call<'a> {
    who: Who,
    path: &'a str,
    headers: Vec<(&'a str, &'a str)>,
    body: String,
}

/// Returns the part of a reply that must be the same when the request is repeated: everything except the request's ID.
fn reported(reply: &Reply) -> (u16, Value) {
    let mut body = reply.json();
    body["error"]["request_id"].take();
    (reply.status, body)
}

impl World {
    /// Starts the hub with its two stores. Returns `None` if the clock can't be changed.
    pub fn open(currency: &str, kills: Option<Random>) -> Option<Self> {
        let clock = Clock::find()?;
        clock.set_to(BEGINNING.parse().unwrap());
        let settings = format!("[company]\ncurrency = \"{currency}\"\n");
        let hub = Hub::open_under(clock.environment(), &settings);
        let currency = Currency::of(currency)?;
        let shops = ["S001", "S002"].map(|id| Shop::open_at(&hub, id, clock.now())).into();
        let mut world = Self { hub, clock, token: String::new(), shops, currency, kills, calls: 0 };
        world.logs_in();
        Some(world)
    }

    fn logs_in(&mut self) {
        let body = json!({"username": "admin@hub.example", "password": PASSWORD});
        let data = self.hub.client().post("/api/auth/login", &body).data(200);
        self.token = data["token"].as_str().unwrap().to_owned();
    }

    /// Sets the hub's clock to this moment.
    pub fn at(&mut self, moment: &str) {
        self.clock.set_to(moment.parse().unwrap());
        self.logs_in();
    }

    fn caller(&self, who: Who) -> Client {
        match who {
            Who::Accountant => self.hub.client().with_token(&self.token),
            Who::Store(place) => self.shops[place].speaks(self.clock.now()),
        }
    }

    fn sends(&self, call: &Call<'_>) -> Reply {
        self.caller(call.who).send("POST", call.path, &call.headers, call.body.as_bytes())
    }

    /// Sends a request and kills the hub after a delay. Returns the answer if it came before that.
    fn is_cut_off(&mut self, call: &Call<'_>, after: Duration) -> Option<Reply> {
        let mut caller = self.caller(call.who);
        let reply = thread::scope(|scope| {
            let asks = scope
                .spawn(move || caller.try_send("POST", call.path, &call.headers, call.body.as_bytes()).ok());
            thread::sleep(after);
            self.hub.kill9();
            asks.join().unwrap()
        });
        self.hub.start();
        reply
    }

    /// Sends a request, and repeats it after each crash of the hub.
    #[track_caller]
    fn says(&mut self, call: &Call<'_>) -> Reply {
        self.calls += 1;
        let Some(dice) = self.kills.as_mut() else { return self.sends(call) };
        let after = Duration::from_millis(dice.below(CUT_WITHIN_MS));
        let first = self.is_cut_off(call, after);
        let reply = self.sends(call);
        self.hub.restart();
        let again = self.sends(call);
        if let Who::Accountant = call.who {
            for other in first.iter().chain([&again]) {
                assert_eq!(reported(other), reported(&reply), "{} {}", call.path, call.body);
            }
        }
        reply
    }

    /// Posts a request as the accountant.
    #[track_caller]
    pub fn posts(&mut self, path: &str, body: &Value) -> Reply {
        let key = format!("story-{}", self.calls);
        let headers = vec![("Idempotency-Key", key.as_str())];
        self.says(&Call { who: Who::Accountant, path, headers, body: body.to_string() })
    }

    /// Returns the reply to a post, whatever its status.
    #[track_caller]
    pub fn did(&mut self, path: &str, body: &Value) -> Value {
        let reply = self.posts(path, body);
        reply.data(reply.status)
    }

    /// Uploads a file as the accountant.
    #[track_caller]
    pub fn uploads(&mut self, path: &str, file: &str) -> Reply {
        let key = format!("story-{}", self.calls);
        let headers = vec![("Idempotency-Key", key.as_str()), ("Content-Type", "text/csv")];
        self.says(&Call { who: Who::Accountant, path, headers, body: file.to_owned() })
    }

    /// Pushes records of store 0 or 1.
    #[track_caller]
    pub fn hears(&mut self, store: usize, reported: &[Reported]) {
        let body = self.shops[store].batch(reported).to_string();
        let answer =
            self.says(&Call { who: Who::Store(store), path: "/api/sync/push", headers: Vec::new(), body });
        assert_eq!(answer.data(200)["parked"], json!([]));
    }

    /// Sends a store's hello.
    #[track_caller]
    pub fn greeted(&self, store: usize) {
        self.shops[store].greets(self.clock.now());
    }

    #[track_caller]
    pub fn reads(&self, path: &str) -> Value {
        self.caller(Who::Accountant).get(path).data(200)
    }

    /// Returns a file or a document instead of JSON.
    #[track_caller]
    pub fn plain(&self, path: &str, accept: &str) -> String {
        let answer = self.caller(Who::Accountant).send("GET", path, &[("Accept", accept)], b"");
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.text()
    }

    /// Returns the rows of a list.
    #[track_caller]
    pub fn lists(&self, path: &str) -> Vec<Value> {
        self.reads(path)["items"].as_array().unwrap().clone()
    }
}
