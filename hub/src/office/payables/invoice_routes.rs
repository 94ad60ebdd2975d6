//! Invoices of suppliers, from the paper to what is owed.

use crate::http::bound_page;
use crate::http::change;
use crate::http::{Answered, Request};
use crate::office::finance::writer::begun_alone;
use crate::office::payables::invoice::{self, New};
use crate::office::payables::invoice_approval::{self, Reason};
use crate::office::payables::invoice_change::Change;
use crate::office::payables::invoice_list::{self, InvoicesQuery};
use crate::office::payables::invoice_match::{self, Match};
use crate::office::reports::completeness::{self, CompleteList};
use crate::state::idempotency::Keyed;
use crate::table::payables::invoice::TABLE;
use domain::model::base::answer::Answer;
use domain::model::books::payables::Invoice;
use edge::identity::EmptyBody;
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// An invoice for descriptions of routes, with whatever else an answer has.
macro_rules! example {
    ($($more:literal)?) => {
        concat!(r#"{"invoice_id": "inv_1", "doc_no": "IN-2026-000001", "supplier_id": "sup_1",
    "invoice_no": "TEA-778", "invoice_date": "2026-11-19", "due_date": "2026-12-19", "state": "draft",
    "opening": false, "net": 892800, "tax": 98208, "rounding": 0, "total": 991008, "tax_invoice_no": null,
    "tax_invoice_date": null, "discount_terms": {"days": 10, "bp": 200}, "lines": [], "exceptions": [], "paid": 0,
    "discount": 0, "credited": 0, "open": 0, "books": [], "matched_at": null, "approved_by": null,
    "approved_at": null, "note": null, "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z", "writers": []"#, $($more,)? "}")
    };
}
const INVOICE: &str = example!();
const NEW: &str = r#"{"supplier_id": "sup_1", "invoice_no": "TEA-778", "invoice_date": "2026-11-19",
    "lines": [{"receiving_id": "rcv_1", "receiving_line_no": 1, "qty": 96, "unit_cost": 9300,
    "tax_rate_bp": 1100}]}"#;
const REASON: &str = r#"{"reason": "not what was agreed"}"#;

pub const LIST: Doc = Doc::of("Payables", "List suppliers' invoices, newest first")
    .query::<InvoicesQuery>()
    .lists_as::<CompleteList<Invoice>>(INVOICE, completeness::EXAMPLE);
