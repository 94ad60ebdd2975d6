//! `GET /api/reports/daily`: one business day by shifts, hours and cashiers.

use super::sales::items;
use super::{made, scan};
use crate::http::Answered;
use crate::http::AppState;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::figures::Money;
use domain::model::base::money::{shown, shown_sum};
use domain::model::books::shift::{Cash, Shift, ShiftState};
use domain::rules::books::day;
use domain::rules::books::day::{Figures, MethodFigures};
use domain::rules::books::report::{GroupBy, SalesReport, hides};
use domain::rules::books::report_schema::rows;
use edge::csv::{self, Cell, Separator};
use edge::{ApiError, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

pub const DAILY: Doc =
    Doc::of("Reports", "Report a business day: totals, payment methods, drawers, shifts, hours and cashiers")
        .query::<Query>()
        .answers::<Daily>(include_str!("../examples/daily.json"))
        .also(&["text/csv"]);

/// The columns of the table: a row for each shift.
const COLUMNS: [&str; 27] = [
    "business_date",
    "shift_id",
    "register_id",
    "opened_by",
    "state",
    "z_no",
    "sales_count",
    "items_count",
    "gross_sales",
    "discounts",
    "tax",
    "total",
    "rounding",
    "returns_count",
    "returns_total",
    "returns_rounding",
    "returns_tax",
    "net_total",
    "voids_count",
    "voids_total",
    "opening_float",
    "pay_in",
    "pay_out",
    "drops",
    "expected_cash",
    "counted_cash",
    "variance",
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Business date. Defaults to today.
    date: Option<Date>,
    /// Delimiter of the CSV: `,`, `;` or `tab`. Defaults to a comma.
    #[serde(default)]
    separator: Separator,
}

/// Report of one business day.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DailyReport")]
struct Daily {
    /// The business date.
    business_date: Date,
    /// Whether the day is sealed: its documents can no longer change.
    sealed: bool,
    /// Number of shifts that are not closed. While it is above 0, figures may still change.
    shifts_open: usize,
    /// Figures of the whole day.
    totals: Figures,
    /// Tax contained in `totals.returns_total`, in minor currency units.
    returns_tax: Money,
    /// Payments and refunds by payment method.
    by_method: Vec<MethodFigures>,
    /// Sums of the drawers of the day.
    drawers: Drawers,
    /// Shifts of the day.
    shifts: Vec<ShiftRow>,
    /// Figures by local hour of payment and of return.
    #[schemars(schema_with = "rows")]
    by_hour: Vec<Value>,
    /// Figures by cashier of the sale or the return.
    #[schemars(schema_with = "rows")]
    by_cashier: Vec<Value>,
    /// Number of damaged places in the journal. Their sales are included in `totals`, but not in `by_hour` and
    /// `by_cashier`.
    unreadable: usize,
}

/// Sums of the drawers of the day. A figure above 9,007,199,254,740,991 is null.
#[derive(Serialize, JsonSchema, Default)]
#[schemars(transform = hides)]
struct Drawers {
    /// Cash in the drawers at the openings, in minor currency units.
    opening_float: Money,
    /// Cash payments, in minor currency units.
    sales: Money,
    /// Cash refunds, in minor currency units.
    refunds: Money,
    /// Cash paid into the drawers, in minor currency units.
    pay_in: Money,
    /// Cash paid out of the drawers, in minor currency units.
    pay_out: Money,
    /// Cash moved from the drawers to the safe, in minor currency units.
    drops: Money,
    /// Expected cash of the drawers, counted or not, in minor currency units.
    expected: Money,
    /// Counted cash of the drawers that were counted, by the latest count, in minor currency units.
    counted: Money,
    /// Variance of the counted drawers: `counted` less their expected cash, in minor currency units.
    variance: Money,
}

/// Summary of a shift.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DailyShift")]
struct ShiftRow {
    /// ID of the shift.
    shift_id: String,
    /// Register of the shift.
    register_id: String,
    /// User who opened the shift.
    opened_by: String,
    /// State of the shift.
    state: ShiftState,
    /// Z number. Null until the shift has one.
    z_no: Option<u64>,
    /// Figures of the shift.
    totals: Figures,
    /// Tax contained in `totals.returns_total`, in minor currency units.
    returns_tax: Money,
    /// Cash in the drawer.
    cash: Cash,
    /// Cash of the latest count, in minor currency units. Null if the shift was not counted.
    counted_cash: Option<Money>,
    /// Variance of the latest count, in minor currency units. Null if the shift was not counted.
    variance: Option<Money>,
}

impl ShiftRow {
    fn of(shift: &Shift) -> Self {
        let latest = shift.recounts.last();
        Self {
            shift_id: shift.shift_id.0.clone(),
            register_id: shift.register_id.0.clone(),
            opened_by: shift.opened_by.0.clone(),
            state: shift.state,
            z_no: shift.z_no,
            totals: Figures::of([shift]),
            returns_tax: shift.totals.returns_tax,
            cash: Cash::of(shift),
            counted_cash: latest.map(|count| count.counted_cash).or(shift.counted_cash),
            variance: latest.map(|count| count.variance).or(shift.variance),
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.state, ShiftState::Closed | ShiftState::Interrupted)
    }

    fn cells(&self, date: &str, out: &mut csv::Table) {
        let (of, sums, cash) = (&self.totals, &self.totals.sums, &self.cash);
        let z_no = self.z_no.and_then(|number| i64::try_from(number).ok());
        let cells: [Cell<'_>; COLUMNS.len()] = [
            Cell::Text(date),
            Cell::Text(&self.shift_id),
            Cell::Text(&self.register_id),
            Cell::Text(&self.opened_by),
            Cell::Text(self.state.name()),
            z_no.into(),
            shown(sums.sales_count).into(),
            shown(sums.items_count.get()).into(),
            shown(sums.gross_sales).into(),
            shown(sums.discounts).into(),
            shown(sums.tax).into(),
            shown(sums.total).into(),
            shown(sums.rounding).into(),
            shown(sums.returns_count).into(),
            shown(sums.returns_total).into(),
            shown(sums.returns_rounding).into(),
            shown(self.returns_tax).into(),
            shown(of.net_total).into(),
            shown(of.voids_count).into(),
            shown(of.voids_total).into(),
            shown(cash.opening_float).into(),
            shown(cash.pay_in).into(),
            shown(cash.pay_out).into(),
            shown(cash.drops).into(),
            shown(cash.expected).into(),
            self.counted_cash.into(),
            self.variance.into(),
        ];
        out.line(cells);
    }
}

/// `GET /api/reports/daily`
pub async fn daily(request: Request) -> Answered {
    let query: Query = request.query()?;
    let rules = &request.state.store.rules();
    let today = rules.business_date(clock::now());
    let date = query.date.unwrap_or(today);
    if csv::wanted(&request.headers) {
        let body = made(&request.state, move |shop| table(shop, date, query.separator)).await?;
        return Ok(Reply::Text { content_type: csv::CONTENT_TYPE, body });
    }
    Ok(Reply::ok(&made(&request.state, move |shop| collect(shop, date)).await?))
}

fn collect(shop: &AppState, date: Date) -> Result<Daily, ApiError> {
    let (storage, rules) = (shop.store.storage(), &shop.store.rules());
    let shifts = storage.shifts().shifts_of_day(date).map_err(stored)?;
    let mut hours = SalesReport::new(GroupBy::Hour, rules.timezone.clone());
    let mut cashiers = SalesReport::new(GroupBy::Cashier, rules.timezone.clone());
    let mut damaged = BTreeSet::new();
    for day in scan::worth_reading(storage, &[date], "date")? {
        scan::day(storage, day, &mut [&mut hours, &mut cashiers], &mut damaged)?;
    }
    let rows: Vec<ShiftRow> = shifts.iter().map(ShiftRow::of).collect();
    Ok(Daily {
        business_date: date,
        sealed: storage.days().day(date).map_err(stored)?.is_some(),
        shifts_open: rows.iter().filter(|row| !row.is_over()).count(),
        totals: Figures::of(&shifts),
        returns_tax: shown_sum(rows.iter().map(|row| row.returns_tax)),
        by_method: day::by_method(&shifts),
        drawers: drawers(&rows),
        shifts: rows,
        by_hour: items(GroupBy::Hour, &hours),
        by_cashier: items(GroupBy::Cashier, &cashiers),
        unreadable: scan::unreadable(&damaged),
    })
}

fn drawers(rows: &[ShiftRow]) -> Drawers {
    let mut all = Drawers::default();
    for row in rows {
        let cash = &row.cash;
        for (sum, part) in [
            (&mut all.opening_float, cash.opening_float),
            (&mut all.sales, cash.sales),
            (&mut all.refunds, cash.refunds),
            (&mut all.pay_in, cash.pay_in),
            (&mut all.pay_out, cash.pay_out),
            (&mut all.drops, cash.drops),
            (&mut all.expected, cash.expected),
            (&mut all.counted, row.counted_cash.unwrap_or_default()),
            (&mut all.variance, row.variance.unwrap_or_default()),
        ] {
            *sum = shown_sum([*sum, part]);
        }
    }
    all
}

fn table(shop: &AppState, date: Date, separator: Separator) -> Result<String, ApiError> {
    let mut text = csv::Table::new(separator, shop.currency, COLUMNS);
    let day = date.to_string();
    for shift in shop.store.storage().shifts().shifts_of_day(date).map_err(stored)? {
        ShiftRow::of(&shift).cells(&day, &mut text);
    }
    Ok(text.finish())
}
