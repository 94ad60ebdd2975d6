//! `config show`: every setting in force, with its source; secrets masked.

use super::{
    Settings,
    load::{Loaded, Source},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// Source of a setting that does not have its default value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingSource {
    /// The settings file.
    File,
    /// An environment variable.
    Environment,
    /// Head office, or a manager while the store has no head office.
    Hub,
}

/// Source of a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SettingPlace")]
pub struct SettingOrigin {
    /// Source of the setting: `file`, `environment` or `hub`.
    pub source: SettingSource,
    /// File and line, or name of the environment variable. Null if head office or a manager set it.
    pub place: Option<String>,
}

/// One line per setting, as TOML with the source in a comment.
///
/// # Errors
/// Settings that can't be written as TOML: a defect.
pub fn show<T: Settings>(loaded: &Loaded<T>) -> Result<String, toml::ser::Error> {
    show_with_hub(loaded, &BTreeMap::new())
}

/// As [`show`], with head office's settings, by section and key, or by section a table of its keys. Their source is
/// `hub`.
///
/// # Errors
/// The errors of [`show`].
pub fn show_with_hub<T: Settings>(
    loaded: &Loaded<T>,
    of_hub: &BTreeMap<String, serde_json::Value>,
) -> Result<String, toml::ser::Error> {
    let mut table = Table::try_from(&loaded.config)?;
    let set = put_over(&mut table, of_hub)?;
    let mut text = String::new();
    for (section, values) in &table {
        text.push_str(&format!("[{section}]\n"));
        if let Value::Table(values) = values {
            for (key, value) in values {
                let path = format!("{section}.{key}");
                let line = format!("{key} = {}", masked(value, T::MASKED.contains(&path.as_str())));
                let source = if set.contains(&path) { "hub".to_owned() } else { source(loaded, &path) };
                text.push_str(&format!("{line:<56} # {source}\n"));
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// The same values by section and key, for a page, with head office's settings over them.
///
/// # Errors
/// Settings that can't be written as TOML: a defect.
pub fn view<T: Settings>(
    config: &T,
    of_hub: &BTreeMap<String, serde_json::Value>,
) -> Result<serde_json::Value, toml::ser::Error> {
    let mut table = Table::try_from(config)?;
    put_over(&mut table, of_hub)?;
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

/// Replaces values of the file by head office's settings; returns their names by section and key.
fn put_over(
    table: &mut Table,
    of_hub: &BTreeMap<String, serde_json::Value>,
) -> Result<BTreeSet<String>, toml::ser::Error> {
    let mut set = BTreeSet::new();
    for (name, value) in of_hub {
        let value = Value::try_from(value)?;
        let (section, keys) = match (name.split_once('.'), value) {
            (Some((section, key)), value) => (section, Table::from_iter([(key.to_owned(), value)])),
            (None, Value::Table(keys)) => (name.as_str(), keys),
            (None, _) => continue,
        };
        let held = table.entry(section.to_owned()).or_insert_with(|| Value::Table(Table::new()));
        for (key, value) in keys {
            set.insert(format!("{section}.{key}"));
            if let Value::Table(held) = held {
                held.insert(key, value);
            }
        }
    }
    Ok(set)
}

/// Source of each setting that does not have its default value, by `section.key`.
///
/// # Errors
/// The errors of [`view`].
pub fn places<T: Settings>(
    loaded: &Loaded<T>,
    of_hub: &BTreeMap<String, serde_json::Value>,
) -> Result<BTreeMap<String, SettingOrigin>, toml::ser::Error> {
    let mut table = Table::try_from(&loaded.config)?;
    let set = put_over(&mut table, of_hub)?;
    let mut places = BTreeMap::new();
    for (section, values) in &table {
        for key in values.as_table().into_iter().flat_map(Table::keys) {
            let path = format!("{section}.{key}");
            let origin = if set.contains(&path) { Some(SettingSource::Hub) } else { origin(loaded, &path) };
            if let Some(source) = origin {
                let place = (source != SettingSource::Hub).then(|| self::source(loaded, &path));
                places.insert(path, SettingOrigin { source, place });
            }
        }
    }
    Ok(places)
}

/// A part of an inline table (auth.argon2.memory_kib) may come from elsewhere than the rest.
fn parts<'a, T>(loaded: &'a Loaded<T>, path: &'a str) -> impl Iterator<Item = &'a Source> {
    let inner = format!("{path}.");
    loaded
        .sources
        .iter()
        .filter(move |(key, _)| *key == path || key.starts_with(&inner))
        .map(|(_, from)| from)
}

/// The environment if any part of the setting comes from there; `None` for the default.
fn origin<T>(loaded: &Loaded<T>, path: &str) -> Option<SettingSource> {
    let is_environment = |source: &Source| matches!(source, Source::Environment(_));
    let named = parts(loaded, path).map(is_environment).reduce(|one, other| one || other);
    named.map(|environment| if environment { SettingSource::Environment } else { SettingSource::File })
}

fn source<T>(loaded: &Loaded<T>, path: &str) -> String {
    let file = loaded.file.as_deref().map_or_else(String::new, |file| file.display().to_string());
    let mut named: Vec<String> = parts(loaded, path)
        .map(|source| match source {
            Source::File(line) => format!("{file}:{line}"),
            Source::Environment(name) => name.clone(),
        })
        .collect();
    named.dedup();
    if named.is_empty() { "default".to_owned() } else { named.join(", ") }
}

/// An address may carry a log-in; everything else that is secret is in files.
fn masked(value: &Value, secret: bool) -> String {
    match (secret, value.as_str()) {
        (true, Some(url)) => Value::String(without_login(url)).to_string(),
        _ => value.to_string(),
    }
}

/// Masks the text before the host, and parameters that are passwords.
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
