//! Receipts of goods: posted, listed and reversed.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::documents::{Dates, page};
use crate::http::failure::stored;
use ::actors::commands;
use domain::model::base::ids::{ReceivingId, Sku};
use domain::model::books::ledger::note_key;
use domain::model::inventory::receiving::Receiving;
use domain::rules::inventory::receiving::NewReceiving;
use edge::identity::EmptyBody;
use edge::page::{Cursor, Limit};
use edge::{ApiError, Code, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

const RECEIVING: &str = include_str!("examples/receiving.json");

pub const CREATE: Doc = Doc::of("Receiving", "Receive a supplier's goods into stock")
    .body::<NewReceiving>(
        r#"{"supplier_id": "sup_019a9f11b2c37d4e8f5a6b7c8d9e0f1a", "delivery_note_no": "DN-2026-1107",
            "lines": [{"sku": "8991234567890", "qty": 120, "rejected_qty": 2, "unit_cost": 10000}]}"#,
    )
    .creates::<Receiving>(RECEIVING)
    .refuses(&[Code::Duplicate, Code::UnknownSku, Code::OverReceipt]);
pub const READ: Doc = Doc::of("Receiving", "Retrieve a receipt of goods").answers::<Receiving>(RECEIVING);

pub const LIST: Doc = Doc::of("Receiving", "List receipts of goods, last changed first")
    .query::<Query>()
    .lists::<Receiving>(RECEIVING);
pub const REVERSE: Doc =
    Doc::of("Receiving", "Reverse a receipt of goods; its delivery note number can be used again")
        .optional_body::<EmptyBody>("{}")
        .answers::<Receiving>(RECEIVING)
        .refuses(&[Code::InvalidState, Code::InsufficientStock]);
pub const RESUBMIT: Doc =
    Doc::of("Receiving", "Correct a receipt of goods that head office could not post, and send it again")
        .body::<NewReceiving>(
            r#"{"supplier_id": "sup_019a9f11b2c37d4e8f5a6b7c8d9e0f1a", "delivery_note_no": "DN-2026-1107",
            "lines": [{"sku": "8991234567890", "qty": 120, "rejected_qty": 2, "unit_cost": 1000}]}"#,
        )
        .creates::<Receiving>(RECEIVING)
        .refuses(&[
            Code::Duplicate,
            Code::UnknownSku,
            Code::OverReceipt,
            Code::InvalidState,
            Code::InsufficientStock,
        ]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only documents of this supplier.
    supplier_id: Option<String>,
    /// Only receipts of this order.
    po_id: Option<String>,
    /// Only documents whose delivery note contains this text. Case, spaces and punctuation are ignored.
    delivery_note_no: Option<String>,
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

/// `POST /api/receiving`
pub async fn create(request: Request) -> Answered {
    let command: NewReceiving = request.json()?;
    run(&request, commands::Receive(command)).await
}

/// `GET /api/receiving/:id`
pub async fn read(request: Request) -> Answered {
    let id = ReceivingId::from(request.param("id"));
    let found = request.state.store.storage().purchasing().receiving(&id).map_err(stored)?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("receiving document"))?))
}

/// `GET /api/receiving`
pub async fn list(request: Request) -> Answered {
    let Query { supplier_id, po_id, delivery_note_no, sku, from, to, limit, cursor } = request.query()?;
    let note = delivery_note_no.map(|note| note_key(&note));
    let wanted = move |receiving: &Receiving| {
        (supplier_id.is_none() || receiving.supplier_id == supplier_id)
            && (po_id.is_none() || receiving.po_id == po_id)
            && note.as_ref().is_none_or(|note| {
                receiving.delivery_note_no.as_ref().is_some_and(|no| note_key(no).contains(note))
            })
            && Dates { from, to }.hold(receiving.business_date)
            && sku.as_ref().is_none_or(|sku| receiving.lines.iter().any(|line| line.sku == *sku))
    };
    let read = |storage: &storage::Storage, before, limit| storage.purchasing().receivings(before, limit);
    Ok(Reply::ok(&page(&request, limit, cursor, read, wanted).await?))
}

/// `POST /api/receiving/:id/resubmit`
pub async fn resubmit(request: Request) -> Answered {
    let command: NewReceiving = request.json()?;
    let id = ReceivingId::from(request.param("id"));
    run(&request, commands::ResubmitReceiving(id, command)).await
}

/// `POST /api/receiving/:id/reverse`
pub async fn reverse(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let id = ReceivingId::from(request.param("id"));
    run(&request, commands::ReverseReceiving(id)).await
}
