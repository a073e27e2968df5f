//! A graph in a worker: its input, room for a result, and what the result must be.

use super::substitute::Substitute;
use crate::device::{DeviceError, FailureKind, HostBuffer};
use crate::graph::read::{ReadOptions, read};
use crate::graph::{
    self, Digest, DistanceMatrix, Element, ElementType, Reference, WeightRange, by_element, digest,
};
use crate::implementation::{Devices, Problem, cpu_parallel};
use crate::plan::{GraphSource, check_host_memory};
use crate::protocol::{Failure, GraphRequest, REST_DIFFERS, Result, ResultProof};
use crate::store::{MatchKind, Verification};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

/// Numbers that one thread copies or fills at a time.
const CHUNK: usize = 1 << 20;

/// Seed of the sources that are compared where not all can be: drawn anew for each graph, so that no solver can do only these.
fn sources_seed() -> u64 {
    RandomState::new().hash_one("the rows that are compared")
}

/// Host memory that a device copies from and to.
#[derive(Clone, Copy)]
pub enum HostMemory {
    PageLocked,
    Pageable,
}

pub struct LoadedGraph {
    problem: Problem,
    /// The request that it was made for, or whose graph it stands in for.
    pub(super) request: GraphRequest,
    /// The weights as a solver takes them.
    pub(super) input: HostBuffer,
    output: HostBuffer,
    /// Input and output in pageable memory, once they were asked for.
    pageable: Option<(HostBuffer, HostBuffer)>,
    /// Iterations of k of the solves that are verified now, where they are fewer than n.
    pub(super) iterations: Option<usize>,
    /// Checks results of whole solves: every entry up to the n that the experiment sets, some rows beyond.
    whole: ResultChecker,
    /// Check some rows of results of solves that were cut short, by their number of iterations.
    cut_short: BTreeMap<usize, ResultChecker>,
}

impl LoadedGraph {
    /// Makes the graph, or `substitute` in its place, of as many vertices and the same type, and finds its reference.
    ///
    /// # Errors
    /// When there is no such graph, or no room for it.
    pub fn load(request: &GraphRequest, devices: &Devices, substitute: Option<Substitute>) -> Result<Self> {
        let GraphRequest { source, element, n, limits, .. } = request;
        let rounded = matches!(source, GraphSource::File { .. });
        check_host_memory(*n, source.graphs(), *element, limits, rounded).map_err(Failure::out_of_memory)?;
        by_element!(*element, T => Self::load_typed::<T>(request, devices, substitute))
    }

