//! Routes of goods in all stores.

use crate::http::route::{GOODS, PURCHASING, answers};
use crate::office::goods::goods_routes;
use crate::office::reports::report_routes;
use crate::office::stock::stock_routes;
use crate::office::warehouses::{warehouse_count_routes, warehouse_routes, warehouse_transfer_routes};
use crate::state::hub::Hub;
use edge::Route;

pub(super) const ROWS: &[Route<Hub>] = &[
    Route::get("/api/stock", GOODS, stock_routes::LIST, answers!(stock_routes::list)),
    Route::get("/api/stock/:sku", GOODS, stock_routes::READ, answers!(stock_routes::read)),
    Route::get(
        "/api/stock/:sku/movements",
        GOODS,
        stock_routes::MOVEMENTS,
        answers!(stock_routes::movements),
    ),
    Route::get("/api/receiving", GOODS, goods_routes::RECEIPTS, answers!(goods_routes::receipts)),
    Route::get(
        "/api/receiving/discrepancies",
        GOODS,
        goods_routes::DISCREPANCIES,
        answers!(goods_routes::discrepancies),
    ),
    Route::get("/api/receiving/:id", GOODS, goods_routes::RECEIPT, answers!(goods_routes::receipt)),
    Route::get(
        "/api/supplier-returns",
        GOODS,
        goods_routes::SUPPLIER_RETURNS,
        answers!(goods_routes::supplier_returns),
    ),
    Route::get(
        "/api/supplier-returns/:id",
        GOODS,
        goods_routes::SUPPLIER_RETURN,
        answers!(goods_routes::supplier_return),
    ),
    Route::get("/api/transfers", GOODS, goods_routes::TRANSFERS, answers!(goods_routes::transfers)),
    Route::get("/api/transfers/:id", GOODS, goods_routes::TRANSFER, answers!(goods_routes::transfer)),
    Route::get("/api/adjustments", GOODS, goods_routes::ADJUSTMENTS, answers!(goods_routes::adjustments)),
    Route::get(
        "/api/adjustments/:id",
        GOODS,
        goods_routes::ADJUSTMENT,
        answers!(goods_routes::one_adjustment),
    ),
    Route::get("/api/opname", GOODS, goods_routes::OPNAMES, answers!(goods_routes::opnames)),
    Route::get("/api/opname/:id", GOODS, goods_routes::OPNAME, answers!(goods_routes::opname)),
    Route::get("/api/reports/stock", GOODS, report_routes::STOCK, answers!(report_routes::stock)),
    Route::get(
        "/api/reports/sell-through",
        GOODS,
        report_routes::SELL_THROUGH,
        answers!(report_routes::sell_through),
    ),
    Route::get("/api/reports/purchases", GOODS, report_routes::PURCHASES, answers!(report_routes::purchases)),
    Route::post("/api/receiving", PURCHASING, warehouse_routes::RECEIVE, answers!(warehouse_routes::receive)),
    Route::post(
        "/api/receiving/:id/reverse",
        PURCHASING,
        warehouse_routes::REVERSE_RECEIPT,
        answers!(warehouse_routes::reverse_receipt),
    ),
    Route::post(
        "/api/supplier-returns",
        PURCHASING,
        warehouse_routes::RETURN,
        answers!(warehouse_routes::send_back),
    ),
    Route::post(
        "/api/transfers",
        PURCHASING,
        warehouse_transfer_routes::CREATE,
        answers!(warehouse_transfer_routes::create),
    ),
    Route::post(
        "/api/transfers/:id/send",
        PURCHASING,
        warehouse_transfer_routes::SEND,
        answers!(warehouse_transfer_routes::send),
    ),
    Route::post(
        "/api/transfers/:id/cancel",
        PURCHASING,
        warehouse_transfer_routes::CANCEL,
        answers!(warehouse_transfer_routes::cancel),
    ),
    Route::post(
        "/api/transfers/:id/receive",
        PURCHASING,
        warehouse_transfer_routes::RECEIVE,
        answers!(warehouse_transfer_routes::receive),
    ),
    Route::post(
        "/api/transfers/:id/resolve",
        PURCHASING,
        warehouse_transfer_routes::RESOLVE,
        answers!(warehouse_transfer_routes::resolve),
    ),
    Route::post("/api/adjustments", PURCHASING, warehouse_routes::ADJUST, answers!(warehouse_routes::adjust)),
    Route::post(
        "/api/adjustments/:id/approve",
        PURCHASING,
        warehouse_routes::APPROVE,
        answers!(warehouse_routes::approve),
    ),
    Route::post(
        "/api/adjustments/:id/reject",
        PURCHASING,
        warehouse_routes::REJECT,
        answers!(warehouse_routes::reject),
    ),
    Route::post(
        "/api/adjustments/:id/reverse",
        PURCHASING,
        warehouse_routes::REVERSE,
        answers!(warehouse_routes::reverse),
    ),
    Route::post(
        "/api/opname",
        PURCHASING,
        warehouse_count_routes::START,
        answers!(warehouse_count_routes::start),
    ),
    Route::post(
        "/api/opname/:id/counts",
        PURCHASING,
        warehouse_count_routes::COUNT,
        answers!(warehouse_count_routes::count),
    ),
    Route::post(
        "/api/opname/:id/submit",
        PURCHASING,
        warehouse_count_routes::SUBMIT,
        answers!(warehouse_count_routes::submit),
    ),
    Route::post(
        "/api/opname/:id/recount",
        PURCHASING,
        warehouse_count_routes::RECOUNT,
        answers!(warehouse_count_routes::recount),
    ),
    Route::post(
        "/api/opname/:id/post",
        PURCHASING,
        warehouse_count_routes::POST,
        answers!(warehouse_count_routes::post),
    ),
    Route::post(
        "/api/opname/:id/cancel",
        PURCHASING,
        warehouse_count_routes::CANCEL,
        answers!(warehouse_count_routes::cancel),
    ),
];
