//! What the runner asks for, in which order, and what it makes of the answers: with a worker that measures nothing.

use repro::device::Selection;
use repro::device::telemetry::Telemetry;
use repro::experiment::{
    Answer, Executor, Experiment, Failure, FailureCause, Journal, Observer, Opened, Outcome, Overrides,
    Reply, Request, Runner, Sampled, load_experiment, resolve,
};
use repro::record::{
    Build, DeviceRecord, Environment, HostInfo, Manifest, SCHEMA_VERSION, SampleRow, Status, SummaryRow,
};
use repro::timing::{Ceilings, DeviceCeilings, Scope, Seconds};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Answers every sample with what `sample` says of its implementation, n and number.
struct Script<F: FnMut(&str, usize, usize) -> Answer> {
    sample: F,
    n: usize,
    asked: Vec<(String, usize)>,
    warm_ups: Vec<f64>,
}

impl<F: FnMut(&str, usize, usize) -> Answer> Executor for Script<F> {
    fn ask(&mut self, request: &Request, _: Duration) -> Answer {
        match request {
            Request::Open { .. } => {
                Answer::Reply(Reply::Opened(Box::new(Opened { environment: environment() })))
            }
            Request::MeasureCeilings => Answer::Reply(Reply::Ceilings(Ceilings {
                device: Some(DeviceCeilings { copy_gbs: 4000.0, copy_bytes: 1, add_min_tasks_per_s: 1e13 }),
                ..Ceilings::default()
            })),
            Request::LoadGraph { n, .. } => {
                self.n = *n;
                Answer::Reply(Reply::GraphReady)
            }
            Request::Prepare { warm_up_s, .. } => {
                self.warm_ups.push(*warm_up_s);
                Answer::Reply(Reply::Prepared)
            }
            Request::Sample { variant, .. } => {
                let name = &variant.implementation;
                let of_cell = |(known, n): &&(String, usize)| known == name && *n == self.n;
                let count = self.asked.iter().filter(of_cell).count();
                self.asked.push((name.clone(), self.n));
                (self.sample)(name, self.n, count)
            }
            Request::TimeKernels { .. } | Request::FirstRun { .. } | Request::CountBeside { .. } => {
                Answer::Died("nobody asked for these clocks".to_string())
            }
            Request::Check { .. } | Request::Count { .. } => {
                Answer::Died("nothing here is emulated".to_string())
            }
        }
    }
}

struct Silent;

impl Observer for Silent {
    fn note(&mut self, _: &str) {}
    fn progress(&mut self, _: &str, _: usize, _: usize, _: Option<f64>) {}
}

fn environment() -> Environment {
    let info = serde_json::json!({
        "ordinal": 0, "name": "GPU", "uuid": "GPU-1", "compute_capability": [9, 0], "multiprocessors": 132,
        "memory_bytes": 1, "l2_bytes": 1, "shared_bytes_per_multiprocessor": 1,
        "registers_per_multiprocessor": 1, "threads_per_multiprocessor": 2048, "clock_mhz": 1980,
        "driver_cuda": "13.0",
    });
    Environment {
        host: HostInfo::capture(),
        device: Some(DeviceRecord {
            info: serde_json::from_value(info).unwrap(),
            driver: None,
            compiler: None,
            compiler_problem: None,
            telemetry_problem: None,
        }),
        device_problem: None,
        implementations: Vec::new(),
        ceilings: Ceilings::default(),
    }
}

fn taking(seconds: f64) -> Answer {
    sampled(seconds, &[])
}

fn sampled(seconds: f64, throttled_by: &[&str]) -> Answer {
    let throttled_by = throttled_by.iter().map(ToString::to_string).collect();
    Answer::Reply(Reply::Sampled(Box::new(Sampled {
        seconds: Seconds::same(seconds),
        verification: "exact".into(),
        digest: "d".into(),
        telemetry: Some(Telemetry { throttled_by, ..Telemetry::default() }),
    })))
}

struct Ran {
    outcome: Outcome,
    samples: Vec<SampleRow>,
    summary: Vec<SummaryRow>,
    asked: Vec<(String, usize)>,
    warm_ups: Vec<f64>,
}

impl Ran {
    fn of(&self, name: &str) -> &SummaryRow {
        self.summary.iter().find(|row| row.implementation == name).unwrap()
    }
}

fn table1(only: &[&str], sizes: &[usize]) -> Overrides {
    Overrides {
        only: Some(only.iter().map(ToString::to_string).collect()),
        sizes: Some(sizes.to_vec()),
        ..Overrides::default()
    }
}

