//! A command's end of the socket; without a daemon the command is carried out right here.

use super::service::ControlService;
use super::socket;
use super::wire::{ANSWER_BYTES_MAX, Order, Said};
use crate::config::Config;
use crate::exit::{Exit, FAILED, IN_USE};
use crate::upkeep::{Step, outcome};
use crate::{folder, start};
use anyhow::Context;
use serde_json::Value;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;

/// The daemon reports every half second that it is at work; longer silence means that it is not.
const SILENCE_MAX: Duration = Duration::from_secs(30);
/// Interval at which work that is done right here reports its progress.
const LOOK: Duration = Duration::from_millis(200);

/// Carries an order out: through the daemon if one answers, else on the stopped store. Long work reports its progress
/// to `progress`.
///
/// # Errors
/// The order's own failure, a [`Trouble`](super::Trouble); 73 if another process has the folder and does not answer.
pub fn carry_out(config: &Config, order: Order, progress: &mut dyn FnMut(Step)) -> anyhow::Result<Value> {
    match connect(&config.storage.path)? {
        Some(stream) => through(&stream, &order, progress),
        None => apart(config, order, progress),
    }
}

/// Whether a daemon answers for this folder; for commands that need a stopped store.
///
/// # Errors
/// 73 with advice, if a daemon runs.
pub fn running(config: &Config, command: &str) -> anyhow::Result<()> {
    if connect(&config.storage.path)?.is_none() {
        return Ok(());
    }
    let path = config.storage.path.display();
    let message = format!(
        "{path} is in use by the running daemon, and {command} needs a stopped store: stop it first \
         (systemctl stop store-router)"
    );
    Err(Exit::new(IN_USE, message).into())
}

fn connect(folder: &Path) -> anyhow::Result<Option<UnixStream>> {
    let socket = folder.join(socket::NAME);
    socket::connect(folder).with_context(|| format!("can't connect to the daemon at {}", socket.display()))
}

fn through(stream: &UnixStream, order: &Order, progress: &mut dyn FnMut(Step)) -> anyhow::Result<Value> {
    stream.set_read_timeout(Some(SILENCE_MAX))?;
    stream.set_write_timeout(Some(SILENCE_MAX))?;
    let (head, rows) = order.lines()?;
    let mut output = BufWriter::new(stream);
    serde_json::to_writer(&mut output, &head)?;
    output.write_all(b"\n")?;
    for row in rows {
        output.write_all(row.as_bytes())?;
        output.write_all(b"\n")?;
    }
    output.flush().context("the daemon does not accept the command")?;
    let mut input = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        let read = (&mut input).take(ANSWER_BYTES_MAX).read_until(b'\n', &mut line);
        if read.context("the daemon does not answer")? == 0 {
            return Err(Exit::new(FAILED, "the daemon stopped before the command was done").into());
        }
        let said = serde_json::from_slice(&line).context("the daemon has another version")?;
        match said {
            Said::Working(step) => step.into_iter().for_each(&mut *progress),
            Said::Done(value) => return Ok(value),
            Said::Failed(trouble) => return Err(trouble.into()),
        }
    }
}

/// On a stopped store: the same actors, for as long as the command takes, and no word to the hub.
fn apart(config: &Config, order: Order, progress: &mut dyn FnMut(Step)) -> anyhow::Result<Value> {
    if order == Order::Verify {
        // Opening the store would repair damage that a verification has to find.
        let report = storage::verify(&config.storage.path, &mut |step| progress(Step::from(step)));
        return Ok(outcome::of_verification(&report.map_err(folder::in_use)?));
    }
    let storage = folder::open(config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let failing = storage.clone();
    let ended = runtime.block_on(async {
        let (store, supervision) = start::offline(config, storage.clone()).await?;
        let (working, mut seen) = watch::channel(None);
        let service = ControlService::offline(store);
        let mut work = std::pin::pin!(service.carry_out(order, working));
        let mut looks = tokio::time::interval(LOOK);
        let ended = loop {
            tokio::select! {
                // The cause is worth more than a time that ran out.
                biased;
                error = failing.failed() => break Err(folder::in_use(error)),
                ended = &mut work => break ended.map_err(anyhow::Error::from),
                _ = looks.tick() => if let Some(step) = *seen.borrow_and_update() {
                    progress(Step::from(step));
                },
            }
        };
        supervision.stop().await;
        ended
    });
    let closed = folder::close(storage);
    let value = ended?;
    closed?;
    Ok(value)
}
