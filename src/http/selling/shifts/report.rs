//! `GET /api/shifts/:id/report`: X while the shift runs, Z once it is closed; text or a page.

use super::readable;
use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use crate::receipt::{Language, Shown, figured};
use domain::model::base::currency::Currency;
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::ids::{RegisterId, ShiftId, UserId};
use domain::model::base::settings::Rules;
use domain::model::base::time::UtcMs;
use domain::model::books::shift::{Cash, Shift, ShiftState};
use domain::model::people::user::Role;
use edge::{ApiError, Doc, Reply, clock};
use storage::{Storage, StorageError};

pub const REPORT: Doc =
    Doc::of("Shifts", "Retrieve a shift's X (open) or Z (closed) report, as text or as a page")
        .answers_text("text/plain")
        .also(&["text/html"]);

/// `GET /api/shifts/:id/report`
pub async fn report(request: Request) -> Answered {
    let text = of(&request)?;
    let accept = request.headers.get("accept").and_then(|value| value.to_str().ok());
    Ok(if wants_page(accept.unwrap_or_default()) {
        Reply::paper(page(&text))
    } else {
        Reply::Text { content_type: "text/plain; charset=utf-8", body: text }
    })
}

/// The report of the shift that the path names, for the caller.
///
/// # Errors
/// 404 for a shift that is not the caller's to read.
pub fn of(request: &Request) -> Result<String, ApiError> {
    let shift = readable(request, &ShiftId::from(request.param("id")))?;
    let (storage, rules) = (request.state.store.storage(), &request.state.store.rules());
    let names = Names::of(storage, &shift).map_err(stored)?;
    let state = &request.state;
    let paper = Paper::new(state.printers.columns(), state.language, state.currency);
    Ok(text(&shift, &names, request.caller()?.role, clock::now(), rules, paper))
}

/// Names of the till, and of the users who opened and closed the shift.
pub struct Names {
    register: String,
    /// Registers where the shift stands, if that is not `register` alone.
    moved_to: Option<String>,
    opened_by: String,
    closed_by: String,
}

impl Names {
    /// The present names; the ID of a user who is no longer known.
    fn of(storage: &Storage, shift: &Shift) -> Result<Self, StorageError> {
        let person = |id: &UserId| {
            let user = storage.users().user(id)?;
            Ok::<_, StorageError>(user.map_or_else(|| id.0.clone(), |user| user.name))
        };
        let till = |id: &RegisterId| {
            let named = storage.shifts().register(id)?.map(|register| register.name);
            Ok::<_, StorageError>(match named.filter(|name| *name != id.0) {
                Some(name) => format!("{name} ({id})"),
                None => id.0.clone(),
            })
        };
        let moved_to = shift.moved_to.as_ref().map(|all| all.iter().map(till).collect::<Result<Vec<_>, _>>());
        let moved_to = moved_to.transpose()?.map(|names| names.join(", "));
        let closed_by = shift.closed_by.as_ref().map(person).transpose()?.unwrap_or_default();
        Ok(Self {
            register: till(&shift.register_id)?,
            moved_to,
            opened_by: person(&shift.opened_by)?,
            closed_by,
        })
    }
}

/// Whether a page is named in `Accept`, and before plain text.
fn wants_page(accept: &str) -> bool {
    let place = |name: &str| accept.split(',').position(|range| range.trim().starts_with(name));
    match (place("text/html"), place("text/plain")) {
        (Some(page), Some(text)) => page < text,
        (page, _) => page.is_some(),
    }
}

/// The report on this paper. The report of a blind shift does not show its cashier the expected amount.
fn text(shift: &Shift, names: &Names, role: Role, now: UtcMs, rules: &Rules, mut paper: Paper) -> String {
    let hidden = rules.policy.blind && !role.manages() && shift.state != ShiftState::Closed;
    let local = |at: UtcMs| rules.timezone.to_datetime(at.timestamp()).strftime("%Y-%m-%d %H:%M").to_string();
    let language = paper.language;
    match shift.z_no {
        Some(z_no) => paper.row("Z REPORT", &format!("{} {z_no}", language.say("No"))),
        None => paper.row("X REPORT", language.say(shift.state.name())),
    }
    paper.row("Store", shift.store_id.as_str());
    paper.row("Register", &names.register);
    if let Some(names) = &names.moved_to {
        let nowhere = paper.language.say("suspended");
        paper.row("Stands at", if names.is_empty() { nowhere } else { names });
    }
    paper.row("Business date", &shift.business_date.to_string());
    paper.row("Opened", &local(shift.opened_at));
    paper.row("Cashier", &names.opened_by);
    if let Some(at) = shift.closed_at {
        paper.row("Closed", &local(at));
        paper.row("Closed by", &names.closed_by);
    }
    paper.row("Printed", &local(now));
    paper.rule();
    let totals = &shift.totals;
    paper.sum("Sales", totals.sales_count);
    paper.sum("Items", totals.items_count);
    paper.sum("Returns", totals.returns_count);
    paper.sum("Voids", totals.voids_count);
    paper.sum("Price overrides", totals.price_overrides);
    paper.row("First receipt", totals.first_receipt.as_deref().unwrap_or("-"));
    paper.row("Last receipt", totals.last_receipt.as_deref().unwrap_or("-"));
    paper.rule();
    if hidden {
        paper.row("Figures appear after the count", "");
        return paper.text;
    }
    paper.sum("Gross sales", totals.gross_sales);
    paper.sum("Discounts", totals.discounts);
    paper.sum("Tax", totals.tax);
    paper.sum("Total", totals.total);
    paper.sum("Net sales", totals.total.saturating_sub(totals.tax));
    paper.sum("Returned", totals.returns_total);
    paper.sum("Voided", totals.voids_total);
    paper.some("Rounding of payments", totals.rounding);
    paper.some("Rounding of refunds", totals.returns_rounding);
    taxes(&mut paper, shift);
    methods(&mut paper, shift);
    paper.rule();
    drawer(&mut paper, shift);
    paper.text
}

