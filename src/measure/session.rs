//! What a worker process holds, and how it answers: devices, a graph with its reference, prepared solves.

mod in_parts;
mod joined;
mod opening;
mod other_clocks;
mod storing;
mod strangers;
pub(super) mod together;

use crate::cluster::{Alone, Group, Processes};
use crate::device::emulated::{EmulatedDevice, Instruments, Options};
use crate::device::telemetry::{EnergyCounter, Monitor};
use crate::device::{Device, DeviceError, FailureKind, Selection};
use crate::graph::ElementType;
use crate::implementation::{Clock, Machine, Pinning, Prepared, Problem, Target, Untimed};
use crate::measure::in_parts::{Found, GraphInParts};
use crate::measure::loaded_graph::{LoadedGraph, Memory};
use crate::measure::protocol::{
    Counted, Failure, FailureCause, GraphRequest, Introduced, Opened, Reply, Request, Sampled, Unknown,
};
use crate::plan::{RepeatRule, Variant};
use crate::store::{
    Build, DeviceRecord, Environment, FurtherDevice, HostInfo, ImplementationRecord, KernelRecord, Repeated,
    Verification,
};
use crate::strangers::SharedProcess;
use crate::timing::{
    Ceilings, Clocks, CountingClock, CpuClock, EventClock, FirstClock, HostMonitor, KernelClock,
    KernelSeconds, Load, ProgramClock, Scope, Seconds, measure_cpu_ceiling, measure_device_ceilings, median,
};
use opening::cpu_alone;
use repro_confine::protections;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use strangers::Fresh;

/// Of a device's memory what solves take that are kept though another is used.
const SHARE_OF_MEMORY: u64 = 8;

/// The state of a worker between requests.
#[derive(Default)]
pub struct Session {
    // Fields are dropped in this order: what lives on a device goes before it.
    /// Solves of the graph with the bytes that each takes on a device, the one that was used last at the end.
    prepared: Vec<(Variant, u64, Box<dyn Prepared>)>,
    graph: Option<LoadedGraph>,
    /// What that was made by.
    requested: Option<GraphRequest>,
    /// In the place of the other, where no memory holds all of it.
    in_parts: Option<GraphInParts>,
    /// What the last solve in parts gave here, until the answer is made of it.
    found: Option<Found>,
    /// Whose result is on the devices in parts and was found right in all processes.
    right: Option<Variant>,
    monitor: Option<Monitor>,
    /// What keeps the first device busy, once that was asked for.
    load: Option<Load>,
    host_monitor: HostMonitor,
    /// Those that run strangers' kernels on emulated devices.
    strangers: Vec<SharedProcess>,
    /// Those that were opened, the run's first.
    devices: Vec<Rc<dyn Device>>,
    device_problem: Option<DeviceError>,
    /// As the device was asked for.
    selection: Option<Selection>,
    /// The processes that answer together; none where this one is alone.
    group: Option<Arc<dyn Group>>,
    /// The same, where solves are watched for progress.
    watched: Option<Arc<Processes>>,
    /// How many devices each of them has, by rank.
    shares: Vec<usize>,
}

impl Session {
    /// One that answers together with the others of `group`, all of which are asked the same.
    pub fn of_group(group: Arc<dyn Group>) -> Self {
        Self { group: Some(group), ..Self::default() }
    }

    /// The same with others that a launcher started: who makes no progress in a solve is lost to them.
    pub fn of_processes(processes: Arc<Processes>) -> Self {
        Self { watched: Some(processes.clone()), ..Self::of_group(processes) }
    }

    /// Frees what it has on devices.
    pub fn release(&mut self) {
        self.prepared.clear();
    }

    fn group(&self) -> &Arc<dyn Group> {
        self.group.as_ref().unwrap_or(Alone::shared())
    }

    /// Answers one request. A failure is a reply like any other. In a group the reply is that of all, and the same in each.
    pub fn answer(&mut self, request: &Request) -> Reply {
        if *request == Request::Leave {
            // The others are gone.
            return Reply::Right;
        }
        let own = self.answer_alone(request);
        let reply = self.answer_together(own);
        self.right = match (request, &reply) {
            (Request::Sample { variant, .. }, Reply::Sampled(_))
            | (Request::Count { variant }, Reply::Counted(_)) => {
                self.in_parts.is_some().then(|| variant.clone())
            }
            (Request::StoreDistances { .. }, _) => self.right.take(),
            _ => None,
        };
        reply
    }

