//! Doubts about a receipt that is posted all the same: goods that a count found before, a delivery that was entered
//! twice.

use crate::model::base::figures::Quantity;
use crate::model::base::ids::Sku;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::{note_key, stated_note};
use crate::model::inventory::opname::{Opname, OpnameLine, OpnameState};
use crate::model::inventory::receiving::{Receiving, ReceivingLine, ReceivingWarning, ReceivingWarningCode};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Age in milliseconds up to which a count or a receipt is compared with a new receipt: a week.
pub const COMPARED_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Most counts, and most receipts, that a new receipt is compared with, the newest first.
pub const COMPARED_MAX: usize = 50;

/// Most products of a receipt that are warned of: the record of the receipt has to hold the warnings.
const WARNED_MAX: usize = 50;

/// Whether a document of that moment is compared with one of `now`.
fn is_recent(at: UtcMs, now: UtcMs) -> bool {
    now.0.saturating_sub(at.0) <= COMPARED_MS
}

/// Whether a count may already include the received goods: it is open, or was posted recently.
pub fn may_have_found(count: &Opname, now: UtcMs) -> bool {
    match count.state {
        OpnameState::Counting | OpnameState::Review => true,
        OpnameState::Posted => count.ended_at.is_some_and(|at| is_recent(at, now)),
        OpnameState::Cancelled => false,
    }
}

/// Warnings about received products by the latest count of each, if it found more than was expected. An open count is
/// later than every posted one.
pub fn counted_before(counts: &[(Opname, OpnameLine)], now: UtcMs) -> Vec<ReceivingWarning> {
    let counted =
        |(count, line): &&(Opname, OpnameLine)| !line.zones.is_empty() && may_have_found(count, now);
    let mut counts: Vec<&(Opname, OpnameLine)> = counts.iter().filter(counted).collect();
    counts.sort_by_key(|(count, _)| Reverse(count.ended_at.map_or(i64::MAX, |at| at.0)));
    let mut seen: BTreeSet<&Sku> = BTreeSet::new();
    counts.retain(|(_, line)| seen.insert(&line.sku));
    let surplus = counts.into_iter().filter(|(_, line)| line.variance() > 0);
    let warning = |(count, line): &(Opname, OpnameLine)| ReceivingWarning {
        code: ReceivingWarningCode::CountedBefore,
        document_id: count.opname_id.0.clone(),
        sku: Some(line.sku.clone()),
        found: Some(line.variance()),
        at: count.ended_at.unwrap_or(line.counted_at),
    };
    surplus.map(warning).take(WARNED_MAX).collect()
}

/// Warning that an earlier receipt has the same lines or the same delivery note, unless both have a supplier and a
/// delivery note, which differ then.
pub fn repeats(receipt: &Receiving, earlier: &Receiving) -> Option<ReceivingWarning> {
    let (note, earlier_note) = (note_of(receipt), note_of(earlier));
    let suppliers = receipt.supplier_id.is_some() && earlier.supplier_id.is_some();
    let differ = suppliers && note.is_some() && earlier_note.is_some();
    let same = (note.is_some() && note == earlier_note) || pieces(&receipt.lines) == pieces(&earlier.lines);
    let compared = earlier.state == "posted" && is_recent(earlier.created_at, receipt.created_at);
    (compared && same && !differ).then(|| ReceivingWarning {
        code: ReceivingWarningCode::RepeatsReceipt,
        document_id: earlier.receiving_id.0.clone(),
        sku: None,
        found: None,
        at: earlier.created_at,
    })
}

fn note_of(receipt: &Receiving) -> Option<String> {
    stated_note(receipt.delivery_note_no.as_deref()).map(note_key)
}

fn pieces(lines: &[ReceivingLine]) -> BTreeMap<&Sku, Quantity> {
    let mut pieces: BTreeMap<&Sku, Quantity> = BTreeMap::new();
    for line in lines {
        let all = pieces.entry(&line.sku).or_default();
        *all = all.saturating_add(line.qty);
    }
    pieces
}
