//! What a worker process solves with: devices, and what watches and loads them.

mod kernels;

use crate::device::cuda::{CudaDevice, driver_status};
use crate::device::emulated::{EmulatedDevice, Instruments, Options};
use crate::device::telemetry::{Monitor, Telemetry};
use crate::device::{Device, DeviceError, Selection, telemetry};
use crate::distributed::solver::Shares;
use crate::distributed::team::{Launch, Team};
use crate::external::ExternalProcesses;
use crate::graph::ElementType;
use crate::implementation::{Pinning, Scope};
use crate::measure::sharded::{all_gather, share_devices};
use crate::plan::Variant;
use crate::protocol::{Failure, FailureCause, OpenReply, OpenRequest, Reply, Request, Result};
use crate::store::{DeviceRecord, Environment, ExtraDevice, ExtraHost, HostInfo};
use crate::timing::{
    BackgroundLoad, Ceilings, HostMonitor, measure_cpu_ceiling, measure_device_ceilings, measure_load_latency,
};
use repro_user::confine::protections;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// The UUID of the first device, if it is a GPU, the types that were asked for, and whether the latency of loads was.
type CeilingsKey = (Option<String>, Vec<ElementType>, bool);

/// What a worker process solves with.
#[derive(Default)]
pub struct Hardware {
    // Fields are dropped in this order: what lives on a device goes before it.
    /// Reads the telemetry of the first device, where it is a GPU.
    pub monitor: Option<Monitor>,
    /// What keeps the first device busy, once that was asked for.
    pub load: Option<BackgroundLoad>,
    pub host_monitor: HostMonitor,
    /// The processes that run user kernels on emulated devices.
    pub external: ExternalProcesses,
    /// The open devices, the run's own first.
    pub devices: Vec<Rc<dyn Device>>,
    /// Why there is no CUDA device.
    pub problem: Option<DeviceError>,
    /// The ceilings measured so far, by what was asked for.
    ceilings: Vec<(CeilingsKey, Ceilings)>,
    /// The processes that answer together with this one.
    pub team: Rc<Team>,
    /// How many devices each of them has, by rank.
    shares: Vec<usize>,
}

/// A graph with what solves it: in the memory of this process, or in shards on devices of this one and of others.
pub trait LoadedProblem {
    /// Answers `request` with this variant.
    ///
    /// # Errors
    /// When there is no room or a clock is missing, a solve fails or its result is wrong.
    fn answer(&mut self, on: &mut Hardware, variant: &Variant, request: &Request) -> Result<Reply>;
}

impl Hardware {
    /// The hardware of one of several processes.
    pub fn of(team: Rc<Team>) -> Self {
        Self { team, ..Self::default() }
    }

    /// The first of the devices, where they are GPUs.
    pub fn gpu(&self) -> Option<&Rc<dyn Device>> {
        self.devices.first().filter(|device| !device.info().emulated)
    }

    pub fn emulates(&self) -> bool {
        self.devices.first().is_some_and(|device| device.info().emulated)
    }

    /// Watches the clocks of a GPU from now on.
    pub fn start_telemetry(&self) {
        self.monitor.iter().for_each(Monitor::start);
    }

    /// What was seen since [`Hardware::start_telemetry`].
    pub fn telemetry(&self) -> Option<Telemetry> {
        self.monitor.as_ref().and_then(Monitor::stop)
    }

    /// Opens what the variants need of the device that is asked for, and says what there is in all processes, with the further emulated
    /// devices that variants on several need.
    ///
    /// # Errors
    /// When the name of the device makes no sense, a device is lost, or two processes have the same one.
    pub fn open(&mut self, opening: &OpenRequest) -> Result<OpenReply> {
        let own = self.open_own(opening);
        let members = self.team.members();
        let mut all = all_gather(&self.team, own)?.into_iter().zip(members);
        let (mut opened, first) = all.next().ok_or_else(|| Failure::other("no process answered"))?;
        let known = &mut opened.environment;
        for (other, member) in all {
            opened.unusable = opened.unusable.or(other.unusable);
            let Environment { device, further_devices, host: info, .. } = other.environment;
            let host = &member.host;
            let device = device.map(|device| ExtraDevice { host: host.clone(), device });
            known.further_devices.extend(device.into_iter().chain(further_devices));
            if *host != first.host && known.further_hosts.iter().all(|known| known.host != *host) {
                known.further_hosts.push(ExtraHost { host: host.clone(), info });
            }
        }
        Ok(opened)
    }

