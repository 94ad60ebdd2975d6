//! Many stores at head office on PostgreSQL: the cost of waiting ones for a sale, and the gain from a second process.

use super::results::Results;
use crate::many_stores::{MEMBERS, Office, Store};
use crate::stage::{Installation, WorkFolder};
use crate::tools::postgres::Private;
use crate::workspace::Binaries;
use anyhow::Context;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Rounds of each, by turns.
const ROUNDS: usize = 3;
/// Stores that push at once, half of them to each process.
const PUSHING: usize = 16;
const DATABASES: [&str; 2] = ["waiting", "pushing"];

/// Both, with turns of this length.
pub async fn measure(
    binaries: &Binaries,
    place: &WorkFolder,
    postgres: &Private,
    waiting: usize,
    length: Duration,
    results: &mut Results,
) -> anyhow::Result<()> {
    let [waited, pushed] = DATABASES;
    for name in DATABASES {
        postgres.create_database(name).await?;
    }
    eprintln!("a hub with {waiting} stores that wait");
    let folder = WorkFolder::new(Some(place.file(waited)))?;
    let setup = Installation::crowded_hub(binaries, &folder, Some(&postgres.url(waited)))?;
    let mut office = Office::open(&setup, waiting + 1).await?;
    let costs = office.costs_of_waiting(ROUNDS, length).await?;
    for (alone, waited) in costs.alone.into_iter().zip(costs.waited) {
        // Microseconds a sale are milliseconds a thousand.
        results.add("hub, alone", json!({"cpu_s_per_1000": alone as f64 / 1_000.0}));
        results.add("hub, waited for", json!({"cpu_s_per_1000": waited as f64 / 1_000.0}));
    }
    office.hub.stop().await?;

    eprintln!("a hub of two processes");
    let folder = WorkFolder::new(Some(place.file(pushed)))?;
    let setup = Installation::crowded_hub(binaries, &folder, Some(&postgres.url(pushed)))?;
    let Office { hub, stores, members } = Office::open(&setup, PUSHING).await?;
    let second = Installation::beside(binaries, &folder, &postgres.url(pushed))?.serve().await?;
    let mut stores = stores;
    for round in 0..=ROUNDS {
        for (name, bases) in [
            ("hub, one process", [hub.base(), hub.base()]),
            ("hub, two processes", [hub.base(), second.base()]),
        ] {
            for (store, base) in stores.iter_mut().zip(bases.iter().cycle()) {
                store.speak_to(base);
            }
            let rate = pushes(&mut stores, &members, length).await?;
            // The first one warms up.
            if round > 0 {
                results.add(name, json!({"sales_per_s": rate}));
            }
        }
    }
    second.stop().await?;
    hub.stop().await.map(drop)
}

/// Every store pushes batch after batch, each for members of its own; sales a second.
pub(super) async fn pushes(
    stores: &mut Vec<Store>,
    members: &[String],
    length: Duration,
) -> anyhow::Result<f64> {
    let own = (members.len() / stores.len()).max(1);
    let (since, mut running) = (Instant::now(), JoinSet::new());
    for (place, mut store) in stores.drain(..).enumerate() {
        let members: Vec<String> = members.iter().skip(place * own).take(own).cloned().collect();
        running.spawn(async move {
            let mut sold = 0_usize;
            while since.elapsed() < length {
                store.push(members.iter().cycle().take(MEMBERS).map(String::as_str)).await?;
                sold += MEMBERS;
            }
            anyhow::Ok((place, store, sold))
        });
    }
    let mut done = Vec::new();
    while let Some(one) = running.join_next().await {
        done.push(one.context("a store ended")??);
    }
    let took = since.elapsed().as_secs_f64();
    done.sort_by_key(|(place, ..)| *place);
    let sold: usize = done.iter().map(|(_, _, sold)| sold).sum();
    stores.extend(done.into_iter().map(|(_, store, _)| store));
    Ok(sold as f64 / took)
}