pub const READ: Doc = Doc::of("Payables", "Retrieve a supplier's invoice")
    .answers::<InvoiceView>(example!(r#", "rematch": false"#));
pub const ADD: Doc = Doc::of("Payables", "Create a supplier's invoice")
    .body::<New>(NEW)
    .creates::<Invoice>(INVOICE)
    .refuses(&[Code::Duplicate]);
pub const CHANGE: Doc = Doc::of("Payables", "Update an invoice that is not matched yet or is disputed")
    .body::<Change>(r#"{"note": "by e-mail"}"#)
    .answers::<Invoice>(INVOICE)
    .refuses(&[Code::Duplicate, Code::InvalidState]);
pub const MATCH: Doc = Doc::of("Payables", "Match an invoice against receipts and orders")
    .optional_body::<Match>(
        r#"{"accept": [{"line_no": 1, "type": "price_over", "reason": "price list of 15 Nov"}]}"#,
    )
    .answers::<Invoice>(INVOICE)
    .refuses(&[Code::InvalidState, Code::ApprovalRequired]);
pub const DISPUTE: Doc = Doc::of("Payables", "Dispute an invoice")
    .body::<Reason>(REASON)
    .answers::<Invoice>(INVOICE)
    .refuses(&[Code::InvalidState]);
pub const APPROVE: Doc = Doc::of("Payables", "Approve and post an invoice")
    .optional_body::<EmptyBody>("{}")
    .answers::<Invoice>(INVOICE)
    .refuses(&[Code::InvalidState, Code::ApprovalRequired]);
pub const CANCEL: Doc = Doc::of("Payables", "Cancel an invoice; its number can be used again")
    .body::<Reason>(REASON)
    .answers::<Invoice>(INVOICE)
    .refuses(&[Code::InvalidState]);

/// An invoice, and what may be done with it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InvoiceView")]
pub struct InvoiceView {
    #[serde(flatten)]
    invoice: Invoice,
    /// Whether receipts arrived that the invoice lacked, so that another match would find them.
    rematch: bool,
}

/// `GET /api/finance/invoices`
pub async fn list(request: Request) -> Answered {
    let ask: InvoicesQuery = request.query()?;
    let before = bound_page::after(&ask)?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = invoice_list::list(&mut read, &ask, before, change::one_more(ask.limit)).await?;
    let place = |item: &Invoice| (item.invoice_date, item.invoice_id.clone());
    let (page, days) = (bound_page::cut(&ask, items, place), (ask.store_id.as_deref(), ask.from, ask.to));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

/// `GET /api/finance/invoices/:id`
pub async fn read(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found: Option<Invoice> = TABLE.read(pool, request.param("id")).await?;
    let invoice = found.ok_or_else(|| ApiError::not_found("the invoice"))?;
    let rematch = invoice_match::may_rematch(pool, &invoice).await?;
    Ok(Reply::ok(&InvoiceView { invoice, rematch }))
}

/// `POST /api/finance/invoices`
pub async fn add(request: Request) -> Answered {
    let new: New = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let set = request.state.settings(&mut keyed.write).await?.purchasing;
    let made = invoice::create(&mut keyed.write, new, &writer, &set).await?;
    let location = format!("/api/finance/invoices/{}", made.invoice_id);
    let answer = Answer::created(location, &made);
    finish(&request, keyed, "finance.invoice_created", (&made, None), answer).await
}

/// `PATCH /api/finance/invoices/:id`
pub async fn change(request: Request) -> Answered {
    let asked: Change = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let (id, set) = (request.param("id"), &request.state.settings(&mut keyed.write).await?.purchasing);
    let changed = invoice::change(&mut keyed.write, id, asked, &writer, set).await?;
    finish(&request, keyed, "finance.invoice_changed", (&changed, None), Answer::ok(&changed)).await
}

/// `POST /api/finance/invoices/:id/match`
pub async fn run_match(request: Request) -> Answered {
    let asked: Match = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let (id, set) = (request.param("id"), &request.state.settings(&mut keyed.write).await?.purchasing);
    let matched = invoice_match::run(&mut keyed.write, id, &asked, &writer, set).await?;
    finish(&request, keyed, "finance.invoice_matched", (&matched, None), Answer::ok(&matched)).await
}

/// `POST /api/finance/invoices/:id/dispute`
pub async fn dispute(request: Request) -> Answered {
    let asked: Reason = request.json()?;
    let (mut keyed, _) = begun_alone!(request);
    let (id, set) = (request.param("id"), &request.state.settings(&mut keyed.write).await?.purchasing);
    let disputed = invoice_approval::dispute(&mut keyed.write, id, &asked, set).await?;
    let told = (&disputed, Some(asked.reason.as_str()));
    finish(&request, keyed, "finance.invoice_disputed", told, Answer::ok(&disputed)).await
}

/// `POST /api/finance/invoices/:id/approve`
pub async fn approve(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let set = request.state.settings(&mut keyed.write).await?;
    let set = (&set.finance, &set.purchasing);
    let approved = invoice_approval::approve(&mut keyed.write, request.param("id"), &writer, set).await?;
    finish(&request, keyed, "finance.invoice_approved", (&approved, None), Answer::ok(&approved)).await
}

/// `POST /api/finance/invoices/:id/cancel`
pub async fn cancel(request: Request) -> Answered {
    let asked: Reason = request.json()?;
    let (mut keyed, _) = begun_alone!(request);
    let (id, set) = (request.param("id"), &request.state.settings(&mut keyed.write).await?.purchasing);
    let cancelled = invoice_approval::cancel(&mut keyed.write, id, &asked, set).await?;
    let told = (&cancelled, Some(asked.reason.as_str()));
    finish(&request, keyed, "finance.invoice_cancelled", told, Answer::ok(&cancelled)).await
}

async fn finish(
    request: &Request,
    keyed: Box<Keyed>,
    action: &str,
    (invoice, reason): (&Invoice, Option<&str>),
    answer: Answer,
) -> Answered {
    let Invoice { invoice_id, supplier_id, invoice_no, state, total, .. } = invoice;
    let details = json!({"invoice_id": invoice_id, "supplier_id": supplier_id, "invoice_no": invoice_no,
        "state": state, "total": total, "reason": reason});
    change::finish_audited(request, keyed, (action, details), answer).await
}
