//! An implementation on the host, written once over the element types.

use super::{
    Abilities, Clock, Machine, Method, Parameters, Pin, Point, Prepared, Problem, Scope, Threads, Vectorized,
};
use rayon::prelude::*;
use repro_device::{DeviceError, HostBuffer};
use repro_graph::ElementType;
use std::sync::Arc;

/// Numbers that one thread copies at a time.
const CHUNK: usize = 1 << 20;

/// Work that is written once over the element types.
pub trait ForElement {
    type Output;

    fn run<T: Vectorized>(self) -> Self::Output;
}

/// Runs `work` with the numbers of this type.
pub fn for_element<W: ForElement>(element: ElementType, work: W) -> W::Output {
    match element {
        ElementType::F32 => work.run::<f32>(),
        ElementType::I32 => work.run::<i32>(),
        ElementType::U16 => work.run::<u16>(),
        ElementType::F64 => work.run::<f64>(),
    }
}

/// Something that closes a matrix on the host.
pub trait CpuSolver: Send + Sync + 'static {
    /// Closes the row-major n x n matrix in place.
    ///
    /// # Errors
    /// What went wrong, in one line.
    fn solve<T: Vectorized>(
        &self,
        matrix: &mut [T],
        n: usize,
        parameters: &Parameters,
    ) -> Result<(), DeviceError>;

    /// Whether it does half of the tasks of a graph that is declared undirected and has no negative weight, by
    /// [`CpuSolver::solve_symmetric`].
    fn halves(&self, _parameters: &Parameters) -> bool {
        false
    }

    /// Closes such a graph's matrix.
    ///
    /// # Errors
    /// As [`CpuSolver::solve`].
    fn solve_symmetric<T: Vectorized>(
        &self,
        matrix: &mut [T],
        n: usize,
        parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        self.solve(matrix, n, parameters)
    }

    /// As [`Method::iterations`].
    fn iterations(&self, n: usize, _parameters: &Parameters) -> usize {
        n
    }

    /// As [`Method::fits`].
    ///
    /// # Errors
    /// Why not, in one line.
    fn fits(&self, _n: usize, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// As [`Method::check`].
    ///
    /// # Errors
    /// Why not, in one line.
    fn check(&self, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// As [`Method::bytes_per_task`].
    fn bytes_per_task(&self, _parameters: &Parameters) -> Option<(f64, String)> {
        None
    }

    /// As [`Method::also_checked`].
    fn also_checked(&self) -> Vec<Parameters> {
        Vec::new()
    }

    /// The types that it solves in.
    fn elements(&self) -> &'static [ElementType] {
        &ElementType::ALL
    }

    /// The threads that solve. Each is pinned to a core meanwhile.
    fn threads(&self) -> Threads {
        Threads::One
    }

    /// Whether it does n³ tasks, as Dijkstra's algorithm from every source does not.
    fn is_cubic(&self) -> bool {
        true
    }

    /// Bytes that it takes in addition to the matrix.
    fn extra_bytes<T: Vectorized>(&self, _n: usize, _parameters: &Parameters) -> usize {
        0
    }
}

/// A solver on the host as a method.
pub struct OnCpu<S>(Arc<S>);

impl<S: CpuSolver> OnCpu<S> {
    /// For [`Implementation::method`](crate::Implementation).
    pub fn of(solver: S) -> Box<dyn Method> {
        Box::new(Self(Arc::new(solver)))
    }
}

impl<S: CpuSolver> Method for OnCpu<S> {
    fn abilities(&self, _: &Parameters) -> Abilities {
        Abilities {
            elements: self.0.elements().into(),
            devices: 0..=0,
            scopes: (&Scope::USUAL).into(),
            is_cubic: self.0.is_cubic(),
        }
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        self.0.check(parameters)
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        self.0.fits(n, parameters)
    }

    fn bytes_per_task(&self, parameters: &Parameters) -> Option<(f64, String)> {
        self.0.bytes_per_task(parameters)
    }

    fn iterations(&self, n: usize, parameters: &Parameters) -> usize {
        self.0.iterations(n, parameters)
    }

    fn also_checked(&self) -> Vec<Parameters> {
        self.0.also_checked()
    }

    fn solves_batches(&self) -> bool {
        true
    }

    fn host_threads(&self) -> Option<Threads> {
        Some(self.0.threads())
    }

    fn tasks_of_solve(&self, problem: &Problem, parameters: &Parameters) -> f64 {
        if halves(&*self.0, problem, parameters) { problem.halved() } else { problem.cubed() }
    }

    fn bytes(&self, problem: &Problem, parameters: &Parameters) -> u64 {
        let of = ExtraBytes { solver: &*self.0, n: problem.n, parameters };
        for_element(problem.element, of) as u64
    }

    fn prepare(
        &self,
        problem: &Problem,
        _: Machine,
        parameters: &Parameters,
    ) -> Result<Box<dyn Prepared>, DeviceError> {
        let (solver, parameters) = (self.0.clone(), parameters.clone());
        Ok(Box::new(CpuSolve { solver, problem: *problem, parameters }))
    }
}

/// Weights below 0 both ways are negative cycles: nobody solves those.
fn halves<S: CpuSolver>(solver: &S, problem: &Problem, parameters: &Parameters) -> bool {
    problem.weights.symmetric && !problem.weights.negative && solver.halves(parameters)
}

struct ExtraBytes<'a, S> {
    solver: &'a S,
    n: usize,
    parameters: &'a Parameters,
}

impl<S: CpuSolver> ForElement for ExtraBytes<'_, S> {
    type Output = usize;

    fn run<T: Vectorized>(self) -> usize {
        self.solver.extra_bytes::<T>(self.n, self.parameters)
    }
}

struct CpuSolve<S> {
    solver: Arc<S>,
    problem: Problem,
    parameters: Parameters,
}

impl<S: CpuSolver> Prepared for CpuSolve<S> {
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        let Self { solver, problem, parameters } = self;
        let one = OneSolve { solver: &**solver, problem: *problem, parameters, graph, distances, clock };
        for_element(problem.element, one)
    }
}

struct OneSolve<'a, S> {
    solver: &'a S,
    problem: Problem,
    parameters: &'a Parameters,
    graph: &'a HostBuffer,
    distances: &'a mut HostBuffer,
    clock: &'a mut dyn Clock,
}

impl<S: CpuSolver> ForElement for OneSolve<'_, S> {
    type Output = Result<(), DeviceError>;

    /// There is nothing to copy and no layout to change that the solver does not change itself, so every scope is the solve.
    fn run<T: Vectorized>(self) -> Self::Output {
        let Self { solver, problem, parameters, graph, distances, clock } = self;
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
        let _pin = Pin::hold(solver.threads());
        for point in [Point::Start, Point::CopiedIn, Point::Packed] {
            clock.reached(point, &[])?;
        }
        let halves = halves(solver, &problem, parameters);
        for matrix in matrix.chunks_exact_mut(problem.n * problem.n) {
            if halves {
                solver.solve_symmetric(matrix, problem.n, parameters)?;
            } else {
                solver.solve(matrix, problem.n, parameters)?;
            }
        }
        for point in [Point::Solved, Point::Unpacked, Point::CopiedOut] {
            clock.reached(point, &[])?;
        }
        Ok(())
    }
}
