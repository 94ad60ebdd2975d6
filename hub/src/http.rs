//! The HTTP interface: one table of routes.

use crate::app::Hub;
use domain::user::Role;
use edge::identity::{confirm, devices, login, page, passkey, password, refresh, session, users as people};
use edge::{Access, ApiError, Handler, Reply, Route};

mod audit;
pub mod authority;
mod change;
pub mod docs;
mod exceptions;
mod found;
mod health;
mod identity;
mod members;
mod parked;
mod prices;
mod product_settings;
mod products;
mod promotions;
mod purchasing;
mod receipts;
mod reports;
mod stores;
mod sync;
mod users;

type Request = edge::Request<Hub>;
type Answered = Result<Reply, ApiError>;

/// Most bytes of a push: 1 MiB of records, escaped once more, with their hashes.
const PUSH_BODY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most bytes of a catalogue.
const IMPORT_BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

const ADMIN: Access = Access::Roles(&[Role::Admin]);
const FINANCE: Access = Access::Roles(&[Role::Admin, Role::HoFinance]);
const PURCHASING: Access = Access::Roles(&[Role::Admin, Role::HoPurchasing]);
const EVERYONE: Access = Access::Roles(&crate::user::ROLES);
const LOCAL: Access = Access::LoopbackOr(&[Role::Admin]);
const PUBLIC: Access = Access::Public;
const STORE: Access = Access::SyncToken;

/// An async function as a [`Handler`].
macro_rules! answers {
    ($function:path) => {{
        let handler: Handler<Hub> = |request: Request| Box::pin($function(request));
        handler
    }};
}

