//! Parked records and conflicts, which the hub could not decide by itself.

use crate::http::prelude::*;
use crate::ingest::replay::{self, Replayed};
use crate::office::parked::parked_list::{self, Filter};
use crate::table::audit;
use domain::model::base::refusal::Refusal;
use edge::Doc;
use edge::identity::EmptyBody;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/parked", ADMIN, "Synchronisation")
        .summary(
            "List parked records: records that could not be applied, with their amounts and who has to act",
        )
        .lists::<ParkedQuery>(""),
    Route::post("/api/parked/replay", ADMIN, REPLAY_ALL, answers!(replay_all)),
    Route::post("/api/parked/:id/replay", ADMIN, REPLAY, answers!(replay)),
];

pub const REPLAY: Doc = Doc::of("Synchronisation", "Retry a parked record and all records that wait for it")
    .optional_body::<EmptyBody>("{}")
    .answers::<Replayed>(r#"{"applied": 1, "duplicates": 0, "parked": 0}"#)
    .refuses(&[Code::InvalidState])
    .unkeyed(TWICE);
pub const REPLAY_ALL: Doc =
    Doc::of("Synchronisation", "Retry all records that are parked for one reason, at every store")
        .query::<Cause>()
        .optional_body::<EmptyBody>("{}")
        .answers::<Replayed>(r#"{"applied": 12, "duplicates": 0, "parked": 1}"#)
        .unkeyed(TWICE);
const TWICE: &str = "a repeated request changes nothing: applied records are no longer parked";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkedQuery {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    /// Only records of this store.
    store_id: Option<String>,
    /// Only those with this reason code.
    code: Option<String>,
    /// Whether to list the records that a corrected document of their store replaced, in place of those that are parked.
    #[serde(default)]
    replaced: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ParkedCause")]
struct Cause {
    /// Reason code of the records to retry, as in the list of parked records.
    code: String,
}

page_query!(ParkedQuery);

impl PagedList for ParkedQuery {
    type Query = Self;
    type Item = parked_list::View;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<parked_list::View>, Failure> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (store_id, code, after) = (text(&page.query.store_id), text(&page.query.code), text(&page.after));
        let of = Filter { store_id: &store_id, code: &code, replaced: page.query.replaced };
        Ok(parked_list::list(page.pool, of, &after, page.limit).await?)
    }
    fn position(record: &parked_list::View) -> String {
        record.parked_id.clone()
    }
}

/// `POST /api/parked/:id/replay`
pub async fn replay(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let hub = &request.state;
    let found = replay::find(hub.db.pool(), request.param("id")).await?;
    if found.is_none() && parked_list::is_replaced(hub.db.pool(), request.param("id")).await? {
        let replaced = Refusal::InvalidState { state: "replaced".to_owned(), allowed: Vec::new() };
        return Err(ApiError::from(replaced).into());
    }
    let (store_id, which) = found.ok_or_else(|| ApiError::not_found("the parked record"))?;
    note(&request, json!({"parked_id": request.param("id"), "store_id": store_id})).await?;
    // The applied records are committed, and each part was retried in case of contention: the whole request is not.
    let done = replay::replay(hub, &store_id, &which).await.map_err(ApiError::from)?;
    Ok(Reply::ok(&done))
}

/// `POST /api/parked/replay`
pub async fn replay_all(request: Request) -> Answered {
    let Cause { code } = request.query()?;
    let EmptyBody {} = request.json()?;
    note(&request, json!({"code": code})).await?;
    let done = replay::of_code(&request.state, &code).await.map_err(ApiError::from)?;
    Ok(Reply::ok(&done))
}

/// Before the attempt, which takes several commits.
async fn note(request: &Request, details: Value) -> Result<(), Failure> {
    let mut write = request.state.db.write().await?;
    let by = &request.caller()?.user_id;
    audit::append(&mut write, by, "parked.replayed", &details, clock::now()).await?;
    Ok(write.commit().await?)
}
