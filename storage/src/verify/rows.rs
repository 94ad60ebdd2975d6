//! The rows that the journal gives, compared with the engine's at its mark.

use super::VerifyReport;
use crate::bytes::hash64;
use crate::layout::Layout;
use crate::rows::{RowOp, Rows};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

const CACHE_BYTES: u64 = 32 * 1024 * 1024;
const PAGE_ROWS: usize = 1_000;

/// Hashes of the rows as the journal gives them so far.
#[derive(Debug)]
pub struct Expected {
    rows: Option<Rows>,
    hashes: HashMap<Vec<u8>, u64>,
}

impl Expected {
    /// Opens the engine, where there is one.
    pub fn open(layout: &Layout, report: &mut VerifyReport) -> Self {
        let mut rows = None;
        if layout.rows().exists() {
            match Rows::open(&layout.rows(), CACHE_BYTES) {
                Ok(open) => rows = Some(open),
                Err(error) => report.problem(error),
            }
        }
        Self { rows, hashes: HashMap::new() }
    }

    /// Takes in a frame; at the engine's mark everything is compared.
    pub fn apply(&mut self, ops: Vec<RowOp>, lsn: u64, report: &mut VerifyReport) {
        for op in ops {
            match op.value {
                Some(value) => self.hashes.insert(op.key, hash64(&[&value])),
                None => self.hashes.remove(&op.key),
            };
        }
        if self.rows.as_ref().is_some_and(|rows| rows.mark().lsn == lsn)
            && let Some(rows) = self.rows.take()
        {
            self.compare(&rows, report);
        }
    }

    /// Whether the engine's mark was met. One that is behind is brought up by the next start.
    pub fn finish(self, head: u64, report: &mut VerifyReport) {
        if let Some(rows) = self.rows.filter(|rows| rows.mark().lsn > 0) {
            let lsn = rows.mark().lsn;
            report.problem(format!("the rows are at lsn {lsn}, the journal ends at lsn {head}"));
        }
    }

    fn compare(&self, rows: &Rows, report: &mut VerifyReport) {
        let path = rows.path().display();
        match rows.intact(&AtomicBool::new(false)) {
            Ok(true) => {}
            Ok(false) => report.problem(format!("{path}: counts and hash sums differ (a start rebuilds it)")),
            Err(error) => return report.problem(error),
        }
        let (mut after, mut met) = (None::<Vec<u8>>, 0);
        loop {
            let page = match rows.after(after.as_deref(), PAGE_ROWS) {
                Ok(page) => page,
                Err(error) => return report.problem(error),
            };
            let Some((last, _)) = page.last() else { break };
            after = Some(last.clone());
            for (key, value) in &page {
                met += 1;
                if self.hashes.get(key) != Some(&hash64(&[value])) {
                    let key = String::from_utf8_lossy(key.get(1..).unwrap_or_default()).into_owned();
                    report.problem(format!("{path}: row {key:?} is not what the journal gives"));
                }
            }
        }
        if met != self.hashes.len() {
            report.problem(format!("{path}: {met} rows, the journal gives {}", self.hashes.len()));
        }
        report.rows = met as u64;
    }
}
