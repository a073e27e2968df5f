//! A worker that measures nothing, and runs of experiments that it works for.

use repro::device::Selection;
use repro::device::emulated::Counts;
use repro::device::telemetry::Telemetry;
use repro::measure::this_build;
use repro::measure::{
    Answer, CountReply, Executor, Failure, FailureCause, Observer, OpenReply, Outcome, Reply, Request,
    ResultProof, Runner, SampleReply, WorkerInfo,
};
use repro::plan::{Experiment, Overrides, Variant, load_experiment, resolve};
use repro::results::{SummaryRow, fixtures};
use repro::store::Journal;
use repro::store::{Environment, Manifest, SampleRow, Verification};
use repro::timing::{Ceilings, DeviceCeilings, Seconds};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// An answer that is made anew each time.
pub type AnswerFn = fn() -> Answer;
type OfSample<'a> = dyn FnMut(&str, usize, usize) -> Answer + 'a;

/// What a fresh process answers to all that it is asked.
type FreshAnswer<'a> = dyn FnMut(&[Request]) -> Answer + 'a;

/// What is answered, and what was asked.
pub struct Script<'a> {
    /// To a sample, from its implementation, n and number.
    sample: Box<OfSample<'a>>,
    /// To a variant whose kernels are to be timed.
    time_kernels: Box<dyn FnMut(&Variant) -> Answer + 'a>,
    /// To a variant whose solve is to be repeated.
    repeat: Box<dyn FnMut(&Variant) -> Answer + 'a>,
    /// To whatever is asked of a fresh worker.
    fresh: Box<FreshAnswer<'a>>,
    n: usize,
    pub asked: Vec<(String, usize)>,
    pub warm_ups: Vec<f64>,
    pub timed: Vec<Variant>,
    pub asked_fresh: Vec<Vec<Request>>,
    /// What others use of the host before each cell.
    pub load_before: Option<f64>,
    /// How long each cell's warm-up takes.
    pub warm_up_takes: Duration,
}

fn unasked(what: &str) -> Answer {
    Err(Failure::new(FailureCause::Died, format!("nobody asked for {what}")))
}

impl<'a> Script<'a> {
    pub fn new(sample: impl FnMut(&str, usize, usize) -> Answer + 'a) -> Self {
        Self {
            sample: Box::new(sample),
            time_kernels: Box::new(|_| unasked("the times of kernels")),
            repeat: Box::new(|_| unasked("repeated solves")),
            fresh: Box::new(|_| unasked("a fresh worker")),
            n: 0,
            asked: Vec::new(),
            warm_ups: Vec::new(),
            timed: Vec::new(),
            asked_fresh: Vec::new(),
            load_before: None,
            warm_up_takes: Duration::ZERO,
        }
    }

    pub fn timing_kernels(self, answer: impl FnMut(&Variant) -> Answer + 'a) -> Self {
        Self { time_kernels: Box::new(answer), ..self }
    }

    pub fn repeating(self, answer: impl FnMut(&Variant) -> Answer + 'a) -> Self {
        Self { repeat: Box::new(answer), ..self }
    }

    pub fn fresh(self, answer: impl FnMut(&[Request]) -> Answer + 'a) -> Self {
        Self { fresh: Box::new(answer), ..self }
    }
}

impl Executor for Script<'_> {
    fn ask(&mut self, request: &Request, _: Duration) -> Answer {
        match request {
            Request::Introduce { .. } => {
                let introduced = WorkerInfo { build: this_build(), unknown: Vec::new() };
                Ok(Reply::Introduced(introduced))
            }
            Request::Open(_) => {
                Ok(Reply::Opened(Box::new(OpenReply { environment: environment(), unusable: None })))
            }
            Request::MeasureCeilings { .. } => Ok(Reply::Ceilings(Ceilings {
                device: Some(DeviceCeilings {
                    copy_gbs: 4000.0,
                    copy_bytes: 1,
                    add_min_tasks_per_s: 1e13,
                    ..DeviceCeilings::default()
                }),
                cpu_core_tasks_per_s: Some(4e10),
                cpu_tasks_per_s: Some(4e11),
                ..Ceilings::default()
            })),
            Request::LoadGraph(graph) => {
                self.n = graph.n;
                Ok(Reply::GraphReady)
            }
            Request::Prepare { warm_up_s, .. } => {
                self.warm_ups.push(*warm_up_s);
                std::thread::sleep(self.warm_up_takes);
                Ok(Reply::Prepared { others_load: self.load_before, transport: None })
            }
            Request::Sample { variant, .. } => {
                let name = variant.implementation.name();
                let of_cell = |(known, n): &&(String, usize)| known == name && *n == self.n;
                let count = self.asked.iter().filter(of_cell).count();
                self.asked.push((name.to_string(), self.n));
                (self.sample)(name, self.n, count)
            }
            Request::TimeKernels { variant, .. } => {
                self.timed.push(variant.clone());
                (self.time_kernels)(variant)
            }
            Request::Register { .. } | Request::StoreDistances { .. } | Request::Leave => Ok(Reply::Right),
            Request::Repeat { variant, .. } => (self.repeat)(variant),
            Request::FirstRun { .. } | Request::Check { .. } | Request::Count { .. } => {
                unasked("that, but of a fresh worker")
            }
        }
    }

    fn ask_fresh(&mut self, requests: &[Request], _: Duration) -> Answer {
        self.asked_fresh.push(requests.to_vec());
        (self.fresh)(requests)
    }
}

