//! `repro compare` on committed runs and changed copies of them: every verdict, every refusal, every format, every exit code.

mod advice;
mod formats;

use crate::common::stored::{TABLE1, copy, edit_manifest, edit_rows, fail, tear};
use crate::common::{assert_refused, missing_tool, repro, stderr, stdout};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
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

    /// `repro compare base new ARGUMENTS`, where nothing but the two is known of the machine.
    pub fn compare(&self, arguments: &[&str]) -> Output {
        self.command(&["base", "new"]).args(arguments).output().unwrap()
    }

    pub fn command(&self, sides: &[&str]) -> Command {
        let mut command = repro();
        command.current_dir(self.folder.path()).arg("compare").args(sides);
        command.args(["--results", "base"]);
        command
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

    /// The verdict of each cell and its reason.
    pub fn verdicts(&self, arguments: &[&str]) -> Vec<(String, String, String)> {
        verdicts(&self.compare(&[arguments, &["--format", "json"]].concat()))
    }
}

/// Drops the samples of all other cells.
pub fn keep(run: &Path, is_kept: impl Fn(&str, usize) -> bool) {
    edit_rows(&run.join("samples.csv"), |row| is_kept(row.get("implementation"), row.n()));
}

pub fn verdicts(output: &Output) -> Vec<(String, String, String)> {
    let comparison: Value =
        serde_json::from_str(&stdout(output)).unwrap_or_else(|_| panic!("{}", stderr(output)));
    let text = |of: &Value| of.as_str().unwrap().to_string();
    let cells = comparison["cells"].as_array().unwrap().iter();
    cells
        .map(|cell| {
            let name = format!("{} {}", text(&cell["implementation"]), cell["n"]);
            (name, text(&cell["verdict"]), text(&cell["reason"]))
        })
        .collect()
}

fn of<'a>(verdicts: &'a [(String, String, String)], cell: &str) -> (&'a str, &'a str) {
    let found = verdicts.iter().find(|(name, ..)| name == cell).unwrap_or_else(|| panic!("no {cell}"));
    (&found.1, &found.2)
}