/// Each tax rate with its base, and the refunded part.
fn taxes(paper: &mut Paper, shift: &Shift) {
    for of in &shift.totals.by_tax {
        paper.rule();
        let (tax, on) = (paper.language.say("Tax"), paper.language.say("on"));
        let label = format!("{tax} {} % {on}", BasisPoints::from(of.tax_rate_bp).percent());
        paper.sum(&label, of.base);
        paper.sum("  Tax", of.tax);
        if (of.returns_base, of.returns_tax) != (Money::ZERO, Money::ZERO) {
            paper.sum("  Returned on", of.returns_base);
            paper.sum("  Tax returned", of.returns_tax);
        }
    }
}

/// Each method with how often it paid and was paid back.
fn methods(paper: &mut Paper, shift: &Shift) {
    for (method, of) in &shift.totals.by_method {
        paper.rule();
        let language = paper.language;
        let label = |what: &str| format!("{}, {}", language.say(method), language.say(what));
        paper.sum(&format!("{} {}", label("payments"), language.group(of.sales_count)), of.sales);
        if of.refunds_count != 0 || of.refunds != 0 {
            let refunds = format!("{} {}", label("refunds"), language.group(of.refunds_count));
            paper.sum(&refunds, of.refunds.saturating_neg());
            paper.sum(&label("net"), of.sales.saturating_sub(of.refunds));
        }
    }
}

fn drawer(paper: &mut Paper, shift: &Shift) {
    let cash = Cash::of(shift);
    paper.sum("Opening float", cash.opening_float);
    paper.sum("Cash sales", cash.sales);
    paper.sum("Cash refunds", cash.refunds);
    paper.sum("Paid in", cash.pay_in);
    paper.sum("Paid out", cash.pay_out);
    paper.sum("Drops", cash.drops);
    paper.sum("Expected", shift.expected_cash.unwrap_or(cash.expected));
    if let (Some(counted), Some(variance)) = (shift.counted_cash, shift.variance) {
        paper.sum("Counted", counted);
        paper.sum("Variance", variance);
    }
    for recount in &shift.recounts {
        paper.sum("Recounted", recount.counted_cash);
        paper.sum("Variance", recount.variance);
    }
}

struct Paper {
    text: String,
    columns: usize,
    language: Language,
    currency: Currency,
}

impl Paper {
    fn new(columns: usize, language: Language, currency: Currency) -> Self {
        Self { text: String::new(), columns, language, currency }
    }

    /// A label at the left, a value at the right; a row that is too wide for one line gets more.
    fn row(&mut self, label: &str, value: &str) {
        for line in figured(self.language.say(label), value, self.columns) {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    fn sum(&mut self, label: &str, value: impl Shown) {
        self.row(label, &value.shown(self.language, self.currency));
    }

    /// A figure that is left out when it is 0.
    fn some(&mut self, label: &str, value: impl Shown + Copy + Into<i64>) {
        if value.into() != 0 {
            self.sum(label, value);
        }
    }

    fn rule(&mut self) {
        self.text.push_str(&"-".repeat(self.columns));
        self.text.push('\n');
    }
}

/// The text as a page without anything from outside.
fn page(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Shift report</title></head>\n\
         <body><pre>{text}</pre></body></html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_made_where_it_is_asked_for_first() {
        for (accept, page) in [
            ("", false),
            ("*/*", false),
            ("text/plain", false),
            ("text/html", true),
            ("text/html,application/xhtml+xml,*/*;q=0.8", true),
            ("text/plain, text/html", false),
        ] {
            assert_eq!(wants_page(accept), page, "{accept}");
        }
    }

    #[test]
    fn nothing_on_a_page_is_markup() {
        assert!(page("<b>&").contains("<pre>&lt;b&gt;&amp;</pre>"));
    }

    #[test]
    fn every_line_fits_the_paper() {
        for columns in [42, 32] {
            let mut paper = Paper::new(columns, Language::En, Currency::default());
            paper.row("Total", "1");
            paper.row("First receipt", "S001-a-long-name-00000001");
            paper.row("Figures appear after the count", "");
            assert!(paper.text.lines().all(|line| line.chars().count() <= columns), "{}", paper.text);
            assert_eq!(paper.text.lines().next().map(str::len), Some(columns));
            let mut paper = Paper::new(columns, Language::Id, Currency::default());
            paper.sum("Expected", 1_250_000);
            assert!(
                paper.text.starts_with("Seharusnya ") && paper.text.ends_with(" 1.250.000\n"),
                "{}",
                paper.text
            );
        }
    }
}
