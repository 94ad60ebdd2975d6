//! The text of each exception: the finding, and the action that is required.

use crate::table::exception::{
    DELIVERY_NOTE_TWICE, ENTRY_UNBALANCED, LATE_AFTER_LOCK, MAPPING_CLOSED, MEMBER_TWICE, ORDER_CANCELLED,
    ORDER_FOREIGN, ORDER_OVER, POINTS_OVERDRAWN, RECEIPT_FOREIGN, RECEIPT_REPEATED, RECEIPT_REVERSED,
    RECEIPT_TWICE, RETURN_OVER, RETURN_UNALLOCATED, SAFE_BELOW_ZERO, SHIFT_CLOSED, SHIFT_INTERRUPTED,
    STOCK_VALUE_DIFFERS, TRANSFER_FOREIGN, TRANSFER_MET, TRANSFER_NOWHERE, TRANSFER_OVER, TRANSFER_UNKNOWN,
    UNEXPLAINED_MOVEMENT, USER_FOREIGN, USER_NAME_TAKEN, WEBHOOK_PAUSED,
};
use serde_json::Value;

/// Every code that this version reports.
pub const CODES: [&str; 28] = [
    RECEIPT_TWICE,
    RECEIPT_FOREIGN,
    TRANSFER_MET,
    TRANSFER_OVER,
    TRANSFER_FOREIGN,
    TRANSFER_NOWHERE,
    TRANSFER_UNKNOWN,
    USER_FOREIGN,
    USER_NAME_TAKEN,
    MEMBER_TWICE,
    RETURN_OVER,
    POINTS_OVERDRAWN,
    SHIFT_CLOSED,
    SHIFT_INTERRUPTED,
    ORDER_OVER,
    ORDER_CANCELLED,
    ORDER_FOREIGN,
    RECEIPT_REVERSED,
    RETURN_UNALLOCATED,
    DELIVERY_NOTE_TWICE,
    RECEIPT_REPEATED,
    ENTRY_UNBALANCED,
    STOCK_VALUE_DIFFERS,
    UNEXPLAINED_MOVEMENT,
    MAPPING_CLOSED,
    LATE_AFTER_LOCK,
    SAFE_BELOW_ZERO,
    WEBHOOK_PAUSED,
];

/// Exceptions that finance sees and settles.
pub const OF_MONEY: &[&str] = &[
    ENTRY_UNBALANCED,
    STOCK_VALUE_DIFFERS,
    MAPPING_CLOSED,
    LATE_AFTER_LOCK,
    SAFE_BELOW_ZERO,
    SHIFT_CLOSED,
    SHIFT_INTERRUPTED,
    RETURN_OVER,
    POINTS_OVERDRAWN,
    RECEIPT_REVERSED,
];

/// Exceptions that purchasing sees and settles.
pub const OF_GOODS: &[&str] = &[
    ORDER_OVER,
    ORDER_CANCELLED,
    ORDER_FOREIGN,
    RECEIPT_REVERSED,
    RETURN_UNALLOCATED,
    DELIVERY_NOTE_TWICE,
    RECEIPT_REPEATED,
    UNEXPLAINED_MOVEMENT,
    TRANSFER_MET,
    TRANSFER_OVER,
    TRANSFER_NOWHERE,
    TRANSFER_UNKNOWN,
];

