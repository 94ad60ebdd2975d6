//! The parts of a receipt, in order, for any kind of output.

use super::day::moment;
use super::{Language, Receipt, Shown, Subject, Whose};
use domain::model::base::currency::Currency;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::time::UtcMs;
use domain::model::selling::returns::{Return, ReturnState};
use domain::model::selling::transaction::{
    DiscountSource, Line, PaymentState, Transaction, TransactionState,
};
use std::collections::BTreeMap;

/// One part of a receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Centre(String),
    /// In the middle, and highlighted.
    Mark(String),
    /// A text of its own.
    Line(String),
    /// A text and a figure.
    Figure(String, String),
    /// A text and a figure in larger type.
    Total(String, String),
    Rule,
}

/// A receipt as a list of parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout(pub Vec<Part>);

impl Layout {
    /// Layout of a receipt.
    pub fn of(receipt: &Receipt<'_>) -> Self {
        let mut paper =
            Composer { parts: Vec::new(), language: receipt.head.language, currency: receipt.head.currency };
        paper.head(receipt);
        match receipt.subject {
            Subject::Sale(sale) => paper.sale(receipt, sale),
            Subject::Return(back) => paper.back(receipt, back),
        }
        paper.parts.push(Part::Rule);
        for line in receipt.head.texts.footer.lines() {
            paper.centre(line);
        }
        if receipt.copy {
            paper.mark("COPY");
        }
        Self(paper.parts)
    }
}

/// A receipt while it is written.
struct Composer {
    parts: Vec<Part>,
    language: Language,
    currency: Currency,
}

impl Composer {
    fn head(&mut self, receipt: &Receipt<'_>) {
        let head = &receipt.head.texts;
        for line in head.name.lines().chain(head.address.lines()) {
            self.centre(line);
        }
        if !head.tax_id.is_empty() {
            self.centre(&format!("{} {}", self.language.say("Tax no."), head.tax_id));
        }
        if receipt.copy {
            self.mark("COPY");
        }
        self.parts.push(Part::Rule);
    }

    fn about(&mut self, receipt: &Receipt<'_>, number: &str, register: &str, at: UtcMs) {
        self.named("Receipt", number);
        let at = moment(at, receipt.timezone, self.language);
        self.parts.push(Part::Figure(at, register.to_owned()));
        if !receipt.cashier.is_empty() {
            self.named("Cashier", receipt.cashier);
        }
        if let Some(Whose { name, .. }) = receipt.member {
            self.named("Member", name);
        }
    }

    fn sale(&mut self, receipt: &Receipt<'_>, sale: &Transaction) {
        let number = sale.receipt_no.as_deref().unwrap_or_default();
        self.about(receipt, number, &sale.register_id.0, sale.paid_at.unwrap_or(sale.occurred_at));
        if sale.state == TransactionState::Voided {
            self.mark("VOID");
        }
        if receipt.gift {
            self.gift(sale);
            return;
        }
        self.parts.push(Part::Rule);
        sale.items.iter().for_each(|line| self.line(line));
        self.parts.push(Part::Rule);
        self.figure("Subtotal", sale.subtotal);
        self.some("Discount", sale.discount.saturating_neg());
        self.taxes(sale.prices_include_tax, sale.items.iter().map(|line| (line.tax_rate_bp, line.tax)));
        let total = format!("TOTAL {}", self.currency);
        self.parts.push(Part::Total(total, self.shown(sale.total)));
        for payment in sale.payments.iter().filter(|payment| payment.state == PaymentState::Accepted) {
            self.paid(&payment.method, payment.tendered);
        }
        self.some("Rounding", sale.rounding);
        self.some("Change", sale.change);
        self.points(receipt.member, sale);
        self.some("Returned since", sale.refunded);
        receipt.exchanged.iter().for_each(|back| self.exchanged(back));
    }

    /// The goods only: a gift receipt shows no prices.
    fn gift(&mut self, sale: &Transaction) {
        self.mark("GIFT RECEIPT");
        self.parts.push(Part::Rule);
        for line in &sale.items {
            self.parts.push(Part::Figure(line.name.clone(), self.shown(line.qty)));
        }
    }

    fn line(&mut self, line: &Line) {
        self.parts.push(Part::Line(line.name.clone()));
        let gross = line.price.times(line.qty);
        self.pieces(line.qty, line.price, gross);
        let mut by_hand = Money::ZERO;
        for discount in &line.discounts {
            if discount.source == DiscountSource::Promotion {
                let what = discount.reason.as_deref().unwrap_or("promotion");
                self.inset(what, discount.amount.saturating_neg());
            } else {
                // Why it was given is the shop's own business.
                by_hand = by_hand.saturating_add(discount.amount);
            }
        }
        if by_hand != 0 {
            self.inset("discount", by_hand.saturating_neg());
        }
    }

