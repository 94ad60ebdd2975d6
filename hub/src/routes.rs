//! The HTTP interface: one table of routes.

use crate::http::route::{ADMIN, EVERYONE, FINANCE, GOODS, answers};
use crate::http::{Answered, Request, health};
use crate::office::audit::audit_routes;
use crate::office::conflicts::conflict_routes;
use crate::office::documents::document_routes;
use crate::office::events::event_routes;
use crate::office::exceptions::exception_routes;
use crate::office::finance::taxes::tax_routes;
use crate::office::finance::{
    account_routes, book_metrics, day_routes, entry_routes, finance_routes, mapping_routes, period_routes,
};
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
use crate::office::stores::{store_routes, store_setting_routes};
use crate::office::suppliers::{supplier, supplier_price_routes};
use crate::office::users::user_routes;
use crate::office::warehouses::{warehouse_count_routes, warehouse_routes, warehouse_transfer_routes};
use crate::state::hub::Hub;
use crate::store_api::{find_member, receipt_routes, sync_routes};
use domain::model::people::user::Role;
use edge::identity::{
    confirm, devices, login, own_password, passkey_login, refresh, session, users as people,
};
use edge::openapi::{DocumentError, Info};
use edge::{Access, Handler, Route, docs, pages};
use std::sync::{LazyLock, OnceLock};

mod inventory;

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

