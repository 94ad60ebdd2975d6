//! Reasons: what the codes that tills send mean.

use crate::db::failure::Failure;
use crate::office::lists::entry::{self, Entry, Problems};
use domain::model::base::limits::REFERENCE_CHARS_MAX;
use edge::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

/// List of reasons, by the action that they are given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReasonUse")]
pub enum ReasonList {
    /// Reasons for a void.
    Voids,
    /// Reasons for a manual discount.
    Discounts,
    /// Reasons for a return.
    Returns,
    /// Reasons for cash paid in or out.
    Cash,
}

impl ReasonList {
    const ALL: [Self; 4] = [Self::Voids, Self::Discounts, Self::Returns, Self::Cash];

    /// Its name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Voids => "voids",
            Self::Discounts => "discounts",
            Self::Returns => "returns",
            Self::Cash => "cash",
        }
    }

    /// The list of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|list| list.name() == name)
    }
}

/// Reason code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ListedReason")]
pub struct Reason {
    /// Action that the reason is given for.
    pub list: ReasonList,
    /// Code of the reason, as tills send it.
    pub code: String,
    /// Display name of the reason.
    pub name: String,
}

impl Entry for Reason {
    const LIST: &'static str = "reasons";
    const WHAT: &'static str = "the reason";
    fn key(&self) -> String {
        key(self.list, &self.code)
    }
}

fn key(list: ReasonList, code: &str) -> String {
    format!("{} {code}", list.name())
}

/// Request body of `POST /api/reasons`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReason {
    /// Action that the reason is given for.
    pub list: ReasonList,
    /// Code of the reason, as tills send it.
    pub code: String,
    /// Display name of the reason.
    pub name: String,
}

/// Request body of `PATCH /api/reasons/:list/:code`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonChange {
    /// Display name of the reason.
    pub name: String,
}

/// Adds a reason.
///
/// # Errors
/// 422; 409 `duplicate`.
pub async fn create(connection: &mut AnyConnection, new: NewReason) -> Result<Reason, Failure> {
    let NewReason { list, code, name } = new;
    let reason = Reason { list, code, name: name.trim().to_owned() };
    check(&reason)?;
    entry::add(connection, &reason).await?;
    Ok(reason)
}

/// Names a reason otherwise.
///
/// # Errors
/// 404; 422.
pub async fn change(
    connection: &mut AnyConnection,
    (list, code): (&str, &str),
    asked: ReasonChange,
) -> Result<[Reason; 2], Failure> {
    let list = ReasonList::of(list).ok_or_else(|| ApiError::not_found("the list"))?;
    let before: Reason = entry::locked(connection, &key(list, code)).await?;
    let mut reason = before.clone();
    asked.name.trim().clone_into(&mut reason.name);
    check(&reason)?;
    entry::put(connection, &reason).await?;
    Ok([before, reason])
}

fn check(reason: &Reason) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    problems.line("code", &reason.code, REFERENCE_CHARS_MAX);
    problems.name(&reason.name);
    problems.done()
}
