//! `repro compare` on committed runs and changed copies of them: every verdict, every refusal, every format, every exit code.

mod formats;

use crate::common::stored::{TABLE1, copy, edit_manifest, edit_rows, fail, tear};
use crate::common::{assert_refused, repro, stderr, stdout};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// Two copies of the committed run of Table 1, small enough to be read at a glance and as on a host that nobody else used, in a folder
/// without any other run.
pub struct Two {
    folder: TempDir,
}

impl Two {
    pub fn copied() -> Self {
        let two = Self { folder: tempfile::tempdir().unwrap() };
        for side in [two.base(), two.new_run()] {
            copy(TABLE1, &side);
            keep(&side, |implementation, n| match implementation {
                "cpu-naive" => n == 1024,
                "staged-load" => n <= 2048,
                "katz-kider" => n == 1024,
                _ => false,
            });
            edit_rows(&side.join("samples.csv"), |row| {
                row.set("others_load", "");
                true
            });
        }
        two
    }

    pub fn base(&self) -> PathBuf {
        self.folder.path().join("base")
    }

    pub fn new_run(&self) -> PathBuf {
        self.folder.path().join("new")
    }

    /// `repro compare base new ARGUMENTS`, on a machine that was not calibrated.
    pub fn compare(&self, arguments: &[&str]) -> Output {
        self.compare_sides(["base", "new"], arguments)
    }

    fn compare_sides(&self, sides: [&str; 2], arguments: &[&str]) -> Output {
        repro().current_dir(self.folder.path()).arg("compare").args(sides).args(arguments).output().unwrap()
    }

    /// Multiplies the seconds of an implementation in the new run.
    pub fn scale(&self, implementation: &str, factor: f64) {
        edit_rows(&self.new_run().join("samples.csv"), |row| {
            if row.get("implementation") == implementation {
                row.scale(factor);
            }
            true
        });
    }

    /// The verdict of each cell and why.
    pub fn verdicts(&self, arguments: &[&str]) -> Vec<CellResult> {
        verdicts(&self.compare(&[arguments, &["--format", "json"]].concat()))
    }
}

/// A cell, its verdict, and the kind of reason, empty where there is none.
pub type CellResult = (String, String, String);

/// Drops the samples of all other cells.
pub fn keep(run: &Path, is_kept: impl Fn(&str, usize) -> bool) {
    edit_rows(&run.join("samples.csv"), |row| is_kept(row.get("implementation"), row.n()));
}

/// Keeps in the plan of a run what `is_kept`.
fn plan(run: &Path, is_kept: impl Fn(&str) -> bool) {
    edit_manifest(run, |manifest| {
        let columns = manifest["experiment"]["columns"].as_array_mut().unwrap();
        columns.retain(|column| is_kept(column["implementation"].as_str().unwrap()));
    });
}

pub fn verdicts(output: &Output) -> Vec<CellResult> {
    let comparison: Value =
        serde_json::from_str(&stdout(output)).unwrap_or_else(|_| panic!("{}", stderr(output)));
    let text = |of: &Value| of.as_str().unwrap_or_default().to_string();
    let cells = comparison["cells"].as_array().unwrap().iter();
    cells
        .map(|cell| {
            let name = format!("{} {}", text(&cell["implementation"]), cell["n"]);
            (name, text(&cell["verdict"]), text(&cell["why"]["reason"]))
        })
        .collect()
}

fn of<'a>(verdicts: &'a [CellResult], cell: &str) -> (&'a str, &'a str) {
    let found = verdicts.iter().find(|(name, ..)| name == cell).unwrap_or_else(|| panic!("no {cell}"));
    (&found.1, &found.2)
}

