//! Matches that a user makes by hand. They use the figures of the lines, even if no rule would have found the match.

use crate::model::base::figures::Money;
use crate::rules::books::settlement::matching::total;
use crate::rules::books::settlement::{ItemKind, Match, OpenItem, OpenLine, Rule, Terms};

impl Terms {
    /// Fee and net amount of a line, or the agreed ones if the line has none.
    fn figures(&self, line: &OpenLine) -> (Money, Money) {
        let fee = line.fee.unwrap_or_else(|| line.gross.map_or(Money::ZERO, |gross| self.fee(gross)));
        (fee, line.net.unwrap_or_else(|| line.gross.unwrap_or_default().saturating_sub(fee)))
    }
}

/// Lines of a provider without an item, whose sum is 0: a charge and its refund that no store has. The provider's
/// deduction is a fee.
fn lines_alone<'a>(lines: &'a [OpenLine]) -> Result<Match<'a>, &'static str> {
    if lines.len() < 2 || total(lines.iter().map(OpenLine::amount)) != 0 {
        return Err("must name at least one item, unless the lines add up to 0 (a charge and its refund)");
    }
    let fee = total(lines.iter().map(|line| line.fee.unwrap_or_default()));
    let net = fee.saturating_neg();
    let (lines, items) = (lines.iter().collect(), Vec::new());
    Ok(Match {
        rule: Rule::Contra,
        lines,
        items,
        gross: Money::ZERO,
        fee,
        net,
        difference: Money::ZERO,
        account: None,
    })
}

/// Items that no line mentions and that cancel each other.
fn items_alone<'a>(items: &'a [OpenItem]) -> Result<Match<'a>, &'static str> {
    let is_one = |item: &OpenItem| {
        let first = items.first();
        item.kind.is_of_customers()
            && first.is_some_and(|first| (&first.store_id, first.account) == (&item.store_id, item.account))
    };
    if items.len() < 2 || !items.iter().all(is_one) || total(items.iter().map(|item| item.amount)) != 0 {
        return Err(
            "must add up to 0, and be payments of one store on one account, because no lines are named",
        );
    }
    let (lines, items) = (Vec::new(), items.iter().collect());
    Ok(Match {
        rule: Rule::Contra,
        lines,
        items,
        gross: Money::ZERO,
        fee: Money::ZERO,
        net: Money::ZERO,
        difference: Money::ZERO,
        account: None,
    })
}

/// The match of these lines and items. Its rule decides how it is posted: deposits and payments to suppliers get the
/// rule that automatic matching would have used.
///
/// # Errors
/// The problem with the items, for a person.
pub fn match_by_hand<'a>(
    terms: &Terms,
    lines: &'a [OpenLine],
    items: &'a [OpenItem],
) -> Result<Match<'a>, &'static str> {
    match (lines, items) {
        (lines, []) => return lines_alone(lines),
        ([], items) => return items_alone(items),
        _ => {}
    }
    let is_all = |kind: ItemKind| items.iter().all(|item| item.kind == kind);
    let rule = if items.iter().all(|item| item.kind.is_of_customers()) {
        Rule::ByHand
    } else if is_all(ItemKind::Deposit) {
        Rule::Deposit
    } else if is_all(ItemKind::SupplierPayment) {
        Rule::SupplierPayment
    } else {
        return Err(
            "must be only payments and refunds of customers, only deposits, or only payments to suppliers",
        );
    };
    let gross = total(items.iter().map(|item| item.amount));
    let reported: Vec<(Money, Money)> = lines.iter().map(|line| terms.figures(line)).collect();
    let net = total(reported.iter().map(|(_, net)| *net));
    let fee = match rule {
        Rule::ByHand if lines.iter().all(|line| line.gross.is_none() && line.fee.is_none()) => {
            total(items.iter().map(|item| terms.fee(item.amount)))
        }
        Rule::ByHand => total(reported.iter().map(|(fee, _)| *fee)),
        _ => Money::ZERO,
    };
    let difference = gross.saturating_sub(fee).saturating_sub(net);
    if rule == Rule::SupplierPayment && difference != 0 {
        return Err(
            "must add up to the amount that left the bank: a payment to a supplier is posted with its own amount",
        );
    }
    let (lines, items) = (lines.iter().collect(), items.iter().collect());
    Ok(Match { rule, lines, items, gross, fee, net, difference, account: None })
}
