//! The first message of a store to the hub, and the meaning of the answer for this copy of the store.

use super::State;
use crate::hub::hub_client::CallError;
use crate::message::HubMessage;
use domain::model::hub::sync::local::LinkRow;
use domain::rules::hub::sync::rules::too_far_ahead;
use domain::rules::hub::sync::session::{Greeted, greeted, highest, named, overtaken};
use domain::wire::record::SCHEMA;
use domain::wire::sync::{Hello, HelloAnswer};
use ractor::ActorRef;
use std::time::Duration;

impl State {
    pub(super) fn hello(&mut self, me: &ActorRef<HubMessage>) -> Result<(), CallError> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let storage = &self.context.storage;
        // Read in this order: a person may open another epoch meanwhile.
        let epoch = storage.head().epoch;
        let lineage = named(storage.outbox().lineage()?, &epoch);
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
        };
        self.said.clone_from(&hello.epoch);
        let (me, plan) = (me.clone(), self.plan);
        tokio::spawn(async move {
            let result = Box::new(client.hello(&hello).await);
            // A connection that restarted meanwhile has said hello itself.
            let _ = me.cast(HubMessage::Greeted { plan, result });
        });
        Ok(())
    }

    /// Whether a person has opened another epoch since the last hello: what is said of the one before, above all
    /// that it is fenced, does not count for this one.
    pub(super) fn spoke_for_another(&self) -> bool {
        self.said != self.context.storage.head().epoch
    }

    pub(super) async fn greeted(
        &mut self,
        me: &ActorRef<HubMessage>,
        answer: HelloAnswer,
    ) -> Result<(), CallError> {
        self.merge_hub_time(answer.hub_time).await?;
        if self.spoke_for_another() {
            self.hello_in(me, Duration::ZERO);
            return Ok(());
        }
        let storage = self.context.storage.clone();
        let (epoch, lineage) = (storage.head().epoch, storage.outbox().lineage()?);
        let highest = highest(&lineage, storage.sync().standing()?.hub_n);
        if too_far_ahead(answer.n, highest) {
            let message = format!(
                "the hub names epoch {}, but the highest epoch known here is {highest}: its answer is ignored. \
                 Ask head office whether this is the right hub",
                answer.n
            );
            return Err(CallError::rejected(message));
        }
        match greeted(&storage.outbox(), &epoch, &lineage, &answer)? {
            Greeted::Fence
                if !storage.sync().standing()?.apart && overtaken(&storage.outbox(), &epoch, &answer)? =>
            {
                Err(CallError::transient("records were still being sent during the hello"))
            }
            Greeted::Fence => {
                // A store that rejoins opens the epoch after it.
                self.update_standing(|standing| LinkRow { hub_n: answer.n, ..standing }).await?;
                Err(CallError::fenced())
            }
            Greeted::SayApart => Err(CallError::diverged()),
            Greeted::Upgrade => Err(CallError::rejected("the hub asks for a newer version of this program")),
            Greeted::OpenEpoch(n) => {
                let now = self.context.stamps.now();
                self.update_standing(|standing| LinkRow { recovering_at: Some(now), ..standing }).await?;
                self.open_epoch(n).await?;
                self.hello_in(me, Duration::ZERO);
                Ok(())
            }
            Greeted::Complete(plan) => {
                self.welcome(&answer).await?;
                self.reconcile(me, plan, answer.hub_time)
            }
        }
    }
}
