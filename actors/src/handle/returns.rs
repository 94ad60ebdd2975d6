//! Returns: pieces that head office reserved for an abandoned return are released.

use super::StoreHandle;
use crate::owners::shift::PostReturn;
use crate::runtime::failure::{Done, Failure};
use crate::runtime::request::RequestContext;
use domain::rules::selling::returns::NewReturn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use storage::NotWritable;

impl StoreHandle {
    /// Takes goods back, for a sale of this store, another store's receipt, or without a receipt.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::rules::selling::returns::draft`] and [`domain::rules::selling::returns::settle`].
    pub async fn post_return(&self, request: RequestContext, command: NewReturn) -> Result<Done, Failure> {
        self.take_back(request, command, false).await
    }

    /// Previews a return: the refund, and whether it needs approval. Changes nothing.
    ///
    /// # Errors
    /// The errors of [`Self::post_return`], except for a missing approval.
    pub async fn quote_return(&self, request: RequestContext, command: NewReturn) -> Result<Done, Failure> {
        self.take_back(request, command, true).await
    }

    async fn take_back(
        &self,
        request: RequestContext,
        command: NewReturn,
        quote: bool,
    ) -> Result<Done, Failure> {
        let (id, reserved) = (self.context.stamps.id("ret_"), AtomicBool::new(false));
        let posting = Arc::new(PostReturn { id, command, quote, reserved });
        let done = self.run_shared(&Arc::new(request), &posting).await;
        // If it may have been submitted, the reservation stays until the return is reported to the hub.
        let failed = self.context.storage.writable() == Err(NotWritable::Failed);
        let never = done.as_ref().is_err_and(|failure| !matches!(failure, Failure::Unconfirmed(_)));
        if posting.reserved.load(Ordering::Relaxed) && (quote || never) && !failed {
            self.context.release(posting.id.clone());
        }
        done
    }
}
