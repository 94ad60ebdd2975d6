//! The JSON of a transaction, which is made once for its event, the record for head office and the answer to the till.

use crate::model::base::event::{Event, Fact, Rows};
use crate::model::selling::transaction::Transaction;
use serde::Serialize;

/// Capacity for the text of a transaction with a few lines, in bytes.
const TEXT_CAPACITY: usize = 3 * 1024;
/// Text in place of the transaction. Its first occurrence is replaced.
const LEFT_OUT: &str = "\"transaction\":null";

/// The JSON of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleText(String);

/// An event without its fact.
#[derive(Serialize)]
struct Rest<'a> {
    #[serde(skip_serializing_if = "Rows::is_empty")]
    rows: &'a Rows,
}

impl SaleText {
    /// Makes the JSON of a transaction. This never fails: it consists of strings, integers and lists.
    pub fn of(transaction: &Transaction) -> Self {
        let mut text = Vec::with_capacity(TEXT_CAPACITY);
        let written = serde_json::to_writer(&mut text, transaction);
        Self(written.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_default())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Replaces the null in place of the transaction. A text that a person typed can't contain [`LEFT_OUT`], since
    /// quotes in it are escaped.
    pub(super) fn put_into(&self, mut text: String) -> String {
        if let Some(at) = text.find(LEFT_OUT) {
            let end = at.saturating_add(LEFT_OUT.len());
            text.replace_range(end.saturating_sub("null".len())..end, &self.0);
        }
        text
    }
}

/// Appends an event's JSON, the same bytes as its serialisation. `sale`: the JSON of its transaction, if it was made
/// already.
///
/// # Errors
/// The event can't be serialised.
pub fn write_event(event: &Event, sale: Option<&SaleText>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let fact: &[u8] = match (&event.fact, sale) {
        (Fact::TransactionOpen(_), Some(_)) => br#"{"fact":{"transaction_open":{"transaction":"#,
        (Fact::TransactionPaid(_), Some(_)) => br#"{"fact":{"transaction_paid":{"transaction":"#,
        _ => return serde_json::to_writer(out, event),
    };
    out.extend_from_slice(fact);
    out.extend_from_slice(sale.map_or("", SaleText::as_str).as_bytes());
    out.extend_from_slice(b"}}");
    let rest = out.len();
    serde_json::to_writer(&mut *out, &Rest { rows: &event.rows })?;
    // `{"rows":…}` continues with a comma; `{}` has only the end.
    match out.len().saturating_sub(rest) {
        2 => drop(out.remove(rest)),
        _ => out.iter_mut().skip(rest).take(1).for_each(|brace| *brace = b','),
    }
    Ok(())
}