    /// What this process opens.
    fn open_own(&mut self, opening: &OpenRequest) -> Result<OpenReply> {
        let OpenRequest { device, variants, instruments, order, .. } = opening;
        let selection: Selection = device.parse().map_err(Failure::other)?;
        let has_kernels = variants.iter().any(Variant::needs_device);
        let is_asked_for = selection.is_demanded() || selection == Selection::Cpu;
        if has_kernels || is_asked_for || variants.iter().any(Variant::takes_gpu) {
            self.open_device(selection, *instruments, *order);
            if !has_kernels && !selection.is_demanded() {
                // Programs that take a GPU themselves have no use for an emulated one.
                self.devices.retain(|device| !device.info().emulated);
            }
        }
        let together;
        (self.shares, together) = share_devices(&self.team, &self.devices)?;
        // Telemetry is that of the first device, from now on.
        let monitor = self.gpu().map(|gpu| Monitor::open(&gpu.info().uuid)).transpose();
        let mut telemetry_problem = monitor.as_ref().err().map(ToString::to_string);
        self.monitor = monitor.ok().flatten();
        let (unusable, implementations) = self.records(opening)?;
        let record = |device: &Rc<dyn Device>| {
            let compiler = device.compiler();
            DeviceRecord {
                info: device.info().clone(),
                driver: telemetry::driver_version().ok().filter(|_| !device.info().emulated),
                compiler_problem: compiler.as_ref().err().map(ToString::to_string),
                compiler: compiler.ok(),
                telemetry_problem: telemetry_problem.take(),
            }
        };
        let mut devices = self.devices.iter().map(record);
        let device = devices.next();
        let host = &self.team.this_member().host;
        let further_devices = devices.map(|device| ExtraDevice { host: host.clone(), device }).collect();
        let environment = Environment {
            host: HostInfo::capture(),
            device,
            further_devices,
            further_hosts: Vec::new(),
            together,
            device_problem: self.problem.as_ref().map(ToString::to_string),
            implementations,
            ceilings: Ceilings::default(),
            pinning: Some(Pinning::probe()),
            protections: variants.iter().any(is_program).then(protections).and_then(Result::ok),
        };
        Ok(OpenReply { unusable, environment })
    }

    /// Opens what is asked for. Where there is no CUDA device, an emulated one may do, with these instruments and this order of blocks and
    /// threads; why there is none is kept. The caller drops first what was prepared on earlier devices.
    pub fn open_device(&mut self, selection: Selection, instruments: Instruments, order: u64) {
        self.load = None;
        self.shares.clear();
        let options = Options { seed: order, ..EmulatedDevice::default_options(instruments) };
        (self.devices, self.problem) = open_devices(selection, self.team.launch(), options);
    }

    /// Makes sure that as many devices are open as the variant needs of this process, and returns their number. Emulated ones are opened as
    /// they are needed. Of several processes each gives equally many, but the last may give fewer or none.
    ///
    /// # Errors
    /// When there are too few.
    pub fn open_for(&mut self, variant: &Variant) -> Result<usize> {
        let needed = variant.known()?.devices(&variant.parameters);
        if self.team.is_alone() {
            while self.emulates() && self.devices.len() < needed {
                let ordinal = self.devices[0].info().ordinal + self.devices.len();
                self.devices.push(opener_like(&*self.devices[0], ordinal)()?);
            }
            self.shares = vec![self.devices.len()];
        }
        let given = Shares { devices: needed, processes: self.shares.len().max(1) };
        let none = DeviceError::unavailable("no device was opened");
        given.given_by(self.team.this_member().rank, &self.shares).ok_or_else(|| {
            match self.shares.iter().sum() {
                0_usize => self.problem.clone().unwrap_or(none).into(),
                had => {
                    let remedy =
                        "give it more with --device cuda:all or more processes, or leave this cell out";
                    let problem = format!("needs {needed} devices, and this run has {had}: {remedy}");
                    Failure::new(FailureCause::TooFewDevices, problem)
                }
            }
        })
    }

    /// The most that the first device, if it is a GPU, and the CPU can do with arithmetic in these types; with `load_latency` also how long
    /// a load on the GPU takes. It is measured once, since that takes longer than the cells of a smoke run, of which a
    /// worker runs several.
    ///
    /// # Errors
    /// What the device reports.
    pub fn measure_ceilings(&mut self, elements: &[ElementType], load_latency: bool) -> Result<Ceilings> {
        let asked = (self.gpu().map(|gpu| gpu.info().uuid.clone()), elements.to_vec(), load_latency);
        if let Some((_, ceilings)) = self.ceilings.iter().find(|(of, _)| *of == asked) {
            return Ok(ceilings.clone());
        }
        let plain = measure_cpu_ceiling(ElementType::F32);
        let mut ceilings = Ceilings {
            device: self.gpu().map(|device| measure_device_ceilings(&**device, elements)).transpose()?,
            cpu_core_tasks_per_s: Some(plain.core_tasks_per_s),
            cpu_tasks_per_s: Some(plain.tasks_per_s),
            ..Ceilings::default()
        };
        if let (true, Some(gpu), Some(device)) = (load_latency, self.gpu(), &mut ceilings.device) {
            device.chained_load = Some(measure_load_latency(&**gpu)?);
        }
        for &element in elements.iter().filter(|element| **element != ElementType::F32) {
            ceilings.cpu.insert(element, measure_cpu_ceiling(element));
        }
        self.ceilings.push((asked, ceilings.clone()));
        Ok(ceilings)
    }
}

