//! Limits that more than one part of the program checks.

/// The longest note or reason, in characters.
pub const TEXT_CHARS_MAX: usize = 500;

/// The longest reference (slip number, delivery note), in characters.
pub const REFERENCE_CHARS_MAX: usize = 128;

/// The longest identifier that is accepted, in bytes.
pub const ID_BYTES_MAX: usize = 64;

/// The longest ID of a store, a register or a hub, in bytes: receipt numbers begin with two of them.
pub const SHORT_ID_BYTES_MAX: usize = 32;

/// Digits of the number of an account.
pub const ACCOUNT_DIGITS: usize = 4;

/// The most cash that one count, float, movement or deposit names: far above a drawer's contents, and so far below
/// [`FIGURE_MAX`] that a mistyped one can't stop the sums of the safe.
pub const CASH_MAX: i64 = 1_000_000_000_000;

/// The most that a line of received or opening goods is worth: above it a digit is too many.
pub const LINE_VALUE_MAX: i64 = 10_000_000_000_000;

/// The largest figure of a document, 2^53 − 1: pages and many clients read JSON numbers as doubles.
pub const FIGURE_MAX: i64 = 9_007_199_254_740_991;

/// The longest sku, in bytes.
pub const SKU_BYTES_MAX: usize = 64;

/// The longest product name, in characters.
pub const PRODUCT_NAME_CHARS_MAX: usize = 255;

/// The longest barcode, in bytes.
pub const BARCODE_BYTES_MAX: usize = 64;

/// The longest name of a member, a store, a user or an entry of a list, in characters.
pub const NAME_CHARS_MAX: usize = 255;

/// The longest e-mail address, in bytes.
pub const EMAIL_BYTES_MAX: usize = 254;

/// The shortest new password, in characters.
pub const PASSWORD_CHARS_MIN: usize = 8;

/// The longest password, in characters.
pub const PASSWORD_CHARS_MAX: usize = 128;

/// Most lines of a document.
pub const ITEMS_MAX: usize = 500;

/// Most pieces of a line.
pub const QTY_MAX: i64 = 1_000_000;

/// The highest unit price.
pub const PRICE_MAX: i64 = 1_000_000_000_000;

/// Most payments of one transaction.
pub const PAYMENTS_MAX: usize = 20;

/// The longest name of a payment method, in bytes.
pub const METHOD_BYTES_MAX: usize = 32;
