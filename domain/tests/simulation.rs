//! Stores, copies, backups, a hub, lost and doubled letters and crashes anywhere, over the rules that the
//! daemon runs. `SIMULATION_SEEDS=N` runs so many histories from `SIMULATION_FROM` on, `SIMULATION_SEED=N`
//! only that one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a test may fail loudly")]

#[path = "simulation/hub.rs"]
mod hub;
#[path = "simulation/named.rs"]
mod named;
#[path = "simulation/shop.rs"]
mod shop;
#[path = "simulation/world.rs"]
mod world;

use hub::Broken;
use world::World;

/// Histories in the test command.
const SEEDS: u64 = 200;
/// Things that happen in one history.
const STEPS: usize = 250;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn run(seed: u64, broken: Broken) -> Result<(), String> {
    let mut world = World::new(seed, broken);
    (0..STEPS).for_each(|_| world.step());
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
    for broken in [Broken::Dedup, Broken::CursorFirst, Broken::BareFeed] {
        let found = (1..=SEEDS).filter(|seed| run(*seed, broken).is_err()).count();
        assert!(found > 0, "{broken:?} went unseen in {SEEDS} histories");
    }
}
