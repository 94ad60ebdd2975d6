//! `fuzz --links`: schemathesis follows the links of the documents through the data of the demo, from a list to its
//! documents and to what can be done with them.

use super::{NOT_CHECKED, NOT_TRIED, PARTING, SETTINGS, SETTINGS_FILE};
use crate::demo;
use crate::rest::Api;
use crate::stage::{WorkFolder, admin};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;

/// Least share of answers that are successes, in per cent: the links have to lead to documents that there are.
const SHARE_MIN: usize = 30;
/// Log-ins lock the caller out, and so does switching the caller's register off; the protocol of stores has tokens of its
/// own, and backups take time.
const LEFT_OUT: &str =
    r"^/api/auth/|^/auth/|^/api/registers/\{id\}$|/sync/|/backup$|/verify$|/approve-device";
/// The tool needs this long besides, on a loaded machine.
const BESIDE: Duration = Duration::from_secs(300);

/// Follows the links of both programs, each for so many seconds; true if every answer was a documented one and the
/// share of successes is large enough.
pub async fn run(tool: &Path, seconds: u32, seed: u64) -> anyhow::Result<bool> {
    let (stage, agree) = demo::open(None).await?;
    ensure!(agree, "the figures of the demo differ");
    let mut good = true;
    for (name, setup, base) in
        [("store", &stage.store_setup, stage.store.base()), ("hub", &stage.hub_setup, stage.hub.base())]
    {
        let api = setup.login(&admin(), &Arc::default()).await?;
        let place = WorkFolder::new(None)?;
        let followed = follow(tool, &base, &api, &place, (seconds, seed)).await?;
        let answers = statuses(&place.file("answers.har"))?;
        let done = answers.iter().filter(|status| (200..300).contains(*status)).count();
        let share = done.saturating_mul(100).checked_div(answers.len()).unwrap_or(0);
        println!("{name}: {} answers, {done} successes ({share} %)", answers.len());
        good &= followed && share >= SHARE_MIN;
    }
    stage.store.stop().await?;
    stage.hub.stop().await?;
    Ok(good)
}

async fn follow(
    tool: &Path,
    base: &str,
    api: &Api,
    place: &WorkFolder,
    (seconds, seed): (u32, u64),
) -> anyhow::Result<bool> {
    std::fs::write(
        place.file(SETTINGS_FILE),
        format!("{SETTINGS}[phases.stateful]\ninference.algorithms = []\n"),
    )?;
    let token = api.token().context("no token")?;
    let mut command = Command::new(tool);
    command
        .args(["run", &format!("{base}/api/openapi.json"), "--no-color", "--warnings", "off"])
        .args(["--phases", "stateful", "--mode", "positive", "--seed", &seed.to_string()])
        .args(["--max-examples", "10000", "--max-time", &seconds.to_string()])
        // Requests without a token are made by the other run of the tool.
        .args(["--exclude-checks", &format!("{NOT_CHECKED},ignored_auth"), "--exclude-path-regex", LEFT_OUT])
        .args(PARTING.into_iter().chain(NOT_TRIED).flat_map(|path| ["--exclude-path", path]))
        .args(["--header", &format!("Authorization: Bearer {token}"), "--header", "X-Register-Id: till-1"])
        .args(["--report", "har", "--report-har-path", "answers.har"])
        .current_dir(place.path())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let limit = Duration::from_secs(seconds.into()).saturating_add(BESIDE);
    let ended = tokio::time::timeout(limit, command.status()).await;
    Ok(ended.with_context(|| format!("not done after {} s", limit.as_secs()))??.success())
}

/// The statuses of all answers in a HAR file.
fn statuses(file: &Path) -> anyhow::Result<Vec<u64>> {
    let report: Value = serde_json::from_slice(&std::fs::read(file).context("the report of the answers")?)?;
    let entries = report.pointer("/log/entries").and_then(Value::as_array).context("no answers")?;
    Ok(entries.iter().filter_map(|entry| entry.pointer("/response/status")?.as_u64()).collect())
}
