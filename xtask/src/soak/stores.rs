//! Hundreds of stores at one hub. The cost of a sale for the hub may depend neither on the number of enrolled stores
//! nor on the number of waiting ones.

use crate::many_stores::{LANES, MEMBERS, Office};
use crate::measure::results::middle;
use crate::process::cpu_us;
use crate::stage::{Installation, WorkFolder};
use crate::workspace::Binaries;
use anyhow::Context;
use std::time::Duration;

/// Number of measurements, in turn: other work on the machine affects all of them.
const ROUNDS: usize = 3;
/// Batches of a round.
const BATCHES: usize = 5;
/// Time that one store sells in a round, one sale a batch.
const SELLING: Duration = Duration::from_secs(20);
/// A sale may cost this multiple of its cost with one store.
const RATIO_MAX: f64 = 1.2;

/// Measures it with one, a tenth and all of `most` stores; true if all is within the ratio.
pub async fn run(binaries: &Binaries, most: usize) -> anyhow::Result<bool> {
    let mut places = Vec::new();
    let mut offices = Vec::new();
    for count in [1, (most / 10).max(2), most] {
        eprintln!("a hub with {count} stores …");
        let place = WorkFolder::new(None)?;
        offices.push(Office::open(&Installation::crowded_hub(binaries, &place, None)?, count).await?);
        places.push(place);
    }
    let pushed = pushed(&mut offices).await?;
    let last = offices.last_mut().context("no hub")?;
    let fine = waited_for(last).await? && pushed;
    drop(offices);
    drop(places);
    Ok(fine)
}

/// Processor time of a sale in a batch, by how many stores are enrolled.
async fn pushed(offices: &mut [Office]) -> anyhow::Result<bool> {
    let mut costs: Vec<Vec<u64>> = offices.iter().map(|_| Vec::new()).collect();
    for round in 0..=ROUNDS {
        for (office, costs) in offices.iter_mut().zip(&mut costs) {
            let before = cpu_us(&office.hub)?;
            for _ in 0..BATCHES {
                office.batch().await?;
            }
            let spent = cpu_us(&office.hub)?.saturating_sub(before);
            // The first one warms up.
            if round > 0 {
                costs.push(spent / (BATCHES * MEMBERS) as u64);
            }
        }
    }
    let costs: Vec<u64> = costs.into_iter().map(middle).collect();
    let one = costs.first().copied().unwrap_or_default();
    let mut fine = true;
    for (office, cost) in offices.iter().zip(&costs) {
        let ratio = *cost as f64 / (one as f64).max(1.0);
        fine &= ratio <= RATIO_MAX;
        println!(
            "batches of {MEMBERS} member sales, {} stores enrolled: {cost} us of the hub a sale, {ratio:.2} times \
             (median of {ROUNDS} rounds; at most {RATIO_MAX} is asked for)",
            office.stores.len()
        );
    }
    Ok(fine)
}

/// Processor time of a sale by itself, without waiting stores and while every other store waits at all lanes.
async fn waited_for(office: &mut Office) -> anyhow::Result<bool> {
    let costs = office.costs_of_waiting(ROUNDS, SELLING).await?;
    let (alone, waited) = (middle(costs.alone), middle(costs.waited));
    let ratio = waited as f64 / (alone as f64).max(1.0);
    println!(
        "one store sells, {} wait at {} lanes each: {waited} us of the hub a sale, {alone} us alone, {ratio:.2} times \
         (median of {ROUNDS} rounds, less what the waiting cost without a sale; at most {RATIO_MAX} is asked for)",
        office.stores.len() - 1,
        LANES.len()
    );
    Ok(ratio <= RATIO_MAX)
}
