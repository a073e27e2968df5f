//! `repro compare` on committed runs and changed copies of them: every verdict, every refusal, every format, every exit code.

use crate::common::stored::{Row, TABLE1, copy, edit_manifest, edit_rows, fail, reference, tear};
use crate::common::{assert_refused, files, repro, stderr, stdout};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Two copies of a stored run, in a folder without any other run.
pub struct Two(TempDir);

impl Two {
    pub fn of(run: &str) -> Self {
        let two = Self(tempfile::tempdir().unwrap());
        [two.base(), two.new_run()].iter().for_each(|side| copy(run, side));
        two
    }

    /// Of the committed run of Table 1, small enough to be read at a glance and as on a host that nobody else used.
    fn copied() -> Self {
        static SMALL: LazyLock<BTreeMap<OsString, Vec<u8>>> = LazyLock::new(|| {
            let folder = tempfile::tempdir().unwrap();
            copy(TABLE1, folder.path());
            edit_rows(&folder.path().join("samples.csv"), |row| {
                row.set("others_load", "");
                match row.get("implementation") {
                    "cpu-naive" | "katz-kider" => row.n() == 1024,
                    name => name == "staged-load" && row.n() <= 2048,
                }
            });
            let files = files(folder.path()).into_iter();
            files.map(|(path, bytes)| (path.file_name().unwrap().into(), bytes)).collect()
        });
        let two = Self(tempfile::tempdir().unwrap());
        for side in [two.base(), two.new_run()] {
            std::fs::create_dir(&side).unwrap();
            SMALL.iter().for_each(|(name, bytes)| std::fs::write(side.join(name), bytes).unwrap());
        }
        two
    }

    pub fn base(&self) -> PathBuf {
        self.0.path().join("base")
    }

    pub fn new_run(&self) -> PathBuf {
        self.0.path().join("new")
    }

    /// `repro compare base new ARGUMENTS`, on a machine that was not calibrated.
    pub fn compare(&self, arguments: &[&str]) -> Output {
        self.compare_sides(["base", "new"], arguments)
    }

    fn compare_sides(&self, sides: [&str; 2], arguments: &[&str]) -> Output {
        repro().current_dir(self.0.path()).arg("compare").args(sides).args(arguments).output().unwrap()
    }

    /// Changes the samples of the new run, and drops those that `edit` says no to.
    pub fn edit(&self, edit: impl FnMut(&mut Row) -> bool) {
        edit_rows(&self.new_run().join("samples.csv"), edit);
    }

    /// Multiplies the seconds of an implementation in the new run.
    fn scale(&self, implementation: &str, factor: f64) {
        self.edit(|row| scaled(row, implementation, factor));
    }

    pub fn verdicts(&self, arguments: &[&str]) -> Vec<CellResult> {
        verdicts(&self.compare(&[arguments, &["--format", "json"]].concat()))
    }
}

/// A cell, its verdict, the kind of reason, empty where there is none, and the scope.
pub type CellResult = [String; 4];

/// Multiplies the seconds of a row of this implementation, and keeps every row.
fn scaled(row: &mut Row, implementation: &str, factor: f64) -> bool {
    if row.get("implementation") == implementation {
        row.scale(factor);
    }
    true
}

/// Drops the samples of all other cells.
fn keep(run: &Path, is_kept: impl Fn(&str, usize) -> bool) {
    edit_rows(&run.join("samples.csv"), |row| is_kept(row.get("implementation"), row.n()));
}

/// Keeps in the plan of a run what `is_kept`.
fn plan(run: &Path, is_kept: impl Fn(&str) -> bool) {
    edit_manifest(run, |manifest| {
        let columns = manifest["experiment"]["columns"].as_array_mut().unwrap();
        columns.retain(|column| is_kept(column["implementation"].as_str().unwrap()));
    });
}

fn verdicts(output: &Output) -> Vec<CellResult> {
    let comparison: Value =
        serde_json::from_str(&stdout(output)).unwrap_or_else(|_| panic!("{}", stderr(output)));
    let text = |of: &Value| of.as_str().unwrap_or_default().to_string();
    let result = |cell: &Value| {
        let name = format!("{} {}", text(&cell["implementation"]), cell["n"]);
        [name, text(&cell["verdict"]), text(&cell["why"]["reason"]), text(&cell["scope"])]
    };
    comparison["cells"].as_array().unwrap().iter().map(result).collect()
}

