//! Columns of a row by their names, as domain types.

use domain::model::base::figures::{BasisPoints, Money, Points, Quantity};
use domain::model::base::ids::{Sku, StoreId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::Role;
use domain::rules::books::posting::plan::Account;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;
use sqlx::any::AnyRow;
use sqlx::{Error, Row};

/// Type that a column is read as.
pub trait Column: Sized {
    /// Reads the column of that name.
    ///
    /// # Errors
    /// No such column, or another type.
    fn read(row: &AnyRow, name: &str) -> Result<Self, Error>;
}

macro_rules! plain {
    ($($type:ty),+) => { $(impl Column for $type {
        fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
            row.try_get(name)
        }
    })+ };
}
plain!(String, i64, Option<String>, Option<i64>);

macro_rules! by {
    ($($type:ty: $from:ty => $convert:expr),+ $(,)?) => { $(impl Column for $type {
        fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
            row.try_get::<$from, _>(name).map($convert)
        }
    })+ };
}
by! {
    u64: i64 => i64::unsigned_abs,
    u32: i64 => |number| u32::try_from(number).unwrap_or(u32::MAX),
    bool: i64 => |number| number != 0,
    UtcMs: i64 => UtcMs,
    Option<bool>: Option<i64> => |number| number.map(|number| number != 0),
    Option<UtcMs>: Option<i64> => |at| at.map(UtcMs),
    UserId: String => UserId,
    StoreId: String => StoreId,
    Sku: String => Sku,
}

macro_rules! figures {
    ($($figure:ty),+) => { by! { $(
        $figure: i64 => <$figure>::new,
        Option<$figure>: Option<i64> => |figure| figure.map(<$figure>::new),
    )+ } };
}
figures!(BasisPoints, Money, Points, Quantity);

impl Column for Role {
    fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
        let role: &str = row.try_get(name)?;
        Self::parse(role).ok_or_else(|| Error::Decode(format!("unknown role {role}").into()))
    }
}

impl Column for TimeZone {
    fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
        time_zone(row.try_get(name)?)
    }
}

/// The time zone of a stored name. Only known names are stored, so another one is damage: days of another zone would
/// be believed.
///
/// # Errors
/// No zone has this name.
pub fn time_zone(name: &str) -> Result<TimeZone, Error> {
    TimeZone::get(name).map_err(|_| Error::Decode(format!("unknown time zone {name}").into()))
}

impl Column for Account {
    fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
        row.word(name, Self::parse)
    }
}

impl Column for Option<Account> {
    fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
        let number: Option<&str> = row.try_get(name)?;
        number.map(|_| row.word(name, Account::parse)).transpose()
    }
}

impl Column for Option<Date> {
    fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
        let day: Option<&str> = row.try_get(name)?;
        day.map(|day| day.parse().map_err(|_| Error::Decode(format!("{day} is not a day").into())))
            .transpose()
    }
}

impl Column for Date {
    fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
        Option::<Self>::read(row, name)?.ok_or_else(|| Error::Decode(format!("{name} is empty").into()))
    }
}

/// A column that holds a JSON document.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> Column for Json<T> {
    fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
        serde_json::from_str(row.try_get(name)?).map(Self).map_err(|error| Error::Decode(error.into()))
    }
}

/// Columns of a row.
pub trait Columns {
    /// The column of that name.
    ///
    /// # Errors
    /// No such column, or another type.
    fn cell<T: Column>(&self, name: &str) -> Result<T, Error>;

    /// The JSON document in the column of that name.
    ///
    /// # Errors
    /// No such column, or it is damaged.
    fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        self.cell::<Json<T>>(name).map(|Json(document)| document)
    }

    /// The word in the column of that name, as it is written in JSON. An unknown word is damage.
    ///
    /// # Errors
    /// No such column, or it is damaged.
    fn named<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        self.word(name, |word| serde_json::from_value(word.into()).ok())
    }

    /// The state, kind or number of the word in the column of that name. An unknown word is damage: a substitute would
    /// be taken for real.
    ///
    /// # Errors
    /// No such column, or it is damaged.
    fn word<T>(&self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, Error> {
        let word: String = self.cell(name)?;
        parse(&word).ok_or_else(|| Error::Decode(format!("unknown {name} {word}").into()))
    }
}

impl Columns for AnyRow {
    fn cell<T: Column>(&self, name: &str) -> Result<T, Error> {
        T::read(self, name)
    }
}

/// Columns of a row, each by its own name: `columns!(row => (head, stamp_ms))` as a tuple,
/// `columns!(row => View { seq, since: "parked_at"; kind = "conflict" })` as fields, those after the `;` from elsewhere.
#[macro_export]
macro_rules! columns {
    ($row:expr => ($($name:ident),+ $(,)?)) => {{
        use $crate::db::column::Columns as _;
        ($($row.cell(stringify!($name))?),+)
    }};
    ($row:expr => $type:ident {
        $($field:ident $(: $name:literal)?),+ $(,)? $(; $($other:ident = $value:expr),+ $(,)?)?
    }) => {{
        use $crate::db::column::Columns as _;
        $type { $($field: $row.cell($crate::columns!(@ $field $($name)?))?,)+ $($($other: $value),+)? }
    }};
    (@ $field:ident) => { stringify!($field) };
    (@ $field:ident $name:literal) => { $name };
}
