//! Implementations on the host, written once over the element types: in three loops, in blocks on all cores, and likhoded-sipeyko-2019's
//! generalized blocks on one.

use super::{
    Capabilities, Clock, Cost, Devices, Parameters, PinGuard, PreparedSolve, Problem, Solver, SolverThreads,
    TimingPoint, Traffic,
};
use crate::register_blocked::HALF;
use crate::{Implementation, Parameter, cpu_generalized, cpu_naive, cpu_parallel};
use cpu_generalized::{STEP, Shape};
use rayon::prelude::*;
use repro_device::{DeviceError, HostBuffer};
use repro_graph::{Element, ElementType, by_element};

/// Numbers that one thread copies at a time.
const CHUNK: usize = 1 << 20;

/// Work that is written once over the element types.
pub trait ForElement {
    type Output;

    fn run<T: Element>(self) -> Self::Output;
}

/// Runs `work` with the numbers of this type.
pub fn for_element<W: ForElement>(element: ElementType, work: W) -> W::Output {
    by_element!(element, T => work.run::<T>())
}

/// Something that closes a matrix on the host.
pub trait CpuSolver: Copy + Send + Sync + 'static {
    /// Closes the row-major n x n matrix in place. Where `halves`, which [`Capabilities::halves`] asks for, the graph is declared undirected and has no
    /// negative weight.
    ///
    /// # Errors
    /// What went wrong, in one line.
    fn solve<T: Element>(
        &self,
        matrix: &mut [T],
        n: usize,
        parameters: &Parameters,
        halves: bool,
    ) -> Result<(), DeviceError>;

    /// As [`Solver::capabilities`].
    fn capabilities(&self, _parameters: &Parameters) -> Capabilities {
        Capabilities::on_cpu(SolverThreads::One)
    }

    /// As [`Solver::cost`], but with all tasks of a symmetric matrix: the caller halves them.
    fn cost(&self, problem: &Problem, _parameters: &Parameters) -> Cost {
        Cost::new(problem, 0)
    }

    /// As [`Solver::fits`].
    ///
    /// # Errors
    /// Why not, in one line.
    fn fits(&self, _n: usize, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// As [`Solver::check`].
    ///
    /// # Errors
    /// Why not, in one line.
    fn check(&self, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// The threads that solve `n` vertices, half of the tasks or all. Each is pinned to a core meanwhile.
    fn threads_of(&self, _n: usize, _halves: bool) -> SolverThreads {
        self.capabilities(&Parameters::default()).host_threads.unwrap_or(SolverThreads::One)
    }

    /// As [`Solver::traffic`].
    fn traffic(&self, _parameters: &Parameters) -> Traffic {
        Traffic::EVERY_TASK
    }
}

/// What closes a matrix on the host, as a solver.
pub struct HostMethod<S>(pub S);

impl<S: CpuSolver> Solver for HostMethod<S> {
    fn capabilities(&self, parameters: &Parameters) -> Capabilities {
        self.0.capabilities(parameters)
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        self.0.check(parameters)
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        self.0.fits(n, parameters)
    }

    fn traffic(&self, parameters: &Parameters) -> Traffic {
        self.0.traffic(parameters)
    }

    fn cost(&self, problem: &Problem, parameters: &Parameters) -> Cost {
        let cost = self.0.cost(problem, parameters);
        if uses_symmetry(self.0, problem, parameters) {
            return Cost { tasks: problem.symmetric_task_count(), ..cost };
        }
        cost
    }

    fn prepare(
        &self,
        problem: &Problem,
        _: &Devices,
        parameters: &Parameters,
    ) -> Result<Box<dyn PreparedSolve>, DeviceError> {
        Ok(Box::new(CpuSolve { solver: self.0, problem: *problem, parameters: parameters.clone() }))
    }
}

/// Whether half of the tasks are done. With symmetric weights, a negative edge is a negative cycle, which nobody solves.
fn uses_symmetry<S: CpuSolver>(solver: S, problem: &Problem, parameters: &Parameters) -> bool {
    problem.weights.symmetric && !problem.weights.negative && solver.capabilities(parameters).halves
}

struct CpuSolve<S> {
    solver: S,
    problem: Problem,
    parameters: Parameters,
}

impl<S: CpuSolver> PreparedSolve for CpuSolve<S> {
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        for_element(self.problem.element, OneSolve { of: self, graph, distances, clock })
    }
}

struct OneSolve<'a, S> {
    of: &'a CpuSolve<S>,
    graph: &'a HostBuffer,
    distances: &'a mut HostBuffer,
    clock: &'a mut dyn Clock,
}

