//! Supplier returns (api.md 6).

use super::ask::{answered, ask};
use super::documents::page;
use super::failure::stored;
use super::{Answered, Request};
use domain::ids::SupplierReturnId;
use domain::supplier_return::{NewSupplierReturn, SupplierReturn};
use edge::page::Page;
use edge::{ApiError, Code, Doc, Reply};

const SUPPLIER_RETURN: &str = include_str!("examples/supplier_return.json");

/// `POST /api/supplier-returns`
pub const CREATE: Doc = Doc::of("Receiving", "Send goods back to a supplier")
    .body::<NewSupplierReturn>(
        r#"{"supplier_id": "sup_019a9f11b2c37d4e8f5a6b7c8d9e0f1a", "lines": [{"sku": "8991234567890", "qty": 3}]}"#,
    )
    .creates::<SupplierReturn>(SUPPLIER_RETURN)
    .refuses(&[Code::UnknownSku, Code::InsufficientStock]);
/// `GET /api/supplier-returns`
pub const LIST: Doc = Doc::of("Receiving", "List supplier returns, newest first")
    .query::<Page>()
    .lists::<SupplierReturn>(SUPPLIER_RETURN);
/// `GET /api/supplier-returns/:id`
pub const READ: Doc = Doc::of("Receiving", "One supplier return").answers::<SupplierReturn>(SUPPLIER_RETURN);

/// `POST /api/supplier-returns`
pub async fn create(request: Request) -> Answered {
    let command: NewSupplierReturn = request.json()?;
    answered(request.state.store.give_back(&ask(&request)?, command).await)
}

/// `GET /api/supplier-returns`
pub async fn list(request: Request) -> Answered {
    let Page { limit, cursor } = request.query()?;
    let read = |storage: &storage::Storage, before, limit| storage.supplier_returns(before, limit);
    Ok(Reply::ok(&page(&request, limit, cursor, read, |_| true).await?))
}

/// `GET /api/supplier-returns/:id`
pub async fn read(request: Request) -> Answered {
    let id = SupplierReturnId::from(request.param("id"));
    let found = request.state.store.storage().supplier_return(&id).map_err(stored)?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("supplier return"))?))
}
