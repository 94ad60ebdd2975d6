//! Sums of the events: stock, receipts, records, idempotency keys.

use super::VerifyReport;
use super::safe_sums::SafeSums;
use super::shift_sums::Shifts;
use crate::bytes::from_hex;
use crate::journal::body::Body;
use crate::journal::history::ANSWERS_KEPT_MS;
use crate::journal::record_head::RecordHead;
use crate::writer::group::refilled_head;
use domain::model::base::event::{Event, Fact, Rows};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::hub::chain;
use std::collections::HashMap;

/// Keys that are remembered before the old ones are let go for the first time.
const KEYS_MAX: usize = 1_000_000;

/// Sums over the journal so far.
#[derive(Debug, Default)]
pub struct Facts {
    moved: HashMap<Sku, (i128, i128)>,
    stock: HashMap<Sku, (Quantity, Money)>,
    receipts: HashMap<String, u64>,
    keys: HashMap<[u8; 32], i64>,
    keys_max: usize,
    shifts: Shifts,
    safe: SafeSums,
}

impl Facts {
    /// Applies a frame. `before`: position of the records before it.
    pub fn frame(
        &mut self,
        body: &Body,
        before: &RecordHead,
        report: &mut VerifyReport,
    ) -> Result<(), String> {
        let events = body.events()?;
        if crate::journal::body::keys_of(body, &events) != body.content.keys {
            report.problem("the index keys of a frame differ from those of its events");
        }
        let mut head = before.clone();
        // Recovered records are not checked here: other frames may use numbers of their series, and the sums of their
        // shifts were reported.
        let refilled = crate::journal::chain_events::recovery(&events).map(|refill| refilled_head(&refill));
        for event in &events {
            if let Fact::EpochOpened(it) = &event.fact {
                head = RecordHead { epoch: it.epoch.clone(), ..RecordHead::default() };
            }
            self.safe.event(event, refilled.is_some(), report);
            if refilled.is_some() {
                self.movements(&event.rows);
                self.shifts.trust(event);
                report.sales += u64::from(matches!(event.fact, Fact::TransactionPaid(_)));
            } else {
                self.event(event, report);
            }
        }
        self.key(body, report);
        report.records += body.content.texts.len() as u64;
        // Recovered records follow others of their own epoch, wherever those are.
        records(body, refilled.unwrap_or(head))
    }

    fn event(&mut self, event: &Event, report: &mut VerifyReport) {
        self.shifts.event(event, report);
        self.movements(&event.rows);
        match &event.fact {
            Fact::TransactionPaid(it) => {
                report.sales += 1;
                if let Some(receipt_no) = &it.transaction.receipt_no {
                    self.receipt(receipt_no, report);
                } else {
                    report.problem(format!("{} is paid without a receipt", it.transaction.transaction_id));
                }
            }
            Fact::ReturnPosted(it) => self.receipt(&it.document.receipt_no, report),
            _ => {}
        }
    }

    fn movements(&mut self, rows: &Rows) {
        for movement in &rows.movements {
            let sum = self.moved.entry(movement.sku.clone()).or_default();
            sum.0 += i128::from(movement.qty);
            sum.1 += i128::from(movement.cost) - i128::from(movement.correction);
        }
        for row in &rows.stock {
            self.stock.insert(row.sku.clone(), (row.qty, row.value));
        }
    }

    /// Numbers of a register in an epoch are gap-free from 1.
    fn receipt(&mut self, receipt_no: &str, report: &mut VerifyReport) {
        let Some((series, number)) = receipt_no.rsplit_once('-') else {
            return report.problem(format!("receipt {receipt_no} has no number"));
        };
        let number = number.parse::<u64>().unwrap_or_default();
        let last = self.receipts.entry(series.to_owned()).or_default();
        if number != *last + 1 {
            report.problem(format!("receipt {receipt_no} follows number {last}"));
        }
        *last = number;
    }

    fn key(&mut self, body: &Body, report: &mut VerifyReport) {
        let Some(keyed) = &body.content.keyed else { return };
        let now = body.content.at;
        let kept = |at: &i64| *at >= now.saturating_sub(ANSWERS_KEPT_MS);
        if self.keys.len() >= self.keys_max.max(KEYS_MAX) {
            self.keys.retain(|_, at| kept(at));
            // A busy week is not looked through for every commit.
            self.keys_max = self.keys.len() * 2;
        }
        if self.keys.insert(keyed.key, now).as_ref().is_some_and(kept) {
            report.problem(format!("idempotency key {} was carried out twice", chain::hex(&keyed.key)));
        }
    }

    /// Compares the sums with the rows.
    pub fn finish(self, report: &mut VerifyReport) {
        let zero = (0, 0);
        for (sku, (qty, value)) in &self.stock {
            let (moved, cost) = self.moved.get(sku).copied().unwrap_or_default();
            if (i128::from(*qty), i128::from(*value)) != (moved, cost) {
                report.problem(format!(
                    "stock of {sku}: {qty} pieces worth {value}, but its movements give {moved} worth {cost}"
                ));
            }
        }
        for sku in self.moved.iter().filter(|(_, sums)| **sums != zero).map(|(sku, _)| sku) {
            if !self.stock.contains_key(sku) {
                report.problem(format!("{sku} has stock movements but no stock row"));
            }
        }
        self.shifts.finish(report);
        self.safe.finish(report);
    }
}

/// Records are dense and chained.
fn records(body: &Body, mut head: RecordHead) -> Result<(), String> {
    let stamps = &body.stamps;
    if stamps.hashes.len() != body.content.texts.len() {
        return Err("records and their hashes differ in number".into());
    }
    if !stamps.hashes.is_empty() && (&stamps.epoch, stamps.first_seq) != (&head.epoch, head.seq + 1) {
        return Err(format!("record {} of {} does not follow {}", stamps.first_seq, stamps.epoch, head.seq));
    }
    for (text, hash) in body.content.texts.iter().zip(&stamps.hashes) {
        head.hash = from_hex(&chain::next(&chain::hex(&head.hash), text)).unwrap_or_default();
        head.seq += 1;
        if head.hash != *hash {
            return Err(format!("the hash of record {} is wrong", head.seq));
        }
    }
    Ok(())
}
