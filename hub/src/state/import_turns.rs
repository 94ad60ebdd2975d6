//! Imports that are read at once: one of a person, and two in all. A file may need several times its size while it is read.

use domain::model::base::ids::UserId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard, Semaphore, SemaphorePermit};

/// Most files that are read at once.
const AT_ONCE: usize = 2;

/// Turns of users who import a file.
pub struct ImportTurns {
    places: Semaphore,
    people: Mutex<HashMap<String, Weak<Turn<()>>>>,
}

impl Default for ImportTurns {
    fn default() -> Self {
        Self { places: Semaphore::new(AT_ONCE), people: Mutex::default() }
    }
}

/// A turn; it ends when it is dropped.
pub struct ImportTurn<'a> {
    _person: OwnedMutexGuard<()>,
    _place: Option<SemaphorePermit<'a>>,
}

impl ImportTurns {
    /// Waits until no other file of this person is being read, and a place is free.
    pub async fn turn(&self, user_id: &UserId) -> ImportTurn<'_> {
        let own = {
            let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
            people.retain(|_, turn| turn.strong_count() > 0);
            let known = people.get(&user_id.0).and_then(Weak::upgrade);
            let own = known.unwrap_or_else(|| Arc::new(Turn::new(())));
            people.insert(user_id.0.clone(), Arc::downgrade(&own));
            own
        };
        let person = own.lock_owned().await;
        ImportTurn { _person: person, _place: self.places.acquire().await.ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn a_person_reads_one_file_and_all_read_two() {
        let turns = ImportTurns::default();
        let [ana, ben, cara] = ["usr_a", "usr_b", "usr_c"].map(|id| UserId(id.to_owned()));
        let first = turns.turn(&ana).await;
        assert!(turns.turn(&ana).now_or_never().is_none(), "her second file waits for her first");
        let second = turns.turn(&ben).await;
        assert!(turns.turn(&cara).now_or_never().is_none(), "two are read already");
        drop((first, second));
        drop(turns.turn(&cara).await);
        drop(turns.turn(&ana).await);
    }
}
