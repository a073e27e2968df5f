//! Two builds side by side: in which order they are asked, and what becomes of both, with workers that measure nothing.

use crate::common::script::{AnswerFn, Script, environment, sampled, taking};
use repro::device::Selection;
use repro::measure::this_build;
use repro::measure::{
    Answer, Executor, Failure, FailureCause, Observer, OpenReply, Outcome, Reply, Request, RunError,
    UnsupportedVariant, WorkerInfo, create_pair, introduce, run_pair,
};
use repro::plan::{Experiment, Overrides, available_experiments, load_experiment, resolve};
use repro::results::StoredRun;
use repro::results::SummaryRow;
use repro::store::cells;
use repro::store::{Build, BuildRole, Environment, Manifest, Status};
use repro::store::{Journal, JournalError};
use repro::timing::{DeviceCeilings, Scope};
use repro_base::CellId;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

type Log = RefCell<Vec<(BuildRole, String)>>;

/// A scripted worker whose requests are logged together with those of the other one.
struct Logged<'a> {
    side: BuildRole,
    script: Script<'a>,
    log: &'a Log,
    environment: Environment,
}

impl Executor for Logged<'_> {
    fn ask(&mut self, request: &Request, limit: Duration) -> Answer {
        let what = match request {
            Request::LoadGraph(graph) => format!("graph {}", graph.n),
            Request::Prepare { variant, .. } => format!("prepare {variant}"),
            Request::Sample { variant, .. } => format!("sample {variant}"),
            Request::Open(_) => {
                let opened = OpenReply { environment: self.environment.clone(), unusable: None };
                return Ok(Reply::Opened(Box::new(opened)));
            }
            _ => return self.script.ask(request, limit),
        };
        self.log.borrow_mut().push((self.side, what));
        self.script.ask(request, limit)
    }
}

/// What each side of a pair answers to samples, and where it runs.
struct Sides<'a> {
    scripts: [Script<'a>; 2],
    environments: [Environment; 2],
    unknown: [Vec<UnsupportedVariant>; 2],
}

impl<'a> Sides<'a> {
    fn new(
        base: impl FnMut(&str, usize, usize) -> Answer + 'a,
        new: impl FnMut(&str, usize, usize) -> Answer + 'a,
    ) -> Self {
        Self {
            scripts: [Script::new(base), Script::new(new)],
            environments: [environment(), environment()],
            unknown: Default::default(),
        }
    }
}

struct Ran {
    result: Result<[Outcome; 2], RunError>,
    log: Vec<(BuildRole, String)>,
    runs: [StoredRun; 2],
    notes: Vec<String>,
}

impl Ran {
    fn row(&self, side: BuildRole, name: &str) -> &SummaryRow {
        let summary = &self.runs[side as usize].results.summary;
        summary.iter().find(|row| row.implementation == name).unwrap()
    }

    /// How many samples of a cell have a row, whatever their status.
    fn rows(&self, side: BuildRole, name: &str) -> usize {
        let samples = self.runs[side as usize].samples.iter();
        samples.filter(|row| row.implementation == name && row.scope == Scope::Kernel).count()
    }
}

/// Keeps the notes.
#[derive(Default)]
struct Notes(Vec<String>);

impl Observer for Notes {
    fn note(&mut self, line: &str) {
        self.0.push(line.to_string());
    }
    fn progress(&mut self, _: &str, _: usize, _: usize, _: Option<f64>) {}
}

fn build(commit: &str) -> Build {
    Build { commit: commit.into(), ..this_build() }
}

fn start(folder: &Path, experiment: &Experiment) -> [Journal; 2] {
    let introduced = |commit| WorkerInfo { build: build(commit), unknown: Vec::new() };
    create_pair(folder, experiment, &["old", "young"].map(introduced)).unwrap()
}

fn run_with(experiment: &Experiment, sides: Sides, interrupted: &AtomicBool) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let mut journals = start(folder.path(), experiment);
    let (log, mut notes) = (Log::default(), Notes::default());
    let Sides { scripts, environments, unknown } = sides;
    let logged = |side, script, environment| Logged { side, script, log: &log, environment };
    let ([base, new], [base_has, new_has]) = (scripts, environments);
    let mut workers = [logged(BuildRole::Base, base, base_has), logged(BuildRole::New, new, new_has)];
    let introduced = |unknown| WorkerInfo { build: this_build(), unknown };
    let result = run_pair(&mut workers, &mut journals, unknown.map(introduced), &mut notes, interrupted);
    drop(journals);
    let runs = ["base", "new"].map(|name| StoredRun::open(&folder.path().join(name)).unwrap());
    for name in ["base", "new"] {
        // Not because it was still locked.
        let resumed = Journal::resume(&folder.path().join(name));
        assert!(matches!(resumed, Err(JournalError::Paired { .. })));
    }
    Ran { result, log: log.take(), runs, notes: notes.0 }
}

