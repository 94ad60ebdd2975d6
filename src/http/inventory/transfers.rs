//! Routes of transfers between stores.

use crate::http::Answered;
use crate::http::Request;
use crate::http::access::approval::{Approved, approved};
use crate::http::ask::{answered, run};
use crate::http::documents::{Dates, fits, page};
use crate::http::failure::stored;
use ::actors::commands;
use domain::model::base::ids::{Sku, StoreId, TransferId};
use domain::model::inventory::transfer::{Transfer, TransferState};
use domain::rules::inventory::transfer::{NewTransfer, ReceiveTransfer, ResolveTransfer, TransferView, view};
use edge::identity::EmptyBody;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Code, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

const TRANSFER: &str = include_str!("examples/transfer.json");

pub const CREATE: Doc = Doc::of("Transfers", "Send goods to another store, or create a draft transfer")
    .body::<Approved<NewTransfer>>(
        r#"{"to_store_id": "S002", "lines": [{"sku": "8991234567890", "qty": 12}]}"#,
    )
    .creates::<TransferView>(TRANSFER)
    .refuses(&[Code::UnknownSku, Code::InsufficientStock]);
pub const LIST: Doc = Doc::of("Transfers", "List transfers, last changed first")
    .query::<Query>()
    .lists::<TransferView>(TRANSFER);
pub const READ: Doc = Doc::of("Transfers", "Retrieve a transfer").answers::<TransferView>(TRANSFER);
pub const SEND: Doc = Doc::of("Transfers", "Send a draft transfer")
    .optional_body::<Approved<EmptyBody>>("{}")
    .answers::<TransferView>(TRANSFER)
    .refuses(&[Code::InvalidState, Code::InsufficientStock]);
pub const RECEIVE: Doc = Doc::of("Transfers", "Receive a transfer")
    .body::<ReceiveTransfer>(r#"{"lines": [{"sku": "8991234567890", "qty": 10}]}"#)
    .answers::<TransferView>(TRANSFER)
    .refuses(&[Code::InvalidState, Code::OverReceipt]);
pub const RESOLVE: Doc = Doc::of("Transfers", "Resolve missing pieces of a transfer")
    .body::<ResolveTransfer>(r#"{"lines": [{"sku": "8991234567890", "qty": 2, "resolution": "lost"}]}"#)
    .answers::<TransferView>(TRANSFER)
    .refuses(&[Code::InvalidState]);
pub const CANCEL: Doc = Doc::of("Transfers", "Cancel a transfer before it is received")
    .optional_body::<EmptyBody>("{}")
    .answers::<TransferView>(TRANSFER)
    .refuses(&[Code::InvalidState]);

/// Direction of a transfer, seen from this store.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Direction {
    /// Goods come to this store.
    In,
    /// Goods leave this store.
    Out,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only transfers to this store (`in`) or from it (`out`).
    direction: Option<Direction>,
    /// Only those in this state.
    state: Option<TransferState>,
    /// Only transfers with this other store.
    store_id: Option<StoreId>,
    /// Only documents with this product.
    sku: Option<Sku>,
    /// First business date.
    from: Option<Date>,
    /// Last business date.
    to: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `POST /api/transfers`
pub async fn create(request: Request) -> Answered {
    let (command, ask) = approved::<NewTransfer>(&request).await?;
    answered(request.state.store.run(ask, commands::CreateTransfer(command)).await)
}

/// `GET /api/transfers`
pub async fn list(request: Request) -> Answered {
    let Query { direction, state, store_id, sku, from, to, limit, cursor } = request.query()?;
    let own = request.state.store.rules().store_id.clone();
    let wanted = move |transfer: &Transfer| {
        let way = if transfer.to_store_id == own { Direction::In } else { Direction::Out };
        let other = if way == Direction::In { &transfer.from_store_id } else { &transfer.to_store_id };
        fits(state.as_ref(), &transfer.state)
            && fits(direction.as_ref(), &way)
            && fits(store_id.as_ref(), other)
            && Dates { from, to }.hold(transfer.business_date)
            && sku.as_ref().is_none_or(|sku| transfer.lines.iter().any(|line| line.sku == *sku))
    };
    let read = |storage: &storage::Storage, before, limit| storage.stock_documents().transfers(before, limit);
    let List { items, next_cursor } = page(&request, limit, cursor, read, wanted).await?;
    Ok(Reply::ok(&List { items: items.iter().map(view).collect(), next_cursor }))
}

/// `GET /api/transfers/:id`
pub async fn read(request: Request) -> Answered {
    let found = request.state.store.storage().stock_documents().transfer(&id(&request)).map_err(stored)?;
    Ok(Reply::ok(&view(&found.ok_or_else(|| ApiError::not_found("transfer"))?)))
}

/// `POST /api/transfers/:id/send`
pub async fn send(request: Request) -> Answered {
    let (EmptyBody {}, ask) = approved(&request).await?;
    answered(request.state.store.run(ask, commands::SendTransfer(id(&request))).await)
}

/// `POST /api/transfers/:id/receive`
pub async fn receive(request: Request) -> Answered {
    let command: ReceiveTransfer = request.json()?;
    run(&request, commands::ReceiveTransfer(id(&request), command)).await
}

/// `POST /api/transfers/:id/resolve`
pub async fn resolve(request: Request) -> Answered {
    let command: ResolveTransfer = request.json()?;
    run(&request, commands::ResolveTransfer(id(&request), command)).await
}

/// `POST /api/transfers/:id/cancel`
pub async fn cancel(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    run(&request, commands::CancelTransfer(id(&request))).await
}

fn id(request: &Request) -> TransferId {
    TransferId::from(request.param("id"))
}
