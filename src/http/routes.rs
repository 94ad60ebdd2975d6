//! The table: method, path, roles (docs/api.md#roles), and handlers.

use crate::http::AppState;
use crate::http::Request;
use crate::http::access::{audit, staff};
use crate::http::inventory::adjustments;
use crate::http::inventory::catalogue;
use crate::http::inventory::categories;
use crate::http::inventory::opname;
use crate::http::inventory::products;
use crate::http::inventory::purchase;
use crate::http::inventory::receiving;
use crate::http::inventory::stock;
use crate::http::inventory::stock::opening;
use crate::http::inventory::supplier_returns;
use crate::http::inventory::transfers;
use crate::http::labels;
use crate::http::members;
use crate::http::operation::actors;
use crate::http::operation::admin;
use crate::http::operation::docs;
use crate::http::operation::events;
use crate::http::operation::health;
use crate::http::operation::metrics;
use crate::http::operation::reports;
use crate::http::operation::setup;
use crate::http::operation::stores;
use crate::http::operation::sync;
use crate::http::selling::days;
use crate::http::selling::holds;
use crate::http::selling::prices;
use crate::http::selling::prints;
use crate::http::selling::quick_keys;
use crate::http::selling::reasons;
use crate::http::selling::receipts;
use crate::http::selling::registers;
use crate::http::selling::returns;
use crate::http::selling::safe;
use crate::http::selling::shifts;
use crate::http::selling::till;
use crate::http::selling::transactions;
use crate::http::selling::transactions::change;
use domain::model::people::user::Role;
use domain::model::people::user::Role::{Admin, Cashier, StoreManager, WarehouseStaff};
use edge::Access::{CookieOr, LoopbackOr, Public, Roles};
use edge::identity::{
    confirm, devices, login, own_password, passkey_login, pin, refresh, session, ticket, users,
};
use edge::{Handler, Route, pages};

/// Everyone who works in the shop; head-office roles have no part in it.
pub(super) const STAFF: &[Role] = &[Cashier, WarehouseStaff, StoreManager, Admin];
const SELL: &[Role] = &[Cashier, StoreManager, Admin];
/// Roles that handle goods.
const GOODS: &[Role] = &[WarehouseStaff, StoreManager, Admin];
/// Roles that run the shop.
const MANAGE: &[Role] = &[StoreManager, Admin];
/// Roles that run the machine.
const ADMIN: &[Role] = &[Admin];

/// An async function as a [`Handler`].
macro_rules! answers {
    ($function:path) => {{
        let handler: Handler<AppState> = |request: Request| {
            let path = request.path.clone();
            Box::pin(async move { $function(request).await.map(|reply| edge::figures::hidden(&path, reply)) })
        };
        handler
    }};
}

