//! An order as its supplier reads it: a page to print, or plain text.

use domain::model::base::currency::Currency;
use domain::model::inventory::purchase::{OrderLine, OrderState, PurchaseOrder, Supplier};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;

/// Language of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PaperLanguage")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Indonesian.
    Id,
}

/// Each word of the paper in Indonesian.
const INDONESIAN: [(&str, &str); 16] = [
    ("Purchase order", "Pesanan pembelian"),
    ("Draft of a purchase order", "Draf pesanan pembelian"),
    ("Cancelled purchase order", "Pesanan pembelian dibatalkan"),
    ("revision", "revisi"),
    ("Supplier", "Pemasok"),
    ("Deliver to", "Kirim ke"),
    ("Address", "Alamat"),
    ("Deliver on", "Tanggal kirim"),
    ("Payment terms", "Syarat pembayaran"),
    ("days", "hari"),
    ("Note", "Catatan"),
    ("Code", "Kode"),
    ("Product", "Produk"),
    ("Pieces", "Jumlah"),
    ("Price", "Harga"),
    ("Amount", "Nilai"),
];

impl Language {
    /// The code on a page.
    fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Id => "id",
        }
    }

    /// A word in the language of the paper: the English word if there is no other.
    fn say(self, english: &'static str) -> &'static str {
        let found = INDONESIAN.iter().find(|(word, _)| self == Self::Id && *word == english);
        found.map_or(english, |(_, said)| said)
    }
}

/// Contents of the document beside the order itself.
#[derive(Debug, Clone, Copy)]
pub struct Paper<'a> {
    pub order: &'a PurchaseOrder,
    /// Supplier that the order goes to.
    pub supplier: &'a Supplier,
    /// Name of the store that the goods go to.
    pub store_name: &'a str,
    /// Name of the product and the supplier's article number, for each line.
    pub names: &'a [(String, Option<String>)],
    /// Language of the document.
    pub language: Language,
    /// Currency of the amounts.
    pub currency: Currency,
}

impl Paper<'_> {
    /// Title of the document. An order without an approval is called a draft.
    fn title(&self) -> String {
        let PurchaseOrder { po_no, revision, state, .. } = self.order;
        let kind = match state {
            OrderState::Draft => "Draft of a purchase order",
            OrderState::Cancelled => "Cancelled purchase order",
            _ => "Purchase order",
        };
        let kind = self.language.say(kind);
        match revision {
            0 => format!("{kind} {po_no}"),
            revision => format!("{kind} {po_no}, {} {revision}", self.language.say("revision")),
        }
    }

    /// Fields above the lines, name by name.
    fn head(&self) -> Vec<(&'static str, String)> {
        let Self { order, supplier, store_name, .. } = self;
        let mut head = vec![
            ("Supplier", format!("{} ({})", supplier.name, supplier.code)),
            ("Deliver to", format!("{store_name} ({})", order.store_id)),
        ];
        let days = self.language.say("days");
        let terms = supplier.payment_terms_days.map(|count| format!("{count} {days}"));
        let expected = order.expected_at.map(|day| day.to_string());
        for (name, text) in [
            ("Address", supplier.address.clone()),
            ("Deliver on", expected),
            ("Payment terms", terms),
            ("Note", order.note.clone()),
        ] {
            head.extend(text.map(|text| (name, text)));
        }
        head.into_iter().map(|(name, text)| (self.language.say(name), text)).collect()
    }

    /// The lines that are expected, each as its cells.
    fn rows(&self) -> Vec<[String; 6]> {
        let row = |(line, (name, supplier_sku)): (&OrderLine, &(String, Option<String>))| {
            let amount = line.value_of(line.qty);
            [
                line.line_no.to_string(),
                supplier_sku.clone().unwrap_or_else(|| line.sku.to_string()),
                name.clone(),
                line.qty.to_string(),
                self.currency.decimal(line.unit_cost),
                self.currency.decimal(amount),
            ]
        };
        let lines = self.order.lines.iter().zip(self.names);
        lines.filter(|(line, _)| !line.closed || line.received_qty > 0).map(row).collect()
    }

    /// Plain text, a row a line.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n\n", self.title());
        for (name, text) in self.head() {
            // Writing to a string never fails.
            let _ = writeln!(out, "{name}: {}", one_line(&text));
        }
        out.push('\n');
        for cells in self.rows() {
            let _ = writeln!(out, "{}", cells.map(|cell| one_line(&cell)).join("  "));
        }
        let _ = writeln!(out, "\nTotal: {}", self.currency.decimal(self.order.total));
        out
    }

    /// A page to print, without anything that runs or is fetched.
    pub fn html(&self) -> String {
        let title = escaped(&self.title());
        let mut out = format!(
            "<!doctype html><html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\
             <body><h1>{title}</h1><dl>",
            self.language.code()
        );
        for (name, text) in self.head() {
            let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(&text));
        }
        out.push_str("</dl><table><thead><tr>");
        for name in ["No.", "Code", "Product", "Pieces", "Price", "Amount"] {
            let _ = write!(out, "<th>{}</th>", self.language.say(name));
        }
        out.push_str("</tr></thead><tbody>");
        for cells in self.rows() {
            out.push_str("<tr>");
            for cell in cells {
                let _ = write!(out, "<td>{}</td>", escaped(&cell));
            }
            out.push_str("</tr>");
        }
        let total = self.currency.decimal(self.order.total);
        let _ = write!(out, "</tbody></table><p>Total: {total}</p></body></html>");
        out
    }
}

/// Text within a page, in an element or an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Text that stays on its line, and moves no cursor of a printer.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{escaped, one_line};

    #[test]
    fn typed_html_and_line_breaks_are_escaped() {
        assert_eq!(
            escaped("<b title='x'>\"&\"</b>"),
            "&lt;b title=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/b&gt;"
        );
        assert_eq!(one_line("a\r\nTotal: 0\u{1b}[2J"), "a  Total: 0 [2J");
    }
}
