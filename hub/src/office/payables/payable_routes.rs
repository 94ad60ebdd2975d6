//! Debts, and goods received and never billed.

use crate::http::change;
use crate::http::filtered_list::FilteredList;
use crate::http::prelude::*;
use crate::office::payables::payable::{self, UninvoicedQuery, View};
use crate::office::payables::payables_as_of::{self, Payables, PayablesQuery};
use crate::office::payables::uninvoiced_close::{self, Close, Closed};
use crate::office::reports::completeness::{self, CompleteList};
use crate::table::hub;
use edge::{Doc, csv};

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/finance/uninvoiced", FINANCE, "Payables").summary("List received goods without an invoice; their sum is the balance of account 2020")
    .query::<UninvoicedQuery>()
    .refuses(&[Code::ValidationFailed])
    .lists_as::<CompleteList<View>>(
        r#"{"store_id": "S001", "receiving_id": "rcv_1", "line_no": 1, "po_id": "po_1", "supplier_id": "sup_1",
            "sku": "8991234567890", "business_date": "2026-11-18", "open_qty": 96, "unit_cost": 9000,
            "open_value": 864000, "kind": "receipt"}"#,
        completeness::EXAMPLE,
        answers!(uninvoiced),
    ),
    Route::get("/api/finance/payables", FINANCE, PAYABLES, answers!(payables)),
    post("/api/finance/uninvoiced/close", FINANCE, "Payables").summary("Close received goods that will not be invoiced, including those paid in cash from a till")
    .refuses(&[Code::NotFound])
    .command::<Close>(
        r#"{"store_id": "S001", "lines": [{"receiving_id": "rcv_1", "line_no": 1}], "reason": "a gift"}"#,
        r#"{"close_id": "unc_1", "lines_count": 1, "value": 36000}"#,
    ),
];

const PAYABLES: Doc = Doc::of("Payables", "List open payables by supplier and age")
    .query::<PayablesQuery>()
    .answers::<Payables>(
        r#"{"as_of": "2026-12-31", "items": [], "totals": {"not_due": 0, "days_1_30": 0, "days_31_60": 0,
            "days_61_90": 0, "days_over_90": 0, "credits": 0, "advances": 0, "total": 0},
            "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [],
            "as_of": "2026-12-31T02:06:34.739Z"}}"#,
    )
    .also(&["text/csv"])
    .sends(&[("X-Completeness", "Completeness")])
    .refuses(&[Code::ValidationFailed]);

async fn uninvoiced(request: Request) -> Answered {
    let ask: UninvoicedQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let before = list.after(ask.cursor.as_ref())?;
    // The lines and the completeness are read from one state of the database.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let today = request.state.today(now);
    if ask.as_of.is_some_and(|day| day > today) {
        return Err(ApiError::field("as_of", format!("must not be after today, {today}")).into());
    }
    let items = payable::uninvoiced(&mut read, &ask, before, today, change::one_more(ask.limit)).await?;
    let (page, days) =
        (list.cut(items, ask.limit, payable::place), (ask.store_id.as_deref(), None, ask.as_of));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (today, now)).await?))
}

impl Command for Close {
    const ACTION: &'static str = "finance.uninvoiced_closed";
    type Answer = Closed;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Closed>, Failure> {
        let writer = tx.writer().await?;
        let closed = uninvoiced_close::close(tx.connection, &self, &writer).await?;
        let details = json!({"close_id": closed.close_id, "store_id": self.store_id,
            "lines_count": closed.lines_count, "value": closed.value, "reason": self.reason});
        Ok(Changed::answer(&closed, details))
    }
}

async fn payables(request: Request) -> Answered {
    let ask: PayablesQuery = request.query()?;
    let (separator, now) = (ask.separator, clock::now());
    let mut read = request.state.db.read().await?;
    let payables = payables_as_of::payables(&mut read, ask, (request.state.today(now), now)).await?;
    if csv::wanted(&request.headers) {
        return Ok(payables.table((separator, hub::currency(&mut read).await?)));
    }
    Ok(Reply::ok(&payables))
}
