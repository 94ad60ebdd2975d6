//! What may be wrong with a receipt that is posted all the same: goods that a count found before, a delivery that was typed
//! twice.

use crate::model::base::ids::Sku;
use crate::model::base::time::UtcMs;
use crate::model::inventory::opname::{Opname, OpnameLine, OpnameState};
use crate::model::inventory::receiving::{Receiving, ReceivingWarning, ReceivingWarningCode};
use crate::rules::inventory::receiving::NewReceiving;
use std::collections::BTreeMap;

/// Age in milliseconds up to which a count or a receipt is compared with a new receipt: a week.
pub const COMPARED_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Most counts, and most receipts, that a new receipt is compared with, the newest first.
pub const COMPARED_MAX: usize = 50;

/// Whether a document of that moment is compared with one of `now`.
fn is_recent(at: UtcMs, now: UtcMs) -> bool {
    now.0.saturating_sub(at.0) <= COMPARED_MS
}

/// Whether a count was posted lately: it may have found what is received now.
pub fn may_have_found(count: &Opname, now: UtcMs) -> bool {
    count.state == OpnameState::Posted && count.ended_at.is_some_and(|at| is_recent(at, now))
}

/// Warning by the latest count of a product, if it found more than was expected.
pub fn counted_before(count: &Opname, line: &OpnameLine) -> Option<ReceivingWarning> {
    let found = line.variance();
    let at = count.ended_at.filter(|_| found > 0)?;
    Some(ReceivingWarning {
        code: ReceivingWarningCode::CountedBefore,
        document_id: count.opname_id.0.clone(),
        sku: Some(line.sku.clone()),
        found: Some(found),
        at,
    })
}

/// That an earlier receipt has the same lines, where nothing tells the two apart: one lacks a supplier or the number of
/// its delivery note.
pub fn repeats(cmd: &NewReceiving, earlier: &Receiving, now: UtcMs) -> Option<ReceivingWarning> {
    let told_apart = cmd.supplier_id.is_some()
        && cmd.delivery_note_no.is_some()
        && earlier.supplier_id.is_some()
        && earlier.delivery_note_no.is_some();
    let asked = pieces(cmd.lines.iter().map(|line| (&line.sku, line.qty)));
    let came = pieces(earlier.lines.iter().map(|line| (&line.sku, line.qty)));
    let same = earlier.state == "posted" && asked == came && is_recent(earlier.created_at, now);
    (same && !told_apart).then(|| ReceivingWarning {
        code: ReceivingWarningCode::RepeatsReceipt,
        document_id: earlier.receiving_id.0.clone(),
        sku: None,
        found: None,
        at: earlier.created_at,
    })
}

fn pieces<'a>(lines: impl Iterator<Item = (&'a Sku, i64)>) -> BTreeMap<&'a Sku, i64> {
    let mut pieces: BTreeMap<&Sku, i64> = BTreeMap::new();
    for (sku, qty) in lines {
        let all = pieces.entry(sku).or_default();
        *all = all.saturating_add(qty);
    }
    pieces
}
