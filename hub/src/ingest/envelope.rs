//! A record as it came, read as far as it can be understood.

use domain::hlc;
use domain::receiving::Receiving;
use domain::record::{
    AuditRecorded, ReceivingPosted, Record, SCHEMA, ShiftRecord, StockMoved, TransactionPaid,
    TransactionVoided, UserChanged,
};
use domain::shift::Shift;
use domain::sync::{Counted, PushEvent, counted};
use domain::transaction::{Transaction, TransactionState};
use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};

/// The largest figure that is applied: beyond it JSON numbers are no longer exact everywhere.
pub const FIGURE_MAX: i64 = (1 << 53) - 1;
/// The longest name, id and code that is applied, in bytes.
const TEXT_BYTES_MAX: usize = 1024;
const EVENT_ID_BYTES_MAX: usize = 64;

/// A record with its number.
pub struct Incoming {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// Its exact text.
    pub record: String,
    /// Unique for ever; none: it could not be read.
    pub event_id: Option<String>,
    /// `transaction.paid`, …; empty if it could not be read.
    pub kind: String,
    /// The store's stamp.
    pub at: Option<String>,
    /// What it belongs to: later records of the same wait behind a parked one.
    pub aggregate: Option<String>,
    /// As a digest counts it; none: it belongs to no business day.
    pub counted: Option<Counted>,
    /// What it does, or why that is not known.
    pub effect: Result<Effect, Problem>,
}

/// Why a record is parked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Stable.
    pub code: &'static str,
    /// For a person.
    pub message: String,
}

/// What a record does at the hub.
pub enum Effect {
    /// A completed sale.
    Sale(Box<TransactionPaid>),
    /// A shift as it is now.
    Shift(Box<Shift>),
    /// Goods came in.
    Receiving(Box<Receiving>),
    /// Stock moved without another document.
    Moved(Box<StockMoved>),
    /// Known, kept, and of no effect on any figure: the void of a basket that was never paid, users, audit.
    Kept,
}

impl Incoming {
    /// Reads a record; what can't be understood says why and is kept all the same.
    pub fn read(event: PushEvent, store_id: &str) -> Self {
        let envelope = serde_json::from_str::<Record<Box<RawValue>>>(&event.record);
        let PushEvent { seq, hash, record } = event;
        let unread = |record, code, message| Self {
            seq,
            hash: hash.clone(),
            record,
            event_id: None,
            kind: String::new(),
            at: None,
            aggregate: None,
            counted: None,
            effect: Err(Problem { code, message }),
        };
        let envelope = match envelope {
            Ok(envelope)
                if is_text(&envelope.event_id, EVENT_ID_BYTES_MAX) && is_text(&envelope.kind, 64) =>
            {
                envelope
            }
            Ok(_) => {
                return unread(
                    record,
                    "invalid_envelope",
                    "event_id or type is empty or too long".to_owned(),
                );
            }
            Err(error) => return unread(record, "invalid_envelope", error.to_string()),
        };
        Self {
            aggregate: aggregate(&envelope.kind, envelope.payload.get()),
            effect: effect(&envelope, store_id),
            counted: counted(&record),
            event_id: Some(envelope.event_id),
            kind: envelope.kind,
            at: Some(envelope.at).filter(|at| hlc::parts(at).is_some() && is_text(at, 128)),
            seq,
            hash,
            record,
        }
    }
}

fn is_text(text: &str, bytes_max: usize) -> bool {
    (1..=bytes_max).contains(&text.len()) && !text.contains('\0')
}

fn effect(envelope: &Record<Box<RawValue>>, store_id: &str) -> Result<Effect, Problem> {
    if envelope.schema > SCHEMA {
        let message = format!("schema {} is newer than {SCHEMA}", envelope.schema);
        return Err(Problem { code: "unknown_schema", message });
    }
    if hlc::parts(&envelope.at).is_none() {
        return Err(invalid("at is no stamp of a hybrid clock"));
    }
    let payload = envelope.payload.get();
    match envelope.kind.as_str() {
        "transaction.paid" => sale(read(payload)?, store_id),
        "transaction.voided" => void(read(payload)?, store_id),
        "shift.opened" | "shift.closed" => {
            let ShiftRecord { shift, .. } = read(payload)?;
            shift_effect(shift, store_id)
        }
        "receiving.posted" => {
            let ReceivingPosted { receiving, .. } = read(payload)?;
            receiving_effect(receiving, store_id)
        }
        "stock.moved" => moved(read(payload)?, store_id),
        "user.changed" => user(&read(payload)?, store_id),
        "audit.recorded" => read::<AuditRecorded>(payload).map(|_| Effect::Kept),
        other => Err(Problem { code: "unknown_type", message: format!("this hub does not know {other}") }),
    }
}

fn read<T: DeserializeOwned>(payload: &str) -> Result<T, Problem> {
    serde_json::from_str(payload).map_err(|error| invalid(error.to_string()))
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem { code: "invalid_payload", message: message.into() }
}

