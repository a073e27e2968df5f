//! `repro rank` over the committed runs and over copies of them that were changed.

use crate::common::stored::{
    DEPTH, KAPPA, PHASES, Row, STRUCTURE, TABLE1, copy, edit_manifest, edit_rows, fail, reference,
};
use crate::common::{assert_refused, repro, run, stderr, stdout};
use repro::results::StoredRun;
use repro::timing::Scope;
use repro_base::CellId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn rank(runs: &[&Path], arguments: &[&str]) -> std::process::Output {
    repro().arg("rank").args(runs).args(arguments).output().unwrap()
}

fn json(runs: &[&Path], arguments: &[&str]) -> Value {
    let output = rank(runs, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn cells(ranking: &Value) -> &[Value] {
    ranking["cells"].as_array().unwrap()
}

fn number(cell: &Value, pointer: &str) -> f64 {
    cell.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {pointer} in {cell}"))
}

/// What cells that are compared have in common.
fn group(cell: &Value) -> String {
    let mut graph = cell["graph"].clone();
    graph.as_object_mut().unwrap().remove("seed");
    format!(
        "{} {} {graph} {} {} {}",
        cell["machine"], cell["clock"], cell["sharded"], cell["element"], cell["n"]
    )
}

/// Names in their order, of those at one n by one clock.
fn names<'a>(ranking: &'a Value, clock: &str, n: u64) -> Vec<&'a str> {
    let of = cells(ranking).iter().filter(|cell| cell["clock"] == clock && cell["n"] == n);
    of.map(|cell| cell["implementation"].as_str().unwrap()).collect()
}

#[test]
fn one_table_has_what_varies_in_columns_and_the_rest_above() {
    let folder = reference(TABLE1);
    insta::assert_snapshot!("table1", stdout(&rank(&[&folder], &["--n", "1024,8192"])));
    let markdown = stdout(&rank(&[&folder], &["--n", "1024", "--top", "1", "--markdown"]));
    let title = "### Fastest first, by scope kernel, machine: NVIDIA H200, graph: density 1, weights to 1000, type: f32, n: 1024, ";
    assert!(
        markdown.starts_with(title) && markdown.contains("| events |     1 |    staged-load |"),
        "{markdown}"
    );
}

/// In every group of comparable cells, whatever was measured.
#[test]
fn places_follow_the_medians_of_comparable_cells() {
    let folders =
        [TABLE1, "h200/densities", "h200/tile-sweep", "h200/undirected", "h200-x2/scaling"].map(reference);
    let folders: Vec<&Path> = folders.iter().map(|folder| folder.as_path()).collect();
    let stored: BTreeMap<String, StoredRun> =
        folders.iter().map(|folder| StoredRun::open(folder).unwrap()).map(|run| (run.name(), run)).collect();
    let (best, all) = (json(&folders, &[]), json(&folders, &["--all"]));
    let mut known: Vec<String> = Vec::new();
    for group in cells(&best).chunk_by(|a, b| group(a) == group(b)) {
        let first = &group[0];
        let name = self::group(first);
        assert!(!known.contains(&name), "{name} has two groups");
        known.push(name.clone());
        for (at, cell) in group.iter().enumerate() {
            let seconds = number(cell, "/seconds/value");
            assert!(at == 0 || seconds >= number(&group[at - 1], "/seconds/value"), "{cell}");
            assert_eq!(cell["place"], at + 1, "{cell}");
            assert!(
                (number(cell, "/over_first") * number(first, "/seconds/value") / seconds - 1.0).abs() < 1e-12
            );
            let is_tied = at > 0 && number(cell, "/seconds/low") <= number(first, "/seconds/high");
            assert_eq!(cell["tied_with_first"], is_tied, "{cell}");
            // Of all its sets of parameters the fastest.
            let is_same = |other: &&Value| {
                self::group(other) == name
                    && ["implementation", "devices", "processes"].iter().all(|key| other[key] == cell[key])
            };
            let sets: Vec<&Value> = cells(&all).iter().filter(is_same).collect();
            assert_eq!(cell["parameter_sets"], sets.len(), "{cell}");
            assert!(sets.iter().all(|set| number(set, "/seconds/value") >= seconds), "{cell}");
            // As records have it.
            let run = &stored[cell["run"].as_str().unwrap()];
            let is_it = |id: &CellId| {
                *id.implementation == cell["implementation"]
                    && id.n == cell["n"]
                    && run
                        .cell(id)
                        .time(Scope::Kernel)
                        .is_some_and(|time| (time.value / seconds - 1.0).abs() < 1e-12)
            };
            let (id, _) = run
                .results
                .times
                .by(Scope::Kernel)
                .find(|(id, _)| is_it(id))
                .unwrap_or_else(|| panic!("{cell}"));
            assert!((number(cell, "/tasks_per_s") * seconds / run.tasks(id) - 1.0).abs() < 1e-12);
            assert_eq!(cell["clock"] == "host", !run.is_on_device(&id.implementation), "{cell}");
        }
    }
    assert!(known.len() > 20 && cells(&all).len() > cells(&best).len() + 20, "{}", known.len());
}

