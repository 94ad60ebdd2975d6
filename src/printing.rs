//! Printing on the tills' own printers. A sale never waits for one: a print goes into a short queue, and its result is
//! requested by its number.

use crate::config::printing::Printing;
use crate::receipt::Layout;
use domain::model::base::ids::RegisterId;
use domain::model::selling::payment::CASH;
use edge::{ApiError, Reply};
use escpos::errors::PrinterError;
use escpos_paper::Written;
use printer::Paper;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod escpos_paper;
mod letters;
mod printer;

/// Ends of jobs that are remembered.
const JOBS_MAX: usize = 256;

/// State of a print job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PrintState")]
pub enum State {
    /// In the printer's queue.
    Waiting,
    /// On its way to the printer.
    Printing,
    /// The printer accepted all of it.
    Printed,
    /// Not printed. `problem` has the reason.
    Failed,
}

/// A print job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PrintJob")]
pub struct PrintJob {
    /// ID of the job. It is valid until the daemon stops.
    pub job_id: String,
    /// Register whose printer is used.
    pub register_id: RegisterId,
    /// State of the print job.
    pub state: State,
    /// Reason why the job was not printed. Null unless it failed.
    pub problem: Option<String>,
    /// Texts with letters that the printer lacks, each with its replacement.
    pub replaced: Vec<String>,
}

type Jobs = Arc<Mutex<VecDeque<PrintJob>>>;

fn lock(jobs: &Jobs) -> MutexGuard<'_, VecDeque<PrintJob>> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Job in a printer's queue, with the receiver of its end.
pub struct Job {
    id: String,
    jobs: Jobs,
}

impl Job {
    fn printing(&self) {
        self.is(State::Printing, None);
    }

    fn ended(&self, printed: Result<(), String>) {
        match printed {
            Ok(()) => self.is(State::Printed, None),
            Err(problem) => self.is(State::Failed, Some(problem)),
        }
    }

    fn is(&self, state: State, problem: Option<String>) {
        if let Some(job) = lock(&self.jobs).iter_mut().find(|job| job.job_id == self.id) {
            job.state = state;
            job.problem = problem;
        }
    }
}

/// The printers of all tills.
#[derive(Default)]
pub struct Printers {
    queues: BTreeMap<RegisterId, SyncSender<Paper>>,
    jobs: Jobs,
    next: AtomicU64,
    /// Number of the daemon's run: job numbers of an earlier run are not valid in this one.
    run: u64,
    columns: usize,
    auto_print: bool,
    drawer: bool,
}

impl Printers {
    /// As they are set. `run` distinguishes this run of the daemon from others.
    ///
    /// # Errors
    /// A machine that gives no thread.
    pub fn begin(settings: &Printing, run: u64) -> Result<Self, std::io::Error> {
        let mut queues = BTreeMap::new();
        for (register, place) in settings.places() {
            queues.insert(register, printer::begin(place, settings.timeout.duration())?);
        }
        let Printing { columns, auto_print, drawer, .. } = *settings;
        Ok(Self { queues, columns, auto_print, drawer, run, ..Self::default() })
    }

    /// Characters in a line, of printers and browsers.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether a till prints each receipt by itself.
    pub fn auto_print(&self) -> bool {
        self.auto_print
    }

    /// The tills that have one.
    pub fn registers(&self) -> Vec<&RegisterId> {
        self.queues.keys().collect()
    }

    /// Whether a till has one.
    pub fn has(&self, register: &RegisterId) -> bool {
        self.queues.contains_key(register)
    }

    /// Current state of a job. `None` if it is of another run, or too old.
    pub fn job(&self, id: &str) -> Option<PrintJob> {
        lock(&self.jobs).iter().find(|job| job.job_id == id).cloned()
    }

    /// Puts a receipt into the queue of a till's printer.
    pub fn receipt(&self, register: &RegisterId, layout: &Layout, receipt_no: &str) -> PrintJob {
        self.put(register, escpos_paper::receipt(layout, receipt_no, self.columns))
    }

