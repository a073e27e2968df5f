//! What a thread knows to have happened before it: the order that barriers, fences, flags and waits make.
//!
//! Each block counts ticks: every operation that orders memory takes the next one. A barrier of the whole block gives all
//! of its threads one tick, so that most questions of order take one comparison. What only some threads learned, through a
//! flag, a named barrier or an mbarrier, is kept separately, thread by thread.
//!
//! Asynchronous copies have numbers as threads do, and no barrier orders them. A copy is known to the thread that waited for
//! it, and to those that this thread is then ordered before.

use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::Arc;

const WARP: u16 = crate::block::WARP as u16;

/// One access, as far as order depends on it. Packed, so that a `ShadowWord`, which holds three, is one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, packed(2))]
pub struct AccessEpoch {
    pub block: u32,
    /// The tick that its thread had reached.
    pub time: u32,
    /// Where in the code.
    pub place: u32,
    /// Its number in the block; from [`FIRST_COPY`] on, an asynchronous copy.
    pub thread: u16,
}

/// A block has at most 1,024 threads. The numbers after theirs are those of asynchronous copies: of a thread's groups, of the
/// reads and of the writes of its bulk groups, and of copies that complete on mbarriers.
pub const FIRST_COPY: u16 = 1024;
pub const FIRST_BULK_READ: u16 = 2048;
pub const FIRST_BULK_WRITE: u16 = 3072;
pub const FIRST_MBARRIER: u16 = 4096;

/// The number under which the copies of a thread's groups are known.
pub fn copies_of(thread: u32) -> u16 {
    FIRST_COPY + thread as u16
}

impl AccessEpoch {
    pub fn is_in_warp_of(&self, other: &AccessEpoch) -> bool {
        self.block == other.block && self.thread / WARP == other.thread / WARP
    }

    pub fn is_copy(&self) -> bool {
        self.thread >= FIRST_COPY
    }

    /// Bulk copies see only what was written before a proxy fence; copies by `cp.async` see what their thread sees.
    pub fn is_bulk_copy(&self) -> bool {
        self.thread >= FIRST_BULK_READ
    }
}

/// The ticks of the threads of a warp, or of as many copies; 0 where none is known.
type WarpTicks = [u32; WARP as usize];

/// What was learned in addition to the barriers of one's own block: for each block, the tick before which all its accesses are
/// known, and for each thread the tick before which its own are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorClock {
    blocks: FxHashMap<u32, u32>,
    /// By block and warp.
    warps: FxHashMap<(u32, u16), WarpTicks>,
    /// The greatest of all these ticks: no access at or after it is known.
    newest: u32,
    /// What bulk copies see of it: what was known at a proxy fence on the way here.
    by_copies: SharedClock,
}

