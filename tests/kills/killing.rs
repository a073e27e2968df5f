//! Starting a command, watching what it writes, and killing who works at it.

use crate::common::place::ends_within;
use crate::common::{signal, workers_of};
use repro::regression::history::{self, HistoryRow};
use repro::results::StoredRun;
use repro::store::SampleRow;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// Who is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Victim {
    Parent,
    /// The process group that the parent leads.
    ParentGroup,
    /// One of the workers.
    Worker,
    /// The process group of one of the workers.
    WorkerGroup,
    /// The parent, and then the workers.
    ParentAndWorkers,
    /// The workers, and then the parent.
    WorkersAndParent,
}

impl Victim {
    pub const ALL: [Self; 6] = [
        Self::Parent,
        Self::ParentGroup,
        Self::Worker,
        Self::WorkerGroup,
        Self::ParentAndWorkers,
        Self::WorkersAndParent,
    ];
    /// Of a command without a worker.
    pub const ALONE: [Self; 2] = [Self::Parent, Self::ParentGroup];

    fn spares_parent(self) -> bool {
        matches!(self, Self::Worker | Self::WorkerGroup)
    }
}

/// What a reader saw of files that only ever grow.
#[derive(Debug, Default)]
pub struct Seen {
    /// Whole samples, by the folder of their run.
    pub samples: BTreeMap<PathBuf, Vec<SampleRow>>,
    /// Rows of histories, by file.
    pub histories: BTreeMap<PathBuf, Vec<HistoryRow>>,
}

impl Seen {
    /// Reads the runs in `runs` and the histories in `histories`, as far as they are there, and asserts that nothing is gone
    /// that was seen before.
    pub fn look(&mut self, runs: &[PathBuf], histories: &Path) {
        for run in runs {
            if run.join("manifest.json").exists() {
                let now = StoredRun::open(run).unwrap().samples;
                extend(self.samples.entry(run.clone()).or_default(), now, &run.join("samples.csv"));
            }
        }
        let Ok(files) = std::fs::read_dir(histories) else { return };
        for path in files.flatten().map(|file| file.path()) {
            if path.extension().is_some_and(|is| is == "csv") {
                let now = history::read(&path).unwrap().rows;
                extend(self.histories.entry(path.clone()).or_default(), now, &path);
            }
        }
    }

    pub fn rows(&self) -> usize {
        let samples = self.samples.values().map(Vec::len);
        samples.chain(self.histories.values().map(Vec::len)).sum()
    }
}

fn extend<T: PartialEq>(seen: &mut Vec<T>, now: Vec<T>, path: &Path) {
    let lost = seen.iter().zip(&now).filter(|(seen, now)| seen != now).count();
    let lost = lost + seen.len().saturating_sub(now.len());
    assert_eq!(lost, 0, "of {} rows seen in {} so many are lost", seen.len(), path.display());
    *seen = now;
}

/// Longer than any command here takes.
pub const LONGEST: Duration = Duration::from_secs(120);

fn pid(number: u32) -> Pid {
    Pid::from_raw(number.cast_signed()).unwrap()
}

fn is_alive(number: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}

/// Starts `command`, looks at what it writes until `moment`, kills, and waits until all have ended. None when nobody was hit.
pub fn kill(
    command: &mut Command,
    victim: Victim,
    moment: Duration,
    random: usize,
    mut look: impl FnMut(),
) -> Option<ExitStatus> {
    let start = Instant::now();
    let mut parent = command.process_group(0).spawn().unwrap();
    while start.elapsed() < moment && parent.try_wait().unwrap().is_none() {
        look();
        std::thread::sleep(Duration::from_micros(500));
    }
    let number = parent.id();
    let workers = workers_of(number);
    let one = workers.get(random % workers.len().max(1)).copied();
    let kill_workers = || workers.iter().filter(|&&one| signal(one, Signal::KILL)).count();
    let kill_parent = || signal(number, Signal::KILL);
    look();
    let hit = match victim {
        Victim::Parent => kill_parent(),
        Victim::ParentGroup => kill_process_group(pid(number), Signal::KILL).is_ok(),
        Victim::Worker => one.is_some_and(|one| signal(one, Signal::KILL)),
        Victim::WorkerGroup => one.is_some_and(|one| kill_process_group(pid(one), Signal::KILL).is_ok()),
        Victim::ParentAndWorkers => kill_parent() && kill_workers() > 0,
        Victim::WorkersAndParent => kill_workers() > 0 && kill_parent(),
    };
    let status = ends_within(LONGEST, &mut parent);
    let deadline = Instant::now() + Duration::from_secs(60);
    while workers.iter().any(|&worker| is_alive(worker)) {
        assert!(Instant::now() < deadline, "a worker outlived its parent: {workers:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
    let killed = victim.spares_parent() || status.signal() == Some(9);
    (hit && killed).then_some(status)
}
