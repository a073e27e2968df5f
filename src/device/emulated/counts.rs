//! What a launch did to memory, counted by warp as the hardware would serve it.
//!
//! An instruction of a warp is what its threads do at one place of the code at the same turn. Global memory is moved in
//! sectors of 32 bytes (compute capability 3.0 and newer). Shared memory is counted under two rules:
//!
//! - 32 banks, a warp at a time (compute capability 2.0 and newer): any number of threads may read one word together; what
//!   counts is how many different words one bank must give.
//! - 16 banks, a half-warp at a time (compute capability 1.x, CUDA programming guide 2.3, section 5.1.2.5): in each step one
//!   word is broadcast to all who want it, and every other bank serves one thread.

use super::trace::{Access, Kind, Space, Trace};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::AddAssign;

/// Threads a warp.
const WARP: usize = 32;
/// What each thread of a warp does in one instruction, if it takes part.
type Together = [Option<Access>; WARP];

/// Bytes a sector of global memory.
pub const SECTOR: u64 = 32;

/// Loads or stores of global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalCounts {
    /// Instructions of warps.
    pub requests: u64,
    /// What the threads asked for.
    pub bytes: u64,
    /// Different sectors of 32 bytes, instruction by instruction.
    pub sectors: u64,
}

/// Loads or stores of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedCounts {
    /// Instructions of warps.
    pub requests: u64,
    pub bytes: u64,
    pub banks_32: BankCounts,
    pub banks_16: BankCounts,
}

/// How banks served the parts of a request that they can serve at once if nothing conflicts: warps over 32 banks, half-warps
/// over 16, fewer threads where each wants more than a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BankCounts {
    pub parts: u64,
    /// Steps it took: as many as parts when nothing conflicts.
    pub steps: u64,
    /// The most steps of one part.
    pub worst: u32,
}

impl BankCounts {
    /// Steps a part: 1 without conflicts. None without accesses.
    pub fn mean(&self) -> Option<f64> {
        (self.parts > 0).then(|| self.steps as f64 / self.parts as f64)
    }
}

/// What one launch, or several of one kernel, did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub launches: u64,
    pub blocks: u64,
    pub threads: u64,
    /// Barriers, each counted once a block.
    pub barriers: u64,
    /// Warp synchronizations, shuffles and votes.
    pub warp_operations: u64,
    /// Atomic instructions of warps.
    pub atomics: u64,
    pub global_load: GlobalCounts,
    pub global_store: GlobalCounts,
    pub shared_load: SharedCounts,
    pub shared_store: SharedCounts,
    /// Shared memory of fixed size that a block used, bytes.
    pub shared_bytes: u64,
    /// Shared memory whose size the launch gave, bytes.
    pub dynamic_shared_bytes: u64,
}

impl Counts {
    /// Bytes of global memory that threads loaded and stored.
    pub fn global_bytes(&self) -> u64 {
        self.global_load.bytes + self.global_store.bytes
    }

    /// Bytes of the sectors that these loads and stores touched.
    pub fn transferred_bytes(&self) -> u64 {
        (self.global_load.sectors + self.global_store.sectors) * SECTOR
    }
}

impl AddAssign for GlobalCounts {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.sectors += other.sectors;
    }
}

impl AddAssign for BankCounts {
    fn add_assign(&mut self, other: Self) {
        self.parts += other.parts;
        self.steps += other.steps;
        self.worst = self.worst.max(other.worst);
    }
}

impl AddAssign for SharedCounts {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.banks_32 += other.banks_32;
        self.banks_16 += other.banks_16;
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.threads += other.threads;
        self.barriers += other.barriers;
        self.warp_operations += other.warp_operations;
        self.atomics += other.atomics;
        self.global_load += other.global_load;
        self.global_store += other.global_store;
        self.shared_load += other.shared_load;
        self.shared_store += other.shared_store;
        self.shared_bytes = self.shared_bytes.max(other.shared_bytes);
        self.dynamic_shared_bytes = self.dynamic_shared_bytes.max(other.dynamic_shared_bytes);
    }
}

/// One launch and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCounts {
    pub kernel: String,
    /// Blocks in x and y.
    pub grid: (u32, u32),
    /// Threads a block in x and y.
    pub block: (u32, u32),
    pub counts: Counts,
}