impl VectorClock {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.warps.is_empty() && self.by_copies.is_none()
    }

    /// This clock after a proxy fence: bulk copies, too, see what is known now.
    pub fn seen_by_copies(self) -> Self {
        let all = Self { by_copies: None, ..self.clone() };
        Self { by_copies: Some(Arc::new(all)), ..self }
    }

    /// Whether bulk copies, too, come after this access.
    pub fn covers_for_copies(&self, access: &AccessEpoch) -> bool {
        self.by_copies.as_ref().is_some_and(|known| known.covers(access))
    }

    /// Learns all accesses of a block before `time`.
    pub fn learn_block(&mut self, block: u32, time: u32) {
        if time > 0 {
            self.newest = self.newest.max(time);
            let known = self.blocks.entry(block).or_default();
            *known = time.max(*known);
        }
    }

    /// Learns the accesses of a thread, or of a copy, before `time`.
    pub fn learn_thread(&mut self, block: u32, thread: u16, time: u32) {
        let mut ticks = WarpTicks::default();
        ticks[usize::from(thread % WARP)] = time;
        self.learn_warp(block, thread / WARP, &ticks);
    }

    /// Learns the accesses of the threads of a warp, or of as many copies, each before its tick.
    fn learn_warp(&mut self, block: u32, warp: u16, ticks: &WarpTicks) {
        let newest = ticks.iter().copied().max().unwrap_or(0);
        if newest > self.of_block(block, warp) {
            self.newest = self.newest.max(newest);
            let known = self.warps.entry((block, warp)).or_default();
            known.iter_mut().zip(ticks).for_each(|(known, tick)| *known = (*known).max(*tick));
        }
    }

    /// The tick before which all threads of the warp's block are known; 0 for copies, which no barrier orders.
    fn of_block(&self, block: u32, warp: u16) -> u32 {
        if warp < FIRST_COPY / WARP { self.blocks.get(&block).copied().unwrap_or(0) } else { 0 }
    }

    pub fn join(&mut self, other: &VectorClock) {
        for (block, time) in &other.blocks {
            self.learn_block(*block, *time);
        }
        for ((block, warp), ticks) in &other.warps {
            self.learn_warp(*block, *warp, ticks);
        }
        join_shared(&mut self.by_copies, &other.by_copies);
    }

    pub fn covers(&self, access: &AccessEpoch) -> bool {
        let AccessEpoch { block, thread, time, .. } = *access;
        let (warp, lane) = (thread / WARP, usize::from(thread % WARP));
        time < self.newest
            && (self.of_block(block, warp) > time
                || self.warps.get(&(block, warp)).is_some_and(|ticks| ticks[lane] > time))
    }

    /// Whether everything that `other` knows is known here.
    pub fn contains(&self, other: &VectorClock) -> bool {
        let has_warp = |((block, warp), ticks): (&(u32, u16), &WarpTicks)| {
            let of_block = self.of_block(*block, *warp);
            let known = self.warps.get(&(*block, *warp)).unwrap_or(&[0; WARP as usize]);
            ticks.iter().zip(known).all(|(tick, known)| *tick <= of_block.max(*known))
        };
        other.blocks.iter().all(|(block, time)| self.of_block(*block, 0) >= *time)
            && other.warps.iter().all(has_warp)
            && other.by_copies.as_ref().is_none_or(|other| {
                let contained = |known: &Arc<Self>| Arc::ptr_eq(known, other) || known.contains(other);
                self.by_copies.as_ref().is_some_and(contained)
            })
    }
}

/// A clock that several may share; None where nothing is known.
pub type SharedClock = Option<Arc<VectorClock>>;

/// Adds what `other` knows to `known`, which is copied first if it is shared.
pub fn join_shared(known: &mut SharedClock, other: &SharedClock) {
    match (&mut *known, other) {
        (_, None) => {}
        (None, Some(_)) => known.clone_from(other),
        (Some(own), Some(other)) => {
            if !Arc::ptr_eq(own, other) && !own.contains(other) {
                Arc::make_mut(own).join(other);
            }
        }
    }
}

/// What a thread knows at some time: the ticks before which its whole block, its whole warp, each lane of its warp and others
/// are ordered before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadClock<'a> {
    pub who: AccessEpoch,
    pub block_base: u32,
    pub warp_base: u32,
    /// The tick of each lane, where only a part of the warp synchronized.
    pub lanes: Option<&'a [u32; 32]>,
    /// For each thread of the block, the tick before which its groups of copies had landed at the last barrier.
    pub landed: Option<&'a [u32]>,
    /// Before which tick the thread's own groups of copies have landed by now.
    pub own_landed: u32,
    pub known: Option<&'a VectorClock>,
    /// The last access that `known` was found to cover: neighbours mostly ask for the same one.
    pub covered: Option<&'a Cell<Option<AccessEpoch>>>,
}

