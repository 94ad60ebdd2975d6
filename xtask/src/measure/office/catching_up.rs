//! What a store sold without head office, taken in: beside COPY of all the rows that it makes, and with entries, items and sums of
//! reports beside without entries, and without any of them.

use super::{Measured, SETTINGS};
use crate::measure::head_office::{self, APPLIED};
use crate::measure::peer;
use crate::measure::results::Results;
use crate::stage::WorkFolder;
use crate::tools::postgres::Private;
use crate::workspace::Binaries;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Sales that are caught up.
const SALES: u64 = 5_000;
/// As fast as 0.5, 0.7 and 0.6 of it.
const COPY: f64 = 2.0;
const UNPOSTED: f64 = 1.43;
const WITHOUT: f64 = 1.67;

/// In a cluster of its own, which goes with it.
pub async fn measure(
    binaries: &Binaries,
    place: &WorkFolder,
    programs: PathBuf,
    measured: &mut Measured,
) -> anyhow::Result<()> {
    let postgres = Private::start(programs, peer::beside(place.path())?, &SETTINGS).await?;
    let place = WorkFolder::new(Some(place.file("caught-up")))?;
    let mut results = Results::default();
    head_office::measure(binaries, &place, &postgres, SALES, &mut results).await?;
    let of_sales = |name: &str| results.last((name, "/sales_per_s")).map(|rate| SALES as f64 / rate);
    if let (Some(ours), Some(copy)) = (of_sales("hub, catch-up"), of_sales("hub, copy")) {
        let what = format!("{SALES} sales of a store caught up / COPY of all their rows");
        measured.add(&what, COPY, Duration::from_secs_f64(ours), Duration::from_secs_f64(copy));
    }
    let all = results.json();
    for part in all.get(APPLIED).and_then(Value::as_array).into_iter().flatten() {
        let ms = |name: &str| part.get(name).and_then(Value::as_f64).unwrap_or_default();
        let time = |name: &str| Duration::from_secs_f64(ms(name) / 1_000.0);
        let what = "their records applied with entries, items and sums of reports / without entries";
        measured.add(what, UNPOSTED, time("whole_ms"), time("unposted_ms"));
        let what = "their records applied with entries, items and sums of reports / without";
        measured.add(what, WITHOUT, time("whole_ms"), time("documents_ms"));
    }
    Ok(())
}
