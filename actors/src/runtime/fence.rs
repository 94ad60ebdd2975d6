//! Fences: only the newest incarnation of a shift's actor may submit.
//!
//! When the shifts' supervisor dies, its children die with it, but a child on another thread may
//! still finish its current step. A restarted shift first takes the next incarnation; whatever an
//! older one tries to submit afterwards is dropped unsent, so the loaded state can't be outdated.

use domain::model::base::ids::ShiftId;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The current incarnation of one shift; held while it submits.
type Fence = Arc<Mutex<u64>>;

/// The current incarnation of each open shift.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fences {
    shifts: Arc<RwLock<HashMap<ShiftId, Fence>>>,
    /// Incarnations are never named twice, not even after a shift was forgotten.
    last: Arc<AtomicU64>,
}

impl Fences {
    /// Shuts out every earlier incarnation and names the new one.
    pub(crate) fn next(&self, shift: &ShiftId) -> u64 {
        let incarnation = self.last.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        // The map stays locked, so that the fence is not removed in between.
        let mut shifts = self.write();
        *locked(shifts.entry(shift.clone()).or_default()) = incarnation;
        incarnation
    }

    /// Submits while no newer incarnation can start; `None`: this one is outdated, nothing was done.
    pub(crate) fn pass<T>(&self, shift: &ShiftId, incarnation: u64, submit: impl FnOnce() -> T) -> Option<T> {
        let fence = self.read().get(shift).map(Arc::clone)?;
        let current = locked(&fence);
        (*current == incarnation).then(submit)
    }

    /// Forgets a shift that is over.
    pub(crate) fn remove(&self, shift: &ShiftId) {
        if let Some(fence) = self.write().remove(shift) {
            // A caller that looked it up a moment ago can't pass any more.
            *locked(&fence) = 0;
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<ShiftId, Fence>> {
        self.shifts.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<ShiftId, Fence>> {
        self.shifts.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn locked(fence: &Fence) -> std::sync::MutexGuard<'_, u64> {
    fence.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::Fences;
    use domain::model::base::ids::ShiftId;

    #[test]
    fn only_the_newest_incarnation_passes() {
        let fences = Fences::default();
        let shift = ShiftId::from("shf_1");
        let passes = |incarnation| fences.pass(&shift, incarnation, || ()).is_some();
        let first = fences.next(&shift);
        assert!(passes(first));
        let second = fences.next(&shift);
        assert!(!passes(first));
        assert!(passes(second));
        fences.remove(&shift);
        assert!(!passes(second));
    }

    #[test]
    fn a_forgotten_shift_does_not_name_an_incarnation_again() {
        let fences = Fences::default();
        let shift = ShiftId::from("shf_1");
        let old = fences.next(&shift);
        fences.remove(&shift);
        fences.next(&shift);
        assert_eq!(fences.pass(&shift, old, || ()), None, "it has been shut out");
    }
}
