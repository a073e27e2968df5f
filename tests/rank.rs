//! `repro rank` over the committed runs and over copies of them that were changed.

use crate::common::stored::{
    DEPTH, KAPPA, PHASES, STRUCTURE, TABLE1, copy, edit_manifest, edit_rows, fail, redigest, reference,
};
use crate::common::{assert_refused, repro, run, stderr, stdout};
use repro::results::{StoredRun, SummaryRow};
use serde_json::Value;
use std::path::Path;

fn rank(runs: &[&Path], arguments: &[&str]) -> std::process::Output {
    repro().arg("rank").args(runs).args(arguments).output().unwrap()
}

fn json(runs: &[&Path], arguments: &[&str]) -> Value {
    let output = rank(runs, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn list<'a>(ranking: &'a Value, clock: &str, n: u64) -> &'a Value {
    let lists = ranking["lists"].as_array().unwrap();
    lists
        .iter()
        .find(|list| list["clock"] == clock && list["n"] == n)
        .unwrap_or_else(|| panic!("no list {n}"))
}

/// Numbers of lines change with every kernel, and so does whether they are those of the kernels that ran.
fn without_lines(text: &str) -> String {
    let mut column = None;
    let masked = |line: &str| {
        let mut cells: Vec<String> = line.split('┆').map(String::from).collect();
        column = cells.iter().position(|cell| cell.trim() == "lines").or(column);
        let lines = column.and_then(|at| cells.get_mut(at));
        if let Some(cell) = lines.filter(|cell| cell.contains(|c: char| c.is_ascii_digit())) {
            *cell = cell.replace(|c: char| c.is_ascii_digit() || c == '§', "0");
        }
        cells.join("┆") + "\n"
    };
    let text: String = text.lines().map(masked).collect();
    text.replace(" § was counted in this version's source, which is not known to be the one that ran.", "")
}

