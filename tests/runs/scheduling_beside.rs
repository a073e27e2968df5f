//! What the runner asks for beside samples, and what it makes of the answers: kernels one by one, the first run of a process,
//! counts beside a GPU.

use crate::common::script::{Ran, Script, answer_of, counted, run_in, taking};
use repro::device::emulated::Counts;
use repro::device::telemetry::Telemetry;
use repro::graph::ElementType;
use repro::implementation::KernelTraffic;
use repro::measure::{Answer, Failure, FailureCause, Outcome, Reply, Request};
use repro::plan::{Overrides, Variant};
use repro::results::SummaryRow;
use repro::store::{
    CellRow, CountRow, KernelTime, KernelTimeRow, RepeatTimes, SampleRow, Status, read_cell_rows, read_rows,
};
use repro::timing::{KernelSeconds, Scope};
use repro_base::CellId;
use std::path::PathBuf;
use tempfile::TempDir;

/// An experiment with the folder that it is run in, and goes on in.
struct Subject {
    folder: TempDir,
    experiment: String,
    overrides: Overrides,
}

impl Subject {
    fn new(experiment: &str, only: &[&str], sizes: Option<Vec<usize>>) -> Self {
        let only = (!only.is_empty()).then(|| only.iter().map(ToString::to_string).collect());
        let overrides = Overrides { only, sizes, ..Overrides::default() };
        Self { folder: tempfile::tempdir().unwrap(), experiment: experiment.to_string(), overrides }
    }

    fn kappa_sweep() -> Self {
        let mut subject = Self::new("kappa-sweep", &[], Some(vec![64]));
        subject.overrides.parameters = vec![("kappa".to_string(), vec![1, 2])];
        subject
    }

    fn timers() -> Self {
        Self::new("timers", &["cpu-naive", "global-memory", "staged-load"], Some(vec![64, 128]))
    }

    fn ablation() -> Self {
        Self::new("ablation", &["staged-load"], None)
    }

    /// `block-order` where the emulated device counts beside a GPU.
    fn three_orders() -> Self {
        let mut subject = Self::new("", &["katz-kider"], None);
        let text = std::fs::read_to_string("experiments/block-order.toml").unwrap();
        let file = subject.folder.path().join("three-orders.toml");
        std::fs::write(&file, text.replace("orders = 4", "orders = 3\nbeside_gpu = true")).unwrap();
        subject.experiment = file.display().to_string();
        subject
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("run").join(name)
    }

    fn counts(&self) -> Vec<CountRow> {
        read_rows(&self.file("counts.csv")).unwrap()
    }

    /// Runs it, or goes on with it; so many cells fail.
    #[track_caller]
    fn ends(&self, failed: usize, script: &mut Script) -> Ran {
        let ran = run_in(&self.file(""), &self.experiment, &self.overrides, script);
        assert_eq!(ran.outcome, Outcome::Finished { failed });
        ran
    }
}

fn failing(cause: FailureCause, message: &str) -> Answer {
    Err(Failure::new(cause, message))
}

/// Without answers to anything but samples.
fn sampling<'a>() -> Script<'a> {
    Script::new(|_, _, _| taking(1e-2))
}

/// So that no cell is sampled long.
fn sampling_by_size<'a>() -> Script<'a> {
    Script::new(|_, n, _| taking((n as f64 / 4096.0).powi(3)))
}

fn modelled(variant: &Variant) -> Vec<KernelTraffic> {
    variant.known().unwrap().solver.model(64, &variant.parameters)
}

fn milliseconds(launches: u64) -> f64 {
    launches as f64 * 1e-3
}

/// Every kernel of the model takes its number of launches in milliseconds.
fn kernel_times(variant: &Variant) -> Answer {
    let of = |one: KernelTraffic| {
        let (kernel, launches) = (one.kernel.to_string(), one.launches);
        KernelSeconds { kernel, launches, seconds: milliseconds(launches) }
    };
    Ok(Reply::KernelTimes { kernels: modelled(variant).into_iter().map(of).collect() })
}