/// What a change of the times comes to: factors of Staged Load and of Katz & Kider, what is asked for, the verdict and reason of the
/// first, what all cells come to and the exit code.
#[test]
fn a_change_beyond_the_threshold_is_named_and_one_to_slower_ends_with_1() {
    let same = "Nothing became slower: 4 SAME.\n";
    type Case = (f64, f64, &'static str, (&'static str, &'static str), &'static str, i32);
    let cases: [Case; 6] = [
        (1.0, 1.0, "0", ("SAME", ""), same, 0),
        (1.2, 0.85, "0", ("SLOWER", ""), "2 cells became slower or failed: 2 SLOWER, 1 FASTER, 1 SAME.\n", 1),
        // The floor of so small an n is 4.7%, and 2.4% from 2048 on.
        (1.04, 1.0, "0", ("SAME", ""), "1 cell became slower or failed: 1 SLOWER, 3 SAME.\n", 1),
        (1.049, 1.0, "0", ("NOISY", "wide-interval"), "1 cell became slower", 1),
        (1.12, 1.0, "12", ("NOISY", "wide-interval"), "No cell is SLOWER, but some are NOISY", 3),
        (1.14, 1.0, "15", ("SAME", ""), same, 0),
    ];
    for (staged, katz, threshold, expected, told, code) in cases {
        let two = Two::copied();
        two.scale("staged-load", staged);
        two.scale("katz-kider", katz);
        let asked = ["--threshold", threshold];
        assert_eq!(of(&two.verdicts(&asked), "staged-load 1024"), expected, "{staged} {threshold}");
        let output = two.compare(&asked);
        assert!(stdout(&output).starts_with(told), "{staged} {threshold}: {}", stdout(&output));
        assert_eq!(
            (output.status.code(), stderr(&output)),
            (Some(code), String::new()),
            "{staged} {threshold}"
        );
    }
}

#[test]
fn a_cell_that_broke_is_failed_and_one_that_was_not_run_is_gone() {
    let two = Two::copied();
    edit_rows(&two.new_run().join("samples.csv"), |row| match row.get("implementation") {
        "katz-kider" => row.get("sample") == "0" && fail(row, "3 entries are wrong"),
        "cpu-naive" => false,
        _ => true,
    });
    let verdicts = two.verdicts(&[]);
    assert_eq!(of(&verdicts, "katz-kider 1024"), ("FAILED", "untimed"));
    assert_eq!(of(&verdicts, "cpu-naive 1024"), ("FAILED", "no-record"));
    let text = stdout(&two.compare(&[]));
    assert!(text.contains("FAILED: failed in NEW: 3 entries are wrong: katz-kider n = 1024.\n"), "{text}");
    plan(&two.new_run(), |implementation| implementation != "cpu-naive");
    assert_eq!(of(&two.verdicts(&[]), "cpu-naive 1024"), ("GONE", ""));
    assert_eq!(two.compare(&[]).status.code(), Some(1));
    let backwards = two.compare_sides(["new", "base"], &["--format", "json"]);
    let verdicts = self::verdicts(&backwards);
    assert_eq!(of(&verdicts, "katz-kider 1024"), ("NEW", "untimed"));
    assert_eq!(of(&verdicts, "cpu-naive 1024").0, "NEW");
    assert_eq!(backwards.status.code(), Some(0), "{}", stderr(&backwards));
    // What is broken in both is no change, and no reader may take it for one that holds.
    edit_rows(&two.base().join("samples.csv"), |row| match row.get("implementation") {
        "katz-kider" => row.get("sample") == "0" && fail(row, "3 entries are wrong"),
        _ => true,
    });
    let text = stdout(&two.compare(&[]));
    let told = "In no verdict, as they failed in both: katz-kider n = 1024.";
    assert!(
        text.contains(told) && two.verdicts(&[]).iter().all(|(cell, ..)| !cell.starts_with("katz")),
        "{text}"
    );
}