/// Every route; each is described beside its handler. The order of the nouns is that of the tags in the OpenAPI document.
pub static ROUTES: LazyLock<Vec<Route<Hub>>> = LazyLock::new(|| {
    [
        SHARED,
        store_routes::ROUTES,
        store_setting_routes::ROUTES,
        register_routes::ROUTES,
        product_setting_routes::ROUTES,
        price_routes::ROUTES,
        promotion_routes::ROUTES,
        exception_routes::ROUTES,
        conflict_routes::ROUTES,
        member_routes::ROUTES,
        OFFICE,
        account_routes::ROUTES,
        mapping_routes::ROUTES,
        entry_routes::ROUTES,
        day_routes::ROUTES,
        period_routes::ROUTES,
        setting_routes::ROUTES,
        category::ROUTES,
        tax_code::ROUTES,
        tier::ROUTES,
        reason::ROUTES,
        payment_method::ROUTES,
        inventory::ROWS,
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

/// Routes without a table of their own.
const SHARED: &[Route<Hub>] = &[
    Route::get("/health", PUBLIC, health::HEALTH, answers!(health::health)),
    Route::get("/health/ready", PUBLIC, health::READY, answers!(health::ready)),
    Route::get("/metrics", LOCAL, book_metrics::METRICS, answers!(book_metrics::metrics)),
    Route::get("/api/openapi.json", PUBLIC, docs::DOCUMENT, answers!(document)),
    Route::get("/docs", PUBLIC, pages::DOCS, shared!(pages::docs)),
    Route::get("/passkeys", PUBLIC, pages::PASSKEYS, shared!(pages::passkeys_of_office)),
    Route::get("/", PUBLIC, pages::PORTAL, shared!(pages::portal)),
    Route::get("/ui/:build/:folder/:file", PUBLIC, pages::FILE, shared!(pages::file)),
    Route::post("/api/auth/login", PUBLIC, login::LOGIN, shared!(login::login)),
    Route::post("/auth/login", PUBLIC, login::LOGIN, shared!(login::login)),
    Route::post("/api/auth/refresh", PUBLIC, refresh::REFRESH, shared!(refresh::refresh)),
    Route::post("/auth/refresh", PUBLIC, refresh::REFRESH, shared!(refresh::refresh)),
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
    Route::get("/api/events", EVERYONE, event_routes::EVENTS, answers!(event_routes::events)),
    Route::get("/api/admin/overview", ADMIN, overview_routes::READ, answers!(overview_routes::read)),
];

/// Routes of head office and of stores that are not rows beside their handlers.
const OFFICE: &[Route<Hub>] = &[
    Route::get("/api/parked", ADMIN, parked_routes::LIST, answers!(parked_routes::list)),
    Route::post("/api/parked/replay", ADMIN, parked_routes::REPLAY_ALL, answers!(parked_routes::replay_all)),
    Route::post("/api/parked/:id/replay", ADMIN, parked_routes::REPLAY, answers!(parked_routes::replay)),
    Route::get("/api/products", EVERYONE, product_routes::LIST, answers!(product_routes::list)),
    Route::post("/api/products", ADMIN, product_routes::CREATE, answers!(product_routes::create)),
    Route::get("/api/products/:sku", EVERYONE, product_routes::READ, answers!(product_routes::read)),
    Route::patch("/api/products/:sku", ADMIN, product_routes::CHANGE, answers!(product_routes::change)),
    Route::get("/api/users", ADMIN, user_routes::LIST, answers!(user_routes::list)),
    Route::get("/api/staff", GOODS, user_routes::NAMES, answers!(user_routes::names)),
    Route::post("/api/users", ADMIN, user_routes::ADD, answers!(user_routes::add)),
    Route::patch("/api/users/:id", ADMIN, user_routes::CHANGE, answers!(user_routes::change)),
    Route::post("/api/users/:id/revoke-tokens", ADMIN, user_routes::REVOKE, answers!(user_routes::revoke)),
    Route::get("/api/users/:id/devices", ADMIN, people::DEVICES, shared!(people::devices)),
    Route::delete(
        "/api/users/:id/devices/:credential_id",
        ADMIN,
        people::REMOVE_DEVICE,
        shared!(people::remove_device),
    ),
    Route::post("/api/products/import", ADMIN, product_routes::IMPORT, answers!(product_routes::import)),
    Route::get("/api/audit", GOODS, audit_routes::LIST, answers!(audit_routes::list)),
    Route::get(
        "/api/finance/accounts/:account/entries",
        FINANCE,
        finance_routes::ACCOUNT_ENTRIES,
        answers!(finance_routes::account_entries),
    ),
    Route::get("/api/finance/journal", FINANCE, finance_routes::JOURNAL, answers!(finance_routes::journal)),
    Route::get("/api/finance/tax", FINANCE, tax_routes::TAX, answers!(tax_routes::tax)),
    Route::get(
        "/api/finance/journal/:entry_id",
        FINANCE,
        finance_routes::ENTRY,
        answers!(finance_routes::entry),
    ),
    Route::get(
        "/api/finance/trial-balance",
        FINANCE,
        finance_routes::TRIAL_BALANCE,
        answers!(finance_routes::trial_balance),
    ),
    Route::get(
        "/api/transactions",
        FINANCE,
        document_routes::TRANSACTIONS,
        answers!(document_routes::transactions),
    ),
    Route::get(
        "/api/transactions/:id",
        FINANCE,
        document_routes::TRANSACTION,
        answers!(document_routes::transaction),
    ),
    Route::get("/api/returns", FINANCE, document_routes::RETURNS, answers!(document_routes::returns)),
    Route::get(
        "/api/returns/:id",
        FINANCE,
        document_routes::RETURN,
        answers!(document_routes::return_document),
    ),
    Route::get("/api/shifts", FINANCE, document_routes::SHIFTS, answers!(document_routes::shifts)),
    Route::get("/api/shifts/:id", FINANCE, document_routes::SHIFT, answers!(document_routes::shift)),
    Route::get("/api/days", FINANCE, document_routes::DAYS, answers!(document_routes::days)),
    Route::get("/api/days/:store_id/:date", FINANCE, document_routes::DAY, answers!(document_routes::day)),
    Route::get("/api/deposits", FINANCE, document_routes::DEPOSITS, answers!(document_routes::deposits)),
    Route::get("/api/reports/sales", FINANCE, report_routes::SALES, answers!(report_routes::sales)),
    Route::get("/api/reports/margin", FINANCE, report_routes::MARGIN, answers!(report_routes::margin)),
    Route::get(
        "/api/reports/shrinkage",
        FINANCE,
        report_routes::SHRINKAGE,
        answers!(report_routes::shrinkage),
    ),
    Route::get("/api/reports/members", FINANCE, report_routes::MEMBERS, answers!(report_routes::members)),
    Route::get("/api/reports/payments", FINANCE, report_routes::PAYMENTS, answers!(report_routes::payments)),
    Route::get(
        "/api/reports/settlements",
        FINANCE,
        report_routes::SETTLEMENTS,
        answers!(report_routes::settlements),
    ),
    Route::get("/api/reports/cash", FINANCE, report_routes::CASH, answers!(report_routes::cash)),
    Route::get("/api/reports/profit", FINANCE, report_routes::PROFIT, answers!(report_routes::profit)),
    Route::get(
        "/api/reports/exceptions",
        FINANCE,
        report_routes::EXCEPTIONS,
        answers!(report_routes::exceptions),
    ),
    Route::get(
        "/api/reports/points-liability",
        FINANCE,
        report_routes::POINTS_LIABILITY,
        answers!(report_routes::points_liability),
    ),
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
    description: "Head office of all stores: takes in what they did exactly once, sends the catalogue down, and \
        reports. Money is in whole currency units; times are RFC 3339 in UTC with milliseconds.",
};

/// The document as it is served and committed.
///
/// # Errors
/// A defect of the table, which a test finds.
pub fn text() -> Result<String, DocumentError> {
    edge::openapi::text(&ROUTES, &INFO)
}

/// `GET /api/openapi.json`
pub async fn document(_request: Request) -> Answered {
    static TEXT: OnceLock<Result<String, DocumentError>> = OnceLock::new();
    Ok(docs::document(TEXT.get_or_init(text))?)
}
