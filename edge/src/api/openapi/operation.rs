//! One operation: a row of the table as an OpenAPI object.

use super::names::{operation_id, singular};
use super::{DocumentError, Info, Refusals, Schemas, fields, inline, name};
use crate::api::route::{Access, BodyKind, Message, Route, SchemaOf, Success};
use domain::model::people::user::Role;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Longest title of an operation, in bytes.
const TITLE: usize = 60;

/// A route as an operation.
pub fn of<S>(
    route: &Route<S>,
    info: &Info,
    schemas: &mut Schemas,
    refusals: &mut Refusals,
) -> Result<Value, DocumentError> {
    let mut operation = Map::new();
    let mut add = |key: &str, value: Value| operation.insert(key.to_owned(), value);
    add("operationId", operation_id(route).into());
    add("tags", json!([route.doc.tag]));
    add("summary", title(route.doc.summary).into());
    add("description", description(route).into());
    if route.doc.deprecated.is_some() {
        add("deprecated", true.into());
    }
    let security =
        if route.doc.by_ticket { json!([{"bearer": []}, {"ticket": []}]) } else { security(&route.access) };
    add("security", security);
    if let Some(roles) = roles(&route.access) {
        add("x-roles", roles.into());
    }
    if route.mutates {
        add("x-idempotency", if route.keyed() { "stored" } else { "none" }.into());
    }
    if let Some(reason) = route.doc.unkeyed {
        add("x-idempotency-reason", reason.into());
    }
    add("parameters", parameters(route, info, schemas));
    if let Some(body) = request_body(route, schemas)? {
        add("requestBody", body);
    }
    let mut responses: Map<String, Value> = refusals
        .of(&route.codes())
        .into_iter()
        .map(|(status, answer)| (status.to_string(), answer))
        .collect();
    let (status, success) = success(route, schemas)?;
    if route.doc.previews {
        let mut preview = success.clone();
        if let Some(preview) = preview.as_object_mut() {
            preview.insert("description".to_owned(), "Preview: nothing was changed.".into());
            preview
                .get_mut("headers")
                .and_then(Value::as_object_mut)
                .map(|headers| headers.remove("Location"));
        }
        responses.insert("200".to_owned(), preview);
    }
    responses.insert(status.to_string(), success);
    add("responses", responses.into());
    if !route.doc.events.is_empty() {
        add("x-events", events(route.doc.events));
    }
    if let Some(message) = route.doc.calls {
        add("callbacks", callback(message, schemas));
    }
    Ok(operation.into())
}

/// The schemas of a stream's events, by name. They are whole, because linters do not see references in an extension.
fn events(events: &[Message]) -> Value {
    let mut generator = inline(SchemaSettings::for_serialize);
    Value::Object(
        events.iter().map(|event| (event.name.to_owned(), (event.schema)(&mut generator).into())).collect(),
    )
}

/// The request to the address that the body of the operation has in its field `url`.
fn callback(message: Message, schemas: &mut Schemas) -> Value {
    let schema: Value = (message.schema)(&mut schemas.written).into();
    json!({message.name: {"{$request.body#/url}": {"post": {
        "summary": "Receive an event",
        "security": [],
        "description": "The hub sends this request to the address of the webhook. The headers `webhook-id`, \
            `webhook-timestamp` and `webhook-signature` are those of Standard Webhooks.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": schema}}},
        "responses": {
            "2XX": {"description": "Stored."},
            "4XX": {"description": "A failed attempt, which is repeated; 410 pauses the webhook."},
            "5XX": {"description": "A failed attempt, which is repeated."},
        },
    }}}})
}

/// The beginning of a summary that is too long for a title: its first clause, or as much as fits up to a comma.
fn title(summary: &str) -> &str {
    if summary.len() <= TITLE {
        return summary;
    }
    let start = summary.get(..TITLE.saturating_add(", ".len())).unwrap_or(summary);
    let clause = [". ", "; ", ": "].iter().filter_map(|mark| start.find(mark)).min();
    clause.or_else(|| start.rfind(", ")).and_then(|end| summary.get(..end)).unwrap_or(summary)
}