    /// Puts a report into the queue of a till's printer.
    pub fn report(&self, register: &RegisterId, text: &str) -> PrintJob {
        self.put(register, escpos_paper::report(text, self.columns))
    }

    /// The unchanged answer; opens the drawer if the answer reports, for the first time, that cash moved.
    pub fn after(&self, done: Result<Reply, ApiError>) -> Result<Reply, ApiError> {
        self.opened_by(&done, moves_cash);
        done
    }

    /// As `after`, for a payment. The answer includes earlier payments: `in_cash` is whether this one was in cash.
    pub fn after_payment(&self, in_cash: bool, done: Result<Reply, ApiError>) -> Result<Reply, ApiError> {
        self.opened_by(&done, |_| in_cash);
        done
    }

    /// Opens the drawer of the answer's till, if `moves` finds that cash moved.
    fn opened_by(&self, done: &Result<Reply, ApiError>, moves: impl FnOnce(&Value) -> bool) {
        let Ok(Reply::Answer { answer, replayed: false }) = done else { return };
        if !self.drawer || self.queues.is_empty() {
            return;
        }
        let Ok(answer) = serde_json::from_slice::<Value>(&answer.body) else { return };
        let data = answer.get("data").unwrap_or(&answer);
        let Some(register) = data.get("register_id").and_then(Value::as_str).map(RegisterId::from) else {
            return;
        };
        if self.has(&register) && moves(data) {
            self.put(&register, escpos_paper::pulse().map(|bytes| (bytes, Vec::new())));
        }
    }

    /// Puts it into the queue, if there is space: no caller waits for a printer.
    fn put(&self, register: &RegisterId, written: Result<Written, PrinterError>) -> PrintJob {
        let (bytes, replaced) = match written {
            Ok((bytes, replaced)) => (Ok(bytes), replaced),
            Err(error) => (Err(error), Vec::new()),
        };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let job_id = format!("job_{:x}_{number}", self.run);
        let (state, problem) = (State::Waiting, None);
        let job =
            PrintJob { job_id: job_id.clone(), register_id: register.clone(), state, problem, replaced };
        {
            let mut jobs = lock(&self.jobs);
            jobs.push_back(job.clone());
            if jobs.len() > JOBS_MAX {
                jobs.pop_front();
            }
        }
        let waits = Job { id: job_id, jobs: Arc::clone(&self.jobs) };
        match (bytes, self.queues.get(register)) {
            (Ok(bytes), Some(queue)) => {
                if let Err(error) = queue.try_send(Paper { job: waits, bytes }) {
                    let Paper { job, .. } = match error {
                        std::sync::mpsc::TrySendError::Full(paper)
                        | std::sync::mpsc::TrySendError::Disconnected(paper) => paper,
                    };
                    job.ended(Err("too many jobs wait for this printer".to_owned()));
                }
            }
            (Err(error), _) => waits.ended(Err(error.to_string())),
            (_, None) => waits.ended(Err("this till has no printer".to_owned())),
        }
        self.job(&job.job_id).unwrap_or(job)
    }
}

/// Whether the drawer of a till opens for an action: cash is refunded, by a return or a void, or is put in or taken
/// out.
fn moves_cash(done: &Value) -> bool {
    let refunds = done.get("refunds").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let by_cash = |part: &Value| part.get("method").and_then(Value::as_str) == Some(CASH);
    done.get("cash_id").is_some() || refunds.iter().any(by_cash)
}

#[cfg(test)]
mod tests {
    use super::moves_cash;
    use serde_json::json;

    #[test]
    fn the_drawer_opens_where_cash_moves() {
        let back = |by: &[&str]| {
            json!({"refunds": by.iter().map(|method| json!({"method": method})).collect::<Vec<_>>(),
                "payments": [{"method": "cash", "state": "reversed"}]})
        };
        assert!(moves_cash(&back(&["cash"])) && moves_cash(&back(&["card", "cash"])));
        assert!(moves_cash(&json!({"cash_id": "csh_1", "type": "no_sale"})));
        assert!(!moves_cash(&back(&["card"])) && !moves_cash(&back(&[])) && !moves_cash(&json!([])));
    }
}
