//! Receiving (api.md 6).

use super::ask::{answered, ask};
use super::failure::stored;
use super::{Answered, Request};
use domain::ids::ReceivingId;
use domain::receiving::{NewReceiving, Receiving};
use edge::{ApiError, Code, Doc, Reply};

const RECEIVING: &str = include_str!("examples/receiving.json");

/// `POST /api/receiving`
pub const CREATE: Doc = Doc::of("Receiving", "Take a supplier's goods into stock")
    .body::<NewReceiving>(
        r#"{"supplier_id": "sup_019a9f11b2c37d4e8f5a6b7c8d9e0f1a", "delivery_note_no": "DN-2026-1107",
            "lines": [{"sku": "8991234567890", "qty": 120, "rejected_qty": 2, "unit_cost": 10000}]}"#,
    )
    .creates::<Receiving>(RECEIVING)
    .refuses(&[Code::Duplicate, Code::UnknownSku, Code::OverReceipt]);
/// `GET /api/receiving/:id`
pub const READ: Doc = Doc::of("Receiving", "One receiving document").answers::<Receiving>(RECEIVING);

/// `POST /api/receiving`
pub async fn create(request: Request) -> Answered {
    let command: NewReceiving = request.json()?;
    answered(request.state.store.receive(&ask(&request)?, command).await)
}

/// `GET /api/receiving/:id`
pub async fn read(request: Request) -> Answered {
    let id = ReceivingId::from(request.param("id"));
    let found = request.state.store.storage().receiving(&id).map_err(stored)?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("receiving document"))?))
}
