//! Tax by the books: of sales, returns and supplier bills, by the day that each has in the books.

use crate::columns;
use crate::db::column::Columns;
use crate::db::filter::Conditions;
use crate::db::guarded::guarded;
use crate::db::{Db, Engine};
use crate::http::csv_rows::Table;
use crate::office::finance::taxes::input_tax::{self, Input};
use crate::office::reports::completeness::{self, Completeness};
use crate::table::alarm;
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::time::UtcMs;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// Most days and stores that the list of late entries names.
const LATE_MAX: usize = 1_000;
/// Most days that are asked for at once: a year.
const DAYS_MAX: i32 = 366;
/// The code of the alarm of tax that differs.
const ALARM: &str = "tax_differs";

/// Grouping of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// By tax code and rate.
    #[default]
    Code,
    /// By tax code, rate and day in the books.
    Day,
    /// By tax code, rate and store.
    Store,
    /// Suppliers' invoices and credit notes, one by one, instead of sums.
    Document,
}

/// Filters of the tax report.
pub struct Filter {
    /// Only tax of this day in the books or later.
    pub from: Date,
    /// Only tax of this day in the books or earlier.
    pub to: Date,
    /// Store. Defaults to all stores.
    pub store_id: Option<String>,
    /// Grouping of the rows.
    pub group_by: GroupBy,
}

/// Tax of a range.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tax")]
pub struct View {
    /// Output tax of sales and returns.
    pub output: Vec<Output>,
    /// Input tax of suppliers' invoices and credit notes, in minor currency units.
    pub input: Vec<Input>,
    /// Late tax, whose day in the books is after its own day; at most 1,000 rows.
    pub late: Vec<Late>,
    /// Whether `late` omits rows. A shorter range shows them.
    pub more_late: bool,
    /// Tax owed on sales, in minor currency units.
    pub output_tax: Money,
    /// Input tax of suppliers' invoices and credit notes, in minor currency units.
    pub input_tax: Money,
    /// `output_tax` − `input_tax`, in minor currency units.
    pub payable: Money,
    /// Tax according to the accounts.
    pub ledger: Ledger,
    /// Completeness: which stores have reported all records of these days.
    pub completeness: Completeness,
}

/// Tax of sales at one rate.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OutputTax")]
pub struct Output {
    /// Day in the books, if the rows are by day. Null otherwise.
    pub entry_date: Option<Date>,
    /// Store, if the rows are by store. Null otherwise.
    pub store_id: Option<String>,
    /// Tax code of the sale's lines. Null if they have none.
    pub tax_code: Option<String>,
    /// Tax rate in basis points.
    pub tax_rate_bp: BasisPoints,
    /// Sales without tax and without voided sales, in minor currency units.
    pub sales_base: Money,
    /// Tax of `sales_base`, in minor currency units.
    pub sales_tax: Money,
    /// Returns without tax, in minor currency units.
    pub returns_base: Money,
    /// Tax of `returns_base`, in minor currency units.
    pub returns_tax: Money,
    /// Net sales without tax: `sales_base` − `returns_base`, in minor currency units.
    pub base: Money,
    /// Tax of `base`, in minor currency units.
    pub tax: Money,
    /// Eleven twelfths of `base`, rounded half up, in minor currency units. Indonesian tax invoices state this base for
    /// a rate of 12 % when 11 % are owed.
    pub base_11_12: Money,
}

/// A row of the CSV answer, with the list that it is from.
#[derive(Serialize)]
#[serde(tag = "list", rename_all = "snake_case")]
pub enum SumRow<'a> {
    Output(&'a Output),
    Input(&'a Input),
}

/// Columns of the CSV answer.
pub const TABLE: Table = Table {
    names: &[
        "list",
        "entry_date",
        "store_id",
        "tax_code",
        "tax_rate_bp",
        "sales_base",
        "sales_tax",
        "returns_base",
        "returns_tax",
        "base",
        "tax",
        "base_11_12",
        "documents",
    ],
    numbers: &["tax_rate_bp", "documents"],
};

impl View {
    /// The sums as rows.
    pub fn rows(&self) -> Vec<SumRow<'_>> {
        self.output.iter().map(SumRow::Output).chain(self.input.iter().map(SumRow::Input)).collect()
    }
}

/// Tax whose day in the books differs from its own day.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LateTax")]
pub struct Late {
    /// ID of the store.
    pub store_id: String,
    /// Day that the tax belongs to.
    pub reference_date: Date,
    /// The day in the books.
    pub entry_date: Date,
    /// Amount of tax, in minor currency units.
    pub tax: Money,
}

