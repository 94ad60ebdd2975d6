//! Movements of the accounts of income and expenses, by days in the books; the entry that closes a year is left out.

use crate::office::reports::figure::sum;
use crate::office::reports::report::{Report, STORE, Source, group, text};

static LEDGER: Source = Source {
    from: "(SELECT store_id, entry_date AS business_date, entry_date, account, debit, credit FROM ledger_days \
           WHERE account >= '4000' AND account < '8000' \
           UNION ALL SELECT j.store_id, j.entry_date, j.entry_date, l.account, -l.debit, -l.credit FROM journal j \
           JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no \
           WHERE j.kind = 'year_end' AND l.account >= '4000' AND l.account < '8000') d",
    dated: true,
    late: None,
    figures: &[
        sum("gross_sales", "SUM(CASE WHEN d.account = '4010' THEN d.credit - d.debit ELSE 0 END)"),
        sum("discounts", "SUM(CASE WHEN d.account = '4020' THEN d.debit - d.credit ELSE 0 END)"),
        sum("returns", "SUM(CASE WHEN d.account = '4030' THEN d.debit - d.credit ELSE 0 END)"),
        sum("points", "SUM(CASE WHEN d.account = '4040' THEN d.credit - d.debit ELSE 0 END)"),
        sum("net_sales", "SUM(CASE WHEN d.account < '5000' THEN d.credit - d.debit ELSE 0 END)"),
        sum("cost_of_goods", "SUM(CASE WHEN d.account = '5010' THEN d.debit - d.credit ELSE 0 END)"),
        sum("cost_corrections", "SUM(CASE WHEN d.account = '5020' THEN d.debit - d.credit ELSE 0 END)"),
        sum(
            "purchase_variance",
            "SUM(CASE WHEN d.account IN ('5030', '5040') THEN d.debit - d.credit ELSE 0 END)",
        ),
        sum(
            "shrinkage",
            "SUM(CASE WHEN d.account >= '5100' AND d.account < '5200' THEN d.debit - d.credit ELSE 0 END)",
        ),
        sum("gross_profit", "SUM(CASE WHEN d.account < '6000' THEN d.credit - d.debit ELSE 0 END)"),
        sum("other_income", "SUM(CASE WHEN d.account >= '7000' THEN d.credit - d.debit ELSE 0 END)"),
        sum(
            "expenses",
            "SUM(CASE WHEN d.account >= '6000' AND d.account < '7000' THEN d.debit - d.credit ELSE 0 END)",
        ),
        sum("result", "SUM(d.credit - d.debit)"),
    ],
};

/// `GET /api/reports/profit`
pub static PROFIT: Report = Report {
    name: "profit",
    groups: &[
        group!("month", [text("month", "SUBSTR(d.entry_date, 1, 7)")], &LEDGER, &LEDGER),
        group!("store", [STORE], &LEDGER, &LEDGER),
        group!("account", [text("account", "d.account")], &LEDGER, &LEDGER),
    ],
    chart: &["net_sales", "gross_profit", "result"],
};
