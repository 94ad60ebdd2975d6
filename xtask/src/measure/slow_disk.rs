//! A disk that is slow to make things durable. strace holds each fdatasync of the daemon back, as long as is asked, in
//! the thread that called it; nothing else of the daemon is stopped, since all other system calls pass a filter of the
//! kernel. The program is the shipped one.

use super::MANY;
use super::load::Load;
use super::results::Results;
use super::shop::{MeasuredStore, Size};
use crate::stage::WorkFolder;
use crate::tools::apt;
use crate::workspace::Binaries;

/// Shortest duration of an fdatasync, in milliseconds.
pub const DELAYS_MS: [u64; 2] = [20, 100];
const PRODUCTS: usize = 1_000;

/// The results' name of a delay.
pub fn name(delay_ms: u64) -> String {
    format!("fdatasync of {delay_ms} ms")
}

/// Sells at every till on such disks.
pub async fn measure(
    binaries: &Binaries,
    place: &WorkFolder,
    seconds: u64,
    results: &mut Results,
) -> anyhow::Result<()> {
    let Some(strace) = apt::program("strace") else {
        eprintln!("strace is not installed: slow disks are omitted. On Debian: apt-get install strace");
        return Ok(());
    };
    let mut store =
        MeasuredStore::sized(binaries, place, Size { products: PRODUCTS, members: PRODUCTS, tills: MANY })
            .await?;
    for delay in DELAYS_MS {
        eprintln!("{}", name(delay));
        let inject = format!("inject=fdatasync:delay_exit={}", delay * 1_000);
        // -D: the tracer is the daemon's grandchild, so that the daemon is ours.
        let args =
            ["-D", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", &inject];
        store.restart_below(&strace, &args).await?;
        results.add(&name(delay), store.sell_with(Load::closed(MANY, seconds)).await?);
    }
    store.stop().await
}
