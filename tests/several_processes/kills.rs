//! SIGKILL of one of four processes at a random moment, and what must hold after it.

use super::place::{Ended, Place, Started, TIME_TO_END, assert_all_right};
use crate::common::signal;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use repro::distributed::team::TIME_TO_MEET;
use repro::results::StoredRun;
use repro::store::Status;
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Sizes and devices of the cells that are killed at.
const SIZES: &str = "70, 100, 140";
const DEVICES: &str = "4, 3";

/// Who is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Victim {
    /// The process that the launcher started.
    Rank(usize),
    /// The worker of rank 0.
    Worker,
}

impl Victim {
    const ALL: [Self; 5] = [Self::Rank(0), Self::Worker, Self::Rank(1), Self::Rank(2), Self::Rank(3)];

    fn rank(self) -> usize {
        match self {
            Self::Rank(rank) => rank,
            Self::Worker => 0,
        }
    }
}

/// A run that nobody kills: how long it takes, and the digest of each cell.
pub struct Undisturbed {
    lasts: Duration,
    results: Vec<(String, String)>,
}

impl Undisturbed {
    pub fn run() -> Self {
        let place = Place::new(SIZES, DEVICES);
        let begun = Instant::now();
        assert_all_right(&place.start(4, &Place::NEW).ends());
        Self { lasts: begun.elapsed(), results: place.results() }
    }
}

/// What became of some kills.
#[derive(Debug, Default)]
pub struct Tally {
    pub kills: usize,
    /// Kills that came too late, or before there was a worker.
    pub missed: usize,
    /// After which there was a run, which was continued.
    pub resumed: usize,
    /// Cells that were done when the processes were killed.
    pub done: usize,
    /// The longest time from the kill to the end of all processes.
    pub longest: Duration,
}

/// One kill.
#[derive(Clone, Copy, Debug)]
pub struct Kill {
    pub victim: Victim,
    /// After the start.
    pub moment: Duration,
}

impl Kill {
    /// Makes it and asserts what must hold. False when nobody was hit.
    pub fn make(self, undisturbed: &Undisturbed, tally: &mut Tally) -> bool {
        let place = Place::new(SIZES, DEVICES);
        let started = place.start(4, &Place::NEW);
        std::thread::sleep(self.moment);
        if !self.hit(&started) {
            started.ends();
            return false;
        }
        let (ended, took) = started.ends_within(TIME_TO_END + TIME_TO_MEET);
        // All was done: a process that ends is lost to nobody.
        if ended.iter().enumerate().all(|(rank, one)| rank == self.victim.rank() || one.code == Some(0)) {
            return false;
        }
        tally.longest = tally.longest.max(took);
        self.assert_ended(&ended);
        let begun = place.path("run/manifest.json").exists();
        tally.done += if begun { self.assert_nothing_wrong(&place, undisturbed) } else { 0 };
        tally.resumed += usize::from(begun);
        let arguments: &[&str] = if begun { &Place::RESUME } else { &Place::NEW };
        assert_all_right(&place.start(4, arguments).ends());
        assert_eq!(place.results(), undisturbed.results, "{self:?}");
        true
    }

    fn hit(self, started: &Started) -> bool {
        match self.victim {
            Victim::Rank(rank) => signal(started.id(rank), Signal::KILL),
            Victim::Worker => started.worker().is_some_and(|worker| signal(worker, Signal::KILL)),
        }
    }

    /// Every other process ended with one line.
    fn assert_ended(self, ended: &[Ended]) {
        for (at, one) in ended.iter().enumerate() {
            let expected = if self.victim == Victim::Rank(at) { (None, 0) } else { (Some(1), 1) };
            assert_eq!((one.code, one.errors().len()), expected, "{self:?}, rank {at}: {}", one.stderr);
        }
    }

    /// What is there of the run can be read, and no result of it is another than the right one. How many there are.
    fn assert_nothing_wrong(self, place: &Place, undisturbed: &Undisturbed) -> usize {
        let run = StoredRun::open(&place.path("run")).unwrap();
        assert!(run.manifest.finished.is_none(), "{self:?}");
        let done: Vec<_> = run.samples.iter().filter(|row| row.status == Status::Counted).collect();
        for row in &done {
            let is_right = undisturbed.results.iter().any(|(_, digest)| *digest == row.digest);
            assert!(row.verified && is_right, "{self:?}: {row:?}");
        }
        assert_eq!(done.len(), run.samples.len(), "{self:?}: {:?}", run.samples);
        done.len()
    }
}

/// Makes `count` kills, the first of them with `seed`, and prints what became of them.
pub fn kill(count: usize, seed: u64) {
    let undisturbed = Undisturbed::run();
    println!("it takes {:?} undisturbed", undisturbed.lasts);
    let mut tallies: BTreeMap<Victim, Tally> = BTreeMap::new();
    for seed in (seed..).take(count) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let victim = Victim::ALL[seed as usize % Victim::ALL.len()];
        let tally = tallies.entry(victim).or_default();
        // A kill that hits nobody is none.
        loop {
            let share = f64::from(random.next_u32()) / f64::from(u32::MAX);
            let kill = Kill { victim, moment: undisturbed.lasts.mul_f64(share) };
            println!("seed {seed}: {kill:?}");
            if kill.make(&undisturbed, tally) {
                tally.kills += 1;
                break;
            }
            tally.missed += 1;
            assert!(tally.missed < 10 * count, "nobody is hit");
        }
    }
    for (victim, tally) in &tallies {
        println!("{victim:?}: {tally:?}");
    }
    assert_eq!(tallies.values().map(|tally| tally.kills).sum::<usize>(), count);
}
