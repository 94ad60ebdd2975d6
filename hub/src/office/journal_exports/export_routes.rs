//! Exports of the journal: made, listed, and their files.

use crate::http::prelude::*;
use crate::office::journal_exports::export::{self, Export, Next};
use crate::office::journal_exports::export_file;
use edge::{Doc, csv};

const EXPORT: &str = r#"{"export_id": "jex_1", "export_no": 1, "format": "csv", "tax_rate_name": null,
    "books": [{"store_id": "S001", "from_no": 1, "to_no": 120}], "entries_count": 120, "lines_count": 410, "total": 18250000,
    "accounts": [{"account": "1010", "name": "Cash in tills", "export_code": "572000"}], "created_at": "2026-11-21T02:06:34.739Z", "created_by": "usr_1"}"#;

const NEXT: &str = r#"{"export": {"export_id": "jex_1", "export_no": 1, "format": "csv", "tax_rate_name": null,
    "books": [{"store_id": "S001", "from_no": 1, "to_no": 120}], "entries_count": 120, "lines_count": 410, "total": 18250000,
    "accounts": [{"account": "1010", "name": "Cash in tills", "export_code": "572000"}], "created_at": "2026-11-21T02:06:34.739Z", "created_by": "usr_1"}, "more": false}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/finance/exports", FINANCE, "Finance")
        .summary("List exports of the journal, latest first")
        .lists::<Exports>(EXPORT),
    post("/api/finance/exports", FINANCE, "Finance")
        .summary("Export new journal entries; each entry is in exactly one export, by its book and number")
        .command::<export::New>(r#"{"format": "csv"}"#, NEXT),
    get("/api/finance/exports/:export_id", FINANCE, "Finance")
        .summary("Retrieve an export of the journal")
        .answers::<Export>(EXPORT, answers!(read)),
    Route::get("/api/finance/exports/:export_id/file", FINANCE, FILE, answers!(file)),
];

const FILE: Doc = Doc::of("Finance", "Download the file of an export, which is the same each time")
    .answers_text("text/csv");

/// The list of exports.
pub struct Exports;

impl PagedList for Exports {
    type Query = Page;
    type Item = Export;
    type Position = i64;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<Export>, Failure> {
        Ok(export::list(page.pool, page.after.unwrap_or(i64::MAX), page.limit).await?)
    }
    fn position(export: &Export) -> i64 {
        export.export_no
    }
}

impl Command for export::New {
    const ACTION: &'static str = "finance.journal_exported";
    type Answer = Next;

    fn check(&self) -> Result<(), ApiError> {
        Self::check(self)
    }

    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Next>, Failure> {
        let by = (tx.caller.user_id.0.as_str(), tx.now);
        let next = export::next(tx.connection, self, by).await?;
        let Some(Export { export_id, format, entries_count, total, .. }) = &next.export else {
            return Ok(Changed::without_entry(&next));
        };
        let details =
            json!({"export_id": export_id, "format": format, "entries_count": entries_count, "total": total});
        Ok(Changed::answer(&next, details))
    }
}

async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&export::read(&mut connection, request.param("export_id")).await?))
}

async fn file(request: Request) -> Answered {
    let mut read = request.state.db.read().await?;
    let export = export::read(&mut read, request.param("export_id")).await?;
    let body = export_file::write(&mut read, &export).await?;
    Ok(Reply::Text { content_type: csv::CONTENT_TYPE, body })
}
