//! What the runner asks for beside samples, and what it makes of the answers: kernels one by one, the first run of a process,
//! counts beside a GPU.

use crate::common::script::{AnswerFn, Ran, Script, answer_of, counted, run_in, taking};
use repro::device::emulated::Counts;
use repro::device::telemetry::Telemetry;
use repro::graph::ElementType;
use repro::implementation::KernelTraffic;
use repro::measure::{Answer, Failure, FailureCause, Outcome, Reply, Request};
use repro::plan::Overrides;
use repro::plan::Variant;
use repro::store::{
    CellRow, CountRow, KernelTime, KernelTimeRow, RepeatTimes, SampleRow, Status, read_cell_rows, read_rows,
};
use repro::timing::{KernelSeconds, Scope};
use repro_base::CellId;
use std::path::Path;

fn only(implementation: &str, sizes: Option<Vec<usize>>) -> Overrides {
    Overrides { only: Some(vec![implementation.to_string()]), sizes, ..Overrides::default() }
}

fn failing(cause: FailureCause, message: &str) -> Answer {
    Err(Failure::new(cause, message))
}

fn modelled(variant: &Variant) -> Vec<KernelTraffic> {
    let known = variant.known().unwrap();
    known.solver.model(64, &variant.parameters)
}

/// Every kernel of the model takes its number of launches in milliseconds.
fn kernel_times(variant: &Variant) -> Answer {
    let of = |one: &KernelTraffic| KernelSeconds {
        kernel: one.kernel.to_string(),
        launches: one.launches,
        seconds: one.launches as f64 * 1e-3,
    };
    Ok(Reply::KernelTimes { kernels: modelled(variant).iter().map(of).collect() })
}

fn kappa_sweep(folder: &Path, script: &mut Script) -> Ran {
    let parameters = vec![("kappa".to_string(), vec![1, 2])];
    let overrides = Overrides { sizes: Some(vec![64]), parameters, ..Overrides::default() };
    run_in(folder, "kappa-sweep", &overrides, script)
}

#[test]
fn each_cell_has_its_kernels_timed_once_beside_modelled_bytes_also_after_a_resume() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let mut script = Script::new(|_, _, _| taking(1e-2)).timing_kernels(kernel_times);
    let ran = kappa_sweep(&run, &mut script);
    assert_eq!(ran.outcome, Outcome::Finished { failed: 0 });
    let variants = script.timed.clone();
    assert_eq!(variants.len(), ran.summary.len());
    // Without and with the lead tile on all multiprocessors.
    assert_eq!(variants.len(), 4);
    let row = |variant: &Variant, one: KernelTraffic| CellRow {
        cell: CellId::new(variant.implementation.name(), 64, &variant.parameters.to_string(), ""),
        of: KernelTime {
            kernel: one.kernel,
            launches: one.launches,
            seconds: one.launches as f64 * 1e-3,
            loaded_bytes: Some(one.loaded_bytes),
            stored_bytes: Some(one.stored_bytes),
        },
    };
    let expected: Vec<KernelTimeRow> = variants
        .iter()
        .flat_map(|variant| modelled(variant).into_iter().map(move |one| row(variant, one)))
        .collect();
    let recorded = || read_cell_rows::<KernelTime>(&run.join("kernels.csv")).unwrap();
    assert_eq!(recorded(), expected);
    let mut again = Script::new(|_, _, _| taking(1e-2)).timing_kernels(kernel_times);
    kappa_sweep(&run, &mut again);
    assert_eq!((again.timed, again.asked), (vec![], vec![]));
    assert_eq!(recorded(), expected);
}

#[test]
fn a_cell_whose_kernels_could_not_be_timed_fails_until_a_resume_samples_and_times_it() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let ran = kappa_sweep(&run, &mut Script::new(|_, _, _| taking(1e-2)));
    assert_eq!(ran.outcome, Outcome::Finished { failed: 4 });
    assert_eq!(read_cell_rows::<KernelTime>(&run.join("kernels.csv")).unwrap(), []);
    let mut again = Script::new(|_, _, _| taking(1e-2)).timing_kernels(kernel_times);
    let ran = kappa_sweep(&run, &mut again);
    assert_eq!((again.timed.len(), again.asked.len()), (4, 4));
    assert_eq!(ran.outcome, Outcome::Finished { failed: 0 });
    assert!(ran.summary.iter().all(|row| row.median_s == Some(1e-2)), "{:?}", ran.summary);
}

