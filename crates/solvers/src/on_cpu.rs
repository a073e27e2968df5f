//! An implementation on the host, written once over the element types.

use super::{
    Capabilities, Clock, Cost, Devices, Parameters, PinGuard, Point, PreparedSolve, Problem, Solver,
    SolverThreads, Traffic,
};
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

    /// As [`Solver::cost`], but that tasks which are halved are accounted for.
    fn cost(&self, problem: &Problem, _parameters: &Parameters) -> Cost {
        Cost::of(problem, 0)
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
pub struct OnCpu<S>(pub S);

impl<S: CpuSolver> Solver for OnCpu<S> {
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
        if halves(self.0, problem, parameters) {
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

/// Weights below 0 both ways are negative cycles: nobody solves those.
fn halves<S: CpuSolver>(solver: S, problem: &Problem, parameters: &Parameters) -> bool {
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
            // By all threads, so that no part of it is nearer to the one that solves.
            let parts = matrix.par_chunks_mut(CHUNK).zip(input.par_chunks(CHUNK));
            parts.for_each(|(to, from)| to.copy_from_slice(from));
        }
        let halves = halves(solver, &problem, parameters);
        let threads = solver.threads_of(problem.n, halves);
        let _pin = PinGuard::hold(threads);
        for point in [Point::Start, Point::CopiedIn, Point::Packed] {
            clock.reached(point, &[])?;
        }
        let mut graphs = matrix.chunks_exact_mut(problem.n * problem.n);
        let mut solve = || graphs.try_for_each(|one| solver.solve(one, problem.n, parameters, halves));
        match threads.pool() {
            Some(pool) => pool.install(solve),
            None => solve(),
        }?;
        for point in [Point::Solved, Point::Unpacked, Point::CopiedOut] {
            clock.reached(point, &[])?;
        }
        Ok(())
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
            let mut prepared = OnCpu(Counting).prepare(&problem, &[], &Parameters::default()).unwrap();
            let [input, mut output] = [(); 2].map(|()| HostBuffer::pageable(n * n * 4).unwrap());
            prepared.run(&input, &mut output, &mut crate::Untimed).unwrap();
            output.numbers::<i32>()[0]
        };
        assert_eq!(all.install(|| [2, 3, 4].map(seen)), [2, 3, 5]);
    }
}
