//! Tables of README.md and docs have the numbers of the committed runs.

use super::text_of;
use crate::common::stored::reference;
use repro::graph::ElementType;
use repro::implementation::stored_code;
use repro::results::StoredRun;
use repro::timing::Scope;
use repro_base::CellId;

pub(super) fn run(name: &str) -> StoredRun {
    StoredRun::open(&reference(name)).unwrap()
}

/// 10⁹ tasks a second of a cell of a committed run.
pub(super) fn rate(name: &str, implementation: &str, n: usize, params: &str, graph: &str) -> f64 {
    run(name).row(&CellId::new(implementation, n, params, graph)).unwrap().tasks_per_s.unwrap() / 1e9
}

/// What a committed run has as the ceilings of additions with minima and of issue slots, 10⁹ tasks of `f32` a second.
pub(super) fn ceilings(name: &str) -> [f64; 2] {
    let run = run(name);
    let device = run.environment().unwrap().ceilings.device.as_ref().unwrap();
    let issue_slots = device.tasks_per_s(ElementType::F32, &run.device().unwrap().info, None).unwrap();
    [device.add_min_tasks_per_s / 1e9, issue_slots / 1e9]
}

#[test]
fn rates_to_compare_a_kernel_with_are_those_of_the_committed_runs() {
    let page = text_of("docs/adding-an-implementation.md");
    for (label, implementation, params, run) in [
        ("`katz-kider`", "katz-kider", "", "h200-e117a75b/table1"),
        ("`staged-load`", "staged-load", "", "h200-e117a75b/table1"),
        ("`register-blocked`, as compiled", "register-blocked", "stored=0", "h200/frontier-variants"),
        ("`register-blocked`", "register-blocked", "", "h200/frontier-variants"),
    ] {
        let rate = rate(run, implementation, 8192, params, "");
        let [add_min, issue_slots] = ceilings(run).map(|ceiling| 100.0 * rate / ceiling);
        let row = format!("|{label}|{:.2}|{add_min:.0}%|{issue_slots:.0}%|`{run}`|", rate / 1000.0);
        assert!(page.contains(&row), "docs/adding-an-implementation.md should have the row: {row}");
    }
}

#[test]
fn the_solves_that_stored_code_is_proven_by_are_rows_of_committed_runs() {
    for code in &stored_code::index().unwrap().code {
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
            for row in &run.results.extra.repeats {
                let solved = solved.next().unwrap_or_else(|| panic!("{} lacks solves of a run", code.file));
                let of_run = (row.cell.n, row.solves, row.different);
                assert_eq!(of_run, (solved.n, solved.solves, solved.different), "{}", code.file);
                assert_eq!(run.device().unwrap().info.name, solved.gpu);
            }
        }
        assert_eq!(solved.count(), 0, "{} has solves of no committed run", code.file);
    }
}

/// Columns of README's table of what one would use today.
const SIZES: [usize; 3] = [1024, 4096, 16384];
/// How a row of the table begins, and what it is in the run: an implementation on a graph.
const ROWS: [(&str, &str, &str); 9] = [
    ("register-blocked", "register-blocked", "dense"),
    ("register-blocked, integers", "register-blocked", "dense i32"),
    ("ECL-APSP, integers, [with races](docs/peers.md#ecl-apsp)", "ecl-apsp", "dense i32"),
    ("PyTorch", "pytorch-floyd-warshall", "dense"),
    ("CuPy", "cupy-floyd-warshall", "dense"),
    ("cpu-parallel", "cpu-parallel", "dense"),
    ("Numba", "numba-floyd-warshall", "dense"),
    ("SciPy", "scipy-floyd-warshall", "dense"),
    ("NetworkX", "networkx-floyd-warshall", "dense"),
];

