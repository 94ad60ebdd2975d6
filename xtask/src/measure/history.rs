//! Effects of a long history of a store: on its disk, its memory, its start, the print of a receipt, the end of a
//! shift.

use super::load::Load;
use super::reads::Reads;
use super::results::Results;
use super::shop::MeasuredStore;
use super::{MANY, rounds::Subjects};
use anyhow::Context;
use serde_json::{Value, json};

/// Starts, prints and ends of shifts of each kind.
const TIMES: usize = 3;
/// Receipts printed each time.
const RECEIPTS: usize = 100;
/// Sales of the small shift.
pub const FEW_SALES: u64 = 10;

/// Sells until there are this many sales, and records the disk space that they take.
pub async fn fill(store: &mut MeasuredStore<'_>, sales: u64, results: &mut Results) -> anyhow::Result<()> {
    let parts = ["journal", "rows", "snapshots"];
    let taken = |store: &MeasuredStore| parts.map(|part| store.disk_bytes(part).unwrap_or(0));
    let before = taken(store);
    let mut figures =
        store.sell_with(Load { sales: Some(sales), ..Load::closed(MANY, u64::from(u16::MAX)) }).await?;
    let sold = figures.get("sales").and_then(Value::as_f64).unwrap_or(0.0).max(1.0);
    if let Some(figures) = figures.as_object_mut() {
        let grown =
            taken(store).into_iter().zip(before).map(|(now, then)| now.saturating_sub(then) as f64 / sold);
        let [journal, rows, snapshots] = <[f64; 3]>::try_from(grown.collect::<Vec<_>>()).unwrap_or_default();
        let disk =
            json!({"journal": journal, "rows": rows, "snapshots": snapshots, "lasting": journal + rows});
        figures.insert("disk_bytes_per_sale".to_owned(), disk);
    }
    results.add("filling", figures);
    Ok(())
}

/// Measurements that are left when the rounds are over.
pub async fn measure(subjects: &mut Subjects<'_>, sales: u64, results: &mut Results) -> anyhow::Result<()> {
    let Subjects { store, behind, .. } = subjects;
    for (name, store) in [("memory", &*store), ("memory behind history", &*behind)] {
        let (now, most) = store.memory_kib()?;
        results.add(name, json!({"pss_kib": now, "most_kib": most}));
    }
    for time in 1..=TIMES {
        eprintln!("starts, {time} of {TIMES}");
        for (name, store) in [("start", &mut *store), ("start behind history", &mut *behind)] {
            let killed = store.kill_and_start().await?.as_secs_f64();
            let stopped = store.stop_and_start().await?.as_secs_f64();
            results.add(
                name,
                json!({"after_kill_s": killed, "after_stop_s": stopped, "slower_s": killed.max(stopped)}),
            );
        }
    }
    prints(subjects, results).await?;
    for time in 1..=TIMES {
        eprintln!("closing shifts, {time} of {TIMES}");
        for (name, sales) in [("closing few sales", FEW_SALES), ("closing many sales", sales)] {
            let took = subjects.store.close_shift_of(sales).await?;
            results.add(name, json!({"ms": took.as_secs_f64() * 1_000.0}));
        }
    }
    Ok(())
}

/// First prints of receipts.
async fn prints(subjects: &Subjects<'_>, results: &mut Results) -> anyhow::Result<()> {
    let mut piles = Vec::new();
    for (name, store) in [("print", &subjects.store), ("print behind history", &subjects.behind)] {
        let api = store.admin().await?;
        let page = api.get(&format!("/api/pos/transactions?state=paid&limit={}", TIMES * RECEIPTS)).await?;
        let items = page.get("items").and_then(Value::as_array).context("no sales")?;
        let number = |sale: &Value| Some(sale.get("receipt_no")?.as_str()?.to_owned());
        piles.push((name, store, api, items.iter().filter_map(number).collect::<Vec<_>>()));
    }
    for time in 0..TIMES {
        for (name, store, api, numbers) in &piles {
            let reads =
                Reads { binaries: subjects.binaries, place: subjects.place, address: store.address()? };
            let some: Vec<String> = numbers.iter().skip(time * RECEIPTS).take(RECEIPTS).cloned().collect();
            results.add(name, reads.print(api, &some).await?);
        }
    }
    Ok(())
}
