//! A return as the interface shows it.

use super::Return;
use crate::user::Role;
use serde_json::Value;

/// What `role` may see: the cost of goods is not for cashiers.
pub fn view(document: &Return, role: Role) -> Value {
    let mut shown = serde_json::to_value(document).unwrap_or_default();
    let lines = shown.get_mut("items").and_then(Value::as_array_mut);
    for line in lines.into_iter().flatten().filter_map(Value::as_object_mut) {
        // Which pieces they are is a matter of arithmetic.
        line.remove("pieces");
        if role == Role::Cashier {
            line.remove("cost");
            line.remove("correction");
        }
    }
    shown
}
