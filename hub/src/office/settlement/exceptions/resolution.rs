//! A person's resolutions of exceptions, and their effects.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::finance::account::Chart;
use crate::office::finance::writer::{Writer, check_bytes, check_text};
use crate::office::settlement::exception::{State, View, read};
use crate::office::settlement::exceptions::carried::{carry_items, carry_lines};
use crate::office::settlement::hand_match::{self, NAMED_BYTES_MAX, NAMED_MAX, check_named};
use crate::office::settlement::lines::new_line::NewLines;
use crate::office::settlement::{exceptions::raised, matching, source, statement};
use crate::table::journal::{self, Kind, NewEntry};
use crate::table::store::is_known;
use crate::table::{day_lock, settlement};
use domain::model::base::figures::Money;
use domain::model::base::limits::{ACCOUNT_DIGITS, SHORT_ID_BYTES_MAX, TEXT_CHARS_MAX};
use domain::model::base::refusal::Refusal;
use domain::rules::books::entry_by_hand::EntryLine;
use domain::rules::books::posting::plan::{Account, PAYMENT_FEES};
use domain::rules::books::settlement::entry::{moved, taken_back};
use domain::rules::books::settlement::exception::{ExceptionKind, Resolution};
use edge::{ApiError, ids};
use jiff::Span;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;

/// Lines and items of a match.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "SettlementExceptionMatch")]
pub struct Named {
    /// IDs of the lines, in addition to those of the exception.
    #[schemars(length(max = NAMED_MAX), inner(length(min = 1, max = NAMED_BYTES_MAX)))]
    pub line_ids: Vec<String>,
    /// IDs of the items, in addition to those of the exception.
    #[schemars(length(max = NAMED_MAX), inner(length(min = 1, max = NAMED_BYTES_MAX)))]
    pub item_ids: Vec<String>,
}

/// Resolution of an exception by a user.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SettlementExceptionResolution")]
pub struct Resolve {
    /// Chosen resolution.
    pub resolution: Resolution,
    /// Reason for the resolution.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
    /// Account that the amount is posted to; for a match, the account of the difference. Null if the resolution posts
    /// nothing.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub account: Option<String>,
    /// Lines and items of the resolution `match`. Null for other resolutions.
    #[serde(rename = "match")]
    pub named: Option<Named>,
    /// Store of the unknown terminal. Null for other resolutions.
    #[schemars(length(max = SHORT_ID_BYTES_MAX))]
    pub store_id: Option<String>,
}

