//! One naming for both programs (`docs/decisions/0025-one-naming.md`), checked in their documents: one thing has one
//! name, and one name has one type.

use crate::contract::names::fields;
use serde_json::Value;
use testkit::document;

/// Forbidden names, each with the name to use instead.
const REFUSED: [(&str, &str); 53] = [
    ("active", "state"),
    ("address_line", "address"),
    ("after_cursor", "cursor"),
    ("cashier", "cashier_id, cashier_name"),
    ("created", "created_at"),
    ("created_on", "created_at"),
    ("date_from", "from"),
    ("date_to", "to"),
    ("display_name", "name"),
    ("enabled", "state"),
    ("end_date", "to"),
    ("is_active", "state"),
    ("kept", "kept_fields"),
    ("login_name", "username"),
    ("lost", "lost_fields"),
    ("mail", "email"),
    ("member", "member_id"),
    ("next", "next_cursor"),
    ("order_id", "po_id"),
    ("order_qty", "qty"),
    ("page_size", "limit"),
    ("per_page", "limit"),
    ("person", "user_id"),
    ("phone_no", "phone"),
    ("pieces_qty", "qty"),
    ("po", "po_id"),
    ("product_id", "sku"),
    ("product_name", "name"),
    ("products", "skus, products_count"),
    ("purchase_order_id", "po_id"),
    ("quantity", "qty"),
    ("receipt", "receipt_no"),
    ("receipt_number", "receipt_no"),
    ("received", "received_qty"),
    ("register_no", "register_id"),
    ("rejected", "rejected_qty"),
    ("returned", "returned_qty"),
    ("seen_at", "last_seen"),
    ("shop", "store_id"),
    ("shop_id", "store_id"),
    ("skip", "cursor"),
    ("start_date", "from"),
    ("stores", "store_ids"),
    ("supplier", "supplier_id"),
    ("tax_rate", "tax_rate_bp"),
    ("till", "register_id"),
    ("till_id", "register_id"),
    ("time_zone", "timezone"),
    ("timestamp", "at"),
    ("tz", "timezone"),
    ("until", "to"),
    ("updated", "updated_at"),
    ("updated_on", "updated_at"),
];

/// Schemas in which refused names are allowed: the contract names the columns of this report, and the scheme Standard
/// Webhooks the fields of a message.
const NAMED_BY_OTHERS: [(&str, &[&str]); 2] =
    [("PurchasesReport", &["received", "rejected", "returned"]), ("WebhookMessage", &["timestamp"])];

/// Names that have more than one type, with the reason.
const SEVERAL_TYPES: [(&str, &str); 37] = [
    (
        "accept",
        "the contract: whether a count is taken as it is; what differs in an invoice and is taken all the same",
    ),
    ("as_of", "the contract: the moment of an answer; the day whose end a report is of"),
    ("conflicts", "a protocol message lists them; a status counts them and names the latest"),
    ("credits", "the contract: what credit notes leave open; those that a payment uses"),
    ("damaged", "the contract: pieces that are; whether a list is of goods that have some"),
    ("days", "the contract: how many, of terms; which of the week, of a promotion"),
    ("denominations", "the contract counts them at a close; the setting lists them"),
    ("details", "the contract: what an entry of the audit log is about; where a proof does not hold, listed"),
    (
        "deposits",
        "the contract: bags of a safe are listed; what a settlement's day sent to the bank is summed",
    ),
    ("discounts", "the contract: those of a line, their sum in a report; and a setting's list of reasons"),
    ("entries", "the contract: of a document they are listed, of a day of a book counted"),
    ("error", "the contract: the envelope's, and why a synchronisation did not end"),
    ("exceptions", "the contract: counted of a statement, listed in an invoice"),
    ("forced", "the contract: whether a settlement was approved all the same; what was not ready at a lock"),
    ("head_office", "the contract: whether a list is of its own book; whether it was asked, in a word"),
    ("hub", "the contract: a word in health, an object in the status; and its side of a difference"),
    ("late", "the contract: whether a document is; the tax that has another day in the books than its own"),
    ("missing", "the contract: stores in a report, shifts of a day, ids of events in the feed"),
    ("more", "the protocol: whether there is more; how many a list does not name"),
    ("opening", "the contract: what a safe held first; whether an invoice is from before the books"),
    ("parked", "the contract: counted in a status and a digest, listed in the answer to a push"),
    ("payments", "those of a sale; a section of the settings"),
    ("pieces", "the contract: of a returned line they are listed, in a report counted"),
    ("points", "how many; a section of the settings"),
    ("posting", "the contract: how far an older hub's events are posted; what a resolution posts, listed"),
    ("problems", "the contract: listed in a status, counted of the last proof"),
    ("public_key", "the contract: WebAuthn's options; a store's key"),
    ("recounts", "the contract: of a shift they are listed, in a report counted"),
    ("refunds", "the contract: listed in a return, summed in a shift"),
    ("replaced", "characters of a print job are listed; whether a list is of records that are"),
    ("result", "the contract: a word of a digest; what a backup or a check found"),
    ("returns", "sections of the settings: reasons, rules"),
    ("shifts", "those of a day; a section of the settings"),
    ("skus", "the contract: a list in a body, with commas in a query"),
    ("source", "the contract: where a price comes from, in a word; the document behind an entry"),
    ("tax", "an amount; a section of the settings"),
    ("warnings", "documents list them with codes; those of a product's codes are texts"),
];

