//! Adds records to the rollups: sums by store, by the day of each record, and by its day in the books.

use crate::db::column::Columns;
use crate::db::insert;
use crate::projection::documents::local_hour;
use crate::projection::envelope::{ToPost, Understood};
use crate::table::rollup::{Part, RollupSums, SALES_CASHIERS, SALES_DAYS, SALES_HOURS};
use domain::model::base::ids::{MemberId, Sku};
use domain::model::base::time::UtcMs;
use domain::rules::books::posting::{Context, Counted};
use domain::wire::record::AnyPayload;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeMap;

mod cash;
mod return_document;
mod sale;
mod stock;

/// Documents that are read at a time.
const CHUNK: usize = 500;

/// A record with the facts known beside it.
pub(crate) struct RollupRecord<'a> {
    pub store_id: &'a str,
    /// Time zone of the store.
    pub zone: &'a TimeZone,
    /// The day that it belongs to, and its day in the store's book.
    pub days: (Date, Date),
    pub event: &'a Understood,
    /// Amount that the record adds to the count of its shift.
    pub counted: Option<Counted>,
    /// Stored data of its document, or of the document that it voids. `None` if it is a new document.
    pub stored: Option<&'a StoredDocument>,
    /// Present categories of products, by SKU. `None` if only the stored ones are used.
    pub categories: Option<&'a BTreeMap<String, String>>,
    /// Tier of its member when it was reported. Empty for none.
    pub tier: &'a str,
}

/// The member whom a record is about.
pub(crate) fn member(payload: &AnyPayload) -> Option<&MemberId> {
    match payload {
        AnyPayload::TransactionPaid(it) => it.transaction.member_id.as_ref(),
        AnyPayload::TransactionVoided(it) => it.transaction.member_id.as_ref(),
        AnyPayload::ReturnPosted(it) => it.document.member_id.as_ref(),
        AnyPayload::ReturnVoided(it) => it.document.member_id.as_ref(),
        AnyPayload::PointsAdjusted(it) => Some(&it.entry.member_id),
        _ => None,
    }
}

/// Whether a record reports a document with new lines.
pub(crate) fn has_new_lines(payload: &AnyPayload) -> bool {
    matches!(payload, AnyPayload::TransactionPaid(_) | AnyPayload::ReturnPosted(_))
}

/// Adds a record to the sums.
pub(crate) fn fold(sums: &mut RollupSums, reported: &RollupRecord<'_>) {
    stock::fold(sums, reported);
    match &reported.event.payload {
        AnyPayload::TransactionPaid(it) => sale::paid(sums, reported, it),
        AnyPayload::TransactionVoided(it) => sale::voided(sums, reported, it),
        AnyPayload::TenderCorrected(it) => sale::corrected(sums, reported, it),
        AnyPayload::ReturnPosted(it) => return_document::fold(sums, reported, &it.document, 1),
        AnyPayload::ReturnVoided(it) => return_document::fold(sums, reported, &it.document, -1),
        AnyPayload::ShiftOpened(it) => cash::opened(sums, reported, &it.shift),
        AnyPayload::ShiftClosed(it) => cash::counted(sums, reported, &it.shift, 0),
        AnyPayload::ShiftRecounted(it) => cash::counted(sums, reported, &it.shift, 1),
        AnyPayload::CashMoved(it) => cash::moved(sums, reported, &it.movement),
        AnyPayload::CashDeposited(it) => cash::deposited(sums, reported, &it.deposit),
        _ => {}
    }
    sale::points(sums, reported);
}

impl RollupRecord<'_> {
    /// A key: store, both days, and the rest.
    fn key<const N: usize>(&self, rest: [Part; N]) -> Vec<Part> {
        let (business_date, entry_date) = self.days;
        let first: [Part; 3] =
            [self.store_id.into(), business_date.to_string().into(), entry_date.to_string().into()];
        first.into_iter().chain(rest).collect()
    }

    /// The key by the months of both days.
    fn key_of_months<const N: usize>(&self, rest: [Part; N]) -> Vec<Part> {
        let (business_date, entry_date) = self.days;
        let first: [Part; 3] = [self.store_id.into(), month(business_date).into(), month(entry_date).into()];
        first.into_iter().chain(rest).collect()
    }

    /// Adds to the sums of whole documents: by day, by hour, and by till and cashier.
    fn add_whole<const N: usize>(
        &self,
        sums: &mut RollupSums,
        (at, register_id, cashier_id): (UtcMs, &str, &str),
        figures: [(&str, i64); N],
    ) {
        sums.add(&SALES_DAYS, self.key([]), figures);
        sums.add(&SALES_HOURS, self.key([self.hour(at).into()]), figures);
        sums.add(&SALES_CASHIERS, self.key([register_id.into(), cashier_id.into()]), figures);
    }

    /// The hour of a document when it was reported.
    fn hour(&self, at: UtcMs) -> String {
        let kept = self.stored.map(|stored| stored.hour.clone());
        kept.unwrap_or_else(|| local_hour(self.zone, at))
    }

    /// Category of a product when the document was reported. Empty for none.
    fn category(&self, sku: &Sku) -> &str {
        let categories = self.stored.map(|stored| &stored.categories).or(self.categories);
        categories.and_then(|known| known.get(sku.as_str())).map_or("", String::as_str)
    }
}