#[test]
fn who_has_none_beside_it_is_left_out_where_others_have_and_shown_where_asked_for() {
    let of = |run: &str, arguments: &[&str]| {
        let ranking = json(&[&reference(run)], arguments);
        let groups = cells(&ranking).chunk_by(|a, b| group(a) == group(b));
        (groups.filter(|group| group.len() == 1).count(), ranking["alone"].as_u64().unwrap())
    };
    let (shown, alone) = of("h200/frontier", &[]);
    assert!(shown == 0 && alone > 0, "{alone}");
    assert_eq!(of("h200/frontier", &["--all"]), (alone as usize, 0));
    assert_eq!(of("h200/frontier", &["--n", "16384"]).1, 0);
    // Of a run of one implementation that is everything.
    assert_eq!(of("h100/negative", &["--top", "1"]).1, 0);
}

#[test]
fn the_hosts_clock_compares_gpu_and_cpu() {
    let by_host = json(&[&reference(TABLE1)], &["--scope", "host", "--n", "1024"]);
    let together = names(&by_host, "host", 1024);
    assert!(together.contains(&"cpu-parallel") && together.contains(&"staged-load"), "{together:?}");
    assert_eq!(cells(&by_host).len(), together.len());
}

#[test]
fn of_runs_of_one_machine_the_newest_counts_and_one_in_turns_only_alone() {
    let folders = ["h200/table1", "h200/table1-guard-again", "h200/table1-beside-itself-new"].map(reference);
    let of = |folders: &[&Path]| {
        let ranking = json(folders, &["--n", "1024"]);
        let mut runs: Vec<String> =
            cells(&ranking).iter().map(|cell| cell["run"].as_str().unwrap().to_string()).collect();
        runs.dedup();
        (runs, cells(&ranking).iter().all(|cell| cell["in_turns"] == true))
    };
    let [newest, older, in_turns] = &folders;
    assert_eq!(of(&[newest, older, in_turns]), (vec!["table1".to_string()], false));
    assert_eq!(of(&[older, in_turns]), (vec!["table1-guard-again".to_string()], false));
    assert_eq!(of(&[in_turns]), (vec!["table1-beside-itself-new".to_string()], true));
}

/// A copy of the run of Table 1 that `edit` changes.
fn changed(edit: impl FnOnce(&Path)) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("changed");
    copy(TABLE1, &run);
    edit(&run);
    (folder, run)
}

#[test]
fn another_machine_stands_apart_and_another_seed_does_not() {
    for (pointer, value, places) in [
        ("/environment/device/info/name", Value::from("Other GPU"), 8),
        ("/experiment/graphs/0/source/seed", 7.into(), 4),
        ("/experiment/graphs/0/source/max_weight", 7.into(), 8),
    ] {
        let edit = |manifest: &mut Value| *manifest.pointer_mut(pointer).unwrap() = value;
        let (_folder, other) = changed(|run| edit_manifest(run, edit));
        let ranking = json(&[&reference(TABLE1), &other], &["--n", "1024"]);
        assert_eq!(names(&ranking, "events", 1024).len(), places, "{pointer}");
    }
}

#[test]
fn hosts_without_a_gpu_that_differ_in_threads_are_machines_of_their_own() {
    let [few, many] = [8, 16].map(|threads| {
        let edit = |manifest: &mut Value| {
            manifest["environment"]["device"] = Value::Null;
            manifest["environment"]["host"]["threads"] = threads.into();
        };
        changed(|run| edit_manifest(run, edit))
    });
    let ranking = json(&[&few.1, &many.1], &["--n", "1024"]);
    let mut machines: Vec<&str> =
        cells(&ranking).iter().map(|cell| cell["machine"].as_str().unwrap()).collect();
    machines.dedup();
    let ends = ["no GPU, 8 threads", "no GPU, 16 threads"];
    assert!(
        machines.len() == 2 && ends.iter().all(|end| machines.iter().any(|one| one.ends_with(end))),
        "{machines:?}"
    );
}

