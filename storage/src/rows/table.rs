//! Tables of current rows and their keys. The numbers are on the disk: never change one.

use domain::ids::ShiftId;

/// A table: the first byte of its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Table {
    /// `sku` → product.
    Product = 1,
    /// `sku` → stock.
    Stock = 2,
    /// `shift_id` → shift.
    Shift = 3,
    /// `shift_id` of every shift that is not closed → empty.
    OpenShift = 4,
    /// `register_id` → register.
    Register = 5,
    /// `register_id` → counters.
    Counters = 6,
    /// `transaction_id` → transaction that is open, held or partially paid.
    Transaction = 7,
    /// `shift_id` 0 `transaction_id` of the same → empty.
    ShiftTransaction = 8,
    /// `user_id` → user.
    User = 9,
    /// `username` → user id; counts only while that user still has the name.
    Username = 10,
    /// `session_id` → session.
    Session = 11,
    /// One row: the hub.
    Hub = 12,
    /// One row: cursor and hub time.
    Feed = 13,
    /// number (big-endian) and name of an epoch → its head when it ended.
    Epoch = 14,
    /// epoch → acknowledgement mark.
    Ack = 15,
    /// supplier 0 delivery note → receiving id.
    DeliveryNote = 16,
    /// `session_id` → its living refresh token, once it was refreshed.
    Rotation = 17,
}

/// Tables, and one for the mark.
pub const TABLES: usize = 18;

impl Table {
    /// The whole key.
    pub fn key(self, key: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(key.len() + 1);
        bytes.push(self as u8);
        bytes.extend_from_slice(key.as_bytes());
        bytes
    }
}

/// Key of an epoch: in order of its number.
pub fn epoch_key(epoch: &str) -> Vec<u8> {
    let number = epoch.split('-').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or_default();
    let mut key = vec![Table::Epoch as u8];
    key.extend_from_slice(&number.to_be_bytes());
    key.extend_from_slice(epoch.as_bytes());
    key
}

/// The part of an open transaction's key that its shift gives.
pub fn shift_prefix(shift: &ShiftId) -> Vec<u8> {
    let mut key = Table::ShiftTransaction.key(shift.as_str());
    key.push(0);
    key
}
