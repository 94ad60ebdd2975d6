//! Routes of goods in all stores.

use crate::http::route::{GOODS, answers};
use crate::office::goods::goods_routes;
use crate::office::reports::report_routes;
use crate::office::stock::stock_routes;
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
];
