//! `[log]`: amount and target of the log.

use crate::telemetry::{self, LogFormat};
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

impl Log {
    /// Reports each rule that does not hold.
    pub fn check(&self, rule: &mut dyn FnMut(bool, &'static str, &str)) {
        let known = telemetry::filter(&self.level).is_ok();
        rule(known, "log.level", "must be error, warn, info, debug, trace, off, or a list of target=level");
    }
}
