//! The two sides of the conditions between the books and their lists, as statements.

use crate::db::column::Columns;
use domain::model::base::figures::Money;
use domain::model::inventory::transfer::{Resolution, Resolved};
use sqlx::AnyConnection;

/// Each proof with the column of the owner of its figures, and the statement of its `booked` and `listed` sums.
pub fn lists() -> [(&'static str, &'static str, String); 11] {
    let both = |name, key, moved: &str| {
        let sql = format!(
            "SELECT {key}, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed \
             FROM ({moved}) moved GROUP BY {key} ORDER BY {key}"
        );
        (name, key, sql)
    };
    // The movements of an account of each store, on the side on which it grows, beside a list.
    let account = |name, number: &str, listed: &str| {
        let side = if number.starts_with('1') { "debit - credit" } else { "credit - debit" };
        let moved = format!(
            "SELECT store_id, {side} AS booked, 0 AS listed FROM ledger_days WHERE account = '{number}' \
             UNION ALL SELECT store_id, 0, {listed}"
        );
        both(name, "store_id", &moved)
    };
    [
        account("cash_in_tills", "1010", CASH_OF_SHIFTS),
        both("exchange", "store_id", EXCHANGE),
        both("clearing", "store_id", CLEARING),
        account(
            "on_the_way",
            "1030",
            "amount FROM settlement_items WHERE state IN ('open', 'matched') AND kind = 'deposit'",
        ),
        account("inventory", "1210", "value FROM stock"),
        account("damaged", "1230", "value FROM damaged"),
        account("payables", "2010", "amount FROM payable_moves"),
        account("not_invoiced", "2020", "open_value FROM uninvoiced"),
        account("output_tax", "2030", TAX_OF_SALES),
        both("in_transit", "transfer", IN_TRANSIT),
        both("payables_by_supplier", "supplier_id", BY_SUPPLIER),
    ]
}

const CASH_OF_SHIFTS: &str = "s.opening_float \
     + COALESCE((SELECT SUM(m.amount) FROM shift_methods m WHERE m.store_id = s.store_id \
     AND m.shift_id = s.shift_id AND m.method = 'cash'), 0) \
     + COALESCE((SELECT SUM(c.pay_in - c.pay_out - c.drops) FROM shift_cash c WHERE c.store_id = s.store_id \
     AND c.shift_id = s.shift_id), 0) FROM shifts s WHERE s.state <> 'closed'";

const EXCHANGE: &str = "SELECT store_id, debit - credit AS booked, 0 AS listed FROM ledger_days \
     WHERE account = '1150' AND NOT EXISTS (SELECT 1 FROM shifts s \
     WHERE s.store_id = ledger_days.store_id AND s.state <> 'closed')";

/// Clearing accounts by store: one of head office's own may have moved by hand before a method was mapped to it.
const CLEARING: &str = "SELECT store_id || ' ' || account AS store_id, debit - credit AS booked, 0 AS listed FROM ledger_days \
     WHERE account IN ('1110', '1120', '1130', '1140') \
     OR account IN (SELECT account FROM mappings WHERE kind = 'method') UNION ALL \
     SELECT l.store_id || ' ' || l.account, l.credit - l.debit, 0 FROM journal_lines l JOIN journal j \
     ON j.store_id = l.store_id AND j.entry_no = l.entry_no \
     WHERE l.account IN (SELECT account FROM mappings WHERE kind = 'method') \
     AND l.account NOT IN ('1110', '1120', '1130', '1140') AND (j.kind = 'manual' OR (j.kind = 'reversal' \
     AND EXISTS (SELECT 1 FROM journal r WHERE r.store_id = j.store_id AND r.entry_id = j.reverses \
     AND r.kind = 'manual'))) UNION ALL \
     SELECT store_id || ' ' || account, 0, amount FROM settlement_items WHERE state IN ('open', 'matched') \
     AND kind IN ('payment', 'refund')";

const TAX_OF_SALES: &str = "tax - returns_tax FROM store_sums UNION ALL \
     SELECT l.store_id, l.debit - l.credit, 0 FROM journal j JOIN journal_lines l ON l.store_id = j.store_id \
     AND l.entry_no = j.entry_no WHERE j.kind <> 'event' AND l.account = '2030'";

