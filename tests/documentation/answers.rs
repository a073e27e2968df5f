//! Tables of README.md and docs have the numbers of the committed runs.

use super::numbers::ends;
use super::text_of;
use crate::common::stored::reference;
use repro::graph::ElementType;
use repro::implementation::stored_code;
use repro::results::StoredRun;
use repro::store::SampleRow;
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
const ROWS: [(&str, &str, &str); 10] = [
    ("register-blocked", "register-blocked", "dense"),
    ("register-blocked, integers", "register-blocked", "dense i32"),
    ("[ECL-APSP](docs/peers.md#ecl-apsp), integers", "ecl-apsp-mended", "dense i32"),
    ("PyTorch", "pytorch-floyd-warshall", "dense"),
    ("CuPy", "cupy-floyd-warshall", "dense"),
    ("cpu-parallel", "cpu-parallel", "dense"),
    ("Numba", "numba-floyd-warshall", "dense"),
    ("igraph", "igraph-distances", "dense"),
    ("SciPy", "scipy-floyd-warshall", "dense"),
    ("NetworkX", "networkx-floyd-warshall", "dense"),
];

/// With so many digits.
pub(super) fn short(value: f64, digits: i32) -> String {
    let decimals = digits - 1 - value.log10().floor() as i32;
    let unit = 10_f64.powi(-decimals);
    format!("{:.*}", decimals.max(0) as usize, (value / unit).round() * unit)
}

/// On the CPU all clocks of a kernel enclose the same; a program has a clock of its own.
fn clock(implementation: &str) -> Scope {
    match implementation {
        "register-blocked" => Scope::HostSynced,
        "cpu-parallel" => Scope::Kernel,
        _ => Scope::ProgramSolve,
    }
}

fn seconds(run: &StoredRun, implementation: &str, n: usize, graph: &str) -> Option<f64> {
    let cell = CellId::new(implementation, n, "", graph);
    Some(run.cell(&cell).time(clock(implementation))?.value)
}

#[test]
fn the_readme_says_of_what_people_use_what_the_committed_run_measured() {
    let run = run("h200/peers");
    let host = &run.environment().unwrap().host;
    let day = &run.manifest.started[..10];
    let mut rows = vec![format!("|H200, {} host threads, {day}|n = 1024|4096|16384|slower|", host.threads)];
    for (label, implementation, graph) in ROWS {
        let of = |implementation: &str, n: usize| seconds(&run, implementation, n, graph);
        let cells = SIZES.map(|n| of(implementation, n).map_or_else(String::new, |value| short(value, 3)));
        let largest = SIZES.into_iter().rev().find(|&n| of(implementation, n).is_some()).unwrap();
        let slower = of(implementation, largest).unwrap() / of("register-blocked", largest).unwrap();
        let slower = if implementation == "register-blocked" { String::new() } else { short(slower, 2) };
        rows.push(format!("|{label}|{}|{slower}|", cells.join("|")));
    }
    let readme = text_of("README.md");
    for row in rows {
        assert!(readme.contains(&row), "README.md should have the row: {row}");
    }
}

#[test]
fn the_page_on_peers_says_what_committed_runs_measured() {
    let page = text_of("docs/peers.md");
    let says = |sentence: &str| assert!(page.contains(sentence), "docs/peers.md should say: {sentence}");
    let run = run("h200/peers");
    let apart = ROWS.map(|(_, implementation, graph)| {
        let cell = CellId::new(implementation, 1024, "", graph);
        let is_of = |row: &&SampleRow| row.is_of(&cell) && row.scope == clock(implementation);
        let times = || run.samples.iter().filter(is_of).filter_map(|row| row.seconds);
        let [least, most] = ends(times());
        100.0 * (most - least) / seconds(&run, implementation, 1024, graph).unwrap()
    });
    says(&format!("at n = 1024 up to {:.0}% apart.", ends(apart)[1]));
    let mut times_as_fast = Vec::new();
    for n in [1024, 2048, 4096, 8192, 16384] {
        let rates = ["", "i32"].map(|graph| rate("h200/frontier", "register-blocked", n, "", graph));
        let row = format!("|{n}|{}|{}|", short(rates[0], 3), short(rates[1], 3));
        says(&row);
        let products = page.lines().find_map(|line| line.strip_prefix(&row)).unwrap().split('|');
        let products: Vec<f64> = products.filter_map(|cell| cell.parse().ok()).collect();
        assert_eq!(products.len(), 3, "{row}");
        assert!(n < 4096 || rates[0] > products[1] && rates[1] > products[2], "{row}");
        let [own, published, mended] = ["register-blocked", "ecl-apsp", "ecl-apsp-mended"]
            .map(|implementation| seconds(&run, implementation, n, "dense i32").unwrap());
        assert!(n < 4096 || (mended / published - 1.0).abs() < 0.01, "n = {n}: {mended} and {published}");
        times_as_fast.push(mended / own);
    }
    let [least, most] = ends(times_as_fast);
    says(&format!(
        "On integers it is {least:.1} to {most:.1} times as fast as ECL-APSP by the host's clock."
    ));
    let wrong = run.samples.iter().find(|row| row.implementation.starts_with("ecl-apsp") && !row.verified);
    assert!(wrong.is_none(), "{wrong:?}");
}

#[test]
fn the_page_on_several_gpus_says_what_committed_runs_measured() {
    let page = text_of("docs/several-gpus.md");
    let says =
        |sentence: &str| assert!(page.contains(sentence), "docs/several-gpus.md should say: {sentence}");
    let runs = |host: &str| ["scaling", "scaling-processes"].map(|name| run(&format!("{host}/{name}")));
    let ([two, two_processes], [four, four_processes]) = (runs("h200-x2"), runs("h200-x4"));
    let large = run("h200-x4/scaling-large");
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
        says(&format!("|{shown}|{}|{rate}|{}|", times.join("|"), efficiencies.join("|")));
    }
    let longer = |processes: &StoredRun, one: &StoredRun, devices: usize| {
        let over = |n: usize| seconds(processes, n, devices).unwrap() / seconds(one, n, devices).unwrap();
        ends([16384, 32768, 65536].map(|n| 100.0 * (over(n) - 1.0)))
    };
    let [least, most] = longer(&four_processes, &four, 4);
    says(&format!("four take {least:.1} to {most:.1}% longer"));
    let [least, most] = longer(&two_processes, &two, 2);
    says(&format!("two {least:.1} to {most:.1}%"));
}
