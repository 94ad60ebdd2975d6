//! Telling lines that are known already: files overlap, and two equal payments of a day are two.

use crate::model::base::figures::Money;
use crate::model::hub::chain::hex;
use crate::rules::books::settlement::{LineKind, SourceKind, reference_key};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// A line as it stands in the statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextLine {
    /// Date of the line.
    pub date: Date,
    /// Reference of the line. Empty if it has none.
    pub reference: String,
    /// Further references of the same payment. They distinguish lines only if a payment is reported in other words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_references: Vec<String>,
    /// Description of the line. Empty if it has none.
    pub description: String,
    /// Kind of the line.
    pub kind: LineKind,
    /// Payout batch that the line was paid out with.
    pub batch: Option<String>,
    /// Terminal or shop, as the source names it. Null if it names none.
    pub store_ref: Option<String>,
    /// Gross amount before fees; above 0 for money received.
    pub gross: Option<Money>,
    /// Fee; positive if it is a cost.
    pub fee: Option<Money>,
    /// Net amount that reaches the account, in minor currency units.
    pub net: Option<Money>,
}

impl TextLine {
    /// The keys of all its references ([`reference_key`]).
    pub fn reference_keys(&self) -> Vec<String> {
        let all = std::iter::once(&self.reference).chain(&self.other_references);
        all.filter_map(|reference| reference_key(reference)).collect()
    }

    /// The same for two lines of a source with the same content.
    pub fn fingerprint(&self, source_id: &str) -> String {
        // JSON keeps neighbouring fields apart, whatever they contain.
        let line = Self { other_references: Vec::new(), ..self.clone() };
        let said = serde_json::json!([source_id, line]).to_string();
        hex(&Sha256::digest(said.as_bytes()))
    }
}

/// Amounts as a row has them; the meaning of `amount` depends on the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Amount of the row: gross for a provider, net for a bank.
    pub amount: Option<Money>,
    /// Amount before fees.
    pub gross: Option<Money>,
    /// Fee; positive if it is a cost.
    pub fee: Option<Money>,
    /// Net amount that reaches the account, in minor currency units.
    pub net: Option<Money>,
}

impl Figures {
    /// Computes the third of gross, fee and net from the other two.
    ///
    /// # Errors
    /// The problem, for a person.
    pub fn of(self, kind: SourceKind) -> Result<[Option<Money>; 3], &'static str> {
        let Self { amount, gross, fee, net } = self;
        if kind == SourceKind::Bank {
            return match (gross, fee, net.or(amount)) {
                (None, None, Some(net)) => Ok([None, None, Some(net)]),
                // The text of a card settlement states the amount that the bank kept.
                (Some(gross), Some(fee), Some(net)) if gross.saturating_sub(fee) == net => {
                    Ok([Some(gross), Some(fee), Some(net)])
                }
                (_, _, None) => Err("must have an amount"),
                (Some(_), Some(_), _) => Err("must have a net that equals gross less fee"),
                _ => Err("must have either net only, or gross, fee and net, for a bank"),
            };
        }
        Ok(match (gross.or(amount), fee, net) {
            (Some(gross), Some(fee), Some(net)) if gross.saturating_sub(fee) != net => {
                return Err("must have a net that equals gross less fee");
            }
            (Some(gross), Some(fee), _) => [Some(gross), Some(fee), Some(gross.saturating_sub(fee))],
            (Some(gross), None, Some(net)) => [Some(gross), Some(gross.saturating_sub(net)), Some(net)],
            (None, Some(fee), Some(net)) => [Some(net.saturating_add(fee)), Some(fee), Some(net)],
            // A fee of its own.
            (None, Some(fee), None) => [Some(Money::ZERO), Some(fee), Some(fee.saturating_neg())],
            (None, None, None) => return Err("must have an amount"),
            plain => [plain.0, None, plain.2],
        })
    }
}

