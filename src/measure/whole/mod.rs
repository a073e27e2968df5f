//! A matrix in the memory of one process: solved under clocks, and every result compared with what is right.

mod clocks;
mod counts;
mod graph;
mod substitute;

use crate::device::DeviceError;
use crate::implementation::{Clock, Implementation, PreparedSolve, Untimed};
use crate::measure::hardware::{Hardware, Matrix, is_program, needs_gpu};
use crate::plan::Variant;
use crate::protocol::{Failure, GraphRequest, Reply, Request, Result, RightResult, Sampled};
use crate::timing::{
    Clocks, CpuClock, EventClock, FirstClock, KernelClock, KernelSeconds, ProgramClock, Scope, Seconds,
    median,
};
pub use graph::{LoadedGraph, Memory};
use std::time::Instant;
use substitute::SubstituteGraph;

/// Of a device's memory what solves take that are kept though another is used. Other processes have solves there, too: the first run of a
/// fresh one, the other build of a pair.
const SHARE_OF_MEMORY: u64 = 8;

/// A prepared solve that is kept for the next request.
struct CachedSolve {
    variant: Variant,
    /// What it takes on each device.
    bytes: u64,
    prepared: Box<dyn PreparedSolve>,
}

/// A graph with what solves it, in the memory of this process.
pub struct WholeMatrix {
    // Dropped first: they live on devices. The one that was used last is at the end.
    ready: Vec<CachedSolve>,
    graph: LoadedGraph,
    /// What that was made by.
    requested: GraphRequest,
}

impl WholeMatrix {
    /// Makes the graph and finds what is right.
    ///
    /// # Errors
    /// When there is no such graph, or no room for it.
    pub fn load(on: &Hardware, request: &GraphRequest) -> Result<Self> {
        let graph = LoadedGraph::load(request, on.first().map(|device| &**device))?;
        Ok(Self { ready: Vec::new(), graph, requested: request.clone() })
    }

    /// The graph, and the solve of it that was used last.
    fn last(&mut self) -> Result<(&mut LoadedGraph, &mut dyn PreparedSolve)> {
        let last = self.ready.last_mut().ok_or_else(|| Failure::other("nothing was prepared"))?;
        Ok((&mut self.graph, &mut *last.prepared))
    }
}

impl Matrix for WholeMatrix {
    fn answer(&mut self, on: &mut Hardware, variant: &Variant, request: &Request) -> Result<Reply> {
        VariantSession { matrix: self, on, variant, known: variant.known()? }.answer(request)
    }
}

/// One variant, which solves the matrix.
struct VariantSession<'a> {
    matrix: &'a mut WholeMatrix,
    on: &'a mut Hardware,
    variant: &'a Variant,
    known: &'a Implementation,
}

