//! A receipt that comes back, another store's or the asking one's: checked, and its pieces reserved
//! (docs/decisions/0010-receipts-of-another-store.md).

use crate::db::failure::Failure;
use crate::http::{Answered, Request};
use crate::store_api::reservation;
use crate::table::{alarm, store};
use domain::wire::sync::{ReleaseReceipt, ReleasedReceipt, ReserveReceipt, ReservedReceipt};
use edge::{Code, Doc, Reply, clock};

/// Alarm of a store that reserves for more returns than a shop has tills.
const TOO_MANY: &str =
    "it reserved pieces for 64 returns at once: if its tills did not, somebody else has its key";

pub const RESERVE: Doc =
    Doc::of("Store protocol", "Reserve pieces of a sale for a return, and read earlier returns of it")
        .body::<ReserveReceipt>(
            r#"{"return_id": "ret_019ab2c4d5e6", "receipt_no": "S002-till-1-00000042",
            "items": [{"sku": "8991234567890", "qty": 1}]}"#,
        )
        .answers::<ReservedReceipt>(include_str!("examples/reserved_receipt.json"))
        .unkeyed("the return ID is the key: a repeated request reserves the same pieces only once")
        .refuses(&[Code::ReturnExceedsSold, Code::RateLimited]);
pub const RELEASE: Doc =
    Doc::of("Store protocol", "Release reserved pieces of a sale: the return was not made")
        .body::<ReleaseReceipt>(r#"{"return_id": "ret_019ab2c4d5e6"}"#)
        .answers::<ReleasedReceipt>(r#"{"hub_time": "2026-11-20T02:06:34.739Z"}"#)
        .unkeyed("the return ID is the key: a repeated request changes nothing");

/// `POST /api/sync/receipts/reserve`
pub async fn reserve(request: Request) -> Answered {
    let ask: ReserveReceipt = request.json()?;
    let now = clock::now();
    let mut write = request.state.db.write().await?;
    let store_id = request.caller()?.store_id.as_str();
    let reserved = reservation::reserve(&mut write, store_id, &ask, now).await;
    let reserved = match reserved {
        Err(Failure::Refused(refused)) if refused.code == Code::RateLimited => {
            // Nothing was reserved; the count of requests stays.
            drop(write);
            let mut write = request.state.db.write().await?;
            alarm::raise(&mut write, store_id, alarm::RESERVATIONS, TOO_MANY, now).await?;
            write.commit().await?;
            return Err(refused.into());
        }
        reserved => reserved?,
    };
    write.commit().await?;
    let reservation::Reserved { transaction, taken } = reserved;
    store::may_hear(request.state.db.pool(), store_id).await?;
    Ok(Reply::ok(&ReservedReceipt { transaction, taken, hub_time: now }))
}

/// `POST /api/sync/receipts/release`
pub async fn release(request: Request) -> Answered {
    let ask: ReleaseReceipt = request.json()?;
    let mut write = request.state.db.write().await?;
    let store_id = request.caller()?.store_id.as_str();
    reservation::release(&mut write, store_id, ask.return_id.as_str()).await?;
    write.commit().await?;
    Ok(Reply::ok(&ReleasedReceipt { hub_time: clock::now() }))
}
