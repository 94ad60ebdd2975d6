//! A Bloom filter over the idempotency keys of one segment: most keys were never seen before.

/// Bits per key: about one false positive in a hundred.
const BITS_PER_KEY: usize = 10;
const PROBES: u64 = 7;

/// The filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    bits: Vec<u8>,
}

impl Filter {
    /// Over hashes of keys.
    pub fn new(hashes: &[u64]) -> Self {
        let bytes = (hashes.len() * BITS_PER_KEY).div_ceil(8).max(8);
        let mut filter = Self { bits: vec![0; bytes] };
        for hash in hashes {
            for bit in filter.probes(*hash) {
                if let Some(byte) = filter.bits.get_mut((bit / 8) as usize) {
                    *byte |= 1 << (bit % 8);
                }
            }
        }
        filter
    }

    /// From stored bytes.
    pub fn from_bytes(bits: Vec<u8>) -> Self {
        Self { bits }
    }

    /// As it is stored.
    pub fn bytes(&self) -> &[u8] {
        &self.bits
    }

    /// Whether a hash may be among them; never wrong when it says no.
    pub fn may_hold(&self, hash: u64) -> bool {
        let set =
            |bit: u64| self.bits.get((bit / 8) as usize).is_some_and(|byte| byte & (1 << (bit % 8)) != 0);
        self.probes(hash).all(set)
    }

    fn probes(&self, hash: u64) -> impl Iterator<Item = u64> + use<> {
        let bits = (self.bits.len() as u64 * 8).max(1);
        let step = hash.rotate_left(32) | 1;
        (0..PROBES).map(move |probe| hash.wrapping_add(probe.wrapping_mul(step)) % bits)
    }
}

#[cfg(test)]
mod tests {
    use super::Filter;
    use crate::bytes::hash64;

    #[test]
    fn holds_all_of_its_keys_and_few_others() {
        let hash = |number: u64| hash64([number.to_le_bytes().as_slice()]);
        let keys: Vec<u64> = (0..5_000).map(hash).collect();
        let filter = Filter::from_bytes(Filter::new(&keys).bytes().to_vec());
        assert!(keys.iter().all(|key| filter.may_hold(*key)));
        let wrong = (5_000..15_000).map(hash).filter(|key| filter.may_hold(*key)).count();
        assert!(wrong < 400, "{wrong} of 10,000");
        assert!(!Filter::new(&[]).may_hold(hash(1)));
    }
}
