//! Reports: as JSON, as CSV, as a picture.

use crate::db::failure::Failure;
use crate::http::change::required_day;
use crate::http::route::{FINANCE, GOODS, answers};
use crate::http::{Answered, Request};
use crate::office::reports::chart::Picture;
use crate::office::reports::completeness::{self, Completeness};
use crate::office::reports::report::{Dates, Group, Late, Report, ReportQuery, Row};
use crate::office::reports::{
    cash, exceptions, margin, members, payments, points_liability, profit, purchases, sales_report,
    sell_through, settlements, shrinkage, stock,
};
use crate::state::hub::Hub;
use crate::table::{hub, product};
use domain::model::base::currency::Currency;
use domain::rules::books::locked_days::BEGINNING;
use edge::csv::{self, Cell, Separator};
use edge::{ApiError, Code, Doc, Reply, Route, clock};
use jiff::civil::Date;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyConnection;
use std::collections::HashMap;

pub const ROUTES: &[Route<Hub>] = &[
    Route::get("/api/reports/sales", FINANCE, SALES, answers!(sales)),
    Route::get("/api/reports/margin", FINANCE, MARGIN, answers!(margin)),
    Route::get("/api/reports/shrinkage", FINANCE, SHRINKAGE, answers!(shrinkage)),
    Route::get("/api/reports/members", FINANCE, MEMBERS, answers!(members)),
    Route::get("/api/reports/payments", FINANCE, PAYMENTS, answers!(payments)),
    Route::get("/api/reports/settlements", FINANCE, SETTLEMENTS, answers!(settlements)),
    Route::get("/api/reports/cash", FINANCE, CASH, answers!(cash)),
    Route::get("/api/reports/profit", FINANCE, PROFIT, answers!(profit)),
    Route::get("/api/reports/exceptions", FINANCE, EXCEPTIONS, answers!(exceptions)),
    Route::get("/api/reports/points-liability", FINANCE, POINTS_LIABILITY, answers!(points_liability)),
    Route::get("/api/reports/stock", GOODS, STOCK, answers!(stock)),
    Route::get("/api/reports/sell-through", GOODS, SELL_THROUGH, answers!(sell_through)),
    Route::get("/api/reports/purchases", GOODS, PURCHASES, answers!(purchases)),
];

const SVG: &str = "image/svg+xml";
const EXAMPLE: &str = r#"{"from": "2026-11-20", "to": "2026-11-20", "group_by": "day", "dates": "business",
    "items": [{"business_date": "2026-11-20", "total": 32190}], "totals": {"total": 32190}, "next_cursor": null,
    "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [], "as_of": "2026-11-21T02:06:34.739Z",
    "posting_left": 0}, "late": {"count": 0, "total": 0}}"#;
const STOCK_EXAMPLE: &str = r#"{"as_of": "2026-11-20", "group_by": "store", "dates": "books",
    "items": [{"store_id": "S001", "on_hand": 118, "value": 1180000}], "totals": {"on_hand": 118, "value": 1180000},
    "next_cursor": null, "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [],
    "as_of": "2026-11-21T02:06:34.739Z", "posting_left": 0}, "late": null}"#;

const fn doc(summary: &'static str) -> Doc {
    Doc::of("Reports", summary)
        .query::<Query>()
        .answers::<View>(EXAMPLE)
        .also(&["text/csv", SVG])
        .refuses(&[Code::ValidationFailed])
}

pub const SALES: Doc = doc("Report sales from one day to another, both included");
pub const MARGIN: Doc = doc("Report margin: net sales less cost");
pub const STOCK: Doc = Doc::of("Reports", "Report stock at the end of a day in the books")
    .query::<DayQuery>()
    .answers::<View>(STOCK_EXAMPLE)
    .also(&["text/csv", SVG])
    .refuses(&[Code::ValidationFailed]);
pub const POINTS_LIABILITY: Doc =
    Doc::of("Reports", "Report outstanding points by the months until they expire")
        .query::<DayQuery>()
        .answers::<View>(STOCK_EXAMPLE)
        .also(&["text/csv", SVG])
        .refuses(&[Code::ValidationFailed]);
