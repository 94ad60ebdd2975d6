//! Receipts that are never billed, and suppliers who were paid from a till: they settle each other.

use crate::columns;
use crate::db::failure::Failure;
use crate::office::finance::writer::{Writer, check_text};
use crate::office::payables::poster::{Cause, post};
use crate::table::journal::Kind;
use crate::table::payables::uninvoiced;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::limits::{ID_BYTES_MAX, SHORT_ID_BYTES_MAX, TEXT_CHARS_MAX};
use domain::model::base::money::sum;
use domain::model::books::payables::ReceiptRef;
use domain::rules::books::payables::{BookSums, Part};
use domain::rules::books::posting::plan::{NOT_INVOICED, PRICE_VARIANCE};
use edge::{ApiError, ids};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

/// Most lines that are closed at once.
const LINES_MAX: usize = 500;

/// Request body that closes lines without an invoice.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CloseUninvoiced")]
pub struct Close {
    /// Store that the book belongs to.
    #[schemars(length(max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// Lines of receipts or of supplier returns.
    #[serde(default)]
    #[schemars(length(max = LINES_MAX))]
    pub lines: Vec<Line>,
    /// IDs of the pay-outs from tills that paid for them.
    #[serde(default)]
    #[schemars(length(max = LINES_MAX), inner(length(min = 1, max = ID_BYTES_MAX)))]
    pub cash_ids: Vec<String>,
    /// Reason for the closing.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// A line of a receipt or of a supplier return.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "UninvoicedLine")]
pub struct Line {
    /// ID of the receipt or of the supplier return.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub receiving_id: String,
    /// Line number of the receipt or supplier return.
    pub line_no: u32,
}

/// Result of the closing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ClosedUninvoiced")]
pub struct Closed {
    /// ID of the closing in the books.
    pub close_id: String,
    /// Number of closed lines and pay-outs.
    pub lines_count: usize,
    /// Amount moved from account 2020 to account 5030, signed, in minor currency units.
    pub value: Money,
}

/// Closes lines and pay-outs of a book; the difference between them goes to 5030.
///
/// # Errors
/// 422 for a line that is not there or is closed.
pub async fn close(
    connection: &mut AnyConnection,
    asked: &Close,
    writer: &Writer<'_>,
) -> Result<Closed, Failure> {
    check_text("reason", &asked.reason)?;
    let lines = asked.lines.iter().map(|line| (line.receiving_id.as_str(), i64::from(line.line_no)));
    let cash = asked.cash_ids.iter().map(|cash_id| (cash_id.as_str(), 1));
    let mut named: Vec<(&str, i64)> = lines.chain(cash).collect();
    if !(1..=LINES_MAX).contains(&named.len()) {
        return Err(ApiError::field("lines", "must be 1 to 500, together with cash_ids").into());
    }
    // In one order: two users who close the same lines never wait for each other in a circle.
    named.sort_unstable();
    let close_id = ids::new("unc_");
    let key = format!("{close_id}:close");
    let mut values = Vec::new();
    for (receiving_id, line_no) in named {
        let (receiving_id, line_no) = (receiving_id.to_owned(), u32::try_from(line_no).unwrap_or_default());
        let at = ReceiptRef { store_id: asked.store_id.clone(), receiving_id, line_no };
        let part = taken(connection, &at).await?;
        uninvoiced::note(connection, &at, uninvoiced::Cause { key: &key, day: writer.today }, part).await?;
        values.push(part.value);
    }
    let value = sum("lines", values.iter().copied()).map_err(ApiError::from)?;
    let mut sums = BookSums::default();
    sums.debit(&asked.store_id, NOT_INVOICED, value).credit(&asked.store_id, PRICE_VARIANCE, value);
    let cause = Cause {
        kind: Kind::Invoice,
        id: &close_id,
        step: "close",
        date: writer.today,
        on_its_day: false,
        memo: &asked.reason,
        payables: ("", &[]),
    };
    post(writer, connection, &sums, cause).await?;
    Ok(Closed { close_id, lines_count: values.len(), value })
}

/// Closes a line; returns the amount that 2020 held for it, and the pieces that no invoice will bill.
async fn taken(connection: &mut AnyConnection, at: &ReceiptRef) -> Result<Part, Failure> {
    let (store_id, receiving_id, line_no) = (&at.store_id, &at.receiving_id, i64::from(at.line_no));
    let sql = "UPDATE uninvoiced SET closed = 1 WHERE store_id = $1 AND receiving_id = $2 AND line_no = $3 \
               AND (closed = 0 OR open_value <> 0) \
               RETURNING open_value, qty - invoiced_qty - returned_qty AS open_qty, kind";
    let query = sqlx::query(sql).bind(store_id.to_owned()).bind(receiving_id.to_owned()).bind(line_no);
    let row = query.fetch_optional(&mut *connection).await?;
    let row = row.ok_or_else(|| ApiError::field("lines", format!("{receiving_id} has nothing to close")))?;
    let (part, kind) = read(&row)?;
    let sql = match kind.as_str() {
        "receipt" => {
            "UPDATE uninvoiced SET open_value = 0, returned_qty = qty - invoiced_qty \
             WHERE store_id = $1 AND receiving_id = $2 AND line_no = $3"
        }
        _ => {
            "UPDATE uninvoiced SET open_value = 0 \
             WHERE store_id = $1 AND receiving_id = $2 AND line_no = $3"
        }
    };
    let query = sqlx::query(sql).bind(store_id.to_owned()).bind(receiving_id.to_owned()).bind(line_no);
    query.execute(connection).await?;
    Ok(part)
}

fn read(row: &sqlx::any::AnyRow) -> Result<(Part, String), sqlx::Error> {
    let (value, qty, kind): (Money, Quantity, String) = columns!(row => (open_value, open_qty, kind));
    Ok((Part { qty, value }, kind))
}