fn run(experiment: &Experiment, sides: Sides) -> Ran {
    run_with(experiment, sides, &AtomicBool::new(false))
}

fn table1(only: &[&str], sizes: &[usize], samples: Option<usize>) -> Experiment {
    let overrides = Overrides {
        only: Some(only.iter().map(ToString::to_string).collect()),
        sizes: Some(sizes.to_vec()),
        samples,
        ..Overrides::default()
    };
    resolve(&load_experiment("table1").unwrap(), &overrides, Selection::Auto).unwrap()
}

fn finished(base: usize, new: usize) -> [Outcome; 2] {
    [base, new].map(|failed| Outcome::Finished { failed })
}

fn steady(_: &str, _: usize, _: usize) -> Answer {
    taking(1e-2)
}

#[test]
fn who_is_sampled_first_alternates_and_groups_are_never_mixed() {
    let experiment = table1(&["staged-load", "katz-kider"], &[512, 1024], Some(4));
    let ran = run(&experiment, Sides::new(steady, steady));
    let (base, new) = (BuildRole::Base, BuildRole::New);
    let mut expected = Vec::new();
    for n in [512, 1024] {
        for side in [base, new] {
            for what in [&format!("graph {n}"), "prepare staged-load", "prepare katz-kider"] {
                expected.push((side, what.to_string()));
            }
        }
        for order in [[base, new], [new, base], [base, new], [new, base]] {
            for what in ["sample staged-load", "sample katz-kider"] {
                expected.extend(order.map(|side| (side, what.to_string())));
            }
        }
    }
    assert_eq!(ran.log, expected);
    assert_eq!(ran.result.unwrap(), finished(0, 0));
}

#[test]
fn a_build_that_has_enough_is_sampled_until_the_other_has_too() {
    let noisy = |_: &str, _: usize, count: usize| taking(if count.is_multiple_of(2) { 1e-2 } else { 2e-2 });
    let experiment = table1(&["staged-load"], &[1024], None);
    let alone = run(&experiment, Sides::new(steady, steady));
    assert_eq!(alone.rows(BuildRole::New, "staged-load"), 6);
    for sides in [Sides::new(noisy, steady), Sides::new(steady, noisy)] {
        let ran = run(&experiment, sides);
        let (base, new) = (ran.rows(BuildRole::Base, "staged-load"), ran.rows(BuildRole::New, "staged-load"));
        assert_eq!(base, new);
        assert_eq!(base, experiment.sampling.max_samples);
        assert_eq!(ran.result.unwrap(), finished(0, 0));
    }
}

#[test]
fn a_cell_that_fails_in_one_build_goes_on_in_the_other_by_its_own_rule() {
    let experiment = table1(&["staged-load", "katz-kider"], &[512], None);
    let ends: [(AnswerFn, Status); 3] = [
        (|| Err(Failure::new(FailureCause::TimedOut, "no result after 9 s")), Status::Timeout),
        (|| Err(Failure::new(FailureCause::Died, "gone")), Status::Failed),
        (|| Err(Failure::new(FailureCause::WrongResult, "wrong result: 3 for 4")), Status::Failed),
    ];
    for (end, status) in ends {
        let ending = move |name: &str, _: usize, count: usize| {
            if (name, count) == ("staged-load", 2) { end() } else { taking(1e-2) }
        };
        let ran = run(&experiment, Sides::new(ending, steady));
        assert_eq!(ran.row(BuildRole::Base, "staged-load").status, status);
        assert_eq!(ran.rows(BuildRole::Base, "staged-load"), 3);
        for (side, name) in [(0, "katz-kider"), (1, "katz-kider"), (1, "staged-load")] {
            assert_eq!(ran.row([BuildRole::Base, BuildRole::New][side], name).samples, 6);
        }
        assert_eq!(ran.result.as_ref().unwrap(), &finished(1, 0));
    }
    let throttled = |_: &str, _: usize, _: usize| sampled(1e-2, &["thermal"]);
    let ran = run(&table1(&["staged-load"], &[512], Some(8)), Sides::new(steady, throttled));
    assert_eq!((ran.rows(BuildRole::New, "staged-load"), ran.rows(BuildRole::Base, "staged-load")), (5, 8));
    assert_eq!(ran.result.unwrap(), finished(0, 1));
}

