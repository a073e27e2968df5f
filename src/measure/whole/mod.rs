//! A matrix in the memory of one process: solved under clocks, and every result compared with what is right.

mod everything;
mod fresh;
mod graph;
mod other_clocks;
mod repeat;

use crate::device::telemetry::Monitor;
use crate::device::{DeviceError, FailureKind};
use crate::implementation::{Clock, Machine, Prepared, Problem, Untimed};
use crate::measure::hardware::{Hardware, is_program};
use crate::plan::Variant;
use crate::protocol::{Counted, Failure, GraphRequest, Reply, Request, Result, RightResult, Sampled};
use crate::timing::{
    Clocks, CountingClock, CpuClock, EventClock, FirstClock, KernelClock, KernelSeconds, ProgramClock, Scope,
    Seconds, median,
};
use fresh::Fresh;
pub use graph::{LoadedGraph, Memory};
use std::time::Instant;

/// Of a device's memory what solves take that are kept though another is used.
const SHARE_OF_MEMORY: u64 = 8;

/// A solve that is prepared.
struct Ready {
    variant: Variant,
    /// What it takes on each device.
    bytes: u64,
    prepared: Box<dyn Prepared>,
}

/// A graph with what solves it, in the memory of this process.
pub struct WholeMatrix {
    // Dropped first: they live on devices. The one that was used last is at the end.
    ready: Vec<Ready>,
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

    /// Does what is asked for with the variant. Distances of a whole matrix are not stored.
    ///
    /// # Errors
    /// When there is no room or a clock is missing, a solve fails or its result is wrong.
    pub fn answer(&mut self, on: &mut Hardware, variant: &Variant, request: &Request) -> Result<Reply> {
        Ok(match request {
            Request::Prepare { warm_up_s, .. } => {
                Reply::Prepared { others_load: self.warm_up(on, variant, *warm_up_s)?, transport: None }
            }
            Request::Sample { clocks, fresh, .. } => {
                Reply::Sampled(Box::new(self.sample(on, variant, *clocks, *fresh)?))
            }
            Request::FirstRun { .. } => Reply::Sampled(Box::new(self.first_run(on, variant)?)),
            Request::TimeKernels { solves, .. } => {
                Reply::KernelTimes { kernels: self.time_kernels(on, variant, *solves)? }
            }
            Request::Repeat { rule, .. } => Reply::Repeated { repeated: self.repeat(on, variant, *rule)? },
            Request::Check { .. } => {
                self.solve_rightly(on, variant, Memory::PageLocked, &mut Untimed)?;
                self.check_again(on, variant)?;
                Reply::Right
            }
            Request::Count { .. } | Request::CountBeside { .. } => {
                Reply::Counted(Box::new(self.count(on, variant)?))
            }
            _ => return Err(Failure::other("asked for what is not done with a matrix in one memory")),
        })
    }

    /// Prepares the variant's solve of the graph, if that is still to do: a worker that replaces a lost one is asked for samples of
    /// cells that the other had prepared. Where memory is short, what was not used for longest goes.
    fn make_ready(&mut self, on: &mut Hardware, variant: &Variant) -> Result<()> {
        if let Some(at) = self.ready.iter().position(|ready| ready.variant == *variant) {
            self.ready[at..].rotate_left(1);
            return Ok(());
        }
        if variant.takes_gpu() && on.gpu().is_none() {
            return Err(DeviceError::unavailable(on.needs_gpu()).into());
        }
        let count = on.open_for(variant)?;
        let problem = *self.graph.problem();
        let known = variant.known()?;
        known.takes(problem.element, &variant.parameters).map_err(DeviceError::other)?;
        known.check(&variant.parameters).map_err(DeviceError::other)?;
        let bytes = if count > 0 { known.method.bytes(&problem, &variant.parameters) } else { 0 };
        if count > 0 {
            self.make_room(bytes, on.devices()[0].memory()?.total / SHARE_OF_MEMORY);
        }
        self.graph.expect(self.through(variant)?)?;
        let prepared = self.prepare(on, variant, &problem, count)?;
        self.ready.push(Ready { variant: variant.clone(), bytes, prepared });
        Ok(())
    }

