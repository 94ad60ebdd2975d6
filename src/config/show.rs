//! `config show`: every setting in force, with where it comes from; secrets masked.

use super::load::{Loaded, Source};
use toml::{Table, Value};

/// One line per setting, as TOML with the source in a comment.
pub fn show(loaded: &Loaded) -> Result<String, toml::ser::Error> {
    let table = Table::try_from(&loaded.config)?;
    let mut text = String::new();
    for (section, values) in &table {
        text.push_str(&format!("[{section}]\n"));
        if let Value::Table(values) = values {
            for (key, value) in values {
                let path = format!("{section}.{key}");
                let line = format!("{key} = {}", masked(&path, value));
                text.push_str(&format!("{line:<56} # {}\n", source(loaded, &path)));
            }
        }
        text.push('\n');
    }
    Ok(text)
}

fn source(loaded: &Loaded, path: &str) -> String {
    // A part of an inline table (auth.argon2.memory_kib) may come from elsewhere than the rest.
    let inner = format!("{path}.");
    let parts = loaded.sources.iter().filter(|(key, _)| *key == path || key.starts_with(&inner));
    let file = loaded.file.as_deref().map_or_else(String::new, |file| file.display().to_string());
    let mut named: Vec<String> = parts
        .map(|(_, source)| match source {
            Source::File(line) => format!("{file}:{line}"),
            Source::Environment(name) => name.clone(),
        })
        .collect();
    named.dedup();
    if named.is_empty() { "default".to_owned() } else { named.join(", ") }
}

/// A hub's address may carry a log-in; everything else that is secret lies in files.
fn masked(path: &str, value: &Value) -> String {
    match (path, value.as_str()) {
        ("hub.url", Some(url)) => Value::String(without_login(url)).to_string(),
        _ => value.to_string(),
    }
}

fn without_login(url: &str) -> String {
    match url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?.1))) {
        Some((scheme, host)) => format!("{scheme}://***@{host}"),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::config::load::load;

    #[test]
    fn names_sources_and_masks_logins() {
        let environment = vec![
            ("STORE_ROUTER__HUB__URL".to_owned(), "https://user:secret@hub.example".to_owned()),
            ("STORE_ROUTER__AUTH__ARGON2__ITERATIONS".to_owned(), "4".to_owned()),
        ];
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("c.toml");
        std::fs::write(&file, "\n[log]\nlevel = \"debug\"\n").unwrap();
        let text = show(&load(Some(&file), environment).unwrap()).unwrap();
        assert!(!text.contains("secret"), "{text}");
        assert!(text.contains("https://***@hub.example"), "{text}");
        let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
        assert!(line("url").ends_with("# STORE_ROUTER__HUB__URL"), "{}", line("url"));
        assert!(line("argon2").ends_with("# STORE_ROUTER__AUTH__ARGON2__ITERATIONS"));
        assert!(line("level").ends_with("c.toml:3"));
        assert!(line("max_restarts").ends_with("# default"));
    }
}
