//! Where the time of the program went.

use serde::{Serialize, Serializer};
use std::time::Instant;

/// Seconds of phases, one after the other; an object of JSON.
#[derive(Clone)]
pub(super) struct PhaseTimer {
    pub phases: Vec<(&'static str, f64)>,
    last: Instant,
}

impl PhaseTimer {
    /// Begins the first phase.
    pub fn start() -> Self {
        Self { phases: Vec::new(), last: Instant::now() }
    }

    /// Ends a phase, which began when the one before it ended.
    pub fn lap(&mut self, name: &'static str) {
        self.lap_at(name, Instant::now());
    }

    /// Ends a phase at `end`, which began where the last one ended.
    pub fn lap_at(&mut self, name: &'static str, end: Instant) {
        self.phases.push((name, end.saturating_duration_since(self.last).as_secs_f64()));
        self.last = end;
    }
}

impl Serialize for PhaseTimer {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.phases.iter().copied())
    }
}