#[test]
fn a_lower_clock_is_not_taken_for_a_slower_kernel() {
    let two = Two::copied();
    two.scale("staged-load", 1980.0 / 1500.0);
    edit_rows(&two.new_run().join("samples.csv"), |row| {
        if row.get("implementation") == "staged-load" {
            row.set("sm_mhz", 1500);
        }
        true
    });
    let verdicts = two.verdicts(&[]);
    let said = ("NOISY", "clocks-differ");
    assert_eq!(of(&verdicts, "staged-load 1024"), said);
    assert!(stdout(&two.compare(&["--all"])).contains("in cycles"));
    // One reading that is missing changes nothing.
    let mut first = true;
    edit_rows(&two.new_run().join("samples.csv"), |row| {
        if row.get("implementation") == "staged-load" && std::mem::take(&mut first) {
            row.set("sm_mhz", "");
        }
        true
    });
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024"), said);
    // Slower still than the clock explains.
    two.scale("staged-load", 1.2);
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024"), ("SLOWER", ""));
}

#[test]
fn what_was_measured_under_load_or_throttled_is_inconclusive_whatever_it_took() {
    // On the CPU with nobody else, others with a tenth of its cores, and more; on the GPU without and with a reason to hold clocks down.
    type Mark = (&'static str, &'static str, [&'static str; 2], &'static str);
    let marks: [Mark; 2] = [
        ("cpu-naive", "others_load", ["0.1", "1.9"], "under load"),
        ("staged-load", "throttled_by", ["", "thermal"], "throttled"),
    ];
    for (implementation, column, values, told) in marks {
        let cell = format!("{implementation} 1024");
        for (factor, verdict, code) in [(3.0, "SLOWER", 1), (1.0001, "SAME", 0), (0.3, "FASTER", 0)] {
            for (marked, sides) in
                [([0, 0], &[][..]), ([1, 0], &["BASE"]), ([0, 1], &["NEW"]), ([1, 1], &["BASE", "NEW"])]
            {
                let two = Two::copied();
                for (side, mark) in [two.base(), two.new_run()].iter().zip(marked) {
                    // Of the samples of a cell one is enough.
                    edit_rows(&side.join("samples.csv"), |row| {
                        row.set(column, values[if row.get("sample") == "0" { mark } else { 0 }]);
                        row.get("implementation") == implementation && row.n() == 1024
                    });
                    plan(side, |planned| planned == implementation);
                    edit_manifest(side, |manifest| {
                        manifest["experiment"]["columns"][0]["sizes"] = json!([1024]);
                    });
                }
                two.scale(implementation, factor);
                let said: Vec<String> = sides.iter().map(|side| format!("{side} was {told}")).collect();
                let (verdict, reason, code) = match said.is_empty() {
                    true => (verdict, "", code),
                    false => ("NOISY", "disturbed", 3),
                };
                let case = format!("{implementation} {factor} {sides:?}");
                assert_eq!(of(&two.verdicts(&[]), &cell), (verdict, reason), "{case}");
                let output = two.compare(&[]);
                assert_eq!(output.status.code(), Some(code), "{case}: {}", stdout(&output));
                assert!(stdout(&output).contains(&said.join(" and ")), "{case}: {}", stdout(&output));
            }
        }
    }
    // Of what was throttled in every sample there is no time, through no fault of the build.
    let two = Two::copied();
    edit_rows(&two.new_run().join("samples.csv"), |row| {
        if row.get("implementation") == "katz-kider" {
            row.set("status", "throttled");
        }
        true
    });
    assert_eq!(of(&two.verdicts(&[]), "katz-kider 1024"), ("NOISY", "untimed"));
}

/// As of a build that is a third slower on a machine of which nothing is known.
#[test]
fn a_slow_down_of_thirty_percent_on_the_cpu_is_told_without_calibration() {
    let two = Two::copied();
    two.scale("cpu-naive", 1.4);
    assert_eq!(of(&two.verdicts(&[]), "cpu-naive 1024").0, "SLOWER");
    let text = stdout(&two.compare(&[]));
    assert!(text.contains("25% for CPU cells, n below 2048"), "{text}");
    assert!(text.contains("defaults; repro track table1 --calibrate measures this machine's."), "{text}");
}

#[test]
fn a_run_beside_itself_is_the_same_in_every_cell() {
    for run in ["h200/table1", "h100/table1", "h200/timers"] {
        let folder = tempfile::tempdir().unwrap();
        for side in ["base", "new"] {
            copy(run, &folder.path().join(side));
        }
        let output = repro().current_dir(folder.path()).args(["compare", "base", "new"]).output().unwrap();
        let text = stdout(&output);
        assert!(output.status.success() && text.starts_with("Nothing became slower: "), "{run}: {text}");
        assert!(
            text.lines().next().unwrap().ends_with(" SAME.") && !text.contains("NOISY,"),
            "{run}: {text}"
        );
    }
}

#[test]
fn another_device_driver_graph_or_pairing_is_refused_unless_it_is_asked_for() {
    type Edit = fn(&mut Value);
    let cases: [(&str, Edit, &str); 4] = [
        (
            "pairing",
            |manifest| manifest["pair"] = json!({"id": "x", "side": "new"}),
            "in turn with another build",
        ),
        (
            "device",
            |manifest| manifest["environment"]["device"]["info"]["name"] = json!("NVIDIA B300"),
            "NVIDIA B300",
        ),
        ("driver", |manifest| manifest["environment"]["device"]["driver"] = json!("999.1"), "999.1"),
        ("graph", |manifest| manifest["experiment"]["graphs"][0]["source"]["seed"] = json!(77), "seed 77"),
    ];
    for (across, edit, told) in cases {
        let two = Two::copied();
        edit_manifest(&two.new_run(), |manifest| {
            edit(manifest);
        });
        assert_refused(&two.compare(&[]), &["base and new", told, &format!("--across {across}")]);
        let output = two.compare(&["--across", across]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains(told), "{}", stdout(&output));
    }
    let two = Two::copied();
    edit_manifest(&two.new_run(), |manifest| manifest["environment"] = json!(null));
    assert_refused(&two.compare(&[]), &["machine: known before, not known of new now", "--across device"]);
}

#[test]
fn another_result_means_another_graph() {
    let two = Two::copied();
    assert_refused(&two.compare_sides(["new", "base/../new"], &[]), &["new is compared with itself"]);
    edit_rows(&two.new_run().join("samples.csv"), |row| {
        row.set("digest", "0".repeat(32));
        true
    });
    assert_refused(&two.compare(&[]), &["graph: distances of ", "--across graph"]);
}

#[test]
fn cells_on_another_cpu_are_left_undecided_beside_those_of_the_same_gpu() {
    let two = Two::copied();
    edit_manifest(&two.new_run(), |manifest| manifest["environment"]["host"]["cpu"] = json!("Abacus 3"));
    two.scale("cpu-naive", 1.01);
    assert_eq!(of(&two.verdicts(&[]), "cpu-naive 1024"), ("NOISY", "other-cpu"));
    assert!(stdout(&two.compare(&[])).contains("Abacus 3 (16 threads) now"));
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024").0, "SAME");
    // Where all cells run on the CPU there is nothing left to compare.
    for side in [two.base(), two.new_run()] {
        keep(&side, |implementation, _| implementation == "cpu-naive");
    }
    assert_refused(&two.compare(&[]), &["CPU: ", "Abacus 3", "--across device"]);
    assert_eq!(of(&two.verdicts(&["--across", "device"]), "cpu-naive 1024"), ("SAME", ""));
}

#[test]
fn another_gpu_of_the_model_and_another_compiler_are_told() {
    let two = Two::copied();
    edit_manifest(&two.new_run(), |manifest| {
        let device = &mut manifest["environment"]["device"];
        device["info"]["uuid"] = json!("GPU-2");
        device["compiler"] = json!("NVRTC 99.9 (sm_90)");
    });
    let output = two.compare(&[]);
    assert_eq!(output.status.code(), Some(0));
    for told in [
        "all the same: GPU's UUID: GPU-",
        ", GPU-2 now",
        "all the same: compiler: ",
        "NVRTC 99.9 (sm_90) now",
    ] {
        assert!(stdout(&output).contains(told), "{told}: {}", stdout(&output));
    }
}

#[test]
fn only_equal_scopes_are_compared() {
    let two = Two::copied();
    edit_rows(&two.new_run().join("samples.csv"), |row| {
        if row.get("scope") == "total" {
            row.scale(1.5);
        }
        true
    });
    assert_eq!(two.compare(&[]).status.code(), Some(0));
    let output = two.compare(&["--scope", "total"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&two.compare(&["--scope", "total", "--all"])).contains("scope total"));
}

#[test]
fn one_run_is_compared_and_of_a_folder_with_several_one_has_to_be_named() {
    let two = Two::copied();
    assert_refused(&two.compare_sides([".", "new"], &[]), &["2 runs below it", "as in ./"]);
    assert_refused(&two.compare_sides(["old", "new"], &[]), &["old"]);
    copy("h200/block-shapes", &two.folder.path().join("others"));
    assert_refused(&two.compare_sides(["base", "others"], &[]), &["have no cell in common"]);
}

#[test]
fn fewer_than_five_samples_decide_nothing() {
    let two = Two::copied();
    let fewer = |count: &str| {
        edit_rows(&two.new_run().join("samples.csv"), |row| {
            row.get("implementation") != "staged-load" || row.get("sample") < count
        });
    };
    fewer("5");
    two.scale("staged-load", 1.2);
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024").0, "SLOWER");
    fewer("4");
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024"), ("NOISY", "few-samples"));
    fewer("1");
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024"), ("NOISY", "few-samples"));
    assert_eq!(two.compare(&[]).status.code(), Some(3));
}

#[test]
fn a_torn_and_unfinished_run_is_compared_as_far_as_it_goes() {
    let two = Two::copied();
    edit_manifest(&two.new_run(), |manifest| manifest["finished"] = json!(null));
    keep(&two.new_run(), |implementation, n| implementation == "staged-load" && n == 1024);
    let samples = two.new_run().join("samples.csv");
    tear(&samples);
    let output = two.compare(&[]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).contains("NEW is not finished: repro run --resume new goes on with it and has "));
    assert!(stdout(&output).contains("bytes at its end that are no whole sample.\n"), "{}", stdout(&output));
}

