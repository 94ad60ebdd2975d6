//! The text of an XML file: a byte order mark counts before the declaration, as the XML standard has it.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// The declaration is in the first bytes of a file.
const DECLARATION_BYTES: usize = 256;
/// Encodings that banks declare, in lower case; others are refused by name.
const KNOWN: [&str; 9] = [
    "utf-8",
    "utf8",
    "utf-16",
    "utf-16le",
    "utf-16be",
    "us-ascii",
    "iso-8859-1",
    "iso-8859-15",
    "windows-1252",
];

/// Decodes a file.
///
/// # Errors
/// Description of the problem, for people.
pub(super) fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    let (encoding, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, bytes.get(mark..).unwrap_or_default()),
        None => (of_declaration(bytes)?, bytes),
    };
    encoding.decode_without_bom_handling_and_without_replacement(bytes).ok_or_else(|| {
        format!("is not in the encoding {}, which it declares or begins with", encoding.name())
    })
}

fn of_declaration(bytes: &[u8]) -> Result<&'static Encoding, String> {
    match bytes {
        [0, b'<', ..] => return Ok(UTF_16BE),
        [b'<', 0, ..] => return Ok(UTF_16LE),
        _ => {}
    }
    let Some(declared) = declared(bytes) else { return Ok(UTF_8) };
    let name = declared.to_ascii_lowercase();
    let encoding = Encoding::for_label(name.as_bytes()).filter(|_| KNOWN.contains(&name.as_str()));
    match encoding {
        // The declaration was read byte by byte, so the file has one byte for each of its letters.
        Some(encoding) if [UTF_16LE, UTF_16BE].contains(&encoding) => Ok(UTF_8),
        Some(encoding) => Ok(encoding),
        None => Err(format!(
            "declares the encoding {declared}; UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 and windows-1252 are read"
        )),
    }
}

/// The encoding that the declaration names.
fn declared(bytes: &[u8]) -> Option<String> {
    let start = bytes.get(..bytes.len().min(DECLARATION_BYTES))?;
    let start = String::from_utf8_lossy(start);
    let declaration = start.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|mark| ['"', '\''].contains(mark))?;
    Some(value.get(1..)?.split(quote).next()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn files_are_read_in_the_encoding_that_they_declare() {
        let text = |name: &str| format!("<?xml version=\"1.0\" encoding=\"{name}\"?><a>Café €</a>");
        let wide = |big: bool| -> Vec<u8> {
            let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
            text("UTF-16").encode_utf16().flat_map(unit).collect()
        };
        let mut marked = vec![0xff, 0xfe];
        marked.extend(wide(false));
        let latin = |name: &str, euro: u8| {
            let mut bytes = text(name).replace("é €</a>", "").into_bytes();
            bytes.extend([0xe9, b' ', euro]);
            bytes.extend(b"</a>");
            bytes
        };
        for bytes in [
            text("UTF-8").into_bytes(),
            [b"\xef\xbb\xbf", text("windows-1252").as_bytes()].concat(),
            "<a>Café €</a>".as_bytes().to_vec(),
            wide(true),
            wide(false),
            marked,
            latin("ISO-8859-15", 0xa4),
            latin("windows-1252", 0x80),
            latin("iso-8859-1", 0x80),
        ] {
            assert!(decoded(&bytes).unwrap().ends_with("<a>Café €</a>"), "{bytes:?}");
        }
        assert!(decoded(b"\xff").unwrap_err().contains("UTF-8"));
        assert!(decoded(text("EBCDIC-CP-US").as_bytes()).unwrap_err().contains("EBCDIC-CP-US"));
        assert!(decoded(text("UTF-7").as_bytes()).is_err());
        assert!(decoded(b"").is_ok());
    }
}
