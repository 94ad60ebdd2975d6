//! The description of a route for the API document. It is written beside the handler, with the types that the handler
//! reads and answers. No route can be made without one.

use super::{BodyKind, Deprecated, Message};
use crate::api::error::Code;
use crate::api::page::List;
use schemars::{JsonSchema, Schema, SchemaGenerator};

/// Tag of pages and of their files, which are not part of the API.
pub(crate) const PAGES: &str = "Pages";

/// Returns the schema of a type, as a reference if it has a name.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A body that a route takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyDoc {
    pub kind: BodyKind,
    /// Schema of the body. `None` for text that is not JSON.
    pub schema: Option<SchemaOf>,
    /// JSON text, or the text itself.
    pub example: &'static str,
}

/// Successful answer of a route.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Success {
    /// `data` in the success envelope, with an example as JSON text.
    Data { status: u16, schema: SchemaOf, example: &'static str },
    /// 200 with a page of items, with examples of one item and of the page's other fields.
    Page { schema: SchemaOf, item: &'static str, more: &'static str },
    /// 200 with a body outside of the envelope, of this media type.
    Text { media_type: &'static str },
}

/// Description without an answer yet.
#[derive(Debug, Clone, Copy)]
pub struct Draft {
    tag: &'static str,
    summary: &'static str,
    body: Option<BodyDoc>,
    query: Option<SchemaOf>,
}

/// The description of a route.
#[derive(Debug, Clone, Copy)]
pub struct Doc {
    pub(crate) tag: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) body: Option<BodyDoc>,
    pub(crate) query: Option<SchemaOf>,
    pub(crate) success: Success,
    /// Other media types of the answer.
    pub(crate) also: &'static [&'static str],
    /// Codes of refusals, beyond those of every such route.
    pub(crate) refusals: &'static [Code],
    /// Reason why no answer is stored under an `Idempotency-Key`.
    pub(crate) unkeyed: Option<&'static str>,
    /// Headers of the answer beyond those of every such route: name, and its component in the document.
    pub(crate) sends: &'static [(&'static str, &'static str)],
    pub(crate) versioned: bool,
    pub(crate) by_ticket: bool,
    pub(crate) by_page: bool,
    pub(crate) reads_key: bool,
    pub(crate) previews: bool,
    pub(crate) deprecated: Option<Deprecated>,
    /// Events of a stream.
    pub(crate) events: &'static [Message],
    /// Request that the program sends to the field `url` of the body.
    pub(crate) calls: Option<Message>,
}

pub(super) fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Doc {
    /// Begins a description: the noun it belongs to, and one line for people.
    pub const fn of(tag: &'static str, summary: &'static str) -> Draft {
        Draft { tag, summary, body: None, query: None }
    }

    /// Names the codes of refusals beyond those that follow from access, body, path and query.
    pub const fn refuses(mut self, codes: &'static [Code]) -> Self {
        self.refusals = codes;
        self
    }

    /// Names the other media types that `Accept` may request.
    pub const fn also(mut self, media_types: &'static [&'static str]) -> Self {
        self.also = media_types;
        self
    }

    /// Marks a change whose answer is not stored under an `Idempotency-Key`, with the reason.
    pub const fn unkeyed(mut self, reason: &'static str) -> Self {
        self.unkeyed = Some(reason);
        self
    }

    /// Marks a change of a versioned resource: `If-Match` names the version that was read.
    pub const fn versioned(mut self) -> Self {
        self.versioned = true;
        self
    }

    /// Admits a request with a query parameter `ticket` in place of a token. The handler checks the ticket.
    pub const fn by_ticket(mut self) -> Self {
        self.by_ticket = true;
        self
    }

    /// Names headers of the answer: name, and its component in the document, for example `Completeness`.
    pub const fn sends(mut self, headers: &'static [(&'static str, &'static str)]) -> Self {
        self.sends = headers;
        self
    }

    /// Marks a log-in that a page may request with `X-Session`.
    pub const fn by_page(mut self) -> Self {
        self.by_page = true;
        self
    }

    /// Marks an unkeyed change that reads the `Idempotency-Key` in a way of its own.
    pub const fn reads_key(mut self) -> Self {
        self.reads_key = true;
        self
    }

    /// Marks a route that answers 200 instead of 201 if the request asks for a preview (`dry_run`).
    pub const fn previews(mut self) -> Self {
        self.previews = true;
        self
    }

    /// Marks the old path of another operation.
    pub const fn deprecated(mut self, deprecated: Deprecated) -> Self {
        self.deprecated = Some(deprecated);
        self
    }

    /// Names the events of a stream, with the schemas of their data.
    pub const fn streams(mut self, events: &'static [Message]) -> Self {
        self.events = events;
        self
    }

    /// Names the request that is sent from then on to the address in the field `url` of the body.
    pub const fn calls(mut self, message: Message) -> Self {
        self.calls = Some(message);
        self
    }

    /// Use of a body by the route.
    pub(crate) const fn body_kind(&self) -> BodyKind {
        match self.body {
            Some(body) => body.kind,
            None => BodyKind::None,
        }
    }
}

