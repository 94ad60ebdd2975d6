//! `init`

use crate::account::user::{self, NewUser};
use crate::cli::line_from_stdin;
use crate::config::Config;
use crate::db::Db;
use crate::secret::{self, Fingerprints};
use crate::state::hub::{fingerprint_key, token_key};
use crate::table::hub::Identity;
use anyhow::{Context, anyhow, bail};
use clap::Args;
use domain::model::base::ids::UserId;
use domain::model::people::user::Role;
use edge::clock;
use edge::keys::SigningKey;
use edge::passwords::{hash_now, policy_problem};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Stands in the data folder of every store.
const OF_A_STORE: &str = "store.json";

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Login name of the first administrator
    #[arg(long, default_value = "admin")]
    admin: String,
    /// Read the password from standard input instead of generating one
    #[arg(long)]
    password_stdin: bool,
}

/// Makes a hub. One that was interrupted is finished; a finished one is refused.
pub async fn run(config: &Config, args: InitArgs) -> anyhow::Result<()> {
    let folder = &config.storage.path;
    if folder.join(OF_A_STORE).exists() {
        bail!(
            "{} is the folder of a store: start the hub in another directory, or set storage.path and \
             database.url in hub.toml",
            folder.display()
        );
    }
    let password = if args.password_stdin { line_from_stdin()? } else { secret::password() };
    let admin = person(config, &args.admin, &args.admin, Role::Admin, &password)?;
    private_folder(folder)?;
    if let Some(file) = config.database.url.strip_prefix("sqlite://") {
        let file = file.split('?').next().unwrap_or_default();
        let parent = Path::new(file).parent().filter(|parent| !parent.as_os_str().is_empty());
        parent.map_or(Ok(()), private_folder)?;
    }
    let db = Db::connect(&config.database.url, config.database.connections, true)
        .await
        .context("the database can't be opened")?;
    db.migrate().await.context("the tables can't be created")?;
    if Identity::load(db.pool()).await?.is_some() {
        bail!("this database already has a hub; nothing was changed");
    }
    SigningKey::load_or_create(&token_key(folder))?;
    let path = fingerprint_key(folder);
    Fingerprints::create(&path).with_context(|| path.display().to_string())?;
    let (mut write, now) = (db.write().await?, clock::now());
    if !Identity::create(&mut write, &config.hub.id, now).await? {
        bail!("this database already has a hub; nothing was changed");
    }
    user::add(&mut write, &UserId::default(), &admin, now).await?;
    write.commit().await?;
    db.close().await;
    println!("initialised in {}", folder.display());
    if !args.password_stdin {
        println!("user {}, password {password} (shown only once)", admin.username);
    }
    Ok(())
}

/// Creates a folder that only its owner may enter, durable with the names of its parents; an existing one is left as it
/// is.
fn private_folder(path: &Path) -> anyhow::Result<()> {
    let there = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.is_dir();
    let new = path.ancestors().take_while(there).count();
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.with_context(|| path.display().to_string())?;
    let folders = path.ancestors().filter(|folder| !folder.as_os_str().is_empty()).take(new + 1);
    for folder in folders {
        std::fs::File::open(folder)
            .and_then(|folder| folder.sync_all())
            .with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

/// A new user with a checked password.
pub fn person(
    config: &Config,
    username: &str,
    name: &str,
    role: Role,
    password: &str,
) -> anyhow::Result<NewUser> {
    let hash = checked_hash(config, username, password)?;
    NewUser::new(username, name, role, hash).map_err(|problem| anyhow!(problem))
}

/// The hash of a password that may be used.
pub fn checked_hash(config: &Config, username: &str, password: &str) -> anyhow::Result<String> {
    if let Some(problem) = policy_problem(password, username) {
        bail!("the password {problem}");
    }
    Ok(hash_now(config.auth.argon2.params()?, password)?)
}
