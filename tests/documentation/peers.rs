//! README's table of what one would use today has the numbers of the committed run.

use repro::results::StoredRun;
use repro::timing::Scope;

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
    let run = StoredRun::open(&super::root().join("results/reference/h200/peers")).unwrap();
    // On the CPU all clocks of a kernel enclose the same; a program has a clock of its own.
    let seconds = |(implementation, graph): (&str, &str), n: usize| {
        let found = |scope: Scope| {
            let cell = run.results.summary.iter().map(|row| row.cell()).find(|cell| {
                (cell.implementation.as_str(), cell.graph.as_str(), cell.n) == (implementation, graph, n)
            })?;
            run.cell(&cell).time(scope).map(|time| time.value)
        };
        let on_cpu = || {
            let row = run
                .results
                .summary
                .iter()
                .find(|row| (row.implementation.as_str(), row.n) == (implementation, n));
            row.filter(|_| implementation == "cpu-parallel")?.median_s
        };
        found(Scope::HostSynced).or_else(|| found(Scope::ProgramSolve)).or_else(on_cpu)
    };
    let readme = super::text_of("README.md");
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
