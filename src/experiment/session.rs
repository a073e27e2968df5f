//! What a worker process holds, and how it answers: a device, a graph with its reference, loaded kernels.

use super::config::{GraphSource, Limits};
use super::loaded_graph::LoadedGraph;
use super::protocol::{
    Counted, Failure, FailureCause, Introduced, Opened, Reply, Request, Sampled, Unknown, Variant,
};
use crate::device::cuda::CudaDevice;
use crate::device::emulated::{Counts, EmulatedDevice, Instruments, LaunchCounts};
use crate::device::telemetry::{self, Monitor};
use crate::device::{Device, DeviceError, HostBuffer, Selection};
use crate::implementation::{
    self, Body, Implementation, Solver, WorkingMemory, cpu_parallel::Simd, cpu_peak,
};
use crate::record::{
    Build, DeviceRecord, Environment, HostInfo, ImplementationRecord, KernelRecord, Verification,
};
use crate::timing::{
    Bench, Ceilings, Clocks, EventClock, KernelSeconds, Scope, Seconds, measure_device_ceilings, median,
    time_as_cuda_graph, time_by_kernel, time_first, time_on_cpu, time_on_device, time_synchronized,
    time_unsynchronized,
};
use std::time::Instant;

/// Host memory that a device copies from and to.
#[derive(Clone, Copy)]
enum Memory {
    PageLocked,
    Pageable,
}

/// The state of a worker between requests.
#[derive(Default)]
pub struct Session {
    // Fields are dropped in this order: what lives on the device goes before the device.
    memory: Option<WorkingMemory>,
    graph: Option<LoadedGraph>,
    solvers: Vec<(Variant, Solver)>,
    clock: Option<EventClock>,
    monitor: Option<Monitor>,
    device: Option<Box<dyn Device>>,
    device_problem: Option<DeviceError>,
}

impl Session {
    /// Answers one request. A failure is a reply like any other.
    pub fn answer(&mut self, request: &Request) -> Reply {
        let answered = match request {
            Request::Introduce { variants } => Ok(introduce(variants)),
            Request::Open { device, variants, instruments } => self.open(device, variants, *instruments),
            Request::MeasureCeilings => self.measure_ceilings(),
            Request::LoadGraph { source, n, limits } => {
                // Both matrices of the last graph go before the next ones come.
                (self.memory, self.graph) = (None, None);
                LoadedGraph::load(source, *n, limits, self.device.as_deref()).map(|graph| {
                    self.graph = Some(graph);
                    Reply::GraphReady
                })
            }
            Request::Prepare { variant, warm_up_s } => self.prepare(variant, *warm_up_s),
            Request::Sample { variant, clocks } => {
                self.sample(variant, *clocks).map(|sampled| Reply::Sampled(Box::new(sampled)))
            }
            Request::TimeKernels { variant, solves } => {
                self.time_kernels(variant, *solves).map(|kernels| Reply::KernelTimes { kernels })
            }
            Request::CountBeside { variant, source, n, limits } => self
                .count_beside(variant, source, *n, limits)
                .map(|counted| Reply::Counted(Box::new(counted))),
            Request::FirstRun { device, variant, source, n, limits } => self
                .first_run(device, variant, source, *n, limits)
                .map(|sampled| Reply::Sampled(Box::new(sampled))),
            Request::Check { variant } => self.check(variant).map(|_| Reply::Right),
            Request::Count { variant } => {
                self.count(variant).map(|counted| Reply::Counted(Box::new(counted)))
            }
        };
        answered.unwrap_or_else(Reply::Failed)
    }