#[test]
fn each_cell_has_its_kernels_timed_once_beside_modelled_bytes_also_after_a_resume() {
    let subject = Subject::kappa_sweep();
    let mut script = sampling().timing_kernels(kernel_times);
    let ran = subject.ends(0, &mut script);
    // Without and with the lead tile on all multiprocessors.
    assert_eq!((script.timed.len(), ran.summary.len()), (4, 4));
    let row = |variant: &Variant, one: KernelTraffic| CellRow {
        cell: CellId::new(variant.implementation.name(), 64, &variant.parameters.to_string(), ""),
        of: KernelTime {
            kernel: one.kernel,
            launches: one.launches,
            seconds: milliseconds(one.launches),
            loaded_bytes: Some(one.loaded_bytes),
            stored_bytes: Some(one.stored_bytes),
        },
    };
    let of_variant = |variant| modelled(variant).into_iter().map(move |one| row(variant, one));
    let expected: Vec<KernelTimeRow> = script.timed.iter().flat_map(of_variant).collect();
    let recorded = || read_cell_rows::<KernelTime>(&subject.file("kernels.csv")).unwrap();
    assert_eq!(recorded(), expected);
    let mut again = sampling().timing_kernels(kernel_times);
    subject.ends(0, &mut again);
    assert_eq!((again.timed, again.asked), (vec![], vec![]));
    assert_eq!(recorded(), expected);
}

#[test]
fn a_cell_whose_kernels_could_not_be_timed_fails_until_a_resume_samples_and_times_it() {
    let subject = Subject::kappa_sweep();
    subject.ends(4, &mut sampling());
    assert_eq!(read_cell_rows::<KernelTime>(&subject.file("kernels.csv")).unwrap(), []);
    let mut again = sampling().timing_kernels(kernel_times);
    let ran = subject.ends(0, &mut again);
    assert_eq!((again.timed.len(), again.asked.len()), (4, 4));
    assert!(ran.summary.iter().all(|row| row.median_s == Some(1e-2)), "{:?}", ran.summary);
}

fn first_rows(ran: &Ran) -> Vec<&SampleRow> {
    ran.samples.iter().filter(|row| Scope::FIRST.contains(&row.scope)).collect()
}

#[test]
fn the_first_run_of_every_device_cell_is_asked_of_a_fresh_worker_once() {
    let subject = Subject::timers();
    let first = |_: &[Request]| {
        answer_of(Scope::FIRST.map(|scope| (scope, 0.25)).into_iter().collect(), Telemetry::default())
    };
    let mut script = sampling().fresh(first);
    let ran = subject.ends(0, &mut script);
    let cell = |requests: &Vec<Request>| match &requests[..] {
        [Request::Open(opening), Request::LoadGraph(graph), Request::FirstRun { variant }] => {
            assert_eq!((&opening.variants[..], &opening.elements[..]), (&[variant.clone()][..], &[][..]));
            format!("{} {}", variant.implementation.name(), graph.n)
        }
        other => panic!("{other:?}"),
    };
    let asked: Vec<String> = script.asked_fresh.iter().map(cell).collect();
    assert_eq!(asked, ["global-memory 64", "staged-load 64", "global-memory 128", "staged-load 128"]);
    let rows = first_rows(&ran);
    for of_cell in rows.chunks(3) {
        assert_eq!(of_cell.iter().map(|row| row.scope).collect::<Vec<_>>(), Scope::FIRST);
        assert!(of_cell.iter().all(|row| row.seconds == Some(0.25) && row.status == Status::Ok));
    }
    assert_eq!(rows.len(), 3 * asked.len());
    // What a cold process took is no sample of the cell.
    assert!(ran.summary.iter().all(|row| row.median_s == Some(1e-2)));
    let mut again = sampling().fresh(first);
    subject.ends(0, &mut again);
    assert_eq!((again.asked_fresh, again.asked), (vec![], vec![]));
}

