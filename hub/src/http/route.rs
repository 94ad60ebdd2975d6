//! Rows of the nouns' `ROUTES`: method, path, access, description and handler in one place.

use crate::account::user;
use crate::http::command::{Command, command};
use crate::http::paged_list::{PagedList, list};
use crate::state::hub::Hub;
use domain::model::people::user::Role;
use edge::identity::EmptyBody;
use edge::page::List;
use edge::route::Draft;
use edge::{Access, Code, Doc, Handler, Route};
use schemars::JsonSchema;

/// Administrators.
pub const ADMIN: Access = Access::Roles(&[Role::Admin]);
/// Administrators and finance.
pub const FINANCE: Access = Access::Roles(&[Role::Admin, Role::HoFinance]);
/// Administrators and buyers.
pub const PURCHASING: Access = Access::Roles(&[Role::Admin, Role::HoPurchasing]);
/// Administrators, finance and buyers.
pub const GOODS: Access = Access::Roles(&[Role::Admin, Role::HoFinance, Role::HoPurchasing]);
/// All users of head office.
pub const EVERYONE: Access = Access::Roles(&user::ROLES);

/// Example of a list that has no example of an item.
const EMPTY_PAGE: &str = r#"{"items": [], "next_cursor": null}"#;

#[derive(Clone, Copy)]
enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

/// A route without a summary: its path, its callers and the tag of its description.
#[derive(Clone, Copy)]
pub struct Start {
    method: Method,
    path: &'static str,
    access: Access,
    tag: &'static str,
}

/// A route without its answer and handler.
#[derive(Clone, Copy)]
pub struct Row {
    start: Start,
    draft: Draft,
    codes: &'static [Code],
}

/// A route that reads.
pub const fn get(path: &'static str, access: Access, tag: &'static str) -> Start {
    Start { method: Method::Get, path, access, tag }
}

/// A route that changes data.
pub const fn post(path: &'static str, access: Access, tag: &'static str) -> Start {
    Start { method: Method::Post, path, access, tag }
}

/// A route that changes some fields.
pub const fn patch(path: &'static str, access: Access, tag: &'static str) -> Start {
    Start { method: Method::Patch, path, access, tag }
}

/// A route that deletes.
pub const fn delete(path: &'static str, access: Access, tag: &'static str) -> Start {
    Start { method: Method::Delete, path, access, tag }
}

impl Start {
    /// One line for people.
    pub const fn summary(self, summary: &'static str) -> Row {
        Row { start: self, draft: Doc::of(self.tag, summary), codes: &[] }
    }
}

impl Row {
    /// The codes of the route beyond those that follow from its access, body, path and query.
    pub const fn refuses(mut self, codes: &'static [Code]) -> Self {
        self.codes = codes;
        self
    }

    /// Reads the query as `Q`.
    pub const fn query<Q: JsonSchema>(mut self) -> Self {
        self.draft = self.draft.query::<Q>();
        self
    }

    /// A command with a JSON body that answers 200; examples of its body and answer.
    pub const fn command<C>(self, body: &'static str, answer: &'static str) -> Route<Hub>
    where
        C: Command + JsonSchema,
        C::Answer: JsonSchema,
    {
        self.command_of::<C, C>(body, answer)
    }

    /// As [`Row::command`], for a command that is read from its body `B` and checked, or from the path too.
    pub const fn command_of<B, C>(self, body: &'static str, answer: &'static str) -> Route<Hub>
    where
        B: JsonSchema,
        C: Command,
        C::Answer: JsonSchema,
    {
        self.to(self.draft.body::<B>(body).answers::<C::Answer>(answer), command::<C>)
    }

    /// As [`Row::command`]; the body may be omitted.
    pub const fn command_or_default<C>(self, body: &'static str, answer: &'static str) -> Route<Hub>
    where
        C: Command + JsonSchema,
        C::Answer: JsonSchema,
    {
        self.command_or_default_of::<C, C>(body, answer)
    }

