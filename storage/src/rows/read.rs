//! Reads of current rows. Everything that was answered is seen, nothing that is not durable.

use super::apply::{EpochRow, FeedRow, delivery_note_key};
use super::codec::decode;
use super::table::{Table, passkey_key, shift_prefix};
use super::{Rows, failed};
use crate::error::StorageError;
use crate::handle::Storage;
use domain::event::{AckMark, HubIdentity};
use domain::ids::{ReceivingId, RegisterId, SessionId, ShiftId, Sku, TransactionId, UserId};
use domain::product::Product;
use domain::register::{Counters, Register};
use domain::shift::Shift;
use domain::stock::Stock;
use domain::time::UtcMs;
use domain::transaction::Transaction;
use domain::user::{Session, User, passkey::Passkey, rotation::Rotation};
use jiff::civil::Date;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

mod people;
mod trade;

pub use people::SEARCH_KEYS_MAX;

type Read<T> = Result<T, StorageError>;

impl Rows {
    /// A row as its type.
    pub fn row<T: DeserializeOwned>(&self, table: Table, key: &str) -> Read<Option<T>> {
        self.get(&table.key(key))?.map(|bytes| self.decoded(&bytes)).transpose()
    }

    /// A page of a table, in key order.
    pub fn page<T: DeserializeOwned>(&self, table: Table, after: Option<&str>, limit: usize) -> Read<Vec<T>> {
        let rows = self.range(&[table as u8], after.map(str::as_bytes), limit)?;
        rows.iter().map(|(_, bytes)| self.decoded(bytes)).collect()
    }

    /// The epochs, oldest first.
    pub fn epochs(&self) -> Read<Vec<EpochRow>> {
        self.page(Table::Epoch, None, usize::MAX)
    }

    pub(crate) fn decoded<T: DeserializeOwned>(&self, bytes: &[u8]) -> Read<T> {
        decode(bytes).map_err(|what| failed(self.path(), what))
    }
}

impl Storage {
    /// A product.
    pub fn product(&self, sku: &Sku) -> Read<Option<Product>> {
        self.rows().row(Table::Product, sku.as_str())
    }

    /// Products after a sku, in order of sku (bytes).
    pub fn products(&self, after: Option<&Sku>, limit: usize) -> Read<Vec<Product>> {
        self.rows().page(Table::Product, after.map(Sku::as_str), limit)
    }

    /// How many products there are.
    pub fn product_count(&self) -> u64 {
        self.rows().mark().sums.count(Table::Product as usize)
    }

    /// A sku's stock; none: it never moved.
    pub fn stock(&self, sku: &Sku) -> Read<Option<Stock>> {
        self.rows().row(Table::Stock, sku.as_str())
    }

    /// Stock rows after a sku, in order of sku (bytes).
    pub fn stocks(&self, after: Option<&Sku>, limit: usize) -> Read<Vec<Stock>> {
        self.rows().page(Table::Stock, after.map(Sku::as_str), limit)
    }

    /// Goods after a sku, in order of sku (bytes): products, and whatever else has stock.
    pub fn goods(&self, after: Option<&Sku>, limit: usize) -> Read<Vec<(Sku, Option<Product>)>> {
        let products = self.products(after, limit)?;
        let end = products.last().filter(|_| products.len() >= limit).map(|last| last.sku.clone());
        let mut goods: BTreeMap<Sku, Option<Product>> =
            products.into_iter().map(|product| (product.sku.clone(), Some(product))).collect();
        let mut place = after.cloned();
        loop {
            let stocks = self.stocks(place.as_ref(), limit)?;
            let more = stocks.len() >= limit;
            place = stocks.last().map(|last| last.sku.clone());
            let within = |sku: &Sku| end.as_ref().is_none_or(|end| sku <= end);
            for stock in stocks.into_iter().filter(|stock| within(&stock.sku)) {
                goods.entry(stock.sku).or_insert(None);
            }
            if !more || place.as_ref().is_none_or(|place| !within(place)) {
                return Ok(goods.into_iter().take(limit).collect());
            }
        }
    }

    /// A shift, open or closed.
    pub fn shift(&self, id: &ShiftId) -> Read<Option<Shift>> {
        self.rows().row(Table::Shift, id.as_str())
    }

    /// The shifts that are not closed, in order of id.
    pub fn open_shifts(&self) -> Read<Vec<Shift>> {
        let keys = self.rows().range(&[Table::OpenShift as u8], None, usize::MAX)?;
        let ids = keys.iter().map(|(key, _)| String::from_utf8_lossy(key.get(1..).unwrap_or_default()));
        ids.filter_map(|id| self.rows().row(Table::Shift, &id).transpose()).collect()
    }

    /// Shifts after an id, in order of id.
    pub fn shifts(&self, after: Option<&ShiftId>, limit: usize) -> Read<Vec<Shift>> {
        self.rows().page(Table::Shift, after.map(ShiftId::as_str), limit)
    }

    /// A register's last numbers; zeros before its first.
    pub fn counters(&self, register: &RegisterId) -> Read<Counters> {
        let row = self.rows().row(Table::Counters, register.as_str())?;
        Ok(row.unwrap_or_else(|| Counters { register_id: register.clone(), ..Counters::default() }))
    }

    /// A register; none: nobody sold there yet.
    pub fn register(&self, id: &RegisterId) -> Read<Option<Register>> {
        self.rows().row(Table::Register, id.as_str())
    }

    /// All registers, in order of id.
    pub fn registers(&self) -> Read<Vec<Register>> {
        self.rows().page(Table::Register, None, usize::MAX)
    }

