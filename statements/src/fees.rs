//! Signs of fees: whether a source reports a charged fee above or below 0. The source's settings state it; otherwise
//! the rows that have gross, fee and net show it.

use crate::format::FeeSign;
use domain::model::base::refusal::FieldProblem;
use edge::sheet::Figure;

/// Gross, fee and net of a row, as reported.
#[derive(Debug, Clone, Copy, Default)]
pub struct GrossFeeNet {
    pub gross: Option<Figure>,
    pub fee: Option<Figure>,
    pub net: Option<Figure>,
}

/// Evidence for the sign of fees in the rows of a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct FeeSignEvidence {
    /// A row's net is its gross minus its fee.
    positive: bool,
    /// A row's net is its gross plus its fee.
    negative: bool,
    /// A payment has a fee below 0 and no net to compare with.
    unclear: bool,
}

impl FeeSignEvidence {
    /// Adds the evidence of a row.
    pub fn add(&mut self, row: GrossFeeNet) {
        let GrossFeeNet { gross, fee, net } = row;
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

    /// The sign of a charged fee. Positive if nothing shows otherwise.
    ///
    /// # Errors
    /// The sign is not configured, and a payment has a fee below 0 that could be a charge or a refund.
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

/// The cost of a row's fee: above 0 if it was charged, below 0 if it was refunded.
///
/// # Errors
/// Net is not gross minus fee. If the sign is not `configured`, both signs are tried.
pub fn cost_of_fee(
    row: GrossFeeNet,
    sign: FeeSign,
    configured: bool,
) -> Result<Option<Figure>, &'static str> {
    let GrossFeeNet { gross, fee, net } = row;
    let Some(fee) = fee else { return Ok(None) };
    let by_sign = if sign == FeeSign::Negative { fee.negated() } else { fee };
    let Some((gross, net)) = gross.zip(net) else { return Ok(Some(by_sign)) };
    let fits = |fee: Figure| gross.less(fee) == net;
    if fits(by_sign) {
        Ok(Some(by_sign))
    } else if !configured && fits(by_sign.negated()) {
        Ok(Some(by_sign.negated()))
    } else {
        Err("must have a net that equals gross less fee")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(figures: [i64; 3]) -> GrossFeeNet {
        let [gross, fee, net] = figures.map(Figure::from_whole).map(Some);
        GrossFeeNet { gross, fee, net }
    }

    #[test]
    fn gross_and_net_show_the_sign_of_a_fee() {
        let mut evidence = FeeSignEvidence::default();
        evidence.add(row([1_000, -30, 970]));
        assert_eq!(evidence.decide(None), Ok(FeeSign::Negative));
        for (figures, cost) in [([1_000, -30, 970], 30), ([-250, 7, -243], -7), ([1_000, 30, 970], 30)] {
            let found = cost_of_fee(row(figures), FeeSign::Negative, false);
            assert_eq!(found, Ok(Some(Figure::from_whole(cost))));
        }
        assert!(cost_of_fee(row([1_000, 30, 980]), FeeSign::Positive, false).is_err());
        assert!(cost_of_fee(row([1_000, 30, 970]), FeeSign::Negative, true).is_err());
    }

    #[test]
    fn a_fee_below_nothing_without_a_net_is_asked_about() {
        let without_net = GrossFeeNet { net: None, ..row([1_000, -30, 970]) };
        let mut evidence = FeeSignEvidence::default();
        evidence.add(without_net);
        assert!(evidence.decide(None).is_err());
        assert_eq!(evidence.decide(Some(FeeSign::Negative)), Ok(FeeSign::Negative));
        let cost = cost_of_fee(without_net, FeeSign::Negative, true);
        assert_eq!(cost, Ok(Some(Figure::from_whole(30))));
    }
}
