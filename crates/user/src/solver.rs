//! The caller's side of user kernels: has them solve in processes apart, and hands back distances, counts and findings.

use super::process::{
    DISTANCES, EmulatedDeviceSpec, GRAPH, KernelProcess, LoadJob, ServerRequest, SolveCounts, on_file,
};
use crate::confine::{read_whole, write_anew};
use repro_base::files::remove_if_there;
use repro_device::emulated::{EmulatedDevice, Finding, Options};
use repro_device::{Device, DeviceError, FailureKind, HostBuffer};
use repro_graph::{ElementType, WeightRange};
use repro_solvers::{
    Clock, Implementation, ImplementationFile, Parameters, PreparedSolve, Problem, TimingPoint,
};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// How long it may take to compile kernels.
const TIME_TO_COMPILE: Duration = Duration::from_secs(120);
/// Seconds that a solve may take in addition to those for its tasks.
const TIME_TO_BEGIN: f64 = 10.0;
/// An emulated device that checks does over a million tasks a second on a machine that does nothing else.
const LEAST_TASKS_PER_S: f64 = 2e5;

/// For how many keys a process is kept. A key that is used again after so many others is compiled again.
const MOST_PROCESSES: usize = 16;

/// What a process has compiled kernels for.
type CompileKey = (ElementType, Parameters);

/// Solves with one file's kernels on an emulated device, in one process for each type and set of parameters: a process that has run a
/// kernel compiles no more. A process is started when it is first needed, and again after it ended.
pub struct ExternalProcess {
    given: ImplementationFile,
    device: EmulatedDeviceSpec,
    /// A process for each key, or why the source does not compile for it, which holds for every n and graph. The last used is at the end.
    processes: Vec<(CompileKey, Result<KernelProcess, DeviceError>)>,
    /// What this system cannot keep a process from; empty where it can keep it from everything. None until one was started.
    pub unconfined: Option<Vec<String>>,
    /// Findings of the last solve. While they are here, [`PreparedSolve::collect`] fails with them; whoever takes them prevents that.
    pub findings: Vec<Finding>,
}

/// Shared by all solves that it has prepared.
pub type SharedProcess = Rc<RefCell<ExternalProcess>>;

impl ExternalProcess {
    /// Processes that emulate a device like this one. None for a GPU, where a kernel is no code of the host.
    pub fn like(device: &dyn Device, given: &ImplementationFile) -> Option<SharedProcess> {
        let emulated = device.as_any().downcast_ref::<EmulatedDevice>()?;
        let &Options { instruments, capability, seed: order, .. } = emulated.options();
        let device = EmulatedDeviceSpec { instruments, capability, order };
        let (processes, findings) = (Vec::new(), Vec::new());
        let process = Self { given: given.clone(), device, processes, unconfined: None, findings };
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
        self.with((element, parameters.clone()), |_| Ok(()))
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
        let of = (problem.element, parameters.clone());
        let ask = |process: &mut KernelProcess| process.ask(&solve(problem, false), TIME_TO_COMPILE);
        let _: SolveCounts = process.borrow_mut().with(of.clone(), ask)?;
        Ok(Box::new(ExternalSolve { process: process.clone(), problem: *problem, of }))
    }

    /// Has the process for this key do something, and starts it if need be. It is kept when all went well; otherwise it ends.
    fn with<T>(
        &mut self,
        of: CompileKey,
        act: impl FnOnce(&mut KernelProcess) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        let mut process = match self.processes.iter().position(|(known, _)| *known == of) {
            Some(at) => self.processes.remove(at).1,
            None => self.start(&of),
        };
        let done = process.as_mut().map_err(|refused| refused.clone()).and_then(act);
        if done.is_ok() || process.as_ref().is_err_and(|refused| refused.kind == FailureKind::Other) {
            self.processes.push((of, process));
        }
        if self.processes.len() > MOST_PROCESSES {
            drop(self.processes.remove(0));
        }
        done
    }

    fn start(&mut self, (element, parameters): &CompileKey) -> Result<KernelProcess, DeviceError> {
        let mut process = KernelProcess::start(&self.given.name)?;
        self.unconfined = Some(process.lacks());
        let (given, parameters) = (self.given.clone(), parameters.clone());
        let job = LoadJob { given, device: self.device, element: *element, parameters };
        process.ask::<()>(&ServerRequest::Load(Box::new(job)), TIME_TO_COMPILE).map(|()| process)
    }
}

