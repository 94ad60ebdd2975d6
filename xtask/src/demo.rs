//! `demo`: the whole chain on loopback, from an empty folder to a report at head office.

use crate::compare::{Comparison, StoreSide};
use crate::hubside;
use crate::month::{Month, load};
use crate::replay::input::{expected, receive, write_catalogue};
use crate::stage::{Person, Place, Stage, admin, finance};
use crate::till::{Sold, Tender, Till};
use crate::workspace::{Profile, build, root};
use anyhow::bail;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Real invoices in the repository (see the README beside it).
const INVOICES: &str = "xtask/data/first-invoices.csv";
const FLOAT: i64 = 50_000;

struct People {
    cashier: Person,
    manager: Person,
    warehouse: Person,
}

impl People {
    fn new() -> Self {
        Self {
            cashier: Person::new("cashier", "cashier"),
            manager: Person::new("manager", "store_manager"),
            warehouse: Person::new("warehouse", "warehouse_staff"),
        }
    }

    fn each(&self) -> [&Person; 3] {
        [&self.cashier, &self.manager, &self.warehouse]
    }
}

/// Runs it; true if hub and store agree.
pub async fn run(keep: Option<PathBuf>, exit: bool) -> anyhow::Result<bool> {
    let month = load(&root().join(INVOICES))?;
    let binaries = build(Profile::Dev).await?;
    let place = Place::new(keep)?;
    let catalogue = place.file("catalogue.csv");
    write_catalogue(&month, &catalogue)?;
    let people = People::new();
    println!("1. a hub and an enrolled store in {}", place.path().display());
    let stage = Stage::open(&binaries, place, &catalogue, &people.each()).await?;
    let agree = sell_and_compare(&stage, &people, &month).await?;
    print_log_ins(&stage, &people);
    if !exit {
        println!("\nrunning until Ctrl-C");
        std::future::pending::<()>().await;
    }
    stage.store.stop().await?;
    stage.hub.stop().await?;
    Ok(agree)
}

async fn sell_and_compare(stage: &Stage, people: &People, month: &Month) -> anyhow::Result<bool> {
    let retries = Arc::new(AtomicU64::new(0));
    let manager = stage.store_setup.login(&people.manager, &retries).await?;
    hubside::wait_for_catalogue(&manager, month.products.len()).await?;
    println!("2. {} products came down from the hub", month.products.len());
    let warehouse = stage.store_setup.login(&people.warehouse, &retries).await?;
    let received = receive(&warehouse, month).await?;
    println!("3. {} products received", received.len());
    let cashier = stage.store_setup.login(&people.cashier, &retries).await?.at("till-1");
    let mut till = Till::open(cashier, FLOAT, Tender::Mixed).await?;
    for sale in &month.sales {
        if let Sold::Refused(why) = till.sell(sale).await? {
            bail!("sale {} refused: {why}", sale.name);
        }
    }
    println!("4. {} sales at till-1 (shift {})", till.seen.sales, till.shift_id);
    let mut store = StoreSide::default();
    store.add_summary(&till.close().await?)?;
    store.read(&manager, &[&till.shift_id]).await?;
    hubside::sync_all(&manager).await?;
    println!("5. shift closed and everything sent to the hub\n");
    let reader = stage.hub_setup.login(&finance(), &retries).await?;
    let hub = hubside::sales(&reader, &till.business_date, &till.business_date).await?;
    let file = expected(month, received);
    let agree = Comparison { file, tills: &[till], store, hub, refused: 0 }.print();
    println!("\n{}", if agree { "file, till, store and hub agree" } else { "FIGURES DIFFER" });
    Ok(agree)
}

fn print_log_ins(stage: &Stage, people: &People) {
    println!("\nstore  {}", stage.store.base());
    let admin = admin();
    for person in people.each().into_iter().chain([&admin]) {
        println!("  {:<16} {:<10} {}", person.role, person.username, person.password);
    }
    println!("hub    {}", stage.hub.base());
    for person in [&admin, &finance()] {
        println!("  {:<16} {:<10} {}", person.role, person.username, person.password);
    }
}
