//! How an implementation describes itself, and how it is run.

use super::{
    BackToBackSolve, Clock, DeviceSolve, Devices, ImplementationFile, KernelSet, KernelTraffic, LaunchList,
    LaunchSite, Parameters, Problem, Scope, ShardedSolve, SolverThreads, Target, require_device,
};
use repro_device::{DeviceError, HostBuffer, Kernel};
use repro_graph::ElementType;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// How many bytes of global or main memory one task moves, by the model under which effective GB/s are stated.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Bytes with `f32` distances; other types take bytes in proportion to their size.
    pub bytes_per_task: f64,
    /// Where the number comes from, in words.
    pub model: Cow<'static, str>,
    /// The paper's own count and its reason, where they differ.
    pub paper: Option<(f64, String)>,
}

impl Traffic {
    /// Every task reads three words and writes one.
    pub const EVERY_TASK: Traffic = Traffic {
        bytes_per_task: 16.0,
        model: Cow::Borrowed("3 words read and 1 written a task"),
        paper: None,
    };

    /// Each element of a tile is read, with one of each singly dependent tile, and written, once per `side` tasks.
    pub fn of_tiles(side: usize) -> Self {
        let model = format!("3 words read and 1 written per {side} tasks");
        Self { bytes_per_task: 16.0 / side as f64, model: model.into(), paper: None }
    }
}

/// Anything that solves a problem.
pub struct Implementation {
    pub name: Cow<'static, str>,
    /// What it is, in one line.
    pub summary: Cow<'static, str>,
    /// The paper and place that it follows.
    pub source: Cow<'static, str>,
    pub parameters: Cow<'static, [Parameter]>,
    /// Parameters with which it is verified in addition to the defaults.
    pub verified_with: Vec<Parameters>,
    /// The user's file that describes it; None for an implementation of this program. One from a file is measured with more care.
    pub given: Option<ImplementationFile>,
    /// Whether it is in the catalogue: what an experiment brings along for itself is not.
    pub is_listed: bool,
    pub solver: Box<dyn Solver>,
}

/// What an implementation can do with some parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Capabilities {
    pub elements: Cow<'static, [ElementType]>,
    /// How many devices it runs on; 0 is the CPU.
    pub devices: RangeInclusive<usize>,
    /// Scopes that have a meaning for it.
    pub scopes: Cow<'static, [Scope]>,
    /// Whether a solve is a list of launches on one queue of one device: those of [`Solver::launches`].
    pub is_launch_list: bool,
    /// Whether it does n³ tasks, so that the ceilings of arithmetic bind it.
    pub is_cubic: bool,
    /// Whether it does half of the tasks of graphs that are declared undirected.
    pub halves: bool,
    /// Whether it solves several graphs, at once or one after the other.
    pub solves_batches: bool,
    /// Threads of the host that solve, if they are pinned to cores meanwhile. None where a device solves.
    pub host_threads: Option<SolverThreads>,
    /// Whether the solver takes a GPU itself, outside of the machine's devices, as a foreign program may.
    pub takes_gpu: bool,
}

impl Capabilities {
    /// A solver that does all n³ tasks of one graph at a time, in `f32` on one device, timed by [`Scope::USUAL`].
    pub fn on_device() -> Self {
        Self {
            elements: (&[ElementType::F32]).into(),
            devices: 1..=1,
            scopes: (&Scope::USUAL).into(),
            is_launch_list: false,
            is_cubic: true,
            halves: false,
            solves_batches: false,
            host_threads: None,
            takes_gpu: false,
        }
    }

    /// As [`Self::on_device`], for a list of launches: every scope has a meaning but those of programs.
    pub fn of_launches() -> Self {
        let scopes = Scope::ALL.iter().copied().filter(|scope| !Scope::PROGRAM.contains(scope)).collect();
        Self { scopes, is_launch_list: true, ..Self::on_device() }
    }

    /// A solver of one graph or several, in every type, on these threads of the host.
    pub fn on_cpu(threads: SolverThreads) -> Self {
        Self {
            elements: (&ElementType::ALL).into(),
            devices: 0..=0,
            solves_batches: true,
            host_threads: Some(threads),
            ..Self::on_device()
        }
    }
}

