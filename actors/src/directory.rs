//! The directory of open shifts: who sells where, and how to reach the shift's actor.

use crate::shift::ShiftMessage;
use crate::slot::Depth;
use domain::ids::{ShiftId, UserId};
use domain::shift::Shift;
use ractor::ActorRef;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// One open shift.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) shift_id: ShiftId,
    pub(crate) opened_by: UserId,
    pub(crate) actor: ActorRef<ShiftMessage>,
    pub(crate) depth: Depth,
}

/// Open shifts by id; filled by their supervisor.
#[derive(Clone, Default)]
pub(crate) struct Directory(Arc<RwLock<HashMap<ShiftId, Place>>>);

impl Directory {
    pub(crate) fn put(&self, shift: &Shift, actor: ActorRef<ShiftMessage>, depth: Depth) {
        let place =
            Place { shift_id: shift.shift_id.clone(), opened_by: shift.opened_by.clone(), actor, depth };
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(shift.shift_id.clone(), place);
    }

    pub(crate) fn remove(&self, shift: &ShiftId) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(shift);
    }

    pub(crate) fn get(&self, shift: &ShiftId) -> Option<Place> {
        self.find(|place| place.shift_id == *shift)
    }

    pub(crate) fn find(&self, is: impl Fn(&Place) -> bool) -> Option<Place> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().find(|place| is(place)).cloned()
    }
}
