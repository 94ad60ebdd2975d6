//! Routes of what head office settles for itself and for its stores.

use crate::http::route::{ADMIN, answers};
use crate::office::members::member_routes;
use crate::office::registers::register_routes;
use crate::office::settings::setting_routes;
use crate::office::stores::store_setting_routes;
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
];
