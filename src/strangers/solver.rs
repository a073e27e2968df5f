//! The side of whoever has a stranger's kernel solve.

use super::inside::STRANGER;
use super::messages::{Answer, Ask, DISTANCES, Emulated, GRAPH};
use super::process::{Started, printable, short};
use crate::device::emulated::{EmulatedDevice, Finding, LaunchCounts};
use crate::device::{Device, DeviceError, FailureKind, HostBuffer};
use crate::graph::ElementType;
use crate::implementation::{Clock, GivenFile, Parameters, Point, Prepared, Problem};
use repro_confine::{Confined, Protections};
use repro_files::{Scratch, read_whole, remove_if_there, write_anew};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

/// How long it may take to compile kernels.
const TIME_TO_COMPILE: Duration = Duration::from_secs(120);
/// Beside what a solve takes.
const TIME_TO_BEGIN: f64 = 10.0;
/// An emulated device that checks does over a million tasks a second on a machine that does nothing else.
const LEAST_TASKS_PER_S: f64 = 2e5;

/// A process that solves with one file's kernels on an emulated device. It is started when it is first needed, and again after it ended.
pub struct StrangersProcess {
    given: GivenFile,
    device: Emulated,
    running: Option<Running>,
    protections: Option<Protections>,
    /// Of the last solve.
    findings: Vec<Finding>,
}

/// One for all solves that it has prepared.
pub type SharedProcess = Rc<RefCell<StrangersProcess>>;

struct Running {
    confined: Confined,
    folder: Scratch,
    /// What is prepared.
    prepared: Option<(Problem, Parameters)>,
}

impl StrangersProcess {
    fn new(given: GivenFile, device: Emulated) -> Self {
        Self { given, device, running: None, protections: None, findings: Vec::new() }
    }

    /// One that emulates a device like this, if it is an emulated one: on others a kernel is no code of the host.
    pub fn like(device: &dyn Device, given: &GivenFile) -> Option<Self> {
        let options = device.as_any().downcast_ref::<EmulatedDevice>()?.options();
        let device = Emulated {
            instruments: options.instruments,
            capability: options.capability,
            order: options.seed,
        };
        Some(Self::new(given.clone(), device))
    }

    pub fn shared(self) -> SharedProcess {
        Rc::new(RefCell::new(self))
    }