    /// Makes a graph of this type.
    fn load_typed<T: Element>(
        request: &GraphRequest,
        on: &Devices,
        substitute: Option<Substitute>,
    ) -> Result<Self> {
        let GraphRequest { source, element, n, limits, .. } = request;
        let make_one = |number| -> Result<(DistanceMatrix<T>, WeightRange, Reference<T>)> {
            let matrix: DistanceMatrix<T> = match substitute {
                Some(Substitute::Cycle(seed)) => graph::generate_cycle(*n, seed).map_err(Failure::graph)?,
                Some(Substitute::Next(number)) => match source.fresh(number) {
                    Some(source) => make(&source, *n)?,
                    None => graph::renumbered(&make(source, *n)?, number).map_err(Failure::graph)?,
                },
                None => make(&source.of_batch(number), *n)?,
            };
            // A cycle is directed, whatever it stands in for.
            let leads_back = !matches!(substitute, Some(Substitute::Cycle(_)));
            let symmetric = leads_back && source.weights().symmetric;
            let weights = WeightRange { symmetric, ..matrix.survey().weights.range };
            let reference = if *n <= limits.whole_reference_n {
                Reference::whole(&matrix, limits.reference_rows, sources_seed(), &cpu_parallel::solve)
            } else {
                Reference::of_rows(&matrix, limits.reference_rows, sources_seed())
            };
            Ok((matrix, weights, reference.map_err(Failure::graph)?))
        };
        let graphs = source.graphs();
        let made = (0..graphs).into_par_iter().map(make_one).collect::<Result<Vec<_>>>()?;
        let Some(weights) = made.iter().map(|(_, weights, _)| *weights).reduce(WeightRange::and) else {
            return Err(Failure::graph("a batch of no graphs"));
        };
        let problem = Problem { graphs, ..Problem::one(*n, *element, weights) };
        let mut input = buffer(problem.matrix_bytes(), on)?;
        let output = buffer(problem.matrix_bytes(), on)?;
        for ((matrix, ..), numbers) in made.iter().zip(input.numbers_mut().chunks_exact_mut(n * n)) {
            copy(matrix.as_slice(), numbers);
        }
        let references = made.into_iter().map(|(.., reference)| reference).collect();
        Ok(Self {
            problem,
            request: request.clone(),
            input,
            output,
            pageable: None,
            iterations: None,
            whole: checker(references, problem.entries()),
            cut_short: BTreeMap::new(),
        })
    }

    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Has `solve` solve the graph, and returns what it returns. The output is as it was written, but that every absent edge is the same
    /// number; entries that were left unwritten are found wrong.
    ///
    /// # Errors
    /// What `solve` reports.
    pub fn solve<T>(
        &mut self,
        memory: HostMemory,
        solve: impl FnOnce(&HostBuffer, &mut HostBuffer) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        let bytes = self.problem.matrix_bytes();
        let (input, output) = match (memory, &mut self.pageable) {
            (HostMemory::PageLocked, _) => (&self.input, &mut self.output),
            (HostMemory::Pageable, Some((input, output))) => (&*input, output),
            (HostMemory::Pageable, none) => {
                let mut input = buffer(bytes, &[])?;
                copy::<u8>(&self.input.numbers()[..bytes], input.numbers_mut());
                let (input, output) = none.insert((input, buffer(bytes, &[])?));
                (&*input, output)
            }
        };
        let element = self.problem.element;
        // Fill with a number that no right result holds.
        by_element!(element, T => output.numbers_mut().par_chunks_mut(CHUNK).for_each(|chunk| chunk.fill(T::POISON)));
        let solved = solve(input, output)?;
        if let (HostMemory::Pageable, Some((_, output))) = (memory, &self.pageable) {
            copy::<u8>(&output.numbers()[..bytes], self.output.numbers_mut());
        }
        // In other types every absent edge is the same number already.
        if element == ElementType::I32 {
            let distances: &mut [i32] = &mut self.output.numbers_mut()[..self.problem.entries()];
            distances.par_iter_mut().for_each(|distance| *distance = distance.canonical());
        }
        Ok(solved)
    }

    /// The digest of the weights.
    pub fn input_digest(&self) -> Digest {
        by_element!(self.problem.element, T => digest::<T>(&self.input.numbers()[..self.problem.entries()]))
    }

    /// Compares the output with the reference: of all iterations of k unless [`Self::expect`] set fewer.
    pub fn verify(&mut self) -> Result<ResultProof> {
        let cut_short = self.iterations.and_then(|iterations| self.cut_short.get_mut(&iterations));
        cut_short.unwrap_or(&mut self.whole)(&self.output)
    }

    /// Expects the next results to be of solves that end after `iterations` iterations of k: all n, or fewer. Makes the reference for that
    /// if there is none yet.
    ///
    /// # Errors
    /// When right results cannot be distinguished from wrong ones then, or for fewer iterations of a batch.
    pub fn expect(&mut self, iterations: usize) -> Result<()> {
        let Problem { n, graphs, element, .. } = self.problem;
        if iterations < n && !self.cut_short.contains_key(&iterations) {
            if graphs > 1 {
                return Err(Failure::other("no solve of a batch is cut short: leave out iterations"));
            }
            let (seed, rows) = (sources_seed(), self.request.limits.reference_rows);
            let checker = by_element!(element, T => {
                let weights = self.input.numbers::<T>()[..n * n].to_vec();
                let graph = DistanceMatrix::from_row_major(n, weights).map_err(Failure::other)?;
                let reference = Reference::after_iterations(&graph, rows, seed, iterations);
                checker(vec![reference.map_err(Failure::other)?], n * n)
            });
            self.cut_short.insert(iterations, checker);
        }
        self.iterations = (iterations < n).then_some(iterations);
        Ok(())
    }
}

