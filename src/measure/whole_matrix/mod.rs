//! A matrix in the memory of one process: solved under clocks, and every result compared with what is right.

mod clocks;
mod counts;
mod graph;
mod substitute;

use crate::device::DeviceError;
use crate::implementation::{Capabilities, Clock, Cost, NoClock, PreparedSolve, require_device};
use crate::measure::hardware::{Hardware, LoadedProblem, needs_gpu};
use crate::plan::Variant;
use crate::protocol::{Failure, GraphRequest, Reply, Request, Result, ResultProof, SampleReply};
use crate::timing::{
    CpuClock, EventClock, ExtraClocks, KernelClock, KernelSeconds, ProgramClock, Scope, Seconds, SolveClock,
    median,
};
pub use graph::{HostMemory, LoadedGraph};
use std::time::Instant;
use substitute::{LONGEST_PATHS, Substitute};

/// Earlier solves are kept as long as all take at most 1 / `SHARE_OF_MEMORY` of a device's memory. Other processes have solves there,
/// too: the first run of a fresh one, the other build of a pair.
const SHARE_OF_MEMORY: u64 = 8;

/// A prepared solve that is kept for the next request.
struct CachedSolve {
    variant: Variant,
    /// Bytes that it takes on each device.
    bytes: u64,
    /// How many iterations of k it runs.
    iterations: usize,
    prepared: Box<dyn PreparedSolve>,
}

/// A graph with what solves it, in the memory of this process.
pub struct WholeMatrix {
    // Dropped first: they live on devices. The one that was used last is at the end.
    solves: Vec<CachedSolve>,
    graph: LoadedGraph,
}

/// The graph, and what solves it.
type ReadySolve<'a> = (&'a mut LoadedGraph, &'a mut dyn PreparedSolve);

impl WholeMatrix {
    /// Makes the graph and its reference.
    ///
    /// # Errors
    /// When there is no such graph, or no room for it.
    pub fn load(on: &Hardware, request: &GraphRequest) -> Result<Self> {
        Ok(Self { solves: Vec::new(), graph: LoadedGraph::load(request, &on.devices, None)? })
    }

    /// The graph, and the variant's solve of it, which is prepared if that is still to do: a worker that replaces a lost one is asked for
    /// samples of cells that the other had prepared. Where memory is short, the least recently used solves are dropped.
    fn ready(&mut self, on: &mut Hardware, variant: &Variant) -> Result<ReadySolve<'_>> {
        match self.solves.iter().position(|known| known.variant == *variant) {
            Some(at) => self.solves[at..].rotate_left(1),
            None => self.prepare(on, variant)?,
        }
        let last = self.solves.last_mut().ok_or_else(|| Failure::other("nothing was prepared"))?;
        self.graph.expect(last.iterations)?;
        Ok((&mut self.graph, &mut *last.prepared))
    }

    /// Prepares the variant's solve of the graph.
    fn prepare(&mut self, on: &mut Hardware, variant: &Variant) -> Result<()> {
        if variant.takes_gpu() && on.gpu().is_none() {
            return Err(DeviceError::unavailable(needs_gpu(on.problem.as_ref())).into());
        }
        let count = on.open_for(variant)?;
        let (problem, known) = (*self.graph.problem(), variant.known()?);
        variant.solves(problem.n, problem.element).map_err(Failure::other)?;
        let Cost { bytes: needed, iterations, .. } = known.solver.cost(&problem, &variant.parameters);
        let mut bytes = 0;
        if count > 0 {
            bytes = needed;
            let share = on.devices[0].memory()?.total / SHARE_OF_MEMORY;
            let kept = |solves: &[CachedSolve]| solves.iter().map(|known| known.bytes).sum::<u64>();
            while !self.solves.is_empty() && kept(&self.solves) + bytes > share {
                self.solves.remove(0);
            }
        }
        let prepared = on.external.prepare(known, &problem, &on.devices[..count], &variant.parameters)?;
        self.solves.push(CachedSolve { variant: variant.clone(), bytes, iterations, prepared });
        Ok(())
    }
}

