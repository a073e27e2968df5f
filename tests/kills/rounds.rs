//! One kill of one command, and what must hold after it.

use super::{LONGEST, Seen, Victim, histories_in, kill};
use crate::common::place::{Place, small_experiment, within};
use crate::common::stored::edit_manifest;
use crate::common::{repro, stderr};
use repro::regression::history::{self, HistoryRow};
use repro::results::StoredRun;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const CELLS: usize = 5;
const SAMPLES: usize = 10;
/// How many runs a history or a report is made of.
const RUNS: u32 = 12;

/// A folder with an experiment of milliseconds.
fn place() -> Place {
    let place = Place::new();
    let cells: [(&str, &[usize]); 2] = [("fault-sleeping", &[8, 12, 16]), ("cpu-naive", &[8, 16])];
    place.write("sleep.toml", &small_experiment(SAMPLES, &cells));
    place
}

/// `repro CALL` there, which says nothing but errors.
fn command(place: &Place, call: &str) -> Command {
    let mut command = place.command(call);
    command.env("REPRO_FAULT_SLEEP_MS", "4").stdout(Stdio::null());
    command
}

fn call(place: &Place, words: &str) -> Output {
    within(LONGEST, command(place, words))
}

#[track_caller]
fn succeed(place: &Place, words: &str) {
    let output = call(place, words);
    assert_eq!(output.status.code(), Some(0), "{words}: {}", stderr(&output));
}

/// Goes on with the run in `out` until it is finished, and asserts that it has every sample of every cell.
#[track_caller]
fn finish(place: &Place, out: &str) {
    if !place.path(out).join("manifest.json").exists() {
        // Killed before there was a run.
        succeed(place, &format!("run sleep.toml --device cpu --quiet --out {out}"));
    }
    succeed(place, &format!("run sleep.toml --quiet --resume {out}"));
    let run = StoredRun::open(&place.path(out)).unwrap();
    assert!(run.manifest.finished.is_some() && run.torn_bytes == 0);
    let samples = run.results.summary.iter().map(|row| row.median_s.map(|_| row.samples));
    assert_eq!(samples.collect::<Vec<_>>(), [Some(SAMPLES); CELLS]);
}

/// Runs of one machine that were started on different days, and a report of one of them.
static TEMPLATE: LazyLock<(Place, BTreeMap<PathBuf, Vec<u8>>)> = LazyLock::new(|| {
    let place = place();
    finish(&place, "runs/01");
    for day in 2..=RUNS {
        let run = format!("runs/{day:02}");
        for name in ["samples.csv", "summary.csv", "manifest.json"] {
            place.write(&format!("{run}/{name}"), &place.read(&format!("runs/01/{name}")));
        }
        let started = format!("2026-01-{day:02}T12:00:00Z");
        edit_manifest(&place.path(&run), |manifest| manifest["started"] = started.into());
    }
    succeed(&place, "report runs/01 --out report");
    let report = place.files("report");
    (place, report)
});

const RUN: &str = "run sleep.toml --device cpu --quiet --out out";
const TRACK: &str = "track sleep.toml --device cpu --quiet --out";

/// What is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Run,
    Resume,
    /// `repro track` without a baseline.
    Track,
    /// `repro track` in turn with another build, which is this one.
    TrackBeside,
    History,
    Report,
}

impl Subject {
    pub const ALL: [Self; 6] =
        [Self::Run, Self::Resume, Self::Track, Self::TrackBeside, Self::History, Self::Report];

    pub fn victims(self) -> &'static [Victim] {
        match self {
            Self::History | Self::Report => &Victim::ALL[..2],
            _ => &Victim::ALL[..],
        }
    }

    /// What is called. A track goes to `out`.
    fn call(self, out: &str) -> String {
        let runs = || TEMPLATE.0.path("runs").display().to_string();
        match self {
            Self::Run => RUN.to_string(),
            Self::Resume => "run sleep.toml --quiet --resume out".to_string(),
            Self::Track => format!("{TRACK} {out}"),
            Self::TrackBeside => format!("{TRACK} {out} --against {}", repro().get_program().display()),
            Self::History => format!("history {}", runs()),
            Self::Report => format!("report {}/01 --out report", runs()),
        }
    }

    /// The folders of runs that it writes to.
    fn runs(self, place: &Place) -> Vec<PathBuf> {
        let names: &[&str] = match self {
            Self::Run | Self::Resume => &["out"],
            Self::Track => &["out/new"],
            Self::TrackBeside => &["out/base", "out/new"],
            Self::History | Self::Report => &[],
        };
        names.iter().map(|name| place.path(name)).collect()
    }
}

