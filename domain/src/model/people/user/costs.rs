//! Cost of checking a stored password hash. A hash states it itself, so a hash from elsewhere is checked first: one
//! with four billion rounds would block every log-in.

/// The longest hash that is looked at, in bytes.
pub const HASH_BYTES_MAX: usize = 256;

/// Greatest multiple of a new hash's memory that a hash from elsewhere may need.
const MEMORY_TIMES_MAX: u32 = 2;

/// Greatest multiple of a new hash's work that a hash from elsewhere may need, in rounds and in lanes each.
const WORK_TIMES_MAX: u32 = 4;

const BEGIN: &str = "$argon2id$v=19$";

/// The costs of an argon2id hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// Memory, in KiB.
    pub memory_kib: u32,
    pub iterations: u32,
    pub parallelism: u32,
}

impl Costs {
    /// Costs of new hashes, unless the settings have others.
    pub const DEFAULT: Self = Self { memory_kib: 65_536, iterations: 3, parallelism: 1 };

    /// The costs that a hash names; `None` if it is not an argon2id hash in PHC form, as this program writes them.
    pub fn of(hash: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "+/.-".contains(c);
        let rest = hash.strip_prefix(BEGIN).filter(|_| hash.len() <= HASH_BYTES_MAX)?;
        let mut parts = rest.split('$');
        let (costs, salt, sum) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some()
            || [salt, sum].iter().any(|text| text.is_empty() || !text.chars().all(plain))
        {
            return None;
        }
        let mut costs = costs.split(',');
        let mut cost = |name: &str| {
            let digits = costs.next()?.strip_prefix(name)?;
            digits.parse().ok().filter(|_| digits.bytes().all(|digit| digit.is_ascii_digit()))
        };
        let found = Self { memory_kib: cost("m=")?, iterations: cost("t=")?, parallelism: cost("p=")? };
        costs.next().is_none().then_some(found)
    }

    /// The most that is accepted if new hashes cost this: head office may have other settings, but no machine gets work
    /// that it could never have requested. Never below the defaults.
    pub fn most(self) -> Self {
        let default = Self::DEFAULT;
        Self {
            memory_kib: self.memory_kib.max(default.memory_kib).saturating_mul(MEMORY_TIMES_MAX),
            iterations: self.iterations.max(default.iterations).saturating_mul(WORK_TIMES_MAX),
            parallelism: self.parallelism.max(default.parallelism).saturating_mul(WORK_TIMES_MAX),
        }
    }

    /// Whether none of them is above `most`.
    pub fn within(self, most: Self) -> bool {
        self.memory_kib <= most.memory_kib
            && self.iterations <= most.iterations
            && self.parallelism <= most.parallelism
    }
}

#[cfg(test)]
mod tests {
    use super::Costs;

    const TAIL: &str = "bm9ib2R5LW5vYm9keQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn a_hash_costs_what_it_says_and_anything_else_is_none() {
        let hash = |costs: &str| format!("$argon2id$v=19${costs}${TAIL}");
        let found = Costs { memory_kib: 19_456, iterations: 2, parallelism: 1 };
        assert_eq!(Costs::of(&hash("m=19456,t=2,p=1")), Some(found));
        assert!(found.within(Costs::DEFAULT.most()) && Costs::DEFAULT.within(found.most()));
        for dear in ["m=65536,t=4294967295,p=1", "m=4294967295,t=3,p=1", "m=65536,t=3,p=16777215"] {
            assert!(
                !Costs::of(&hash(dear)).is_some_and(|costs| costs.within(Costs::DEFAULT.most())),
                "{dear}"
            );
        }
        for wrong in
            ["t=2,m=19456,p=1", "m=19456,t=2", "m=19456,t=2,p=1,x=1", "m=-1,t=2,p=1", "m=+9,t=2,p=1", ""]
        {
            assert_eq!(Costs::of(&hash(wrong)), None, "{wrong}");
        }
        let long = format!("{}{}", hash("m=19456,t=2,p=1"), "A".repeat(300));
        for wrong in ["", "hash", "$argon2i$v=19$m=19456,t=2,p=1$a$b", "$argon2id$m=19456,t=2,p=1$a$b", &long]
        {
            assert_eq!(Costs::of(wrong), None, "{wrong}");
        }
    }
}