fn timers(folder: &Path, script: &mut Script) -> Ran {
    let implementations = ["cpu-naive", "global-memory", "staged-load"].map(str::to_string);
    let overrides = Overrides {
        only: Some(implementations.to_vec()),
        sizes: Some(vec![64, 128]),
        ..Overrides::default()
    };
    run_in(folder, "timers", &overrides, script)
}

fn first_rows(ran: &Ran) -> Vec<&SampleRow> {
    ran.samples.iter().filter(|row| Scope::FIRST.contains(&row.scope)).collect()
}

#[test]
fn the_first_run_of_every_device_cell_is_asked_of_a_fresh_worker_once() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let first = |_: &[Request]| {
        answer_of(Scope::FIRST.map(|scope| (scope, 0.25)).into_iter().collect(), Telemetry::default())
    };
    let mut script = Script::new(|_, _, _| taking(1e-2)).fresh(first);
    let ran = timers(&run, &mut script);
    assert_eq!(ran.outcome, Outcome::Finished { failed: 0 });
    let asked: Vec<(&str, usize)> = script
        .asked_fresh
        .iter()
        .map(|requests| match &requests[..] {
            [Request::Open(opening), Request::LoadGraph(graph), Request::FirstRun { variant }] => {
                assert_eq!((&opening.variants[..], &opening.elements[..]), (&[variant.clone()][..], &[][..]));
                (variant.implementation.name(), graph.n)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        asked,
        [("global-memory", 64), ("staged-load", 64), ("global-memory", 128), ("staged-load", 128)]
    );
    let rows = first_rows(&ran);
    for of_cell in rows.chunks(3) {
        let scopes: Vec<Scope> = of_cell.iter().map(|row| row.scope).collect();
        assert_eq!(scopes, Scope::FIRST);
        assert!(of_cell.iter().all(|row| row.seconds == Some(0.25) && row.status == Status::Ok));
    }
    assert_eq!(rows.len(), 3 * asked.len());
    // What a cold process took is no sample of the cell.
    assert!(ran.summary.iter().all(|row| row.median_s == Some(1e-2)));
    let mut again = Script::new(|_, _, _| taking(1e-2)).fresh(first);
    timers(&run, &mut again);
    assert_eq!((again.asked_fresh, again.asked), (vec![], vec![]));
}

#[test]
fn a_first_run_that_fails_or_dies_is_a_row_of_its_own_and_leaves_the_cell_its_time() {
    let ends: [(AnswerFn, Status, &str); 3] = [
        (
            || failing(FailureCause::WrongResult, "wrong result: 3 for 4"),
            Status::Failed,
            "wrong result: 3 for 4",
        ),
        (|| Err(Failure::new(FailureCause::Died, "signal 11")), Status::Failed, "signal 11"),
        (
            || Err(Failure::new(FailureCause::TimedOut, "no result after 9 s")),
            Status::Timeout,
            "no result after 9 s",
        ),
    ];
    for (end, status, reason) in ends {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let mut script = Script::new(|_, _, _| taking(1e-2)).fresh(|_| end());
        let ran = timers(&run, &mut script);
        let rows = first_rows(&ran);
        assert_eq!(rows.len(), 4);
        for row in rows {
            assert_eq!((row.scope, row.seconds, row.status), (Scope::FirstHost, None, status));
            assert_eq!(row.message, reason);
        }
        assert_eq!(ran.outcome, Outcome::Finished { failed: 0 });
        let whole = |row: &repro::results::SummaryRow| {
            (row.status, row.median_s, row.message.as_str()) == (Status::Ok, Some(1e-2), "")
        };
        assert!(ran.summary.iter().all(whole), "{:?}", ran.summary);
        // It was tried in vain, and is not tried again.
        let mut again = Script::new(|_, _, _| taking(1e-2)).fresh(|_| end());
        timers(&run, &mut again);
        assert!(again.asked_fresh.is_empty());
    }
}

fn ablation(folder: &Path, script: &mut Script) -> Ran {
    run_in(folder, "ablation", &only("staged-load", None), script)
}

fn long_enough(_: &str, n: usize, _: usize) -> Answer {
    taking((n as f64 / 4096.0).powi(3))
}

#[test]
fn beside_a_gpu_the_emulated_size_is_counted_by_a_fresh_worker_and_the_others_are_timed() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let counts = Counts { launches: 7, barriers: 11, ..Counts::default() };
    let counting = |requests: &[Request]| match requests {
        [Request::Open(opening), Request::LoadGraph(graph), Request::Count { variant, .. }]
            if variant.implementation.name() == "staged-load"
                && (&*opening.device, opening.order, graph.n) == ("emulated", 0, 128) =>
        {
            counted("doubly_dependent", counts)
        }
        other => Err(Failure::new(FailureCause::Died, format!("asked for {other:?}"))),
    };
    let mut script = Script::new(long_enough).fresh(counting);
    let ran = ablation(&run, &mut script);
    assert_eq!(script.asked_fresh.len(), 1);
    let statuses: Vec<(usize, Status)> = ran.summary.iter().map(|row| (row.n, row.status)).collect();
    let ok = |n| (n, Status::Ok);
    assert_eq!(statuses, [ok(4096), ok(8192), ok(16384), (128, Status::Counted)]);
    assert_eq!(ran.outcome, Outcome::Finished { failed: 0 });
    let told = |end: &str| {
        ran.notes.iter().any(|note| note.starts_with("staged-load n = 128") && note.ends_with(end))
    };
    assert!(told(": right, and counted"), "{:?}", ran.notes);
    let rows = read_rows::<CountRow>(&run.join("counts.csv")).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].cell.n, rows[0].kernel.as_str(), rows[0].counts), (128, "doubly_dependent", counts));
    let mut again = Script::new(long_enough).fresh(counting);
    ablation(&run, &mut again);
    assert_eq!((again.asked_fresh, again.asked), (vec![], vec![]));
}

