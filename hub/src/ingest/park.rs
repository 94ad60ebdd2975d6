//! Judges records: applied, seen before, or parked raw and acknowledged. No record is refused or dropped.

use crate::db::insert::NewRow;
use crate::db::{Engine, array, signed};
use crate::projection::envelope::{Incoming, Problem, Understood};
use crate::table::alarm::REUSED;
use crate::{columns, row, secret};
use domain::model::base::time::UtcMs;
use domain::rules::hub::sync::parking;
use domain::rules::hub::sync::parking::{Before, Case, Why};
use domain::wire::record::Known;
use domain::wire::sync::{Parked, ParkedSince};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The record waits for another one that has not arrived, and does not hold up later records.
pub const WAITS_FOR_PREDECESSOR: &str = "waits_for_predecessor";
/// An earlier record of its aggregate is parked.
pub const WAITS_FOR_PARKED: &str = "waits_for_parked";

/// A parked record's place.
#[derive(Clone)]
pub struct ParkedKey {
    pub parked_id: String,
    pub epoch: String,
    pub seq: u64,
    pub aggregate: Option<String>,
}

/// Most parked records that an answer names.
const PARKED_NAMED: usize = 1000;
/// Longest part of the reason for parking that an answer names.
const MESSAGE_CHARS_MAX: usize = 200;

/// Treatment of a record.
pub enum Verdict<'a> {
    /// Its effects are applied.
    Apply(&'a Understood),
    /// The same event with the same text arrived before: stored raw, effects skipped.
    Duplicate,
    /// Stored raw and kept for later.
    Park(Problem),
}

/// Facts about a store that the hub has seen, as far as a batch needs them.
#[derive(Default)]
pub struct Seen {
    /// Text hashes of known events.
    events: HashMap<String, String>,
    /// Aggregates with a parked record.
    blocked: HashSet<String>,
    /// Documents that were applied before.
    known: HashSet<Known>,
}

impl Seen {
    /// Reads the facts that the batch's events and aggregates need, in two statements.
    pub async fn load(
        connection: &mut AnyConnection,
        store_id: &str,
        events: &[Incoming],
    ) -> Result<Self, sqlx::Error> {
        let ids: Vec<&String> = events.iter().filter_map(|event| event.event_id.as_ref()).collect();
        let aggregates: HashSet<&String> =
            events.iter().filter_map(|event| event.aggregate.as_ref()).collect();
        let mut seen = Self::default();
        if !ids.is_empty() {
            let sql = "SELECT event_id, text_hash FROM events WHERE store_id = $1 AND";
            let rows = find(connection, (sql, "event_id"), store_id, ids).await?;
            for row in rows {
                seen.events.insert(row.try_get("event_id")?, row.try_get("text_hash")?);
            }
        }
        if !aggregates.is_empty() {
            let sql = "SELECT aggregate, store_id FROM parked WHERE store_id = $1 AND blocking = 1 AND";
            let rows =
                find(connection, (sql, "aggregate"), store_id, aggregates.into_iter().collect()).await?;
            for row in rows {
                seen.blocked.insert(row.try_get("aggregate")?);
            }
        }
        seen.known = known(connection, store_id, events).await?;
        Ok(seen)
    }

    /// Judges a record; later records of the batch are judged with this one known.
    pub fn judge<'a>(&mut self, event: &'a Incoming) -> Verdict<'a> {
        let needs = event.needs();
        let case = Case {
            before: self.before(event),
            behind: event.aggregate.as_ref().is_some_and(|aggregate| self.blocked.contains(aggregate)),
            understood: event.understood.is_ok(),
            complete: needs.is_none_or(|needs| self.known.contains(needs)),
        };
        match (parking::judge(case), &event.understood) {
            (parking::Verdict::Apply, Ok(understood)) => {
                self.known.extend(understood.effect.gives.clone());
                Verdict::Apply(understood)
            }
            (parking::Verdict::Apply, Err(problem)) => Verdict::Park(problem.clone()),
            (parking::Verdict::Duplicate, _) => Verdict::Duplicate,
            (parking::Verdict::Park(why), _) => {
                if why.holds_up() {
                    self.blocked.extend(event.aggregate.clone());
                }
                Verdict::Park(problem(why, event))
            }
        }
    }

    fn before(&mut self, event: &Incoming) -> Before {
        let Some(event_id) = &event.event_id else { return Before::Nothing };
        let text = secret::digest(&event.record);
        match self.events.get(event_id) {
            Some(known) if *known == text => Before::SameText,
            Some(_) => Before::OtherText,
            None => {
                self.events.insert(event_id.clone(), text);
                Before::Nothing
            }
        }
    }

    /// Makes later records of this one's aggregate wait behind it, because its effects failed.
    pub fn block(&mut self, event: &Incoming, Understood { effect, .. }: &Understood) {
        self.blocked.extend(event.aggregate.clone());
        if let Some(gives) = &effect.gives {
            self.known.remove(gives);
        }
    }
}

/// Problem of a parked record, as it is reported.
pub(crate) fn problem(why: Why, event: &Incoming) -> Problem {
    let (code, message) = match (why, &event.understood) {
        (Why::Reused, _) => {
            let event_id = event.event_id.as_deref().unwrap_or_default();
            (REUSED, format!("event {event_id} was received before with different content"))
        }
        (Why::Behind, _) => {
            let aggregate = event.aggregate.as_deref().unwrap_or_default();
            (WAITS_FOR_PARKED, format!("an earlier record of {aggregate} is parked"))
        }
        (Why::Waits | Why::NotUnderstood, Ok(_)) => {
            let needs = event.needs().map(ToString::to_string).unwrap_or_default();
            (WAITS_FOR_PREDECESSOR, format!("{needs} has not come yet"))
        }
        (Why::Waits | Why::NotUnderstood, Err(problem)) => return problem.clone(),
    };
    Problem { code, message }
}

