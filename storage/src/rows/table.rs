//! Tables of current rows and their keys. The numbers are on the disk: never change one.

use domain::model::base::ids::ShiftId;

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
    /// `username` → user ID; counts only while that user still has the name.
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
    /// supplier 0 delivery note → receiving ID.
    DeliveryNote = 16,
    /// `session_id` → its living refresh token, once it was refreshed.
    Rotation = 17,
    /// `hold_id` → hold that waits; its basket is a transaction.
    Hold = 18,
    /// `transaction_id` → returns, void or corrected tender of a sale.
    SaleAfter = 19,
    /// `member_id` → points.
    Points = 20,
    /// `member_id` → member.
    Member = 21,
    /// key of a member 0 `member_id` → `member_id`: of two from two stores the first one counts.
    MemberKey = 22,
    /// word 0 `member_id` → empty; counts only while that member still has the word.
    MemberWord = 23,
    /// `promotion_id` → promotion.
    Promotion = 24,
    /// `adjustment_id` → adjustment that waits for a decision.
    Adjustment = 25,
    /// `transfer_id` → transfer that is not over.
    Transfer = 26,
    /// `opname_id` → count that is not over.
    Opname = 27,
    /// `opname_id` 0 `sku` → counted line.
    OpnameLine = 28,
    /// date → sealed day.
    Day = 29,
    /// date 0 `shift_id` → empty.
    DayShift = 30,
    /// word 0 `sku` → empty; counts only while that product still has the word.
    ProductWord = 31,
    /// barcode 0 `sku` → empty; counts only while that product still has it.
    Barcode = 32,
    /// `supplier_id` → supplier.
    Supplier = 33,
    /// `po_id` → purchase order as head office has it, while it is neither closed nor cancelled.
    PurchaseOrder = 34,
    /// `po_id` → receipts of the order in this store.
    OrderProgress = 35,
    /// `user_id` 0 `credential_id` → passkey.
    Passkey = 36,
    /// `po_id` → purchase order that is closed or cancelled: its goods may come all the same.
    OverOrder = 37,
    /// kind 0 ID → a record of the hub's feed.
    Inbound = 40,
    /// State of synchronisation: standing, days, notes.
    Sync = 41,
    /// `sku` 0 order of prices → a price of head office; the one that counts is last.
    Price = 42,
    /// `conflict_id` → a value that lost.
    Conflict = 43,
    /// time (20 digits) 0 `conflict_id` → empty.
    ConflictTime = 44,
    /// epoch 0 seq (20 digits) → a record that the hub could not apply.
    Parked = 45,
    /// date → empty: the day is not proven as it is now.
    DueDay = 46,
    /// date → time since when the hub's counts of the day differ.
    DifferingDay = 47,
    /// date → day that is open again.
    ReopenedDay = 48,
    /// nothing → contents of the safe when the books began.
    SafeOpening = 49,
    /// One row: contents of the safe.
    Safe = 50,
    /// `user_id` → PIN.
    Pin = 51,
    /// `user_id` → cost of what the person wrote off without an approval on a day.
    WrittenOff = 52,
}

/// Tables, and one for the mark.
pub const TABLES: usize = 53;

impl Table {
    /// The table's prefix followed by the key.
    pub fn key(self, key: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(key.len() + 1);
        bytes.push(self as u8);
        bytes.extend_from_slice(key.as_bytes());
        bytes
    }

    /// A key of two parts; the first is without a zero byte.
    pub fn pair(self, first: &str, second: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(first.len() + second.len() + 2);
        bytes.push(self as u8);
        bytes.extend_from_slice(first.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(second.as_bytes());
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

/// Key of a user's passkey.
pub fn passkey_key(user: &str, credential: &str) -> Vec<u8> {
    Table::Passkey.key(&format!("{user}\0{credential}"))
}

/// The part of an open transaction's key that its shift gives.
pub fn shift_prefix(shift: &ShiftId) -> Vec<u8> {
    Table::ShiftTransaction.pair(shift.as_str(), "")
}
