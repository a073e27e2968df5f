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
    /// Where distances are `f32`; others in proportion to their size.
    pub bytes_per_task: f64,
    /// Where the number comes from, in words.
    pub model: Cow<'static, str>,
    /// What the paper counted instead, where it differs.
    pub paper: Option<(f64, String)>,
}

impl Traffic {
    /// Every task reads three words and writes one.
    pub const EVERY_TASK: Traffic = Traffic {
        bytes_per_task: 16.0,
        model: Cow::Borrowed("3 words read and 1 written a task"),
        paper: None,
    };

    /// Every element of a tile is read, with one of each singly dependent tile, and written once for so many tasks.
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
    /// Parameters other than the defaults with which it is verified.
    pub verified_with: Vec<Parameters>,
    /// The file that it was given by, where it is no part of this program: it is measured with more care.
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
    /// Threads of the host that solve, where they are pinned to cores meanwhile. None where a device solves.
    pub host_threads: Option<SolverThreads>,
    /// Whether what solves takes a GPU itself, which is then none of the machine's devices: a foreign program may.
    pub takes_gpu: bool,
}

impl Capabilities {
    /// All n³ tasks of one graph at a time, in `f32` on one device, by the clocks of every sample.
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

    /// The same by a list of launches, by all clocks but those of programs.
    pub fn of_launches() -> Self {
        let scopes = Scope::ALL.iter().copied().filter(|scope| !Scope::PROGRAM.contains(scope)).collect();
        Self { scopes, is_launch_list: true, ..Self::on_device() }
    }

    /// One graph or several in every type, on so many threads of the host.
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
    /// Tasks, of which rates and floors are: n³, or half of them where weights are declared symmetric and it makes use of that.
    pub tasks: f64,
    /// Iterations of k: n, where the result is the distances. A plain triple loop that ends after fewer finds the shortest paths with intermediate
    /// vertices below that number, and its time over that share of the iterations estimates the time of all, as each does the same work. The result is
    /// verified as what it is, and records mark the time as an estimate.
    pub iterations: usize,
    /// A time that no solve can beat, in seconds, where more is known than the ceilings of the machine: it can only raise the floor that those set.
    pub floor_seconds: f64,
}

impl Cost {
    /// All tasks of `problem`, in so many bytes.
    pub fn new(problem: &Problem, bytes: u64) -> Self {
        let (tasks, iterations) = (problem.full_task_count(), problem.n);
        Self { bytes, tasks, iterations, floor_seconds: 0.0 }
    }
}

/// How an implementation solves. What is made of launches on one device gives [`Solver::kernels`] and [`Solver::launches`], and has the rest
/// made of them; anything else gives [`Solver::prepare`].
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

    /// What this machine lacks of what it needs in addition to a device, with the remedy. None where nothing is missing.
    fn missing(&self) -> Option<String> {
        None
    }

    /// Leaves it no GPU but that of this UUID, as CUDA writes it. Called before the first solve; a later call has no effect.
    fn take_gpu(&self, _uuid: &str) {}

    /// Its kernels, if it has some.
    fn kernels(&self, _target: Target, _parameters: &Parameters) -> Option<KernelSet> {
        None
    }

    /// What each kernel does in a solve of `n` vertices, where there is a model of it. Tested against what the emulated device counts.
    fn model(&self, _n: usize, _parameters: &Parameters) -> Vec<KernelTraffic> {
        Vec::new()
    }

    /// The launches of one solve with these kernels, loaded, which are those of [`Solver::kernels`]: found before any clock runs.
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
    /// When there is no room, a kernel does not compile, or it is given a batch and solves none.
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
    /// Queues one solve of `graph`, an n x n matrix, under `clock`, which is called at every [`Point`](crate::Point), in order.
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

    /// Gets again what [`PreparedSolve::free`] gave back, contents undefined, and nothing that it did not.
    ///
    /// # Errors
    /// When there is no room.
    fn allocate(&mut self) -> Result<(), DeviceError> {
        Err(keeps_its_memory())
    }

    /// The copies and the solve one by one, so that the matrix may lie in ordinary memory, if that can be done.
    fn in_pieces(&mut self) -> Option<&mut DeviceSolve> {
        None
    }

    /// This solve for a sharded matrix, if it can be done.
    fn sharded(&mut self) -> Option<&mut dyn ShardedSolve> {
        None
    }

    /// What solves `graph` again and again without the host, if that can be done.
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
    /// One without parameters, of this program.
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

    /// What its parameters are where none is set.
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

    /// Its kernels on one device, and the file that they are in, if that is what it is made of.
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

    /// Whether it has these parameters with these values, whatever they are together.
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

    /// The type of distances that it is looked at with where none is asked for: `f32`, or else the first that it takes.
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

/// Whether so many graphs can be solved, by what solves batches or does not.
///
/// # Errors
/// What does, in one line.
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
    /// Those between the two that it may have; all where there are none.
    pub values: &'static [u32],
}

impl Parameter {
    /// One that may have each value of a range.
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

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: Parameter = Parameter::new("width", "", 32, 1..=64);

    #[test]
    fn what_is_not_set_has_its_default() {
        assert_eq!(WIDTH.value_in(&Parameters::default()), 32);
        assert_eq!(WIDTH.value_in(&Parameters::from([("width", 8)])), 8);
    }

    #[test]
    fn unknown_names_and_values_out_of_range_are_refused() {
        let unknown = check_parameters("x", &[WIDTH], &Parameters::from([("heigth", 8)])).unwrap_err();
        assert_eq!(unknown, "x has no parameter 'heigth': it takes width");
        assert!(check_parameters("x", &[WIDTH], &Parameters::from([("width", 65)])).is_err());
        assert_eq!(check_parameters("x", &[WIDTH], &Parameters::from([("width", 64)])), Ok(()));
    }
}
