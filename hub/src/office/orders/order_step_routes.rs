//! Steps of purchase orders, and what is read beside an order.

use crate::columns;
use crate::db::document::decode;
use crate::http::change::{self, begun};
use crate::http::{Answered, Request};
use crate::office::orders::order::Buyer;
use crate::office::orders::order_paper::{Language, Paper};
use crate::office::orders::order_routes::{ORDER, ordered};
use crate::office::orders::order_step::{self, Reason, Revise, Step};
use crate::office::suppliers::supplier::{self, Known};
use crate::table::{purchase_order, supplier_price};
use domain::model::base::answer::Answer;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::books::payables::Invoice;
use domain::model::inventory::purchase::PurchaseOrder;
use domain::rules::inventory::purchase::{OrderStep, in_force};
use edge::{ApiError, Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::Row;
use std::collections::BTreeSet;

macro_rules! step_docs {
    ($($name:ident $path:literal $summary:literal),+ $(,)?) => {$(
        #[doc = concat!("`POST /api/purchase-orders/:id/", $path, "`")]
        pub const $name: Doc = Doc::of("Purchasing", $summary)
            .optional_body::<Reason>(r#"{"reason": "supplier is out"}"#)
            .answers::<PurchaseOrder>(ORDER)
            .refuses(&[Code::InvalidState, Code::ApprovalRequired]);
    )+};
}
step_docs! {
    SUBMIT "submit" "Submit a purchase order for approval",
    APPROVE "approve" "Approve a purchase order",
    REJECT "reject" "Reject a purchase order; it becomes a draft again",
    SEND "send" "Send a purchase order; its store can receive it from now on",
    CANCEL "cancel" "Cancel a purchase order before any receipt; a receipt that the store has made meanwhile takes precedence",
    CLOSE "close" "Close a purchase order: no further receipts are expected",
    CLOSE_LINE "lines/:line_no/close" "Close an order line: no further receipts are expected",
    OPEN_LINE "lines/:line_no/open" "Reopen a closed order line",
}
pub const REVISE: Doc = Doc::of(
    "Purchasing",
    "Revise a purchase order that was sent; the previous version is kept",
)
.body::<Revise>(
    r#"{"revision": 0, "lines": [{"line_no": 1, "sku": "8991234567890", "qty": 12, "unit_cost": 9000}],
            "reason": "half is enough"}"#,
)
.answers::<PurchaseOrder>(ORDER)
.refuses(&[Code::InvalidState, Code::ApprovalRequired, Code::UnknownSku]);
pub const REVISIONS: Doc = Doc::of("Purchasing", "List earlier versions of a purchase order, latest first")
    .answers::<Revisions>(r#"{"items": []}"#);
pub const RECEIPTS: Doc =
    Doc::of("Purchasing", "List receipts of a purchase order").answers::<Receipts>(r#"{"items": []}"#);
pub const INVOICES: Doc =
    Doc::of("Purchasing", "List invoices of a purchase order").answers::<Invoices>(r#"{"items": []}"#);
pub const DOCUMENT: Doc = Doc::of(
    "Purchasing",
    "Retrieve the order as a document for the supplier: a page to print, or text with `Accept: text/plain`",
)
.query::<PaperQuery>()
.answers_text("text/html")
.also(&["text/plain"]);

macro_rules! steps {
    ($($name:ident $step:ident),+ $(,)?) => {$(
        #[doc = concat!("The step `", stringify!($name), "`.")]
        pub async fn $name(request: Request) -> Answered {
            step(request, |_| Ok(Step::Whole(OrderStep::$step))).await
        }
    )+};
}
steps! {
    submit Submit, approve Approve, reject Reject, send Send, cancel Cancel, close Close,
}

/// `POST /api/purchase-orders/:id/lines/:line_no/close`
pub async fn close_line(request: Request) -> Answered {
    step(request, |request| Ok(Step::Line(OrderStep::CloseLine, line_no(request)?))).await
}

/// `POST /api/purchase-orders/:id/lines/:line_no/open`
pub async fn open_line(request: Request) -> Answered {
    step(request, |request| Ok(Step::Line(OrderStep::OpenLine, line_no(request)?))).await
}

fn line_no(request: &Request) -> Result<u32, ApiError> {
    request.param("line_no").parse().map_err(|_| ApiError::not_found("the line"))
}

/// A body that can't be is refused before the line is looked for.
async fn step(request: Request, named: fn(&Request) -> Result<Step, ApiError>) -> Answered {
    let reason: Reason = request.json()?;
    let step = named(&request)?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let buyer = Buyer::of(&mut keyed.write, &request, now).await?;
    let order = order_step::take(&mut keyed.write, request.param("id"), step, &reason, &buyer).await?;
    let mut details = ordered(&order);
    set_reason(&mut details, reason.reason.as_deref());
    change::finish_audited(&request, keyed, (step.audit_action(), details), Answer::ok(&order)).await
}

/// `POST /api/purchase-orders/:id/revise`
pub async fn revise(request: Request) -> Answered {
    let asked: Revise = request.json()?;
    let reason = asked.reason.clone();
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let buyer = Buyer::of(&mut keyed.write, &request, now).await?;
    let order = order_step::revise(&mut keyed.write, request.param("id"), asked, &buyer).await?;
    let mut details = ordered(&order);
    set_reason(&mut details, Some(&reason));
    let done = (OrderStep::Revise.audit_action(), details);
    change::finish_audited(&request, keyed, done, Answer::ok(&order)).await
}

/// Adds why to what the audit log tells.
fn set_reason(details: &mut Value, reason: Option<&str>) {
    if let Some(details) = details.as_object_mut() {
        details.insert("reason".to_owned(), reason.into());
    }
}

/// A version of an order before a revision.
#[derive(Serialize, JsonSchema)]
pub struct KeptRevision {
    /// When this version was replaced.
    replaced_at: UtcMs,
    /// User who replaced this version.
    replaced_by: String,
    /// Reason given for the revision.
    reason: String,
    /// The order before the revision.
    order: PurchaseOrder,
}

/// Earlier versions of an order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderRevisions")]
pub struct Revisions {
    /// Earlier versions, latest first.
    items: Vec<KeptRevision>,
}

/// `GET /api/purchase-orders/:id/revisions`
pub async fn revisions(request: Request) -> Answered {
    found(&request).await?;
    let kept = purchase_order::revisions(request.state.db.pool(), request.param("id")).await?;
    let kept = kept.into_iter().map(|(replaced_at, replaced_by, reason, order)| KeptRevision {
        replaced_at,
        replaced_by,
        reason,
        order,
    });
    Ok(Reply::ok(&Revisions { items: kept.collect() }))
}

/// A receipt against an order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderReceipt")]
pub struct Receipt {
    /// ID of the receipt, `rcv_…`.
    receiving_id: String,
    /// Store that received the goods.
    store_id: String,
    /// ID of the store's event.
    event_id: String,
    /// Business day of the receipt.
    business_date: Date,
    /// Number of the supplier's delivery note. Null for none.
    delivery_note_no: Option<String>,
    /// Total cost of the received goods, in whole currency units.
    total_cost: i64,
    /// When the receipt was recorded.
    created_at: UtcMs,
}

/// Receipts of an order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderReceipts")]
pub struct Receipts {
    /// Receipts of the order.
    items: Vec<Receipt>,
}

/// `GET /api/purchase-orders/:id/receipts`
pub async fn receipts(request: Request) -> Answered {
    let order = found(&request).await?;
    let sql = "SELECT document_id, store_id, event_id, business_date, delivery_note_no, value, created_at \
               FROM goods_documents WHERE kind = 'receiving' AND store_id = $1 AND po_id = $2 \
               ORDER BY created_at, document_id";
    let query = sqlx::query(sql).bind(order.store_id.as_str().to_owned()).bind(order.po_id);
    let mut items = Vec::new();
    for row in query.fetch_all(request.state.db.pool()).await? {
        items.push(receipt(&row)?);
    }
    Ok(Reply::ok(&Receipts { items }))
}

fn receipt(row: &sqlx::any::AnyRow) -> Result<Receipt, sqlx::Error> {
    Ok(columns!(row => Receipt {
        receiving_id: "document_id", store_id, event_id, business_date, delivery_note_no, total_cost: "value",
        created_at,
    }))
}

/// Invoices of an order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderInvoices")]
pub struct Invoices {
    /// Invoices of the order.
    items: Vec<Invoice>,
}

/// `GET /api/purchase-orders/:id/invoices`
pub async fn invoices(request: Request) -> Answered {
    let order = found(&request).await?;
    let sql = "SELECT document FROM invoices WHERE invoice_id IN (SELECT invoice_id FROM invoice_lines \
               WHERE po_id = $1) ORDER BY invoice_date, invoice_id";
    let mut items = Vec::new();
    for row in sqlx::query(sql).bind(order.po_id).fetch_all(request.state.db.pool()).await? {
        items.push(decode(row.try_get("document")?)?);
    }
    Ok(Reply::ok(&Invoices { items }))
}

async fn found(request: &Request) -> Result<PurchaseOrder, crate::db::failure::Failure> {
    let pool = request.state.db.pool();
    let found: Option<PurchaseOrder> = purchase_order::TABLE.read(pool, request.param("id")).await?;
    Ok(found.ok_or_else(|| ApiError::not_found("the order"))?)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PaperQuery {
    /// Language of the document. Defaults to `en`.
    #[serde(default)]
    language: Language,
}

/// `GET /api/purchase-orders/:id/document`
pub async fn document(request: Request) -> Answered {
    let PaperQuery { language } = request.query()?;
    let order = found(&request).await?;
    let pool = request.state.db.pool();
    let known: Option<Known> = supplier::TABLE.read(pool, &order.supplier_id).await?;
    let known = known.ok_or_else(|| ApiError::not_found("the supplier"))?;
    let sql = "SELECT name FROM stores WHERE store_id = $1";
    let query = sqlx::query_scalar(sql).bind(order.store_id.as_str().to_owned());
    let store_name: Option<String> = query.fetch_optional(pool).await?;
    let mut connection = pool.acquire().await?;
    let skus: BTreeSet<&Sku> = order.lines.iter().map(|line| &line.sku).collect();
    let rows = supplier_price::of_skus(&mut connection, Some(&order.supplier_id), &skus).await?;
    let today = request.state.today(clock::now());
    let mut names = Vec::new();
    for line in &order.lines {
        let sql = "SELECT name FROM products WHERE sku = $1";
        let query = sqlx::query(sql).bind(line.sku.as_str().to_owned());
        let row = query.fetch_optional(&mut *connection).await?;
        let name: String = row.map(|row| row.try_get("name")).transpose()?.unwrap_or_default();
        let price = in_force(rows.iter().filter(|row| row.sku == line.sku), line.qty, today);
        names.push((name, price.and_then(|price| price.supplier_sku.clone())));
    }
    let store_name = store_name.unwrap_or_default();
    let (order, supplier) = (&order, &known.supplier);
    let paper = Paper { order, supplier, store_name: &store_name, names: &names, language };
    Ok(match wants_text(&request) {
        true => Reply::Text { content_type: "text/plain; charset=utf-8", body: paper.text() },
        false => Reply::paper(paper.html()),
    })
}

/// Whether `Accept` names plain text, and before a page.
fn wants_text(request: &Request) -> bool {
    let accept = request.headers.get(http::header::ACCEPT).and_then(|value| value.to_str().ok());
    let place = |kind: &str| accept.and_then(|accept| accept.find(kind));
    match (place("text/plain"), place("text/html")) {
        (Some(text), Some(page)) => text < page,
        (text, _) => text.is_some(),
    }
}
