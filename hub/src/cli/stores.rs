//! `store add|list|disable|enable`

use crate::config::Config;
use crate::db::Db;
use crate::office::stores::status;
use crate::office::stores::store::{self, NewStore};
use crate::state::hub;
use crate::table::audit;
use anyhow::{anyhow, bail};
use clap::Subcommand;
use domain::model::base::ids::UserId;
use edge::clock;
use serde_json::json;

/// Stores that `list` reads at once.
const PAGE: i64 = 500;

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Add a store and print its enrolment token
    Add {
        /// ID of the store, for example S001
        store_id: String,
        /// Name of the store [default: its ID]
        #[arg(long)]
        name: Option<String>,
        /// IANA time zone of the store, until the store reports its own
        #[arg(long, default_value = "Asia/Jakarta")]
        timezone: String,
        /// Print a new enrolment token for an existing store
        #[arg(long)]
        new_token: bool,
    },
    /// List all stores
    List,
    /// Disable a store: it can't connect, and it keeps its queue
    Disable {
        /// ID of the store
        store_id: String,
    },
    /// Enable a disabled store
    Enable {
        /// ID of the store
        store_id: String,
    },
}

/// Runs one of them; a hub that serves sees it at once.
pub async fn run(config: &Config, command: StoreCommand) -> anyhow::Result<()> {
    let (db, _) = hub::open_db(config).await?;
    match command {
        StoreCommand::Add { store_id, name, timezone, new_token } => {
            let (ttl, now) = (config.sync.enrolment_ttl, clock::now());
            let mut write = db.write().await?;
            let (token, action) = if new_token {
                let token = store::new_token(&mut write, &store_id, ttl.duration(), now).await?;
                (token.ok_or_else(|| anyhow!("there is no store {store_id}"))?, "store.token_renewed")
            } else {
                let name = name.as_deref().unwrap_or(&store_id);
                let new = NewStore::new(&store_id, name, &timezone)
                    .map_err(|error| anyhow!("{}: {}", error.message, error.details))?;
                (store::add(&mut write, &new, ttl.duration(), now).await?, "store.created")
            };
            let details = json!({"store_id": store_id});
            audit::append(&mut write, &UserId::default(), action, &details, now).await?;
            write.commit().await?;
            println!("store {store_id}, enrolment token (valid for {ttl}, shown only once):\n{token}");
        }
        StoreCommand::List => {
            let mut after = String::new();
            loop {
                let page = status::list(db.pool(), &after, PAGE, clock::now()).await?;
                for store in &page {
                    let seen = store.last_seen.map_or_else(|| "never".to_owned(), |at| at.to_string());
                    println!(
                        "{:<16} {:<9} last seen {seen:<24} {}",
                        store.store_id,
                        store.state.name(),
                        store.name
                    );
                    for problem in &store.problems {
                        println!("{:<16} since {}: {}", "", problem.since, problem.message);
                    }
                }
                let Some(last) = page.last() else { break };
                after = last.store_id.clone();
            }
        }
        StoreCommand::Disable { store_id } => {
            set_disabled(&db, &store_id, true).await?;
            println!("store {store_id} is disabled");
        }
        StoreCommand::Enable { store_id } => {
            set_disabled(&db, &store_id, false).await?;
            println!("store {store_id} is enabled");
        }
    }
    db.close().await;
    Ok(())
}

async fn set_disabled(db: &Db, store_id: &str, disabled: bool) -> anyhow::Result<()> {
    let (mut write, now) = (db.write().await?, clock::now());
    if store::set_disabled(&mut write, store_id, disabled, now).await?.is_none() {
        bail!("there is no store {store_id}");
    }
    let (action, details) = (store::audit_action(disabled), json!({"store_id": store_id}));
    audit::append(&mut write, &UserId::default(), action, &details, now).await?;
    Ok(write.commit().await?)
}
