//! Posts a count: differing lines move, everything else is left alone.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::Money;
use crate::model::base::ids::{MovementId, OpnameId};
use crate::model::base::limits::LINE_VALUE_MAX;
use crate::model::base::money::sum;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::inventory::opname::{Opname, OpnameLine, OpnameState};
use crate::model::inventory::stock::{MovementReason, Stock};
use crate::rules::inventory::opname::PostOpname;
use crate::rules::inventory::stock::StockContext;

/// Moves the variances at the stock of now. `movement_ids` has one ID per counted line.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`; `validation_failed` with every product that
/// moved between its counts, unless they are accepted, and for a surplus that is worth too much.
pub fn post(
    cmd: &PostOpname,
    id: &OpnameId,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::OpnameChanged>, Refusal> {
    context.managers_only()?;
    let opname = context.book.opnames.get(id).ok_or(Refusal::NotFound("opname"))?;
    if opname.state.is_over() {
        return Err(opname.state.refusal());
    }
    let accept = cmd.accept.unwrap_or(false);
    let counted =
        context.book.counted.iter().filter(|((opname, _), line)| opname == id && !line.zones.is_empty());
    let mut lines: Vec<OpnameLine> = counted.map(|(_, line)| line.clone()).collect();
    let undecided: Vec<FieldProblem> = lines
        .iter()
        .filter(|line| !accept && line.moved_between_counts())
        .map(|line| FieldProblem {
            path: format!("lines.{}", line.sku),
            problem: "moved between its counts: count it again, or accept it".to_owned(),
        })
        .collect();
    if !undecided.is_empty() {
        return Err(Refusal::ValidationFailed(undecided));
    }
    let mut moves = context.moves("opname", id.as_str(), movement_ids);
    for (line_no, line) in (1_u32..).zip(&mut lines) {
        line.accepted = line.moved_between_counts();
        if let Some(moved) = line.post(moves.row(&line.sku))? {
            moves.note(&line.sku, line_no, line.variance(), moved, MovementReason::Opname)?;
            line.movement_id = moves.last_id();
        }
        credible(line)?;
    }
    let Rows { movements, mut stock, .. } = moves.done();
    let values = lines.iter().map(|line| line.variance_value.unwrap_or(Money::ZERO));
    let opname = Opname {
        state: OpnameState::Posted,
        // The day that the goods move, as of every document; it may have been started on one that is sealed by now.
        business_date: context.today(),
        variance_value: Some(sum("counts", values)?),
        reopened: None,
        ended_by: Some(context.authorization.caller.user_id.clone()),
        ended_at: Some(context.now),
        ..opname.clone()
    };
    // A row that nothing moved has not changed.
    let moved = |row: &Stock| movements.iter().any(|movement| movement.sku == row.sku);
    stock.retain(moved);
    Ok(Event::new(fact::OpnameChanged { opname, lines }, Rows::of_stock(movements, stock)))
}

/// Passes a surplus within a plausible value. The value of a shortage is limited by the stock on hand.
fn credible(line: &OpnameLine) -> Result<(), Refusal> {
    let value = line.variance_value.unwrap_or(Money::ZERO);
    if line.variance() <= 0 || value <= LINE_VALUE_MAX {
        return Ok(());
    }
    let problem = format!(
        "makes the surplus worth {value}; at most {LINE_VALUE_MAX}: check the counted quantity for extra digits"
    );
    Err(Refusal::field(format!("lines.{}", line.sku), problem))
}