impl Draft {
    /// Takes a JSON body, read as `T`, with an example as JSON text.
    pub const fn body<T: JsonSchema>(self, example: &'static str) -> Self {
        self.takes(BodyKind::Json, Some(schema_of::<T>), example)
    }

    /// Takes a JSON body, read as `T`, or no body, which means `{}`.
    pub const fn optional_body<T: JsonSchema>(self, example: &'static str) -> Self {
        self.takes(BodyKind::JsonOptional, Some(schema_of::<T>), example)
    }

    /// Takes a JSON body of at most `bytes`.
    pub const fn body_up_to<T: JsonSchema>(self, bytes: usize, example: &'static str) -> Self {
        self.takes(BodyKind::JsonUpTo(bytes), Some(schema_of::<T>), example)
    }

    /// Takes `text/csv`, as large as an import may be.
    pub const fn csv(self, example: &'static str) -> Self {
        self.takes(BodyKind::Csv, None, example)
    }

    /// Takes a JSON body, read as `T`, or `text/csv`, or `application/xml`, as large as an import may be.
    pub const fn body_csv_or_xml<T: JsonSchema>(self, example: &'static str) -> Self {
        self.takes(BodyKind::JsonCsvOrXml, Some(schema_of::<T>), example)
    }

    const fn takes(mut self, kind: BodyKind, schema: Option<SchemaOf>, example: &'static str) -> Self {
        self.body = Some(BodyDoc { kind, schema, example });
        self
    }

    /// Reads the query as `T`: its fields are the parameters.
    pub const fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(schema_of::<T>);
        self
    }

    /// Answers 200 with `data` of type `T`, with an example as JSON text.
    pub const fn answers<T: JsonSchema>(self, example: &'static str) -> Doc {
        self.done(Success::Data { status: 200, schema: schema_of::<T>, example })
    }

    /// Answers 201 with `Location` and `data` of type `T`, with an example as JSON text.
    pub const fn creates<T: JsonSchema>(self, example: &'static str) -> Doc {
        self.done(Success::Data { status: 201, schema: schema_of::<T>, example })
    }

    /// Answers 200 with a page of `T`s, with an example of one as JSON text.
    pub const fn lists<T: JsonSchema>(self, item: &'static str) -> Doc {
        self.lists_as::<List<T>>(item, "{}")
    }

    /// Answers 200 with a page `L`, with examples of an item and of the page's other fields as JSON texts.
    pub const fn lists_as<L: JsonSchema>(self, item: &'static str, more: &'static str) -> Doc {
        self.done(Success::Page { schema: schema_of::<L>, item, more })
    }

    /// Answers 200 outside of the envelope, for example `text/html`.
    pub const fn answers_text(self, media_type: &'static str) -> Doc {
        self.done(Success::Text { media_type })
    }

    const fn done(self, success: Success) -> Doc {
        let Self { tag, summary, body, query } = self;
        Doc {
            tag,
            summary,
            body,
            query,
            success,
            also: &[],
            refusals: &[],
            unkeyed: None,
            sends: &[],
            versioned: false,
            by_ticket: false,
            by_page: false,
            reads_key: false,
            previews: false,
            deprecated: None,
            events: &[],
            calls: None,
        }
    }
}