    /// What this process has to answer.
    fn answer_alone(&mut self, request: &Request) -> Reply {
        self.found = None;
        let answered = match request {
            // The process does this.
            Request::Register { .. } => Ok(Reply::Right),
            Request::Introduce { variants } => Ok(introduce(variants)),
            Request::Open { device, variants, elements, instruments, order } => {
                let mut options = EmulatedDevice::usual_options(*instruments);
                options.seed = *order;
                self.open(device, variants, elements, options)
            }
            Request::MeasureCeilings { elements } => self.measure_ceilings(elements),
            Request::LoadGraph { graph } => self.load(graph).map(|()| Reply::GraphReady),
            Request::Prepare { variant, warm_up_s } => self.prepare(variant, *warm_up_s),
            Request::Sample { variant, clocks, fresh } => {
                self.sample(variant, *clocks, *fresh).map(|sampled| Reply::Sampled(Box::new(sampled)))
            }
            Request::TimeKernels { variant, solves } => {
                self.time_kernels(variant, *solves).map(|kernels| Reply::KernelTimes { kernels })
            }
            Request::CountBeside { variant, graph } => {
                let options = EmulatedDevice::usual_options(Instruments::ALL);
                self.open_device(Selection::Emulated(None), options);
                self.load(graph)
                    .and_then(|()| self.count(variant))
                    .map(|counted| Reply::Counted(Box::new(counted)))
            }
            Request::FirstRun { device, variant, graph } => {
                self.first_run(device, variant, graph).map(|sampled| Reply::Sampled(Box::new(sampled)))
            }
            Request::Repeat { variant, rule } => {
                self.repeat(variant, *rule).map(|repeated| Reply::Repeated { repeated })
            }
            Request::StoreDistances { variant, path } => {
                self.store_distances(variant, path).map(|()| Reply::Right)
            }
            Request::TryFolder { folder } => self.try_folder(folder).map(|()| Reply::Right),
            Request::Leave => Ok(Reply::Right),
            Request::Check { variant } => self.check(variant).map(|()| Reply::Right),
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
        elements: &[ElementType],
        emulated: Options,
    ) -> Result<Reply, Failure> {
        let selection: Selection =
            device.parse().map_err(|error| Failure::new(FailureCause::Other, error))?;
        let has_kernels = variants.iter().any(Variant::needs_device);
        if has_kernels || selection.is_demanded() || variants.iter().any(Variant::takes_gpu) {
            self.open_device(selection, emulated);
            if !has_kernels && !selection.is_demanded() {
                // Programs that take a GPU themselves have no use for an emulated one.
                self.devices.retain(|device| !device.info().emulated);
            }
        } else if selection == Selection::Cpu {
            self.device_problem = Some(cpu_alone());
        }
        let together = self.share_devices()?;
        let mut telemetry_problem = None;
        if let Some(first) = self.devices.first().filter(|first| !first.info().emulated) {
            let monitor = Monitor::open(&first.info().uuid);
            telemetry_problem = monitor.as_ref().err().map(ToString::to_string);
            self.monitor = monitor.ok();
        }
        let unusable = self.unusable(variants, elements)?;
        let record = |variant: &Variant| match &unusable {
            Some((file, problem)) if *file == variant.implementation => {
                self.record_of(variant, |_| Err(Failure::new(FailureCause::Other, problem)))
            }
            _ => self.record_of(variant, |session| session.kernels_of(variant, elements)),
        };
        let implementations = variants.iter().map(record).collect::<Result<_, _>>()?;
        // Variants on several devices have had the others opened.
        let mut devices = self.devices.iter().map(|device| opening::record_of(&**device));
        let device = devices.next().map(|first| DeviceRecord { telemetry_problem, ..first });
        let further_devices =
            devices.map(|device| FurtherDevice { host: self.group().own().host.clone(), device }).collect();
        Ok(Reply::Opened(Box::new(Opened {
            unusable: unusable.map(|(_, problem)| problem),
            environment: Environment {
                host: HostInfo::capture(),
                device,
                further_devices,
                further_hosts: Vec::new(),
                together,
                device_problem: self.device_problem.as_ref().map(ToString::to_string),
                implementations,
                ceilings: Ceilings::default(),
                pinning: Some(Pinning::probe()),
                protections: variants.iter().any(is_program).then(protections).and_then(Result::ok),
            },
        })))
    }

    /// What records say of a variant; `kernels` gives what its kernels take.
    fn record_of(
        &mut self,
        variant: &Variant,
        kernels: impl FnOnce(&mut Self) -> Result<Vec<KernelRecord>, Failure>,
    ) -> Result<ImplementationRecord, Failure> {
        let known = variant.known()?.clone();
        let gpu = self.gpu().filter(|_| variant.takes_gpu()).map(|device| device.info().clone());
        // The first is what a program takes anyway.
        if let Some(gpu) = gpu.as_ref().filter(|gpu| gpu.ordinal > 0) {
            known.method.take_gpu(&gpu.uuid);
        }
        let (bytes_per_task, traffic_model) = known.bytes_per_task(&variant.parameters);
        let (implementation, params) = variant.written();
        let schedule = known.schedule();
        let (kernels, problem) = match kernels(self) {
            Ok(kernels) => (kernels, None),
            Err(failure) if failure.cause == FailureCause::DeviceLost => return Err(failure),
            Err(failure) => (Vec::new(), Some(failure.message)),
        };
        Ok(ImplementationRecord {
            implementation,
            params,
            source: known.source.to_string(),
            bytes_per_task,
            traffic_model,
            bytes_per_task_paper: known.traffic.paper.map(|(bytes, _)| bytes),
            traffic_model_paper: known.traffic.paper.map(|(_, model)| model.to_string()),
            source_hash: schedule
                .map(|schedule| schedule.source(Target::default(), &variant.parameters).hash()),
            kernels,
            solved_on: Some(variant.solved_on()),
            devices: Some(*known.method.abilities(&variant.parameters).devices.start()),
            defaults: Some(known.defaults()),
            problem,
            stranger: self.stranger_record(variant)?,
            gpu: gpu.map(|gpu| gpu.name),
        })
    }

    /// The first of the devices, where they are GPUs.
    fn gpu(&self) -> Option<&Rc<dyn Device>> {
        self.devices.first().filter(|device| !device.info().emulated)
    }

    /// Loads the variant's kernels in those of the types that it takes, and has the driver tell what they take in the first.
    fn kernels_of(
        &mut self,
        variant: &Variant,
        elements: &[ElementType],
    ) -> Result<Vec<KernelRecord>, Failure> {
        if !variant.needs_device() {
            return Ok(Vec::new());
        }
        let count = self.open_for(variant)?;
        if count == 0 {
            // Others of the group have all that it takes.
            return Ok(Vec::new());
        }
        let (known, parameters) = (variant.known()?.clone(), &variant.parameters);
        let taken: Vec<ElementType> =
            elements.iter().copied().filter(|element| known.takes(*element, parameters).is_ok()).collect();
        let Some(&element) = taken.first() else { return Ok(Vec::new()) };
        taken.into_iter().try_for_each(|element| self.load_kernels(variant, element, count))?;
        // The emulated device has no registers; shared memory is counted as it is used.
        let device = self.devices.first().filter(|device| !device.info().emulated);
        let (Some(schedule), Some(device)) = (known.schedule(), device) else { return Ok(Vec::new()) };
        let target = Target::on(device.info(), element);
        let uses = schedule.kernels(target, parameters);
        let names: Vec<&str> = uses.iter().map(|used| used.name).collect();
        let kernels = device.load(&schedule.source(target, parameters), &names)?;
        let record = |(kernel, used): (_, &crate::implementation::KernelUse)| {
            let resources = device.resources(kernel, used.threads, used.dynamic_shared_bytes)?;
            Ok(KernelRecord { resources, paper: used.paper })
        };
        kernels.iter().zip(&uses).map(record).collect()
    }

    /// Has the kernels of one type compiled on so many devices, in a process apart where they would be code of this one.
    fn load_kernels(
        &mut self,
        variant: &Variant,
        element: ElementType,
        count: usize,
    ) -> Result<(), DeviceError> {
        if let Some(process) = self.stranger_of(variant) {
            return process.borrow_mut().load(element, &variant.parameters);
        }
        let known = variant.known().map_err(|unknown| DeviceError::other(unknown.to_string()))?;
        known.method.load(element, Machine::of(&self.devices[..count]), &variant.parameters)
    }

    fn measure_ceilings(&self, elements: &[ElementType]) -> Result<Reply, Failure> {
        let gpu = self.devices.first().filter(|device| !device.info().emulated);
        let plain = measure_cpu_ceiling(ElementType::F32);
        let mut ceilings = Ceilings {
            device: gpu.map(|device| measure_device_ceilings(&**device, elements)).transpose()?,
            cpu_core_tasks_per_s: Some(plain.core_tasks_per_s),
            cpu_tasks_per_s: Some(plain.tasks_per_s),
            ..Ceilings::default()
        };
        for &element in elements.iter().filter(|element| **element != ElementType::F32) {
            ceilings.cpu.set(element, measure_cpu_ceiling(element));
        }
        Ok(Reply::Ceilings(ceilings))
    }

    fn load(&mut self, graph: &GraphRequest) -> Result<(), Failure> {
        // Everything of the last graph goes before the next one comes.
        self.prepared.clear();
        (self.graph, self.in_parts) = (None, None);
        self.requested = Some(graph.clone());
        if graph.in_parts {
            self.in_parts = Some(GraphInParts::load(graph)?);
            return Ok(());
        }
        self.graph = Some(LoadedGraph::load(graph, self.devices.first().map(|device| &**device))?);
        Ok(())
    }

    /// Prepares the variant's solve of the graph, if that is still to do: a worker that replaces a lost one is asked for samples of
    /// cells that the other had prepared. Where memory is short, what was not used for longest goes.
    fn make_ready(&mut self, variant: &Variant) -> Result<(), Failure> {
        if let Some(at) = self.prepared.iter().position(|(known, ..)| known == variant) {
            let last = self.prepared.remove(at);
            self.prepared.push(last);
            return Ok(());
        }
        if self.in_parts.is_some() {
            return self.make_parts_ready(variant);
        }
        if variant.takes_gpu() && self.gpu().is_none() {
            return Err(DeviceError::unavailable(needs_gpu(self.device_problem.as_ref())).into());
        }
        let count = self.open_for(variant)?;
        let problem = self.problem()?;
        let known = variant.known()?.clone();
        known.takes(problem.element, &variant.parameters).map_err(DeviceError::other)?;
        known.check(&variant.parameters).map_err(DeviceError::other)?;
        let needed = if count > 0 { known.method.bytes(&problem, &variant.parameters) } else { 0 };
        if count > 0 {
            // Other processes have solves on the device too: the first run of a fresh one, the other build of a pair.
            let share = self.devices[0].memory()?.total / SHARE_OF_MEMORY;
            while !self.prepared.is_empty()
                && self.prepared.iter().map(|(_, bytes, _)| bytes).sum::<u64>() + needed > share
            {
                self.prepared.remove(0);
            }
        }
        if let Some(graph) = &mut self.graph {
            graph.expect(known.method.through(problem.n, &variant.parameters))?;
        }
        let prepared = loop {
            match self.prepare_alone(variant, &problem, count) {
                Err(error) if error.kind == FailureKind::OutOfMemory && !self.prepared.is_empty() => {
                    self.prepared.remove(0);
                }
                prepared => break prepared?,
            }
        };
        self.prepared.push((variant.clone(), needed, prepared));
        Ok(())
    }

    /// What there is to solve.
    fn problem(&self) -> Result<Problem, Failure> {
        let of_parts = || self.in_parts.as_ref().map(|graph| *graph.problem());
        self.graph.as_ref().map(|graph| *graph.problem()).or_else(of_parts).ok_or_else(no_graph)
    }

    /// Solves once under `clock` and waits for the result.
    fn solve(&mut self, variant: &Variant, memory: Memory, clock: &mut dyn Clock) -> Result<(), Failure> {
        self.make_ready(variant)?;
        let (Some((.., prepared)), Some(graph)) = (self.prepared.last_mut(), self.graph.as_mut()) else {
            return Err(no_graph());
        };
        graph.solve(&mut **prepared, memory, clock)?;
        prepared.collect()?;
        Ok(())
    }

    /// The same with a result that must be right.
    fn solve_rightly(
        &mut self,
        variant: &Variant,
        memory: Memory,
        clock: &mut dyn Clock,
    ) -> Result<(), Failure> {
        self.solve(variant, memory, clock)?;
        self.verify(variant).map(|_| ())
    }

    /// Verifies the last result, which is the variant's.
    fn verify(&mut self, variant: &Variant) -> Result<(Verification, String), Failure> {
        let graph = self.graph.as_mut().ok_or_else(no_graph)?;
        let through = variant.known()?.method.through(graph.problem().n, &variant.parameters);
        graph.verify_through(through)
    }

    /// How many iterations of k a solve of the graph by this variant runs, where not all.
    fn iterations(&self, variant: &Variant) -> Result<Option<usize>, Failure> {
        let n = self.graph.as_ref().ok_or_else(no_graph)?.problem().n;
        let through = variant.known()?.method.through(n, &variant.parameters);
        Ok((through < n).then_some(through))
    }

    /// The device whose clock times the variant.
    fn timed(&mut self, variant: &Variant) -> Result<Rc<dyn Device>, Failure> {
        self.open_for(variant)?;
        Ok(Machine::of(&self.devices).device()?)
    }

    fn prepare(&mut self, variant: &Variant, warm_up_s: f64) -> Result<Reply, Failure> {
        self.make_ready(variant)?;
        if self.in_parts.is_some() {
            return self.warm_up_in_parts(variant, warm_up_s);
        }
        let emulates = self.devices.first().is_some_and(|device| device.info().emulated);
        if emulates && variant.needs_device() {
            // Nothing is timed, so there is nothing to warm up.
            return Ok(Reply::Prepared { others_load: None, transport: None });
        }
        let others_load = Self::load_of(variant, self.host_monitor.until_now())?;
        if is_program(variant) {
            // It starts anew for each solve, so nothing but files stays warm, and each sample is of another graph and verified.
            self.check_longest_paths(variant)?;
            return Ok(Reply::Prepared { others_load, transport: None });
        }
        let start = Instant::now();
        let mut verified = false;
        while start.elapsed().as_secs_f64() < warm_up_s {
            self.usual_clocks(variant, false)?;
            if !verified {
                // Verified before timed. Later warm-ups compute the same again.
                self.verify(variant)?;
                verified = true;
            }
        }
        self.check_again(variant)?;
        Ok(Reply::Prepared { others_load, transport: None })
    }

    /// What so many cores that others used are to the variant. None of one that runs on a device.
    fn load_of(variant: &Variant, others: Option<f64>) -> Result<Option<f64>, Failure> {
        let threads = variant.known()?.method.host_threads();
        let load = others.zip(threads).map(|(others, threads)| others / threads.count().max(1) as f64);
        // More digits than there are ticks would say nothing.
        Ok(load.map(|load| (load * 1e4).round() / 1e4))
    }

    /// Solves once by the usual clocks, and those of the copies if `copies`.
    fn usual_clocks(&mut self, variant: &Variant, copies: bool) -> Result<Seconds, Failure> {
        let scopes = variant.known()?.method.abilities(&variant.parameters).scopes;
        if scopes.contains(&Scope::Program) {
            let mut clock = ProgramClock::default();
            self.solve(variant, Memory::PageLocked, &mut clock)?;
            return Ok(clock.read(&scopes));
        }
        if !variant.needs_device() {
            let mut clock = CpuClock::default();
            self.solve(variant, Memory::PageLocked, &mut clock)?;
            return Ok(clock.read());
        }
        self.make_ready(variant)?;
        let mut clock = EventClock::new(&self.timed(variant)?)?;
        self.solve(variant, Memory::PageLocked, &mut clock)?;
        Ok(clock.read(copies)?)
    }

    fn sample(&mut self, variant: &Variant, clocks: Clocks, fresh: u64) -> Result<Sampled, Failure> {
        if self.in_parts.is_some() {
            return self.sample_in_parts(variant);
        }
        if variant.is_strangers() {
            return self.on_fresh_graph(variant, Fresh::Next(fresh), |session| {
                let sampled = session.sample_here(variant, clocks)?;
                session.check_end(variant, &sampled.seconds)?;
                Ok(sampled)
            });
        }
        self.sample_here(variant, clocks)
    }

    fn sample_here(&mut self, variant: &Variant, clocks: Clocks) -> Result<Sampled, Failure> {
        let on_device = variant.needs_device();
        if on_device {
            self.make_ready(variant)?;
        }
        // The GPU's clocks say nothing about work on the CPU.
        if let Some(monitor) = self.monitor.as_ref().filter(|_| on_device) {
            monitor.start();
        }
        if !on_device {
            self.host_monitor.start();
        }
        let solved = self.usual_clocks(variant, clocks.host);
        let others = if on_device { None } else { self.host_monitor.stop() };
        let telemetry = self.monitor.as_ref().filter(|_| on_device).and_then(Monitor::stop);
        let mut seconds = solved?;
        let (verification, digest) = self.verify(variant)?;
        if on_device {
            seconds.extend(self.read_other_clocks(variant, clocks)?.iter());
        }
        let iterations = self.iterations(variant)?;
        let others_load = Self::load_of(variant, others)?;
        Ok(Sampled {
            seconds,
            iterations,
            verification,
            digest,
            telemetry,
            others_load,
            devices: Vec::new(),
            notes: Vec::new(),
        })
    }

    fn time_kernels(&mut self, variant: &Variant, solves: usize) -> Result<Vec<KernelSeconds>, Failure> {
        let mut clock = KernelClock::new(&self.timed(variant)?);
        let mut once = || {
            self.solve_rightly(variant, Memory::PageLocked, &mut clock)?;
            Ok(clock.read()?)
        };
        let all = (0..solves.max(1)).map(|_| once()).collect::<Result<Vec<_>, Failure>>()?;
        let mut medians = all[0].clone();
        for (at, kernel) in medians.iter_mut().enumerate() {
            let seconds: Vec<f64> = all.iter().map(|solve| solve[at].seconds).collect();
            kernel.seconds = median(&seconds).unwrap_or(kernel.seconds);
        }
        Ok(medians)
    }

    /// Solves again and again on the device, after one solve of the same kind whose result the host verifies.
    fn repeat(&mut self, variant: &Variant, rule: RepeatRule) -> Result<Option<Repeated>, Failure> {
        self.make_ready(variant)?;
        let counter = self.devices.first().and_then(|device| EnergyCounter::open(&device.info().uuid).ok());
        let (Some((.., prepared)), Some(graph)) = (self.prepared.last_mut(), self.graph.as_mut()) else {
            return Err(no_graph());
        };
        let Some(mut repeating) = prepared.repeating(graph.input())? else { return Ok(None) };
        repeating.queue(1)?;
        let right = repeating.names()?;
        graph.take(&mut |distances| repeating.download(distances))?;
        graph.verify()?;
        let joules = || counter.as_ref().and_then(|counter| counter.joules().ok());
        let mut repeated =
            Repeated { solves: 0, different: 0, seconds: 0.0, joules: joules(), telemetry: None };
        if let Some(monitor) = &self.monitor {
            monitor.start();
        }
        let start = Instant::now();
        // What is queued at once takes a tenth of a second or so.
        let mut at_once = 1;
        while repeated.solves < rule.solves.max(1) || repeated.seconds < rule.seconds {
            repeating.queue(at_once)?;
            let names = repeating.names()?;
            repeated.solves += names.len() as u64;
            repeated.different += names.iter().filter(|name| !right.contains(name)).count() as u64;
            repeated.seconds = start.elapsed().as_secs_f64();
            at_once = (0.1 * repeated.solves as f64 / repeated.seconds.max(1e-6)).clamp(1.0, 64.0) as usize;
        }
        repeated.joules = joules().zip(repeated.joules).map(|(after, before)| after - before);
        repeated.telemetry = self.monitor.as_ref().and_then(Monitor::stop);
        Ok(Some(repeated))
    }

    fn first_run(
        &mut self,
        device: &str,
        variant: &Variant,
        graph: &GraphRequest,
    ) -> Result<Sampled, Failure> {
        // With no variant nothing is loaded, nor is an emulated device opened: there is no clock on one.
        let selection: Selection =
            device.parse().map_err(|error| Failure::new(FailureCause::Other, error))?;
        self.open_device(selection, EmulatedDevice::usual_options(Instruments::NONE));
        let count = self.open_for(variant)?;
        self.load(graph)?;
        let start = Instant::now();
        let machine = Machine::of(&self.devices[..count]);
        variant.known()?.method.load(graph.element, machine, &variant.parameters)?;
        let load = start.elapsed().as_secs_f64();
        let start = Instant::now();
        self.make_ready(variant)?;
        let prepare = start.elapsed().as_secs_f64();
        let mut clock = FirstClock::new(&self.timed(variant)?)?;
        self.solve(variant, Memory::PageLocked, &mut clock)?;
        let mut seconds = clock.read()?;
        seconds.extend([(Scope::FirstPrepare, prepare), (Scope::FirstLoad, load)]);
        let (verification, digest) = self.verify(variant)?;
        let iterations = self.iterations(variant)?;
        Ok(Sampled {
            seconds,
            iterations,
            verification,
            digest,
            telemetry: None,
            others_load: None,
            devices: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// Solves once without a clock, and verifies.
    fn check(&mut self, variant: &Variant) -> Result<(), Failure> {
        if self.in_parts.is_some() {
            return self.solve_in_parts(variant, &mut Untimed).map(|_| ());
        }
        self.solve_rightly(variant, Memory::PageLocked, &mut Untimed)?;
        self.check_again(variant)
    }

    fn count(&mut self, variant: &Variant) -> Result<Counted, Failure> {
        self.make_ready(variant)?;
        let devices = self.devices.clone();
        let mut clock = CountingClock::new(&devices);
        let mut counted = if self.in_parts.is_some() {
            self.count_in_parts(variant, &mut clock)?
        } else {
            self.solve(variant, Memory::PageLocked, &mut clock)?;
            let (verification, digest) = self.verify(variant)?;
            self.check_again(variant)?;
            Counted { kernels: Vec::new(), uncounted: None, verification, digest, notes: Vec::new() }
        };
        let launches = if counted.uncounted.is_none() { clock.take() } else { Vec::new() };
        for launch in launches {
            match counted.kernels.iter_mut().find(|(kernel, _)| *kernel == launch.kernel) {
                Some((_, counts)) => *counts += launch.counts,
                None => counted.kernels.push((launch.kernel, launch.counts)),
            }
        }
        Ok(counted)
    }
}

/// Why a program that takes a GPU itself has none, where this is the problem of the device.
pub(super) fn needs_gpu(problem: Option<&impl fmt::Display>) -> String {
    match problem {
        Some(problem) => format!("it needs a GPU: {problem}"),
        None => "it needs a GPU, which the emulated device is not: leave out --device emulated".to_string(),
    }
}

/// Whether a foreign program solves, which the system keeps from some things.
fn is_program(variant: &Variant) -> bool {
    let scopes = variant.known().map(|known| known.method.abilities(&variant.parameters).scopes);
    scopes.is_ok_and(|scopes| scopes.contains(&Scope::Program))
}

fn introduce(variants: &[Variant]) -> Reply {
    // A parameter that is not known would be passed over in silence, and something else measured than was asked for.
    let check = |variant: &Variant| {
        variant.known().map_err(|unknown| unknown.to_string())?.check(&variant.parameters)
    };
    let unknown = |variant: &Variant| {
        let reason = check(variant).err()?;
        Some(Unknown { variant: variant.clone(), reason })
    };
    let unknown = variants.iter().filter_map(unknown).collect();
    Reply::Introduced(Introduced { build: Build::current(), elements: ElementType::ALL.to_vec(), unknown })
}

fn no_graph() -> Failure {
    Failure::new(FailureCause::Other, "asked to solve before a graph was loaded")
}
