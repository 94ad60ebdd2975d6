//! A test's settings of a store, beside those of the harness.

use crate::CHEAP_HASHES;

/// Costs of password hashes, unless the test's settings name them.
pub(super) fn hashes(extra: &str) -> String {
    if extra.contains("auth.argon2") { String::new() } else { format!("auth.argon2 = {CHEAP_HASHES}\n") }
}

/// The comment among a test's settings that leaves the limits as they are shipped.
pub const AS_SHIPPED: &str = "# as shipped\n";

/// Limits that do not concern most tests, unless the test's settings name them.
pub(super) fn loose(extra: &str) -> String {
    let limits = [
        "pricing.discount_limit_bp = 0",
        "returns.cashier_limit = 0",
        "returns.unreceipted_any_price = true",
        "approval.adjustment_value = 0",
        "approval.pay_out_value = 0",
    ];
    let named = |limit: &&&str| {
        let key = limit.split(" = ").next().unwrap_or_default();
        let table = key.split('.').next().unwrap_or_default();
        extra.contains(AS_SHIPPED) || extra.contains(key) || extra.contains(&format!("[{table}]"))
    };
    limits.iter().filter(|limit| !named(limit)).map(|limit| format!("{limit}\n")).collect()
}

/// A test's settings, if any of them affects the files of `init`, `user add` and `import`.
pub(super) fn matters_to_init(extra: &str) -> &str {
    let matters =
        |line: &str| ["auth.", "storage.", "store.", "["].iter().any(|start| line.starts_with(start));
    if extra.lines().any(|line| matters(line.trim_start())) { extra } else { "" }
}
