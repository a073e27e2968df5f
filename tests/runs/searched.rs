//! A search for parameters on a GPU that a script stands for: times decide, failures do not, and a stopped search goes on.

use crate::common::script::{Script, taking};
use repro::device::Selection;
use repro::graph::ElementType;
use repro::implementation::{Parameters, find};
use repro::measure::this_build;
use repro::measure::{Answer, Executor, Failure, FailureCause, NoReply, Observer, Outcome, Request, Runner};
use repro::plan::CostKind;
use repro::results::StoredRun;
use repro::store::Journal;
use repro::store::Manifest;
use repro::tuning::{Axes, Budget, Measured, Tuner, experiment, tried, tuned_by};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const NAME: &str = "generalized-blocked";

/// A GPU on which a solve takes what its parameters say; None where it fails.
struct Gpu<'a> {
    others: Script<'static>,
    seconds: &'a dyn Fn(&Parameters) -> Option<f64>,
    /// So many samples until the user stops the run.
    samples_left: usize,
    interrupted: &'a AtomicBool,
    sampled: usize,
}

impl Executor for Gpu<'_> {
    fn ask(&mut self, request: &Request, limit: Duration) -> Answer {
        let Request::Sample { variant, .. } = request else { return self.others.ask(request, limit) };
        if self.samples_left == 0 {
            self.interrupted.store(true, Ordering::Relaxed);
            return Err(NoReply::Interrupted);
        }
        self.samples_left -= 1;
        self.sampled += 1;
        match (self.seconds)(&variant.parameters) {
            Some(seconds) => taking(seconds),
            None => Err(NoReply::Refused(Failure::new(FailureCause::Other, "wrong at (3, 4)"))),
        }
    }
}

struct Nobody;

impl Observer for Nobody {
    fn note(&mut self, _: &str) {}
    fn progress(&mut self, _: &str, _: usize, _: usize, _: Option<f64>) {}
}

/// Searches in `folder`, or goes on there. Tells how it ended and how many samples were taken.
fn search(
    folder: &Path,
    budget: Budget,
    samples: usize,
    seconds: &dyn Fn(&Parameters) -> Option<f64>,
) -> (Outcome, usize) {
    let implementation = find(NAME).unwrap();
    let axes = Axes::of(&implementation);
    let mut journal = if folder.exists() {
        Journal::resume(folder).unwrap()
    } else {
        let measured = Measured { n: 1024, element: ElementType::F32, device: Selection::Auto };
        let asked = experiment(&implementation, &axes, measured, budget).unwrap();
        Journal::create(folder, Manifest::new(this_build(), asked, Vec::new(), String::new())).unwrap()
    };
    let interrupted = AtomicBool::new(false);
    let others = Script::new(|_, _, _| taking(1.0));
    let mut gpu = Gpu { others, seconds, samples_left: samples, interrupted: &interrupted, sampled: 0 };
    let mut nobody = Nobody;
    let runner = Runner::new(&mut gpu, &mut journal, &mut nobody, &interrupted);
    let ended = Tuner { runner, implementation: &implementation, axes: &axes }.run().unwrap();
    (ended, gpu.sampled)
}

/// Fastest with tiles of 16 and kappa 6; tiles of 8 fail.
fn seconds(parameters: &Parameters) -> Option<f64> {
    let of = |name: &str, default: u32| {
        f64::from(parameters.iter().find(|(known, _)| *known == name).map_or(default, |(_, value)| value))
    };
    let tile = of("tile", 32);
    (tile > 8.0).then_some(1.0 + tile / 16.0 + (of("kappa", 1) - 6.0).abs())
}

fn points(folder: &Path) -> Vec<(String, Option<f64>)> {
    let run = StoredRun::open_measurement(folder).unwrap();
    tried(&run)
        .into_iter()
        .map(|point| (point.parameters.to_string(), point.cost.ok().map(|cost| cost.value)))
        .collect()
}

const BUDGET: Budget = Budget { seed: 11, points: Some(40), seconds: None };

#[test]
fn the_fastest_right_point_is_found_kept_and_taken_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let (ended, _) = search(&out, BUDGET, usize::MAX, &seconds);
    let points = points(&out);
    assert_eq!((points.len(), &points[0]), (40, &(String::new(), Some(8.0))));
    let failed = points.iter().filter(|(_, cost)| cost.is_none()).count();
    assert_eq!(ended, Outcome::Finished { failed });
    assert!(points.iter().all(|(name, cost)| cost.is_none() == name.contains("tile=8")), "{points:?}");
    let run = StoredRun::open_measurement(&out).unwrap();
    let best = run.manifest.experiment.search.clone().unwrap().best.unwrap();
    assert_eq!((best.cost, best.by), (2.0, CostKind::Seconds));
    let text = best.parameters.to_string();
    assert!(text.contains("kappa=6") && text.contains("tile=16"), "{text}");
    assert_eq!(tuned_by(&run).unwrap().model, "GPU");
}

#[test]
fn a_search_stopped_at_any_sample_goes_on_to_the_same_points_and_measures_none_twice() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let budget = Budget { points: Some(12), ..BUDGET };
    let (_, samples) = search(&whole, budget, usize::MAX, &seconds);
    let out = folder.path().join("stopped");
    let mut taken = 0;
    for stop_after in [0, 1, 7, 13, usize::MAX] {
        let (ended, sampled) = search(&out, budget, stop_after, &seconds);
        assert_eq!(ended == Outcome::Interrupted, stop_after != usize::MAX);
        taken += sampled;
    }
    assert_eq!(points(&out), points(&whole));
    assert_eq!(taken, samples);
    // Once it has ended, nothing more is asked for.
    assert_eq!(search(&out, budget, 0, &seconds).1, 0);
}

#[test]
fn no_point_is_begun_after_the_limit_of_seconds_and_where_all_fail_there_is_no_best() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let slow = |_: &Parameters| {
        std::thread::sleep(Duration::from_millis(20));
        None
    };
    search(&out, Budget { seed: 1, points: None, seconds: Some(0.05) }, usize::MAX, &slow);
    let points = points(&out);
    assert!((1..=3).contains(&points.len()), "{points:?}");
    let run = StoredRun::open(&out).unwrap();
    let search = run.manifest.experiment.search.clone().unwrap();
    assert!(search.ended && search.spent_s >= 0.05 && search.best.is_none(), "{search:?}");
    assert!(tuned_by(&run).unwrap_err().contains("no point of this search was right"));
    let reason = tried(&run)[0].cost.clone().unwrap_err();
    assert!(reason.contains("failed: wrong at (3, 4)"), "{reason}");
}
