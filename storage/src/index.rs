//! What history is found by: entries (hash of kind and key, frame offset), one set per segment.
//!
//! Two keys may share a hash; whoever looks one up reads the frame and compares.

pub mod file;
pub mod filter;

use crate::body::Body;
use crate::bytes::hash64;
use domain::event::Event;
use domain::stock::Movement;
use domain::transaction::Transaction;
use std::collections::BTreeSet;

/// What an entry leads to. The numbers are on the disk: never change one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// An answer, by idempotency key.
    Answer = 1,
    /// A paid or voided transaction, by id.
    Transaction = 2,
    /// A sale, by receipt number.
    Receipt = 3,
    /// Movements, by sku.
    Movement = 4,
    /// A sale, by shift.
    ShiftSale = 5,
    /// A receiving document, by id.
    Receiving = 6,
    /// A numbered record, by epoch and seq.
    Record = 7,
}

/// The hash of a key.
pub fn hash(kind: Kind, key: &[&[u8]]) -> u64 {
    let kind = [kind as u8];
    let mut parts: Vec<&[u8]> = vec![&kind];
    parts.extend_from_slice(key);
    hash64(&parts)
}

/// The hash of a record's key.
pub fn record_hash(epoch: &str, seq: u64) -> u64 {
    hash(Kind::Record, &[epoch.as_bytes(), &seq.to_be_bytes()])
}

/// The hashes that an event is found by.
pub fn event_keys(event: &Event, keys: &mut Vec<u64>) {
    match event {
        Event::TransactionPaid { transaction, movements, .. } => {
            transaction_keys(transaction, keys);
            keys.push(hash(Kind::ShiftSale, &[transaction.shift_id.as_str().as_bytes()]));
            movement_keys(movements, keys);
        }
        Event::ShiftClosed { voided, .. } => {
            voided.iter().for_each(|transaction| transaction_keys(transaction, keys));
        }
        Event::ReceivingPosted { receiving, movements, .. } => {
            keys.push(hash(Kind::Receiving, &[receiving.receiving_id.as_str().as_bytes()]));
            movement_keys(movements, keys);
        }
        Event::StockOpened { movements, .. } => movement_keys(movements, keys),
        Event::TransactionOpen { .. }
        | Event::ShiftOpened { .. }
        | Event::Restored { .. }
        | Event::ProductChanged { .. }
        | Event::UserChanged { .. }
        | Event::SessionOpened { .. }
        | Event::SessionRefreshed { .. }
        | Event::SessionClosed { .. }
        | Event::HubEnrolled { .. }
        | Event::EpochOpened { .. }
        | Event::RecordsAcknowledged { .. }
        | Event::FeedApplied { .. } => {}
    }
}

fn transaction_keys(transaction: &Transaction, keys: &mut Vec<u64>) {
    keys.push(hash(Kind::Transaction, &[transaction.transaction_id.as_str().as_bytes()]));
    if let Some(receipt_no) = &transaction.receipt_no {
        keys.push(hash(Kind::Receipt, &[receipt_no.as_bytes()]));
    }
}

fn movement_keys(movements: &[Movement], keys: &mut Vec<u64>) {
    keys.extend(movements.iter().map(|movement| hash(Kind::Movement, &[movement.sku.as_str().as_bytes()])));
}

/// The hashes of a frame's records.
pub fn record_keys(epoch: &str, first_seq: u64, count: usize) -> impl Iterator<Item = u64> {
    (first_seq..).take(count).map(move |seq| record_hash(epoch, seq))
}

/// Entries of one segment in memory.
#[derive(Debug, Default)]
pub struct Entries {
    set: BTreeSet<(u64, u32)>,
    answers: Vec<u64>,
}

impl Entries {
    /// Adds a frame's keys.
    pub fn add(&mut self, keys: impl Iterator<Item = u64>, answer: Option<u64>, offset: u32) {
        self.set.extend(keys.map(|key| (key, offset)));
        self.answers.extend(answer);
    }

    /// Adds all that a stored frame is found by.
    pub fn add_body(&mut self, body: &Body, offset: u32) {
        let stamps = &body.stamps;
        let records = record_keys(&stamps.epoch, stamps.first_seq, stamps.hashes.len());
        let answer = body.content.keyed.as_ref().map(|keyed| hash(Kind::Answer, &[&keyed.key]));
        self.add(body.content.keys.iter().copied().chain(records), answer, offset);
    }

    /// Offsets under a hash, in order.
    pub fn offsets(&self, hash: u64) -> Vec<u32> {
        self.set.range((hash, 0)..=(hash, u32::MAX)).map(|(_, offset)| *offset).collect()
    }

    /// All entries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(u64, u32)> {
        self.set.iter()
    }

    /// Hashes of the idempotency keys.
    pub fn answers(&self) -> &[u64] {
        &self.answers
    }
}