impl LoadedProblem for WholeMatrix {
    fn answer(&mut self, on: &mut Hardware, variant: &Variant, request: &Request) -> Result<Reply> {
        let capabilities = variant.known()?.capabilities(&variant.parameters);
        let mut session = VariantSession { matrix: self, on, variant, capabilities };
        Ok(match request {
            Request::Prepare { warm_up_s, .. } => {
                Reply::Prepared { others_load: session.warm_up(*warm_up_s)?, transport: None }
            }
            Request::Sample { clocks, fresh, .. } => {
                Reply::Sampled(Box::new(session.sample(*clocks, *fresh)?))
            }
            Request::FirstRun { .. } => Reply::Sampled(Box::new(session.first_run()?)),
            Request::TimeKernels { solves, .. } => {
                Reply::KernelTimes { kernels: session.time_kernels(*solves)? }
            }
            Request::Repeat { rule, .. } => Reply::Repeated { repeated: session.repeat(*rule)? },
            Request::Check { .. } => {
                session.solve_verified(HostMemory::PageLocked, &mut NoClock)?;
                session.check_again()?;
                Reply::Right
            }
            Request::Count { between_launches, .. } => {
                Reply::Counted(Box::new(session.count(*between_launches)?))
            }
            _ => return Err(Failure::other("internal error: a whole matrix has no such request")),
        })
    }
}

/// One variant, which solves the matrix.
struct VariantSession<'a> {
    matrix: &'a mut WholeMatrix,
    on: &'a mut Hardware,
    variant: &'a Variant,
    capabilities: Capabilities,
}