/// The order in which a worker of its own was asked to count, and whether it was to look between the launches.
fn order_of(requests: &[Request]) -> (u64, bool) {
    let [Request::Open(opening), _, Request::Count { between_launches, .. }] = requests else {
        panic!("{requests:?}")
    };
    (opening.order, *between_launches)
}

/// `block-order` where the emulated device counts beside a GPU.
fn in_three_orders(folder: &Path, script: &mut Script) -> Ran {
    let text = std::fs::read_to_string("experiments/block-order.toml").unwrap();
    let text = text.replace("orders = 4", "orders = 3\nbeside_gpu = true");
    let file = folder.join("three-orders.toml");
    std::fs::write(&file, text).unwrap();
    run_in(&folder.join("run"), file.to_str().unwrap(), &only("katz-kider", None), script)
}

#[test]
fn each_order_is_solved_once_by_a_worker_of_its_own_and_a_wrong_result_in_one_makes_the_cell_wrong() {
    for wrong in [None, Some(1)] {
        let folder = tempfile::tempdir().unwrap();
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
        let orders = |script: &Script| -> Vec<u64> {
            script.asked_fresh.iter().map(|requests| order_of(requests).0).collect()
        };
        let mut script = Script::new(long_enough).fresh(counting);
        let ran = in_three_orders(folder.path(), &mut script);
        let failed = usize::from(wrong.is_some());
        assert_eq!(ran.outcome, Outcome::Finished { failed });
        assert_eq!(orders(&script), [0, 1, 2][..3 - failed]);
        let counted = read_rows::<CountRow>(&folder.path().join("run/counts.csv")).unwrap();
        let [row] = &counted[..] else { panic!("{counted:?}") };
        assert_eq!((row.counts.launches, row.unlike_plain), (7, Some(5)));
        let samples = read_rows::<SampleRow>(&folder.path().join("run/samples.csv")).unwrap();
        let of_cell = samples.iter().filter(|row| row.n == 64);
        let ends: Vec<(usize, Status)> = of_cell.map(|row| (row.sample, row.status)).collect();
        let second = if wrong.is_some() { Status::Failed } else { Status::Counted };
        let all = [(0, Status::Counted), (1, second), (2, Status::Counted)];
        assert_eq!(ends, all[..3 - failed]);
        let mut again = Script::new(long_enough).fresh(counting);
        in_three_orders(folder.path(), &mut again);
        assert!(again.asked_fresh.is_empty());
    }
}