/// Compares the first entries of a buffer with the reference.
type ResultChecker = Box<dyn FnMut(&HostBuffer) -> Result<ResultProof>>;

/// Makes the checker of a batch from the reference of each of its graphs.
fn checker<T: Element>(references: Vec<Reference<T>>, entries: usize) -> ResultChecker {
    // The digest of the last result that was found right.
    let mut right = None;
    let exact = references.iter().all(Reference::exact);
    let widest = references.iter().map(Reference::max_bound_gap).fold(0.0, f64::max);
    let how = if exact { MatchKind::Exact } else { MatchKind::Bounds { widest } };
    let in_rows = references.iter().filter(|reference| !reference.is_whole());
    let verification = Verification { how, rows: in_rows.map(|reference| reference.sources().len()).min() };
    Box::new(move |output| {
        let numbers = &output.numbers()[..entries];
        let digest = digest::<T>(numbers);
        if right != Some(digest) {
            let results = numbers.par_chunks_exact(entries / references.len());
            let compared = references.par_iter().zip(results);
            let checked = compared.try_for_each(|(reference, result)| reference.check(result));
            checked.map_err(Failure::wrong_number)?;
            // The compared rows may agree where the rest does not. Exact results of one graph are equal in every bit.
            if right.is_some() && exact {
                return Err(Failure::wrong_number(REST_DIFFERS));
            }
            right = Some(digest);
        }
        Ok(ResultProof { verification, digest: digest.to_string() })
    })
}

fn make<T: Element>(source: &GraphSource, n: usize) -> Result<DistanceMatrix<T>> {
    match source {
        GraphSource::Random(random) => graph::generate(random, n).map_err(Failure::graph),
        GraphSource::Edges(edges) => graph::generate_edges(edges, n).map_err(Failure::graph),
        GraphSource::File { path, digest: expected } => {
            let loaded = read::<f32>(path, &ReadOptions::default()).map_err(Failure::graph)?;
            let matrix = loaded.graph.into_matrix().map_err(Failure::graph)?;
            let path = path.display();
            if digest(matrix.as_slice()).to_string() != *expected {
                let problem = "has changed since this run was started: start a new one";
                return Err(Failure::graph(format!("{path} {problem}")));
            }
            matrix.convert().map_err(|error| Failure::graph(format!("{path}: {error}")))
        }
    }
}

fn buffer(bytes: usize, devices: &Devices) -> Result<HostBuffer, DeviceError> {
    if let Some(device) = devices.first() {
        return device.allocate_host(bytes);
    }
    let problem = format!("no host memory for {bytes} bytes: choose a smaller n");
    HostBuffer::pageable(bytes).ok_or_else(|| DeviceError::new(FailureKind::OutOfMemory, problem))
}

