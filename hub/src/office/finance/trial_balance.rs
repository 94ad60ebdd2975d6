//! The trial balance: the balance of each account at the end of a day, and its movements since another.

use crate::columns;
use crate::db::Engine;
use crate::db::filter::Conditions;
use crate::db::guarded::guarded;
use crate::office::finance::account::Chart;
use domain::model::base::figures::Money;
use domain::model::base::money::{HIDDEN, shown, shown_sum};
use domain::rules::books::report::hides;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyConnection;

/// Balance of an account, either as a debit or as a credit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrialBalanceRow", transform = hides)]
pub struct Line {
    /// Account number.
    pub account: String,
    /// Name of the account.
    pub name: String,
    /// Balance at the end of the day in minor currency units, if it is a debit balance; 0 otherwise.
    pub debit: Money,
    /// Balance at the end of the day in minor currency units, if it is a credit balance; 0 otherwise.
    pub credit: Money,
    /// Balance before `from` in minor currency units, if it is a debit balance; 0 otherwise. Null without `from`.
    pub opening_debit: Option<Money>,
    /// Balance before `from` in minor currency units, if it is a credit balance; 0 otherwise. Null without `from`.
    pub opening_credit: Option<Money>,
    /// Debit movements since `from`, in minor currency units. Null without `from`.
    pub moved_debit: Option<Money>,
    /// Credit movements since `from`, in minor currency units. Null without `from`.
    pub moved_credit: Option<Money>,
}

/// Filters of the trial balance.
pub struct BalanceFilter<'a> {
    /// At the end of this day.
    pub date: Date,
    /// With what moved from this day on.
    pub from: Option<Date>,
    /// Only this book. `None` for all books.
    pub book: Option<&'a str>,
}

/// Balances by account; accounts with a balance of 0 and no movement are left out.
pub async fn rows(
    connection: &mut AnyConnection,
    chart: &Chart,
    ask: &BalanceFilter<'_>,
) -> Result<Vec<Line>, sqlx::Error> {
    let BalanceFilter { date, from, book } = ask;
    let conditions =
        Conditions::default().text("entry_date <= ?", Some(&date.to_string())).text("store_id = ?", *book);
    // A date needs no quoting; without one everything moved.
    let since = from.unwrap_or(Date::MIN);
    let sum = |what: &str, side: &str| {
        format!("CAST(SUM(CASE WHEN entry_date {what} '{since}' THEN {side} ELSE 0 END) AS BIGINT)")
    };
    let sql = format!(
        "SELECT account, {} AS opening, {} AS debit, {} AS credit FROM ledger_days WHERE {{}} \
         GROUP BY account ORDER BY account",
        sum("<", "debit - credit"),
        sum(">=", "debit"),
        sum(">=", "credit")
    );
    let sql = guarded(Engine::of_connection(connection), &sql);
    let mut lines = Vec::new();
    for row in conditions.query(&sql).fetch_all(connection).await? {
        let (account, opening, debit, credit): (String, Money, Money, Money) =
            columns!(row => (account, opening, debit, credit));
        let balance = shown_sum([opening, debit, credit.saturating_neg()]);
        let moved = from.is_some() && (debit, credit) != (Money::ZERO, Money::ZERO);
        if balance != 0 || moved {
            lines.push(line(chart, account, balance, from.is_some().then_some((opening, debit, credit))));
        }
    }
    Ok(lines)
}

fn line(chart: &Chart, account: String, balance: Money, moved: Option<(Money, Money, Money)>) -> Line {
    let name = chart.name(&account);
    let (debit, credit) = sides(balance);
    let opening = moved.map(|(opening, ..)| sides(opening));
    Line {
        account,
        name,
        debit,
        credit,
        opening_debit: opening.map(|(debit, _)| debit),
        opening_credit: opening.map(|(_, credit)| credit),
        moved_debit: moved.map(|(_, debit, _)| debit),
        moved_credit: moved.map(|(.., credit)| credit),
    }
}

/// A balance by its side, debit above 0.
fn sides(balance: Money) -> (Money, Money) {
    if shown(balance).is_none() {
        // Only the balance's side would be known.
        return (HIDDEN.into(), HIDDEN.into());
    }
    (balance.max(Money::ZERO), balance.min(Money::ZERO).saturating_neg())
}