/// How long it takes when nobody kills it.
pub fn duration(subject: Subject) -> Duration {
    if subject == Subject::Resume {
        // Of a run that had just begun, which is most of a run.
        return duration(Subject::Run);
    }
    let (place, words) = (place(), subject.call("out"));
    let start = Instant::now();
    call(&place, &words);
    start.elapsed()
}

#[derive(Debug)]
pub struct Round {
    pub subject: Subject,
    pub victim: Victim,
    /// After its start.
    pub moment: Duration,
    /// Chooses between several.
    pub random: usize,
}

impl Round {
    /// Makes the kill and asserts what must hold. The rows that were seen before; None when nobody was hit.
    pub fn make(&self) -> Option<usize> {
        let place = place();
        match self.subject {
            Subject::Resume if !self.begin(&place) => return None,
            // An older report is in the way of every other one.
            Subject::Report if self.random.is_multiple_of(2) => {
                succeed(&place, &format!("report {} --out report", TEMPLATE.0.path("runs/02").display()));
            }
            _ => {}
        }
        let words = self.subject.call("out");
        let (runs, histories) = (self.subject.runs(&place), place.path("results/history"));
        let mut seen = Seen::default();
        let look = || seen.look(&runs, &histories);
        kill(&mut command(&place, &words), self.victim, self.moment, self.random, look)?;
        let rows = seen.rows();
        seen.look(&runs, &histories);
        self.go_on(&place, &words);
        seen.look(&runs, &histories);
        self.assert_whole_histories(&place);
        Some(rows)
    }

    /// A run to resume: one that was killed before. Whether there is one.
    fn begin(&self, place: &Place) -> bool {
        let moment = self.moment.mul_f64(0.5 + (self.random % 64) as f64 / 128.0);
        let killed = kill(&mut command(place, RUN), Victim::Parent, moment, 0, || ());
        killed.is_some() && place.path("out/manifest.json").exists()
    }

    /// What a user does next, and that it works.
    fn go_on(&self, place: &Place, words: &str) {
        match self.subject {
            Subject::Run | Subject::Resume => finish(place, "out"),
            Subject::Track => {
                finish(place, "out/new");
                succeed(place, "history out/new");
            }
            Subject::TrackBeside => {
                // A pair cannot go on; another one can.
                let output = call(place, &self.subject.call("again"));
                assert!(place.path("again/comparison.json").exists(), "{output:?}");
            }
            Subject::History => succeed(place, words),
            Subject::Report => {
                succeed(place, words);
                let (found, expected) = (place.files("report"), &TEMPLATE.1);
                let names: Vec<_> = found.keys().filter(|name| !expected.contains_key(*name)).collect();
                assert!(names.is_empty(), "left over: {names:?}");
                assert!(found == *expected, "the report is not that of an undisturbed call");
            }
        }
    }

    /// That no line of a history is torn and none is there twice.
    fn assert_whole_histories(&self, place: &Place) {
        let histories = histories_in(&place.path("results/history"));
        let is_written = matches!(self.subject, Subject::History | Subject::Track);
        assert!(!is_written || !histories.is_empty(), "there is no history");
        for path in histories {
            let found = history::read(&path).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.ends_with('\n') && text.lines().count() == 1 + found.rows.len());
            let cell = |row: &HistoryRow| (row.time.clone(), row.cell.clone(), row.seconds.value.to_bits());
            let cells: BTreeSet<_> = found.rows.iter().map(cell).collect();
            assert_eq!(
                (found.torn_bytes, cells.len()),
                (0, found.rows.len()),
                "torn, or a row is there twice"
            );
            match self.subject {
                Subject::History => assert_eq!(found.rows.len(), RUNS as usize * CELLS),
                Subject::Track => assert_eq!(found.rows.len(), CELLS),
                _ => {}
            }
        }
    }
}
