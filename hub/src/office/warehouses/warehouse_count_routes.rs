//! Routes of counts in warehouses.

use crate::http::prelude::*;
use crate::office::warehouses::warehouse_count::{self, CountStep};
use crate::office::warehouses::warehouse_differences::{self, Differences};
use crate::office::warehouses::warehouse_document::{InWarehouse, manager};
use crate::office::warehouses::warehouse_routes::GROUP;
use domain::model::inventory::opname::Opname;
use domain::rules::inventory::opname::{CountOpname, NewOpname, OpnameView, PostOpname, RecountOpname};

const OPNAME: &str = r#"{"opname_id": "opn_019aa0a0b1c27d3e", "state": "counting", "store_id": "W1", "scope": "all",
    "category": null, "skus": [], "categories": [], "reopened": null, "blind": false, "lines_total": 1, "lines_counted": 1,
    "variance_value": null, "note": null, "business_date": "2026-11-20", "created_by": "usr_1",
    "created_at": "2026-11-20T02:06:34.739Z", "ended_by": null, "ended_at": null}"#;

pub const ROUTES: &[Route<Hub>] = &[
    post("/api/opname", PURCHASING, GROUP).summary("Start a stock count in a warehouse")
        .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::Duplicate])
        .creates::<InWarehouse<NewOpname>>(r#"{"store_id": "W1", "scope": "all"}"#, OPNAME),
    post("/api/opname/:id/counts", PURCHASING, GROUP).summary("Add counted quantities to a warehouse's stock count; a product's zones are added together")
    .refuses(&[
        Code::StoreDisabled,
        Code::UnknownSku,
        Code::Duplicate,
        Code::InvalidState,
        Code::AlreadyCounted,
    ])
    .command::<CountOpname>(
        r#"{"counts": [{"sku": "8991234567890", "qty": 9}]}"#,
        r#"{"opname_id": "opn_019aa0a0b1c27d3e", "state": "counting", "store_id": "W1", "scope": "all",
            "category": null, "skus": [], "categories": [], "reopened": null, "blind": false, "lines_total": 1, "lines_counted": 1,
            "variance_value": null, "note": null, "business_date": "2026-11-20", "created_by": "usr_1",
            "created_at": "2026-11-20T02:06:34.739Z", "ended_by": null, "ended_at": null, "lines": [],
            "next_cursor": null}"#,
    ),
    get("/api/opname/:id/differences", GOODS, GROUP).summary("List the differences of a warehouse's open count, largest value first")
        .query::<Page>()
        .refuses(&[Code::InvalidState])
        .answers::<Differences>(
            r#"{"lines_count": 1, "moved_count": 0, "missing": -2, "found": 0, "missing_value": -20000, "found_value": 0, "items": [{"sku": "8991234567890", "name": "Green Tea 100 g", "expected": 95, "counted": 93, "variance": -2, "variance_value": -20000, "zones": [], "moved_between_counts": false, "counters": [], "counted_by": null, "counted_at": null}], "next_cursor": null}"#,
            answers!(warehouse_differences::list),
        ),
    post("/api/opname/:id/submit", PURCHASING, GROUP).summary("Submit a warehouse's stock count, for review of its differences")
    .refuses(STEP)
    .step::<Submit>(OPNAME),
    post("/api/opname/:id/recount", PURCHASING, GROUP).summary("Request a recount of some products of a warehouse")
    .refuses(STEP)
    .command::<RecountOpname>(r#"{"skus": ["8991234567890"]}"#, OPNAME),
    post("/api/opname/:id/post", PURCHASING, GROUP).summary("Post a warehouse's stock count; the differences move stock")
    .refuses(STEP)
    .command_or_default::<PostOpname>(r#"{"accept": true}"#, OPNAME),
    post("/api/opname/:id/cancel", PURCHASING, GROUP).summary("Cancel a warehouse's stock count; no stock moves")
        .refuses(STEP)
        .step::<Cancel>(OPNAME),
];

const STEP: &[Code] = &[Code::StoreDisabled, Code::InvalidState];

without_body!(Submit, Cancel);

impl Command for InWarehouse<NewOpname> {
    const ACTION: &'static str = "stock.count_started";
    type Answer = Opname;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Opname>, Failure> {
        let mut warehouse = tx.warehouse(&self.store_id).await?;
        let made = warehouse_count::start(tx.connection, &mut warehouse, &self.command).await?;
        let details = json!({"store_id": self.store_id, "opname_id": made.opname_id});
        let location = format!("/api/opname/{}", made.opname_id);
        warehouse.finish(tx, Changed::created(location, &made, details)).await
    }
}

impl Command for CountOpname {
    const ACTION: &'static str = "stock.counted";
    type Answer = OpnameView;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<OpnameView>, Failure> {
        let (id, role) = (tx.path.get("id"), manager(tx.caller).role);
        let store_id = warehouse_count::place(tx.connection, id).await?;
        let mut warehouse = tx.warehouse(&store_id).await?;
        let made = warehouse_count::count(tx.connection, &mut warehouse, id, (self, role)).await?;
        let details = json!({"store_id": store_id, "opname_id": id});
        warehouse.finish(tx, Changed::answer(&made, details)).await
    }
}

impl Command for Submit {
    const ACTION: &'static str = "stock.count_submitted";
    type Answer = Opname;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Opname>, Failure> {
        taken(tx, &CountStep::Submit).await
    }
}

impl Command for RecountOpname {
    const ACTION: &'static str = "stock.count_reopened";
    type Answer = Opname;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Opname>, Failure> {
        taken(tx, &CountStep::Recount(self)).await
    }
}

impl Command for Cancel {
    const ACTION: &'static str = "stock.count_cancelled";
    type Answer = Opname;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Opname>, Failure> {
        taken(tx, &CountStep::Cancel).await
    }
}

async fn taken(tx: &mut Tx<'_>, step: &CountStep) -> Result<Changed<Opname>, Failure> {
    let id = tx.path.get("id");
    let store_id = warehouse_count::place(tx.connection, id).await?;
    let mut warehouse = tx.warehouse(&store_id).await?;
    let made = warehouse_count::take_step(tx.connection, &mut warehouse, id, step).await?;
    let details = json!({"store_id": store_id, "opname_id": id});
    warehouse.finish(tx, Changed::answer(&made, details)).await
}

impl Command for PostOpname {
    const ACTION: &'static str = "stock.count_posted";
    type Answer = Opname;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Opname>, Failure> {
        let id = tx.path.get("id");
        let store_id = warehouse_count::place(tx.connection, id).await?;
        let mut warehouse = tx.warehouse(&store_id).await?;
        let made = warehouse_count::post(tx.connection, &mut warehouse, id, &self).await?;
        let details = json!({"store_id": store_id, "opname_id": id});
        warehouse.finish(tx, Changed::answer(&made, details)).await
    }
}