    /// Whether both are for the same file on the same device.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.device, &self.given) == (other.device, &other.given)
    }

    /// What this system cannot keep it from; nothing where it is kept from everything. Known once it was started.
    pub fn unconfined(&self) -> Option<Vec<String>> {
        let protections = self.protections.as_ref()?;
        Some(protections.lacks().into_iter().map(str::to_string).collect())
    }

    /// What was found in the last solve. Nothing of it fails a later [`Prepared::collect`].
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// Compiles the kernels for this type.
    ///
    /// # Errors
    /// When they do not compile, or the process ended meanwhile.
    pub fn load(&mut self, element: ElementType, parameters: &Parameters) -> Result<(), DeviceError> {
        let ask = Ask::Load { element, parameters: parameters.clone() };
        self.ask(&ask, TIME_TO_COMPILE).map(|_| ())
    }

    /// What solves `problem` in the process.
    ///
    /// # Errors
    /// When the process cannot prepare it, or ended meanwhile.
    pub fn prepare(
        process: &SharedProcess,
        problem: &Problem,
        parameters: &Parameters,
    ) -> Result<Box<dyn Prepared>, DeviceError> {
        process.borrow_mut().make_ready(problem, parameters)?;
        Ok(Box::new(StrangersSolve {
            process: process.clone(),
            problem: *problem,
            parameters: parameters.clone(),
        }))
    }

    fn make_ready(&mut self, problem: &Problem, parameters: &Parameters) -> Result<(), DeviceError> {
        let is_ready = |running: &Running| {
            running.prepared.as_ref().is_some_and(|(known, of)| (known, of) == (problem, parameters))
        };
        if self.running.as_ref().is_some_and(is_ready) {
            return Ok(());
        }
        let ask = Ask::Prepare { problem: problem.into(), parameters: parameters.clone() };
        self.ask(&ask, TIME_TO_COMPILE)?;
        if let Some(running) = &mut self.running {
            running.prepared = Some((*problem, parameters.clone()));
        }
        Ok(())
    }

    /// Asks the process, started if need be. Whatever goes wrong ends it.
    fn ask(&mut self, ask: &Ask, within: Duration) -> Result<Answer, DeviceError> {
        if self.running.is_none() {
            self.running = Some(self.start()?);
            let begin = Ask::Begin { given: Box::new(self.given.clone()), device: self.device };
            self.ask_running(&begin, TIME_TO_COMPILE)?;
        }
        self.ask_running(ask, within)
    }

    fn ask_running(&mut self, ask: &Ask, within: Duration) -> Result<Answer, DeviceError> {
        let Some(running) = &mut self.running else {
            return Err(DeviceError::other(format!("{}: its process ended", self.given.name)));
        };
        let line = serde_json::to_string(ask).map_err(|error| DeviceError::other(error.to_string()))?;
        let answered = running.confined.exchange(&line, within);
        let told = |what: String| DeviceError::other(format!("the process of {} {what}", self.given.name));
        let answer = match answered {
            Ok(line) => {
                serde_json::from_str(&line).map_err(|_| told("printed what is no answer".to_string()))
            }
            Err(ended) => Err(told(ended.end.to_string())),
        };
        let answer = match answer {
            Ok(Answer::Failed { kind, message }) => {
                // What a stranger's code did to its own process is no loss of this one's device.
                let kind = if kind == FailureKind::Lost { FailureKind::Other } else { kind };
                Err(DeviceError { kind, message: short(&message) })
            }
            answer => answer,
        };
        if answer.is_err() {
            self.running = None;
        }
        answer
    }

    fn start(&mut self) -> Result<Running, DeviceError> {
        let failed = |error: String| {
            DeviceError::unavailable(format!("{} cannot be run apart: {error}", self.given.name))
        };
        let started = Started::new(STRANGER).map_err(failed)?;
        self.protections = Some(started.confined.protections().clone());
        Ok(Running { confined: started.confined, folder: started.folder, prepared: None })
    }

    fn solve(
        &mut self,
        (problem, parameters): (&Problem, &Parameters),
        graph: &HostBuffer,
        distances: &mut HostBuffer,
    ) -> Result<Vec<LaunchCounts>, DeviceError> {
        self.make_ready(problem, parameters)?;
        let bytes = problem.matrix_bytes();
        let on_file = |name: &str, error: io::Error| DeviceError::other(format!("{name}: {error}"));
        if let Some(running) = &self.running {
            let folder = running.folder.path();
            write_anew(&folder.join(GRAPH), &graph.numbers::<u8>()[..bytes])
                .and_then(|()| remove_if_there(&folder.join(DISTANCES)))
                .map_err(|error| on_file(GRAPH, error))?;
        }
        let tasks = (problem.n as f64).powi(3);
        let within = Duration::from_secs_f64(TIME_TO_BEGIN + tasks / LEAST_TASKS_PER_S);
        let Answer::Solved { launches, findings } = self.ask(&Ask::Solve, within)? else {
            return Err(DeviceError::other("an answer to something else"));
        };
        self.findings = findings.into_iter().map(printable).collect();
        if let Some(running) = &self.running {
            read_whole(&running.folder.path().join(DISTANCES), &mut distances.numbers_mut::<u8>()[..bytes])
                .map_err(|error| on_file(DISTANCES, error))?;
        }
        Ok(launches)
    }
}

/// One problem in a process that may be asked for others meanwhile.
struct StrangersSolve {
    process: SharedProcess,
    problem: Problem,
    parameters: Parameters,
}

impl Prepared for StrangersSolve {
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        let of = (&self.problem, &self.parameters);
        let launches = self.process.borrow_mut().solve(of, graph, distances)?;
        clock.reached(Point::Solved, &[])?;
        clock.counted_elsewhere(launches);
        Ok(())
    }

    /// What nobody took of the findings is an error, as it is of a device in this process.
    fn collect(&mut self) -> Result<(), DeviceError> {
        let mut process = self.process.borrow_mut();
        let Some(found) = Finding::in_short(&process.take_findings()) else { return Ok(()) };
        process.running = None;
        Err(DeviceError::other(found))
    }
}