fn sale(paid: TransactionPaid, store_id: &str) -> Result<Effect, Problem> {
    let Transaction { state, ref items, ref payments, .. } = paid.transaction;
    let sale = &paid.transaction;
    if state != TransactionState::Paid {
        return Err(invalid("the transaction is not paid"));
    }
    let mut texts = vec![&sale.transaction_id.0, &sale.shift_id.0, &sale.register_id.0, &sale.cashier_id.0];
    texts.extend(sale.receipt_no.as_ref());
    texts.extend(items.iter().flat_map(|line| [&line.sku.0, &line.name]));
    texts.extend(payments.iter().flat_map(|payment| [&payment.payment_id.0, &payment.method]));
    texts.extend(payments.iter().filter_map(|payment| payment.reference.as_ref()));
    texts.extend(sale.member_id.as_ref().map(|id| &id.0));
    let mut figures = vec![sale.subtotal, sale.discount, sale.tax, sale.rounding, sale.total];
    figures.extend(items.iter().flat_map(|line| [line.qty, line.price, line.discount, line.tax, line.total]));
    figures.extend(payments.iter().flat_map(|payment| [payment.amount, payment.rounding]));
    figures.extend(paid.lines.iter().flat_map(|line| [line.cost, line.correction]));
    check(&sale.store_id.0, store_id, &texts, &figures)?;
    if let Some(line) = paid.lines.iter().find(|line| !items.iter().any(|item| item.line_no == line.line_no))
    {
        return Err(invalid(format!("line {} has an effect on stock but is not in the sale", line.line_no)));
    }
    Ok(Effect::Sale(Box::new(paid)))
}

fn void(voided: TransactionVoided, store_id: &str) -> Result<Effect, Problem> {
    let basket = &voided.transaction;
    check(&basket.store_id.0, store_id, &[&basket.transaction_id.0], &[])?;
    if basket.state != TransactionState::Voided {
        return Err(invalid("the transaction is not voided"));
    }
    if basket.receipt_no.is_some() {
        let message = "this hub does not know how a paid sale is voided".to_owned();
        return Err(Problem { code: "unknown_type", message });
    }
    Ok(Effect::Kept)
}

fn shift_effect(shift: Shift, store_id: &str) -> Result<Effect, Problem> {
    let mut texts = vec![&shift.shift_id.0, &shift.register_id.0, &shift.opened_by.0];
    texts.extend(shift.closed_by.as_ref().map(|id| &id.0));
    let mut figures = vec![shift.opening_float];
    figures.extend([shift.counted_cash, shift.expected_cash, shift.variance].into_iter().flatten());
    check(&shift.store_id.0, store_id, &texts, &figures)?;
    Ok(Effect::Shift(Box::new(shift)))
}

fn receiving_effect(receiving: Receiving, store_id: &str) -> Result<Effect, Problem> {
    let mut texts = vec![&receiving.receiving_id.0];
    texts.extend(receiving.lines.iter().map(|line| &line.sku.0));
    texts.extend(
        [&receiving.supplier_id, &receiving.po_id, &receiving.delivery_note_no].into_iter().flatten(),
    );
    let mut figures = vec![receiving.total_cost];
    let lines = receiving.lines.iter();
    figures.extend(lines.flat_map(|l| [l.qty, l.rejected_qty, l.unit_cost, l.cost, l.correction]));
    check(&receiving.store_id.0, store_id, &texts, &figures)?;
    Ok(Effect::Receiving(Box::new(receiving)))
}

fn moved(moved: StockMoved, store_id: &str) -> Result<Effect, Problem> {
    let movements = moved.movements.iter();
    let texts: Vec<_> = movements.clone().flat_map(|m| [&m.movement_id.0, &m.sku.0]).collect();
    let figures: Vec<_> = movements.flat_map(|m| [m.qty, m.cost, m.correction]).collect();
    check(&moved.store_id.0, store_id, &texts, &figures)?;
    Ok(Effect::Moved(Box::new(moved)))
}

/// A store's own user: head office keeps what it is told, and gives rights itself.
fn user(changed: &UserChanged, store_id: &str) -> Result<Effect, Problem> {
    let texts = [&changed.user_id.0, &changed.username, &changed.name];
    check(&changed.store_id.0, store_id, &texts, &[])?;
    Ok(Effect::Kept)
}

/// What no rule of business excuses: another store's record, text that can't be kept, figures out of range.
fn check(of_store: &str, store_id: &str, texts: &[&String], figures: &[i64]) -> Result<(), Problem> {
    if of_store != store_id {
        return Err(invalid(format!("it is a record of store {of_store}")));
    }
    if texts.iter().any(|text| text.len() > TEXT_BYTES_MAX || text.contains('\0')) {
        return Err(invalid("a text is too long or holds a NUL"));
    }
    if figures.iter().any(|figure| !(-FIGURE_MAX..=FIGURE_MAX).contains(figure)) {
        return Err(invalid("a figure is out of range"));
    }
    Ok(())
}

/// What a record belongs to, read leniently: also from records that this version does not understand.
fn aggregate(kind: &str, payload: &str) -> Option<String> {
    let noun = kind.split('.').next().unwrap_or_default();
    let pointers: &[&str] = match noun {
        "transaction" | "tender" => &["/transaction/transaction_id", "/transaction_id"],
        "return" => &["/transaction_id", "/return/transaction_id"],
        "transfer" => &["/transfer/transfer_id", "/transfer_id"],
        "opname" => &["/opname/opname_id", "/opname_id"],
        "member" | "points" => &["/member_id", "/id", "/member/member_id"],
        _ => return None,
    };
    let payload: Value = serde_json::from_str(payload).ok()?;
    let id = pointers.iter().find_map(|pointer| payload.pointer(pointer)?.as_str())?;
    let family = match noun {
        "tender" | "return" => "transaction",
        "points" => "member",
        other => other,
    };
    is_text(id, TEXT_BYTES_MAX).then(|| format!("{family}:{id}"))
}
