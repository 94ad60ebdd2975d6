//! Supervisor of the shifts: keeps one actor running for each open shift.

use crate::message::ShiftsMessage;
use crate::owners::shift::{CLOSED, LedgerLost, ShiftActor, ShiftArguments, ShiftOver, ShutOut};
use crate::runtime::context::Context;
use crate::runtime::mailbox::{QueueLen, message_taken};
use crate::supervision::restart::{Budgets, respawn_pause};
use crate::supervision::shift_registry::actor_name;
use crate::supervision::tree::{Entry, SHIFTS, log_death};
use domain::model::base::ids::ShiftId;
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};
use std::collections::HashMap;

pub(crate) struct State {
    context: Context,
    /// Running actors of shifts.
    children: HashMap<ActorId, ShiftId>,
    budgets: Budgets<ShiftId>,
}

pub(crate) struct Shifts;

impl Actor for Shifts {
    type Msg = ShiftsMessage;
    type State = State;
    type Arguments = Context;

    async fn pre_start(
        &self,
        me: ActorRef<Self::Msg>,
        context: Context,
    ) -> Result<State, ActorProcessingErr> {
        context.storage.barrier().await?;
        let open = context.storage.shifts().open_shifts()?;
        let budgets = Budgets::new(context.config.max_restarts, context.config.period);
        let mut state = State { context, children: HashMap::new(), budgets };
        // Shifts that closed while the previous supervisor died are still listed.
        for listed in state.context.shift_registry.shifts() {
            if !open.iter().any(|shift| shift.shift_id == listed) {
                state.forget(&listed);
            }
        }
        for shift in open {
            state.run(&me, shift.shift_id, 0).await;
        }
        Ok(state)
    }

    async fn handle(
        &self,
        me: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ShiftsMessage::Ensure { shift_id, ensured } => {
                message_taken(&state.context.shifts.queue_len);
                state.ensure(&me, shift_id, 0).await;
                // The caller reads the registry: the reply has no content.
                let _ = ensured.send(());
            }
            ShiftsMessage::Retry { shift_id, attempt } => state.ensure(&me, shift_id, attempt).await,
            #[cfg(test)]
            ShiftsMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        me: ActorRef<Self::Msg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorTerminated(who, _, reason) => {
                let reason = reason.unwrap_or_else(|| "stopped".to_owned());
                let over = reason == CLOSED;
                state.died(&me, who.get_id(), &reason, over, false).await;
            }
            SupervisionEvent::ActorFailed(who, error) => {
                let lost = error.downcast_ref::<LedgerLost>().is_some();
                let unspent = lost || error.downcast_ref::<ShutOut>().is_some();
                state.died(&me, who.get_id(), &error.to_string(), false, unspent).await;
            }
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => {}
        }
        Ok(())
    }
}

impl State {
    /// Removes an actor that ended. Starts it again unless its shift is over or its budget is spent. `unspent`: the end
    /// does not count against the budget.
    async fn died(
        &mut self,
        me: &ActorRef<ShiftsMessage>,
        who: ActorId,
        reason: &str,
        over: bool,
        unspent: bool,
    ) {
        let Some(shift_id) = self.children.remove(&who) else { return };
        if over {
            return self.forget(&shift_id);
        }
        let asked = self.context.tree.died(&actor_name(&shift_id), reason);
        log_death(&actor_name(&shift_id), reason, asked);
        if asked.is_some() || unspent || self.spend(&shift_id) {
            self.run(me, shift_id, 0).await;
        }
    }

    /// Starts the shift's actor unless it runs: an earlier caller may have started it.
    async fn ensure(&mut self, me: &ActorRef<ShiftsMessage>, shift_id: ShiftId, attempt: u32) {
        if !self.children.values().any(|child| *child == shift_id) {
            self.run(me, shift_id, attempt).await;
        }
    }

    /// Starts the shift's actor. If it does not start, this is tried again after a pause.
    async fn run(&mut self, me: &ActorRef<ShiftsMessage>, shift_id: ShiftId, attempt: u32) {
        let queue_len = QueueLen::default();
        let context = self.context.clone();
        let arguments = ShiftArguments { context, shift_id: shift_id.clone(), queue_len: queue_len.clone() };
        match ShiftActor::spawn_linked(None, ShiftActor, arguments, me.get_cell()).await {
            Ok((actor, _task)) => {
                self.children.insert(actor.get_id(), shift_id.clone());
                let (name, cell, at) = (actor_name(&shift_id), actor.get_cell(), self.context.stamps.now());
                if let Ok(Some(shift)) = self.context.storage.shifts().shift(&shift_id) {
                    self.context.shift_registry.put(&shift, actor, queue_len.clone());
                }
                self.context.tree.started(Entry {
                    name,
                    kind: "shift",
                    parent: Some(SHIFTS),
                    cell,
                    queue_len,
                    at,
                });
            }
            Err(error) if is_over(&error) => self.forget(&shift_id),
            Err(error) => {
                tracing::error!(%shift_id, %error, "the shift's actor did not start");
                if self.spend(&shift_id) {
                    let retry = move || ShiftsMessage::Retry { shift_id, attempt: attempt.saturating_add(1) };
                    me.send_after(respawn_pause(attempt), retry);
                }
            }
        }
    }

    /// Counts an end against the budget. Returns false if the budget is spent: then the process ends.
    fn spend(&mut self, shift_id: &ShiftId) -> bool {
        let within = self.budgets.spend(shift_id.clone());
        if !within {
            tracing::error!(%shift_id, "the restart budget is spent");
            self.context.spent.send_replace(true);
        }
        within
    }

    fn forget(&mut self, shift_id: &ShiftId) {
        self.budgets.forget(shift_id);
        self.context.forget_shift(shift_id);
    }
}

fn is_over(error: &SpawnErr) -> bool {
    matches!(error, SpawnErr::StartupFailed(cause) if cause.downcast_ref::<ShiftOver>().is_some())
}