    fn open(
        &mut self,
        device: &str,
        variants: &[Variant],
        instruments: Instruments,
    ) -> Result<Reply, Failure> {
        let selection: Selection =
            device.parse().map_err(|error| Failure::new(FailureCause::Other, error))?;
        let needs_device =
            variants.iter().any(|variant| find(variant).is_ok_and(Implementation::needs_device));
        if needs_device || selection.is_demanded() {
            self.open_device(selection, instruments);
        } else if selection == Selection::Cpu {
            self.device_problem = Some(cpu_alone());
        }
        let device = match self.device.as_deref() {
            None => None,
            Some(device) => {
                let mut telemetry_problem = None;
                if !device.info().emulated {
                    self.clock = Some(EventClock::new(device)?);
                    let monitor = Monitor::open(&device.info().uuid);
                    telemetry_problem = monitor.as_ref().err().map(ToString::to_string);
                    self.monitor = monitor.ok();
                }
                let compiler = device.compiler();
                Some(DeviceRecord {
                    info: device.info().clone(),
                    driver: telemetry::driver_version().ok().filter(|_| !device.info().emulated),
                    compiler_problem: compiler.as_ref().err().map(ToString::to_string),
                    compiler: compiler.ok(),
                    telemetry_problem,
                })
            }
        };
        let implementations =
            variants.iter().map(|variant| self.record_of(variant)).collect::<Result<_, _>>()?;
        Ok(Reply::Opened(Box::new(Opened {
            environment: Environment {
                host: HostInfo::capture(),
                device,
                device_problem: self.device_problem.as_ref().map(ToString::to_string),
                implementations,
                ceilings: Ceilings::default(),
            },
        })))
    }

    /// Opens what is asked for. Where there is no CUDA device the emulated one may do, and why there is none stays known.
    fn open_device(&mut self, selection: Selection, instruments: Instruments) {
        match selection.cuda_ordinal().map(CudaDevice::open) {
            Some(Ok(device)) => {
                self.device = Some(Box::new(device));
                return;
            }
            Some(Err(error)) => self.device_problem = Some(error),
            None if selection == Selection::Cpu => self.device_problem = Some(cpu_alone()),
            None => {}
        }
        if selection.may_emulate() {
            match EmulatedDevice::open(instruments) {
                Ok(device) => self.device = Some(Box::new(device)),
                Err(error) => {
                    let both = self.device_problem.take().map_or(error.message.clone(), |problem| {
                        format!("{}; and {}", problem.message, error.message)
                    });
                    self.device_problem = Some(DeviceError::unavailable(both));
                }
            }
        }
    }

    fn record_of(&mut self, variant: &Variant) -> Result<ImplementationRecord, Failure> {
        let found = find(variant)?;
        let traffic = found.traffic;
        let (bytes_per_task, traffic_model) = found.bytes_per_task(&variant.parameters);
        let mut record = ImplementationRecord {
            implementation: variant.implementation.clone(),
            params: variant.parameters.to_string(),
            source: found.source.to_string(),
            bytes_per_task,
            traffic_model,
            bytes_per_task_paper: traffic.paper.map(|(bytes, _)| bytes),
            traffic_model_paper: traffic.paper.map(|(_, model)| model.to_string()),
            source_hash: None,
            kernels: Vec::new(),
            problem: None,
        };
        if let Body::Device(schedule) = found.body {
            record.source_hash = Some(schedule.source(&variant.parameters).hash());
            match self.kernels_of(variant) {
                Ok(kernels) => record.kernels = kernels,
                Err(failure) if failure.cause == FailureCause::DeviceLost => return Err(failure),
                Err(failure) => record.problem = Some(failure.message),
            }
        }
        Ok(record)
    }

    fn kernels_of(&mut self, variant: &Variant) -> Result<Vec<KernelRecord>, Failure> {
        let Body::Device(schedule) = find(variant)?.body else { return Ok(Vec::new()) };
        let at = self.loaded(variant)?;
        let device = self.device()?;
        if device.info().emulated {
            // It has no registers; shared memory is counted as it is used.
            return Ok(Vec::new());
        }
        let resources = self.solvers[at].1.resources(device)?;
        let uses = schedule.kernels(&variant.parameters);
        let pairs = resources.into_iter().zip(uses);
        Ok(pairs.map(|(resources, used)| KernelRecord { resources, paper: used.paper }).collect())
    }

