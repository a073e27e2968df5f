//! Turns a block's trace into counts, warp by warp as the hardware would serve it.
//!
//! An instruction of a warp is what its threads do at one place of the code at the same turn. Global memory is moved in
//! sectors of 32 bytes (compute capability 3.0 and newer).
//!
//! How the banks of shared memory serve what the threads of a warp want at once, under two rules:
//!
//! - 32 banks, a warp at a time (compute capability 2.0 and newer): any number of threads may read one word together; what
//!   counts is how many different words one bank must give.
//! - 16 banks, a half-warp at a time (compute capability 1.x, CUDA programming guide 2.3, section 5.1.2.5): in each step one
//!   word is broadcast to all who want it, and every other bank serves one thread.

use super::block::WARP;
use super::counts::{BankCounts, Counts, SECTOR};
use super::trace::{Access, AccessKind, Space, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// What each thread of a warp does in one instruction, if it takes part.
pub(crate) type WarpInstruction = [Option<Access>; WARP];

impl Counts {
    /// Adds what a block did between two barriers.
    pub(crate) fn add_interval(&mut self, trace: &Trace, threads: usize) {
        let mut lanes: Vec<Vec<(usize, usize)>> = vec![Vec::new(); threads];
        for (at, segment) in trace.segments.iter().enumerate() {
            let (start, accesses) = trace.segment(at);
            // Copies are counted where they begin.
            if !accesses.is_empty() && (segment.thread as usize) < threads {
                lanes[segment.thread as usize].push((start, start + accesses.len()));
            }
        }
        for warp in lanes.chunks(WARP) {
            self.add_warp(trace, warp);
        }
    }

    fn add_warp(&mut self, trace: &Trace, lanes: &[Vec<(usize, usize)>]) {
        // The usual case: every thread that did anything ran once, through the same places.
        let mut runs: [&[Access]; WARP] = [&[]; WARP];
        for (run, parts) in runs.iter_mut().zip(lanes) {
            match parts[..] {
                [] => {}
                [(start, end)] => *run = &trace.accesses[start..end],
                _ => return self.add_diverged(trace, lanes),
            }
        }
        let Some(first) = runs.iter().find(|run| !run.is_empty()) else { return };
        let same = |run: &&[Access]| {
            run.len() == first.len()
                && run.iter().zip(*first).all(|(a, b)| (a.place, a.kind) == (b.place, b.kind))
        };
        if !runs.iter().filter(|run| !run.is_empty()).all(same) {
            return self.add_diverged(trace, lanes);
        }
        for at in 0..first.len() {
            let mut together = [None; WARP];
            for (slot, run) in together.iter_mut().zip(&runs) {
                *slot = run.get(at).copied();
            }
            self.add_instruction(&together);
        }
    }

    /// Threads that diverged converge at each visit of a place that all visit equally often. Elsewhere, the threads that last
    /// converged at the same visit of such a place execute together.
    fn add_diverged(&mut self, trace: &Trace, lanes: &[Vec<(usize, usize)>]) {
        let of_lane = |parts: &[(usize, usize)]| -> Vec<&Access> {
            parts.iter().flat_map(|&(start, end)| &trace.accesses[start..end]).collect()
        };
        let runs: Vec<Vec<&Access>> = lanes.iter().map(|parts| of_lane(parts)).collect();
        let meeting_points = visited_equally_often(&runs);
        let mut meetings: FxHashMap<ConvergencePoint, WarpInstruction> = FxHashMap::default();
        let mut order = Vec::new();
        for (lane, run) in runs.iter().enumerate() {
            let mut turns: FxHashMap<CodeVisit, usize> = FxHashMap::default();
            let mut last = None;
            for access in run {
                let visit = (access.place, access.kind as u8);
                let turn = turns.entry(visit).or_default();
                let meeting = if meeting_points.contains(&visit) {
                    last = Some((visit, *turn));
                    ConvergencePoint { visit, since: None, turn: *turn }
                } else {
                    ConvergencePoint { visit, since: last, turn: 0 }
                };
                *turn += 1;
                let mut meeting = meeting;
                // A place may be visited again before the next meeting point.
                while meetings.get(&meeting).is_some_and(|together| together[lane].is_some()) {
                    meeting.turn += 1;
                }
                let together = meetings.entry(meeting).or_insert_with(|| {
                    order.push(meeting);
                    [None; WARP]
                });
                together[lane] = Some(**access);
            }
        }
        for meeting in order {
            self.add_instruction(&meetings[&meeting]);
        }
    }

    /// Counts what the threads of a warp do in one instruction.
    fn add_instruction(&mut self, together: &WarpInstruction) {
        // A pointer may lead some threads to shared and some to global memory.
        for global in [true, false] {
            let chosen = together.map(|access| access.filter(|access| access.space().is_global() == global));
            let Some(kind) = chosen.iter().flatten().next().map(|access| access.kind) else { continue };
            let bytes: u64 = chosen.iter().flatten().map(|access| u64::from(access.bytes)).sum();
            match kind {
                AccessKind::Atomic | AccessKind::AtomicOfBlock | AccessKind::Init => self.atomics += 1,
                _ if matches!(chosen.iter().flatten().next().map(Access::space), Some(Space::Remote(_))) => {
                    let to = &mut self.remote_shared;
                    *if kind.writes() { &mut to.stores } else { &mut to.loads } += 1;
                    to.bytes += bytes;
                }
                _ if global => {
                    let to = if !kind.writes() { &mut self.global_load } else { &mut self.global_store };
                    to.requests += 1;
                    to.bytes += bytes;
                    to.distinct_bytes += distinct_bytes(&chosen);
                    to.sectors += sectors(chosen.iter().flatten());
                }
                _ => {
                    let to = if !kind.writes() { &mut self.shared_load } else { &mut self.shared_store };
                    to.requests += 1;
                    to.bytes += bytes;
                    to.distinct_bytes += distinct_bytes(&chosen);
                    to.banks_32 += steps(&chosen, 32, WARP, multicast_steps);
                    to.banks_16 += steps(&chosen, 16, WARP / 2, broadcast_steps);
                }
            }
        }
    }
}

/// A place of the code and what is done there.
type CodeVisit = (u32, u8);

/// When threads of a warp execute one instruction together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ConvergencePoint {
    visit: CodeVisit,
    /// For a place that not all visit equally often: where the thread last met all others, and at which turn.
    since: Option<(CodeVisit, usize)>,
    turn: usize,
}

