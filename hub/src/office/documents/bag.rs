//! State of bags: where each is, and the amount that the bank counted.

use crate::columns;
use crate::db::column::Columns;
use crate::db::insert::list;
use crate::office::documents::deposit::State;
use domain::model::base::figures::Money;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::{BTreeMap, BTreeSet};

pub struct Bag {
    /// State of the bag's money.
    pub state: State,
    /// Report of the bank, once there is one.
    pub at_bank: Option<AtBank>,
}

/// Report of the bank about a bag.
#[derive(Clone, Default)]
pub struct AtBank {
    /// Amount of the bag less the amount counted.
    pub difference: Money,
    /// First of the lines that report it.
    pub line_id: Option<String>,
}

/// Bags by store and ID.
pub struct Bags(pub BTreeMap<Key, Bag>);

/// A store and a deposit.
type Key = (String, String);

impl Bags {
    /// Bags of the deposits of a page.
    pub async fn of(connection: &mut AnyConnection, page: &[AnyRow]) -> Result<Self, sqlx::Error> {
        let ids = page.iter().map(|row| row.cell("deposit_id")).collect::<Result<BTreeSet<String>, _>>()?;
        if ids.is_empty() {
            return Ok(Self(BTreeMap::new()));
        }
        let missing = "SELECT store_id, item_id FROM settlement_exceptions WHERE kind = 'deposit_missing' \
                       AND state = 'open' AND item_id IN";
        let rows = named(&mut *connection, missing, &ids).await?;
        let missing: BTreeSet<Key> = rows
            .iter()
            .map(|row| Ok(columns!(row => (store_id, item_id))))
            .collect::<Result<_, sqlx::Error>>()?;
        let items = "SELECT store_id, item_id, state, COALESCE(match_id, '') AS match_id FROM settlement_items \
                     WHERE kind = 'deposit' AND item_id IN";
        let (mut bags, mut matches) = (BTreeMap::new(), BTreeSet::new());
        for row in named(&mut *connection, items, &ids).await? {
            let key: Key = columns!(row => (store_id, item_id));
            let known = |word: &str| match word {
                "matched" | "posted" => Some(State::Banked),
                "written_off" => Some(State::Missing),
                "open" if missing.contains(&key) => Some(State::Missing),
                "open" => Some(State::OnTheWay),
                _ => None,
            };
            let state = row.word("state", known)?;
            matches.insert(row.cell::<String>("match_id")?);
            bags.insert(key, Bag { state, at_bank: None });
        }
        for (key, reported) in counted(connection, &matches).await? {
            if let Some(bag) = bags.get_mut(&key).filter(|bag| bag.state == State::Banked) {
                bag.at_bank = Some(reported);
            }
        }
        Ok(Self(bags))
    }
}

/// Report of the bank about the deposits of matches. Each of several deposits has its part of the shortfall.
async fn counted(
    connection: &mut AnyConnection,
    matches: &BTreeSet<String>,
) -> Result<BTreeMap<Key, AtBank>, sqlx::Error> {
    let lines = "SELECT match_id, line_id FROM match_lines WHERE match_id IN";
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    for row in named(&mut *connection, lines, matches).await? {
        let (match_id, line_id): (String, String) = columns!(row => (match_id, line_id));
        let known = first.entry(match_id).or_insert_with(|| line_id.clone());
        if line_id < *known {
            *known = line_id;
        }
    }
    let items = "SELECT match_id, store_id, item_id, difference FROM match_items WHERE match_id IN";
    let mut counted = BTreeMap::new();
    for row in named(connection, items, matches).await? {
        let (match_id, store_id, item_id): (String, String, String) =
            columns!(row => (match_id, store_id, item_id));
        let line_id = first.get(&match_id).cloned();
        counted.insert((store_id, item_id), AtBank { difference: row.cell("difference")?, line_id });
    }
    Ok(counted)
}

/// The rows of a statement that ends with `IN`.
async fn named(
    connection: &mut AnyConnection,
    sql: &str,
    ids: &BTreeSet<String>,
) -> Result<Vec<AnyRow>, sqlx::Error> {
    let sql = format!("{sql} ({})", list(1, ids.len().max(1)));
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
    for id in ids {
        query = query.bind(id.clone());
    }
    if ids.is_empty() {
        query = query.bind(String::new());
    }
    query.fetch_all(connection).await
}