    /// The tax of each rate.
    fn taxes(&mut self, contained: bool, lines: impl Iterator<Item = (u32, Money)>) {
        let mut by_rate = BTreeMap::<u32, Money>::new();
        for (rate, tax) in lines {
            let sum = by_rate.entry(rate).or_default();
            *sum = sum.saturating_add(tax);
        }
        let what = self.language.say(if contained { "Tax contained" } else { "Tax" }).to_owned();
        for (rate, tax) in by_rate.into_iter().rev().filter(|(_, tax)| *tax != 0) {
            let label = format!("{what} {}", self.language.rate(rate));
            self.parts.push(Part::Figure(label, self.shown(tax)));
        }
    }

    fn paid(&mut self, method: &str, amount: Money) {
        self.parts.push(Part::Figure(self.language.method(method), self.shown(amount)));
    }

    fn points(&mut self, member: Option<&Whose>, sale: &Transaction) {
        if sale.points_earned > 0 || sale.points_redeemed > 0 {
            self.figure("Points earned", sale.points_earned);
            self.some("Points spent", sale.points_redeemed);
        }
        if let Some(member) = member {
            self.figure("Points now", member.points);
        }
    }

    /// Goods that were returned for a part of this sale.
    fn exchanged(&mut self, back: &Return) {
        self.parts.push(Part::Rule);
        self.named("Returned, receipt", &back.receipt_no);
        for line in &back.items {
            let what = format!("{} x {}", self.shown(line.qty), line.name);
            self.parts.push(Part::Figure(what, self.shown(line.refund.saturating_neg())));
        }
    }

    fn back(&mut self, receipt: &Receipt<'_>, back: &Return) {
        self.about(receipt, &back.receipt_no, &back.register_id.0, back.created_at);
        self.mark("RETURN");
        if back.state == ReturnState::Voided {
            self.mark("VOID");
        }
        if let Some(number) = &back.origin_receipt_no {
            self.named("Of receipt", number);
        }
        self.parts.push(Part::Rule);
        for line in &back.items {
            self.parts.push(Part::Line(line.name.clone()));
            self.pieces(line.qty, line.price, line.gross);
            if line.discount != 0 {
                self.inset("discount", line.discount.saturating_neg());
            }
        }
        self.parts.push(Part::Rule);
        self.taxes(back.prices_include_tax, back.items.iter().map(|line| (line.tax_rate_bp, line.tax)));
        let total = format!("{} {}", self.language.say("REFUND"), self.currency);
        self.parts.push(Part::Total(total, self.shown(back.refund_total)));
        self.some("Rounding", back.rounding);
        for refund in &back.refunds {
            self.paid(&refund.method, refund.amount.saturating_add(refund.rounding));
        }
        self.some("Points taken back", back.points_reversed);
        self.some("Points given back", back.points_back);
        if let Some(member) = receipt.member {
            self.figure("Points now", member.points);
        }
    }

    fn centre(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(Part::Centre(text.to_owned()));
        }
    }

    fn mark(&mut self, what: &str) {
        self.parts.push(Part::Mark(self.language.say(what).to_owned()));
    }

    /// A word and whose it is.
    fn named(&mut self, what: &str, of: &str) {
        self.parts.push(Part::Line(format!("{} {of}", self.language.say(what))));
    }

    fn pieces(&mut self, qty: Quantity, price: Money, gross: Money) {
        let each = format!("  {} x {}", self.shown(qty), self.shown(price));
        self.parts.push(Part::Figure(each, self.shown(gross)));
    }

    /// A figure of the line above.
    fn inset(&mut self, what: &str, amount: Money) {
        self.parts.push(Part::Figure(format!("  {}", self.language.say(what)), self.shown(amount)));
    }

    /// A figure as people read it.
    fn shown(&self, figure: impl Shown) -> String {
        figure.shown(self.language, self.currency)
    }

    fn figure(&mut self, what: &str, figure: impl Shown) {
        let figure = self.shown(figure);
        self.parts.push(Part::Figure(self.language.say(what).to_owned(), figure));
    }

    /// A figure that is left out when it is 0.
    fn some(&mut self, what: &str, figure: impl Shown + Copy + Into<i64>) {
        if figure.into() != 0 {
            self.figure(what, figure);
        }
    }
}
