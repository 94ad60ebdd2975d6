//! The registry of open shifts: the user and the register of each, and the address of its actor.

use crate::message::ShiftMessage;
use crate::runtime::mailbox::QueueLen;
use domain::model::base::ids::{RegisterId, ShiftId, UserId};
use domain::model::books::shift::Shift;
use ractor::ActorRef;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Name of a shift's actor in the tree.
pub(crate) fn actor_name(shift_id: &ShiftId) -> String {
    format!("shift:{shift_id}")
}

/// An open shift.
pub(crate) struct ShiftRef {
    pub(crate) opened_by: UserId,
    pub(crate) register_id: RegisterId,
    pub(crate) actor: ActorRef<ShiftMessage>,
    pub(crate) queue_len: QueueLen,
}

/// Open shifts by ID and by the user who opened them. Their supervisor adds and removes them.
#[derive(Clone, Default)]
pub(crate) struct ShiftRegistry(Arc<RwLock<Entries>>);

#[derive(Default)]
struct Entries {
    by_shift: HashMap<ShiftId, Arc<ShiftRef>>,
    by_user: HashMap<UserId, ShiftId>,
}

impl ShiftRegistry {
    pub(crate) fn put(&self, shift: &Shift, actor: ActorRef<ShiftMessage>, queue_len: QueueLen) {
        let (shift_id, opened_by) = (shift.shift_id.clone(), shift.opened_by.clone());
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        entries.by_user.insert(opened_by.clone(), shift_id.clone());
        let register_id = shift.register_id.clone();
        entries.by_shift.insert(shift_id, Arc::new(ShiftRef { opened_by, register_id, actor, queue_len }));
    }

    /// Removes a shift. A later one of the same user stays.
    pub(crate) fn remove(&self, shift: &ShiftId) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.by_shift.remove(shift)
            && entries.by_user.get(&entry.opened_by) == Some(shift)
        {
            entries.by_user.remove(&entry.opened_by);
        }
    }

    pub(crate) fn get(&self, shift: &ShiftId) -> Option<Arc<ShiftRef>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).by_shift.get(shift).cloned()
    }

    /// ID of the newest open shift of a user.
    pub(crate) fn newest_id_of(&self, user: &UserId) -> Option<ShiftId> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).by_user.get(user).cloned()
    }

    /// The newest open shift of a user.
    pub(crate) fn newest_of(&self, user: &UserId) -> Option<Arc<ShiftRef>> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        entries.by_user.get(user).and_then(|shift| entries.by_shift.get(shift)).cloned()
    }

    /// IDs of all open shifts.
    pub(crate) fn shifts(&self) -> Vec<ShiftId> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).by_shift.keys().cloned().collect()
    }
}
