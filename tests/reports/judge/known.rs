//! A run with what it says and what of it each claim needs, worked out from the claim a second time: the laws, each as a check of one
//! change to it.

use super::{bytes, edited, judged_of, lacks, narrowed, open, without, wrong_result};
use repro::graph::ElementType;
use repro::implementation::find;
use repro::judge::{ClaimRow, Perturbation, Verdict, VerdictFlip};
use repro::plan::{Experiment, GraphSource};
use repro::published::{Contender, Figure, PublishedPaper, Relation, Test, published_papers};
use repro::results::StoredRun;
use repro::store::{SampleRow, cells};
use repro_base::{CellId, Parameters};
use std::collections::BTreeSet;

pub struct Known {
    pub run: StoredRun,
    pub cells: Vec<CellId>,
    papers: Vec<PublishedPaper>,
    pub rows: Vec<ClaimRow>,
    /// A row each.
    needs: Vec<BTreeSet<CellId>>,
}

/// Whether a run has all that the claim needs.
pub fn is_met(row: &ClaimRow) -> bool {
    !row.tests.is_empty() && !lacks(&row.results[0])
}

impl Known {
    /// A committed run and all claims.
    pub fn committed(run: &str) -> Self {
        Self::of(open(run), published_papers().unwrap().to_vec())
    }

    pub fn of(run: StoredRun, papers: Vec<PublishedPaper>) -> Self {
        let cells = cells(&run.manifest);
        let rows = judged_of(&papers, &[&run]);
        let needs = |row: &ClaimRow| of_claim(&row.tests, &run.manifest.experiment, &cells);
        Self { needs: rows.iter().map(needs).collect(), rows, cells, papers, run }
    }

    /// What a run that comes from this one says, beside what this one says.
    fn beside(&self, run: &StoredRun) -> Vec<(&ClaimRow, &BTreeSet<CellId>, ClaimRow)> {
        let rows = judged_of(&self.papers, &[run]);
        self.rows
            .iter()
            .zip(&self.needs)
            .zip(rows)
            .map(|((before, needs), after)| (before, needs, after))
            .collect()
    }

    /// The cells that some claim of which it has a verdict needs.
    pub fn deciding(&self) -> Vec<CellId> {
        let decided = self.rows.iter().zip(&self.needs).filter(|(row, _)| is_met(row));
        let of: BTreeSet<&CellId> = decided.flat_map(|(_, needs)| needs).collect();
        self.cells.iter().filter(|cell| of.contains(cell)).cloned().collect()
    }

    /// Laws 1 and 2 for one cell that is taken away: whoever needs it has nothing left, and nobody else notices.
    pub fn taking_away(&self, cell: &CellId) {
        for (before, needs, after) in self.beside(&without(&self.run, cell)) {
            let what = format!("{} {} without {cell:?}: {:?}", before.paper, before.id, after.results[0]);
            match needs.contains(cell) {
                false => assert_eq!(bytes(before), bytes(&after), "{what}"),
                true if is_met(before) => {
                    assert_eq!(after.results[0].verdict, Verdict::NotMeasured, "{what}");
                    assert!(lacks(&after.results[0]), "{what}");
                }
                true => assert!(!is_met(&after), "{what}"),
            }
        }
    }

    /// Law 7 for one cell of which a sample was wrong.
    pub fn one_wrong_result(&self, cell: &CellId) {
        let is_first = |row: &SampleRow| row.is_of(cell) && row.sample == 0;
        let run = edited(&self.run, |row| !is_first(row) || wrong_result(row));
        for (before, needs, after) in self.beside(&run) {
            let result = &after.results[0];
            let what = format!("{} {} with a wrong result of {cell:?}: {result:?}", before.paper, before.id);
            if !needs.contains(cell) {
                assert_eq!(bytes(before), bytes(&after), "{what}");
            } else if is_met(before) {
                let expected = match is_of_right_results(&before.tests) {
                    true => Verdict::Differs,
                    false => Verdict::NotMeasured,
                };
                assert_eq!(result.verdict, expected, "{what}");
            }
        }
    }

