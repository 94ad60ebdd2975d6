//! Goods documents of stores other than sales: receipts, supplier returns, transfers, adjustments, counts.

use crate::http::change::one_more;
use crate::http::filtered_list::FilteredList;
use crate::http::route::{GOODS, answers};
use crate::http::{Answered, Request};
use crate::office::documents::entries::OfStore;
use crate::office::goods::goods_document::{self, Kind, LatestRecord};
use crate::office::goods::receipt::{self, ReceivingQuery};
use crate::office::goods::receiving_discrepancy::{self, DiscrepanciesQuery};
use crate::office::goods::stock_document::{
    self, AdjustmentsQuery, CountedOpname, Detail, OpnamesQuery, SupplierReturnsQuery, View, adjustment,
};
use crate::office::goods::transfer_document::{self, TransfersQuery};
use crate::office::reports::completeness::{self, CompleteList};
use crate::state::hub::Hub;
use domain::model::inventory::adjustment::Adjustment;
use domain::model::inventory::opname::{Opname, OpnameState};
use domain::model::inventory::supplier_return::SupplierReturn;
use domain::rules::inventory::transfer::{TransferView, view};
use domain::wire::record::{AdjustmentPosted, OpnamePosted, ReceivingPosted, SupplierReturnPosted};
use edge::page::List;
use edge::{ApiError, Doc, Reply, Route, clock};

pub const ROUTES: &[Route<Hub>] = &[
    Route::get("/api/receiving", GOODS, RECEIPTS, answers!(receipts)),
    Route::get("/api/receiving/discrepancies", GOODS, DISCREPANCIES, answers!(discrepancies)),
    Route::get("/api/receiving/:id", GOODS, RECEIPT, answers!(receipt)),
    Route::get("/api/supplier-returns", GOODS, SUPPLIER_RETURNS, answers!(supplier_returns)),
    Route::get("/api/supplier-returns/:id", GOODS, SUPPLIER_RETURN, answers!(supplier_return)),
    Route::get("/api/transfers", GOODS, TRANSFERS, answers!(transfers)),
    Route::get("/api/transfers/:id", GOODS, TRANSFER, answers!(transfer)),
    Route::get("/api/adjustments", GOODS, ADJUSTMENTS, answers!(adjustments)),
    Route::get("/api/adjustments/:id", GOODS, ADJUSTMENT, answers!(one_adjustment)),
    Route::get("/api/opname", GOODS, OPNAMES, answers!(opnames)),
    Route::get("/api/opname/:id", GOODS, OPNAME, answers!(opname)),
];

const GROUP: &str = "Goods of stores";

pub const RECEIPTS: Doc = Doc::of(GROUP, "List receipts of goods of all stores, newest first")
    .query::<ReceivingQuery>()
    .lists::<receipt::View>(include_str!("examples/receiving_listed.json"));
pub const RECEIPT: Doc =
    Doc::of(GROUP, "Retrieve a receipt of goods, with its invoices and its state in the books")
        .query::<OfStore>()
        .answers::<receipt::Detail>(include_str!("examples/receiving.json"));
pub const DISCREPANCIES: Doc =
    Doc::of(GROUP, "List receipt lines that differ from their order, newest first")
        .query::<DiscrepanciesQuery>()
        .lists_as::<CompleteList<receiving_discrepancy::View>>(
            r#"{"kind": "price", "receiving_id": "rcv_019aa0a0b1c27d3e", "line_no": 1, "store_id": "S001",
                "business_date": "2026-11-20", "supplier_id": "sup_019a9f11b2c3", "po_id": "po_019aa0d0b1c2",
                "sku": "8991234567890", "ordered_qty": 120, "received_qty": 60, "rejected_qty": 0,
                "order_cost": 10000, "unit_cost": 10500, "value": 30000}"#,
            completeness::EXAMPLE,
        );
pub const SUPPLIER_RETURNS: Doc = Doc::of(GROUP, "List supplier returns of all stores, newest first")
    .query::<SupplierReturnsQuery>()
    .lists::<View<SupplierReturn>>(include_str!("examples/supplier_return_listed.json"));
pub const SUPPLIER_RETURN: Doc = Doc::of(GROUP, "Retrieve a supplier return and its state in the books")
    .query::<OfStore>()
    .answers::<Detail<SupplierReturn>>(include_str!("examples/supplier_return.json"));
pub const TRANSFERS: Doc = Doc::of(GROUP, "List transfers between stores, newest first")
    .query::<TransfersQuery>()
    .lists::<TransferView>(include_str!("examples/transfer_listed.json"));
pub const TRANSFER: Doc = Doc::of(GROUP, "Retrieve a transfer, and its state in the books of both stores")
    .answers::<transfer_document::Detail>(include_str!("examples/transfer.json"));
pub const ADJUSTMENTS: Doc = Doc::of(GROUP, "List stock adjustments of all stores, newest first")
    .query::<AdjustmentsQuery>()
    .lists::<View<Adjustment>>(include_str!("examples/adjustment_listed.json"));
pub const ADJUSTMENT: Doc = Doc::of(GROUP, "Retrieve a stock adjustment and its state in the books")
    .query::<OfStore>()
    .answers::<Detail<Adjustment>>(include_str!("examples/adjustment.json"));
pub const OPNAMES: Doc = Doc::of(
    GROUP,
    "List posted stock counts of all stores, newest first; with `state`, list stock counts of warehouses",
)
.query::<OpnamesQuery>()
.lists::<View<Opname>>(include_str!("examples/opname_listed.json"));
pub const OPNAME: Doc = Doc::of(GROUP, "Retrieve a stock count, with its lines and its state in the books")
    .query::<OfStore>()
    .answers::<Detail<CountedOpname>>(include_str!("examples/opname.json"));

