//! What must hold between the books and the lists beside them: each side is summed by itself.

use crate::columns;
use crate::db::Db;
use crate::projection::journal;
use crate::table::alarm;
use domain::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sqlx::{AnyConnection, Row};

/// The code of the alarm of a proof that fails.
const ALARM: &str = "proof_failed";
/// Most differences that are told of one proof.
const TOLD_MAX: usize = 100;

/// A proof.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Proof {
    /// `entries`, `cash_in_tills`, `exchange`, `clearing`, `on_the_way`, `inventory`, `payables`, `not_invoiced`, `output_tax`,
    /// `payables_by_supplier`.
    pub name: &'static str,
    /// Whether it holds.
    pub ok: bool,
    /// What the books say.
    pub left: i64,
    /// What the list beside them says.
    pub right: i64,
    /// Where it does not hold.
    pub differences: Vec<Value>,
}

/// What all proofs came to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Proofs")]
pub struct Proofs {
    /// When.
    pub at: UtcMs,
    /// Whether all of them hold.
    pub ok: bool,
    /// Each.
    pub proofs: Vec<Proof>,
}

/// `(store_id, left, right)` for every store; of `clearing` the store with its account.
const BY_STORE: [(&str, &str); 8] = [
    (
        "cash_in_tills",
        "SELECT store_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed FROM (\
         SELECT store_id, debit - credit AS booked, 0 AS listed FROM ledger_days WHERE account = '1010' UNION ALL \
         SELECT s.store_id, 0, s.opening_float \
         + COALESCE((SELECT SUM(m.amount) FROM shift_methods m WHERE m.store_id = s.store_id \
         AND m.shift_id = s.shift_id AND m.method = 'cash'), 0) \
         + COALESCE((SELECT SUM(c.pay_in - c.pay_out - c.drops) FROM shift_cash c WHERE c.store_id = s.store_id \
         AND c.shift_id = s.shift_id), 0) FROM shifts s WHERE s.state <> 'closed') moved \
         GROUP BY store_id ORDER BY store_id",
    ),
    (
        "exchange",
        "SELECT store_id, CAST(SUM(debit - credit) AS BIGINT) AS booked, CAST(0 AS BIGINT) AS listed \
         FROM ledger_days WHERE account = '1150' AND NOT EXISTS (SELECT 1 FROM shifts s \
         WHERE s.store_id = ledger_days.store_id AND s.state <> 'closed') GROUP BY store_id ORDER BY store_id",
    ),
    (
        "clearing",
        "SELECT place AS store_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed FROM (\
         SELECT store_id || ' ' || account AS place, debit - credit AS booked, 0 AS listed FROM ledger_days \
         WHERE account IN ('1110', '1120', '1130', '1140') UNION ALL \
         SELECT store_id || ' ' || account, 0, amount FROM settlement_items WHERE state IN ('open', 'matched') \
         AND account IN ('1110', '1120', '1130', '1140')) moved GROUP BY place ORDER BY place",
    ),
    (
        "on_the_way",
        "SELECT store_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed FROM (\
         SELECT store_id, debit - credit AS booked, 0 AS listed FROM ledger_days WHERE account = '1030' UNION ALL \
         SELECT store_id, 0, amount FROM settlement_items WHERE state IN ('open', 'matched') \
         AND kind = 'deposit') moved GROUP BY store_id ORDER BY store_id",
    ),
    (
        "inventory",
        "SELECT store_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed FROM (\
         SELECT store_id, debit - credit AS booked, 0 AS listed FROM ledger_days WHERE account = '1210' UNION ALL \
         SELECT store_id, 0, value FROM stock) moved GROUP BY store_id ORDER BY store_id",
    ),
    (
        "payables",
        "SELECT store_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed FROM (\
         SELECT store_id, credit - debit AS booked, 0 AS listed FROM ledger_days WHERE account = '2010' UNION ALL \
         SELECT store_id, 0, amount FROM payable_moves) moved GROUP BY store_id ORDER BY store_id",
    ),
    (
        "not_invoiced",
        "SELECT store_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed FROM (\
         SELECT store_id, credit - debit AS booked, 0 AS listed FROM ledger_days WHERE account = '2020' UNION ALL \
         SELECT store_id, 0, open_value FROM uninvoiced) moved GROUP BY store_id ORDER BY store_id",
    ),
    (
        "output_tax",
        "SELECT store_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed FROM (\
         SELECT store_id, credit - debit AS booked, 0 AS listed FROM ledger_days WHERE account = '2030' UNION ALL \
         SELECT l.store_id, l.debit - l.credit, 0 FROM journal j JOIN journal_lines l ON l.store_id = j.store_id \
         AND l.entry_no = j.entry_no WHERE j.kind <> 'event' AND l.account = '2030' UNION ALL \
         SELECT store_id, 0, tax - returns_tax FROM store_sums) moved GROUP BY store_id ORDER BY store_id",
    ),
];

