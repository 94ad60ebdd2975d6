//! Matches on their way into their tables.

use crate::db::insert::{self, NewRow};
use crate::office::settlement::by_method;
use crate::office::settlement::source::View as Source;
use crate::row;
use domain::model::base::figures::Money;
use domain::model::base::money::spread;
use domain::model::base::time::UtcMs;
use domain::rules::books::posting::plan::Account;
use domain::rules::books::settlement::{Found, Match};
use edge::ids;
use sqlx::AnyConnection;

/// Matches that are made into rows at once: the rows are several times as large.
const CHUNK: usize = 2_000;

/// Origin of a match.
pub enum By<'a> {
    /// Matched by the rules.
    Rules,
    /// Matched by a user.
    Person {
        /// ID of the user.
        made_by: &'a str,
        /// Reason for the match.
        reason: &'a str,
        /// Account that a difference is posted to.
        rest: Option<Account>,
    },
}

/// Rows of matches, by their tables.
#[derive(Default)]
struct Rows {
    matches: Vec<NewRow>,
    lines: Vec<NewRow>,
    items: Vec<NewRow>,
    slices: Vec<NewRow>,
    /// Rows of slices with several methods, one for each method.
    methods: Vec<NewRow>,
    batches: Vec<NewRow>,
}

/// Keeps matches; items that are in one are no longer open. Returns their IDs, in their order.
pub async fn write(
    connection: &mut AnyConnection,
    source: &Source,
    found: &Found<'_>,
    by: &By<'_>,
    now: UtcMs,
) -> Result<Vec<String>, sqlx::Error> {
    let mut made_ids = Vec::with_capacity(found.matches.len());
    for chunk in found.matches.chunks(CHUNK) {
        let mut rows = Rows::default();
        for made in chunk {
            let match_id = ids::new("mch_");
            rows.add(&match_id, made, (source, by, now));
            rows.batches(made, found);
            rows.slices(&match_id, made)?;
            made_ids.push(match_id);
        }
        rows.write(connection).await?;
    }
    if let Some((first, last)) = made_ids.iter().min().zip(made_ids.iter().max()) {
        take_items(connection, first, last).await?;
    }
    Ok(made_ids)
}

/// Marks the items of matches between two IDs as no longer open. It is one statement, whose cost does not depend on the
/// number of other items; a match of another transaction between these IDs has taken its items itself.
async fn take_items(connection: &mut AnyConnection, first: &str, last: &str) -> Result<(), sqlx::Error> {
    let sql = "UPDATE settlement_items SET state = 'matched', match_id = m.match_id FROM match_items m \
               WHERE m.match_id >= $1 AND m.match_id <= $2 AND settlement_items.store_id = m.store_id \
               AND settlement_items.item_id = m.item_id AND settlement_items.state = 'open'";
    sqlx::query(sql).persistent(false).bind(first).bind(last).execute(connection).await.map(drop)
}

/// Lines that are in a match now.
pub async fn mark<'a>(
    connection: &mut AnyConnection,
    lines: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<(), sqlx::Error> {
    let rows = lines.map(|(line_id, match_id)| row! { line_id, state: "matched", match_id }).collect();
    let only = "statement_lines.state IN ('unmatched', 'excepted', 'carried')";
    insert::update(connection, "statement_lines", &["line_id"], only, rows).await
}

impl Rows {
    fn add(&mut self, match_id: &str, made: &Match<'_>, (source, by, now): (&Source, &By<'_>, UtcMs)) {
        let (made_by, reason, rest) = match *by {
            By::Rules => (None, None, None),
            By::Person { made_by, reason, rest } => (Some(made_by.to_owned()), Some(reason.to_owned()), rest),
        };
        let reported = made.lines.iter().map(|line| line.date).max();
        let line_date = reported.or_else(|| made.items.iter().map(|item| item.settlement_date).max());
        self.matches.push(row! {
            match_id, source_id: source.source_id.as_str(), rule: made.rule.name(),
            line_date: line_date.unwrap_or_default().to_string(), gross: made.gross, fee: made.fee, net: made.net,
            difference: made.difference, account: made.account.map(String::from),
            difference_account: rest.map(String::from), state: "matched", made_by, reason, made_at: now.0,
        });
        self.lines.extend(made.lines.iter().map(|line| row! { line_id: line.line_id.as_str(), match_id }));
        let weights: Vec<Money> = made.items.iter().map(|item| item.amount.saturating_abs()).collect();
        let shares = spread(made.difference.saturating_abs(), &weights);
        self.items.extend(made.items.iter().zip(shares).map(|(item, share)| {
            let difference = share.saturating_mul(made.difference.signum());
            row! { store_id: item.store_id.as_str(), item_id: item.item_id.as_str(), match_id, difference }
        }));
    }

    /// The provider's batch that each line of a bank is.
    fn batches(&mut self, made: &Match<'_>, found: &Found<'_>) {
        for line in &made.lines {
            if let Some((source_id, batch)) = found.paid_out.get(&line.line_id) {
                let (source_id, batch) = (source_id.as_str(), batch.as_str());
                self.batches.push(row! { source_id, batch, line_id: line.line_id.as_str() });
            }
        }
    }

    fn slices(&mut self, match_id: &str, made: &Match<'_>) -> Result<(), sqlx::Error> {
        for slice in &made.slices() {
            let of_methods = slice.by_method();
            let one =
                of_methods.first().filter(|_| of_methods.len() == 1).map(|(method, _)| (*method).to_owned());
            if one.is_none() {
                self.methods.extend(by_method::rows(slice, match_id));
            }
            let cleared = serde_json::to_string(&slice.cleared);
            self.slices.push(row! {
                store_id: slice.store_id.as_str(), settlement_date: slice.settlement_date.to_string(), match_id, method: one,
                gross: slice.gross, fee: slice.fee, difference: slice.difference, net: slice.net,
                cleared: cleared.map_err(|error| sqlx::Error::Encode(error.into()))?, posted: 0_i64,
            });
        }
        Ok(())
    }

    async fn write(self, connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
        insert::rows(connection, "settlement_matches", "", self.matches).await?;
        insert::rows(connection, "match_lines", "", self.lines).await?;
        insert::rows(connection, "match_items", "", self.items).await?;
        insert::rows(connection, "match_slices", "", self.slices).await?;
        insert::rows(connection, "slice_methods", "", self.methods).await?;
        insert::rows(connection, "paid_batches", "", self.batches).await
    }
}
