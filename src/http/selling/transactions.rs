//! Transactions.

use crate::http::Answered;
use crate::http::Request;
use crate::http::access::approval::{Approved, approved};
use crate::http::ask::{answered, run};
use crate::http::failure::stored;
use crate::http::members::{met, with_head_office};
use ::actors::commands;
use domain::model::base::ids::TransactionId;
use domain::model::selling::payment::CASH;
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::sale::{CreateSale, PaySale};
use domain::rules::selling::transaction;
use domain::rules::selling::transaction::TransactionView;
use edge::{ApiError, Code, Doc, Reply};

pub mod change;
mod list;

pub use list::{LIST, family, list};

const TRANSACTION: &str = include_str!("examples/transaction.json");

pub const CREATE: Doc = Doc::of(
    "Point of sale",
    "Create a transaction. With `payments`, the request makes a whole sale: the sale is created, paid and numbered, or nothing is stored",
)
    .body::<Approved<CreateSale>>(
        r#"{"items": [{"sku": "8991234567890", "qty": 2, "price": 15000, "discount": 1000}],
            "payments": [{"method": "cash", "amount": 32190, "tendered": 50000}]}"#,
    )
    .creates::<TransactionView>(TRANSACTION)
    .refuses(&[
        Code::NotFound,
        Code::InvalidState,
        Code::NoOpenShift,
        Code::Duplicate,
        Code::UnknownSku,
        Code::UnknownMember,
        Code::InsufficientStock,
        Code::InsufficientPoints,
        Code::PaymentMismatch,
    ]);
pub const PAY: Doc = Doc::of("Point of sale", "Pay a transaction in full or in part")
    .body::<PaySale>(r#"{"payments": [{"method": "cash", "amount": 32190, "tendered": 50000}]}"#)
    .answers::<TransactionView>(TRANSACTION)
    .refuses(&[Code::InvalidState, Code::InsufficientStock, Code::InsufficientPoints, Code::PaymentMismatch]);
pub const READ: Doc =
    Doc::of("Point of sale", "Retrieve a transaction").answers::<TransactionView>(TRANSACTION);

/// `POST /api/pos/transactions`
pub async fn create(request: Request) -> Answered {
    let (command, ask) = approved::<CreateSale>(&request).await?;
    let asked = met(&request, command.member_id.as_ref()).await?;
    let in_cash = command.payments.as_ref().map(|payments| has_cash(payments));
    let done = answered(request.state.store.run(ask, commands::CreateSale(command)).await)
        .map_err(|error| with_head_office(error, asked));
    match in_cash {
        Some(in_cash) => request.state.printers.after_payment(in_cash, done),
        None => done,
    }
}

fn has_cash(payments: &[NewPayment]) -> bool {
    payments.iter().any(|payment| payment.method == CASH)
}

/// `POST /api/pos/transactions/:id/pay`
pub async fn pay(request: Request) -> Answered {
    let command: PaySale = request.json()?;
    let id = TransactionId::from(request.param("id"));
    let in_cash = has_cash(&command.payments);
    let done = run(&request, commands::PaySale(id, command)).await;
    request.state.printers.after_payment(in_cash, done)
}

/// `GET /api/pos/transactions/:id`
pub async fn read(request: Request) -> Answered {
    let id = TransactionId::from(request.param("id"));
    let found = request.state.store.storage().sales().transaction(&id).map_err(stored)?;
    let found = found.ok_or_else(|| ApiError::not_found("transaction"))?;
    Ok(Reply::ok(&transaction::view(&found, request.caller()?.role)))
}
