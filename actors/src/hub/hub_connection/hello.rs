//! Sends hello, the first message of a session, and acts on the hub's answer.

use super::State;
use crate::hub::hub_client::CallError;
use crate::message::HubMessage;
use domain::model::hub::sync::local::LinkRow;
use domain::rules::hub::sync::rules::too_far_ahead;
use domain::rules::hub::sync::session::{
    AfterHello, decide_after_hello, highest_number, lineage_of_hello, push_overtook_hello,
};
use domain::wire::record::SCHEMA;
use domain::wire::sync::{BackupDrill, Hello, HelloAnswer};
use ractor::ActorRef;
use std::time::Duration;

/// The state of backups and disk in a hello.
pub(super) type Condition = (Option<BackupDrill>, Option<String>);

impl State {
    /// Sends hello; the answer comes back as [`HubMessage::Greeted`].
    pub(super) fn send_hello(&mut self, me: &ActorRef<HubMessage>) -> Result<(), CallError> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let storage = &self.context.storage;
        // The epoch is read before the lineage: `rejoin` may open another epoch in between, and `lineage_of_hello`
        // leaves it out.
        let epoch = storage.head().epoch;
        let lineage = lineage_of_hello(storage.outbox().lineage()?, &epoch);
        let (drill, damage) = self.condition();
        let hello = Hello {
            store_id: storage.store_id().0.clone(),
            epoch,
            lineage,
            apart: storage.sync().standing()?.apart,
            version: self.context.config.sync.version.clone(),
            schema_max: SCHEMA,
            cursor: self.newest_cursor()?,
            wall_clock: self.context.stamps.now(),
            backlog: storage.outbox().backlog()?,
            day_start: self.context.rules.now().day_start.strftime("%H:%M").to_string(),
            timezone: self.context.rules.now().timezone.iana_name().map(str::to_owned),
            currency: self.context.config.sync.currency.clone(),
            drill,
            damage,
        };
        self.hello_epoch.clone_from(&hello.epoch);
        self.hello_condition = (hello.drill.clone(), hello.damage.clone());
        let (me, plan) = (me.clone(), self.plan);
        tokio::spawn(async move {
            let result = Box::new(client.hello(&hello).await);
            // Fails if the connection has restarted; the new one sends its own hello.
            let _ = me.cast(HubMessage::Greeted { plan, result });
        });
        Ok(())
    }

    /// Whether `rejoin` has opened another epoch since the last hello. The hub's answers about the previous epoch,
    /// for example that it is fenced, don't apply to the new one.
    pub(super) fn epoch_changed_since_hello(&self) -> bool {
        self.hello_epoch != self.context.storage.head().epoch
    }

    /// The last restore drill, and the first damage that was found in the journal.
    fn condition(&self) -> Condition {
        ((self.context.config.sync.drill)(), self.context.storage.damage().into_iter().next())
    }

    /// Acts on the answer to a hello.
    pub(super) async fn on_hello_answer(
        &mut self,
        me: &ActorRef<HubMessage>,
        answer: HelloAnswer,
    ) -> Result<(), CallError> {
        self.merge_hub_time(answer.hub_time).await?;
        // A condition that changed while the hello was on its way would otherwise wait for the next session.
        if self.epoch_changed_since_hello() || self.hello_condition != self.condition() {
            self.hello_in(me, Duration::ZERO);
            return Ok(());
        }
        let storage = self.context.storage.clone();
        let (epoch, lineage) = (storage.head().epoch, storage.outbox().lineage()?);
        let highest = highest_number(&lineage, storage.sync().standing()?.hub_n);
        if too_far_ahead(answer.n, highest) {
            let message = format!(
                "the hub names epoch {}, but the highest epoch known here is {highest}: its answer is ignored. \
                 Ask head office whether this is the right hub",
                answer.n
            );
            return Err(CallError::rejected(message));
        }
        match decide_after_hello(&storage.outbox(), &epoch, &lineage, &answer)? {
            AfterHello::Fence
                if !storage.sync().standing()?.apart
                    && push_overtook_hello(&storage.outbox(), &epoch, &answer)? =>
            {
                Err(CallError::transient("records were still being sent during the hello"))
            }
            AfterHello::Fence => {
                // `rejoin` opens the epoch after this number.
                self.update_standing(|standing| LinkRow { hub_n: answer.n, ..standing }).await?;
                Err(CallError::fenced())
            }
            AfterHello::ReportDivergence => Err(CallError::diverged()),
            AfterHello::Upgrade => {
                Err(CallError::rejected("the hub asks for a newer version of this program"))
            }
            AfterHello::OpenEpoch(n) => {
                let now = self.context.stamps.now();
                self.update_standing(|standing| LinkRow { recovering_at: Some(now), ..standing }).await?;
                self.open_epoch(n).await?;
                self.hello_in(me, Duration::ZERO);
                Ok(())
            }
            AfterHello::Complete(plan) => {
                self.welcome(&answer).await?;
                self.reconcile(me, plan, answer.hub_time)
            }
        }
    }
}