/// What a fresh worker may end with, how its cell then ends, and what it says.
const ENDS: [(FailureCause, Status, &str); 3] = [
    (FailureCause::WrongResult, Status::Failed, "wrong result: 3 for 4"),
    (FailureCause::Died, Status::Failed, "signal 11"),
    (FailureCause::TimedOut, Status::Timeout, "no result after 9 s"),
];

#[test]
fn a_first_run_that_fails_or_dies_is_a_row_of_its_own_and_leaves_the_cell_its_time() {
    for (cause, status, reason) in ENDS {
        let subject = Subject::timers();
        let ran = subject.ends(0, &mut sampling().fresh(|_| failing(cause, reason)));
        let rows = first_rows(&ran);
        assert_eq!(rows.len(), 4);
        for row in rows {
            assert_eq!((row.scope, row.seconds, row.status), (Scope::FirstHost, None, status));
            assert_eq!(row.message, reason);
        }
        let is_whole = |row: &SummaryRow| {
            (row.status, row.median_s, row.message.as_str()) == (Status::Ok, Some(1e-2), "")
        };
        assert!(ran.summary.iter().all(is_whole), "{:?}", ran.summary);
        // It was tried in vain, and is not tried again.
        let mut again = sampling().fresh(|_| failing(cause, reason));
        subject.ends(0, &mut again);
        assert!(again.asked_fresh.is_empty());
    }
}

#[test]
fn beside_a_gpu_the_emulated_size_is_counted_by_a_fresh_worker_and_the_others_are_timed() {
    let subject = Subject::ablation();
    let counts = Counts { launches: 7, barriers: 11, ..Counts::default() };
    let counting = |requests: &[Request]| match requests {
        [Request::Open(opening), Request::LoadGraph(graph), Request::Count { variant, .. }]
            if variant.implementation.name() == "staged-load"
                && (&*opening.device, opening.order, graph.n) == ("emulated", 0, 128) =>
        {
            counted("doubly_dependent", counts)
        }
        other => failing(FailureCause::Died, &format!("asked for {other:?}")),
    };
    let mut script = sampling_by_size().fresh(counting);
    let ran = subject.ends(0, &mut script);
    assert_eq!(script.asked_fresh.len(), 1);
    let statuses: Vec<(usize, Status)> = ran.summary.iter().map(|row| (row.n, row.status)).collect();
    let ok = |n| (n, Status::Ok);
    assert_eq!(statuses, [ok(4096), ok(8192), ok(16384), (128, Status::Counted)]);
    let is_told =
        |note: &String| note.starts_with("staged-load n = 128") && note.ends_with(": right, and counted");
    assert!(ran.notes.iter().any(is_told), "{:?}", ran.notes);
    let [row] = &subject.counts()[..] else { panic!("one row") };
    assert_eq!((row.cell.n, row.kernel.as_str(), row.counts), (128, "doubly_dependent", counts));
    let mut again = sampling_by_size().fresh(counting);
    subject.ends(0, &mut again);
    assert_eq!((again.asked_fresh, again.asked), (vec![], vec![]));
}

/// The order in which a worker of its own was asked to count, and whether it was to look between the launches.
fn order_of(requests: &[Request]) -> (u64, bool) {
    let [Request::Open(opening), _, Request::Count { between_launches, .. }] = requests else {
        panic!("{requests:?}")
    };
    (opening.order, *between_launches)
}

fn orders(script: &Script) -> Vec<u64> {
    script.asked_fresh.iter().map(|requests| order_of(requests).0).collect()
}

