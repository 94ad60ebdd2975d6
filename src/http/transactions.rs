//! Transactions (api.md 4).

use super::ask::{answered, ask};
use super::failure::stored;
use super::{Answered, Request};
use domain::ids::TransactionId;
use domain::sale::{CreateSale, PaySale};
use domain::transaction;
use edge::{ApiError, Reply};

mod list;

pub use list::list;

/// `POST /api/pos/transactions`
pub async fn create(request: Request) -> Answered {
    let command: CreateSale = request.json()?;
    answered(request.state.store.create_sale(&ask(&request)?, command).await)
}

/// `POST /api/pos/transactions/:id/pay`
pub async fn pay(request: Request) -> Answered {
    let command: PaySale = request.json()?;
    let id = TransactionId::from(request.param("id"));
    answered(request.state.store.pay(&ask(&request)?, &id, command).await)
}

/// `GET /api/pos/transactions/:id`
pub async fn read(request: Request) -> Answered {
    let id = TransactionId::from(request.param("id"));
    let found = request.state.store.storage().transaction(&id).map_err(stored)?;
    let found = found.ok_or_else(|| ApiError::not_found("transaction"))?;
    Ok(Reply::ok(&transaction::view(&found, request.caller()?.role)))
}
