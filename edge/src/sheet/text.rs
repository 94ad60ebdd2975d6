//! The bytes of a file as text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The byte order marks of UTF-8 and UTF-16.
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const UTF16_LE_MARK: &[u8] = b"\xff\xfe";
const UTF16_BE_MARK: &[u8] = b"\xfe\xff";
/// Characters of bytes 0x80 to 0x9f in windows-1252; the others are as in Unicode.
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2c6}',
    '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}', '\u{90}', '\u{2018}',
    '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}',
    '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];

/// Encoding of a file. A byte order mark in the file takes precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// UTF-16; little-endian if the file has no byte order mark.
    #[serde(rename = "utf-16")]
    Utf16,
    /// Western European, as Windows writes it.
    #[serde(rename = "windows-1252")]
    Windows1252,
    /// Western European, ISO 8859-1.
    #[serde(rename = "iso-8859-1")]
    Iso88591,
}

/// A file that is not text in its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecodable {
    /// The line of the first wrong byte, from 1.
    pub line: u64,
    /// Name of the encoding.
    pub encoding: &'static str,
}

impl std::fmt::Display for Undecodable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { encoding, .. } = self;
        write!(out, "is not {encoding}: save the file as \"CSV UTF-8\", or set the encoding that it has")
    }
}

/// The text of a file; each of its lines ends with `\n`.
///
/// # Errors
/// The place where the text is not in its encoding.
pub fn decode(bytes: &[u8], declared: Encoding) -> Result<String, Undecodable> {
    let text = if let Some(rest) = bytes.strip_prefix(UTF8_MARK) {
        utf8(rest)
    } else if let Some(rest) = bytes.strip_prefix(UTF16_LE_MARK) {
        utf16(rest, u16::from_le_bytes)
    } else if let Some(rest) = bytes.strip_prefix(UTF16_BE_MARK) {
        utf16(rest, u16::from_be_bytes)
    } else {
        match declared {
            Encoding::Utf8 => utf8(bytes),
            Encoding::Utf16 if bytes.first() == Some(&0) => utf16(bytes, u16::from_be_bytes),
            Encoding::Utf16 => utf16(bytes, u16::from_le_bytes),
            Encoding::Windows1252 => Ok(bytes.iter().map(|byte| of_windows(*byte)).collect()),
            Encoding::Iso88591 => Ok(bytes.iter().map(|byte| char::from(*byte)).collect()),
        }
    }?;
    Ok(unix_lines(text))
}

fn utf8(bytes: &[u8]) -> Result<String, Undecodable> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        // The good part is text: its lines are counted as those of any text.
        let line = unix_lines(String::from_utf8_lossy(good).into_owned()).matches('\n').count();
        Undecodable { line: u64::try_from(line).unwrap_or(u64::MAX).saturating_add(1), encoding: "UTF-8" }
    })?;
    Ok(text.to_owned())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Undecodable> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    let wrong = |text: &str| {
        let line = u64::try_from(text.matches('\n').count()).unwrap_or(u64::MAX).saturating_add(1);
        Undecodable { line, encoding: "UTF-16" }
    };
    for c in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        text.push(c.map_err(|_| wrong(&text))?);
    }
    if rest.is_empty() { Ok(text) } else { Err(wrong(&text)) }
}

fn of_windows(byte: u8) -> char {
    let place = usize::from(byte).checked_sub(0x80);
    place.and_then(|place| WINDOWS_1252.get(place)).copied().unwrap_or(char::from(byte))
}

/// The text with `\n` for `\r\n` and for `\r` alone.
fn unix_lines(text: String) -> String {
    if !text.contains('\r') {
        return text;
    }
    let mut lines = String::with_capacity(text.len());
    let mut parts = text.split('\r');
    lines.push_str(parts.next().unwrap_or_default());
    for part in parts {
        lines.push('\n');
        lines.push_str(part.strip_prefix('\n').unwrap_or(part));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_in_the_file_counts_more_than_its_declared_encoding() {
        let utf16 = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.iter().copied().chain("a;é\r\n€".encode_utf16().flat_map(bytes)).collect()
        };
        for (bytes, declared, text) in [
            (b"\xef\xbb\xbfCaf\xc3\xa9".to_vec(), Encoding::Windows1252, "Café"),
            (utf16(b"\xff\xfe", u16::to_le_bytes), Encoding::Utf8, "a;é\n€"),
            (utf16(b"\xfe\xff", u16::to_be_bytes), Encoding::Iso88591, "a;é\n€"),
            (utf16(b"", u16::to_le_bytes), Encoding::Utf16, "a;é\n€"),
            (utf16(b"", u16::to_be_bytes), Encoding::Utf16, "a;é\n€"),
            (b"Caf\xe9 \x80".to_vec(), Encoding::Windows1252, "Café €"),
            (b"Caf\xe9".to_vec(), Encoding::Iso88591, "Café"),
            (b"a\rb\r\nc\n\rd".to_vec(), Encoding::Utf8, "a\nb\nc\n\nd"),
        ] {
            assert_eq!(decode(&bytes, declared).as_deref(), Ok(text), "{bytes:?}");
        }
    }

    #[test]
    fn the_line_of_the_first_wrong_byte_is_named() {
        for (bytes, declared, line) in [
            (b"a\r\nb\rc\n\xff".as_slice(), Encoding::Utf8, 4),
            (b"\xff\xfea\0\n\0\0\xd8".as_slice(), Encoding::Utf8, 2),
            (b"a\0b".as_slice(), Encoding::Utf16, 1),
        ] {
            assert_eq!(decode(bytes, declared).map_err(|wrong| wrong.line), Err(line), "{bytes:?}");
        }
    }
}
