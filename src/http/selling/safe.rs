//! The safe and deposits at the bank.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::stored;
use ::actors::commands;
use domain::model::base::ids::CashId;
use domain::model::books::deposit::{Deposit, Safe, SafeOpening};
use domain::rules::books::deposit::{NewDeposit, OpenSafe, ReverseDeposit};
use edge::{Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;

const DEPOSIT_EXAMPLE: &str = include_str!("examples/deposit.json");

pub const DEPOSIT: Doc = Doc::of("Safe", "Create a bank deposit from the safe")
    .body::<NewDeposit>(r#"{"amount": 1500000, "bag_no": "B-17", "bank_account": "BCA 123"}"#)
    .creates::<Deposit>(DEPOSIT_EXAMPLE);
pub const REVERSE: Doc = Doc::of("Safe", "Reverse a bank deposit; the reversal is a deposit that names it")
    .body::<ReverseDeposit>(r#"{"reason": "the bag is still here"}"#)
    .creates::<Deposit>(include_str!("examples/deposit_reversal.json"))
    .refuses(&[Code::InvalidState]);
pub const OPEN: Doc = Doc::of("Safe", "Set the cash that was in the safe before the first shift")
    .body::<OpenSafe>(r#"{"amount": 2000000, "reason": "counted by the owner"}"#)
    .answers::<SafeOpening>(
        r#"{"amount": 2000000, "before": null, "reason": "counted by the owner", "business_date": "2026-11-20", "user_id": "usr_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "at": "2026-11-20T01:00:00.000Z"}"#,
    );
pub const READ: Doc = Doc::of("Safe", "Retrieve the cash in the safe and the latest deposits")
    .answers::<SafeView>(concat!(
        r#"{"balance": 480000, "opening": 2000000, "floats": 200000, "drops": 120000, "counted": 60000, "deposited": 1500000, "deposits": ["#,
        include_str!("examples/deposit.json"),
        "]}"
    ));

/// Deposits that are shown.
const SHOWN: usize = 50;

/// Safe with its latest deposits.
#[derive(Serialize, JsonSchema)]
struct SafeView {
    #[serde(flatten)]
    safe: Safe,
    /// Deposits, newest first.
    deposits: Vec<Deposit>,
}

/// `POST /api/deposits`
pub async fn deposit(request: Request) -> Answered {
    let command: NewDeposit = request.json()?;
    run(&request, commands::Deposit(command)).await
}

/// `POST /api/deposits/:id/reverse`
pub async fn reverse(request: Request) -> Answered {
    let command: ReverseDeposit = request.json()?;
    let id = CashId::from(request.param("id"));
    run(&request, commands::ReverseDeposit(id, command)).await
}

/// `POST /api/safe/opening`
pub async fn open(request: Request) -> Answered {
    let command: OpenSafe = request.json()?;
    run(&request, commands::OpenSafe(command)).await
}

/// `GET /api/safe`
pub async fn read(request: Request) -> Answered {
    let storage = request.state.store.storage();
    let safe = storage.shifts().safe().map_err(stored)?;
    let shown = storage.shifts().deposits(None, SHOWN).map_err(stored)?;
    let deposits = shown.into_iter().take(SHOWN).map(|(_, deposit)| deposit).collect();
    Ok(Reply::ok(&SafeView { safe, deposits }))
}
