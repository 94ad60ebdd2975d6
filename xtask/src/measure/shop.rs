//! The store that is measured: many tills with open shifts.

use super::MANY;
use super::load::{Load, Server, sell};
use crate::daemon::Daemon;
use crate::process::{family_pss_kib, status_kib};
use crate::rest::{Api, text};
use crate::stage::{Installation, Person, WorkFolder, admin};
use crate::trade::till::Till;
use crate::workspace::Binaries;
use anyhow::Context;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// Sold to in turn, where members are: as many as one page lists.
const BUYERS: usize = 500;
/// Members in a file.
const IMPORTED: usize = 10_000;
/// Log-ins are used so long: an access token lives an hour.
const TOKENS: Duration = Duration::from_secs(20 * 60);
/// Clients that sell in the one shift that is then closed.
const CLOSERS: usize = 16;

/// Contents of a store before anything is sold.
#[derive(Clone, Copy)]
pub struct Size {
    /// Products with a name of two words and a barcode.
    pub products: usize,
    pub members: usize,
    /// Tills with a cashier and an open shift.
    pub tills: usize,
}

/// A store with its people.
pub struct MeasuredStore<'a> {
    binaries: &'a Binaries,
    place: &'a WorkFolder,
    setup: Installation,
    daemon: Option<Daemon>,
    cashiers: Vec<Person>,
    /// Tokens of each till, and their time.
    tokens: Option<(Vec<Api>, Instant)>,
    size: Size,
    runs: usize,
}

pub fn sku(number: usize) -> String {
    format!("B{number:06}")
}

pub fn price(number: usize) -> i64 {
    1_000 + (number as i64 % 97) * 100
}

pub fn barcode(number: usize) -> String {
    format!("C{number:012}")
}

/// One of 4,096 words of three syllables.
pub fn word(number: usize) -> String {
    let syllables =
        ["ba", "de", "fi", "go", "hu", "ja", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "wa"];
    [number / 256, number / 16, number].iter().filter_map(|part| syllables.get(part % 16)).copied().collect()
}

/// Two words and the number: a user types the beginning.
fn name(number: usize) -> String {
    format!("{} {} {number}", word(number * 31), word(number * 7_919 + number / 4_096))
}

fn write_rows<const N: usize>(
    path: &Path,
    head: [&str; N],
    count: usize,
    row: impl Fn(usize) -> [String; N],
) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(head)?;
    for number in 0..count {
        writer.write_record(row(number))?;
    }
    writer.flush().with_context(|| format!("writing {}", path.display()))
}

/// Products as a file to import.
pub fn write_catalogue(path: &Path, products: usize) -> anyhow::Result<()> {
    let row = |n| [sku(n), name(n), price(n).to_string(), barcode(n)];
    write_rows(path, ["sku", "name", "price", "barcode"], products, row)
}

impl<'a> MeasuredStore<'a> {
    /// One of a thousand products, without members.
    pub async fn open(binaries: &'a Binaries, place: &'a WorkFolder) -> anyhow::Result<Self> {
        Self::sized(binaries, place, Size { products: 1_000, members: 0, tills: MANY }).await
    }

    /// One that is alone, of any size.
    pub async fn sized(binaries: &'a Binaries, place: &'a WorkFolder, size: Size) -> anyhow::Result<Self> {
        let setup = Installation::store(binaries, place, None)?;
        setup.init(&admin()).await?;
        Self::filled(binaries, place, setup, size).await
    }

    async fn filled(
        binaries: &'a Binaries,
        place: &'a WorkFolder,
        setup: Installation,
        size: Size,
    ) -> anyhow::Result<Self> {
        eprintln!("a store with {} products and {} members", size.products, size.members);
        let catalogue = place.file("catalogue.csv");
        write_catalogue(&catalogue, size.products)?;
        setup.command(&["import", "products", &catalogue.display().to_string()], None).await?;
        let members = place.file("members.csv");
        for first in (0..size.members).step_by(IMPORTED) {
            let row = |n| [name(first + n), format!("+62811{:08}", first + n)];
            write_rows(&members, ["name", "phone"], IMPORTED.min(size.members - first), row)?;
            setup.command(&["import", "members", &members.display().to_string()], None).await?;
        }
        Self::serving(binaries, place, setup, size).await
    }

