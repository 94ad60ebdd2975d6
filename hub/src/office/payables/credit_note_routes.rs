//! Credits of suppliers.

use crate::http::change;
use crate::http::filtered_list::FilteredList;
use crate::http::prelude::*;
use crate::office::finance::writer::check_text;
use crate::office::payables::credit_note::{self, New};
use crate::office::payables::credit_note_list::{self, CreditNotesQuery};
use crate::office::payables::credit_note_step::{self, Apply, Confirm};
use crate::office::payables::invoice_approval::Reason;
use crate::office::reports::completeness::{self, CompleteList};
use crate::table::payables::credit_note::TABLE;
use domain::model::books::payables::CreditNote;

const NOTE: &str = r#"{"credit_note_id": "crn_1", "doc_no": "CN-2026-000001", "supplier_id": "sup_1",
    "credit_note_no": "C-12", "date": "2026-11-20", "kind": "price", "supplier_return_id": null,
    "invoice_id": "inv_1", "lines": [{"invoice_line_no": 1, "store_id": "S001", "receiving_id": null,
    "receiving_line_no": null, "account": null, "net": 28800, "tax": 3168}], "net": 28800, "tax": 3168, "total": 31968,
    "applied": 0, "open": 31968, "books": [{"store_id": "S001", "open": 31968}], "state": "approved",
    "note": null, "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z", "proposed": null}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/finance/credit-notes", FINANCE, "Payables")
        .summary("List suppliers' credit notes, newest first")
        .query::<CreditNotesQuery>()
        .lists_as::<CompleteList<CreditNote>>(NOTE, completeness::EXAMPLE, answers!(list)),
    post("/api/finance/credit-notes", FINANCE, "Payables")
        .summary("Create a supplier's credit note")
        .refuses(&[Code::NotFound, Code::Duplicate, Code::InvalidState])
        .creates::<New>(
            r#"{"supplier_id": "sup_1", "credit_note_no": "C-12", "date": "2026-11-20", "kind": "price",
            "invoice_id": "inv_1", "lines": [{"invoice_line_no": 1, "net": 28800, "tax": 3168}]}"#,
            NOTE,
        ),
    get("/api/finance/credit-notes/:id", FINANCE, "Payables")
        .summary("Retrieve a supplier's credit note")
        .answers::<CreditNote>(NOTE, answers!(read)),
    post("/api/finance/credit-notes/:id/confirm", FINANCE, "Payables")
        .summary("Confirm an expected credit note with the supplier's document")
        .refuses(&[Code::Duplicate, Code::InvalidState, Code::ApprovalRequired])
        .command::<Confirm>(
            r#"{"credit_note_no": "C-13", "date": "2026-11-20", "net": 5000, "tax": 550}"#,
            NOTE,
        ),
    post("/api/finance/credit-notes/:id/approve", FINANCE, "Payables")
        .summary("Approve and post a credit note")
        .refuses(&[Code::InvalidState, Code::ApprovalRequired])
        .step::<Approve>(NOTE),
    post("/api/finance/credit-notes/:id/apply", FINANCE, "Payables")
        .summary("Apply a credit note to invoices")
        .refuses(&[Code::PaymentMismatch, Code::InvalidState])
        .command::<Apply>(r#"{"allocations": [{"invoice_id": "inv_1", "amount": 5550}]}"#, NOTE),
    post("/api/finance/credit-notes/:id/cancel", FINANCE, "Payables")
        .summary("Cancel a credit note; its number can be used again")
        .refuses(&[Code::InvalidState])
        .command::<Cancel>(r#"{"reason": "written down twice"}"#, NOTE),
];

async fn list(request: Request) -> Answered {
    let ask: CreditNotesQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let before = list.after(ask.cursor.as_ref())?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = credit_note_list::list(&mut read, &ask, before, change::one_more(ask.limit)).await?;
    let place = |item: &CreditNote| (item.date, item.credit_note_id.clone());
    let (page, days) = (list.cut(items, ask.limit, place), (None, ask.from, ask.to));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

async fn read(request: Request) -> Answered {
    let found: Option<CreditNote> = TABLE.read(request.state.db.pool(), request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the credit note"))?))
}

impl Command for New {
    const ACTION: &'static str = "finance.credit_note_created";
    type Answer = CreditNote;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<CreditNote>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let made = credit_note::create(tx.connection, self, &writer, &set).await?;
        let location = format!("/api/finance/credit-notes/{}", made.credit_note_id);
        Ok(Changed::created(location, &made, details(&made, None)))
    }
}

impl Command for Confirm {
    const ACTION: &'static str = "finance.credit_note_confirmed";
    type Answer = CreditNote;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<CreditNote>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?);
        let (id, set) = (tx.path.get("id"), (&set.finance, &set.purchasing));
        let note = credit_note_step::confirm(tx.connection, id, &self, &writer, set).await?;
        Ok(Changed::answer(&note, details(&note, None)))
    }
}

without_body!(Approve);

impl Command for Approve {
    const ACTION: &'static str = "finance.credit_note_approved";
    type Answer = CreditNote;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<CreditNote>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?);
        let (id, set) = (tx.path.get("id"), (&set.finance, &set.purchasing));
        let note = credit_note_step::approve(tx.connection, id, &writer, set).await?;
        Ok(Changed::answer(&note, details(&note, None)))
    }
}

impl Command for Apply {
    const ACTION: &'static str = "finance.credit_note_applied";
    type Answer = CreditNote;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<CreditNote>, Failure> {
        let (writer, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let note = credit_note_step::apply(tx.connection, tx.path.get("id"), &self, &writer, &set).await?;
        Ok(Changed::answer(&note, details(&note, None)))
    }
}

with_body!(Cancel(Reason));

impl Command for Cancel {
    const ACTION: &'static str = "finance.credit_note_cancelled";
    type Answer = CreditNote;
    fn check(&self) -> Result<(), ApiError> {
        check_text("reason", &self.0.reason)
    }
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<CreditNote>, Failure> {
        let (_, set) = (tx.writer().await?, tx.settings().await?.purchasing);
        let note = credit_note_step::cancel(tx.connection, tx.path.get("id"), &set).await?;
        Ok(Changed::answer(&note, details(&note, Some(&self.0.reason))))
    }
}

/// Details of a credit note for the audit log.
fn details(note: &CreditNote, reason: Option<&str>) -> Value {
    let CreditNote { credit_note_id, supplier_id, credit_note_no, state, total, applied, .. } = note;
    json!({"credit_note_id": credit_note_id, "supplier_id": supplier_id,
        "credit_note_no": credit_note_no, "state": state, "total": total, "applied": applied, "reason": reason})
}
