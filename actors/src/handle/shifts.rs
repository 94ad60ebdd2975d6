//! Drawers, recounts, tills, days and the safe.

use super::{Ask, StoreHandle};
use crate::failure::{Done, Failure};
use crate::ledger::{BooksCommand, LedgerMessage};
use crate::shift::{DrawerCommand, ShiftMessage};
use domain::day::{SealDay, UnsealDay};
use domain::deposit::{NewDeposit, OpenSafe, ReverseDeposit};
use domain::ids::{CashId, RegisterId, ShiftId, UserId};
use domain::refusal::Refusal;
use domain::register::{ChangeRegister, NewRegister};
use domain::shift::{CashMovement, MoveCash, RecountShift, ReverseCash};
use jiff::civil::Date;

/// Cash movements that are looked through at once.
const MOVEMENTS_AT_ONCE: usize = 200;

impl StoreHandle {
    /// Moves cash into a shift's drawer or out of it.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::shift::move_cash`].
    pub async fn move_cash(&self, ask: &Ask, shift: &ShiftId, command: MoveCash) -> Result<Done, Failure> {
        command.check()?;
        let id: CashId = self.door.stamps.id("csh_");
        self.drawer(ask, shift, || DrawerCommand::Move { id: id.clone(), command: command.clone() }).await
    }

    /// Takes a wrong cash movement back.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::shift::reverse_cash`].
    pub async fn reverse_cash(
        &self,
        ask: &Ask,
        shift: &ShiftId,
        wrong: &CashId,
        command: ReverseCash,
    ) -> Result<Done, Failure> {
        let wrong = self.moved(shift, wrong)?;
        let id: CashId = self.door.stamps.id("csh_");
        self.drawer(ask, shift, || DrawerCommand::Reverse {
            id: id.clone(),
            wrong: Box::new(wrong.clone()),
            command: command.clone(),
        })
        .await
    }

    /// A movement of a shift's cash.
    fn moved(&self, shift: &ShiftId, id: &CashId) -> Result<CashMovement, Failure> {
        let mut before = None;
        loop {
            let page = self.door.storage.cash_movements(shift, before, MOVEMENTS_AT_ONCE)?;
            before = page.last().map(|(lsn, _)| *lsn);
            if let Some((_, movement)) = page.into_iter().find(|(_, movement)| movement.cash_id == *id) {
                return Ok(movement);
            }
            if before.is_none() {
                return Err(Refusal::NotFound("cash movement").into());
            }
        }
    }

    /// Ends a shift blind.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::shift::end`].
    pub async fn end_shift(&self, ask: &Ask, shift: &ShiftId) -> Result<Done, Failure> {
        self.drawer(ask, shift, || DrawerCommand::End).await
    }

    async fn drawer(
        &self,
        ask: &Ask,
        shift: &ShiftId,
        command: impl Fn() -> DrawerCommand,
    ) -> Result<Done, Failure> {
        self.run(ask, |pending| {
            let (command, who) = (command(), ask.who());
            self.to_shift(shift, pending, |pending| ShiftMessage::Drawer { command, who, pending })
        })
        .await
    }

    /// Counts a closed shift again.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::shift::recount`].
    pub async fn recount(&self, ask: &Ask, shift: &ShiftId, command: RecountShift) -> Result<Done, Failure> {
        self.books(ask, || BooksCommand::Recount { shift_id: shift.clone(), command: command.clone() }).await
    }

    /// Adds a till.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::register::add`].
    pub async fn add_register(&self, ask: &Ask, command: NewRegister) -> Result<Done, Failure> {
        self.books(ask, || BooksCommand::AddRegister(command.clone())).await
    }

    /// Renames a till, or lets it sell or not.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::register::change`].
    pub async fn change_register(
        &self,
        ask: &Ask,
        id: &RegisterId,
        command: ChangeRegister,
    ) -> Result<Done, Failure> {
        self.books(ask, || BooksCommand::ChangeRegister { id: id.clone(), command: command.clone() }).await
    }

    /// Seals a day.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::day::seal`].
    pub async fn seal_day(&self, ask: &Ask, date: Date, command: SealDay) -> Result<Done, Failure> {
        self.books(ask, || BooksCommand::Seal { date, command: command.clone() }).await
    }

    /// Opens a sealed day again.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::day::unseal`].
    pub async fn unseal_day(&self, ask: &Ask, date: Date, command: UnsealDay) -> Result<Done, Failure> {
        self.books(ask, || BooksCommand::Unseal { date, command: command.clone() }).await
    }

    /// Takes a wrong deposit back.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::deposit::reverse`].
    pub async fn reverse_deposit(
        &self,
        ask: &Ask,
        wrong: &CashId,
        command: ReverseDeposit,
    ) -> Result<Done, Failure> {
        let id: CashId = self.door.stamps.id("csh_");
        self.books(ask, || BooksCommand::ReverseDeposit {
            id: id.clone(),
            wrong: wrong.clone(),
            command: command.clone(),
        })
        .await
    }

    /// Says what lies in the safe when the books begin.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::deposit::open_safe`].
    pub async fn open_safe(&self, ask: &Ask, command: OpenSafe) -> Result<Done, Failure> {
        self.books(ask, || BooksCommand::OpenSafe(command.clone())).await
    }

    /// Writes a deposit down; `came` is what came into the safe but for the deposits, as the shifts say that are in
    /// the rows: those of a moment ago, since adding them up is not the ledger's work.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::deposit::deposit`].
    pub async fn deposit(&self, ask: &Ask, command: NewDeposit, came: i64) -> Result<Done, Failure> {
        let id: CashId = self.door.stamps.id("csh_");
        self.books(ask, || BooksCommand::Deposit { id: id.clone(), command: command.clone(), came }).await
    }

    async fn books(&self, ask: &Ask, command: impl Fn() -> BooksCommand) -> Result<Done, Failure> {
        self.run(ask, |pending| {
            let (command, who) = (command(), ask.who());
            self.to_ledger(LedgerMessage::Books { command, who, pending })
        })
        .await
    }

    /// Whether a till may speak: the named one, else that of the user's open shift.
    ///
    /// # Errors
    /// [`Refusal::RegisterDisabled`]; storage that can't be read.
    pub fn may_speak(&self, named: Option<&RegisterId>, user: Option<&UserId>) -> Result<(), Failure> {
        let own = || self.door.directory.of_user(user?).and_then(|shift| self.door.directory.get(&shift));
        let Some(register_id) = named.cloned().or_else(|| own().map(|place| place.register_id)) else {
            return Ok(());
        };
        match self.door.storage.register(&register_id)? {
            Some(register) if register.disabled => Err(Refusal::RegisterDisabled(register_id.0).into()),
            _ => Ok(()),
        }
    }
}