impl<S: CpuSolver> ForElement for OneSolve<'_, S> {
    type Output = Result<(), DeviceError>;

    /// There is nothing to copy and no layout to change that the solver does not change itself, so every scope is the solve.
    fn run<T: Element>(self) -> Self::Output {
        let Self { of: &CpuSolve { solver, problem, ref parameters }, graph, distances, clock } = self;
        let entries = problem.entries();
        let matrix = &mut distances.numbers_mut::<T>()[..entries];
        let input = &graph.numbers::<T>()[..entries];
        if entries <= CHUNK {
            matrix.copy_from_slice(input);
        } else {
            // Copied by all threads, so that no part of the matrix is nearer to the thread that solves.
            let parts = matrix.par_chunks_mut(CHUNK).zip(input.par_chunks(CHUNK));
            parts.for_each(|(to, from)| to.copy_from_slice(from));
        }
        let halves = uses_symmetry(solver, &problem, parameters);
        let threads = solver.threads_of(problem.n, halves);
        let _pin = PinGuard::acquire(threads);
        for point in [TimingPoint::Start, TimingPoint::CopiedIn, TimingPoint::Packed] {
            clock.record_point(point, &[])?;
        }
        let mut graphs = matrix.chunks_exact_mut(problem.n * problem.n);
        let mut solve = || graphs.try_for_each(|one| solver.solve(one, problem.n, parameters, halves));
        match threads.pool() {
            Some(pool) => pool.install(solve),
            None => solve(),
        }?;
        for point in [TimingPoint::Solved, TimingPoint::Unpacked, TimingPoint::CopiedOut] {
            clock.record_point(point, &[])?;
        }
        Ok(())
    }
}

/// The time of a few iterations gives that of all n, since each goes through the whole matrix.
const ITERATIONS: Parameter = Parameter::new(
    "iterations",
    "iterations of k, from 0 on, whose time stands for that of all n; 0: all, and the distances with them",
    0,
    0..=1 << 20,
);

/// A paper does not say whether its sequential program was compiled to vector instructions.
const VECTORIZED: Parameter = Parameter::new(
    "vectorized",
    "1: the compiler makes vector instructions of the loop, as it does of its own accord; 0: an instruction does one task",
    1,
    0..=1,
);

pub fn naive() -> Implementation {
    let source = "lund-smith-2010 §5 and Figure 1, Table 1 column 1";
    let [sampled, unvectorized] = [(ITERATIONS.name, 40), (VECTORIZED.name, 0)];
    Implementation {
        parameters: (&[ITERATIONS, VECTORIZED]).into(),
        verified_with: vec![
            Parameters::from([sampled]),
            Parameters::from([unvectorized]),
            Parameters::from([sampled, unvectorized]),
        ],
        ..Implementation::new("cpu-naive", "plain triple loop on one core", source, HostMethod(Naive))
    }
}

pub fn parallel() -> Implementation {
    let summary = "blocked, all cores, SIMD: today's CPU answer and the reference";
    let source = "not in a paper; the blocked algorithm of Venkataraman et al. (2003)";
    Implementation {
        parameters: (&[HALF]).into(),
        verified_with: vec![Parameters::from([(HALF.name, 0)])],
        ..Implementation::new("cpu-parallel", summary, source, HostMethod(Parallel))
    }
}

#[derive(Clone, Copy)]
struct Naive;

fn iterations(n: usize, parameters: &Parameters) -> usize {
    match ITERATIONS.value_in(parameters) {
        0 => n,
        iterations => n.min(iterations as usize),
    }
}

impl CpuSolver for Naive {
    fn solve<T: Element>(
        &self,
        matrix: &mut [T],
        n: usize,
        parameters: &Parameters,
        _: bool,
    ) -> Result<(), DeviceError> {
        let solve = if VECTORIZED.value_in(parameters) == 0 {
            cpu_naive::solve_unvectorized
        } else {
            cpu_naive::solve_iterations
        };
        solve(matrix, n, iterations(n, parameters));
        Ok(())
    }

    fn cost(&self, problem: &Problem, parameters: &Parameters) -> Cost {
        Cost { iterations: iterations(problem.n, parameters), ..Cost::new(problem, 0) }
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        let iterations = ITERATIONS.value_in(parameters) as usize;
        if iterations <= n {
            return Ok(());
        }
        Err(format!("n = {n} has {n} iterations of k, not {iterations}: choose fewer, or 0 for all"))
    }
}

/// Vertices of the smallest block of `cpu-parallel`.
const ONE_BLOCK: usize = 64;

#[derive(Clone, Copy)]
struct Parallel;

impl CpuSolver for Parallel {
    fn solve<T: Element>(
        &self,
        matrix: &mut [T],
        n: usize,
        _: &Parameters,
        halves: bool,
    ) -> Result<(), DeviceError> {
        cpu_parallel::solve_while(matrix, n, halves, &|_, _| true);
        Ok(())
    }

    fn capabilities(&self, parameters: &Parameters) -> Capabilities {
        Capabilities { halves: HALF.value_in(parameters) == 1, ..Capabilities::on_cpu(SolverThreads::All) }
    }

