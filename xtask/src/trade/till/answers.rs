//! What the store's answers come to.

use crate::rest::{figure, text};
use crate::trade::figures::{Account, Figures};
use anyhow::{Context, ensure};
use serde_json::Value;

fn rows<'a>(answer: &'a Value, name: &str) -> anyhow::Result<&'a [Value]> {
    let found = answer.get(name).and_then(Value::as_array);
    Ok(found.with_context(|| format!("the answer has no list `{name}`"))?)
}

fn sum(rows: &[Value], pointer: &str) -> anyhow::Result<i64> {
    rows.iter().map(|row| figure(row, pointer)).sum()
}

/// A paid transaction: figures, and money as it changed hands, less change.
pub fn sale(paid: &Value) -> anyhow::Result<Account> {
    ensure!(text(paid, "state")? == "paid", "the sale is not paid");
    let lines = rows(paid, "items")?;
    let overrides = lines.iter().filter(|line| line.get("price_override") == Some(&Value::Bool(true)));
    let figures = Figures {
        sales: 1,
        lines: lines.len() as i64,
        pieces: sum(lines, "/qty")?,
        subtotal: figure(paid, "/subtotal")?,
        discount: figure(paid, "/discount")?,
        tax: figure(paid, "/tax")?,
        total: figure(paid, "/total")?,
        overrides: overrides.count() as i64,
        earned: figure(paid, "/points_earned")?,
        redeemed: figure(paid, "/points_redeemed")?,
        ..Figures::default()
    };
    let mut account = Account { figures, ..Account::default() };
    for payment in rows(paid, "payments")? {
        account.came(&text(payment, "method")?, figure(payment, "/tendered")? - figure(payment, "/change")?);
    }
    Ok(account)
}

pub fn back(posted: &Value) -> anyhow::Result<Account> {
    ensure!(text(posted, "state")? == "posted", "the return is not posted");
    let lines = rows(posted, "items")?;
    let refunds = figure(posted, "/refund_total")?;
    ensure!(sum(lines, "/refund")? == refunds, "the lines of the return are not its total");
    let figures = Figures {
        returns: 1,
        lines_back: lines.len() as i64,
        pieces_back: sum(lines, "/qty")?,
        refunds,
        tax_back: figure(posted, "/tax")?,
        reversed: figure(posted, "/points_reversed")?,
        given_back: figure(posted, "/points_back")?,
        ..Figures::default()
    };
    let mut account = Account { figures, ..Account::default() };
    for refund in rows(posted, "refunds")? {
        account.went(&text(refund, "method")?, figure(refund, "/amount")? + figure(refund, "/rounding")?);
    }
    Ok(account)
}
