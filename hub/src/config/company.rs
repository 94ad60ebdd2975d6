//! `[company]`: the company as its documents name it.

use domain::model::base::currency::Currency;
use serde::{Deserialize, Serialize};

/// The longest name and tax number, in characters.
const LINE_MAX: usize = 100;
/// The longest address, in characters.
const ADDRESS_MAX: usize = 500;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Company {
    /// Name on orders to suppliers. Empty if it was not set.
    pub name: String,
    /// Postal address, with line breaks.
    pub address: String,
    /// Number under which the company pays tax.
    pub tax_number: String,
    /// Currency of all amounts, ISO 4217.
    pub currency: String,
}

impl Default for Company {
    fn default() -> Self {
        let empty = String::new;
        Self { name: empty(), address: empty(), tax_number: empty(), currency: "IDR".to_owned() }
    }
}

impl Company {
    /// Reports each rule that does not hold.
    pub fn check(&self, rule: &mut impl FnMut(bool, &'static str, &str)) {
        for (key, text) in [("company.name", &self.name), ("company.tax_number", &self.tax_number)] {
            let fits = text.chars().count() <= LINE_MAX && !text.chars().any(char::is_control);
            rule(fits, key, "must have at most 100 characters on one line");
        }
        let lines = !self.address.chars().any(|one| one.is_control() && one != '\n');
        let fits = self.address.chars().count() <= ADDRESS_MAX && lines;
        rule(fits, "company.address", "must have at most 500 characters");
        let is_known = Currency::of(&self.currency).is_some();
        let problem = "must be a code of ISO 4217 in capital letters, such as IDR";
        rule(is_known, "company.currency", problem);
    }
}
