//! What was bought: what was ordered, came, went back and was billed, each on its own day.

use crate::office::reports::figure::{Figure, derived, hidden, share_bp, sum};
use crate::office::reports::report::{Report, STORE, Source, group, text};

/// Pieces by what they are, of lines with a supplier and a product. Receipts are counted by themselves: `$receipt` says in what.
macro_rules! purchases {
    ($($receipt:tt)+) => {
        concat!(
            "(SELECT o.store_id, o.made_on AS business_date, o.made_on AS entry_date, o.supplier_id, l.sku, \
             l.qty AS ordered, 0 AS received, 0 AS rejected, 0 AS returned, 0 AS invoiced, 0 AS variance, \
             0 AS receipts, 0 AS documents, 0 AS due, 0 AS on_time, \
             CASE WHEN o.state IN ('sent', 'partially_received') THEN l.open_qty ELSE 0 END AS open_qty \
             FROM purchase_orders o JOIN purchase_order_lines l ON l.po_id = o.po_id \
             WHERE o.state IN ('sent', 'partially_received', 'received', 'closed') \
             UNION ALL SELECT r.store_id, r.business_date, COALESCE(j.entry_date, r.business_date), \
             COALESCE(r.supplier_id, ''), l.sku, 0, l.qty, l.rejected_qty, 0, 0, 0, 0, 0, 0, 0, 0 \
             FROM goods_documents r JOIN receiving_lines l ON l.store_id = r.store_id \
             AND l.receiving_id = r.document_id \
             LEFT JOIN journal j ON j.store_id = r.store_id AND j.cause_key = r.event_id \
             WHERE r.part = 1 AND r.kind = 'receiving' AND r.state = 'posted' \
             UNION ALL SELECT r.store_id, r.business_date, COALESCE(j.entry_date, r.business_date), \
             COALESCE(r.supplier_id, ''), ",
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

/// Of a receipt with an order that says when it is due: whether it came by then.
macro_rules! due {
    () => {
        "CASE WHEN o.expected_at <> '' THEN 1 ELSE 0 END, \
         CASE WHEN o.expected_at <> '' AND r.business_date <= o.expected_at THEN 1 ELSE 0 END, 0 \
         FROM goods_documents r LEFT JOIN purchase_orders o ON o.po_id = r.po_id \
         LEFT JOIN journal j ON j.store_id = r.store_id AND j.cause_key = r.event_id "
    };
}

const FIGURES: [Figure; 11] = [
    sum("ordered", "SUM(d.ordered)"),
    sum("received", "SUM(d.received)"),
    sum("rejected", "SUM(d.rejected)"),
    sum("returned", "SUM(d.returned)"),
    sum("invoiced", "SUM(d.invoiced)"),
    sum("variance", "SUM(d.variance)"),
    sum("receipts", "SUM(d.receipts)"),
    derived("on_time_bp", |row| share_bp(row.get("on_time"), row.get("due"))),
    sum("open_qty", "SUM(d.open_qty)"),
    hidden("due", "SUM(d.due)"),
    hidden("on_time", "SUM(d.on_time)"),
];

/// Each receipt once.
static WHOLE: Source = Source {
    from: purchases!(concat!(
        "'' AS sku, 0, 0, 0, 0, 0, 0, 1, 1, ",
        due!(),
        "WHERE r.part = 1 AND r.kind = 'receiving' AND r.state = 'posted' "
    )),
    dated: true,
    late: Some(("d.documents", "d.received - d.returned")),
    figures: &FIGURES,
};
/// A receipt in each product that it has.
static PRODUCTS: Source = Source {
    from: purchases!(concat!(
        "l.sku, 0, 0, 0, 0, 0, 0, 1, 0, ",
        due!(),
        "JOIN (SELECT DISTINCT store_id, receiving_id, sku FROM receiving_lines) l ON l.store_id = r.store_id \
         AND l.receiving_id = r.document_id WHERE r.part = 1 AND r.kind = 'receiving' AND r.state = 'posted' "
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
