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
    let list = |properties: Value| {
        let item = json!({"type": "object", "properties": properties, "additionalProperties": true});
        json!({"type": "array", "items": item})
    };
    let day = || json!({"type": "string", "format": "date"});
    vec![
        (
            "fields",
            json!({"type": "array", "items": problem}),
            "`validation_failed`: the fields of the body that were refused. `invalid_query`, `invalid_cursor`: the query parameter.",
        ),
        (
            "what",
            text(),
            "`not_found`, `duplicate`: kind of thing that was not found, or that already exists.",
        ),
        ("id", text(), "`duplicate`: ID, name or number of the existing thing."),
        (
            "skus",
            texts(),
            "`unknown_sku`: SKUs that are not in the catalogue. `duplicate`: products that already have the barcode.",
        ),
        ("state", text(), "`invalid_state`: current state of the document."),
        (
            "allowed",
            texts(),
            "`invalid_state`: steps that are possible in that state. `method_not_allowed`: methods of the path.",
        ),
        (
            "revision",
            number(),
            "`invalid_state`: current revision of the document, if it was changed elsewhere.",
        ),
        ("version", text(), "`version_conflict`: current version, for `If-Match`."),
        ("shift_id", text(), "`shift_already_open`: ID of the open shift."),
        ("transactions", texts(), "`shift_has_open_transactions`: IDs of the unfinished transactions."),
        (
            "items",
            list(json!({
                "path": text(), "sku": text(), "requested": number(), "on_hand": number(), "damaged": number(),
                "sold": number(), "returned_qty": number(), "left": number(),
            })),
            "`insufficient_stock`, `return_exceeds_sold`: the products, each with the requested pieces and those that there are.",
        ),
        (
            "counts",
            list(json!({
                "path": text(), "sku": text(), "zone": text(), "qty": number(),
            })),
            "`already_counted`: the refused counts, each with the pieces that others counted there, and the users who counted (`counted_by`).",
        ),
        ("member_id", text(), "`insufficient_points`, `unknown_member`, `duplicate`: ID of the member."),
        ("balance", number(), "`insufficient_points`: points of the member."),
        ("reserved", number(), "`insufficient_points`: points that unfinished sales reserve."),
        ("available", number(), "`insufficient_points`: points that can be used."),
        ("requested", number(), "`insufficient_points`: requested points. `over_receipt`: requested pieces."),
        ("sku", text(), "`over_receipt`: SKU of the product."),
        ("received_qty", number(), "`over_receipt`: pieces that were received before."),
        ("left", number(), "`over_receipt`: pieces that may still be received."),
        ("amount_due", number(), "`payment_mismatch`: the amount to pay, in minor currency units."),
        ("action", text(), "`approval_required`: action that needs an approval."),
        ("approvers", texts(), "`approval_required`: roles that may approve."),
        ("path", text(), "`approval_required`, `over_receipt`: field of the body with the figure."),
        ("value", number(), "`approval_required` at a store: the figure that exceeds the limit."),
        (
            "limit",
            number(),
            "`approval_required`: the largest figure without an approval. `over_receipt`: the most that may be received in all.",
        ),
        ("amount", number(), "`approval_required` at head office: the amount that exceeds the limit."),
        ("setting", text(), "`approval_required`: setting of the limit."),
        ("roles", texts(), "`insufficient_role`: roles that may call the operation."),
        ("store_id", text(), "`day_locked`: store of the book. Empty for head office's own book."),
        ("date", day(), "`day_locked`: the locked day."),
        ("next_open_date", day(), "`day_locked`: first later day that is open."),
        (
            "problems",
            list(json!({"code": text(), "store_id": text(), "message": text()})),
            "`not_ready`: what must be done first, each with the store, date and ID that it concerns.",
        ),
        ("more", number(), "`not_ready`: number of problems that are not in the list."),
        ("debit", number(), "`unbalanced`: sum of the debits, in minor currency units."),
        ("credit", number(), "`unbalanced`: sum of the credits, in minor currency units."),
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

#[cfg(test)]
mod tests {
    use crate::api::error::Code;

    #[test]
    fn every_detail_of_the_error_table_is_in_the_schema() {
        let schema = super::schema().to_string();
        for code in Code::ALL {
            let Some((_, details)) = code.meaning().split_once("details: ") else { continue };
            // Names of fields are in back quotes; explanations with values follow in brackets or after a full stop.
            let details = details.split(". ").next().unwrap_or(details);
            let names = details.split('(').map(|part| part.split_once(')').map_or(part, |(_, rest)| rest));
            let names: String = names.collect();
            for name in names.split('`').skip(1).step_by(2) {
                let is_name = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
                assert!(!is_name || schema.contains(&format!("\"{name}\":")), "{code}: {name}");
            }
        }
    }
}
