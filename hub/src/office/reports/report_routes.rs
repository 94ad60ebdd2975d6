//! Reports: as JSON, as CSV, as a picture.

use crate::db::failure::Failure;
use crate::http::route::{FINANCE, GOODS, answers};
use crate::http::{Answered, Request};
use crate::office::reports::chart::Picture;
use crate::office::reports::completeness::{self, Completeness};
use crate::office::reports::report::{Dates, Group, Late, Report, ReportQuery, Row};
use crate::office::reports::report_schema::{
    AnswerOf, Cash, Exceptions, Margin, Members, OfReport, Payments, PointsLiability, Profit, Purchases,
    QueryOf, Sales, SellThrough, Settlements, Shrinkage, Stock,
};
use crate::state::hub::Hub;
use crate::table::{hub, product};
use domain::model::base::currency::Currency;
use domain::rules::books::locked_days::BEGINNING;
use edge::csv::{self, Cell, Separator};
use edge::{Access, ApiError, Code, Doc, Reply, Route, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyConnection;
use std::collections::HashMap;

pub const ROUTES: &[Route<Hub>] = &[
    range::<Sales>(
        "/api/reports/sales",
        FINANCE,
        "Report sales from one day to another, both included",
        include_str!("examples/sales.json"),
    ),
    range::<Margin>(
        "/api/reports/margin",
        FINANCE,
        "Report margin: net sales less cost",
        include_str!("examples/margin.json"),
    ),
    range::<Shrinkage>(
        "/api/reports/shrinkage",
        FINANCE,
        "Report lost goods by reason",
        include_str!("examples/shrinkage.json"),
    ),
    range::<Members>(
        "/api/reports/members",
        FINANCE,
        "Report sales to members and their points",
        include_str!("examples/members.json"),
    ),
    range::<Payments>(
        "/api/reports/payments",
        FINANCE,
        "Report payments and refunds by method",
        include_str!("examples/payments.json"),
    ),
    range::<Settlements>(
        "/api/reports/settlements",
        FINANCE,
        "Report expected and settled payouts by day",
        include_str!("examples/settlements.json"),
    ),
    range::<Cash>("/api/reports/cash", FINANCE, "Report cash of shifts", include_str!("examples/cash.json")),
    range::<Profit>(
        "/api/reports/profit",
        FINANCE,
        "Report income and expenses by days in the books",
        include_str!("examples/profit.json"),
    ),
    range::<Exceptions>(
        "/api/reports/exceptions",
        FINANCE,
        "Report exceptions",
        include_str!("examples/exceptions.json"),
    ),
    day::<PointsLiability>(
        "/api/reports/points-liability",
        FINANCE,
        "Report outstanding points by the months until they expire",
        include_str!("examples/points_liability.json"),
    ),
    day::<Stock>(
        "/api/reports/stock",
        GOODS,
        "Report stock at the end of a day in the books",
        include_str!("examples/stock.json"),
    ),
    range::<SellThrough>(
        "/api/reports/sell-through",
        GOODS,
        "Report the share of opening and received stock that was sold",
        include_str!("examples/sell_through.json"),
    ),
    range::<Purchases>(
        "/api/reports/purchases",
        GOODS,
        "Report purchases: ordered, received, returned and invoiced",
        include_str!("examples/purchases.json"),
    ),
];

const SVG: &str = "image/svg+xml";

/// The route of a report of a range of days.
const fn range<R: OfReport>(
    path: &'static str,
    access: Access,
    summary: &'static str,
    example: &'static str,
) -> Route<Hub> {
    let doc = Doc::of("Reports", summary)
        .query::<QueryOf<R, Query>>()
        .answers::<AnswerOf<R, View<Range>>>(example)
        .also(&["text/csv", SVG])
        .sends(&[("X-Completeness", "Completeness")])
        .refuses(&[Code::ValidationFailed]);
    Route::get(path, access, doc, answers!(of_range::<R>))
}

/// The route of a report at the end of a day.
const fn day<R: OfReport>(
    path: &'static str,
    access: Access,
    summary: &'static str,
    example: &'static str,
) -> Route<Hub> {
    let doc = Doc::of("Reports", summary)
        .query::<QueryOf<R, DayQuery>>()
        .answers::<AnswerOf<R, View<EndOfDay>>>(example)
        .also(&["text/csv", SVG])
        .sends(&[("X-Completeness", "Completeness")])
        .refuses(&[Code::ValidationFailed]);
    Route::get(path, access, doc, answers!(of_day::<R>))
}

/// A report.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
struct View<D> {
    #[serde(flatten)]
    days: D,
    /// Grouping of the rows.
    group_by: &'static str,
    /// Day by which documents were selected.
    dates: Dates,
    /// Rows, in order of their keys.
    items: Vec<Value>,
    /// Figures of all rows together. Each document counts once, whatever the grouping.
    totals: Value,
    /// Completeness: which stores have reported all records of these days.
    completeness: Completeness,
    /// Late documents: their own day is in the range and their day in the books is not, or the other way round. Null if
    /// the report has only one kind of day.
    late: Option<Late>,
}

#[derive(Serialize, JsonSchema)]
struct Range {
    /// First day of the report.
    from: Date,
    /// Last day of the report.
    to: Date,
}

#[derive(Serialize, JsonSchema)]
struct EndOfDay {
    /// Day at whose end the figures are reported.
    as_of: Date,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ReportQuery")]
struct Query {
    /// First day of the report.
    from: Date,
    /// Last day of the report.
    to: Date,
    /// Store of the report. Defaults to all stores.
    store_id: Option<String>,
    /// Grouping of the rows.
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
    as_of: Date,
    /// Store of the report. Defaults to all stores.
    store_id: Option<String>,
    /// Grouping of the rows.
    group_by: Option<String>,
    /// Delimiter of the CSV: `,`, `;` or `tab`. Defaults to a comma.
    #[serde(default)]
    separator: Separator,
}

/// A report that was asked for, with the days `D` of its answer.
struct Asked<'a, D> {
    group: &'static Group,
    ask: ReportQuery<'a>,
    days: D,
    /// First and last day whose records the figures need.
    covered: (Date, Date),
    separator: Separator,
}

async fn of_day<R: OfReport>(request: Request) -> Answered {
    let DayQuery { as_of, store_id, group_by, separator } = request.query()?;
    let store_id = store_id.filter(|id| !id.is_empty());
    // Movements after the day are subtracted by days until its month ends, and by months from then on.
    let ask = ReportQuery {
        from: as_of,
        to: as_of.last_of_month(),
        store_id: store_id.as_deref(),
        dates: Dates::Books,
    };
    let group = R::report().group(group_by.as_deref())?;
    let (days, covered) = (EndOfDay { as_of }, (BEGINNING, as_of));
    answer(&request, R::report(), Asked { group, ask, days, covered, separator }).await
}

async fn of_range<R: OfReport>(request: Request) -> Answered {
    let Query { from, to, store_id, group_by, dates, separator } = request.query()?;
    if from > to {
        return Err(ApiError::invalid_query("from", "must not be after to").into());
    }
    let (report, store_id) = (R::report(), store_id.filter(|id| !id.is_empty()));
    // These use the books only, whatever was requested.
    let dates = if ["profit", "sell-through"].contains(&report.name) { Dates::Books } else { dates };
    let ask = ReportQuery { from, to, store_id: store_id.as_deref(), dates };
    let (group, days) = (report.group(group_by.as_deref())?, Range { from, to });
    answer(&request, report, Asked { group, ask, days, covered: (from, to), separator }).await
}

async fn answer<D: Serialize>(
    request: &Request,
    report: &'static Report,
    Asked { group, ask, days, covered, separator }: Asked<'_, D>,
) -> Answered {
    // Rows, their sums and the completeness are read from one state of the database.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let (rows, totals, late) = figures(&mut read, group, &ask).await?;
    let completeness = completeness::of(&mut *read, ask.store_id, covered, now).await?;
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
    let items = rows.iter().map(|row| group.json(ask.dates, row)).collect();
    let (group_by, dates) = (group.name, ask.dates);
    Ok(Reply::ok(&View { days, group_by, dates, items, totals, completeness, late }))
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
    use crate::office::reports::{sales_report, stock};

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