/// What a change of the times comes to: factors of Staged Load and of Katz & Kider, what is asked for, the verdict and reason of the
/// first, what all cells come to and the exit code.
#[test]
fn a_change_beyond_the_threshold_is_named_and_one_to_slower_ends_with_1() {
    // Nothing is known of the machine: what is the same here need not be the same on another day.
    let noise = "less than 12% is noise here";
    let (unseen, wide) =
        ("Nothing is seen to be slower, but not all can be seen", "the interval is too wide");
    type Case = (f64, f64, &'static str, (&'static str, &'static str), String, i32);
    let cases: [Case; 7] = [
        (1.0, 1.0, "0", ("NOISY", noise), format!("{unseen}: 4 NOISY.\n"), 3),
        (1.0, 1.0, "12", ("SAME", ""), format!("{unseen}: 1 NOISY, 3 SAME.\n"), 3),
        (
            1.2,
            0.85,
            "0",
            ("SLOWER", ""),
            "2 cells became slower or failed: 2 SLOWER, 1 FASTER, 1 NOISY.\n".into(),
            1,
        ),
        (1.08, 0.85, "0", ("NOISY", noise), unseen.into(), 3),
        (1.05, 1.0, "0", ("NOISY", noise), unseen.into(), 3),
        (1.12, 1.0, "12", ("NOISY", wide), unseen.into(), 3),
        (1.14, 1.0, "15", ("SAME", ""), unseen.into(), 3),
    ];
    for (staged, katz, threshold, expected, told, code) in cases {
        let two = Two::copied();
        two.scale("staged-load", staged);
        two.scale("katz-kider", katz);
        let asked = ["--threshold", threshold];
        assert_eq!(of(&two.verdicts(&asked), "staged-load 1024"), expected, "{staged} {threshold}");
        let output = two.compare(&asked);
        assert!(stdout(&output).starts_with(&told), "{staged} {threshold}: {}", stdout(&output));
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
    assert_eq!(of(&verdicts, "katz-kider 1024"), ("FAILED", "failed in NEW: 3 entries are wrong"));
    let lost = ("FAILED", "NEW was to measure it, and has no record of it");
    assert_eq!(of(&verdicts, "cpu-naive 1024"), lost);
    edit_manifest(&two.new_run(), |manifest| {
        let columns = manifest["experiment"]["columns"].as_array_mut().unwrap();
        columns.retain(|column| column["implementation"] != "cpu-naive");
    });
    assert_eq!(of(&two.verdicts(&[]), "cpu-naive 1024"), ("GONE", ""));
    assert_eq!(two.compare(&[]).status.code(), Some(1));
    let backwards = two.command(&["new", "base"]).args(["--format", "json"]).output().unwrap();
    let verdicts = self::verdicts(&backwards);
    assert_eq!(of(&verdicts, "katz-kider 1024"), ("NEW", "failed in BASE: 3 entries are wrong"));
    assert_eq!(of(&verdicts, "cpu-naive 1024").0, "NEW");
    assert_eq!(backwards.status.code(), Some(3), "{}", stderr(&backwards));
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
    let said = ("NOISY", "the clocks differ, and seconds and cycles do not agree");
    assert_eq!(of(&verdicts, "staged-load 1024"), said);
    assert!(stdout(&two.compare(&[])).contains("in cycles"));
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
    type Mark = (&'static str, &'static str, &'static str, [&'static str; 2], &'static str);
    let marks: [Mark; 2] = [
        ("cpu-naive", "100", "others_load", ["0.1", "1.9"], "under load"),
        ("staged-load", "12", "throttled_by", ["", "thermal"], "throttled"),
    ];
    for (implementation, threshold, column, values, told) in marks {
        let cell = format!("{implementation} 1024");
        for (factor, verdict, code) in [(3.0, "SLOWER", 1), (1.0, "SAME", 0), (0.3, "FASTER", 0)] {
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
                    edit_manifest(side, |manifest| {
                        let columns = manifest["experiment"]["columns"].as_array_mut().unwrap();
                        columns.retain(|column| column["implementation"] == implementation);
                        columns[0]["sizes"] = json!([1024]);
                    });
                }
                two.scale(implementation, factor);
                let asked = ["--threshold", threshold];
                let said: Vec<String> = sides.iter().map(|side| format!("{side} was {told}")).collect();
                let (verdict, reason, code) = match said.is_empty() {
                    true => (verdict, String::new(), code),
                    false => ("NOISY", format!("{}, so measure again", said.join(" and ")), 3),
                };
                let case = format!("{implementation} {factor} {sides:?}");
                assert_eq!(of(&two.verdicts(&asked), &cell), (verdict, &*reason), "{case}");
                let output = two.compare(&asked);
                assert_eq!(output.status.code(), Some(code), "{case}: {}", stdout(&output));
                assert!(stdout(&output).contains(&reason), "{case}: {}", stdout(&output));
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
    assert_eq!(of(&two.verdicts(&[]), "katz-kider 1024"), ("NOISY", "NEW was throttled"));
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
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert!(stdout(&output).contains(told), "{}", stdout(&output));
    }
    let two = Two::copied();
    edit_manifest(&two.new_run(), |manifest| manifest["environment"] = json!(null));
    assert_refused(&two.compare(&[]), &["machine: not known of NEW (new)", "--across device"]);
}

#[test]
fn another_result_means_another_graph() {
    let two = Two::copied();
    edit_rows(&two.new_run().join("samples.csv"), |row| {
        row.set("digest", "0".repeat(32));
        true
    });
    assert_refused(&two.compare(&[]), &["its distances differ from the earlier ones", "--across graph"]);
}

#[test]
fn cells_on_another_cpu_are_left_undecided_beside_those_of_the_same_gpu() {
    let two = Two::copied();
    edit_manifest(&two.new_run(), |manifest| manifest["environment"]["host"]["cpu"] = json!("Abacus 3"));
    let verdicts = two.verdicts(&[]);
    let (verdict, reason) = of(&verdicts, "cpu-naive 1024");
    assert!(verdict == "NOISY" && reason.contains("Abacus 3 (16 threads) now"), "{reason}");
    assert_eq!(of(&two.verdicts(&["--threshold", "12"]), "staged-load 1024").0, "SAME");
    // Where all cells run on the CPU there is nothing left to compare.
    for side in [two.base(), two.new_run()] {
        keep(&side, |implementation, _| implementation == "cpu-naive");
    }
    assert_refused(&two.compare(&[]), &["CPU: ", "Abacus 3", "--across device"]);
    let (_, reason) = of(&verdicts, "cpu-naive 1024");
    assert!(reason.starts_with("on another CPU"), "{reason}");
    let verdicts = two.verdicts(&["--across", "device"]);
    assert_eq!(of(&verdicts, "cpu-naive 1024").1, "less than 100% is noise here");
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
    assert_eq!(output.status.code(), Some(3));
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
    assert_eq!(two.compare(&[]).status.code(), Some(3));
    let output = two.compare(&["--scope", "total"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("scope total"));
}

#[test]
fn runs_are_found_by_the_commit_that_measured_them_and_in_a_commit() {
    let two = Two::copied();
    two.scale("staged-load", 1.2);
    for (side, commit) in [(two.base(), "a".repeat(40)), (two.new_run(), "b".repeat(40))] {
        edit_manifest(&side, |manifest| manifest["build"]["commit"] = json!(commit));
    }
    let compare = |base: &str, new: &str| {
        let mut command = repro();
        // A commit's folder says where runs are; nothing else is to be known of the machine.
        let results = if base.contains(':') { "base" } else { "." };
        command.current_dir(two.folder.path()).args(["compare", base, new, "--results", results]);
        command.output().unwrap()
    };
    let output = compare("aaaaaaaa", "bbbbbbbb");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("2 SLOWER"));
    assert_refused(&compare("aaaaaaaa", "cccccccc"), &["no run of commit cccccccc", "--results"]);
    assert_refused(&compare("aaaaaaaa", "nonsense"), &["'nonsense' is no folder, no commit"]);

    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let status = command.current_dir(two.folder.path()).args(identity).args(arguments).status();
        let status = status.unwrap_or_else(|error| missing_tool(format!("git: {error}")));
        assert!(status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "new"]);
    git(&["commit", "--quiet", "-m", "a run"]);
    two.scale("staged-load", 1.0 / 1.2);
    let output = compare("HEAD:new", "new");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).contains("2 FASTER"), "{}", stdout(&output));
    assert!(stdout(&output).contains("HEAD/new"), "{}", stdout(&output));
    assert_refused(&compare("HEAD:old", "new"), &["HEAD:old", "no run in that folder"]);
    assert_refused(&compare("HEAD~7:new", "new"), &["HEAD~7:new", "no such commit"]);
}

