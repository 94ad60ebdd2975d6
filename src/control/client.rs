//! A command's end of the socket; without a daemon the command is carried out right here.

use super::desk::Desk;
use super::socket;
use super::wire::{ANSWER_BYTES_MAX, Order, Said, Step, Trouble};
use crate::app;
use crate::cli::progress::Bar;
use crate::config::{Config, rules};
use crate::exit::{Exit, FAILED, IN_USE};
use crate::folder;
use anyhow::Context;
use serde_json::Value;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;

/// The daemon says every half second that it is at work; longer silence means that it is not.
const SILENCE_MAX: Duration = Duration::from_secs(30);
/// How often the bar looks at work that is done right here.
const LOOK: Duration = Duration::from_millis(200);

/// Carries an order out: through the daemon where one answers, else on the stopped store.
///
/// # Errors
/// What the order itself came to; 73 when another process has the folder and does not answer.
pub fn carry_out(config: &Config, order: Order) -> anyhow::Result<Value> {
    let mut bar = Bar::default();
    let ended = match connect(&config.storage.path)? {
        Some(stream) => through(&stream, &order, &mut bar),
        None => apart(config, order, &mut bar),
    };
    drop(bar);
    ended.map_err(|error| match error.downcast::<Trouble>() {
        Ok(trouble) => {
            for note in &trouble.notes {
                eprintln!("{note}");
            }
            trouble.exit().into()
        }
        Err(error) => error,
    })
}

/// Whether a daemon answers for this folder; for commands that need a stopped store.
///
/// # Errors
/// 73 with what to do, when one does.
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
    socket::connect(folder).with_context(|| format!("can't speak to the daemon at {}", socket.display()))
}

fn through(stream: &UnixStream, order: &Order, bar: &mut Bar) -> anyhow::Result<Value> {
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
    output.flush().context("the daemon does not take the command")?;
    let mut input = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        let read = (&mut input).take(ANSWER_BYTES_MAX).read_until(b'\n', &mut line);
        if read.context("the daemon does not answer")? == 0 {
            return Err(Exit::new(FAILED, "the daemon stopped before the command was done").into());
        }
        let said = serde_json::from_slice(&line).context("the daemon is of another version")?;
        match said {
            Said::Working(step) => step.iter().for_each(|step| bar.show(step)),
            Said::Done(value) => return Ok(value),
            Said::Failed(trouble) => return Err(trouble.into()),
        }
    }
}

/// On a stopped store: the same actors, for as long as the command takes, and no word to the hub.
fn apart(config: &Config, order: Order, bar: &mut Bar) -> anyhow::Result<Value> {
    if order == Order::Verify {
        // Opening would repair what a verification has to find.
        let report = storage::verify(&config.storage.path, &mut |progress| bar.show(&Step::from(progress)));
        return Ok(super::desk::report(&report.map_err(folder::in_use)?));
    }
    let storage = folder::open(config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let failing = storage.clone();
    let ended = runtime.block_on(async {
        let rules = rules::rules(config).context("store.timezone")?;
        let actors_config = app::actors_config(config)?;
        let started = actors::start_offline(storage.clone(), rules, actors_config).await;
        let (store, supervision) = started.map_err(app::not_started)?;
        let (progress, mut seen) = watch::channel(None);
        let desk = Desk::apart(store);
        let mut work = std::pin::pin!(desk.carry_out(order, progress));
        let mut looks = tokio::time::interval(LOOK);
        let ended = loop {
            tokio::select! {
                // The cause is worth more than a time that ran out.
                biased;
                error = failing.failed() => break Err(folder::in_use(error)),
                ended = &mut work => break ended.map_err(anyhow::Error::from),
                _ = looks.tick() => if let Some(progress) = *seen.borrow_and_update() {
                    bar.show(&Step::from(progress));
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
