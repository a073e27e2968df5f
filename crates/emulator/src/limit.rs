//! The end of a launch's time: the host threads that run it are interrupted.

use crate::trap::{self, OVERDUE};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long after an interrupt the next follows: a kernel that is in code of the host when it comes is not stopped by it.
const AGAIN: Duration = Duration::from_millis(10);

/// How long a launch may take, by the clock on the wall.
#[derive(Default)]
pub struct WallClockLimit {
    pub time: Option<Duration>,
    /// Whether the time is over.
    pub is_over: AtomicBool,
    /// The host threads that run the launch, as the system names them.
    threads: Mutex<Vec<libc::pthread_t>>,
}

impl WallClockLimit {
    pub fn of(time: Option<Duration>) -> Self {
        Self { time, ..Self::default() }
    }

    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Does `work` on this host thread, which is interrupted when the time ends.
    pub fn interrupting(&self, work: impl FnOnce()) {
        trap::prepare();
        // SAFETY: the calling thread's own name.
        let own = unsafe { libc::pthread_self() };
        let threads = || self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads().push(own);
        work();
        threads().retain(|thread| *thread != own);
    }

    /// Does `work`, and interrupts the threads that are at it when the time is over.
    pub fn watch(&self, work: impl FnOnce()) {
        let Some(time) = self.time else { return work() };
        std::thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            let watch = move || {
                let mut pause = time;
                while is_done.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    self.is_over.store(true, Ordering::Relaxed);
                    pause = AGAIN;
                    for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                        // SAFETY: it runs: it takes its name off this list, which is locked, before it ends.
                        unsafe { libc::pthread_kill(*thread, OVERDUE) };
                    }
                }
            };
            // If the thread cannot be started, the launch has no limit.
            let _ = std::thread::Builder::new().name("launch limit".into()).spawn_scoped(scope, watch);
            work();
            drop(done);
        });
    }
}
