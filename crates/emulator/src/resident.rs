//! The blocks that a host thread runs at a time, and what the operations of their threads have in common.
//!
//! `watch.rs` builds on this file, and `access.rs` on both: they handle accesses to memory. Files with a state of their own,
//! for barriers, mbarriers and copies, change these blocks; none of these three knows them.

use crate::block::{Block, PolledRead, Thread, ThreadState};
use crate::clock::AccessEpoch;
use crate::context::LaunchContext;
use crate::finding::FindingKind;
use crate::history::HappensBefore;
use crate::report::{FindingDetail, WorkerReport};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The index of the block among those that run.
    pub at: usize,
    pub thread: u32,
    /// Where in the code.
    pub place: u32,
}

/// What follows a request.
pub enum RequestOutcome {
    Answer(u64),
    Wait(ThreadState),
    /// Its thread has left the kernel.
    Ended,
}

/// The launch cannot go on.
#[derive(Debug)]
pub struct LaunchAbort;

pub type LaunchResult<T> = Result<T, LaunchAbort>;
pub type RequestResult = LaunchResult<RequestOutcome>;

/// The answer to a request that returns nothing.
pub const DONE: RequestResult = Ok(RequestOutcome::Answer(0));

/// Counts what may let others go on.
#[derive(Clone, Copy, Default)]
pub struct ProgressCounters {
    pub changes: u64,
    /// Barriers and warp operations at which all threads have met.
    pub meetings: u64,
    /// Polled reads: of memory that others may change.
    pub polled_reads: u64,
    /// Polled reads at another address than the thread's last one.
    pub moves: u64,
}

/// The blocks of a launch that a host thread runs.
pub struct ResidentBlocks<'a> {
    pub launch: &'a LaunchContext<'a>,
    pub found: &'a mut WorkerReport,
    pub blocks: Vec<Block>,
    pub progress: ProgressCounters,
    /// Mbarriers in use, by their address: who initialised each.
    pub mbarriers: FxHashMap<usize, AccessEpoch>,
    /// What happens before this launch, for the checker.
    pub before: Rc<HappensBefore<'a>>,
}

impl ResidentBlocks<'_> {
    pub fn block(&mut self, site: Site) -> &mut Block {
        &mut self.blocks[site.at]
    }

    pub fn thread(&mut self, site: Site) -> &mut Thread {
        &mut self.blocks[site.at].threads[site.thread as usize]
    }

    pub fn threads_mut(&mut self) -> impl Iterator<Item = &mut Thread> {
        self.blocks.iter_mut().flat_map(|block| &mut block.threads)
    }

    pub fn checks(&self) -> bool {
        self.launch.spec.instruments.check
    }

    pub fn report(&mut self, site: Site, kind: FindingKind, detail: FindingDetail) {
        if self.checks() || kind.stops() {
            self.found.add(kind, self.blocks[site.at].number, site.thread, site.place, detail);
        }
    }

    /// Reports a finding after which the launch cannot go on.
    pub fn stop<T>(&mut self, site: Site, kind: FindingKind, detail: FindingDetail) -> LaunchResult<T> {
        self.report(site, kind, detail);
        Err(LaunchAbort)
    }

    /// Reports a use of a barrier that CUDA leaves undefined.
    pub fn misuse<T>(&mut self, site: Site, words: impl Into<String>) -> LaunchResult<T> {
        self.stop(site, FindingKind::BarrierMisuse, FindingDetail::Words(words.into()))
    }

    /// Notes that the thread reads memory that others may change. Now and then it yields to them, always for address 0.
    pub fn poll(&mut self, site: Site, address: usize) -> RequestOutcome {
        const AT_ONCE: u32 = 32;
        let Site { place, .. } = site;
        self.progress.polled_reads += 1;
        let count = self.progress.polled_reads;
        let it = self.thread(site);
        it.polling.reads += 1;
        let last = std::mem::replace(&mut it.polling.last, PolledRead { place, address, count });
        let waits = address == 0 || it.polling.reads.is_multiple_of(AT_ONCE);
        self.progress.moves += u64::from(last.address != address);
        if waits {
            RequestOutcome::Wait(ThreadState::Polls { place, address })
        } else {
            RequestOutcome::Answer(0)
        }
    }
}
