//! Sources: providers that pay out customers' payments, and banks.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::insert;
use crate::office::finance::account::Chart;
pub use crate::office::settlement::source_change::State;
use crate::office::settlement::source_change::{
    AMOUNT_MAX, CURRENCY_CHARS, Change, DAYS_MAX, LIST_MAX, NAME_CHARS_MAX, StoreRef, WORD_BYTES_MAX,
};
use crate::row;
use crate::table::store::is_known;
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::refusal::{FieldProblem, Refusal};
use domain::model::base::text::is_blank;
use domain::model::base::time::UtcMs;
use domain::model::selling::payment::{CASH, EXCHANGE, POINTS};
use domain::rules::books::posting::{AccountUse, plan::Account};
use domain::rules::books::settlement::{FeeOnRefunds, SourceKind, Terms};
use edge::{ApiError, ids};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool};
use statements::camt::AccountName;
use statements::format::Format;

/// The provider of every method that no other source has.
pub const DEFAULT: &str = "src_default";
/// Fewer digits number no account.
const ACCOUNT_DIGITS_MIN: usize = 4;

/// A source of statements.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "StatementSource")]
pub struct View {
    /// ID of the source, `src_…`.
    pub source_id: String,
    /// Display name of the source.
    pub name: String,
    /// Kind of source: a payment provider or a bank.
    pub kind: SourceKind,
    /// Payment methods that the source settles.
    pub methods: Vec<String>,
    /// Asset account that receives the source's money.
    pub account: String,
    /// Number or IBAN of the account. Files of another account are refused. Null if the account is not checked.
    pub account_no: Option<String>,
    /// ISO 4217 code of the currency. Rows in another currency are set aside. Null if the currency is not checked.
    pub currency: Option<String>,
    /// Time zone of the times in the files, such as `UTC`. The local day of a line then follows from its time. Null if
    /// the files' days are used as they are.
    pub timezone: Option<String>,
    /// Fee of each payment, in basis points. Null if the reported fees are accepted.
    pub fee_rate_bp: Option<BasisPoints>,
    /// Fixed fee of each payment, in addition to the rate, in minor currency units.
    pub fee_fixed: Money,
    /// Amount by which a fee may differ from the expected one, in minor currency units.
    pub fee_tolerance: Money,
    /// Treatment of the fee of a refunded payment.
    pub fee_on_refunds: FeeOnRefunds,
    /// Number of days after a payment within which its line is expected.
    pub window_days: i64,
    /// Number of days after which a payment that was not reported is overdue.
    pub lag_days: i64,
    /// Terminals and shops of the source, with their stores.
    pub store_refs: Vec<StoreRef>,
    /// Format of the source's CSV files.
    pub csv: Format,
    /// Whether the source's files are still imported.
    pub state: State,
    /// When the source was added.
    pub created_at: UtcMs,
}

impl View {
    /// Terms of the source.
    pub fn terms(&self) -> Terms {
        let days = |days: i64| i32::try_from(days).unwrap_or(0);
        Terms {
            kind: self.kind,
            fee_rate_bp: self.fee_rate_bp,
            fee_fixed: self.fee_fixed,
            fee_tolerance: self.fee_tolerance,
            fee_on_refunds: self.fee_on_refunds,
            window_days: days(self.window_days),
            lag_days: days(self.lag_days),
        }
    }

    /// The account in the books that receives the source's money.
    ///
    /// # Errors
    /// The row is damaged.
    pub fn bank(&self) -> Result<Account, sqlx::Error> {
        let damaged = || sqlx::Error::Decode(format!("unknown account {}", self.account).into());
        Account::parse(&self.account).ok_or_else(damaged)
    }

    /// The store that a terminal is of.
    pub fn store(&self, name: &str) -> Option<&str> {
        self.store_refs.iter().find(|known| known.name == name).map(|known| known.store_id.as_str())
    }

