//! Everything at once: a crowd that writes, head office that changes things, a disk that hangs, actors that die.
//! Afterwards every kind of write works at once, or something is stuck.

use crate::rest::{Api, CallError, text};
use crate::stage::{Installation, Person, STORE_ID, WorkFolder, admin, enrolment_token};
use crate::trade::hubside;
use crate::trade::till::{Till, sell_piece};
use crate::workspace::Binaries;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use testkit::disk::Disk;
use tokio::task::JoinSet;

/// Tills that sell among the crowd.
const TILLS: usize = 8;
/// One of this many clients logs in again and again; the others register members, all by one cashier's token.
const LOG_IN_EVERY: usize = 400;
/// Time for which the disk hangs.
const STALL: Duration = Duration::from_secs(2);
/// Number of times that each actor is killed.
const KILLS: usize = 2;
/// A kind of write may take so long afterwards.
const WITHIN: Duration = Duration::from_secs(1);
/// Longest delay of head office's changes: the feed is asked once a second.
const FED_WITHIN: Duration = Duration::from_secs(15);
/// Between two changes of head office.
const OFFICE_PAUSE: Duration = Duration::from_millis(200);
/// Logs in again and again.
const VISITOR: &str = "visitor";
/// Size of the disk; only written blocks take space.
const DISK_BYTES: u64 = 4 << 30;
const SKU: &str = "8990001";
const PRICE: i64 = 2_000;
/// Files that each side needs beside its connections.
const FILES: usize = 1_000;
/// Connections of a client: one that was given up closes later.
const FILES_PER_CLIENT: usize = 4;

/// Duration and numbers.
#[derive(Clone, Copy)]
pub struct Size {
    /// Clients that write at once.
    pub clients: usize,
    /// Duration in seconds.
    pub seconds: u64,
}

/// Shared state of the crowd.
struct Storm {
    store: Installation,
    cashier: Api,
    manager: Api,
    /// The store's administrator; logged in before the storm, like all users whose log-in is not under test.
    admin: Api,
    office: Api,
    stop: AtomicBool,
    written: AtomicU64,
    retries: Arc<AtomicU64>,
}

/// One run; an error names the stuck part.
pub async fn run(binaries: &Binaries, size: Size) -> anyhow::Result<()> {
    allow_files(size.clients * FILES_PER_CLIENT + FILES)?;
    let place = WorkFolder::new(None)?;
    let disk = match Disk::make_sized(place.path(), DISK_BYTES) {
        Ok(disk) => Some(disk),
        Err(why) => {
            println!(
                "storm: the test with a frozen disk is NOT RUN, because this machine can't freeze one: {why}"
            );
            None
        }
    };
    let data = disk.as_ref().map_or(place.path(), |disk| &disk.mount).join("store");
    let settings =
        format!("http.max_connections = {0}\nhttp.max_connections_per_address = {0}\n", size.clients + FILES);
    let hub_setup = Installation::hub(binaries, &place)?;
    hub_setup.init(&admin()).await?;
    let token = enrolment_token(&hub_setup.command(&["store", "add", STORE_ID], None).await?)?;
    let hub = hub_setup.serve().await?;
    let store = Installation::store_at(binaries, &place, Some(&hub.base()), &data, &settings)?;
    store.init(&admin()).await?;
    let (cashier, manager) = (Person::new("cashier", "cashier"), Person::new("manager", "store_manager"));
    let tills: Vec<Person> = (0..TILLS).map(|n| Person::new(&format!("till-{n}"), "cashier")).collect();
    // Only this many log-ins of one person stay valid: the others' tokens must not be invalidated by them.
    let visitor = Person::new(VISITOR, "cashier");
    for person in tills.iter().chain([&cashier, &manager, &visitor]) {
        store.add_user(person).await?;
    }
    store.command(&["enrol", "--hub", &hub.base(), "--token", &token], None).await?;
    let serving = store.serve().await?;
    let retries = Arc::<AtomicU64>::default();
    let office = hub_setup.login(&admin(), &retries).await?;
    let product = json!({"sku": SKU, "name": "Tea", "price": PRICE, "category": "grocery"});
    office.post("/api/products", "product", &product).await?;
    let manager = store.login(&manager, &retries).await?;
    hubside::wait_for_catalogue(&manager, 1).await?;
    let mut open = Vec::new();
    for (n, person) in tills.iter().enumerate() {
        open.push(Till::open(store.login(person, &retries).await?.at(&format!("till-{n}")), 0).await?);
    }
    let storm = Arc::new(Storm {
        cashier: store.login(&cashier, &retries).await?,
        admin: store.login(&admin(), &retries).await?,
        store,
        manager,
        office,
        stop: AtomicBool::new(false),
        written: AtomicU64::new(0),
        retries,
    });
    rage(&storm, size, disk.as_ref(), &open).await?;
    let (written, retries) = (storm.written.load(Ordering::Relaxed), storm.retries.load(Ordering::Relaxed));
    eprintln!("storm: {written} writes by {} clients, {retries} repeated", size.clients);
    ensure!(written > 0, "the crowd wrote nothing");
    calm(&storm, place.path(), &open).await?;
    ensure!(serving.stop().await?.success(), "the store did not stop cleanly");
    storm.store.command(&["verify", "--deep"], None).await?;
    Ok(())
}

