//! Stores.

use super::{Answered, Request};
use crate::failure::Failure;
use crate::idempotency::{self, Begun};
use crate::store::{self, NewStore, status};
use domain::answer::Answer;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Reply, clock};
use serde::Deserialize;
use serde_json::json;

/// Where most of the shops are.
pub const TIMEZONE_DEFAULT: &str = "Asia/Jakarta";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Add {
    store_id: String,
    name: Option<String>,
    timezone: Option<String>,
}

/// `POST /api/stores`: the enrolment token is shown this once.
pub async fn add(request: Request) -> Answered {
    let ask: Add = request.json()?;
    let name = ask.name.as_deref().unwrap_or(&ask.store_id);
    let new = NewStore::new(&ask.store_id, name, ask.timezone.as_deref().unwrap_or(TIMEZONE_DEFAULT))?;
    let (hub, now) = (&request.state, clock::now());
    let begun = idempotency::begin(&hub.db, &hub.running, &hub.fingerprints, &request, now).await?;
    let mut keyed = match begun {
        Begun::Before(reply) => return Ok(reply),
        Begun::Now(keyed) => keyed,
    };
    let token = store::add(&mut keyed.write, &new, hub.enrolment_ttl, now).await?;
    let data = json!({"store_id": new.id(), "enrolment_token": token});
    let location = format!("/api/stores/{}/status", new.id());
    Ok(keyed.finish(Answer::created(location, &data)).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/stores`
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after: String = page.cursor.as_ref().map(Cursor::read).transpose()?.unwrap_or_default();
    let limit = i64::try_from(page.limit.0).unwrap_or(i64::MAX).saturating_add(1);
    let stores = status::list(request.state.db.pool(), &after, limit).await.map_err(Failure::from)?;
    Ok(Reply::ok(&List::cut(stores, page.limit, |store| store.store_id.clone())))
}

/// `GET /api/stores/:id/status`
pub async fn status(request: Request) -> Answered {
    Ok(Reply::ok(&status::of(request.state.db.pool(), request.param("id")).await?))
}

/// `POST /api/stores/:id/disable`
pub async fn disable(request: Request) -> Answered {
    set_disabled(request, true).await
}

/// `POST /api/stores/:id/enable`
pub async fn enable(request: Request) -> Answered {
    set_disabled(request, false).await
}

async fn set_disabled(request: Request, disabled: bool) -> Answered {
    let hub = &request.state;
    let begun = idempotency::begin(&hub.db, &hub.running, &hub.fingerprints, &request, clock::now()).await?;
    let mut keyed = match begun {
        Begun::Before(reply) => return Ok(reply),
        Begun::Now(keyed) => keyed,
    };
    let store_id = request.param("id");
    let found = store::set_disabled(&mut keyed.write, store_id, disabled).await.map_err(Failure::from)?;
    if !found {
        return Err(ApiError::not_found("the store"));
    }
    let data = json!({"store_id": store_id, "disabled": disabled});
    Ok(keyed.finish(Answer::ok(&data)).await?)
}
