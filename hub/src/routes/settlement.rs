//! Routes of settlement.

use crate::http::route::{FINANCE, answers};
use crate::office::settlement::{
    exception_routes, match_routes, set_aside_routes, settlement_routes, source_routes, statement_routes,
};
use crate::state::hub::Hub;
use edge::Route;

pub(super) const ROWS: &[Route<Hub>] = &[
    Route::get("/api/statement-sources", FINANCE, source_routes::LIST, answers!(source_routes::list)),
    Route::post("/api/statement-sources", FINANCE, source_routes::ADD, answers!(source_routes::add)),
    Route::get("/api/statement-sources/:id", FINANCE, source_routes::READ, answers!(source_routes::read)),
    Route::patch(
        "/api/statement-sources/:id",
        FINANCE,
        source_routes::CHANGE,
        answers!(source_routes::change),
    ),
    Route::get(
        "/api/statement-sources/:id/reconciliation",
        FINANCE,
        source_routes::RECONCILIATION,
        answers!(source_routes::reconciled),
    ),
    Route::get("/api/statements", FINANCE, statement_routes::LIST, answers!(statement_routes::list)),
    Route::post("/api/statements", FINANCE, statement_routes::IMPORT, answers!(statement_routes::import)),
    Route::get("/api/statements/:id", FINANCE, statement_routes::READ, answers!(statement_routes::read)),
    Route::get(
        "/api/statements/:id/lines",
        FINANCE,
        statement_routes::LINES,
        answers!(statement_routes::lines),
    ),
    Route::get(
        "/api/statements/:id/set-aside",
        FINANCE,
        set_aside_routes::LIST,
        answers!(set_aside_routes::list),
    ),
    Route::post(
        "/api/statements/:id/set-aside/:row_id/take",
        FINANCE,
        set_aside_routes::TAKE,
        answers!(set_aside_routes::take),
    ),
    Route::post(
        "/api/statements/:id/set-aside/:row_id/dismiss",
        FINANCE,
        set_aside_routes::DISMISS,
        answers!(set_aside_routes::dismiss),
    ),
    Route::get(
        "/api/settlement-items",
        FINANCE,
        settlement_routes::ITEMS,
        answers!(settlement_routes::items),
    ),
    Route::get("/api/settlements", FINANCE, settlement_routes::LIST, answers!(settlement_routes::list)),
    Route::post("/api/settlements", FINANCE, settlement_routes::MAKE, answers!(settlement_routes::make)),
    Route::post(
        "/api/settlements/:id/statements",
        FINANCE,
        statement_routes::IMPORT_FOR_DAY,
        answers!(statement_routes::import_for_day),
    ),
    Route::get("/api/settlements/:id", FINANCE, settlement_routes::READ, answers!(settlement_routes::read)),
    Route::get(
        "/api/settlements/:id/items",
        FINANCE,
        settlement_routes::ITEMS_OF_DAY,
        answers!(settlement_routes::items_of_day),
    ),
    Route::post(
        "/api/settlements/:id/match",
        FINANCE,
        settlement_routes::MATCH,
        answers!(settlement_routes::rematch),
    ),
    Route::post(
        "/api/settlements/:id/approve",
        FINANCE,
        settlement_routes::APPROVE,
        answers!(settlement_routes::approve),
    ),
    Route::get(
        "/api/settlement-exceptions",
        FINANCE,
        exception_routes::LIST,
        answers!(exception_routes::list),
    ),
    Route::post(
        "/api/settlement-exceptions/:id/resolve",
        FINANCE,
        exception_routes::RESOLVE,
        answers!(exception_routes::resolve),
    ),
    Route::post(
        "/api/statements/:id/approve",
        FINANCE,
        statement_routes::APPROVE,
        answers!(statement_routes::approve),
    ),
    Route::post("/api/settlement-matches", FINANCE, match_routes::MAKE, answers!(match_routes::make)),
    Route::get("/api/settlement-matches/:id", FINANCE, match_routes::READ, answers!(match_routes::read)),
    Route::post(
        "/api/settlement-matches/:id/undo",
        FINANCE,
        match_routes::UNDO,
        answers!(match_routes::undo),
    ),
];
