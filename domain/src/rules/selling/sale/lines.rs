//! Changes of an open basket: all lines, or a single one, which is applied as a change of all.

use super::change::{by_hand, items_at_catalogue_prices};
use crate::model::base::fields::Fields;
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::limits::{FIGURE_MAX, PRICE_MAX, QTY_MAX, REFERENCE_CHARS_MAX, SKU_BYTES_MAX};
use crate::model::base::patch::Given;
use crate::model::base::refusal::Refusal;
use crate::model::inventory::barcode::SCAN_BYTES_MAX;
use crate::model::selling::transaction::{Line, Transaction, TransactionState};
use crate::rules::selling::sale::{ChangeSale, NewItem, check_scan};
use crate::rules::selling::transaction::version;
use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;

/// Request body of `POST /api/pos/transactions/:id/lines`: a scan.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddLine {
    /// SKU of the product. May be omitted if `barcode` names it.
    #[serde(default)]
    #[schemars(length(max = SKU_BYTES_MAX))]
    sku: Sku,
    /// Code that was scanned, in place of `sku`. `qty` then counts scans, each of as many pieces as the code stands
    /// for.
    #[schemars(length(min = 1, max = SCAN_BYTES_MAX))]
    barcode: Option<String>,
    /// Number of pieces, 1–1,000,000; with `barcode`, the number of scans.
    #[schemars(range(min = 1, max = QTY_MAX))]
    qty: Quantity,
}

/// Request body of `PATCH /api/pos/transactions/:id/lines/:line_no`. Omitted fields stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetLine {
    /// Number of pieces, 1–1,000,000.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    #[schemars(range(min = 1, max = QTY_MAX))]
    qty: Option<Quantity>,
    /// Price of one piece in minor currency units, 0–10^12. Null for the catalogue's price.
    #[serde(default)]
    #[schemars(range(min = 0, max = PRICE_MAX))]
    price: Given<Money>,
    /// Discount on this line, in minor currency units. Null to remove it.
    #[serde(default)]
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    discount: Given<Money>,
    /// Reason for the price or the discount, and for pieces taken off; recorded in the audit log. Null to remove the reason
    /// of the line's price and discount.
    #[serde(default, deserialize_with = "crate::model::base::patch::text_up_to::<REFERENCE_CHARS_MAX, _>")]
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    reason: Given<String>,
}

/// Request body of `DELETE /api/pos/transactions/:id/lines/:line_no`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveLine {
    /// Reason for removing the line, for the audit log. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    reason: Option<String>,
}

/// A change of an open basket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BasketChange {
    Whole(ChangeSale),
    /// One more line, or a higher quantity of a line with the same contents.
    Add(NewItem),
    /// Changes the line of this number.
    Set(u32, SetLine),
    /// Removes the line of this number.
    Remove(u32, RemoveLine),
}

impl SetLine {
    /// Changes the line. A reason belongs to the price or discount in the same request.
    fn on(&self, item: &mut NewItem) {
        item.qty = self.qty.unwrap_or(item.qty);
        item.price = self.price.over(item.price);
        item.discount = self.discount.over(item.discount);
        if !self.price.is_nothing() || self.reason == Given::Empty {
            item.price_reason = self.reason.value().filter(|_| item.price.is_some()).cloned();
        }
        match &self.reason {
            Given::Nothing => {}
            Given::Empty => item.discount_reason = item.discount.map(|_| String::new()),
            Given::Value(reason) if self.discount.value().is_some() => {
                item.discount_reason = Some(reason.clone());
            }
            Given::Value(_) => {}
        }
    }
}

impl From<AddLine> for BasketChange {
    fn from(AddLine { sku, barcode, qty }: AddLine) -> Self {
        Self::Add(NewItem { sku, code: barcode, qty, ..NewItem::default() })
    }
}

