//! `replay`: a month of invoices through a fresh store and hub, what came back included, with every sum
//! compared at the end; then the same month at head office, reported by two stores day by day.

mod board;
pub mod input;
mod office;
pub mod selling;

use crate::rest::Api;
use crate::stage::{Person, STORE_ID, Stage, WorkFolder, admin, finance};
use crate::trade::books::{Books, Delivery};
use crate::trade::compare::{Comparison, Costs, StoreSide, costs};
use crate::trade::hubside::{self, HubSide};
use crate::trade::members::{self, Members};
use crate::trade::month::{Month, load};
use crate::trade::plan::{Step, given, plan, spend};
use crate::trade::till::Till;
use crate::workspace::{Profile, build};
use anyhow::{Context, bail, ensure};
use selling::{Outcome, Work};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const TILLS_MAX: usize = 64;
/// What to replay, and how.
#[derive(clap::Args, Clone)]
pub struct Options {
    /// Invoices: InvoiceNo, StockCode, Description, Quantity, InvoiceDate, UnitPrice, …; .gz or plain
    pub file: PathBuf,
    /// Tills that sell at the same time
    #[arg(long, default_value_t = 8)]
    pub tills: usize,
    /// Kill the hub (SIGKILL) half-way and during exports of the journal, and start it again
    #[arg(long)]
    pub kill_hub: bool,
    /// Only the first days of the file, at least 8
    #[arg(long)]
    pub days: Option<usize>,
    /// Use the release profile
    #[arg(long)]
    pub release: bool,
}

/// Runs it; true if every row agrees.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    ensure!((1..=TILLS_MAX).contains(&options.tills), "--tills: 1 to {TILLS_MAX}");
    let mut month = load(&options.file)?;
    if let Some(days) = options.days {
        ensure!(days >= office::DAYS_MIN, "--days: at least {}", office::DAYS_MIN);
        month.keep_days(days);
    }
    let mut steps = plan(&month);
    spend(&mut steps);
    let steps = Arc::new(steps);
    let profile = if options.release { Profile::Release } else { Profile::Dev };
    let binaries = build(profile).await?;
    let place = WorkFolder::new(None)?;
    let catalogue = place.file("catalogue.csv");
    input::write_catalogue(&month, &catalogue)?;
    let cashiers: Vec<Person> =
        (1..=options.tills).map(|n| Person::new(&format!("cashier-{n}"), "cashier")).collect();
    let manager = Person::new("manager", "store_manager");
    let people: Vec<&Person> = cashiers.iter().chain([&manager]).collect();
    let mut stage = Stage::open(&binaries, place, &catalogue, &people).await?;

    let retries = Arc::new(AtomicU64::new(0));
    let api = stage.store_setup.login(&manager, &retries).await?;
    hubside::wait_for_catalogue(&api, month.products.len()).await?;
    let before = input::receive(&api, &month, &input::BEFORE).await?;
    let members = members::register(&api, month.customers()).await?;
    let given = given(&steps);
    members::give(&api, &members, &given).await?;
    let opening_float = input::opening_float(&month, &steps);
    let mut tills = Vec::new();
    for (index, cashier) in cashiers.iter().enumerate() {
        let api = stage.store_setup.login(cashier, &retries).await?.at(&format!("till-{}", index + 1));
        tills.push(Till::open(api, opening_float).await?);
    }

    let started = Instant::now();
    let selling = Selling {
        month: &month,
        steps,
        members,
        before,
        manager: &api,
        warehouse: &api,
        approver: manager,
        kill_hub: options.kill_hub,
    };
    let sold = selling.run(&mut stage, tills, &retries).await?;
    let seconds = started.elapsed().as_secs_f64();
    input::tell(&month, &sold.steps, given.len(), &sold.refusals);
    println!(
        "\n{} sales and returns at {} tills in {seconds:.1} s, {} requests repeated\n",
        sold.steps.len(),
        sold.tills.len(),
        retries.load(Ordering::Relaxed)
    );
    let mut agree = sold.agree();
    let office = [admin(), finance()];
    let mut people = Vec::new();
    for person in &office {
        people.push(stage.hub_setup.login(person, &retries).await?);
    }
    let [admin, finance] = people.as_slice() else { bail!("two people of head office") };
    let own = office::OwnStock { store: STORE_ID, value: sold.store.value.values().sum() };
    agree &= office::run(&mut stage, [admin, finance], &month, own, options.kill_hub).await?;
    stage.store.stop().await?;
    stage.hub.stop().await?;
    stage.hub_setup.command(&["verify"], None).await.context("cloud-hub verify")?;
    println!("\n{}", if agree { "every figure agrees" } else { "FIGURES DIFFER" });
    Ok(agree)
}