/// Both sides may open as many files as this machine allows; too few are an error before anything begins.
fn allow_files(count: usize) -> anyhow::Result<()> {
    if open_files()? < count {
        let pid = std::process::id().to_string();
        // If even this is refused, the present limit is read below.
        let _ = std::process::Command::new("prlimit")
            .args(["--pid", &pid, &format!("--nofile={count}:")])
            .output();
    }
    let allowed = open_files()?;
    ensure!(
        allowed >= count,
        "{count} open files are needed, {allowed} are allowed: fewer --storm-clients, or ulimit -n"
    );
    Ok(())
}

/// Number of files that this process, and those that it starts, may open.
fn open_files() -> anyhow::Result<usize> {
    let reported = std::fs::read_to_string("/proc/self/limits").context("the limits of this process")?;
    let line =
        reported.lines().find(|line| line.starts_with("Max open files")).context("no limit of files")?;
    let soft = line.split_whitespace().nth(3).context("no limit of files")?;
    // No number: no limit.
    Ok(soft.parse().unwrap_or(usize::MAX))
}

async fn rage(storm: &Arc<Storm>, size: Size, disk: Option<&Disk>, tills: &[Till]) -> anyhow::Result<()> {
    let mut crowd = JoinSet::new();
    for number in 0..size.clients {
        crowd.spawn(client(Arc::clone(storm), number));
    }
    for (number, till) in tills.iter().enumerate() {
        crowd.spawn(seller(Arc::clone(storm), till.speaker(), number));
    }
    crowd.spawn(head_office(Arc::clone(storm)));
    let began = Instant::now();
    let part = Duration::from_secs(size.seconds) / 4;
    tokio::time::sleep(part).await;
    for round in 0..KILLS {
        // The first round falls into the disk's stall.
        let stalls = async {
            match disk.filter(|_| round == 0) {
                Some(disk) => stall(disk).await,
                None => Ok(()),
            }
        };
        let (stalled, killed) = tokio::join!(stalls, kill_all(storm));
        stalled?;
        killed?;
        tokio::time::sleep(part).await;
    }
    tokio::time::sleep(Duration::from_secs(size.seconds).saturating_sub(began.elapsed())).await;
    storm.stop.store(true, Ordering::Relaxed);
    while let Some(ended) = crowd.join_next().await {
        ended.context("a client panicked")??;
    }
    Ok(())
}

/// Blocks writes to the disk for a while.
async fn stall(disk: &Disk) -> anyhow::Result<()> {
    disk.freeze().map_err(anyhow::Error::msg)?;
    tokio::time::sleep(STALL).await;
    disk.thaw().map_err(anyhow::Error::msg)
}

