//! Tax by the books.

use crate::http::change::one_more;
use crate::http::csv_rows;
use crate::http::filtered_list::FilteredList;
use crate::http::route::{FINANCE, answers};
use crate::http::{Answered, Request};
use crate::office::finance::taxes::tax::{self, Filter, GroupBy};
use crate::office::finance::taxes::tax_document::{self, TaxDocument, TaxQuery};
use crate::office::reports::completeness::CompleteList;
use crate::state::hub::Hub;
use crate::table::hub;
use edge::csv;
use edge::page::Limit;
use edge::{ApiError, Code, Doc, Reply, Route, clock};
use schemars::JsonSchema;
use serde::Serialize;

pub const ROUTES: &[Route<Hub>] = &[Route::get("/api/finance/tax", FINANCE, TAX, answers!(tax))];

pub const TAX: Doc = Doc::of("Finance", "Report tax of a range of days, compared with the tax accounts; with `group_by=document`, list suppliers' invoices")
    .query::<TaxQuery>()
    .answers::<Answer>(
        r#"{"output": [{"entry_date": null, "store_id": null, "tax_code": null, "tax_rate_bp": 1100,
            "sales_base": 1580000, "sales_tax": 173800, "returns_base": 156000, "returns_tax": 17160, "base": 1424000,
            "tax": 156640, "base_11_12": 1305333}], "input": [], "late": [{"store_id": "S002",
            "reference_date": "2026-11-20", "entry_date": "2026-11-21", "tax": 22000}], "more_late": false, "output_tax": 156640,
            "input_tax": 0, "payable": 156640, "ledger": {"output_tax": 156640, "input_tax": 0, "agrees": true},
            "completeness": {"stores_expected": 2, "stores_complete": 2, "missing": [],
            "as_of": "2026-11-21T02:06:34.739Z"}}"#,
    )
    .also(&["text/csv"])
    .sends(&[("X-Completeness", "Completeness"), ("X-Next-Cursor", "NextCursor")])
    .refuses(&[Code::ValidationFailed]);

/// Answer of the tax report: sums or documents.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "TaxAnswer")]
enum Answer {
    /// Sums by code, day or store.
    Sums(Box<tax::View>),
    /// Documents, newest first.
    Documents(CompleteList<TaxDocument>),
}

/// `GET /api/finance/tax`
pub async fn tax(request: Request) -> Answered {
    let ask: TaxQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let store_id = ask.store_id.clone().filter(|id| !id.is_empty());
    let filter = Filter { from: ask.from, to: ask.to, store_id, group_by: ask.group_by };
    filter.check()?;
    // Read from one state of the database: sales and postings are compared.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let as_csv = csv::wanted(&request.headers);
    let form = (ask.separator, hub::currency(&mut read).await?);
    if ask.group_by == GroupBy::Document {
        let before = list.after(ask.cursor.as_ref())?;
        let items = tax_document::list(&mut read, filter.conditions(), before, one_more(ask.limit)).await?;
        let page = list.cut(items, ask.limit, tax_document::place);
        if as_csv {
            let header = csv_rows::next_cursor(page.next_cursor);
            return Ok(csv_rows::reply(&tax_document::TABLE, &page.items, form, header));
        }
        let completeness = filter.completeness(&mut read, now).await?;
        return Ok(Reply::ok(&Answer::Documents(CompleteList::of(page, completeness))));
    }
    if ask.cursor.is_some() || ask.limit != Limit::default() {
        return Err(ApiError::invalid_query("group_by", "must be document if limit or cursor is sent").into());
    }
    let tax = filter.read(&mut read, now).await?;
    drop(read);
    filter.note(&request.state.db, &tax, now).await?;
    if as_csv {
        let header = csv_rows::completeness(tax.completeness.line());
        return Ok(csv_rows::reply(&tax::TABLE, &tax.rows(), form, header));
    }
    Ok(Reply::ok(&Answer::Sums(Box::new(tax))))
}