/// The places that all threads with any access visited equally often.
fn visited_equally_often(runs: &[Vec<&Access>]) -> FxHashSet<CodeVisit> {
    let mut visits: FxHashMap<CodeVisit, Vec<usize>> = FxHashMap::default();
    let active: Vec<&Vec<&Access>> = runs.iter().filter(|run| !run.is_empty()).collect();
    for (lane, run) in active.iter().enumerate() {
        for access in run.iter() {
            let visit = (access.place, access.kind as u8);
            visits.entry(visit).or_insert_with(|| vec![0; active.len()])[lane] += 1;
        }
    }
    let equal = |counts: &[usize]| counts.iter().all(|count| *count == counts[0]);
    visits.into_iter().filter(|(_, counts)| equal(counts)).map(|(visit, _)| visit).collect()
}

/// Different sectors that the accesses touch.
fn sectors<'a>(accesses: impl Iterator<Item = &'a Access>) -> u64 {
    let mut touched = [0u64; 2 * WARP];
    let mut count = 0;
    let mut beyond = 0;
    for access in accesses {
        let first = access.address / SECTOR;
        let last = (access.address + u64::from(access.bytes.max(1)) - 1) / SECTOR;
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

/// Bytes that the threads ask for, with equal accesses counted once.
fn distinct_bytes(together: &WarpInstruction) -> u64 {
    let mut sum = 0;
    let mut last: Option<(u64, u8)> = None;
    for (lane, access) in together.iter().enumerate() {
        let Some(access) = access else { continue };
        let wanted = (access.address, access.bytes);
        // Mostly the next place or the same one.
        let known = match last {
            Some(last) if wanted == last => true,
            Some(last) if wanted.0 > last.0 => false,
            None => false,
            Some(_) => together[..lane].iter().flatten().any(|other| (other.address, other.bytes) == wanted),
        };
        if !known {
            sum += u64::from(access.bytes);
            last = last.max(Some(wanted));
        }
    }
    sum
}

/// Serves the accesses in parts of at most `most` neighbouring threads, fewer where each wants more than a word.
pub(crate) fn steps(
    together: &WarpInstruction,
    banks: u64,
    most: usize,
    serve: fn(&[u64], u64) -> u32,
) -> BankCounts {
    let widest = together.iter().flatten().map(|access| usize::from(access.bytes)).max().unwrap_or(0);
    let words_each = widest.div_ceil(4).max(1);
    let mut counts = BankCounts::default();
    for part in together.chunks((most / words_each).max(1)) {
        let mut words = [0u64; WARP];
        let mut count = 0;
        for access in part.iter().flatten() {
            let end = access.address + u64::from(access.bytes.max(1));
            for word in access.address / 4..end.div_ceil(4) {
                if count < WARP {
                    words[count] = word;
                    count += 1;
                }
            }
        }
        if count > 0 {
            let took = u64::from(serve(&words[..count], banks));
            counts += BankCounts { parts: 1, steps: took, worst: took };
        }
    }
    counts
}

/// Steps in which each bank gives one word to all who want it: the most different words of one bank.
pub(crate) fn multicast_steps(words: &[u64], banks: u64) -> u32 {
    let mut of_bank = [0u32; 32];
    for (at, word) in words.iter().enumerate() {
        if !words[..at].contains(word) {
            of_bank[(word % banks) as usize] += 1;
        }
    }
    of_bank.into_iter().max().unwrap_or(0)
}

/// Steps in which one word goes to all who want it, the most wanted first, and each other bank serves one thread.
pub(crate) fn broadcast_steps(words: &[u64], banks: u64) -> u32 {
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
    use super::super::counts::{BankCounts, GlobalCounts, SharedCounts};
    use super::*;

    fn together(places: impl Iterator<Item = (u64, u8)>, kind: AccessKind, space: Space) -> WarpInstruction {
        let mut together = [None; WARP];
        for (slot, (at, bytes)) in together.iter_mut().zip(places) {
            *slot = Some(Access { address: at, place: 0, bytes, kind, tag: space.tag() });
        }
        together
    }

    fn shared(places: impl Iterator<Item = u64>, bytes: u8) -> SharedCounts {
        let together = together(places.map(|at| (at, bytes)), AccessKind::Read, Space::Shared(0));
        let mut counts = Counts::default();
        counts.add_instruction(&together);
        counts.shared_load
    }

    fn worst(places: impl Fn(u64) -> u64) -> (u64, u64) {
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
        let wide = shared((0..32).map(|lane| lane * 16), 16);
        assert_eq!((wide.banks_32.steps, wide.banks_16.parts, wide.banks_16.steps), (4, 8, 8));
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
        let mut wanted = together((0..32).map(|lane| (lane * 4, 4)), AccessKind::Write, Space::Shared(0));
        wanted
            .iter_mut()
            .enumerate()
            .filter(|(lane, _)| !(8..24).contains(lane))
            .for_each(|(_, slot)| *slot = None);
        let mut counts = Counts::default();
        counts.add_instruction(&wanted);
        assert_eq!(counts.shared_store.banks_16, BankCounts { parts: 2, steps: 2, worst: 1 });
        assert_eq!(counts.shared_store.banks_32, BankCounts { parts: 1, steps: 1, worst: 1 });
    }

    fn trace_of(threads: &[&[(u32, u64)]]) -> Trace {
        let mut trace = Trace::default();
        for (thread, accesses) in threads.iter().enumerate() {
            trace.begin(thread as u32, crate::trace::ClockSnapshot::default());
            let access =
                |&(place, at)| Access { address: at, place, bytes: 4, kind: AccessKind::Read, tag: 0 };
            trace.accesses.extend(accesses.iter().map(access));
        }
        trace
    }

    #[test]
    fn a_store_that_some_make_meets_those_of_the_same_turn_alone() {
        // Two turns of a loop that loads at place 1: one thread stores in the first turn, one in the second, one never.
        let early: &[(u32, u64)] = &[(1, 0), (9, 0), (1, 4)];
        let late: &[(u32, u64)] = &[(1, 0), (1, 4), (9, 64)];
        let never: &[(u32, u64)] = &[(1, 0), (1, 4)];
        let requests = |threads: &[&[(u32, u64)]]| {
            let mut counts = Counts::default();
            counts.add_interval(&trace_of(threads), threads.len());
            counts.global_load.requests
        };
        assert_eq!(requests(&[early, late, never]), 2 + 2);
        assert_eq!(requests(&[early, early, never]), 2 + 1);
    }

    #[test]
    fn threads_that_went_different_ways_meet_where_they_can() {
        let mut counts = Counts::default();
        // The second thread skips place 1 and comes by place 2 twice.
        counts.add_interval(&trace_of(&[&[(1, 0), (2, 0)], &[(2, 4), (2, 8)]]), 2);
        assert_eq!(
            counts.global_load,
            GlobalCounts { requests: 3, bytes: 16, distinct_bytes: 16, sectors: 3 }
        );
        let mut counts = Counts::default();
        counts.add_interval(&trace_of(&[&[(1, 0), (2, 0)], &[(1, 4), (2, 4)], &[]]), 3);
        assert_eq!(
            counts.global_load,
            GlobalCounts { requests: 2, bytes: 16, distinct_bytes: 16, sectors: 2 }
        );
    }
}
