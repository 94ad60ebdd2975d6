//! A progress bar for long work; nothing at all where no terminal shows it.

use crate::upkeep::Step;
use indicatif::{ProgressBar, ProgressStyle};

/// The bar, on standard error; removed when it is dropped.
#[derive(Default)]
pub struct Bar(Option<ProgressBar>);

impl Bar {
    /// Shows how far the work is.
    pub fn show(&mut self, Step { step, done, total }: Step) {
        let bar = self.0.get_or_insert_with(|| ProgressBar::new(total).with_style(style()));
        bar.set_message(step);
        bar.set_length(total);
        bar.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    let known = ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}, {eta} left");
    known.unwrap_or_else(|_| ProgressStyle::default_bar())
}
