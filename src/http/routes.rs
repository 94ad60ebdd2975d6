//! The table: method, path, who may (api.md 3), and what answers.

use super::{Request, Shop, actors, auth, health, metrics, receiving, shifts, stock, sync, transactions};
use domain::user::Role::{self, Admin, Cashier, StoreManager, WarehouseStaff};
use edge::Access::{LoopbackOr, Public, Roles};
use edge::{BodyKind, Handler, Route};

/// Everyone who works in the shop; head-office roles have no part in it.
const STAFF: &[Role] = &[Cashier, WarehouseStaff, StoreManager, Admin];
/// Whoever sells.
const SELL: &[Role] = &[Cashier, StoreManager, Admin];
/// Whoever handles goods.
const GOODS: &[Role] = &[WarehouseStaff, StoreManager, Admin];
/// Whoever runs the shop.
const MANAGE: &[Role] = &[StoreManager, Admin];
/// Whoever runs the machine.
const ADMIN: &[Role] = &[Admin];

/// An async function as a [`Handler`].
macro_rules! answers {
    ($function:path) => {{
        let handler: Handler<Shop> = |request: Request| Box::pin($function(request));
        handler
    }};
}

/// Every route of the store.
pub static ROUTES: &[Route<Shop>] = &[
    Route::post("/api/auth/login", Public, "Log in with a password", answers!(auth::login)),
    Route::post("/auth/login", Public, "Log in with a password", answers!(auth::login)),
    Route::get("/api/auth/me", Roles(STAFF), "Who the token belongs to", answers!(auth::me)),
    Route::post("/api/shifts/open", Roles(SELL), "Open a shift", answers!(shifts::open))
        .with_body(BodyKind::JsonOptional),
    Route::post(
        "/api/shifts/:id/close",
        Roles(SELL),
        "Count the drawer and close a shift",
        answers!(shifts::close),
    ),
    Route::get("/api/shifts/current", Roles(SELL), "The caller's open shift", answers!(shifts::current)),
    Route::get("/api/shifts/:id/summary", Roles(SELL), "A shift's sums", answers!(shifts::summary)),
    Route::post("/api/pos/transactions", Roles(SELL), "Make a transaction", answers!(transactions::create)),
    Route::get(
        "/api/pos/transactions",
        Roles(SELL),
        "List transactions of a shift",
        answers!(transactions::list),
    ),
    Route::get("/api/pos/transactions/:id", Roles(SELL), "One transaction", answers!(transactions::read)),
    Route::post(
        "/api/pos/transactions/:id/pay",
        Roles(SELL),
        "Pay, in part or in full",
        answers!(transactions::pay),
    ),
    Route::get("/api/stock", Roles(GOODS), "List stock", answers!(stock::list)),
    Route::get("/api/stock/:sku", Roles(GOODS), "Stock of one product", answers!(stock::read)),
    Route::get(
        "/api/stock/:sku/movements",
        Roles(GOODS),
        "What moved it, newest first",
        answers!(stock::movements),
    ),
    Route::post(
        "/api/receiving",
        Roles(GOODS),
        "Take a supplier's goods into stock",
        answers!(receiving::create),
    ),
    Route::get("/api/receiving/:id", Roles(GOODS), "One receiving document", answers!(receiving::read)),
    Route::get("/api/sync/status", Roles(MANAGE), "How far head office is", answers!(sync::status)),
    Route::post("/api/sync/force", Roles(MANAGE), "Synchronise now", answers!(sync::force))
        .with_body(BodyKind::JsonOptional),
    Route::get("/api/admin/actors", Roles(MANAGE), "The supervision tree", answers!(actors::tree)),
    Route::post(
        "/api/admin/actors/:name/restart",
        Roles(ADMIN),
        "Kill an actor as a crash would",
        answers!(actors::restart),
    )
    .with_body(BodyKind::JsonOptional),
    // A fault for tests; a release build has no such route.
    #[cfg(debug_assertions)]
    Route::post(
        "/api/admin/actors/:name/panic",
        Roles(ADMIN),
        "Make an actor panic",
        answers!(actors::panic),
    )
    .with_body(BodyKind::JsonOptional),
    Route::get("/health", Public, "Whether the process serves", answers!(health::live)),
    Route::get("/health/ready", Public, "Whether writes can be accepted", answers!(health::ready)),
    Route::get("/metrics", LoopbackOr(ADMIN), "Prometheus text", answers!(metrics::text)),
];

#[cfg(test)]
#[path = "routes_tests.rs"]
mod tests;