impl Figures {
    /// The same for a line that states its type. A line of type `fee` with a net only is a fee as a whole.
    ///
    /// # Errors
    /// The problem, for a person.
    pub fn of_kind(
        self,
        source: SourceKind,
        kind: Option<LineKind>,
    ) -> Result<[Option<Money>; 3], &'static str> {
        let figures = self.of(source)?;
        Ok(match (source, kind, figures) {
            (SourceKind::Provider, Some(LineKind::Fee), [None, None, Some(net)]) => {
                [Some(Money::ZERO), Some(net.saturating_neg()), Some(net)]
            }
            _ => figures,
        })
    }
}

impl LineKind {
    /// Kind of a line that does not state it, by its sign.
    pub fn by_sign(kind: SourceKind, amount: Money) -> Self {
        match kind {
            SourceKind::Bank => Self::Other,
            SourceKind::Provider if amount < 0 => Self::Refund,
            SourceKind::Provider => Self::Sale,
        }
    }
}

/// A fingerprint, and the number of the line among the equal lines of a file, from 1.
pub type LineFingerprint = (String, i64);

/// Numbers equal lines of a file.
pub fn occurrences(fingerprints: impl IntoIterator<Item = String>) -> Vec<LineFingerprint> {
    let mut seen: BTreeMap<String, i64> = BTreeMap::new();
    let number = |fingerprint: String| {
        let count = seen.entry(fingerprint.clone()).or_default();
        *count = count.saturating_add(1);
        (fingerprint, *count)
    };
    fingerprints.into_iter().map(number).collect()
}

/// The places of lines that are not known.
pub fn new_lines(reported: &[LineFingerprint], known: &BTreeSet<LineFingerprint>) -> Vec<usize> {
    reported.iter().enumerate().filter(|(_, line)| !known.contains(line)).map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_figures_give_the_third() {
        let money = |figure: Option<i64>| figure.map(Money::new);
        let of = |kind, given: [Option<i64>; 4]| {
            let [amount, gross, fee, net] = given.map(money);
            Figures { amount, gross, fee, net }.of(kind)
        };
        let figures = |figures: [Option<i64>; 3]| Ok(figures.map(money));
        let (provider, bank) = (SourceKind::Provider, SourceKind::Bank);
        for (kind, given, expected) in [
            (provider, [Some(100), None, Some(2), None], [Some(100), Some(2), Some(98)]),
            (provider, [None, Some(100), None, Some(98)], [Some(100), Some(2), Some(98)]),
            (provider, [None, None, Some(2), Some(98)], [Some(100), Some(2), Some(98)]),
            (provider, [None, Some(100), None, None], [Some(100), None, None]),
            (provider, [None, None, None, Some(98)], [None, None, Some(98)]),
            (provider, [None, None, Some(5), None], [Some(0), Some(5), Some(-5)]),
            (bank, [Some(-5), None, None, None], [None, None, Some(-5)]),
        ] {
            assert_eq!(of(kind, given), figures(expected), "{given:?}");
        }
        assert!(of(provider, [None, Some(100), Some(2), Some(97)]).is_err());
        assert!(of(provider, [None; 4]).is_err());
        assert_eq!(of(bank, [Some(93), Some(100), Some(7), None]), figures([Some(100), Some(7), Some(93)]));
        assert!(of(bank, [Some(94), Some(100), Some(7), None]).is_err());
        let fee = Figures { net: Some((-3_000).into()), ..Figures::default() };
        assert_eq!(fee.of_kind(provider, Some(LineKind::Fee)), figures([Some(0), Some(3_000), Some(-3_000)]));
        assert_eq!(fee.of_kind(provider, Some(LineKind::Payout)), figures([None, None, Some(-3_000)]));
        assert!(of(bank, [None, Some(5), None, None]).is_err());
        assert!(of(bank, [Some(5), None, Some(1), None]).is_err());
    }
}
