//! The command of an idempotency key: the parts of a request that identify it, each as a fingerprint, so that a reused
//! key with another command is refused with the parts that differ.

use crate::model::hub::chain::hex;

const BODY: &str = "body";
/// Before the name of each parameter of the query.
const QUERY: &str = "query.";
/// Bytes of a fingerprint that are kept of each part.
const PART_BYTES: usize = 16;

/// Parts of a command by name, sorted: `body=…&query.source_id=…`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandPrint(String);

impl CommandPrint {
    /// Fingerprint of a body and the raw query. `fingerprint` is keyed: neither can be guessed from the stored value.
    pub fn of(body: &[u8], query: &str, fingerprint: impl Fn(&[&[u8]]) -> [u8; 32]) -> Self {
        let print = |name: &str, value: &[u8]| {
            let bytes = fingerprint(&[name.as_bytes(), value]);
            [name, "=", &hex(bytes.get(..PART_BYTES).unwrap_or(&bytes))].concat()
        };
        // Nearly every command has only a body, and every sale.
        if query.is_empty() {
            return Self(print(BODY, body));
        }
        let mut parts: Vec<String> = query
            .split('&')
            .filter(|part| !part.is_empty())
            .map(|part| part.split_once('=').unwrap_or((part, "")))
            .map(|(name, value)| print(&format!("{QUERY}{name}"), value.as_bytes()))
            .collect();
        parts.push(print(BODY, body));
        parts.sort_unstable();
        Self(parts.join("&"))
    }

    /// The fingerprint from its stored form.
    pub fn kept(text: String) -> Self {
        Self(text)
    }

    /// The stored form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names of the parts in which two commands differ; empty if it is the same command.
    pub fn differs(&self, other: &Self) -> Vec<String> {
        let (own, others) = (self.parts(), other.parts());
        let apart = own.iter().filter(|part| !others.contains(part));
        let apart = apart.chain(others.iter().filter(|part| !own.contains(part)));
        let mut names: Vec<String> = apart.map(|(name, _)| (*name).to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn parts(&self) -> Vec<(&str, &str)> {
        self.0.split('&').filter_map(|part| part.rsplit_once('=')).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::CommandPrint;

    fn print(body: &str, query: &str) -> CommandPrint {
        let sum =
            |bytes: &[u8]| bytes.iter().fold(7_u8, |sum, byte| sum.wrapping_mul(33).wrapping_add(*byte));
        CommandPrint::of(body.as_bytes(), query, |parts| {
            [parts.iter().fold(1, |all, part| all ^ sum(part)); 32]
        })
    }

    #[test]
    fn the_order_of_parameters_does_not_count_and_every_difference_is_named() {
        let first = print("{}", "source_id=a&closing_balance=5");
        assert!(first.differs(&print("{}", "closing_balance=5&&source_id=a")).is_empty());
        for (body, query, differs) in [
            ("{}", "source_id=b&closing_balance=5", vec!["query.source_id"]),
            ("{}", "source_id=a", vec!["query.closing_balance"]),
            ("{}", "source_id=a&closing_balance=5&dry_run=true", vec!["query.dry_run"]),
            ("[]", "source_id=a&closing_balance=5", vec!["body"]),
            ("[]", "", vec!["body", "query.closing_balance", "query.source_id"]),
        ] {
            assert_eq!(print(body, query).differs(&first), differs, "{query}");
            assert_eq!(first.differs(&CommandPrint::kept(print(body, query).as_str().to_owned())), differs);
        }
    }
}
