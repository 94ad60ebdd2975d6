//! The HTTP interface: one table of routes.

use crate::http::route::{ADMIN, EVERYONE, answers};
use crate::http::{Answered, Request, health};
use crate::office::audit::audit_routes;
use crate::office::conflicts::conflict_routes;
use crate::office::documents::document_routes;
use crate::office::events::{event_log_routes, event_routes};
use crate::office::exceptions::exception_routes;
use crate::office::finance::taxes::tax_routes;
use crate::office::finance::{
    account_routes, book_metrics, day_routes, entry_routes, finance_routes, journal_list, mapping_routes,
    period_routes,
};
use crate::office::goods::goods_routes;
use crate::office::journal_exports::export_routes;
use crate::office::lists::{category, payment_method, reason, tax_code, tier};
use crate::office::members::member_routes;
use crate::office::orders::{order_routes, order_step_routes, suggestion_routes};
use crate::office::overview::overview_routes;
use crate::office::parked::parked_routes;
use crate::office::payables::{credit_note_routes, invoice_routes, payable_routes, payment_routes};
use crate::office::prices::price_routes;
use crate::office::products::{product_routes, product_setting_routes};
use crate::office::promotions::promotion_routes;
use crate::office::registers::register_routes;
use crate::office::reports::report_routes;
use crate::office::settings::setting_routes;
use crate::office::settlement::{
    exception_routes as settlement_exceptions, match_routes, set_aside_routes, settlement_routes,
    source_routes, statement_routes,
};
use crate::office::stock::stock_routes;
use crate::office::stores::{store_routes, store_setting_routes};
use crate::office::suppliers::{supplier, supplier_price_routes};
use crate::office::users::{api_key_routes, user_routes};
use crate::office::warehouses::{warehouse_count_routes, warehouse_routes, warehouse_transfer_routes};
use crate::office::webhooks::webhook_routes;
use crate::state::hub::Hub;
use crate::store_api::{find_member, receipt_routes, sync_routes};
use domain::model::people::user::Role;
use edge::identity::{
    confirm, devices, login, own_password, passkey_login, refresh, session, users as people,
};
use edge::openapi::{DocumentError, Info};
use edge::{Access, Handler, Route, docs, pages};
use std::sync::{LazyLock, OnceLock};

/// All users of head office, or the cookie of a session: a user can log out even when the token has expired.
const SESSION: Access = Access::CookieOr(&crate::account::user::ROLES);
const LOCAL: Access = Access::LoopbackOr(&[Role::Admin]);
const PUBLIC: Access = Access::Public;
const STORE: Access = Access::SyncToken;

/// An async function of `edge`, which both programs serve, as a [`Handler`].
macro_rules! shared {
    ($function:path) => {{
        let handler: Handler<Hub> = |request: Request| Box::pin($function(request));
        handler
    }};
}

/// Every route; each is described beside its handler. The order is that of the tags in the OpenAPI document.
pub static ROUTES: LazyLock<Vec<Route<Hub>>> = LazyLock::new(|| {
    [
        SHARED,
        event_log_routes::ROUTES,
        event_routes::ROUTES,
        webhook_routes::ROUTES,
        overview_routes::ROUTES,
        store_routes::ROUTES,
        store_setting_routes::ROUTES,
        register_routes::ROUTES,
        product_setting_routes::ROUTES,
        product_routes::ROUTES,
        price_routes::ROUTES,
        promotion_routes::ROUTES,
        parked_routes::ROUTES,
        exception_routes::ROUTES,
        conflict_routes::ROUTES,
        member_routes::ROUTES,
        user_routes::ROUTES,
        DEVICES,
        api_key_routes::ROUTES,
        audit_routes::ROUTES,
        account_routes::ROUTES,
        mapping_routes::ROUTES,
        entry_routes::ROUTES,
        day_routes::ROUTES,
        period_routes::ROUTES,
        journal_list::ROUTES,
        export_routes::ROUTES,
        finance_routes::ROUTES,
        tax_routes::ROUTES,
        document_routes::ROUTES,
        report_routes::ROUTES,
        STORE_PROTOCOL,
        setting_routes::ROUTES,
        category::ROUTES,
        tax_code::ROUTES,
        tier::ROUTES,
        reason::ROUTES,
        payment_method::ROUTES,
        stock_routes::ROUTES,
        goods_routes::ROUTES,
        warehouse_routes::ROUTES,
        warehouse_count_routes::ROUTES,
        warehouse_transfer_routes::ROUTES,
        supplier::ROUTES,
        order_routes::ROUTES,
        order_step_routes::ROUTES,
        suggestion_routes::ROUTES,
        supplier_price_routes::ROUTES,
        invoice_routes::ROUTES,
        payment_routes::ROUTES,
        payable_routes::ROUTES,
        credit_note_routes::ROUTES,
        source_routes::ROUTES,
        statement_routes::ROUTES,
        set_aside_routes::ROUTES,
        settlement_routes::ROUTES,
        settlement_exceptions::ROUTES,
        match_routes::ROUTES,
    ]
    .concat()
});

