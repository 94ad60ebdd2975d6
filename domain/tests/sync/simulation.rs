//! A store with its copies and backups, a hub, lost, late, duplicated and reordered messages, crashes at any point and
//! clocks that are years off, with the rules that the daemons use. `SIMULATION_SEEDS=N` runs N histories from
//! `SIMULATION_FROM` on, `SIMULATION_SEED=N` only that one.

mod broken;
mod disks;
mod fact;
mod figures;
mod hub;
mod intake;
mod keeping;
mod link;
mod named;
mod post;
mod quiet;
mod script;
mod shop;
mod swarm;
mod till;
mod world;

use broken::Broken;
use world::World;

/// Default number of histories.
const SEEDS: u64 = 200;
/// Number of histories in which a broken rule must be found.
const BROKEN_SEEDS: u64 = 2000;
/// Defects that random histories find soon. The others need ten thousand, or a named history.
const FOUND: &[Broken] = &[
    Broken::Dedup,
    Broken::CursorFirst,
    Broken::BareFeed,
    Broken::EpochText,
    Broken::EpochEq,
    Broken::Takeover,
    Broken::Rejoin,
    Broken::OwnKnown,
    Broken::OwnAsNew,
    Broken::ParkKeys,
    Broken::RetryParked,
    Broken::WaitingBlocks,
    Broken::ParkBusiness,
    Broken::Receipts,
    Broken::ReceiptsByTime,
    Broken::Enrol,
    Broken::Shifts,
    Broken::Stable,
    Broken::IncludesCurrent,
    Broken::IncludesHash,
    Broken::Missing,
    Broken::DigestOfEpoch,
    Broken::DigestApplied,
    Broken::DigestAhead,
    Broken::FirstPlace,
    Broken::MovesKnown,
];

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn run(seed: u64, broken: Broken) -> Result<(), String> {
    let mut world = World::new(seed, broken);
    world.swarm();
    world.finish().map_err(|what| format!("seed {seed}: {what}\n{}", world.history.join("\n")))
}

#[test]
fn store_and_hub_have_the_same_after_any_history() {
    let seeds = match number("SIMULATION_SEED") {
        Some(seed) => seed..=seed,
        None => {
            let from = number("SIMULATION_FROM").unwrap_or(1);
            from..=from.saturating_add(number("SIMULATION_SEEDS").unwrap_or(SEEDS) - 1)
        }
    };
    for seed in seeds {
        if let Err(what) = run(seed, Broken::Nothing) {
            panic!("{what}");
        }
    }
}

#[test]
fn a_broken_hub_is_found() {
    for broken in FOUND {
        let found = (1..=BROKEN_SEEDS).find(|seed| run(*seed, *broken).is_err());
        assert!(found.is_some(), "{broken:?} was not found in {BROKEN_SEEDS} histories");
    }
}