impl Writer<'_> {
    /// Applies a person's resolution; a carried exception is not asked about for `carry_days`.
    ///
    /// # Errors
    /// 404; 422 for a resolution that its type does not have; 409 `invalid_state` for a resolved one.
    pub async fn resolve_exception(
        &self,
        connection: &mut AnyConnection,
        exception_id: &str,
        asked: &Resolve,
        carry_days: u32,
    ) -> Result<(), Failure> {
        check_text("reason", &asked.reason)?;
        if let Some(Named { line_ids, item_ids }) = &asked.named {
            check_named("match.line_ids", line_ids)?;
            check_named("match.item_ids", item_ids)?;
        }
        check_bytes(|| "store_id".to_owned(), asked.store_id.as_deref(), SHORT_ID_BYTES_MAX)?;
        let found = read(connection, exception_id).await?;
        if !found.kind.resolutions().contains(&asked.resolution) {
            let names: Vec<&str> = found.kind.resolutions().iter().map(|known| known.name()).collect();
            return Err(ApiError::field("resolution", format!("must be one of {}", names.join(", "))).into());
        }
        if found.kind == ExceptionKind::ShiftDiffers {
            return self.accept_shifts(connection, exception_id, asked).await;
        }
        let source_id = found.source_id.clone().unwrap_or_default();
        let source = source::lock(connection, &source_id).await?;
        if found.state == State::Resolved {
            let (state, allowed) = ("resolved".to_owned(), Vec::new());
            return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
        }
        let until = self.today.checked_add(Span::new().days(carry_days)).unwrap_or(self.today);
        let account = self.account(connection, &found, asked).await?;
        let bank = source.bank()?;
        if account == Some(bank) {
            let problem = "is the account of these lines: for a transfer between two banks, choose an account for \
                           transfers at both banks";
            return Err(ApiError::field("account", problem).into());
        }
        let mut entry_id = None;
        match asked.resolution {
            Resolution::Carry if found.line_ids.is_empty() => {
                carry_items(connection, &found.items, until).await?
            }
            Resolution::WriteOff => {
                let account = account.ok_or_else(|| ApiError::field("account", "is needed"))?;
                entry_id = self.write_off(connection, &found, account).await?;
            }
            Resolution::Post => entry_id = self.post_lines(connection, &found, (bank, account)).await?,
            Resolution::Accept if found.kind == ExceptionKind::Chargeback => {
                entry_id = self.post_lines(connection, &found, (bank, account)).await?;
            }
            Resolution::Accept if found.kind == ExceptionKind::PayoutDiffers => {
                entry_id = self.post_payout_rest(connection, &found, (bank, account)).await?;
            }
            Resolution::Accept => difference_account(connection, &found, account).await?,
            Resolution::Carry if raised::waits(found.kind) || found.kind == ExceptionKind::NotAPayment => {
                carry_lines(connection, &found.line_ids, until).await?;
            }
            Resolution::Carry | Resolution::Dispute => {
                self.leave_open(connection, &found, &source, until).await?;
            }
            Resolution::StoreId => {
                remember(connection, &found, asked.store_id.as_deref(), &source_id).await?;
                set_lines(connection, &found, "unmatched").await?;
            }
            Resolution::Match => self.match_named(connection, &found, asked, &source_id).await?,
            // It may be reversed: the line waits for later ones.
            Resolution::Contest => carry_lines(connection, &found.line_ids, until).await?,
            Resolution::Ignore => {}
        }
        let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolution = $2, account = $3, reason = $4, \
                   resolved_by = $5, resolved_at = $6, entry_id = $7 WHERE exception_id = $1";
        let query = sqlx::query(sql).bind(exception_id).bind(asked.resolution.name());
        let query = query.bind(account.map(String::from)).bind(&asked.reason).bind(self.by).bind(self.now.0);
        query.bind(entry_id).execute(&mut *connection).await?;
        set_lines(connection, &found, "resolved").await?;
        if asked.resolution == Resolution::StoreId {
            let source = source::lock(connection, &source_id).await?;
            matching::run(connection, &source, NewLines::default(), (self.now, self.today)).await?;
        }
        statement::evaluate(connection, &source_id).await?;
        let of_items = found.items.iter().map(|(store_id, _)| store_id.clone());
        let stores: Vec<String> = found.store_id.iter().cloned().chain(of_items).collect();
        for store_id in stores {
            if let Some(day) = found.business_date {
                settlement::evaluate(connection, &store_id, day).await?;
            }
        }
        Ok(())
    }

    /// Takes the figures of a day's shifts as they are: it is no source's, and posts nothing.
    async fn accept_shifts(
        &self,
        connection: &mut AnyConnection,
        exception_id: &str,
        asked: &Resolve,
    ) -> Result<(), Failure> {
        if asked.account.is_some() {
            return Err(ApiError::field("account", "must be omitted: this resolution posts nothing").into());
        }
        let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolution = $2, reason = $3, \
                   resolved_by = $4, resolved_at = $5 WHERE exception_id = $1 AND state = 'open' \
                   RETURNING store_id, business_date";
        let query = sqlx::query(sql).bind(exception_id).bind(asked.resolution.name()).bind(&asked.reason);
        let done = query.bind(self.by).bind(self.now.0).fetch_all(&mut *connection).await?;
        if done.is_empty() {
            let (state, allowed) = ("resolved".to_owned(), Vec::new());
            return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
        }
        for (store_id, day) in raised::held_up(&done)? {
            settlement::evaluate(connection, &store_id, day).await?;
        }
        Ok(())
    }

    /// Account to post to: the one that the user names, or the usual one.
    async fn account(
        &self,
        connection: &mut AnyConnection,
        found: &View,
        asked: &Resolve,
    ) -> Result<Option<Account>, Failure> {
        let usual = found.kind.default_account(asked.resolution);
        let Some(named) = &asked.account else {
            if usual.is_none() && asked.resolution == Resolution::Post {
                return Err(ApiError::field("account", "is needed").into());
            }
            return Ok(usual);
        };
        // A fee has its own account, and a resolution without a posting has none.
        let takes = matches!(asked.resolution, Resolution::Post | Resolution::Match)
            || usual.is_some_and(|usual| usual != PAYMENT_FEES);
        if !takes {
            return Err(ApiError::field("account", "must be omitted for this resolution").into());
        }
        Chart::read(connection).await?.check_by_hand(std::iter::once(named))?;
        let account = Account::parse(named).ok_or_else(|| ApiError::field("account", "is not an account"))?;
        Ok(Some(account))
    }

    /// Combines the exception's own lines and items with those that a person names.
    async fn match_named(
        &self,
        connection: &mut AnyConnection,
        found: &View,
        asked: &Resolve,
        source_id: &str,
    ) -> Result<(), Failure> {
        let named = asked.named.as_ref().ok_or_else(|| ApiError::field("match", "is needed"))?;
        let with = |one: &[String], other: &[String]| one.iter().chain(other).cloned().collect();
        let new = hand_match::New {
            source_id: source_id.to_owned(),
            line_ids: with(&found.line_ids, &named.line_ids),
            item_ids: with(&found.item_ids, &named.item_ids),
            difference_account: asked.account.clone(),
            reason: asked.reason.clone(),
        };
        self.match_by_hand(connection, &new).await?;
        Ok(())
    }

    /// They will never be paid: the account that they are on is cleared today.
    async fn write_off(
        &self,
        connection: &mut AnyConnection,
        found: &View,
        account: Account,
    ) -> Result<Option<String>, Failure> {
        let mut entry_id = None;
        for (store_id, item_id) in &found.items {
            let sql = "UPDATE settlement_items SET state = 'written_off' WHERE store_id = $1 AND item_id = $2 \
                       AND state = 'open' RETURNING account, amount";
            let row = sqlx::query(sql).bind(store_id).bind(item_id).fetch_optional(&mut *connection).await?;
            let Some(row) = row else { continue };
            let (clearing, amount): (Account, Money) = columns!(row => (account, amount));
            let key = format!("{}:resolve", found.exception_id);
            let posted = (store_id.as_str(), self.today, key);
            let lines = moved(account, clearing, amount).map_err(ApiError::from)?;
            entry_id = self.post_resolution(connection, found, posted, lines).await?;
        }
        Ok(entry_id)
    }

    /// Posts lines without items: the bank against an account, in the book of the line's store; for a chargeback, in
    /// the book of the store of the payment.
    async fn post_lines(
        &self,
        connection: &mut AnyConnection,
        found: &View,
        (bank, account): (Account, Option<Account>),
    ) -> Result<Option<String>, Failure> {
        let account = account.ok_or_else(|| ApiError::field("account", "is needed"))?;
        let mut entry_id = None;
        for line_id in &found.line_ids {
            let sql = "SELECT line_date, gross, fee, COALESCE(net, gross, 0) AS amount FROM statement_lines WHERE line_id = $1";
            let row = sqlx::query(sql).bind(line_id).fetch_one(&mut *connection).await?;
            let (date, net): (Date, Money) = columns!(row => (line_date, amount));
            let (gross, fee): (Option<Money>, Option<Money>) = columns!(row => (gross, fee));
            let book = match &found.store_id {
                None if found.kind == ExceptionKind::Chargeback => {
                    store_of_payment(connection, line_id).await?
                }
                named => named.clone(),
            };
            let (book, key) = (book.unwrap_or_default(), format!("{}:resolve", found.exception_id));
            let lines = match (found.kind, gross, fee) {
                (ExceptionKind::Chargeback, Some(gross), Some(fee)) => {
                    taken_back(bank, account, [gross, fee, net])
                }
                _ => moved(bank, account, net),
            };
            let lines = lines.map_err(ApiError::from)?;
            entry_id = self.post_resolution(connection, found, (&book, date, key), lines).await?;
        }
        Ok(entry_id)
    }

    /// Posts the part of a payout that the bank did not get: the provider's lines have posted the whole payout.
    async fn post_payout_rest(
        &self,
        connection: &mut AnyConnection,
        found: &View,
        (bank, account): (Account, Option<Account>),
    ) -> Result<Option<String>, Failure> {
        let account = account.ok_or_else(|| ApiError::field("account", "is needed"))?;
        let line_id = found.line_ids.first().map(String::as_str).unwrap_or_default();
        let sql = "SELECT line_date, match_id FROM statement_lines WHERE line_id = $1";
        let row = sqlx::query(sql).bind(line_id).fetch_one(&mut *connection).await?;
        let (date, match_id): (Date, Option<String>) = columns!(row => (line_date, match_id));
        let sql =
            "UPDATE settlement_matches SET state = 'posted', difference_account = $2 WHERE match_id = $1";
        let query = sqlx::query(sql).bind(match_id).bind(String::from(account));
        query.execute(&mut *connection).await?;
        let posted =
            (found.store_id.as_deref().unwrap_or_default(), date, format!("{}:resolve", found.exception_id));
        let lines = moved(account, bank, found.amount).map_err(ApiError::from)?;
        self.post_resolution(connection, found, posted, lines).await
    }

    async fn post_resolution(
        &self,
        connection: &mut AnyConnection,
        found: &View,
        (book, date, cause_key): (&str, Date, String),
        lines: Vec<EntryLine>,
    ) -> Result<Option<String>, Failure> {
        if lines.is_empty() {
            return Ok(None);
        }
        let entry_no = journal::numbers(connection, book, 1).await?;
        let entry_date = day_lock::of_book(connection, book, date).await?.first_open(date);
        let (entry_id, cause_id) = (ids::new("jrn_"), found.exception_id.clone());
        let named = NewEntry {
            book: book.to_owned(),
            entry_no,
            cause_id,
            cause_key,
            lines,
            ..self.entry(Kind::Settlement)
        };
        let reference_date = (entry_date != date).then_some(date);
        let entry = NewEntry { entry_id: entry_id.clone(), entry_date, reference_date, ..named };
        self.add(connection, vec![entry]).await?;
        Ok(Some(entry_id))
    }
}