/// Tax according to the accounts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TaxLedger")]
pub struct Ledger {
    /// Movement of account 2030 by sales and returns, in minor currency units.
    pub output_tax: Money,
    /// Movement of account 1310 by invoices and credit notes, in minor currency units.
    pub input_tax: Money,
    /// Whether both movements agree with the documents.
    pub agrees: bool,
}

/// A line of a sale or a return with the entry that posted it: `sign` takes a void back.
const LINES: &str = "\
    SELECT j.store_id, j.entry_date, l.tax_code, l.tax_rate_bp, l.total - l.tax AS base, l.tax, 1 AS sign, 0 AS back \
    FROM journal j JOIN sale_lines l ON l.store_id = j.store_id AND l.event_id = j.event_id \
    WHERE j.kind = 'event' AND j.cause_type = 'transaction' AND {} \
    UNION ALL SELECT j.store_id, j.entry_date, l.tax_code, l.tax_rate_bp, l.total - l.tax, l.tax, -1, 0 \
    FROM journal j JOIN sales s ON s.store_id = j.store_id AND s.transaction_id = j.cause_id \
    AND s.voided_event = j.event_id \
    JOIN sale_lines l ON l.store_id = s.store_id AND l.event_id = s.event_id \
    WHERE j.kind = 'event' AND j.cause_type = 'transaction' AND {} \
    UNION ALL SELECT j.store_id, j.entry_date, l.tax_code, \
    l.tax_rate_bp, l.refund - l.tax, l.tax, CASE WHEN r.event_id = j.event_id THEN 1 ELSE -1 END, 1 \
    FROM journal j JOIN returns r ON r.store_id = j.store_id AND r.return_id = j.cause_id \
    AND (r.event_id = j.event_id OR r.voided_event = j.event_id) \
    JOIN return_lines l ON l.store_id = r.store_id AND l.event_id = r.event_id \
    WHERE j.kind = 'event' AND j.cause_type = 'return' AND {}";

impl Filter {
    /// # Errors
    /// 400 for a range that ends before it begins, or is longer than a year.
    pub fn check(&self) -> Result<(), ApiError> {
        if self.from > self.to {
            return Err(ApiError::invalid_query("from", "must not be after to"));
        }
        let days = self.from.until(self.to).map_or(i32::MAX, |span| span.get_days());
        if days >= DAYS_MAX {
            return Err(ApiError::invalid_query("to", "must make a range of at most 366 days"));
        }
        Ok(())
    }

    /// Conditions of the entries `j` that are asked for.
    pub fn conditions(&self) -> Conditions {
        Conditions::default()
            .text("j.entry_date >= ?", Some(&self.from.to_string()))
            .text("j.entry_date <= ?", Some(&self.to.to_string()))
            .text("j.store_id = ?", self.store_id.as_deref())
    }

    async fn output(&self, connection: &mut AnyConnection) -> Result<Vec<Output>, sqlx::Error> {
        let (group, keys) = match self.group_by {
            GroupBy::Code | GroupBy::Document => ("", "NULL AS day, NULL AS store"),
            GroupBy::Day => ("entry_date, ", "entry_date AS day, NULL AS store"),
            GroupBy::Store => ("store_id, ", "NULL AS day, store_id AS store"),
        };
        let sum = |figure: &str, back: i64, name: &str| {
            format!("CAST(SUM(CASE WHEN back = {back} THEN sign * {figure} ELSE 0 END) AS BIGINT) AS {name}")
        };
        let sql = format!(
            "SELECT {keys}, tax_code, tax_rate_bp, {}, {}, {}, {} FROM ({LINES}) moved \
             GROUP BY {group}tax_code, tax_rate_bp ORDER BY {group}COALESCE(tax_code, ''), tax_rate_bp",
            sum("base", 0, "sales_base"),
            sum("tax", 0, "sales_tax"),
            sum("base", 1, "returns_base"),
            sum("tax", 1, "returns_tax"),
        );
        let sql = guarded(Engine::of_connection(connection), &sql);
        self.conditions().query(&sql).fetch_all(connection).await?.iter().map(output).collect()
    }

