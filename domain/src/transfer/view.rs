//! A transfer as the interface shows it.

use super::{Transfer, TransferLine};
use serde_json::{Value, json};

/// The transfer with what is missing, settled or not.
pub fn view(transfer: &Transfer) -> Value {
    json!({
        "transfer_id": transfer.transfer_id,
        "state": transfer.state,
        "from_store_id": transfer.from_store_id,
        "to_store_id": transfer.to_store_id,
        "lines": transfer.lines.iter().map(|line| json!({
            "line_no": line.line_no,
            "sku": line.sku,
            "name": line.name,
            "qty": line.qty,
            "cost": line.cost,
            "received": line.received,
        })).collect::<Vec<_>>(),
        "discrepancies": transfer.lines.iter().flat_map(discrepancies).collect::<Vec<_>>(),
        "in_transit_value": transfer.in_transit_value(),
        "note": transfer.note,
        "business_date": transfer.business_date,
        "created_by": transfer.created_by,
        "created_at": transfer.created_at,
        "sent_at": transfer.sent_at,
        "received_by": transfer.received_by,
        "received_at": transfer.received_at,
        "cancelled_at": transfer.cancelled_at,
        "cancel_lost": transfer.cancel_lost,
    })
}

fn discrepancies(line: &TransferLine) -> Vec<Value> {
    let settled = line.resolved.iter().map(|part| {
        json!({"sku": line.sku, "qty": part.qty, "resolution": part.resolution, "resolved_at": part.at})
    });
    let pending = (line.pending() > 0).then(
        || json!({"sku": line.sku, "qty": line.pending(), "resolution": "pending", "resolved_at": null}),
    );
    settled.chain(pending).collect()
}
