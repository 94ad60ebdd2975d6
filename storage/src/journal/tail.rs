//! The bytes after the last good frame: nothing, a torn tail, or damage.
//!
//! Group n + 1 is written only after group n is durable. So a bad frame that any intact frame of a later
//! group follows was durable once: damage. Otherwise it was never answered and is cut off.

use crate::error::StorageError;
use crate::journal::frame::{ALIGN, HEADER_BYTES, Header, MAGIC};
use crate::journal::segment::Segment;

/// The bytes after the last good frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// Only zeros follow the last frame.
    Clean,
    /// Bytes that were never answered, up to here.
    Torn {
        /// End of the last byte that is not zero.
        end: u64,
    },
}

const WINDOW_BYTES: usize = 1024 * 1024;

/// Judges the bytes from `from` on, where the frame `last_lsn + 1` should begin.
pub fn judge(segment: &Segment, from: u64, last_lsn: u64) -> Result<Tail, StorageError> {
    let (mut window, zeros) = (vec![0; WINDOW_BYTES], vec![0; WINDOW_BYTES]);
    let mut tail = Tail::Clean;
    let mut at = from;
    while at < segment.len {
        let read = segment.read(&mut window, at)?;
        let bytes = window.get(..read).unwrap_or_default();
        // Most of a segment is unused space: one comparison shows it, without a look at each byte.
        let written = zeros.get(..read) != Some(bytes);
        let last = if written { bytes.iter().rposition(|byte| *byte != 0) } else { None };
        if let Some(last) = last {
            tail = Tail::Torn { end: at + last as u64 + 1 };
            for candidate in magics(bytes).map(|index| at + index as u64) {
                refuse_later_group(segment, candidate, from, last_lsn)?;
            }
        }
        at += read.max(1) as u64;
    }
    Ok(tail)
}

/// Frames begin at multiples of [`ALIGN`], and so do windows.
fn magics(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let words = bytes.chunks(ALIGN).enumerate();
    words.filter(|(_, word)| word.starts_with(&MAGIC)).map(|(index, _)| index * ALIGN)
}

fn refuse_later_group(segment: &Segment, at: u64, bad: u64, last_lsn: u64) -> Result<(), StorageError> {
    let mut bytes = vec![0; HEADER_BYTES];
    segment.read(&mut bytes, at)?;
    let Some(header) = Header::read(&bytes).filter(|header| header.group > last_lsn + 1) else {
        return Ok(());
    };
    bytes.resize(header.span(), 0);
    segment.read(&mut bytes, at)?;
    if !header.intact(&bytes) {
        return Ok(());
    }
    let what = format!(
        "lsn {} should begin here, but lsn {} of a later group is intact at offset {at}",
        last_lsn + 1,
        header.lsn
    );
    Err(StorageError::damaged(&segment.path, bad, what))
}