    /// One that was set up: a cashier and an open shift for each till, and a cashier more.
    pub async fn serving(
        binaries: &'a Binaries,
        place: &'a WorkFolder,
        setup: Installation,
        size: Size,
    ) -> anyhow::Result<Self> {
        let daemon = Some(setup.serve().await?);
        let cashiers: Vec<Person> =
            (0..=size.tills).map(|n| Person::new(&format!("cashier-{}", n + 1), "cashier")).collect();
        for cashier in &cashiers {
            setup.add_user(cashier).await?;
        }
        let mut shop = Self { binaries, place, setup, daemon, cashiers, tokens: None, size, runs: 0 };
        let apis = shop.log_in().await?;
        for (index, api) in apis.iter().enumerate() {
            Till::open(api.clone(), 0).await.with_context(|| format!("till {}", index + 1))?;
        }
        shop.write_stage(&apis).await?;
        shop.tokens = Some((apis, Instant::now()));
        Ok(shop)
    }

    async fn log_in(&self) -> anyhow::Result<Vec<Api>> {
        let (retries, mut apis) = (Arc::new(AtomicU64::new(0)), Vec::new());
        for (index, cashier) in self.cashiers.iter().take(self.size.tills).enumerate() {
            apis.push(self.setup.login(cashier, &retries).await?.at(&register(index)));
        }
        Ok(apis)
    }

    /// The administrator, logged in.
    pub async fn admin(&self) -> anyhow::Result<Api> {
        self.setup.login(&admin(), &Arc::default()).await
    }

    /// A user at the first till.
    pub fn till(&self) -> Option<Api> {
        self.tokens.as_ref()?.0.first().cloned()
    }

    fn stage(&self) -> PathBuf {
        self.place.file("tills.json")
    }

    async fn write_stage(&self, tills: &[Api]) -> anyhow::Result<()> {
        let mut buyers = Vec::new();
        if self.size.members > 0 {
            let path = format!("/api/members/search?q={}&limit={BUYERS}", 62_811);
            let page = self.admin().await?.get(&path).await?;
            let found = page.get("items").and_then(Value::as_array).context("no members")?;
            buyers = found.iter().map(|member| text(member, "member_id")).collect::<anyhow::Result<_>>()?;
        }
        self.write_tills(&self.stage(), tills, register, &buyers)
    }

    fn write_tills(
        &self,
        stage: &Path,
        tills: &[Api],
        register: impl Fn(usize) -> String,
        buyers: &[String],
    ) -> anyhow::Result<()> {
        let till = |(index, api): (usize, &Api)| json!({"register": register(index), "token": api.token()});
        let tills: Vec<Value> = tills.iter().enumerate().map(till).collect();
        let product = |n| json!({"sku": sku(n), "price": price(n)});
        let products: Vec<Value> = (0..self.size.products).map(product).collect();
        let stage_of = json!({"tills": tills, "products": products, "members": buyers});
        Ok(std::fs::write(stage, serde_json::to_vec(&stage_of)?)?)
    }

    /// Sells at `tills` tills for a time or up to a count; the load generator's figures.
    pub async fn sell(&mut self, tills: usize, seconds: u64, sales: Option<u64>) -> anyhow::Result<Value> {
        self.sell_with(Load { sales, ..Load::closed(tills, seconds) }).await
    }

    /// As `sell`, by any function. Also returns the groups and fdatasyncs of the journal for each sale.
    pub async fn sell_with(&mut self, load: Load) -> anyhow::Result<Value> {
        if self.tokens.as_ref().is_none_or(|(_, since)| since.elapsed() > TOKENS) {
            let apis = self.log_in().await?;
            self.write_stage(&apis).await?;
            self.tokens = Some((apis, Instant::now()));
        }
        self.sell_as(self.stage(), load).await
    }

    async fn sell_as(&mut self, stage: PathBuf, load: Load) -> anyhow::Result<Value> {
        self.runs += 1;
        let server = Server { address: self.address()?, stage, processes: vec![self.pid()?] };
        let before = self.fdatasyncs().await?;
        let mut figures = sell(self.binaries, &server, &format!("run{}", self.runs), load).await?;
        let fdatasyncs = self.fdatasyncs().await? - before;
        let sales = figures.get("sales").and_then(Value::as_f64).unwrap_or(0.0);
        if let Some(figures) = figures.as_object_mut() {
            figures.insert("sales_per_fdatasync".to_owned(), json!(sales / fdatasyncs.max(1.0)));
        }
        Ok(figures)
    }

