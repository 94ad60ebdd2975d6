//! Words beside figures that indicate the direction of the money.

use crate::sheet::cell::plain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most words of one kind.
pub const WORDS_MAX: usize = 256;

/// The longest word or name of a column, in bytes.
pub const WORD_BYTES_MAX: usize = 128;

/// Direction of money, as a word in a file shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MoneyDirection")]
pub enum Direction {
    /// Money received.
    In,
    /// Money paid.
    Out,
}

/// Words for incoming money.
const INTO: [&str; 38] = [
    "CR",
    "C",
    "K",
    "KR",
    "CREDIT",
    "CREDITS",
    "CREDIT NOTE",
    "KREDIT",
    "CRÉDIT",
    "CRÉDITO",
    "CREDITO",
    "CRDT",
    "BIJ",
    "BIJSCHRIJVING",
    "INKOMEND",
    "H",
    "HABEN",
    "GUTSCHRIFT",
    "EINGANG",
    "MASUK",
    "UANG MASUK",
    "PEMASUKAN",
    "PENERIMAAN",
    "SETOR",
    "SETORAN",
    "IN",
    "INCOMING",
    "MONEY IN",
    "PAID IN",
    "DEPOSIT",
    "RECEIVED",
    "HABER",
    "ABONO",
    "INGRESO",
    "AVERE",
    "INSÄTTNING",
    "INDSAT",
    "+",
];
/// Words for outgoing money.
const OUT: [&str; 38] = [
    "DB",
    "D",
    "DR",
    "DEBIT",
    "DEBITS",
    "DEBIT NOTE",
    "DEBET",
    "DÉBIT",
    "DÉBITO",
    "DEBITO",
    "DBIT",
    "AF",
    "AFSCHRIJVING",
    "UITGAAND",
    "S",
    "SOLL",
    "LASTSCHRIFT",
    "BELASTUNG",
    "AUSGANG",
    "KELUAR",
    "UANG KELUAR",
    "PENGELUARAN",
    "PENARIKAN",
    "TARIK",
    "TARIKAN",
    "OUT",
    "OUTGOING",
    "MONEY OUT",
    "PAID OUT",
    "WITHDRAWAL",
    "SENT",
    "DEBE",
    "CARGO",
    "EGRESO",
    "DARE",
    "UTTAG",
    "HÆVET",
    "UDBETALING",
];

/// Words for each direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(transform = all_optional)]
pub struct SignWords {
    /// Words for incoming money.
    #[serde(rename = "in")]
    #[schemars(length(max = WORDS_MAX), inner(length(min = 1, max = WORD_BYTES_MAX)))]
    pub into: Vec<String>,
    /// Words for outgoing money.
    #[schemars(length(max = WORDS_MAX), inner(length(min = 1, max = WORD_BYTES_MAX)))]
    pub out: Vec<String>,
    /// Direction of an amount without a word in a file in which other amounts have a word. If it is null, the row is
    /// set aside. Exception: if the file has only words for outgoing money, and they stand beside the amounts, an
    /// amount without a word is incoming money.
    pub blank: Option<Direction>,
}

/// A request may leave each list out.
fn all_optional(schema: &mut schemars::Schema) {
    schema.remove("required");
}

impl Default for SignWords {
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self { into: words(&INTO), out: words(&OUT), blank: None }
    }
}

impl SignWords {
    /// The direction that a word names, in any case. Several words name one if all of them do: `Kredit (K)`.
    pub fn direction(&self, text: &str) -> Option<Direction> {
        let text = plain(text).trim_end_matches('.').to_lowercase();
        self.of_word(&text).or_else(|| {
            let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let first = self.of_word(words.next()?)?;
            words.all(|word| self.of_word(word) == Some(first)).then_some(first)
        })
    }

    fn of_word(&self, word: &str) -> Option<Direction> {
        let has = |words: &[String]| words.iter().any(|known| known.trim().to_lowercase() == word);
        match (has(&self.into), has(&self.out)) {
            (true, false) => Some(Direction::In),
            (false, true) => Some(Direction::Out),
            _ => None,
        }
    }
}
