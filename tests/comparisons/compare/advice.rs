//! What a comparison advises where cells are NOISY: each is done here, and the cells are decided then.

use super::of;
use crate::common::stored::{copy, edit_manifest, edit_rows, reference};
use crate::common::{repro, stderr, stdout};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use repro::regression::output::terminal;
use repro::regression::{Comparison, Ending, LEAST_RUNS, MachineNoise, Options, compare};
use repro::report::text::percent;
use repro::results::StoredRun;
use repro::store::SampleRow;
use repro::timing::Scope;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// Copies of a committed run of Table 1 on a GPU, every cell of which has five samples: `base`, `new`, and in `results` more runs of the
/// build of `base`, of which some are a little slower as a whole.
struct History {
    folder: TempDir,
}

impl History {
    fn of(runs: usize) -> Self {
        let history = Self { folder: tempfile::tempdir().unwrap() };
        for run in ["base".to_string(), "new".to_string()].into_iter().chain((1..runs).map(name)) {
            history.add(&run);
        }
        history
    }

    fn add(&self, run: &str) {
        let folder = self.folder.path().join(run);
        copy("h100/table1", &folder);
        // Of larger ones a budget of seconds leaves too few samples.
        edit_rows(&folder.join("samples.csv"), |row| {
            !row.get("implementation").starts_with("cpu-") && row.n() <= 5120
        });
        edit_manifest(&folder, |manifest| {
            let columns = manifest["experiment"]["columns"].as_array_mut().unwrap();
            columns.retain(|column| !column["implementation"].as_str().unwrap().starts_with("cpu-"));
            manifest["started"] = json!(format!("2026-11-21T05:00:00Z {run}"));
            if run == "new" {
                manifest["build"]["commit"] = json!("b".repeat(40));
            }
        });
        let slow = if run.ends_with('2') { 1.002 } else { 1.0 };
        self.scale(run, slow, |_, _| true);
    }

    /// Multiplies the seconds of some cells of a run.
    fn scale(&self, run: &str, factor: f64, is_scaled: impl Fn(&str, usize) -> bool) {
        edit_rows(&self.folder.path().join(run).join("samples.csv"), |row| {
            if is_scaled(row.get("implementation"), row.n()) {
                row.scale(factor);
            }
            true
        });
    }

    fn compare(&self, arguments: &[&str]) -> Output {
        let mut command = repro();
        command.current_dir(self.folder.path()).args(["compare", "base", "new"]).args(arguments);
        command.output().unwrap()
    }
}

fn name(run: usize) -> String {
    Path::new("results").join(format!("run-{run}")).display().to_string()
}

#[test]
fn where_few_runs_are_known_as_many_more_as_are_asked_for_decide_or_the_threshold_that_is_named() {
    let history = History::of(2);
    let output = history.compare(&[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(3), "{text}{}", stderr(&output));
    let advice = "GPU cells, n above 2048: two runs of one build are taken to lie up to 12% apart, with 2 of the 5 runs of the baseline's that would tell in --results: run the baseline 3 times more into it, or measure both builds in turn with repro track, or --threshold 12 asks for larger changes alone.";
    assert!(text.contains(advice), "{text}");
    let asked = history.compare(&["--threshold", "12"]);
    assert_eq!(asked.status.code(), Some(0), "{}", stdout(&asked));
    (2..LEAST_RUNS).for_each(|run| history.add(&name(run)));
    let output = history.compare(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).starts_with("Nothing became slower: "), "{}", stdout(&output));
    // Now three percent are found, which nobody could have told before.
    history.scale("new", 1.03, |_, _| true);
    assert_eq!(history.compare(&[]).status.code(), Some(1));
    let run_4 = history.folder.path().join(name(4));
    edit_manifest(&run_4, |manifest| manifest["build"]["dirty"] = json!(true));
    assert_eq!(
        history.compare(&[]).status.code(),
        Some(3),
        "of a build with uncommitted changes nothing is known"
    );
}

#[test]
fn copies_are_no_other_runs_and_other_kernels_are_no_runs_of_one_build() {
    let history = History::of(LEAST_RUNS);
    assert_eq!(history.compare(&[]).status.code(), Some(0));
    for change in [
        (|manifest: &mut Value| manifest["started"] = json!("2026-11-21T05:00:00Z base")) as fn(&mut Value),
        |manifest| {
            for one in manifest["environment"]["implementations"].as_array_mut().unwrap() {
                one["source_hash"] = json!("0");
            }
        },
    ] {
        let history = History::of(LEAST_RUNS);
        edit_manifest(&history.folder.path().join(name(1)), change);
        let output = history.compare(&[]);
        assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
        assert!(stdout(&output).contains("1 time more"), "{}", stdout(&output));
    }
}

#[test]
fn another_driver_takes_no_turns() {
    let history = History::of(2);
    edit_manifest(&history.folder.path().join("new"), |manifest| {
        manifest["environment"]["device"]["driver"] = json!("600.1");
    });
    let text = stdout(&history.compare(&["--across", "driver"]));
    assert!(text.contains("more into it, or --threshold 12") && !text.contains("repro track"), "{text}");
}