#[test]
fn what_one_build_does_not_know_is_skipped_there_with_the_reason_and_measured_in_the_other() {
    let experiment = table1(&["staged-load", "katz-kider"], &[512, 1024], Some(2));
    let variant = experiment.variants()[1].clone();
    let reason = "unknown implementation 'katz-kider'".to_string();
    let mut sides = Sides::new(steady, steady);
    sides.unknown[0].push(UnsupportedVariant { variant, reason });
    let ran = run(&experiment, sides);
    assert!(!ran.log.contains(&(BuildRole::Base, "prepare katz-kider".to_string())));
    let row = ran.row(BuildRole::Base, "katz-kider");
    assert_eq!(row.status, Status::Skipped);
    assert_eq!(row.message, "this build does not know it: unknown implementation 'katz-kider'");
    assert_eq!(ran.row(BuildRole::New, "katz-kider").samples, 2);
    assert_eq!(ran.row(BuildRole::Base, "staged-load").samples, 2);
    assert_eq!(ran.result.unwrap(), finished(0, 0));
}

#[test]
fn another_device_driver_or_host_is_refused_before_anything_is_sampled() {
    type Change = fn([&mut Environment; 2]);
    let one_gpu = "--device cuda:0";
    let changes: [(Change, &str, &str); 5] = [
        (
            |[_, new]| new.device.as_mut().unwrap().info.uuid = "GPU-2".into(),
            "device GPU-1 for base and GPU-2 for new",
            one_gpu,
        ),
        (
            |[_, new]| new.device.as_mut().unwrap().driver = Some("580".into()),
            "driver none for base and 580 for new",
            one_gpu,
        ),
        (|[_, new]| new.host.kernel = "another".into(), "another for new", one_gpu),
        (
            |[_, new]| (new.device, new.device_problem) = (None, Some("no CUDA device".into())),
            "none (no CUDA device) for new",
            one_gpu,
        ),
        // Who has no GPU is not told to take one.
        (
            |[base, new]| {
                (base.device, new.device) = (None, None);
                new.host.threads += 1;
            },
            "for new",
            "with --device cpu",
        ),
    ];
    for (change, expected, remedy) in changes {
        let mut sides = Sides::new(steady, steady);
        change(sides.environments.each_mut());
        let ran = run(&table1(&["staged-load"], &[512], None), sides);
        let error = ran.result.unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(remedy), "{error}");
        assert_eq!(ran.log, []);
    }
}

#[test]
fn another_compiler_is_a_note_and_what_else_is_known_of_the_device_is_none() {
    let mut sides = Sides::new(steady, steady);
    let device = sides.environments[1].device.as_mut().unwrap();
    (device.compiler, device.info.l2_bytes) = (Some("NVRTC 13.0".into()), 2);
    let ran = run(&table1(&["staged-load"], &[512], Some(1)), sides);
    assert_eq!(ran.result.unwrap(), finished(0, 0));
    let count = |is_one: fn(&str) -> bool| ran.notes.iter().filter(|note| is_one(note)).count();
    assert_eq!(count(|note| note.contains("NVRTC 13.0")), 1, "{:?}", ran.notes);
    assert!(count(|note| note.starts_with("base: staged-load")) > 0, "{:?}", ran.notes);
}

#[test]
fn a_device_that_the_user_demanded_and_one_build_cannot_open_is_that_builds_error() {
    let mut experiment = table1(&["staged-load"], &[512], None);
    experiment.device = "cuda".into();
    let mut sides = Sides::new(steady, steady);
    sides.environments[0].device_problem = Some("driver too old".into());
    let error = run(&experiment, sides).result.unwrap_err();
    let expected = "base build: --device cuda: driver too old, or use --device emulated at small sizes, or --device cpu for what runs there";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn what_is_too_fast_to_be_true_is_judged_by_the_higher_ceilings_of_both() {
    // 1024³ tasks take at least 1.07e-4 s at the 1e13 tasks/s that both measure.
    let experiment = table1(&["staged-load"], &[1024], Some(6));
    for (highest, status, failed) in [(1e13, Status::Impossible, 1), (1e14, Status::Ok, 0)] {
        let fast = |_: &str, _: usize, _: usize| taking(2e-5);
        let mut sides = Sides::new(fast, fast);
        let ceilings = &mut sides.environments[1].ceilings.device;
        let usual = DeviceCeilings { copy_gbs: 4000.0, copy_bytes: 1, ..DeviceCeilings::default() };
        *ceilings = Some(DeviceCeilings { add_min_tasks_per_s: highest, ..usual });
        let ran = run(&experiment, sides);
        assert_eq!(ran.row(BuildRole::Base, "staged-load").status, status);
        assert_eq!(ran.result.unwrap(), finished(failed, failed));
    }
}

#[test]
fn an_interrupt_stops_both_and_both_keep_what_was_measured() {
    let interrupted = AtomicBool::new(false);
    let raising = |_: &str, _: usize, count: usize| {
        interrupted.store(count == 3, Ordering::Relaxed);
        taking(1e-2)
    };
    let experiment = table1(&["staged-load", "katz-kider"], &[512], None);
    let ran = run_with(&experiment, Sides::new(steady, raising), &interrupted);
    assert_eq!(ran.result.as_ref().unwrap(), &[Outcome::Interrupted; 2]);
    // New comes first in the fourth round.
    assert_eq!((ran.rows(BuildRole::Base, "staged-load"), ran.rows(BuildRole::New, "staged-load")), (3, 3));
    for side in [BuildRole::Base, BuildRole::New] {
        assert!(ran.runs[side as usize].manifest.finished.is_none());
        assert!(ran.runs[side as usize].results.summary.iter().all(|row| row.samples == 3));
    }
    assert_eq!(ran.log.last().unwrap(), &(BuildRole::New, "sample staged-load".to_string()));
}

#[test]
fn a_folder_that_is_taken_leaves_no_half_of_a_pair() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = table1(&["staged-load"], &[512], None);
    drop(start(folder.path(), &experiment));
    let introduced = WorkerInfo { build: this_build(), unknown: Vec::new() };
    let base = folder.path().join("base");
    std::fs::remove_dir_all(&base).unwrap();
    let again = create_pair(folder.path(), &experiment, &[introduced.clone(), introduced]);
    assert!(matches!(again, Err(RunError::Journal(JournalError::Occupied(_)))));
    assert!(!base.exists());
}