    /// Opens a shift, sells so often in it and closes it: how long closing took.
    pub async fn close_shift_of(&mut self, sales: u64) -> anyhow::Result<Duration> {
        let closer = self.cashiers.last().context("no cashier")?;
        let api = self.setup.login(closer, &Arc::default()).await?.at("till-close");
        let run = self.runs;
        let shift =
            api.post("/api/shifts/open", &format!("open-{run}"), &json!({"opening_float": 0})).await?;
        let (stage, same) = (self.place.file("closing.json"), vec![api.clone(); CLOSERS]);
        self.write_tills(&stage, &same, |_| "till-close".to_owned(), &[])?;
        let load = Load { sales: Some(sales), ..Load::closed(CLOSERS, u64::from(u16::MAX)) };
        let sold = self.sell_as(stage, load).await?;
        let path = format!("/api/shifts/{}/close", text(&shift, "shift_id")?);
        let counted = json!({"counted_cash": sold.get("total")});
        let since = Instant::now();
        api.post(&path, &format!("close-{run}"), &counted).await?;
        Ok(since.elapsed())
    }

    async fn fdatasyncs(&self) -> anyhow::Result<f64> {
        self.metric("sr_journal_fdatasyncs").await
    }

    /// A figure of `/metrics`.
    pub async fn metric(&self, name: &str) -> anyhow::Result<f64> {
        let text = reqwest::get(format!("http://{}/metrics", self.address()?)).await?.text().await?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(line.with_context(|| format!("no {name}"))?.parse()?)
    }

    /// SIGKILL, then the time from start to ready.
    pub async fn kill_and_start(&mut self) -> anyhow::Result<Duration> {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.kill();
        }
        self.start().await
    }

    /// A clean end, then the time from start to ready.
    pub async fn stop_and_start(&mut self) -> anyhow::Result<Duration> {
        self.stop().await?;
        self.start().await
    }

    async fn start(&mut self) -> anyhow::Result<Duration> {
        let (daemon, took) = self.setup.launch().start().await?;
        self.daemon = Some(daemon);
        Ok(took)
    }

    /// A clean end, and a start below another program, which becomes this one's child, not its parent.
    pub async fn restart_below(&mut self, program: &Path, args: &[&str]) -> anyhow::Result<()> {
        self.stop().await?;
        let mut launch = self.setup.launch().clone();
        let own = std::mem::replace(&mut launch.binary, program.to_owned());
        let before = args.iter().map(|arg| (*arg).to_owned()).chain([own.display().to_string()]);
        launch.args = before.chain(launch.args).collect();
        self.daemon = Some(launch.start().await?.0);
        Ok(())
    }

    fn running(&self) -> anyhow::Result<&Daemon> {
        self.daemon.as_ref().context("the store is not running")
    }

    fn pid(&self) -> anyhow::Result<u32> {
        Ok(self.running()?.pid())
    }

    pub fn address(&self) -> anyhow::Result<SocketAddr> {
        Ok(self.running()?.address())
    }

    pub async fn stop(&mut self) -> anyhow::Result<()> {
        if let Some(daemon) = self.daemon.take() {
            daemon.stop().await?;
        }
        Ok(())
    }

    /// Memory now, and the most that was resident, in KiB.
    pub fn memory_kib(&self) -> anyhow::Result<(u64, u64)> {
        Ok((family_pss_kib(&[self.pid()?]), status_kib(self.running()?, "VmHWM")?))
    }

    /// Bytes that a part of its data folder occupies.
    pub fn disk_bytes(&self, part: &str) -> anyhow::Result<u64> {
        occupied(&self.place.file("store").join(part))
    }
}

fn register(index: usize) -> String {
    format!("till-{}", index + 1)
}

/// The written part of a segment, which is filled with zeros first; the blocks of another file.
fn occupied(folder: &Path) -> anyhow::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let (path, meta) =
            (entry.as_ref().map(std::fs::DirEntry::path), entry.as_ref().map(std::fs::DirEntry::metadata));
        let (Ok(path), Ok(Ok(meta))) = (path, meta) else { continue };
        bytes += match path.file_name().and_then(|name| name.to_str()) {
            _ if meta.is_dir() => occupied(&path)?,
            Some("next.seg") => 0,
            Some(name) if name.ends_with(".seg") => {
                let written = std::fs::read(&path)?.iter().rposition(|byte| *byte != 0);
                written.map_or(0, |last| last as u64 + 1)
            }
            _ => meta.blocks() * 512,
        };
    }
    Ok(bytes)
}
