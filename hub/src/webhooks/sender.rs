//! Sends events to webhooks for as long as the hub serves, each webhook on its own: one that hangs holds up no other.

use crate::db::outage;
use crate::secret;
use crate::state::hub::Hub;
use crate::table::webhooks::webhook;
use crate::webhooks::round::{self, Round};
use edge::clock;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{Id, JoinSet};
use tokio::time::MissedTickBehavior;

/// Period between checks for events to send.
const PERIOD: Duration = Duration::from_millis(500);
/// Pause after a round that sent events, up to 16, while intake is busy.
const BUSY_PAUSE: Duration = Duration::from_secs(1);

/// Sends until the hub stops.
pub async fn keep(hub: Arc<Hub>) {
    let mut stopping = hub.stopping.subscribe();
    let holder: Arc<str> = secret::mark().into();
    let mut busy = HashMap::new();
    tokio::select! {
        () = send(&hub, &holder, &mut busy) => {}
        // The sender of this channel lives as long as the hub.
        _ = stopping.wait_for(|stops| *stops) => {}
    }
    if !busy.is_empty()
        && let Err(error) = give_up(&hub, &holder).await
    {
        outage::warn(
            &error,
            "webhooks could not be handed over: events are sent again when the leases have ended",
        );
    }
}

/// `busy` has the webhooks that are sent to now, by their tasks.
async fn send(hub: &Arc<Hub>, holder: &Arc<str>, busy: &mut HashMap<Id, String>) {
    let mut tick = tokio::time::interval(PERIOD);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut running = JoinSet::new();
    loop {
        tokio::select! {
            _ = tick.tick() => {
                let found = match webhook::with_work(hub.db.pool(), clock::now(), round::lease_until(clock::now())).await {
                    Ok(found) => found,
                    Err(error) => {
                        outage::warn(&error, "webhooks could not be read");
                        continue;
                    }
                };
                for webhook_id in found {
                    if busy.values().all(|known| *known != webhook_id) {
                        let task = running.spawn(rounds(Arc::clone(hub), webhook_id.clone(), Arc::clone(holder)));
                        busy.insert(task.id(), webhook_id);
                    }
                }
            }
            Some(done) = running.join_next_with_id() => {
                let id = done.map_or_else(|error| error.id(), |(id, ())| id);
                busy.remove(&id);
            }
        }
    }
}

/// Runs rounds of one webhook until there is nothing to do.
async fn rounds(hub: Arc<Hub>, webhook_id: String, holder: Arc<str>) {
    loop {
        match round::run(&hub, &webhook_id, &holder).await {
            Ok(Round::Sent) if hub.batches.are_many() => tokio::time::sleep(BUSY_PAUSE).await,
            Ok(Round::Sent | Round::OnlyRead) => {}
            Ok(Round::Idle) => return,
            Err(error) => {
                outage::warn(&error, "events could not be sent to a webhook yet");
                return;
            }
        }
    }
}

/// Lets another process continue at once, or this one after its restart.
async fn give_up(hub: &Hub, holder: &str) -> Result<(), sqlx::Error> {
    let mut write = hub.db.write().await?;
    if webhook::release(&mut write, None, holder).await? {
        write.commit().await?;
    }
    Ok(())
}
