//! A bar on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};

/// Without a terminal a line is printed at every tenth.
const PLAIN_STEPS: u64 = 10;

/// How far a count is.
pub struct Progress {
    what: &'static str,
    total: u64,
    done: AtomicU64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// At 0 of `total`.
    pub fn new(what: &'static str, total: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {per_sec} {eta}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(what);
            bar
        });
        Self { what, total, done: AtomicU64::new(0), bar }
    }

    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if tenth(done, self.total) > tenth(done - 1, self.total) => {
                eprintln!("{}: {done} of {}", self.what, self.total);
            }
            None => {}
        }
    }

    /// How many are done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn tenth(done: u64, total: u64) -> u64 {
    done * PLAIN_STEPS / total.max(1)
}
