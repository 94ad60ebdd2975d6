//! `config show`: every setting in force, with where it comes from; secrets masked.

use super::{
    Settings,
    load::{Loaded, Source},
};
use toml::{Table, Value};

/// One line per setting, as TOML with the source in a comment.
///
/// # Errors
/// Settings that can't be written as TOML: a defect.
pub fn show<T: Settings>(loaded: &Loaded<T>) -> Result<String, toml::ser::Error> {
    let table = Table::try_from(&loaded.config)?;
    let mut text = String::new();
    for (section, values) in &table {
        text.push_str(&format!("[{section}]\n"));
        if let Value::Table(values) = values {
            for (key, value) in values {
                let path = format!("{section}.{key}");
                let line = format!("{key} = {}", masked(value, T::MASKED.contains(&path.as_str())));
                text.push_str(&format!("{line:<56} # {}\n", source(loaded, &path)));
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// The same values by section and key, for a page.
///
/// # Errors
/// Settings that can't be written as TOML: a defect.
pub fn view<T: Settings>(config: &T) -> Result<serde_json::Value, toml::ser::Error> {
    let mut table = Table::try_from(config)?;
    for (section, values) in &mut table {
        for (key, value) in values.as_table_mut().into_iter().flatten() {
            if let Some(url) =
                value.as_str().filter(|_| T::MASKED.contains(&format!("{section}.{key}").as_str()))
            {
                *value = Value::String(without_login(url));
            }
        }
    }
    // Every TOML table is a JSON object.
    Ok(serde_json::to_value(table).unwrap_or_default())
}

fn source<T>(loaded: &Loaded<T>, path: &str) -> String {
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

/// An address may carry a log-in; everything else that is secret lies in files.
fn masked(value: &Value, secret: bool) -> String {
    match (secret, value.as_str()) {
        (true, Some(url)) => Value::String(without_login(url)).to_string(),
        _ => value.to_string(),
    }
}

/// Neither what stands before the host nor a parameter that is a password.
fn without_login(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    let mut shown = match place.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://***@{host}"),
        None => format!("{scheme}://{place}"),
    };
    if let Some(query) = query {
        let parameter =
            |one: &str| if one.starts_with("password=") { "password=***" } else { one }.to_owned();
        shown = format!("{shown}?{}", query.split('&').map(parameter).collect::<Vec<_>>().join("&"));
    }
    shown
}
