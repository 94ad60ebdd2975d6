//! The chart of accounts: the plan's, with head office's names, and its own.

use crate::columns;
use crate::db::failure::Failure;
use crate::table::hub;
use domain::model::base::figures::Money;
use domain::model::base::limits::{ACCOUNT_DIGITS, NAME_CHARS_MAX};
use domain::model::base::refusal::{NotReady, NotReadyCode, Refusal};
use domain::rules::books::posting::plan::{Account, AccountType, PLAN};
use edge::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::{AnyConnection, Row};
use std::collections::BTreeMap;

/// An account of the chart.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub struct View {
    /// Account number, four digits.
    pub account: String,
    /// Display name of the account.
    pub name: String,
    /// Account type. It decides whether the account belongs to the balance sheet or to the profit and loss statement.
    #[serde(rename = "type")]
    pub kind: AccountType,
    /// Whether it is a contra account: its balance reduces the accounts of its type.
    pub contra: bool,
    /// Whether it belongs to the standard chart, which every head office has.
    pub system: bool,
    /// Whether it is a control account: only its sub-ledger posts to it, never an entry by hand.
    pub control: bool,
    /// Parent account. Null for a top-level account.
    pub parent: Option<String>,
    /// Whether the account can be posted to.
    pub state: State,
    /// Code of the account in the accounting program that exports of the journal are made for; for QuickBooks its name.
    /// Null if it has none.
    pub export_code: Option<String>,
}

/// Whether an account can be posted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AccountState")]
pub enum State {
    /// The account can be posted to.
    Active,
    /// The account is closed and can't be posted to.
    Closed,
}

/// A new account of head office's own.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewAccount")]
pub struct New {
    /// Account number, four digits. The first digit decides the type: 1 for assets, 2 for liabilities, 3 for equity, 4
    /// to 7 for income or expenses.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    account: String,
    /// Display name of the account.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    name: String,
    /// Account type. It decides whether the account belongs to the balance sheet or to the profit and loss statement.
    #[serde(rename = "type")]
    kind: AccountType,
    /// Whether it is a contra account: its balance reduces the accounts of its type.
    #[serde(default)]
    contra: bool,
    /// Parent account. Null for a top-level account.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    parent: Option<String>,
    /// Code of the account in the accounting program. Null for none.
    #[schemars(length(max = NAME_CHARS_MAX))]
    export_code: Option<String>,
}

/// Changes of an account. Omitted fields stay as they are. For accounts of the standard chart only the name and the
/// export code can change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AccountChange")]
pub struct Change {
    /// Display name of the account.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    name: Option<String>,
    /// Parent account. Empty for none.
    #[serde(default, deserialize_with = "domain::model::base::patch::cleared")]
    #[schemars(length(max = ACCOUNT_DIGITS))]
    parent: Option<String>,
    /// Whether the account can be posted to.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    state: Option<State>,
    /// Code of the account in the accounting program. Empty for none.
    #[serde(default, deserialize_with = "domain::model::base::patch::cleared")]
    #[schemars(length(max = NAME_CHARS_MAX))]
    export_code: Option<String>,
}

/// Every account by its number.
pub struct Chart(BTreeMap<String, View>);

