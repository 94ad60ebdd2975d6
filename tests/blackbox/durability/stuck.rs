//! Many waiting commands block nothing: changes of head office overtake commands for the same owners, and readiness
//! checks report a disk that does not respond.

use serde_json::{Value, json};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use testkit::linked::Linked;
use testkit::store::Store;
use testkit::{Client, Reply, process, wait};

/// Number of clients with one cashier's token: more than the limit of waiting commands.
const CLIENTS: usize = 400;
/// Number of changes by head office in the meantime, each of which must arrive at the store before the next one.
const CHANGES: usize = 6;
/// Delay after which a client that was refused because of the limit tries again.
const REST: Duration = Duration::from_millis(100);

/// Clients that register members until they are stopped.
struct Crowd {
    stop: Arc<AtomicBool>,
    registered: Arc<AtomicUsize>,
    clients: Vec<JoinHandle<()>>,
}

impl Crowd {
    fn gather(shop: &Linked) -> Self {
        let (stop, registered) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let one = |number: usize| {
            let (stop, registered) = (Arc::clone(&stop), Arc::clone(&registered));
            let mut client = shop.store.client().with_token(shop.till.token().unwrap()).keeping_alive();
            std::thread::spawn(move || {
                let mut round = 0;
                while !stop.load(Ordering::Relaxed) {
                    round += 1;
                    let member = json!({"name": format!("Client {number}-{round}"),
                        "phone": format!("0815{number:03}{round:05}")});
                    if register(&mut client, &member) {
                        registered.fetch_add(1, Ordering::Relaxed);
                    } else {
                        std::thread::sleep(REST);
                    }
                }
            })
        };
        let clients = (0..CLIENTS).map(one).collect();
        Self { stop, registered, clients }
    }

    fn goes_home(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        for client in self.clients {
            client.join().expect("a client");
        }
        self.registered.load(Ordering::Relaxed)
    }
}

/// Registers a member. Returns false if too many commands wait or the answer is late.
fn register(client: &mut Client, member: &Value) -> bool {
    match client.try_send("POST", "/api/members", &[], member.to_string().as_bytes()) {
        Ok(reply) if reply.status == 503 => {
            reply.refused(503, "unavailable");
            false
        }
        Ok(reply) => {
            reply.data(201);
            true
        }
        Err(_) => false,
    }
}

/// Repeats every kind of write until it succeeds, which it never does in a stuck store.
#[track_caller]
fn everything_works(shop: &mut Linked) {
    let till = &mut shop.till;
    let sale = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2_000}]});
    let basket = works("a basket", 201, || till.post("/api/pos/transactions", &sale));
    let pay = format!("/api/pos/transactions/{}/pay", basket["transaction_id"].as_str().unwrap());
    let paid = json!({"method": "card", "amount": basket["total"]});
    works("a payment", 200, || till.post(&pay, &paid));
    let member = json!({"name": "Last", "phone": "0899000111"});
    works("a member", 201, || till.post("/api/members", &member));
    let place = json!({"shelf_place": "A-1"});
    let manager = &mut shop.manager;
    works("a product's place", 200, || {
        manager.send("PATCH", "/api/stock/8990001", &[], place.to_string().as_bytes())
    });
    let person = json!({"username": "manager@s001.example", "password": testkit::store::PASSWORD});
    let mut nobody = shop.store.client();
    works("a log-in", 200, || nobody.post("/api/auth/login", &person));
    let file = shop.store.write_file("late.csv", "name,phone,email,code,birth_date\nLate,0899000222,,,\n");
    process::succeed(shop.store.command(&["import", "members", file.to_str().unwrap()]), "");
}

#[track_caller]
fn works(what: &str, status: u16, mut ask: impl FnMut() -> testkit::Reply) -> Value {
    wait::until(what, || Some(ask()).filter(|reply| reply.status != 503)).data(status)
}

#[test]
fn four_hundred_clients_at_one_owner_do_not_keep_out_what_head_office_sends_it() {
    let mut shop = Linked::open();
    let crowd = Crowd::gather(&shop);
    for n in 0..CHANGES {
        let name = format!("Office {n}");
        let member = shop.made("/api/members", &json!({"name": name, "phone": format!("0877{n:07}")}));
        let product = json!({"name": name, "price": 3_000 + n});
        shop.office.send("PATCH", "/api/products/8990002", &[], product.to_string().as_bytes()).data(200);
        let path = format!("/api/members/{}", member["member_id"].as_str().unwrap());
        shop.seen("the member of head office", &path, |known| known["name"] == json!(name));
        shop.seen("its product", "/api/pos/products/8990002", |known| known["name"] == json!(name));
    }
    let registered = crowd.goes_home();
    assert!(registered > CLIENTS, "only {registered} members were registered");
    everything_works(&mut shop);
    shop.store.client().get("/health/ready").data(200);
    shop.store.stop();
    shop.store.verify();
}

