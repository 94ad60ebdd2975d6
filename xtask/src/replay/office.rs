//! Head office's part of a month: two stores that live through it day by day, one of them away while a week is locked, with
//! orders, bills, settlements and what a bank reports. In the end every report and every account is computed once more from
//! the stores' reports.

mod ask;
mod days;
mod exports;
mod facts;
mod month_store;
mod papers;

use crate::many_stores::Store;
use crate::rest::{Api, figure};
use crate::stage::Stage;
use crate::trade::month::Month;
use crate::trade::office::sources;
use crate::trade::plan::plan;
use anyhow::{Context, ensure};
use ask::{Compared, Scope};
pub use days::DAYS_MIN;
use days::Ordered;
use facts::Facts;
use jiff::ToSpan;
use jiff::civil::Date;
use month_store::MonthStore;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The second of them is away from this day on, …
const AWAY_FROM: usize = 8;
/// … and what is before this one is locked without it.
const LOCKED_BEFORE: usize = 13;
const IDS: [&str; 2] = ["M001", "M002"];

/// The day of this machine's clock in the stores' zone.
#[expect(clippy::disallowed_methods, reason = "the hub holds dates against the clock of this machine")]
fn today() -> anyhow::Result<Date> {
    Ok(jiff::Timestamp::now().in_tz("Asia/Jakarta")?.date())
}

/// A store that the hub knows already, and the value of its stock.
pub struct OwnStock<'a> {
    pub store: &'a str,
    pub value: i64,
}

/// Runs it at the hub, which may be killed; true if every figure agrees.
pub async fn run(
    stage: &mut Stage,
    [admin, finance]: [&Api; 2],
    month: &Month,
    own: OwnStock<'_>,
    kill_hub: bool,
) -> anyhow::Result<bool> {
    let (to, steps) = (today()?, plan(month));
    let mut stores: BTreeMap<String, Facts> = IDS.map(|id| (id.to_owned(), Facts::default())).into();
    let mut links = Vec::new();
    for id in IDS {
        links.push(Store::enrol(admin, &stage.hub.base(), id).await?);
    }
    let (supplier, orders) = papers::orders(admin, month, &mut stores).await?;
    let mut shops = IDS.map(MonthStore::new);
    days::live(month, &steps, &mut shops, &Ordered { supplier: &supplier, orders: &orders }, to)?;
    for (shop, facts) in shops.iter().zip(stores.values_mut()) {
        for record in shop.days.iter().flat_map(|day| &day.records) {
            facts.read(&shop.id, record)?;
        }
    }
    let first =
        shops.iter().flat_map(|shop| shop.days.first()).map(|day| day.date).min().context("no day")?;
    papers::opens(admin, &mut stores, first).await?;
    // Before the stores report, so that the source of all other payments takes none of theirs.
    sources(admin).await?;
    let locked = tell(admin, finance, &mut links, &shops).await?;
    let mut paid = Vec::new();
    for (shop, facts) in shops.iter().zip(stores.values_mut()) {
        paid.push(papers::billed(admin, &supplier, locked.tomorrow()?, shop, facts).await?);
    }
    papers::settled::settle(admin, &shops, &mut stores, &paid).await?;
    let mut compared = Compared::default();
    for (shop, facts) in shops.iter().zip(stores.values_mut()) {
        let (store, facts) = (shop.id.as_str(), facts);
        ensure!(
            facts.balances.remove(&(store.to_owned(), "1119")).unwrap_or(0) == 0,
            "settled is not what was paid"
        );
        facts.profit();
        compared.one(|| format!("{store}: stock of the records"), shop.worth(), facts.balance(store, "1210"));
        let scope = Scope { store, from: first, to };
        scope.reports(&mut compared, finance, facts).await?;
        scope.accounts(&mut compared, finance, facts).await?;
        let books = by_books(shop, locked)?;
        scope.reports_of_books(&mut compared, finance, &books).await?;
    }
    let OwnStock { store, value } = own;
    let (of_store, _) = ask::balance(finance, &format!("&store_id={store}"), to).await?;
    compared.one(|| format!("{store}: 1210"), value, of_store.get("1210").copied().unwrap_or(0));
    each_day(&mut compared, finance, first, to).await?;
    whole(&mut compared, admin, locked).await?;
    exports::run(stage, finance, to, kill_hub, &mut compared).await?;
    Ok(compared.tell())
}