    /// A transaction that is open, held or partially paid.
    pub fn current_transaction(&self, id: &TransactionId) -> Read<Option<Transaction>> {
        self.rows().row(Table::Transaction, id.as_str())
    }

    /// The transactions of a shift that are not complete.
    pub fn open_transactions(&self, shift: &ShiftId) -> Read<Vec<Transaction>> {
        let prefix = shift_prefix(shift);
        let keys = self.rows().range(&prefix, None, usize::MAX)?;
        let ids =
            keys.iter().map(|(key, _)| String::from_utf8_lossy(key.get(prefix.len()..).unwrap_or_default()));
        ids.filter_map(|id| self.rows().row(Table::Transaction, &id).transpose()).collect()
    }

    /// The shifts of a business date.
    pub fn shifts_of_day(&self, day: Date) -> Read<Vec<Shift>> {
        let prefix = Table::DayShift.pair(&day.to_string(), "");
        let keys = self.rows().range(&prefix, None, usize::MAX)?;
        let ids =
            keys.iter().map(|(key, _)| String::from_utf8_lossy(key.get(prefix.len()..).unwrap_or_default()));
        ids.filter_map(|id| self.rows().row(Table::Shift, &id).transpose()).collect()
    }

    /// A user.
    pub fn user(&self, id: &UserId) -> Read<Option<User>> {
        self.rows().row(Table::User, id.as_str())
    }

    /// The user with a login name (lower-cased).
    pub fn user_by_name(&self, username: &str) -> Read<Option<User>> {
        let Some(id) = self.rows().row::<UserId>(Table::Username, username)? else {
            return Ok(None);
        };
        Ok(self.user(&id)?.filter(|user| user.username == username))
    }

    /// All users, in order of id.
    pub fn users(&self) -> Read<Vec<User>> {
        self.rows().page(Table::User, None, usize::MAX)
    }

    /// A session that was not closed.
    pub fn session(&self, id: &SessionId) -> Read<Option<Session>> {
        self.rows().row(Table::Session, id.as_str())
    }

    /// All sessions that were not closed, in order of id.
    pub fn sessions(&self) -> Read<Vec<Session>> {
        self.rows().page(Table::Session, None, usize::MAX)
    }

    /// Sessions that expired by `now`, among the `limit` first by id, which are the oldest: looked for at
    /// every log-in, they don't gather.
    pub fn expired_sessions(&self, now: UtcMs, limit: usize) -> Read<Vec<SessionId>> {
        let oldest: Vec<Session> = self.rows().page(Table::Session, None, limit)?;
        let expired = oldest.into_iter().filter(|session| session.expires_at <= now);
        Ok(expired.map(|session| session.session_id).collect())
    }

    /// The living refresh token of a session; none: it was never refreshed.
    pub fn rotation(&self, id: &SessionId) -> Read<Option<Rotation>> {
        self.rows().row(Table::Rotation, id.as_str())
    }

    /// All passkeys, in order of their users' ids and their own.
    pub fn passkeys(&self) -> Read<Vec<Passkey>> {
        self.rows().page(Table::Passkey, None, usize::MAX)
    }

    /// A user's passkeys, in order of their ids.
    pub fn passkeys_of(&self, user: &UserId) -> Read<Vec<Passkey>> {
        let rows = self.rows().range(&passkey_key(user.as_str(), ""), None, usize::MAX)?;
        rows.iter().map(|(_, bytes)| self.rows().decoded(bytes)).collect()
    }

    /// The hub, once enrolled.
    pub fn hub(&self) -> Read<Option<HubIdentity>> {
        self.rows().row(Table::Hub, "")
    }

    /// The feed's cursor and the hub's time of the last page.
    pub fn feed_cursor(&self) -> Read<Option<(String, UtcMs)>> {
        let row: Option<FeedRow> = self.rows().row(Table::Feed, "")?;
        Ok(row.map(|row| (row.cursor, row.hub_time)))
    }

    /// How far the current epoch was acknowledged.
    pub fn ack_mark(&self) -> Read<AckMark> {
        self.ack_mark_of(&self.head().epoch)
    }

    /// How far an epoch was acknowledged; zeros before the first time.
    pub fn ack_mark_of(&self, epoch: &str) -> Read<AckMark> {
        let row = self.rows().row(Table::Ack, epoch)?;
        Ok(row.unwrap_or_else(|| AckMark {
            epoch: epoch.to_owned(),
            hash: domain::chain::GENESIS.to_owned(),
            ..AckMark::default()
        }))
    }

    /// The document that a supplier's delivery note was received with.
    pub fn delivery_note(&self, supplier: &str, note: &str) -> Read<Option<ReceivingId>> {
        let key = delivery_note_key(supplier, note);
        let key = String::from_utf8_lossy(key.get(1..).unwrap_or_default()).into_owned();
        self.rows().row(Table::DeliveryNote, &key)
    }

    /// Every delivery note that was received: supplier, note, document.
    pub fn delivery_notes(&self) -> Read<Vec<(String, String, ReceivingId)>> {
        let rows = self.rows().range(&[Table::DeliveryNote as u8], None, usize::MAX)?;
        rows.iter()
            .filter_map(|(key, bytes)| {
                let key = String::from_utf8_lossy(key.get(1..)?).into_owned();
                let (supplier, note) = key.split_once('\0')?;
                let id = decode(bytes).map_err(|what| failed(self.rows().path(), what));
                Some(id.map(|id| (supplier.to_owned(), note.to_owned(), id)))
            })
            .collect()
    }

    /// The highest hybrid clock stamp that was ever stored.
    pub fn last_hlc(&self) -> Option<String> {
        self.rows().mark().hlc
    }
}