/// Answers everything alike.
struct Always(fn() -> Answer);

impl Executor for Always {
    fn ask(&mut self, _: &Request, limit: Duration) -> Answer {
        assert!(limit <= Duration::from_secs(10));
        (self.0)()
    }
}

fn manifest(experiment: &Experiment, environment: Option<Environment>) -> Manifest {
    Manifest { environment, ..Manifest::new(this_build(), experiment.clone(), Vec::new(), String::new()) }
}

#[test]
fn an_experiment_is_narrowed_to_exactly_the_cells_that_were_asked_for() {
    repro::distributed::register();
    let mut emulated = environment();
    emulated.device.as_mut().unwrap().info.emulated = true;
    let environments = [None, Some(environment()), Some(emulated)];
    let mut narrowed = 0;
    for (at, name) in available_experiments().into_iter().enumerate() {
        let file = load_experiment(&name).unwrap();
        let overrides = Overrides { full: at.is_multiple_of(2), ..Overrides::default() };
        let experiment = resolve(&file, &overrides, Selection::Auto).unwrap();
        for environment in &environments {
            let of = |experiment: &Experiment| cells(&manifest(experiment, environment.clone()));
            let all = of(&experiment);
            for (step, offset) in [(1, 0), (2, 1), (5, 2), (usize::MAX, 0)] {
                let some: Vec<CellId> = all.iter().skip(offset).step_by(step).cloned().collect();
                // What it lacks adds nothing.
                let lacking = CellId::new("staged-load", 77, "", "");
                let left = of(&experiment.narrowed_to(&[&some[..], &[lacking]].concat()));
                let sets = [&left, &some].map(|cells| cells.iter().collect::<BTreeSet<_>>());
                assert_eq!((&sets[0], left.len()), (&sets[1], some.len()), "{name}");
                narrowed += 1;
            }
        }
        let all = cells(&manifest(&experiment, None));
        assert_eq!(experiment.narrowed_to(&all).columns, experiment_without_counts(&experiment), "{name}");
    }
    assert!(narrowed > 100);
}

/// Counts beside a GPU are no cells where there is no device, and so go unasked.
fn experiment_without_counts(experiment: &Experiment) -> Vec<repro::plan::Column> {
    let mut columns = experiment.columns.clone();
    for column in &mut columns {
        column.count_sizes.retain(|n| column.sizes.contains(n) || column.optional.contains(n));
    }
    columns.retain(|column| !column.sizes.is_empty() || !column.optional.is_empty());
    columns
}

#[test]
fn a_worker_that_does_not_say_which_build_it_is_is_refused_in_one_line() {
    let overrides = Overrides { sizes: Some(vec![8]), ..Overrides::default() };
    let experiment = resolve(&load_experiment("table1").unwrap(), &overrides, Selection::Cpu).unwrap();
    let introduced =
        |answer| introduce(Path::new("old/repro"), &mut Always(answer), &experiment).unwrap_err();
    let answers: [(AnswerFn, &str); 2] = [
        (|| Ok(Reply::GraphReady), "(it answered something else)"),
        (|| Err(Failure::new(FailureCause::Other, "no")), "(no)"),
    ];
    for (answer, expected) in answers {
        let message = introduced(answer).to_string();
        assert!(message.starts_with("old/repro ") && message.contains(expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    let interrupted = introduced(|| Err(Failure::new(FailureCause::Interrupted, "interrupted")));
    assert!(matches!(interrupted, RunError::Interrupted));
}
