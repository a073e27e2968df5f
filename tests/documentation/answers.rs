//! Sentences of README.md and docs have the numbers of the committed report and runs.

use super::{root, text_of};
use crate::reports::reference_report::made;
use repro::graph::ElementType;
use repro::implementation::stored;
use repro::results::{StoredRun, SummaryRow};
use repro::timing::Scope;
use repro_types::CellId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

fn claim<'a>(claims: &'a Value, id: &str) -> &'a Value {
    claims["claims"].as_array().unwrap().iter().find(|claim| claim["id"] == id).unwrap()
}

/// What every machine measured for a claim, with its n where it has one.
fn measured(claims: &Value, id: &str) -> Vec<(f64, Option<u64>)> {
    let claim = claim(claims, id);
    let points =
        claim["results"].as_array().unwrap().iter().flat_map(|one| one["points"].as_array().unwrap());
    points.map(|point| (point["measured"]["value"].as_f64().unwrap(), point["at"]["n"].as_u64())).collect()
}

/// What the H200 shows beside a number of another GPU, in three digits.
fn shown(claims: &Value, id: &str) -> f64 {
    let claim = claim(claims, id);
    let value = claim["results"][0]["shown"]["value"].as_f64().unwrap();
    assert_eq!(claim["results"][0]["machine"], "NVIDIA H200");
    (value / 10.0).round() * 10.0
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)))
}