#[test]
fn what_an_unfinished_run_has_not_measured_yet_ends_with_3_and_how_to_go_on() {
    let two = Two::copied();
    keep(&two.base(), |implementation, _| implementation != "cpu-naive");
    keep(&two.new_run(), |implementation, n| implementation == "staged-load" && n == 1024);
    edit_manifest(&two.new_run(), |manifest| manifest["finished"] = json!(null));
    two.scale("staged-load", 1.0001);
    let verdicts = two.verdicts(&[]);
    assert_eq!(of(&verdicts, "katz-kider 1024"), ("NOISY", "unfinished"));
    assert_eq!(of(&verdicts, "staged-load 1024").0, "SAME");
    let output = two.compare(&[]);
    assert_eq!(output.status.code(), Some(3));
    let told = "NOISY: NEW is not finished: katz-kider n = 1024, staged-load n = 2048.\n";
    assert!(stdout(&output).contains(told), "{}", stdout(&output));
    // What it was never to measure is gone.
    plan(&two.new_run(), |implementation| implementation != "katz-kider");
    assert_eq!(of(&two.verdicts(&[]), "katz-kider 1024"), ("GONE", ""));
}

/// Fifty cells of as many verdicts as there are, on a terminal of 100 columns.
#[test]
fn what_fifty_cells_come_to_is_read_on_one_screen_and_one_cause_is_one_line() {
    let two = Two::copied();
    for side in [two.base(), two.new_run()] {
        std::fs::remove_dir_all(&side).unwrap();
        copy(TABLE1, &side);
    }
    let shown = |change: &dyn Fn(&str, usize) -> f64| {
        edit_rows(&two.new_run().join("samples.csv"), |row| {
            row.scale(change(row.get("implementation"), row.n()));
            true
        });
        let mut command = repro();
        command.current_dir(two.folder.path()).args(["compare", "base", "new"]).env("COLUMNS", "100");
        stdout(&command.output().unwrap())
    };
    let text = shown(&|implementation, _| if implementation == "staged-load" { 1.1 } else { 1.0 });
    assert_eq!(
        text.lines().filter(|line| line.contains("SLOWER │") || line.contains("SLOWER ┆")).count(),
        1,
        "{text}"
    );
    assert!(text.contains("1.1000 to 1.1000"), "{text}");
    // By amounts that have nothing to do with each other.
    let text = shown(&|_, n| 0.7 + (n / 1024 * 7 % 13) as f64 / 13.0);
    assert!(text.lines().count() <= 25, "{} lines: {text}", text.lines().count());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.contains("more: --all lists every cell"), "{text}");
}

