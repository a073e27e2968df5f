//! Work without the interpreter's lock, on threads of its own. Signals can end it, and it reports its progress.

use crate::error::Failure;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use shortest_paths::{Control, Progress};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

/// How long a signal waits, and how far apart reports of progress are.
const INTERVAL: Duration = Duration::from_millis(50);

/// As many threads as asked for, and otherwise one for each core that this process may use, but no more than `most`.
///
/// Each call has a pool of its own: one that is kept would be without its threads in a process that was forked, and wait for ever.
///
/// # Errors
/// When threads cannot be started.
pub fn pool(threads: Option<usize>, most: usize) -> Result<ThreadPool, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.unwrap_or(cores.min(most)).max(1);
    let named =
        ThreadPoolBuilder::new().num_threads(threads).thread_name(|at| format!("shortest-paths-{at}"));
    named.build().map_err(|error| {
        Failure::panic(format!("{threads} threads cannot be started: {error}; ask for fewer"))
    })
}

/// Does `work` on the threads of `pool`, without the interpreter's lock, and waits for it. Meanwhile the calling thread runs Python's handlers of
/// signals and calls `progress(stage, done, total)`, if there is one, and once more at the end. What either raises ends the work.
///
/// # Errors
/// What `work` returns, what was raised meanwhile, and [`Failure::panic`] if it panics.
pub fn run<R: Send>(
    py: Python,
    pool: &ThreadPool,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Control) -> Result<R, Failure> + Send,
) -> PyResult<R> {
    let cancelled = AtomicBool::new(false);
    let latest = Mutex::new(None);
    // Threads report in any order.
    let note = |progress: Progress| {
        let Ok(mut latest) = latest.lock() else { return };
        if latest.is_none_or(|known: Progress| known.stage != progress.stage || known.done <= progress.done) {
            *latest = Some(progress);
        }
    };
    let control = Control::default().cancelled_by(&cancelled);
    let control = if progress.is_some() { control.with_progress(&note) } else { control };
    let mut reported = None;
    let mut look = || {
        Python::attach(|py| {
            py.check_signals()?;
            let latest = latest.lock().map_or(None, |latest| *latest);
            if let (Some(progress), Some(latest)) = (progress, latest)
                && reported.replace(latest) != Some(latest)
            {
                progress.call1(py, (<&str>::from(latest.stage), latest.done, latest.total))?;
            }
            Ok(())
        })
    };
    py.detach(|| {
        let (sender, receiver) = sync_channel(1);
        let mut looked: PyResult<()> = Ok(());
        let outcome = pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                // This cannot fail: the receiver waits for the outcome.
                let _ = sender.send(caught(|| work(&control)));
            });
            loop {
                match receiver.recv_timeout(INTERVAL) {
                    Ok(outcome) => break outcome,
                    Err(_) if looked.is_ok() => {
                        looked = look();
                        cancelled.store(looked.is_err(), Ordering::Relaxed);
                    }
                    Err(_) => {}
                }
            }
        });
        looked?;
        let result = outcome?;
        look()?;
        Ok(result)
    })
}

/// Does `work` on the calling thread, without the interpreter's lock. For what takes less time than to start threads: no signal ends it.
///
/// # Errors
/// What `work` returns, and [`Failure::panic`] if it panics.
pub fn run_here<R: Send>(
    py: Python,
    work: impl FnOnce(&Control) -> Result<R, Failure> + Send,
) -> PyResult<R> {
    let outcome = py.detach(|| {
        if rayon::current_thread_index().is_none() {
            // From now on this thread is a pool of its own, so that what is divided among threads is done here. rayon keeps such a pool for as
            // long as the process lives, and a process that is forked has all of its threads.
            let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            std::mem::forget(alone.map_err(|error| Failure::panic(format!("no pool of threads: {error}")))?);
        }
        caught(|| work(&Control::default()))
    });
    Ok(outcome?)
}

/// What `work` returns, or what its panic says.
fn caught<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Failure::panic(format!(
            "a thread has panicked: {text}; was the graph changed meanwhile? If not, please report this as a defect"
        )))
    })
}
