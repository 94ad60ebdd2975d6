//! State of the books.

use crate::config::Finance;
use crate::office::finance::locking::locked;
use crate::office::finance::period;
use crate::office::finance::proof::{self, LastProof};
use crate::office::finance::readiness;
use crate::table::audit;
use crate::table::journal;
use domain::model::base::time::UtcMs;
use domain::rules::books::month::Month;
use domain::rules::books::posting::PointsPolicy;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyConnection;

/// State of the books.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FinanceStatus")]
pub struct View {
    /// Accounting policy for loyalty points.
    #[schemars(with = "String")]
    pub points_policy: PointsPolicy,
    /// The first day of the fiscal year, `MM-DD`.
    pub fiscal_year_start: String,
    /// Postings of the stores' records.
    pub posting: Posting,
    /// Last locked day of each book.
    pub locked_through: Vec<LockedThrough>,
    /// Month that can be closed next. While no month is closed, the first month with an entry; later ones can be closed
    /// too.
    pub open_month: Month,
    /// Result of the last proof. Null if none was made yet.
    pub last_proof: Option<LastProof>,
    /// Time of the backup that this database was restored from: head office's documents after it are lost. Null if the
    /// database was never restored.
    pub documents_lost_since: Option<UtcMs>,
}

/// Postings of the stores' records.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Posting {
    /// Number of entries of all books.
    pub posted: i64,
    /// Always 0: every record is posted when it is applied.
    pub left: i64,
    /// Number of parked records. They are posted when they are applied.
    pub failed: i64,
}

/// Last locked day of a book.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LockedThrough {
    /// Store that the book belongs to. Empty for head office's own book.
    pub store_id: String,
    /// Day up to which every day is locked. Null if the first day of the book is open.
    pub date: Option<Date>,
}

pub async fn read(
    connection: &mut AnyConnection,
    finance: &Finance,
    today: Date,
) -> Result<View, sqlx::Error> {
    let posted = journal::posted(&mut *connection).await?;
    let failed = sqlx::query_scalar("SELECT COUNT(*) FROM parked").fetch_one(&mut *connection).await?;
    let stores = readiness::tellers(&mut *connection).await?.into_iter().map(|teller| teller.store_id);
    let books = locked(&mut *connection, &stores.chain([String::new()]).collect()).await?;
    let through = |(store_id, days): (String, domain::rules::books::locked_days::LockedDays)| LockedThrough {
        store_id,
        date: days.through(),
    };
    Ok(View {
        points_policy: finance.points_policy,
        fiscal_year_start: finance.fiscal_year_start.clone(),
        posting: Posting { posted, left: 0, failed },
        locked_through: books.into_iter().map(through).collect(),
        open_month: period::open_month(&mut *connection, today).await?,
        last_proof: proof::last(&mut *connection).await?,
        documents_lost_since: audit::written_until(connection).await?,
    })
}