    fn put(&mut self, change: Change) {
        let Change { name, methods, account, account_no, currency, timezone, fee_rate_bp, .. } = change;
        let trimmed = |text: Option<String>| text.map(|text| text.trim().to_owned());
        self.account_no = trimmed(account_no.over(self.account_no.take()));
        self.currency = trimmed(currency.over(self.currency.take())).map(|code| code.to_uppercase());
        self.timezone = trimmed(timezone.over(self.timezone.take()));
        if let Some(name) = name {
            name.trim().clone_into(&mut self.name);
        }
        self.methods = methods.unwrap_or_else(|| std::mem::take(&mut self.methods));
        self.account = account.unwrap_or_else(|| std::mem::take(&mut self.account));
        self.fee_rate_bp = fee_rate_bp.over(self.fee_rate_bp);
        self.fee_fixed = change.fee_fixed.unwrap_or(self.fee_fixed);
        self.fee_tolerance = change.fee_tolerance.unwrap_or(self.fee_tolerance);
        self.fee_on_refunds = change.fee_on_refunds.unwrap_or(self.fee_on_refunds);
        self.window_days = change.window_days.unwrap_or(self.window_days);
        self.lag_days = change.lag_days.unwrap_or(self.lag_days);
        self.store_refs = change.store_refs.unwrap_or_else(|| std::mem::take(&mut self.store_refs));
        self.csv = change.csv.unwrap_or_else(|| self.csv.clone());
        self.state = change.state.unwrap_or(self.state);
    }
}

/// Problems of a source by itself.
fn problems(source: &View) -> Vec<FieldProblem> {
    let mut problems = source.csv.problems();
    let mut check = |path: &str, good: bool, problem: &str| {
        if !good {
            problems.push(FieldProblem { path: path.to_owned(), problem: problem.to_owned() });
        }
    };
    let is_word =
        |word: &String| !word.trim().is_empty() && word.len() <= WORD_BYTES_MAX && !word.contains('\0');
    check(
        "name",
        !is_blank(&source.name)
            && source.name.chars().count() <= NAME_CHARS_MAX
            && !source.name.contains('\0'),
        "must have 1 to 128 characters",
    );
    let own = [CASH, POINTS, EXCHANGE];
    let settled = |method: &String| is_word(method) && !own.contains(&method.as_str());
    let few = source.methods.len() <= LIST_MAX && source.store_refs.len() <= LIST_MAX;
    check(
        "methods",
        few && source.methods.iter().all(settled),
        "must be payment methods that a bank or provider settles",
    );
    check(
        "fee_rate_bp",
        source.fee_rate_bp.is_none_or(|rate| (BasisPoints::ZERO..=BasisPoints::WHOLE).contains(&rate)),
        "must be 0 to 10000",
    );
    check("fee_fixed", (0..=AMOUNT_MAX).contains(&source.fee_fixed), "must be 0 to 1000000000000");
    check("fee_tolerance", (0..=AMOUNT_MAX).contains(&source.fee_tolerance), "must be 0 to 1000000000000");
    check("window_days", (0..=DAYS_MAX).contains(&source.window_days), "must be 0 to 3650");
    check("lag_days", (0..=DAYS_MAX).contains(&source.lag_days), "must be 0 to 3650");
    check(
        "store_refs",
        source.store_refs.iter().all(|known| is_word(&known.name)),
        "must have 1 to 64 bytes each",
    );
    check(
        "account_no",
        source.account_no.as_deref().is_none_or(is_account_no),
        "must have 4 to 64 letters, digits, spaces, points or hyphens, and at least 4 digits",
    );
    let is_code =
        |code: &str| code.len() == CURRENCY_CHARS && code.bytes().all(|byte| byte.is_ascii_uppercase());
    check(
        "currency",
        source.currency.as_deref().is_none_or(is_code),
        "must be an ISO 4217 code, such as IDR",
    );
    let is_zone = |name: &str| TimeZone::get(name).is_ok();
    check(
        "timezone",
        source.timezone.as_deref().is_none_or(is_zone),
        "must be a name of the time zone database, such as UTC or Asia/Jakarta",
    );
    problems
}

/// Whether a text may be the number of an account.
fn is_account_no(text: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '-');
    let digits = text.chars().filter(char::is_ascii_digit).count();
    text.len() <= WORD_BYTES_MAX && digits >= ACCOUNT_DIGITS_MIN && text.chars().all(known)
}