    /// Drops what was not used for longest until so many bytes more are no more than `share`. Other processes have solves on the device,
    /// too: the first run of a fresh one, the other build of a pair.
    fn make_room(&mut self, bytes: u64, share: u64) {
        while !self.ready.is_empty()
            && self.ready.iter().map(|ready| ready.bytes).sum::<u64>() + bytes > share
        {
            self.ready.remove(0);
        }
    }

    /// What solves the graph on so many devices.
    fn prepare(
        &mut self,
        on: &mut Hardware,
        variant: &Variant,
        problem: &Problem,
        count: usize,
    ) -> Result<Box<dyn Prepared>, DeviceError> {
        loop {
            match on.prepare(variant, problem, count) {
                Err(error) if error.kind == FailureKind::OutOfMemory && !self.ready.is_empty() => {
                    self.ready.remove(0);
                }
                prepared => return prepared,
            }
        }
    }

    /// The graph, and the variant's solve of it.
    fn ready(
        &mut self,
        on: &mut Hardware,
        variant: &Variant,
    ) -> Result<(&mut LoadedGraph, &mut dyn Prepared)> {
        self.make_ready(on, variant)?;
        let last = self.ready.last_mut().ok_or_else(|| DeviceError::other("nothing was prepared"))?;
        Ok((&mut self.graph, &mut *last.prepared))
    }

    /// Solves once under `clock` and waits for the result.
    fn solve(
        &mut self,
        on: &mut Hardware,
        variant: &Variant,
        memory: Memory,
        clock: &mut dyn Clock,
    ) -> Result<()> {
        let (graph, prepared) = self.ready(on, variant)?;
        graph.solve(prepared, memory, clock)?;
        Ok(prepared.collect()?)
    }

    /// The same with a result that must be right.
    fn solve_rightly(
        &mut self,
        on: &mut Hardware,
        variant: &Variant,
        memory: Memory,
        clock: &mut dyn Clock,
    ) -> Result<RightResult> {
        self.solve(on, variant, memory, clock)?;
        self.verify(variant)
    }

    /// Verifies the last result, which is the variant's.
    fn verify(&mut self, variant: &Variant) -> Result<RightResult> {
        self.graph.verify_through(self.through(variant)?)
    }

    /// How many iterations of k a solve of the graph by this variant runs.
    fn through(&self, variant: &Variant) -> Result<usize> {
        Ok(variant.known()?.method.through(self.graph.problem().n, &variant.parameters))
    }

    /// Verifies the last result, which is the variant's and took so long.
    fn sampled(&mut self, variant: &Variant, seconds: Seconds) -> Result<Sampled> {
        let result = self.verify(variant)?;
        let iterations = Some(self.through(variant)?).filter(|through| *through < self.graph.problem().n);
        Ok(Sampled { iterations, ..Sampled::of(seconds, result) })
    }

    /// Solves untimed until `warm_up_s` have passed, the first time verified. Gives what others used of the host before, as in records.
    fn warm_up(&mut self, on: &mut Hardware, variant: &Variant, warm_up_s: f64) -> Result<Option<f64>> {
        self.make_ready(on, variant)?;
        if on.emulates() && variant.needs_device() {
            // Nothing is timed, so there is nothing to warm up.
            return Ok(None);
        }
        let others_load = load_of(variant, on.host_monitor.until_now())?;
        if is_program(variant) {
            // It starts anew for each solve, so nothing but files stays warm, and each sample is of another graph and verified.
            self.check_longest_paths(on, variant)?;
            return Ok(others_load);
        }
        let start = Instant::now();
        let mut verified = false;
        while start.elapsed().as_secs_f64() < warm_up_s {
            self.usual_clocks(on, variant, false)?;
            if !verified {
                // Verified before timed. Later warm-ups compute the same again.
                self.verify(variant)?;
                verified = true;
            }
        }
        self.check_again(on, variant)?;
        Ok(others_load)
    }

    /// Solves once by the usual clocks, and those of the copies if `copies`.
    fn usual_clocks(&mut self, on: &mut Hardware, variant: &Variant, copies: bool) -> Result<Seconds> {
        let scopes = variant.known()?.method.abilities(&variant.parameters).scopes;
        if scopes.contains(&Scope::Program) {
            let mut clock = ProgramClock::default();
            self.solve(on, variant, Memory::PageLocked, &mut clock)?;
            return Ok(clock.read(&scopes));
        }
        if !variant.needs_device() {
            let mut clock = CpuClock::default();
            self.solve(on, variant, Memory::PageLocked, &mut clock)?;
            return Ok(clock.read());
        }
        self.make_ready(on, variant)?;
        let mut clock = EventClock::new(&on.timed(variant)?)?;
        self.solve(on, variant, Memory::PageLocked, &mut clock)?;
        Ok(clock.read(copies)?)
    }

