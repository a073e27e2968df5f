//! Whether all host threads of a launch only wait for one another.
//!
//! Each change that may let a wait end begins a new epoch. A host thread that has looked at all that its threads wait for since the
//! epoch began, and could not go on, is idle in it. Where all are idle in the same epoch nobody is left to end any wait, however slowly
//! the system let them look.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct QuiescenceDetector {
    epoch: AtomicU64,
    state: Mutex<Idleness>,
}

#[derive(Default)]
struct Idleness {
    /// Host threads that have blocks, or may take some.
    live: usize,
    /// The epoch that `idle` is of.
    epoch: u64,
    /// How many host threads are idle in that epoch.
    idle: usize,
}

impl QuiescenceDetector {
    /// Sets how many host threads begin.
    pub fn begin(&self, live: usize) {
        self.state().live = live;
    }

    /// The epoch. Read before a host thread looks at what its threads wait for.
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    /// Begins a new epoch: something changed that others may wait for.
    pub fn change(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
    }

    /// A host thread ends, with its blocks.
    pub fn end(&self) {
        self.state().live -= 1;
        self.change();
    }

    /// Counts a host thread that could not go on since `epoch` began as idle; `counted` is the epoch in which it was last
    /// counted. Returns whether all are idle.
    pub fn is_over(&self, epoch: u64, counted: &mut Option<u64>) -> bool {
        let mut state = self.state();
        if self.epoch() != epoch {
            return false;
        }
        if state.epoch != epoch {
            (state.epoch, state.idle) = (epoch, 0);
        }
        if *counted != Some(epoch) {
            *counted = Some(epoch);
            state.idle += 1;
        }
        state.idle >= state.live
    }

    fn state(&self) -> MutexGuard<'_, Idleness> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_gives_up_before_all_have_looked_since_the_last_change() {
        let quiet = QuiescenceDetector::default();
        quiet.begin(2);
        let (mut one, mut two) = (None, None);
        let before = quiet.epoch();
        assert!(!quiet.is_over(before, &mut one));
        assert!(!quiet.is_over(before, &mut one), "it alone, however often");
        // The other ends a wait, and has nothing more to do.
        quiet.change();
        let after = quiet.epoch();
        assert!(!quiet.is_over(after, &mut two), "the first has not looked again");
        assert!(!quiet.is_over(before, &mut one), "what it looked at was of before");
        assert!(quiet.is_over(after, &mut one));
    }
}
