//! A new epoch while the daemon runs: as after a restore, open documents are interrupted, and receipt numbers restart
//! in a series of their own.

use super::State;
use domain::model::base::event::fact;
use domain::rules::hub::restored::restored;
use ractor::ActorProcessingErr;
use tokio::sync::oneshot;

impl State {
    /// Opens an epoch in one commit. An owner with memory of the epoch before has to load it again afterwards.
    ///
    /// An error ends this ledger: the fate of the commit is on the disk.
    pub(super) async fn open_epoch(
        &mut self,
        epoch: String,
        opened: oneshot::Sender<()>,
    ) -> Result<(), ActorProcessingErr> {
        let storage = self.context.storage.clone();
        // Shuts every shift out, then lets their submissions reach the rows.
        for shift in storage.shifts().open_shifts()? {
            self.context.fences.remove(&shift.shift_id);
        }
        storage.barrier().await?;
        let registers = storage.shifts().registers()?;
        let counters = registers.iter().map(|register| storage.shifts().counters(&register.register_id));
        let counters = counters.collect::<Result<_, _>>()?;
        let left = restored(storage.shifts().open_shifts()?, counters);
        let events = vec![fact::EpochOpened { epoch: epoch.clone() }.into(), left];
        self.context.commit(events).await?;
        tracing::warn!(epoch, "a new epoch: shifts that were open are interrupted");
        // The epoch is open even if the caller is gone.
        let _ = opened.send(());
        Ok(())
    }
}
