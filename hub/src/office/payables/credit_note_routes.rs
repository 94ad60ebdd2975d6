//! What suppliers give back.

use crate::http::bound_page;
use crate::http::change;
use crate::http::{Answered, Request};
use crate::office::finance::writer::{begun_alone, check_text};
use crate::office::payables::credit_note::{self, New};
use crate::office::payables::credit_note_list::{self, CreditNotesQuery};
use crate::office::payables::credit_note_step::{self, Apply, Confirm};
use crate::office::payables::invoice_approval::Reason;
use crate::office::reports::completeness::{self, CompleteList};
use crate::state::idempotency::Keyed;
use crate::table::payables::credit_note::TABLE;
use domain::model::base::answer::Answer;
use domain::model::books::payables::CreditNote;
use edge::identity::EmptyBody;
use edge::{ApiError, Code, Doc, Reply, clock};
use serde_json::json;

const NOTE: &str = r#"{"credit_note_id": "crn_1", "doc_no": "CN-2026-000001", "supplier_id": "sup_1",
    "credit_note_no": "C-12", "date": "2026-11-20", "kind": "price", "supplier_return_id": null,
    "invoice_id": "inv_1", "lines": [{"invoice_line_no": 1, "store_id": "S001", "receiving_id": null,
    "receiving_line_no": null, "net": 28800, "tax": 3168}], "net": 28800, "tax": 3168, "total": 31968,
    "applied": 0, "open": 31968, "books": [{"store_id": "S001", "open": 31968}], "state": "approved",
    "note": null, "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z", "proposed": null}"#;

pub const LIST: Doc = Doc::of("Payables", "List suppliers' credit notes, newest first")
    .query::<CreditNotesQuery>()
    .lists_as::<CompleteList<CreditNote>>(NOTE, completeness::EXAMPLE);
pub const READ: Doc = Doc::of("Payables", "Retrieve a supplier's credit note").answers::<CreditNote>(NOTE);
pub const ADD: Doc = Doc::of("Payables", "Create a supplier's credit note")
    .body::<New>(
        r#"{"supplier_id": "sup_1", "credit_note_no": "C-12", "date": "2026-11-20", "kind": "price",
            "invoice_id": "inv_1", "lines": [{"invoice_line_no": 1, "net": 28800, "tax": 3168}]}"#,
    )
    .creates::<CreditNote>(NOTE)
    .refuses(&[Code::NotFound, Code::Duplicate, Code::InvalidState]);
pub const CONFIRM: Doc = Doc::of("Payables", "Confirm an expected credit note with the supplier's document")
    .body::<Confirm>(r#"{"credit_note_no": "C-13", "date": "2026-11-20", "net": 5000, "tax": 550}"#)
    .answers::<CreditNote>(NOTE)
    .refuses(&[Code::Duplicate, Code::InvalidState, Code::ApprovalRequired]);
pub const APPROVE: Doc = Doc::of("Payables", "Approve and post a credit note")
    .optional_body::<EmptyBody>("{}")
    .answers::<CreditNote>(NOTE)
    .refuses(&[Code::InvalidState, Code::ApprovalRequired]);
pub const APPLY: Doc = Doc::of("Payables", "Apply a credit note to invoices")
    .body::<Apply>(r#"{"allocations": [{"invoice_id": "inv_1", "amount": 5550}]}"#)
    .answers::<CreditNote>(NOTE)
    .refuses(&[Code::PaymentMismatch, Code::InvalidState]);
pub const CANCEL: Doc = Doc::of("Payables", "Cancel a credit note; its number can be used again")
    .body::<Reason>(r#"{"reason": "written down twice"}"#)
    .answers::<CreditNote>(NOTE)
    .refuses(&[Code::InvalidState]);

/// `GET /api/finance/credit-notes`
pub async fn list(request: Request) -> Answered {
    let ask: CreditNotesQuery = request.query()?;
    let before = bound_page::after(&ask)?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = credit_note_list::list(&mut read, &ask, before, change::one_more(ask.limit)).await?;
    let place = |item: &CreditNote| (item.date, item.credit_note_id.clone());
    let (page, days) = (bound_page::cut(&ask, items, place), (None, ask.from, ask.to));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

/// `GET /api/finance/credit-notes/:id`
pub async fn read(request: Request) -> Answered {
    let found: Option<CreditNote> = TABLE.read(request.state.db.pool(), request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the credit note"))?))
}

/// `POST /api/finance/credit-notes`
pub async fn add(request: Request) -> Answered {
    let new: New = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let set = request.state.settings(&mut keyed.write).await?.purchasing;
    let made = credit_note::create(&mut keyed.write, new, &writer, &set).await?;
    let location = format!("/api/finance/credit-notes/{}", made.credit_note_id);
    let answer = Answer::created(location, &made);
    finish(&request, keyed, "finance.credit_note_created", (&made, None), answer).await
}

/// `POST /api/finance/credit-notes/:id/confirm`
pub async fn confirm(request: Request) -> Answered {
    let asked: Confirm = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let set = request.state.settings(&mut keyed.write).await?;
    let (id, set) = (request.param("id"), (&set.finance, &set.purchasing));
    let note = credit_note_step::confirm(&mut keyed.write, id, &asked, &writer, set).await?;
    finish(&request, keyed, "finance.credit_note_confirmed", (&note, None), Answer::ok(&note)).await
}

/// `POST /api/finance/credit-notes/:id/approve`
pub async fn approve(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let set = request.state.settings(&mut keyed.write).await?;
    let set = (&set.finance, &set.purchasing);
    let note = credit_note_step::approve(&mut keyed.write, request.param("id"), &writer, set).await?;
    finish(&request, keyed, "finance.credit_note_approved", (&note, None), Answer::ok(&note)).await
}

/// `POST /api/finance/credit-notes/:id/apply`
pub async fn apply(request: Request) -> Answered {
    let asked: Apply = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let (id, set) = (request.param("id"), &request.state.settings(&mut keyed.write).await?.purchasing);
    let note = credit_note_step::apply(&mut keyed.write, id, &asked, &writer, set).await?;
    finish(&request, keyed, "finance.credit_note_applied", (&note, None), Answer::ok(&note)).await
}

/// `POST /api/finance/credit-notes/:id/cancel`
pub async fn cancel(request: Request) -> Answered {
    let asked: Reason = request.json()?;
    check_text("reason", &asked.reason)?;
    let (mut keyed, _) = begun_alone!(request);
    let (id, set) = (request.param("id"), &request.state.settings(&mut keyed.write).await?.purchasing);
    let note = credit_note_step::cancel(&mut keyed.write, id, set).await?;
    let told = (&note, Some(asked.reason.as_str()));
    finish(&request, keyed, "finance.credit_note_cancelled", told, Answer::ok(&note)).await
}

async fn finish(
    request: &Request,
    keyed: Box<Keyed>,
    action: &str,
    (note, reason): (&CreditNote, Option<&str>),
    answer: Answer,
) -> Answered {
    let CreditNote { credit_note_id, supplier_id, credit_note_no, state, total, applied, .. } = note;
    let details = json!({"credit_note_id": credit_note_id, "supplier_id": supplier_id,
        "credit_note_no": credit_note_no, "state": state, "total": total, "applied": applied, "reason": reason});
    change::finish_audited(request, keyed, (action, details), answer).await
}
