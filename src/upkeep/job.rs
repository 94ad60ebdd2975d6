//! Long work that is asked for from a page: it continues when the page does not wait for its end.

use super::{Progressing, Step};
use domain::model::base::time::UtcMs;
use edge::clock;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Time that an answer waits for the end of the work.
const WAIT: Duration = Duration::from_secs(8);
/// Milliseconds for which a result that no caller has received is kept for the next one.
const KEPT_MS: i64 = 60_000;

/// One kind of work, at most once at a time.
#[derive(Debug, Default)]
pub struct Job(Mutex<Begun>);

#[derive(Debug, Default)]
struct Begun {
    /// Work that the next caller joins or gets the result of.
    open: Option<watch::Receiver<State>>,
    /// The latest result, whether a caller has received it or not.
    latest: Option<watch::Receiver<State>>,
}

/// State of the work.
#[derive(Debug, Clone)]
pub struct State {
    /// When the work began.
    pub started_at: UtcMs,
    /// Progress of the work.
    pub step: Option<Step>,
    /// Time and result of its end. `None` if it continues.
    pub ended: Option<(UtcMs, Result<Value, String>)>,
}

impl Job {
    /// Begins the work, or joins the one under way, and waits a moment for its end.
    pub async fn run<F>(&self, work: impl FnOnce(Progressing) -> F) -> State
    where
        F: Future<Output = anyhow::Result<Value>> + Send + 'static,
    {
        let mut state = self.begin_or_join(work);
        let ended = async { state.wait_for(|state| state.ended.is_some()).await.is_ok() };
        // Either way the state shows how far the job came.
        let _ = tokio::time::timeout(WAIT, ended).await;
        let now = state.borrow().clone();
        if now.ended.is_some() {
            // The caller has received the result; the next one starts the job again.
            self.lock().open.take_if(|job| job.same_channel(&state));
        }
        now
    }

    /// Whether the next who asks begins it.
    pub fn is_idle(&self) -> bool {
        !self.lock().open.as_ref().is_some_and(|job| fresh(&job.borrow()))
    }

    /// State of the latest work, without waiting. `None` if there was none since the start.
    pub fn latest(&self) -> Option<State> {
        self.lock().latest.as_ref().map(|job| job.borrow().clone())
    }

    fn begin_or_join<F>(&self, work: impl FnOnce(Progressing) -> F) -> watch::Receiver<State>
    where
        F: Future<Output = anyhow::Result<Value>> + Send + 'static,
    {
        let mut job = self.lock();
        if let Some(state) = job.open.as_ref().filter(|state| fresh(&state.borrow())) {
            return state.clone();
        }
        let (tell, state) = watch::channel(State { started_at: clock::now(), step: None, ended: None });
        let (progress, seen) = watch::channel(None);
        tokio::spawn(go(work(progress), seen, tell));
        *job = Begun { open: Some(state.clone()), latest: Some(state.clone()) };
        state
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Begun> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fresh(state: &State) -> bool {
    state.ended.as_ref().is_none_or(|(at, _)| clock::now().0.saturating_sub(at.0) < KEPT_MS)
}

async fn go(
    work: impl Future<Output = anyhow::Result<Value>>,
    mut seen: watch::Receiver<Option<storage::Progress>>,
    tell: watch::Sender<State>,
) {
    let mut work = std::pin::pin!(work);
    let mut watched = true;
    let ended = loop {
        tokio::select! {
            ended = &mut work => break ended,
            changed = seen.changed(), if watched => {
                watched = changed.is_ok();
                let step = seen.borrow_and_update().map(Step::from);
                tell.send_modify(|state| state.step = step);
            }
        }
    };
    let ended = ended.map_err(|error| format!("{error:#}"));
    match &ended {
        Ok(value) => tracing::info!(%value, "background work ended"),
        Err(error) => tracing::warn!(error, "background work failed"),
    }
    tell.send_modify(|state| state.ended = Some((clock::now(), ended)));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;
    use tokio::sync::oneshot;

    #[tokio::test(start_paused = true)]
    async fn work_is_joined_reported_once_and_started_again() {
        let job = Job::default();
        let (end, ended) = oneshot::channel::<()>();
        let long = |_| async move {
            ended.await?;
            Ok(json!(1))
        };
        assert!(job.latest().is_none());
        assert!(job.run(long).await.ended.is_none(), "it takes longer than anybody waits");
        assert!(job.latest().is_some_and(|state| state.ended.is_none()));
        let joined = job.run(|_| async { Ok(json!("never begun")) }).await;
        assert!(joined.ended.is_none());
        end.send(()).unwrap();
        let outcome = job.run(|_| async { Ok(json!("never begun")) }).await;
        assert_eq!(outcome.ended.unwrap().1, Ok(json!(1)));
        assert_eq!(job.latest().unwrap().ended.unwrap().1, Ok(json!(1)), "looking takes nothing away");
        let anew = job.run(|_| async { anyhow::bail!("no room") }).await;
        assert_eq!(anew.ended.unwrap().1, Err("no room".to_owned()));
    }
}
