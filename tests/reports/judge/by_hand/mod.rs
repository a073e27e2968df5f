//! Comparisons whose figures can be worked out by hand: claims of a paper made up for them, over committed runs with seconds made up for
//! them. Each step from a sample to a verdict is held here by a number.
mod figures;
mod needs;

use super::{edited, judged_of, open};
use repro::judge::{ClaimResult, MissingReason, NoVerdictReason};
use repro::published::PublishedPaper;
use repro::results::StoredRun;
use repro::store::SampleRow;
use repro::timing::{Estimate, Scope, assumed_noise};

/// What becomes of a claim with these lines, such as its number, and these tests.
fn judged_as(runs: &[&StoredRun], lines: &str, tests: &str) -> ClaimResult {
    let paper = "id = \"p\"\ntitle = \"T\"\nauthors = \"A\"\nreference = \"R\"\ngpu = \"Some GPU\"";
    let claim = "id = \"c\"\nkind = \"trend\"\nevidence = \"order\"\nstatement = \"S\"\nplace = \"P\"";
    let claims = format!("[[claims]]\n{claim}\nrun = \"table1\"\n{lines}\ntests = [{tests}]\n");
    let paper = PublishedPaper::parse("p", paper, &claims).unwrap();
    judged_of(&[paper], runs).remove(0).results.remove(0)
}

/// What becomes of a claim of this test alone.
fn judged_by(run: &StoredRun, test: &str) -> ClaimResult {
    judged_as(&[run], "", &format!("{{ {test} }}"))
}

/// A test of this figure of a contender at these n, without what it accepts.
fn value(figure: &str, of: &str, sizes: &str) -> String {
    format!("figure = \"{figure}\", relation = \"value\", series = [\"{of}\"], sizes = [{sizes}]")
}

/// How many comparisons there are of a claim without a verdict, of how many, and why the first ones are missing.
fn unmet(result: &ClaimResult) -> (usize, usize, Vec<MissingReason>) {
    let Some(NoVerdictReason::Needs { met, of, gaps, .. }) = &result.lack else { panic!("{result:?}") };
    (*met, *of, gaps.iter().map(|gap| gap.why).collect())
}

/// A committed run with other seconds, by what its samples are of.
fn timed(run: &str, seconds: impl Fn(&SampleRow) -> f64) -> StoredRun {
    edited(&open(run), |row| {
        let made_up = seconds(row);
        row.seconds = row.seconds.map(|_| made_up);
        true
    })
}

/// By how much the noise of a GPU widens either end of the seconds of a cell with n vertices, and of a ratio of two.
fn of_one(n: usize) -> f64 {
    1.0 + assumed_noise(true, n).1 / 2.0
}

fn of_two(n: usize) -> f64 {
    of_one(n).powi(2)
}

/// Seconds by the clock of the kernels, the same at every n but for Katz & Kider; with copies three times as many.
fn seconds(row: &SampleRow) -> f64 {
    let kernel = match row.implementation.as_str() {
        "staged-load" => 1.0,
        "katz-kider" => 2.0 * row.n as f64 / 1024.0,
        "optimized-blocked" => 3.8,
        // A ratio of which what rounds to 2.1 allows just so much at this n.
        _ => 2.07 * of_two(4096),
    };
    if row.scope == Scope::Total { 3.0 * kernel } else { kernel }
}

/// That a figure has this value, and an interval that is wider by a factor on both sides.
#[track_caller]
fn assert_within(found: Estimate, value: f64, factor: f64) {
    assert_close(found, value, value / factor, value * factor);
}

#[track_caller]
fn assert_close(found: Estimate, value: f64, low: f64, high: f64) {
    for (found, expected) in [(found.value, value), (found.low, low), (found.high, high)] {
        assert!(
            (found / expected - 1.0).abs() < 1e-9,
            "{found} is not {expected} of {value} from {low} to {high}"
        );
    }
}

/// The comparisons of a claim that a test with these words makes, which allows anything.
fn figures(run: &StoredRun, test: &str) -> Vec<Estimate> {
    let result = judged_by(run, &format!("{test}, at_least = 0"));
    assert!(result.lack.is_none(), "{test}: {result:?}");
    result.points.iter().map(|point| point.measured).collect()
}

fn values(run: &StoredRun, test: &str) -> Vec<f64> {
    figures(run, test).iter().map(|one| (one.value * 1e6).round() / 1e6).collect()
}

/// A run as if on another GPU.
fn on_card(mut run: StoredRun, uuid: &str) -> StoredRun {
    run.manifest.environment.as_mut().unwrap().device.as_mut().unwrap().info.uuid = uuid.to_string();
    run
}

/// A run as if in another folder, of another time, and where one is named of another build.
fn again(run: &StoredRun, name: &str, commit: Option<&str>) -> StoredRun {
    let mut run = run.clone();
    run.folder = run.folder.with_file_name(name);
    run.manifest.started = format!("2031-01-01T00:00:00Z{name}");
    run.manifest.build.commit = commit.map_or(run.manifest.build.commit, String::from);
    run
}

/// What many tests compare.
const PAIR: &str = "pairs = [[\"staged-load\", \"katz-kider\"]]";

/// A claim of two comparisons that may be exceeded.
const FLOOR: (&str, &str) = (
    "value = 4\nbound = \"floor\"\nunit = \"times\"",
    "{ pairs = [[\"staged-load\", \"katz-kider\"]], sizes = [1024, 2048] }",
);