pub const SHRINKAGE: Doc = doc("Report lost goods by reason");
pub const MEMBERS: Doc = doc("Report sales to members and their points");
pub const PAYMENTS: Doc = doc("Report payments and refunds by method");
pub const CASH: Doc = doc("Report cash of shifts");
pub const PROFIT: Doc = doc("Report income and expenses by days in the books");
pub const PURCHASES: Doc = doc("Report purchases: ordered, received, returned and invoiced");
pub const SETTLEMENTS: Doc = doc("Report expected and settled payouts by day");
pub const EXCEPTIONS: Doc = doc("Report exceptions");
pub const SELL_THROUGH: Doc = doc("Report the share of opening and received stock that was sold");

/// A page of a report.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
struct View {
    /// First day of the report. Omitted if the report is at the end of a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Date>,
    /// Last day of the report. Omitted if the report is at the end of a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Date>,
    /// Day at whose end the figures are reported. Omitted if the report is of a range of days.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<Date>,
    /// Grouping of the rows, for example `day` or `store`.
    group_by: &'static str,
    /// Day by which documents were selected.
    dates: Dates,
    /// Rows of this page.
    #[schemars(schema_with = "rows")]
    items: Vec<Value>,
    /// Figures of all rows together. Each document counts once, whatever the grouping.
    #[schemars(schema_with = "named_figures")]
    totals: Value,
    /// Cursor of the next page. Null on the last page.
    next_cursor: Option<String>,
    /// Completeness: which stores have reported all records of these days.
    completeness: Completeness,
    /// Late documents: their own day is in the range and their day in the books is not, or the other way round. Null if
    /// the report has only one kind of day.
    late: Option<Late>,
}

fn rows(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "object"}})
}

