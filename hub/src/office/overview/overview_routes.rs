//! The overview.

use crate::http::route::{ADMIN, answers};
use crate::http::{Answered, Request};
use crate::office::overview::overview::{self, Overview};
use crate::state::hub::Hub;
use edge::{Doc, Reply, Route, clock};

pub const ROUTES: &[Route<Hub>] = &[Route::get("/api/admin/overview", ADMIN, READ, answers!(read))];

pub const READ: Doc =
    Doc::of("Stores", "Retrieve an administrator's overview: stores, exceptions and health")
        .answers::<Overview>(
            r#"{"stores_by_state": {"new": 1, "active": 12}, "stores_with_problems_count": 2,
    "stores_by_problem": {"silent": 1, "not_enrolled": 1}, "parked_count": 2,
    "parked_by_code": {"unknown_type": 2}, "exceptions_count": 3,
    "orders_to_approve_count": 1, "settlements_open_count": 2, "invoices_due_count": 1,
    "last_proof": null, "last_backup_at": "2026-11-20T02:06:34.739Z", "last_drill": null}"#,
        );

/// `GET /api/admin/overview`
pub async fn read(request: Request) -> Answered {
    let (pool, now) = (request.state.db.pool(), clock::now());
    Ok(Reply::ok(&overview::read(pool, now, request.state.today(now)).await?))
}
