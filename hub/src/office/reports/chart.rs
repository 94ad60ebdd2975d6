//! A report as a picture: bars, a colour for each figure.

use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use plotters::prelude::*;

/// Width and height in pixels.
const SIZE: (u32, u32) = (1000, 520);
/// Most rows that are shown; with more, the bars could not be distinguished.
const ROWS_MAX: usize = 366;
/// Most labels below the bars.
const LABELS_MAX: usize = 12;

/// Colours of the figures: those of the pages, distinguishable also without red and green.
const COLOURS: [RGBColor; 5] = [
    RGBColor(0x0B, 0x5A, 0x75),
    RGBColor(0xE0, 0xA6, 0x3B),
    RGBColor(0x77, 0x86, 0x8E),
    RGBColor(0x9C, 0xCB, 0xB0),
    RGBColor(0xB3, 0x26, 0x1E),
];

/// Contents of a chart.
pub struct Picture<'a> {
    /// Title of the chart.
    pub title: &'a str,
    /// Completeness of the figures.
    pub subtitle: &'a str,
    /// Currency of the figures. `None` if they count something.
    pub currency: Option<Currency>,
    /// Label of each place.
    pub labels: Vec<String>,
    /// Figures by name, one for each place.
    pub series: Vec<(&'static str, Vec<i64>)>,
}

type Failed = DrawingAreaErrorKind<std::io::Error>;

impl Picture<'_> {
    /// The picture as SVG.
    ///
    /// # Errors
    /// Never: it is drawn into memory.
    pub fn svg(&self) -> Result<String, Failed> {
        let mut text = String::new();
        self.draw(&mut text)?;
        Ok(text)
    }

    fn draw(&self, text: &mut String) -> Result<(), Failed> {
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let area = root.titled(self.title, ("sans-serif", 22))?.titled(self.subtitle, ("sans-serif", 13))?;
        let places = self.labels.len().clamp(1, ROWS_MAX);
        let (lowest, highest) = self.bounds();
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(110)
            .build_cartesian_2d(0.0..places as f64, lowest..highest)?;
        let label = |place: &f64| {
            let at = self.labels.get(place.floor() as usize).filter(|_| *place < places as f64);
            at.cloned().unwrap_or_default()
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(places.min(LABELS_MAX))
            .x_label_formatter(&label)
            .y_label_formatter(&|figure| self.shown(*figure))
            .draw()?;
        let width = 0.8 / self.series.len().max(1) as f64;
        for (number, (name, figures)) in self.series.iter().enumerate() {
            let colour = COLOURS.iter().cycle().nth(number).unwrap_or(&BLACK).to_rgba();
            let bar = |(place, figure): (usize, &i64)| {
                let left = place as f64 + 0.1 + width * number as f64;
                Rectangle::new([(left, 0.0), (left + width, *figure as f64)], colour.filled())
            };
            chart
                .draw_series(figures.iter().take(ROWS_MAX).enumerate().map(bar))?
                .label(*name)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
        }
        chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
        root.present()
    }

    /// A figure beside the axis.
    fn shown(&self, figure: f64) -> String {
        let whole = figure.round() as i64;
        self.currency.map_or_else(|| whole.to_string(), |currency| currency.decimal(Money::new(whole)))
    }

    /// The range of the figures; it always includes 0.
    fn bounds(&self) -> (f64, f64) {
        let all = || self.series.iter().flat_map(|(_, figures)| figures).copied();
        let (lowest, highest) = (all().min().unwrap_or(0).min(0), all().max().unwrap_or(0).max(0));
        (lowest as f64, (highest as f64).max(lowest as f64 + 1.0))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_chart_has_a_bar_for_each_figure_and_its_texts_are_no_markup() {
        let labels = vec!["a<b>&".to_owned(), "c".to_owned()];
        let series = vec![("total", vec![500, -300])];
        let picture =
            Picture { title: "sales", subtitle: "1/2", currency: Currency::of("EUR"), labels, series };
        let svg = picture.svg().unwrap();
        assert!(svg.contains("4.00"), "{svg}");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert!(svg.contains("1/2") && svg.contains("a&lt;b&gt;&amp;") && !svg.contains("a<b>"), "{svg}");
        let empty =
            Picture { currency: None, labels: Vec::new(), series: vec![("total", Vec::new())], ..picture };
        assert!(empty.svg().unwrap().starts_with("<svg"));
    }
}
