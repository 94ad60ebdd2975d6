//! Intake of sales at head office while a webhook has their events delivered, and while it is paused, by turns.

use super::document::ranged;
use super::many::pushes;
use super::results::Results;
use crate::many_stores::Office;
use crate::stage::{Installation, WorkFolder, admin};
use crate::tools::postgres::Private;
use crate::workspace::Binaries;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Stores that push at once.
const PUSHING: usize = 4;
const DATABASE: &str = "webhooks";
/// Without a webhook, and with one.
const PAUSED: &str = "hub, webhook paused";
const ACTIVE: &str = "hub, webhook active";
const ACCEPTED: &[u8] = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n";
/// Largest body of a delivery.
const BODY_MAX: usize = 64 * 1024;

/// Rounds of two turns of each, of this length.
pub async fn measure(
    binaries: &Binaries,
    place: &WorkFolder,
    postgres: &Private,
    (rounds, length): (usize, Duration),
    results: &mut Results,
) -> anyhow::Result<()> {
    postgres.create_database(DATABASE).await?;
    let setup = Installation::hub_with_receivers(binaries, place, &postgres.url(DATABASE))?;
    let Office { hub, mut stores, members } = Office::open(&setup, PUSHING).await?;
    let receiver = Receiver::start().await?;
    let api = setup.login(&admin(), &Arc::default()).await?;
    let webhook = json!({"name": "Receiver", "url": receiver.url, "event_types": ["transaction.*"]});
    let made = api.post_unkeyed("/api/webhooks", &webhook).await?;
    let path = made.get("webhook_id").and_then(Value::as_str).context("no webhook")?;
    let step = async |step: &str| api.post_unkeyed(&format!("/api/webhooks/{path}/{step}"), &json!({})).await;
    for round in 0..=rounds {
        let (mut paused, mut active, mut delivered) = (0.0, 0.0, 0);
        // The database grows from turn to turn: each round has both in both orders.
        for action in ["pause", "resume", "resume", "pause"] {
            step(action).await?;
            let before = receiver.count();
            let rate = if action == "pause" { &mut paused } else { &mut active };
            *rate += pushes(&mut stores, &members, length).await? / 2.0;
            delivered += receiver.count().saturating_sub(before);
        }
        // The first one warms up. Until its tables are analysed, PostgreSQL plans for empty ones.
        if round == 0 {
            let analyse = postgres.client("psql", DATABASE).args(["-qc", "ANALYZE"]).status().await?;
            ensure!(analyse.success(), "ANALYZE: {analyse}");
            continue;
        }
        eprintln!(
            "{paused:.0} sales a second without a webhook, {active:.0} with one, {delivered} deliveries"
        );
        results.add(PAUSED, json!({"sales_per_s": paused}));
        results.add(ACTIVE, json!({"sales_per_s": active, "deliveries": delivered}));
    }
    hub.stop().await.map(drop)
}

/// The ratio, with its least and most of the rounds.
pub fn summary(results: &Results) -> String {
    let ratio = results.ratio((ACTIVE, "/sales_per_s"), (PAUSED, "/sales_per_s"));
    let deliveries = results.spread((ACTIVE, "/deliveries"));
    format!(
        "sales a second with a webhook / without: {}; deliveries in a round: {}",
        ranged(ratio),
        ranged(deliveries)
    )
}

/// A receiver that accepts everything.
struct Receiver {
    url: String,
    accepted: Arc<AtomicU64>,
}

impl Receiver {
    async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/hooks", listener.local_addr()?);
        let accepted = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(accept(connection, Arc::clone(&count)));
            }
        });
        Ok(Self { url, accepted })
    }

    fn count(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }
}

/// Answers each request of a connection, until it is closed.
async fn accept(connection: TcpStream, accepted: Arc<AtomicU64>) -> Option<()> {
    let mut connection = BufReader::new(connection);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if connection.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().ok().filter(|length| *length <= BODY_MAX)?;
            }
        }
        let mut body = vec![0; length];
        connection.read_exact(&mut body).await.ok()?;
        accepted.fetch_add(1, Ordering::Relaxed);
        connection.write_all(ACCEPTED).await.ok()?;
    }
}
