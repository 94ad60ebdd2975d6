//! A counted line as the interface shows it.

use super::{Opname, OpnameLine};
use crate::stock::Stock;
use crate::user::Role;
use serde_json::{Value, json};

/// What `role` may see: a blind count hides from counters what is expected.
pub fn line_view(opname: &Opname, line: &OpnameLine, stock: &Stock, role: Role) -> Value {
    let hidden = opname.blind && !role.manages() && !opname.state.over();
    let shown = |figure: i64| if hidden { Value::Null } else { json!(figure) };
    let counted = !line.zones.is_empty();
    let value = line.variance_value.unwrap_or_else(|| line.estimate(stock));
    json!({
        "sku": line.sku,
        "name": line.name,
        "expected": shown(line.expected),
        "counted": counted.then(|| line.counted()),
        "variance": if counted { shown(line.variance()) } else { Value::Null },
        "variance_value": if counted { shown(value) } else { Value::Null },
        "zones": line.zones.iter().map(|(zone, count)| json!({
            "zone": zone, "qty": count.qty, "counted_by": count.user_id, "counted_at": count.at,
        })).collect::<Vec<_>>(),
        "moved_between_counts": line.moved_between_counts(),
        "counted_by": counted.then_some(&line.counted_by),
        "counted_at": counted.then_some(line.counted_at),
    })
}
