//! Passwords that everybody tries first: eight characters or more, in lower case, one per line.

const COMMON: &str = include_str!("common.txt");

/// Whether a password is one of them, whatever its case.
pub fn is_common(password: &str) -> bool {
    let password = password.to_lowercase();
    COMMON.lines().any(|common| common == password)
}