/// The summary as sentences, and the roles that may call the operation.
fn description<S>(route: &Route<S>) -> String {
    let roles = match roles(&route.access) {
        Some(roles) => format!("Roles: {}.", roles.join(", ")),
        None if matches!(route.access, Access::SyncToken) => "For enrolled stores.".to_owned(),
        None => "No token is needed.".to_owned(),
    };
    let old = route.doc.deprecated.map(|old| {
        format!("\n\nDeprecated: use `{}`. This path works until {} at least.", old.successor, old.sunset)
    });
    format!("{}.\n\n{roles}{}", route.doc.summary.trim_end_matches('.'), old.unwrap_or_default())
}

fn security(access: &Access) -> Value {
    match access {
        Access::Public => json!([]),
        Access::LoopbackOr(_) | Access::CookieOr(_) => json!([{}, {"bearer": []}]),
        Access::Roles(_) => json!([{"bearer": []}]),
        Access::SyncToken => json!([{"sync": []}]),
    }
}

fn roles(access: &Access) -> Option<Vec<&'static str>> {
    match access {
        Access::LoopbackOr(roles) | Access::Roles(roles) | Access::CookieOr(roles) => {
            Some(roles.iter().copied().map(Role::name).collect())
        }
        Access::Public | Access::SyncToken => None,
    }
}

fn parameters<S>(route: &Route<S>, info: &Info, schemas: &mut Schemas) -> Value {
    let mut parameters: Vec<Value> = Vec::new();
    for (before, segment) in route.pattern.split('/').zip(route.pattern.split('/').skip(1)) {
        if let Some(name) = segment.strip_prefix(':') {
            let schema = json!({"type": "string", "minLength": 1, "maxLength": 256});
            let description = path_parameter(name, before);
            parameters.push(json!({
                "name": name, "in": "path", "required": true, "schema": schema, "description": description,
            }));
        }
    }
    if let Some(query) = route.doc.query {
        let schema = query(&mut schemas.query);
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for (name, field) in fields(&schema) {
            let required = required.contains(&json!(name));
            parameters.push(parameter(&name, required, field));
        }
    }
    if info.has_registers && matches!(route.access, Access::Roles(_) | Access::CookieOr(_)) {
        parameters.push(json!({"$ref": "#/components/parameters/RegisterId"}));
    }
    if route.keyed() || route.doc.reads_key {
        parameters.push(json!({"$ref": "#/components/parameters/IdempotencyKey"}));
    }
    if route.doc.versioned {
        parameters.push(json!({"$ref": "#/components/parameters/IfMatch"}));
    }
    if route.doc.by_ticket {
        parameters.push(json!({"$ref": "#/components/parameters/LastEventId"}));
    }
    if route.doc.by_page || matches!(route.access, Access::CookieOr(_)) {
        parameters.push(json!({"$ref": "#/components/parameters/Session"}));
    }
    parameters.into()
}

/// Description of a part of a path, from its name and the part before it.
fn path_parameter(name: &str, before: &str) -> String {
    let noun = match before {
        "opname" => "stock count".to_owned(),
        "receiving" => "receipt of goods".to_owned(),
        "journal" => "entry".to_owned(),
        "set-aside" => "row".to_owned(),
        other => singular(other).replace('-', " "),
    };
    match name {
        "sku" => "SKU of the product.".to_owned(),
        "date" => "Business date, as `YYYY-MM-DD`.".to_owned(),
        "month" => "Month, as `YYYY-MM`.".to_owned(),
        "store_id" => "ID of the store.".to_owned(),
        "account" | "line_no" | "receipt_no" => format!("Number of the {noun}."),
        "code" | "tax_code" => format!("Code of the {noun}."),
        "list" => "Name of the list.".to_owned(),
        "name" | "method" | "tier" => format!("Name of the {noun}."),
        _ => format!("ID of the {noun}."),
    }
}