impl VariantSession<'_> {
    fn answer(&mut self, request: &Request) -> Result<Reply> {
        Ok(match request {
            Request::Prepare { warm_up_s, .. } => {
                Reply::Prepared { others_load: self.warm_up(*warm_up_s)?, transport: None }
            }
            Request::Sample { clocks, fresh, .. } => Reply::Sampled(Box::new(self.sample(*clocks, *fresh)?)),
            Request::FirstRun { .. } => Reply::Sampled(Box::new(self.first_run()?)),
            Request::TimeKernels { solves, .. } => {
                Reply::KernelTimes { kernels: self.time_kernels(*solves)? }
            }
            Request::Repeat { rule, .. } => Reply::Repeated { repeated: self.repeat(*rule)? },
            Request::Check { .. } => {
                self.solve_verified(Memory::PageLocked, &mut Untimed)?;
                self.check_again()?;
                Reply::Right
            }
            Request::Count { between_launches, .. } => {
                Reply::Counted(Box::new(self.count(*between_launches)?))
            }
            _ => {
                return Err(Failure::other(
                    "internal error: this request is not supported for an unsharded matrix",
                ));
            }
        })
    }

    /// Prepares the variant's solve of the graph, if that is still to do: a worker that replaces a lost one is asked for samples of
    /// cells that the other had prepared. Where memory is short, what was not used for longest goes.
    fn make_ready(&mut self) -> Result<()> {
        let ready = &mut self.matrix.ready;
        if let Some(at) = ready.iter().position(|ready| ready.variant == *self.variant) {
            ready[at..].rotate_left(1);
            return Ok(());
        }
        if self.variant.takes_gpu() && self.on.gpu().is_none() {
            return Err(DeviceError::unavailable(needs_gpu(self.on.problem.as_ref())).into());
        }
        let count = self.on.open_for(self.variant)?;
        let problem = *self.matrix.graph.problem();
        self.variant.solves(problem.n, problem.element).map_err(Failure::other)?;
        let mut bytes = 0;
        if count > 0 {
            bytes = self.known.solver.cost(&problem, &self.variant.parameters).bytes;
            let share = self.on.devices[0].memory()?.total / SHARE_OF_MEMORY;
            while !ready.is_empty() && ready.iter().map(|ready| ready.bytes).sum::<u64>() + bytes > share {
                ready.remove(0);
            }
        }
        self.matrix.graph.expect(self.iterations())?;
        let (devices, parameters) = (&self.on.devices[..count], &self.variant.parameters);
        let prepared = self.on.external.prepare(self.known, &problem, devices, parameters)?;
        self.matrix.ready.push(CachedSolve { variant: self.variant.clone(), bytes, prepared });
        Ok(())
    }

    /// Solves once under `clock` and waits for the result.
    fn solve(&mut self, memory: Memory, clock: &mut dyn Clock) -> Result<()> {
        self.make_ready()?;
        let (graph, prepared) = self.matrix.last()?;
        graph.solve(prepared, memory, clock)?;
        Ok(prepared.collect()?)
    }

    /// Solves, and verifies the result.
    fn solve_verified(&mut self, memory: Memory, clock: &mut dyn Clock) -> Result<RightResult> {
        self.solve(memory, clock)?;
        self.verify()
    }

    /// Verifies the last result, which is the variant's.
    fn verify(&mut self) -> Result<RightResult> {
        self.matrix.graph.verify_iterations(self.iterations())
    }

    /// How many iterations of k a solve of the graph by this variant runs.
    fn iterations(&self) -> usize {
        self.known.solver.cost(self.matrix.graph.problem(), &self.variant.parameters).iterations
    }

    /// Verifies the last result, which is the variant's and took so long.
    fn sampled(&mut self, seconds: Seconds) -> Result<Sampled> {
        let (result, iterations) = (self.verify()?, self.iterations());
        let iterations = (iterations < self.matrix.graph.problem().n).then_some(iterations);
        Ok(Sampled { seconds, iterations, result, ..Sampled::default() })
    }

    /// Solves untimed until `warm_up_s` have passed, the first time verified. Gives what others used of the host before, as in records.
    fn warm_up(&mut self, warm_up_s: f64) -> Result<Option<f64>> {
        self.make_ready()?;
        if self.on.emulates() && self.variant.needs_device() {
            // Nothing is timed, so there is nothing to warm up.
            return Ok(None);
        }
        let others = self.on.host_monitor.until_now();
        let others_load = self.load_of(others);
        if is_program(self.variant) {
            // It starts anew for each solve, so nothing but files stays warm, and each sample is of another graph and verified.
            self.check_longest_paths()?;
            return Ok(others_load);
        }
        let start = Instant::now();
        if warm_up_s > 0.0 {
            // Verified before timed. Later warm-ups compute the same again.
            self.usual_clocks()?;
            self.verify()?;
        }
        while start.elapsed().as_secs_f64() < warm_up_s {
            self.usual_clocks()?;
        }
        self.check_again()?;
        Ok(others_load)
    }

    /// Solves once by the usual clocks.
    fn usual_clocks(&mut self) -> Result<Seconds> {
        let scopes = self.known.capabilities(&self.variant.parameters).scopes;
        if scopes.contains(&Scope::Program) {
            let mut clock = ProgramClock::default();
            self.solve(Memory::PageLocked, &mut clock)?;
            return Ok(clock.read(&scopes));
        }
        if !self.variant.needs_device() {
            let mut clock = CpuClock::default();
            self.solve(Memory::PageLocked, &mut clock)?;
            return Ok(clock.read());
        }
        self.make_ready()?;
        let mut clock = EventClock::new(&self.on.timed(self.variant)?)?;
        self.solve(Memory::PageLocked, &mut clock)?;
        Ok(clock.read()?)
    }

    /// Takes one sample: that of a user kernel on the fresh graph of this number.
    fn sample(&mut self, clocks: Clocks, fresh: u64) -> Result<Sampled> {
        if !self.variant.is_external() {
            return self.sample_here(clocks);
        }
        self.on_substitute(SubstituteGraph::Next(fresh), |solver| {
            let sampled = solver.sample_here(clocks)?;
            solver.check_end(&sampled.seconds)?;
            Ok(sampled)
        })
    }

    fn sample_here(&mut self, clocks: Clocks) -> Result<Sampled> {
        if !self.variant.needs_device() {
            // The GPU's clocks say nothing about work on the CPU.
            self.on.host_monitor.start();
            let solved = self.usual_clocks();
            let others = self.on.host_monitor.stop();
            return Ok(Sampled { others_load: self.load_of(others), ..self.sampled(solved?)? });
        }
        self.make_ready()?;
        self.on.start_telemetry();
        let solved = self.usual_clocks();
        let telemetry = self.on.telemetry();
        let mut sampled = Sampled { telemetry, ..self.sampled(solved?)? };
        sampled.seconds.extend(self.read_other_clocks(clocks)?.iter());
        Ok(sampled)
    }

    /// Solves so many times with events between the launches. Gives the medians.
    fn time_kernels(&mut self, solves: usize) -> Result<Vec<KernelSeconds>> {
        let mut clock = KernelClock::new(&self.on.timed(self.variant)?);
        let mut once = || {
            self.solve_verified(Memory::PageLocked, &mut clock)?;
            Ok(clock.read()?)
        };
        let all = (0..solves.max(1)).map(|_| once()).collect::<Result<Vec<_>>>()?;
        let mut medians = all[0].clone();
        for (at, kernel) in medians.iter_mut().enumerate() {
            let seconds: Vec<f64> = all.iter().map(|solve| solve[at].seconds).collect();
            kernel.seconds = median(&seconds).unwrap_or(kernel.seconds);
        }
        Ok(medians)
    }

    /// Loads the variant's kernels and solves for the first time.
    fn first_run(&mut self) -> Result<Sampled> {
        let count = self.on.open_for(self.variant)?;
        let element = self.matrix.graph.problem().element;
        let start = Instant::now();
        self.on.load_kernels(self.variant, element, count)?;
        let load = start.elapsed().as_secs_f64();
        let start = Instant::now();
        self.make_ready()?;
        let prepare = start.elapsed().as_secs_f64();
        let mut clock = FirstClock::new(&self.on.timed(self.variant)?)?;
        self.solve(Memory::PageLocked, &mut clock)?;
        let mut seconds = clock.read()?;
        seconds.extend([(Scope::FirstPrepare, prepare), (Scope::FirstLoad, load)]);
        self.sampled(seconds)
    }

    /// What so many cores that others used are to the variant. None of one that runs on a device.
    fn load_of(&self, others: Option<f64>) -> Option<f64> {
        // Who only sleeps takes no longer for it.
        if cfg!(feature = "fault-injection") && std::env::var_os("REPRO_FAULT_SLEEP_MS").is_some() {
            return None;
        }
        let threads = self.known.capabilities(&self.variant.parameters).host_threads?;
        let load = others? / threads.count().max(1) as f64;
        // More digits than there are ticks would say nothing.
        Some((load * 1e4).round() / 1e4)
    }
}