#[test]
fn folders_of_runs_are_compared_experiment_by_experiment() {
    let folder = tempfile::tempdir().unwrap();
    for (side, runs) in
        [("before", ["h200/ablation", "h200/table1"]), ("after", ["h200/ablation", "h200/block-shapes"])]
    {
        for run in runs {
            copy(run, &folder.path().join(side).join(run));
        }
    }
    let compare = |base: &str, new: &str| {
        repro().current_dir(folder.path()).args(["compare", base, new]).output().unwrap()
    };
    // What cannot be read or timed nothing does not keep the others from being compared.
    copy("emulated/structure", &folder.path().join("before/structure"));
    std::fs::create_dir(folder.path().join("after/torn")).unwrap();
    std::fs::write(folder.path().join("after/torn/manifest.json"), "{").unwrap();
    let output = compare("before", "after");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("Left out: structure timed nothing."), "{text}");
    assert!(text.contains("Left out: after/torn/manifest.json"), "{text}");
    assert!(text.contains("block-shapes has a run in NEW alone."), "{text}");
    assert!(text.contains("table1 has a run in BASE alone."), "{text}");
    assert_refused(&compare("before/h200/table1", "after/h200/block-shapes"), &["have no cell in common"]);
    std::fs::remove_dir_all(folder.path().join("after/h200/ablation")).unwrap();
    copy("h200/timers", &folder.path().join("after/h200/timers"));
    assert_refused(&compare("before", "after"), &["ablation, table1", "block-shapes, timers"]);
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
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024"), ("NOISY", "4 samples, 5 needed"));
    fewer("1");
    assert_eq!(of(&two.verdicts(&[]), "staged-load 1024"), ("NOISY", "1 sample, 5 needed"));
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
    assert!(stdout(&output).contains("new is not finished: what it has is compared."));
    assert!(stdout(&output).contains("bytes of samples.csv are no whole sample"));
}

#[test]
fn what_an_unfinished_run_has_not_measured_yet_ends_with_3_and_how_to_go_on() {
    let two = Two::copied();
    keep(&two.base(), |implementation, _| implementation != "cpu-naive");
    keep(&two.new_run(), |implementation, n| implementation == "staged-load" && n == 1024);
    edit_manifest(&two.new_run(), |manifest| manifest["finished"] = json!(null));
    let asked = ["--threshold", "12"];
    let verdicts = two.verdicts(&asked);
    assert_eq!(of(&verdicts, "katz-kider 1024"), ("NOISY", "NEW is not finished"));
    assert_eq!(of(&verdicts, "staged-load 1024").0, "SAME");
    let output = two.compare(&asked);
    assert_eq!(output.status.code(), Some(3));
    let told = "NOISY: 2 cells: NEW is not finished: repro run --resume new goes on with it.\n";
    assert!(stdout(&output).contains(told), "{}", stdout(&output));
    // What it was never to measure is gone.
    edit_manifest(&two.new_run(), |manifest| {
        let columns = manifest["experiment"]["columns"].as_array_mut().unwrap();
        columns.retain(|column| column["implementation"] != "katz-kider");
    });
    assert_eq!(of(&two.verdicts(&asked), "katz-kider 1024"), ("GONE", ""));
}

/// The guard held against itself: runs of the same work, drawn from real records.
mod long {
    use crate::common::stored::reference;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};
    use rayon::prelude::*;
    use repro::regression::{MachineNoise, Options, compare};
    use repro::results::StoredRun;
    use repro::store::SampleRow;
    use repro::timing::Scope;
    use repro_types::CellId;
    use std::collections::BTreeMap;

    const TRIALS: u64 = 200;
    const OPTIONS: Options = Options { scope: Scope::Kernel, across: Vec::new(), least_threshold: 0.0 };

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
        // What two other runs tell, which are on two more GPUs of the model and are not under test.
        let known = ["h200/table1-guard", "h200/table1-guard-again"].map(open);
        let noise = MachineNoise::of(&[&known[0], &known[1]], Scope::Kernel);
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
                let comparison = compare(&[(&base, &new)], &noise, &OPTIONS).unwrap();
                let slower = comparison.regressions().map(|cell| format!("trial {trial}: {}", cell.cell));
                slower.collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
    }
}