    fn cost(&self, problem: &Problem, _: &Parameters) -> Cost {
        Cost::new(problem, cpu_parallel::extra_bytes(problem.element, problem.n) as u64)
    }

    fn traffic(&self, _: &Parameters) -> Traffic {
        let model = "3 words read and 1 written per 128 tasks (rounds of 64 to 256 vertices, by n)";
        Traffic { model: model.into(), ..Traffic::of_tiles(128) }
    }

    fn threads_of(&self, n: usize, halves: bool) -> SolverThreads {
        let most = rayon::current_num_threads();
        match cpu_parallel::threads(n, halves, most) {
            // One block is closed by the thread that asks.
            1 if n <= ONE_BLOCK => SolverThreads::One,
            threads if threads < most => SolverThreads::Pool(threads),
            _ => SolverThreads::All,
        }
    }
}

const KAPPA: Parameter =
    Parameter::new("kappa", "rounds of a tile that run as one, at most the tiles a side", 1, 1..=65_535);
const TILE: Parameter = Parameter::new("tile", "the paper's r: a multiple of 8", 32, STEP as u32..=256);

pub fn generalized_blocked() -> Implementation {
    let summary = "blocked on one core, up to kappa rounds of a tile while it is in the caches";
    let source = "likhoded-sipeyko-2019, introduction: what is said of caches";
    Implementation {
        parameters: (&[KAPPA, TILE]).into(),
        verified_with: vec![
            Parameters::from([("kappa", 2)]),
            Parameters::from([("kappa", 3), ("tile", 8)]),
            Parameters::from([("kappa", 2), ("tile", 24)]),
        ],
        ..Implementation::new("cpu-generalized-blocked", summary, source, HostMethod(GeneralizedBlocked))
    }
}

#[derive(Clone, Copy)]
struct GeneralizedBlocked;

fn shape(parameters: &Parameters) -> Shape {
    Shape { tile: TILE.value_in(parameters) as usize, kappa: KAPPA.value_in(parameters) as usize }
}

impl CpuSolver for GeneralizedBlocked {
    fn solve<T: Element>(
        &self,
        matrix: &mut [T],
        n: usize,
        parameters: &Parameters,
        _: bool,
    ) -> Result<(), DeviceError> {
        cpu_generalized::solve(matrix, n, shape(parameters));
        Ok(())
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        let shape = shape(parameters);
        let tiles = shape.tiles(n);
        if shape.kappa <= tiles {
            return Ok(());
        }
        Err(format!("kappa is at most the number of tiles a side, and n = {n} has {tiles} of {}", shape.tile))
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        let tile = TILE.value_in(parameters);
        if tile.is_multiple_of(STEP as u32) {
            return Ok(());
        }
        Err(format!("tile = {tile}: expected a multiple of {STEP}"))
    }

    fn traffic(&self, parameters: &Parameters) -> Traffic {
        let Shape { kappa, tile } = shape(parameters);
        let words = (2 * kappa + 2) as f64 / (kappa * tile) as f64;
        let model =
            format!("{} tiles read and 1 written per {kappa} x {tile} tasks of an element", 2 * kappa + 1);
        Traffic { bytes_per_task: words * size_of::<f32>() as f64, model: model.into(), paper: None }
    }

    fn cost(&self, problem: &Problem, parameters: &Parameters) -> Cost {
        let copied = shape(parameters).entries(problem.n) * problem.element.bytes();
        Cost::new(problem, copied as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::WeightRange;

    /// Says how many threads it finds.
    #[derive(Clone, Copy)]
    struct Counting;

    impl CpuSolver for Counting {
        fn solve<T: Element>(
            &self,
            matrix: &mut [T],
            _: usize,
            _: &Parameters,
            _: bool,
        ) -> Result<(), DeviceError> {
            matrix[0] = T::from_f64(rayon::current_num_threads() as f64);
            Ok(())
        }

        fn threads_of(&self, n: usize, _: bool) -> SolverThreads {
            if n < 4 { SolverThreads::Pool(n) } else { SolverThreads::All }
        }
    }

    #[test]
    fn a_solve_is_shared_among_as_many_threads_as_its_n_keeps_busy() {
        let all = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
        let seen = |n: usize| {
            let range =
                WeightRange { largest: 1.0, negative: false, complete: false, grain: 1.0, symmetric: false };
            let problem = Problem::one(n, ElementType::I32, range);
            let mut prepared = HostMethod(Counting).prepare(&problem, &[], &Parameters::default()).unwrap();
            let [input, mut output] = [(); 2].map(|()| HostBuffer::pageable(n * n * 4).unwrap());
            prepared.run(&input, &mut output, &mut crate::NoClock).unwrap();
            output.numbers::<i32>()[0]
        };
        assert_eq!(all.install(|| [2, 3, 4].map(seen)), [2, 3, 5]);
    }
}
