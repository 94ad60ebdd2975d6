//! A member that a store does not find.

use crate::db::failure::Failure;
use crate::feed::Reader;
use crate::http::{Answered, Request};
use crate::projection::announce::FeedUpdates;
use crate::projection::members::member_reach;
use crate::state::hub::Hub;
use crate::state::lookups::LookUp;
use crate::table::{alarm, member_store, store};
use domain::model::base::time::UtcMs;
use domain::wire::sync::{FIND_BYTES_MAX, FindMember, FoundMember};
use edge::{ApiError, Doc, Reply, clock};

/// Seconds after which a store that asked too often may ask again.
const RETRY_AFTER_SECONDS: u64 = 60;

pub const FIND: Doc = Doc::of(
    "Store protocol",
    "Find a member that the store does not have, with their points; the feed then includes the member's changes",
)
.body::<FindMember>(r#"{"phone": "+6281234567890"}"#)
.answers::<FoundMember>(r#"{"changes": [], "hub_generation": "g1", "hub_time": "2026-11-20T02:06:34.739Z"}"#)
.unkeyed("a repeated request only returns the current state of the member");

/// `POST /api/sync/members`
pub async fn find(request: Request) -> Answered {
    let ask: FindMember = request.json()?;
    let texts = ask.texts();
    if texts.is_empty() || texts.iter().any(|(_, text)| text.is_empty() || text.len() > FIND_BYTES_MAX) {
        return Err(ApiError::field(
            "member_id",
            "an ID, a phone number, an e-mail address or a code of at most 256 bytes is required",
        )
        .into());
    }
    let hub = &request.state;
    let (store_id, now) = (request.caller()?.store_id.as_str(), clock::now());
    match hub.lookups.take(store_id, now) {
        LookUp::Allowed => {}
        taken => return Err(too_many(hub, store_id, taken, now).await?),
    }
    let mut connection = hub.db.pool().acquire().await?;
    let found = member_reach::find(&mut connection, &ask).await?;
    let reported = found.is_empty() || member_store::hears_all(&mut connection, store_id).await?;
    drop(connection);
    if !reported {
        let mut write = hub.db.write().await?;
        let mut later = FeedUpdates::default();
        for member_id in &found {
            member_reach::meet(&mut write, store_id, member_id, &mut later).await?;
        }
        later.announce(&mut write, now).await?;
        write.commit().await?;
        hub.wake_stores().await;
    }
    let reader = Reader { db: &hub.db, generation: &hub.identity.generation, store_id };
    let (changes, coverage) = reader.members(&found).await?;
    store::may_hear(hub.db.pool(), store_id).await?;
    let changes = changes.iter().map(|change| (**change).clone()).collect();
    let hub_generation = hub.identity.generation.clone();
    Ok(Reply::ok(&FoundMember { changes, coverage, hub_generation, hub_time: clock::now() }))
}

/// Notifies a person, once a minute, of a store with more look-ups than a till makes.
async fn too_many(hub: &Hub, store_id: &str, taken: LookUp, now: UtcMs) -> Result<Failure, Failure> {
    if taken == LookUp::First {
        let message = "it looked up more than 60 members within a minute: if its tills did not, somebody else has its key";
        let mut write = hub.db.write().await?;
        alarm::raise(&mut write, store_id, alarm::LOOKUPS, message, now).await?;
        write.commit().await?;
    }
    Ok(ApiError::rate_limited(RETRY_AFTER_SECONDS).into())
}