/// Records may come from anybody.
#[test]
fn what_a_record_holds_is_escaped_for_where_it_goes() {
    let two = Two::copied();
    edit_rows(&two.new_run().join("samples.csv"), |row| match row.get("implementation") {
        "katz-kider" => row.get("sample") == "0" && fail(row, "x\n::error::owned\n[a](http://b) <b>|"),
        _ => {
            row.scale(3.0);
            true
        }
    });
    for format in ["terminal", "annotations", "markdown"] {
        let output = two.compare(&["--format", format]);
        let text = stdout(&output) + stderr(&output).as_str();
        assert!(text.contains("owned") && !text.contains("\n::error::owned"), "{format}: {text}");
        assert!(text.lines().all(|line| line.len() < 600), "{format}: {text}");
    }
    let markdown = stdout(&two.compare(&["--format", "markdown"]));
    assert!(!markdown.contains("[a](http") && !markdown.contains("<b>"), "{markdown}");
    two.scale("staged-load", 1e300);
    let refused = two.compare(&[]);
    assert_refused(&refused, &["seconds, which no clock here shows"]);
    assert!(stderr(&refused).len() < 200, "{}", stderr(&refused));
}

/// The guard held against itself: runs of the same work, drawn from real records.
mod long {
    use crate::common::stored::reference;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};
    use rayon::prelude::*;
    use repro::regression::{NoiseFloors, Settings, compare};
    use repro::results::StoredRun;
    use repro::store::SampleRow;
    use repro::timing::Scope;
    use repro_base::CellId;
    use std::collections::BTreeMap;

    const TRIALS: u64 = 200;
    const OPTIONS: Settings = Settings { scope: Scope::Kernel, across: Vec::new(), least_threshold: 0.0 };

    /// A run whose samples are drawn, with replacement, from those of `run`.
    fn resampled(run: &StoredRun, seed: u64) -> StoredRun {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut by_cell: BTreeMap<CellId, Vec<&SampleRow>> = BTreeMap::new();
        for row in run.valid_rows(Scope::Kernel) {
            by_cell.entry(row.cell()).or_default().push(row);
        }
        let mut samples = Vec::new();
        for rows in by_cell.values() {
            for _ in rows {
                samples.push(rows[random.next_u32() as usize % rows.len()].clone());
            }
        }
        run.clone().with_samples(samples)
    }

    #[test]
    #[ignore = "long"]
    fn the_same_work_is_never_called_slower() {
        let open = |run: &str| StoredRun::open(&reference(run)).unwrap();
        // Two GPUs of one model, two hosts, eight hours apart in the life of the program, and the same work.
        let [first, second] = ["h200/table1", "h200/table1-again"].map(open);
        let wrong: Vec<String> = (0..TRIALS)
            .into_par_iter()
            .flat_map_iter(|trial| {
                // Half of the trials within one run, half between the two, in either direction.
                let (base, new) = match trial % 4 {
                    0 | 1 => (&first, &first),
                    2 => (&first, &second),
                    _ => (&second, &first),
                };
                let (base, new) = (resampled(base, 2 * trial), resampled(new, 2 * trial + 1));
                let comparison = compare(&base, &new, &NoiseFloors::default(), &OPTIONS).unwrap();
                let slower = comparison.cells.iter().filter(|cell| cell.verdict.is_regression());
                let slower = slower.map(|cell| format!("trial {trial}: {}", cell.cell));
                slower.collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
    }
}
