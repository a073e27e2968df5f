//! One launch: spreads its blocks over the cores, and merges what they found and counted.

use crate::context::LaunchContext;
use crate::counts::Counts;
use crate::finding::Finding;
use crate::messages::word;
use crate::report::{Occurrence, WorkerReport};
use crate::worker::{self, WorkerBuffers};
use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

/// What came of a launch.
pub struct LaunchOutcome {
    pub counts: Counts,
    pub findings: Vec<Finding>,
    pub problem: Option<String>,
}

thread_local! {
    static BUFFERS: RefCell<WorkerBuffers> = RefCell::default();
}

/// Runs every block.
pub fn run(launch: &LaunchContext, kernel: &str) -> LaunchOutcome {
    let total = Mutex::new(WorkerReport::default());
    let work = || {
        let mut report = WorkerReport::default();
        launch.limit.interrupting(|| {
            BUFFERS.with_borrow_mut(|buffers| worker::run_blocks(launch, buffers, &mut report));
        });
        total.lock().unwrap_or_else(PoisonError::into_inner).merge(report);
    };
    let host_threads = launch.host_threads();
    launch.quiescence.begin(host_threads);
    launch.limit.watch(|| {
        if host_threads == 1 {
            work();
        } else {
            rayon::broadcast(|_| work());
        }
    });
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    let shared = launch.spec.module.shared.iter().zip(0..);
    let used = shared.filter(|(_, index)| total.shared_used.contains(index));
    let counts = Counts {
        launches: 1,
        dynamic_shared_bytes: u64::from(launch.spec.shape.dynamic_shared_bytes),
        shared_bytes: used.map(|(variable, _)| variable.bytes).sum(),
        ..total.counts
    };
    let mut seen: Vec<_> = total.seen.into_iter().collect();
    seen.sort_by_key(|(places, seen)| (seen.block, seen.thread, *places));
    let found =
        seen.into_iter().map(|((kind, place, _), seen)| (word(launch, kernel, kind, place, &seen), seen));
    LaunchOutcome { counts, findings: distinct(found), problem: total.problem }
}

/// Merges findings of the same mistake: those of the same two lines, and those of nearby lines about adjacent bytes.
fn distinct(found: impl Iterator<Item = (Finding, Occurrence)>) -> Vec<Finding> {
    let mut mistakes: Vec<Vec<(Finding, Occurrence)>> = Vec::new();
    for (finding, seen) in found {
        let same = |(known, known_seen): &(Finding, Occurrence)| {
            known.kind == finding.kind
                && (known.lines() == finding.lines()
                    || known.is_near(&finding) && known_seen.is_beside(&seen))
        };
        match mistakes.iter_mut().find(|mistake| mistake.iter().any(same)) {
            Some(mistake) => mistake.push((finding, seen)),
            None => mistakes.push(vec![(finding, seen)]),
        }
    }
    let first = |mistake: Vec<(Finding, Occurrence)>| {
        let times = mistake.iter().map(|(finding, _)| finding.times).sum();
        // Of several lines the first, so that every order of threads names the same ones.
        let first = mistake.into_iter().map(|(finding, _)| finding).min_by_key(Finding::lines);
        first.map(|first| Finding { times, ..first })
    };
    mistakes.into_iter().filter_map(first).collect()
}
