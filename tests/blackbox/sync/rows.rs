//! The rows of each place, item by item from the public lists: those of a store, and those of head office about that
//! store.

use crate::feed::reach::End;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use testkit::Client;
use testkit::audit::items;
use testkit::counter::text;

/// Rows by kind and ID.
pub(super) type Rows = BTreeMap<String, Value>;

/// Fields that only the place itself knows, by kind.
const OWN: [(&str, &[&str]); 4] = [
    // Each place has its own time of the last change of its row.
    ("person", &["updated_at"]),
    // Head office sums pieces and value; only the store knows damaged, reserved and incoming pieces.
    ("stock", &["available", "average_cost", "damaged", "in_transit_in", "reserved", "updated_at"]),
    // A store has the entries that were made there.
    ("points", &["entries", "lifetime_earned", "lifetime_redeemed", "next_cursor"]),
    // Stores do not receive how a supplier is paid and how far its invoices may differ.
    (
        "supplier",
        &[
            "bank_account",
            "default_tax_rate_bp",
            "discount_bp",
            "discount_days",
            "min_order_total",
            "price_tolerance_amount",
            "price_tolerance_bp",
        ],
    ),
];

/// Returns the rows that head office has too, without the fields that only the place itself knows.
pub(super) fn comparable(rows: &Rows) -> Rows {
    let mut rows = rows.clone();
    rows.retain(|key, _| !key.starts_with("transfer "));
    for (key, row) in &mut rows {
        let own = OWN.iter().find(|(kind, _)| key.split(' ').next() == Some(kind));
        let fields = own.map_or(&[][..], |(_, fields)| fields);
        row.as_object_mut()
            .into_iter()
            .for_each(|row| row.retain(|field, _| !fields.contains(&field.as_str())));
    }
    rows
}

/// Returns a line for each row in which two places differ.
pub(super) fn differences(one: (&str, &Rows), other: (&str, &Rows)) -> Vec<String> {
    let keys = one.1.keys().chain(other.1.keys().filter(|key| !one.1.contains_key(*key)));
    let differ = keys.filter(|key| one.1.get(*key) != other.1.get(*key));
    let line = |key: &String| {
        let [here, there] = [one, other].map(|(place, rows)| match rows.get(key) {
            Some(row) => format!("  {place}: {row}"),
            None => format!("  {place}: nothing"),
        });
        format!("{key}\n{here}\n{there}")
    };
    differ.map(line).collect()
}

/// Returns the differences of two stores about transfers between them, which head office does not list.
pub(super) fn between(stores: &[Rows]) -> Vec<String> {
    let mut differ = Vec::new();
    // Each end has its own business date.
    let shared = |row: &Value| {
        let mut row = row.clone();
        row.as_object_mut().unwrap().remove("business_date");
        row
    };
    for (key, row) in stores.iter().flatten().filter(|(key, _)| key.starts_with("transfer ")) {
        for end in ["from_store_id", "to_store_id"] {
            let store = super::company::IDS.iter().position(|id| row[end] == json!(id)).unwrap();
            if stores[store].get(key).map(shared) != Some(shared(row)) {
                differ.push(format!("{key}\n  {row}\n  {end}: {:?}", stores[store].get(key)));
            }
        }
    }
    differ
}

/// Adds the effective price at each of these moments.
fn prices(client: &mut Client, sku: &str, store: &str, moments: &[String], rows: &mut Rows) {
    for at in moments {
        let reply = client.get(&format!("/api/prices/effective?sku={sku}&at={at}{store}"));
        let found = if reply.status == 200 { reply.data(200) } else { json!(reply.status) };
        rows.insert(format!("price {sku} {at}"), found);
    }
}

/// Returns everything that a store shows, with the members of these IDs.
#[track_caller]
pub(super) fn of_store(end: &mut End, admin: &mut Client, members: &[String], moments: &[String]) -> Rows {
    let mut rows = Rows::new();
    for product in items(admin, "/api/pos/products") {
        rows.insert(format!("product {}", text(&product, "sku")), product);
    }
    for stock in items(admin, "/api/stock") {
        let sku = text(&stock, "sku");
        prices(admin, &sku, "", moments, &mut rows);
        rows.insert(format!("stock {sku}"), stock);
    }
    for person in items(admin, "/api/users") {
        rows.insert(format!("person {}", text(&person, "id")), person);
    }
    for id in members {
        let reply = admin.get(&format!("/api/members/{id}"));
        let found = if reply.status == 200 { reply.data(200) } else { json!(reply.status) };
        rows.insert(format!("member {id}"), found);
        let points = admin.get(&format!("/api/members/{id}/points"));
        let found = if points.status == 200 { points.data(200) } else { json!(points.status) };
        rows.insert(format!("points {id}"), found);
    }
    let mut found: Vec<_> =
        items(admin, "/api/members/search?q=member").iter().map(|m| text(m, "member_id")).collect();
    found.sort();
    rows.insert("members found".to_owned(), json!(found));
    for supplier in items(admin, "/api/suppliers") {
        rows.insert(format!("supplier {}", text(&supplier, "supplier_id")), supplier);
    }
    for order in items(admin, "/api/purchase-orders") {
        rows.insert(format!("order {}", text(&order, "po_id")), order);
    }
    for transfer in items(admin, "/api/transfers") {
        rows.insert(format!("transfer {}", text(&transfer, "transfer_id")), transfer);
    }
    let untaken = end.manager.get("/api/sync/status").data(200)["inbound"]["untaken"]["records"].clone();
    rows.insert("not taken in".to_owned(), untaken);
    rows
}

