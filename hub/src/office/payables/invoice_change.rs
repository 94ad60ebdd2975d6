//! Changes of an invoice that is not matched or is disputed: omitted fields stay as they are.

use crate::office::payables::invoice::{NUMBER_BYTES_MAX, New, NewLine};
use domain::model::base::figures::Money;
use domain::model::base::limits::{FIGURE_MAX, ID_BYTES_MAX, ITEMS_MAX, PRICE_MAX, TEXT_CHARS_MAX};
use domain::model::base::patch::Given;
use domain::model::books::payables::{DiscountTerms, Invoice, InvoiceLine};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

/// Request body of `PATCH /api/finance/invoices/:id`. Omitted fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "ChangeInvoice")]
pub struct Change {
    /// Supplier that issued the document.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub supplier_id: Option<String>,
    /// The supplier's number of the invoice.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NUMBER_BYTES_MAX))]
    pub invoice_no: Option<String>,
    /// Date of the invoice, not after today. Without a `due_date`, the due date is calculated again from the supplier's
    /// terms.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub invoice_date: Option<Date>,
    /// Due date. Null to follow the supplier's terms.
    #[serde(default)]
    pub due_date: Given<Date>,
    /// Lines of the invoice; they replace all existing lines. Without a `tax`, the tax is the sum of the lines' tax.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Option<Vec<NewLine>>,
    /// Tax of the invoice, in minor currency units.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub tax: Option<Money>,
    /// Rounding by the supplier, signed, in minor currency units.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = -FIGURE_MAX, max = FIGURE_MAX))]
    pub rounding: Option<Money>,
    /// Number of the tax invoice. Null for none.
    #[serde(default, deserialize_with = "domain::model::base::patch::text_up_to::<NUMBER_BYTES_MAX, _>")]
    #[schemars(length(max = NUMBER_BYTES_MAX))]
    pub tax_invoice_no: Given<String>,
    /// Date of the tax invoice. Null for none.
    #[serde(default)]
    pub tax_invoice_date: Given<Date>,
    /// Early-payment discount. Null for none.
    #[serde(default)]
    pub discount_terms: Given<DiscountTerms>,
    /// Whether the invoice was already owed when the books began.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub opening: Option<bool>,
    /// Note in free text.
    #[serde(default, deserialize_with = "domain::model::base::patch::text_up_to::<TEXT_CHARS_MAX, _>")]
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Given<String>,
}

impl Change {
    /// Whether it changes the invoice's claims: its lines, its amounts, or its supplier.
    pub fn rewrites(&self) -> bool {
        let Self { supplier_id, lines, tax, rounding, discount_terms, opening, .. } = self;
        supplier_id.is_some()
            || lines.is_some()
            || tax.is_some()
            || rounding.is_some()
            || !discount_terms.is_nothing()
            || opening.is_some()
    }

    /// The invoice as new input.
    pub fn of(self, before: &Invoice) -> New {
        let due_date = match self.invoice_date {
            Some(_) => self.due_date.over(None),
            None => self.due_date.over(Some(before.due_date)),
        };
        New {
            supplier_id: self.supplier_id.unwrap_or_else(|| before.supplier_id.clone()),
            invoice_no: self.invoice_no.unwrap_or_else(|| before.invoice_no.clone()),
            invoice_date: self.invoice_date.unwrap_or(before.invoice_date),
            due_date,
            lines: self.lines.unwrap_or_else(|| before.lines.iter().map(written).collect()),
            tax: self.tax,
            rounding: self.rounding.unwrap_or(before.rounding),
            tax_invoice_no: self.tax_invoice_no.over(before.tax_invoice_no.clone()),
            tax_invoice_date: self.tax_invoice_date.over(before.tax_invoice_date),
            discount_terms: self.discount_terms.over(before.discount_terms),
            opening: self.opening.unwrap_or(before.opening),
            note: self.note.over(before.note.clone()),
        }
    }
}

/// A line as new input, with the receipt that it was allocated to.
fn written(line: &InvoiceLine) -> NewLine {
    let line = line.clone();
    NewLine {
        receiving_id: line.receiving_id,
        receiving_line_no: line.receiving_line_no,
        po_id: line.po_id,
        po_line_no: line.po_line_no,
        sku: line.sku,
        account: line.account,
        store_id: line.store_id,
        description: line.description,
        qty: line.qty,
        unit_cost: line.unit_cost,
        net: Some(line.net),
        tax_rate_bp: Some(line.tax_rate_bp),
        tax: Some(line.tax),
    }
}
