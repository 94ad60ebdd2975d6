//! A process dies, or its disk fails once, between the write of a commit and its sync. The next start finds the commit
//! in the page cache and answers the till's repeated request from it. By then the commit must be on the disk: a power
//! cut right after that answer checks this.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use testkit::client::Client;
use testkit::dice::Random;
use testkit::disk::Disk;
use testkit::process::said;
use testkit::store::{PRODUCTS, Store};
use testkit::wait;

/// Default number of rounds; `SOAK_CUTS` overrides it.
const ROUNDS: usize = 4;
/// Number of syncs among which the failing one is chosen: that of a basket or of its payment.
const SYNCS_UNTIL: u64 = 4;
/// Faults of a sync, used in turns.
const FAULTS: [&str; 2] = ["signal=SIGKILL", "error=EIO"];
/// Highest number of baskets that are sold before a sync fails.
const SALES_MAX: usize = 50;

/// A till that keeps every request with its answer.
struct Till {
    client: Client,
    answered: Vec<(Request, Value)>,
    random: Random,
}

#[derive(Clone)]
struct Request {
    path: String,
    key: String,
    body: Value,
}

impl Till {
    fn log_in(&mut self, store: &Store) {
        self.client = store.login("till-1").at_register("till-1");
    }

    /// Sends a request. Returns `None` without an answer.
    fn ask(&mut self, request: &Request) -> Option<(Value, bool)> {
        let bytes = request.body.to_string().into_bytes();
        let headers = [("Idempotency-Key", request.key.as_str())];
        let reply = self.client.try_send("POST", &request.path, &headers, &bytes).ok()?;
        if reply.status == 503 {
            return None;
        }
        assert!(reply.status < 300, "{}: {} {}", request.path, reply.status, reply.text());
        let answer = reply.json()["data"].clone();
        self.answered.push((request.clone(), answer.clone()));
        Some((answer, reply.header("idempotency-replayed") == Some("true")))
    }

    fn request(&mut self, path: &str, body: Value) -> Request {
        Request { path: path.to_owned(), key: format!("unsynced-{:016x}", self.random.roll()), body }
    }

    /// Sells until a request gets no answer, and returns that request.
    fn sell_until_it_breaks(&mut self) -> Request {
        for _ in 0..SALES_MAX {
            let (sku, price) = PRODUCTS[2];
            let items = json!({"items": [{"sku": sku, "qty": 1, "price": price}]});
            let basket = self.request("/api/pos/transactions", items);
            let Some((created, _)) = self.ask(&basket) else { return basket };
            let id = created["transaction_id"].as_str().unwrap();
            let card = json!({"payments": [{"method": "card", "amount": created["total"]}]});
            let payment = self.request(&format!("/api/pos/transactions/{id}/pay"), card);
            if self.ask(&payment).is_none() {
                return payment;
            }
        }
        panic!("no sync failed in {SALES_MAX} sales");
    }

    /// Asserts that everything answered since `from` is present.
    fn find(&mut self, from: usize) {
        for (request, answer) in self.answered.clone().into_iter().skip(from) {
            let reply = self.client.post_keyed(&request.path, &request.key, &request.body);
            assert_eq!(
                reply.json()["data"],
                answer,
                "{}: different from the answer before the cut",
                request.path
            );
            assert_eq!(reply.header("idempotency-replayed"), Some("true"), "{}", request.path);
        }
    }
}

/// Makes one of the daemon's next journal syncs fail: it is called, but does not take place.
fn break_a_sync(pid: u32, fault: &str, nth: u64) -> Child {
    let mut strace = Command::new("strace");
    strace.args(["-qq", "-f", "-o", "/dev/null", "-e", "trace=fdatasync"]);
    strace.args(["-e", &format!("inject=fdatasync:{fault}:when={nth}"), "-p", &pid.to_string()]);
    let mut strace = strace.stderr(Stdio::null()).spawn().unwrap();
    wait::until("strace has attached to every thread", || {
        assert!(strace.try_wait().unwrap().is_none(), "strace ended");
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
        let mut states = tasks.map(|task| fs::read_to_string(task.path().join("status")).unwrap_or_default());
        states.all(|status| !status.contains("TracerPid:\t0\n")).then_some(())
    });
    strace
}

fn strace_attaches() -> Result<(), String> {
    let mut sleeper = Command::new("sleep").arg("60").spawn().map_err(|error| error.to_string())?;
    let tried =
        Command::new("timeout").args(["1", "strace", "-qq", "-p", &sleeper.id().to_string()]).output();
    let _ = sleeper.kill();
    let _ = sleeper.wait();
    let output = tried.map_err(|error| error.to_string())?;
    // The process was held until the timeout.
    if output.status.code() == Some(124) {
        Ok(())
    } else {
        Err(format!("strace can't attach: {}", said(&output)))
    }
}

/// Runs one round: a fault, a restart, the repeated request, a power cut, and another restart.
fn round(mut disk: Disk, store: &mut Store, till: &mut Till, folder: &Path, n: usize) -> Disk {
    till.log_in(store);
    let before = till.answered.len();
    let nth = 1 + till.random.below(SYNCS_UNTIL);
    let mut strace = break_a_sync(store.daemon().pid(), FAULTS[n % FAULTS.len()], nth);
    let unanswered = till.sell_until_it_breaks();
    store.daemon().wait();
    store.forget();
    strace.wait().unwrap();
    store.start();
    let (_, replayed) = wait::until("the repeat is answered", || till.ask(&unanswered));
    assert!(replayed, "round {n}: the commit was not in the page cache, so this round tested nothing");
    store.daemon().freeze();
    let copy = disk.copy(folder, n);
    store.kill9();
    disk = disk.replaced_by(copy, folder, n);
    store.move_data(disk.mount.join("data"));
    store.start();
    till.find(before);
    disk
}

#[test]
fn frames_that_a_start_found_unsynced_are_synced_before_they_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let made = strace_attaches().and_then(|()| Disk::make(folder.path()));
    let mut disk = match made {
        Ok(disk) => disk,
        Err(reason) => {
            println!("unsynced: NOT RUN, this machine can't: {reason}");
            return;
        }
    };
    let rounds = std::env::var("SOAK_CUTS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let settings = tempfile::tempdir().unwrap();
    let mut store = Store::prepare_at(settings, disk.mount.join("data"), "", 1);
    store.start();
    store.receive_all(1_000_000);
    let random = Random::announced("unsynced");
    let mut till = Till { client: store.client(), answered: Vec::new(), random };
    till.log_in(&store);
    let open = till.request("/api/shifts/open", json!({}));
    till.ask(&open).expect("a shift");
    for n in 1..=rounds {
        disk = round(disk, &mut store, &mut till, folder.path(), n);
        if n.is_multiple_of(10) {
            println!("unsynced: {n} rounds of {rounds}");
        }
    }
    till.find(0);
    println!("unsynced: {rounds} restarts and power cuts, {} answers, nothing lost", till.answered.len());
    store.stop();
    store.verify();
    drop(store);
    drop(disk);
}
