//! Which sign a fee has that costs: the source says it, or the rows with gross, fee and net show it.

use crate::office::settlement::file::format::FeeSign;
use domain::model::base::refusal::FieldProblem;
use edge::sheet::Figure;

/// Evidence for the sign of fees in the rows of a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct FeeVotes {
    positive: bool,
    negative: bool,
    /// A fee below 0 beside a payment, and no net that explains it.
    unclear: bool,
}

impl FeeVotes {
    /// Looks at a row.
    pub fn see(&mut self, gross: Option<Figure>, fee: Option<Figure>, net: Option<Figure>) {
        let Some(fee) = fee.filter(|fee| *fee != Figure::default()) else { return };
        match (gross, net) {
            (Some(gross), Some(net)) => {
                self.positive |= gross.less(fee) == net;
                self.negative |= gross.plus(fee) == net;
            }
            (Some(gross), None) => self.unclear |= fee < Figure::default() && gross > Figure::default(),
            _ => {}
        }
    }

    /// The sign of a fee that costs.
    ///
    /// # Errors
    /// Nothing says it, and a fee is below 0 beside a payment.
    pub fn decide(self, configured: Option<FeeSign>) -> Result<FeeSign, FieldProblem> {
        if let Some(configured) = configured {
            return Ok(configured);
        }
        match (self.positive, self.negative) {
            (false, true) => Ok(FeeSign::Negative),
            (false, false) if self.unclear => Err(FieldProblem {
                path: "csv.fee_sign".to_owned(),
                problem: "must be set: a payment has a fee below 0, and the file has no net. Set \"negative\" if charged fees are below 0, or \"positive\" if a fee below 0 is refunded"
                    .to_owned(),
            }),
            _ => Ok(FeeSign::Positive),
        }
    }
}

/// The fee of a row, above 0 where it costs.
///
/// # Errors
/// Gross, fee and net don't agree with either sign.
pub fn fee(
    (gross, fee, net): (Option<Figure>, Option<Figure>, Option<Figure>),
    sign: FeeSign,
    configured: bool,
) -> Result<Option<Figure>, &'static str> {
    let Some(fee) = fee else { return Ok(None) };
    let by_sign = if sign == FeeSign::Negative { fee.negated() } else { fee };
    let Some((gross, net)) = gross.zip(net) else { return Ok(Some(by_sign)) };
    let fits = |fee: Figure| gross.less(fee) == net;
    match () {
        () if fits(by_sign) => Ok(Some(by_sign)),
        () if !configured && fits(by_sign.negated()) => Ok(Some(by_sign.negated())),
        () => Err("must have a net that equals gross less fee"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(of: [i64; 3]) -> (Option<Figure>, Option<Figure>, Option<Figure>) {
        let [gross, fee, net] = of.map(Figure::from_whole).map(Some);
        (gross, fee, net)
    }

    #[test]
    fn gross_and_net_show_the_sign_of_a_fee() {
        let mut votes = FeeVotes::default();
        votes.see(
            Some(Figure::from_whole(1_000)),
            Some(Figure::from_whole(-30)),
            Some(Figure::from_whole(970)),
        );
        assert_eq!(votes.decide(None), Ok(FeeSign::Negative));
        for (of, told) in [([1_000, -30, 970], 30), ([-250, 7, -243], -7), ([1_000, 30, 970], 30)] {
            assert_eq!(fee(figures(of), FeeSign::Negative, false), Ok(Some(Figure::from_whole(told))));
        }
        assert!(fee(figures([1_000, 30, 980]), FeeSign::Positive, false).is_err());
        assert!(fee(figures([1_000, 30, 970]), FeeSign::Negative, true).is_err());
    }

    #[test]
    fn a_fee_below_nothing_without_a_net_is_asked_about() {
        let mut votes = FeeVotes::default();
        votes.see(Some(Figure::from_whole(1_000)), Some(Figure::from_whole(-30)), None);
        assert!(votes.decide(None).is_err());
        assert_eq!(votes.decide(Some(FeeSign::Negative)), Ok(FeeSign::Negative));
        let told = fee(
            (Some(Figure::from_whole(1_000)), Some(Figure::from_whole(-30)), None),
            FeeSign::Negative,
            true,
        );
        assert_eq!(told, Ok(Some(Figure::from_whole(30))));
    }
}
