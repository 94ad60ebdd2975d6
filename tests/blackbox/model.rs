//! A store against a model: random days at three tills, with crashes. Each step runs on the real store and on a small
//! model that was written from docs/arithmetic.md and shares no code with the store's rules.
//!
//! The seed is printed (`MODEL_SEED=n`, or `SEED=n`, repeats a run; `MODEL_STEPS=n` sets its length). A failing run is
//! shortened on fresh stores before it is printed. Failures found this way are kept as separate tests.

mod back_room;
mod book;
mod counter;
mod drive;
mod sale;
mod step;

use drive::Shop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use step::Step;
use testkit::dice::Random;

/// Default number of steps of a run.
const STEPS: usize = 160;
/// Time limit for shortening a failing run.
const SHRINKING: Duration = Duration::from_secs(120);

#[test]
fn the_store_does_what_the_model_says() {
    let mut random = Random::announced("model");
    let count = std::env::var("MODEL_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(STEPS);
    let steps: Vec<Step> = (0..count).map(|_| Step::random(&mut random)).collect();
    let Err(first) = run(&steps) else { return };
    let (steps, why) = shorter(steps, first);
    panic!("{why}\nafter these {} steps:\n{steps:#?}", steps.len());
}

/// Runs the steps on a fresh store. Returns what failed, if anything.
fn run(steps: &[Step]) -> Result<(), String> {
    let driven = catch_unwind(AssertUnwindSafe(|| {
        let mut shop = Shop::open();
        steps.iter().for_each(|step| shop.take(step));
        shop.close_down();
    }));
    driven.map_err(|cause| {
        let text = cause.downcast_ref::<String>().cloned();
        text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
    })
}

/// Removes steps that the failure does not need: halves first, then smaller and smaller parts. Steps refer to things by
/// their position among those that exist, so any part of a run is a valid run.
fn shorter(mut steps: Vec<Step>, mut why: String) -> (Vec<Step>, String) {
    let deadline = Instant::now() + SHRINKING;
    let mut part = steps.len().div_ceil(2);
    while part > 0 {
        let mut from = 0;
        while from < steps.len() && Instant::now() < deadline {
            let mut fewer = steps.clone();
            fewer.drain(from..(from + part).min(steps.len()));
            match run(&fewer) {
                Err(still) => (steps, why) = (fewer, still),
                Ok(()) => from += part,
            }
        }
        part = if part == 1 || Instant::now() >= deadline { 0 } else { part.div_ceil(2) };
    }
    (steps, why)
}
