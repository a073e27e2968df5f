//! SIGKILL at random moments of every command that writes: nothing that could be seen before is gone after it, everything can
//! be read, and the next call goes on.
//!
//! A kill is repeated by its seed, as far as a moment can be: `REPRO_KILLS=1 REPRO_KILLS_SEED=17 cargo test --all-features
//! --test all -- --ignored --nocapture minutes::a_thousand_kills`.

#![cfg(all(target_os = "linux", feature = "fault-injection"))]

mod rounds;

use crate::common::place::{ends_within, wait_until};
use crate::common::{is_alive, signal, workers_of};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use repro::regression::history::{self, HistoryRow};
use repro::results::StoredRun;
use repro::store::SampleRow;
use rounds::{Round, Subject};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// Makes `count` kills, the first of them with `seed`, and prints what became of those of each kind. `make` has a seed, a number between 0
/// and 1 and one that chooses; it gives the kind and what was seen, or nothing where nobody was hit: such a kill is none.
pub fn make_kills<K: Debug + Ord>(
    count: usize,
    seed: u64,
    mut make: impl FnMut(u64, f64, usize) -> Option<(K, usize)>,
) {
    let mut kinds: BTreeMap<K, (usize, usize)> = BTreeMap::new();
    for seed in (seed..).take(count) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut kill = |attempt: usize| {
            assert!(attempt < 10 * count, "seed {seed}: nobody is hit");
            let share = f64::from(random.next_u32()) / f64::from(u32::MAX);
            println!("seed {seed}: after {share} of the whole time");
            make(seed, share, random.next_u32() as usize)
        };
        let (kind, seen) = (0..).find_map(&mut kill).unwrap();
        let (kills, all) = kinds.entry(kind).or_default();
        (*kills, *all) = (*kills + 1, *all + seen);
    }
    for (kind, (kills, seen)) in &kinds {
        println!("{kind:?}: {kills} kills, {seen} rows or cells seen before, 0 lost");
    }
    assert_eq!(kinds.values().map(|(kills, _)| kills).sum::<usize>(), count);
}

/// Kills of every command in turn.
fn kill_each(count: usize, seed: u64) {
    let lasts: Vec<Duration> = Subject::ALL.map(rounds::duration).to_vec();
    make_kills(count, seed, |seed, share, random| {
        let at = seed as usize % Subject::ALL.len();
        let (subject, victims) = (Subject::ALL[at], Subject::ALL[at].victims());
        let victim = victims[random % victims.len()];
        let round =
            Round { subject, victim, moment: lasts[at].mul_f64(share), random: random / victims.len() };
        println!("{round:?}");
        Some(((subject, victim), round.make()?))
    });
}

/// Who is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Victim {
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
    /// The first two are those of a command without a worker.
    const ALL: [Self; 6] = {
        use Victim::*;
        [Parent, ParentGroup, Worker, WorkerGroup, ParentAndWorkers, WorkersAndParent]
    };

    fn spares_parent(self) -> bool {
        matches!(self, Self::Worker | Self::WorkerGroup)
    }
}

/// What a reader saw of files that only ever grow.
#[derive(Debug, Default)]
struct Seen {
    /// Whole samples, by the folder of their run.
    samples: BTreeMap<PathBuf, Vec<SampleRow>>,
    /// Rows of histories, by file.
    histories: BTreeMap<PathBuf, Vec<HistoryRow>>,
}

impl Seen {
    /// Reads the runs in `runs` and the histories in `histories`, as far as they are there, and asserts that nothing is gone
    /// that was seen before.
    fn look(&mut self, runs: &[PathBuf], histories: &Path) {
        for run in runs {
            if run.join("manifest.json").exists() {
                let now = StoredRun::open(run).unwrap().samples;
                extend(self.samples.entry(run.clone()).or_default(), now, &run.join("samples.csv"));
            }
        }
        for path in histories_in(histories) {
            let now = history::read(&path).unwrap().rows;
            extend(self.histories.entry(path.clone()).or_default(), now, &path);
        }
    }

    fn rows(&self) -> usize {
        let samples = self.samples.values().map(Vec::len);
        samples.chain(self.histories.values().map(Vec::len)).sum()
    }
}

/// The histories in a folder, which need not be there.
fn histories_in(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    files.filter(|path| path.extension().is_some_and(|is| is == "csv")).collect()
}

fn extend<T: PartialEq>(seen: &mut Vec<T>, now: Vec<T>, path: &Path) {
    let lost = seen.iter().zip(&now).filter(|(seen, now)| seen != now).count();
    let lost = lost + seen.len().saturating_sub(now.len());
    assert_eq!(lost, 0, "of {} rows seen in {} so many are lost", seen.len(), path.display());
    *seen = now;
}

/// Longer than any command here takes.
const LONGEST: Duration = Duration::from_secs(120);

fn pid(number: u32) -> Pid {
    Pid::from_raw(number.cast_signed()).unwrap()
}

/// Starts `command`, looks at what it writes until `moment`, kills, and waits until all have ended. None when nobody was hit.
fn kill(
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
    wait_until("its workers are gone", || !workers.iter().any(|&worker| is_alive(worker)));
    let killed = victim.spares_parent() || status.signal() == Some(9);
    (hit && killed).then_some(status)
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn twenty_kills_of_whoever_works_lose_nothing_that_could_be_seen() {
        kill_each(20, 1);
    }
}

/// What no part has: `scripts/test --all` runs it.
mod minutes {
    use super::*;

    fn number(name: &str, usual: u64) -> u64 {
        std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
    }

    #[test]
    #[ignore = "takes a quarter of an hour"]
    fn a_thousand_kills_of_whoever_works_lose_nothing_that_could_be_seen() {
        kill_each(number("REPRO_KILLS", 1000) as usize, number("REPRO_KILLS_SEED", 1));
    }
}