/// A client that has to wait tries again; no answer for a minute, or an answer about a defect, fails the run.
async fn client(storm: Arc<Storm>, number: usize) -> anyhow::Result<()> {
    let person = Person::new(VISITOR, "cashier");
    for round in 0_u32.. {
        if storm.stop.load(Ordering::Relaxed) {
            break;
        }
        if number.is_multiple_of(LOG_IN_EVERY) {
            if !let_in(storm.store.login(&person, &storm.retries).await.map(drop))? {
                continue;
            }
        } else {
            let member = json!({"name": format!("Client {number}-{round}"),
                "phone": format!("0815{number:04}{round:05}")});
            let key = format!("member-{number}-{round}");
            let written = storm.cashier.post("/api/members", &key, &member).await.context("a member");
            if !let_in(written.map(drop))? {
                continue;
            }
        }
        storm.written.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// False if it was sent away each time, because too many wait; this shows nothing about whether something is stuck.
fn let_in(written: anyhow::Result<()>) -> anyhow::Result<bool> {
    let Err(error) = written else { return Ok(true) };
    match error.downcast_ref::<CallError>() {
        Some(CallError::Refused { status: 503, .. }) => Ok(false),
        _ => Err(error),
    }
}

async fn seller(storm: Arc<Storm>, api: Api, number: usize) -> anyhow::Result<()> {
    for round in 0_u32.. {
        if storm.stop.load(Ordering::Relaxed) {
            break;
        }
        if !let_in(sell_piece(&api, &format!("sale-{number}-{round}"), SKU, PRICE).await.map(drop))? {
            continue;
        }
        storm.written.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Changes members, products and people at head office, so that every lane of the feed has changes.
async fn head_office(storm: Arc<Storm>) -> anyhow::Result<()> {
    for round in 0_u32.. {
        if storm.stop.load(Ordering::Relaxed) {
            break;
        }
        let member = json!({"name": format!("Office {round}"), "phone": format!("0877{round:07}")});
        storm
            .office
            .post("/api/members", &format!("m-{round}"), &member)
            .await
            .context("head office: a member")?;
        let product = json!({"sku": format!("77{round:05}"), "name": format!("Tea {round}"), "price": 100});
        storm.office.post("/api/products", &format!("p-{round}"), &product).await.context("a product")?;
        let username = format!("office-{round}");
        let person = json!({"username": username, "name": username, "role": "cashier", "store_id": STORE_ID,
            "password": "correct horse battery"});
        storm.office.post("/api/users", &format!("u-{round}"), &person).await.context("a person")?;
        tokio::time::sleep(OFFICE_PAUSE).await;
    }
    Ok(())
}

/// Kills every actor but the root, as a crash would.
async fn kill_all(storm: &Storm) -> anyhow::Result<()> {
    let tree = storm.admin.get("/api/admin/actors").await.context("the tree of actors")?;
    let mut names = Vec::new();
    actors(tree.pointer("/root/children").unwrap_or(&Value::Null), &mut names);
    ensure!(names.len() > TILLS, "the tree shows only {names:?}");
    for name in names {
        let restart = format!("/api/admin/actors/{name}/restart");
        let killed = storm.admin.post_unkeyed(&restart, &json!({})).await;
        match killed {
            // A shift whose supervisor was killed a moment ago has died with it.
            Ok(_) | Err(CallError::Refused { status: 404 | 503, .. }) => {}
            Err(error) => return Err(error).context(format!("killing {name}")),
        }
    }
    Ok(())
}

fn actors(children: &Value, names: &mut Vec<String>) {
    for child in children.as_array().into_iter().flatten() {
        names.extend(text(child, "name").ok());
        actors(child.get("children").unwrap_or(&Value::Null), names);
    }
}

/// Every kind of write once, each within its time.
async fn calm(storm: &Storm, place: &Path, tills: &[Till]) -> anyhow::Result<()> {
    for (number, till) in tills.iter().enumerate() {
        let (api, name) = (till.speaker(), format!("last-{number}"));
        timed("a sale", WITHIN, async { sell_piece(&api, &name, SKU, PRICE).await.map(drop) }).await?;
    }
    let member = json!({"name": "Last", "phone": "0899000111"});
    timed("a member", WITHIN, keyed(&storm.cashier, "/api/members", &member)).await?;
    let receipt = json!({"lines": [{"sku": SKU, "qty": 5, "unit_cost": 100}]});
    timed("goods", WITHIN, keyed(&storm.manager, "/api/receiving", &receipt)).await?;
    let register = json!({"register_id": "spare", "name": "Spare"});
    timed("a register", WITHIN, keyed(&storm.manager, "/api/registers", &register)).await?;
    let settings = json!({"shelf_place": "A-1"});
    let path = format!("/api/stock/{SKU}");
    timed("a product's place", WITHIN, async {
        storm.manager.patch(&path, "last-place", &settings).await.map(drop).map_err(anyhow::Error::from)
    })
    .await?;
    let person = Person::new("cashier", "cashier");
    timed("a log-in", WITHIN, async { storm.store.login(&person, &storm.retries).await.map(drop) }).await?;
    let file = place.join("late.csv");
    std::fs::write(&file, "name,phone,email,code,birth_date\nLate,0899000222,,,\n")?;
    let import = ["import", "members", &file.display().to_string()].map(str::to_owned);
    let import: Vec<&str> = import.iter().map(String::as_str).collect();
    timed("an import", WITHIN, async { storm.store.command(&import, None).await.map(drop) }).await?;
    let news = json!({"name": "Last of head office", "phone": "0877999999"});
    let made = storm.office.post("/api/members", "last-news", &news).await?;
    let path = format!("/api/members/{}", text(&made, "member_id")?);
    timed("news of head office", FED_WITHIN, async {
        while storm.manager.get(&path).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    })
    .await?;
    let pending = hubside::sync_all(&storm.manager).await.context("everything reaches head office")?;
    ensure!(pending.pointer("/outbox/pending") == Some(&json!(0)), "{pending}");
    Ok(())
}

async fn keyed(api: &Api, path: &str, body: &Value) -> anyhow::Result<()> {
    api.post(path, &format!("last-{path}"), body).await?;
    Ok(())
}

async fn timed(
    what: &str,
    within: Duration,
    write: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let began = Instant::now();
    write.await.with_context(|| what.to_owned())?;
    let took = began.elapsed();
    ensure!(took <= within, "{what} took {took:?} after the storm, more than {within:?}");
    Ok(())
}