#[test]
fn a_cell_that_was_not_counted_at_first_is_counted_in_every_order_when_the_run_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let mut dying = Script::new(long_enough).fresh(|_| Err(Failure::new(FailureCause::Died, "gone")));
    assert_eq!(in_three_orders(folder.path(), &mut dying).outcome, Outcome::Finished { failed: 1 });
    let mut orders = Vec::new();
    let counting = |requests: &[Request]| {
        orders.push(order_of(requests).0);
        counted("independent", Counts { launches: 7, ..Counts::default() })
    };
    let mut script = Script::new(long_enough).fresh(counting);
    assert_eq!(in_three_orders(folder.path(), &mut script).outcome, Outcome::Finished { failed: 0 });
    drop(script);
    assert_eq!(orders, [0, 1, 2]);
    assert_eq!(read_rows::<CountRow>(&folder.path().join("run/counts.csv")).unwrap().len(), 1);
}

#[test]
fn a_counted_cell_is_skipped_without_an_emulated_device_and_fails_the_run_where_it_is_wrong_or_dies() {
    let ends: [(AnswerFn, Status, &str); 3] = [
        (
            || failing(FailureCause::Unavailable, "no C++ compiler"),
            Status::Skipped,
            "not counted: no C++ compiler",
        ),
        (|| failing(FailureCause::WrongResult, "wrong result"), Status::Failed, "wrong result"),
        (|| Err(Failure::new(FailureCause::Died, "gone")), Status::Failed, "gone"),
    ];
    for (end, status, message) in ends {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let ran = ablation(&run, &mut Script::new(long_enough).fresh(|_| end()));
        assert_eq!(ran.outcome, Outcome::Finished { failed: usize::from(status == Status::Failed) });
        let row = ran.summary.iter().find(|row| row.n == 128).unwrap();
        assert!(row.status == status && row.message.contains(message), "{row:?}");
        assert!(!run.join("counts.csv").exists());
    }
}

#[test]
fn repeated_solves_are_recorded_once_and_another_result_makes_a_cell_wrong() {
    for different in [0, 2] {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let mut asked = 0;
        let mut script = Script::new(|_, _, _| taking(1e-2)).repeating(|_| {
            asked += 1;
            let (solves, seconds, joules) = (10_000, 5.0, Some(2000.0));
            let repeated = RepeatTimes { solves, different, seconds, joules, ..RepeatTimes::default() };
            Ok(Reply::Repeated { repeated: Some(repeated) })
        });
        let elements = Some(vec![ElementType::F32]);
        let overrides = Overrides { sizes: Some(vec![64]), elements, ..Overrides::default() };
        let ran = run_in(&run, "repeats", &overrides, &mut script);
        drop(script);
        let rows = read_cell_rows::<RepeatTimes>(&run.join("repeats.csv")).unwrap();
        // Of each kind of graph.
        let [row, _, _, _] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.solves, row.different, row.joules), (10_000, different, Some(2000.0)));
        assert_eq!((row.cell.n, row.cell.params.as_str(), asked), (64, "", 4));
        let failed = if different > 0 { 4 } else { 0 };
        assert_eq!(ran.outcome, Outcome::Finished { failed });
        let wrong =
            ran.summary.iter().filter(|row| row.message.contains("2 of 10000 repeated solves")).count();
        assert_eq!(wrong, failed);
    }
}
