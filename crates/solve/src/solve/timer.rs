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
    /// Begins with what the system needed to start the program, where it tells.
    pub fn start() -> Self {
        let phases = since_start().map(|seconds| ("start", seconds)).into_iter().collect();
        Self { phases, last: Instant::now() }
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

/// Seconds since the process was made, in steps of 10 ms, where the system has them as Linux does.
fn since_start() -> Option<f64> {
    /// Ticks a second in /proc, on every Linux that Rust's standard library runs on.
    const TICKS: f64 = 100.0;
    let number = |word: Option<&str>| word?.parse::<f64>().ok();
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have blanks, the 20th field is when the process began, in ticks since the system did.
    let began = number(stat.rsplit(')').next()?.split_whitespace().nth(19))?;
    let now = number(std::fs::read_to_string("/proc/uptime").ok()?.split_whitespace().next())?;
    Some((now - began / TICKS).max(0.0))
}
