//! The till's commands, as they come in.

use crate::model::base::fields::Fields;
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MemberId, ShiftId, Sku};
use crate::model::base::limits::{
    FIGURE_MAX, ITEMS_MAX, METHOD_BYTES_MAX, PAYMENTS_MAX, PRICE_MAX, QTY_MAX, REFERENCE_CHARS_MAX,
    SKU_BYTES_MAX, TEXT_CHARS_MAX,
};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::barcode::SCAN_BYTES_MAX;
use crate::model::inventory::product::Product;
use crate::rules::selling::payment::NewPayment;
use crate::rules::selling::sale::check_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/pos/transactions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSale {
    /// Lines of the transaction, 1–500. Their record may have at most 262,144 bytes, otherwise the basket is refused
    /// (422): with long names, long reasons and two discounts per line this can happen from about 300 lines.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub items: Vec<NewItem>,
    /// Member that the sale is attributed to. Null for none.
    #[schemars(length(min = 1))]
    pub member_id: Option<MemberId>,
    /// Shift. Defaults to the caller's own open shift.
    #[schemars(length(min = 1))]
    pub shift_id: Option<ShiftId>,
    /// Discount on the whole basket, in minor currency units. Null for none.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub discount: Option<Money>,
    /// Reason for the discount. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub discount_reason: Option<String>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
    /// Payments that complete the sale in the same request: they must add up to its total, or nothing is created. An
    /// empty list completes a total of 0. Null or omitted for an open transaction.
    #[schemars(length(max = PAYMENTS_MAX))]
    pub payments: Option<Vec<NewPayment>>,
}

/// Line to sell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewItem {
    /// SKU of the product. May be omitted if `code` names it.
    #[serde(default)]
    #[schemars(length(max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Code that was scanned, in place of `sku`. `qty` then counts scans, each of as many pieces as the code stands
    /// for.
    #[schemars(length(min = 1, max = SCAN_BYTES_MAX))]
    pub code: Option<String>,
    /// Pieces in one scan of `code`, once that was looked up.
    #[serde(skip)]
    pub pack_qty: Option<Quantity>,
    /// Number of pieces, 1–1,000,000; with `code`, the number of scans.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub qty: Quantity,
    /// Price of one piece in minor currency units, 0–10^12. Defaults to the catalogue's price.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub price: Option<Money>,
    /// Reason for a price that differs from the catalogue's price. Defaults to `discount_reason`.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub price_reason: Option<String>,
    /// Discount on this line, in minor currency units. Null for none.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub discount: Option<Money>,
    /// Reason for the discount on this line. Defaults to the `discount_reason` of the sale; `""` for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub discount_reason: Option<String>,
}

impl NewItem {
    /// Price of one piece of this product: the requested price, else the catalogue's.
    pub(super) fn price_of(&self, product: &Product) -> Money {
        self.price.unwrap_or(product.price)
    }

    /// Reason for the discount on this line, if the reason for the whole sale is `of_sale`.
    pub(super) fn discount_reason<'a>(&'a self, of_sale: Option<&'a str>) -> Option<&'a str> {
        self.discount_reason.as_deref().or(of_sale).filter(|reason| !reason.is_empty())
    }
}

/// Request body of `POST /api/pos/transactions/:id/pay`: `{"payments": […]}`, or the fields of a single payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "PayBody")]
pub struct PaySale {
    /// Payments in order. No payment completes a total of 0.
    #[schemars(length(max = PAYMENTS_MAX))]
    pub payments: Vec<NewPayment>,
}

/// Either `payments`, or one payment's fields directly.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PayBody {
    /// Payments, in order. Send either this list or the fields of a single payment.
    #[schemars(length(max = PAYMENTS_MAX))]
    payments: Option<Vec<NewPayment>>,
    /// Payment method of a single payment.
    #[schemars(length(min = 1, max = METHOD_BYTES_MAX))]
    method: Option<String>,
    /// Part of the total that a single payment settles, before rounding, in minor currency units.
    #[schemars(range(min = 1, max = FIGURE_MAX))]
    amount: Option<Money>,
    /// Amount tendered with a single payment, in minor currency units. Defaults to the exact amount.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    tendered: Option<Money>,
    /// Slip number or other reference of a single payment. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    reference: Option<String>,
}

impl TryFrom<PayBody> for PaySale {
    type Error = &'static str;

    fn try_from(body: PayBody) -> Result<Self, Self::Error> {
        let PayBody { payments, method, amount, tendered, reference } = body;
        let alone = method.is_none() && amount.is_none() && tendered.is_none() && reference.is_none();
        match (payments, method, amount) {
            (Some(payments), ..) if alone => Ok(Self { payments }),
            (Some(_), ..) => Err("give either `payments` or one payment's fields, not both"),
            (None, Some(method), Some(amount)) => {
                Ok(Self { payments: vec![NewPayment { method, amount, tendered, reference }] })
            }
            (None, None, None) if alone => Err("missing field `payments`"),
            (None, None, _) => Err("missing field `method`"),
            (None, Some(_), None) => Err("missing field `amount`"),
        }
    }
}

impl CreateSale {
    /// Checks that need no data of the store: counts, ranges, lengths.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.count("items", self.items.len(), 1..=ITEMS_MAX);
        check_items(&self.items, &mut fields);
        if let Some(member) = &self.member_id {
            fields.id("member_id", member.as_str());
        }
        if let Some(shift) = &self.shift_id {
            fields.id("shift_id", shift.as_str());
        }
        fields.range_of("discount", self.discount, 0..=FIGURE_MAX);
        fields.text("discount_reason", self.discount_reason.as_deref(), REFERENCE_CHARS_MAX);
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        if let Some(payments) = &self.payments {
            check_payments(payments, &mut fields);
        }
        fields.done()
    }
}

impl PaySale {
    /// Checks that need no data of the sale: counts, ranges, lengths.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        check_payments(&self.payments, &mut fields);
        fields.done()
    }
}

/// Lines that are to be sold. A list that is far too long is not worth a message per entry.
pub(super) fn check_items(items: &[NewItem], fields: &mut Fields) {
    for (place, item) in items.iter().take(ITEMS_MAX).enumerate() {
        check_name(item, place, fields);
        fields.range(format_args!("items[{place}].qty"), item.qty, 1..=QTY_MAX);
        fields.range_of(format_args!("items[{place}].price"), item.price, 0..=PRICE_MAX);
        fields.range_of(format_args!("items[{place}].discount"), item.discount, 0..=FIGURE_MAX);
        for (name, reason) in [("price", &item.price_reason), ("discount", &item.discount_reason)] {
            if let Some(reason) = reason {
                let path = format!("items[{place}].{name}_reason");
                fields.text(path, Some(reason.as_str()), REFERENCE_CHARS_MAX);
            }
        }
    }
}

/// Payments that are to be accepted.
pub(super) fn check_payments(payments: &[NewPayment], fields: &mut Fields) {
    fields.count("payments", payments.len(), 0..=PAYMENTS_MAX);
    for (place, payment) in payments.iter().take(PAYMENTS_MAX).enumerate() {
        fields.code(format_args!("payments[{place}].method"), &payment.method, METHOD_BYTES_MAX);
        fields.range(format_args!("payments[{place}].amount"), payment.amount, 1..=FIGURE_MAX);
        fields.range_of(format_args!("payments[{place}].tendered"), payment.tendered, 0..=FIGURE_MAX);
        fields.text(
            format_args!("payments[{place}].reference"),
            payment.reference.as_deref(),
            REFERENCE_CHARS_MAX,
        );
    }
}