    async fn late(&self, connection: &mut AnyConnection) -> Result<Vec<Late>, sqlx::Error> {
        let sql = format!(
            "SELECT j.store_id, j.reference_date, j.entry_date, CAST(SUM(l.credit - l.debit) AS BIGINT) AS tax \
                   FROM journal j JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no \
                   WHERE j.kind = 'event' AND j.reference_date IS NOT NULL AND l.account = '2030' AND {{}} \
                   GROUP BY j.store_id, j.reference_date, j.entry_date \
                   ORDER BY j.entry_date, j.store_id, j.reference_date LIMIT {}",
            LATE_MAX.saturating_add(1),
        );
        let sql = guarded(Engine::of_connection(connection), &sql);
        let rows = self.conditions().query(&sql).fetch_all(connection).await?;
        let late = |row: &AnyRow| Ok(columns!(row => Late { store_id, reference_date, entry_date, tax }));
        rows.iter().map(late).collect()
    }

    /// Movement of an account by entries of these kinds, positive for credit.
    async fn moved(&self, connection: &mut AnyConnection, what: &str) -> Result<Money, sqlx::Error> {
        let sql = format!(
            "SELECT CAST(COALESCE(SUM(l.credit - l.debit), 0) AS BIGINT) AS moved FROM journal j \
             JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no WHERE {what} AND {{}}"
        );
        let sql = guarded(Engine::of_connection(connection), &sql);
        self.conditions().query(&sql).fetch_one(connection).await?.cell("moved")
    }

    /// Completeness: which stores have reported all records of these days.
    pub async fn completeness(
        &self,
        connection: &mut AnyConnection,
        now: UtcMs,
    ) -> Result<Completeness, sqlx::Error> {
        completeness::of(connection, self.store_id.as_deref(), (self.from, self.to), now).await
    }

    pub async fn read(&self, connection: &mut AnyConnection, now: UtcMs) -> Result<View, sqlx::Error> {
        let output = self.output(&mut *connection).await?;
        let mut late = self.late(&mut *connection).await?;
        let more_late = late.len() > LATE_MAX;
        late.truncate(LATE_MAX);
        let by_events = self.moved(&mut *connection, "j.kind = 'event' AND l.account = '2030'").await?;
        let by_invoices = "j.kind IN ('invoice', 'credit_note') AND l.account = '1310'";
        let by_invoices = self.moved(&mut *connection, by_invoices).await?.saturating_neg();
        let input = input_tax::input(&mut *connection, self.conditions()).await?;
        let completeness = self.completeness(connection, now).await?;
        let output_tax = output.iter().map(|row| row.tax).sum::<Money>();
        let input_tax = input.iter().map(|row| row.tax).sum::<Money>();
        let agrees = output_tax == by_events && input_tax == by_invoices;
        let ledger = Ledger { output_tax: by_events, input_tax: by_invoices, agrees };
        let payable = output_tax.saturating_sub(input_tax);
        Ok(View { output, input, late, more_late, output_tax, input_tax, payable, ledger, completeness })
    }

    /// Raises an alarm if documents and accounts differ, and ends the alarm of these days if they agree again.
    pub async fn note(&self, db: &Db, view: &View, now: UtcMs) -> Result<(), sqlx::Error> {
        let days = format!("{} to {}", self.from, self.to);
        let raised = alarm::of(db.pool(), "").await?;
        let stands = raised.iter().any(|alarm| alarm.code == ALARM && alarm.message.starts_with(&days));
        if view.ledger.agrees && !stands {
            return Ok(());
        }
        let mut write = db.write().await?;
        if view.ledger.agrees {
            alarm::clear_of_day(&mut write, "", ALARM, &days).await?;
        } else {
            let ledger = &view.ledger;
            let reported = format!("{} on sales and {} from suppliers", view.output_tax, view.input_tax);
            let booked = format!("{} and {}", ledger.output_tax, ledger.input_tax);
            let store = self.store_id.as_ref();
            let of = store.map_or_else(|| "all stores".to_owned(), |store| format!("store {store}"));
            let message = format!(
                "{days}: tax of {reported} according to the documents of {of}, but {booked} according to the accounts"
            );
            alarm::raise(&mut write, "", ALARM, &message, now).await?;
        }
        write.commit().await
    }
}

fn output(row: &AnyRow) -> Result<Output, sqlx::Error> {
    let (sales_base, sales_tax): (Money, Money) = columns!(row => (sales_base, sales_tax));
    let (returns_base, returns_tax): (Money, Money) = columns!(row => (returns_base, returns_tax));
    let base = sales_base.saturating_sub(returns_base);
    Ok(columns!(row => Output {
        entry_date: "day", store_id: "store", tax_code, tax_rate_bp;
        sales_base = sales_base,
        sales_tax = sales_tax,
        returns_base = returns_base,
        returns_tax = returns_tax,
        base = base,
        tax = sales_tax.saturating_sub(returns_tax),
        base_11_12 = domain::rules::selling::tax::eleven_twelfths(base),
    }))
}
