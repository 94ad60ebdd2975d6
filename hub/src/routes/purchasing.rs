//! Routes of suppliers, their price lists, and orders.

use crate::office::orders::{order_routes, order_step_routes, suggestion_routes};
use crate::office::suppliers::{supplier_price_routes, supplier_routes};
use crate::routes::{PURCHASING, answers};
use crate::state::hub::Hub;
use domain::model::people::user::Role;
use edge::{Access, Route};

/// Buyers, and finance, which matches invoices.
const BUYING_READ: Access = Access::Roles(&[Role::Admin, Role::HoFinance, Role::HoPurchasing]);

pub(super) const ROWS: &[Route<Hub>] = &[
    Route::get("/api/suppliers", BUYING_READ, supplier_routes::LIST, answers!(supplier_routes::list)),
    Route::post("/api/suppliers", PURCHASING, supplier_routes::ADD, answers!(supplier_routes::add)),
    Route::get("/api/suppliers/:id", BUYING_READ, supplier_routes::READ, answers!(supplier_routes::read)),
    Route::patch(
        "/api/suppliers/:id",
        PURCHASING,
        supplier_routes::CHANGE,
        answers!(supplier_routes::change),
    ),
    Route::get("/api/purchase-orders", BUYING_READ, order_routes::LIST, answers!(order_routes::list)),
    Route::post("/api/purchase-orders", PURCHASING, order_routes::ADD, answers!(order_routes::add)),
    Route::get("/api/purchase-orders/:id", BUYING_READ, order_routes::READ, answers!(order_routes::read)),
    Route::patch(
        "/api/purchase-orders/:id",
        PURCHASING,
        order_routes::CHANGE,
        answers!(order_routes::change),
    ),
    Route::post(
        "/api/purchase-orders/:id/submit",
        PURCHASING,
        order_step_routes::SUBMIT,
        answers!(order_step_routes::submit),
    ),
    Route::post(
        "/api/purchase-orders/:id/approve",
        PURCHASING,
        order_step_routes::APPROVE,
        answers!(order_step_routes::approve),
    ),
    Route::post(
        "/api/purchase-orders/:id/reject",
        PURCHASING,
        order_step_routes::REJECT,
        answers!(order_step_routes::reject),
    ),
    Route::post(
        "/api/purchase-orders/:id/send",
        PURCHASING,
        order_step_routes::SEND,
        answers!(order_step_routes::send),
    ),
    Route::post(
        "/api/purchase-orders/:id/revise",
        PURCHASING,
        order_step_routes::REVISE,
        answers!(order_step_routes::revise),
    ),
    Route::post(
        "/api/purchase-orders/:id/cancel",
        PURCHASING,
        order_step_routes::CANCEL,
        answers!(order_step_routes::cancel),
    ),
    Route::post(
        "/api/purchase-orders/:id/close",
        PURCHASING,
        order_step_routes::CLOSE,
        answers!(order_step_routes::close),
    ),
    Route::post(
        "/api/purchase-orders/:id/lines/:line_no/close",
        PURCHASING,
        order_step_routes::CLOSE_LINE,
        answers!(order_step_routes::close_line),
    ),
    Route::post(
        "/api/purchase-orders/:id/lines/:line_no/open",
        PURCHASING,
        order_step_routes::OPEN_LINE,
        answers!(order_step_routes::open_line),
    ),
    Route::get(
        "/api/purchase-orders/:id/revisions",
        BUYING_READ,
        order_step_routes::REVISIONS,
        answers!(order_step_routes::revisions),
    ),
    Route::get(
        "/api/purchase-orders/:id/receipts",
        BUYING_READ,
        order_step_routes::RECEIPTS,
        answers!(order_step_routes::receipts),
    ),
    Route::get(
        "/api/purchase-orders/:id/invoices",
        BUYING_READ,
        order_step_routes::INVOICES,
        answers!(order_step_routes::invoices),
    ),
    Route::get(
        "/api/purchase-orders/:id/document",
        BUYING_READ,
        order_step_routes::DOCUMENT,
        answers!(order_step_routes::document),
    ),
    Route::get(
        "/api/purchase-orders/suggestions",
        PURCHASING,
        suggestion_routes::LIST,
        answers!(suggestion_routes::list),
    ),
    Route::post(
        "/api/purchase-orders/suggestions",
        PURCHASING,
        suggestion_routes::ORDER,
        answers!(suggestion_routes::order),
    ),
    Route::get(
        "/api/suppliers/:id/products",
        BUYING_READ,
        supplier_price_routes::LIST,
        answers!(supplier_price_routes::list),
    ),
    Route::post(
        "/api/suppliers/:id/products",
        PURCHASING,
        supplier_price_routes::ADD,
        answers!(supplier_price_routes::add),
    ),
    Route::post(
        "/api/suppliers/:id/products/import",
        PURCHASING,
        supplier_price_routes::IMPORT,
        answers!(supplier_price_routes::import),
    ),
    Route::patch(
        "/api/suppliers/:id/products/:row_id",
        PURCHASING,
        supplier_price_routes::CHANGE,
        answers!(supplier_price_routes::change),
    ),
    Route::get(
        "/api/products/:sku/suppliers",
        BUYING_READ,
        supplier_price_routes::OF_PRODUCT,
        answers!(supplier_price_routes::of_product),
    ),
];