fn strace_works() -> bool {
    let tried = Command::new("strace").args(["-D", "-f", "-o", "/dev/null", "true"]).output();
    let works = tried.is_ok_and(|tried| tried.status.success());
    if !works {
        println!("NOT RUN: no strace here; `cargo xtask test` installs it");
    }
    works
}

/// Runs the daemon under strace, which delays the call from the `when`th one on. Returns `None` without strace.
fn delayed(store: &mut Store, call: &str, delay_s: u64, when: &str) -> Option<()> {
    if !strace_works() {
        return None;
    }
    let (trace, delay) = (format!("trace={call}"), delay_s * 1_000_000);
    let inject = format!("inject={call}:delay_enter={delay}:when={when}");
    store.wrap(&["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject]);
    Some(())
}

#[test]
fn while_the_disk_is_stuck_the_store_is_not_ready_and_continues_afterwards() {
    let mut store = Store::prepare("", 1);
    // The delay exceeds the timeout of readiness checks. Every later sync is as slow.
    if delayed(&mut store, "fdatasync", 8, "40+").is_none() {
        return;
    }
    store.start();
    store.receive_all(100);
    let mut manager = store.login("manager").patient_for(wait::PATIENCE);
    let names_the_owner = |reply: &Reply| reply.status == 503 && reply.text().contains("catalogue");
    // Each round syncs, so that it reaches the slow syncs. Under strace on a busy machine a round may take seconds.
    let (what, mut round) = ("the disk stands still, and the store says who waits for it", 0);
    let refused = wait::within(3 * wait::PATIENCE, what, || {
        round += 1;
        let change = json!({"shelf_place": format!("A-{round}")});
        let mut writer = store.client().with_token(manager.token().unwrap());
        // Commands time out, and readiness checks report this in the meantime.
        let writing = std::thread::spawn(move || {
            let _ = writer.try_send("PATCH", "/api/stock/8990001", &[], change.to_string().as_bytes());
        });
        // A check before the write began can't report the owner yet.
        let mut reply = manager.get("/health/ready");
        while !writing.is_finished() && !names_the_owner(&reply) {
            reply = manager.get("/health/ready");
        }
        writing.join().expect("a writer");
        Some(reply).filter(names_the_owner)
    });
    let text = refused.text();
    refused.refused(503, "unavailable");
    assert!(text.contains("commands are not processed: "), "{text}");
    store.kill9();
    store.wrap(&[]);
    store.start();
    store.login("manager").get("/health/ready").data(200);
    store.stop();
    store.verify();
}

#[test]
fn the_control_socket_is_there_before_the_first_answer_over_http() {
    let mut store = Store::prepare("", 0);
    // The second `bind` call is that of the socket.
    if delayed(&mut store, "bind", 2, "2").is_none() {
        return;
    }
    store.start();
    let said = process::succeed(store.command(&["status"]), "");
    assert!(said.contains("serving"), "{said}");
    store.wrap(&[]);
    store.stop();
}

#[test]
fn a_disk_that_fails_ends_the_process_with_74_whatever_a_command_waits_for() {
    if !strace_works() {
        return;
    }
    let mut store = Store::open_with("", 0);
    let row = |number: usize| format!("Member {number},0816{number:08},,,\n");
    let rows: String = (0..2_000).map(row).collect();
    let file = store.write_file("many.csv", &format!("name,phone,email,code,birth_date\n{rows}"));
    let pid = store.daemon().pid().to_string();
    // From now on every sync fails.
    let mut failing = Command::new("strace");
    failing.args([
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=fdatasync",
        "-e",
        "inject=fdatasync:error=EIO",
    ]);
    let mut failing = failing.args(["-p", &pid]).spawn().unwrap();
    let tasks = format!("/proc/{pid}/task");
    wait::until("strace has attached to every thread", || {
        let tasks = std::fs::read_dir(&tasks).unwrap().flatten();
        let status =
            |path: std::path::PathBuf| std::fs::read_to_string(path.join("status")).unwrap_or_default();
        tasks.map(|task| status(task.path())).all(|status| !status.contains("TracerPid:\t0")).then_some(())
    });
    let mut import = store.command(&["import", "members", file.to_str().unwrap()]).spawn().unwrap();
    let ended = wait::until("the daemon ends", || store.daemon().ended());
    assert_eq!(ended.code(), Some(74), "{}", store.daemon().log());
    assert!(!import.wait().unwrap().success(), "the command was not informed");
    failing.wait().unwrap();
    store.forget();
    store.start();
    store.stop();
    store.verify();
}