fn committed_claims() -> Value {
    let text = std::fs::read_to_string(root().join("report/reference/claims.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The rows of a table by the names of their columns.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut table = csv::Reader::from_path(path).unwrap();
    table.deserialize().map(Result::unwrap).collect()
}

fn run(name: &str) -> StoredRun {
    StoredRun::open(&root().join("results/reference").join(name)).unwrap()
}

/// 10⁹ tasks a second of a cell of a committed run.
fn rate(name: &str, implementation: &str, n: usize, params: &str, graph: &str) -> f64 {
    run(name).row(&CellId::new(implementation, n, params, graph)).unwrap().tasks_per_s.unwrap() / 1e9
}

/// What a committed run has as the ceilings of additions with minima and of issue slots, 10⁹ tasks of `f32` a second.
fn ceilings(name: &str) -> [f64; 2] {
    let run = run(name);
    let device = run.environment().unwrap().ceilings.device.unwrap();
    let issue_slots = device.tasks_per_s(ElementType::F32, &run.device().unwrap().info, None).unwrap();
    [device.add_min_tasks_per_s / 1e9, issue_slots / 1e9]
}

/// Three digits of a number of five.
fn hundreds(value: f64) -> f64 {
    (value / 100.0).round() * 100.0
}

fn one_line(file: &str) -> String {
    text_of(file).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_numbers_of_sentences_in_the_readme_are_those_of_the_committed_report() {
    let claims = committed_claims();
    let of = |id: &str| measured(&claims, id).into_iter();
    let published = |id: &str, end: &str| claim(&claims, id)["published"][end].as_f64().unwrap();
    let (least, most) = ends(of("staged-over-kk").map(|(value, _)| value));
    let (sizes_from, sizes_to) = ends(of("staged-over-kk").map(|(_, n)| n.unwrap() as f64));
    // Readings below the true time; what is above it is the copy that follows.
    let readings = of("unsynced-is-wrong").filter(|(value, n)| *value < 1.0 && n.unwrap() >= 2048);
    let (reads_least, reads_most) = ends(readings.map(|(value, _)| value * 100.0));
    let (_, kappa) = ends(of("kappa-beats-classic").map(|(value, _)| value));
    assert!((0.19..=0.21).contains(&(1.0 - 1.0 / kappa)), "by up to a fifth: {kappa}");
    // With 64 threads, each at its best depth of stages.
    let few = ["h200", "h100"].map(|machine| {
        let rows = run(&format!("{machine}/stage-depth")).results.summary;
        let of = |row: &SummaryRow| {
            let (kappa, _) = row.params.strip_prefix("kappa=")?.split_once(";rest-threads=64;stage=")?;
            Some((kappa == "1", row.median_s?))
        };
        let best = |classic: bool| {
            ends(rows.iter().filter_map(of).filter(|one| one.0 == classic).map(|one| one.1)).0
        };
        1.0 - best(false) / best(true)
    });
    let (few_least, few_most) = ends(few.into_iter());
    // The interval of two phases over three kernels, all else equal, on each machine.
    let two_phases = ["phases", "phases-2"].map(|run| {
        let table = format!("tables/{run}-what-one-change-gains-all-else-equal-times-as-fast-lowest-to.csv");
        let rows = rows(&made().join(table));
        let row = rows.iter().find(|row| row["n"] == "1024").unwrap();
        row["two-phase over katz-kider-1024"].split(' ').next().unwrap().parse::<f64>().unwrap()
    });
    let (two_phases, _) = ends(two_phases.into_iter());
    let fastest = ["stored=0", "stored=1"]
        .map(|params| rate("h200-x4/frontier-large", "register-blocked", 32768, params, ""));
    let [_, issue_slots] = ceilings("h200-x4/frontier-large");
    let shares = fastest.map(|rate| 100.0 * rate / issue_slots);
    let on_two = rate("h200-x2/scaling", "distributed-blocked", 131072, "devices=2", "m=16n");
    let readme = one_line("README.md");
    for sentence in [
        format!(
            "Staged Load is {least:.1} to {most:.1} times as fast as Katz & Kider for n from {sizes_from} to {sizes_to}, not {} times.",
            published("staged-over-kk", "high")
        ),
        format!(
            "At the {:.3} bytes a task that the paper's {} GB/s imply it moves {} on an H200, {} at its own count of 0.5; a copy {} and {}.",
            published("staged-bandwidth", "value") * 1e9 / published("staged-rate", "value"),
            published("staged-bandwidth", "value"),
            shown(&claims, "staged-bandwidth"),
            (rate("h200/table1", "staged-load", 4096, "", "") * 0.05).round() * 10.0,
            shown(&claims, "memcpy"),
            published("memcpy", "value")
        ),
        format!("lose up to {:.0}% at n = 1024.", 100.0 * (1.0 - two_phases)),
        format!(
            "up to a fifth with 1,024 threads a block, {:.0} to {:.0}% with 64.",
            100.0 * few_least,
            100.0 * few_most
        ),
        format!(
            "with a launch a k, a clock that does not wait for the GPU reads {reads_least:.0} to {reads_most:.0}% of the true time from n = 2048 on."
        ),
        format!(
            "does {} billion steps a second reordered, {} as compiled",
            hundreds(fastest[1]),
            hundreds(fastest[0])
        ),
        format!("(`f32`, n = 32768): {:.0} and {:.0}% of the [hardware's limit]", shares[1], shares[0]),
        format!("[Two GPUs](docs/several-gpus.md) do {} as compiled at n = 131072.", hundreds(on_two)),
    ] {
        assert!(readme.contains(&sentence), "README.md should say: {sentence}");
    }
}

#[test]
fn rates_to_compare_a_kernel_with_are_those_of_the_committed_runs() {
    let page = text_of("docs/adding-an-implementation.md");
    for (label, implementation, params, run) in [
        ("`katz-kider`", "katz-kider", "", "h200/table1"),
        ("`staged-load`", "staged-load", "", "h200/table1"),
        ("`register-blocked`, as compiled", "register-blocked", "stored=0", "h200-x4/frontier-reordered"),
        ("`register-blocked`", "register-blocked", "stored=1", "h200-x4/frontier-reordered"),
    ] {
        let rate = rate(run, implementation, 8192, params, "");
        let [add_min, issue_slots] = ceilings(run).map(|ceiling| 100.0 * rate / ceiling);
        let row = format!("|{label}|{:.2}|{add_min:.0}%|{issue_slots:.0}%|`{run}`|", rate / 1000.0);
        assert!(page.contains(&row), "docs/adding-an-implementation.md should have the row: {row}");
    }
}

#[test]
fn the_numbers_of_sentences_in_the_findings_are_those_of_the_committed_report_and_runs() {
    let claims = committed_claims();
    let bound = claim(&claims, "hn-limited-by-memory")["tests"][0]["at_least"].as_f64().unwrap();
    let findings = one_line("docs/findings.md");
    let (least, most) =
        ends(measured(&claims, "staged-over-opt-as-resident").into_iter().map(|(value, _)| value));
    let published =
        |end: &str| claim(&claims, "staged-over-opt-as-resident")["published"][end].as_f64().unwrap();
    let (low, high) = (published("low"), published("high"));
    let mut sentences = vec![
        format!("The bound asked for is {bound}% of the peak."),
        format!("gains {least:.1} to {most:.1} times (`residency`), of the paper's {low} to {high}."),
        "That loss grows with κ, until".to_string(),
    ];
    for machine in ["h200", "h100"] {
        // What the procedures before the rest lose a step of κ is nearly the same for every κ.
        let mut lost: BTreeMap<usize, f64> = BTreeMap::new();
        let sweep = run(&format!("{machine}/kappa-sweep")).results;
        for row in sweep.kernel_times {
            let kappa = row.params.strip_prefix("kappa=").and_then(|kappa| kappa.parse().ok());
            if let (Some(kappa), 8192, false) = (kappa, row.n, row.kernel == "rest_blocks") {
                *lost.entry(kappa).or_default() += row.seconds;
            }
        }
        let a_step = lost.range(8..=128).map(|(kappa, time)| (time - lost[&1]) / (kappa - 1) as f64);
        let (least, most) = ends(a_step);
        assert!(most < 1.25 * least, "{machine}: {least} to {most} s");
        let of = |row: SummaryRow| -> Option<(usize, f64)> {
            let kappa = row.params.strip_prefix("kappa=")?.parse().ok()?;
            (row.implementation == "generalized-blocked" && row.n == 8192)
                .then(|| (kappa, row.median_s.unwrap()))
        };
        let seconds: BTreeMap<usize, f64> = sweep.summary.into_iter().filter_map(of).collect();
        let slower = seconds.range(2..).find(|(_, time)| **time > seconds[&1]).unwrap().0;
        let last = seconds.range(..slower).next_back().unwrap().0;
        sentences.push(format!("From κ = 2 to {last} "));
        sentences.push(format!("until κ = {slower} is slower than κ = 1."));
    }
    for sentence in sentences {
        assert!(findings.contains(&sentence), "docs/findings.md should say: {sentence}");
    }
}

#[test]
fn the_solves_that_stored_code_is_proven_by_are_rows_of_committed_runs() {
    for code in &stored::index().unwrap().code {
        let known = code.file.strip_prefix("register_blocked-").and_then(|file| file.strip_suffix(".cubin"));
        let (element, kind) = known.unwrap().split_once('-').unwrap_or((known.unwrap(), ""));
        // Runs of one size end in that.
        let (machine, runs) = match kind {
            "" => ("h200-x4", vec![format!("frontier-repeats-{element}")]),
            "undirected" => ("h200-x4", vec![format!("undirected-repeats-{element}")]),
            kind => {
                let graphs = if kind == "shifted" { "negative" } else { kind };
                ("h100-x4", [4096, 8192].map(|n| format!("{graphs}-repeats-{n}")).into())
            }
        };
        let mut solved = code.solved.iter();
        for run in runs {
            let run = self::run(&format!("{machine}/{run}"));
            for row in &run.results.repeats {
                let solved = solved.next().unwrap_or_else(|| panic!("{} lacks solves of a run", code.file));
                let of_run = (row.n, row.solves, row.different);
                assert_eq!(of_run, (solved.n, solved.solves, solved.different), "{}", code.file);
                assert_eq!(run.device().unwrap().info.name, solved.gpu);
            }
        }
        assert_eq!(solved.count(), 0, "{} has solves of no committed run", code.file);
    }
}

/// Columns of README's table of what one would use today.
const SIZES: [usize; 3] = [1024, 4096, 16384];
const ALL_SIZES: [usize; 5] = [1024, 2048, 4096, 8192, 16384];
/// How a row of the table begins, and what it is in the run: an implementation on a graph.
const ROWS: [(&str, &str, &str); 9] = [
    ("register-blocked", "register-blocked", ""),
    ("register-blocked, integers", "register-blocked", "i32"),
    ("ECL-APSP, integers, [with races](docs/peers.md#ecl-apsp)", "ecl-apsp", "i32"),
    ("PyTorch", "pytorch-floyd-warshall", ""),
    ("CuPy", "cupy-floyd-warshall", ""),
    ("cpu-parallel", "cpu-parallel", ""),
    ("Numba", "numba-floyd-warshall", ""),
    ("SciPy", "scipy-floyd-warshall", ""),
    ("NetworkX", "networkx-floyd-warshall", ""),
];

/// Two digits, as the table has them.
fn short(value: f64) -> String {
    let digits = 1 - value.log10().floor() as i32;
    let unit = 10_f64.powi(-digits);
    format!("{:.*}", digits.max(0) as usize, (value / unit).round() * unit)
}

#[test]
fn the_readme_says_of_what_people_use_what_the_committed_run_measured() {
    let run = run("h200/peers");
    // On the CPU all clocks of a kernel enclose the same; a program has a clock of its own.
    let seconds = |(implementation, graph): (&str, &str), n: usize| {
        let cell = CellId::new(implementation, n, "", graph);
        let found = |scope: Scope| run.cell(&cell).time(scope).map(|time| time.value);
        let on_cpu = || found(Scope::Kernel).filter(|_| implementation == "cpu-parallel");
        found(Scope::HostSynced).or_else(|| found(Scope::ProgramSolve)).or_else(on_cpu)
    };
    let readme = text_of("README.md");
    for (label, implementation, graph) in ROWS {
        let cells = SIZES.map(|n| seconds((implementation, graph), n).map(short).unwrap_or_default());
        let slower = ALL_SIZES.iter().rev().find_map(|&n| {
            Some(seconds((implementation, graph), n)? / seconds(("register-blocked", graph), n)?)
        });
        let slower = slower.filter(|_| implementation != "register-blocked").map(short).unwrap_or_default();
        let row = format!("|{label}|{}|{slower}|", cells.join("|"));
        assert!(readme.contains(&row), "README.md should have the row: {row}");
    }
}