/// What a solve takes and does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Bytes on each device, or on the host in addition to input and output.
    pub bytes: u64,
    /// Tasks, by which rates and floors are computed: n³, or half of them where the solver makes use of symmetric weights.
    pub tasks: f64,
    /// Iterations of k: n where the result is the distances. A plain triple loop may end after fewer: it then finds the shortest paths
    /// whose intermediate vertices are below that number. Its time divided by its share of the iterations estimates the time of all, as
    /// each does the same work. The result is verified as what it is, and records mark the time as an estimate.
    pub iterations: usize,
    /// Seconds that no solve can beat, where more is known than the machine's ceilings; else 0. It can only raise the floor that they set.
    pub floor_seconds: f64,
}

impl Cost {
    /// The cost of a solve that does all tasks of `problem` and takes `bytes`.
    pub fn new(problem: &Problem, bytes: u64) -> Self {
        let (tasks, iterations) = (problem.full_task_count(), problem.n);
        Self { bytes, tasks, iterations, floor_seconds: 0.0 }
    }
}

/// How an implementation solves. One that is made of launches on one device implements [`Solver::kernels`] and [`Solver::launches`], from
/// which the defaults of the other methods follow; any other implements [`Solver::prepare`].
pub trait Solver: Send + Sync {
    fn capabilities(&self, parameters: &Parameters) -> Capabilities;

