//! The journal as an accounting program takes it: in pieces, while the hub is killed again and again. The files contain
//! each entry once, and their sums are the trial balance.

use super::ask::{Compared, balance};
use crate::rest::{Api, figure, text};
use crate::stage::Stage;
use anyhow::{Context, ensure};
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Most lines of an export.
const LINES_MAX: i64 = 2_000;
/// Time from a request to the kill of the hub grows by this with each kill, …
const LATER: Duration = Duration::from_millis(7);
/// … up to this many times.
const LATER_MAX: u32 = 20;

/// A line of a file.
#[derive(Deserialize)]
struct Line {
    store_id: String,
    entry_no: i64,
    line_no: i64,
    account: String,
    debit: i64,
    credit: i64,
}

/// Lines of all files.
#[derive(Default)]
struct Taken {
    lines: BTreeSet<(String, i64, i64)>,
    /// Numbers of the entries of each book.
    entries: BTreeMap<String, BTreeSet<i64>>,
    /// Debit less credit by account.
    accounts: BTreeMap<String, i64>,
    repeated: i64,
}

impl Taken {
    fn read(&mut self, file: &str) -> anyhow::Result<()> {
        for line in csv::Reader::from_reader(file.as_bytes()).deserialize() {
            let Line { store_id, entry_no, line_no, account, debit, credit } = line?;
            self.entries.entry(store_id.clone()).or_default().insert(entry_no);
            *self.accounts.entry(account).or_default() += debit - credit;
            self.repeated += i64::from(!self.lines.insert((store_id, entry_no, line_no)));
        }
        Ok(())
    }

    fn entries(&self) -> i64 {
        self.entries.values().map(|numbers| numbers.len() as i64).sum()
    }

    /// Compares the files with the journal and the trial balance.
    async fn compare(&self, finance: &Api, to: Date, compared: &mut Compared) -> anyhow::Result<()> {
        compared.one(|| "exported lines that were exported before".to_owned(), 0, self.repeated);
        for (store, numbers) in &self.entries {
            let last = numbers.last().copied().unwrap_or_default();
            compared.one(|| format!("exported entries of {store:?}"), last, numbers.len() as i64);
        }
        let journal = finance.list("/api/finance/journal").await?;
        compared.one(|| "entries of the journal".to_owned(), journal.len() as i64, self.entries());
        let (accounts, _) = balance(finance, "", to).await?;
        for account in accounts.keys().chain(self.accounts.keys()).collect::<BTreeSet<_>>() {
            let of = |sums: &BTreeMap<String, i64>| sums.get(account).copied().unwrap_or_default();
            compared.one(|| format!("exported {account}"), of(&accounts), of(&self.accounts));
        }
        Ok(())
    }
}

/// Exports the whole journal and compares it with the journal and the trial balance.
pub async fn run(
    stage: &mut Stage,
    finance: &Api,
    to: Date,
    kill_hub: bool,
    compared: &mut Compared,
) -> anyhow::Result<()> {
    let (mut taken, mut kills) = (Taken::default(), Kills { enabled: kill_hub, done: 0 });
    let mut files = Vec::new();
    for piece in 0.. {
        // One piece is killed while it is made, the next one while its file is written.
        let killed_when_made = piece % 2 == 0;
        let made = kills.during(stage, killed_when_made, next_export(finance, piece)).await?;
        let Some(export) = made else { break };
        ensure!(figure(&export, "/export_no")? == piece as i64 + 1, "an export has another number: {export}");
        let path = format!("/api/finance/exports/{}/file", text(&export, "export_id")?);
        let writing = async { Ok(finance.file(&path).await?) };
        let file = kills.during(stage, !killed_when_made, writing).await?;
        let before = taken.lines.len();
        taken.read(&file)?;
        let lines = (taken.lines.len() - before) as i64;
        compared.one(|| format!("export {}: lines", piece + 1), figure(&export, "/lines_count")?, lines);
        files.push((path, file));
    }
    for (path, file) in &files {
        ensure!(finance.file(path).await? == *file, "{path}: another file than before");
    }
    taken.compare(finance, to, compared).await?;
    println!(
        "\n{} entries of the journal in {} exports; the hub was killed {} times meanwhile",
        taken.entries(),
        files.len(),
        kills.done
    );
    Ok(())
}

/// Makes the next export. Returns `None` if everything is exported.
async fn next_export(finance: &Api, piece: usize) -> anyhow::Result<Option<Value>> {
    let body = json!({"format": "csv", "lines_max": LINES_MAX});
    let mut next = finance.post("/api/finance/exports", &format!("export-{piece}"), &body).await?;
    let export = next.get_mut("export").map(Value::take).context("an answer without an export")?;
    Ok(Some(export).filter(|export| !export.is_null()))
}

/// Kills of the hub.
struct Kills {
    enabled: bool,
    done: u32,
}

impl Kills {
    /// Does the work; if it is its turn, the hub is killed meanwhile, each time a little later, and started again.
    async fn during<T>(
        &mut self,
        stage: &mut Stage,
        turn: bool,
        work: impl Future<Output = anyhow::Result<T>>,
    ) -> anyhow::Result<T> {
        if !self.enabled || !turn {
            return work.await;
        }
        self.done += 1;
        let after = LATER * self.done.min(LATER_MAX);
        let killed = async {
            tokio::time::sleep(after).await;
            stage.hub.kill();
            stage.hub = stage.hub_setup.serve().await?;
            Ok(())
        };
        let (worked, killed): (_, anyhow::Result<()>) = tokio::join!(work, killed);
        killed?;
        worked
    }
}
