//! The journal's decoder as a fuzz target, which also runs briefly in the normal suite. Built with the feature `fuzz`
//! only, so it is not part of a release.

use crate::journal::body::Body;
use crate::journal::frame::{CHAIN_START, Header};

/// Walks bytes as a segment is walked: frame by frame, as far as they hold together. Whatever the bytes
/// are, it ends, and a body is decoded only if its checksum and chain are right; `forge` decodes the
/// rest too, as if a checksum had been made for it.
pub fn segment(bytes: &[u8], forge: bool) -> usize {
    let (mut at, mut frames, mut chain) = (0, 0, CHAIN_START);
    while let Some(rest) = bytes.get(at..)
        && let Some(header) = Header::read(rest)
    {
        let whole = header.intact(rest) && header.follows(&chain, rest);
        if !whole && !forge {
            break;
        }
        if let Some(body) =
            rest.get(crate::journal::frame::HEADER_BYTES..crate::journal::frame::HEADER_BYTES + header.len)
        {
            let _ = Body::decode(body).map(|body| body.events().is_ok());
        }
        chain = header.chain;
        at += header.span();
        frames += 1;
    }
    frames
}

/// Decodes a body without its frame.
pub fn body(bytes: &[u8]) {
    if let Ok(body) = Body::decode(bytes) {
        let _ = body.events();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;
    use proptest::prelude::*;

    /// Three frames in a row, and their bytes.
    fn segment_of(bodies: &[Vec<u8>]) -> Vec<u8> {
        let (mut bytes, mut chain) = (Vec::new(), CHAIN_START);
        for (lsn, body) in (1..).zip(bodies) {
            chain = crate::journal::frame::write(&mut bytes, lsn, lsn, &chain, body);
        }
        bytes
    }

    proptest! {
        #[test]
        fn random_bytes_are_no_journal(bytes in prop::collection::vec(any::<u8>(), 0..2048)) {
            prop_assert_eq!(segment(&bytes, false), 0);
            segment(&bytes, true);
            body(&bytes);
        }

        #[test]
        fn a_flipped_bit_ends_the_walk_at_its_frame(
            bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..200), 3..4),
            at in any::<prop::sample::Index>(),
            bit in 0..8u32,
        ) {
            let mut bytes = segment_of(&bodies);
            prop_assert_eq!(segment(&bytes, false), 3);
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let spans: Vec<usize> = bodies.iter().map(|body| crate::journal::frame::span(body.len())).collect();
            let hit = [spans[0], spans[0] + spans[1]].iter().filter(|end| at >= **end).count();
            // A bit of the padding is no part of a frame.
            let begin = spans[..hit].iter().sum::<usize>();
            let padding = at >= begin + crate::journal::frame::HEADER_BYTES + bodies[hit].len();
            prop_assert_eq!(segment(&bytes, false), if padding { 3 } else { hit });
            segment(&bytes, true);
        }
    }
}