    fn measure_ceilings(&self) -> Result<Reply, Failure> {
        let simd = Simd::detect();
        Ok(Reply::Ceilings(Ceilings {
            device: self
                .device
                .as_deref()
                .filter(|device| !device.info().emulated)
                .map(measure_device_ceilings)
                .transpose()?,
            cpu_core_tasks_per_s: Some(cpu_peak::add_min_rate(simd, 1)),
            cpu_tasks_per_s: Some(cpu_peak::add_min_rate(simd, rayon::current_num_threads())),
        }))
    }

    /// The place of the variant's loaded solver, loading it when it is new.
    fn loaded(&mut self, variant: &Variant) -> Result<usize, Failure> {
        if let Some(at) = self.solvers.iter().position(|(known, _)| known == variant) {
            return Ok(at);
        }
        let Body::Device(schedule) = find(variant)?.body else {
            return Err(Failure::new(FailureCause::Other, "a CPU implementation has no kernels to load"));
        };
        let solver = Solver::load(self.device()?, schedule, &variant.parameters)?;
        self.solvers.push((variant.clone(), solver));
        Ok(self.solvers.len() - 1)
    }

    fn device(&self) -> Result<&dyn Device, Failure> {
        self.device.as_deref().ok_or_else(|| match &self.device_problem {
            Some(problem) => problem.clone().into(),
            None => Failure::new(FailureCause::Unavailable, "no device was opened"),
        })
    }

    fn prepare(&mut self, variant: &Variant, warm_up_s: f64) -> Result<Reply, Failure> {
        if find(variant)?.needs_device() {
            self.make_ready(variant)?;
        }
        if self.device.as_deref().is_some_and(|device| device.info().emulated)
            && find(variant)?.needs_device()
        {
            // Nothing is timed, so there is nothing to warm up.
            return Ok(Reply::Prepared);
        }
        let start = Instant::now();
        let mut verified = false;
        while start.elapsed().as_secs_f64() < warm_up_s {
            self.solve(variant, false)?;
            if !verified {
                // Verified before timed. Later warm-ups compute the same again.
                self.verify()?;
                verified = true;
            }
        }
        Ok(Reply::Prepared)
    }

    /// Loads the variant's kernels and makes room for its layout, as far as that is still to do: a worker that replaces a
    /// lost one is asked for samples of cells that the other had prepared. Gives the solver's place.
    fn make_ready(&mut self, variant: &Variant) -> Result<usize, Failure> {
        let at = self.loaded(variant)?;
        let n = self.graph.as_ref().ok_or_else(no_graph)?.n();
        let mut memory = match self.memory.take() {
            Some(memory) => memory,
            None => WorkingMemory::allocate(self.device()?, n)?,
        };
        memory.make_room(self.device()?, self.solvers[at].1.layout())?;
        self.memory = Some(memory);
        Ok(at)
    }

    fn sample(&mut self, variant: &Variant, clocks: Clocks) -> Result<Sampled, Failure> {
        if let Some(monitor) = self.monitor.as_ref().filter(|_| self.device.is_some()) {
            monitor.start();
        }
        let solved = self.solve(variant, clocks.host);
        let seen = self.monitor.as_ref().filter(|_| self.device.is_some()).and_then(Monitor::stop);
        let mut seconds = solved?;
        let (verification, digest) = self.verify()?;
        if find(variant)?.needs_device() {
            seconds.extend(self.read_other_clocks(variant, clocks)?.iter());
        }
        // The GPU's clocks say nothing about work on the CPU.
        let telemetry = seen.filter(|_| find(variant).is_ok_and(Implementation::needs_device));
        Ok(Sampled { seconds, verification, digest, telemetry })
    }