/// Every route of the store; each is described beside its handler.
pub static ROUTES: &[Route<AppState>] = &[
    Route::post("/api/auth/login", Public, login::LOGIN, answers!(login::login)),
    Route::post("/auth/login", Public, login::OLD_LOGIN, answers!(login::login)),
    Route::post("/api/auth/login/pin", Public, pin::LOGIN, answers!(pin::login)),
    Route::get("/api/auth/pin", Roles(STAFF), pin::READ, answers!(pin::read)),
    Route::put("/api/auth/pin", Roles(STAFF), pin::SET, answers!(pin::set)),
    Route::delete("/api/auth/pin", Roles(STAFF), pin::REMOVE, answers!(pin::remove)),
    Route::post("/api/auth/refresh", Public, refresh::REFRESH, answers!(refresh::refresh)),
    Route::post("/auth/refresh", Public, refresh::OLD_REFRESH, answers!(refresh::refresh)),
    Route::post("/api/auth/logout", CookieOr(STAFF), session::LOGOUT, answers!(session::logout)),
    Route::get("/api/auth/me", Roles(STAFF), session::WHO, answers!(session::me)),
    Route::post("/api/auth/password", Roles(STAFF), own_password::CHANGE, answers!(own_password::change)),
    Route::post(
        "/api/auth/webauthn/login/start",
        Public,
        passkey_login::START,
        answers!(passkey_login::start),
    ),
    Route::post(
        "/api/auth/webauthn/login/finish",
        Public,
        passkey_login::FINISH,
        answers!(passkey_login::finish),
    ),
    Route::post("/api/auth/webauthn/confirm/start", Roles(STAFF), confirm::START, answers!(confirm::start)),
    Route::post("/api/auth/webauthn/register/start", Roles(STAFF), devices::START, answers!(devices::start)),
    Route::post(
        "/api/auth/webauthn/register/finish",
        Roles(STAFF),
        devices::FINISH,
        answers!(devices::finish),
    ),
    Route::get("/api/auth/webauthn/credentials", Roles(STAFF), devices::LIST, answers!(devices::list)),
    Route::delete(
        "/api/auth/webauthn/credentials/:id",
        Roles(STAFF),
        devices::REMOVE,
        answers!(devices::remove),
    ),
    Route::get("/api/staff", Roles(STAFF), staff::LIST, answers!(staff::list)),
    Route::get("/api/users", Roles(MANAGE), users::LIST, answers!(users::list)),
    Route::post("/api/users", Roles(MANAGE), users::CREATE, answers!(users::create)),
    Route::get("/api/users/:id", Roles(MANAGE), users::READ, answers!(users::read)),
    Route::patch("/api/users/:id", Roles(MANAGE), users::UPDATE, answers!(users::update)),
    Route::post("/api/users/:id/revoke-tokens", Roles(MANAGE), users::REVOKE, answers!(users::revoke_tokens)),
    Route::get("/api/users/:id/devices", Roles(MANAGE), users::DEVICES, answers!(users::devices)),
    Route::delete(
        "/api/users/:id/devices/:credential_id",
        Roles(MANAGE),
        users::REMOVE_DEVICE,
        answers!(users::remove_device),
    ),
    Route::post("/api/shifts/open", Roles(SELL), shifts::OPEN, answers!(shifts::open)),
    Route::post("/api/shifts/:id/registers", Roles(SELL), shifts::MOVE, answers!(shifts::relocate)),
    Route::post("/api/shifts/:id/close", Roles(SELL), shifts::CLOSE, answers!(shifts::close)),
    Route::get("/api/shifts/current", Roles(SELL), shifts::CURRENT, answers!(shifts::current)),
    Route::get("/api/shifts/:id/summary", Roles(SELL), shifts::SUMMARY, answers!(shifts::summary)),
    Route::get("/api/shifts", Roles(SELL), shifts::LIST, answers!(shifts::list)),
    Route::get("/api/shifts/:id", Roles(SELL), shifts::READ, answers!(shifts::read)),
    Route::get("/api/shifts/:id/report", Roles(SELL), shifts::REPORT, answers!(shifts::report)),
    Route::post("/api/shifts/:id/end", Roles(SELL), shifts::END, answers!(shifts::end)),
    Route::post("/api/shifts/:id/recounts", Roles(MANAGE), shifts::RECOUNT, answers!(shifts::recount)),
    Route::get("/api/shifts/:id/cash-movements", Roles(SELL), shifts::MOVEMENTS, answers!(shifts::movements)),
    Route::post(
        "/api/shifts/:id/cash-movements",
        Roles(SELL),
        shifts::MOVE_CASH,
        answers!(shifts::move_cash),
    ),
    Route::post(
        "/api/shifts/:id/cash-movements/:cash_id/reverse",
        Roles(SELL),
        shifts::REVERSE_CASH,
        answers!(shifts::reverse_cash),
    ),
    Route::get("/api/registers", Roles(MANAGE), registers::LIST, answers!(registers::list)),
    Route::post("/api/registers", Roles(MANAGE), registers::ADD, answers!(registers::add)),
    Route::patch("/api/registers/:id", Roles(MANAGE), registers::CHANGE, answers!(registers::change)),
    Route::get("/api/days", Roles(MANAGE), days::LIST, answers!(days::list)),
    Route::get("/api/days/:date", Roles(MANAGE), days::READ, answers!(days::read)),
    Route::post("/api/days/:date/seal", Roles(MANAGE), days::SEAL, answers!(days::seal)),
    Route::post("/api/days/:date/unseal", Roles(ADMIN), days::UNSEAL, answers!(days::unseal)),
    Route::get("/api/safe", Roles(MANAGE), safe::READ, answers!(safe::read)),
    Route::post("/api/safe/opening", Roles(MANAGE), safe::OPEN, answers!(safe::open)),
    Route::post("/api/deposits", Roles(MANAGE), safe::DEPOSIT, answers!(safe::deposit)),
    Route::post("/api/deposits/:id/reverse", Roles(MANAGE), safe::REVERSE, answers!(safe::reverse)),
    Route::get("/api/audit", Roles(MANAGE), audit::LIST, answers!(audit::list)),
    Route::post("/api/pos/transactions", Roles(SELL), transactions::CREATE, answers!(transactions::create)),
    Route::get("/api/pos/transactions", Roles(SELL), transactions::LIST, answers!(transactions::list)),
    Route::get("/api/pos/transactions/:id", Roles(SELL), transactions::READ, answers!(transactions::read)),
    Route::post("/api/pos/transactions/:id/pay", Roles(SELL), transactions::PAY, answers!(transactions::pay)),
    Route::patch("/api/pos/transactions/:id", Roles(SELL), change::CHANGE, answers!(change::change)),
    Route::post("/api/pos/transactions/:id/lines", Roles(SELL), change::ADD_LINE, answers!(change::add_line)),
    Route::patch(
        "/api/pos/transactions/:id/lines/:line_no",
        Roles(SELL),
        change::SET_LINE,
        answers!(change::set_line),
    ),
    Route::delete(
        "/api/pos/transactions/:id/lines/:line_no",
        Roles(SELL),
        change::REMOVE_LINE,
        answers!(change::remove_line),
    ),
    Route::post("/api/pos/transactions/:id/void", Roles(SELL), change::VOID, answers!(change::void)),
    Route::post(
        "/api/pos/transactions/:id/payments/:payment_id/reverse",
        Roles(SELL),
        change::REVERSE,
        answers!(change::reverse),
    ),
    Route::post(
        "/api/pos/transactions/:id/correct-tender",
        Roles(SELL),
        change::CORRECT,
        answers!(change::correct_tender),
    ),
    Route::post("/api/pos/holds", Roles(SELL), holds::CREATE, answers!(holds::create)),
    Route::get("/api/pos/holds", Roles(SELL), holds::LIST, answers!(holds::list)),
    Route::get("/api/pos/holds/:id", Roles(SELL), holds::READ, answers!(holds::read)),
    Route::post("/api/pos/holds/:id/recall", Roles(SELL), holds::RECALL, answers!(holds::recall)),
    Route::post("/api/pos/returns", Roles(SELL), returns::CREATE, answers!(returns::create)),
    Route::post("/api/pos/returns/quote", Roles(SELL), returns::QUOTE, answers!(returns::quote)),
    Route::get("/api/pos/returns", Roles(SELL), returns::LIST, answers!(returns::list)),
    Route::get("/api/pos/returns/:id", Roles(SELL), returns::READ, answers!(returns::read)),
    Route::post("/api/pos/returns/:id/void", Roles(SELL), returns::VOID, answers!(returns::void)),
    Route::get("/api/pos/settings", Roles(STAFF), till::SETTINGS, answers!(till::settings)),
    Route::get("/api/pos/status", Roles(STAFF), till::STATUS, answers!(till::status)),
    Route::get("/api/pos/quick-keys", Roles(SELL), quick_keys::READ, answers!(quick_keys::read)),
    Route::put("/api/pos/quick-keys", Roles(MANAGE), quick_keys::SET, answers!(quick_keys::set)),
    Route::get("/api/pos/products", Roles(SELL), products::LIST, answers!(products::list)),
    Route::get("/api/pos/products/:sku", Roles(SELL), products::READ, answers!(products::read)),
    Route::get("/api/pos/reasons", Roles(SELL), reasons::READ, answers!(reasons::read)),
    Route::get("/api/pos/receipts/:receipt_no", Roles(SELL), receipts::READ, answers!(receipts::read)),
    Route::post(
        "/api/pos/receipts/:receipt_no/prints",
        Roles(SELL),
        receipts::PRINT,
        answers!(receipts::print),
    ),
    Route::post("/api/shifts/:id/prints", Roles(SELL), prints::REPORT, answers!(prints::shift_report)),
    Route::get("/api/print-jobs/:id", Roles(SELL), prints::READ, answers!(prints::read)),
    Route::get("/api/prices/effective", Roles(STAFF), prices::EFFECTIVE, answers!(prices::effective)),
    Route::get("/api/pos/labels", Roles(STAFF), labels::PAGE, answers!(labels::labels)),
    Route::get("/api/products", Roles(GOODS), catalogue::LIST, answers!(catalogue::list)),
    Route::post("/api/products", Roles(MANAGE), catalogue::CREATE, answers!(catalogue::create)),
    Route::post("/api/products/import", Roles(MANAGE), catalogue::IMPORT, answers!(catalogue::import)),
    Route::get("/api/products/:sku", Roles(GOODS), catalogue::READ, answers!(catalogue::read)),
    Route::patch("/api/products/:sku", Roles(MANAGE), catalogue::CHANGE, answers!(catalogue::change)),
    Route::get("/api/categories", Roles(STAFF), categories::LIST, answers!(categories::list)),
    Route::get("/api/stock", Roles(GOODS), stock::LIST, answers!(stock::list)),
    Route::post("/api/stock/opening", Roles(MANAGE), opening::OPEN, answers!(opening::open)),
    Route::post("/api/stock/opening/import", Roles(MANAGE), opening::IMPORT, answers!(opening::import)),
    Route::get("/api/stock/valuation", Roles(GOODS), stock::VALUATION, answers!(stock::valuation)),
    Route::get("/api/stock/:sku", Roles(GOODS), stock::READ, answers!(stock::read)),
    Route::patch("/api/stock/:sku", Roles(GOODS), stock::CHANGE, answers!(stock::change)),
    Route::get("/api/stock/:sku/movements", Roles(GOODS), stock::MOVEMENTS, answers!(stock::movements)),
    Route::post("/api/receiving", Roles(GOODS), receiving::CREATE, answers!(receiving::create)),
    Route::get("/api/receiving/:id", Roles(GOODS), receiving::READ, answers!(receiving::read)),
    Route::get("/api/members", Roles(MANAGE), members::LIST, answers!(members::list)),
    Route::post("/api/members", Roles(SELL), members::CREATE, answers!(members::create)),
    Route::get("/api/members/search", Roles(SELL), members::SEARCH, answers!(members::search)),
    Route::get("/api/members/:id", Roles(SELL), members::READ, answers!(members::read)),
    Route::patch("/api/members/:id", Roles(MANAGE), members::UPDATE, answers!(members::update)),
    Route::get("/api/members/:id/points", Roles(SELL), members::POINTS, answers!(members::points)),
    Route::post("/api/members/:id/points/adjust", Roles(MANAGE), members::ADJUST, answers!(members::adjust)),
    Route::post("/api/members/:id/erase", Roles(MANAGE), members::ERASE, answers!(members::erase)),
    Route::get("/api/receiving", Roles(GOODS), receiving::LIST, answers!(receiving::list)),
    Route::post(
        "/api/receiving/:id/resubmit",
        Roles(MANAGE),
        receiving::RESUBMIT,
        answers!(receiving::resubmit),
    ),
    Route::post(
        "/api/receiving/:id/reverse",
        Roles(MANAGE),
        receiving::REVERSE,
        answers!(receiving::reverse),
    ),
    Route::post(
        "/api/supplier-returns",
        Roles(GOODS),
        supplier_returns::CREATE,
        answers!(supplier_returns::create),
    ),
    Route::get(
        "/api/supplier-returns",
        Roles(GOODS),
        supplier_returns::LIST,
        answers!(supplier_returns::list),
    ),
    Route::get(
        "/api/supplier-returns/:id",
        Roles(GOODS),
        supplier_returns::READ,
        answers!(supplier_returns::read),
    ),
    Route::get("/api/stores", Roles(GOODS), stores::LIST, answers!(stores::list)),
    Route::get("/api/suppliers", Roles(GOODS), purchase::SUPPLIERS, answers!(purchase::suppliers)),
    Route::get("/api/purchase-orders", Roles(GOODS), purchase::ORDERS, answers!(purchase::orders)),
    Route::get("/api/purchase-orders/:id", Roles(GOODS), purchase::ORDER, answers!(purchase::order)),
    Route::post("/api/adjustments", Roles(GOODS), adjustments::CREATE, answers!(adjustments::create)),
    Route::get("/api/adjustments", Roles(GOODS), adjustments::LIST, answers!(adjustments::list)),
    Route::get("/api/adjustments/:id", Roles(GOODS), adjustments::READ, answers!(adjustments::read)),
    Route::post(
        "/api/adjustments/:id/approve",
        Roles(MANAGE),
        adjustments::APPROVE,
        answers!(adjustments::approve),
    ),
    Route::post(
        "/api/adjustments/:id/reject",
        Roles(MANAGE),
        adjustments::REJECT,
        answers!(adjustments::reject),
    ),
    Route::post(
        "/api/adjustments/:id/reverse",
        Roles(MANAGE),
        adjustments::REVERSE,
        answers!(adjustments::reverse),
    ),
    Route::post("/api/transfers", Roles(GOODS), transfers::CREATE, answers!(transfers::create)),
    Route::get("/api/transfers", Roles(GOODS), transfers::LIST, answers!(transfers::list)),
    Route::get("/api/transfers/:id", Roles(GOODS), transfers::READ, answers!(transfers::read)),
    Route::post("/api/transfers/:id/send", Roles(GOODS), transfers::SEND, answers!(transfers::send)),
    Route::post("/api/transfers/:id/receive", Roles(GOODS), transfers::RECEIVE, answers!(transfers::receive)),
    Route::post(
        "/api/transfers/:id/resolve",
        Roles(MANAGE),
        transfers::RESOLVE,
        answers!(transfers::resolve),
    ),
    Route::post("/api/transfers/:id/cancel", Roles(GOODS), transfers::CANCEL, answers!(transfers::cancel)),
    Route::post("/api/opname", Roles(GOODS), opname::CREATE, answers!(opname::create)),
    Route::get("/api/opname", Roles(GOODS), opname::LIST, answers!(opname::list)),
    Route::get("/api/opname/:id", Roles(GOODS), opname::READ, answers!(opname::read)),
    Route::get("/api/opname/:id/uncounted", Roles(GOODS), opname::UNCOUNTED, answers!(opname::uncounted)),
    Route::get("/api/opname/:id/lookup", Roles(GOODS), opname::LOOK_UP, answers!(opname::look_up)),
    Route::get(
        "/api/opname/:id/differences",
        Roles(MANAGE),
        opname::DIFFERENCES,
        answers!(opname::differences),
    ),
    Route::post("/api/opname/:id/counts", Roles(GOODS), opname::COUNT, answers!(opname::count)),
    Route::post("/api/opname/:id/submit", Roles(GOODS), opname::SUBMIT, answers!(opname::submit)),
    Route::post("/api/opname/:id/recount", Roles(GOODS), opname::RECOUNT, answers!(opname::recount)),
    Route::post("/api/opname/:id/post", Roles(MANAGE), opname::POST, answers!(opname::post)),
    Route::post("/api/opname/:id/cancel", Roles(MANAGE), opname::CANCEL, answers!(opname::cancel)),
    Route::post("/api/events/ticket", Roles(STAFF), ticket::CREATE, answers!(ticket::create)),
    Route::get("/api/events", Roles(STAFF), events::EVENTS, answers!(events::events)),
    Route::get("/api/reports/daily", Roles(MANAGE), reports::DAILY, answers!(reports::daily)),
    Route::get("/api/reports/sales", Roles(MANAGE), reports::SALES, answers!(reports::sales)),
    Route::get("/api/reports/stock", Roles(MANAGE), reports::STOCK, answers!(reports::stock)),
    Route::get("/api/sync/status", Roles(MANAGE), sync::STATUS, answers!(sync::status)),
    Route::post("/api/sync/force", Roles(MANAGE), sync::FORCE, answers!(sync::force)),
    Route::get("/api/parked", Roles(MANAGE), sync::PARKED, answers!(sync::parked)),
    Route::get("/api/sync/digests", Roles(MANAGE), sync::DIGESTS, answers!(sync::digests)),
    Route::get("/api/conflicts", Roles(MANAGE), sync::CONFLICTS, answers!(sync::conflicts)),
    Route::post("/api/conflicts/:id/restore", Roles(MANAGE), sync::RESTORE, answers!(sync::restore)),
    Route::get("/api/admin/actors", Roles(MANAGE), actors::TREE, answers!(actors::tree)),
    Route::post("/api/admin/actors/:name/restart", Roles(ADMIN), actors::RESTART, answers!(actors::restart)),
    Route::get("/api/admin/settings", Roles(MANAGE), admin::SETTINGS, answers!(admin::settings)),
    Route::patch(
        "/api/admin/settings",
        Roles(MANAGE),
        admin::CHANGE_SETTINGS,
        answers!(admin::change_settings),
    ),
    Route::get("/api/admin/setup", Roles(MANAGE), setup::READ, answers!(setup::read)),
    Route::get("/api/admin/work", Roles(MANAGE), admin::WORK, answers!(admin::work)),
    Route::post("/api/admin/verify", Roles(MANAGE), admin::VERIFY, answers!(admin::verify)),
    Route::post("/api/admin/backup", Roles(MANAGE), admin::BACKUP, answers!(admin::backup)),
    Route::get("/health", Public, health::LIVE, answers!(health::live)),
    Route::get("/health/ready", Public, health::READY, answers!(health::ready)),
    Route::get("/metrics", LoopbackOr(ADMIN), metrics::TEXT, answers!(metrics::text)),
    Route::get("/api/openapi.json", Public, edge::docs::DOCUMENT, answers!(docs::document)),
    Route::get("/api/openapi-3.0.json", Public, edge::docs::DOCUMENT_3_0, answers!(docs::document_3_0)),
    Route::get("/docs", Public, pages::DOCS, answers!(pages::docs)),
    Route::get("/passkeys", Public, pages::PASSKEYS, answers!(pages::passkeys_of_store)),
    Route::get("/admin", Public, pages::ADMIN, answers!(pages::admin)),
    Route::get("/pos", Public, pages::POS, answers!(pages::pos)),
    Route::get("/ui/:build/:folder/:file", Public, pages::FILE, answers!(pages::file)),
];

#[cfg(test)]
mod tests;
