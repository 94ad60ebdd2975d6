//! Routes of what head office settles for itself and for its stores.

use crate::office::lists::list_routes;
use crate::office::members::member_routes;
use crate::office::registers::register_routes;
use crate::office::settings::setting_routes;
use crate::office::stores::store_setting_routes;
use crate::routes::{ADMIN, answers};
use crate::state::hub::Hub;
use edge::Route;

pub(super) const ROWS: &[Route<Hub>] = &[
    Route::get("/api/settings", ADMIN, setting_routes::READ, answers!(setting_routes::read)),
    Route::get("/api/settings/sources", ADMIN, setting_routes::SOURCES, answers!(setting_routes::sources)),
    Route::patch("/api/settings", ADMIN, setting_routes::CHANGE, answers!(setting_routes::change)),
    Route::post("/api/members/:id/erase", ADMIN, member_routes::ERASE, answers!(member_routes::erase)),
    Route::get(
        "/api/stores/:id/settings",
        ADMIN,
        store_setting_routes::READ,
        answers!(store_setting_routes::read),
    ),
    Route::patch(
        "/api/stores/:id/settings",
        ADMIN,
        store_setting_routes::CHANGE,
        answers!(store_setting_routes::change),
    ),
    Route::get("/api/registers", ADMIN, register_routes::LIST, answers!(register_routes::list)),
    Route::patch(
        "/api/registers/:store_id/:register_id",
        ADMIN,
        register_routes::CHANGE,
        answers!(register_routes::change),
    ),
    Route::get("/api/categories", ADMIN, list_routes::CATEGORIES, answers!(list_routes::categories)),
    Route::post("/api/categories", ADMIN, list_routes::ADD_CATEGORY, answers!(list_routes::add_category)),
    Route::patch(
        "/api/categories/:code",
        ADMIN,
        list_routes::CHANGE_CATEGORY,
        answers!(list_routes::change_category),
    ),
    Route::get("/api/tax-codes", ADMIN, list_routes::TAX_CODES, answers!(list_routes::tax_codes)),
    Route::post("/api/tax-codes", ADMIN, list_routes::ADD_TAX_CODE, answers!(list_routes::add_tax_code)),
    Route::patch(
        "/api/tax-codes/:tax_code",
        ADMIN,
        list_routes::CHANGE_TAX_CODE,
        answers!(list_routes::change_tax_code),
    ),
    Route::get("/api/tiers", ADMIN, list_routes::TIERS, answers!(list_routes::tiers)),
    Route::post("/api/tiers", ADMIN, list_routes::ADD_TIER, answers!(list_routes::add_tier)),
    Route::patch("/api/tiers/:tier", ADMIN, list_routes::CHANGE_TIER, answers!(list_routes::change_tier)),
    Route::get("/api/reasons", ADMIN, list_routes::REASONS, answers!(list_routes::reasons)),
    Route::post("/api/reasons", ADMIN, list_routes::ADD_REASON, answers!(list_routes::add_reason)),
    Route::patch(
        "/api/reasons/:list/:code",
        ADMIN,
        list_routes::CHANGE_REASON,
        answers!(list_routes::change_reason),
    ),
    Route::get("/api/payment-methods", ADMIN, list_routes::METHODS, answers!(list_routes::methods)),
    Route::post("/api/payment-methods", ADMIN, list_routes::ADD_METHOD, answers!(list_routes::add_method)),
    Route::patch(
        "/api/payment-methods/:method",
        ADMIN,
        list_routes::CHANGE_METHOD,
        answers!(list_routes::change_method),
    ),
];
