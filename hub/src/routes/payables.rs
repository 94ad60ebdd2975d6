//! Routes of what is owed to suppliers.

use crate::http::route::{FINANCE, answers};
use crate::office::payables::{credit_note_routes, invoice_routes, payable_routes, payment_routes};
use crate::state::hub::Hub;
use edge::Route;

pub(super) const ROWS: &[Route<Hub>] = &[
    Route::get("/api/finance/invoices", FINANCE, invoice_routes::LIST, answers!(invoice_routes::list)),
    Route::post("/api/finance/invoices", FINANCE, invoice_routes::ADD, answers!(invoice_routes::add)),
    Route::get("/api/finance/invoices/:id", FINANCE, invoice_routes::READ, answers!(invoice_routes::read)),
    Route::patch(
        "/api/finance/invoices/:id",
        FINANCE,
        invoice_routes::CHANGE,
        answers!(invoice_routes::change),
    ),
    Route::post(
        "/api/finance/invoices/:id/match",
        FINANCE,
        invoice_routes::MATCH,
        answers!(invoice_routes::run_match),
    ),
    Route::post(
        "/api/finance/invoices/:id/dispute",
        FINANCE,
        invoice_routes::DISPUTE,
        answers!(invoice_routes::dispute),
    ),
    Route::post(
        "/api/finance/invoices/:id/approve",
        FINANCE,
        invoice_routes::APPROVE,
        answers!(invoice_routes::approve),
    ),
    Route::post(
        "/api/finance/invoices/:id/cancel",
        FINANCE,
        invoice_routes::CANCEL,
        answers!(invoice_routes::cancel),
    ),
    Route::post("/api/finance/payments", FINANCE, payment_routes::ADD, answers!(payment_routes::add)),
    Route::get("/api/finance/payments/:id", FINANCE, payment_routes::READ, answers!(payment_routes::read)),
    Route::post(
        "/api/finance/payments/:id/allocate",
        FINANCE,
        payment_routes::ALLOCATE,
        answers!(payment_routes::allocate),
    ),
    Route::get(
        "/api/finance/uninvoiced",
        FINANCE,
        payable_routes::UNINVOICED,
        answers!(payable_routes::uninvoiced),
    ),
    Route::get(
        "/api/finance/payables",
        FINANCE,
        payable_routes::PAYABLES,
        answers!(payable_routes::payables),
    ),
    Route::get("/api/finance/payments", FINANCE, payment_routes::LIST, answers!(payment_routes::list)),
    Route::post(
        "/api/finance/payments/:id/reverse",
        FINANCE,
        payment_routes::REVERSE,
        answers!(payment_routes::reverse),
    ),
    Route::post(
        "/api/finance/uninvoiced/close",
        FINANCE,
        payable_routes::CLOSE,
        answers!(payable_routes::close),
    ),
    Route::get(
        "/api/finance/credit-notes",
        FINANCE,
        credit_note_routes::LIST,
        answers!(credit_note_routes::list),
    ),
    Route::post(
        "/api/finance/credit-notes",
        FINANCE,
        credit_note_routes::ADD,
        answers!(credit_note_routes::add),
    ),
    Route::get(
        "/api/finance/credit-notes/:id",
        FINANCE,
        credit_note_routes::READ,
        answers!(credit_note_routes::read),
    ),
    Route::post(
        "/api/finance/credit-notes/:id/confirm",
        FINANCE,
        credit_note_routes::CONFIRM,
        answers!(credit_note_routes::confirm),
    ),
    Route::post(
        "/api/finance/credit-notes/:id/approve",
        FINANCE,
        credit_note_routes::APPROVE,
        answers!(credit_note_routes::approve),
    ),
    Route::post(
        "/api/finance/credit-notes/:id/apply",
        FINANCE,
        credit_note_routes::APPLY,
        answers!(credit_note_routes::apply),
    ),
    Route::post(
        "/api/finance/credit-notes/:id/cancel",
        FINANCE,
        credit_note_routes::CANCEL,
        answers!(credit_note_routes::cancel),
    ),
    Route::get(
        "/api/finance/payment-proposal",
        FINANCE,
        payment_routes::PROPOSAL,
        answers!(payment_routes::proposal),
    ),
];
