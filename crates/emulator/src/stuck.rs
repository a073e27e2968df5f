//! A wait that never ends: who waits for what.

use crate::block::Status;
use crate::finding::FindingKind;
use crate::launch::Raw;
use crate::worker::Worker;

impl Worker<'_> {
    /// Reports threads that wait for what nobody is left to do, one for each thing that is waited for. Those that looked at memory
    /// after so many looks and met others in between wait for what they looked at, not for each other.
    pub fn report_stuck(&mut self, looks: u64) {
        if self.report_looks(looks) {
            return;
        }
        // Lanes that others wait for often wait elsewhere for those: the operation of the warp is what is wrong.
        let warps = self
            .blocks
            .iter()
            .flat_map(|block| &block.threads)
            .any(|it| matches!(it.status, Status::Exchange(_)));
        for at in 0..self.blocks.len() {
            let mut told: Vec<Status> = Vec::new();
            for thread in 0..self.blocks[at].threads.len() {
                let status = self.blocks[at].threads[thread].status;
                if warps && matches!(status, Status::Barrier { .. }) {
                    continue;
                }
                let Some((kind, place, raw)) = self.stuck(at, thread, status) else { continue };
                // One of those that wait for the same is enough.
                if told.iter().any(|known| same(known, &status)) {
                    continue;
                }
                told.push(status);
                self.report(at, thread as u32, kind, place, raw);
            }
        }
    }

    /// Whether there were any.
    fn report_looks(&mut self, looks: u64) -> bool {
        let mut told = Vec::new();
        for at in 0..self.blocks.len() {
            for thread in 0..self.blocks[at].threads.len() {
                let look = self.blocks[at].threads[thread].looked;
                if look.count > looks && !told.contains(&(at, look.place)) {
                    told.push((at, look.place));
                    let raw = Raw::Polls { address: look.address };
                    self.report(at, thread as u32, FindingKind::Stuck, look.place, raw);
                }
            }
        }
        !told.is_empty()
    }

    fn stuck(&self, at: usize, thread: usize, status: Status) -> Option<(FindingKind, u32, Raw)> {
        let block = &self.blocks[at];
        match status {
            Status::Exchange(exchange) => {
                let waiting = block.lanes_at_exchange(thread);
                let kind = match exchange.kind {
                    0 => FindingKind::DivergentBarrier,
                    _ => FindingKind::WarpOperation,
                };
                Some((kind, exchange.place, Raw::StuckWarp { mask: exchange.mask, waiting }))
            }
            Status::Barrier { place, .. } => {
                let elsewhere = block
                    .threads
                    .iter()
                    .position(|it| !matches!(it.status, Status::Barrier { .. } | Status::Done))?;
                let raw = Raw::Words(format!(
                    "waits at __syncthreads, which thread {elsewhere} of the block does not reach"
                ));
                Some((FindingKind::DivergentBarrier, place, raw))
            }
            Status::Named { place, id } => {
                let named = block.named.get(&id)?;
                let raw = Raw::Words(format!(
                    "waits at barrier {id}, at which {} of {} threads have arrived",
                    named.arrived, named.expected
                ));
                Some((FindingKind::Stuck, place, raw))
            }
            Status::Cluster { place } => {
                let raw = Raw::Words(
                    "waits at the barrier of its cluster, which not all of its threads reach".to_string(),
                );
                Some((FindingKind::DivergentBarrier, place, raw))
            }
            Status::Mbarrier { place, address, .. } => {
                Some((FindingKind::Stuck, place, self.stuck_at_mbarrier(at, address)))
            }
            Status::Polls { place, address } => Some((FindingKind::Stuck, place, Raw::Polls { address })),
            _ => None,
        }
    }

    fn stuck_at_mbarrier(&self, at: usize, address: usize) -> Raw {
        let (missing, bytes, phase) =
            self.mbarriers.get(&address).map_or((0, 0, 0), |it| (it.missing, it.bytes, it.phase));
        let image = &self.blocks[at].image;
        let offset = image.holds(address, 8).then(|| (address - image.address()) as u64);
        Raw::StuckMbarrier { offset, phase, missing, bytes }
    }
}

fn same(one: &Status, other: &Status) -> bool {
    match (one, other) {
        (Status::Mbarrier { address, .. }, Status::Mbarrier { address: other, .. }) => address == other,
        (Status::Polls { place, .. }, Status::Polls { place: other, .. }) => place == other,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
