//! The figures of an invoice: lines, tax, rounding, total.

use crate::model::base::figures::{BasisPoints, Money};
use crate::model::base::limits::{ITEMS_MAX, PRICE_MAX, QTY_MAX};
use crate::model::base::money::{figure, product, spread, sum};
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::books::payables::{Invoice, InvoiceLine};
use crate::rules::books::posting::plan::Account;

/// Limits by which an invoice's figures are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FigureLimits {
    /// The most that a supplier rounds by.
    pub rounding: Money,
}

/// The tax of a net at a rate.
fn tax_of(net: Money, rate_bp: u32) -> Money {
    let tax = BasisPoints::from(rate_bp).of(net);
    Money::saturating_from(tax)
}

/// Passes lines that each bill goods or an expense, with figures that belong together.
///
/// # Errors
/// `validation_failed` with every line that is wrong.
pub fn check_lines(lines: &[InvoiceLine]) -> Result<(), Refusal> {
    if !(1..=ITEMS_MAX).contains(&lines.len()) {
        return Err(Refusal::field("lines", "must have 1 to 500 entries"));
    }
    let mut wrong = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let mut problem = |field: &str, problem: &str| {
            let path = format!("lines[{place}].{field}");
            wrong.push(FieldProblem { path, problem: problem.to_owned() });
        };
        let goods = line.sku.is_some() || line.receiving_id.is_some() || line.po_id.is_some();
        match &line.account {
            Some(_) if goods => problem("account", "applies to an expense only: omit it for goods"),
            None if !goods => problem(
                "receiving_id",
                "or account is needed: receiving_id for goods, account for an expense",
            ),
            Some(account) => match Account::parse(account) {
                None => problem("account", "must be 4 digits"),
                Some(account) if account.control() => {
                    problem("account", "is a control account: only its sub-ledger posts to it");
                }
                Some(_) => {}
            },
            None => {}
        }
        if !(1..=QTY_MAX).contains(&line.qty) {
            problem("qty", "must be 1 to 1000000");
        }
        if !(0..=PRICE_MAX).contains(&line.unit_cost) {
            problem("unit_cost", "must be 0 to 1000000000000");
        }
        let differs = i128::from(line.net).saturating_sub(product(line.qty, line.unit_cost));
        if line.net < 0 || differs.saturating_abs() > i128::from(line.qty) {
            problem("net", "must be qty times unit_cost; the difference may be at most qty");
        }
        if BasisPoints::from(line.tax_rate_bp) > BasisPoints::WHOLE {
            problem("tax_rate_bp", "must be 0 to 10000");
        }
        if line.tax < 0 || line.tax > PRICE_MAX {
            problem("tax", "must be 0 to 1000000000000");
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Refusal::ValidationFailed(wrong)) }
}

/// Fills in the figures that follow from the lines: the tax of each, the sums, the total. If `tax` of the whole invoice
/// differs from the sum of its lines, it is spread over the taxed lines by largest remainder.
///
/// # Errors
/// `validation_failed`.
pub fn figures(invoice: &mut Invoice, tax: Option<Money>, limits: FigureLimits) -> Result<(), Refusal> {
    check_lines(&invoice.lines)?;
    let rounding = invoice.rounding.saturating_abs();
    if rounding > limits.rounding {
        let problem = format!("must be from -{0} to {0}", limits.rounding);
        return Err(Refusal::field("rounding", problem));
    }
    if let Some(tax) = tax {
        spread_tax(&mut invoice.lines, tax)?;
    }
    invoice.net = sum("net", invoice.lines.iter().map(|line| line.net))?;
    invoice.tax = sum("tax", invoice.lines.iter().map(|line| line.tax))?;
    invoice.total = sum("total", [invoice.net, invoice.tax, invoice.rounding])?;
    if invoice.total <= 0 {
        return Err(Refusal::field("lines", "must add up to more than 0"));
    }
    Ok(())
}

