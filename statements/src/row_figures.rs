//! The figures of a row, and the further ones in its description.

use crate::line::{NAME_BYTES_MAX, REFERENCE_BYTES_MAX};
use crate::set_aside::cut;
use domain::model::base::currency::Currency;
use domain::rules::books::settlement::SourceKind;
use domain::rules::books::settlement::import::TextLine;
use edge::sheet::{Decimal, Figure, FigureColumn, SignWords, Written};

/// The figures of a row, before a fee has the sign of a cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowFigures {
    /// Gross of a provider, net of a bank.
    pub amount: Option<Figure>,
    /// Amount before fees.
    pub gross: Option<Figure>,
    /// Fee as it is written.
    pub fee: Option<Figure>,
    /// Net amount that reaches the account, in minor currency units.
    pub net: Option<Figure>,
}

impl RowFigures {
    /// The amounts with the other sign; a fee stays as it is written.
    pub fn negated(self) -> Self {
        let [amount, gross, net] = [self.amount, self.gross, self.net].map(|one| one.map(Figure::negated));
        Self { amount, gross, net, ..self }
    }

    /// Gross, with the meaning of the column `amount` for a kind of source.
    pub fn gross_of(self, kind: SourceKind) -> Option<Figure> {
        self.gross.or(self.amount.filter(|_| kind == SourceKind::Provider))
    }

    /// Net, with the meaning of the column `amount` for a kind of source.
    pub fn net_of(self, kind: SourceKind) -> Option<Figure> {
        self.net.or(self.amount.filter(|_| kind == SourceKind::Bank))
    }

    /// The figures with those of the description that no column has, if they agree with the columns.
    pub fn with_described(
        self,
        line: &mut TextLine,
        parts: Vec<(&'static str, String)>,
        (kind, currency): (SourceKind, Currency),
    ) -> Self {
        if parts.is_empty() {
            return self;
        }
        let mut reported = self;
        for (name, part) in parts {
            match name {
                "mid" | "store_ref" if line.store_ref.is_none() => {
                    line.store_ref = some(cut(&part, NAME_BYTES_MAX))
                }
                "batch" if line.batch.is_none() => line.batch = some(cut(&part, NAME_BYTES_MAX)),
                "reference" if line.reference.is_empty() => line.reference = cut(&part, REFERENCE_BYTES_MAX),
                "gross" => reported.gross = reported.gross.or_else(|| alone(&part, currency)),
                "fee" => reported.fee = reported.fee.or_else(|| alone(&part, currency)),
                "net" => reported.net = reported.net.or_else(|| alone(&part, currency)),
                _ => {}
            }
        }
        match (reported.gross, reported.fee, reported.net_of(kind)) {
            (Some(gross), Some(fee), Some(net)) if gross.less(fee) == net => reported,
            (Some(gross), None, Some(net)) => Self { fee: Some(gross.less(net)), ..reported },
            (None, Some(fee), Some(net)) => Self { gross: Some(net.plus(fee)), ..reported },
            // The text's figures belong to something else.
            _ => self,
        }
    }
}

/// The figure of a single text: only its own marks determine how it is read.
fn alone(text: &str, currency: Currency) -> Option<Figure> {
    let written = Written::of(text, &SignWords::default()).ok().flatten()?;
    let mut column = FigureColumn::of_amounts(currency);
    column.see(&written);
    column.decide(Decimal::Auto, '\t').figure(&written).ok()
}

/// A text that is not empty.
pub fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}