impl Counts {
    /// Adds what a block did between two barriers. Calls `shared` with every shared access that it counts.
    pub(super) fn add_interval(&mut self, trace: &Trace, threads: usize, mut shared: impl FnMut(&Access)) {
        let mut lanes: Vec<Vec<(usize, usize)>> = vec![Vec::new(); threads];
        for (at, segment) in trace.segments.iter().enumerate() {
            let (start, accesses) = trace.of(at);
            if !accesses.is_empty() {
                lanes[segment.thread as usize].push((start, start + accesses.len()));
            }
        }
        for warp in lanes.chunks(WARP) {
            self.add_warp(trace, warp, &mut shared);
        }
    }

    fn add_warp(&mut self, trace: &Trace, lanes: &[Vec<(usize, usize)>], shared: &mut impl FnMut(&Access)) {
        // The usual case: every thread that did anything ran once, through the same places.
        let mut runs: [&[Access]; WARP] = [&[]; WARP];
        for (run, parts) in runs.iter_mut().zip(lanes) {
            match parts[..] {
                [] => {}
                [(start, end)] => *run = &trace.accesses[start..end],
                _ => return self.add_diverged(trace, lanes, shared),
            }
        }
        let Some(first) = runs.iter().find(|run| !run.is_empty()) else { return };
        let same = |run: &&[Access]| {
            run.len() == first.len()
                && run.iter().zip(*first).all(|(a, b)| (a.place, a.kind) == (b.place, b.kind))
        };
        if !runs.iter().filter(|run| !run.is_empty()).all(same) {
            return self.add_diverged(trace, lanes, shared);
        }
        for at in 0..first.len() {
            let mut together = [None; WARP];
            for (slot, run) in together.iter_mut().zip(&runs) {
                *slot = run.get(at).copied();
            }
            self.add_instruction(&together, shared);
        }
    }

    /// Threads that went different ways still meet at a place as often as each comes by.
    fn add_diverged(
        &mut self,
        trace: &Trace,
        lanes: &[Vec<(usize, usize)>],
        shared: &mut impl FnMut(&Access),
    ) {
        let mut turns: HashMap<(u32, u8, usize), Together> = HashMap::new();
        let mut order = Vec::new();
        for (lane, parts) in lanes.iter().enumerate() {
            let mut seen: HashMap<(u32, u8), usize> = HashMap::new();
            for access in parts.iter().flat_map(|&(start, end)| &trace.accesses[start..end]) {
                let turn = seen.entry((access.place, access.kind as u8)).or_default();
                let key = (access.place, access.kind as u8, *turn);
                *turn += 1;
                let together = turns.entry(key).or_insert_with(|| {
                    order.push(key);
                    [None; WARP]
                });
                together[lane] = Some(*access);
            }
        }
        for key in order {
            self.add_instruction(&turns[&key], shared);
        }
    }

    /// What the threads of a warp do in one instruction.
    fn add_instruction(&mut self, together: &Together, shared: &mut impl FnMut(&Access)) {
        // A pointer may lead some threads to shared and some to global memory.
        for global in [true, false] {
            let chosen = together
                .map(|access| access.filter(|access| matches!(access.space, Space::Global(_)) == global));
            let Some(kind) = chosen.iter().flatten().next().map(|access| access.kind) else { continue };
            let bytes: u64 = chosen.iter().flatten().map(|access| u64::from(access.bytes)).sum();
            match kind {
                Kind::Atomic => self.atomics += 1,
                _ if global => {
                    let to = if kind == Kind::Read { &mut self.global_load } else { &mut self.global_store };
                    to.requests += 1;
                    to.bytes += bytes;
                    to.sectors += sectors(chosen.iter().flatten());
                }
                _ => {
                    chosen.iter().flatten().for_each(&mut *shared);
                    let to = if kind == Kind::Read { &mut self.shared_load } else { &mut self.shared_store };
                    to.requests += 1;
                    to.bytes += bytes;
                    to.banks_32 += steps(&chosen, 32, WARP, multicast_steps);
                    to.banks_16 += steps(&chosen, 16, WARP / 2, broadcast_steps);
                }
            }
        }
    }
}

