//! Matches on their way into their tables.

use crate::db::insert;
use crate::office::settlement::by_method;
use crate::office::settlement::source::View as Source;
use crate::row;
use domain::model::base::time::UtcMs;
use domain::rules::books::posting::plan::Account;
use domain::rules::books::settlement::{Found, OpenLine};
use edge::ids;
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// Who makes a match.
pub enum By<'a> {
    /// The rules.
    Rules,
    /// A person.
    Person {
        /// Their id.
        made_by: &'a str,
        /// Why.
        reason: &'a str,
        /// Where a difference is posted.
        rest: Option<Account>,
    },
}

/// Keeps matches; lines and items that are in one are no longer open. Gives back their ids.
pub async fn write(
    connection: &mut AnyConnection,
    source: &Source,
    found: &Found,
    lines: &[OpenLine],
    by: &By<'_>,
    now: UtcMs,
) -> Result<Vec<String>, sqlx::Error> {
    let (made_by, reason, rest) = match *by {
        By::Rules => (None, None, None),
        By::Person { made_by, reason, rest } => (Some(made_by.to_owned()), Some(reason.to_owned()), rest),
    };
    let mut made_ids = Vec::new();
    let dates: BTreeMap<&str, Date> = lines.iter().map(|line| (line.line_id.as_str(), line.date)).collect();
    let (mut matches, mut of_lines, mut of_items, mut slices, mut batches) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut parts = Vec::new();
    for made in &found.matches {
        let match_id = ids::new("mch_");
        let told = made.line_ids.iter().filter_map(|line_id| dates.get(line_id.as_str()));
        let line_date =
            told.max().copied().or_else(|| made.slices.iter().map(|slice| slice.settlement_date).max());
        matches.push(row! {
            match_id: match_id.as_str(), source_id: source.source_id.as_str(), rule: made.rule.name(),
            line_date: line_date.unwrap_or_default().to_string(), gross: made.gross, fee: made.fee, net: made.net,
            difference: made.difference, account: made.account.map(String::from),
            difference_account: rest.map(String::from), state: "matched", made_by: made_by.clone(),
            reason: reason.clone(), made_at: now.0,
        });
        for line_id in &made.line_ids {
            of_lines.push(row! { line_id: line_id.as_str(), match_id: match_id.as_str() });
            if let Some((source_id, batch)) = found.paid_out.get(line_id) {
                batches.push(
                    row! { source_id: source_id.as_str(), batch: batch.as_str(), line_id: line_id.as_str() },
                );
            }
        }
        for (store_id, item_id) in &made.items {
            of_items.push(
                row! { store_id: store_id.as_str(), item_id: item_id.as_str(), match_id: match_id.as_str() },
            );
        }
        for slice in &made.slices {
            let of_methods = slice.by_method();
            let one =
                of_methods.first().filter(|_| of_methods.len() == 1).map(|(method, _)| (*method).to_owned());
            if one.is_none() {
                parts.extend(by_method::rows(slice, &match_id));
            }
            let cleared = serde_json::to_string(&slice.cleared);
            slices.push(row! {
                store_id: slice.store_id.as_str(), settlement_date: slice.settlement_date.to_string(),
                match_id: match_id.as_str(), method: one, gross: slice.gross, fee: slice.fee, difference: slice.difference,
                net: slice.net, cleared: cleared.map_err(|error| sqlx::Error::Encode(error.into()))?, posted: 0_i64,
            });
        }
        made_ids.push(match_id);
    }
    insert::rows(connection, "settlement_matches", "", matches).await?;
    insert::rows(connection, "match_lines", "", of_lines).await?;
    insert::rows(connection, "match_items", "", of_items).await?;
    insert::rows(connection, "match_slices", "", slices).await?;
    insert::rows(connection, "slice_methods", "", parts).await?;
    insert::rows(connection, "paid_batches", "", batches).await?;
    let sql = "UPDATE statement_lines SET state = 'matched', match_id = (SELECT m.match_id FROM match_lines m \
               WHERE m.line_id = statement_lines.line_id) WHERE source_id = $1 \
               AND state IN ('unmatched', 'excepted', 'carried') \
               AND EXISTS (SELECT 1 FROM match_lines m WHERE m.line_id = statement_lines.line_id)";
    sqlx::query(sql).bind(&source.source_id).execute(&mut *connection).await?;
    let sql = "UPDATE settlement_items SET state = 'matched', match_id = (SELECT m.match_id FROM match_items m \
               WHERE m.store_id = settlement_items.store_id AND m.item_id = settlement_items.item_id) \
               WHERE state = 'open' AND EXISTS (SELECT 1 FROM match_items m \
               WHERE m.store_id = settlement_items.store_id AND m.item_id = settlement_items.item_id)";
    sqlx::query(sql).execute(&mut *connection).await?;
    Ok(made_ids)
}