impl Observer for Ran {
    fn note(&mut self, line: &str) {
        self.notes.push(line.to_string());
    }

    fn progress(&mut self, _: &str, done: usize, of: usize, remaining_s: Option<f64>) {
        self.progress.push((done, of, remaining_s));
    }
}

/// A worker that answers so.
pub struct Answerer<F>(pub F);

impl<F: FnMut(&Request) -> Answer> Executor for Answerer<F> {
    fn ask(&mut self, request: &Request, _: Duration) -> Answer {
        (self.0)(request)
    }
}

/// A machine with one GPU.
pub fn environment() -> Environment {
    fixtures::environment(1)
}

pub fn taking(seconds: f64) -> Answer {
    sampled(seconds, &[])
}

pub fn sampled(seconds: f64, throttled_by: &[&str]) -> Answer {
    let throttled_by = throttled_by.iter().map(ToString::to_string).collect();
    answer_of(Seconds::same(seconds), Telemetry { throttled_by, ..Telemetry::default() })
}

/// What a fresh worker answers that counts on the emulated device: a right result of a kernel with these counts.
pub fn counted(kernel: &str, counts: Counts) -> Answer {
    Ok(Reply::Counted(Box::new(CountReply {
        kernels: vec![(kernel.to_string(), counts)],
        result: ResultProof { verification: Verification::EXACT, digest: "d".repeat(32) },
        ..CountReply::default()
    })))
}

/// A right result under these clocks.
pub fn answer_of(seconds: Seconds, telemetry: Telemetry) -> Answer {
    let result = ResultProof { verification: Verification::EXACT, digest: "d".repeat(32) };
    let sampled = SampleReply { seconds, result, telemetry: Some(telemetry), ..SampleReply::default() };
    Ok(Reply::Sampled(Box::new(sampled)))
}

pub struct Ran {
    pub outcome: Outcome,
    pub samples: Vec<SampleRow>,
    pub summary: Vec<SummaryRow>,
    /// What the user was told, line by line.
    pub notes: Vec<String>,
    /// How many cells were done, and how many seconds the rest was to take, whenever that was shown.
    pub progress: Vec<(usize, usize, Option<f64>)>,
}

impl Ran {
    pub fn of(&self, name: &str) -> &SummaryRow {
        self.summary.iter().find(|row| row.implementation == name).unwrap()
    }
}

/// Runs the experiment in `folder`, or resumes what is there.
pub fn run_in(folder: &Path, experiment: &str, overrides: &Overrides, script: &mut Script) -> Ran {
    if folder.exists() {
        return run_journal(Journal::resume(folder).unwrap(), script);
    }
    let file = load_experiment(experiment).unwrap();
    run_journal(created(folder, resolve(&file, overrides, Selection::Auto).unwrap()), script)
}

/// A run that begins in `folder`.
pub fn created(folder: &Path, experiment: Experiment) -> Journal {
    let manifest = Manifest::new(this_build(), experiment, Vec::new(), String::new());
    Journal::create(folder, manifest).unwrap()
}

/// Runs what a journal lacks.
pub fn run_journal(mut journal: Journal, executor: &mut dyn Executor) -> Ran {
    let (samples, summary, notes, progress) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut ran = Ran { outcome: Outcome::Finished { failed: 0 }, samples, summary, notes, progress };
    let outcome = Runner::new(executor, &mut journal, &mut ran, &AtomicBool::new(false)).run().unwrap();
    let summary = repro::results::StoredRun::of(&journal).results.summary;
    Ran { outcome, samples: journal.samples().to_vec(), summary, ..ran }
}