/// A field of a query: a parameter is given or omitted, so it is never null.
fn parameter(name: &str, required: bool, mut schema: Value) -> Value {
    let description = schema.as_object_mut().and_then(|schema| {
        schema
            .remove("default")
            .filter(|value| !value.is_null())
            .and_then(|value| schema.insert("default".to_owned(), value));
        if let Some(Value::Array(types)) = schema.get("type").cloned()
            && let [one, Value::String(null)] = types.as_slice()
            && null == "null"
        {
            schema.insert("type".to_owned(), one.clone());
        }
        if let Some(Value::Array(options)) = schema.get("anyOf").cloned()
            && let [Value::Object(one), _] = options.as_slice()
        {
            schema.remove("anyOf");
            schema.extend(one.clone());
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
        schema.remove("description")
    });
    let mut parameter = json!({"name": name, "in": "query", "required": required, "schema": schema});
    if let (Some(description), Some(fields)) = (description, parameter.as_object_mut()) {
        fields.insert("description".to_owned(), description);
    }
    parameter
}

fn request_body<S>(route: &Route<S>, schemas: &mut Schemas) -> Result<Option<Value>, DocumentError> {
    let Some(body) = route.doc.body else { return Ok(None) };
    let required = body.kind != BodyKind::JsonOptional;
    let (media_type, schema, example) = match body.schema {
        Some(schema) => {
            ("application/json", schema(&mut schemas.read).into(), parse(route, "body", body.example)?)
        }
        None => ("text/csv", json!({"type": "string"}), body.example.into()),
    };
    let mut content = json!({media_type: {"schema": schema, "example": example}});
    if let (BodyKind::JsonCsvOrXml, Some(content)) = (body.kind, content.as_object_mut()) {
        for media_type in ["text/csv", "application/xml"] {
            content.insert(media_type.to_owned(), json!({"schema": {"type": "string"}}));
        }
    }
    Ok(Some(json!({"required": required, "content": content})))
}

fn success<S>(route: &Route<S>, schemas: &mut Schemas) -> Result<(u16, Value), DocumentError> {
    let mut headers = json!({
        "X-Request-Id": {"$ref": "#/components/headers/RequestId"},
        "API-Version": {"$ref": "#/components/headers/ApiVersion"},
        "X-Build": {"$ref": "#/components/headers/Build"},
    });
    let mut header = |name: &str, component: &str| {
        if let Some(headers) = headers.as_object_mut() {
            headers.insert(name.to_owned(), json!({"$ref": format!("#/components/headers/{component}")}));
        }
    };
    if route.keyed() {
        header("Idempotency-Replayed", "IdempotencyReplayed");
    }
    if route.doc.deprecated.is_some() {
        header("Deprecation", "Deprecation");
        header("Sunset", "Sunset");
        header("Link", "Link");
    }
    if route.counts_attempts(false) {
        header("RateLimit-Policy", "RateLimitPolicy");
        header("RateLimit", "RateLimit");
    }
    for (name, component) in route.doc.sends {
        header(name, component);
    }
    let (status, mut content) = match route.doc.success {
        Success::Data { status, schema, example } => {
            (status, enveloped(schema, parse(route, "answer", example)?, schemas))
        }
        Success::Page { schema, item, more } => {
            let mut page = json!({"items": [parse(route, "answer", item)?], "next_cursor": null});
            if let (Some(page), Value::Object(more)) = (page.as_object_mut(), parse(route, "page", more)?) {
                page.extend(more);
            }
            (200, enveloped(schema, page, schemas))
        }
        Success::Text { media_type } => (200, json!({media_type: of_file(media_type)})),
    };
    if status == 201 {
        header("Location", "Location");
    }
    for media_type in route.doc.also {
        if let Some(content) = content.as_object_mut() {
            content.insert((*media_type).to_owned(), of_file(media_type));
        }
    }
    let description = if status == 201 { "Created." } else { "Done." };
    Ok((status, json!({"description": description, "headers": headers, "content": content})))
}

/// Content that is not the API's own: a document of any shape, or text.
fn of_file(media_type: &str) -> Value {
    let kind = if media_type == "application/json" { "object" } else { "string" };
    json!({"schema": {"type": kind}})
}

fn enveloped(schema: SchemaOf, data: Value, schemas: &mut Schemas) -> Value {
    let of_data: Value = schema(&mut schemas.written).into();
    let schema = json!({
        "type": "object",
        "required": ["success", "data"],
        "properties": {"success": {"type": "boolean", "const": true}, "data": of_data},
        "additionalProperties": false,
    });
    json!({"application/json": {"schema": schema, "example": {"success": true, "data": data}}})
}

fn parse<S>(route: &Route<S>, part: &'static str, example: &str) -> Result<Value, DocumentError> {
    serde_json::from_str(example).map_err(|error| DocumentError::Example {
        operation: name(&route.method, route),
        part,
        problem: error.to_string(),
    })
}
