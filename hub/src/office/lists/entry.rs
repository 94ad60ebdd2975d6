//! Company-wide lists of head office. Each entry has a code that is unique in its list.

use crate::db::document::{decode, encode};
use crate::http::prelude::*;
use domain::model::base::ids::{SHORT_ID_PROBLEM, is_short_id};
use domain::model::base::limits::NAME_CHARS_MAX;
use domain::model::base::refusal::{FieldProblem, Refusal};
use domain::model::base::text::is_blank;
use serde::de::DeserializeOwned;
use sqlx::{Any, AnyConnection, Executor};

/// Whether an entry of a list can still be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ListState")]
pub enum State {
    /// The entry can be used.
    #[default]
    Active,
    /// The entry can no longer be used. It is kept for the records that name it.
    Inactive,
}

/// Entry of a list.
pub trait Entry: Serialize + DeserializeOwned {
    const LIST: &'static str;
    /// The name of an entry in error messages, for example `tier`.
    const WHAT: &'static str;
    /// Code of the entry, unique in the list. The list is sorted by it.
    fn key(&self) -> String;
}

/// Entries after a code, in the order of codes.
pub async fn list<'a, T: Entry>(
    database: impl Executor<'a, Database = Any>,
    after: &str,
    limit: i64,
) -> Result<Vec<T>, sqlx::Error> {
    let sql = "SELECT document FROM company_lists WHERE list = $1 AND code > $2 ORDER BY code LIMIT $3";
    let rows: Vec<String> =
        sqlx::query_scalar(sql).bind(T::LIST).bind(after).bind(limit).fetch_all(database).await?;
    rows.iter().map(|text| decode(text)).collect()
}

pub async fn read<T: Entry>(connection: &mut AnyConnection, key: &str) -> Result<Option<T>, sqlx::Error> {
    let sql = "SELECT document FROM company_lists WHERE list = $1 AND code = $2";
    let text: Option<String> =
        sqlx::query_scalar(sql).bind(T::LIST).bind(key).fetch_optional(connection).await?;
    text.map(|text| decode(&text)).transpose()
}

/// Reads an entry and locks its row until the transaction ends.
///
/// # Errors
/// 404 if there is no such entry.
pub async fn locked<T: Entry>(connection: &mut AnyConnection, key: &str) -> Result<T, Failure> {
    let sql = "UPDATE company_lists SET code = code WHERE list = $1 AND code = $2 RETURNING document";
    let text: Option<String> =
        sqlx::query_scalar(sql).bind(T::LIST).bind(key).fetch_optional(connection).await?;
    let text = text.ok_or_else(|| ApiError::not_found(T::WHAT))?;
    Ok(decode(&text)?)
}

/// Adds an entry.
///
/// # Errors
/// 409 `duplicate` if the code is in use.
pub async fn add<T: Entry>(connection: &mut AnyConnection, entry: &T) -> Result<(), Failure> {
    let sql = "INSERT INTO company_lists (list, code, document) VALUES ($1, $2, $3) \
               ON CONFLICT (list, code) DO NOTHING";
    let query = sqlx::query(sql).bind(T::LIST).bind(entry.key()).bind(encode(entry)?);
    if query.execute(connection).await?.rows_affected() == 0 {
        return Err(ApiError::from(Refusal::Duplicate { what: T::WHAT, id: entry.key() }).into());
    }
    Ok(())
}

/// Replaces an entry.
pub async fn put<T: Entry>(connection: &mut AnyConnection, entry: &T) -> Result<(), sqlx::Error> {
    let sql = "UPDATE company_lists SET document = $3 WHERE list = $1 AND code = $2";
    let query = sqlx::query(sql).bind(T::LIST).bind(entry.key()).bind(encode(entry)?);
    query.execute(connection).await.map(drop)
}

impl<T: Entry + JsonSchema + Send + 'static> PagedList for T {
    type Query = Page;
    type Item = T;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<T>, Failure> {
        Ok(list(page.pool, &page.after.unwrap_or_default(), page.limit).await?)
    }
    fn position(entry: &T) -> String {
        entry.key()
    }
}

/// Result of a command that has created an entry.
///
/// # Errors
/// Never, for types that are JSON.
pub fn created<T: Entry>(path: &str, entry: &T) -> Result<Changed<T>, Failure> {
    Ok(Changed::created(path.to_owned(), entry, details(entry)?))
}

/// Result of a command that has changed an entry.
///
/// # Errors
/// Never, for types that are JSON.
pub fn changed<T: Entry>(before: &T, after: &T) -> Result<Changed<T>, Failure> {
    Ok(Changed::document([before, after], details(after)?))
}

/// Details of an entry for the audit log: its fields. An account number is not a figure.
fn details<T: Entry>(entry: &T) -> Result<Value, Failure> {
    let mut details = serde_json::to_value(entry).map_err(ApiError::internal)?;
    if let Some(account) = details.get_mut("account")
        && let Some(number) = account.as_str()
    {
        *account = format!("account {number}").into();
    }
    Ok(details)
}

/// The name of a request, without the spaces around it. They count all the same: the longest text of the request is then
/// the longest of the document.
///
/// # Errors
/// 422 for one that is too long.
pub fn named(name: &str) -> Result<String, ApiError> {
    let mut problems = Problems::default();
    let problem = format!("must have 1 to {NAME_CHARS_MAX} characters on one line");
    problems.rule(name.chars().count() <= NAME_CHARS_MAX, "name", &problem);
    problems.done()?;
    Ok(name.trim().to_owned())
}

/// Problems of an entry.
#[derive(Default)]
pub struct Problems(Vec<FieldProblem>);

impl Problems {
    /// Adds the problem unless the condition `holds`.
    pub fn rule(&mut self, holds: bool, path: &str, problem: &str) {
        if !holds {
            self.0.push(FieldProblem { path: path.to_owned(), problem: problem.to_owned() });
        }
    }

    /// Requires a valid short ID.
    pub fn code(&mut self, path: &str, code: &str) {
        self.rule(is_short_id(code), path, SHORT_ID_PROBLEM);
    }

    /// Requires a text of 1 to `chars_max` characters on one line.
    pub fn line(&mut self, path: &str, text: &str, chars_max: usize) {
        let sound = (1..=chars_max).contains(&text.chars().count())
            && !text.contains(char::is_control)
            && !is_blank(text);
        self.rule(sound, path, &format!("must have 1 to {chars_max} characters on one line"));
    }

    /// Requires a valid name.
    pub fn name(&mut self, name: &str) {
        self.line("name", name, NAME_CHARS_MAX);
    }

    /// Ends the checks.
    ///
    /// # Errors
    /// 422 with all problems that were added.
    pub fn done(self) -> Result<(), ApiError> {
        if self.0.is_empty() { Ok(()) } else { Err(ApiError::validation(&self.0)) }
    }
}
