//! Where the time of the program went.

use serde::{Serialize, Serializer};
use std::time::Instant;

/// Seconds of parts, one after the other.
pub(super) struct Clock {
    parts: Vec<(&'static str, f64)>,
    last: Instant,
}

impl Clock {
    /// Begins with what the system needed to start the program, where it tells.
    pub fn start() -> Self {
        let parts = since_start().map(|seconds| ("start", seconds)).into_iter().collect();
        Self { parts, last: Instant::now() }
    }

    /// Ends a part, which began when the one before it ended. Parts of one name are added up.
    pub fn lap(&mut self, name: &'static str) {
        self.lap_at(name, Instant::now());
    }

    /// Ends a part at `end`, which began where the last one ended.
    pub fn lap_at(&mut self, name: &'static str, end: Instant) {
        let seconds = end.saturating_duration_since(self.last).as_secs_f64();
        self.last = end;
        match self.parts.iter_mut().find(|(part, _)| *part == name) {
            Some((_, sum)) => *sum += seconds,
            None => self.parts.push((name, seconds)),
        }
    }

    /// What there is so far.
    pub fn seconds(&self) -> Seconds {
        Seconds(self.parts.clone())
    }
}

/// Seconds of each part; an object of JSON.
#[derive(Debug)]
pub(super) struct Seconds(pub Vec<(&'static str, f64)>);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().copied())
    }
}

/// Seconds since the process was made, in steps of 10 ms.
#[cfg(target_os = "linux")]
fn since_start() -> Option<f64> {
    /// Ticks a second in /proc, on every Linux that Rust's standard library runs on.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have blanks, the 20th field is when the process began, in ticks since the system did.
    let began: f64 = stat.rsplit(')').next()?.split_whitespace().nth(19)?.parse().ok()?;
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    let now: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Some((now - began / TICKS).max(0.0))
}

#[cfg(not(target_os = "linux"))]
fn since_start() -> Option<f64> {
    None
}