/// With so many digits.
fn short(value: f64, digits: i32) -> String {
    let decimals = digits - 1 - value.log10().floor() as i32;
    let unit = 10_f64.powi(-decimals);
    format!("{:.*}", decimals.max(0) as usize, (value / unit).round() * unit)
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
    let host = &run.environment().unwrap().host;
    let day = &run.manifest.started[..10];
    let mut rows = vec![format!("|H200, {} host threads, {day}|n = 1024|4096|16384|slower|", host.threads)];
    for (label, implementation, graph) in ROWS {
        let cells = SIZES
            .map(|n| seconds((implementation, graph), n).map(|value| short(value, 3)).unwrap_or_default());
        let slower = SIZES.iter().rev().find_map(|&n| {
            let both = [implementation, "register-blocked"].map(|name| seconds((name, graph), n));
            let [of, over] = [both[0]?, both[1]?];
            // Who divides what the table has comes to what it says.
            let shown = [of, over].map(|value| short(value, 3).parse::<f64>().unwrap());
            assert_eq!(short(shown[0] / shown[1], 2), short(of / over, 2), "{label}: {shown:?}");
            Some(short(of / over, 2)).filter(|_| implementation != "register-blocked")
        });
        rows.push(format!("|{label}|{}|{}|", cells.join("|"), slower.unwrap_or_default()));
    }
    let readme = text_of("README.md");
    for row in rows {
        assert!(readme.contains(&row), "README.md should have the row: {row}");
    }
}

#[test]
fn the_page_on_peers_has_the_rates_of_committed_runs() {
    let page = text_of("docs/peers.md");
    let run = run("h200/peers");
    let mut times_as_fast = Vec::new();
    for n in [1024, 2048, 4096, 8192, 16384] {
        let rates = ["", "i32"]
            .map(|graph| (rate("h200/frontier", "register-blocked", n, "", graph) / 10.0).round() * 10.0);
        let row = format!("|{n}|{}|{}|", rates[0], rates[1]);
        assert!(page.contains(&row), "docs/peers.md should have the row: {row}");
        let time =
            |name: &str, scope| run.cell(&CellId::new(name, n, "", "dense i32")).time(scope).unwrap().value;
        times_as_fast
            .push(time("ecl-apsp", Scope::ProgramSolve) / time("register-blocked", Scope::HostSynced));
    }
    let [most, .., least] = times_as_fast[..] else { unreachable!() };
    let sentence =
        format!("On integers it is {least:.1} to {most:.1} times as fast as ECL-APSP by the host's clock.");
    assert!(page.contains(&sentence), "docs/peers.md should say: {sentence} {times_as_fast:?}");
}

#[test]
fn the_page_on_several_gpus_has_the_times_of_committed_runs() {
    let page = text_of("docs/several-gpus.md");
    let [two, four, large] = ["h200-x2/scaling", "h200-x4/scaling", "h200-x4/scaling-large"].map(run);
    let seconds = |run: &StoredRun, n: usize, devices: usize| {
        let cell = CellId::new("distributed-blocked", n, &format!("devices={devices}"), "m=16n");
        Some(run.cell(&cell).time(Scope::Kernel)?.value)
    };
    for (n, shown) in [(16384, "16,384"), (32768, "32,768"), (65536, "65,536"), (131_072, "131,072")] {
        let by_four = seconds(&four, n, 4).or_else(|| seconds(&large, n, 4)).unwrap();
        let times = [seconds(&two, n, 1).unwrap(), seconds(&two, n, 2).unwrap(), by_four];
        let rate = short((n as f64).powi(3) / by_four / 1e9, 4);
        let efficiency = |run: &StoredRun, devices: usize| {
            let [one, several] = [seconds(run, n, 1)?, seconds(run, n, devices)?];
            Some(format!("{:.1}%", 100.0 * one / several / devices as f64))
        };
        let efficiencies = [efficiency(&two, 2), efficiency(&four, 4)].map(Option::unwrap_or_default);
        let times = times.map(|time| short(time, 4));
        let row = format!("|{shown}|{}|{rate}|{}|", times.join("|"), efficiencies.join("|"));
        assert!(page.contains(&row), "docs/several-gpus.md should have the row: {row}");
    }
    let mut longer = Vec::new();
    for (host, one, devices) in [("h200-x2", two, 2), ("h200-x4", four, 4)] {
        let processes = run(&format!("{host}/scaling-processes"));
        longer.extend([16384, 32768, 65536].map(|n| {
            100.0 * (seconds(&processes, n, devices).unwrap() / seconds(&one, n, devices).unwrap() - 1.0)
        }));
    }
    longer.sort_by(f64::total_cmp);
    let sentence =
        format!("A process for each GPU takes {:.1} to {:.1}% longer.", longer[0], longer[longer.len() - 1]);
    assert!(page.contains(&sentence), "docs/several-gpus.md should say: {sentence}");
}