fn named_figures(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object"})
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ReportQuery")]
struct Query {
    /// First day of the report.
    from: Option<Date>,
    /// Last day of the report.
    to: Option<Date>,
    /// Store of the report. Defaults to all stores.
    store_id: Option<String>,
    /// Grouping of the rows. Defaults to the first one of the report.
    group_by: Option<String>,
    /// Day by which documents are selected.
    #[serde(default)]
    dates: Dates,
    /// Delimiter of the CSV: `,`, `;` or `tab`. Defaults to a comma.
    #[serde(default)]
    separator: Separator,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ReportOfDayQuery")]
struct DayQuery {
    /// Day at whose end the figures are reported.
    as_of: Option<Date>,
    /// Store of the report. Defaults to all stores.
    store_id: Option<String>,
    /// Grouping of the rows. Defaults to the first one of the report.
    group_by: Option<String>,
    /// Delimiter of the CSV: `,`, `;` or `tab`. Defaults to a comma.
    #[serde(default)]
    separator: Separator,
}

/// A route of each report that is of a range of days.
macro_rules! routes {
    ($($(#[$doc:meta])* $name:ident => $report:expr;)+) => {
        $($(#[$doc])* pub async fn $name(request: Request) -> Answered {
            of_range(request, $report).await
        })+
    };
}
routes! {
    /// `GET /api/reports/sales`
    sales => &sales_report::SALES;
    /// `GET /api/reports/margin`
    margin => &margin::MARGINS;
    /// `GET /api/reports/shrinkage`
    shrinkage => &shrinkage::SHRINKAGE;
    /// `GET /api/reports/members`
    members => &members::MEMBERS;
    /// `GET /api/reports/payments`
    payments => &payments::PAYMENTS;
    /// `GET /api/reports/cash`
    cash => &cash::CASH;
    /// `GET /api/reports/profit`
    profit => &profit::PROFIT;
    /// `GET /api/reports/purchases`
    purchases => &purchases::PURCHASES;
    /// `GET /api/reports/settlements`
    settlements => &settlements::SETTLEMENTS;
    /// `GET /api/reports/exceptions`
    exceptions => &exceptions::EXCEPTIONS;
    /// `GET /api/reports/sell-through`
    sell_through => &sell_through::SELL_THROUGH;
}

/// `GET /api/reports/stock`
pub async fn stock(request: Request) -> Answered {
    of_day(request, &stock::STOCK).await
}

/// `GET /api/reports/points-liability`
pub async fn points_liability(request: Request) -> Answered {
    of_day(request, &points_liability::POINTS_LIABILITY).await
}

async fn of_day(request: Request, report: &'static Report) -> Answered {
    let DayQuery { as_of, store_id, group_by, separator } = request.query()?;
    let as_of = required_day("as_of", as_of)?;
    let store_id = store_id.filter(|id| !id.is_empty());
    // Movements after the day are subtracted by days until its month ends, and by months from then on.
    let ask = ReportQuery {
        from: as_of,
        to: as_of.last_of_month(),
        store_id: store_id.as_deref(),
        dates: Dates::Books,
    };
    answer(&request, report, report.group(group_by.as_deref())?, &ask, (Some(as_of), separator)).await
}

async fn of_range(request: Request, report: &'static Report) -> Answered {
    let Query { from, to, store_id, group_by, dates, separator } = request.query()?;
    let (from, to) = (required_day("from", from)?, required_day("to", to)?);
    if from > to {
        return Err(ApiError::invalid_query("from", "must not be after to").into());
    }
    let store_id = store_id.filter(|id| !id.is_empty());
    // These use the books only, whatever was requested.
    let dates = if ["profit", "sell-through"].contains(&report.name) { Dates::Books } else { dates };
    let ask = ReportQuery { from, to, store_id: store_id.as_deref(), dates };
    answer(&request, report, report.group(group_by.as_deref())?, &ask, (None, separator)).await
}

async fn answer(
    request: &Request,
    report: &'static Report,
    group: &'static Group,
    ask: &ReportQuery<'_>,
    (as_of, separator): (Option<Date>, Separator),
) -> Answered {
    // Rows, their sums and the completeness are read from one state of the database.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let (rows, totals, late) = figures(&mut read, group, ask).await?;
    let days = as_of.map_or((ask.from, ask.to), |day| (BEGINNING, day));
    let completeness = completeness::of(&mut *read, ask.store_id, days, now).await?;
    let currency = hub::currency(&mut read).await?;
    if csv::wanted(&request.headers) {
        let names = names(&mut read, group, &rows).await?;
        let body = table(group, ask.dates, (separator, currency), (&rows, &names));
        let header = ("x-completeness", completeness.line());
        return Ok(Reply::WithHeader { content_type: csv::CONTENT_TYPE, header, body });
    }
    if picture_wanted(request) {
        let body = picture(report, group, &rows, (&completeness.line(), currency))?;
        return Ok(Reply::Text { content_type: SVG, body });
    }
    let (from, to) = (Some(ask.from).filter(|_| as_of.is_none()), Some(ask.to).filter(|_| as_of.is_none()));
    let items = rows.iter().map(|row| group.json(ask.dates, row)).collect();
    let (group_by, dates) = (group.name, ask.dates);
    let view =
        View { from, to, as_of, group_by, dates, items, totals, next_cursor: None, completeness, late };
    Ok(Reply::ok(&view))
}

async fn figures(
    read: &mut AnyConnection,
    group: &Group,
    ask: &ReportQuery<'_>,
) -> Result<(Vec<Row>, Value, Option<Late>), Failure> {
    let rows = group.rows(&mut *read, ask).await?;
    let totals = group.totals(&mut *read, ask).await?;
    let late = group.late(&mut *read, ask).await?;
    Ok((rows, totals, late))
}

/// The column of products in rows.
const SKU: &str = "sku";

/// The names of the products that rows are about, by sku.
async fn names(
    read: &mut AnyConnection,
    group: &Group,
    rows: &[Row],
) -> Result<HashMap<String, String>, Failure> {
    let Some(place) = group.columns(Dates::Books).position(|column| column == SKU) else {
        return Ok(HashMap::new());
    };
    let skus: Vec<&str> = rows.iter().filter_map(|row| row.keys.get(place)?.as_str()).collect();
    Ok(product::names(read, &skus).await?)
}

/// The rows as CSV with a header, and the names of products behind their figures.
fn table(
    group: &Group,
    dates: Dates,
    (separator, currency): (Separator, Currency),
    (rows, names): (&[Row], &HashMap<String, String>),
) -> String {
    let sku = group.columns(dates).position(|column| column == SKU);
    let columns = group.columns(dates).chain(sku.map(|_| "name"));
    let mut text = csv::Table::new(separator, currency, columns);
    for row in rows {
        let keys = row.keys.iter().map(|key| match key {
            Value::String(text) => Cell::Text(text),
            other => other.as_i64().into(),
        });
        let figures = group.shown(row).map(|(figure, value)| figure.cell(value));
        let named = sku.map(|place| {
            let name = row.keys.get(place).and_then(Value::as_str).and_then(|sku| names.get(sku));
            Cell::Text(name.map_or("", String::as_str))
        });
        text.line(keys.chain(figures).chain(named));
    }
    text.finish()
}

fn picture_wanted(request: &Request) -> bool {
    let accept = request.headers.get(http::header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.trim_start().starts_with(SVG))
}

fn picture(
    report: &Report,
    group: &Group,
    rows: &[Row],
    (completeness, currency): (&str, Currency),
) -> Result<String, ApiError> {
    let label = |row: &Row| match row.keys.first() {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let of = |name: &'static str| {
        let one =
            |row: &Row| group.shown(row).find(|(figure, _)| figure.name == name).and_then(|found| found.1);
        let figures: Vec<i64> = rows.iter().map(|row| one(row).unwrap_or_default()).collect();
        (name, figures)
    };
    let has = |name: &&'static str| group.source.figures.iter().any(|figure| figure.name == *name);
    let is_money = |name: &&'static str| {
        group.source.figures.iter().any(|figure| figure.name == *name && figure.is_money)
    };
    let picture = Picture {
        title: report.name,
        subtitle: completeness,
        currency: Some(currency).filter(|_| report.chart.iter().any(is_money)),
        labels: rows.iter().map(label).collect(),
        series: report.chart.iter().copied().filter(has).map(of).collect(),
    };
    picture.svg().map_err(ApiError::internal)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn csv_quotes_and_defuses_text_and_leaves_out_what_rows_have_none_of() {
        let group = sales_report::SALES.group(Some("sku")).unwrap();
        let row = |sku: &str| Row { keys: vec![sku.into()], figures: vec![Some(1), Some(5)] };
        let names = HashMap::from([("=1+1".to_owned(), "Caf\u{e9}".to_owned())]);
        let rows = [row("=1+1"), row("a\"b,c")];
        let of = |separator| table(group, Dates::Business, (separator, Currency::RUPIAH), (&rows, &names));
        assert!(of(Separator::Semicolon).contains("\r\n'=1+1;1;5;;;;;;;;;;Caf\u{e9}\r\n"));
        let text = of(Separator::Comma);
        let mut lines = text.split("\r\n");
        assert_eq!(lines.next().unwrap_or_default().split(',').next(), Some("\u{feff}sku"));
        assert_eq!(lines.next(), Some("'=1+1,1,5,,,,,,,,,,Caf\u{e9}"));
        assert!(lines.next().unwrap_or_default().starts_with("\"a\"\"b,c\",1,5,"));
    }

    #[test]
    fn amounts_have_the_decimals_of_the_currency_and_counts_have_none() {
        let group = stock::STOCK.group(Some("store")).unwrap();
        let figures = [1_250, 1_250, 1_250, 7, 7, 3, 3].map(Some).to_vec();
        let rows = [Row { keys: vec!["S001".into()], figures }];
        for (code, separator, line) in [
            ("IDR", Separator::Comma, "S001,1250,1250,1250,7,7,3,3"),
            ("EUR", Separator::Comma, "S001,1250,12.50,12.50,7,0.07,3,0.03"),
            ("EUR", Separator::Semicolon, "S001;1250;12,50;12,50;7;0,07;3;0,03"),
            ("KWD", Separator::Tab, "S001\t1250\t1.250\t1.250\t7\t0.007\t3\t0.003"),
        ] {
            let currency = Currency::of(code).unwrap();
            let text = table(group, Dates::Books, (separator, currency), (&rows, &HashMap::new()));
            assert_eq!(text.lines().nth(1), Some(line), "{code}: {text}");
        }
    }
}
