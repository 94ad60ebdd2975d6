//! The rounds: each visits every subject once, and begins elsewhere than the one before, so that whatever else the
//! machine does falls on all of them.

use super::load::Load;
use super::peer::{Helper, Peer};
use super::reads::{Read, Reads, SCANNING};
use super::results::Results;
use super::shop::{MeasuredStore, Size};
use super::{MANY, TILLS};
use crate::rest::Api;
use crate::stage::WorkFolder;
use crate::workspace::{Binaries, load_generator};
use anyhow::Context;
use serde_json::{Value, json};
use std::time::Duration;

/// An open loop runs at this part of the rate that the same subject had as fast as it could.
pub const OPEN_LOOP: f64 = 0.5;
/// Pause between two subjects, so that the remaining work of the last one does not affect the next.
const PAUSE: Duration = Duration::from_millis(500);

/// Everything that is measured.
pub struct Subjects<'a> {
    pub binaries: &'a Binaries,
    pub place: &'a WorkFolder,
    /// A server that answers at once.
    pub bare: Helper,
    /// A store without history.
    pub store: MeasuredStore<'a>,
    /// A store with a long history.
    pub behind: MeasuredStore<'a>,
    /// One with the most products and members, its size, and who asks it.
    pub search: (MeasuredStore<'a>, Size, Api),
    /// PostgreSQL, if installed.
    pub peer: Option<Peer<'a>>,
    /// Length of a visit.
    pub seconds: u64,
}

#[derive(Clone, Copy)]
enum Visit {
    Disk,
    Bare(usize),
    BareRead,
    Store(usize),
    StoreOpen,
    Behind,
    Pgbench(usize),
    Thin { one_call: bool, tills: usize },
    ThinOpen,
    Read(Read),
}

impl Visit {
    fn all(peer: bool) -> Vec<Self> {
        let mut all = vec![Self::Disk, Self::Bare(1), Self::Bare(MANY), Self::BareRead];
        all.extend([Read::Barcode, Read::Stock, Read::Products, Read::Members].map(Self::Read));
        for tills in TILLS {
            all.push(Self::Store(tills));
            if peer {
                let thin = [true, false].map(|one_call| Self::Thin { one_call, tills });
                all.extend([Self::Pgbench(tills)].into_iter().chain(thin));
            }
        }
        all.extend([Self::Behind, Self::StoreOpen]);
        all.extend(peer.then_some(Self::ThinOpen));
        all
    }

    fn name(self) -> String {
        match self {
            Self::Disk => "disk".to_owned(),
            Self::Bare(clients) => format!("bare reply, {clients}"),
            Self::BareRead => "bare read".to_owned(),
            Self::Store(tills) => format!("store, {tills}"),
            Self::StoreOpen => "store, open loop".to_owned(),
            Self::Behind => "store behind history".to_owned(),
            Self::Pgbench(tills) => format!("pgbench, {tills}"),
            Self::Thin { one_call: true, tills } => format!("thin one call, {tills}"),
            Self::Thin { one_call: false, tills } => format!("thin two calls, {tills}"),
            Self::ThinOpen => "thin two calls, open loop".to_owned(),
            Self::Read(read) => read.name().to_owned(),
        }
    }
}

impl Subjects<'_> {
    pub async fn rounds(&mut self, rounds: usize, results: &mut Results) -> anyhow::Result<()> {
        let visits = Visit::all(self.peer.is_some());
        for round in 0..rounds {
            let mut order = visits.clone();
            order.rotate_left(round * visits.len() / rounds.max(1));
            for (place, visit) in order.into_iter().enumerate() {
                let name = visit.name();
                eprintln!("round {} of {rounds}, {} of {}: {name}", round + 1, place + 1, visits.len());
                let figures = self.visit(visit, round, results).await.with_context(|| name.clone())?;
                results.add(&name, figures);
                tokio::time::sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    async fn visit(&mut self, visit: Visit, round: usize, results: &Results) -> anyhow::Result<Value> {
        let (seconds, run) = (self.seconds, format!("{round}-{}", visit.name().replace([' ', ','], "")));
        let seconds_text = seconds.to_string();
        let open = |name: &str| {
            let rate = results.last((name, "/sales_per_s")).map(|rate| rate * OPEN_LOOP);
            Load { rate: Some(rate.unwrap_or(1.0).max(1.0)), ..Load::closed(MANY, seconds) }
        };
        match visit {
            Visit::Disk => {
                let folder = self.place.path().display().to_string();
                load_generator(
                    self.binaries,
                    &["disk", &folder, "--seconds", &seconds.div_ceil(2).to_string()],
                )
                .await
            }
            Visit::Bare(clients) => {
                let (address, clients) = (self.bare.address.to_string(), clients.to_string());
                let args = ["reply", "--address", &address, "--connections", &clients];
                load_generator(self.binaries, &[&args[..], &["--seconds", &seconds_text]].concat()).await
            }
            Visit::BareRead => {
                let nothing = json!({"paths": ["/read"], "token": "none"});
                let reads = Reads { binaries: self.binaries, place: self.place, address: self.bare.address };
                reads.load(&nothing, SCANNING, seconds).await
            }
            Visit::Store(tills) => self.store.sell_with(Load::closed(tills, seconds)).await,
            Visit::StoreOpen => self.store.sell_with(open("store, 64")).await,
            Visit::Behind => self.behind.sell_with(Load::closed(MANY, seconds)).await,
            Visit::Pgbench(tills) => self.peer()?.pgbench(tills, seconds).await,
            Visit::Thin { one_call, tills } => {
                self.peer()?.sell(&run, Load { one_call, ..Load::closed(tills, seconds) }).await
            }
            Visit::ThinOpen => self.peer()?.sell(&run, open("thin two calls, 64")).await,
            Visit::Read(read) => {
                let (store, size, api) = &self.search;
                let reads = Reads { binaries: self.binaries, place: self.place, address: store.address()? };
                reads.ask(api, read, size.products, seconds).await
            }
        }
    }

    fn peer(&self) -> anyhow::Result<&Peer<'_>> {
        self.peer.as_ref().context("no PostgreSQL")
    }
}
