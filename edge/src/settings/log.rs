//! `[log]`: how much is said, and to whom.

use crate::telemetry::LogFormat;
use serde::{Deserialize, Serialize};

/// `[log]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `pretty` for a person, `json` for a collector.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug`, `trace`, or directives of tracing's filter.
    pub level: String,
}

impl Default for Log {
    fn default() -> Self {
        Self { format: LogFormat::Pretty, level: "info".to_owned() }
    }
}