/// Different sectors that the accesses touch.
fn sectors<'a>(accesses: impl Iterator<Item = &'a Access>) -> u64 {
    let mut touched = [0u64; 2 * WARP];
    let mut count = 0;
    let mut beyond = 0;
    for access in accesses {
        let first = access.at / SECTOR;
        let last = (access.at + u64::from(access.bytes.max(1)) - 1) / SECTOR;
        for sector in first..=last {
            // Neighbouring threads mostly share the last one.
            if touched[..count].iter().rev().any(|&known| known == sector) {
                continue;
            }
            if count < touched.len() {
                touched[count] = sector;
                count += 1;
            } else {
                beyond += 1;
            }
        }
    }
    count as u64 + beyond
}

/// Serves the accesses in parts of at most `most` neighbouring threads, fewer where each wants more than a word.
fn steps(together: &Together, banks: u64, most: usize, serve: fn(&[u64], u64) -> u32) -> BankCounts {
    let widest = together.iter().flatten().map(|access| usize::from(access.bytes)).max().unwrap_or(0);
    let words_each = widest.div_ceil(4).max(1);
    let mut counts = BankCounts::default();
    for part in together.chunks((most / words_each).max(1)) {
        let mut words = [0u64; WARP];
        let mut count = 0;
        for access in part.iter().flatten() {
            // Both kinds of shared memory in one instruction: far apart, so never the same word.
            let apart = if access.space == Space::Dynamic { 1 << 40 } else { 0 };
            for word in access.at / 4..(access.at + u64::from(access.bytes.max(1))).div_ceil(4) {
                if count < WARP {
                    words[count] = word + apart;
                    count += 1;
                }
            }
        }
        if count > 0 {
            let took = serve(&words[..count], banks);
            counts += BankCounts { parts: 1, steps: u64::from(took), worst: took };
        }
    }
    counts
}

/// The most different words of one bank.
fn multicast_steps(words: &[u64], banks: u64) -> u32 {
    let mut of_bank = [0u32; 32];
    for (at, word) in words.iter().enumerate() {
        if !words[..at].contains(word) {
            of_bank[(word % banks) as usize] += 1;
        }
    }
    of_bank.into_iter().max().unwrap_or(0)
}