/// Has implementations solve on the devices of this process: in this process or, where a user kernel would be host code, in one apart.
#[derive(Default)]
pub struct ExternalProcesses(Vec<SharedProcess>);

impl ExternalProcesses {
    /// The process that runs an implementation's kernels, where they come from a file and the first device is an emulated one.
    pub fn process_of(
        &mut self,
        implementation: &Implementation,
        devices: &[Rc<dyn Device>],
    ) -> Option<SharedProcess> {
        let given = implementation.given.as_ref().filter(|_| implementation.needs_device())?;
        let process = ExternalProcess::like(&**devices.first()?, given)?;
        let known = self.0.iter().find(|known| known.borrow().is_like(&process.borrow())).cloned();
        Some(known.unwrap_or_else(|| {
            self.0.push(process.clone());
            process
        }))
    }

    /// Has an implementation's kernels of one type compiled on these devices.
    ///
    /// # Errors
    /// When they do not load.
    pub fn load(
        &mut self,
        implementation: &Implementation,
        element: ElementType,
        devices: &[Rc<dyn Device>],
        parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        match self.process_of(implementation, devices) {
            Some(process) => process.borrow_mut().load(element, parameters),
            None => implementation.solver.load(element, devices, parameters),
        }
    }

    /// What solves `problem` on these devices.
    ///
    /// # Errors
    /// When it cannot be prepared: no room, or kernels that do not load.
    pub fn prepare(
        &mut self,
        implementation: &Implementation,
        problem: &Problem,
        devices: &[Rc<dyn Device>],
        parameters: &Parameters,
    ) -> Result<Box<dyn PreparedSolve>, DeviceError> {
        match self.process_of(implementation, devices) {
            Some(process) => ExternalProcess::prepare(&process, problem, parameters),
            None => implementation.solver.prepare(problem, devices, parameters),
        }
    }

    /// Takes the findings of the last solves in processes apart, so that none of those fails with them later.
    pub fn take_findings(&self) -> Vec<Finding> {
        self.0.iter().flat_map(|process| std::mem::take(&mut process.borrow_mut().findings)).collect()
    }
}

/// The request to solve this problem or, if `run` is false, to prepare it.
fn solve(problem: &Problem, run: bool) -> ServerRequest {
    // JSON has no infinity, which is the grain (a power of two that divides all weights) where all weights are 0; 0 stands for unknown.
    let grain = if problem.weights.grain.is_finite() { problem.weights.grain } else { 0.0 };
    ServerRequest::Solve { n: problem.n, weights: WeightRange { grain, ..problem.weights }, run }
}

/// One problem, prepared in a process that may solve others in between.
struct ExternalSolve {
    process: SharedProcess,
    problem: Problem,
    of: CompileKey,
}

impl PreparedSolve for ExternalSolve {
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        let (problem, bytes) = (&self.problem, self.problem.matrix_bytes());
        let within = Duration::from_secs_f64(TIME_TO_BEGIN + problem.full_task_count() / LEAST_TASKS_PER_S);
        let mut shared = self.process.borrow_mut();
        let solved = shared.with(self.of.clone(), |process| {
            let _: SolveCounts = process.ask(&solve(problem, false), TIME_TO_COMPILE)?;
            let [graph_file, distances_file] =
                [GRAPH, DISTANCES].map(|name| process.folder.path().join(name));
            write_anew(&graph_file, &graph.numbers::<u8>()[..bytes]).map_err(on_file(GRAPH))?;
            remove_if_there(&distances_file).map_err(on_file(DISTANCES))?;
            let solved: SolveCounts = process.ask(&solve(problem, true), within)?;
            let distances = &mut distances.numbers_mut::<u8>()[..bytes];
            read_whole(&distances_file, distances).map_err(on_file(DISTANCES)).map(|()| solved)
        })?;
        shared.findings = solved.findings;
        clock.record_point(TimingPoint::Solved, &[])?;
        clock.add_external_counts(solved.launches);
        Ok(())
    }

    /// Findings that nobody has taken are an error, as those of a device in this process are.
    fn collect(&mut self) -> Result<(), DeviceError> {
        let mut process = self.process.borrow_mut();
        let Some(found) = Finding::in_short(&std::mem::take(&mut process.findings)) else { return Ok(()) };
        process.processes.pop();
        Err(DeviceError::other(found))
    }
}
