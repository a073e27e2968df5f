//! The timer pitfall of pogorilyy-cuda: what a clock that does not wait for the device says of a solve, computed once.

use repro_timing::{Estimate, Scope};

/// What the clocks of one solve of n vertices say of each other, as far as they were read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pitfall {
    /// What the clock that does not wait reads, over the time of the launches by the one that does.
    pub share: Estimate,
    /// The share of the missing time that is found in the copy back that follows at once. None where next to nothing is missing, or where layout changes
    /// blur it.
    pub found: Option<f64>,
}

/// Below this share of the true time, what is missing may be noise.
const MISSING: f64 = 0.1;
/// Layout changes above this share of what is missing blur where it is.
const LAYOUT_SHARE: f64 = 0.02;

impl Pitfall {
    /// From the seconds that each clock says. None where the clock that does not wait was not read, or the true time is not known.
    pub fn of(seconds: impl Fn(Scope) -> Option<Estimate>) -> Option<Self> {
        let (read, truth) = (seconds(Scope::HostUnsynced)?, seconds(Scope::HostSynced)?);
        let copies = seconds(Scope::CopyOutUnsynced).zip(seconds(Scope::CopyOutPageable));
        let missing = truth.value - read.value;
        let layout = seconds(Scope::Device).zip(seconds(Scope::Kernel));
        let blurs = layout.is_some_and(|(with, without)| with.value - without.value > LAYOUT_SHARE * missing);
        let found = copies.filter(|_| missing > MISSING * truth.value && !blurs);
        Some(Self {
            share: read.over(truth),
            found: found.map(|(after, alone)| (after.value - alone.value) / missing),
        })
    }
}

/// Where the clock that does not wait reads least of the truth: n and its share of it.
pub fn least(all: &[(usize, Pitfall)]) -> Option<(usize, f64)> {
    let shares = all.iter().map(|(n, one)| (*n, one.share.value));
    shares.min_by(|a, b| a.1.total_cmp(&b.1))
}