    /// Samples of their own, each of them verified: no clock disturbs another.
    fn read_other_clocks(&mut self, variant: &Variant, clocks: Clocks) -> Result<Seconds, Failure> {
        let mut seconds = Seconds::default();
        if clocks.cuda_graph {
            seconds.extend(self.time_once(variant, Memory::PageLocked, time_as_cuda_graph)?.iter());
        }
        if clocks.host {
            seconds.extend(self.time_once(variant, Memory::Pageable, time_unsynchronized)?.iter());
            seconds.extend(self.time_once(variant, Memory::Pageable, time_synchronized)?.iter());
        }
        Ok(seconds)
    }

    fn time_kernels(&mut self, variant: &Variant, solves: usize) -> Result<Vec<KernelSeconds>, Failure> {
        let all = (0..solves.max(1))
            .map(|_| self.time_once(variant, Memory::PageLocked, time_by_kernel))
            .collect::<Result<Vec<_>, _>>()?;
        let mut medians = all[0].clone();
        for (at, kernel) in medians.iter_mut().enumerate() {
            let seconds: Vec<f64> = all.iter().map(|solve| solve[at].seconds).collect();
            kernel.seconds = median(&seconds).unwrap_or(kernel.seconds);
        }
        Ok(medians)
    }

    fn count_beside(
        &mut self,
        variant: &Variant,
        source: &GraphSource,
        n: usize,
        limits: &Limits,
    ) -> Result<Counted, Failure> {
        self.open_device(Selection::Emulated, Instruments::ALL);
        self.graph = Some(LoadedGraph::load(source, n, limits, self.device.as_deref())?);
        self.count(variant)
    }

    fn first_run(
        &mut self,
        device: &str,
        variant: &Variant,
        source: &GraphSource,
        n: usize,
        limits: &Limits,
    ) -> Result<Sampled, Failure> {
        // With no variant nothing is loaded, nor is an emulated device opened: there is no clock on one.
        let selection: Selection =
            device.parse().map_err(|error| Failure::new(FailureCause::Other, error))?;
        self.open_device(selection, Instruments::NONE);
        self.clock = Some(EventClock::new(self.device()?)?);
        self.graph = Some(LoadedGraph::load(source, n, limits, self.device.as_deref())?);
        let start = Instant::now();
        self.loaded(variant)?;
        let load = start.elapsed().as_secs_f64();
        let mut seconds = self.time_once(variant, Memory::PageLocked, time_first)?;
        seconds.extend([(Scope::FirstLoad, load)]);
        let (verification, digest) = self.verify()?;
        Ok(Sampled { seconds, verification, digest, telemetry: None })
    }

    /// Solves once on a device by `timed`, and verifies.
    fn time_once<T>(
        &mut self,
        variant: &Variant,
        memory: Memory,
        timed: impl FnOnce(Bench, &HostBuffer, &mut HostBuffer) -> Result<T, DeviceError>,
    ) -> Result<T, Failure> {
        let at = self.make_ready(variant)?;
        let graph = self.graph.as_mut().ok_or_else(no_graph)?;
        let (Some(device), Some(clock), Some(working)) =
            (self.device.as_deref(), self.clock.as_ref(), self.memory.as_ref())
        else {
            return Err(no_graph());
        };
        graph.poison_output();
        let n = graph.n();
        let bench = Bench { device, clock, solver: &self.solvers[at].1, memory: working, n };
        let result = match memory {
            Memory::PageLocked => {
                let (input, output) = graph.buffers();
                timed(bench, input, output)?
            }
            Memory::Pageable => {
                let (input, output) = graph.pageable_buffers()?;
                let result = timed(bench, input, output)?;
                graph.take_pageable_output();
                result
            }
        };
        self.verify()?;
        Ok(result)
    }

    /// Solves once without a clock, and verifies. Says how, and the result's digest.
    fn check(&mut self, variant: &Variant) -> Result<(Verification, String), Failure> {
        if matches!(find(variant)?.body, Body::Cpu(_)) {
            self.solve(variant, false)?;
        } else {
            self.solve_untimed(variant)?;
        }
        self.verify()
    }

