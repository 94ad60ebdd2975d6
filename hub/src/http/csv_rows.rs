//! Rows of a JSON answer as CSV: the same fields under the same names. Each number is an amount.

use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::model::base::money::shown;
use edge::Reply;
use edge::csv::{self, Cell, Separator};
use serde::Serialize;
use serde_json::Value;

/// An answer with a row for each item. `completeness` is the header `X-Completeness`. A field that is null, and a figure
/// above the largest, is an empty cell.
pub fn reply<T: Serialize>(
    columns: &[&str],
    items: &[T],
    (separator, currency): (Separator, Currency),
    completeness: String,
) -> Reply {
    let mut text = csv::Table::new(separator, currency, columns.iter().copied());
    for item in items {
        let row = serde_json::to_value(item).unwrap_or_default();
        text.line(columns.iter().map(|column| cell(row.get(column))));
    }
    let header = ("x-completeness", completeness);
    Reply::WithHeader { content_type: csv::CONTENT_TYPE, header, body: text.finish() }
}

fn cell(value: Option<&Value>) -> Cell<'_> {
    match value {
        Some(Value::String(text)) => Cell::Text(text),
        Some(value) => value.as_i64().and_then(shown).map(Money::new).into(),
        None => Cell::Empty,
    }
}
