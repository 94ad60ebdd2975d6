//! The answer to a till, cut out of the transaction's text: most of the stored text is shown.

use super::TransactionView;
use super::version::of_text;
use crate::model::base::answer::{self, Answer};
use crate::model::people::user::Role;
use crate::model::selling::transaction::Transaction;
use crate::wire::sale_text::SaleText;

/// 200, or 201 for a new transaction, with the fields that `role` may see; `text` is its JSON. The bytes are those of
/// [`TransactionView`].
pub fn answer(created: bool, transaction: &Transaction, text: &SaleText, role: Role) -> Answer {
    // A line shows its code and the reason of its price, which are stored apart from it.
    let version = || of_text(transaction, || text);
    let lines_are_whole = transaction.scans.is_empty() && transaction.price_reasons.is_empty();
    let cut = lines_are_whole.then(|| cut(text.as_str(), transaction.items.len(), version(), role));
    let body = match cut.flatten() {
        Some(body) => body.into_bytes(),
        None => answer::envelope(&TransactionView::new(transaction, role)),
    };
    let location = created.then(|| format!("/api/pos/transactions/{}", transaction.transaction_id));
    Answer { status: if created { 201 } else { 200 }, location, body }
}

/// Leaves out the fields that no answer shows, and the cost of each line, which is not for cashiers; adds the version.
/// Names in quotes are never a part of a user's text: quotes are escaped there.
fn cut(text: &str, lines: usize, version: Option<String>, role: Role) -> Option<String> {
    let room = text.len().saturating_add(answer::BEGIN.len()).saturating_add(answer::END.len());
    let mut body = String::with_capacity(room);
    body.push_str(answer::BEGIN);
    let mut rest = text;
    for _ in 0..lines {
        rest = without(rest, ",\"track_stock\":", ",\"cost\":", &mut body)?;
        if role == Role::Cashier {
            rest = rest.get(rest.find('}')?..)?;
        }
    }
    rest = without(rest, ",\"scans\":", ",\"subtotal\":", &mut body)?;
    rest = without(rest, ",\"earn_per\":", ",\"payments\":", &mut body)?;
    body.push_str(rest.strip_suffix('}')?);
    if let Some(version) = version {
        body.extend([",\"version\":\"", &version, "\""]);
    }
    body.push('}');
    body.push_str(answer::END);
    Some(body)
}

/// Copies a text up to one name, and returns the text from another one on.
fn without<'t>(text: &'t str, from: &str, until: &str, body: &mut String) -> Option<&'t str> {
    let (shown, hidden) = text.split_once(from)?;
    body.push_str(shown);
    hidden.get(hidden.find(until)?..)
}
