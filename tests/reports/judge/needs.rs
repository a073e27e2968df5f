//! The cells that a claim needs, worked out from the claim a second time: what the laws are held against.

use repro::graph::ElementType;
use repro::implementation::find;
use repro::plan::{Experiment, GraphSource};
use repro::published::{Contender, Figure, Relation, Test};
use repro_types::{CellId, Parameters};
use std::collections::BTreeSet;

/// Whether two sets of parameters of an implementation are of the same variant: what is not set has its default.
fn same(implementation: &str, a: &Parameters, b: &Parameters) -> bool {
    match find(implementation) {
        Some(found) => found.parameters.iter().all(|parameter| a.get(parameter) == b.get(parameter)),
        None => a == b,
    }
}

/// Every n that a test reads, those beyond its own sizes, too.
pub fn sizes(test: &Test) -> BTreeSet<usize> {
    let own = test.all_sizes();
    let beside = |n: usize| -> Vec<usize> {
        match test.relation {
            Relation::Doubled => vec![n, 2 * n],
            // n and 16 vertices more, there and up to four warps away on both sides.
            Relation::Step => {
                (0..=4).flat_map(|warps| [n - 32 * warps, n + 32 * warps]).flat_map(|n| [n, n + 16]).collect()
            }
            _ => vec![n],
        }
    };
    own.into_iter().flat_map(beside).collect()
}

/// The planned cells of a contender at n on graphs such as the test needs.
fn planned<'a>(
    experiment: &Experiment,
    all: &'a [CellId],
    test: &Test,
    of: &Contender,
    n: usize,
) -> Vec<&'a CellId> {
    let is_on_graph = |cell: &CellId| {
        let graph = experiment.graphs.iter().find(|graph| graph.name == cell.graph);
        graph.is_some_and(|graph| {
            let is_asked = match &graph.source {
                GraphSource::Edges(of) if !test.edges_per_vertex.is_empty() => {
                    test.edges_per_vertex.contains(&of.edges_per_vertex)
                }
                GraphSource::File { .. } => false,
                GraphSource::Edges(_) | GraphSource::Random(_) => test.edges_per_vertex.is_empty(),
            };
            is_asked && graph.element == ElementType::F32 && graph.source.weights().negative == test.negative
        })
    };
    let is_of = |cell: &&CellId| {
        cell.n == n
            && cell.implementation == of.implementation
            && cell.params.parse().is_ok_and(|set| same(&of.implementation, &set, &of.parameters))
            && is_on_graph(cell)
    };
    all.iter().filter(is_of).collect()
}

/// Those of `all` cells of an experiment that a test reads, and those that it has to have and the experiment has not.
pub fn needed(experiment: &Experiment, all: &[CellId], test: &Test) -> (BTreeSet<CellId>, Vec<String>) {
    let (mut found, mut missing) = (BTreeSet::new(), Vec::new());
    let mut add = |cells: Vec<&CellId>, of: &Contender, n: usize| {
        let graphs = test.edges_per_vertex.len().max(1);
        if cells.len() < graphs {
            missing.push(format!("{of} at n = {n}: {} of {graphs} graphs", cells.len()));
        }
        found.extend(cells.into_iter().cloned());
    };
    for n in sizes(test) {
        for (first, second) in &test.pairs {
            let [a, b] = [first, second].map(|of| planned(experiment, all, test, of, n));
            // A ratio is of graphs that both solved.
            let shared = |own: &[&CellId], others: &[&CellId]| -> Vec<CellId> {
                let both = own.iter().filter(|cell| others.iter().any(|other| other.graph == cell.graph));
                both.map(|cell| (*cell).clone()).collect()
            };
            let (of_first, of_second) = (shared(&a, &b), shared(&b, &a));
            add(of_first.iter().collect(), first, n);
            add(of_second.iter().collect(), second, n);
        }
        for of in &test.series {
            add(planned(experiment, all, test, of, n), of, n);
        }
    }
    (found, missing)
}

/// What a claim needs of these cells, also where the plan does not meet its needs.
pub fn of_claim(claim: &[Test], experiment: &Experiment, all: &[CellId]) -> BTreeSet<CellId> {
    claim.iter().flat_map(|test| needed(experiment, all, test).0).collect()
}

/// Whether some of its tests say that results are right.
pub fn is_of_right_results(tests: &[Test]) -> bool {
    tests.iter().any(|test| test.figure == Figure::WrongResults)
}
