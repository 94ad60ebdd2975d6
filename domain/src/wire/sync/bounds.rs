//! Bounds of what stores send: head office refuses what is beyond them.

/// Most epochs of a lineage.
pub const LINEAGE_MAX: usize = 1000;

/// Most epochs and types of a digest.
pub const DIGEST_ENTRIES_MAX: usize = 1000;

/// The longest program version, in bytes.
pub const VERSION_BYTES_MAX: usize = 64;

/// The longest feed cursor, in bytes.
pub const FEED_CURSOR_BYTES_MAX: usize = 256;

/// The longest name of a time zone, in bytes.
pub const ZONE_BYTES_MAX: usize = 64;

/// The longest text that a member is looked for by, in bytes.
pub const FIND_BYTES_MAX: usize = 256;

/// An Ed25519 public key in base64url, in characters.
pub(super) const PUBLIC_KEY_CHARS: usize = 43;

/// An ISO 4217 code, in characters.
pub(super) const CURRENCY_CHARS: usize = 3;

/// `HH:MM`, in characters.
pub(super) const DAY_START_CHARS: usize = 5;