#[test]
fn each_order_is_solved_once_by_a_worker_of_its_own_and_a_wrong_result_in_one_makes_the_cell_wrong() {
    for wrong in [None, Some(1)] {
        let subject = Subject::three_orders();
        let counting = |requests: &[Request]| {
            let (order, between_launches) = order_of(requests);
            assert_eq!(between_launches, order == 0);
            if Some(order) == wrong {
                return failing(FailureCause::WrongResult, "3 entries are wrong");
            }
            let mut reply = counted("independent", Counts { launches: 7 + order, ..Counts::default() });
            if let Ok(Reply::Counted(counted)) = &mut reply {
                counted.unlike_plain = vec![("independent".to_string(), 5)];
            }
            reply
        };
        let failed = usize::from(wrong.is_some());
        let mut script = sampling_by_size().fresh(counting);
        subject.ends(failed, &mut script);
        assert_eq!(orders(&script), [0, 1, 2][..3 - failed]);
        let [row] = &subject.counts()[..] else { panic!("one row") };
        assert_eq!((row.counts.launches, row.unlike_plain), (7, Some(5)));
        let samples = read_rows::<SampleRow>(&subject.file("samples.csv")).unwrap();
        let of_cell = samples.iter().filter(|row| row.n == 64);
        let ends: Vec<(usize, Status)> = of_cell.map(|row| (row.sample, row.status)).collect();
        let second = if wrong.is_some() { Status::Failed } else { Status::Counted };
        assert_eq!(ends, [(0, Status::Counted), (1, second), (2, Status::Counted)][..3 - failed]);
        let mut again = sampling_by_size().fresh(counting);
        subject.ends(failed, &mut again);
        assert!(again.asked_fresh.is_empty());
    }
}

#[test]
fn a_cell_that_was_not_counted_at_first_is_counted_in_every_order_when_the_run_is_continued() {
    let subject = Subject::three_orders();
    subject.ends(1, &mut sampling_by_size().fresh(|_| failing(FailureCause::Died, "gone")));
    let mut script = sampling_by_size().fresh(|_| counted("independent", Counts::default()));
    subject.ends(0, &mut script);
    assert_eq!((orders(&script), subject.counts().len()), (vec![0, 1, 2], 1));
}

#[test]
fn a_counted_cell_is_skipped_without_an_emulated_device_and_fails_the_run_where_it_is_wrong_or_dies() {
    let none = (FailureCause::Unavailable, Status::Skipped, "no C++ compiler");
    for (cause, status, message) in ENDS.into_iter().chain([none]) {
        let subject = Subject::ablation();
        let failed = usize::from(status != Status::Skipped);
        let ran = subject.ends(failed, &mut sampling_by_size().fresh(|_| failing(cause, message)));
        let row = ran.summary.iter().find(|row| row.n == 128).unwrap();
        assert!(row.status == status && row.message.contains(message), "{row:?}");
        assert!(!subject.file("counts.csv").exists());
    }
}

#[test]
fn repeated_solves_are_recorded_once_and_another_result_makes_a_cell_wrong() {
    for (different, failed) in [(0, 0), (2, 4)] {
        let mut subject = Subject::new("repeats", &[], Some(vec![64]));
        subject.overrides.elements = Some(vec![ElementType::F32]);
        let mut asked = 0;
        let mut script = sampling().repeating(|_| {
            asked += 1;
            let (solves, seconds, joules) = (10_000, 5.0, Some(2000.0));
            let repeated = RepeatTimes { solves, different, seconds, joules, ..RepeatTimes::default() };
            Ok(Reply::Repeated { repeated: Some(repeated) })
        });
        let ran = subject.ends(failed, &mut script);
        drop(script);
        let rows = read_cell_rows::<RepeatTimes>(&subject.file("repeats.csv")).unwrap();
        // Of each kind of graph.
        let [row, _, _, _] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.solves, row.different, row.joules), (10_000, different, Some(2000.0)));
        assert_eq!((row.cell.n, row.cell.params.as_str(), asked), (64, "", 4));
        let is_wrong = |row: &&SummaryRow| row.message.contains("2 of 10000 repeated solves");
        assert_eq!(ran.summary.iter().filter(is_wrong).count(), failed);
    }
}