/// Also where both have the same name.
#[test]
fn a_kernel_that_was_given_to_a_run_is_none_of_ours() {
    let own = serde_json::json!(
        { "file": "own.toml", "folder": "/", "name": "staged-load", "text": "", "sources": [] }
    );
    let give = |manifest: &mut Value| manifest["experiment"]["given"] = vec![own].into();
    let (_folder, given) = changed(|run| edit_manifest(run, give));
    let ranking = json(&[&reference(TABLE1), &given], &["--n", "1024"]);
    let mut known: Vec<bool> = cells(&ranking)[..2].iter().map(|cell| cell["external"] == true).collect();
    known.sort_unstable();
    assert_eq!((&names(&ranking, "events", 1024)[..2], known), (&["staged-load"; 2][..], vec![false, true]));
}

#[test]
fn a_cell_that_failed_has_no_place_and_is_counted_with_its_reason() {
    let failing = |row: &mut Row| {
        let is_it = row.get("implementation") == "staged-load" && row.n() == 1024;
        !is_it || fail(row, "entry (3, 4) is 7, not 5")
    };
    let (_folder, changed) = changed(|run| _ = edit_rows(&run.join("samples.csv"), failing));
    let ranking = json(&[&changed], &["--n", "1024"]);
    assert!(!names(&ranking, "events", 1024).contains(&"staged-load"));
    let excluded = ranking["excluded"].as_array().unwrap();
    let failed = excluded.iter().filter(|cell| cell["status"] == "failed");
    assert_eq!(failed.map(|cell| &cell["implementation"]).collect::<Vec<_>>(), ["staged-load"]);
    let text = stdout(&rank(&[&changed], &["--n", "1024"]));
    let told = "Left out: 1 failed; for example staged-load n = 1024 in changed: entry (3, 4) is 7, not 5";
    assert!(text.contains(told), "{text}");
}

#[test]
fn a_scope_that_is_no_time_of_a_solve_and_what_was_not_measured_are_refused() {
    let folder = reference(TABLE1);
    let folder = folder.to_str().unwrap();
    for scope in ["host-unsynced", "program-own", "first-host", "os-synced", "copy-in-pageable"] {
        let refused = run(&["rank", folder, "--scope", scope]);
        let told = "expected the time of a whole solve: one of cuda-graph";
        assert!(refused.status.code() == Some(2) && stderr(&refused).contains(told), "{scope}");
    }
    assert_refused(&run(&["rank", folder, "--n", "77"]), &["nothing to rank", "leave out --n"]);
    assert_refused(&run(&["rank", folder, "--scope", "program"]), &["nothing to rank", "another --scope"]);
    assert_refused(&rank(&[&reference(STRUCTURE)], &[]), &["nothing to rank", "counted", "repro report"]);
    assert_refused(&run(&["rank", "no-such-folder"]), &["no-such-folder"]);
    assert_eq!(run(&["rank", folder, "--json", "--markdown"]).status.code(), Some(2));
}

#[test]
fn no_line_is_wider_than_the_terminal_from_80_columns_on() {
    for (run, columns) in [(TABLE1, 80), (KAPPA, 100), (PHASES, 80), (DEPTH, 100), ("h200/frontier", 80)] {
        let mut command = repro();
        command.env("COLUMNS", columns.to_string()).arg("rank").arg(reference(run)).arg("--all");
        let text = stdout(&command.output().unwrap());
        let is_wide = |line: &&str| unicode_width::UnicodeWidthStr::width(*line) > columns;
        assert!(!text.is_empty() && !text.lines().any(|line| is_wide(&line)), "{run}: {text}");
    }
}

#[test]
fn programs_are_ranked_by_the_clocks_that_they_have_and_marked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored/programs");
    let solve = json(&[&folder], &["--scope", "program-solve"]);
    assert_eq!(names(&solve, "host", 256), ["scipy-floyd-warshall"]);
    assert_eq!(names(&json(&[&folder], &["--scope", "program"]), "host", 256).len(), 2);
    let kernel = json(&[&folder], &[]);
    assert_eq!(names(&kernel, "host", 256), ["cpu-naive"]);
    assert_eq!([&solve, &kernel].map(|one| cells(one)[0]["external"].as_bool()), [Some(true), Some(false)]);
    assert_eq!([&solve, &kernel].map(|one| one["excluded"].as_array().unwrap().len()), [4, 4]);
    let text = |scope| stdout(&rank(&[&folder], &["--scope", scope]));
    // What a time rests on stands below its table, and below no other.
    let (trusted, kernel) = (text("program-solve"), text("kernel"));
    assert!(
        trusted.contains("trusts each program's adapter") && trusted.contains("not of repro"),
        "{trusted}"
    );
    assert!(!kernel.contains("trusts") && kernel.contains("3 not timed in scope kernel"), "{kernel}");
}