    /// As [`Row::command_or_default`], for a command that is read from its body `B` and from the path.
    pub const fn command_or_default_of<B, C>(self, body: &'static str, answer: &'static str) -> Route<Hub>
    where
        B: JsonSchema,
        C: Command,
        C::Answer: JsonSchema,
    {
        self.to(self.draft.optional_body::<B>(body).answers::<C::Answer>(answer), command::<C>)
    }

    /// A command with a JSON body that answers 201; examples of its body and answer.
    pub const fn creates<C>(self, body: &'static str, answer: &'static str) -> Route<Hub>
    where
        C: Command + JsonSchema,
        C::Answer: JsonSchema,
    {
        self.creates_of::<C, C>(body, answer)
    }

    /// As [`Row::creates`], for a command that is read from its body `B` and checked, or from the path too.
    pub const fn creates_of<B, C>(self, body: &'static str, answer: &'static str) -> Route<Hub>
    where
        B: JsonSchema,
        C: Command,
        C::Answer: JsonSchema,
    {
        self.to(self.draft.body::<B>(body).creates::<C::Answer>(answer), command::<C>)
    }

    /// As [`Row::creates_of`]; the body may also be `text/csv` or `application/xml`, and `dry_run` previews it.
    pub const fn creates_from_file<B, C>(self, body: &'static str, answer: &'static str) -> Route<Hub>
    where
        B: JsonSchema,
        C: Command,
        C::Answer: JsonSchema,
    {
        self.to(self.draft.body_csv_or_xml::<B>(body).creates::<C::Answer>(answer).previews(), command::<C>)
    }

    /// A command without a body that answers 200; an example of its answer.
    pub const fn step<C>(self, answer: &'static str) -> Route<Hub>
    where
        C: Command,
        C::Answer: JsonSchema,
    {
        self.to(self.draft.optional_body::<EmptyBody>("{}").answers::<C::Answer>(answer), command::<C>)
    }

    /// A command that imports `text/csv` and answers 200; examples of its file and answer.
    pub const fn imports<C>(self, file: &'static str, answer: &'static str) -> Route<Hub>
    where
        C: Command,
        C::Answer: JsonSchema,
    {
        self.to(self.draft.csv(file).answers::<C::Answer>(answer), command::<C>)
    }

    /// A list, with an example of an item; empty for a description with an empty page.
    pub const fn lists<L: PagedList>(self, item: &'static str) -> Route<Hub> {
        let draft = self.draft.query::<L::Query>();
        let doc = match item.is_empty() {
            true => draft.answers::<List<L::Item>>(EMPTY_PAGE),
            false => draft.lists::<L::Item>(item),
        };
        self.to(doc, list::<L>)
    }

    /// A page `P` with further fields beside its items, read by a handler; examples of an item and of the further
    /// fields.
    pub const fn lists_as<P: JsonSchema>(
        self,
        item: &'static str,
        more: &'static str,
        handler: Handler<Hub>,
    ) -> Route<Hub> {
        self.to(self.draft.lists_as::<P>(item, more), handler)
    }

    /// A handler that answers 200 with a `T`; an example of it.
    pub const fn answers<T: JsonSchema>(self, example: &'static str, handler: Handler<Hub>) -> Route<Hub> {
        self.to(self.draft.answers::<T>(example), handler)
    }

    const fn to(self, doc: Doc, handler: Handler<Hub>) -> Route<Hub> {
        let doc = doc.refuses(self.codes);
        let Start { method, path, access, .. } = self.start;
        match method {
            Method::Get => Route::get(path, access, doc, handler),
            Method::Post => Route::post(path, access, doc, handler),
            Method::Patch => Route::patch(path, access, doc, handler),
            Method::Delete => Route::delete(path, access, doc, handler),
        }
    }
}

/// An async function as a [`Handler`].
macro_rules! answers {
    ($function:path) => {{
        let handler: edge::Handler<$crate::state::hub::Hub> = |request: $crate::http::Request| {
            Box::pin(async { $crate::http::handler::answered(request, $function).await })
        };
        handler
    }};
}
pub(crate) use answers;
