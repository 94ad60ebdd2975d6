//! Removes repetition between texts: the event of a sale contains the text of its record, and the answer most of it
//! again.
//!
//! A repeated part is stored as offset and length. Parts are found by comparing bytes, never by meaning, so the text
//! is restored byte for byte.

use bincode::enc::Encoder;
use bincode::enc::write::Writer;
use bincode::error::EncodeError;
use bincode::{Decode, Encode};

/// Bytes of a document that must occur elsewhere for the two to be compared: its first field, an ID.
const ANCHOR_BYTES: usize = 40;
/// Fewest bytes that both texts share after a difference; shorter repetitions are not worth a place and a length.
const AGAIN_BYTES: usize = 12;
/// Distance after a difference within which it is looked for: more than a view of a sale leaves out in one place.
const WINDOW_BYTES: usize = 512;
/// Most fields of its own that a text may have in one place before the rest counts as its own.
const FIELDS_MAX: usize = 8;
/// Bytes that are compared at once.
const STEP_BYTES: usize = 32;

/// A number of the text's own bytes, then a number of bytes of the other text, from an offset on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub struct Part {
    own: u32,
    from: u32,
    len: u32,
}

/// A text's own parts, and its repetitions.
#[derive(Debug, Clone, PartialEq, Eq, Decode)]
pub struct Repeating {
    parts: Vec<Part>,
    own: Vec<u8>,
}

/// A text that is encoded as [`Repeating`], and the text that it repeats.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// The whole text.
    pub bytes: &'a [u8],
    /// The result of [`find`] or [`find_whole`]; empty if nothing is repeated.
    pub parts: &'a [Part],
}

/// Finds a document that `text` repeats as it is in `base`. In `text` it begins at the brace number `depth`, from 0.
pub fn find_whole(text: &[u8], base: &[u8], depth: usize, parts: &mut Vec<Part>) {
    if let Some((start, from)) = begin(text, base, depth) {
        parts.push(Part::of(start, from, length(text, start, base, from)));
    }
}

/// Finds the repetitions of a document of `base` in `text`, in order, with parts of its own in between.
pub fn find(text: &[u8], base: &[u8], depth: usize, parts: &mut Vec<Part>) {
    let Some((start, mut from)) = begin(text, base, depth) else { return };
    let (mut own, mut at) = (start, start);
    loop {
        let len = length(text, at, base, from);
        parts.push(Part::of(own, from, len));
        at += len;
        let Some((skipped, next)) = again(text, at, base, from + len) else { return };
        (own, at, from) = (skipped, at + skipped, next);
    }
}

impl Part {
    fn of(own: usize, from: usize, len: usize) -> Self {
        Self { own: own as u32, from: from as u32, len: len as u32 }
    }
}

/// The beginning of the document in both; `None` if they contain different documents.
fn begin(text: &[u8], base: &[u8], depth: usize) -> Option<(usize, usize)> {
    let start = braces(text).nth(depth)?;
    let from = find_bytes(base, text.get(start..start + ANCHOR_BYTES)?)?;
    Some((start, from))
}

/// Number of equal bytes from there on.
fn length(text: &[u8], at: usize, base: &[u8], from: usize) -> usize {
    common(text.get(at..).unwrap_or_default(), base.get(from..).unwrap_or_default())
}

/// Number of bytes from `at` on in which `text` differs before it continues like `base`, and where that is.
fn again(text: &[u8], at: usize, base: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = base.get(from..).unwrap_or_default();
    let window = window.get(..WINDOW_BYTES).unwrap_or(window);
    let rest = text.get(at..).unwrap_or_default();
    let mut skipped = 0;
    for _ in 0..FIELDS_MAX {
        let next = rest.get(skipped..skipped + AGAIN_BYTES)?;
        if let Some(place) = find_bytes(window, next) {
            return Some((skipped, from + place));
        }
        let field = rest.get(skipped + 1..)?.iter().position(|byte| *byte == b',')?;
        skipped += 1 + field;
    }
    None
}

fn braces(text: &[u8]) -> impl Iterator<Item = usize> {
    text.iter().enumerate().filter(|(_, byte)| **byte == b'{').map(|(place, _)| place)
}

fn find_bytes(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = wanted.first()?;
    bytes.windows(wanted.len()).position(|part| part.first() == Some(first) && part == wanted)
}

/// Bytes that two texts begin with alike.
fn common(one: &[u8], other: &[u8]) -> usize {
    let steps = one.chunks_exact(STEP_BYTES).zip(other.chunks_exact(STEP_BYTES));
    let alike = steps.take_while(|(one, other)| one == other).count() * STEP_BYTES;
    let rest = one.iter().skip(alike).zip(other.iter().skip(alike));
    alike + rest.take_while(|(one, other)| one == other).count()
}

impl Encode for Text<'_> {
    fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        let Self { bytes, parts } = self;
        parts.encode(encoder)?;
        let repeated: usize = parts.iter().map(|part| part.len as usize).sum();
        (bytes.len().saturating_sub(repeated) as u64).encode(encoder)?;
        let mut rest = *bytes;
        for Part { own, len, .. } in *parts {
            let (own, behind) = rest.split_at_checked(*own as usize).unwrap_or((rest, &[]));
            encoder.writer().write(own)?;
            rest = behind.get(*len as usize..).unwrap_or_default();
        }
        encoder.writer().write(rest)
    }
}