/// `GET /api/receiving`
pub async fn receipts(request: Request) -> Answered {
    let (ask, pool): (ReceivingQuery, _) = (request.query()?, request.state.db.pool());
    let list = FilteredList::of(&request)?;
    let reported: Vec<LatestRecord<ReceivingPosted>> =
        goods_document::list(pool, &ask.filter(), list.after(ask.cursor.as_ref())?, one_more(ask.limit))
            .await?;
    let List { items, next_cursor } = list.cut(reported, ask.limit, |reported| reported.place.clone());
    Ok(Reply::ok(&List { items: receipt::views(pool, items).await?, next_cursor }))
}

/// `GET /api/receiving/:id`
pub async fn receipt(request: Request) -> Answered {
    let (of, pool): (OfStore, _) = (request.query()?, request.state.db.pool());
    let found = receipt::read(pool, request.param("id"), &of).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the receipt"))?))
}

/// `GET /api/receiving/discrepancies`
pub async fn discrepancies(request: Request) -> Answered {
    let ask: DiscrepanciesQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items =
        receiving_discrepancy::list(&mut read, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit))
            .await?;
    let page = list.cut(items, ask.limit, receiving_discrepancy::place);
    let days = (ask.store_id.as_deref(), ask.from, ask.to);
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

/// `GET /api/supplier-returns`
pub async fn supplier_returns(request: Request) -> Answered {
    let (ask, pool): (SupplierReturnsQuery, _) = (request.query()?, request.state.db.pool());
    let list = FilteredList::of(&request)?;
    let reported =
        goods_document::list(pool, &ask.filter(), list.after(ask.cursor.as_ref())?, one_more(ask.limit))
            .await?;
    let List { items, next_cursor } = list.cut(reported, ask.limit, |reported| reported.place.clone());
    let view = |reported: LatestRecord<SupplierReturnPosted>| {
        View::new(reported.payload.document, reported.event_id)
    };
    Ok(Reply::ok(&List { items: items.into_iter().map(view).collect(), next_cursor }))
}

/// `GET /api/supplier-returns/:id`
pub async fn supplier_return(request: Request) -> Answered {
    let (of, pool): (OfStore, _) = (request.query()?, request.state.db.pool());
    let document = |reported: SupplierReturnPosted, _| reported.document;
    let at = (Kind::SupplierReturn, request.param("id"));
    let found = stock_document::read(pool, at, &of, document).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the supplier return"))?))
}

/// `GET /api/transfers`
pub async fn transfers(request: Request) -> Answered {
    let (ask, pool): (TransfersQuery, _) = (request.query()?, request.state.db.pool());
    let list = FilteredList::of(&request)?;
    let found =
        transfer_document::list(pool, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let List { items, next_cursor } = list.cut(found, ask.limit, transfer_document::place);
    Ok(Reply::ok(&List { items: items.iter().map(|(_, transfer)| view(transfer)).collect(), next_cursor }))
}

/// `GET /api/transfers/:id`
pub async fn transfer(request: Request) -> Answered {
    let found = transfer_document::read(request.state.db.pool(), request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the transfer"))?))
}

/// `GET /api/adjustments`
pub async fn adjustments(request: Request) -> Answered {
    let (ask, pool): (AdjustmentsQuery, _) = (request.query()?, request.state.db.pool());
    let list = FilteredList::of(&request)?;
    let reported =
        goods_document::list(pool, &ask.filter(), list.after(ask.cursor.as_ref())?, one_more(ask.limit))
            .await?;
    let List { items, next_cursor } = list.cut(reported, ask.limit, |reported| reported.place.clone());
    let view = |reported: LatestRecord<AdjustmentPosted>| {
        View::new(adjustment(reported.payload, reported.place.0), reported.event_id)
    };
    Ok(Reply::ok(&List { items: items.into_iter().map(view).collect(), next_cursor }))
}

/// `GET /api/adjustments/:id`
pub async fn one_adjustment(request: Request) -> Answered {
    let (of, pool): (OfStore, _) = (request.query()?, request.state.db.pool());
    let at = (Kind::Adjustment, request.param("id"));
    let found = stock_document::read(pool, at, &of, adjustment).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the adjustment"))?))
}

/// `GET /api/opname`
pub async fn opnames(request: Request) -> Answered {
    let (ask, pool): (OpnamesQuery, _) = (request.query()?, request.state.db.pool());
    let list = FilteredList::of(&request)?;
    if ask.state.is_some_and(|state| state != OpnameState::Posted) {
        let found = stock_document::counts_under_way(
            pool,
            &ask,
            list.after(ask.cursor.as_ref())?,
            one_more(ask.limit),
        )
        .await?;
        let List { items, next_cursor } = list.cut(found, ask.limit, stock_document::count_place);
        let items: Vec<View<Opname>> =
            items.into_iter().map(|opname| View::new(opname, String::new())).collect();
        return Ok(Reply::ok(&List { items, next_cursor }));
    }
    let reported =
        goods_document::list(pool, &ask.filter(), list.after(ask.cursor.as_ref())?, one_more(ask.limit))
            .await?;
    let List { items, next_cursor } = list.cut(reported, ask.limit, |reported| reported.place.clone());
    let view = |reported: LatestRecord<OpnamePosted>| View::new(reported.payload.opname, reported.event_id);
    Ok(Reply::ok(&List { items: items.into_iter().map(view).collect(), next_cursor }))
}

/// `GET /api/opname/:id`
pub async fn opname(request: Request) -> Answered {
    let (of, pool): (OfStore, _) = (request.query()?, request.state.db.pool());
    let found = stock_document::opname(pool, request.param("id"), &of).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the count"))?))
}