/// The verdict of a cell and the kind of reason.
pub fn of<'a>(verdicts: &'a [CellResult], cell: &str) -> [&'a str; 2] {
    let found = verdicts.iter().find(|[name, ..]| name == cell).unwrap_or_else(|| panic!("no {cell}"));
    [&found[1], &found[2]]
}

/// That after a change of the new run's samples a cell has this verdict and reason, and that all come to this code.
fn assert_verdict(change: fn(&mut Row) -> bool, asked: &[&str], expected: &str, code: i32) -> Two {
    let two = Two::copied();
    two.edit(change);
    let output = two.compare(&[asked, &["--format", "json"]].concat());
    let found =
        verdicts(&output).into_iter().map(|[cell, verdict, reason, _]| format!("{cell} {verdict} {reason}"));
    let found: Vec<String> = found.collect();
    assert!(found.iter().any(|one| one.trim_end() == expected), "{expected}: {found:?}");
    assert_eq!((output.status.code(), stderr(&output)), (Some(code), String::new()), "{expected}");
    two
}

fn staged(row: &mut Row, factor: f64) -> bool {
    scaled(row, "staged-load", factor)
}

/// Of Staged Load the later samples slower than the first.
fn apart(row: &mut Row) -> bool {
    let is_early = row.get("sample") < "3";
    staged(row, if is_early { 1.03 } else { 1.09 })
}

/// Of Staged Load the first few samples, slower.
fn few(row: &mut Row, count: &str) -> bool {
    (row.get("implementation") != "staged-load" || row.get("sample") < count) && staged(row, 1.2)
}

/// Of Staged Load all samples at a lower clock, but for one reading that is missing, and so much slower than the clock explains.
fn clocked(row: &mut Row, factor: f64) -> bool {
    let is_first = row.get("sample") == "0" && row.get("scope") == "kernel" && row.n() == 1024;
    if row.get("implementation") == "staged-load" {
        row.set("sm_mhz", if is_first { "" } else { "1500" });
    }
    staged(row, factor * 1980.0 / 1500.0)
}

fn throttled(row: &mut Row) -> bool {
    if row.get("implementation") == "katz-kider" {
        row.set("status", "throttled");
    }
    true
}

fn broken(row: &mut Row) -> bool {
    row.get("implementation") != "katz-kider" || row.get("sample") == "0" && fail(row, "3 entries are wrong")
}

fn by_total(row: &mut Row) -> bool {
    row.scale(if row.get("scope") == "total" { 1.5 } else { 1.0 });
    true
}