/// The message that a program which takes a GPU itself has none, with the device's problem if it has one.
pub fn needs_gpu(problem: Option<&impl fmt::Display>) -> String {
    let reason = problem.map_or(", which the emulated device is not".into(), |reason| format!(": {reason}"));
    format!("it needs a GPU{reason}")
}

/// Whether a foreign program solves, which runs in a sandbox.
fn is_program(variant: &Variant) -> bool {
    let scopes = variant.known().map(|known| known.capabilities(&variant.parameters).scopes);
    scopes.is_ok_and(|scopes| scopes.contains(&Scope::Program))
}

/// The CUDA devices that `selection` names, or why it rules them out; none where it does neither. One of several processes takes its part of
/// those that it sees, unless its launcher has already left it one alone.
fn cuda_ordinals(selection: Selection, launch: Option<&Launch>) -> Option<Result<Range<usize>, DeviceError>> {
    if selection == Selection::Cpu {
        let problem = "--device cpu asks for the CPU alone: a run without it has kernels, too";
        return Some(Err(DeviceError::unavailable(problem)));
    }
    let first = selection.cuda_ordinal()?;
    let is_numbered = matches!(selection, Selection::Cuda(Some(_)));
    if is_numbered || (launch.is_none() && selection != Selection::CudaAll) {
        return Some(Ok(first..first + 1));
    }
    let own = driver_status().and_then(|status| {
        let seen = status.devices.len();
        launch.map_or(Ok(0..seen), |launch| launch.own_devices(seen))
    });
    // Without `all` a process has one device.
    let all = selection == Selection::CudaAll;
    Some(own.map(|own| if all { own } else { own.start..own.start + 1 }))
}

/// The devices that `selection` names or, where it allows that, an emulated one with these options; and why there is no CUDA device.
fn open_devices(
    selection: Selection,
    launch: Option<&Launch>,
    mut emulated: Options,
) -> (Vec<Rc<dyn Device>>, Option<DeviceError>) {
    let open = |ordinals: Result<Range<usize>, _>| ordinals?.map(open_cuda).collect::<Result<Vec<_>, _>>();
    let problem = match cuda_ordinals(selection, launch).map(open).transpose() {
        Ok(Some(devices)) => return (devices, None),
        opened => opened.err(),
    };
    if !selection.may_emulate() {
        return (Vec::new(), problem);
    }
    emulated.capability = selection.capability().unwrap_or(emulated.capability);
    match EmulatedDevice::open_with(0, emulated) {
        Ok(device) => (vec![Rc::new(device)], problem),
        Err(error) => {
            let earlier = problem.map(|problem| problem.message + "; and ").unwrap_or_default();
            (Vec::new(), Some(DeviceError::unavailable(earlier + error.message.as_str())))
        }
    }
}

/// The first device that one of several processes has, by which it reaches the others.
///
/// # Errors
/// When it has none.
pub fn first_device(selection: Selection, launch: &Launch) -> Result<Rc<dyn Device>, DeviceError> {
    let emulated = EmulatedDevice::default_options(Instruments::NONE);
    let (devices, problem) = open_devices(selection, Some(launch), emulated);
    let reason = problem.map(|problem| format!(": {problem}")).unwrap_or_default();
    let none = || DeviceError::unavailable(format!("several processes need a device each{reason}"));
    devices.into_iter().next().ok_or_else(none)
}

fn open_cuda(ordinal: usize) -> Result<Rc<dyn Device>, DeviceError> {
    Ok(Rc::new(CudaDevice::open(ordinal)?))
}

/// Returns a function that opens device `ordinal` of the kind of `known`, in any thread.
pub fn opener_like(
    known: &dyn Device,
    ordinal: usize,
) -> impl FnOnce() -> Result<Rc<dyn Device>, DeviceError> + Send + 'static {
    let emulated = known.as_any().downcast_ref::<EmulatedDevice>().map(|known| known.options().clone());
    move || match emulated {
        Some(options) => Ok(Rc::new(EmulatedDevice::open_with(ordinal, options)?)),
        None => open_cuda(ordinal),
    }
}