/// Every route; each is described beside its handler.
pub static ROUTES: &[Route<Hub>] = &[
    Route::get("/health", PUBLIC, health::HEALTH, answers!(health::health)),
    Route::get("/health/ready", PUBLIC, health::READY, answers!(health::ready)),
    Route::get("/metrics", LOCAL, health::METRICS, answers!(health::metrics)),
    Route::get("/api/openapi.json", PUBLIC, edge::docs::DOCUMENT, answers!(docs::document)),
    Route::get("/docs", PUBLIC, edge::docs::PAGE, answers!(docs::page)),
    Route::get("/passkeys", PUBLIC, page::PAGE, answers!(page::page)),
    Route::post("/api/auth/login", PUBLIC, login::LOGIN, answers!(login::login)),
    Route::post("/auth/login", PUBLIC, login::LOGIN, answers!(login::login)),
    Route::post("/api/auth/refresh", PUBLIC, refresh::REFRESH, answers!(refresh::refresh)),
    Route::post("/auth/refresh", PUBLIC, refresh::REFRESH, answers!(refresh::refresh)),
    Route::post("/api/auth/logout", EVERYONE, session::LOGOUT, answers!(session::logout)),
    Route::get("/api/auth/me", EVERYONE, session::WHO, answers!(session::me)),
    Route::post("/api/auth/password", EVERYONE, password::CHANGE, answers!(password::change)),
    Route::post("/api/auth/webauthn/login/start", PUBLIC, passkey::START, answers!(passkey::start)),
    Route::post("/api/auth/webauthn/login/finish", PUBLIC, passkey::FINISH, answers!(passkey::finish)),
    Route::post("/api/auth/webauthn/confirm/start", EVERYONE, confirm::START, answers!(confirm::start)),
    Route::post("/api/auth/webauthn/register/start", EVERYONE, devices::START, answers!(devices::start)),
    Route::post("/api/auth/webauthn/register/finish", EVERYONE, devices::FINISH, answers!(devices::finish)),
    Route::get("/api/auth/webauthn/credentials", EVERYONE, devices::LIST, answers!(devices::list)),
    Route::delete("/api/auth/webauthn/credentials/:id", EVERYONE, devices::REMOVE, answers!(devices::remove)),
    Route::post("/api/stores", ADMIN, stores::ADD, answers!(stores::add)),
    Route::get("/api/stores", ADMIN, stores::LIST, answers!(stores::list)),
    Route::get("/api/stores/:id/status", ADMIN, stores::STATUS, answers!(stores::status)),
    Route::get("/api/stores/:id/sums", ADMIN, stores::SUMS, answers!(stores::sums)),
    Route::post("/api/stores/:id/disable", ADMIN, stores::DISABLE, answers!(stores::disable)),
    Route::post("/api/stores/:id/enable", ADMIN, stores::ENABLE, answers!(stores::enable)),
    Route::get(
        "/api/stores/:id/products/:sku/settings",
        EVERYONE,
        product_settings::READ,
        answers!(product_settings::read),
    ),
    Route::patch(
        "/api/stores/:id/products/:sku/settings",
        ADMIN,
        product_settings::CHANGE,
        answers!(product_settings::change),
    ),
    Route::get("/api/parked", ADMIN, parked::LIST, answers!(parked::list)),
    Route::post("/api/parked/:id/replay", ADMIN, parked::REPLAY, answers!(parked::replay)),
    Route::get("/api/exceptions", ADMIN, exceptions::LIST, answers!(exceptions::list)),
    Route::post("/api/exceptions/:id/settle", ADMIN, exceptions::SETTLE, answers!(exceptions::settle)),
    Route::get("/api/conflicts", ADMIN, parked::CONFLICTS, answers!(parked::conflicts)),
    Route::post("/api/conflicts/:id/restore", ADMIN, parked::RESTORE, answers!(parked::restore)),
    Route::get("/api/products", EVERYONE, products::LIST, answers!(products::list)),
    Route::post("/api/products", ADMIN, products::CREATE, answers!(products::create)),
    Route::get("/api/products/:sku", EVERYONE, products::READ, answers!(products::read)),
    Route::patch("/api/products/:sku", ADMIN, products::CHANGE, answers!(products::change)),
    Route::get("/api/prices", EVERYONE, prices::LIST, answers!(prices::list)),
    Route::post("/api/prices", ADMIN, prices::SET, answers!(prices::set)),
    Route::get("/api/prices/effective", EVERYONE, prices::EFFECTIVE, answers!(prices::effective)),
    Route::post("/api/prices/:id/withdraw", ADMIN, prices::WITHDRAW, answers!(prices::withdraw)),
    Route::get("/api/promotions", EVERYONE, promotions::LIST, answers!(promotions::list)),
    Route::post("/api/promotions", ADMIN, promotions::CREATE, answers!(promotions::create)),
    Route::get("/api/promotions/:id", EVERYONE, promotions::READ, answers!(promotions::read)),
    Route::patch("/api/promotions/:id", ADMIN, promotions::CHANGE, answers!(promotions::change)),
    Route::get("/api/members", ADMIN, members::LIST, answers!(members::list)),
    Route::post("/api/members", ADMIN, members::CREATE, answers!(members::create)),
    Route::get("/api/members/:id", ADMIN, members::READ, answers!(members::read)),
    Route::patch("/api/members/:id", ADMIN, members::CHANGE, answers!(members::change)),
    Route::post("/api/members/:id/merge", ADMIN, members::MERGE, answers!(members::merge)),
    Route::get("/api/users", ADMIN, users::LIST, answers!(users::list)),
    Route::post("/api/users", ADMIN, users::ADD, answers!(users::add)),
    Route::patch("/api/users/:id", ADMIN, users::CHANGE, answers!(users::change)),
    Route::post("/api/users/:id/revoke-tokens", ADMIN, users::REVOKE, answers!(users::revoke)),
    Route::get("/api/users/:id/devices", ADMIN, people::DEVICES, answers!(people::devices)),
    Route::delete(
        "/api/users/:id/devices/:credential_id",
        ADMIN,
        people::REMOVE_DEVICE,
        answers!(people::remove_device),
    ),
    Route::get("/api/suppliers", PURCHASING, purchasing::SUPPLIERS, answers!(purchasing::suppliers)),
    Route::post("/api/suppliers", PURCHASING, purchasing::SUPPLIER_ADD, answers!(purchasing::add_supplier)),
    Route::get("/api/suppliers/:id", PURCHASING, purchasing::SUPPLIER_READ, answers!(purchasing::supplier)),
    Route::patch(
        "/api/suppliers/:id",
        PURCHASING,
        purchasing::SUPPLIER_CHANGE,
        answers!(purchasing::change_supplier),
    ),
    Route::get("/api/purchase-orders", PURCHASING, purchasing::ORDERS, answers!(purchasing::orders)),
    Route::post("/api/purchase-orders", PURCHASING, purchasing::ORDER_ADD, answers!(purchasing::add_order)),
    Route::get("/api/purchase-orders/:id", PURCHASING, purchasing::ORDER_READ, answers!(purchasing::order)),
    Route::patch(
        "/api/purchase-orders/:id",
        PURCHASING,
        purchasing::ORDER_CHANGE,
        answers!(purchasing::change_order),
    ),
    Route::post(
        "/api/purchase-orders/:id/approve",
        PURCHASING,
        purchasing::APPROVE,
        answers!(purchasing::approve),
    ),
    Route::post("/api/purchase-orders/:id/send", PURCHASING, purchasing::SEND, answers!(purchasing::send)),
    Route::post(
        "/api/purchase-orders/:id/cancel",
        PURCHASING,
        purchasing::CANCEL,
        answers!(purchasing::cancel),
    ),
    Route::post("/api/purchase-orders/:id/close", PURCHASING, purchasing::CLOSE, answers!(purchasing::close)),
    Route::post("/api/products/import", ADMIN, products::IMPORT, answers!(products::import)),
    Route::get("/api/audit", ADMIN, audit::LIST, answers!(audit::list)),
    Route::get("/api/reports/sales", FINANCE, reports::SALES, answers!(reports::sales)),
    Route::post("/api/sync/enrol", PUBLIC, sync::ENROL, answers!(sync::enrol)),
    Route::post("/api/sync/hello", STORE, sync::HELLO, answers!(sync::hello)),
    Route::post("/api/sync/push", STORE, sync::PUSH, answers!(sync::push)),
    Route::get("/api/sync/pull", STORE, sync::PULL, answers!(sync::pull)),
    Route::get("/api/sync/snapshot", STORE, sync::SNAPSHOT, answers!(sync::snapshot)),
    Route::get("/api/sync/own", STORE, sync::OWN, answers!(sync::own)),
    Route::post("/api/sync/receipts/reserve", STORE, receipts::RESERVE, answers!(receipts::reserve)),
    Route::post("/api/sync/receipts/release", STORE, receipts::RELEASE, answers!(receipts::release)),
    Route::post("/api/sync/members", STORE, found::FIND, answers!(found::find)),
    Route::post("/api/sync/digest", STORE, sync::DIGEST, answers!(sync::digest)),
];