    fn count(&mut self, variant: &Variant) -> Result<Counted, Failure> {
        let launches = self.solve_untimed(variant)?;
        let (verification, digest) = self.verify()?;
        let mut kernels: Vec<(String, Counts)> = Vec::new();
        for launch in launches {
            match kernels.iter_mut().find(|(kernel, _)| *kernel == launch.kernel) {
                Some((_, counts)) => *counts += launch.counts,
                None => kernels.push((launch.kernel, launch.counts)),
            }
        }
        Ok(Counted { kernels, verification, digest })
    }

    /// Solves once on a device; what its launches did, where the device counts.
    fn solve_untimed(&mut self, variant: &Variant) -> Result<Vec<LaunchCounts>, Failure> {
        let at = self.make_ready(variant)?;
        let graph = self.graph.as_mut().ok_or_else(no_graph)?;
        let (Some(device), Some(memory)) = (self.device.as_deref(), self.memory.as_ref()) else {
            return Err(no_graph());
        };
        graph.poison_output();
        let n = graph.n();
        let (input, output) = graph.buffers();
        let launches = self.solvers[at].1.run(device, memory, n, input, output)?;
        device.synchronize()?;
        Ok(launches)
    }

    /// Restores the input, poisons what will be the output, and solves once by the usual clocks, and those of the copies if
    /// `copies`.
    fn solve(&mut self, variant: &Variant, copies: bool) -> Result<Seconds, Failure> {
        match find(variant)?.body {
            Body::Cpu(solve) => {
                let graph = self.graph.as_mut().ok_or_else(no_graph)?;
                graph.restore_input_into_output();
                let n = graph.n();
                Ok(time_on_cpu(solve, graph.output_mut(), n)?)
            }
            Body::Device(_) => {
                let at = self.make_ready(variant)?;
                let graph = self.graph.as_mut().ok_or_else(no_graph)?;
                let (Some(device), Some(clock), Some(memory)) =
                    (self.device.as_deref(), self.clock.as_ref(), self.memory.as_ref())
                else {
                    return Err(no_graph());
                };
                graph.poison_output();
                let n = graph.n();
                let (input, output) = graph.buffers();
                let bench = Bench { device, clock, solver: &self.solvers[at].1, memory, n };
                Ok(time_on_device(bench, input, output, copies)?)
            }
        }
    }

    fn verify(&mut self) -> Result<(Verification, String), Failure> {
        self.graph.as_mut().ok_or_else(no_graph)?.verify()
    }
}

fn introduce(variants: &[Variant]) -> Reply {
    let unknown = |variant: &Variant| {
        let reason = check(variant).err()?;
        Some(Unknown { variant: variant.clone(), reason })
    };
    let unknown = variants.iter().filter_map(unknown).collect();
    Reply::Introduced(Introduced { build: Build::current(), unknown })
}

/// A parameter that is not known would be passed over in silence, and something else measured than was asked for.
fn check(variant: &Variant) -> Result<(), String> {
    let found = find(variant).map_err(|failure| failure.message)?;
    let checked = variant.parameters.check(found.name, found.parameters);
    checked.map_err(|error| error.to_string())?;
    found.schedule().map_or(Ok(()), |schedule| schedule.check(&variant.parameters))
}

fn cpu_alone() -> DeviceError {
    DeviceError::unavailable("--device cpu asks for the CPU alone: use --device auto for CUDA")
}

fn no_graph() -> Failure {
    Failure::new(FailureCause::Other, "asked to solve before a graph was loaded")
}

fn find(variant: &Variant) -> Result<&'static Implementation, Failure> {
    implementation::find(&variant.implementation).ok_or_else(|| {
        Failure::new(FailureCause::Other, format!("unknown implementation '{}'", variant.implementation))
    })
}
