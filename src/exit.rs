//! Exit codes (docs/store.md#exit-codes), which scripts and systemd distinguish.

use crate::config::error::SettingsError;

/// The command failed; the reason is on stderr.
pub const FAILED: u8 = 1;
/// Wrong usage or settings.
pub const USAGE: u8 = 2;
/// The restart budget is spent.
pub const BUDGET: u8 = 70;
/// The data folder is in use.
pub const IN_USE: u8 = 73;
/// The disk failed, or stored data is damaged.
pub const DISK: u8 = 74;

/// An end with a code of its own.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Exit {
    /// One of the codes above.
    pub code: u8,
    /// Description of the failure, for people.
    pub message: String,
}

impl Exit {
    /// An end with this code.
    pub fn new(code: u8, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// The exit code of a failed command.
pub fn code_of(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        if let Some(exit) = cause.downcast_ref::<Exit>() {
            return exit.code;
        }
        if cause.is::<SettingsError>() {
            return USAGE;
        }
    }
    FAILED
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn codes_survive_context() {
        let failed = Err::<(), _>(Exit::new(IN_USE, "in use")).context("while opening");
        assert_eq!(failed.as_ref().map_err(code_of), Err(IN_USE));
        let settings = SettingsError::one("config.toml", Some(1), None, "bad");
        assert_eq!(code_of(&anyhow::Error::new(settings)), USAGE);
        assert_eq!(code_of(&anyhow::anyhow!("anything")), FAILED);
    }
}