impl Chart {
    pub async fn read(connection: &mut AnyConnection) -> Result<Self, sqlx::Error> {
        let plan = PLAN.iter().map(|(account, name)| planned(*account, name));
        let mut chart: BTreeMap<String, View> = plan.map(|view| (view.account.clone(), view)).collect();
        let sql = "SELECT account, name, kind, contra, parent, closed, export_code FROM accounts";
        for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
            let (account, name, contra, parent, closed): (String, String, bool, Option<String>, bool) =
                columns!(row => (account, name, contra, parent, closed));
            let export_code: Option<String> = row.try_get("export_code")?;
            if let Some(planned) = chart.get_mut(&account) {
                planned.name = name;
                planned.export_code = export_code;
                continue;
            }
            let (kind, state) =
                (kind(row.try_get("kind")?)?, if closed { State::Closed } else { State::Active });
            let view = View {
                account: account.clone(),
                name,
                kind,
                contra,
                system: false,
                control: false,
                parent,
                state,
                export_code,
            };
            chart.insert(account, view);
        }
        // The account of a method has the list of unsettled items behind it.
        let sql = "SELECT DISTINCT account FROM mappings WHERE kind = 'method'";
        let mapped: Vec<String> = sqlx::query_scalar(sql).fetch_all(connection).await?;
        for account in mapped {
            if let Some(view) = chart.get_mut(&account) {
                view.control = true;
            }
        }
        Ok(Self(chart))
    }

    /// The account of that number.
    pub fn get(&self, account: &str) -> Option<&View> {
        self.0.get(account)
    }

    /// The name of an account.
    pub fn name(&self, account: &str) -> String {
        self.get(account).map(|view| view.name.clone()).unwrap_or_default()
    }

    /// Code of an account in the accounting program.
    pub fn export_code(&self, account: &str) -> Option<String> {
        self.get(account)?.export_code.clone()
    }

    /// The accounts after a number, by number.
    pub fn list(
        self,
        after: &str,
        kind: Option<AccountType>,
        state: Option<State>,
        most: usize,
    ) -> Vec<View> {
        let accounts = self.0.into_values().filter(|account| account.account.as_str() > after);
        let wanted = accounts.filter(|account| kind.is_none_or(|kind| account.kind == kind));
        wanted.filter(|account| state.is_none_or(|state| account.state == state)).take(most).collect()
    }

    fn check_parent(&self, own: &str, parent: Option<&str>) -> Result<(), ApiError> {
        let mut above = parent;
        while let Some(account) = above {
            if account == own {
                return Err(ApiError::field("parent", "must not be below this account itself"));
            }
            let Some(known) = self.get(account) else {
                return Err(ApiError::field("parent", "is not an account"));
            };
            above = known.parent.as_deref();
        }
        Ok(())
    }
}

fn planned(account: Account, name: &str) -> View {
    View {
        account: String::from(account),
        name: name.to_owned(),
        kind: account.kind(),
        contra: account.contra(),
        system: true,
        control: account.control(),
        parent: None,
        state: State::Active,
        export_code: None,
    }
}

fn kind(name: &str) -> Result<AccountType, sqlx::Error> {
    serde_json::from_value(name.into()).map_err(|error| sqlx::Error::Decode(error.into()))
}

fn kind_name(kind: AccountType) -> &'static str {
    match kind {
        AccountType::Asset => "asset",
        AccountType::Liability => "liability",
        AccountType::Equity => "equity",
        AccountType::Income => "income",
        AccountType::Expense => "expense",
    }
}

fn check_name(name: &str) -> Result<(), ApiError> {
    // The spaces around it count too: the longest text of the request is then the longest of the document.
    let long = name.chars().count() > NAME_CHARS_MAX;
    if long || name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(ApiError::field("name", "must have 1 to 255 characters"));
    }
    Ok(())
}

fn check_export_code(code: Option<&str>) -> Result<(), ApiError> {
    if code.is_some_and(|code| code.chars().count() > NAME_CHARS_MAX || code.chars().any(char::is_control)) {
        return Err(ApiError::field("export_code", "must have at most 255 characters"));
    }
    Ok(())
}

/// A code without surrounding spaces; an empty one is none.
fn code_of(text: Option<String>) -> Option<String> {
    text.map(|code| code.trim().to_owned()).filter(|code| !code.is_empty())
}

/// The year's end takes income and expense by their number.
fn check_number(account: &str, kind: AccountType) -> Result<(), ApiError> {
    if Account::parse(account).is_none() {
        return Err(ApiError::field("account", "must have four digits, the first of them 1 to 7"));
    }
    let fits = match account.as_bytes().first() {
        Some(b'1') => kind == AccountType::Asset,
        Some(b'2') => kind == AccountType::Liability,
        Some(b'3') => kind == AccountType::Equity,
        Some(b'4'..=b'7') => matches!(kind, AccountType::Income | AccountType::Expense),
        _ => false,
    };
    if fits { Ok(()) } else { Err(ApiError::field("type", "does not match the first digit of the number")) }
}