/// Goods in transit by transfer, in its sender's book.
const IN_TRANSIT: &str = "SELECT l.store_id || ' ' || j.cause_id AS transfer, l.debit - l.credit AS booked, 0 AS listed \
     FROM journal_lines l JOIN journal j ON j.store_id = l.store_id AND j.entry_no = l.entry_no \
     WHERE l.account = '1220' UNION ALL \
     SELECT store_id || ' ' || transfer_id, 0, value FROM in_transit";

/// Moves of account 2010, beside the open amounts of its documents.
const BY_SUPPLIER: &str = "SELECT supplier_id, amount AS booked, 0 AS listed FROM payable_moves UNION ALL \
     SELECT supplier_id, 0, open FROM invoices UNION ALL SELECT supplier_id, 0, -open FROM credit_notes UNION ALL \
     SELECT supplier_id, 0, -unallocated FROM supplier_payments";

/// `(figure, left, right)` for every store and day from `$1` on: the sums beside their documents. A reversal counts on
/// its own day.
pub const ROLLUPS: &str = "WITH sold AS (\
     SELECT store_id, event_id, business_date, 1 AS sign, total, tax FROM sales WHERE business_date >= $1 UNION ALL \
     SELECT s.store_id, s.event_id, e.business_date, -1, -s.total, -s.tax FROM sales s JOIN events e \
     ON e.store_id = s.store_id AND e.event_id = s.voided_event WHERE e.business_date >= $1), \
     back AS (\
     SELECT store_id, business_date, refund_total, tax FROM returns WHERE business_date >= $1 UNION ALL \
     SELECT r.store_id, e.business_date, -r.refund_total, -r.tax FROM returns r JOIN events e \
     ON e.store_id = r.store_id AND e.event_id = r.voided_event WHERE e.business_date >= $1) \
     SELECT figure, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(listed) AS BIGINT) AS listed FROM (\
     SELECT store_id || ' ' || business_date || ' sales' AS figure, total AS booked, 0 AS listed FROM sales_hours \
     WHERE business_date >= $1 UNION ALL \
     SELECT store_id || ' ' || business_date || ' sales', 0, total FROM sold UNION ALL \
     SELECT store_id || ' ' || business_date || ' tax', tax - returns_tax, 0 FROM sales_hours \
     WHERE business_date >= $1 UNION ALL \
     SELECT store_id || ' ' || business_date || ' tax', 0, tax FROM sold UNION ALL \
     SELECT store_id || ' ' || business_date || ' tax', 0, -tax FROM back UNION ALL \
     SELECT store_id || ' ' || business_date || ' returns', returns_total, 0 FROM sales_hours \
     WHERE business_date >= $1 UNION ALL \
     SELECT store_id || ' ' || business_date || ' returns', 0, refund_total FROM back UNION ALL \
     SELECT store_id || ' ' || business_date || ' pieces', items_count, 0 FROM sales_skus \
     WHERE business_date >= $1 UNION ALL \
     SELECT l.store_id || ' ' || s.business_date || ' pieces', 0, s.sign * l.qty FROM sold s JOIN sale_lines l \
     ON l.store_id = s.store_id AND l.event_id = s.event_id) summed GROUP BY figure ORDER BY figure";

/// Value of goods that senders found at their destinations, as long as these have not reported them.
///
/// # Errors
/// A database error.
pub async fn found_elsewhere(connection: &mut AnyConnection) -> Result<Money, sqlx::Error> {
    let sql = "SELECT settled FROM in_transit WHERE settled <> '[]'";
    let mut waiting = Money::ZERO;
    for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
        let settled: Vec<(u32, Resolved)> = row.json("settled")?;
        let there = settled.iter().filter(|(_, part)| part.resolution == Resolution::FoundAtDestination);
        waiting = there.fold(waiting, |sum, (_, part)| sum.saturating_add(part.cost));
    }
    let sql = "SELECT CAST(COALESCE(SUM(m.cost), 0) AS BIGINT) FROM movements m JOIN events e ON e.store_id = m.store_id \
               AND e.event_id = m.event_id JOIN transfers t ON t.transfer_id = m.reference_id AND t.to_store = m.store_id \
               WHERE e.kind = 'transfer.resolved'";
    let reported = sqlx::query_scalar(sql).fetch_one(connection).await.map(Money::new)?;
    Ok(waiting.saturating_sub(reported))
}
