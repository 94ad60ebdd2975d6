//! The tables, a file each: what a row is, its columns, how it is read and written.
//!
//! A column is named in its table's file and read by its name; whoever asks for rows counts no positions.

pub mod conflict;
pub mod epoch;
pub mod passkey;
pub mod staff;
pub mod store;
pub mod user;

use domain::time::UtcMs;
use serde::de::DeserializeOwned;
use sqlx::any::AnyRow;
use sqlx::{Error, Row};

/// Cells by the names of their columns, as the types that they stand for; texts and plain numbers are read by
/// [`Row::try_get`].
pub trait Cells {
    /// A number that is never below zero.
    ///
    /// # Errors
    /// No such column, or another type.
    fn unsigned(&self, column: &str) -> Result<u64, Error>;
    /// 0 or 1.
    ///
    /// # Errors
    /// No such column, or another type.
    fn flag(&self, column: &str) -> Result<bool, Error>;
    /// An instant.
    ///
    /// # Errors
    /// No such column, or another type.
    fn instant(&self, column: &str) -> Result<UtcMs, Error>;
    /// An instant, or none.
    ///
    /// # Errors
    /// No such column, or another type.
    fn maybe_instant(&self, column: &str) -> Result<Option<UtcMs>, Error>;
    /// A JSON document.
    ///
    /// # Errors
    /// No such column, or it is damaged.
    fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, Error>;
}

impl Cells for AnyRow {
    fn unsigned(&self, column: &str) -> Result<u64, Error> {
        self.try_get::<i64, _>(column).map(i64::unsigned_abs)
    }

    fn flag(&self, column: &str) -> Result<bool, Error> {
        self.try_get::<i64, _>(column).map(|number| number != 0)
    }

    fn instant(&self, column: &str) -> Result<UtcMs, Error> {
        self.try_get(column).map(UtcMs)
    }

    fn maybe_instant(&self, column: &str) -> Result<Option<UtcMs>, Error> {
        self.try_get::<Option<i64>, _>(column).map(|at| at.map(UtcMs))
    }

    fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, Error> {
        serde_json::from_str(self.try_get(column)?).map_err(|error| Error::Decode(error.into()))
    }
}
