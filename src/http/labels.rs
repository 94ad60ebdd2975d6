//! Price labels: a page to print.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::failed;
use crate::receipt::{Language, Shown, escape, page};
use domain::model::base::currency::Currency;
use domain::model::base::ids::Sku;
use domain::model::base::refusal::Refusal;
use domain::model::inventory::product::Product;
use edge::{ApiError, Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;

/// Most labels of one page.
const LABELS_MAX: usize = 200;

const STYLE: &str = "body{font-family:sans-serif;margin:0}section{display:inline-block;box-sizing:border-box;\
    width:6cm;height:3.5cm;border:1px dashed #999;padding:.25cm;overflow:hidden;break-inside:avoid}\
    h1{font-size:11pt;margin:0;height:1cm;overflow:hidden}p{margin:0;font-size:8pt}\
    .p{font-size:20pt;font-weight:bold}";

pub const PAGE: Doc = Doc::of("Point of sale", "Retrieve price labels to print, one for each SKU")
    .query::<Query>()
    .answers_text("text/html")
    .refuses(&[Code::UnknownSku, Code::ValidationFailed]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// At most 200 SKUs, separated by commas.
    skus: String,
}

/// `GET /api/pos/labels`
pub async fn labels(request: Request) -> Answered {
    let query: Query = request.query()?;
    let skus: Vec<&str> = query.skus.split(',').map(str::trim).filter(|sku| !sku.is_empty()).collect();
    if skus.is_empty() || skus.len() > LABELS_MAX {
        return Err(ApiError::invalid_query("skus", format!("must have 1 to {LABELS_MAX} SKUs")));
    }
    let store = &request.state.store;
    let (mut products, mut unknown) = (Vec::new(), Vec::new());
    for sku in skus {
        match store.sold(&Sku::from(sku)).map_err(failed)? {
            Some(product) => products.push(product),
            None => unknown.push(sku.to_owned()),
        }
    }
    if !unknown.is_empty() {
        return Err(Refusal::UnknownSku(unknown).into());
    }
    let (rules, currency) = (&store.rules().of_next_shift(), request.state.currency);
    let labels = products.iter().map(|product| {
        let rate = product.tax_rate_bp.unwrap_or(rules.default_rate_bp);
        label(product, currency, rate, rules.prices_include_tax)
    });
    let body = page("Labels", STYLE, &labels.collect::<String>());
    Ok(Reply::paper(body))
}

/// A price must state whether it includes tax.
fn label(product: &Product, currency: Currency, rate_bp: u32, contained: bool) -> String {
    let tax = match (rate_bp, contained) {
        (0, _) => String::new(),
        (_, true) => "tax included".to_owned(),
        (rate, false) => format!("plus {}.{:02} % tax", rate / 100, rate % 100),
    };
    let barcode = product.barcode().map_or(product.sku.as_str(), |barcode| barcode.code.as_str());
    format!(
        "<section><h1>{}</h1><p class=p>{} {}</p><p>{tax}</p><p>{}</p></section>\n",
        escape(&product.name),
        currency,
        product.price.shown(Language::En, currency),
        escape(barcode)
    )
}
