//! A folder with an experiment of milliseconds, and the commands to be run in it.

use super::killing::await_end;
use crate::common::stored::edit_manifest;
use crate::common::{repro, stderr};
use repro::results::StoredRun;
use repro::store::cells;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

const EXPERIMENT: &str = r#"
title = "Sleeping"
[graph]
density = 0.5
max_weight = 9
seed = 1
[sampling]
min_samples = 10
max_samples = 10
precision = 0.5
budget_s = 30.0
[limits]
warm_up_s = 0.0
sample_s = 60
full_cell_s = 60
whole_reference_n = 512
reference_rows = 32
[[cells]]
implementation = "fault-sleeping"
sizes = [8, 12, 16]
[[cells]]
implementation = "cpu-naive"
sizes = [8, 16]
"#;
pub const CELLS: usize = 5;
const SAMPLES: usize = 10;
/// How many runs a history or a report is made of.
pub const RUNS: u32 = 12;

pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("sleep.toml"), EXPERIMENT).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `repro ARGUMENTS` in this folder, which says nothing but errors.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = repro();
        command.current_dir(self.folder.path()).env("REPRO_FAULT_SLEEP_MS", "4");
        command.args(arguments).stdout(Stdio::null());
        command
    }

    /// Runs the command to its end.
    pub fn call(&self, arguments: &[&str]) -> Output {
        let mut child = self.command(arguments).spawn().unwrap();
        await_end(&mut child);
        child.wait_with_output().unwrap()
    }

    #[track_caller]
    pub fn succeed(&self, arguments: &[&str]) {
        let output = self.call(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    }

    /// Goes on with the run in `out` until it is finished, and asserts that it has every sample of every cell.
    #[track_caller]
    pub fn finish(&self, out: &str) {
        let resume = ["run", "sleep.toml", "--quiet", "--resume", out];
        if !self.path(out).join("manifest.json").exists() {
            // Killed before there was a run.
            self.succeed(&["run", "sleep.toml", "--device", "cpu", "--quiet", "--out", out]);
        }
        self.succeed(&resume);
        let run = StoredRun::open(&self.path(out)).unwrap();
        assert!(run.manifest.finished.is_some() && run.torn_bytes == 0);
        assert_eq!(cells(&run.manifest).len(), CELLS);
        let samples: Vec<Option<usize>> =
            run.results.summary.iter().map(|row| row.median_s.map(|_| row.samples)).collect();
        assert_eq!(samples, [Some(SAMPLES); CELLS]);
    }
}

/// Runs of one machine that were started on different days, and a report of one of them.
pub struct Template {
    pub place: Place,
    pub report: BTreeMap<PathBuf, Vec<u8>>,
}

pub static TEMPLATE: LazyLock<Template> = LazyLock::new(|| {
    let place = Place::new();
    place.finish("runs/01");
    for day in 2..=RUNS {
        let (from, to) = (place.path("runs/01"), place.path(&format!("runs/{day:02}")));
        std::fs::create_dir(&to).unwrap();
        for name in ["samples.csv", "summary.csv", "manifest.json"] {
            std::fs::copy(from.join(name), to.join(name)).unwrap();
        }
        edit_manifest(&to, |manifest| manifest["started"] = format!("2026-01-{day:02}T12:00:00Z").into());
    }
    place.succeed(&["report", "runs/01", "--out", "report"]);
    let report = files(&place.path("report"));
    Template { place, report }
});

/// Every file below `folder`, by its name there.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for path in std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().to_path_buf();
                    found.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
    }
    found
}
