//! The safe and what leaves it for the bank (api.md 5).

use super::ask::{answered, ask};
use super::failure::{failed, stored};
use super::{Answered, Request, reports};
use ::actors::{Failure, StoreHandle};
use domain::deposit::{Deposit, NewDeposit, Safe};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;

const DEPOSIT_EXAMPLE: &str = include_str!("examples/deposit.json");

/// `POST /api/cash-deposits`
pub const DEPOSIT: Doc = Doc::of("Safe", "Write down a bag that left for the bank")
    .body::<NewDeposit>(r#"{"amount": 1500000, "bag_no": "B-17", "bank_account": "BCA 123"}"#)
    .creates::<Deposit>(DEPOSIT_EXAMPLE);
/// `GET /api/safe`
pub const READ: Doc = Doc::of("Safe", "Cash in the safe by the store's own books, and the latest deposits")
    .answers::<SafeView>(concat!(
        r#"{"balance": -1520000, "floats": 200000, "drops": 120000, "counted": 60000, "deposited": 1500000, "deposits": ["#,
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
    answered(request.state.store.deposit(&ask(&request)?, command).await)
}

/// `GET /api/safe`: adds up every shift, so it takes the place of a report; deposits carry their sum.
pub async fn read(request: Request) -> Answered {
    Ok(Reply::ok(&reports::made(&request.state, |shop| view(&shop.store)).await?))
}

fn view(store: &StoreHandle) -> Result<SafeView, ApiError> {
    let refused = |refusal| failed(Failure::Refused(refusal));
    let mut safe = Safe::default();
    let mut after = None;
    loop {
        let shifts = store.storage().shifts(after.as_ref(), ROWS).map_err(stored)?;
        let Some(last) = shifts.last() else { break };
        after = Some(last.shift_id.clone());
        shifts.iter().try_for_each(|shift| safe.shift(shift)).map_err(refused)?;
    }
    safe.deposits(store.storage().deposited().map_err(stored)?).map_err(refused)?;
    let shown = store.storage().deposits(None, SHOWN).map_err(stored)?;
    let deposits = shown.into_iter().take(SHOWN).map(|(_, deposit)| deposit).collect();
    Ok(SafeView { safe, deposits })
}