/// The store of the payment that a line takes back, if one was matched under its reference; with several there is no
/// guess.
async fn store_of_payment(
    connection: &mut AnyConnection,
    line_id: &str,
) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT DISTINCT i.store_id FROM statement_lines b JOIN statement_lines l \
               ON l.source_id = b.source_id AND l.reference_key = b.reference_key AND l.state = 'matched' \
               AND COALESCE(l.gross, l.net) > 0 JOIN match_items i ON i.match_id = l.match_id \
               WHERE b.line_id = $1 LIMIT 2";
    let stores: Vec<String> = sqlx::query_scalar(sql).bind(line_id).fetch_all(connection).await?;
    Ok(Some(stores).filter(|stores| stores.len() == 1).and_then(|mut stores| stores.pop()))
}

/// Sets the state of its lines. Matched lines keep theirs, and so do lines with another resolution.
async fn set_lines(connection: &mut AnyConnection, found: &View, state: &str) -> Result<(), sqlx::Error> {
    for line_id in &found.line_ids {
        let sql = "UPDATE statement_lines SET state = $2 WHERE line_id = $1 AND state = 'excepted'";
        sqlx::query(sql).bind(line_id).bind(state).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Sets the account of its match's difference.
async fn difference_account(
    connection: &mut AnyConnection,
    found: &View,
    account: Option<Account>,
) -> Result<(), sqlx::Error> {
    let Some(account) = account else { return Ok(()) };
    for line_id in &found.line_ids {
        let sql = "UPDATE settlement_matches SET difference_account = $2 WHERE match_id = \
                   (SELECT match_id FROM match_lines WHERE line_id = $1)";
        let query = sqlx::query(sql).bind(line_id).bind(String::from(account));
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

/// Assigns this terminal to that store from now on.
async fn remember(
    connection: &mut AnyConnection,
    found: &View,
    store_id: Option<&str>,
    source_id: &str,
) -> Result<(), Failure> {
    let store_id = store_id.ok_or_else(|| ApiError::field("store_id", "is needed"))?;
    if !is_known(connection, store_id).await? {
        return Err(ApiError::field("store_id", "is not a store").into());
    }
    let line_id = found.line_ids.first().cloned().unwrap_or_default();
    let sql = "SELECT store_ref FROM statement_lines WHERE line_id = $1";
    let row = sqlx::query(sql).bind(line_id).fetch_one(&mut *connection).await?;
    let name: Option<String> = row.cell("store_ref")?;
    let name = name.ok_or_else(|| {
        ApiError::field("store_id", "can't be remembered, because the line has no terminal")
    })?;
    source::remember(connection, source_id, &name, store_id).await
}