fn names(list: &Value) -> Vec<&str> {
    let entries = list["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["implementation"].as_str().unwrap()).collect()
}

#[test]
fn a_league_table_has_lists_by_clock_with_all_that_a_reader_compares_by() {
    let folder = reference(TABLE1);
    let text = stdout(&rank(&[&folder], &["--n", "1024,8192"]));
    insta::assert_snapshot!("table1", without_lines(&text));
    let markdown = stdout(&rank(&[&folder], &["--n", "1024", "--top", "2", "--markdown"]));
    for part in [
        "### n = 1024, f32, complete graphs: NVIDIA H200, by GPU events (scope kernel)\n\n|   |    implementation |",
        "| 2 | optimized-blocked |        1759 | 1757 to 1761 |       9 |       0.9881 |        7.89% |         - |",
        "lund-smith-2010 §4, Table 1 column 4 |\n\nand 2 more\n",
    ] {
        assert!(markdown.contains(part), "no {part} in: {markdown}");
    }
}

#[test]
fn event_times_and_the_hosts_never_share_a_list_unless_the_host_timed_both() {
    let folder = reference(TABLE1);
    for scope in ["kernel", "device", "total"] {
        let ranking = json(&[&folder], &["--scope", scope]);
        for list in ranking["lists"].as_array().unwrap() {
            let on_cpu = |name: &&str| name.starts_with("cpu-");
            let expected = list["clock"] == "host";
            assert!(names(list).iter().all(|name| on_cpu(name) == expected), "{scope}: {list}");
        }
    }
    let by_host = json(&[&folder], &["--scope", "host", "--n", "1024"]);
    let together = names(list(&by_host, "host", 1024));
    assert!(together.contains(&"cpu-parallel") && together.contains(&"staged-load"), "{together:?}");
    assert_eq!(by_host["lists"].as_array().unwrap().len(), 1);
}

#[test]
fn ranks_follow_the_medians_and_shares_the_ceilings() {
    let folder = reference(TABLE1);
    let ranking = json(&[&folder], &[]);
    let list = list(&ranking, "events", 4096);
    let seconds: Vec<f64> = list["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["seconds"]["value"].as_f64().unwrap())
        .collect();
    assert!(seconds.is_sorted() && seconds.len() == 4, "{seconds:?}");
    let run = StoredRun::open(&folder).unwrap();
    for entry in list["entries"].as_array().unwrap() {
        let is_it =
            |row: &&SummaryRow| row.n == 4096 && entry["implementation"] == row.implementation.as_str();
        let median = run.results.summary.iter().find(is_it).unwrap().median_s.unwrap();
        assert!((entry["seconds"]["value"].as_f64().unwrap() / median - 1.0).abs() < 1e-12);
        let rate = entry["tasks_per_s"]["value"].as_f64().unwrap();
        assert!((rate * median / 4096f64.powi(3) - 1.0).abs() < 1e-12);
        assert!((entry["of_first"].as_f64().unwrap() - seconds[0] / median).abs() < 1e-12);
        // Every multiprocessor's issue slots allow 22.3 × 10¹² tasks/s at the highest clock.
        let share = entry["of_floor"].as_f64().unwrap();
        assert!((share / (rate / 22.3e12) - 1.0).abs() < 0.05, "{entry}");
    }
}

#[test]
fn runs_of_one_machine_are_one_list_and_the_newest_build_counts() {
    let (older, newer) = (reference("h200/frontier"), reference("h200/table1"));
    let ranking = json(&[&older, &newer], &["--n", "4096", "--elements", "f32"]);
    let list = list(&ranking, "events", 4096);
    assert_eq!(names(list)[0], "register-blocked");
    let of = |name: &str| {
        list["entries"].as_array().unwrap().iter().find(|one| one["implementation"] == name).unwrap()
    };
    assert_eq!(
        (of("staged-load")["run"].as_str(), of("register-blocked")["run"].as_str()),
        (Some("table1"), Some("frontier"))
    );
}

#[test]
fn another_machine_stands_apart() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    copy(TABLE1, &other);
    edit_manifest(&other, |manifest| manifest["environment"]["device"]["info"]["name"] = "Other GPU".into());
    let ranking = json(&[&reference(TABLE1), &other], &["--n", "1024"]);
    let lists = ranking["lists"].as_array().unwrap();
    let mut machines: Vec<&str> = lists
        .iter()
        .filter(|list| list["clock"] == "events")
        .map(|list| list["machine"].as_str().unwrap())
        .collect();
    machines.sort_unstable();
    assert_eq!(machines, ["NVIDIA H200", "Other GPU"]);
    assert!(lists.iter().filter(|list| list["clock"] == "events").all(|list| names(list).len() == 4));
}

#[test]
fn a_cell_that_failed_has_no_place_and_stands_at_the_foot_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed");
    copy(TABLE1, &changed);
    edit_rows(&changed.join("samples.csv"), |row| {
        let is_it = row.get("implementation") == "staged-load" && row.n() == 1024;
        !is_it || fail(row, "entry (3, 4) is 7, not 5")
    });
    let ranking = json(&[&changed], &["--n", "1024"]);
    assert!(!names(list(&ranking, "events", 1024)).contains(&"staged-load"));
    let left_out = ranking["left_out"].as_array().unwrap();
    let failed: Vec<&Value> = left_out.iter().filter(|one| one["status"] == "failed").collect();
    assert_eq!(failed.len(), 1, "{left_out:?}");
    let text = stdout(&rank(&[&changed], &["--n", "1024"]));
    let line = "changed: staged-load n = 1024 failed: entry (3, 4) is 7, not 5";
    assert!(text.lines().any(|one| one.trim() == line), "{text}");
}

#[test]
fn a_user_kernel_is_marked_and_has_no_lines_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed");
    copy(TABLE1, &changed);
    let renamed = |file: &str| {
        let path = changed.join(file);
        let text = std::fs::read_to_string(&path).unwrap().replace("staged-load", "their-kernel");
        std::fs::write(path, text).unwrap();
    };
    ["samples.csv", "manifest.json"].into_iter().for_each(renamed);
    redigest(&changed);
    let ranking = json(&[&changed], &["--n", "1024"]);
    let first = &list(&ranking, "events", 1024)["entries"][0];
    assert_eq!((&first["implementation"], &first["origin"]), (&"their-kernel".into(), &"external".into()));
    assert!(first["lines"].is_null());
    let text = stdout(&rank(&[&changed], &["--n", "1024"]));
    assert!(text.contains("their-kernel*") && text.contains("* is not of this program"), "{text}");
    assert!(!text.contains("katz-kider*"));
}

