//! A member that a store does not find.

use super::{Answered, Request};
use crate::failure::Failure;
use crate::feed::Reader;
use crate::ingest::announce::Later;
use crate::member::met;
use crate::store;
use domain::sync::{FindMember, FoundMember};
use edge::{ApiError, Doc, Reply, clock};

/// The longest text that is asked for, in bytes.
const TEXT_BYTES_MAX: usize = 256;

/// `POST /api/sync/members`
pub const FIND: Doc = Doc::of(
    "Store protocol",
    "Find a member that the store does not know, with its points; from then on the store is told of it",
)
.body::<FindMember>(r#"{"phone": "+6281234567890"}"#)
.answers::<FoundMember>(r#"{"changes": [], "hub_generation": "g1", "hub_time": "2026-11-20T02:06:34.739Z"}"#)
.unkeyed("who was met stays met: asked again, the answer is what is known by then");

/// `POST /api/sync/members`
pub async fn find(request: Request) -> Answered {
    let ask: FindMember = request.json()?;
    let texts = ask.texts();
    if texts.is_empty() || texts.iter().any(|(_, text)| text.is_empty() || text.len() > TEXT_BYTES_MAX) {
        return Err(ApiError::field(
            "member_id",
            "an id, a phone, an e-mail or a code of at most 256 bytes is needed",
        ));
    }
    let hub = &request.state;
    let (store_id, now) = (request.caller()?.store_id.as_str(), clock::now());
    let mut connection = hub.db.pool().acquire().await.map_err(Failure::from)?;
    let found = met::find(&mut connection, &ask).await.map_err(Failure::from)?;
    let told = found.is_empty() || met::hears_all(&mut connection, store_id).await.map_err(Failure::from)?;
    drop(connection);
    if !told {
        let mut write = hub.db.write().await.map_err(Failure::from)?;
        let mut later = Later::default();
        for member_id in &found {
            met::meet(&mut write, store_id, member_id, &mut later).await.map_err(Failure::from)?;
        }
        later.announce(&mut write, now).await.map_err(Failure::from)?;
        write.commit().await.map_err(Failure::from)?;
        hub.raise_now().await;
    }
    let reader = Reader { db: &hub.db, generation: &hub.identity.generation, store_id };
    let (changes, coverage) = reader.members(&found).await.map_err(Failure::from)?;
    store::may_hear(hub.db.pool(), store_id).await?;
    let changes = changes.iter().map(|change| (**change).clone()).collect();
    let hub_generation = hub.identity.generation.clone();
    Ok(Reply::ok(&FoundMember { changes, coverage, hub_generation, hub_time: clock::now() }))
}
