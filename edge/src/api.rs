//! Routes with their input and output: requests, replies, errors, pages, the document.

pub mod docs;
pub mod error;
pub mod event_stream;
pub mod figures;
pub mod openapi;
pub mod page;
pub mod query;
pub mod rate_limit;
pub mod reply;
pub mod request;
pub mod route;
pub(crate) mod router;
