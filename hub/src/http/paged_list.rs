//! Lists that are read page by page.

use crate::db::failure::Failure;
use crate::http::change::one_more;
use crate::http::filtered_list::FilteredList;
use crate::http::handler::{Answered, Request, answered};
use crate::state::hub::Hub;
use edge::page::{Cursor, Limit, Page};
use edge::{ApiError, Handler, Reply};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::AnyPool;
use std::future::Future;

/// Query parameters of a list: its filters, `limit` and `cursor`.
pub trait PageQuery: DeserializeOwned + JsonSchema + Send + Sync {
    /// Items on a page.
    fn limit(&self) -> Limit;

    /// Cursor of the previous page.
    fn cursor(&self) -> Option<&Cursor>;

    /// Checks the filters before the cursor is read.
    ///
    /// # Errors
    /// 400 `invalid_query`.
    fn check(&self) -> Result<(), ApiError> {
        Ok(())
    }
}

impl PageQuery for Page {
    fn limit(&self) -> Limit {
        self.limit
    }

    fn cursor(&self) -> Option<&Cursor> {
        self.cursor.as_ref()
    }
}

/// A list in the order of a position that no two items share.
pub trait PagedList: Sized + 'static {
    /// Query parameters.
    type Query: PageQuery;
    /// An item.
    type Item: Serialize + JsonSchema + Send;
    /// Position of an item in the list.
    type Position: Serialize + DeserializeOwned + Send;

    /// At most `page.limit` items after `page.after`, or from the beginning of the list.
    ///
    /// # Errors
    /// The list's refusals; the database's.
    fn read(page: PageOf<'_, Self>) -> impl Future<Output = Result<Vec<Self::Item>, Failure>> + Send;

    /// Position of an item.
    fn position(item: &Self::Item) -> Self::Position;
}

/// A page that is read.
pub struct PageOf<'a, L: PagedList> {
    /// The request.
    pub request: &'a Request,
    /// Connections for reads.
    pub pool: &'a AnyPool,
    /// Its query.
    pub query: &'a L::Query,
    /// Position of the previous page's end.
    pub after: Option<L::Position>,
    /// One more than the page holds: it proves that there is more.
    pub limit: i64,
}

/// [`list`] as a [`Handler`], for a row with a different description.
pub const fn handler<L: PagedList>() -> Handler<Hub> {
    list::<L>
}

/// Handler of a list.
pub fn list<L: PagedList>(request: Request) -> BoxFuture<'static, Result<Reply, ApiError>> {
    Box::pin(answered(request, page::<L>))
}

async fn page<L: PagedList>(request: Request) -> Answered {
    let query: L::Query = request.query()?;
    query.check()?;
    let list = FilteredList::of(&request)?;
    let after = list.after(query.cursor())?;
    let limit = one_more(query.limit());
    let items =
        L::read(PageOf { request: &request, pool: request.state.db.pool(), query: &query, after, limit })
            .await?;
    Ok(Reply::ok(&list.cut(items, query.limit(), L::position)))
}

/// Implements [`PageQuery`] for query parameters with the fields `limit` and `cursor`, and `q` if it is named.
macro_rules! page_query {
    ($query:ty $(, $q:ident)?) => {
        impl $crate::http::paged_list::PageQuery for $query {
            fn limit(&self) -> edge::page::Limit {
                self.limit
            }
            fn cursor(&self) -> Option<&edge::page::Cursor> {
                self.cursor.as_ref()
            }
            $(fn check(&self) -> Result<(), edge::ApiError> {
                $crate::http::change::check_q(self.$q.as_deref())
            })?
        }
    };
}
pub(crate) use page_query;
