//! Counts: started, counted, looked at, posted.

use super::{Decided, OpnameStep, Products, foreign};
use crate::failure::Failure;
use crate::ledger::State;
use crate::who::Who;
use domain::answer::Answer;
use domain::event::Event;
use domain::ids::OpnameId;
use domain::opname::{self, NewOpname, Opname, OpnameState, OpnameView, line_view};
use domain::record;
use domain::stock::{Stock, StockRoom};
use std::iter;

impl State {
    pub(super) fn start_count(
        &mut self,
        id: OpnameId,
        command: &NewOpname,
        products: &Products,
        lines_total: u64,
        who: &Who,
    ) -> Result<Decided, Failure> {
        let stamp = self.door.stamps.stamp();
        let rule = |room: &StockRoom<'_>| opname::start(command, id, lines_total, products, room);
        let event = self.decide(iter::empty(), &stamp, who, rule)?;
        let Event::OpnameChanged { opname, .. } = &event else { return Err(foreign()) };
        let answer = Answer::created(format!("/api/opname/{}", opname.opname_id), opname);
        Ok(Decided { stamp, records: Vec::new(), answer, audit: None, events: vec![event] })
    }

    pub(super) fn go_on_counting(
        &mut self,
        id: &OpnameId,
        step: &OpnameStep,
        who: &Who,
    ) -> Result<Decided, Failure> {
        self.load_count(id)?;
        let stamp = self.door.stamps.stamp();
        let ids = match step {
            OpnameStep::Post(_) => {
                self.movement_ids(self.book.counted.keys().filter(|(opname, _)| opname == id).count())
            }
            _ => Vec::new(),
        };
        let event = self.decide(iter::empty(), &stamp, who, |room| match step {
            OpnameStep::Count { command, products } => opname::count(command, id, products, room),
            OpnameStep::Submit => opname::submit(id, room),
            OpnameStep::Recount(command) => opname::recount(command, id, room),
            OpnameStep::Post(command) => opname::post(command, id, ids, room),
            OpnameStep::Cancel => opname::cancel(id, room),
        })?;
        let Event::OpnameChanged { opname, lines, .. } = &event else { return Err(foreign()) };
        let answer = match step {
            OpnameStep::Count { .. } => Answer::ok(&self.counted(opname, lines, who)),
            _ => Answer::ok(opname),
        };
        let (action, posted) = match opname.state {
            OpnameState::Posted => (Some("opname.posted"), true),
            OpnameState::Cancelled => (Some("opname.cancelled"), false),
            _ => (None, false),
        };
        let stamps = &self.door.stamps;
        let records =
            if posted { record::opname_posted(|| stamps.stamp(), opname, lines) } else { Vec::new() };
        let audit = action.map(|action| (action, opname.opname_id.0.clone(), opname.business_date));
        // The last stamp of all: the mark keeps the highest.
        let stamp = if posted { stamps.stamp() } else { stamp };
        Ok(Decided { stamp, records, answer, audit, events: vec![event] })
    }

    /// The lines that were counted just now, as the counter may see them.
    fn counted(&self, opname: &Opname, lines: &[opname::OpnameLine], who: &Who) -> OpnameView {
        let none = Stock::default();
        let row = |line: &opname::OpnameLine| self.book.stock.get(&line.sku).unwrap_or(&none);
        let lines = lines.iter().map(|line| line_view(opname, line, row(line), who.caller.role)).collect();
        OpnameView { opname: opname.clone(), lines, next_cursor: None }
    }

    /// Loads a count that is over: it says so, instead of not being there.
    fn load_count(&mut self, id: &OpnameId) -> Result<(), Failure> {
        if !self.book.opnames.contains_key(id)
            && let Some(opname) = self.door.storage.opname(id)?
        {
            self.book.opnames.insert(id.clone(), opname);
        }
        Ok(())
    }
}
