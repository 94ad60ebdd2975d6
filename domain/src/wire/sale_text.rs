//! A transaction as JSON, written once for all that say it: its event, the record for head office, the answer to its till.

use crate::model::base::event::{Event, Fact, Rows};
use crate::model::selling::transaction::Transaction;
use serde::Serialize;

/// Room for a transaction of a few lines.
const ROOM_BYTES: usize = 3 * 1024;
/// Text in place of a transaction that is left out, as the first of this name.
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
    /// Writes a transaction. Ours always serialise: strings, integers, lists of them.
    pub fn of(transaction: &Transaction) -> Self {
        let mut text = Vec::with_capacity(ROOM_BYTES);
        let written = serde_json::to_writer(&mut text, transaction);
        Self(written.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_default())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Puts it where a text says that the transaction is null. A name in quotes is never a part of somebody's words: there
    /// they are escaped.
    pub(super) fn put_into(&self, mut text: String) -> String {
        if let Some(at) = text.find(LEFT_OUT) {
            let end = at.saturating_add(LEFT_OUT.len());
            text.replace_range(end.saturating_sub("null".len())..end, &self.0);
        }
        text
    }
}

/// Appends an event's JSON, byte for byte as it serialises; `sale` is that of its transaction, where somebody has written
/// it already.
///
/// # Errors
/// It can't be written.
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