/// Suffixes that state the type of a field.
const ENDINGS: [(&str, &[&str]); 12] = [
    ("_at", &["date-time"]),
    ("_bp", &["integer"]),
    ("_by", &["string"]),
    ("_cost", &["integer"]),
    ("_count", &["integer"]),
    ("_date", &["date"]),
    ("_days", &["integer"]),
    ("_id", &["string"]),
    ("_ids", &["[string]"]),
    ("_ms", &["integer"]),
    ("_no", &["string", "integer"]),
    ("_qty", &["integer"]),
];

/// Fields whose type does not agree with their suffix.
const NOT_BY_THEIR_ENDING: [(&str, &str); 1] =
    [("expected_at", "the contract's name for the day on which an order is to come")];

#[test]
fn one_thing_has_one_name() {
    let fields = fields();
    for (refused, one) in REFUSED {
        let allowed = |place: &String| {
            NAMED_BY_OTHERS.iter().any(|(schema, names)| names.contains(&refused) && place.contains(schema))
        };
        let places = fields.get(refused).into_iter().flat_map(|types| types.values()).flatten();
        let found: Vec<&String> = places.filter(|place| !allowed(place)).collect();
        assert!(found.is_empty(), "{refused} is called {one} everywhere else: {found:?}");
        let stands = one.split(", ").any(|one| fields.contains_key(one));
        assert!(stands, "{one}, which replaces {refused}, is not used");
    }
}

#[test]
fn one_name_has_one_type() {
    for (name, types) in &fields() {
        let excepted = SEVERAL_TYPES.iter().any(|(excepted, _)| excepted == name);
        assert_eq!(types.len() > 1, excepted, "{name} has these types: {types:#?}");
        assert!(!types.contains_key("any") || name == "payload", "{name} has no type: {types:#?}");
    }
}

#[test]
fn an_ending_says_what_a_field_is() {
    for (name, types) in &fields() {
        if NOT_BY_THEIR_ENDING.iter().any(|(excepted, _)| excepted == name) {
            continue;
        }
        let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        assert!(plain, "{name} is not snake_case");
        for (_, expected) in ENDINGS.iter().filter(|(ending, _)| name.ends_with(ending)) {
            assert!(
                types.keys().all(|kind| expected.contains(&kind.as_str())),
                "{name} should be {expected:?}: {types:#?}"
            );
        }
    }
}

/// A page lists its rows as `items`, except these: single objects with a long list, and a page of the protocol.
const PAGES: [(&str, &str); 3] =
    [("Points", "entries"), ("OpnameDetail", "lines"), ("PullAnswer", "changes")];

#[test]
fn every_page_has_items_and_a_next_cursor() {
    for program in ["store-router", "cloud-hub"] {
        let document = document(program);
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            let Some(properties) = schema["properties"].as_object() else { continue };
            let rows = PAGES.iter().find(|(page, _)| page == name).map_or("items", |(_, rows)| rows);
            let page = properties.contains_key("next_cursor");
            assert!(!page || properties.contains_key(rows), "{program}: {name} has no {rows}");
        }
    }
}

#[test]
fn words_that_a_program_reads_are_in_small_letters() {
    for program in ["store-router", "cloud-hub"] {
        small(&document(program), program);
    }
}

/// Encodings, which have the names of their registry.
const ENCODINGS: [&str; 4] = ["utf-8", "utf-16", "windows-1252", "iso-8859-1"];

fn small(part: &Value, program: &str) {
    match part {
        Value::Object(parts) => {
            for word in
                parts.get("enum").and_then(Value::as_array).into_iter().flatten().chain(parts.get("const"))
            {
                let Some(word) = word.as_str() else { continue };
                // The scope of an API key has two words (`finance:read`), and a list has commas.
                let chars = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                let snake = word.split([':', ',']).all(|part| part.chars().all(chars));
                let small = snake || ENCODINGS.contains(&word);
                // A separator of a file's columns is not a word.
                assert!(small || word.chars().all(|c| c.is_ascii_punctuation()), "{program}: {word}");
            }
            let schemas =
                parts.iter().filter(|(name, _)| !["example", "examples", "headers"].contains(&name.as_str()));
            schemas.for_each(|(_, part)| small(part, program));
        }
        Value::Array(parts) => parts.iter().for_each(|part| small(part, program)),
        _ => {}
    }
}