#[test]
fn a_cell_of_few_samples_is_noisy_openly_and_five_decide_it() {
    let history = History::of(LEAST_RUNS);
    edit_rows(&history.folder.path().join("new/samples.csv"), |row| {
        !(row.get("implementation") == "katz-kider" && row.n() == 2048) || row.get("sample") == "0"
    });
    let output = history.compare(&["--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    let verdicts = super::verdicts(&output);
    assert_eq!(of(&verdicts, "katz-kider 2048"), ("NOISY", "1 sample, 5 needed"));
    let text = stdout(&history.compare(&[]));
    assert!(text.contains("take more samples on both sides, as --samples 5 does"), "{text}");
}

/// Runs of some cells of one implementation whose samples are made up.
struct Invented {
    template: StoredRun,
    row: SampleRow,
    cells: usize,
}

impl Invented {
    fn of(implementation: &str, cells: usize) -> Self {
        let template = StoredRun::open(&reference("h100/table1")).unwrap();
        let row =
            template.valid_rows(Scope::Kernel).find(|row| row.implementation == implementation).unwrap();
        let row = SampleRow { sm_mhz: None, ..row.clone() };
        Self { template, row, cells }
    }

    /// Two builds that take as long, with so many samples of either, where runs are known to lie close together.
    fn twice(&self, (before, now): (usize, usize), within: f64, least_threshold: f64) -> Comparison {
        let noise = (within, 0.0);
        // Of many samples each, so that they differ by little.
        let known: Vec<StoredRun> = (1..6).map(|at| self.run(at, "base", 400, noise)).collect();
        let (base, new) = (self.run(0, "base", before, noise), self.run(9, "new", now, noise));
        compared(&base, &new, &known, least_threshold)
    }

    /// Samples that lie up to `within` from their median, and medians up to `between` from each other.
    fn run(&self, at: u64, commit: &str, samples: usize, (within, between): (f64, f64)) -> StoredRun {
        let mut random = ChaCha8Rng::seed_from_u64(at);
        let mut noise =
            |share: f64| 1.0 + share * (2.0 * f64::from(random.next_u32()) / f64::from(u32::MAX) - 1.0);
        let mut run = self.template.clone();
        run.folder = format!("/invented/{at}").into();
        run.manifest.started = format!("2026-01-01T00:{at:02}:00Z");
        run.manifest.build.commit = commit.to_string();
        let mut rows = Vec::new();
        for n in (0..self.cells).map(|cell| 32 * (cell + 1)) {
            let level = noise(between);
            for sample in 0..samples {
                rows.push(SampleRow {
                    n,
                    sample,
                    seconds: Some(1e-3 * level * noise(within)),
                    ..self.row.clone()
                });
            }
        }
        run.with_samples(rows)
    }
}

fn compared(base: &StoredRun, new: &StoredRun, known: &[StoredRun], least_threshold: f64) -> Comparison {
    let known: Vec<&StoredRun> = known.iter().chain([base]).collect();
    let options = Options { scope: Scope::Kernel, across: Vec::new(), least_threshold };
    compare(&[(base, new)], &MachineNoise::of(&known, Scope::Kernel), &options).unwrap()
}

/// The number behind `--threshold` or `--samples` in an advice.
fn number(comparison: &Comparison, option: &str) -> f64 {
    let all = comparison.advice.join(" ");
    let (_, after) =
        all.split_once(option).unwrap_or_else(|| panic!("no {option} in {:?}", comparison.advice));
    after.split_whitespace().next().unwrap().parse().unwrap()
}

/// The guard of a machine whose small cells on the CPU vary by a quarter from run to run.
#[test]
fn cells_whose_runs_are_known_to_vary_are_decided_by_the_threshold_that_is_named() {
    let cells = Invented::of("cpu-naive", 16);
    let noise = (0.01, 0.25);
    let known: Vec<StoredRun> = (1..7).map(|at| cells.run(at, "base", 6, noise)).collect();
    let (base, new) = (cells.run(0, "base", 6, noise), cells.run(9, "new", 6, noise));
    let first = compared(&base, &new, &known, 0.0);
    assert_eq!(first.ending, Ending::Noisy);
    assert!(first.advice[0].contains("the noise floor of runs of one build is "), "{:?}", first.advice);
    let asked = compared(&base, &new, &known, number(&first, "--threshold ") / 100.0);
    assert_eq!(asked.ending, Ending::NotSlower, "{:?}", asked.advice);
    let (text, floor) = (terminal(&asked, true, None), percent(asked.kinds[0].floor.share));
    assert!(
        text.contains(&format!("%, as asked for; the noise floor is {floor}: twice what most ")),
        "{text}"
    );
    let doubled = Invented { row: SampleRow { ..cells.row.clone() }, ..cells }.run(9, "new", 6, noise);
    let mut samples = doubled.samples.clone();
    samples.iter_mut().for_each(|row| row.seconds = row.seconds.map(|seconds| 3.0 * seconds));
    let slower = compared(&base, &doubled.with_samples(samples), &known, 0.0);
    assert_eq!(slower.ending, Ending::Slower);
}

#[test]
fn where_few_samples_differ_much_twenty_come_first_and_then_what_is_advised_decides() {
    let runs = |samples, threshold| Invented::of("staged-load", 4).twice((400, samples), 0.2, threshold);
    let first = runs(6, 0.0);
    assert!(first.advice[0].contains("take more first, as --samples 20 does"), "{:?}", first.advice);
    let second = runs(20, 0.0);
    assert!(second.advice[0].contains("their samples differ too much"), "{:?}", second.advice);
    let asked = runs(20, number(&second, "--threshold ") / 100.0);
    assert_eq!(asked.ending, Ending::NotSlower, "{:?}", asked.advice);
}