    /// Law 3: what is left out of the plan leaves a claim as it was or without a verdict.
    pub fn narrowing(&self, keep: impl Fn(&CellId) -> bool) {
        for (before, _, after) in self.beside(&narrowed(&self.run, keep)) {
            let what = format!("{} {}: {:?}", before.paper, before.id, after.results[0]);
            match is_met(before) && is_met(&after) {
                true => assert_eq!(bytes(before), bytes(&after), "{what}"),
                false => assert!(!is_met(&after), "{what}"),
            }
        }
    }

    /// Law 5: a machine that takes so many times as long for everything.
    pub fn scaling(&self, factor: f64) {
        let mut run = edited(&self.run, |row| {
            row.seconds = row.seconds.map(|seconds| seconds * factor);
            true
        });
        run.results.extra.kernel_times.iter_mut().for_each(|row| row.of.seconds *= factor);
        let environment = run.manifest.environment.as_mut();
        if let Some(device) = environment.and_then(|environment| environment.ceilings.device.as_mut()) {
            device.copy_gbs /= factor;
        }
        for (before, _, after) in self.beside(&run) {
            // Seconds of one GPU are no ratio.
            if before.tests.iter().all(|test| !test.own_gpu) {
                let [was, is] = [before, &after].map(|row| (row.results[0].verdict, row.results[0].share));
                assert_eq!(was, is, "{} {}: {:?}", before.paper, before.id, after.results[0]);
            }
        }
    }

    /// Law 6: twice as wide intervals decide nothing that was open.
    pub fn widening(&self) {
        let wider = |flip: &&VerdictFlip| matches!(flip.change, Perturbation::Noise(factor) if factor > 1.0);
        for row in self.rows.iter().filter(|row| row.results[0].verdict == Verdict::Ambiguous) {
            assert_eq!(row.results[0].sensitivity.iter().find(wider), None, "{} {}", row.paper, row.id);
        }
    }

    /// Law 8: every number that decides is among the comparisons of the claim.
    pub fn all_comparisons(&self) {
        for row in self.rows.iter().filter(|row| row.results[0].verdict.is_decided()) {
            let result = &row.results[0];
            let expected: usize = row.tests.iter().map(Test::comparisons).sum();
            assert_eq!(result.points.len(), expected, "{} {}", row.paper, row.id);
            let places: BTreeSet<_> = result.points.iter().map(|point| &point.at).collect();
            assert_eq!(places.len(), result.points.len(), "{} {} says one thing twice", row.paper, row.id);
        }
    }
}

/// Whether two sets of parameters of an implementation are of the same variant: what is not set has its default.
fn same(implementation: &str, a: &Parameters, b: &Parameters) -> bool {
    match find(implementation) {
        Some(found) => {
            found.parameters.iter().all(|parameter| parameter.value_in(a) == parameter.value_in(b))
        }
        None => a == b,
    }
}

/// Every n that a test reads, those beyond its own sizes, too.
fn sizes(test: &Test) -> BTreeSet<usize> {
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

/// Those of `all` cells of an experiment that a test reads.
fn needed(experiment: &Experiment, all: &[CellId], test: &Test) -> BTreeSet<CellId> {
    let mut found = BTreeSet::new();
    for n in sizes(test) {
        for (first, second) in &test.pairs {
            let [a, b] = [first, second].map(|of| planned(experiment, all, test, of, n));
            // A ratio is of graphs that both solved.
            for (own, others) in [(&a, &b), (&b, &a)] {
                let both = own.iter().filter(|cell| others.iter().any(|other| other.graph == cell.graph));
                found.extend(both.map(|cell| (*cell).clone()));
            }
        }
        for of in &test.series {
            found.extend(planned(experiment, all, test, of, n).into_iter().cloned());
        }
    }
    found
}

/// What a claim needs of these cells, also where the plan does not meet its needs.
fn of_claim(claim: &[Test], experiment: &Experiment, all: &[CellId]) -> BTreeSet<CellId> {
    claim.iter().flat_map(|test| needed(experiment, all, test)).collect()
}

/// Whether some of its tests say that results are right.
fn is_of_right_results(tests: &[Test]) -> bool {
    tests.iter().any(|test| test.figure == Figure::WrongResults)
}
