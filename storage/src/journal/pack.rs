//! Compresses the contents of frames. A sale has most of its data three times, in its event, its record and its
//! answer.
//!
//! The dictionary has the text that most frames share. It is part of the format: a frame is unpacked with the
//! dictionary that it was packed with.

use crate::journal::frame::BODY_BYTES_MAX;
use std::cell::RefCell;
use std::sync::LazyLock;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

/// Nearly all of the possible gain: level 1 makes frames a twentieth shorter for half as much work again.
const LEVEL: i32 = -1;
/// Most bytes that a thread keeps for the next frame; a longer one gets buffers of its own.
const KEPT_BYTES_MAX: usize = 64 * 1024;
const DICTIONARY: &[u8] = include_bytes!("pack/dictionary.txt");

static PACKING: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL));
static UNPACKING: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

/// A thread's means to pack.
struct Packer {
    compressor: Compressor<'static>,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

thread_local! {
    static PACKER: RefCell<Option<Packer>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

impl Packer {
    fn new() -> std::io::Result<Self> {
        let mut compressor = Compressor::with_prepared_dictionary(&PACKING)?;
        // The frame names its dictionary, and has a checksum.
        compressor.include_checksum(false)?;
        compressor.include_dictid(false)?;
        compressor.include_contentsize(false)?;
        Ok(Self { compressor, plain: Vec::new(), packed: Vec::new() })
    }

    fn pack(&mut self) -> std::io::Result<()> {
        let room = zstd::zstd_safe::compress_bound(self.plain.len());
        self.packed.clear();
        self.packed.reserve(room);
        self.compressor.compress_to_buffer(&self.plain, &mut self.packed).map(drop)
    }
}

/// Packs the bytes that `fill` writes, and calls `take` with them and their length before.
pub fn packed<T>(
    fill: impl FnOnce(&mut Vec<u8>) -> Result<(), String>,
    take: impl FnOnce(&[u8], usize) -> T,
) -> Result<T, String> {
    PACKER.with_borrow_mut(|packer| {
        let failed = |error: std::io::Error| format!("it could not be packed: {error}");
        let packer = match packer {
            Some(packer) => packer,
            none => none.insert(Packer::new().map_err(failed)?),
        };
        let done = fill(&mut packer.plain).and_then(|()| packer.pack().map_err(failed));
        let taken = done.map(|()| take(&packer.packed, packer.plain.len()));
        // A refused frame leaves nothing behind either.
        packer.plain.clear();
        packer.packed.clear();
        packer.plain.shrink_to(KEPT_BYTES_MAX);
        packer.packed.shrink_to(KEPT_BYTES_MAX);
        taken
    })
}

/// The bytes that were packed: exactly `len` of them.
pub fn unpacked(packed: &[u8], len: usize) -> Result<Vec<u8>, String> {
    if len > BODY_BYTES_MAX {
        return Err(format!("{len} bytes are packed, at most {BODY_BYTES_MAX} may be"));
    }
    UNPACKER.with_borrow_mut(|unpacker| {
        let failed = |error: std::io::Error| format!("it could not be unpacked: {error}");
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::with_prepared_dictionary(&UNPACKING).map_err(failed)?),
        };
        let bytes = unpacker.decompress(packed, len).map_err(failed)?;
        if bytes.len() == len { Ok(bytes) } else { Err(format!("{} bytes, not {len}", bytes.len())) }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    fn there_and_back(bytes: &[u8]) -> usize {
        let fill = |plain: &mut Vec<u8>| {
            plain.extend_from_slice(bytes);
            Ok(())
        };
        let (packed, len) = packed(fill, |packed, len| (packed.to_vec(), len)).unwrap();
        assert_eq!(unpacked(&packed, len).unwrap(), bytes);
        assert!(unpacked(&packed, len + 1).is_err(), "another length");
        assert!(len == 0 || unpacked(&packed, len - 1).is_err(), "a shorter length");
        packed.len()
    }

    #[test]
    fn it_goes_both_ways_whatever_it_is() {
        assert!(there_and_back(b"") < 16);
        assert!(there_and_back(DICTIONARY) < DICTIONARY.len() / 20, "as every sale begins");
        let noise: Vec<u8> = (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        there_and_back(&noise);
        assert!(unpacked(b"no frame", 8).is_err() && unpacked(&[], BODY_BYTES_MAX + 1).is_err());
    }
}
