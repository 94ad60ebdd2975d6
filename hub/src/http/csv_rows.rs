//! Rows of a JSON answer as CSV: the same fields under the same names.

use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::model::base::money::shown;
use edge::Reply;
use edge::csv::{self, Cell, Separator};
use serde::Serialize;
use serde_json::Value;

/// A table of rows.
pub struct Table {
    /// Names of the columns, which are those of the fields.
    pub names: &'static [&'static str],
    /// Columns with numbers that are not amounts of money.
    pub numbers: &'static [&'static str],
}

/// An answer with a row for each item, and a header. A field that is null, and a figure above the largest, is an empty
/// cell.
pub fn reply<T: Serialize>(
    columns: &Table,
    items: &[T],
    (separator, currency): (Separator, Currency),
    header: (&'static str, String),
) -> Reply {
    let mut text = csv::Table::new(separator, currency, columns.names.iter().copied());
    for item in items {
        let row = serde_json::to_value(item).unwrap_or_default();
        let cell = |column: &&'static str| cell(row.get(column), !columns.numbers.contains(column));
        text.line(columns.names.iter().map(cell));
    }
    Reply::WithHeader { content_type: csv::CONTENT_TYPE, header, body: text.finish() }
}

/// The header of a whole table.
pub fn completeness(line: String) -> (&'static str, String) {
    ("x-completeness", line)
}

/// The header of a page. It is empty on the last page.
pub fn next_cursor(cursor: Option<String>) -> (&'static str, String) {
    ("x-next-cursor", cursor.unwrap_or_default())
}

fn cell(value: Option<&Value>, is_amount: bool) -> Cell<'_> {
    match value {
        Some(Value::String(text)) => Cell::Text(text),
        Some(Value::Bool(yes)) => Cell::Text(if *yes { "true" } else { "false" }),
        Some(value) if is_amount => value.as_i64().and_then(shown).map(Money::new).into(),
        Some(value) => value.as_i64().into(),
        None => Cell::Empty,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;

    #[test]
    fn amounts_have_the_decimals_of_the_currency_and_other_numbers_have_none() {
        let columns = Table { names: &["sku", "tax_rate_bp", "tax", "late"], numbers: &["tax_rate_bp"] };
        let items = [
            json!({"sku": "A", "tax_rate_bp": 1_100, "tax": 1_250, "late": true}),
            json!({"sku": null, "tax_rate_bp": null, "tax": null, "late": false}),
        ];
        let form = (Separator::Comma, Currency::of("EUR").unwrap());
        let Reply::WithHeader { body, .. } = reply(&columns, &items, form, next_cursor(None)) else { return };
        assert_eq!(
            body.trim_start_matches('\u{feff}'),
            "sku,tax_rate_bp,tax,late\r\nA,1100,12.50,true\r\n,,,false\r\n"
        );
    }
}
