//! The registry of open shifts: the user and the registers of each, and the address of its actor.

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
    /// Registers where it stands.
    pub(crate) registers: Vec<RegisterId>,
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
        let registers = shift.registers().to_vec();
        entries.by_shift.insert(shift_id, Arc::new(ShiftRef { opened_by, registers, actor, queue_len }));
    }

    /// Notes where a shift stands now.
    pub(crate) fn moved(&self, shift: &Shift) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.by_shift.get_mut(&shift.shift_id) {
            let (actor, queue_len) = (entry.actor.clone(), entry.queue_len.clone());
            let (opened_by, registers) = (entry.opened_by.clone(), shift.registers().to_vec());
            *entry = Arc::new(ShiftRef { opened_by, registers, actor, queue_len });
        }
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

    /// ID of the open shift in which a user sells at a register: the shift there if it is the user's or shared, else the
    /// user's newest one.
    pub(crate) fn id_for(&self, user: &UserId, here: Option<&RegisterId>) -> Option<ShiftId> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let own = entries.by_user.get(user);
        let stands = |entry: &ShiftRef| here.is_some_and(|here| entry.registers.contains(here));
        if own.and_then(|own| entries.by_shift.get(own)).is_some_and(|own| stands(own)) {
            return own.cloned();
        }
        let shared = entries.by_shift.iter().find(|(_, entry)| entry.registers.len() > 1 && stands(entry));
        shared.map(|(shift_id, _)| shift_id).or(own).cloned()
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