/// What a month is sold with at a store.
pub struct Selling<'a> {
    pub month: &'a Month,
    pub steps: Arc<Vec<Step>>,
    pub members: Members,
    /// The delivery before the first sale.
    pub before: Delivery,
    pub manager: &'a Api,
    pub warehouse: &'a Api,
    /// Approves returns without a receipt.
    pub approver: Person,
    pub kill_hub: bool,
}

/// A month that was sold, as the file, the tills, the store and the hub know it.
pub struct Sold {
    pub steps: Arc<Vec<Step>>,
    pub file: Books,
    pub tills: Vec<Till>,
    pub refusals: Vec<String>,
    pub store: StoreSide,
    costs: Costs,
    hub: HubSide,
}

impl Selling<'_> {
    /// Does every step, closes the shifts and asks store and hub for all that they know.
    pub async fn run(
        self,
        stage: &mut Stage,
        tills: Vec<Till>,
        retries: &Arc<AtomicU64>,
    ) -> anyhow::Result<Sold> {
        let Self { month, steps, members, before, manager, warehouse, approver, kill_hub } = self;
        let work = Work::new(steps.clone(), members.clone(), approver);
        let Outcome { tills, refusals, delivery } =
            selling::run(stage, tills, work, warehouse, month, kill_hub).await?;
        let store = close(manager, &tills, &members).await?;
        let deliveries = [before, delivery];
        let costs = costs::walk(manager, &steps, &deliveries, tills.iter().map(|till| &till.seen)).await?;
        let hub = ask_hub(stage, manager, &tills, retries).await?;
        let file = Books::of(month, &steps, &deliveries);
        Ok(Sold { steps, file, tills, refusals, store, costs, hub })
    }
}

impl Sold {
    /// Prints every figure as each of them knows it; true if all agree.
    pub fn agree(&self) -> bool {
        let Self { file, tills, refusals, store, costs, hub, .. } = self;
        let tills = tills.iter().map(|till| (till.shift_id.as_str(), &till.seen)).collect();
        let refused = refusals.len() as i64;
        Comparison { file, tills, store, costs, hub, refused }.verdict().print()
    }
}

/// Closes every shift and asks the store for all that it knows.
async fn close(manager: &Api, tills: &[Till], members: &Members) -> anyhow::Result<StoreSide> {
    let mut store = StoreSide::default();
    for till in tills {
        store.add_summary(&till.shift_id, &till.close().await?)?;
    }
    let shifts: Vec<&str> = tills.iter().map(|till| till.shift_id.as_str()).collect();
    store.read(manager, &shifts, members).await?;
    Ok(store)
}

/// Asks the hub, once it has everything.
async fn ask_hub(
    stage: &Stage,
    manager: &Api,
    tills: &[Till],
    retries: &Arc<AtomicU64>,
) -> anyhow::Result<HubSide> {
    hubside::sync_all(manager).await?;
    let days = || tills.iter().map(|till| till.business_date.as_str());
    let (from, to) = (days().min().context("no till")?, days().max().context("no till")?);
    let finance = stage.hub_setup.login(&finance(), retries).await?;
    let admin = stage.hub_setup.login(&admin(), retries).await?;
    hubside::ask(&finance, &admin, from, to).await
}
