//! What the runner asks for, in which order, and what it makes of the answers: with a worker that measures nothing.
//! Solves that are repeated on the device are each of the graph's own weights, and their name tells their result from any other.

use crate::common::script::{Ran, Script, counted, run_in, sampled, taking};
use repro::device::emulated::{Counts, Instruments};
use repro::device::{Device, DeviceError, HostBuffer, Queue};
use repro::graph::{ElementType, RandomGraph, generate};
use repro::implementation::{Clock, NoClock, Parameters, PreparedSolve, Problem, Scope, TimingPoint, find};
use repro::measure::{Answer, Failure, FailureCause, Outcome};
use repro::plan::Overrides;
use repro::store::{SampleRow, Status};
use std::rc::Rc;
use std::time::Duration;

fn table1(only: &[&str], sizes: &[usize]) -> Overrides {
    Overrides {
        only: Some(only.iter().map(ToString::to_string).collect()),
        sizes: Some(sizes.to_vec()),
        ..Overrides::default()
    }
}

/// What came of a run of an experiment.
fn ran(experiment: &str, overrides: &Overrides, script: &mut Script) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    run_in(&folder.path().join("run"), experiment, overrides, script)
}

/// What came of a run of table1, and the script with what was asked.
fn run<'a>(
    overrides: &Overrides,
    sample: impl FnMut(&str, usize, usize) -> Answer + 'a,
) -> (Ran, Script<'a>) {
    let mut script = Script::new(sample);
    (ran("table1", overrides, &mut script), script)
}

#[test]
fn samples_of_implementations_alternate_and_smaller_graphs_come_first() {
    let (ran, script) =
        run(&table1(&["staged-load", "katz-kider"], &[2048, 1024]), |_, n, _| taking(n as f64 * 1e-5));
    let expected: Vec<(String, usize)> = [1024, 2048]
        .iter()
        .flat_map(|&n| (0..6).flat_map(move |_| [("staged-load".into(), n), ("katz-kider".into(), n)]))
        .collect();
    assert_eq!(script.asked, expected);
    assert_eq!(ran.outcome, Outcome::Finished { failed: 0 });
}

#[test]
fn short_samples_are_taken_at_least_three_times_and_long_ones_once() {
    let (ran, _) = run(&table1(&["staged-load", "katz-kider"], &[1024]), |name, _, _| {
        taking(if name == "staged-load" { 4.9 } else { 5.1 })
    });
    assert_eq!((ran.of("staged-load").samples, ran.of("katz-kider").samples), (3, 1));
}

#[test]
fn a_throttled_sample_is_kept_marked_repeated_and_not_used() {
    let (ran, _) = run(&table1(&["staged-load"], &[1024]), |_, _, count| {
        if count == 1 { sampled(9e-2, &["power-cap"]) } else { taking(1e-2) }
    });
    let row = ran.of("staged-load");
    assert_eq!((row.samples, row.median_s, row.ci_high_s), (6, Some(1e-2), Some(1e-2)));
    let throttled: Vec<&SampleRow> =
        ran.samples.iter().filter(|row| row.status == Status::Throttled).collect();
    assert_eq!(throttled.len(), Scope::USUAL.len());
    assert!(throttled.iter().all(|row| row.throttled_by == "power-cap" && row.sample == 1));
}

#[test]
fn a_gpu_that_is_always_throttled_ends_the_cell_without_a_time() {
    let (ran, script) = run(&table1(&["staged-load"], &[1024]), |_, _, _| sampled(1e-2, &["thermal"]));
    assert_eq!(ran.of("staged-load").median_s, None);
    assert_eq!(ran.of("staged-load").status, Status::Throttled);
    assert_eq!(script.asked.len(), 5);
    assert_eq!(ran.outcome, Outcome::Finished { failed: 1 });
}

#[test]
fn a_time_that_beats_the_ceilings_is_shown_and_never_used_and_ends_its_cell() {
    for first_impossible in [0, 2] {
        // 1024³ tasks take at least 1.07e-4 s at 1e13 tasks/s.
        let (ran, _) = run(&table1(&["staged-load", "katz-kider"], &[1024]), |name, _, count| {
            taking(if name == "staged-load" && count >= first_impossible { 1e-5 } else { 1e-3 })
        });
        let row = ran.of("staged-load");
        assert_eq!((row.median_s, row.samples, row.status), (None, 0, Status::Impossible));
        assert!(row.message.contains("measured ceilings"), "{}", row.message);
        let taken = ran.samples.iter().filter(|row| row.implementation == "staged-load");
        assert_eq!(taken.map(|row| row.sample).max(), Some(first_impossible));
        assert_eq!(ran.of("katz-kider").status, Status::Ok);
        assert_eq!(ran.outcome, Outcome::Finished { failed: 1 });
    }
}

