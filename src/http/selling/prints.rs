//! Print jobs of a till's own printer, and shift reports on it. Receipts are printed in `receipts.rs`.

use crate::http::Answered;
use crate::http::Request;
use crate::http::selling::shifts::report;
use crate::printing::PrintJob;
use domain::model::base::ids::RegisterId;
use edge::identity::EmptyBody;
use edge::{ApiError, Code, Doc, Reply};

/// Example of a print job.
pub const PRINT_JOB: &str = r#"{"job_id": "job_19aa0c2d0f3_7", "register_id": "till-1", "state": "waiting", "problem": null,
        "replaced": []}"#;

pub const READ: Doc = Doc::of(
    "Printing",
    "Retrieve a print job: `waiting`, `printing`, `printed`, or `failed` with the reason. Jobs are kept for a limited time",
)
.answers::<PrintJob>(PRINT_JOB);
pub const REPORT: Doc = Doc::of("Printing", "Print a shift's X or Z report on the register's own printer")
    .optional_body::<EmptyBody>("{}")
    .answers::<PrintJob>(PRINT_JOB)
    .unkeyed("each request prints another piece of paper and stores nothing")
    .refuses(&[Code::NotFound]);

/// `GET /api/print-jobs/:id`
pub async fn read(request: Request) -> Answered {
    let job = request.state.printers.job(request.param("id"));
    Ok(Reply::ok(&job.ok_or_else(|| ApiError::not_found("print job"))?))
}

/// `POST /api/shifts/:id/prints`
pub async fn shift_report(request: Request) -> Answered {
    request.json::<EmptyBody>()?;
    let text = report::of(&request)?;
    let till = till_with_printer(&request)?;
    Ok(Reply::ok(&request.state.printers.report(&till, &text)))
}

/// The register of the request, or else of the caller's open shift.
///
/// # Errors
/// 404 `not_found` if there is no register, or it has no printer.
pub fn till_with_printer(request: &Request) -> Result<RegisterId, ApiError> {
    let (shop, caller) = (&request.state, request.caller()?);
    let own = || shop.store.current_shift(&caller.user_id, None).ok()?.registers().first().cloned();
    let till = request.register_id.clone().or_else(own).filter(|till| shop.printers.has(till));
    till.ok_or_else(|| ApiError::not_found("printer"))
}