    /// Whether parameters that are each in range go together.
    ///
    /// # Errors
    /// What does not, in one line.
    fn check(&self, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// Whether `n` vertices can be solved with these parameters.
    ///
    /// # Errors
    /// Why not, in one line.
    fn fits(&self, _n: usize, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// Bytes a task with these parameters.
    fn traffic(&self, _parameters: &Parameters) -> Traffic {
        Traffic::EVERY_TASK
    }

    fn cost(&self, problem: &Problem, parameters: &Parameters) -> Cost {
        let kernels = self.kernels(Target::of(problem), parameters);
        Cost::new(problem, kernels.map_or(0, |kernels| kernels.layout.device_bytes(problem)))
    }

    /// What the solver needs in addition to a device and this machine lacks, with the remedy. None where nothing is missing.
    fn missing(&self) -> Option<String> {
        None
    }

    /// Leaves the solver no GPU but the one with this UUID, as CUDA writes it. Called before the first solve; a later call has no effect.
    fn take_gpu(&self, _uuid: &str) {}

    /// Its kernels, if it has some.
    fn kernels(&self, _target: Target, _parameters: &Parameters) -> Option<KernelSet> {
        None
    }

    /// What each kernel does in a solve of `n` vertices, where there is a model of it. Tested against what the emulated device counts.
    fn model(&self, _n: usize, _parameters: &Parameters) -> Vec<KernelTraffic> {
        Vec::new()
    }

    /// The launches of one solve with `kernels`, which are those of [`Solver::kernels`], loaded. Found before any clock runs.
    ///
    /// # Errors
    /// What cannot be launched.
    fn launches(&self, _on: &LaunchSite, _kernels: &[Kernel]) -> Result<LaunchList, DeviceError> {
        Err(DeviceError::other("it is made of no launches: this is a defect of repro"))
    }

    /// Compiles and loads what it runs on `devices`, for the first time in a process; [`Solver::prepare`] finds it there.
    ///
    /// # Errors
    /// When a kernel does not compile or load.
    fn load(
        &self,
        element: ElementType,
        devices: &Devices,
        parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        let Some(device) = devices.first() else { return Ok(()) };
        let kernels = self.kernels(Target::on(device.info(), element), parameters);
        kernels.map_or(Ok(()), |kernels| kernels.load(&**device, element).map(drop))
    }

    /// Makes everything that a solve of `problem` needs, outside of every clock: buffers, kernels, graphs, what the driver says
    /// of them. What reads weights is left to the solve.
    ///
    /// # Errors
    /// When there is no room, a kernel does not compile, or the problem is a batch and the solver takes none.
    fn prepare(
        &self,
        problem: &Problem,
        devices: &Devices,
        parameters: &Parameters,
    ) -> Result<Box<dyn PreparedSolve>, DeviceError> {
        self.check(parameters).map_err(DeviceError::other)?;
        let device = require_device(devices)?;
        let target = Target::on(device.info(), problem.element).with_weights(problem);
        let lacking = || DeviceError::other("it has no kernels: this is a defect of repro");
        let kernels = self.kernels(target, parameters).ok_or_else(lacking)?;
        let launches = |on: &LaunchSite, kernels: &[Kernel]| self.launches(on, kernels);
        let solve = DeviceSolve::prepare(problem, target, parameters, device, kernels, &launches)?;
        Ok(Box::new(solve))
    }
}

/// Everything that solves of one problem need. May be run as often as one likes.
pub trait PreparedSolve {
    /// Queues one solve of `graph`, an n x n matrix, under `clock`, which is called at every [`TimingPoint`](crate::TimingPoint), in order.
    /// The distances go to `distances`; they are there after [`PreparedSolve::collect`].
    ///
    /// # Errors
    /// When a device refuses something, or the clock does.
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError>;

    /// Waits until the distances of the last solve are where they were wanted.
    ///
    /// # Errors
    /// What went wrong in the solve.
    fn collect(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Gives back the memory on devices that [`PreparedSolve::run`] works in, until [`PreparedSolve::allocate`]. Whatever has
    /// [`Scope::Everything`] among its [`Capabilities::scopes`] can do both.
    ///
    /// # Errors
    /// When it cannot be given back, or work that used it went wrong.
    fn free(&mut self) -> Result<(), DeviceError> {
        Err(keeps_its_memory())
    }

    /// Allocates again exactly what [`PreparedSolve::free`] gave back; contents are undefined.
    ///
    /// # Errors
    /// When there is no room.
    fn allocate(&mut self) -> Result<(), DeviceError> {
        Err(keeps_its_memory())
    }

    /// Gives the copies and the solve as separate calls, so that the matrix may lie in ordinary memory; None where that cannot be done.
    fn in_pieces(&mut self) -> Option<&mut DeviceSolve> {
        None
    }

    /// Gives this solve with the matrix sharded over devices; None where that cannot be done.
    fn sharded(&mut self) -> Option<&mut dyn ShardedSolve> {
        None
    }

    /// Prepares solves of `graph` again and again without the host; None where that cannot be done.
    ///
    /// # Errors
    /// When there is no room for it.
    fn repeating<'a>(&'a mut self, _graph: &HostBuffer) -> Result<Option<BackToBackSolve<'a>>, DeviceError> {
        Ok(None)
    }
}

fn keeps_its_memory() -> DeviceError {
    DeviceError::other(format!(
        "this implementation cannot give back its memory between two solves: leave scope {} out of its abilities",
        Scope::Everything
    ))
}

impl Implementation {
    /// An implementation of this program, without parameters.
    pub fn new(
        name: &'static str,
        summary: &'static str,
        source: &'static str,
        solver: impl Solver + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            summary: summary.into(),
            source: source.into(),
            parameters: (&[]).into(),
            verified_with: Vec::new(),
            given: None,
            is_listed: true,
            solver: Box::new(solver),
        }
    }

    /// The default of each parameter.
    pub fn defaults(&self) -> Parameters {
        self.parameters.iter().map(|parameter| (parameter.name, parameter.default)).collect()
    }

    pub fn capabilities(&self, parameters: &Parameters) -> Capabilities {
        self.solver.capabilities(parameters)
    }

    /// How many devices it takes, at least, with these parameters; 0 is the CPU.
    pub fn devices(&self, parameters: &Parameters) -> usize {
        *self.capabilities(parameters).devices.start()
    }

    /// Whether it needs a device in addition to the CPU.
    pub fn needs_device(&self) -> bool {
        self.devices(&Parameters::default()) > 0
    }

    /// Its kernels on one device, and the file that they are in; None where it has no kernels.
    pub fn kernels(&self, target: Target, parameters: &Parameters) -> Option<KernelSet> {
        self.solver.kernels(target, parameters)
    }

    /// Its kernels, if a solve is a list of their launches.
    pub fn launched_kernels(&self, target: Target, parameters: &Parameters) -> Option<KernelSet> {
        self.capabilities(parameters).is_launch_list.then(|| self.kernels(target, parameters))?
    }