/// A store's facts by the day that the books date them on: facts of locked days are on the first one after them, and a
/// person is notified of each of these days once, by the first record that posts, which is the float of its shift.
fn by_books(shop: &MonthStore, locked: Date) -> anyhow::Result<Facts> {
    let [_, away] = IDS;
    let mut books = Facts::default();
    for (place, day) in shop.days.iter().enumerate() {
        let late = shop.id == away && place >= AWAY_FROM && day.date <= locked;
        let entry_date = if late { locked.tomorrow()? } else { day.date }.to_string();
        for record in &day.records {
            books.read_on(&shop.id, &entry_date, record)?;
        }
        if late {
            let own = day.date.to_string();
            let rows = [
                ("exceptions/code", "late_after_lock"),
                ("exceptions/store", shop.id.as_str()),
                ("exceptions/day", own.as_str()),
            ];
            books.add(&rows, &[("open", 1), ("settled", 0), ("amount", 0)]);
        }
    }
    books.points_at_the_end();
    Ok(books)
}

/// Both stores report their days; the second reports some only when they are locked.
async fn tell(
    admin: &Api,
    finance: &Api,
    links: &mut [Store],
    shops: &[MonthStore; 2],
) -> anyhow::Result<Date> {
    let [first, second] = shops;
    let [to_first, to_second] = links else { anyhow::bail!("two stores") };
    for day in &first.days {
        to_first.hand_in(&day.records).await?;
    }
    let (before, after) = second.days.split_at(second.days.len().min(AWAY_FROM));
    for day in before {
        to_second.hand_in(&day.records).await?;
    }
    let locked = second.days.get(LOCKED_BEFORE).or(second.days.last()).context("no day")?.date.yesterday()?;
    let path = format!("/api/finance/days/{locked}/lock");
    admin.post(&path, "lock", &json!({"force": true, "reason": "M002 is away"})).await?;
    let then = ask::balance(finance, "", locked).await?;
    for day in after {
        to_second.hand_in(&day.records).await?;
    }
    ensure!(ask::balance(finance, "", locked).await? == then, "a locked day has changed");
    Ok(locked)
}

/// Checks that at the end of each day every book's sum is 0.
async fn each_day(compared: &mut Compared, finance: &Api, first: Date, to: Date) -> anyhow::Result<()> {
    let books = ["".to_owned(), "&head_office=true".to_owned()];
    let books: Vec<String> = books.into_iter().chain(IDS.map(|id| format!("&store_id={id}"))).collect();
    let mut day = first;
    while day <= to {
        for book in &books {
            let (accounts, [debit, credit]) = ask::balance(finance, book, day).await?;
            compared.one(|| format!("{day}{book}: debit and credit"), debit, credit);
            compared.one(|| format!("{day}{book}: trial balance"), 0, accounts.values().sum());
        }
        day = day.checked_add(1.days())?;
    }
    Ok(())
}

/// Checks that late entries are marked, every proof holds, and nothing else is left to people.
async fn whole(compared: &mut Compared, admin: &Api, locked: Date) -> anyhow::Result<()> {
    let late = admin.list("/api/finance/journal?late=true&store_id=M002").await?;
    ensure!(!late.is_empty(), "nothing came late");
    let next = locked.tomorrow()?.to_string();
    let early = late.iter().filter(|entry| entry.get("entry_date").and_then(Value::as_str) < Some(&next));
    compared.one(|| "entries in locked days".to_owned(), 0, early.count() as i64);
    let proofs = admin.post("/api/finance/proofs", "proofs", &json!({})).await?;
    for proof in proofs.get("proofs").and_then(Value::as_array).context("no proofs")? {
        compared.one(
            || format!("proof {:?}", proof.get("name")),
            figure(proof, "/left")?,
            figure(proof, "/right")?,
        );
    }
    let exceptions = admin.list("/api/exceptions").await?;
    let other = exceptions.iter().filter(|one| {
        one.get("code").and_then(Value::as_str) != Some("late_after_lock")
            && one.get("store_id").and_then(Value::as_str) != Some("S001")
    });
    let other: Vec<String> =
        other.map(|one| format!("{:?} {:?}", one.get("code"), one.get("store_id"))).collect();
    compared.one(|| format!("exceptions {other:?}"), 0, other.len() as i64);
    Ok(())
}
