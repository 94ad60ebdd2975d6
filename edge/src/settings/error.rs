//! Problems of the settings, with their places.

use std::fmt;

/// One thing that is wrong, with the place it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file or the environment variable.
    pub origin: String,
    /// The line in the file.
    pub line: Option<usize>,
    /// `section.key`, when one can be named.
    pub key: Option<String>,
    /// Description of the problem.
    pub problem: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(key) = &self.key {
            write!(f, ": {key}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

/// Settings that nothing starts with: exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SettingsError(pub Vec<Problem>);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl SettingsError {
    /// An error with a single problem.
    pub fn one(
        origin: impl Into<String>,
        line: Option<usize>,
        key: Option<String>,
        problem: impl Into<String>,
    ) -> Self {
        Self(vec![Problem { origin: origin.into(), line, key, problem: problem.into() }])
    }
}