#[test]
fn a_verdict_follows_from_the_samples_of_its_cell_and_only_a_slower_or_failed_one_ends_with_1() {
    let says = |two: Two, asked: &[&str], first: &str| {
        let text = stdout(&two.compare(asked));
        assert!(text.starts_with(first), "{first}: {text}");
        text
    };
    let same = assert_verdict(|_| true, &[], "staged-load 1024 SAME", 0);
    says(same, &[], "Nothing became slower: 4 SAME.\n");
    // The floor of so small an n is 4.7%, and 2.4% from 2048 on; that of the CPU is 25%.
    let one = assert_verdict(|row| staged(row, 1.04), &[], "staged-load 1024 SAME", 1);
    says(one, &[], "1 cell became slower or failed: 1 SLOWER, 3 SAME.\n");
    assert_verdict(apart, &[], "staged-load 1024 NOISY wide-interval", 1);
    assert_verdict(|row| staged(row, 1.2), &[], "staged-load 1024 SLOWER", 1);
    assert_verdict(|row| scaled(row, "cpu-naive", 4.0), &[], "cpu-naive 1024 SLOWER", 1);
    let twelve = ["--threshold", "12"];
    let noisy = assert_verdict(|row| staged(row, 1.12), &twelve, "staged-load 1024 NOISY wide-interval", 3);
    says(noisy, &twelve, "No cell is SLOWER, but some are NOISY");
    assert_verdict(|row| staged(row, 1.14), &["--threshold", "15"], "staged-load 1024 SAME", 0);
    // Fewer than five samples decide nothing.
    assert_verdict(|row| few(row, "5"), &[], "staged-load 1024 SLOWER", 1);
    assert_verdict(|row| few(row, "4"), &[], "staged-load 1024 NOISY few-samples", 3);
    // A lower clock is no slower kernel, unless it is slower still.
    let clocks = assert_verdict(|row| clocked(row, 1.0), &[], "staged-load 1024 NOISY clocks-differ", 3);
    assert!(says(clocks, &["--all"], "").contains("in cycles"));
    assert_verdict(|row| clocked(row, 1.2), &[], "staged-load 1024 SLOWER", 1);
    // Of what was throttled in every sample there is no time, through no fault of the build.
    assert_verdict(throttled, &[], "katz-kider 1024 NOISY untimed", 3);
    let failed = assert_verdict(broken, &[], "katz-kider 1024 FAILED untimed", 1);
    let told = "FAILED: failed in NEW: 3 entries are wrong: katz-kider n = 1024.\n";
    assert!(says(failed, &[], "1 cell became slower or failed").contains(told));
    let unmeasured = |row: &mut Row| row.get("implementation") != "cpu-naive";
    assert_verdict(unmeasured, &[], "cpu-naive 1024 FAILED no-record", 1);
    // Only equal scopes are compared.
    assert_verdict(by_total, &[], "staged-load 1024 SAME", 0);
    let of_total = ["--scope", "total"];
    let total = assert_verdict(by_total, &of_total, "staged-load 1024 SLOWER", 1);
    assert!(says(total, &[&of_total[..], &["--all"]].concat(), "").contains("scope total"));
}

#[test]
fn what_one_run_alone_was_to_measure_is_gone_or_new_and_what_is_broken_in_both_is_no_change() {
    let two = Two::copied();
    two.edit(|row| row.get("implementation") != "cpu-naive" && broken(row));
    plan(&two.new_run(), |implementation| implementation != "cpu-naive");
    assert_eq!(of(&two.verdicts(&[]), "cpu-naive 1024"), ["GONE", ""]);
    let backwards = two.compare_sides(["new", "base"], &["--format", "json"]);
    let verdicts = self::verdicts(&backwards);
    assert_eq!(of(&verdicts, "katz-kider 1024"), ["NEW", "untimed"]);
    assert_eq!(of(&verdicts, "cpu-naive 1024")[0], "NEW");
    assert_eq!(backwards.status.code(), Some(0), "{}", stderr(&backwards));
    // No reader may take it for one that holds.
    edit_rows(&two.base().join("samples.csv"), broken);
    let text = stdout(&two.compare(&[]));
    assert!(text.contains("In no verdict, as they failed in both: katz-kider n = 1024."), "{text}");
    assert!(two.verdicts(&[]).iter().all(|[cell, ..]| !cell.starts_with("katz")));
}

/// As on the CPU beside others with a tenth of its cores, or more; on the GPU without and with a reason to hold clocks down.
#[test]
fn what_was_measured_under_load_or_throttled_is_inconclusive_whatever_it_took() {
    for (implementation, column, [little, much], told) in [
        ("cpu-naive", "others_load", ["0.1", "1.9"], "under load"),
        ("staged-load", "throttled_by", ["", "thermal"], "throttled"),
    ] {
        for (marked, factor, first, code) in [
            ([false, false], 3.0, "1 cell became slower", 1),
            ([true, false], 3.0, "No cell is SLOWER, but some are NOISY", 3),
            ([false, true], 1.0001, "No cell is SLOWER, but some are NOISY", 3),
            ([true, true], 0.3, "No cell is SLOWER, but some are NOISY", 3),
        ] {
            let two = Two::copied();
            for (side, is_marked) in [two.base(), two.new_run()].iter().zip(marked) {
                // Of the samples of a cell one is enough.
                edit_rows(&side.join("samples.csv"), |row| {
                    row.set(column, if is_marked && row.get("sample") == "0" { much } else { little });
                    row.get("implementation") == implementation && row.n() == 1024
                });
                plan(side, |planned| planned == implementation);
                edit_manifest(side, |manifest| manifest["experiment"]["columns"][0]["sizes"] = json!([1024]));
            }
            two.scale(implementation, factor);
            let case = format!("{implementation} {factor} {marked:?}");
            let output = two.compare(&[]);
            let text = stdout(&output);
            assert!(output.status.code() == Some(code) && text.starts_with(first), "{case}: {text}");
            for (side, is_marked) in ["BASE", "NEW"].iter().zip(marked) {
                assert_eq!(text.contains(&format!("{side} was {told}")), is_marked, "{case}: {text}");
            }
        }
    }
}

