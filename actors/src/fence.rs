//! Fences: only the newest incarnation of a shift's actor may submit.
//!
//! When the shifts' supervisor dies, its children die with it, but a child on another thread may
//! still finish its current step. A restarted shift first takes the next incarnation; whatever an
//! older one tries to submit afterwards is dropped unsent, so the loaded state can't be outdated.

use domain::ids::ShiftId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The current incarnation of each open shift.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fences(Arc<Mutex<HashMap<ShiftId, u64>>>);

/// Proof, for as long as it is held, that an incarnation is the newest.
pub(crate) struct Held<'a> {
    _current: MutexGuard<'a, HashMap<ShiftId, u64>>,
}

impl Fences {
    /// Shuts out every earlier incarnation and names the new one.
    pub(crate) fn next(&self, shift: &ShiftId) -> u64 {
        let mut map = self.lock();
        let incarnation = map.entry(shift.clone()).or_insert(0);
        *incarnation = incarnation.saturating_add(1);
        *incarnation
    }

    /// Holds the fence while submitting; `None` for an outdated incarnation.
    pub(crate) fn hold(&self, shift: &ShiftId, incarnation: u64) -> Option<Held<'_>> {
        let map = self.lock();
        (map.get(shift) == Some(&incarnation)).then_some(Held { _current: map })
    }

    /// Forgets a shift that is over.
    pub(crate) fn remove(&self, shift: &ShiftId) {
        self.lock().remove(shift);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ShiftId, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Fences;
    use domain::ids::ShiftId;

    #[test]
    fn only_the_newest_incarnation_passes() {
        let fences = Fences::default();
        let shift = ShiftId::from("shf_1");
        let first = fences.next(&shift);
        assert!(fences.hold(&shift, first).is_some());
        let second = fences.next(&shift);
        assert!(fences.hold(&shift, first).is_none());
        assert!(fences.hold(&shift, second).is_some());
        fences.remove(&shift);
        assert!(fences.hold(&shift, second).is_none());
    }
}