impl ThreadClock<'_> {
    /// Whether something puts `earlier` before this.
    #[inline]
    pub fn follows(&self, earlier: &AccessEpoch) -> bool {
        if earlier.block == self.who.block {
            if earlier.is_copy() {
                if self.has_landed(earlier) {
                    return true;
                }
            } else if earlier.thread == self.who.thread || earlier.time < self.block_base {
                return true;
            } else if earlier.is_in_warp_of(&self.who) {
                let of_lane = || self.lanes.map_or(0, |lanes| lanes[usize::from(earlier.thread % 32)]);
                if earlier.time < self.warp_base || earlier.time < of_lane() {
                    return true;
                }
            }
        }
        let Some(known) = self.known else { return false };
        let is_last = self.covered.is_some_and(|last| last.get() == Some(*earlier));
        let is_covered = is_last || known.covers(earlier);
        if let Some(last) = self.covered.filter(|_| is_covered && !is_last) {
            last.set(Some(*earlier));
        }
        is_covered
    }

    /// Whether a bulk copy lacks a proxy fence between itself and what it follows.
    pub fn lacks_proxy_fence(&self, earlier: &AccessEpoch) -> bool {
        self.who.is_bulk_copy()
            && !earlier.is_copy()
            && !self.known.is_some_and(|known| known.covers_for_copies(earlier))
    }

    /// Whether a copy of a group of this block was waited for.
    fn has_landed(&self, copy: &AccessEpoch) -> bool {
        let issuer = copy.thread - FIRST_COPY;
        let before = self.landed.and_then(|landed| landed.get(usize::from(issuer))).copied().unwrap_or(0);
        copy.time < before || issuer == self.who.thread && copy.time < self.own_landed
    }

    /// Everything that the thread knows, to be passed on: its own accesses included.
    pub fn passed_on(&self) -> VectorClock {
        let AccessEpoch { block, thread, time, .. } = self.who;
        let mut all = self.known.cloned().unwrap_or_default();
        all.learn_block(block, self.block_base);
        if thread < FIRST_COPY {
            let of_lane = |lane: usize| self.warp_base.max(self.lanes.map_or(0, |lanes| lanes[lane]));
            all.learn_warp(block, thread / WARP, &std::array::from_fn(of_lane));
            all.learn_thread(block, FIRST_COPY + thread, self.own_landed);
        }
        for (issuer, landed) in (0..).zip(self.landed.unwrap_or_default()).filter(|(_, landed)| **landed > 0)
        {
            all.learn_thread(block, FIRST_COPY + issuer, *landed);
        }
        all.learn_thread(block, thread, time + 1);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(block: u32, thread: u16, time: u32) -> AccessEpoch {
        AccessEpoch { block, time, place: 0, thread }
    }

    #[test]
    fn a_barrier_orders_its_block_and_a_warps_its_warp() {
        let view =
            ThreadClock { who: access(0, 1, 5), block_base: 3, warp_base: 5, ..ThreadClock::default() };
        assert!(view.follows(&access(0, 700, 2)));
        assert!(!view.follows(&access(0, 700, 3)));
        assert!(view.follows(&access(0, 31, 4)));
        assert!(!view.follows(&access(0, 32, 4)));
        assert!(!view.follows(&access(1, 1, 0)));
    }

    #[test]
    fn what_is_passed_on_covers_the_past_and_not_what_follows() {
        let view =
            ThreadClock { who: access(2, 40, 5), block_base: 3, warp_base: 4, ..ThreadClock::default() };
        let known = view.passed_on();
        assert!(known.covers(&access(2, 40, 5)) && !known.covers(&access(2, 40, 6)));
        assert!(known.covers(&access(2, 41, 3)) && !known.covers(&access(2, 41, 4)));
        assert!(known.covers(&access(2, 900, 2)) && !known.covers(&access(2, 900, 3)));
        let learned = ThreadClock { known: Some(&known), ..ThreadClock::default() };
        assert!(learned.follows(&access(2, 40, 5)));
        // What was learned is passed on in turn.
        assert!(learned.passed_on().covers(&access(2, 40, 5)));
    }
}