/// Adds a source.
///
/// # Errors
/// 422; 409 `duplicate` for a method that another active source has, and for the account of another active bank.
pub async fn create(connection: &mut AnyConnection, new: Change, now: UtcMs) -> Result<View, Failure> {
    new.check()?;
    let needed = |path: &str| ApiError::field(path, "is needed");
    let kind = new.kind.ok_or_else(|| needed("kind"))?;
    if new.name.is_none() || new.methods.is_none() {
        return Err(needed(if new.name.is_none() { "name" } else { "methods" }).into());
    }
    let mut view = View {
        source_id: ids::new("src_"),
        name: String::new(),
        kind,
        methods: Vec::new(),
        account: "1040".to_owned(),
        account_no: None,
        currency: None,
        timezone: None,
        fee_rate_bp: None,
        fee_fixed: Money::ZERO,
        fee_tolerance: Money::ZERO,
        fee_on_refunds: FeeOnRefunds::Kept,
        window_days: 4,
        lag_days: 1,
        store_refs: Vec::new(),
        csv: Format::default(),
        state: State::Active,
        created_at: now,
    };
    view.put(new);
    save(connection, &view).await?;
    Ok(view)
}

/// Changes a source.
///
/// # Errors
/// 404; 422; 409 `duplicate` for a method that another active source has, and for the account of another active bank.
pub async fn change(
    connection: &mut AnyConnection,
    source_id: &str,
    asked: Change,
) -> Result<[View; 2], Failure> {
    asked.check()?;
    let before = lock(connection, source_id).await?;
    let mut view = before.clone();
    if asked.kind.is_some_and(|kind| kind != view.kind) {
        return Err(ApiError::field("kind", "of a source can't change").into());
    }
    view.put(asked);
    save(connection, &view).await?;
    Ok([before, view])
}

async fn save(connection: &mut AnyConnection, view: &View) -> Result<(), Failure> {
    let problems = problems(view);
    if !problems.is_empty() {
        return Err(ApiError::validation(&problems).into());
    }
    let chart = Chart::read(&mut *connection).await?;
    chart.check_use("account", &view.account, AccountUse::StatementSource)?;
    chart.check_use("csv.rounding_account", &view.csv.rounding_account, AccountUse::ByHand)?;
    for known in &view.store_refs {
        if !is_known(connection, &known.store_id).await? {
            return Err(ApiError::field("store_refs", format!("{} is not a store", known.store_id)).into());
        }
    }
    if view.state == State::Active {
        for other in all(&mut *connection).await? {
            let others = other.source_id != view.source_id && other.state == State::Active;
            // Only one bank reports the balance of an account.
            let both_banks = other.kind == SourceKind::Bank && view.kind == SourceKind::Bank;
            if others && both_banks && other.account == view.account {
                let (what, id) = ("bank of an account", other.source_id);
                return Err(ApiError::from(Refusal::Duplicate { what, id }).into());
            }
            if others && other.methods.iter().any(|method| view.methods.contains(method)) {
                return Err(ApiError::from(Refusal::Duplicate {
                    what: "source of a method",
                    id: other.source_id,
                })
                .into());
            }
        }
    }
    let json = |value: serde_json::Result<String>| value.map_err(|error| sqlx::Error::Encode(error.into()));
    let kept = match view.fee_on_refunds {
        FeeOnRefunds::Kept => "kept",
        FeeOnRefunds::Returned => "returned",
    };
    let cells = row! {
        source_id: view.source_id.as_str(), name: view.name.as_str(), kind: view.kind.name(),
        methods: json(serde_json::to_string(&view.methods))?, account: view.account.as_str(),
        account_no: view.account_no.clone(), currency: view.currency.clone(), timezone: view.timezone.clone(),
        fee_rate_bp: view.fee_rate_bp, fee_fixed: view.fee_fixed, fee_tolerance: view.fee_tolerance,
        fee_on_refunds: kept, window_days: view.window_days, lag_days: view.lag_days,
        store_refs: json(serde_json::to_string(&view.store_refs))?, csv: json(serde_json::to_string(&view.csv))?,
        active: i64::from(view.state == State::Active), created_at: view.created_at.0,
    };
    insert::replace(connection, "statement_sources", &["source_id"], vec![cells]).await?;
    Ok(())
}

