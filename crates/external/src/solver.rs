//! The side of whoever has a user kernel solve.

use super::messages::{Ask, DISTANCES, Emulated, GRAPH, Solved, on_file};
use super::process::{Started, printable, short};
use repro_device::emulated::{EmulatedDevice, Finding, LaunchCounts};
use repro_device::{Device, DeviceError, FailureKind, HostBuffer};
use repro_files::{read_whole, remove_if_there, write_anew};
use repro_graph::{ElementType, WeightRange};
use repro_solvers::{Clock, GivenFile, Parameters, Point, Prepared, Problem};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// How long it may take to compile kernels.
const TIME_TO_COMPILE: Duration = Duration::from_secs(120);
/// Beside what a solve takes.
const TIME_TO_BEGIN: f64 = 10.0;
/// An emulated device that checks does over a million tasks a second on a machine that does nothing else.
const LEAST_TASKS_PER_S: f64 = 2e5;

/// For how many types and parameters a process is kept. What is used again after so many others is compiled again.
const MOST_PROCESSES: usize = 16;

/// What solves with one file's kernels on an emulated device: a process for each type with its parameters, since one that ran a kernel
/// compiles no more. It is started when it is first needed, and again after it ended.
pub struct ExternalProcess {
    given: GivenFile,
    device: Emulated,
    /// The one that was used last is at the end.
    running: Vec<Running>,
    /// For which types and parameters its source does not compile, and why: nothing of that changes from one problem to the next.
    refused: Vec<((ElementType, Parameters), DeviceError)>,
    /// What this system cannot keep it from; nothing where it is kept from everything. Known once it was started.
    unconfined: Option<Vec<String>>,
    /// Of the last solve.
    findings: Vec<Finding>,
}

/// One for all solves that it has prepared.
pub type SharedProcess = Rc<RefCell<ExternalProcess>>;

struct Running {
    started: Started,
    /// What it compiles for.
    of: (ElementType, Parameters),
    /// What is prepared.
    prepared: Option<(Problem, Parameters)>,
}

impl ExternalProcess {
    /// One that emulates a device like this, if it is an emulated one: on others a kernel is no code of the host.
    pub fn like(device: &dyn Device, given: &GivenFile) -> Option<Self> {
        let options = device.as_any().downcast_ref::<EmulatedDevice>()?.options();
        let device = Emulated {
            instruments: options.instruments,
            capability: options.capability,
            order: options.seed,
        };
        Some(Self {
            given: given.clone(),
            device,
            running: Vec::new(),
            refused: Vec::new(),
            unconfined: None,
            findings: Vec::new(),
        })
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
        self.unconfined.clone()
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
        let of = (element, parameters.clone());
        if let Some((_, error)) = self.refused.iter().find(|(refused, _)| *refused == of) {
            return Err(error.clone());
        }
        let ask = Ask::Load { element, parameters: parameters.clone() };
        self.choose(element, parameters)?;
        let loaded = self.ask(&ask, TIME_TO_COMPILE).map(drop);
        if let Some(error) = loaded.as_ref().err().filter(|error| error.kind == FailureKind::Other) {
            self.refused.push((of, error.clone()));
        }
        loaded
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
        Ok(Box::new(ExternalSolve {
            process: process.clone(),
            problem: *problem,
            parameters: parameters.clone(),
        }))
    }

    fn make_ready(&mut self, problem: &Problem, parameters: &Parameters) -> Result<(), DeviceError> {
        let wanted = Some((*problem, parameters.clone()));
        self.load(problem.element, parameters)?;
        if self.choose(problem.element, parameters)?.prepared == wanted {
            return Ok(());
        }
        // JSON has no infinity. That of a graph without weights is of no use to anybody.
        let grain = if problem.weights.grain.is_finite() { problem.weights.grain } else { 0.0 };
        let weights = WeightRange { grain, ..problem.weights };
        let (n, element, parameters) = (problem.n, problem.element, parameters.clone());
        self.ask(&Ask::Prepare { n, element, weights, parameters }, TIME_TO_COMPILE)?;
        if let Some(running) = self.running.last_mut() {
            running.prepared = wanted;
        }
        Ok(())
    }

