//! The settings that head office may change while the hub runs: the file's, overridden by an administrator's.
//!
//! Each request that uses them reads them from the database, so that every process applies a change at once.

use crate::config::check;
use crate::config::{Company, Config, Finance, Purchasing, Settlement};
use crate::db::column::Columns;
use crate::db::insert;
use crate::row;
use domain::model::base::currency::Currency;
use domain::model::base::time::UtcMs;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// The changeable settings, by section and key as in `hub.toml`. The others determine the layout of the books.
pub const CHANGEABLE: [&str; 21] = [
    "company.address",
    "company.currency",
    "company.name",
    "company.tax_number",
    "finance.approval_limit",
    "finance.four_eyes",
    "finance.manual_limit",
    "finance.points_redemption_bp",
    "purchasing.accept_limit",
    "purchasing.approval_limit",
    "purchasing.four_eyes",
    "purchasing.invoice_number_per_year",
    "purchasing.invoice_rounding",
    "purchasing.lead_days",
    "purchasing.no_order_stops",
    "purchasing.price_tolerance_amount",
    "purchasing.price_tolerance_bp",
    "purchasing.rate_days",
    "purchasing.review_days",
    "purchasing.safety_days",
    "settlement.carry_days",
];

/// The sections that requests use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfficeSettings {
    pub finance: Finance,
    /// Orders and suppliers' invoices.
    pub purchasing: Purchasing,
    /// Payouts of third parties and their settlement.
    pub settlement: Settlement,
    /// The company as its documents name it.
    pub company: Company,
}

impl OfficeSettings {
    /// The settings of the file and the environment.
    pub fn of(config: &Config) -> Self {
        let Config { finance, purchasing, settlement, company, .. } = config.clone();
        Self { finance, purchasing, settlement, company }
    }

    /// The settings with the changes of administrators.
    ///
    /// # Errors
    /// A database error, or a row with an invalid setting.
    pub async fn with_changes(mut self, connection: &mut AnyConnection) -> Result<Self, sqlx::Error> {
        for row in sqlx::query("SELECT name, value FROM settings").fetch_all(connection).await? {
            let name: String = row.cell("name")?;
            // A setting that only an older version allowed to change is ignored.
            if CHANGEABLE.contains(&name.as_str()) {
                let value: Value = row.json("value")?;
                let wrong = |problem: String| sqlx::Error::Decode(format!("{name} {problem}").into());
                self = self.with(&name, &value).map_err(wrong)?;
            }
        }
        Ok(self)
    }

    /// The settings with one changed value, or the problem of the value.
    pub fn with(self, name: &str, value: &Value) -> Result<Self, String> {
        let defect = |error: serde_json::Error| error.to_string();
        let mut sections = serde_json::to_value(&self).map_err(defect)?;
        let held = name.split_once('.').and_then(|(section, key)| sections.get_mut(section)?.get_mut(key));
        let held = held.ok_or_else(|| "is not a setting".to_owned())?;
        match (&*held, value) {
            (Value::Bool(_), Value::Bool(_)) => {}
            (Value::Bool(_), _) => return Err("must be true or false".to_owned()),
            (Value::Number(_), Value::Number(number)) if number.as_i64().is_some() => {}
            (Value::Number(_), _) => return Err("must be a whole number".to_owned()),
            (Value::String(_), Value::String(_)) if name.starts_with("company.") => {}
            (Value::String(_), _) if name.starts_with("company.") => return Err("must be text".to_owned()),
            _ => return Err("is not a setting that may be changed here".to_owned()),
        }
        *held = value.clone();
        let set: Self = serde_json::from_value(sections)
            .map_err(|_| "must not be below 0 or above the largest possible value")?;
        let mut problem = None;
        let mut rule = |holds: bool, key: &'static str, text: &str| {
            if !holds && key == name {
                problem = Some(text.to_owned());
            }
        };
        check::office((&set.finance, &set.purchasing, &set.settlement), &mut rule);
        set.company.check(&mut rule);
        problem.map_or(Ok(set), Err)
    }

    /// The value of a setting, by section and key.
    pub fn value(&self, name: &str) -> Option<Value> {
        let sections = serde_json::to_value(self).ok()?;
        let (section, key) = name.split_once('.')?;
        sections.get(section)?.get(key).cloned()
    }
}

/// Why the currency can't be another one any more.
pub fn currency_stays(kept: Currency) -> String {
    format!(
        "the amounts of this head office are in {kept}, and it can change only while there are none: set company.currency \
         to {kept}, or begin a new head office with a database of its own"
    )
}

/// The names of the settings that an administrator changed.
pub async fn set_here(connection: &mut AnyConnection) -> Result<BTreeSet<String>, sqlx::Error> {
    let rows = sqlx::query("SELECT name FROM settings").fetch_all(connection).await?;
    rows.iter().map(|row| row.cell("name")).collect()
}

/// Keeps the settings of an administrator. Where a value is `None`, the file's counts again.
pub async fn set(
    connection: &mut AnyConnection,
    values: BTreeMap<String, Option<Value>>,
    by: &str,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let mut rows = Vec::new();
    for (name, value) in values {
        match value {
            Some(value) => {
                let value = value.to_string();
                rows.push(row! { name, value, changed_at: now.0, changed_by: by });
            }
            None => {
                let sql = "DELETE FROM settings WHERE name = $1";
                sqlx::query(sql).bind(name).execute(&mut *connection).await?;
            }
        }
    }
    insert::replace(connection, "settings", &["name"], rows).await
}