/// Returns the same rows as head office has them. It lists no transfers; those are compared with the other store's.
#[track_caller]
pub(super) fn of_office(office: &mut Client, store: &str, moments: &[String]) -> Rows {
    let mut rows = Rows::new();
    let sums = |office: &mut Client, store: &str, of: &str, id: &str| -> BTreeMap<String, Value> {
        let sums = items(office, &format!("/api/stores/{store}/sums?of={of}"));
        sums.into_iter().map(|sum| (text(&sum, id), sum)).collect()
    };
    let goods = sums(office, store, "stock", "sku");
    let of_store = format!("&store_id={store}");
    for product in items(office, "/api/products") {
        let sku = text(&product, "sku");
        prices(office, &sku, &of_store, moments, &mut rows);
        let settled = office.get(&format!("/api/stores/{store}/products/{sku}/settings")).data(200);
        let level = Some(&settled["reorder_level"]).filter(|level| !level.is_null());
        let sum = |figure: &str| goods.get(&sku).map_or(json!(0), |sum| sum[figure].clone());
        let stock = json!({"sku": sku, "name": product["name"], "in_catalogue": true, "on_hand": sum("on_hand"),
            "value": sum("value"), "reorder_level": level.unwrap_or(&product["reorder_level"]),
            "shelf_place": settled["shelf_place"]});
        rows.insert(format!("stock {sku}"), stock);
        if product["state"] == json!("active") {
            let counts = office.get(&format!("/api/prices/effective?sku={sku}{of_store}")).data(200);
            rows.insert(format!("product {sku}"), at_a_till(&product, &counts["price"], sum("on_hand")));
        }
    }
    for mut person in items(office, &format!("/api/users?store_id={store}")) {
        let about = person.as_object_mut().unwrap();
        about.remove("origin");
        rows.insert(format!("person {}", text(&person, "id")), person);
    }
    let mut found = Vec::new();
    let points = ["S001", "S002", "S003"].map(|store| sums(office, store, "points", "member_id"));
    // An entry names the member for whom it was made. A merged member continues under another ID.
    let ids: BTreeSet<&String> = points.iter().flat_map(|store| store.keys()).collect();
    let going_on: BTreeMap<&str, String> = ids
        .into_iter()
        .map(|id| (id.as_str(), text(&office.get(&format!("/api/members/{id}")).data(200), "member_id")))
        .collect();
    for mut member in items(office, "/api/members") {
        let id = text(&member, "member_id");
        // Time of a change at head office itself; the list alone has it.
        member.as_object_mut().unwrap().remove("changed_at");
        if ["active", "blocked"].contains(&member["state"].as_str().unwrap()) {
            found.push(id.clone());
        }
        let entries = points.iter().flatten().filter(|(key, _)| going_on[key.as_str()] == id);
        let entries = entries.filter_map(|(_, sum)| sum["points"].as_i64());
        let points = json!({"member_id": id, "balance": entries.sum::<i64>(), "pending_sync": 0});
        rows.insert(format!("points {id}"), points);
        rows.insert(format!("member {id}"), member);
    }
    rows.insert("members found".to_owned(), json!(found));
    for supplier in items(office, "/api/suppliers") {
        rows.insert(format!("supplier {}", text(&supplier, "supplier_id")), supplier);
    }
    for order in items(office, &format!("/api/purchase-orders?store_id={store}")) {
        if ["sent", "partially_received"].contains(&order["state"].as_str().unwrap()) {
            rows.insert(format!("order {}", text(&order, "po_id")), order);
        }
    }
    rows.insert("not taken in".to_owned(), json!([]));
    rows
}

/// Returns a product as a till of that store must show it.
fn at_a_till(product: &Value, price: &Value, on_hand: Value) -> Value {
    let barcodes = product["barcodes"].as_array().unwrap();
    let piece = barcodes.iter().find(|code| code["pack_qty"] == json!(1)).or(barcodes.first());
    let rate = Some(&product["tax_rate_bp"]).filter(|rate| !rate.is_null()).cloned();
    json!({"sku": product["sku"], "name": product["name"], "category": product["category"], "price": price,
        "tax_rate_bp": rate.unwrap_or(json!(1_100)), "barcodes": barcodes, "on_hand": on_hand,
        "barcode": piece.map(|code| &code["code"]), "pack_qty": piece.map_or(&json!(1), |code| &code["pack_qty"]),
        "updated_at": product["updated_at"]})
}