    /// The process for this, started if need be, which is asked from here on.
    fn choose(&mut self, element: ElementType, parameters: &Parameters) -> Result<&Running, DeviceError> {
        let of = (element, parameters.clone());
        let running = match self.running.iter().position(|running| running.of == of) {
            Some(at) => self.running.remove(at),
            None => self.start(of)?,
        };
        self.running.push(running);
        if self.running.len() > MOST_PROCESSES {
            self.running.remove(0);
        }
        Ok(&self.running[self.running.len() - 1])
    }

    /// Asks the process that was chosen. Whatever goes wrong ends it.
    fn ask(&mut self, ask: &Ask, within: Duration) -> Result<Solved, DeviceError> {
        let nothing = || DeviceError::other("no process was chosen: this is a defect of repro");
        let mut running = self.running.pop().ok_or_else(nothing)?;
        let answer = self.ask_started(&mut running.started, ask, within)?;
        self.running.push(running);
        Ok(answer)
    }

    fn ask_started(&self, process: &mut Started, ask: &Ask, within: Duration) -> Result<Solved, DeviceError> {
        let ended = |how| DeviceError::other(format!("the process of {} {how}", self.given.name));
        let answer: Result<Solved, DeviceError> = process.ask(ask, within).map_err(ended)?;
        answer.map_err(|DeviceError { kind, message }| {
            // What a user kernel did to its own process is no loss of this one's device.
            let kind = if kind == FailureKind::Lost { FailureKind::Other } else { kind };
            DeviceError { kind, message: short(&message) }
        })
    }

    fn start(&mut self, of: (ElementType, Parameters)) -> Result<Running, DeviceError> {
        let failed = |error: String| {
            DeviceError::unavailable(format!("{} cannot be run apart: {error}", self.given.name))
        };
        let mut started = Started::new().map_err(failed)?;
        self.unconfined = Some(started.unconfined());
        let begin = Ask::Begin { given: Box::new(self.given.clone()), device: self.device };
        self.ask_started(&mut started, &begin, TIME_TO_COMPILE)?;
        Ok(Running { started, of, prepared: None })
    }

    fn solve(
        &mut self,
        (problem, parameters): (&Problem, &Parameters),
        graph: &HostBuffer,
        distances: &mut HostBuffer,
    ) -> Result<Vec<LaunchCounts>, DeviceError> {
        self.make_ready(problem, parameters)?;
        let bytes = problem.matrix_bytes();
        if let Some(running) = self.running.last() {
            let folder = running.started.folder.path();
            write_anew(&folder.join(GRAPH), &graph.numbers::<u8>()[..bytes])
                .and_then(|()| remove_if_there(&folder.join(DISTANCES)))
                .map_err(|error| on_file(GRAPH, &error))?;
        }
        let tasks = (problem.n as f64).powi(3);
        let within = Duration::from_secs_f64(TIME_TO_BEGIN + tasks / LEAST_TASKS_PER_S);
        let Solved { launches, findings } = self.ask(&Ask::Solve, within)?;
        self.findings = findings.into_iter().map(printable).collect();
        if let Some(running) = self.running.last() {
            read_whole(
                &running.started.folder.path().join(DISTANCES),
                &mut distances.numbers_mut::<u8>()[..bytes],
            )
            .map_err(|error| on_file(DISTANCES, &error))?;
        }
        Ok(launches)
    }
}

/// One problem in a process that may be asked for others meanwhile.
struct ExternalSolve {
    process: SharedProcess,
    problem: Problem,
    parameters: Parameters,
}

impl Prepared for ExternalSolve {
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
        process.running.pop();
        Err(DeviceError::other(found))
    }
}
