//! Orders of commands: carried out with a progress bar, and with every note of a problem.

use super::progress::Bar;
use crate::config::Config;
use crate::control::{self, Order, Trouble};
use serde_json::Value;

/// Has the store carry an order out, whether its daemon runs or not.
///
/// # Errors
/// The result of the order; its notes have been shown.
pub fn carry_out(config: &Config, order: Order) -> anyhow::Result<Value> {
    let mut bar = Bar::default();
    let ended = control::carry_out(config, order, &mut |step| bar.show(step));
    drop(bar);
    ended.map_err(|error| match error.downcast::<Trouble>() {
        Ok(trouble) => {
            for note in &trouble.notes {
                eprintln!("{note}");
            }
            trouble.exit().into()
        }
        Err(error) => error,
    })
}
