//! Money that was not settled when a book began: each payment is expected like the payments that its store reports.

use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::insert;
use crate::row;
use crate::table::mapping::Mappings;
use crate::table::settlement::{self, Late};
use domain::model::base::figures::Money;
use domain::model::base::refusal::{FieldProblem, Refusal};
use domain::model::base::time::UtcMs;
use domain::rules::books::entry_by_hand::OpeningLine;
use domain::rules::books::posting::{Mapped, MappingOf};
use domain::rules::books::settlement::{ItemKind, is_settled_elsewhere};
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Longest method and reference, in bytes.
const WORD_BYTES_MAX: usize = 64;
const AMOUNT_MAX: i64 = 1_000_000_000_000;

/// A payment, or a refund if the amount is negative, that a provider or a bank has not settled yet.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningItem {
    /// Payment method.
    #[schemars(length(min = 1, max = WORD_BYTES_MAX))]
    method: String,
    /// Business day of the payment, not after the day of the opening.
    business_date: Date,
    /// Amount in minor currency units, positive for incoming money.
    #[schemars(range(min = -AMOUNT_MAX, max = AMOUNT_MAX))]
    amount: Money,
    /// Slip number of the payment. Null for none.
    #[schemars(length(min = 1, max = WORD_BYTES_MAX))]
    reference: Option<String>,
}

/// Each with the account that it is on from this day on.
pub struct Expected<'a>(Vec<(&'a OpeningItem, Mapped)>);

impl<'a> Expected<'a> {
    /// Checked, on the accounts of a day.
    ///
    /// # Errors
    /// 422 with each that is wrong.
    pub async fn of(
        connection: &mut AnyConnection,
        (book, date): (&str, Date),
        items: &'a [OpeningItem],
    ) -> Result<Self, Failure> {
        if !items.is_empty() && book.is_empty() {
            return Err(ApiError::field("items", "must be omitted in head office's own book").into());
        }
        let problems: Vec<FieldProblem> =
            items.iter().enumerate().flat_map(|(place, item)| item.problems(place, date)).collect();
        if !problems.is_empty() {
            return Err(ApiError::validation(&problems).into());
        }
        let mappings = Mappings::load(connection).await?;
        let mapped = |item: &OpeningItem| mappings.on(date, [(MappingOf::Method, item.method.as_str())]).0;
        Ok(Self(items.iter().map(|item| (item, mapped(item))).collect()))
    }

    /// Lines of the items on their accounts.
    pub fn lines(&self) -> impl Iterator<Item = OpeningLine> {
        self.0.iter().map(|(item, mapped)| OpeningLine {
            account: String::from(mapped.method(&item.method)),
            debit: item.amount.max(Money::ZERO),
            credit: item.amount.saturating_neg().max(Money::ZERO),
        })
    }

    /// Adds them to the list of the store, whose book is locked, and creates their settlements.
    ///
    /// # Errors
    /// A database error.
    pub async fn write(
        self,
        connection: &mut AnyConnection,
        (book, entry_id): (&str, &str),
        now: UtcMs,
    ) -> Result<(), sqlx::Error> {
        let Some(earliest) = self.0.iter().map(|(item, _)| item.business_date).min() else { return Ok(()) };
        let approved = settlement::approved(connection, book, earliest).await?;
        let (mut rows, mut late, mut days) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (number, (item, mapped)) in (1_usize..).zip(self.0) {
            let settlement_date = settlement::first_waiting(&approved, item.business_date);
            days.insert(settlement_date);
            let kind = if item.amount < 0 { ItemKind::Refund } else { ItemKind::Payment };
            let item_id = format!("{entry_id}#{number}");
            let is_late = settlement_date != item.business_date;
            if is_late {
                let (item_id, method) = (item_id.clone(), item.method.clone());
                late.push(Late { item_id, method, day: settlement_date, amount: item.amount });
            }
            rows.push(row! {
                store_id: book, item_id, event_id: "", kind: kind.name(),
                method: item.method.as_str(), account: String::from(mapped.method(&item.method)),
                business_date: item.business_date.to_string(), settlement_date: settlement_date.to_string(),
                amount: item.amount, reference: item.reference.clone(), document_id: entry_id, occurred_at: now.0,
                state: "open", late: i64::from(is_late),
            });
        }
        insert::rows(connection, "settlement_items", "", rows).await?;
        settlement::note_late(connection, book, late, now).await?;
        for day in days {
            settlement::make(connection, (book, day), true, now).await?;
        }
        Ok(())
    }
}

impl OpeningItem {
    fn problems(&self, place: usize, date: Date) -> Vec<FieldProblem> {
        let is_word = |word: &str| (1..=WORD_BYTES_MAX).contains(&word.len()) && !word.contains('\0');
        let checks = [
            (
                "method",
                is_word(&self.method) && is_settled_elsewhere(&self.method),
                "must be a payment method that a bank or provider settles",
            ),
            ("business_date", self.business_date <= date, "must not be after the day of the opening"),
            (
                "amount",
                self.amount != 0 && (-AMOUNT_MAX..=AMOUNT_MAX).contains(&self.amount),
                "must be -1000000000000 to 1000000000000 and not 0",
            ),
            ("reference", self.reference.as_deref().is_none_or(is_word), "must have 1 to 64 bytes"),
        ];
        let wrong = checks.into_iter().filter(|(_, holds, _)| !holds);
        wrong
            .map(|(field, _, problem)| FieldProblem {
                path: format!("items[{place}].{field}"),
                problem: problem.to_owned(),
            })
            .collect()
    }
}

/// Withdraws the items that a reversed opening expected.
///
/// # Errors
/// 409 `invalid_state` if one of its items is no longer open: a line has it, or it was written off.
pub async fn withdraw(connection: &mut AnyConnection, book: &str, entry_id: &str) -> Result<(), Failure> {
    let sql = "SELECT state FROM settlement_items WHERE store_id = $1 AND document_id = $2 AND event_id = '' \
               AND state <> 'open' LIMIT 1";
    let used: Option<String> =
        sqlx::query_scalar(sql).bind(book).bind(entry_id).fetch_optional(&mut *connection).await?;
    if let Some(state) = used {
        return Err(ApiError::from(Refusal::InvalidState { state, allowed: Vec::new() }).into());
    }
    let sql = "UPDATE settlement_items SET state = 'written_off' WHERE store_id = $1 AND document_id = $2 \
               AND event_id = '' RETURNING settlement_date";
    let mut days = BTreeSet::new();
    for row in sqlx::query(sql).bind(book).bind(entry_id).fetch_all(&mut *connection).await? {
        days.insert(row.cell::<Date>("settlement_date")?);
    }
    for day in days {
        settlement::evaluate(connection, book, day).await?;
    }
    Ok(())
}
