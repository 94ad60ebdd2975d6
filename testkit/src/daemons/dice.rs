//! Seeded randomness: every random test prints its seed, and `SEED=n` repeats a run.

use std::hash::{BuildHasher, Hasher, RandomState};

/// SplitMix64: small, good enough to choose moments and bytes.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator with the seed of the environment (`SEED`, or `KILL9_SEED` for the test `kill9`), else a
    /// new one; the seed is printed.
    pub fn announced(test: &str) -> Self {
        let own = format!("{}_SEED", test.to_uppercase());
        let seed = [own.as_str(), "SEED"]
            .into_iter()
            .filter_map(|name| std::env::var(name).ok())
            .find_map(|text| text.parse().ok())
            .unwrap_or_else(|| RandomState::new().build_hasher().finish());
        println!("{test}: SEED={seed}");
        Self(seed)
    }

    /// Returns a separate generator for one of several threads.
    pub fn fork(&mut self) -> Self {
        Self(self.roll())
    }

    /// 64 random bits.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number in `0..bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound.max(1)
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.roll().to_le_bytes()[0]).collect()
    }
}
