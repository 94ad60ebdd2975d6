//! Fields that a bank puts into the text of a line, found by a pattern with named parts.

/// The longest pattern, in bytes.
pub const PATTERN_BYTES_MAX: usize = 256;
/// Parts that a pattern may name; `*` is any text.
const PARTS: [&str; 8] = ["mid", "store_ref", "gross", "fee", "net", "reference", "batch", "*"];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Text(String),
    Part(&'static str),
}

/// A pattern: texts and named parts by turns. Case and the number of spaces don't matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Vec<Segment>);

impl Pattern {
    /// Reads `MID : {mid} {*} QR : {gross} DDR: {fee}`.
    ///
    /// # Errors
    /// Description of the problem, for people.
    pub fn parse(pattern: &str) -> Result<Self, &'static str> {
        if pattern.len() > PATTERN_BYTES_MAX {
            return Err("must have at most 256 bytes");
        }
        let (mut segments, mut rest) = (Vec::new(), single_spaced(pattern));
        while !rest.is_empty() {
            let (text, behind) =
                rest.split_once('{').map_or((rest.as_str(), None), |(text, rest)| (text, Some(rest)));
            if !text.is_empty() {
                segments.push(Segment::Text(text.to_ascii_lowercase()));
            }
            let Some(behind) = behind else { break };
            let (name, behind) = behind.split_once('}').ok_or("has a { without a }")?;
            let name = PARTS.into_iter().find(|part| *part == name.trim());
            let name = name.ok_or("may only name the parts mid, gross, fee, net, reference, batch and *")?;
            if matches!(segments.last(), Some(Segment::Part(_))) {
                return Err("must have text between two parts");
            }
            segments.push(Segment::Part(name));
            rest = behind.to_owned();
        }
        let begins = matches!(segments.first(), Some(Segment::Text(_)));
        let names = segments.iter().any(|segment| matches!(segment, Segment::Part(name) if *name != "*"));
        if begins && names { Ok(Self(segments)) } else { Err("must begin with text and name a part") }
    }

    /// The parts of a text, if it has all that the pattern has.
    pub fn parts(&self, text: &str) -> Option<Vec<(&'static str, String)>> {
        let text = single_spaced(text);
        let lower = text.to_ascii_lowercase();
        let (mut parts, mut at, mut open) = (Vec::new(), 0_usize, None);
        for segment in &self.0 {
            match segment {
                Segment::Text(wanted) => {
                    let place = at.checked_add(lower.get(at..)?.find(wanted.as_str())?)?;
                    if let Some(name) = open.take() {
                        parts.push((name, text.get(at..place)?.trim().to_owned()));
                    }
                    at = place.checked_add(wanted.len())?;
                }
                Segment::Part(name) => open = Some(*name),
            }
        }
        if let Some(name) = open {
            let rest = text.get(at..)?.trim_start();
            parts.push((name, rest.split(' ').next().unwrap_or_default().to_owned()));
        }
        parts.retain(|(name, part)| *name != "*" && !part.is_empty());
        Some(parts)
    }
}

fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_finds_its_parts() {
        let pattern = Pattern::parse("MID : {mid} {*} QR : {gross} DDR: {fee}");
        let text =
            "KR OTOMATIS  TANGGAL :19/11 MID :  885004776763 TOKO MENTENG qr : 1000000.00 DDR: 7000.00 X";
        let parts = pattern.ok().and_then(|pattern| pattern.parts(text)).unwrap_or_default();
        let expected = [("mid", "885004776763"), ("gross", "1000000.00"), ("fee", "7000.00")];
        assert_eq!(parts, expected.map(|(name, part)| (name, part.to_owned())));
        assert_eq!(Pattern::parse("MID {mid} X").ok().and_then(|pattern| pattern.parts("BIAYA ADM")), None);
    }

    #[test]
    fn a_pattern_that_finds_nothing_is_refused() {
        for wrong in ["", "MID", "{mid}", "MID {mid}{fee}", "MID {mid", "MID {other} X", "MID {*} X"] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