    /// Takes one sample: a stranger's on the fresh graph of this number.
    fn sample(
        &mut self,
        on: &mut Hardware,
        variant: &Variant,
        clocks: Clocks,
        fresh: u64,
    ) -> Result<Sampled> {
        if !variant.is_strangers() {
            return self.sample_here(on, variant, clocks);
        }
        self.on_fresh_graph(on, variant, Fresh::Next(fresh), |matrix, on| {
            let sampled = matrix.sample_here(on, variant, clocks)?;
            fresh::check_end(on, variant, &sampled.seconds)?;
            Ok(sampled)
        })
    }

    fn sample_here(&mut self, on: &mut Hardware, variant: &Variant, clocks: Clocks) -> Result<Sampled> {
        if !variant.needs_device() {
            // The GPU's clocks say nothing about work on the CPU.
            on.host_monitor.start();
            let solved = self.usual_clocks(on, variant, clocks.host);
            let others = on.host_monitor.stop();
            return Ok(Sampled { others_load: load_of(variant, others)?, ..self.sampled(variant, solved?)? });
        }
        self.make_ready(on, variant)?;
        if let Some(monitor) = &on.monitor {
            monitor.start();
        }
        let solved = self.usual_clocks(on, variant, clocks.host);
        let telemetry = on.monitor.as_ref().and_then(Monitor::stop);
        let mut sampled = Sampled { telemetry, ..self.sampled(variant, solved?)? };
        sampled.seconds.extend(self.read_other_clocks(on, variant, clocks)?.iter());
        Ok(sampled)
    }

    /// Solves so many times with events between the launches. Gives the medians.
    fn time_kernels(
        &mut self,
        on: &mut Hardware,
        variant: &Variant,
        solves: usize,
    ) -> Result<Vec<KernelSeconds>> {
        let mut clock = KernelClock::new(&on.timed(variant)?);
        let mut once = || {
            self.solve_rightly(on, variant, Memory::PageLocked, &mut clock)?;
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
    fn first_run(&mut self, on: &mut Hardware, variant: &Variant) -> Result<Sampled> {
        let count = on.open_for(variant)?;
        let element = self.graph.problem().element;
        let start = Instant::now();
        variant.known()?.method.load(element, Machine::of(&on.devices()[..count]), &variant.parameters)?;
        let load = start.elapsed().as_secs_f64();
        let start = Instant::now();
        self.make_ready(on, variant)?;
        let prepare = start.elapsed().as_secs_f64();
        let mut clock = FirstClock::new(&on.timed(variant)?)?;
        self.solve(on, variant, Memory::PageLocked, &mut clock)?;
        let mut seconds = clock.read()?;
        seconds.extend([(Scope::FirstPrepare, prepare), (Scope::FirstLoad, load)]);
        self.sampled(variant, seconds)
    }

    /// Solves once on a device that counts.
    fn count(&mut self, on: &mut Hardware, variant: &Variant) -> Result<Counted> {
        self.make_ready(on, variant)?;
        let devices = on.devices().to_vec();
        let mut clock = CountingClock::new(&devices);
        let result = self.solve_rightly(on, variant, Memory::PageLocked, &mut clock)?;
        self.check_again(on, variant)?;
        let mut counted = Counted { kernels: Vec::new(), uncounted: None, result, notes: Vec::new() };
        counted.add(clock.take().into_iter().map(|launch| (launch.kernel, launch.counts)));
        Ok(counted)
    }
}

/// What so many cores that others used are to the variant. None of one that runs on a device.
fn load_of(variant: &Variant, others: Option<f64>) -> Result<Option<f64>> {
    let threads = variant.known()?.method.host_threads();
    let load = others.zip(threads).map(|(others, threads)| others / threads.count().max(1) as f64);
    // More digits than there are ticks would say nothing.
    Ok(load.map(|load| (load * 1e4).round() / 1e4))
}
