//! `GET /api/reports/sales`: sales and returns of business days, by a key.

use super::{days, made, refused, scan};
use crate::http::Answered;
use crate::http::AppState;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::model::base::ids::Sku;
use domain::model::books::shift::ShiftState;
use domain::rules::books::report::{FIGURES, GroupBy, SalesReport, row, sums};
use domain::rules::books::report_schema::{rows, totals};
use edge::csv::{self, Cell, Separator};
use edge::{ApiError, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const SALES: Doc =
    Doc::of("Reports", "Report sales and returns of business days, both included; voided sales are left out")
        .query::<Query>()
        .answers::<Report>(
            r#"{"from": "2026-11-20", "to": "2026-11-20", "group_by": "day", "shifts_open": 1,
        "totals": {"sales_count": 1, "items_count": 2, "gross_sales": 30000, "discounts": 1000, "tax": 3190,
            "total": 32190, "rounding": 0, "returns_count": 0, "returns_total": 0, "returns_rounding": 0,
            "net_total": 32190},
        "items": [{"business_date": "2026-11-20",
            "sales_count": 1, "items_count": 2, "gross_sales": 30000, "discounts": 1000, "tax": 3190,
            "total": 32190, "rounding": 0, "returns_count": 0, "returns_total": 0, "returns_rounding": 0,
            "net_total": 32190}],
        "unreadable": 0}"#,
        )
        .also(&["text/csv"]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// First business date.
    from: Date,
    /// Last business date.
    to: Date,
    /// Grouping of the rows.
    #[serde(default)]
    group_by: GroupBy,
    /// Delimiter of the CSV: `,`, `;` or `tab`. Defaults to a comma.
    #[serde(default)]
    separator: Separator,
}

/// Figures of a range of days.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SalesReport")]
struct Report {
    /// First business date of the report.
    from: Date,
    /// Last business date of the report.
    to: Date,
    /// Grouping of the rows.
    group_by: GroupBy,
    /// Number of shifts of these days that are not closed. While it is above 0, figures may still change.
    shifts_open: usize,
    /// Sums of all sales and returns, each counted once. In rows by product, category or method, a sale counts in every
    /// row that it has a part in.
    #[schemars(schema_with = "totals")]
    totals: Value,
    /// Rows in order of their key.
    #[schemars(schema_with = "rows")]
    items: Vec<Value>,
    /// Number of damaged places in the journal. The report lacks their sales.
    unreadable: usize,
}

/// `GET /api/reports/sales`
pub async fn sales(request: Request) -> Answered {
    let Query { from, to, group_by, separator } = request.query()?;
    let days = days(from, to)?;
    let (report, shifts_open, unreadable) =
        made(&request.state, move |shop| collect(shop, &days, group_by)).await?;
    if csv::wanted(&request.headers) {
        let names = names(&request.state, group_by, &report)?;
        let body = table(group_by, &report, (separator, request.state.currency), &names);
        return Ok(Reply::Text { content_type: csv::CONTENT_TYPE, body });
    }
    let totals = sums(report.totals().figures());
    let items = items(group_by, &report);
    Ok(Reply::ok(&Report { from, to, group_by, shifts_open, totals, items, unreadable }))
}

/// The report, the number of its shifts that are not closed, and the number of unreadable places.
fn collect(
    shop: &AppState,
    days: &[Date],
    group_by: GroupBy,
) -> Result<(SalesReport, usize, usize), ApiError> {
    let (storage, rules) = (shop.store.storage(), &shop.store.rules());
    let mut report = SalesReport::new(group_by, rules.timezone.clone());
    let (mut open, mut damaged) = (0_usize, BTreeSet::new());
    for shift in scan::shifts(storage, days) {
        let shift = shift.map_err(stored)?;
        open = open.saturating_add(usize::from(!matches!(
            shift.state,
            ShiftState::Closed | ShiftState::Interrupted
        )));
        if group_by.of_shifts() {
            report.shift(&shift).map_err(refused)?;
        }
    }
    if !group_by.of_shifts() {
        for day in scan::worth_reading(storage, days, "from")? {
            scan::day(storage, day, &mut [&mut report], &mut damaged)?;
        }
    }
    Ok((report, open, scan::unreadable(&damaged)))
}

/// The rows of a report.
pub(super) fn items(group_by: GroupBy, report: &SalesReport) -> Vec<Value> {
    report.groups().map(|(key, sums)| row(group_by, key, sums.figures())).collect()
}

/// The names of the products that a report is about.
fn names(
    shop: &AppState,
    group_by: GroupBy,
    report: &SalesReport,
) -> Result<BTreeMap<String, String>, ApiError> {
    let mut names = BTreeMap::new();
    for (sku, _) in report.groups().filter(|_| group_by == GroupBy::Sku) {
        if let Some(product) = shop.store.storage().products().product(&Sku::from(sku)).map_err(stored)? {
            names.insert(sku.to_owned(), product.name);
        }
    }
    Ok(names)
}

fn table(
    group_by: GroupBy,
    report: &SalesReport,
    (separator, currency): (Separator, Currency),
    names: &BTreeMap<String, String>,
) -> String {
    let name = Some("name").filter(|_| group_by == GroupBy::Sku);
    let columns = std::iter::once(group_by.key()).chain(FIGURES).chain(name);
    let mut text = csv::Table::new(separator, currency, columns);
    for (key, sums) in report.groups() {
        let known = FIGURES.into_iter().zip(group_by.known(sums.figures()));
        let figures = known.map(|(name, figure)| {
            if name.ends_with("_count") { Cell::from(figure) } else { figure.map(Money::new).into() }
        });
        let named = name.map(|_| Cell::Text(names.get(key).map_or("", String::as_str)));
        text.line(std::iter::once(Cell::Text(key)).chain(figures).chain(named));
    }
    text.finish()
}
