//! Who pays out what customers paid, and banks: listed, added and changed.

use crate::http::change;
use crate::http::{Answered, Request, bound_page};
use crate::office::finance::writer::begun_alone;
use crate::office::settlement::bank_balance::reconciliation::{self, ReconciliationQuery};
use crate::office::settlement::source::{self, View};
use crate::office::settlement::source_change::Change;
use domain::model::base::answer::Answer;
use edge::page::Page;
use edge::{Code, Doc, Reply, clock};
use serde_json::json;

const SOURCE: &str = r#"{"source_id": "src_1", "name": "Card provider", "kind": "provider", "methods": ["card"],
    "account": "1040", "account_no": null, "currency": "IDR", "timezone": "UTC", "fee_rate_bp": 150, "fee_fixed": 0, "fee_tolerance": 0, "fee_on_refunds": "kept",
    "window_days": 4, "lag_days": 1, "store_refs": [{"ref": "T-1", "store_id": "S001"}], "csv": {"delimiter": "auto",
    "decimal": "none", "date_format": "%d/%m/%Y", "encoding": "utf-8", "skip_rows": 0, "skip_footer": 0,
    "columns": {"date": "Tanggal"}, "types": {}, "negate": false}, "state": "active",
    "created_at": "2026-11-20T02:06:34.739Z"}"#;

pub const LIST: Doc = Doc::of("Settlement", "List statement sources: payment providers and banks")
    .query::<Page>()
    .lists::<View>(SOURCE);
pub const ADD: Doc = Doc::of("Settlement", "Create a statement source: a payment provider or a bank")
    .body::<Change>(
        r#"{"name": "Card provider", "kind": "provider", "methods": ["card"], "fee_rate_bp": 150}"#,
    )
    .creates::<View>(SOURCE)
    .refuses(&[Code::Duplicate]);
pub const READ: Doc = Doc::of("Settlement", "Retrieve a statement source").answers::<View>(SOURCE);
pub const CHANGE: Doc = Doc::of("Settlement", "Update a statement source")
    .body::<Change>(r#"{"window_days": 7}"#)
    .answers::<View>(SOURCE)
    .refuses(&[Code::Duplicate]);

pub const RECONCILIATION: Doc = Doc::of("Settlement", "Reconcile a bank's balance with the books: lines and entries that only one of them has")
    .query::<ReconciliationQuery>()
    .answers::<reconciliation::View>(
        r#"{"source_id": "src_2", "account": "1040", "as_of": "2026-11-20", "statement_to": "2026-11-20",
            "closing_balance": 19665619, "ledger_balance": 19665619, "in_bank_only": [{"line_id": "sln_1",
            "statement_id": "stm_1", "date": "2026-11-20", "reference": "QR 19NOV", "amount": -111000}],
            "in_bank_only_total": -111000, "in_books_only": [{"type": "payment", "object_id": "spm_1", "batch": null,
            "date": "2026-11-20", "amount": -111000}], "in_books_only_total": -111000, "difference": 0}"#,
    );

/// `GET /api/statement-sources`
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after: Option<String> = bound_page::after_in(&request, page.cursor.as_ref())?;
    let pool = request.state.db.pool();
    let items = source::list(pool, &after.unwrap_or_default(), change::one_more(page.limit)).await?;
    Ok(Reply::ok(&bound_page::cut_in(&request, items, page.limit, |item| item.source_id.clone())?))
}

/// `POST /api/statement-sources`
pub async fn add(request: Request) -> Answered {
    let new: Change = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let made = source::create(&mut keyed.write, new, writer.now).await?;
    let location = format!("/api/statement-sources/{}", made.source_id);
    let done = ("settlement.source_added", json!({"source_id": made.source_id, "name": made.name}));
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `GET /api/statement-sources/:id`
pub async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&source::read(&mut connection, request.param("id")).await?))
}

/// `PATCH /api/statement-sources/:id`
pub async fn change(request: Request) -> Answered {
    let asked: Change = request.json()?;
    let (mut keyed, _) = begun_alone!(request);
    let [before, after] = source::change(&mut keyed.write, request.param("id"), asked).await?;
    let done = ("settlement.source_changed", json!({"source_id": after.source_id}));
    change::finish_changed(&request, keyed, done, [&before, &after]).await
}

/// `GET /api/statement-sources/:id/reconciliation`
pub async fn reconciled(request: Request) -> Answered {
    let ask: ReconciliationQuery = request.query()?;
    let (hub, now) = (&request.state, clock::now());
    // One state of the database: what the bank reported is held against what was posted.
    let mut read = hub.db.read().await?;
    let today = hub.today(now);
    let as_of = ask.as_of.unwrap_or(today);
    let view = reconciliation::read(&mut read, request.param("id"), as_of).await?;
    drop(read);
    // What was on an earlier day says nothing of today.
    if as_of == today {
        let mut write = hub.db.write().await?;
        reconciliation::tell(&mut write, &view, now).await?;
        write.commit().await?;
    }
    Ok(Reply::ok(&view))
}