/// `(supplier_id, left, right)` for every supplier: what moved account 2010 beside what its documents say.
const BY_SUPPLIER: (&str, &str) = (
    "payables_by_supplier",
    "SELECT supplier_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed FROM (\
     SELECT supplier_id, amount AS booked, 0 AS listed FROM payable_moves UNION ALL \
     SELECT supplier_id, 0, open FROM invoices UNION ALL SELECT supplier_id, 0, -open FROM credit_notes UNION ALL \
     SELECT supplier_id, 0, -unallocated FROM supplier_payments) moved GROUP BY supplier_id ORDER BY supplier_id",
);

/// Proves the books as they are now, in a transaction of its own: who posts does not wait for it.
pub async fn of_now(db: &Db, now: UtcMs) -> Result<Proofs, sqlx::Error> {
    let mut read = db.read().await?;
    run(&mut read, now).await
}

async fn run(connection: &mut AnyConnection, now: UtcMs) -> Result<Proofs, sqlx::Error> {
    let wrong = journal::problems(&mut *connection).await?;
    let left = i64::try_from(wrong.len()).unwrap_or(i64::MAX);
    let differences = wrong.into_iter().take(TOLD_MAX).map(Value::String).collect();
    let mut proofs = vec![Proof { name: "entries", ok: left == 0, left, right: 0, differences }];
    let lists = BY_STORE.into_iter().map(|(name, sql)| (name, "store_id", sql));
    for (name, key, sql) in lists.chain([(BY_SUPPLIER.0, "supplier_id", BY_SUPPLIER.1)]) {
        let mut proof = Proof { name, ok: true, left: 0, right: 0, differences: Vec::new() };
        for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
            let whose: String = row.try_get(key)?;
            let (booked, listed): (i64, i64) = columns!(row => (booked, listed));
            proof.left = proof.left.saturating_add(booked);
            proof.right = proof.right.saturating_add(listed);
            if booked != listed {
                proof.ok = false;
                if proof.differences.len() < TOLD_MAX {
                    proof.differences.push(serde_json::json!({key: whose, "left": booked, "right": listed}));
                }
            }
        }
        proofs.push(proof);
    }
    Ok(Proofs { at: now, ok: proofs.iter().all(|proof| proof.ok), proofs })
}

/// Writes down what they came to; one that fails raises an alarm.
pub async fn note(connection: &mut AnyConnection, proofs: &Proofs) -> Result<(), sqlx::Error> {
    let failed: Vec<&Proof> = proofs.proofs.iter().filter(|proof| !proof.ok).collect();
    let sql = "INSERT INTO proofs (singleton, at, ok, problems) VALUES (1, $1, $2, $3) ON CONFLICT (singleton) \
               DO UPDATE SET at = excluded.at, ok = excluded.ok, problems = excluded.problems";
    let count = i64::try_from(failed.len()).unwrap_or(i64::MAX);
    let query = sqlx::query(sql).bind(proofs.at.0).bind(i64::from(proofs.ok)).bind(count);
    query.execute(&mut *connection).await?;
    if failed.is_empty() {
        return alarm::clear(connection, "", ALARM).await;
    }
    let words =
        |proof: &&Proof| format!("{}: {} in the books, {} beside them", proof.name, proof.left, proof.right);
    let message = failed.iter().map(words).collect::<Vec<_>>().join("; ");
    alarm::raise(connection, "", ALARM, &message, proofs.at).await
}

/// What the last run came to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LastProof {
    /// When.
    pub at: UtcMs,
    /// Whether all of them held.
    pub ok: bool,
    /// How many did not.
    pub problems: i64,
}

/// What the last run came to; none: none ran yet.
pub async fn last(connection: &mut AnyConnection) -> Result<Option<LastProof>, sqlx::Error> {
    let row = sqlx::query("SELECT at, ok, problems FROM proofs").fetch_optional(connection).await?;
    row.map(|row| Ok(columns!(row => LastProof { at, ok, problems }))).transpose()
}