/// Returns the finding and the required action.
pub fn of(code: &str, details: &Value) -> (String, &'static str) {
    let text = |name: &str| match details.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => "?".to_owned(),
        Some(value) => value.to_string(),
    };
    match code {
        RECEIPT_TWICE => (
            format!("receipt number {} was given twice; both documents count", text("receipt_no")),
            "check both documents, and whether two copies of the store sold at the same time",
        ),
        RECEIPT_FOREIGN => (
            format!("receipt number {} does not begin with the store's own id", text("receipt_no")),
            "the document is valid, but can't be found by that number: ask the store why it used the number",
        ),
        TRANSFER_MET => (
            format!("transfer {} was cancelled by one store and received by the other", text("transfer_id")),
            "the receipt counts: the sender's manager must settle the discrepancy of the transfer",
        ),
        TRANSFER_OVER => (
            format!("more of transfer {} arrived than was sent", text("transfer_id")),
            "count at both stores, and correct the one that is wrong by an adjustment",
        ),
        TRANSFER_FOREIGN => (
            format!(
                "the store sent a record of transfer {}, which is between other stores",
                text("transfer_id")
            ),
            "ask the store: its stock changed, but the transfer did not; correct its stock by an adjustment",
        ),
        TRANSFER_NOWHERE => (
            format!(
                "transfer {} was sent to {}, which is not a store",
                text("transfer_id"),
                text("to_store_id")
            ),
            "nobody can receive it: ask the sender to cancel it and to send the goods to the right store",
        ),
        TRANSFER_UNKNOWN => (
            format!(
                "transfer {} has products that are not in the catalogue: {}",
                text("transfer_id"),
                text("skus")
            ),
            "add them to the catalogue: until then the receiving store has them in stock and can't sell them",
        ),
        USER_FOREIGN => (
            format!(
                "the store sent a record of user {}, who belongs to head office or another store",
                text("user_id")
            ),
            "nothing was changed; ask the store who did this; if the user now works there, change the user's store at head office",
        ),
        USER_NAME_TAKEN => (
            format!(
                "two users of the store have the login name {}: {} and {}",
                text("username"),
                text("user_id"),
                text("other_user_id")
            ),
            "only the one who had the name first can log in at the store: give one of the two another login name, \
             here or in Store Admin",
        ),
        MEMBER_TWICE => (
            format!(
                "members {} and {} have the same {}",
                text("member_id"),
                text("other_member_id"),
                text("field")
            ),
            "if they are one person, merge one of them into the other; if not, correct the wrong one",
        ),
        RETURN_OVER => (
            format!("more was returned on receipt {} than was sold", text("receipt_no")),
            "check the documents of all stores, and settle it with the customer",
        ),
        POINTS_OVERDRAWN => (
            format!("member {} redeemed more points than the balance", text("member_id")),
            "the entries are kept; adjust the points of the member, or wait until the member has earned enough points",
        ),
        SHIFT_CLOSED => (
            format!("something was recorded in shift {} after it was closed", text("shift_id")),
            "include it in that day's cash by hand; the shift's report does not contain it",
        ),
        SHIFT_INTERRUPTED => (
            format!(
                "shift {} at till {} of {} was open when its store was restored, and nobody has counted it",
                text("shift_id"),
                text("register_id"),
                text("business_date")
            ),
            "enter the cash that was found in the drawer (counted_cash), which closes the shift in the books; or ask the store's manager to count it",
        ),
        ORDER_OVER => (
            format!("more was received on order {} than was ordered", text("po_id")),
            "agree with the supplier: pay for the goods, or send them back by a supplier return",
        ),
        ORDER_CANCELLED => (
            format!(
                "the store received goods on order {} before it knew that the order was cancelled",
                text("po_id")
            ),
            "the receipt counts and the order is open again: close it if no more goods are expected, or have \
             the store send the goods back by a supplier return",
        ),
        ORDER_FOREIGN => (
            format!(
                "goods were received on order {}, which does not exist or belongs to another store",
                text("po_id")
            ),
            "find the order of the goods; they are in the stock of the store that received them",
        ),
        RECEIPT_REVERSED => (
            format!(
                "receipt {} was reversed after {} of its pieces were billed",
                text("receiving_id"),
                text("qty")
            ),
            "ask the supplier for a credit note: the billed amount is a claim until the credit note arrives",
        ),
        RETURN_UNALLOCATED => (
            format!(
                "{} of {} were returned to the supplier, but were never received",
                text("qty"),
                text("sku")
            ),
            "find the receipt or the supplier; the claim is listed with the uninvoiced goods until it is closed",
        ),
        DELIVERY_NOTE_TWICE => (
            format!(
                "receipt {} has the supplier's delivery note {}, which receipt {} of store {} has too",
                text("receiving_id"),
                text("delivery_note_no"),
                text("other_receiving_id"),
                text("other_store_id")
            ),
            "find out which store received the goods, and have the other one reverse its receipt",
        ),
        RECEIPT_REPEATED => (
            format!(
                "receipt {} has the goods or the delivery note of receipt {}, and one of the two has no supplier or \
                 no delivery note",
                text("receiving_id"),
                text("other_receiving_id")
            ),
            "ask the store whether the goods came twice; if not, have it reverse one of the two receipts",
        ),
        ENTRY_UNBALANCED => (
            format!(
                "the amounts of {} do not balance; {} is in account 9990",
                text("cause_id"),
                text("amount")
            ),
            "check the document that the store sent, and clear the suspense account with an entry by hand",
        ),
        STOCK_VALUE_DIFFERS => (
            format!(
                "the goods of {} are worth {} more than the document posts to account 1210; the difference is in account 5130",
                text("cause_id"),
                text("amount")
            ),
            "check the document that the store sent; the inventory account follows the store's stock",
        ),
        UNEXPLAINED_MOVEMENT => (
            format!(
                "goods worth {} moved without a document ({}); they are in account 5130",
                text("amount"),
                text("cause_id")
            ),
            "ask the store what moved, and explain it by an adjustment",
        ),
        LATE_AFTER_LOCK => (
            format!(
                "{} entries of {}, {} in total, were reported after that day was locked",
                text("count"),
                text("business_date"),
                text("total")
            ),
            "the entries were posted on the next open day, with their own day as reference date; check whether the day must be unlocked",
        ),
        SAFE_BELOW_ZERO => (
            format!(
                "more was taken out of the safe of {} than it contained according to the books: {}",
                text("store_id"),
                text("amount")
            ),
            "count the safe: cash was added without a record, or the opening balance was too low",
        ),
        MAPPING_CLOSED => (
            format!(
                "{} {} is mapped to account {}, which is closed",
                text("of"),
                text("key"),
                text("account")
            ),
            "the standard chart's account was used instead: map it to an open account, or open this account again",
        ),
        WEBHOOK_PAUSED => (
            format!(
                "webhook {} ({}) was paused, because its receiver did not accept {} ({}): {}",
                text("name"),
                text("webhook_id"),
                text("undelivered_event_id"),
                text("type"),
                text("error")
            ),
            "repair the receiver, then resume the webhook: events that wait are sent then; an event is kept for 30 days",
        ),
        _ => ("records contradict each other".to_owned(), "check the details; all records were applied"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_code_has_words_of_its_own_and_names_what_it_is_about() {
        let details = json!({"receipt_no": "X1", "transfer_id": "X1", "user_id": "X1", "member_id": "X1", "username": "X1", "other_user_id": "X1",
            "shift_id": "X1", "po_id": "X1", "receiving_id": "X1", "sku": "X1", "return_id": "X1", "supplier_return_id": "X1", "other_member_id": "X1", "field": "phone", "cause_id": "X1", "business_date": "X1", "store_id": "X1", "amount": 5, "key": "X1", "webhook_id": "X1"});
        let unknown = of("newer", &details);
        for code in CODES {
            let (message, action) = of(code, &details);
            assert!(message.contains("X1") && !action.is_empty(), "{code}: {message}");
            assert_ne!((message, action), unknown.clone(), "{code}");
            assert!(of(code, &Value::Null).0.contains('?'), "{code}: details may lack anything");
        }
    }
}