impl Repeating {
    /// Restores a text from its own parts and those of `base`. At most this many bytes, whatever the lengths of its
    /// parts.
    pub fn restored(self, base: &[u8], bytes_max: usize) -> Result<Vec<u8>, String> {
        let Self { parts, own } = self;
        if parts.is_empty() {
            return Ok(own);
        }
        let repeated = parts.iter().fold(0_usize, |sum, part| sum.saturating_add(part.len as usize));
        let length = own.len().saturating_add(repeated);
        if length > bytes_max {
            return Err(format!("a text of {length} bytes; at most {bytes_max} are left for it"));
        }
        let (mut text, mut rest) = (Vec::with_capacity(length), own.as_slice());
        for Part { own, from, len } in parts {
            let (own, behind) = rest.split_at_checked(own as usize).ok_or("a text lacks bytes of its own")?;
            let from = from as usize;
            let repeated = base.get(from..from.saturating_add(len as usize));
            text.extend_from_slice(own);
            text.extend_from_slice(repeated.ok_or("a text repeats what is not there")?);
            rest = behind;
        }
        text.extend_from_slice(rest);
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use proptest::prelude::*;

    const CODEC: bincode::config::Configuration = bincode::config::standard();

    type Find = fn(&[u8], &[u8], usize, &mut Vec<Part>);

    /// Checks that the text is restored for every depth; returns the number of its own bytes.
    fn there_and_back(text: &[u8], base: &[u8], depth: usize) -> usize {
        own_bytes(find_whole, text, base, depth);
        own_bytes(find, text, base, depth)
    }

    fn own_bytes(find: Find, text: &[u8], base: &[u8], depth: usize) -> usize {
        let mut parts = Vec::new();
        find(text, base, depth, &mut parts);
        let encoded = bincode::encode_to_vec(Text { bytes: text, parts: &parts }, CODEC).unwrap();
        let (decoded, read): (Repeating, usize) = bincode::decode_from_slice(&encoded, CODEC).unwrap();
        assert_eq!(read, encoded.len());
        let own = decoded.own.len();
        assert_eq!(decoded.clone().restored(base, text.len()).unwrap(), text);
        if !decoded.parts.is_empty() {
            assert!(decoded.clone().restored(base, text.len() - 1).is_err(), "no room");
            assert!(decoded.restored(&[], text.len()).is_err(), "nothing to repeat");
        }
        own
    }

    const ID: &str = r#"{"transaction_id":"trx_019aa0c2-d1a4-7b5c-8d9e-0f1a2b3c4d5e","#;

    #[test]
    fn an_answer_has_few_bytes_of_its_own_whatever_its_view_leaves_out_or_adds() {
        let line =
            |end: &str| format!(r#"{{"line_no":1,"sku":"A","qty":1,"price":15000,"returned_qty":0{end}}}"#);
        let of = |head: &str, lines: [String; 2], middle: &str, tail: &str| {
            format!(r#"{head}{ID}"items":[{}]{middle},"subtotal":30000,"note":null}}{tail}"#, lines.join(","))
        };
        let whole = || line(r#","track_stock":true,"cost":null"#);
        let event = of(r#"{"fact":{"x":{"transaction":"#, [whole(), whole()], r#","scans":[]"#, "}}}");
        let cashier = of(r#"{"success":true,"data":"#, [line(""), line("")], "", "}");
        assert!(there_and_back(cashier.as_bytes(), event.as_bytes(), 1) < 40);
        let scanned = [line(r#","code":"899","pack_qty":6"#), line("")];
        let scanned = of(r#"{"success":true,"data":"#, scanned, "", "}");
        assert!(there_and_back(scanned.as_bytes(), event.as_bytes(), 1) < 80);
        assert_eq!(there_and_back(b"{}", event.as_bytes(), 1), 2, "no document");
        let other = cashier.replace("019aa0c2", "019aa0c3");
        assert_eq!(there_and_back(other.as_bytes(), event.as_bytes(), 1), other.len(), "another sale");
    }

    #[test]
    fn parts_that_lead_nowhere_are_refused() {
        let text = |own: u32, from, len| Repeating { parts: vec![Part { own, from, len }], own: vec![b'a'] };
        assert_eq!(text(1, 1, 2).restored(b"xyz", 9).unwrap(), b"ayz");
        for wrong in [text(2, 0, 1), text(1, 2, 2), text(0, u32::MAX, 1), text(0, 0, u32::MAX)] {
            assert!(wrong.restored(b"xyz", 9).is_err());
        }
    }

    proptest! {
        #[test]
        fn any_two_texts_go_both_ways(
            head in "[{,a]{0,6}", base in "[{,ab]{0,300}", cuts in prop::collection::vec((0..400_usize, 0..90_usize), 0..6),
            depth in 0..3_usize,
        ) {
            let base = format!("{head}{ID}{base}").into_bytes();
            let mut text = base.clone();
            for (at, len) in cuts {
                let at = at.min(text.len());
                let end = (at + len).min(text.len());
                text.splice(at..end, (len % 2 == 0).then_some(b','));
            }
            there_and_back(&text, &base, depth);
        }
    }
}