#[test]
fn an_emulated_run_is_listed_by_what_was_counted_and_never_by_time() {
    let folder = reference(STRUCTURE);
    let ranking = json(&[&folder], &[]);
    assert_eq!(ranking["lists"], Value::Array(Vec::new()));
    let entry = &ranking["counted"][0]["entries"][0];
    assert!(entry["seconds"].is_null() && entry["sector_bytes_a_task"].as_f64() > Some(0.0), "{entry}");
}

#[test]
fn lists_of_one_implementation_are_left_out_where_others_are_and_asked_for_are_shown() {
    let frontier = reference("h200/frontier");
    let lists = |arguments: &[&str]| {
        let ranking = json(&[&frontier], arguments);
        ranking["lists"].as_array().unwrap().iter().map(|list| names(list).len()).collect::<Vec<_>>()
    };
    assert!(lists(&[]).iter().all(|places| *places > 1));
    assert!(lists(&["--n", "16384"]).contains(&1));
    assert!(lists(&["--all"]).len() > lists(&[]).len());
}

#[test]
fn a_scope_that_is_no_time_of_a_solve_and_what_was_not_measured_are_refused() {
    let folder = reference(TABLE1);
    let folder = folder.to_str().unwrap();
    let refused = run(&["rank", folder, "--scope", "host-unsynced"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("expected the time of a whole solve: one of cuda-graph"),
        "{}",
        stderr(&refused)
    );
    assert_refused(&run(&["rank", folder, "--n", "77"]), &["nothing to rank", "leave out --n"]);
    assert_refused(&run(&["rank", "no-such-folder"]), &["no-such-folder"]);
    assert_eq!(run(&["rank", folder, "--json", "--markdown"]).status.code(), Some(2));
}

#[test]
fn no_line_is_wider_than_the_terminal_from_80_columns_on() {
    for run in [TABLE1, STRUCTURE, KAPPA, PHASES, DEPTH].map(reference) {
        for columns in ["80", "100"] {
            let output = repro().env("COLUMNS", columns).arg("rank").arg(&run).arg("--all").output().unwrap();
            let text = stdout(&output);
            let wide = text
                .lines()
                .find(|line| unicode_width::UnicodeWidthStr::width(*line) > columns.parse().unwrap());
            assert!(!text.is_empty() && wide.is_none(), "{wide:?}");
        }
    }
}

#[test]
fn programs_are_ranked_by_the_clocks_that_they_have_and_named_where_they_have_none() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored/programs");
    let solve = json(&[&folder], &["--scope", "program-solve"]);
    assert_eq!(names(list(&solve, "host", 256)), ["scipy-floyd-warshall"]);
    assert_eq!(names(list(&json(&[&folder], &["--scope", "program"]), "host", 256)).len(), 2);
    let kernel = json(&[&folder], &[]);
    assert_eq!(names(list(&kernel, "host", 256)), ["cpu-naive"]);
    // What a time rests on stands below its list, and below no other.
    for (scope, words) in [
        ("program-solve", "rests on the word of each program"),
        ("program", "has all that a program computes"),
    ] {
        let below = |scope: &str| stdout(&rank(&[&folder], &["--scope", scope])).contains(words);
        assert!(below(scope) && !below("kernel"), "{scope}");
    }
    let left_out = |ranking: &Value| ranking["left_out"].as_array().unwrap().len();
    assert_eq!((left_out(&kernel), left_out(&solve)), (3, 3));
    let text = stdout(&rank(&[&folder], &[]));
    assert!(text.contains("3 cells ok: timed, and not in scope kernel"), "{text}");
}

#[test]
fn a_share_of_a_ceiling_that_was_passed_is_marked() {
    // The fastest does 509.8 × 10⁹ tasks/s.
    for (ceiling, share, is_marked) in [(800e9, " 63.7% ", false), (450e9, " 113% † ", true)] {
        let folder = tempfile::tempdir().unwrap();
        copy("h200/peers", folder.path());
        edit_rows(&folder.path().join("samples.csv"), |row| {
            row.set("others_load", "0.01");
            row.get("implementation") == "cpu-parallel"
        });
        edit_manifest(folder.path(), |manifest| {
            manifest["environment"]["ceilings"]["cpu_tasks_per_s"] = ceiling.into();
        });
        let text = stdout(&rank(&[folder.path()], &[]));
        assert!(text.contains(share), "{text}");
        assert_eq!(text.contains("or the ceiling that it passes was"), is_marked, "{text}");
    }
}
