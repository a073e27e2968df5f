//! Real programs side by side: the same build twice, and programs that are no repro.

#![cfg(unix)]

use repro::device::Selection;
use repro::measure::this_build;
use repro::measure::{Executor, Observer, Outcome, WorkerProcess, create_pair, introduce, run_pair};
use repro::plan::{Experiment, Overrides, load_experiment, resolve};
use repro::results::StoredRun;
use repro::store::{BuildRole, Status};
use repro::timing::Scope;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Raises the flag at the first note that holds its word.
struct RaisingAt<'a>(&'static str, &'a AtomicBool);

impl Observer for RaisingAt<'_> {
    fn note(&mut self, line: &str) {
        if line.contains(self.0) {
            self.1.store(true, Ordering::Relaxed);
        }
    }
    fn progress(&mut self, _: &str, _: usize, _: usize, _: Option<f64>) {}
}

fn on_the_cpu() -> Experiment {
    let overrides = Overrides {
        only: Some(["cpu-naive", "cpu-parallel", "staged-load"].map(str::to_string).to_vec()),
        sizes: Some(vec![24, 40]),
        samples: Some(5),
        ..Overrides::default()
    };
    resolve(&load_experiment("table1").unwrap(), &overrides, Selection::Cpu).unwrap()
}

/// Runs this build next to itself; interrupts at a note that holds `until`.
fn pair(folder: &Path, until: &'static str) -> ([Outcome; 2], [StoredRun; 2]) {
    let program = PathBuf::from(assert_cmd::cargo::cargo_bin!("repro"));
    let interrupted = Arc::new(AtomicBool::new(false));
    let worker = || WorkerProcess::new(program.clone(), interrupted.clone());
    let mut workers = [worker(), worker()];
    let experiment = on_the_cpu();
    let ask = |worker: &mut dyn Executor| introduce(&program, worker, &experiment).unwrap();
    let introduced = workers.each_mut().map(|worker| ask(worker));
    let mut journals = create_pair(folder, &experiment, &introduced).unwrap();
    let mut raising = RaisingAt(until, &interrupted);
    let outcome = run_pair(&mut workers, &mut journals, introduced, &mut raising, &interrupted);
    drop(journals);
    let runs = ["base", "new"].map(|name| StoredRun::open(&folder.join(name)).unwrap());
    (outcome.unwrap(), runs)
}

#[test]
fn a_build_next_to_itself_gives_two_whole_runs_of_one_pair() {
    let folder = tempfile::tempdir().unwrap();
    let (outcome, runs) = pair(folder.path(), "never");
    let finished = Outcome::Finished { failed: 0 };
    assert_eq!(outcome, [finished; 2]);
    let id = |run: &StoredRun| run.manifest.pair.clone().unwrap().id;
    assert_eq!(id(&runs[0]), id(&runs[1]));
    for side in [BuildRole::Base, BuildRole::New] {
        let run = &runs[side as usize];
        assert_eq!(run.manifest.pair.as_ref().unwrap().side, side);
        assert_eq!(run.manifest.build, this_build());
        let statuses: Vec<(&str, Status, usize)> = run
            .results
            .summary
            .iter()
            .map(|row| (row.implementation.as_str(), row.status, row.samples))
            .collect();
        let of_size = [
            ("cpu-naive", Status::Ok, 5),
            ("cpu-parallel", Status::Ok, 5),
            ("staged-load", Status::Skipped, 0),
        ];
        assert_eq!(statuses, [of_size, of_size].concat());
        assert!(run.samples.iter().all(|row| row.verified || row.status == Status::Skipped));
    }
    let cells = |run: &StoredRun| -> Vec<_> {
        let rows = run.samples.iter().filter(|row| row.scope == Scope::Kernel);
        rows.map(|row| (row.cell(), row.sample, row.digest.clone())).collect()
    };
    assert_eq!(cells(&runs[0]), cells(&runs[1]));
    let output =
        crate::common::run(&["run", "table1", "--resume", folder.path().join("base").to_str().unwrap()]);
    crate::common::assert_refused(&output, &["is the base run of pair", "start a new pair"]);
}

#[test]
fn what_is_no_repro_is_refused_in_one_line_within_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str, mode| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let refused = "error: unknown variant `introduce`";
    let old = script("old", &format!("#!/bin/sh\nread request\necho '{refused}' >&2\nexit 2\n"), 0o755);
    let programs = [
        ("/bin/true".into(), "ended with exit status: 0"),
        ("/bin/cat".into(), "ended with exit status: 1"),
        (folder.path().to_path_buf(), "cannot be started"),
        (folder.path().join("missing"), "cannot be started"),
        // A path, which is not looked for elsewhere.
        ("true".into(), "cannot be started"),
        (script("plain", "#!/bin/sh\n", 0o644), "cannot be started"),
        (script("empty", "", 0o755), "cannot be started"),
        (script("garbage", "#!/bin/sh\necho hello\necho '{}'\n", 0o755), "ended with exit status: 0"),
        (script("binary", "#!/bin/sh\nprintf '\\377\\376\\n'\nexec sleep 60\n", 0o755), "ended with signal"),
        (script("silent", "#!/bin/sh\nexec sleep 60\n", 0o755), "no result after 10 s"),
        (old, refused),
    ];
    let experiment = on_the_cpu();
    for (program, expected) in programs {
        let start = Instant::now();
        let mut worker = WorkerProcess::new(program.clone(), Arc::new(AtomicBool::new(false)));
        let message = introduce(&program, &mut worker, &experiment).unwrap_err().to_string();
        assert!(start.elapsed() < Duration::from_secs(12), "{message}");
        assert!(message.starts_with(&format!("{} cannot be paired: ", program.display())), "{message}");
        assert!(message.contains(expected) && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn a_build_says_what_it_does_not_know_and_why() {
    let program = PathBuf::from(assert_cmd::cargo::cargo_bin!("repro"));
    let mut worker = WorkerProcess::new(program.clone(), Arc::new(AtomicBool::new(false)));
    let mut experiment = on_the_cpu();
    experiment.columns[0].implementation = "of-tomorrow".into();
    experiment.columns[2].parameters = experiment.columns[2].parameters.with("depth", 3);
    let introduced = introduce(&program, &mut worker, &experiment).unwrap();
    let reasons: Vec<&str> = introduced.unknown.iter().map(|unknown| unknown.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "unknown implementation 'of-tomorrow'",
            "staged-load has no parameter 'depth': it takes padding-kib"
        ]
    );
    assert_eq!(introduced.build, this_build());
}