/// Steps in which one word goes to all who want it, the most wanted first, and each other bank serves one thread.
fn broadcast_steps(words: &[u64], banks: u64) -> u32 {
    let mut waiting = words.to_vec();
    let mut steps = 0;
    while !waiting.is_empty() {
        let wanted = |word: &u64| waiting.iter().filter(|other| *other == word).count();
        // Of equally wanted words, that of the first thread.
        let broadcast = waiting.iter().rev().copied().max_by_key(|word| wanted(word)).unwrap_or_default();
        let mut served = [false; 32];
        served[(broadcast % banks) as usize] = true;
        waiting.retain(|word| {
            *word != broadcast && std::mem::replace(&mut served[(word % banks) as usize], true)
        });
        steps += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn together(places: impl Iterator<Item = (u64, u8)>, kind: Kind, space: Space) -> Together {
        let mut together = [None; WARP];
        for (slot, (at, bytes)) in together.iter_mut().zip(places) {
            *slot = Some(Access { at, place: 0, bytes, kind, space });
        }
        together
    }

    fn shared(places: impl Iterator<Item = u64>, bytes: u8) -> SharedCounts {
        let together = together(places.map(|at| (at, bytes)), Kind::Read, Space::Shared);
        let mut counts = Counts::default();
        counts.add_instruction(&together, &mut |_| ());
        counts.shared_load
    }

    fn global(places: impl Iterator<Item = u64>, bytes: u8) -> GlobalCounts {
        let together = together(places.map(|at| (at, bytes)), Kind::Write, Space::Global(0));
        let mut counts = Counts::default();
        counts.add_instruction(&together, &mut |_| ());
        counts.global_store
    }

    fn worst(places: impl Fn(u64) -> u64) -> (u32, u32) {
        let counts = shared((0..32).map(|lane| places(lane) * 4), 4);
        (counts.banks_32.worst, counts.banks_16.worst)
    }

    #[test]
    fn neighbouring_words_and_one_word_for_all_are_free_and_strides_are_not() {
        assert_eq!(worst(|lane| lane), (1, 1));
        assert_eq!(worst(|_| 5), (1, 1));
        assert_eq!(worst(|lane| lane * 2), (2, 2));
        assert_eq!(worst(|lane| lane * 16), (16, 16));
        assert_eq!(worst(|lane| lane * 32), (32, 16));
        assert_eq!(worst(|lane| lane * 33), (1, 1));
    }

    #[test]
    fn four_words_for_four_threads_each_take_four_steps_where_one_word_is_broadcast_a_step() {
        // The 4 x 4 tile of lund-smith-2010, section 4.3, read by rows and by columns.
        assert_eq!(worst(|lane| lane / 4 % 4 * 4), (1, 4));
        assert_eq!(worst(|lane| lane % 4), (1, 4));
        // In the cyclic order.
        assert_eq!(worst(|lane| lane / 4 % 4 * 4 + (lane / 4 + lane) % 4), (1, 1));
    }

    #[test]
    fn half_warps_are_neighbours_also_where_not_all_threads_take_part() {
        // Lanes 8 to 23, a bank each: two halves of eight, and no conflict in either.
        let mut wanted = together((0..32).map(|lane| (lane * 4, 4)), Kind::Write, Space::Shared);
        wanted
            .iter_mut()
            .enumerate()
            .filter(|(lane, _)| !(8..24).contains(lane))
            .for_each(|(_, slot)| *slot = None);
        let mut counts = Counts::default();
        counts.add_instruction(&wanted, &mut |_| ());
        assert_eq!(counts.shared_store.banks_16, BankCounts { parts: 2, steps: 2, worst: 1 });
        assert_eq!(counts.shared_store.banks_32, BankCounts { parts: 1, steps: 1, worst: 1 });
    }

    #[test]
    fn wide_accesses_are_served_in_parts_that_the_banks_can_serve_at_once() {
        let counts = shared((0..32).map(|lane| lane * 16), 16);
        assert_eq!((counts.requests, counts.bytes), (1, 512));
        assert_eq!((counts.banks_32.parts, counts.banks_32.steps), (4, 4));
        assert_eq!((counts.banks_16.parts, counts.banks_16.steps), (8, 8));
    }

    #[test]
    fn sectors_follow_from_the_addresses_and_not_from_the_bytes() {
        let of = |counts: GlobalCounts| (counts.requests, counts.bytes, counts.sectors);
        assert_eq!(of(global((0..32).map(|lane| lane * 4), 4)), (1, 128, 4));
        assert_eq!(of(global((0..32).map(|lane| lane * 4 + 4), 4)), (1, 128, 5));
        assert_eq!(of(global((0..32).map(|lane| lane * 128), 4)), (1, 128, 32));
        assert_eq!(of(global((0..32).map(|_| 64), 4)), (1, 128, 1));
        assert_eq!(of(global((0..32).map(|lane| lane * 16), 16)), (1, 512, 16));
    }

    fn trace_of(threads: &[&[(u32, u64)]]) -> Trace {
        let mut trace = Trace::default();
        for (thread, accesses) in threads.iter().enumerate() {
            trace.begin(thread as u32, 0);
            let access =
                |&(place, at)| Access { at, place, bytes: 4, kind: Kind::Read, space: Space::Global(0) };
            trace.accesses.extend(accesses.iter().map(access));
        }
        trace
    }

    #[test]
    fn threads_that_went_different_ways_meet_where_they_can() {
        let mut counts = Counts::default();
        // The second thread skips place 1 and comes by place 2 twice.
        counts.add_interval(&trace_of(&[&[(1, 0), (2, 0)], &[(2, 4), (2, 8)]]), 2, |_| ());
        assert_eq!(counts.global_load, GlobalCounts { requests: 3, bytes: 16, sectors: 3 });
        let mut counts = Counts::default();
        counts.add_interval(&trace_of(&[&[(1, 0), (2, 0)], &[(1, 4), (2, 4)], &[]]), 3, |_| ());
        assert_eq!(counts.global_load, GlobalCounts { requests: 2, bytes: 16, sectors: 2 });
    }
}