/// The month of a day, YYYY-MM.
fn month(day: Date) -> String {
    day.strftime("%Y-%m").to_string()
}

/// Data of a document in the tables.
#[derive(Debug, Default)]
pub(crate) struct StoredDocument {
    /// The event that reported it.
    pub event_id: String,
    /// The tier of its member at that time.
    pub tier: Option<String>,
    hour: String,
    /// Categories of the lines, by sku.
    categories: BTreeMap<String, String>,
    /// Tax codes of the lines, by their place. A line without a code is left out.
    tax_codes: BTreeMap<i64, String>,
}

/// Documents by the events that reported or voided them.
#[derive(Debug, Default)]
pub(crate) struct StoredDocuments(BTreeMap<String, StoredDocument>);

/// Tables of a document and its lines, the column with the event, and the column by which the document is read.
struct Place {
    documents: &'static str,
    lines: &'static str,
    event: &'static str,
    by: &'static str,
}

const SOLD: Place = Place { documents: "sales", lines: "sale_lines", event: "event_id", by: "event_id" };
const SALE_VOIDED: Place =
    Place { documents: "sales", lines: "sale_lines", event: "voided_event", by: "transaction_id" };
const RETURNED: Place =
    Place { documents: "returns", lines: "return_lines", event: "event_id", by: "event_id" };
const RETURN_VOIDED: Place =
    Place { documents: "returns", lines: "return_lines", event: "voided_event", by: "return_id" };

impl StoredDocuments {
    /// Documents that the events voided, and returns that they reported. Their rows were written already.
    pub async fn known(
        connection: &mut AnyConnection,
        store_id: &str,
        reported: &[ToPost<'_>],
    ) -> Result<Self, sqlx::Error> {
        let mut documents = Self::default();
        for place in [SALE_VOIDED, RETURNED, RETURN_VOIDED] {
            documents.load(connection, store_id, &place, reported).await?;
        }
        Ok(documents)
    }

    /// As `known`, with the sales that the events reported.
    pub async fn all(
        connection: &mut AnyConnection,
        store_id: &str,
        reported: &[ToPost<'_>],
    ) -> Result<Self, sqlx::Error> {
        let mut documents = Self::known(connection, store_id, reported).await?;
        documents.load(connection, store_id, &SOLD, reported).await?;
        Ok(documents)
    }

    /// The document of an event.
    pub fn of(&self, event_id: &str) -> Option<&StoredDocument> {
        self.0.get(event_id)
    }

    async fn load(
        &mut self,
        connection: &mut AnyConnection,
        store_id: &str,
        place: &Place,
        reported: &[ToPost<'_>],
    ) -> Result<(), sqlx::Error> {
        let ids: Vec<&str> = reported.iter().filter_map(|reported| place.id(reported)).collect();
        for chunk in ids.chunks(CHUNK) {
            let Place { documents, lines, event, by } = place;
            let list = insert::list(2, chunk.len());
            let sql = format!(
                "SELECT d.{event} AS reported, d.event_id, d.local_hour, l.sku, l.category, l.position, l.tax_code, c.context \
                 FROM {documents} d JOIN {lines} l ON l.store_id = d.store_id AND l.event_id = d.event_id \
                 LEFT JOIN posting_contexts c ON c.store_id = d.store_id AND c.event_id = d.event_id \
                 WHERE d.store_id = $1 AND d.{event} IS NOT NULL AND d.{by} IN ({list})"
            );
            let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(store_id.to_owned());
            for id in chunk {
                query = query.bind((*id).to_owned());
            }
            for row in query.fetch_all(&mut *connection).await? {
                let document = self.0.entry(row.cell("reported")?).or_default();
                (document.event_id, document.hour) = (row.cell("event_id")?, row.cell("local_hour")?);
                let context: Option<String> = row.cell("context")?;
                let context = context.and_then(|context| serde_json::from_str::<Context>(&context).ok());
                document.tier = context.and_then(|context| context.tier);
                document.categories.insert(row.cell("sku")?, row.cell("category")?);
                let tax_code: Option<String> = row.cell("tax_code")?;
                document.tax_codes.extend(Some(row.cell("position")?).zip(tax_code));
            }
        }
        Ok(())
    }
}

impl Place {
    /// The ID by which a record's document is looked up here.
    fn id<'a>(&self, (event_id, event): &ToPost<'a>) -> Option<&'a str> {
        match &event.payload {
            AnyPayload::TransactionPaid(_) => {
                (self.lines == SOLD.lines && self.event == "event_id").then_some(*event_id)
            }
            AnyPayload::ReturnPosted(_) => {
                (self.lines == RETURNED.lines && self.event == "event_id").then_some(*event_id)
            }
            AnyPayload::TransactionVoided(it) => {
                (self.by == SALE_VOIDED.by).then_some(it.transaction.transaction_id.as_str())
            }
            AnyPayload::ReturnVoided(it) => {
                (self.by == RETURN_VOIDED.by).then_some(it.document.return_id.as_str())
            }
            _ => None,
        }
    }
}
