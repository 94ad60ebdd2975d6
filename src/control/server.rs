//! The daemon's end of the socket.

use super::service::ControlService;
use super::wire::{CommandHeader, LINE_BYTES_MAX, Order, Said, Trouble};
use crate::upkeep::Step;
use anyhow::{Context, bail};
use domain::rules::inventory::stock::OPENING_ROWS_MAX;
use domain::rules::people::member::MEMBER_ROWS_MAX;
use domain::rules::people::points::POINTS_ROWS_MAX;
use edge::product_csv::ROWS_MAX;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use storage::Progress;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixListener;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// Commands at once; more wait to be accepted.
const COMMANDS_MAX: usize = 8;
/// Time that a line may take to come or to go.
const LINE_DEADLINE: Duration = Duration::from_secs(10);
/// Interval at which a waiting command is notified that the work continues.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// Time that commands under way may hold up the end of the daemon.
const DRAIN_DEADLINE: Duration = Duration::from_secs(2);

/// Takes commands until the daemon stops.
pub async fn run(listener: UnixListener, service: Arc<ControlService>, mut stopped: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(COMMANDS_MAX));
    let mut commands = JoinSet::new();
    loop {
        while commands.try_join_next().is_some() {}
        let accepted = tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => break,
            accepted = accept(&listener, &room) => accepted,
        };
        let Some((stream, permit)) = accepted else { continue };
        let service = Arc::clone(&service);
        commands.spawn(async move {
            let (from, mut to) = stream.into_split();
            if let Err(error) = command(from, &mut to, &service).await {
                tracing::warn!(error = format!("{error:#}"), "a command on the control socket was cut off");
            }
            drop(permit);
        });
    }
    drop(listener);
    let drained = async { while commands.join_next().await.is_some() {} };
    if tokio::time::timeout(DRAIN_DEADLINE, drained).await.is_err() {
        tracing::warn!("commands on the control socket were cut off at the end of the drain time");
    }
}

async fn accept(
    listener: &UnixListener,
    room: &Arc<Semaphore>,
) -> Option<(tokio::net::UnixStream, tokio::sync::OwnedSemaphorePermit)> {
    let permit = Arc::clone(room).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, permit)),
        Err(error) => {
            tracing::warn!(%error, "the control socket could not accept");
            tokio::time::sleep(HEARTBEAT).await;
            None
        }
    }
}

/// One command from its first line to its last answer.
async fn command(
    from: OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    service: &Arc<ControlService>,
) -> anyhow::Result<()> {
    let mut from = BufReader::new(from);
    let first = tokio::time::timeout(LINE_DEADLINE, from.fill_buf());
    if first.await.context("no command was received")??.is_empty() {
        // A caller only checked whether a daemon runs.
        return Ok(());
    }
    let order = match read(&mut from).await {
        Ok(order) => order,
        Err(error) => {
            return send(to, &Said::Failed(Trouble::new(edge::server::command::words(error.as_ref())))).await;
        }
    };
    let (progress, seen) = watch::channel(None);
    // A person who presses Ctrl-C leaves no half of a command behind.
    let service = Arc::clone(service);
    let mut work = tokio::spawn(async move { service.carry_out(order, progress).await });
    let mut beats = tokio::time::interval(HEARTBEAT);
    loop {
        tokio::select! {
            done = &mut work => {
                let last = match done.context("the command panicked")? {
                    Ok(value) => Said::Done(value),
                    Err(trouble) => Said::Failed(trouble),
                };
                return send(to, &last).await;
            }
            _ = beats.tick() => {
                let step = seen.borrow().map(|progress: Progress| Step::from(progress));
                send(to, &Said::Working(step)).await?;
            }
        }
    }
}

async fn send(to: &mut OwnedWriteHalf, said: &Said) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(said)?;
    line.push(b'\n');
    tokio::time::timeout(LINE_DEADLINE, to.write_all(&line))
        .await
        .context("the client does not read the answer")??;
    Ok(())
}

async fn read(input: &mut BufReader<OwnedReadHalf>) -> anyhow::Result<Order> {
    Ok(match line(input).await? {
        CommandHeader::AddUser { user } => Order::AddUser(user),
        CommandHeader::ListUsers => Order::ListUsers,
        CommandHeader::RevokeUser { username } => Order::RevokeUser(username),
        CommandHeader::ResetPassword { username, hash } => Order::ResetPassword { username, hash },
        CommandHeader::ListDevices { username } => Order::ListDevices(username),
        CommandHeader::RemoveDevice { username, credential_id } => {
            Order::RemoveDevice { username, credential_id }
        }
        CommandHeader::ImportProducts { rows } => {
            Order::ImportProducts(self::rows(input, rows, ROWS_MAX).await?)
        }
        CommandHeader::ImportStock { rows } => {
            Order::ImportStock(self::rows(input, rows, OPENING_ROWS_MAX).await?)
        }
        CommandHeader::ImportMembers { rows } => {
            Order::ImportMembers(self::rows(input, rows, MEMBER_ROWS_MAX).await?)
        }
        CommandHeader::ImportPoints { rows } => {
            Order::ImportPoints(self::rows(input, rows, POINTS_ROWS_MAX).await?)
        }
        CommandHeader::Enrolled { hub, n } => Order::Enrolled { hub, n },
        CommandHeader::Rejoin => Order::Rejoin,
        CommandHeader::Status => Order::Status,
        CommandHeader::HubSettings => Order::HubSettings,
        CommandHeader::Verify => Order::Verify,
        CommandHeader::Backup { folder, keep, keys } => Order::Backup { folder, keep, keys },
    })
}

async fn rows<T: DeserializeOwned>(
    input: &mut BufReader<OwnedReadHalf>,
    count: usize,
    max: usize,
) -> anyhow::Result<Vec<T>> {
    if count > max {
        bail!("{count} rows, but at most {max} are allowed");
    }
    let mut rows = Vec::new();
    for _ in 0..count {
        rows.push(line(input).await?);
    }
    Ok(rows)
}

async fn line<T: DeserializeOwned>(input: &mut BufReader<OwnedReadHalf>) -> anyhow::Result<T> {
    let mut line = Vec::new();
    let mut limited = input.take(LINE_BYTES_MAX);
    let read = limited.read_until(b'\n', &mut line);
    tokio::time::timeout(LINE_DEADLINE, read).await.context("the command was not received in time")??;
    if line.pop() != Some(b'\n') {
        bail!("the command is cut off, or a line is longer than {LINE_BYTES_MAX} bytes");
    }
    serde_json::from_slice(&line).context("the daemon does not know this command: it has another version")
}