#[test]
fn a_cell_that_hangs_fails_or_dies_ends_alone() {
    let ends = [
        Err(Failure::new(FailureCause::TimedOut, "no result after 9 s")),
        Err(Failure::new(FailureCause::Died, "gone")),
        Err(Failure::new(FailureCause::WrongResult, "wrong result: 3 for 4")),
    ];
    for (end, status) in ends.into_iter().zip([Status::Timeout, Status::Failed, Status::Failed]) {
        let mut end = Some(end);
        let (ran, _) = run(&table1(&["staged-load", "katz-kider"], &[512, 1024]), |name, n, _| {
            if (name, n) == ("staged-load", 512) { end.take().unwrap() } else { taking(1e-2) }
        });
        let statuses: Vec<Status> = ran.summary.iter().map(|row| row.status).collect();
        assert_eq!(statuses, [status, Status::Ok, Status::Ok, Status::Ok]);
        assert_eq!(ran.outcome, Outcome::Finished { failed: 1 });
    }
}

#[test]
fn full_leaves_out_what_takes_longer_than_a_minute_and_says_so() {
    let mut script = Script::new(|_, n, _| taking(10.0 * (n as f64 / 8192.0).powi(3)))
        .fresh(|_| counted("kernel", Counts::default()));
    let overrides =
        Overrides { full: true, sizes: None, ..table1(&["harish-narayanan", "staged-load"], &[]) };
    let ran = ran("table1", &overrides, &mut script);
    let skipped = ran.summary.iter().filter(|row| row.status == Status::Skipped);
    let skipped: Vec<(&str, usize)> = skipped.map(|row| (row.implementation.as_str(), row.n)).collect();
    assert_eq!(skipped, [15360, 16384, 17408].map(|n| ("harish-narayanan", n)));
    assert_eq!(ran.outcome, Outcome::Finished { failed: 0 });
    // Two implementations at three small sizes.
    assert_eq!(script.asked_fresh.len(), 6);
}

#[test]
fn a_cell_that_is_known_to_be_long_is_not_warmed_up_for_long() {
    let (_, script) =
        run(&table1(&["staged-load"], &[1024, 8192]), |_, n, _| taking((n as f64 / 1024.0).powi(3) * 0.1));
    assert_eq!(script.warm_ups, [0.1, 0.0]);
}

#[test]
fn progress_counts_what_can_be_run_here_and_nothing_else() {
    let mut script = Script::new(|_, _, _| taking(1.0));
    // Two tiles of 32 a side, and no more may be updated together.
    let overrides = table1(&["generalized-blocked"], &[64]);
    let ran = ran("kappa-sweep", &overrides, &mut script);
    let skipped = ran.summary.iter().filter(|row| row.status == Status::Skipped).count();
    let of = ran.summary.len() - skipped;
    assert!(skipped > 0 && of > 0, "{:?}", ran.progress);
    let counted: Vec<_> =
        ran.progress.iter().map(|(done, of, _)| (*done, *of)).filter(|one| one.1 > 0).collect();
    assert!(counted[0] == (0, of) && counted.iter().all(|one| one.0 <= of && one.1 == of), "{counted:?}");
}

#[test]
fn how_long_the_rest_takes_follows_from_the_rates_of_what_was_measured_and_is_not_known_before() {
    // As fast as each other: 10^12 tasks a second.
    let mut script = Script::new(|_, n, _| taking((n as f64).powi(3) * 1e-12));
    let overrides = table1(&["katz-kider", "staged-load"], &[1024, 10_000]);
    let ran = ran("table1", &overrides, &mut script);
    assert_eq!(ran.progress[0], (0, 0, None));
    let first = ran.progress.iter().find_map(|(_, _, remaining_s)| *remaining_s).unwrap();
    // Two cells of a second a sample, which is taken three times.
    assert!((6.0..7.0).contains(&first), "{:?}", ran.progress);
    let mut known = ran.progress.iter().filter_map(|(_, _, remaining_s)| *remaining_s);
    let last = known.next_back().unwrap();
    assert!(last < 3.0, "{:?}", ran.progress);
}

#[test]
fn cells_that_were_warmed_up_before_the_first_sample_take_no_warm_up_more() {
    let mut script = Script::new(|_, _, _| taking(1e-3));
    script.warm_up_takes = Duration::from_millis(10);
    let overrides = table1(&["generalized-blocked"], &[2048]);
    let ran = ran("kappa-sweep", &overrides, &mut script);
    let known: Vec<f64> = ran.progress.iter().filter_map(|(_, _, remaining_s)| *remaining_s).collect();
    // Some thirty cells are in one group: a third of a second of solves. All warm-ups, for each cell, would be seven seconds.
    assert!(!known.is_empty() && known.iter().all(|seconds| *seconds < 1.0), "{known:?}");
}

