//! The HTTP interface: one table of routes.

use crate::app::Hub;
use domain::user::Role;
use edge::{Access, ApiError, BodyKind, Reply, Route};

mod auth;
pub mod authority;
mod health;
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
const PUBLIC: Access = Access::Public;
const STORE: Access = Access::SyncToken;

/// Every route.
pub static ROUTES: &[Route<Hub>] = &[
    Route::get("/health", PUBLIC, "Whether it lives", |request| Box::pin(health::health(request))),
    Route::get("/health/ready", PUBLIC, "Whether it takes writes", |request| {
        Box::pin(health::ready(request))
    }),
    Route::get("/metrics", Access::LoopbackOr(&[Role::Admin]), "Prometheus text", |request| {
        Box::pin(health::metrics(request))
    }),
    Route::post("/api/auth/login", PUBLIC, "Log in", |request| Box::pin(auth::login(request))),
    Route::post("/auth/login", PUBLIC, "Log in", |request| Box::pin(auth::login(request))),
    Route::get("/api/auth/me", EVERYONE, "Who asks", |request| Box::pin(auth::me(request))),
    Route::post("/api/stores", ADMIN, "Add a store", |request| Box::pin(stores::add(request))),
    Route::get("/api/stores", ADMIN, "List stores", |request| Box::pin(stores::list(request))),
    Route::get("/api/stores/:id/status", ADMIN, "A store in detail", |request| {
        Box::pin(stores::status(request))
    }),
    Route::post("/api/stores/:id/disable", ADMIN, "Let a store no longer speak", |request| {
        Box::pin(stores::disable(request))
    })
    .with_body(BodyKind::JsonOptional),
    Route::post("/api/stores/:id/enable", ADMIN, "Let a store speak again", |request| {
        Box::pin(stores::enable(request))
    })
    .with_body(BodyKind::JsonOptional),
    Route::get("/api/products", EVERYONE, "List products", |request| Box::pin(products::list(request))),
    Route::post("/api/products/import", ADMIN, "Import a catalogue (CSV)", |request| {
        Box::pin(products::import(request))
    })
    .with_body(BodyKind::CsvUpTo(IMPORT_BODY_BYTES_MAX)),
    Route::get("/api/reports/sales", FINANCE, "Sales", |request| Box::pin(reports::sales(request))),
    Route::post("/api/sync/enrol", PUBLIC, "Enrol a store", |request| Box::pin(sync::enrol(request))),
    Route::post("/api/sync/hello", STORE, "Begin a session", |request| Box::pin(sync::hello(request))),
    Route::post("/api/sync/push", STORE, "Hand records in", |request| Box::pin(sync::push(request)))
        .with_body(BodyKind::JsonUpTo(PUSH_BODY_BYTES_MAX)),
    Route::get("/api/sync/pull", STORE, "Read the feed", |request| Box::pin(sync::pull(request))),
];
