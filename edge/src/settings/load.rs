//! Reading settings: defaults, then one file, then the environment.

use super::Settings;
use super::error::{Problem, SettingsError};
use super::key_span::{self, KeySpan};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The largest settings file (1 MiB).
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The file, at this line.
    File(usize),
    /// An environment variable of this name.
    Environment(String),
}

/// Settings in force, and where each that is not a default comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded<T> {
    /// The settings that were read.
    pub config: T,
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// `section.key` → source.
    pub sources: BTreeMap<String, Source>,
}

impl<T> Loaded<T> {
    /// Line for people that the settings are right.
    pub fn confirmation(&self) -> String {
        let file = self.file.as_ref().map(|path| path.display().to_string());
        let count = self.sources.values().filter(|source| matches!(source, Source::Environment(_))).count();
        let file = file.unwrap_or_else(|| "no file was found: defaults".to_owned());
        format!("the settings are right ({file}; {count} from the environment)")
    }
}

impl<T> From<T> for Loaded<T> {
    /// Settings without a file.
    fn from(config: T) -> Self {
        Self { config, file: None, sources: BTreeMap::new() }
    }
}

/// The environment of this process. A value that is no text stays in, made visible, so that it is refused
/// instead of ignored.
pub fn environment() -> Vec<(String, String)> {
    let named = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    named.map(|(name, value)| (name, value.to_string_lossy().into_owned())).collect()
}

/// Reads and checks everything; the first file that exists counts, `explicit` alone if given.
///
/// # Errors
/// Everything that is wrong, each with file, line and key, or with the environment variable.
pub fn load<T: Settings>(
    explicit: Option<&Path>,
    environment: Vec<(String, String)>,
) -> Result<Loaded<T>, SettingsError> {
    let file = match explicit {
        Some(path) => Some(path.to_owned()),
        None => T::FILES.iter().map(PathBuf::from).find(|path| path.exists()),
    };
    let text = file.as_deref().map(read).transpose()?.unwrap_or_default();
    let origin = file.as_deref().map_or_else(|| "settings".to_owned(), |path| path.display().to_string());
    let places = key_span::places(&text);
    let mut table = parse::<T>(&text, &origin, &places)?;
    let mut sources: BTreeMap<_, _> =
        places.iter().map(|place| (place.path.clone(), Source::File(place.line))).collect();
    misnamed::<T>(&environment)?;
    for (name, value) in environment.into_iter().filter(|(name, _)| name.starts_with(T::ENV_PREFIX)) {
        let path = path_of(&name, T::ENV_PREFIX);
        overlay::<T>(&mut table, &name, &path, &value)?;
        sources.insert(path.join("."), Source::Environment(name));
    }
    let config = T::deserialize(table)
        .map_err(|error| SettingsError::one(&origin, None, None, error.message().to_owned()))?
        .completed();
    let loaded = Loaded { config, file, sources };
    let secrets = exposed(&loaded)?;
    let problems: Vec<Problem> = loaded
        .config
        .problems()
        .into_iter()
        .chain(secrets)
        .map(|(key, problem)| located(&loaded, &origin, key, problem))
        .collect();
    if problems.is_empty() { Ok(loaded) } else { Err(SettingsError(problems)) }
}

fn read(path: &Path) -> Result<String, SettingsError> {
    let fail = |problem: String| SettingsError::one(path.display().to_string(), None, None, problem);
    let file = std::fs::File::open(path).map_err(|error| fail(format!("can't be read: {error}")))?;
    let mut text = String::new();
    file.take(FILE_BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(|error| fail(format!("can't be read: {error}")))?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(fail("is larger than 1 MiB".to_owned()));
    }
    Ok(text)
}

/// Settings whose value carries a password where others could read it: in the environment, or in a file
/// that is not its owner's alone.
fn exposed<T: Settings>(loaded: &Loaded<T>) -> Result<Vec<(&'static str, String)>, SettingsError> {
    let defect = |error: toml::ser::Error| SettingsError::one("settings", None, None, error.to_string());
    let table = Table::try_from(&loaded.config).map_err(defect)?;
    let mut found = Vec::new();
    for &key in T::MASKED {
        let value = key.split_once('.').and_then(|(section, name)| table.get(section)?.get(name)?.as_str());
        if !value.is_some_and(carries_password) {
            continue;
        }
        let problem = match (loaded.sources.get(key), &loaded.file) {
            (Some(Source::Environment(_)), _) => {
                "contains a password, and other programs can read the environment: remove the password"
                    .to_owned()
            }
            (_, Some(file)) if mode_of(file) & 0o077 != 0 => {
                format!("contains a password: only its owner may read {} (chmod 600)", file.display())
            }
            _ => continue,
        };
        found.push((key, problem));
    }
    Ok(found)
}