fn copy<T: Copy + Send + Sync>(from: &[T], to: &mut [T]) {
    to.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK)).for_each(|(to, from)| to.copy_from_slice(from));
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::graph::RandomGraph;
    use crate::implementation::{NoClock, Parameters, find};
    use crate::plan::Limits;
    use crate::protocol::FailureCause;

    pub fn request(random: RandomGraph, element: ElementType, n: usize) -> GraphRequest {
        let limits = Limits {
            warm_up_s: 0.0,
            sample_s: 60.0,
            full_cell_s: 0.0,
            whole_reference_n: 64,
            reference_rows: 8,
        };
        GraphRequest::whole(GraphSource::Random(random), element, n, limits)
    }

    #[test]
    fn nobody_can_foretell_which_rows_are_compared() {
        let graph = DistanceMatrix::<f32>::without_edges(2048).unwrap();
        let rows = || Reference::of_rows(&graph, 4, sources_seed()).unwrap().sources().to_vec();
        assert_ne!(rows(), rows());
    }

    #[test]
    fn weights_are_symmetric_where_that_is_declared_and_a_cycle_in_their_place_is_not() {
        let symmetric = |undirected, substitute| {
            let random = RandomGraph { undirected, ..RandomGraph::complete(1) };
            let graph = LoadedGraph::load(&request(random, ElementType::F32, 20), &[], substitute).unwrap();
            let weights = graph.input.numbers::<f32>().to_vec();
            let is_so = graph::is_symmetric(&DistanceMatrix::from_row_major(20, weights).unwrap());
            assert_eq!(graph.problem().weights.symmetric, is_so);
            is_so
        };
        assert!(symmetric(true, None) && symmetric(true, Some(Substitute::Next(3))));
        assert!(!symmetric(false, None) && !symmetric(true, Some(Substitute::Cycle(3))));
    }

    #[test]
    fn every_graph_of_a_batch_is_drawn_by_its_seed_and_compared() {
        let request = request(RandomGraph { graphs: 3, ..RandomGraph::complete(5) }, ElementType::I32, 20);
        let mut graph = LoadedGraph::load(&request, &[], None).unwrap();
        let third = graph::generate::<i32>(&RandomGraph::complete(7), 20).unwrap();
        assert_eq!(graph.input.numbers::<i32>()[800..], *third.as_slice());
        let solver = &find("cpu-naive").unwrap().solver;
        let mut prepared = solver.prepare(graph.problem(), &[], &Parameters::default()).unwrap();
        let mut solve = |graph: &mut LoadedGraph, wrong: Option<usize>| {
            graph.solve(HostMemory::PageLocked, |input, output| {
                prepared.run(input, output, &mut NoClock)?;
                wrong.into_iter().for_each(|at| output.numbers_mut::<i32>()[at] += 1);
                Ok(())
            })
        };
        for wrong in [1, 401, 1199] {
            solve(&mut graph, Some(wrong)).unwrap();
            assert_eq!(graph.verify().unwrap_err().cause, FailureCause::WrongResult, "{wrong}");
        }
        solve(&mut graph, None).unwrap();
        assert_eq!(graph.verify().unwrap().verification, Verification::EXACT);
        assert!(graph.expect(4).unwrap_err().message.contains("no solve of a batch is cut short"));
    }

    #[test]
    fn a_solve_that_is_cut_short_is_right_for_what_it_is_and_for_nothing_else() {
        let request = request(RandomGraph { density: 0.2, ..RandomGraph::complete(1) }, ElementType::F32, 64);
        let mut graph = LoadedGraph::load(&request, &[], None).unwrap();
        let solver = &find("cpu-naive").unwrap().solver;
        let solve = |graph: &mut LoadedGraph, iterations| {
            let parameters = Parameters::from([("iterations", iterations)]);
            let mut prepared = solver.prepare(graph.problem(), &[], &parameters).unwrap();
            let run = |input: &_, output: &mut _| prepared.run(input, output, &mut NoClock);
            graph.solve(HostMemory::PageLocked, run).unwrap();
        };
        let verify = |graph: &mut LoadedGraph, iterations| {
            graph.expect(iterations).unwrap();
            graph.verify()
        };
        solve(&mut graph, 20);
        assert_eq!(verify(&mut graph, 20).unwrap().verification.to_string(), "exact-rows:8");
        for other in [1, 19, 21, 64] {
            assert_eq!(verify(&mut graph, other).unwrap_err().cause, FailureCause::WrongResult);
        }
        solve(&mut graph, 0);
        assert_eq!(verify(&mut graph, 64).unwrap().verification, Verification::EXACT);
        assert_eq!(verify(&mut graph, 20).unwrap_err().cause, FailureCause::WrongResult);
    }
}
