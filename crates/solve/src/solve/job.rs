//! A solve that was planned: in memory, or row by row.

use super::checks::Checks;
use super::clock::Clock;
use super::digests::{Digest, Digests};
use super::ending::{Stop, refuted};
use super::no_path::NoPath;
use super::place::file_system;
use super::plan::Plan;
use super::report::{self, Distances, Done, Used};
use super::shared_progress::SharedProgress;
use super::store::{Shape, Store};
use super::stored::PathKind;
use super::work::{Asked, Number, Solvable};
use crate::graph::ElementType;
use rayon::prelude::*;
use shortest_paths::{Control, Dense, Graph, Options, Paths, RowRequest, SearchContext};

/// A solve that was planned.
pub(super) struct Job<'a> {
    pub asked: &'a Asked<'a>,
    pub shape: Shape,
    pub plan: &'a Plan,
    pub checks: &'a Checks,
    pub control: Control<'a>,
    pub shown: &'a SharedProgress,
}

impl<'a> Job<'a> {
    /// Searches, and stores each row when it is found. Returns the digest.
    pub fn rows<T: Number, G: Graph<T>>(
        &self,
        graph: &G,
        store: &Store<T>,
        clock: &mut Clock,
    ) -> Result<Digest, Stop> {
        let searches = SearchContext::new(graph, &self.control)?;
        let every: Vec<usize>;
        let sources = match &self.asked.sources {
            Some(sources) => sources,
            None => {
                every = (0..self.shape.n).collect();
                &every
            }
        };
        let predecessors = match self.asked.paths {
            Paths::Predecessors(marks) => Some(marks),
            _ => None,
        };
        let want = RowRequest { targets: self.asked.targets.as_deref(), predecessors };
        let digests = Digests::new(self.shape.rows);
        // Progress is that of the solve.
        let control = &Control::default().cancelled_by(self.asked.interrupted);
        searches.rows(sources, want, &self.control, |row| {
            if self.checks.rows.binary_search(&row.index).is_ok() {
                searches.check_row(row.source, row.distances, want.targets, control).map_err(refuted)?;
            }
            if let (true, Some(predecessors)) = (self.checks.paths, row.predecessors) {
                let walked = searches.check_predecessors(
                    &[row.source],
                    want.targets,
                    row.distances,
                    predecessors,
                    control,
                );
                walked.map_err(|error| refuted(error.into()))?;
            }
            digests.add(row.index, row.distances);
            Ok(store.row(&row)?)
        })?;
        clock.lap("solve");
        Ok(digests.whole())
    }

    /// Solves in memory, finds paths and checks, and hands the result to the files.
    pub fn whole<T: Number, G: Solvable<T>>(
        &self,
        graph: G,
        store: &Store<T>,
        clock: &mut Clock,
    ) -> Result<Digest, Stop> {
        let asked = self.asked;
        let options = Options {
            sources: asked.sources.as_deref(),
            targets: asked.targets.as_deref(),
            paths: asked.paths,
            algorithm: Some(self.plan.chosen.algorithm),
            dense: self.plan.dense.as_ref().map(|dense| dense as &dyn Dense<T>),
            control: self.control,
            ..Options::default()
        };
        let (solution, graph) = std::thread::scope(|scope| {
            scope.spawn(|| store.reserve());
            graph.solved(&options, self.checks.any())
        })?;
        // It takes a GPU a tenth of a second to be given back, and meanwhile the result is stored.
        self.plan.dense.iter().for_each(repro_dense::DenseSolver::release);
        if let Some(began) = self.shown.paths_began.get() {
            clock.lap_at("solve", *began);
            clock.lap("paths");
        } else {
            clock.lap("solve");
        }
        if let Some(graph) = graph.as_ref().filter(|_| self.checks.any()) {
            let searches = SearchContext::new(graph, &self.control)?;
            let control = Control::default().cancelled_by(asked.interrupted);
            searches.check_solution(&solution, &self.checks.rows, self.checks.paths, &control)?;
            clock.lap("verify");
        }
        let digests = Digests::new(self.shape.rows);
        let columns = self.shape.columns.max(1);
        solution
            .distances
            .par_chunks(columns)
            .enumerate()
            .for_each(|(row, distances)| digests.add(row, distances));
        clock.lap("digest");
        store.whole(&solution, &self.control)?;
        clock.lap("write");
        Ok(digests.whole())
    }

    /// What was done, once it is stored.
    pub fn done(&self, element: ElementType, digest: Digest, clock: &Clock) -> Done {
        let Shape { n, rows, columns } = self.shape;
        let chosen = self.plan.chosen.clone();
        let places = self.asked.places;
        let size = |columns: usize, size: usize| rows as u128 * columns as u128 * size as u128;
        let kind = match self.asked.paths {
            Paths::No => None,
            Paths::Predecessors(marks) => Some((PathKind::Predecessor, marks)),
            Paths::Next(marks) => Some((PathKind::Next, marks)),
        };
        let dense = self.plan.dense.as_ref();
        let parts = dense.and_then(repro_dense::DenseSolver::last_parts);
        Done {
            device: Used {
                place: chosen.place(),
                kernels_s: parts.map(|parts| parts.kernels),
                copies_s: parts.map(|parts| parts.copies),
                half_of_tasks: dense.map(repro_dense::DenseSolver::last_halved),
            },
            chosen,
            verified: self.checks.verified(),
            distances: Distances {
                out: places.out.clone(),
                sources: rows,
                targets: columns,
                element,
                bytes: size(columns, element.bytes()),
                pairs_without_path: digest.without_path,
                no_path: NoPath::of(places.format, element),
            },
            paths: kind.zip(places.paths.clone()).map(|((kind, marks), file)| report::Paths {
                file,
                kind,
                bytes: size(n, size_of::<i32>()),
                no_path: marks.unreachable,
            }),
            digest: digest.digest,
            seconds: clock.seconds(),
            file_system: places.out.file().and_then(file_system),
        }
    }
}
