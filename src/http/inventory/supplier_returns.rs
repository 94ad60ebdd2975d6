//! Supplier returns.

use crate::http::Answered;
use crate::http::Request;
use crate::http::access::approval::{Approved, approved};
use crate::http::ask::answered;
use crate::http::documents::{Dates, fits, page};
use crate::http::failure::stored;
use ::actors::commands;
use domain::model::base::ids::{Sku, SupplierReturnId};
use domain::model::inventory::supplier_return::SupplierReturn;
use domain::rules::inventory::supplier_return::NewSupplierReturn;
use edge::page::{Cursor, Limit};
use edge::{ApiError, Code, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

const SUPPLIER_RETURN: &str = include_str!("examples/supplier_return.json");

pub const CREATE: Doc = Doc::of("Receiving", "Return goods to a supplier")
    .body::<Approved<NewSupplierReturn>>(
        r#"{"supplier_id": "sup_019a9f11b2c37d4e8f5a6b7c8d9e0f1a", "lines": [{"sku": "8991234567890", "qty": 3}]}"#,
    )
    .creates::<SupplierReturn>(SUPPLIER_RETURN)
    .refuses(&[Code::UnknownSku, Code::InsufficientStock]);
pub const LIST: Doc = Doc::of("Receiving", "List supplier returns, newest first")
    .query::<Query>()
    .lists::<SupplierReturn>(SUPPLIER_RETURN);
pub const READ: Doc =
    Doc::of("Receiving", "Retrieve a supplier return").answers::<SupplierReturn>(SUPPLIER_RETURN);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only returns to this supplier.
    supplier_id: Option<String>,
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

/// `POST /api/supplier-returns`
pub async fn create(request: Request) -> Answered {
    let (command, ask) = approved::<NewSupplierReturn>(&request).await?;
    answered(request.state.store.run(ask, commands::ReturnToSupplier(command)).await)
}

/// `GET /api/supplier-returns`
pub async fn list(request: Request) -> Answered {
    let Query { supplier_id, sku, from, to, limit, cursor } = request.query()?;
    let wanted = move |back: &SupplierReturn| {
        fits(supplier_id.as_ref(), &back.supplier_id)
            && Dates { from, to }.hold(back.business_date)
            && sku.as_ref().is_none_or(|sku| back.lines.iter().any(|line| line.sku == *sku))
    };
    let read =
        |storage: &storage::Storage, before, limit| storage.purchasing().supplier_returns(before, limit);
    Ok(Reply::ok(&page(&request, limit, cursor, read, wanted).await?))
}

/// `GET /api/supplier-returns/:id`
pub async fn read(request: Request) -> Answered {
    let id = SupplierReturnId::from(request.param("id"));
    let found = request.state.store.storage().purchasing().supplier_return(&id).map_err(stored)?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("supplier return"))?))
}
