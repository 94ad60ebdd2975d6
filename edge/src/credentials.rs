//! Credentials: passwords, passkeys, tokens and the keys that sign them.

pub mod keys;
pub mod passkeys;
pub mod passwords;
pub mod tokens;
