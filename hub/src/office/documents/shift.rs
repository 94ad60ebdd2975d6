//! Shifts as stores reported them: their figures are those of the store's summary.

use crate::columns;
use crate::db::column::Columns;
use crate::db::filter::{Bound, Conditions};
use crate::office::documents::entries::{self, DocumentEntry, OfStore};
use crate::table::record;
use domain::model::base::figures::Money;
use domain::model::base::ids::RegisterId;
use domain::model::base::time::UtcMs;
use domain::model::books::shift::{Cash, Denomination, Recount, Shift, ShiftState};
use domain::rules::books::shift::{MethodSummary, ShiftSums, by_method, sums};
use domain::wire::record::ShiftRecord;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool};

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShiftsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
    /// Only those in this state.
    pub state: Option<ShiftState>,
    /// Only shifts whose last counted cash differs from the expected cash by more than this amount in minor currency
    /// units, in either direction.
    pub variance_above: Option<u32>,
    /// Only those that changed at this time or later, by the hub's clock. The list then begins with the earliest change.
    pub updated_from: Option<UtcMs>,
}

/// A shift as last reported by its store.
pub struct StoreShift {
    shift: Shift,
    store_id: String,
    event_id: String,
    updated_at: UtcMs,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoreShiftFields")]
struct Fields<'a> {
    /// ID of the shift, `shf_…`.
    shift_id: &'a str,
    /// Store of the shift.
    store_id: &'a str,
    /// ID of the latest store event.
    event_id: &'a str,
    /// Register where the shift was opened.
    register_id: &'a str,
    /// Registers where the shift stood when its store last reported it: several share its drawer, and none means that
    /// it was suspended.
    register_ids: &'a [RegisterId],
    /// Business date of the shift.
    business_date: Date,
    /// State of the shift.
    state: ShiftState,
    /// User who opened the shift.
    opened_by: &'a str,
    /// When the shift was opened.
    opened_at: UtcMs,
    /// Cash in the drawer at the opening, in minor currency units.
    opening_float: Money,
    /// User who closed the shift. Null until it is closed.
    closed_by: Option<&'a str>,
    /// When the shift was closed. Null until then.
    closed_at: Option<UtcMs>,
    /// Cash counted at the close, in minor currency units. Null until the shift is closed.
    counted_cash: Option<Money>,
    /// Cash expected in the drawer at the close, in minor currency units. Null until the shift is closed.
    expected_cash: Option<Money>,
    /// `counted_cash` − `expected_cash`, in minor currency units. Null until the shift is closed.
    variance: Option<Money>,
    /// Z number, one counter per register. Null until the shift has one.
    z_no: Option<u64>,
    /// Note of the close, in free text. Null for none.
    note: Option<&'a str>,
    /// When the hub last changed the shift, by its own clock.
    updated_at: UtcMs,
}

/// A shift with its drawer. Until it is closed, the figures are those of its opening, or of its latest move to other
/// registers.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoreShift")]
pub struct View<'a> {
    #[serde(flatten)]
    fields: Fields<'a>,
    /// Payments and refunds by method, with the counted amounts.
    by_method: Vec<MethodSummary<'a>>,
    /// Cash in the drawer.
    cash: Cash,
}

/// A shift with all its sums and its entries in the books.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoreShiftDetail")]
pub struct Detail<'a> {
    #[serde(flatten)]
    fields: Fields<'a>,
    #[serde(flatten)]
    sums: ShiftSums<'a>,
    /// When the shift was ended without a count. Null if it was not.
    ended_at: Option<UtcMs>,
    /// User who approved the variance. Null if no approval was needed.
    approved_by: Option<&'a str>,
    /// Counted notes and coins.
    denominations: &'a [Denomination],
    /// Later counts. The count at close is kept.
    recounts: &'a [Recount],
    /// Entries in the books: of the opening, of the close, and of later counts.
    entries: Vec<DocumentEntry>,
}

impl StoreShift {
    fn fields(&self) -> Fields<'_> {
        let shift = &self.shift;
        Fields {
            shift_id: shift.shift_id.as_str(),
            store_id: &self.store_id,
            event_id: &self.event_id,
            register_id: shift.register_id.as_str(),
            register_ids: shift.registers(),
            business_date: shift.business_date,
            state: shift.state,
            opened_by: shift.opened_by.as_str(),
            opened_at: shift.opened_at,
            opening_float: shift.opening_float,
            closed_by: shift.closed_by.as_ref().map(|id| id.as_str()),
            closed_at: shift.closed_at,
            counted_cash: shift.counted_cash,
            expected_cash: shift.expected_cash,
            variance: shift.variance,
            z_no: shift.z_no,
            note: shift.note.as_deref(),
            updated_at: self.updated_at,
        }
    }

    /// The row in a list.
    pub fn view(&self) -> View<'_> {
        View { fields: self.fields(), by_method: by_method(&self.shift), cash: Cash::of(&self.shift) }
    }

    /// The view of one.
    pub fn detail(&self, entries: Vec<DocumentEntry>) -> Detail<'_> {
        let Shift { ended_at, approved_by, denominations, recounts, .. } = &self.shift;
        Detail {
            fields: self.fields(),
            sums: sums(&self.shift),
            ended_at: *ended_at,
            approved_by: approved_by.as_ref().map(|id| id.as_str()),
            denominations,
            recounts,
            entries,
        }
    }
}

