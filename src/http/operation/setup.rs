//! First steps of a shop: which of them are done.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;

pub const READ: Doc = Doc::of("Operation", "Retrieve which first steps of setting up the store are done")
    .answers::<Setup>(
        r#"{"has_head_office": false, "has_products": true, "has_safe_opening": false, "has_users": true, "has_register": true, "has_printer": false, "has_sales": false}"#,
    );

/// Setup of a store.
#[derive(Serialize, JsonSchema)]
struct Setup {
    /// Whether the store is enrolled at a head office, which then manages its products.
    has_head_office: bool,
    /// Whether the catalogue has a product.
    has_products: bool,
    /// Whether the opening balance of the safe was set.
    has_safe_opening: bool,
    /// Whether somebody besides the first user can log in.
    has_users: bool,
    /// Whether the store has a till.
    has_register: bool,
    /// Whether a till has its own printer.
    has_printer: bool,
    /// Whether a receipt number was given to a sale or a return.
    has_sales: bool,
}

/// `GET /api/admin/setup`
pub async fn read(request: Request) -> Answered {
    let (state, storage) = (&request.state, request.state.store.storage());
    let registers = storage.shifts().registers().map_err(stored)?;
    let sold = registers.iter().map(|it| storage.shifts().counters(&it.register_id).map_err(stored));
    let sold = sold.collect::<Result<Vec<_>, ApiError>>()?.iter().any(|counters| counters.receipt > 0);
    let users = storage.users().users().map_err(stored)?;
    Ok(Reply::ok(&Setup {
        has_head_office: storage.sync().hub().map_err(stored)?.is_some(),
        has_products: storage.products().product_count().map_err(stored)? > 0,
        has_safe_opening: storage.shifts().safe_opening().map_err(stored)?.is_some(),
        has_users: users.iter().filter(|user| !user.disabled).nth(1).is_some(),
        has_register: !registers.is_empty(),
        has_printer: !state.printers.registers().is_empty(),
        has_sales: sold,
    }))
}
