//! Providers that pay out customers' payments, and banks: listed, added and changed.

use crate::http::prelude::*;
use crate::office::settlement::bank_balance::reconciliation::{self, ReconciliationQuery};
use crate::office::settlement::source::{self, View};
use crate::office::settlement::source_change::Change;

const SOURCE: &str = r#"{"source_id": "src_1", "name": "Card provider", "kind": "provider", "methods": ["card"],
    "account": "1040", "account_no": null, "currency": "IDR", "timezone": "UTC", "fee_rate_bp": 150, "fee_fixed": 0, "fee_tolerance": 0, "fee_on_refunds": "kept",
    "window_days": 4, "lag_days": 1, "store_refs": [{"ref": "T-1", "store_id": "S001"}], "csv": {"delimiter": "auto",
    "decimal": "none", "date_format": "%d/%m/%Y", "encoding": "utf-8", "skip_rows": 0, "skip_footer": 0,
    "columns": {"date": "Tanggal"}, "types": {}, "negate": false}, "state": "active",
    "created_at": "2026-11-20T02:06:34.739Z"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/statement-sources", FINANCE, "Settlement").summary("List statement sources: payment providers and banks")
    .lists::<Sources>(SOURCE),
    post("/api/statement-sources", FINANCE, "Settlement").summary("Create a statement source: a payment provider or a bank")
    .refuses(&[Code::Duplicate])
    .creates::<Create>(
        r#"{"name": "Card provider", "kind": "provider", "methods": ["card"], "fee_rate_bp": 150}"#,
        SOURCE,
    ),
    get("/api/statement-sources/:id", FINANCE, "Settlement").summary("Retrieve a statement source")
        .answers::<View>(SOURCE, answers!(read)),
    patch("/api/statement-sources/:id", FINANCE, "Settlement").summary("Update a statement source")
        .refuses(&[Code::Duplicate])
        .command::<Update>(r#"{"window_days": 7}"#, SOURCE),
    get("/api/statement-sources/:id/reconciliation", FINANCE, "Settlement").summary("Reconcile a bank's balance with the books: lines and entries that only one of them has")
    .query::<ReconciliationQuery>()
    .answers::<reconciliation::View>(
        r#"{"source_id": "src_2", "account": "1040", "as_of": "2026-11-20", "statement_to": "2026-11-20",
            "closing_balance": 19665619, "ledger_balance": 19665619, "in_bank_only": [{"line_id": "sln_1",
            "statement_id": "stm_1", "date": "2026-11-20", "reference": "QR 19NOV", "amount": -111000}],
            "in_bank_only_total": -111000, "in_books_only": [{"type": "payment", "object_id": "spm_1", "batch": null,
            "date": "2026-11-20", "amount": -111000}], "in_books_only_total": -111000, "difference": 0}"#,
        answers!(reconciled),
    ),
];

/// The list of statement sources.
pub struct Sources;

impl PagedList for Sources {
    type Query = Page;
    type Item = View;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<View>, Failure> {
        Ok(source::list(page.pool, &page.after.unwrap_or_default(), page.limit).await?)
    }
    fn position(source: &View) -> String {
        source.source_id.clone()
    }
}

with_body!(Create(Change), Update(Change));

impl Command for Create {
    const ACTION: &'static str = "settlement.source_added";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        tx.writer().await?;
        let made = source::create(tx.connection, self.0, tx.now).await?;
        let details = json!({"source_id": made.source_id, "name": made.name});
        Ok(Changed::created(format!("/api/statement-sources/{}", made.source_id), &made, details))
    }
}

impl Command for Update {
    const ACTION: &'static str = "settlement.source_changed";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        tx.writer().await?;
        let [before, after] = source::change(tx.connection, tx.path.get("id"), self.0).await?;
        Ok(Changed::document([&before, &after], json!({"source_id": after.source_id})))
    }
}

async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&source::read(&mut connection, request.param("id")).await?))
}

async fn reconciled(request: Request) -> Answered {
    let ask: ReconciliationQuery = request.query()?;
    let (hub, now) = (&request.state, clock::now());
    // Read from one state of the database: the bank's report and the postings are compared.
    let mut read = hub.db.read().await?;
    let today = hub.today(now);
    let as_of = ask.as_of.unwrap_or(today);
    let view = reconciliation::read(&mut read, request.param("id"), as_of).await?;
    drop(read);
    // The balance of an earlier day shows nothing about today.
    if as_of == today {
        let mut write = hub.db.write().await?;
        reconciliation::tell(&mut write, &view, now).await?;
        write.commit().await?;
    }
    Ok(Reply::ok(&view))
}