/// Position of a page: the day, opening, shift, store and change of the last item before it.
pub type Bookmark = (Date, i64, String, String, i64);

/// The place of a shift.
pub fn place(item: &StoreShift) -> Bookmark {
    let StoreShift { shift, store_id, updated_at, .. } = item;
    (shift.business_date, shift.opened_at.0, shift.shift_id.0.clone(), store_id.clone(), updated_at.0)
}

const SELECT: &str = "SELECT s.store_id, s.event_id, s.state, s.closed_by, s.closed_at, s.counted_cash, \
                      s.expected_cash, s.variance, s.updated_at, r.record, r.encoding FROM shifts s \
                      JOIN events e ON e.store_id = s.store_id AND e.event_id = s.event_id \
                      JOIN records r ON r.store_id = e.store_id AND r.epoch = e.epoch AND r.seq = e.seq WHERE {}";

/// Order of changes.
const CHANGED: [&str; 3] = ["s.updated_at", "s.store_id", "s.shift_id"];

/// The statement of a page with its parameters: the newest first, or by change.
pub fn statement(ask: &ShiftsQuery, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let places = before.map(|(date, opened_at, id, store_id, updated_at)| {
        let [id, store_id] = [id, store_id].map(|text| Bound::from(text.as_str()));
        let changed = [updated_at.into(), store_id.clone(), id.clone()];
        ([Bound::from(date.to_string().as_str()), opened_at.into(), id, store_id], changed)
    });
    let (below, after) = places.unzip();
    // SQLite considers all indexes equal: a condition that must not be used for the look-up is cast.
    let (store, day) = match ask.updated_from {
        Some(_) => ("CAST(s.store_id AS TEXT)", "CAST(s.business_date AS TEXT)"),
        None => ("s.store_id", "s.business_date"),
    };
    let order = ["s.business_date", "s.opened_at", "s.shift_id", "s.store_id"];
    let conditions = Conditions::default()
        .text(&format!("{store} = ?"), ask.store_id.as_deref())
        .text(&format!("{day} >= ?"), date(ask.from).as_deref())
        .text(&format!("{day} <= ?"), date(ask.to).as_deref())
        .text("s.state = ?", ask.state.map(ShiftState::name))
        .number("ABS(s.last_counted - s.expected_cash) > ?", ask.variance_above.map(i64::from));
    let (conditions, order) = match ask.updated_from {
        Some(from) => (conditions.changed(CHANGED, from, after), CHANGED.join(", ")),
        None => (conditions.below(order, below), order.map(|column| format!("{column} DESC")).join(", ")),
    };
    (conditions, format!("{SELECT} ORDER BY {order} LIMIT {limit}"))
}

fn store_shift(row: &AnyRow) -> Result<StoreShift, sqlx::Error> {
    let ShiftRecord { mut shift, .. } = record::payload_of(row)?;
    let state: String = row.cell("state")?;
    // Counted at head office: its store never reported the count.
    if state == ShiftState::Closed.name() && shift.state != ShiftState::Closed {
        let by: Option<String> = row.cell("closed_by")?;
        (shift.state, shift.closed_by) = (ShiftState::Closed, by.map(Into::into));
        (shift.closed_at, shift.counted_cash, shift.expected_cash, shift.variance) =
            columns!(row => (closed_at, counted_cash, expected_cash, variance));
    }
    Ok(columns!(row => StoreShift { store_id, event_id, updated_at; shift = shift }))
}

/// A page, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &ShiftsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<StoreShift>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    conditions.query(&sql).fetch_all(connection).await?.iter().map(store_shift).collect()
}

/// One shift with its entries, as its store last reported it.
pub async fn read(
    pool: &AnyPool,
    id: &str,
    of: &OfStore,
) -> Result<Option<(StoreShift, Vec<DocumentEntry>)>, sqlx::Error> {
    let conditions =
        Conditions::default().text("s.shift_id = ?", Some(id)).text("s.store_id = ?", of.store_id.as_deref());
    let sql = format!("{SELECT} ORDER BY s.store_id LIMIT 1");
    let Some(row) = conditions.query(&sql).fetch_optional(pool).await? else { return Ok(None) };
    let shift = store_shift(&row)?;
    let entries = entries::of(pool, &shift.store_id, id).await?;
    Ok(Some((shift, entries)))
}
