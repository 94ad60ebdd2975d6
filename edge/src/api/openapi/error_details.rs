//! The schema of an error's `details`. Each code has fields of its own, so all of them are optional.

use serde_json::{Map, Value, json};

/// Schema of `details`.
pub fn schema() -> Value {
    let properties: Map<String, Value> = fields().into_iter().map(described).collect();
    json!({
        "type": "object",
        "description": "Figures and names that belong to the code. Fields may be added.",
        "properties": properties,
        "additionalProperties": true,
    })
}

fn described((name, mut schema, description): (&str, Value, &str)) -> (String, Value) {
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".to_owned(), description.into());
    }
    (name.to_owned(), schema)
}

fn fields() -> Vec<(&'static str, Value, &'static str)> {
    let (text, number) = (|| json!({"type": "string"}), || json!({"type": "integer"}));
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    let problem = json!({
        "type": "object",
        "required": ["path", "problem"],
        "properties": {
            "path": {"type": "string", "description": "Field of the body, for example `items[0].qty`, or name of the query parameter."},
            "problem": {"type": "string", "description": "Description of the problem, for people."},
        },
        "additionalProperties": true,
    });
    vec![
        (
            "fields",
            json!({"type": "array", "items": problem}),
            "`validation_failed`: the fields of the body that were refused. `invalid_query`, `invalid_cursor`: the query parameter.",
        ),
        ("what", text(), "`not_found`: kind of thing that was not found."),
        ("state", text(), "`invalid_state`: current state of the document."),
        ("allowed", texts(), "`invalid_state`: steps that are possible in that state."),
        ("shift_id", text(), "`shift_already_open`: ID of the open shift."),
        ("transactions", texts(), "`shift_has_open_transactions`: IDs of the unfinished transactions."),
        ("member_id", text(), "`insufficient_points`: ID of the member."),
        ("balance", number(), "`insufficient_points`: points of the member."),
        ("reserved", number(), "`insufficient_points`: points that open baskets reserve."),
        ("available", number(), "`insufficient_points`: points that can be used."),
        ("skus", texts(), "`unknown_sku`: SKUs that are not in the catalogue."),
        ("amount_due", number(), "`payment_mismatch`: the amount to pay, in minor currency units."),
        ("action", text(), "`approval_required`: action that needs an approval."),
        ("approvers", texts(), "`approval_required`: roles that may approve."),
        ("setting", text(), "`approval_required`: setting of the limit."),
        (
            "replaced_at",
            json!({"type": "string", "format": "date-time"}),
            "`store_replaced`: when the other machine was enrolled.",
        ),
        ("replaced_by", text(), "`store_replaced`: name of the other machine's key (`kid`)."),
        ("header", text(), "`invalid_header`: name of the header."),
        ("differs", texts(), "`idempotency_key_reused`: parts of the request that differ."),
        (
            "retry_after_s",
            number(),
            "`approval_limited`, `rate_limited`, `unavailable`: seconds to wait before a retry.",
        ),
        ("limit_bytes", number(), "`body_too_large`: largest body, in bytes."),
    ]
}
