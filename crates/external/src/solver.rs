//! The side of whoever has a user kernel solve.

use super::messages::{Ask, DISTANCES, Emulated, GRAPH, Solved, on_file};
use super::process::{Started, printable, short};
use repro_device::emulated::{EmulatedDevice, Finding, LaunchCounts, Options};
use repro_device::{Device, DeviceError, FailureKind, HostBuffer};
use repro_files::{read_whole, remove_if_there, write_anew};
use repro_graph::{ElementType, WeightRange};
use repro_solvers::{Clock, ImplementationFile, Parameters, Point, PreparedSolve, Problem};
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
    given: ImplementationFile,
    device: Emulated,
    /// The one that was used last is at the end.
    running: Vec<Running>,
    /// For which types and parameters its source does not compile, and why: nothing of that changes from one problem to the next.
    refused: Vec<((ElementType, Parameters), DeviceError)>,
    /// What this system cannot keep it from; nothing where it is kept from everything. Known once it was started.
    pub unconfined: Option<Vec<String>>,
    /// Of the last solve. Whoever takes them out has no later [`PreparedSolve::collect`] fail.
    pub findings: Vec<Finding>,
}

/// One for all solves that it has prepared.
pub type SharedProcess = Rc<RefCell<ExternalProcess>>;

struct Running {
    started: Started,
    /// What it compiled for.
    of: (ElementType, Parameters),
    /// What is prepared.
    prepared: Option<Problem>,
}

impl ExternalProcess {
    /// One that emulates a device like this, if it is an emulated one: on others a kernel is no code of the host.
    pub fn like(device: &dyn Device, given: &ImplementationFile) -> Option<SharedProcess> {
        let emulated = device.as_any().downcast_ref::<EmulatedDevice>()?;
        let &Options { instruments, capability, seed: order, .. } = emulated.options();
        let device = Emulated { instruments, capability, order };
        let (running, refused, findings) = (Vec::new(), Vec::new(), Vec::new());
        let process = Self { given: given.clone(), device, running, refused, unconfined: None, findings };
        Some(Rc::new(RefCell::new(process)))
    }

    /// Whether both are for the same file on the same device.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.device, &self.given) == (other.device, &other.given)
    }

    /// Compiles the kernels for this type.
    ///
    /// # Errors
    /// When they do not compile, or the process ended meanwhile.
    pub fn load(&mut self, element: ElementType, parameters: &Parameters) -> Result<(), DeviceError> {
        let running = self.take(element, parameters)?;
        self.keep(running);
        Ok(())
    }

    /// What solves `problem` in the process.
    ///
    /// # Errors
    /// When the process cannot prepare it, or ended meanwhile.
    pub fn prepare(
        process: &SharedProcess,
        problem: &Problem,
        parameters: &Parameters,
    ) -> Result<Box<dyn PreparedSolve>, DeviceError> {
        let running = process.borrow_mut().take_prepared(problem, parameters)?;
        process.borrow_mut().keep(running);
        let (process, problem, parameters) = (process.clone(), *problem, parameters.clone());
        Ok(Box::new(ExternalSolve { process, problem, parameters }))
    }

    /// The process for this, started if need be. Whoever takes it has it kept when all went well; otherwise it ends.
    fn take(&mut self, element: ElementType, parameters: &Parameters) -> Result<Running, DeviceError> {
        let of = (element, parameters.clone());
        if let Some(at) = self.running.iter().position(|running| running.of == of) {
            return Ok(self.running.remove(at));
        }
        if let Some((_, error)) = self.refused.iter().find(|(refused, _)| *refused == of) {
            return Err(error.clone());
        }
        let started = self.start(element, parameters);
        if let Some(error) = started.as_ref().err().filter(|error| error.kind == FailureKind::Other) {
            self.refused.push((of.clone(), error.clone()));
        }
        Ok(Running { started: started?, of, prepared: None })
    }

    fn keep(&mut self, running: Running) {
        self.running.push(running);
        if self.running.len() > MOST_PROCESSES {
            self.running.remove(0);
        }
    }

    fn take_prepared(&mut self, problem: &Problem, parameters: &Parameters) -> Result<Running, DeviceError> {
        let mut running = self.take(problem.element, parameters)?;
        if running.prepared != Some(*problem) {
            // JSON has no infinity. That of a graph without weights is of no use to anybody.
            let grain = if problem.weights.grain.is_finite() { problem.weights.grain } else { 0.0 };
            let weights = WeightRange { grain, ..problem.weights };
            let (n, element, parameters) = (problem.n, problem.element, parameters.clone());
            let ask = Ask::Prepare { n, element, weights, parameters };
            self.ask(&mut running.started, &ask, TIME_TO_COMPILE)?;
            running.prepared = Some(*problem);
        }
        Ok(running)
    }

    fn start(&mut self, element: ElementType, parameters: &Parameters) -> Result<Started, DeviceError> {
        let failed = |error: String| {
            DeviceError::unavailable(format!("{} cannot be run apart: {error}", self.given.name))
        };
        let mut started = Started::new().map_err(failed)?;
        self.unconfined = Some(started.process.protections.lacks());
        let (given, parameters) = (Box::new(self.given.clone()), parameters.clone());
        let begin = Ask::Begin { given, device: self.device, element, parameters };
        self.ask(&mut started, &begin, TIME_TO_COMPILE)?;
        Ok(started)
    }

    fn ask(&self, process: &mut Started, ask: &Ask, within: Duration) -> Result<Solved, DeviceError> {
        let ended = |how| DeviceError::other(format!("the process of {} {how}", self.given.name));
        let answer: Result<Solved, DeviceError> = process.ask(ask, within).map_err(ended)?;
        answer.map_err(|DeviceError { kind, message }| {
            // What a user kernel did to its own process is no loss of this one's device.
            let kind = if kind == FailureKind::Lost { FailureKind::Other } else { kind };
            DeviceError { kind, message: short(&message) }
        })
    }

    fn solve(
        &mut self,
        (problem, parameters): (&Problem, &Parameters),
        graph: &HostBuffer,
        distances: &mut HostBuffer,
    ) -> Result<Vec<LaunchCounts>, DeviceError> {
        let mut running = self.take_prepared(problem, parameters)?;
        let bytes = problem.matrix_bytes();
        let file = |name: &str| running.started.folder.path().join(name);
        let (graph_file, distances_file) = (file(GRAPH), file(DISTANCES));
        write_anew(&graph_file, &graph.numbers::<u8>()[..bytes])
            .and_then(|()| remove_if_there(&distances_file))
            .map_err(|error| on_file(GRAPH, &error))?;
        let within = Duration::from_secs_f64(TIME_TO_BEGIN + problem.full_task_count() / LEAST_TASKS_PER_S);
        let Solved { launches, findings } = self.ask(&mut running.started, &Ask::Solve, within)?;
        self.findings = findings.into_iter().map(printable).collect();
        read_whole(&distances_file, &mut distances.numbers_mut::<u8>()[..bytes])
            .map_err(|error| on_file(DISTANCES, &error))?;
        self.keep(running);
        Ok(launches)
    }
}

/// One problem in a process that may be asked for others meanwhile.
struct ExternalSolve {
    process: SharedProcess,
    problem: Problem,
    parameters: Parameters,
}

impl PreparedSolve for ExternalSolve {
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
        let Some(found) = Finding::in_short(&std::mem::take(&mut process.findings)) else { return Ok(()) };
        process.running.pop();
        Err(DeviceError::other(found))
    }
}
