//! `demo`: the whole chain on loopback, from an empty folder to the books of head office.

use crate::replay::Selling;
use crate::replay::input::{BEFORE, opening_float, receive, write_catalogue};
use crate::stage::{Person, Stage, WorkFolder, admin, finance};
use crate::trade::figures::Figures;
use crate::trade::hubside;
use crate::trade::members;
use crate::trade::month::{Month, load};
use crate::trade::plan::plan;
use crate::trade::settled_day;
use crate::trade::till::Till;
use crate::workspace::{Profile, build, root};
use anyhow::Context;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Real invoices in the repository (see the README beside it).
const INVOICES: &str = "xtask/data/first-invoices.csv";

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
    let (stage, agree) = open(keep).await?;
    print_log_ins(&stage, &People::new());
    if !exit {
        println!("\nrunning until Ctrl-C");
        std::future::pending::<()>().await;
    }
    stage.store.stop().await?;
    stage.hub.stop().await?;
    Ok(agree)
}

/// A hub and a store that have sold and settled the first invoices; true if they agree.
pub async fn open(keep: Option<PathBuf>) -> anyhow::Result<(Stage, bool)> {
    let month = load(&root().join(INVOICES))?;
    let binaries = build(Profile::Dev).await?;
    let place = WorkFolder::new(keep)?;
    let catalogue = place.file("catalogue.csv");
    write_catalogue(&month, &catalogue)?;
    let people = People::new();
    println!("1. a hub and an enrolled store in {}", place.path().display());
    let mut stage = Stage::open(&binaries, place, &catalogue, &people.each()).await?;
    let agree = sell_and_compare(&mut stage, &people, &month).await?;
    Ok((stage, agree))
}

async fn sell_and_compare(stage: &mut Stage, people: &People, month: &Month) -> anyhow::Result<bool> {
    let steps = Arc::new(plan(month));
    let retries = Arc::new(AtomicU64::new(0));
    let manager = stage.store_setup.login(&people.manager, &retries).await?;
    hubside::wait_for_catalogue(&manager, month.products.len()).await?;
    println!("2. {} products came down from the hub", month.products.len());
    let warehouse = stage.store_setup.login(&people.warehouse, &retries).await?;
    let before = receive(&warehouse, month, &BEFORE).await?;
    let members = members::register(&manager, month.customers()).await?;
    println!("3. {} products received, {} members registered", before.unit_costs.len(), members.len());
    let cashier = stage.store_setup.login(&people.cashier, &retries).await?.at("till-1");
    let tills = vec![Till::open(cashier, opening_float(month, &steps)).await?];
    let selling = Selling {
        month,
        steps,
        members,
        before,
        manager: &manager,
        warehouse: &warehouse,
        approver: people.manager.clone(),
        kill_hub: false,
    };
    let sold = selling.run(stage, tills, &retries).await?;
    let Figures { sales, returns, .. } = sold.file.whole.figures;
    println!("4. {sales} sales and {returns} returns at till-1");
    println!("5. shift closed and everything sent to the hub\n");
    sold.refusals.iter().for_each(|refusal| println!("refused by the store: {refusal}"));
    let agree = sold.agree();
    println!("\n{}", if agree { "file, till, store and hub agree" } else { "FIGURES DIFFER" });
    let admin = stage.hub_setup.login(&admin(), &retries).await?;
    let day = sold.tills.first().context("no till")?.business_date.clone();
    let actors = settled_day::Actors { admin: &admin, manager: &manager, warehouse: &warehouse };
    settled_day::run(&actors, month, &day).await?;
    Ok(agree)
}

fn print_log_ins(stage: &Stage, people: &People) {
    println!("\nstore  {0}/pos  {0}/admin", stage.store.base());
    let admin = admin();
    for person in people.each().into_iter().chain([&admin]) {
        println!("  {:<16} {:<10} {}", person.role, person.username, person.password);
    }
    println!("hub    {}/", stage.hub.base());
    for person in [&admin, &finance()] {
        println!("  {:<16} {:<10} {}", person.role, person.username, person.password);
    }
}
