//! Purchases: ordered, received, returned and billed goods, each on its own day.

use crate::office::reports::figure::{Figure, count, derived, hidden, share_bp, sum};
use crate::office::reports::report::{Report, STORE, Source, group, text};

/// Receipts, each on its day, and their reversals on a day of their own, as `r`: `sign` is the sign of the pieces.
macro_rules! receipts {
    () => {
        "(SELECT g.store_id, g.document_id, g.supplier_id, g.po_id, g.business_date, \
         COALESCE((SELECT MIN(j.entry_date) FROM journal j WHERE j.cause_id = g.document_id AND j.store_id = g.store_id \
         AND j.kind = 'event' AND (g.state = 'posted' OR j.event_id <> g.event_id)), g.business_date) AS entry_date, \
         g.business_date AS came_on, 1 AS sign FROM goods_documents g WHERE g.part = 1 AND g.kind = 'receiving' \
         UNION ALL SELECT g.store_id, g.document_id, g.supplier_id, g.po_id, COALESCE(e.business_date, g.business_date), \
         COALESCE(j.entry_date, e.business_date, g.business_date), g.business_date, -1 FROM goods_documents g \
         LEFT JOIN events e ON e.store_id = g.store_id AND e.event_id = g.event_id \
         LEFT JOIN journal j ON j.store_id = g.store_id AND j.cause_key = g.event_id \
         WHERE g.part = 1 AND g.kind = 'receiving' AND g.state = 'reversed') r"
    };
}

/// Pieces by kind, of lines with a supplier and a product. Receipts are counted separately: `$receipt` states in which
/// figure.
macro_rules! purchases {
    ($($receipt:tt)+) => {
        concat!(
            "(SELECT o.store_id, o.made_on AS business_date, o.made_on AS entry_date, o.supplier_id, l.sku, \
             l.qty AS ordered, 0 AS received, 0 AS rejected, 0 AS returned, 0 AS invoiced, 0 AS variance, \
             0 AS receipts, 0 AS documents, 0 AS due, 0 AS on_time, \
             CASE WHEN o.state IN ('sent', 'partially_received') THEN l.open_qty ELSE 0 END AS open_qty \
             FROM purchase_orders o JOIN purchase_order_lines l ON l.po_id = o.po_id \
             WHERE o.state IN ('sent', 'partially_received', 'received', 'closed') \
             UNION ALL SELECT r.store_id, r.business_date, r.entry_date, \
             COALESCE(r.supplier_id, ''), l.sku, 0, r.sign * l.qty, r.sign * l.rejected_qty, 0, 0, 0, 0, 0, 0, 0, 0 FROM ",
            receipts!(),
            " JOIN receiving_lines l ON l.store_id = r.store_id AND l.receiving_id = r.document_id \
             UNION ALL SELECT r.store_id, r.business_date, r.entry_date, COALESCE(r.supplier_id, ''), ",
            $($receipt)+,
            "UNION ALL SELECT r.store_id, r.business_date, COALESCE(j.entry_date, r.business_date), \
             COALESCE(r.supplier_id, ''), l.sku, 0, 0, 0, l.qty, 0, 0, 0, \
             CASE WHEN l.line_no = 1 THEN 1 ELSE 0 END, 0, 0, 0 \
             FROM goods_documents r JOIN supplier_return_lines l ON l.store_id = r.store_id \
             AND l.supplier_return_id = r.document_id \
             LEFT JOIN journal j ON j.store_id = r.store_id AND j.cause_key = r.event_id \
             WHERE r.part = 1 AND r.kind = 'supplier_return' \
             UNION ALL SELECT l.store_id, i.invoice_date, COALESCE(j.entry_date, i.invoice_date), i.supplier_id, \
             l.sku, 0, 0, 0, 0, l.qty, l.variance, 0, \
             CASE WHEN l.line_no = (SELECT MIN(f.line_no) FROM invoice_lines f WHERE f.invoice_id = l.invoice_id \
             AND f.store_id = l.store_id AND f.sku <> '') THEN 1 ELSE 0 END, 0, 0, 0 \
             FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.invoice_id \
             LEFT JOIN journal j ON j.store_id = l.store_id AND j.cause_key = i.invoice_id || ':approve' \
             WHERE l.sku <> '' AND i.state IN ('approved', 'partially_paid', 'paid')) d"
        )
    };
}

/// Whether a receipt came by the due date of its order, for orders that have one.
macro_rules! due {
    () => {
        concat!(
            "CASE WHEN o.expected_at <> '' THEN r.sign ELSE 0 END, \
             CASE WHEN o.expected_at <> '' AND r.came_on <= o.expected_at THEN r.sign ELSE 0 END, 0 FROM ",
            receipts!(),
            " LEFT JOIN purchase_orders o ON o.po_id = r.po_id "
        )
    };
}

const FIGURES: [Figure; 11] = [
    count("ordered", "SUM(d.ordered)"),
    count("received", "SUM(d.received)"),
    count("rejected", "SUM(d.rejected)"),
    count("returned", "SUM(d.returned)"),
    count("invoiced", "SUM(d.invoiced)"),
    sum("variance", "SUM(d.variance)"),
    count("receipts", "SUM(d.receipts)"),
    derived("on_time_bp", |row| share_bp(row.get("on_time"), row.get("due"))),
    count("open_qty", "SUM(d.open_qty)"),
    hidden("due", "SUM(d.due)"),
    hidden("on_time", "SUM(d.on_time)"),
];

/// Counts each receipt once.
static WHOLE: Source = Source {
    from: purchases!(concat!("'' AS sku, 0, 0, 0, 0, 0, 0, r.sign, 1, ", due!())),
    dated: true,
    late: Some(("d.documents", "d.received - d.returned")),
    figures: &FIGURES,
};
/// A receipt in each product that it has.
static PRODUCTS: Source = Source {
    from: purchases!(concat!(
        "l.sku, 0, 0, 0, 0, 0, 0, r.sign, 0, ",
        due!(),
        "JOIN (SELECT DISTINCT store_id, receiving_id, sku FROM receiving_lines) l ON l.store_id = r.store_id \
         AND l.receiving_id = r.document_id "
    )),
    dated: true,
    late: None,
    figures: &FIGURES,
};

/// `GET /api/reports/purchases`
pub static PURCHASES: Report = Report {
    name: "purchases",
    groups: &[
        group!("supplier", [text("supplier_id", "d.supplier_id")], &WHOLE, &WHOLE),
        group!("store", [STORE], &WHOLE, &WHOLE),
        group!("sku", [text("sku", "d.sku")], &PRODUCTS, &WHOLE),
        group!("month", [text("month", "SUBSTR(d.{day}, 1, 7)")], &WHOLE, &WHOLE),
    ],
    chart: &["ordered", "received"],
};
