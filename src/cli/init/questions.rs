//! Questions of `init` about a new store, on one screen; flags give the same answers.

use crate::config::{Config, check};
use clap::Args;
use domain::model::base::currency::Currency;
use domain::model::base::figures::{BasisPoints, Money};
use std::io::{self, BufRead, Write};
use toml::{Table, Value};

/// Settings that `init` takes: those that are hard to change after the first sale, and the limits that need a manager.
#[derive(Debug, Default, Args)]
pub struct Answers {
    /// The store's ID at head office and in receipt numbers
    #[arg(long, value_name = "ID")]
    store_id: Option<String>,
    /// The store's name, printed on receipts
    #[arg(long, value_name = "NAME")]
    store_name: Option<String>,
    /// Whether prices contain tax: true or false
    #[arg(long, value_name = "BOOL")]
    prices_include_tax: Option<String>,
    /// Tax of products without a rate of their own, in per cent, for example 11 or 8.25
    #[arg(long, value_name = "PERCENT")]
    tax_rate: Option<String>,
    /// ISO 4217 code of the currency
    #[arg(long, value_name = "CODE")]
    currency: Option<String>,
    /// IANA time zone of the business dates
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Manual discounts above this many per cent of a basket need a manager; 0: no limit
    #[arg(long, value_name = "PERCENT")]
    discount_limit: Option<String>,
    /// Refunds above this amount need a manager; 0: no limit
    #[arg(long, value_name = "AMOUNT")]
    refund_limit: Option<String>,
    /// Stock adjustments above this value need a manager; 0: no limit
    #[arg(long, value_name = "AMOUNT")]
    adjustment_limit: Option<String>,
}

/// A setting with its question.
struct Question {
    key: &'static str,
    flag: &'static str,
    text: &'static str,
}

const QUESTIONS: [Question; 9] = [
    Question { key: "store.id", flag: "store-id", text: "Store id (at head office, in receipt numbers)" },
    Question { key: "store.name", flag: "store-name", text: "Store name (printed on receipts)" },
    Question {
        key: "tax.prices_include_tax",
        flag: "prices-include-tax",
        text: "Prices contain tax (yes or no)",
    },
    Question {
        key: "tax.default_rate_bp",
        flag: "tax-rate",
        text: "Tax rate in per cent (for example 11 or 8.25)",
    },
    Question { key: "store.currency", flag: "currency", text: "Currency (ISO 4217)" },
    Question { key: "store.timezone", flag: "timezone", text: "Time zone (IANA name)" },
    Question {
        key: "pricing.discount_limit_bp",
        flag: "discount-limit",
        text: "A manager approves discounts above (per cent; 0: no limit)",
    },
    Question {
        key: "returns.cashier_limit",
        flag: "refund-limit",
        text: "A manager approves refunds above (0: no limit)",
    },
    Question {
        key: "approval.adjustment_value",
        flag: "adjustment-limit",
        text: "A manager approves stock adjustments above (0: no limit)",
    },
];

