//! Tables of all runs with their sampling rules and what became of their samples, and of the cells that have no time.

use super::Cell;
use crate::lists::grouped;
use crate::plan::GraphSource;
use crate::ranking::MachineRuns;
use crate::report::machines::has_result;
use crate::results::StoredRun;
use crate::store::{MatchKind, Verification, short_commit};
use std::collections::{BTreeMap, BTreeSet};

/// One row for each run.
pub fn runs(runs: &[StoredRun], machines: &[MachineRuns]) -> Vec<Vec<Cell<'static>>> {
    let row = |run: &StoredRun| {
        let is_of = |machine: &&MachineRuns| machine.runs.iter().any(|other| std::ptr::eq(*other, run));
        let machine = machines.iter().find(is_of).map_or("emulated", |machine| &machine.label);
        let experiment = &run.manifest.experiment;
        let rule = &experiment.sampling;
        let graphs: Vec<String> = experiment.graphs.iter().map(|graph| in_words(&graph.source)).collect();
        let [samples, ways, statuses] = verified(run);
        vec![
            ("run", run.name()),
            ("machine", machine.to_string()),
            ("commit", short_commit(&run.manifest.build.commit).to_string()),
            ("samples\na cell", format!("{} to {}", rule.min_samples, rule.max_samples)),
            ("enough at ±\n%", (rule.precision * 100.0).to_string()),
            ("budget a cell\ns", rule.budget_s.to_string()),
            ("warm-up\ns", experiment.limits.warm_up_s.to_string()),
            ("graphs", graphs.join("; ")),
            ("samples", samples),
            ("verified", ways),
            ("status", statuses),
        ]
    };
    runs.iter().map(row).collect()
}

/// How many samples there are, how they were verified, and what became of them.
fn verified(run: &StoredRun) -> [String; 3] {
    // Whole results first.
    let mut ways: BTreeMap<(Option<usize>, String), usize> = BTreeMap::new();
    let mut statuses: BTreeMap<String, usize> = BTreeMap::new();
    // A sample has a row for each of its clocks. Rows of a first solve, which is another solve, are left out.
    let mut seen = BTreeSet::new();
    for row in run.samples.iter().filter(|row| row.scope.counts_samples()) {
        if seen.insert((row.cell(), row.sample)) {
            *statuses.entry(row.status.to_string()).or_default() += 1;
            if let Some(way) = row.verification.filter(|_| row.verified) {
                *ways.entry((way.rows, way_in_words(way))).or_default() += 1;
            }
        }
    }
    let listed = |all: Vec<String>| if all.is_empty() { "-".to_string() } else { all.join(", ") };
    [
        seen.len().to_string(),
        listed(ways.iter().map(|((_, way), count)| format!("{count} {way}")).collect()),
        listed(statuses.iter().map(|(status, count)| format!("{count} {status}")).collect()),
    ]
}

/// How results were compared with the reference.
pub fn way_in_words(way: Verification) -> String {
    match (way.how, way.rows) {
        (MatchKind::Exact, None) => "exact".to_string(),
        (MatchKind::Exact, Some(rows)) => format!("by {rows} rows"),
        (MatchKind::Bounds { .. }, None) => "within bounds".to_string(),
        (MatchKind::Bounds { .. }, Some(rows)) => format!("within bounds, by {rows} rows"),
    }
}

/// One row for each run and reason, with the cells that have no time for it.
pub fn not_run(runs: &[StoredRun]) -> Vec<Vec<Cell<'static>>> {
    let of_run = |run: &StoredRun| {
        let lacking = run.results.summary.iter().filter(|row| !has_result(row));
        let reasons = lacking.map(|row| (format!("{}: {}", row.status, row.message), row.cell().to_string()));
        let row = |(reason, cells): (String, Vec<String>)| {
            let listed = match cells.len() {
                0..=3 => cells.join("; "),
                count => format!("{}; {} and {} more", cells[0], cells[1], count - 2),
            };
            vec![("run", run.name()), ("cells", listed), ("why", reason)]
        };
        grouped(reasons).into_iter().map(row).collect::<Vec<_>>()
    };
    runs.iter().flat_map(of_run).collect()
}

/// A graph in words.
fn in_words(source: &GraphSource) -> String {
    match source {
        GraphSource::Random(graph) => format!(
            "density {}, weights {}1 to {}, seed {}",
            graph.density,
            if graph.negative { "also negative, " } else { "" },
            graph.max_weight,
            graph.seed
        ),
        GraphSource::Edges(graph) => format!(
            "{} edges a vertex, weights 1 to {}, seed {}",
            graph.edges_per_vertex, graph.max_weight, graph.seed
        ),
        GraphSource::File { digest, .. } => format!("a file, digest {digest}"),
    }
}