impl VariantSession<'_> {
    /// Solves once under `clock` and waits for the result.
    fn solve(&mut self, memory: HostMemory, clock: &mut dyn Clock) -> Result<()> {
        let (graph, prepared) = self.matrix.ready(self.on, self.variant)?;
        graph.solve(memory, |weights, distances| prepared.run(weights, distances, clock))?;
        Ok(prepared.collect()?)
    }

    /// Solves, and verifies the result.
    fn solve_verified(&mut self, memory: HostMemory, clock: &mut dyn Clock) -> Result<ResultProof> {
        self.solve(memory, clock)?;
        self.matrix.graph.verify()
    }

    /// Verifies the last result, which took `seconds`.
    fn sampled(&mut self, seconds: Seconds) -> Result<SampleReply> {
        let graph = &mut self.matrix.graph;
        Ok(SampleReply {
            seconds,
            result: graph.verify()?,
            iterations: graph.iterations,
            ..SampleReply::default()
        })
    }

    /// Solves untimed until `warm_up_s` have passed, the first time verified. Returns what others used of the host before, as in records.
    fn warm_up(&mut self, warm_up_s: f64) -> Result<Option<f64>> {
        self.matrix.ready(self.on, self.variant)?;
        if self.on.emulates() && self.variant.needs_device() {
            // Nothing is timed, so there is nothing to warm up.
            return Ok(None);
        }
        let others = self.on.host_monitor.until_now();
        let others_load = self.load_of(others);
        if self.is_program() {
            // It starts anew for each solve, so nothing but files stays warm, and each sample is of another graph and verified.
            self.check_on(&[LONGEST_PATHS])?;
            return Ok(others_load);
        }
        let start = Instant::now();
        if warm_up_s > 0.0 {
            // Verified before timed. Later warm-ups compute the same again.
            self.usual_clocks()?;
            self.matrix.graph.verify()?;
        }
        while start.elapsed().as_secs_f64() < warm_up_s {
            self.usual_clocks()?;
        }
        self.check_again()?;
        Ok(others_load)
    }

    /// Solves once under the usual clocks; the solve is prepared already.
    fn usual_clocks(&mut self) -> Result<Seconds> {
        if self.is_program() {
            let mut clock = ProgramClock::default();
            self.solve(HostMemory::PageLocked, &mut clock)?;
            return Ok(clock.read(&self.capabilities.scopes));
        }
        if !self.variant.needs_device() {
            let mut clock = CpuClock::default();
            self.solve(HostMemory::PageLocked, &mut clock)?;
            return Ok(clock.read());
        }
        let mut clock = EventClock::new(&require_device(&self.on.devices)?)?;
        self.solve(HostMemory::PageLocked, &mut clock)?;
        Ok(clock.read()?)
    }

    /// Takes one sample; of a user kernel, on the fresh graph of number `fresh`.
    fn sample(&mut self, clocks: ExtraClocks, fresh: u64) -> Result<SampleReply> {
        if !self.variant.is_external() {
            return self.sample_here(clocks);
        }
        self.on_substitute(Substitute::Next(fresh), |solver| {
            let sampled = solver.sample_here(clocks)?;
            solver.check_end(&sampled.seconds)?;
            Ok(sampled)
        })
    }

    fn sample_here(&mut self, clocks: ExtraClocks) -> Result<SampleReply> {
        self.matrix.ready(self.on, self.variant)?;
        if !self.variant.needs_device() {
            // The GPU's clocks say nothing about work on the CPU.
            self.on.host_monitor.start();
            let solved = self.usual_clocks();
            let others = self.on.host_monitor.stop();
            return Ok(SampleReply { others_load: self.load_of(others), ..self.sampled(solved?)? });
        }
        self.on.start_telemetry();
        let solved = self.usual_clocks();
        let telemetry = self.on.telemetry();
        let mut sampled = SampleReply { telemetry, ..self.sampled(solved?)? };
        sampled.seconds.extend(self.read_other_clocks(clocks)?.iter());
        Ok(sampled)
    }

    /// Solves `solves` times with events between the launches. Returns the median of each kernel.
    fn time_kernels(&mut self, solves: usize) -> Result<Vec<KernelSeconds>> {
        self.matrix.ready(self.on, self.variant)?;
        let mut clock = KernelClock::new(&require_device(&self.on.devices)?);
        let mut once = || {
            self.solve_verified(HostMemory::PageLocked, &mut clock)?;
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
    fn first_run(&mut self) -> Result<SampleReply> {
        let count = self.on.open_for(self.variant)?;
        let (element, devices) = (self.matrix.graph.problem().element, &self.on.devices[..count]);
        let start = Instant::now();
        self.on.external.load(self.variant.known()?, element, devices, &self.variant.parameters)?;
        let load = start.elapsed().as_secs_f64();
        let start = Instant::now();
        self.matrix.ready(self.on, self.variant)?;
        let prepare = start.elapsed().as_secs_f64();
        let mut clock = SolveClock::new(&require_device(&self.on.devices)?)?;
        self.solve(HostMemory::PageLocked, &mut clock)?;
        let (kernel, host) = clock.read()?;
        self.sampled(Seconds::from_iter([
            (Scope::FirstHost, host),
            (Scope::FirstKernel, kernel),
            (Scope::FirstPrepare, prepare),
            (Scope::FirstLoad, load),
        ]))
    }

    /// Whether a foreign program solves.
    fn is_program(&self) -> bool {
        self.capabilities.scopes.contains(&Scope::Program)
    }

    /// The cores that others used, as a share of those that the variant solves on. None for a variant on a device.
    fn load_of(&self, others: Option<f64>) -> Option<f64> {
        // The fault that only sleeps takes no longer under load.
        if cfg!(feature = "fault-injection") && std::env::var_os("REPRO_FAULT_SLEEP_MS").is_some() {
            return None;
        }
        let load = others? / self.capabilities.host_threads?.count().max(1) as f64;
        // More digits than the ticks of the clock give would say nothing.
        Some((load * 1e4).round() / 1e4)
    }
}
