//! What lets a launch not come to an end: a wait that never ends, code that cannot go on, and the end of its time.

use crate::block::ThreadState;
use crate::finding::FindingKind;
use crate::launch::FindingDetail;
use crate::stack::{BELOW, SLOT_BYTES};
use crate::trap::{Trap, TrapCause};
use crate::worker::Worker;

impl Worker<'_> {
    /// Reports threads that wait for what nobody is left to do, one for each thing that is waited for. Those that polled memory
    /// after so many reads and met others in between wait for what they polled, not for each other.
    pub fn report_stuck(&mut self, reads: u64) {
        if self.report_polls(reads) {
            return;
        }
        // WarpLanes that others wait for often wait elsewhere for those: the operation of the warp is what is wrong.
        let warps = self
            .blocks
            .iter()
            .flat_map(|block| &block.threads)
            .any(|it| matches!(it.status, ThreadState::Exchange(_)));
        for at in 0..self.blocks.len() {
            let mut reported: Vec<ThreadState> = Vec::new();
            for thread in 0..self.blocks[at].threads.len() {
                let status = self.blocks[at].threads[thread].status;
                if warps && matches!(status, ThreadState::Barrier { .. }) {
                    continue;
                }
                let Some((kind, place, raw)) = self.stuck(at, thread, status) else { continue };
                // One of those that wait for the same is enough.
                if reported.iter().any(|known| same(known, &status)) {
                    continue;
                }
                reported.push(status);
                self.report(at, thread as u32, kind, place, raw);
            }
        }
    }

    /// Whether there were any.
    fn report_polls(&mut self, reads: u64) -> bool {
        let mut reported = Vec::new();
        for at in 0..self.blocks.len() {
            for thread in 0..self.blocks[at].threads.len() {
                let read = self.blocks[at].threads[thread].polled;
                if read.count > reads && !reported.contains(&(at, read.place)) {
                    reported.push((at, read.place));
                    let raw = FindingDetail::Polls { address: read.address };
                    self.report(at, thread as u32, FindingKind::Stuck, read.place, raw);
                }
            }
        }
        !reported.is_empty()
    }

    fn stuck(
        &self,
        at: usize,
        thread: usize,
        status: ThreadState,
    ) -> Option<(FindingKind, u32, FindingDetail)> {
        let block = &self.blocks[at];
        match status {
            ThreadState::Exchange(exchange) => {
                let waiting = block.lanes_at_exchange(thread);
                let kind = match exchange.kind {
                    0 => FindingKind::DivergentBarrier,
                    _ => FindingKind::WarpOperation,
                };
                Some((kind, exchange.place, FindingDetail::StuckWarp { mask: exchange.mask, waiting }))
            }
            ThreadState::Barrier { place, .. } => {
                let elsewhere = block
                    .threads
                    .iter()
                    .position(|it| !matches!(it.status, ThreadState::Barrier { .. } | ThreadState::Done))?;
                let raw = FindingDetail::Words(format!(
                    "waits at __syncthreads, which thread {elsewhere} of the block does not reach"
                ));
                Some((FindingKind::DivergentBarrier, place, raw))
            }
            ThreadState::Named { place, id } => {
                let named = block.named.get(&id)?;
                let raw = FindingDetail::Words(format!(
                    "waits at barrier {id}, at which {} of {} threads have arrived",
                    named.arrived, named.expected
                ));
                Some((FindingKind::Stuck, place, raw))
            }
            ThreadState::Cluster { place } => {
                let raw = FindingDetail::Words(
                    "waits at the barrier of its cluster, which not all of its threads reach".to_string(),
                );
                Some((FindingKind::DivergentBarrier, place, raw))
            }
            ThreadState::Mbarrier { place, address, .. } => {
                Some((FindingKind::Stuck, place, self.stuck_at_mbarrier(at, address)))
            }
            ThreadState::Polls { place, address } => {
                Some((FindingKind::Stuck, place, FindingDetail::Polls { address }))
            }
            _ => None,
        }
    }

    /// Reports what ended the code of a thread.
    pub fn report_trap(&mut self, at: usize, thread: u32, trap: Trap) {
        let start = self.job.module.image.start;
        let [at_instruction, caller] = trap.places.map(|place| place.saturating_sub(start) as u32);
        let place = self.first_with_a_line(at, thread, [at_instruction, caller]);
        let (kind, words) = match trap.cause {
            TrapCause::Time => return self.report_end_of_time(at, thread, place),
            TrapCause::Division => (
                FindingKind::Division,
                "divides an integer by zero, or the least integer by -1: CUDA leaves the result undefined, and a GPU goes on with it".to_string(),
            ),
            TrapCause::Stack => (
                FindingKind::LocalMemory,
                format!(
                    "needs more than {} KiB of local memory for its calls and local arrays, and CUDA gives a thread at most 512 KiB: make \
                     arrays smaller or end a recursion earlier",
                    (SLOT_BYTES - BELOW) >> 10
                ),
            ),
            TrapCause::NoCode(address) => {
                (FindingKind::OutOfBounds, format!("calls a function at address {address:#x}, where there is none"))
            }
            TrapCause::Memory(address) => {
                (FindingKind::OutOfBounds, format!("touches address {address:#x}, which is in no memory of the device"))
            }
            TrapCause::Instruction => {
                (FindingKind::Trap, "comes to an instruction that no kernel has, as behind __builtin_unreachable".to_string())
            }
        };
        self.report(at, thread, kind, place, FindingDetail::Words(words));
    }

    /// Reports the thread that had its turn when the launch's time was over.
    pub fn report_end_of_time(&mut self, at: usize, thread: u32, place: u32) {
        let limit = self.job.limit.time.unwrap_or_default().as_secs_f64();
        let place = self.first_with_a_line(at, thread, [place, 0]);
        let raw = FindingDetail::Words(format!(
            "had its turn when the launch had taken {limit} s, its limit: it has a loop without end, or needs more time"
        ));
        self.report(at, thread, FindingKind::TimeLimit, place, raw);
    }

    /// The first of these places that is in a line of the kernel's text, or else the last one known of the thread.
    fn first_with_a_line(&self, at: usize, thread: u32, places: [u32; 2]) -> u32 {
        let it = &self.blocks[at].threads[thread as usize];
        let has_line = |place: &u32| *place > 0 && self.job.module.line_of(*place).is_some();
        let known = [it.polled.place, it.last_place];
        places.into_iter().chain(known).find(has_line).unwrap_or(it.last_place)
    }

    fn stuck_at_mbarrier(&self, at: usize, address: usize) -> FindingDetail {
        let (missing, bytes, phase) =
            self.mbarriers.get(&address).map_or((0, 0, 0), |it| (it.missing, it.bytes, it.phase));
        let image = &self.blocks[at].image;
        let offset = image.holds(address, 8).then(|| (address - image.address()) as u64);
        FindingDetail::StuckMbarrier { offset, phase, missing, bytes }
    }
}

fn same(one: &ThreadState, other: &ThreadState) -> bool {
    match (one, other) {
        (ThreadState::Mbarrier { address, .. }, ThreadState::Mbarrier { address: other, .. }) => {
            address == other
        }
        (ThreadState::Polls { place, .. }, ThreadState::Polls { place: other, .. }) => place == other,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