impl BasketChange {
    /// Checks that need no data of the store.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        match self {
            Self::Whole(change) => return change.check(),
            Self::Add(NewItem { sku, code, qty, .. }) => {
                match code {
                    Some(code) => {
                        check_scan("barcode", code, &mut fields);
                        fields.code_if_any("sku", Some(sku.as_str()), SKU_BYTES_MAX);
                    }
                    None => fields.code("sku", sku.as_str(), SKU_BYTES_MAX),
                }
                fields.range("qty", *qty, 1..=QTY_MAX);
            }
            Self::Set(_, SetLine { qty, price, discount, .. }) => {
                fields.range_of("qty", *qty, 1..=QTY_MAX);
                fields.range_of("price", price.value().copied(), 0..=PRICE_MAX);
                fields.range_of("discount", discount.value().copied(), 0..=FIGURE_MAX);
            }
            Self::Remove(..) => {}
        }
        fields.text("reason", self.reason(), REFERENCE_CHARS_MAX);
        fields.done()
    }

    /// Reason for changing the line or taking it off.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Set(_, SetLine { reason, .. }) => reason.value().map(String::as_str),
            Self::Remove(_, RemoveLine { reason }) => reason.as_deref(),
            Self::Whole(_) | Self::Add(_) => None,
        }
    }

    /// The lines whose codes are to be looked up.
    pub fn scanned(&mut self) -> &mut [NewItem] {
        match self {
            Self::Whole(change) => change.items.as_deref_mut().unwrap_or_default(),
            Self::Add(item) => std::slice::from_mut(item),
            Self::Set(..) | Self::Remove(..) => &mut [],
        }
    }

    /// Change of the basket as a whole; `read` is the version that the caller knows.
    ///
    /// # Errors
    /// `invalid_state` for a basket that is not open; `version_conflict` if it has changed; `not_found` for a line;
    /// `validation_failed` for the only line, which can't be removed.
    pub fn on(&self, before: &Transaction, read: Option<&str>) -> Result<Cow<'_, ChangeSale>, Refusal> {
        if before.state != TransactionState::Open {
            return Err(before.state.refusal());
        }
        // No version is computed unless the caller read one: the digest covers the whole basket.
        if let Some(version) = read.and_then(|_| version(before))
            && read != Some(version.as_str())
        {
            return Err(Refusal::VersionConflict { version });
        }
        let mut asked = ChangeSale::default();
        let mut items = items_at_catalogue_prices(before);
        match self {
            Self::Whole(change) => return Ok(Cow::Borrowed(change)),
            Self::Add(item) => {
                match items.iter_mut().zip(&before.items).find(|(known, line)| more_of(known, line, item)) {
                    Some((known, _)) => known.qty = known.qty.saturating_add(item.qty),
                    None => items.push(item.clone()),
                }
            }
            Self::Set(line_no, set) => {
                let item = items.get_mut(index_of_line(*line_no)).ok_or(Refusal::NotFound("line"))?;
                set.on(item);
            }
            Self::Remove(line_no, _) => {
                let place = index_of_line(*line_no);
                items.get(place).ok_or(Refusal::NotFound("line"))?;
                if items.len() == 1 {
                    return Err(Refusal::field("line_no", "is the only line: void the basket instead"));
                }
                items.remove(place);
            }
        }
        asked.items = Some(items);
        Ok(Cow::Owned(asked))
    }
}

/// Index of a line by its number, which begins at 1. For number 0 an index that no line has.
fn index_of_line(line_no: u32) -> usize {
    line_no.checked_sub(1).and_then(|place| usize::try_from(place).ok()).unwrap_or(usize::MAX)
}

/// Whether `new` states nothing beyond the line: the same goods by the same code, priced by the catalogue alone.
fn more_of(known: &NewItem, line: &Line, new: &NewItem) -> bool {
    known.sku == new.sku && known.code == new.code && !line.price_override && by_hand(line) == 0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::base::ids::Sku;

    fn line() -> NewItem {
        let text = |text: &str| Some(text.to_owned());
        NewItem {
            sku: Sku("A".to_owned()),
            qty: Quantity::new(2),
            price: Some(Money::new(900)),
            price_reason: text("damaged"),
            discount: Some(Money::new(50)),
            discount_reason: text("dented"),
            ..NewItem::default()
        }
    }

    #[test]
    fn null_takes_away_what_the_line_has() {
        let reason = |reason: &str| Some(reason.to_owned());
        for (body, price, price_reason, discount, discount_reason) in [
            ("{}", Some(900), reason("damaged"), Some(50), reason("dented")),
            (r#"{"price": null}"#, None, None, Some(50), reason("dented")),
            (r#"{"discount": null}"#, Some(900), reason("damaged"), None, reason("dented")),
            (r#"{"reason": null}"#, Some(900), None, Some(50), reason("")),
            (r#"{"discount": null, "reason": null}"#, Some(900), None, None, None),
            (r#"{"price": 800, "reason": "old"}"#, Some(800), reason("old"), Some(50), reason("dented")),
            (r#"{"discount": 60, "reason": "old"}"#, Some(900), reason("damaged"), Some(60), reason("old")),
        ] {
            let set: SetLine = serde_json::from_str(body).unwrap();
            let mut item = line();
            set.on(&mut item);
            assert_eq!(
                (item.price, item.price_reason, item.discount, item.discount_reason),
                (price.map(Money::new), price_reason, discount.map(Money::new), discount_reason),
                "{body}"
            );
            assert_eq!(item.qty, 2, "{body}");
        }
        assert!(serde_json::from_str::<SetLine>(r#"{"qty": null}"#).is_err(), "a line has a quantity");
    }
}
