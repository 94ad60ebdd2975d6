//! Records between several stores and a hub: fields that both sides write, with clocks that are years off, denials,
//! goods in transit, and the feed that sends them, with the rules that the daemons use. `SIMULATION_SEEDS=N` runs N
//! histories from `SIMULATION_FROM` on, `SIMULATION_SEED=N` only that one.

mod broken;
mod depot;
mod dice;
mod feed;
mod goods;
mod hub;
mod judge;
mod named;
mod net;
mod people;
mod script;
mod staff;
mod store;
mod take;
mod world;

use broken::Broken;
use world::World;

/// Default number of histories.
const SEEDS: u64 = 200;
/// Events of one history.
const STEPS: usize = 150;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn run(seed: u64, broken: Broken) -> Result<(), String> {
    let mut world = World::random(seed, broken);
    let reported = |world: &World, what| format!("seed {seed}: {what}\n{}", world.history.join("\n"));
    for _ in 0..STEPS {
        world.step();
        world.well().map_err(|what| reported(&world, what))?;
    }
    world.finish().map_err(|what| reported(&world, what))
}

#[test]
fn records_are_the_same_everywhere_after_any_history() {
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
fn a_broken_rule_is_found() {
    for broken in broken::BY_CHANCE {
        let found = (1..=SEEDS).any(|seed| run(seed, broken).is_err());
        assert!(found, "{broken:?} was not found in {SEEDS} histories");
    }
}
