//! Notes and coins that a new store counts, by its currency.

use super::Chosen;
use crate::config::Config;
use toml::Value;

/// Notes and coins in use, in the smallest unit of the currency.
const NOTES: &[(&str, &[i64])] = &[
    ("EUR", &[20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1]),
    ("GBP", &[5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1]),
    ("JPY", &[10_000, 5_000, 2_000, 1_000, 500, 100, 50, 10, 5, 1]),
    ("KWD", &[20_000, 10_000, 5_000, 1_000, 500, 250, 100, 50, 20, 10, 5]),
    ("MYR", &[10_000, 5_000, 2_000, 1_000, 500, 100, 50, 20, 10, 5]),
    ("SGD", &[10_000, 5_000, 1_000, 500, 200, 100, 50, 20, 10, 5]),
    ("USD", &[10_000, 5_000, 2_000, 1_000, 500, 100, 50, 25, 10, 5, 1]),
];

/// Adds the notes and coins of the chosen currency, unless the settings have their own.
pub fn with_notes(mut chosen: Chosen, config: &Config) -> Chosen {
    let code = chosen.iter().find(|(key, _)| *key == "store.currency").and_then(|(_, code)| code.as_str());
    let known = NOTES.iter().find(|(known, _)| Some(*known) == code);
    if let Some((_, notes)) = known
        && config.payments.denominations == Config::default().payments.denominations
    {
        let values = notes.iter().copied().map(Value::Integer).collect();
        chosen.push(("payments.denominations", Value::Array(values)));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::model::base::currency::Currency;

    #[test]
    fn a_new_store_counts_the_notes_of_its_currency() {
        let with = |code: &str, config: &Config| {
            let chosen = vec![("store.currency", Value::String(code.to_owned()))];
            with_notes(chosen, config).into_iter().find(|(key, _)| *key == "payments.denominations")
        };
        for (code, notes) in NOTES {
            assert!(Currency::of(code).is_some(), "{code}");
            assert!(notes.is_sorted_by(|one, next| one > next), "{code}");
            assert!(with(code, &Config::default()).is_some(), "{code}");
        }
        assert_eq!(with("IDR", &Config::default()), None, "the default of the settings");
        let mut own = Config::default();
        own.payments.denominations = vec![500.into()];
        assert_eq!(with("EUR", &own), None);
    }
}