fn spread_tax(lines: &mut [InvoiceLine], tax: Money) -> Result<(), Refusal> {
    if !(0..=PRICE_MAX).contains(&tax) {
        return Err(Refusal::field("tax", "must be 0 to 1000000000000"));
    }
    let own: Money =
        figure("tax", lines.iter().map(|line| i128::from(line.tax)).fold(0, i128::saturating_add))?;
    if own == tax {
        return Ok(());
    }
    let weights: Vec<Money> = lines.iter().map(|line| tax_of(line.net, line.tax_rate_bp)).collect();
    if weights.iter().all(|weight| *weight == 0) {
        return Err(Refusal::field(
            "tax",
            "can't be divided among the lines, because no line has a tax rate: give a line its rate",
        ));
    }
    for (line, part) in lines.iter_mut().zip(spread(tax, &weights)) {
        line.tax = part;
    }
    Ok(())
}

impl InvoiceLine {
    /// Computes net and tax if they were not given.
    pub fn filled(&mut self, net: Option<Money>, tax: Option<Money>) {
        let whole = Money::saturating_from(product(self.qty, self.unit_cost));
        self.net = net.unwrap_or(whole);
        self.tax = tax.unwrap_or_else(|| tax_of(self.net, self.tax_rate_bp));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::rules::books::payables::posting::tests::invoice;

    fn goods(qty: i64, unit_cost: i64, tax_rate_bp: u32) -> InvoiceLine {
        let (sku, qty) = (Some("A".into()), qty.into());
        let mut line =
            InvoiceLine { sku, qty, unit_cost: unit_cost.into(), tax_rate_bp, ..InvoiceLine::default() };
        line.filled(None, None);
        line
    }

    #[test]
    fn an_invoice_adds_up() {
        let mut tea = invoice(vec![goods(96, 9_300, 1_100)]);
        figures(&mut tea, None, FigureLimits::default()).unwrap();
        assert_eq!((tea.net, tea.tax, tea.total), (892_800.into(), 98_208.into(), 991_008.into()));
        let lines = vec![goods(1, 100, 1_100), goods(1, 300, 1_100), goods(1, 50, 0)];
        let mut spread = invoice(lines);
        spread.rounding = (-2).into();
        figures(&mut spread, Some(46.into()), FigureLimits { rounding: 2.into() }).unwrap();
        assert_eq!((spread.net, spread.tax, spread.total), (450.into(), 46.into(), 494.into()));
        let taxes: Vec<Money> = spread.lines.iter().map(|line| line.tax).collect();
        assert_eq!(taxes, [12, 34, 0]);
        assert!(figures(&mut spread, None, FigureLimits { rounding: 1.into() }).is_err());
    }

    #[test]
    fn a_line_is_goods_or_an_expense_with_figures_that_belong_together() {
        let expense =
            |account: &str| InvoiceLine { account: Some(account.to_owned()), sku: None, ..goods(1, 100, 0) };
        for (line, path) in [
            (InvoiceLine { sku: None, ..goods(1, 1, 0) }, "lines[0].receiving_id"),
            (InvoiceLine { account: Some("6110".to_owned()), ..goods(1, 1, 0) }, "lines[0].account"),
            (expense("2010"), "lines[0].account"),
            (expense("61"), "lines[0].account"),
            (InvoiceLine { net: 13.into(), ..goods(2, 5, 0) }, "lines[0].net"),
            (goods(0, 5, 0), "lines[0].qty"),
            (goods(1, -5, 0), "lines[0].unit_cost"),
        ] {
            let Err(Refusal::ValidationFailed(wrong)) = check_lines(std::slice::from_ref(&line)) else {
                panic!("{line:?}")
            };
            assert_eq!(wrong.first().unwrap().path, path);
        }
        let near = InvoiceLine { net: 12.into(), ..goods(2, 5, 0) };
        assert_eq!(check_lines(&[near, expense("6110")]), Ok(()));
    }
}
