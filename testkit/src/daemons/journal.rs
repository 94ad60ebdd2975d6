//! The parts of the data folder that tests of damage need: its files, and the offsets of frames.

use serde_json::value::RawValue;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use zstd::bulk::Decompressor;

/// Offset of a segment's first frame.
const FIRST_FRAME: usize = 4096;
/// The first bytes of every frame.
const MAGIC: &[u8] = b"SRF1";
/// Dictionary of packed bodies: part of the format.
const DICTIONARY: &[u8] = include_bytes!("../../../storage/src/journal/pack/dictionary.txt");
/// A frame's header; the body follows.
pub const HEADER_BYTES: usize = 64;

/// The journal's files with an extension, oldest first.
pub fn files(data: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(data.join("journal"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == extension))
        .filter(|path| path.file_stem().is_some_and(|stem| stem != "next"))
        .collect();
    found.sort();
    found
}

#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub offset: usize,
    pub body_bytes: usize,
    pub group: u64,
}

/// The frames of a segment, in order.
pub fn frames(segment: &Path) -> Vec<Frame> {
    let bytes = fs::read(segment).unwrap();
    let mut found = Vec::new();
    let mut offset = FIRST_FRAME;
    while bytes.get(offset..offset + 4) == Some(MAGIC) {
        let body_bytes = u32::from_le_bytes(bytes[offset + 4..offset + 8].try_into().unwrap()) as usize;
        let group = u64::from_le_bytes(bytes[offset + 16..offset + 24].try_into().unwrap());
        found.push(Frame { offset, body_bytes, group });
        offset += (HEADER_BYTES + body_bytes).next_multiple_of(8);
    }
    found
}

/// Offset of the next frame of a segment.
pub fn end(segment: &Path) -> usize {
    frames(segment)
        .last()
        .map_or(FIRST_FRAME, |frame| frame.offset + (HEADER_BYTES + frame.body_bytes).next_multiple_of(8))
}

/// Changes one bit of a file.
pub fn flip(path: &Path, at: usize) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at as u64).unwrap();
    file.write_all_at(&[byte[0] ^ 0x10], at as u64).unwrap();
}

/// Overwrites a part of a file.
pub fn overwrite(path: &Path, at: usize, bytes: &[u8]) {
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, at as u64).unwrap();
}

/// The commit in a frame's body, unpacked.
fn content(body: &[u8]) -> Vec<u8> {
    let length = |at: usize| u32::from_le_bytes(body[at..at + 4].try_into().unwrap()) as usize;
    let mut unpacker = Decompressor::with_dictionary(DICTIONARY).unwrap();
    unpacker.decompress(&body[9..9 + length(5)], length(1)).unwrap()
}

/// Every record for head office, in order.
pub fn records(data: &Path) -> Vec<serde_json::Value> {
    record_texts(data).iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// The exact texts of all records, in the order in which they were written; one that came back from head
/// office into an earlier epoch may be there twice.
pub fn record_texts(data: &Path) -> Vec<String> {
    let begins = b"{\"event_id\":";
    let mut found = Vec::new();
    for segment in files(data, "seg") {
        let bytes = fs::read(&segment).unwrap();
        for frame in frames(&segment) {
            let from = frame.offset + HEADER_BYTES;
            let content = content(&bytes[from..from + frame.body_bytes]);
            let mut rest = content.as_slice();
            while let Some(at) = rest.windows(begins.len()).position(|window| window == begins) {
                let mut values =
                    serde_json::Deserializer::from_slice(&rest[at..]).into_iter::<Box<RawValue>>();
                let text = values.next().and_then(Result::ok).map(|text| text.get().to_owned());
                rest = &rest[at + text.as_ref().map_or(begins.len(), String::len)..];
                found.extend(text);
            }
        }
    }
    found
}
