//! Reason codes that a till offers for actions that need a reason.

use crate::model::base::fields::Fields;
use crate::model::base::limits::REFERENCE_CHARS_MAX;
use crate::model::base::refusal::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Most codes of one list.
const CODES_MAX: usize = 50;

/// Reason codes of a shop, in the order in which a till offers them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reasons {
    /// Reasons for voiding baskets, sales, holds and returns.
    pub voids: Vec<String>,
    /// Reasons for manual discounts.
    pub discounts: Vec<String>,
    /// Reasons for returned goods, line by line.
    pub returns: Vec<String>,
    /// Whether only these codes are accepted. Otherwise they are suggestions, and any text is accepted.
    pub enforced: bool,
}

/// Use of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Void,
    Discount,
    Return,
}

impl Default for Reasons {
    fn default() -> Self {
        let list = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect();
        Self {
            voids: list(&["wrong_item", "wrong_price", "customer_left", "cannot_pay", "training"]),
            discounts: list(&["damaged", "short_dated", "price_match", "loyalty", "staff"]),
            returns: list(&["defective", "wrong_item", "wrong_size", "expired", "changed_mind"]),
            enforced: false,
        }
    }
}

impl Reasons {
    /// The codes for `why`.
    pub fn of(&self, why: Why) -> &[String] {
        match why {
            Why::Void => &self.voids,
            Why::Discount => &self.discounts,
            Why::Return => &self.returns,
        }
    }

    /// Whether `reason` will do; `path` is its field. A list without a code can't be enforced.
    ///
    /// # Errors
    /// `validation_failed` naming the codes.
    pub fn check(&self, why: Why, path: &str, reason: Option<&str>) -> Result<(), Refusal> {
        let codes = self.of(why);
        let known = reason.is_some_and(|reason| codes.iter().any(|code| code == reason.trim()));
        if !self.enforced || codes.is_empty() || known {
            return Ok(());
        }
        Err(Refusal::field(path, format!("must be one of {}", codes.join(", "))))
    }

    /// Whether the lists themselves are sound: few, short, each code once.
    pub fn sound(&self) -> bool {
        [Why::Void, Why::Discount, Why::Return].into_iter().all(|why| {
            let codes = self.of(why);
            let mut fields = Fields::default();
            codes.iter().for_each(|code| fields.name("code", code, REFERENCE_CHARS_MAX));
            let trimmed = codes.iter().all(|code| code.trim() == code);
            let distinct = codes.iter().collect::<BTreeSet<_>>().len() == codes.len();
            codes.len() <= CODES_MAX && trimmed && distinct && fields.done().is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_free_until_its_list_is_enforced() {
        let list = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();
        let shop = |enforced| Reasons { returns: list(&["torn", "late"]), enforced, ..Reasons::default() };
        let empty = Reasons { returns: Vec::new(), enforced: true, ..Reasons::default() };
        // (settings, reason, whether it will do)
        let cases = [
            (shop(false), Some("anything"), true),
            (shop(false), None, true),
            (shop(true), Some("torn"), true),
            (shop(true), Some(" late "), true),
            (shop(true), Some("Torn"), false),
            (shop(true), Some("wrong_item"), false),
            (shop(true), Some(""), false),
            (shop(true), None, false),
            (empty, Some("anything"), true),
        ];
        for (reasons, reason, may) in cases {
            let said = reasons.check(Why::Return, "items[0].reason", reason);
            let expected = if may {
                Ok(())
            } else {
                Err(Refusal::field("items[0].reason", "must be one of torn, late"))
            };
            assert_eq!(said, expected, "{reason:?} of {reasons:?}");
        }
    }

    #[test]
    fn lists_are_short_and_each_code_stands_once() {
        let with = |codes: Vec<String>| Reasons { voids: codes, ..Reasons::default() }.sound();
        assert!(Reasons::default().sound() && with(Vec::new()));
        assert!(!with(vec![String::new()]));
        assert!(!with(vec![" x".to_owned()]));
        assert!(!with(vec!["x".repeat(129)]));
        assert!(!with(vec!["x".to_owned(), "x".to_owned()]));
        assert!(!with((0..51).map(|n| n.to_string()).collect()));
    }
}
