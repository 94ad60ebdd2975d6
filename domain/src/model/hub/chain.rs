//! The hash chain over numbered records (docs/protocol.md#the-chain): the same at store and hub.

use sha2::{Digest, Sha256};

/// Hash before the first record of an epoch: 64 zeros.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The longest hash of a record, in bytes: SHA-256 in hexadecimal.
pub const HASH_BYTES_MAX: usize = 64;

/// `SHA-256(previous hash as 64 lower-case hex characters ‖ record)`, in lower-case hex.
pub fn next(previous: &str, record: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(previous.as_bytes());
    hasher.update(record.as_bytes());
    hex(&hasher.finalize())
}

/// Bytes as lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    text.extend(digits.filter_map(|digit| char::from_digit(digit.into(), 16)));
    text
}

#[cfg(test)]
mod tests {
    use super::{GENESIS, next};

    #[test]
    fn follows_the_previous_hash_and_the_exact_text() {
        let first = next(GENESIS, "{}");
        assert_eq!(first.len(), 64);
        assert_ne!(next(&first, "{}"), first);
        assert_ne!(next(GENESIS, "{ }"), first);
    }
}