/// Settings by their keys.
pub type Chosen = Vec<(&'static str, Value)>;

impl Answers {
    fn all(&self) -> [&Option<String>; QUESTIONS.len()] {
        [
            &self.store_id,
            &self.store_name,
            &self.prices_include_tax,
            &self.tax_rate,
            &self.currency,
            &self.timezone,
            &self.discount_limit,
            &self.refund_limit,
            &self.adjustment_limit,
        ]
    }

    /// Whether no flag was given.
    pub fn is_empty(&self) -> bool {
        self.all().iter().all(|answer| answer.is_none())
    }

    /// Choices by flags.
    ///
    /// # Errors
    /// The flag with an invalid value.
    pub fn chosen(&self, config: &Config) -> Result<Chosen, String> {
        let currency = self.currency.as_deref().and_then(Currency::of).unwrap_or(config.store.money());
        let given = QUESTIONS.iter().zip(self.all());
        given
            .filter_map(|(question, answer)| answer.as_ref().map(|answer| (question, answer)))
            .map(|(question, answer)| {
                let value = value(config, currency, question.key, answer);
                value.map(|value| (question.key, value)).map_err(|why| format!("--{} {why}", question.flag))
            })
            .collect()
    }
}

/// Asks for every setting that `fixed` does not decide. An empty line keeps the value in brackets. `None` if the input
/// ended before the last answer.
///
/// # Errors
/// The terminal's.
pub fn ask(
    config: &Config,
    fixed: impl Fn(&str) -> bool,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<Option<Chosen>> {
    writeln!(output, "A new store. Press Enter to keep the value in brackets.\n")?;
    let (mut chosen, mut currency) = (Vec::new(), config.store.money());
    for question in QUESTIONS.iter().filter(|question| !fixed(question.key)) {
        let now = shown(question.key, currency, &current(config, question.key));
        loop {
            write!(output, "{} [{now}]: ", question.text)?;
            output.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let typed = line.trim();
            match value(config, currency, question.key, if typed.is_empty() { now.as_str() } else { typed }) {
                Ok(value) => {
                    if question.key == "store.currency" {
                        currency = value.as_str().and_then(Currency::of).unwrap_or(currency);
                    }
                    chosen.push((question.key, value));
                    break;
                }
                Err(why) => writeln!(output, "  {typed} {why}")?,
            }
        }
    }
    Ok(Some(chosen))
}

fn split(key: &str) -> (&str, &str) {
    key.split_once('.').unwrap_or((key, ""))
}

fn current(config: &Config, key: &str) -> Value {
    let (section, name) = split(key);
    let table = Table::try_from(config).unwrap_or_default();
    table.get(section).and_then(|section| section.get(name)).cloned().unwrap_or(Value::Boolean(false))
}

fn shown(key: &str, currency: Currency, value: &Value) -> String {
    match value {
        Value::Integer(amount) if is_amount(key) => currency.decimal(Money::new(*amount)),
        Value::Integer(rate) if is_rate(key) => BasisPoints::new(*rate).percent(),
        Value::Boolean(true) => "yes".to_owned(),
        Value::Boolean(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a setting is a rate in basis points, which people enter in per cent.
fn is_rate(key: &str) -> bool {
    key.ends_with("_bp")
}

/// Whether a setting is an amount, which people enter with the decimals of the currency.
fn is_amount(key: &str) -> bool {
    matches!(key, "returns.cashier_limit" | "approval.adjustment_value")
}

/// Basis points of a rate in per cent, with at most two decimal places.
fn basis_points(text: &str) -> Option<i64> {
    let text = text.trim_end_matches('%').trim_end();
    let (whole, rest) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(rest) || rest.len() > 2 {
        return None;
    }
    format!("{whole}{rest:0<2}").parse().ok()
}

/// The answer in the type of the setting, checked against the rules of settings.
fn value(config: &Config, currency: Currency, key: &'static str, answer: &str) -> Result<Value, String> {
    let value = match current(config, key) {
        Value::Boolean(_) => match answer.to_ascii_lowercase().as_str() {
            "yes" | "y" | "true" => Value::Boolean(true),
            "no" | "n" | "false" => Value::Boolean(false),
            _ => return Err("must be yes or no".to_owned()),
        },
        Value::Integer(_) if is_rate(key) => {
            let rate = basis_points(answer).map(Value::Integer);
            rate.ok_or_else(|| "must be per cent, such as 11 or 8.25".to_owned())?
        }
        Value::Integer(_) if is_amount(key) => {
            let amount = currency.amount(&answer.replace(',', "."));
            let amount = amount.map(|amount| Value::Integer(amount.get()));
            amount.ok_or_else(|| {
                format!("must be an amount, such as {}", currency.decimal(Money::new(50_000)))
            })?
        }
        Value::Integer(_) => {
            answer.parse().map(Value::Integer).map_err(|_| "must be a whole number".to_owned())?
        }
        _ => Value::String(answer.to_owned()),
    };
    let (section, name) = split(key);
    let mut table = Table::try_from(config).map_err(|error| error.to_string())?;
    if let Some(Value::Table(section)) = table.get_mut(section) {
        section.insert(name.to_owned(), value.clone());
    }
    let changed: Config = table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let problem = check::problems(&changed).into_iter().find(|(wrong, _)| *wrong == key);
    problem.map_or(Ok(value), |(_, problem)| Err(problem))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_screen_of_questions_is_answered_or_kept() {
        let typed = "S 7\nS007\nToko Ani\nyes\n8.255\n8,25 %\nusd\nUSD\nMars\nEurope/Berlin\n10\n-1\n5.005\n5000.50\n\n";
        let mut screen = Vec::new();
        let chosen = ask(&Config::default(), |_| false, typed.as_bytes(), &mut screen).unwrap().unwrap();
        let found: Vec<String> = chosen
            .iter()
            .map(|(key, value)| format!("{key}={}", shown("", Currency::RUPIAH, value)))
            .collect();
        assert_eq!(
            found,
            [
                "store.id=S007",
                "store.name=Toko Ani",
                "tax.prices_include_tax=yes",
                "tax.default_rate_bp=825",
                "store.currency=USD",
                "store.timezone=Europe/Berlin",
                "pricing.discount_limit_bp=1000",
                "returns.cashier_limit=500050",
                "approval.adjustment_value=1000000",
            ]
        );
        let screen = String::from_utf8(screen).unwrap();
        assert!(
            screen.contains("Mars is not an IANA time zone")
                && screen.contains("(for example 11 or 8.25) [11]: ")
                && screen.contains("Currency (ISO 4217) [IDR]: ")
                && screen.contains("5.005 must be an amount, such as 500.00")
                && screen.contains("stock adjustments above (0: no limit) [10000.00]: ")
        );
    }

    #[test]
    fn settings_of_the_environment_are_not_asked_for_and_the_end_of_input_cancels() {
        let mut screen = Vec::new();
        assert!(ask(&Config::default(), |_| false, "S1\n".as_bytes(), &mut screen).unwrap().is_none());
        let only = ask(&Config::default(), |key| key != "store.id", "S1\n".as_bytes(), &mut screen);
        assert_eq!(only.unwrap().unwrap(), [("store.id", Value::String("S1".to_owned()))]);
    }
}