/// Adds an account.
///
/// # Errors
/// 422; 409 `duplicate`.
pub async fn create(connection: &mut AnyConnection, new: New) -> Result<View, Failure> {
    let chart = Chart::read(&mut *connection).await?;
    let New { account, name, kind, contra, parent, export_code } = new;
    check_name(&name)?;
    check_export_code(export_code.as_deref())?;
    check_number(&account, kind)?;
    chart.check_parent(&account, parent.as_deref())?;
    if chart.get(&account).is_some() {
        return Err(ApiError::from(Refusal::Duplicate { what: "account", id: account }).into());
    }
    let name = name.trim().to_owned();
    let view = View {
        account,
        name,
        kind,
        contra,
        system: false,
        control: false,
        parent,
        state: State::Active,
        export_code: code_of(export_code),
    };
    put(connection, &view).await?;
    Ok(view)
}

/// Changes an account.
///
/// # Errors
/// 404; 422; 409 `not_ready` for one that is closed with a balance.
pub async fn change(
    connection: &mut AnyConnection,
    account: &str,
    asked: Change,
) -> Result<[View; 2], Failure> {
    let chart = Chart::read(&mut *connection).await?;
    let before = chart.get(account).cloned().ok_or_else(|| ApiError::not_found("the account"))?;
    let mut view = before.clone();
    let Change { name, parent, state, export_code } = asked;
    if view.system && (parent.is_some() || state.is_some()) {
        let field = if parent.is_some() { "parent" } else { "state" };
        return Err(ApiError::field(field, "of an account of the standard chart can't change").into());
    }
    if let Some(name) = name {
        check_name(&name)?;
        name.trim().clone_into(&mut view.name);
    }
    if export_code.is_some() {
        check_export_code(export_code.as_deref())?;
        view.export_code = code_of(export_code);
    }
    if let Some(parent) = parent {
        view.parent = Some(parent).filter(|parent| !parent.is_empty());
        chart.check_parent(account, view.parent.as_deref())?;
    }
    if let Some(state) = state {
        if state == State::Closed {
            check_empty(connection, account).await?;
        }
        view.state = state;
    }
    put(connection, &view).await?;
    Ok([before, view])
}

/// Refuses to close an account with a balance in any book, or with a mapping or a payment method on it.
async fn check_empty(connection: &mut AnyConnection, account: &str) -> Result<(), Failure> {
    let sql = "SELECT store_id, CAST(SUM(debit - credit) AS BIGINT) AS balance FROM ledger_days \
               WHERE account = $1 GROUP BY store_id HAVING SUM(debit - credit) <> 0 ORDER BY store_id";
    let (mut problems, currency) = (Vec::new(), hub::currency(connection).await?);
    for row in sqlx::query(sql).bind(account).fetch_all(&mut *connection).await? {
        let (store_id, balance): (String, Money) = columns!(row => (store_id, balance));
        problems.push(NotReady {
            code: NotReadyCode::Balance,
            store_id,
            date: None,
            id: Some(account.to_owned()),
            message: format!("the account has a balance of {}", currency.decimal(balance)),
        });
    }
    for (code, sql, message) in [
        (
            NotReadyCode::Mapping,
            "SELECT COUNT(*) FROM mappings WHERE account = $1",
            "a mapping uses the account",
        ),
        (
            NotReadyCode::StatementSource,
            "SELECT COUNT(*) FROM statement_sources WHERE account = $1 AND active = 1",
            "an active statement source uses the account",
        ),
    ] {
        if sqlx::query_scalar::<_, i64>(sql).bind(account).fetch_one(&mut *connection).await? > 0 {
            problems.push(NotReady {
                code,
                store_id: String::new(),
                date: None,
                id: Some(account.to_owned()),
                message: message.to_owned(),
            });
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(ApiError::from(Refusal::NotReady(problems)).into()) }
}

async fn put(connection: &mut AnyConnection, view: &View) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO accounts (account, name, kind, contra, parent, closed, export_code) \
               VALUES ($1, $2, $3, $4, $5, $6, $7) \
               ON CONFLICT (account) DO UPDATE SET name = excluded.name, parent = excluded.parent, \
               closed = excluded.closed, export_code = excluded.export_code";
    let query = sqlx::query(sql).bind(&view.account).bind(&view.name).bind(kind_name(view.kind));
    let query = query.bind(i64::from(view.contra)).bind(view.parent.clone());
    let query = query.bind(i64::from(view.state == State::Closed)).bind(view.export_code.as_deref());
    query.execute(connection).await.map(drop)
}
