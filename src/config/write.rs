//! Puts settings into the text of a settings file, leaving its other text unchanged.

use edge::settings::key_span::places;
use toml::Value;

/// Heading of a new file.
const HEADING: &str = "# Settings of this store. `store-router config show` prints every setting in force.\n";

/// The text with these settings: at the line that has the key, else below its section, else at the end. A file that
/// keeps them in another form (an inline table) can't be changed so: the caller looks whether they are in force.
pub fn with(text: &str, settings: &[(&'static str, Value)]) -> String {
    let mut text = if text.is_empty() { HEADING.to_owned() } else { text.to_owned() };
    for (key, value) in settings {
        text = put(&text, key, value);
    }
    text
}

fn put(text: &str, path: &str, value: &Value) -> String {
    let (section, key) = path.split_once('.').unwrap_or(("", path));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let known = places(text);
    let line_of =
        |path: &str| known.iter().find(|place| place.path == path).map(|place| place.line.saturating_sub(1));
    if let Some(line) = line_of(path).and_then(|at| lines.get_mut(at)) {
        let name = line.split('=').next().unwrap_or(key).trim_end().to_owned();
        *line = format!("{name} = {value}");
        return joined(&lines);
    }
    let header = format!("[{section}]");
    let dotted = format!("{section}.");
    if let Some(at) = lines.iter().position(|line| line.trim() == header) {
        lines.insert(at.saturating_add(1), format!("{key} = {value}"));
    } else if let Some(at) = lines.iter().position(|line| line.trim_start().starts_with(&dotted)) {
        lines.insert(at, format!("{path} = {value}"));
    } else {
        lines.extend([String::new(), header, format!("{key} = {value}")]);
    }
    joined(&lines)
}

fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]
    use super::*;
    use toml::Table;

    #[test]
    fn settings_are_put_where_they_belong() {
        let settings = [
            ("store.id", Value::String("S9".to_owned())),
            ("tax.prices_include_tax", Value::Boolean(true)),
            ("store.currency", Value::String("USD".to_owned())),
        ];
        for text in [
            "",
            "[store]\n# id = \"S001\"\n[tax]\n",
            "store.id = \"S1\" # ours\nstore.name = \"a = b\"\n",
            "[tax]\nprices_include_tax   = false\n\n[store]\nname = \"x\"\nid=\"S1\"",
        ] {
            let written = with(text, &settings);
            let table: Table = toml::from_str(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
            assert_eq!(table["store"]["id"].as_str(), Some("S9"), "{written}");
            assert_eq!(table["store"]["currency"].as_str(), Some("USD"), "{written}");
            assert_eq!(table["tax"]["prices_include_tax"].as_bool(), Some(true), "{written}");
            assert_eq!(written, with(&written, &settings), "a second time changes nothing");
        }
    }
}
