//! Categories of products, each below another or at the top.

use crate::db::document::decode;
use crate::http::prelude::*;
use crate::office::lists::entry::{self, Entry, Problems, State};
use crate::table::counter::{Turn, take_turn};
use domain::model::base::limits::{NAME_CHARS_MAX, REFERENCE_CHARS_MAX};
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

const CATEGORY: &str = r#"{"code": "Tea", "name": "Tea and coffee", "parent": null, "state": "active"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/categories", ADMIN, "Lists")
        .summary("List categories, ordered by code")
        .lists::<Category>(CATEGORY),
    post("/api/categories", ADMIN, "Lists")
        .summary("Create a category")
        .refuses(&[Code::Duplicate])
        .creates::<NewCategory>(r#"{"code": "Tea", "name": "Tea and coffee"}"#, CATEGORY),
    patch("/api/categories/:code", ADMIN, "Lists")
        .summary("Update a category")
        .command::<CategoryChange>(r#"{"parent": "", "state": "inactive"}"#, CATEGORY),
];

/// Greatest depth of categories.
const DEPTH_MAX: usize = 16;

/// A product category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Category {
    /// Code of the category, as products name it.
    pub code: String,
    /// Display name of the category.
    pub name: String,
    /// Parent category. Null for a top-level category.
    pub parent: Option<String>,
    /// Whether products may be assigned to the category.
    pub state: State,
}

impl Entry for Category {
    const LIST: &'static str = "categories";
    const WHAT: &'static str = "the category";
    fn key(&self) -> String {
        self.code.clone()
    }
}

/// Request body of `POST /api/categories`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCategory {
    /// Code of the category, as products name it.
    #[schemars(length(min = 1, max = REFERENCE_CHARS_MAX))]
    pub code: String,
    /// Display name. Null to show the code.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Parent category. Null for a top-level category.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub parent: Option<String>,
    /// Whether products may be assigned to the category.
    #[serde(default)]
    pub state: State,
}

/// Request body of `PATCH /api/categories/:code`. Omitted fields stay as they are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CategoryChange {
    /// Display name of the category.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Parent category. Empty for none.
    #[serde(default, deserialize_with = "domain::model::base::patch::cleared")]
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub parent: Option<String>,
    /// Whether products may be assigned to the category.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub state: Option<State>,
}

impl Command for NewCategory {
    const ACTION: &'static str = "category.created";
    type Answer = Category;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Category>, Failure> {
        let NewCategory { code, name, parent, state } = self;
        let name = entry::named(name.as_ref().unwrap_or(&code))?;
        let category = Category { code, name, parent: filled(parent), state };
        take_turn(tx.connection, Turn::Categories).await?;
        check(tx.connection, &category, 1).await?;
        entry::add(tx.connection, &category).await?;
        entry::created("/api/categories", &category)
    }
}

impl Command for CategoryChange {
    const ACTION: &'static str = "category.changed";
    type Answer = Category;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Category>, Failure> {
        take_turn(tx.connection, Turn::Categories).await?;
        let before: Category = entry::locked(tx.connection, tx.path.get("code")).await?;
        let mut category = before.clone();
        if let Some(name) = &self.name {
            category.name = entry::named(name)?;
        }
        if self.parent.is_some() {
            category.parent = filled(self.parent);
        }
        category.state = self.state.unwrap_or(category.state);
        if category.parent == before.parent {
            check_fields(&category)?;
        } else {
            let height = height(tx.connection, &category.code).await?;
            check(tx.connection, &category, height).await?;
        }
        entry::put(tx.connection, &category).await?;
        entry::changed(&before, &category)
    }
}

fn filled(parent: Option<String>) -> Option<String> {
    parent.filter(|parent| !parent.is_empty())
}

fn check_fields(category: &Category) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    problems.line("code", &category.code, REFERENCE_CHARS_MAX);
    problems.name(&category.name);
    problems.done()
}

/// Checks that its fields are valid and that it is not below itself, nor too deep. Categories are moved one at a time:
/// two at once could form a ring, or become too deep, although each alone would not.
async fn check(connection: &mut AnyConnection, category: &Category, height: usize) -> Result<(), Failure> {
    check_fields(category)?;
    let mut above = category.parent.clone();
    // Number of levels that it takes with all levels below.
    for _ in height..=DEPTH_MAX {
        let Some(code) = above else { return Ok(()) };
        if code == category.code {
            return Err(ApiError::field("parent", "must not be below the category itself").into());
        }
        let found: Option<Category> = entry::read(connection, &code).await?;
        above = found.ok_or_else(|| ApiError::field("parent", "is not a category"))?.parent;
    }
    Err(ApiError::field("parent", "has too many levels: at most 16").into())
}

/// Number of levels of a category and all below it: 1 if nothing is below.
async fn height(connection: &mut AnyConnection, code: &str) -> Result<usize, sqlx::Error> {
    let sql = "SELECT document FROM company_lists WHERE list = $1";
    let texts: Vec<String> = sqlx::query_scalar(sql).bind(Category::LIST).fetch_all(&mut *connection).await?;
    let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for text in &texts {
        let category: Category = decode(text)?;
        if let Some(parent) = category.parent {
            below.entry(parent).or_default().push(category.code);
        }
    }
    let (mut height, mut level) = (0_usize, vec![code.to_owned()]);
    while !level.is_empty() && height <= DEPTH_MAX {
        height = height.saturating_add(1);
        level = level.iter().filter_map(|code| below.get(code)).flatten().cloned().collect();
    }
    Ok(height)
}

/// If the list of categories is closed, refuses names that are not in use.
///
/// # Errors
/// 422 with the first of them.
pub async fn check_allowed(
    hub: &Hub,
    connection: &mut AnyConnection,
    names: impl Iterator<Item = &String>,
) -> Result<(), Failure> {
    if !hub.closed_categories {
        return Ok(());
    }
    check_known(connection, names.cloned().collect()).await
}

/// Refuses names that are no category which products may be put into.
///
/// # Errors
/// 422 with the first of them.
pub async fn check_known(connection: &mut AnyConnection, names: BTreeSet<String>) -> Result<(), Failure> {
    for name in names {
        let found: Option<Category> = entry::read(connection, &name).await?;
        if found.is_none_or(|category| category.state != State::Active) {
            let problem = format!("{name} is not a category in use: add it at POST /api/categories");
            return Err(ApiError::field("category", problem).into());
        }
    }
    Ok(())
}
