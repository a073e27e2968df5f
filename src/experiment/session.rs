//! What a worker process holds, and how it answers: a device, a graph with its reference, loaded kernels.

use super::loaded_graph::LoadedGraph;
use super::protocol::{Counted, Failure, FailureCause, Opened, Reply, Request, Sampled, Variant};
use crate::device::cuda::CudaDevice;
use crate::device::emulated::{Counts, EmulatedDevice, Instruments, LaunchCounts};
use crate::device::telemetry::{self, Monitor};
use crate::device::{Device, DeviceError, Selection};
use crate::implementation::{
    self, Body, Implementation, Solver, WorkingMemory, cpu_parallel::Simd, cpu_peak,
};
use crate::record::{DeviceRecord, Environment, HostInfo, ImplementationRecord, KernelRecord};
use crate::timing::{Ceilings, EventClock, Seconds, measure_device_ceilings, time_on_cpu, time_on_device};
use std::time::Instant;

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
            Request::Sample { variant } => {
                self.sample(variant).map(|sampled| Reply::Sampled(Box::new(sampled)))
            }
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
        let mut record = ImplementationRecord {
            implementation: variant.implementation.clone(),
            params: variant.parameters.to_string(),
            source: found.source.to_string(),
            bytes_per_task: traffic.bytes_per_task,
            traffic_model: traffic.model.to_string(),
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
            self.solve(variant)?;
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

    fn sample(&mut self, variant: &Variant) -> Result<Sampled, Failure> {
        if let Some(monitor) = self.monitor.as_ref().filter(|_| self.device.is_some()) {
            monitor.start();
        }
        let solved = self.solve(variant);
        let seen = self.monitor.as_ref().filter(|_| self.device.is_some()).and_then(Monitor::stop);
        let seconds = solved?;
        let (verification, digest) = self.verify()?;
        // The GPU's clocks say nothing about work on the CPU.
        let telemetry = seen.filter(|_| find(variant).is_ok_and(Implementation::needs_device));
        Ok(Sampled { seconds, verification, digest, telemetry })
    }

    /// Solves once without a clock, and verifies. Says how, and the result's digest.
    fn check(&mut self, variant: &Variant) -> Result<(String, String), Failure> {
        if matches!(find(variant)?.body, Body::Cpu(_)) {
            self.solve(variant)?;
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

    /// Restores the input, poisons what will be the output, and solves once.
    fn solve(&mut self, variant: &Variant) -> Result<Seconds, Failure> {
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
                Ok(time_on_device(device, clock, &self.solvers[at].1, memory, n, input, output)?)
            }
        }
    }

    fn verify(&mut self) -> Result<(String, String), Failure> {
        self.graph.as_mut().ok_or_else(no_graph)?.verify()
    }
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
