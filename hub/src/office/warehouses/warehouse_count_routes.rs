//! Routes of counts in warehouses.

use crate::http::change::begun;
use crate::http::{Answered, Request};
use crate::office::warehouses::warehouse::{self, Warehouse};
use crate::office::warehouses::warehouse_count::{self, CountStep};
use crate::office::warehouses::warehouse_document::{InWarehouse, manager};
use crate::office::warehouses::warehouse_routes::GROUP;
use domain::model::base::answer::Answer;
use domain::model::inventory::opname::Opname;
use domain::rules::inventory::opname::{CountOpname, NewOpname, OpnameView, PostOpname, RecountOpname};
use edge::identity::EmptyBody;
use edge::{Code, Doc, clock};
use serde_json::json;

const OPNAME: &str = r#"{"opname_id": "opn_019aa0a0b1c27d3e", "state": "counting", "store_id": "W1", "scope": "all",
    "category": null, "skus": [], "categories": [], "reopened": null, "blind": false, "lines_total": 1, "lines_counted": 1,
    "variance_value": null, "note": null, "business_date": "2026-11-20", "created_by": "usr_1",
    "created_at": "2026-11-20T02:06:34.739Z", "ended_by": null, "ended_at": null}"#;

pub const START: Doc = Doc::of(GROUP, "Start a stock count in a warehouse")
    .body::<InWarehouse<NewOpname>>(r#"{"store_id": "W1", "scope": "all"}"#)
    .creates::<Opname>(OPNAME)
    .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::Duplicate]);
pub const COUNT: Doc = Doc::of(GROUP, "Add counted quantities to a warehouse's stock count; a product's zones are added together")
    .body::<CountOpname>(r#"{"counts": [{"sku": "8991234567890", "qty": 9}]}"#)
    .answers::<OpnameView>(
        r#"{"opname_id": "opn_019aa0a0b1c27d3e", "state": "counting", "store_id": "W1", "scope": "all",
            "category": null, "skus": [], "categories": [], "reopened": null, "blind": false, "lines_total": 1, "lines_counted": 1,
            "variance_value": null, "note": null, "business_date": "2026-11-20", "created_by": "usr_1",
            "created_at": "2026-11-20T02:06:34.739Z", "ended_by": null, "ended_at": null, "lines": [],
            "next_cursor": null}"#,
    )
    .refuses(&[
        Code::StoreDisabled,
        Code::UnknownSku,
        Code::Duplicate,
        Code::InvalidState,
        Code::AlreadyCounted,
    ]);
pub const SUBMIT: Doc = Doc::of(GROUP, "Submit a warehouse's stock count for review of its differences")
    .optional_body::<EmptyBody>("{}")
    .answers::<Opname>(OPNAME)
    .refuses(&[Code::StoreDisabled, Code::InvalidState]);
pub const RECOUNT: Doc = Doc::of(GROUP, "Request a recount of some products of a warehouse")
    .body::<RecountOpname>(r#"{"skus": ["8991234567890"]}"#)
    .answers::<Opname>(OPNAME)
    .refuses(&[Code::StoreDisabled, Code::InvalidState]);
pub const POST: Doc = Doc::of(GROUP, "Post a warehouse's stock count; the differences move stock")
    .optional_body::<PostOpname>(r#"{"accept": true}"#)
    .answers::<Opname>(OPNAME)
    .refuses(&[Code::StoreDisabled, Code::InvalidState]);
pub const CANCEL: Doc = Doc::of(GROUP, "Cancel a warehouse's stock count; no stock moves")
    .optional_body::<EmptyBody>("{}")
    .answers::<Opname>(OPNAME)
    .refuses(&[Code::StoreDisabled, Code::InvalidState]);

/// `POST /api/opname`
pub async fn start(request: Request) -> Answered {
    let asked: InWarehouse<NewOpname> = request.json()?;
    let (person, now) = (manager(&request)?, clock::now());
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let mut place = Warehouse::open(hub, write, &asked.store_id, person, now).await?;
    let made = warehouse_count::start(write, &mut place, &asked.command).await?;
    let details = json!({"store_id": asked.store_id, "opname_id": made.opname_id});
    let answer = Answer::created(format!("/api/opname/{}", made.opname_id), &made);
    warehouse::finish(&request, keyed, place, ("stock.count_started", details), answer).await
}

/// `POST /api/opname/:id/counts`
pub async fn count(request: Request) -> Answered {
    let asked: CountOpname = request.json()?;
    let (person, now, id) = (manager(&request)?, clock::now(), request.param("id"));
    let role = person.role;
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let store_id = warehouse_count::place(write, id).await?;
    let mut place = Warehouse::open(hub, write, &store_id, person, now).await?;
    let made = warehouse_count::count(write, &mut place, id, (asked, role)).await?;
    let details = json!({"store_id": store_id, "opname_id": id});
    warehouse::finish(&request, keyed, place, ("stock.counted", details), Answer::ok(&made)).await
}

/// `POST /api/opname/:id/submit`
pub async fn submit(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    step(request, ("stock.count_submitted", CountStep::Submit)).await
}

/// `POST /api/opname/:id/recount`
pub async fn recount(request: Request) -> Answered {
    let asked: RecountOpname = request.json()?;
    step(request, ("stock.count_reopened", CountStep::Recount(asked))).await
}

/// `POST /api/opname/:id/cancel`
pub async fn cancel(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    step(request, ("stock.count_cancelled", CountStep::Cancel)).await
}

async fn step(request: Request, (action, step): (&str, CountStep)) -> Answered {
    let (person, now, id) = (manager(&request)?, clock::now(), request.param("id"));
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let store_id = warehouse_count::place(write, id).await?;
    let mut place = Warehouse::open(hub, write, &store_id, person, now).await?;
    let made = warehouse_count::go_on(write, &mut place, id, &step).await?;
    let details = json!({"store_id": store_id, "opname_id": id});
    warehouse::finish(&request, keyed, place, (action, details), Answer::ok(&made)).await
}

/// `POST /api/opname/:id/post`
pub async fn post(request: Request) -> Answered {
    let asked: PostOpname = request.json()?;
    let (person, now, id) = (manager(&request)?, clock::now(), request.param("id"));
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let store_id = warehouse_count::place(write, id).await?;
    let mut place = Warehouse::open(hub, write, &store_id, person, now).await?;
    let made = warehouse_count::post(write, &mut place, id, &asked).await?;
    let details = json!({"store_id": store_id, "opname_id": id});
    warehouse::finish(&request, keyed, place, ("stock.count_posted", details), Answer::ok(&made)).await
}
