//! Lists that head office keeps for the whole company: what is in them, by code.

use crate::db::document::{decode, encode};
use crate::db::failure::Failure;
use domain::model::base::ids::{SHORT_ID_PROBLEM, is_short_id};
use domain::model::base::limits::NAME_CHARS_MAX;
use domain::model::base::refusal::{FieldProblem, Refusal};
use domain::model::base::text::is_blank;
use edge::ApiError;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqlx::{Any, AnyConnection, Executor};

/// Whether something of a list is still used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ListState")]
pub enum State {
    /// The entry is still used.
    #[default]
    Active,
    /// The entry is no longer used and stays for the records that name it.
    Inactive,
}

/// Entry of a list.
pub trait Entry: Serialize + DeserializeOwned {
    const LIST: &'static str;
    /// Name of an entry, in words.
    const WHAT: &'static str;
    /// Its place in the list, unique there.
    fn key(&self) -> String;
}

/// Those after a place, by it.
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

/// One of them, locked until the transaction ends.
///
/// # Errors
/// 404.
pub async fn locked<T: Entry>(connection: &mut AnyConnection, key: &str) -> Result<T, Failure> {
    let sql = "UPDATE company_lists SET code = code WHERE list = $1 AND code = $2 RETURNING document";
    let text: Option<String> =
        sqlx::query_scalar(sql).bind(T::LIST).bind(key).fetch_optional(connection).await?;
    let text = text.ok_or_else(|| ApiError::not_found(T::WHAT))?;
    Ok(decode(&text)?)
}

/// Adds one.
///
/// # Errors
/// 409 `duplicate`.
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

/// Problems of an entry.
#[derive(Default)]
pub struct Problems(Vec<FieldProblem>);

impl Problems {
    /// Notes what does not hold.
    pub fn rule(&mut self, holds: bool, path: &str, problem: &str) {
        if !holds {
            self.0.push(FieldProblem { path: path.to_owned(), problem: problem.to_owned() });
        }
    }

    /// A code on the wire.
    pub fn code(&mut self, path: &str, code: &str) {
        self.rule(is_short_id(code), path, SHORT_ID_PROBLEM);
    }

    /// A text of at most this many characters on one line.
    pub fn line(&mut self, path: &str, text: &str, chars_max: usize) {
        let sound = (1..=chars_max).contains(&text.chars().count())
            && !text.contains(char::is_control)
            && !is_blank(text);
        self.rule(sound, path, &format!("must have 1 to {chars_max} characters on one line"));
    }

    /// A name for people.
    pub fn name(&mut self, name: &str) {
        self.line("name", name, NAME_CHARS_MAX);
    }

    /// The refusal, if anything was wrong.
    ///
    /// # Errors
    /// 422.
    pub fn done(self) -> Result<(), ApiError> {
        if self.0.is_empty() { Ok(()) } else { Err(ApiError::validation(&self.0)) }
    }
}