/// `scheme://user:password@host`, or `scheme://host?password=…`
fn carries_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let parameter = |one: &str| one.strip_prefix("password=").is_some_and(|word| !word.is_empty());
    user.split_once(':').is_some_and(|(_, password)| !password.is_empty()) || query.split('&').any(parameter)
}

/// A file that can't be looked at counts as open to all.
fn mode_of(file: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).map_or(0o777, |meta| meta.permissions().mode())
}

/// The file's table, after its names and types were found right.
fn parse<T: Settings>(text: &str, origin: &str, places: &[KeySpan]) -> Result<Table, SettingsError> {
    let located = |error: toml::de::Error| {
        let byte = error.span().map(|span| span.start);
        let key = byte.and_then(|byte| key_span::around(places, byte)).map(|place| place.path.clone());
        SettingsError::one(
            origin,
            byte.map(|byte| key_span::line_at(text, byte)),
            key,
            error.message().to_owned(),
        )
    };
    toml::from_str::<T>(text).map_err(located)?;
    toml::from_str::<Table>(text).map_err(located)
}

/// `STORE_ROUTER__HTTP__LISTEN` → `["http", "listen"]`.
fn path_of(name: &str, prefix: &str) -> Vec<String> {
    name.trim_start_matches(prefix).split("__").map(str::to_ascii_lowercase).collect()
}

/// Refuses a variable that names a setting with one underscore instead of two: it would have no effect.
fn misnamed<T: Settings>(environment: &[(String, String)]) -> Result<(), SettingsError> {
    let defaults = T::deserialize(Table::new()).ok().and_then(|defaults| Table::try_from(&defaults).ok());
    let begins = T::ENV_PREFIX.trim_end_matches('_');
    for (section, keys) in &defaults.unwrap_or_default() {
        for key in keys.as_table().into_iter().flat_map(Table::keys) {
            let wrong = |between: &str| format!("{begins}_{section}{between}{key}").to_ascii_uppercase();
            let known = [wrong("_"), wrong("__")];
            if let Some((name, _)) = environment.iter().find(|(name, _)| known.contains(name)) {
                let prefix = T::ENV_PREFIX;
                let problem = format!("is not a setting: the name must be {prefix}SECTION__KEY");
                return Err(SettingsError::one(name, None, None, problem));
            }
        }
    }
    Ok(())
}

/// Puts one variable into the table: as a TOML value where that fits, else as text, else as a list of texts between
/// commas.
fn overlay<T: Settings>(
    table: &mut Table,
    name: &str,
    path: &[String],
    value: &str,
) -> Result<(), SettingsError> {
    let typed =
        toml::from_str::<Table>(&format!("value = {value}")).ok().and_then(|mut table| table.remove("value"));
    // `05:00` is a time in TOML, and no setting is one: it is a text.
    let typed = typed.filter(|typed| !typed.is_datetime());
    let mut first_error = None;
    let list = value.split(',').map(|one| Value::String(one.trim().to_owned())).collect();
    for candidate in typed.into_iter().chain([Value::String(value.to_owned()), Value::Array(list)]) {
        match T::deserialize(nested(path, candidate.clone())) {
            Ok(_) => {
                put(table, path, candidate);
                return Ok(());
            }
            Err(error) => first_error = first_error.or(Some(error.message().to_owned())),
        }
    }
    let problem = first_error.unwrap_or_else(|| "can't be read".to_owned());
    Err(SettingsError::one(name, None, Some(path.join(".")), problem))
}

fn nested(path: &[String], value: Value) -> Table {
    let mut table = Table::new();
    put(&mut table, path, value);
    table
}

fn put(table: &mut Table, path: &[String], value: Value) {
    match path {
        [] => {}
        [key] => {
            table.insert(key.clone(), value);
        }
        [key, rest @ ..] => {
            let inner = table.entry(key.clone()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

/// A rule's complaint, at the place that its value comes from.
fn located<T>(loaded: &Loaded<T>, origin: &str, key: &str, problem: String) -> Problem {
    let key = key.to_owned();
    match loaded.sources.get(&key) {
        Some(Source::Environment(name)) => {
            Problem { origin: name.clone(), line: None, key: Some(key), problem }
        }
        Some(Source::File(line)) => {
            Problem { origin: origin.to_owned(), line: Some(*line), key: Some(key), problem }
        }
        None => Problem { origin: origin.to_owned(), line: None, key: Some(key), problem },
    }
}
