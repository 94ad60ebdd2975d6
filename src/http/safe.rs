//! The safe and what leaves it for the bank.

use super::ask::run;
use super::failure::{failed, stored};
use super::{Answered, Request, reports};
use ::actors::commands;
use ::actors::{Failure, StoreHandle};
use domain::deposit::{Deposit, NewDeposit, OpenSafe, ReverseDeposit, Safe, SafeOpening};
use domain::ids::CashId;
use domain::refusal::Refusal;
use edge::{ApiError, Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;

const DEPOSIT_EXAMPLE: &str = include_str!("examples/deposit.json");

/// `POST /api/cash-deposits`
pub const DEPOSIT: Doc = Doc::of("Safe", "Write down a bag that left for the bank")
    .body::<NewDeposit>(r#"{"amount": 1500000, "bag_no": "B-17", "bank_account": "BCA 123"}"#)
    .creates::<Deposit>(DEPOSIT_EXAMPLE);
/// `POST /api/cash-deposits/:id/reverse`
pub const REVERSE: Doc = Doc::of("Safe", "Take a wrong deposit back, by one of its own that names it")
    .body::<ReverseDeposit>(r#"{"reason": "the bag is still here"}"#)
    .creates::<Deposit>(include_str!("examples/deposit_reversal.json"))
    .refuses(&[Code::InvalidState]);
/// `POST /api/safe/opening`
pub const OPEN: Doc = Doc::of("Safe", "Say what lay in the safe before the first shift")
    .body::<OpenSafe>(r#"{"amount": 2000000, "reason": "counted by the owner"}"#)
    .answers::<SafeOpening>(
        r#"{"amount": 2000000, "before": null, "reason": "counted by the owner", "business_date": "2026-11-20", "user_id": "usr_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "at": "2026-11-20T01:00:00.000Z"}"#,
    );
/// `GET /api/safe`
pub const READ: Doc = Doc::of("Safe", "Cash in the safe by the store's own books, and the latest deposits")
    .answers::<SafeView>(concat!(
        r#"{"balance": 480000, "opening": 2000000, "floats": 200000, "drops": 120000, "counted": 60000, "deposited": 1500000, "deposits": ["#,
        include_str!("examples/deposit.json"),
        "]}"
    ));

/// Deposits that are shown.
const SHOWN: usize = 50;
/// Rows that are read at once.
const ROWS: usize = 500;

/// The safe with what left it last.
#[derive(Serialize, JsonSchema)]
struct SafeView {
    #[serde(flatten)]
    safe: Safe,
    /// Newest first.
    deposits: Vec<Deposit>,
}

/// `POST /api/cash-deposits`
pub async fn deposit(request: Request) -> Answered {
    let command: NewDeposit = request.json()?;
    let came = reports::made(&request.state, |shop| shifts(&shop.store)).await?.balance;
    run(&request, commands::Deposit { deposit: command, came }).await
}

/// `POST /api/cash-deposits/:id/reverse`
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

/// `GET /api/safe`: adds up every shift, so it takes the place of a report; deposits carry their sum.
pub async fn read(request: Request) -> Answered {
    Ok(Reply::ok(&reports::made(&request.state, |shop| view(&shop.store)).await?))
}

/// The safe without its deposits.
fn shifts(store: &StoreHandle) -> Result<Safe, ApiError> {
    let mut safe = Safe::default();
    let opening = store.storage().safe_opening().map_err(stored)?;
    safe.opening(opening.map_or(0, |opening| opening.amount)).map_err(refused)?;
    let mut after = None;
    loop {
        let shifts = store.storage().shifts(after.as_ref(), ROWS).map_err(stored)?;
        let Some(last) = shifts.last() else { break };
        after = Some(last.shift_id.clone());
        shifts.iter().try_for_each(|shift| safe.shift(shift)).map_err(refused)?;
    }
    Ok(safe)
}

fn refused(refusal: Refusal) -> ApiError {
    failed(Failure::Refused(refusal))
}

fn view(store: &StoreHandle) -> Result<SafeView, ApiError> {
    let mut safe = shifts(store)?;
    safe.deposits(store.storage().deposited().map_err(stored)?).map_err(refused)?;
    let shown = store.storage().deposits(None, SHOWN).map_err(stored)?;
    let deposits = shown.into_iter().take(SHOWN).map(|(_, deposit)| deposit).collect();
    Ok(SafeView { safe, deposits })
}