fn run(overrides: &Overrides, sample: impl FnMut(&str, usize, usize) -> Answer) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let experiment: Experiment =
        resolve(&load_experiment("table1").unwrap(), overrides, Selection::Auto).unwrap();
    let manifest = Manifest {
        schema_version: SCHEMA_VERSION,
        experiment,
        command_line: Vec::new(),
        started: String::new(),
        resumed: Vec::new(),
        finished: None,
        build: Build::current(),
        environment: None,
    };
    let mut journal = Journal::create(&folder.path().join("run"), manifest).unwrap();
    let mut script = Script { sample, n: 0, asked: Vec::new(), warm_ups: Vec::new() };
    let interrupted = AtomicBool::new(false);
    let runner = Runner {
        executor: &mut script,
        journal: &mut journal,
        observer: &mut Silent,
        interrupted: &interrupted,
    };
    let outcome = runner.run().unwrap();
    let samples = journal.samples().to_vec();
    let cells = repro::experiment::cells(journal.manifest());
    let summary = journal.summary(&cells);
    Ran { outcome, samples, summary, asked: script.asked, warm_ups: script.warm_ups }
}

#[test]
fn samples_of_implementations_alternate_and_smaller_graphs_come_first() {
    let ran = run(&table1(&["staged-load", "katz-kider"], &[2048, 1024]), |_, n, _| taking(n as f64 * 1e-5));
    let expected: Vec<(String, usize)> = [1024, 2048]
        .iter()
        .flat_map(|&n| (0..6).flat_map(move |_| [("staged-load".into(), n), ("katz-kider".into(), n)]))
        .collect();
    assert_eq!(ran.asked, expected);
    assert_eq!(ran.outcome, Outcome::Finished { failed: 0 });
}

#[test]
fn short_samples_are_taken_at_least_three_times_and_long_ones_once() {
    let ran = run(&table1(&["staged-load", "katz-kider"], &[1024]), |name, _, _| {
        taking(if name == "staged-load" { 4.9 } else { 5.1 })
    });
    assert_eq!((ran.of("staged-load").samples, ran.of("katz-kider").samples), (3, 1));
}

#[test]
fn a_throttled_sample_is_kept_marked_repeated_and_not_used() {
    let ran = run(&table1(&["staged-load"], &[1024]), |_, _, count| {
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
    let ran = run(&table1(&["staged-load"], &[1024]), |_, _, _| sampled(1e-2, &["thermal"]));
    assert_eq!(ran.of("staged-load").median_s, None);
    assert_eq!(ran.of("staged-load").status, Status::Throttled);
    assert_eq!(ran.asked.len(), 5);
    assert_eq!(ran.outcome, Outcome::Finished { failed: 1 });
}

#[test]
fn a_time_that_beats_the_ceilings_is_shown_and_never_used() {
    // 1024³ tasks take at least 1.07e-4 s at 1e13 tasks/s.
    let ran = run(&table1(&["staged-load", "katz-kider"], &[1024]), |name, _, _| {
        taking(if name == "staged-load" { 1e-5 } else { 1e-3 })
    });
    let row = ran.of("staged-load");
    assert_eq!((row.median_s, row.status), (None, Status::Impossible));
    assert!(row.message.contains("measured ceilings"), "{}", row.message);
    assert_eq!(ran.of("katz-kider").status, Status::Ok);
    assert_eq!(ran.outcome, Outcome::Finished { failed: 1 });
}

#[test]
fn a_cell_that_hangs_fails_or_dies_ends_alone() {
    let ends = [
        Answer::TimedOut,
        Answer::Died("gone".into()),
        Answer::Reply(Reply::Failed(Failure::new(FailureCause::WrongResult, "wrong result: 3 for 4"))),
    ];
    for (end, status) in ends.into_iter().zip([Status::Timeout, Status::Failed, Status::Failed]) {
        let mut end = Some(end);
        let ran = run(&table1(&["staged-load", "katz-kider"], &[512, 1024]), |name, n, _| {
            if (name, n) == ("staged-load", 512) { end.take().unwrap() } else { taking(1e-2) }
        });
        let statuses: Vec<Status> = ran.summary.iter().map(|row| row.status).collect();
        assert_eq!(statuses, [status, Status::Ok, Status::Ok, Status::Ok]);
        assert_eq!(ran.outcome, Outcome::Finished { failed: 1 });
    }
}

#[test]
fn full_leaves_out_what_takes_longer_than_a_minute_and_says_so() {
    let only = Some(vec!["harish-narayanan".to_string(), "staged-load".to_string()]);
    let ran = run(&Overrides { only, full: true, ..Overrides::default() }, |_, n, _| {
        taking(10.0 * (n as f64 / 8192.0).powi(3))
    });
    let skipped: Vec<(&str, usize)> = ran
        .summary
        .iter()
        .filter(|row| row.status == Status::Skipped)
        .map(|row| (row.implementation.as_str(), row.n))
        .collect();
    assert_eq!(
        skipped,
        [("harish-narayanan", 15360), ("harish-narayanan", 16384), ("harish-narayanan", 17408)]
    );
    assert_eq!(ran.outcome, Outcome::Finished { failed: 0 });
}

#[test]
fn a_cell_that_is_known_to_be_long_is_not_warmed_up_for_long() {
    let ran =
        run(&table1(&["staged-load"], &[1024, 8192]), |_, n, _| taking((n as f64 / 1024.0).powi(3) * 0.1));
    assert_eq!(ran.warm_ups, [0.1, 0.0]);
}
