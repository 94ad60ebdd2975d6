//! `init`: a new data folder with its keys, its first epoch and its first administrator.

use super::{commit, secret, users};
use crate::config::load::Loaded;
use crate::config::{Config, write};
use crate::exit::{Exit, FAILED, USAGE};
use crate::{folder, random};
use anyhow::Context;
use domain::model::base::figures::BasisPoints;
use domain::model::base::ids::StoreId;
use domain::model::people::user::{Role, User};
use edge::keys::SigningKey;
use edge::settings::load::Source;
use std::io::{self, IsTerminal};
use std::path::Path;
use storage::Storage;
use toml::Table;

mod notes;
mod questions;

use notes::with_notes;
pub use questions::Answers;
use questions::{Chosen, ask};

/// The settings file of a store that has none yet.
const NEW_FILE: &str = "config.toml";

/// Makes everything that `serve` needs; the answers go into the settings file first. An existing folder is not touched.
pub fn run(
    loaded: &Loaded,
    explicit: Option<&Path>,
    answers: &Answers,
    admin: &str,
    from_stdin: bool,
) -> anyhow::Result<()> {
    let username = users::username(admin)?;
    folder::vacant(&loaded.config)?;
    let file = explicit.or(loaded.file.as_deref()).unwrap_or(Path::new(NEW_FILE));
    let chosen = chosen(loaded, answers, from_stdin)?;
    if chosen.is_empty() && !file.exists() && explicit.is_some() {
        return Err(Exit::new(USAGE, format!("{}: this file does not exist", file.display())).into());
    }
    let settings = if chosen.is_empty() { None } else { Some(settings(loaded, file, &chosen)?) };
    let config = settings.as_ref().map_or(&loaded.config, |(_, config)| config);
    let secret = secret::secret(config, &username, from_stdin)?;
    if let Some((text, _)) = &settings {
        std::fs::write(file, text).with_context(|| format!("can't write {}", file.display()))?;
        println!("settings are in {}", file.display());
    }
    let user = users::new(config, username.clone(), "Administrator".to_owned(), Role::Admin, secret.hash);
    store(config, user)?;
    println!("store {} is ready in {}", config.store.id, config.storage.path.display());
    users::announce(&username, secret.shown.as_deref());
    let tax = if config.tax.prices_include_tax { "contain" } else { "do not contain" };
    let rate = BasisPoints::from(config.tax.default_rate_bp).percent();
    println!(
        "prices {tax} tax, and the rate is {rate} %: if that is wrong, change [tax] in {} before the first sale",
        file.display()
    );
    Ok(())
}

/// Choices by flags, or by a user at a terminal; `None` without both.
fn chosen(loaded: &Loaded, answers: &Answers, from_stdin: bool) -> anyhow::Result<Chosen> {
    let usage = |message: String| anyhow::Error::from(Exit::new(USAGE, message));
    let decided = |key: &str| match loaded.sources.get(key) {
        Some(Source::Environment(name)) => Some(name.as_str()),
        _ => None,
    };
    if !answers.is_empty() {
        let chosen = answers.chosen(&loaded.config).map_err(usage)?;
        if let Some((key, name)) = chosen.iter().find_map(|(key, _)| Some((key, decided(key)?))) {
            return Err(usage(format!(
                "{key} is set by the environment variable {name}: remove the variable or the flag"
            )));
        }
        return Ok(with_notes(chosen, &loaded.config));
    }
    let stdin = io::stdin();
    if from_stdin || !stdin.is_terminal() {
        return Ok(Chosen::new());
    }
    let answered = ask(&loaded.config, |key| decided(key).is_some(), stdin.lock(), io::stdout())?;
    let chosen = answered.ok_or_else(|| Exit::new(FAILED, "cancelled: nothing was created"))?;
    Ok(with_notes(chosen, &loaded.config))
}

/// The settings file's text with the choices, and the resulting settings.
fn settings(loaded: &Loaded, file: &Path, chosen: &Chosen) -> anyhow::Result<(String, Config)> {
    let before = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("can't read {}", file.display())),
    };
    let text = write::with(&before, chosen);
    let in_force = |table: &Table| {
        chosen.iter().all(|(key, value)| {
            let (section, name) = key.split_once('.').unwrap_or((key, ""));
            table.get(section).and_then(|section| section.get(name)) == Some(value)
        })
    };
    if !toml::from_str::<Table>(&text).is_ok_and(|table| in_force(&table)) {
        let lines = chosen.iter().map(|(key, value)| format!("\n{key} = {value}")).collect::<String>();
        let message = format!("{} can't be changed here; put this into it:{lines}", file.display());
        return Err(Exit::new(FAILED, message).into());
    }
    let mut table = Table::try_from(&loaded.config)?;
    for (key, value) in chosen {
        let (section, name) = key.split_once('.').unwrap_or((key, ""));
        if let Some(section) = table.get_mut(section).and_then(toml::Value::as_table_mut) {
            section.insert(name.to_owned(), value.clone());
        }
    }
    Ok((text, table.try_into()?))
}

/// The folder with its keys, its first epoch and this user.
pub fn store(config: &Config, admin: User) -> anyhow::Result<()> {
    folder::create(config)?;
    SigningKey::create(&folder::token_key(config))?;
    SigningKey::create(&folder::sync_key(config))?;
    let store_id = StoreId(config.store.id.clone());
    Storage::init(&config.storage.path, &store_id, &random::first_epoch()).map_err(folder::in_use)?;
    let storage = folder::open(config)?;
    commit::first(&storage, admin)?;
    folder::close(storage)
}
