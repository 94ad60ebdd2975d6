//! The HTTP interface: one table of routes.

use crate::app::Hub;
use domain::user::Role;
use edge::{Access, ApiError, Handler, Reply, Route};

mod auth;
pub mod authority;
pub mod docs;
mod health;
mod parked;
mod products;
mod reports;
mod stores;
mod sync;

type Request = edge::Request<Hub>;
type Answered = Result<Reply, ApiError>;

/// Most bytes of a push: 1 MiB of records, escaped once more, with their hashes.
const PUSH_BODY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most bytes of a catalogue.
const IMPORT_BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

const ADMIN: Access = Access::Roles(&[Role::Admin]);
const FINANCE: Access = Access::Roles(&[Role::Admin, Role::HoFinance]);
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
    Route::get("/api/openapi.json", PUBLIC, docs::DOCUMENT, answers!(docs::document)),
    Route::get("/docs", PUBLIC, docs::PAGE, answers!(docs::page)),
    Route::post("/api/auth/login", PUBLIC, auth::LOGIN, answers!(auth::login)),
    Route::post("/auth/login", PUBLIC, auth::LOGIN, answers!(auth::login)),
    Route::get("/api/auth/me", EVERYONE, auth::WHO, answers!(auth::me)),
    Route::post("/api/stores", ADMIN, stores::ADD, answers!(stores::add)),
    Route::get("/api/stores", ADMIN, stores::LIST, answers!(stores::list)),
    Route::get("/api/stores/:id/status", ADMIN, stores::STATUS, answers!(stores::status)),
    Route::post("/api/stores/:id/disable", ADMIN, stores::DISABLE, answers!(stores::disable)),
    Route::post("/api/stores/:id/enable", ADMIN, stores::ENABLE, answers!(stores::enable)),
    Route::get("/api/parked", ADMIN, parked::LIST, answers!(parked::list)),
    Route::post("/api/parked/:id/replay", ADMIN, parked::REPLAY, answers!(parked::replay)),
    Route::get("/api/conflicts", ADMIN, parked::CONFLICTS, answers!(parked::conflicts)),
    Route::post("/api/conflicts/:id/restore", ADMIN, parked::RESTORE, answers!(parked::restore)),
    Route::get("/api/products", EVERYONE, products::LIST, answers!(products::list)),
    Route::post("/api/products/import", ADMIN, products::IMPORT, answers!(products::import)),
    Route::get("/api/reports/sales", FINANCE, reports::SALES, answers!(reports::sales)),
    Route::post("/api/sync/enrol", PUBLIC, sync::ENROL, answers!(sync::enrol)),
    Route::post("/api/sync/hello", STORE, sync::HELLO, answers!(sync::hello)),
    Route::post("/api/sync/push", STORE, sync::PUSH, answers!(sync::push)),
    Route::get("/api/sync/pull", STORE, sync::PULL, answers!(sync::pull)),
    Route::get("/api/sync/snapshot", STORE, sync::SNAPSHOT, answers!(sync::snapshot)),
    Route::get("/api/sync/own", STORE, sync::OWN, answers!(sync::own)),
    Route::post("/api/sync/digest", STORE, sync::DIGEST, answers!(sync::digest)),
];