    /// The defaults, and the other parameters with which it is verified, as far as they go together.
    pub fn verified_parameters(&self) -> impl Iterator<Item = Parameters> {
        let others = self.verified_with.iter().filter(|parameters| self.check(parameters).is_ok());
        std::iter::once(Parameters::default()).chain(others.cloned())
    }

    /// Whether it takes these parameters.
    ///
    /// # Errors
    /// What it does not, in one line.
    pub fn check(&self, parameters: &Parameters) -> Result<(), String> {
        self.parameters_fit(parameters)?;
        self.solver.check(parameters)
    }

    /// Whether each of these parameters exists and may have its value, without regard to how they go together.
    ///
    /// # Errors
    /// The first that it has not, in one line.
    pub fn parameters_fit(&self, parameters: &Parameters) -> Result<(), String> {
        check_parameters(&self.name, &self.parameters, parameters)
    }

    /// Whether `n` vertices can be solved with these parameters.
    ///
    /// # Errors
    /// Why not, in one line.
    pub fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        self.solver.fits(n, parameters)
    }

    /// The type of distances where none is asked for: `f32`, or else the first that it takes.
    pub fn usual_element(&self) -> ElementType {
        let known = self.capabilities(&Parameters::default()).elements;
        let first = known.first().copied().unwrap_or_default();
        if known.contains(&ElementType::F32) { ElementType::F32 } else { first }
    }

    /// Whether it solves in this element type, and can be run on this machine.
    ///
    /// # Errors
    /// What it solves in or what is missing, in one line.
    pub fn takes(&self, element: ElementType, parameters: &Parameters) -> Result<(), String> {
        let known = self.capabilities(parameters).elements;
        if known.contains(&element) {
            let missing = self.solver.missing();
            return missing.map_or(Ok(()), |reason| Err(format!("{}: {reason}", self.name)));
        }
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        Err(format!("{} does not solve in {element}: it takes {}", self.name, known.join(", ")))
    }
}

/// Whether so many `graphs` can be solved by an implementation that solves batches, or does not.
///
/// # Errors
/// Which implementations solve batches, in one line.
pub fn check_batch(graphs: usize, solves_batches: bool) -> Result<(), String> {
    if graphs == 1 || solves_batches {
        return Ok(());
    }
    Err(format!(
        "it solves one graph, and not a batch of {graphs}: choose batched, register-blocked or cpu-parallel"
    ))
}

/// A parameter that an implementation takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    pub name: &'static str,
    pub meaning: &'static str,
    pub default: u32,
    pub lowest: u32,
    pub highest: u32,
    /// The values between `lowest` and `highest` that it may have; empty where it may have each.
    pub values: &'static [u32],
}

impl Parameter {
    /// A parameter that may have each value of `range`.
    pub const fn new(
        name: &'static str,
        meaning: &'static str,
        default: u32,
        range: RangeInclusive<u32>,
    ) -> Self {
        Self { name, meaning, default, lowest: *range.start(), highest: *range.end(), values: &[] }
    }

    /// Its value among these parameters.
    pub fn value_in(&self, parameters: &Parameters) -> u32 {
        parameters.get(self.name).unwrap_or(self.default)
    }
}

/// Checks every name and value against what the implementation of this name takes.
///
/// # Errors
/// The first name it does not take, or value out of range, in one line.
fn check_parameters(name: &str, takes: &[Parameter], given: &Parameters) -> Result<(), String> {
    for (parameter, value) in given.iter() {
        let Some(Parameter { lowest, highest, values, .. }) = takes.iter().find(|one| one.name == parameter)
        else {
            let known: Vec<&str> = takes.iter().map(|one| one.name).collect();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            return Err(format!("{name} has no parameter '{parameter}': it takes {known}"));
        };
        if !values.is_empty() && !values.contains(&value) {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            let values = values.join(", ");
            return Err(format!("{name} has no parameter {parameter} = {value}: it takes {values}"));
        }
        if !(lowest..=highest).contains(&&value) {
            return Err(format!(
                "parameter {parameter} = {value} of {name} is out of range: expected {lowest} to {highest}"
            ));
        }
    }
    Ok(())
}