const COLUMNS: &str = "source_id, name, kind, methods, account, account_no, currency, timezone, fee_rate_bp, \
                       fee_fixed, fee_tolerance, fee_on_refunds, window_days, lag_days, store_refs, csv, active, created_at";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let kinds = [SourceKind::Bank, SourceKind::Provider];
    let kind = row.word("kind", |word| kinds.into_iter().find(|known| known.name() == word))?;
    let fees = [("kept", FeeOnRefunds::Kept), ("returned", FeeOnRefunds::Returned)];
    let fee = |word: &str| fees.iter().find(|(known, _)| *known == word).map(|(_, fee)| *fee);
    let fee_on_refunds = row.word("fee_on_refunds", fee)?;
    let state = if row.cell("active")? { State::Active } else { State::Inactive };
    let (methods, store_refs, csv) = (row.json("methods")?, row.json("store_refs")?, row.json("csv")?);
    Ok(columns!(row => View {
        source_id, name, account, account_no, currency, timezone, fee_rate_bp, fee_fixed, fee_tolerance, window_days, lag_days, created_at;
        kind = kind, fee_on_refunds = fee_on_refunds, state = state, methods = methods, store_refs = store_refs,
        csv = csv,
    }))
}

/// All of them: they are few.
pub async fn all(connection: &mut AnyConnection) -> Result<Vec<View>, sqlx::Error> {
    let sql = format!("SELECT {COLUMNS} FROM statement_sources ORDER BY source_id");
    sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(connection).await?.iter().map(view).collect()
}

/// The sources after one, by ID.
pub async fn list(pool: &AnyPool, after: &str, limit: i64) -> Result<Vec<View>, sqlx::Error> {
    let sql =
        format!("SELECT {COLUMNS} FROM statement_sources WHERE source_id > $1 ORDER BY source_id LIMIT $2");
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(after.to_owned()).bind(limit);
    query.fetch_all(pool).await?.iter().map(view).collect()
}

/// One of them.
///
/// # Errors
/// 404.
pub async fn read(connection: &mut AnyConnection, source_id: &str) -> Result<View, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM statement_sources WHERE source_id = $1");
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(source_id.to_owned());
    let row = query.fetch_optional(connection).await?.ok_or_else(|| ApiError::not_found("the source"))?;
    Ok(view(&row)?)
}

/// Locks a source: no other transaction imports or matches for it until this one ends.
///
/// # Errors
/// 404.
pub async fn lock(connection: &mut AnyConnection, source_id: &str) -> Result<View, Failure> {
    let sql = "UPDATE statement_sources SET turn = turn + 1 WHERE source_id = $1";
    sqlx::query(sql).bind(source_id).execute(&mut *connection).await?;
    read(connection, source_id).await
}

/// A source gets the account of its first file that names one, unless a person has set another.
///
/// # Errors
/// 422 for a file of another account than the source has by now.
pub async fn take_account(
    connection: &mut AnyConnection,
    source: &View,
    account: &AccountName,
) -> Result<(), Failure> {
    if !account.is(source.account_no.as_deref(), source.currency.as_deref()) {
        return Err(ApiError::field(
            "file",
            format!("is of account {account}, but the source has another account"),
        )
        .into());
    }
    let sql = "UPDATE statement_sources SET account_no = COALESCE(account_no, $2), currency = COALESCE(currency, $3) \
               WHERE source_id = $1";
    let number = Some(AccountName::key(&account.number)).filter(|number| !number.is_empty());
    let is_code = |code: &&String| {
        code.len() == CURRENCY_CHARS && code.bytes().all(|letter| letter.is_ascii_uppercase())
    };
    let currency = Some(&account.currency).filter(is_code).cloned();
    sqlx::query(sql).bind(&source.source_id).bind(number).bind(currency).execute(connection).await?;
    Ok(())
}

/// Assigns this terminal to that store from now on.
///
/// # Errors
/// 404.
pub async fn remember(
    connection: &mut AnyConnection,
    source_id: &str,
    name: &str,
    store_id: &str,
) -> Result<(), Failure> {
    let mut view = read(connection, source_id).await?;
    view.store_refs.retain(|known| known.name != name);
    view.store_refs.push(StoreRef { name: name.to_owned(), store_id: store_id.to_owned() });
    save(connection, &view).await
}
