//! Where the values of a picture come from, as one line below it.

use std::collections::BTreeSet;
use std::fmt;

/// Commits are listed up to so many; of more, their number stands.
const MOST_COMMITS: usize = 3;
/// Experiments are listed up to so many; of more, their number stands.
const MOST_EXPERIMENTS: usize = 2;

/// Device, experiment, sizes, dates and commits of the runs behind a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// What was measured, each once: models of the GPU and then, where it was timed, of the CPU; or the emulated device.
    pub devices: Vec<String>,
    /// Names of the runs' experiments.
    pub experiments: BTreeSet<String>,
    /// What the runs are called.
    pub runs: BTreeSet<String>,
    /// The least and the largest n.
    pub sizes: Option<(usize, usize)>,
    /// Days on which the runs were started, `2026-11-20`.
    pub dates: BTreeSet<String>,
    /// Commits of the builds, seven digits each.
    pub commits: BTreeSet<String>,
}

impl Source {
    /// Of everything that either is of.
    pub fn and(mut self, other: Self) -> Self {
        let known = self.devices.clone();
        self.devices.extend(other.devices.into_iter().filter(|device| !known.contains(device)));
        self.experiments.extend(other.experiments);
        self.runs.extend(other.runs);
        self.dates.extend(other.dates);
        self.commits.extend(other.commits);
        self.sizes = match (self.sizes, other.sizes) {
            (Some((least, most)), Some((low, high))) => Some((least.min(low), most.max(high))),
            (one, other) => one.or(other),
        };
        self
    }

    /// This source with these sizes alone.
    pub fn of_sizes(self, sizes: impl IntoIterator<Item = usize>) -> Self {
        let ends = sizes.into_iter().fold(None, |ends: Option<(usize, usize)>, n| {
            Some(ends.map_or((n, n), |(least, most)| (least.min(n), most.max(n))))
        });
        Self { sizes: ends.or(self.sizes), ..self }
    }
}

impl fmt::Display for Source {
    /// `NVIDIA H200 · table1 · n = 1024 to 16384 · 2026-11-20 · commit d34ee35 · repro`
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let list = |of: &BTreeSet<String>| of.iter().cloned().collect::<Vec<_>>().join(", ");
        let mut experiments = match self.experiments.len() {
            many if many > MOST_EXPERIMENTS => format!("{many} experiments"),
            _ => list(&self.experiments),
        };
        match self.runs.first() {
            Some(_) if self.runs.len() > 1 => experiments += &format!(", {} runs", self.runs.len()),
            // A run is called after its experiment where nobody named it otherwise.
            Some(run) if !self.experiments.contains(run) && self.experiments.len() == 1 => {
                experiments += &format!(" (run {run})")
            }
            _ => {}
        }
        let sizes = match self.sizes {
            Some((least, most)) if least == most => format!("n = {least}"),
            Some((least, most)) => format!("n = {least} to {most}"),
            None => String::new(),
        };
        let dates = match (self.dates.first(), self.dates.last()) {
            (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
            (first, _) => first.cloned().unwrap_or_default(),
        };
        let commits = match self.commits.len() {
            0 => String::new(),
            1 => format!("commit {}", list(&self.commits)),
            many if many > MOST_COMMITS => format!("{many} commits"),
            _ => format!("commits {}", list(&self.commits)),
        };
        let parts = [self.devices.join(", "), experiments, sizes, dates, commits, "repro".to_string()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        f.write_str(&parts.join(" · "))
    }
}
