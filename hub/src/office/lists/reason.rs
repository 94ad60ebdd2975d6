//! Reasons: meanings of the codes that tills send.

use crate::http::prelude::*;
use crate::office::lists::entry::{self, Entry, Problems};
use domain::model::base::limits::{NAME_CHARS_MAX, REFERENCE_CHARS_MAX};

const REASON: &str = r#"{"list": "returns", "code": "torn", "name": "Torn"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/reasons", ADMIN, "Lists")
        .summary("List reasons, ordered by list and code")
        .lists::<Reason>(REASON),
    post("/api/reasons", ADMIN, "Lists")
        .summary("Create a reason; stores get it through their setting `reasons`")
        .refuses(&[Code::Duplicate])
        .creates::<NewReason>(REASON, REASON),
    patch("/api/reasons/:list/:code", ADMIN, "Lists")
        .summary("Rename a reason")
        .command::<ReasonChange>(r#"{"name": "Torn or broken"}"#, REASON),
];

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
    #[schemars(length(min = 1, max = REFERENCE_CHARS_MAX))]
    pub code: String,
    /// Display name of the reason.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
}

/// Request body of `PATCH /api/reasons/:list/:code`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonChange {
    /// Display name of the reason.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
}

impl Command for NewReason {
    const ACTION: &'static str = "reason.created";
    type Answer = Reason;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Reason>, Failure> {
        let NewReason { list, code, name } = self;
        let reason = Reason { list, code, name: entry::named(&name)? };
        check(&reason)?;
        entry::add(tx.connection, &reason).await?;
        entry::created("/api/reasons", &reason)
    }
}

impl Command for ReasonChange {
    const ACTION: &'static str = "reason.changed";
    type Answer = Reason;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Reason>, Failure> {
        let list = ReasonList::of(tx.path.get("list")).ok_or_else(|| ApiError::not_found("the list"))?;
        let before: Reason = entry::locked(tx.connection, &key(list, tx.path.get("code"))).await?;
        let mut reason = before.clone();
        reason.name = entry::named(&self.name)?;
        check(&reason)?;
        entry::put(tx.connection, &reason).await?;
        entry::changed(&before, &reason)
    }
}

fn check(reason: &Reason) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    problems.line("code", &reason.code, REFERENCE_CHARS_MAX);
    problems.name(&reason.name);
    problems.done()
}
