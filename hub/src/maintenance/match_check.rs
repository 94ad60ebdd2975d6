//! Whether matches are their lines and items: each at most once, and every slice the sum of its items.

use crate::db::column::Columns;
use sqlx::AnyConnection;

/// `(problem, owner)`: the tables' keys ensure that a line and an item are in one match at most.
const CHECKS: [(&str, &str); 7] = [
    (
        "a line is marked as matched but in no match, or in a match but not marked",
        "SELECT l.line_id AS place FROM statement_lines l LEFT JOIN match_lines m ON m.line_id = l.line_id \
         WHERE (l.state = 'matched') <> (m.match_id IS NOT NULL) \
         OR COALESCE(l.match_id, '') <> COALESCE(m.match_id, '')",
    ),
    (
        "an item is marked as matched but in no match, or in a match but open",
        "SELECT i.store_id || ' ' || i.item_id AS place FROM settlement_items i LEFT JOIN match_items m \
         ON m.store_id = i.store_id AND m.item_id = i.item_id \
         WHERE (i.state IN ('matched', 'posted')) <> (m.match_id IS NOT NULL) \
         OR COALESCE(i.match_id, '') <> COALESCE(m.match_id, '')",
    ),
    (
        "the lines or items of a match are missing",
        "SELECT m.match_id AS place FROM match_lines m LEFT JOIN statement_lines l ON l.line_id = m.line_id \
         WHERE l.line_id IS NULL UNION ALL SELECT m.match_id FROM match_items m LEFT JOIN settlement_items i \
         ON i.store_id = m.store_id AND i.item_id = m.item_id WHERE i.item_id IS NULL",
    ),
    (
        "the slices of a match don't add up to it",
        "SELECT m.match_id AS place FROM settlement_matches m JOIN match_slices s ON s.match_id = m.match_id \
         GROUP BY m.match_id, m.gross, m.fee, m.difference, m.net HAVING SUM(s.gross) <> m.gross \
         OR SUM(s.fee) <> m.fee OR SUM(s.difference) <> m.difference OR SUM(s.net) <> m.net",
    ),
    (
        "a slice differs from the sum of its items",
        "SELECT s.match_id AS place FROM match_slices s JOIN settlement_matches m ON m.match_id = s.match_id \
         LEFT JOIN settlement_items i ON i.store_id = s.store_id AND i.settlement_date = s.settlement_date \
         AND i.match_id = s.match_id WHERE m.rule <> 'contra' \
         GROUP BY s.store_id, s.settlement_date, s.match_id, s.gross HAVING COALESCE(SUM(i.amount), 0) <> s.gross",
    ),
    (
        "the methods of a slice don't add up to it",
        "SELECT s.match_id AS place FROM match_slices s LEFT JOIN slice_methods p ON p.store_id = s.store_id \
         AND p.settlement_date = s.settlement_date AND p.match_id = s.match_id \
         GROUP BY s.store_id, s.settlement_date, s.match_id, s.method, s.fee, s.difference, s.net \
         HAVING (s.method IS NULL) <> (COUNT(p.method) > 1) OR (s.method IS NULL AND (SUM(p.fee) <> s.fee \
         OR SUM(p.difference) <> s.difference OR SUM(p.net) <> s.net))",
    ),
    (
        "a match is posted but a part of it is not, or the other way round",
        "SELECT m.match_id AS place FROM settlement_matches m JOIN match_slices s ON s.match_id = m.match_id \
         GROUP BY m.match_id, m.state HAVING (m.state = 'posted') <> (MIN(s.posted) = 1)",
    ),
];

/// Problems of the matches.
pub async fn problems(connection: &mut AnyConnection) -> Result<Vec<String>, sqlx::Error> {
    let mut problems = Vec::new();
    for (problem, sql) in CHECKS {
        for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
            problems.push(format!("{}: {problem}", row.cell::<String>("place")?));
        }
    }
    Ok(problems)
}
