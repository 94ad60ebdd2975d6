//! Imports of every file with routes.

pub(crate) use crate::db::failure::Failure;
pub(crate) use crate::http::command::{Changed, Command, FromRequest, Tx, with_body, without_body};
pub(crate) use crate::http::handler::{Answered, Request};
pub(crate) use crate::http::paged_list::{PageOf, PagedList, page_query};
pub(crate) use crate::http::route::{
    ADMIN, EVERYONE, FINANCE, GOODS, PURCHASING, answers, delete, get, patch, post,
};
pub(crate) use crate::state::hub::Hub;
pub(crate) use edge::page::{Cursor, Limit, List, Page};
pub(crate) use edge::{ApiError, Code, Reply, Route, clock};
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Value, json};
