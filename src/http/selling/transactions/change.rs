//! Changes of a transaction besides its payment: edits, voids, corrected payments.

use super::TRANSACTION;
use crate::http::Answered;
use crate::http::Request;
use crate::http::access::approval::{Approved, approved};
use crate::http::ask::answered;
use crate::http::members::{met, with_head_office};
use ::actors::RequestContext;
use ::actors::commands;
use domain::model::base::ids::{PaymentId, TransactionId};
use domain::rules::selling::sale::{
    AddLine, BasketChange, ChangeSale, CorrectTender, RemoveLine, SetLine, VoidSale, VoidedView,
};
use domain::rules::selling::transaction::TransactionView;
use edge::{ApiError, Code, Doc};

const VOIDED: &str = include_str!("../examples/voided.json");

pub const CHANGE: Doc = Doc::of("Point of sale", "Update an open transaction; removed lines stay in the audit log")
    .body::<Approved<ChangeSale>>(
        r#"{"items": [{"sku": "8991234567890", "qty": 1, "price": 15000}], "discount": 500, "discount_reason": "loyal customer"}"#,
    )
    .answers::<TransactionView>(TRANSACTION)
    .versioned()
    .refuses(&[Code::InvalidState, Code::Duplicate, Code::UnknownSku, Code::UnknownMember]);
pub const ADD_LINE: Doc = Doc::of(
    "Point of sale",
    "Add a scanned product: as a new line, or to an equal line. The whole basket is priced again; a refusal names the basket's lines as `items`",
)
.body::<Approved<AddLine>>(r#"{"barcode": "8991234567890", "qty": 1}"#)
.answers::<TransactionView>(TRANSACTION)
.versioned()
.refuses(&[Code::InvalidState, Code::Duplicate, Code::UnknownSku]);
pub const SET_LINE: Doc = Doc::of("Point of sale", "Update a line of an open transaction")
    .body::<Approved<SetLine>>(r#"{"qty": 3}"#)
    .answers::<TransactionView>(TRANSACTION)
    .versioned()
    .refuses(&[Code::InvalidState, Code::UnknownSku]);
pub const REMOVE_LINE: Doc = Doc::of(
    "Point of sale",
    "Remove a line of an open transaction; later lines move up, and the removal is audited",
)
.optional_body::<Approved<RemoveLine>>(r#"{"reason": "scanned twice"}"#)
.answers::<TransactionView>(TRANSACTION)
.versioned()
.refuses(&[Code::InvalidState, Code::UnknownSku]);
pub const VOID: Doc = Doc::of("Point of sale", "Void an open transaction, or a sale in its own open shift")
    .body::<Approved<VoidSale>>(r#"{"reason": "customer left"}"#)
    .answers::<VoidedView>(VOIDED)
    .refuses(&[Code::InvalidState]);
pub const REVERSE: Doc = Doc::of("Point of sale", "Reverse a payment before the transaction is completed")
    .body::<Approved<VoidSale>>(r#"{"reason": "card was declined later"}"#)
    .answers::<VoidedView>(VOIDED)
    .refuses(&[Code::InvalidState]);
pub const CORRECT: Doc = Doc::of("Point of sale", "Correct the payment method of a sale in its own open shift")
    .body::<Approved<CorrectTender>>(
        r#"{"payment_id": "pay_019aa0c2d1a47b5c8d9e0f1a2b3c4d5e", "payments": [{"method": "card", "amount": 32190}], "reason": "keyed as cash"}"#,
    )
    .answers::<TransactionView>(TRANSACTION)
    .refuses(&[Code::InvalidState, Code::PaymentMismatch]);

/// `PATCH /api/pos/transactions/:id`
pub async fn change(request: Request) -> Answered {
    let (command, ask) = approved::<ChangeSale>(&request).await?;
    let asked = met(&request, command.member_id.as_ref()).await?;
    let changed = changed(&request, ask, BasketChange::Whole(command)).await;
    changed.map_err(|error| with_head_office(error, asked))
}

/// `POST /api/pos/transactions/:id/lines`
pub async fn add_line(request: Request) -> Answered {
    let (line, ask) = approved::<AddLine>(&request).await?;
    changed(&request, ask, line.into()).await
}

/// `PATCH /api/pos/transactions/:id/lines/:line_no`
pub async fn set_line(request: Request) -> Answered {
    let (line, ask) = approved::<SetLine>(&request).await?;
    changed(&request, ask, BasketChange::Set(line_no(&request)?, line)).await
}

/// `DELETE /api/pos/transactions/:id/lines/:line_no`
pub async fn remove_line(request: Request) -> Answered {
    let (line, ask) = approved::<RemoveLine>(&request).await?;
    changed(&request, ask, BasketChange::Remove(line_no(&request)?, line)).await
}

async fn changed(request: &Request, ask: RequestContext, change: BasketChange) -> Answered {
    let command = commands::ChangeSale { id: id(request), change, read: request.if_match()? };
    answered(request.state.store.run(ask, command).await)
}

fn line_no(request: &Request) -> Result<u32, ApiError> {
    request.param("line_no").parse().map_err(|_| ApiError::not_found("line"))
}

/// `POST /api/pos/transactions/:id/void`
pub async fn void(request: Request) -> Answered {
    let (command, ask) = approved::<VoidSale>(&request).await?;
    let done = answered(request.state.store.void(ask, id(&request), command).await);
    request.state.printers.after(done)
}

/// `POST /api/pos/transactions/:id/payments/:payment_id/reverse`
pub async fn reverse(request: Request) -> Answered {
    let (command, ask) = approved::<VoidSale>(&request).await?;
    let payment = PaymentId::from(request.param("payment_id"));
    let command = commands::ReversePayment(id(&request), payment, command);
    request.state.printers.after(answered(request.state.store.run(ask, command).await))
}

/// `POST /api/pos/transactions/:id/correct-tender`
pub async fn correct_tender(request: Request) -> Answered {
    let (command, ask) = approved::<CorrectTender>(&request).await?;
    answered(request.state.store.run(ask, commands::CorrectTender(id(&request), command)).await)
}

fn id(request: &Request) -> TransactionId {
    TransactionId::from(request.param("id"))
}
