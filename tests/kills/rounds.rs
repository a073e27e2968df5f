//! One kill of one command, and what must hold after it.

use super::killing::{Seen, Victim, kill};
use super::place::{CELLS, Place, RUNS, TEMPLATE, files};
use repro::regression::history;
use repro::results::StoredRun;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const RUN: [&str; 7] = ["run", "sleep.toml", "--device", "cpu", "--quiet", "--out", "out"];
const RESUME: [&str; 5] = ["run", "sleep.toml", "--quiet", "--resume", "out"];
const TRACK: [&str; 7] = ["track", "sleep.toml", "--device", "cpu", "--quiet", "--out", "out"];

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
            Self::History | Self::Report => &Victim::ALONE,
            _ => &Victim::ALL,
        }
    }

    fn arguments(self) -> Vec<String> {
        let runs = || TEMPLATE.place.path("runs").display().to_string();
        let program = || assert_cmd::cargo::cargo_bin!("repro").display().to_string();
        let own = |arguments: &[&str]| arguments.iter().map(ToString::to_string).collect::<Vec<_>>();
        match self {
            Self::Run => own(&RUN),
            Self::Resume => own(&RESUME),
            Self::Track => own(&TRACK),
            Self::TrackBeside => [own(&TRACK), own(&["--against", &program()])].concat(),
            Self::History => own(&["history", &runs()]),
            Self::Report => own(&["report", &format!("{}/01", runs()), "--out", "report"]),
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
    let place = Place::new();
    if subject == Subject::Resume {
        // Of a run that had just begun, which is most of a run.
        return duration(Subject::Run);
    }
    let arguments = subject.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let start = Instant::now();
    place.call(&arguments);
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
        let place = Place::new();
        match self.subject {
            Subject::Resume if !self.begin(&place) => return None,
            // An older report is in the way of every other one.
            Subject::Report if self.random.is_multiple_of(2) => {
                let runs = TEMPLATE.place.path("runs/02");
                place.succeed(&["report", runs.to_str().unwrap(), "--out", "report"]);
            }
            _ => {}
        }
        let arguments = self.subject.arguments();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (runs, histories) = (self.subject.runs(&place), place.path("results/history"));
        let mut seen = Seen::default();
        let look = || seen.look(&runs, &histories);
        kill(&mut place.command(&arguments), self.victim, self.moment, self.random, look)?;
        let rows = seen.rows();
        seen.look(&runs, &histories);
        for run in runs.iter().filter(|run| run.join("manifest.json").exists()) {
            StoredRun::open(run).unwrap();
        }
        self.go_on(&place, &arguments);
        seen.look(&runs, &histories);
        self.assert_whole_histories(&place);
        Some(rows)
    }

    /// A run to resume: one that was killed before. Whether there is one.
    fn begin(&self, place: &Place) -> bool {
        let moment = self.moment.mul_f64(0.5 + (self.random % 64) as f64 / 128.0);
        let killed = kill(&mut place.command(&RUN), Victim::Parent, moment, 0, || ());
        killed.is_some() && place.path("out/manifest.json").exists()
    }

    /// What a user does next, and that it works.
    fn go_on(&self, place: &Place, arguments: &[&str]) {
        match self.subject {
            Subject::Run | Subject::Resume => place.finish("out"),
            Subject::Track => {
                place.finish("out/new");
                place.succeed(&["history", "out/new"]);
            }
            Subject::TrackBeside => {
                // A pair cannot go on; another one can.
                let mut again = arguments.to_vec();
                again[TRACK.len() - 1] = "again";
                let output = place.call(&again);
                assert!(place.path("again/comparison.json").exists(), "{output:?}");
            }
            Subject::History => place.succeed(arguments),
            Subject::Report => {
                place.succeed(arguments);
                let (found, expected) = (files(&place.path("report")), &TEMPLATE.report);
                let names: Vec<_> = found.keys().filter(|name| !expected.contains_key(*name)).collect();
                assert!(names.is_empty(), "left over: {names:?}");
                assert!(found == *expected, "the report is not that of an undisturbed call");
            }
        }
    }

    /// That no line of a history is torn and none is there twice.
    fn assert_whole_histories(&self, place: &Place) {
        let folder = place.path("results/history");
        let Ok(files) = std::fs::read_dir(&folder) else {
            assert!(!matches!(self.subject, Subject::History | Subject::Track), "there is no history");
            return;
        };
        for path in files.flatten().map(|file| file.path()) {
            if path.extension().is_none_or(|is| is != "csv") {
                continue;
            }
            let found = history::read(&path).unwrap();
            assert_eq!(found.notice, None);
            let lines = std::fs::read_to_string(&path).unwrap();
            assert!(lines.ends_with('\n') && lines.lines().count() == 1 + found.rows.len());
            let cells: BTreeSet<_> = found
                .rows
                .iter()
                .map(|row| (row.time.clone(), row.cell.clone(), row.seconds.value.to_bits()))
                .collect();
            assert_eq!(cells.len(), found.rows.len(), "a row is there twice");
            match self.subject {
                Subject::History => assert_eq!(found.rows.len(), RUNS as usize * CELLS),
                Subject::Track => assert_eq!(found.rows.len(), CELLS),
                _ => {}
            }
        }
    }
}
