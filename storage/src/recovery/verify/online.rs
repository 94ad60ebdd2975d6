//! Verifying beside a running store, at half speed so that selling does not notice.

use super::expected_rows::Expected;
use super::facts::Facts;
use super::{Progress, VerifyReport, Work};
use crate::error::StorageError;
use crate::handle::Storage;
use crate::rows::mark::Mark;
use std::time::Instant;

impl Storage {
    /// Verifies everything that is durable and applied now, while writes continue. Blocks for long.
    ///
    /// # Errors
    /// The storage is closed meanwhile, or can't be read at all; problems inside are in the report.
    pub fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport, StorageError> {
        let mut report = VerifyReport::default();
        let expected = Expected::of_running(&self.shared().rows, &mut report);
        let until = expected.upto().unwrap_or_else(|| self.head().lsn);
        let segments: Vec<_> = self
            .shared()
            .history
            .segments()
            .into_iter()
            .filter(|segment| segment.head.first_lsn <= until)
            .collect();
        let mut work = Work { facts: Facts::default(), expected, mark: Mark::default(), until, report };
        let mut busy = Instant::now();
        work.walk(&segments, &mut |_, step| {
            progress(step);
            self.refuse_when_stopping()?;
            std::thread::sleep(busy.elapsed());
            busy = Instant::now();
            Ok(())
        })?;
        Ok(work.finish().1)
    }
}
