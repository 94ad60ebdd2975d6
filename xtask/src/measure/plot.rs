//! Figures as pictures, beside docs/performance.md.

use super::TILLS;
use super::results::Results;
use anyhow::anyhow;
use plotters::prelude::*;
use std::path::Path;

const SIZE: (u32, u32) = (900, 420);
/// Above the highest figure.
const HEADROOM: f64 = 1.1;
const SELLERS: [&str; 4] = ["store", "pgbench", "thin one call", "thin two calls"];
const PERCENTILES: [(&str, &str); 5] = [
    ("p50", "/whole/p50_us"),
    ("p90", "/whole/p90_us"),
    ("p99", "/whole/p99_us"),
    ("p99.9", "/whole/p999_us"),
    ("most", "/whole/max_us"),
];

/// A picture: what each series is at each place.
struct Picture {
    file: &'static str,
    title: &'static str,
    places: Vec<String>,
    series: Vec<(String, Vec<f64>)>,
}

/// Draws all of them into a folder; gives the lines that show them in a page that is beside it.
pub fn write(folder: &Path, results: &Results) -> anyhow::Result<String> {
    std::fs::create_dir_all(folder)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut lines = String::from("### Plots\n\n");
    for picture in [rates(results), costs(results), latencies(results)] {
        picture.draw(&folder.join(picture.file))?;
        lines.push_str(&format!("![{}]({name}/{})\n\n", picture.title, picture.file));
    }
    Ok(lines)
}

/// Draws how much of the time of plain SQL each operation of head office takes, beside what it should.
pub fn write_office(folder: &Path, results: &Results, goals: &[(String, f64)]) -> anyhow::Result<String> {
    std::fs::create_dir_all(folder)?;
    let ratio = |(what, _): &(String, f64)| {
        results.ratio((what, "/ms"), (what, "/plain_ms")).map_or(0.0, |ratio| ratio.median)
    };
    let picture = Picture {
        file: "office.svg",
        title: "Time / goal (1: as long as it may take), in the order of the table",
        places: (1..=goals.len()).map(|place| place.to_string()).collect(),
        series: vec![("of the goal".to_owned(), goals.iter().map(|goal| ratio(goal) / goal.1).collect())],
    };
    picture.draw(&folder.join(picture.file))?;
    Ok(format!("![{}](performance/{})\n\n", picture.title, picture.file))
}

fn of_tills(results: &Results, file: &'static str, title: &'static str, pointer: &str) -> Picture {
    let figure = |name: &str, tills: usize| {
        results.spread((&format!("{name}, {tills}"), pointer)).map_or(0.0, |spread| spread.median)
    };
    Picture {
        file,
        title,
        places: TILLS.map(|tills| format!("{tills} tills")).into(),
        series: SELLERS.map(|name| (name.to_owned(), TILLS.map(|tills| figure(name, tills)).into())).into(),
    }
}

fn rates(results: &Results) -> Picture {
    of_tills(results, "sales.svg", "Sales per second", "/sales_per_s")
}

fn costs(results: &Results) -> Picture {
    of_tills(results, "cpu.svg", "Processor seconds per 1,000 sales", "/cpu_s_per_1000")
}

fn latencies(results: &Results) -> Picture {
    let subjects = ["store, 64", "store behind history", "thin one call, 64", "thin two calls, 64"];
    let of = |subject: &str| {
        let ms = |(_, pointer): (&str, &str)| {
            results.spread((subject, pointer)).map_or(0.0, |spread| spread.median / 1_000.0)
        };
        (subject.to_owned(), PERCENTILES.map(ms).into())
    };
    Picture {
        file: "latency.svg",
        title: "A whole sale at 64 tills, milliseconds",
        places: PERCENTILES.map(|(name, _)| name.to_owned()).into(),
        series: subjects.map(of).into(),
    }
}

impl Picture {
    fn draw(&self, file: &Path) -> anyhow::Result<()> {
        let failed = |error: DrawingAreaErrorKind<std::io::Error>| anyhow!("{}: {error}", file.display());
        let mut text = String::new();
        self.draw_into(&mut text).map_err(failed)?;
        Ok(std::fs::write(file, text)?)
    }

    fn draw_into(&self, text: &mut String) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let highest = self.series.iter().flat_map(|(_, figures)| figures).copied().fold(0.0, f64::max);
        let places = self.places.len() as f64;
        let mut chart = ChartBuilder::on(&root)
            .caption(self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(32)
            .y_label_area_size(80)
            .build_cartesian_2d(0.0..places, 0.0..(highest * HEADROOM).max(f64::MIN_POSITIVE))?;
        // The middle of each place has its name.
        let name = |at: &f64| self.places.get(at.floor() as usize).cloned().unwrap_or_default();
        let labels = chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(self.places.len() * 2)
            .axis_desc_style(("sans-serif", 13))
            .x_label_formatter(&|at| if (at.fract() - 0.5).abs() < 0.01 { name(at) } else { String::new() })
            .draw();
        labels?;
        let width = 0.8 / self.series.len().max(1) as f64;
        for (number, (name, figures)) in self.series.iter().enumerate() {
            let colour = Palette99::pick(number).to_rgba();
            let bar = |(place, figure): (usize, &f64)| {
                let left = place as f64 + 0.1 + width * number as f64;
                Rectangle::new([(left, 0.0), (left + width * 0.92, *figure)], colour.filled())
            };
            chart
                .draw_series(figures.iter().enumerate().map(bar))?
                .label(name)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE)
            .border_style(BLACK)
            .draw()?;
        root.present()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;

    #[test]
    fn each_picture_is_drawn_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = Results::default();
        results.add("store, 64", json!({"sales_per_s": 2_500.0, "whole": {"p50_us": 9_000.0}}));
        let lines = write(&folder.path().join("performance"), &results).unwrap();
        for file in ["sales.svg", "cpu.svg", "latency.svg"] {
            let svg = std::fs::read_to_string(folder.path().join("performance").join(file)).unwrap();
            assert!(svg.contains("store") && lines.contains(&format!("performance/{file}")), "{lines}");
        }
    }
}
