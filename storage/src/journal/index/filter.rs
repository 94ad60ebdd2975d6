//! A filter over idempotency keys. Nearly every key is new, and one lookup in the filter shows it.
//!
//! It is a split block Bloom filter: a key sets one bit in each word of one block, so a lookup reads one line of
//! memory.

/// Keys that a filter is made for. More of them cause more false positives, never a false negative.
pub const KEYS_MAX: usize = 1 << 18;
/// Sixteen bits for each key: about one wrong yes in a thousand when it is full.
const BLOCKS: usize = KEYS_MAX * 16 / (WORDS * 32);
const WORDS: usize = 8;
/// Odd numbers that spread a tag over the words, as Parquet's filter has them.
const SALTS: [u32; WORDS] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// The kept part of a key's hash.
pub type Tag = u32;

/// The tag of a hash.
pub fn tag(hash: u64) -> Tag {
    (hash >> 32) as Tag
}

/// The filter.
#[derive(Debug, Clone)]
pub struct Filter {
    blocks: Vec<[u32; WORDS]>,
    keys: usize,
}

impl Default for Filter {
    /// A filter without keys.
    fn default() -> Self {
        Self { blocks: vec![[0; WORDS]; BLOCKS], keys: 0 }
    }
}

impl Filter {
    /// Whether this many more keys are too many.
    pub fn is_full_with(&self, keys: usize) -> bool {
        self.keys > 0 && self.keys + keys > KEYS_MAX
    }

    /// Adds keys to the filter.
    pub fn add(&mut self, tags: &[Tag]) {
        for tag in tags {
            if let Some(block) = self.blocks.get_mut(block_index(*tag)) {
                block.iter_mut().zip(bits(*tag)).for_each(|(word, bit)| *word |= bit);
            }
        }
        self.keys += tags.len();
    }

    /// Whether a key may be among them; a negative answer is never wrong.
    pub fn may_hold(&self, tag: Tag) -> bool {
        let block = self.blocks.get(block_index(tag));
        block.is_some_and(|block| block.iter().zip(bits(tag)).all(|(word, bit)| word & bit != 0))
    }
}

/// The block of a tag, by its upper bits.
fn block_index(tag: Tag) -> usize {
    ((u64::from(tag) * BLOCKS as u64) >> 32) as usize
}

fn bits(tag: Tag) -> impl Iterator<Item = u32> {
    SALTS.into_iter().map(move |salt| 1 << (tag.wrapping_mul(salt) >> 27))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::hash64;

    #[test]
    fn holds_all_of_its_keys_and_few_others() {
        let tag = |number: u64| tag(hash64([number.to_le_bytes().as_slice()]));
        let full = KEYS_MAX as u64;
        let keys: Vec<Tag> = (0..full).map(tag).collect();
        let mut filter = Filter::default();
        assert!(!filter.may_hold(tag(1)) && !filter.is_full_with(KEYS_MAX + 1));
        filter.add(&keys);
        assert!(filter.is_full_with(1));
        assert!(keys.iter().all(|key| filter.may_hold(*key)));
        let wrong = (full..full + 100_000).map(tag).filter(|key| filter.may_hold(*key)).count();
        assert!(wrong < 400, "{wrong} of 100,000");
    }
}