/// Whether later records of the aggregate park behind one with this problem.
pub(crate) fn holds_up(problem: &Problem) -> bool {
    let why = match problem.code {
        REUSED => Why::Reused,
        WAITS_FOR_PARKED => Why::Behind,
        WAITS_FOR_PREDECESSOR => Why::Waits,
        _ => Why::NotUnderstood,
    };
    why.holds_up()
}

/// The documents that events need and that were applied before.
pub async fn known(
    connection: &mut AnyConnection,
    store_id: &str,
    events: &[Incoming],
) -> Result<HashSet<Known>, sqlx::Error> {
    let needed: BTreeSet<&Known> = events.iter().filter_map(Incoming::needs).collect();
    let mut found = HashSet::new();
    for needs in needed {
        // Every statement uses $1: PostgreSQL requires a use of each parameter.
        let (sql, id) = match needs {
            Known::Sale(id) => ("SELECT COUNT(*) FROM sales WHERE store_id = $1 AND transaction_id = $2", id),
            Known::Return(id) => ("SELECT COUNT(*) FROM returns WHERE store_id = $1 AND return_id = $2", id),
            Known::Receiving(id) => {
                let sql = "SELECT COUNT(*) FROM goods_documents WHERE store_id = $1 \
                           AND kind = 'receiving' AND document_id = $2";
                (sql, id)
            }
            Known::Transfer(id) => (
                "SELECT COUNT(*) FROM transfers WHERE sent = 1 AND $1 IN (from_store, to_store) \
                 AND transfer_id = $2",
                id,
            ),
        };
        let query = sqlx::query_scalar::<_, i64>(sql).bind(store_id).bind(id);
        if query.fetch_one(&mut *connection).await? > 0 {
            found.insert(needs.clone());
        }
    }
    Ok(found)
}

async fn find(
    connection: &mut AnyConnection,
    (select, column): (&'static str, &'static str),
    store_id: &str,
    values: Vec<&String>,
) -> Result<Vec<sqlx::any::AnyRow>, sqlx::Error> {
    let engine = Engine::of_connection(connection);
    let sql = format!("{select} {}", array::among(engine, column, 2));
    let values = array::texts(engine, values.into_iter().map(String::as_str))?;
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false).bind(store_id).bind(values);
    query.fetch_all(connection).await
}

/// The row of a parked record.
pub fn row(store_id: &str, epoch: &str, event: &Incoming, problem: &Problem, now: UtcMs) -> NewRow {
    let event_id = event.event_id.clone().unwrap_or_default();
    // A message may quote the record: characters that a TEXT column can't hold are removed.
    let message = problem.message.replace('\0', "");
    row! {
        store_id, epoch, seq: signed(event.seq), event_id, kind: event.kind.as_str(),
        aggregate: event.aggregate.clone(), code: problem.code, message, parked_at: now.0,
        parked_id: format!("prk_{}", secret::mark()), blocking: i64::from(holds_up(problem)),
        amount: event.counted.as_ref().map(|counted| counted.total), member_id: event.member.clone(),
    }
}

/// A parked record as the answer names it.
pub fn view(event: &Incoming, problem: &Problem) -> Parked {
    Parked {
        seq: event.seq,
        event_id: event.event_id.clone().unwrap_or_default(),
        code: problem.code.to_owned(),
        message: problem.message.clone(),
    }
}

/// Takes a record out of the parked ones; `state` says what became of it.
pub(crate) async fn settle(
    connection: &mut AnyConnection,
    store_id: &str,
    key: &ParkedKey,
    state: &str,
) -> Result<(), sqlx::Error> {
    let sql = "DELETE FROM parked WHERE parked_id = $1";
    sqlx::query(sql).bind(&key.parked_id).execute(&mut *connection).await?;
    let sql = "UPDATE records SET state = $4 WHERE store_id = $1 AND epoch = $2 AND seq = $3";
    let query = sqlx::query(sql).bind(store_id).bind(&key.epoch).bind(signed(key.seq));
    query.bind(state).execute(connection).await?;
    Ok(())
}

/// The records that are parked among some of an epoch, in the order of their numbers.
pub(crate) async fn among(
    connection: &mut AnyConnection,
    (store_id, epoch): (&str, &str),
    events: &[Incoming],
) -> Result<Vec<Parked>, sqlx::Error> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(Vec::new()) };
    let sql = "SELECT seq, event_id, code, message FROM parked \
               WHERE store_id = $1 AND epoch = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq";
    let query = sqlx::query(sql).bind(store_id).bind(epoch).bind(signed(first.seq)).bind(signed(last.seq));
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(|row| Ok(columns!(row => Parked { seq, event_id, code, message }))).collect()
}

/// This store's parked records. `None` if there are too many to name.
pub(crate) async fn named(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<Option<Vec<ParkedSince>>, sqlx::Error> {
    let sql =
        "SELECT epoch, seq, event_id, code, message, parked_at FROM parked WHERE store_id = $1 LIMIT $2";
    let most = i64::try_from(PARKED_NAMED).unwrap_or(i64::MAX).saturating_add(1);
    let rows = sqlx::query(sql).bind(store_id).bind(most).fetch_all(connection).await?;
    if rows.len() > PARKED_NAMED {
        return Ok(None);
    }
    let one = |row: &AnyRow| {
        let mut parked = columns!(row => Parked { seq, event_id, code, message });
        parked.message = parked.message.chars().take(MESSAGE_CHARS_MAX).collect();
        Ok(columns!(row => ParkedSince { epoch, parked_at; parked = parked }))
    };
    rows.iter().map(one).collect::<Result<_, _>>().map(Some)
}