/// Routes of every program with an interface of this kind: operation, pages, log-in.
const SHARED: &[Route<Hub>] = &[
    Route::get("/health", PUBLIC, health::HEALTH, answers!(health::health)),
    Route::get("/health/ready", PUBLIC, health::READY, answers!(health::ready)),
    Route::get("/metrics", LOCAL, book_metrics::METRICS, answers!(book_metrics::metrics)),
    Route::get("/api/openapi.json", PUBLIC, docs::DOCUMENT, answers!(document)),
    Route::get("/api/openapi-3.0.json", PUBLIC, docs::DOCUMENT_3_0, answers!(document_3_0)),
    Route::get("/docs", PUBLIC, pages::DOCS, shared!(pages::docs)),
    Route::get("/passkeys", PUBLIC, pages::PASSKEYS, shared!(pages::passkeys_of_office)),
    Route::get("/", PUBLIC, pages::PORTAL, shared!(pages::portal)),
    Route::get("/ui/:build/:folder/:file", PUBLIC, pages::FILE, shared!(pages::file)),
    Route::post("/api/auth/login", PUBLIC, login::LOGIN, shared!(login::login)),
    Route::post("/auth/login", PUBLIC, login::OLD_LOGIN, shared!(login::login)),
    Route::post("/api/auth/refresh", PUBLIC, refresh::REFRESH, shared!(refresh::refresh)),
    Route::post("/auth/refresh", PUBLIC, refresh::OLD_REFRESH, shared!(refresh::refresh)),
    Route::post("/api/auth/logout", SESSION, session::LOGOUT, shared!(session::logout)),
    Route::get("/api/auth/me", EVERYONE, session::WHO, shared!(session::me)),
    Route::post("/api/auth/password", EVERYONE, own_password::CHANGE, shared!(own_password::change)),
    Route::post(
        "/api/auth/webauthn/login/start",
        PUBLIC,
        passkey_login::START,
        shared!(passkey_login::start),
    ),
    Route::post(
        "/api/auth/webauthn/login/finish",
        PUBLIC,
        passkey_login::FINISH,
        shared!(passkey_login::finish),
    ),
    Route::post("/api/auth/webauthn/confirm/start", EVERYONE, confirm::START, shared!(confirm::start)),
    Route::post("/api/auth/webauthn/register/start", EVERYONE, devices::START, shared!(devices::start)),
    Route::post("/api/auth/webauthn/register/finish", EVERYONE, devices::FINISH, shared!(devices::finish)),
    Route::get("/api/auth/webauthn/credentials", EVERYONE, devices::LIST, shared!(devices::list)),
    Route::delete("/api/auth/webauthn/credentials/:id", EVERYONE, devices::REMOVE, shared!(devices::remove)),
];

/// Devices of users.
const DEVICES: &[Route<Hub>] = &[
    Route::get("/api/users/:id/devices", ADMIN, people::DEVICES, shared!(people::devices)),
    Route::delete(
        "/api/users/:id/devices/:credential_id",
        ADMIN,
        people::REMOVE_DEVICE,
        shared!(people::remove_device),
    ),
];

/// Routes that stores call.
const STORE_PROTOCOL: &[Route<Hub>] = &[
    Route::post("/api/sync/enrol", PUBLIC, sync_routes::ENROL, answers!(sync_routes::enrol)),
    Route::post("/api/sync/hello", STORE, sync_routes::HELLO, answers!(sync_routes::hello)),
    Route::post("/api/sync/push", STORE, sync_routes::PUSH, answers!(sync_routes::push)),
    Route::get("/api/sync/pull", STORE, sync_routes::PULL, answers!(sync_routes::pull)),
    Route::get("/api/sync/snapshot", STORE, sync_routes::SNAPSHOT, answers!(sync_routes::snapshot)),
    Route::get("/api/sync/own", STORE, sync_routes::HISTORY, answers!(sync_routes::history)),
    Route::post(
        "/api/sync/receipts/reserve",
        STORE,
        receipt_routes::RESERVE,
        answers!(receipt_routes::reserve),
    ),
    Route::post(
        "/api/sync/receipts/release",
        STORE,
        receipt_routes::RELEASE,
        answers!(receipt_routes::release),
    ),
    Route::post("/api/sync/members", STORE, find_member::FIND, answers!(find_member::find)),
    Route::post("/api/sync/digest", STORE, sync_routes::DIGEST, answers!(sync_routes::digest)),
];

/// Description of this program in the document.
const INFO: Info = Info {
    title: "Cloud Hub",
    version: env!("CARGO_PKG_VERSION"),
    description: "Head office of all stores: it receives every record of the stores exactly once, sends them the catalogue, and reports. Amounts of money are integers in the smallest unit of the currency (1250 is 12.50 EUR or 1,250 IDR); rates are in basis points (1,100 is 11 %); times are RFC 3339 in UTC with milliseconds.",
    has_registers: false,
};

/// The document as it is served and committed.
///
/// # Errors
/// A defect of the table, which a test finds.
pub fn text() -> Result<String, DocumentError> {
    edge::openapi::text(&ROUTES, &INFO)
}

/// `GET /api/openapi-3.0.json`
pub async fn document_3_0(_request: Request) -> Answered {
    static TEXT: OnceLock<Result<String, DocumentError>> = OnceLock::new();
    Ok(docs::document(TEXT.get_or_init(|| edge::openapi::text_3_0(&ROUTES, &INFO)))?)
}

/// `GET /api/openapi.json`
pub async fn document(_request: Request) -> Answered {
    static TEXT: OnceLock<Result<String, DocumentError>> = OnceLock::new();
    Ok(docs::document(TEXT.get_or_init(text))?)
}