/// Wants a CUDA graph, and reads nothing.
struct OfGraph;

impl Clock for OfGraph {
    fn record_point(&mut self, _: TimingPoint, _: &[&dyn Queue]) -> Result<(), DeviceError> {
        Ok(())
    }

    fn wants_graph(&self) -> bool {
        true
    }
}

/// A graph with the emulated device that it is solved on.
struct Given {
    problem: Problem,
    input: HostBuffer,
    devices: [Rc<dyn Device>; 1],
}

impl Given {
    fn new(random: &RandomGraph, n: usize) -> Self {
        let graph = generate::<f32>(random, n).unwrap();
        let mut input = HostBuffer::pageable(n * n * 4).unwrap();
        input.numbers_mut().copy_from_slice(graph.as_slice());
        let problem = Problem::one(n, ElementType::F32, graph.survey().weights.range);
        Self { problem, input, devices: [Rc::new(crate::common::emulated(Instruments::NONE))] }
    }

    fn prepared(&self, implementation: &str, parameters: &Parameters) -> Box<dyn PreparedSolve> {
        find(implementation).unwrap().solver.prepare(&self.problem, &self.devices, parameters).unwrap()
    }

    fn output(&self) -> HostBuffer {
        HostBuffer::pageable(self.problem.matrix_bytes()).unwrap()
    }
}

/// The names of some repeated solves, and the last result.
fn repeated(implementation: &str, n: usize, seed: u64) -> (Vec<u64>, Vec<f32>) {
    let given = Given::new(&RandomGraph { density: 0.1, max_weight: 50, ..RandomGraph::complete(seed) }, n);
    let (mut prepared, mut output) = (given.prepared(implementation, &Parameters::default()), given.output());
    prepared.run(&given.input, &mut output, &mut NoClock).unwrap();
    prepared.collect().unwrap();
    let once = output.numbers::<f32>().to_vec();
    let mut repeating = prepared.repeating(&given.input).unwrap().unwrap();
    repeating.queue(2).unwrap();
    let mut names = repeating.result_digests().unwrap();
    repeating.queue(1).unwrap();
    names.extend(repeating.result_digests().unwrap());
    output.numbers_mut::<f32>().fill(-1.0);
    repeating.download(&mut output).unwrap();
    assert_eq!(output.numbers::<f32>(), once);
    (names, once)
}

fn one_graph_has_one_name_and_another_another(implementation: &str, n: usize) {
    let (names, first) = repeated(implementation, n, 1);
    assert_eq!(names, [names[0]; 3], "{implementation}");
    let (others, second) = repeated(implementation, n, 2);
    assert_ne!(first, second);
    assert_ne!(names[0], others[0], "{implementation}");
}

#[test]
fn repeated_solves_of_one_graph_have_one_name_and_other_results_another() {
    // In a layout of its own, and on plain rows.
    one_graph_has_one_name_and_another_another("staged-load", 33);
    one_graph_has_one_name_and_another_another("harish-narayanan", 33);
}

mod long {
    #[test]
    #[ignore = "long"]
    fn repeated_solves_in_place_with_a_pitch_have_one_name_too() {
        super::one_graph_has_one_name_and_another_another("register-blocked", 65);
    }
}

/// As explicit synchronization is: a graph would leave it out.
#[test]
fn a_solve_with_waits_of_the_host_is_right_and_is_never_made_a_graph() {
    let given = Given::new(&RandomGraph::complete(7), 33);
    let known = find("global-memory").unwrap();
    let solve = |every: u32, clock: &mut dyn Clock| {
        let mut prepared = given.prepared("global-memory", &Parameters::from([("synchronize", every)]));
        let mut output = given.output();
        prepared.run(&given.input, &mut output, clock)?;
        prepared.collect()?;
        let repeats = prepared.repeating(&given.input)?.is_some();
        Ok::<_, DeviceError>((output.numbers::<f32>().to_vec(), repeats))
    };
    let (never, repeats) = solve(0, &mut OfGraph).unwrap();
    assert!(repeats);
    for every in [1, 5] {
        assert_eq!(solve(every, &mut NoClock).unwrap(), (never.clone(), false));
        let refused = solve(every, &mut OfGraph).unwrap_err();
        assert!(refused.message.contains("holds no waits"), "{refused}");
        assert!(refused.message.contains("choose parameters by which it does not wait"), "{refused}");
    }
    let scopes = |every| known.capabilities(&Parameters::from([("synchronize", every)])).scopes;
    assert!(scopes(0).contains(&Scope::CudaGraph));
    assert!(!scopes(1).contains(&Scope::CudaGraph));
    assert!(scopes(1).contains(&Scope::HostUnsynced));
}
