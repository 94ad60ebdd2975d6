//! Counts of stock.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::documents::{Dates, page};
use crate::http::failure::stored;
use ::actors::commands;
use domain::model::base::ids::{OpnameId, Sku};
use domain::model::inventory::opname::{Opname, OpnameLine, OpnameState};
use domain::model::inventory::stock::Stock;
use domain::rules::inventory::opname::{
    CountOpname, NewOpname, OpnameView, PostOpname, RecountOpname, line_view,
};
use edge::identity::EmptyBody;
use edge::page::{Cursor, Limit, List, Page};
use edge::{ApiError, Code, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use storage::Storage;

mod arrivals;
mod differences;
mod look_up;
mod uncounted;

pub use differences::{LIST as DIFFERENCES, list as differences};
pub use look_up::{LIST as LOOK_UP, list as look_up};
pub use uncounted::{LIST as UNCOUNTED, list as uncounted};

const OPNAME: &str = include_str!("examples/opname.json");
const DETAIL: &str = include_str!("examples/opname_detail.json");

pub const CREATE: Doc = Doc::of("Opname", "Start a stock count")
    .body::<NewOpname>(r#"{"scope": "category", "category": "tea", "blind": true}"#)
    .creates::<Opname>(OPNAME)
    .refuses(&[Code::UnknownSku, Code::Duplicate]);
pub const LIST: Doc =
    Doc::of("Opname", "List stock counts, last changed first").query::<Query>().lists::<Opname>(OPNAME);
pub const READ: Doc = Doc::of("Opname", "Retrieve a stock count with its counted lines, ordered by SKU")
    .query::<Page>()
    .answers::<OpnameView>(DETAIL);
pub const COUNT: Doc = Doc::of(
    "Opname",
    "Add counted quantities. A product's zones are added together; a second count of a zone replaces the same user's first count, and `withdraw` removes it",
)
.body::<CountOpname>(r#"{"counts": [{"sku": "8991234567890", "qty": 93, "zone": "shelf"}]}"#)
.answers::<OpnameView>(DETAIL)
.refuses(&[Code::UnknownSku, Code::InvalidState, Code::AlreadyCounted]);
pub const SUBMIT: Doc = Doc::of("Opname", "Submit a stock count for review of its differences")
    .optional_body::<EmptyBody>("{}")
    .answers::<Opname>(OPNAME)
    .refuses(&[Code::InvalidState]);
pub const RECOUNT: Doc = Doc::of("Opname", "Request a recount of some products")
    .body::<RecountOpname>(r#"{"skus": ["8991234567890"]}"#)
    .answers::<Opname>(OPNAME)
    .refuses(&[Code::InvalidState]);
pub const POST: Doc =
    Doc::of("Opname", "Post a stock count: differences move stock, uncounted products stay as they are")
        .optional_body::<PostOpname>(r#"{"accept": true}"#)
        .answers::<Opname>(OPNAME)
        .refuses(&[Code::InvalidState]);
pub const CANCEL: Doc = Doc::of("Opname", "Cancel a stock count; no stock moves")
    .optional_body::<EmptyBody>("{}")
    .answers::<Opname>(OPNAME)
    .refuses(&[Code::InvalidState]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only those in this state.
    state: Option<OpnameState>,
    /// First business date.
    from: Option<Date>,
    /// Last business date.
    to: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `POST /api/opname`
pub async fn create(request: Request) -> Answered {
    let command: NewOpname = request.json()?;
    run(&request, commands::StartCount(command)).await
}

/// `GET /api/opname`
pub async fn list(request: Request) -> Answered {
    let Query { state, from, to, limit, cursor } = request.query()?;
    let wanted = move |opname: &Opname| {
        state.is_none_or(|state| opname.state == state) && Dates { from, to }.hold(opname.business_date)
    };
    let read = |storage: &storage::Storage, before, limit| storage.stock_documents().opnames(before, limit);
    Ok(Reply::ok(&page(&request, limit, cursor, read, wanted).await?))
}

/// `GET /api/opname/:id`
pub async fn read(request: Request) -> Answered {
    let Page { limit, cursor } = request.query()?;
    let after = cursor.map(|cursor| cursor.read::<Sku>()).transpose()?;
    let (storage, role) = (request.state.store.storage(), request.caller()?.role);
    let opname = read_count(&request)?;
    let wanted = limit.one_more();
    let lines =
        storage.stock_documents().opname_lines(&opname.opname_id, after.as_ref(), wanted).map_err(stored)?;
    let List { items, next_cursor } = List::cut(lines, limit, |line: &OpnameLine| line.sku.clone());
    let mut lines = Vec::with_capacity(items.len());
    for line in items {
        let stock = stock_of(storage, &line.sku)?;
        lines.push(line_view(&opname, &line, &stock, role));
    }
    Ok(Reply::ok(&OpnameView { opname, lines, next_cursor }))
}

/// Stock of a product. One that never moved is worth its product's cost, as when the count is posted.
fn stock_of(storage: &Storage, sku: &Sku) -> Result<Stock, ApiError> {
    if let Some(stock) = storage.stock().stock(sku).map_err(stored)? {
        return Ok(stock);
    }
    let product = storage.products().product(sku).map_err(stored)?;
    Ok(product.map_or_else(Stock::default, |product| Stock::seed(&product)))
}

/// `POST /api/opname/:id/counts`
pub async fn count(request: Request) -> Answered {
    let command: CountOpname = request.json()?;
    run(&request, commands::Count(id(&request), command)).await
}

/// `POST /api/opname/:id/submit`
pub async fn submit(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    run(&request, commands::SubmitCount(id(&request))).await
}

/// `POST /api/opname/:id/recount`
pub async fn recount(request: Request) -> Answered {
    let command: RecountOpname = request.json()?;
    run(&request, commands::RecountOpname(id(&request), command)).await
}

/// `POST /api/opname/:id/post`
pub async fn post(request: Request) -> Answered {
    let command: PostOpname = request.json()?;
    run(&request, commands::PostCount(id(&request), command)).await
}

/// `POST /api/opname/:id/cancel`
pub async fn cancel(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    run(&request, commands::CancelCount(id(&request))).await
}

/// The count of the path.
fn read_count(request: &Request) -> Result<Opname, ApiError> {
    let opname = request.state.store.storage().stock_documents().opname(&id(request)).map_err(stored)?;
    opname.ok_or_else(|| ApiError::not_found("opname"))
}

fn id(request: &Request) -> OpnameId {
    OpnameId::from(request.param("id"))
}
