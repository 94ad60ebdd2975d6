//! The finished steps, for the steps that need them: a return waits for its sale and for the return before it.

use std::collections::BTreeMap;
use tokio::sync::watch;

/// Progress of the tills.
#[derive(Default)]
struct State {
    /// The steps that are done; a sale with its transaction, unless the store refused it.
    done: BTreeMap<usize, Option<String>>,
    /// A till gave up: nothing waits any longer.
    given_up: bool,
}

/// The board where all tills look.
pub struct Board(watch::Sender<State>);

impl Board {
    pub fn new() -> Self {
        Self(watch::Sender::new(State::default()))
    }

    /// A step is done.
    pub fn done(&self, step: usize, transaction: Option<String>) {
        self.0.send_modify(|state| {
            state.done.insert(step, transaction);
        });
    }

    /// A till stops with an error.
    pub fn give_up(&self) {
        self.0.send_modify(|state| state.given_up = true);
    }

    /// Whether a till gave up.
    pub fn given_up(&self) -> bool {
        self.0.borrow().given_up
    }

    /// Waits until those steps are done. The lowest step under way waits for nothing, so one worker always continues:
    /// steps are taken in order, and need only earlier ones.
    pub async fn wait(&self, steps: impl IntoIterator<Item = usize>) {
        let steps: Vec<usize> = steps.into_iter().collect();
        let there = |state: &State| state.given_up || steps.iter().all(|step| state.done.contains_key(step));
        // It can't fail: the sender is this board.
        let _ = self.0.subscribe().wait_for(there).await;
    }

    /// The transaction of a sale that is done.
    pub fn transaction(&self, step: usize) -> Option<String> {
        self.0.borrow().done.get(&step).cloned().flatten()
    }
}
