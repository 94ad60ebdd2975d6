//! The threads that hash: a fixed number, because a hash needs tens of MiB and an allocator keeps freed memory for its
//! thread. On short-lived threads, fifty log-ins at once took 800 MiB.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

type Job = Box<dyn FnOnce() + Send>;

/// Threads that run jobs one after the other; they end with the last handle.
#[derive(Debug, Clone)]
pub struct Workers(Sender<Job>);

impl Workers {
    /// Starts this number of threads. If the system provides none, every job is refused.
    pub fn new(count: usize) -> Self {
        let (sender, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..count {
            let receiver = Arc::clone(&receiver);
            let thread = std::thread::Builder::new().name("hashing".to_owned());
            if let Err(error) = thread.spawn(move || work(&receiver)) {
                tracing::error!(%error, "a thread for password hashes could not be started");
            }
        }
        Self(sender)
    }

    /// Queues a job; returns false if no thread will run it.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) -> bool {
        self.0.send(Box::new(job)).is_ok()
    }
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        // The lock is given back before the job runs.
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        // A caller that waits for a job that panicked notices the dropped channel.
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a password hash panicked");
        }
    }
}
