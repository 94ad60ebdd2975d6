//! Compares the amounts owed to suppliers with their sources: receipts, invoices, payments, the books.

use crate::columns;
use sqlx::{AnyConnection, Error};

/// Queries for problems, and the objects that they are about.
const CHECKS: [(&str, &str); 9] = [
    (
        "the uninvoiced row is missing, or differs from the received line",
        "SELECT l.store_id AS whose, l.receiving_id || ' ' || CAST(l.line_no AS TEXT) AS place FROM receiving_lines l \
         LEFT JOIN uninvoiced u ON u.store_id = l.store_id AND u.receiving_id = l.receiving_id \
         AND u.line_no = l.line_no WHERE u.qty IS NULL OR u.qty <> l.qty OR u.sku <> l.sku",
    ),
    (
        "the billed pieces of an uninvoiced row differ from its invoices",
        "SELECT u.store_id AS whose, u.receiving_id || ' ' || CAST(u.line_no AS TEXT) AS place FROM uninvoiced u \
         LEFT JOIN (SELECT store_id, receiving_id, receiving_line_no, SUM(held_qty) AS held FROM invoice_lines \
         WHERE receiving_id IS NOT NULL GROUP BY store_id, receiving_id, receiving_line_no) b \
         ON b.store_id = u.store_id AND b.receiving_id = u.receiving_id AND b.receiving_line_no = u.line_no \
         WHERE u.invoiced_qty <> COALESCE(b.held, 0)",
    ),
    (
        "the open value of an uninvoiced row differs from its movements",
        "SELECT u.store_id AS whose, u.receiving_id || ' ' || CAST(u.line_no AS TEXT) AS place FROM uninvoiced u \
         LEFT JOIN (SELECT store_id, receiving_id, line_no, SUM(value) AS moved FROM uninvoiced_moves \
         GROUP BY store_id, receiving_id, line_no) m ON m.store_id = u.store_id AND m.receiving_id = u.receiving_id \
         AND m.line_no = u.line_no WHERE u.open_value <> u.value + COALESCE(m.moved, 0)",
    ),
    (
        "account 2020 differs from the received goods that are not invoiced",
        "SELECT store_id AS whose, '2020' AS place FROM (SELECT store_id, credit - debit AS moved FROM ledger_days \
         WHERE account = '2020' UNION ALL SELECT store_id, -open_value FROM uninvoiced) m \
         GROUP BY store_id HAVING SUM(moved) <> 0",
    ),
    (
        "cash paid to suppliers differs from what was posted",
        "SELECT store_id AS whose, MIN(id) AS place FROM (SELECT j.store_id, j.event_id, j.cause_id AS id, \
         l.credit - l.debit AS moved FROM journal j JOIN journal_lines l ON l.store_id = j.store_id \
         AND l.entry_no = j.entry_no WHERE j.kind = 'event' AND j.cause_type = 'cash_movement' AND l.account = '2020' \
         UNION ALL SELECT store_id, event_id, receiving_id, -value FROM uninvoiced WHERE kind = 'pay_out') m \
         GROUP BY store_id, event_id HAVING SUM(moved) <> 0",
    ),
    (
        "account 2010 differs from the documents' amounts",
        "SELECT store_id AS whose, '2010' AS place FROM (SELECT store_id, credit - debit AS moved FROM ledger_days \
         WHERE account = '2010' UNION ALL SELECT store_id, -amount FROM payable_moves) m \
         GROUP BY store_id HAVING SUM(moved) <> 0",
    ),
    (
        "the open amount differs from its movements",
        "SELECT MIN(supplier_id) AS whose, id AS place FROM (SELECT supplier_id, document_id AS id, amount AS moved \
         FROM payable_moves UNION ALL SELECT supplier_id, invoice_id, -open FROM invoices \
         UNION ALL SELECT supplier_id, credit_note_id, open FROM credit_notes \
         UNION ALL SELECT supplier_id, payment_id, unallocated FROM supplier_payments) m \
         GROUP BY id HAVING SUM(moved) <> 0",
    ),
    (
        "an invoice has no lines",
        "SELECT i.supplier_id AS whose, i.invoice_id AS place FROM invoices i \
         LEFT JOIN invoice_lines l ON l.invoice_id = i.invoice_id GROUP BY i.supplier_id, i.invoice_id \
         HAVING COUNT(l.line_no) = 0",
    ),
    (
        "the value of damaged goods differs from account 1230",
        "SELECT store_id AS whose, '1230' AS place FROM (SELECT store_id, debit - credit AS moved FROM ledger_days \
         WHERE account = '1230' UNION ALL SELECT store_id, -value FROM damaged) m \
         GROUP BY store_id HAVING SUM(moved) <> 0",
    ),
];

pub async fn problems(connection: &mut AnyConnection) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    for (problem, sql) in CHECKS {
        for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
            let (whose, place): (String, String) = columns!(row => (whose, place));
            problems.push(format!("{whose}: {problem}: {place}"));
        }
    }
    Ok(problems)
}
