//! Little-endian numbers at fixed places, without a panic on short input.

/// The `N` bytes at `at`.
pub fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// The number at `at`.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

/// The number at `at`.
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_le_bytes)
}

/// The first eight bytes of a SHA-256 over length-prefixed parts: the hash of every index key and row.
pub fn hash64<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let digest: [u8; 32] = hasher.finalize().into();
    u64_at(&digest, 0).unwrap_or_default()
}

/// 64 hex characters as 32 bytes.
pub fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut out = [0; 32];
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_input_is_none_and_hex_goes_both_ways() {
        assert_eq!(u32_at(&[1, 0, 0], 0), None);
        assert_eq!(u64_at(&[0, 1, 0, 0, 0, 0, 0, 0, 0], 1), Some(1));
        let bytes = [0xab; 32];
        assert_eq!(from_hex(&domain::model::hub::chain::hex(&bytes)), Some(bytes));
        assert_eq!(from_hex("zz"), None);
        let hash = |parts: [&str; 2]| hash64(parts.map(str::as_bytes));
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]), "parts are length-prefixed");
    }
}
