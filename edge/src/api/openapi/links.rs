//! Links from a list, or from the answer to a created document, to the operations of one of its documents: the answer's
//! ID is their path parameter.

use super::names::singular;
use serde_json::{Map, Value, json};

/// An answer that has the IDs of documents.
struct Source {
    /// JSON pointer of the answer in the document.
    answer: String,
    /// Last part of the path, for example `purchase-orders`.
    collection: String,
    /// Path of the collection.
    path: String,
    /// Runtime expression of the object with the ID.
    object: &'static str,
    /// Names of the object's fields.
    fields: Vec<String>,
}

/// Adds the links to the answers.
pub fn add(document: &mut Value) {
    let Some(paths) = document.get("paths").and_then(Value::as_object) else { return };
    let sources: Vec<Source> =
        paths.iter().flat_map(|(path, methods)| sources(document, path, methods)).collect();
    let linked: Vec<(String, Map<String, Value>)> =
        sources.into_iter().map(|source| (source.answer.clone(), links(paths, &source))).collect();
    for (answer, links) in linked.into_iter().filter(|(_, links)| !links.is_empty()) {
        if let Some(Value::Object(answer)) = document.pointer_mut(&answer) {
            answer.insert("links".to_owned(), links.into());
        }
    }
}

/// The answers of a path that have IDs: a list, or the created document.
fn sources(document: &Value, path: &str, methods: &Value) -> Vec<Source> {
    let Some((_, collection)) = path.rsplit_once('/').filter(|_| !path.contains('{')) else {
        return Vec::new();
    };
    let source = |(method, status, object): (&str, &str, &'static str)| {
        let schema = format!("/{method}/responses/{status}/content/application~1json/schema/properties/data");
        let mut schema = resolved(document, methods.pointer(&schema)?)?;
        if method == "get" {
            schema = resolved(document, schema.pointer("/properties/items")?)?;
            schema = resolved(document, schema.get("items")?)?;
        }
        let fields = schema.get("properties")?.as_object()?.keys().cloned().collect();
        let answer = format!("/paths/{}/{method}/responses/{status}", path.replace('/', "~1"));
        Some(Source { answer, collection: collection.to_owned(), path: path.to_owned(), object, fields })
    };
    [("get", "200", "/data/items/0"), ("post", "201", "/data")].into_iter().filter_map(source).collect()
}

/// The schema that a reference names, or the schema itself.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => document.pointer(reference.trim_start_matches('#')),
        None => Some(schema),
    }
}

/// Links to the operations below the path that have one parameter, by the name of the operation.
fn links(paths: &Map<String, Value>, source: &Source) -> Map<String, Value> {
    let mut links = Map::new();
    for (path, methods) in paths {
        let Some(parameter) = parameter_below(path, &source.path) else { continue };
        let Some(field) = field(parameter, source) else { continue };
        let expression = format!("$response.body#{}/{field}", source.object);
        for operation in methods.as_object().into_iter().flat_map(Map::values) {
            if let Some(Value::String(id)) = operation.get("operationId") {
                let link = json!({"operationId": id, "parameters": {parameter: expression}});
                links.insert(id.clone(), link);
            }
        }
    }
    links
}

/// The only parameter of a path below another one: `id` of `/api/members/{id}/points` below `/api/members`.
fn parameter_below<'a>(path: &'a str, above: &str) -> Option<&'a str> {
    let (parameter, rest) = path.strip_prefix(above)?.strip_prefix("/{")?.split_once('}')?;
    (!rest.contains('{')).then_some(parameter)
}

/// The field with the value of a parameter: the one of that name, or `business_date` for `date`, or for `id` the ID of the
/// noun: `member_id` of members, `match_id` of settlement matches, `po_id` of purchase orders.
fn field<'a>(parameter: &'a str, source: &'a Source) -> Option<&'a str> {
    let noun = singular(&source.collection).replace('-', "_");
    let initials: String = noun.split('_').filter_map(|word| word.chars().next()).collect();
    let is_of_noun = |stem: &str| stem == initials || noun == stem || noun.ends_with(&format!("_{stem}"));
    let names = || source.fields.iter().map(String::as_str);
    let is_id = |name: &&str| parameter == "id" && name.strip_suffix("_id").is_some_and(is_of_noun);
    let is_date = |name: &&str| parameter == "date" && *name == "business_date";
    names().find(is_id).or_else(|| names().find(|name| *name == parameter)).or_else(|| names().find(is_date))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    /// Links of a list whose items have these fields, in a document with these other paths.
    fn linked(list: &str, item: &Value, below: &[&str]) -> Option<Value> {
        let items = json!({"type": "array", "items": {"$ref": "#/components/schemas/Item"}});
        let data = json!({"type": "object", "properties": {"items": items}});
        let content = json!({"application/json": {"schema": {"properties": {"data": data}}}});
        let operation = |id: &str| json!({"operationId": id, "responses": {"200": {"content": content}}});
        let paths: Map<String, Value> = std::iter::once(&list)
            .chain(below)
            .map(|path| ((*path).to_owned(), json!({"get": operation(path)})))
            .collect();
        let mut document = json!({"paths": paths, "components": {"schemas": {"Item": {"properties": item}}}});
        super::add(&mut document);
        document.pointer(&format!("/paths/{}/get/responses/200/links", list.replace('/', "~1"))).cloned()
    }

    #[test]
    fn a_list_links_to_the_operations_of_its_documents() {
        for (list, field, path, parameter) in [
            ("/api/members", "member_id", "/api/members/{id}/points", "id"),
            ("/api/purchase-orders", "po_id", "/api/purchase-orders/{id}", "id"),
            ("/api/settlement-matches", "match_id", "/api/settlement-matches/{id}/undo", "id"),
            ("/api/users", "id", "/api/users/{id}", "id"),
            ("/api/products", "sku", "/api/products/{sku}", "sku"),
            ("/api/days", "business_date", "/api/days/{date}/seal", "date"),
        ] {
            let item = json!({"approved_by": {}, "supplier_id": {}, field: {}});
            let expression = format!("$response.body#/data/items/0/{field}");
            let link = json!({path: {"operationId": path, "parameters": {parameter: expression}}});
            assert_eq!(linked(list, &item, &[path]), Some(link));
        }
    }

    #[test]
    fn other_paths_are_not_linked() {
        let item = json!({"member_id": {}});
        let other = [
            "/api/members/{id}/devices/{device_id}",
            "/api/members/search",
            "/api/tiers/{tier}",
            "/api/member",
        ];
        assert_eq!(linked("/api/members", &item, &other), None);
    }
}
