//! Frames: one commit each, as it is in a segment.
//!
//! ```text
//!  0 magic      4   "SRF1"
//!  4 body bytes 4
//!  8 lsn        8   dense over all commits
//! 16 group      8   lsn of the first frame that was written in the same group
//! 24 chain     32   SHA-256(chain of the frame before ‖ bytes 4..24 ‖ body)
//! 56 zero       4
//! 60 CRC32C     4   over bytes 0..60 and the body
//! 64 body           padded with zeros to a multiple of 8
//! ```

use crate::bytes::{array, u32_at, u64_at};
use sha2::{Digest, Sha256};

/// First bytes of every frame.
pub const MAGIC: [u8; 4] = *b"SRF1";
/// Bytes before the body.
pub const HEADER_BYTES: usize = 64;
/// Frames begin at multiples of this.
pub const ALIGN: usize = 8;
/// The longest body (32 MiB): a commit above it is refused before it is submitted.
pub const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;

/// The own chain over all frames.
pub type Chain = [u8; 32];
/// The chain value before the first frame.
pub const CHAIN_START: Chain = [0; 32];

/// A frame's header, read and checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Length of the body in bytes.
    pub len: usize,
    /// Dense over all commits, from 1.
    pub lsn: u64,
    /// Lsn of the first frame of its group.
    pub group: u64,
    /// Chain at this frame.
    pub chain: Chain,
    crc: u32,
}

impl Header {
    /// Reads the fields; the checksum is not looked at yet.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let len = u32_at(bytes, 4)? as usize;
        let known = array(bytes, 0)? == MAGIC && len <= BODY_BYTES_MAX && u32_at(bytes, 56)? == 0;
        let header = Self {
            len,
            lsn: u64_at(bytes, 8)?,
            group: u64_at(bytes, 16)?,
            chain: array(bytes, 24)?,
            crc: u32_at(bytes, 60)?,
        };
        (known && header.lsn >= header.group && header.group > 0).then_some(header)
    }

    /// Whether `frame` (this header and at least the body) is unchanged since it was written.
    pub fn intact(&self, frame: &[u8]) -> bool {
        let (Some(head), Some(body)) = (frame.get(..60), frame.get(HEADER_BYTES..HEADER_BYTES + self.len))
        else {
            return false;
        };
        crc32c::crc32c_append(crc32c::crc32c(head), body) == self.crc
    }

    /// Bytes that the whole frame takes.
    pub fn span(&self) -> usize {
        span(self.len)
    }

    /// Whether this frame follows `previous` in the chain.
    pub fn follows(&self, previous: &Chain, frame: &[u8]) -> bool {
        match (frame.get(4..24), frame.get(HEADER_BYTES..HEADER_BYTES + self.len)) {
            (Some(fields), Some(body)) => chain(previous, fields, body) == self.chain,
            _ => false,
        }
    }
}

/// Bytes that a frame with a body of `len` takes.
pub fn span(len: usize) -> usize {
    (HEADER_BYTES + len).next_multiple_of(ALIGN)
}

fn chain(previous: &Chain, fields: &[u8], body: &[u8]) -> Chain {
    Sha256::new().chain_update(previous).chain_update(fields).chain_update(body).finalize().into()
}

/// Appends a frame to `out` and returns the chain at it. `body` is at most [`BODY_BYTES_MAX`] long.
pub fn write(out: &mut Vec<u8>, lsn: u64, group: u64, previous: &Chain, body: &[u8]) -> Chain {
    let mut head = Vec::with_capacity(HEADER_BYTES);
    head.extend_from_slice(&MAGIC);
    head.extend_from_slice(&(body.len() as u32).to_le_bytes());
    head.extend_from_slice(&lsn.to_le_bytes());
    head.extend_from_slice(&group.to_le_bytes());
    let chain = chain(previous, head.get(4..24).unwrap_or_default(), body);
    head.extend_from_slice(&chain);
    head.extend_from_slice(&[0; 4]);
    let crc = crc32c::crc32c_append(crc32c::crc32c(&head), body);
    head.extend_from_slice(&crc.to_le_bytes());
    let end = out.len() + span(body.len());
    out.extend_from_slice(&head);
    out.extend_from_slice(body);
    out.resize(end, 0);
    chain
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn goes_both_ways_and_every_flipped_bit_is_seen() {
        let mut bytes = Vec::new();
        let chain = write(&mut bytes, 7, 5, &CHAIN_START, b"a body of 17 byte");
        assert_eq!(bytes.len() % ALIGN, 0);
        let header = Header::read(&bytes).unwrap();
        assert_eq!((header.lsn, header.group, header.chain, header.span()), (7, 5, chain, bytes.len()));
        assert!(header.intact(&bytes) && header.follows(&CHAIN_START, &bytes));
        assert!(!header.follows(&chain, &bytes));
        for bit in 0..(HEADER_BYTES + 17) * 8 {
            let mut bad = bytes.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let seen = Header::read(&bad).is_none_or(|header| !header.intact(&bad));
            assert!(seen, "bit {bit}");
        }
    }

    #[test]
    fn a_cut_frame_is_not_intact() {
        let mut bytes = Vec::new();
        write(&mut bytes, 1, 1, &CHAIN_START, b"body");
        for cut in 0..HEADER_BYTES + 4 {
            let part = &bytes[..cut];
            assert!(Header::read(part).is_none_or(|header| !header.intact(part)), "{cut} bytes");
        }
    }
}