/// Another GPU of the model and another compiler are told.
#[test]
fn another_device_driver_graph_or_pairing_is_refused_unless_it_is_asked_for() {
    type Edit = fn(&mut Value);
    let cases: [(Option<&str>, Edit, &str); 6] = [
        (
            Some("pairing"),
            |manifest| manifest["pair"] = json!({"id": "x", "side": "new"}),
            "in turn with another build",
        ),
        (
            Some("device"),
            |manifest| manifest["environment"]["device"]["info"]["name"] = json!("NVIDIA B300"),
            "NVIDIA B300",
        ),
        (Some("driver"), |manifest| manifest["environment"]["device"]["driver"] = json!("999.1"), "999.1"),
        (
            Some("graph"),
            |manifest| manifest["experiment"]["graphs"][0]["source"]["seed"] = json!(77),
            "seed 77",
        ),
        (None, |manifest| manifest["environment"]["device"]["info"]["uuid"] = json!("GPU-2"), ", GPU-2 now"),
        (
            None,
            |manifest| manifest["environment"]["device"]["compiler"] = json!("NVRTC 99.9 (sm_90)"),
            "NVRTC 99.9 (sm_90) now",
        ),
    ];
    for (across, edit, told) in cases {
        let two = Two::copied();
        edit_manifest(&two.new_run(), edit);
        let asked = across.map_or(vec![], |across| {
            assert_refused(&two.compare(&[]), &["base and new", told, &format!("--across {across}")]);
            vec!["--across", across]
        });
        let output = two.compare(&asked);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains(told), "{told}: {}", stdout(&output));
        assert!(across.is_some() || stdout(&output).contains("all the same: "), "{}", stdout(&output));
    }
    let two = Two::copied();
    edit_manifest(&two.new_run(), |manifest| manifest["environment"] = json!(null));
    assert_refused(&two.compare(&[]), &["machine: known before, not known of new now", "--across device"]);
    // Another result means another graph.
    let two = Two::copied();
    two.edit(|row| {
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
    let verdicts = two.verdicts(&[]);
    assert_eq!(of(&verdicts, "cpu-naive 1024"), ["NOISY", "other-cpu"]);
    assert_eq!(of(&verdicts, "staged-load 1024")[0], "SAME");
    assert!(stdout(&two.compare(&[])).contains("Abacus 3 (32 threads) now"));
    // Where all cells run on the CPU there is nothing left to compare.
    for side in [two.base(), two.new_run()] {
        keep(&side, |implementation, _| implementation == "cpu-naive");
    }
    assert_refused(&two.compare(&[]), &["CPU: ", "Abacus 3", "--across device"]);
    assert_ne!(of(&two.verdicts(&["--across", "device"]), "cpu-naive 1024")[1], "other-cpu");
}

#[test]
fn one_run_is_compared_and_of_a_folder_with_several_one_has_to_be_named() {
    let two = Two::copied();
    copy("h200/block-shapes", &two.0.path().join("others"));
    for (sides, told) in [
        ([".", "new"], &["3 runs below it", "as in ./"][..]),
        (["old", "new"], &["old"]),
        (["new", "base/../new"], &["new is compared with itself"]),
        (["base", "others"], &["have no cell in common"]),
    ] {
        assert_refused(&two.compare_sides(sides, &[]), told);
    }
}

#[test]
fn an_unfinished_and_torn_run_is_compared_as_far_as_it_goes_and_ends_with_3_and_how_to_go_on() {
    let two = Two::copied();
    keep(&two.base(), |implementation, _| implementation != "cpu-naive");
    keep(&two.new_run(), |implementation, n| implementation == "staged-load" && n == 1024);
    edit_manifest(&two.new_run(), |manifest| manifest["finished"] = json!(null));
    two.scale("staged-load", 1.0001);
    tear(&two.new_run().join("samples.csv"));
    let verdicts = two.verdicts(&[]);
    assert_eq!(of(&verdicts, "katz-kider 1024"), ["NOISY", "unfinished"]);
    assert_eq!(of(&verdicts, "staged-load 1024")[0], "SAME");
    let output = two.compare(&[]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    for told in [
        "NEW is not finished: repro run --resume new goes on with it and has ",
        "bytes at its end that are no whole sample.\n",
        "NOISY: NEW is not finished: katz-kider n = 1024, staged-load n = 2048.\n",
    ] {
        assert!(stdout(&output).contains(told), "{told}: {}", stdout(&output));
    }
    // What it was never to measure is gone.
    plan(&two.new_run(), |implementation| implementation != "katz-kider");
    assert_eq!(of(&two.verdicts(&[]), "katz-kider 1024"), ["GONE", ""]);
}

/// Fifty cells of as many verdicts as there are, on a terminal of 100 columns.
#[test]
fn what_fifty_cells_come_to_is_read_on_one_screen() {
    let two = Two::of(TABLE1);
    // By amounts that have nothing to do with each other.
    two.edit(|row| {
        row.scale(0.7 + (row.n() / 1024 * 7 % 13) as f64 / 13.0);
        true
    });
    let mut command = repro();
    command.current_dir(two.0.path()).args(["compare", "base", "new"]).env("COLUMNS", "100");
    let text = stdout(&command.output().unwrap());
    assert!(text.lines().count() <= 30, "{} lines: {text}", text.lines().count());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.contains("more: --all lists every cell"), "{text}");
}

/// Records may come from anybody.
#[test]
fn what_a_record_holds_is_escaped_for_where_it_goes() {
    let two = Two::copied();
    two.edit(|row| match row.get("implementation") {
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

/// One cell of each kind of verdict that needs no damage.
fn changed() -> Two {
    let two = Two::copied();
    two.scale("staged-load", 1.2);
    two.scale("katz-kider", 0.85);
    two
}

#[test]
fn the_terminal_markdown_and_json_say_it_whole() {
    let two = changed();
    insta::assert_snapshot!("terminal", stdout(&two.compare(&[])));
    insta::assert_snapshot!("markdown", stdout(&two.compare(&["--format", "markdown"])));
    insta::assert_snapshot!("json", stdout(&two.compare(&["--format", "json"])));
}

#[test]
fn annotations_have_an_error_for_each_change_that_is_slower() {
    let text = stdout(&changed().compare(&["--format", "annotations"]));
    let error =
        "::error title=repro::staged-load n = 1024, 2048: SLOWER, 1.2000 to 1.2000 times the baseline\n";
    let notice = "::notice title=repro::2 cells became slower or failed: 2 SLOWER, 1 FASTER, 1 SAME.\n";
    assert_eq!(text, format!("{error}{notice}"));
}

#[test]
fn google_benchmark_has_nanoseconds_by_names_that_stay() {
    let (folder, run) = (tempfile::tempdir().unwrap(), reference("h200/undirected"));
    copy("h200/undirected", &folder.path().join("new"));
    let mut command = repro();
    command.arg("compare").arg(run).arg(folder.path().join("new")).args(["--format", "google-benchmark"]);
    let text = stdout(&command.output().unwrap());
    let value: Value = serde_json::from_str(&text).unwrap();
    let all = value["benchmarks"].as_array().unwrap();
    let names: BTreeSet<&str> = all.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), all.len());
    assert!(names.contains("undirected/register-blocked/n=16384/half=1"), "{names:?}");
    for one in all {
        assert!(one["real_time"].as_f64().unwrap() > 1e5 && one["time_unit"] == "ns", "{one}");
    }
}
