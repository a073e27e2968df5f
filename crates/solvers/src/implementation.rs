//! How an implementation describes itself, and how it is run.

use super::{
    Clock, GivenFile, KernelUse, Machine, Parameter, Parameters, Problem, Schedule, Scope, ShardedSolve,
    Target, Threads,
};
use repro_device::{Buffer, DeviceError, HostBuffer, KernelSource, Rows};
use repro_graph::ElementType;
use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

/// How many bytes of global or main memory one task moves, by the model under which effective GB/s are stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// Where distances are `f32`; others in proportion to their size.
    pub bytes_per_task: f64,
    /// Where the number comes from, in words.
    pub model: &'static str,
    /// What the paper counted instead, where it differs.
    pub paper: Option<(f64, &'static str)>,
}

impl Traffic {
    /// Every task reads three words and writes one.
    pub const EVERY_TASK: Traffic =
        Traffic { bytes_per_task: 16.0, model: "3 words read and 1 written a task", paper: None };

    /// Every element of a tile is read, with one of each singly dependent tile, and written once for 32 tasks.
    pub const TILES_OF_32: Traffic = Traffic {
        bytes_per_task: 16.0 / 32.0,
        model: "3 words read and 1 written per 32 tasks",
        paper: None,
    };
}

/// Anything that solves a problem.
pub struct Implementation {
    pub name: Cow<'static, str>,
    /// What it is, in one line.
    pub summary: Cow<'static, str>,
    /// The paper and place that it follows.
    pub source: Cow<'static, str>,
    pub traffic: Traffic,
    pub parameters: Cow<'static, [Parameter]>,
    pub method: Box<dyn Method>,
}

/// What an implementation can do with some parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Abilities {
    pub elements: Cow<'static, [ElementType]>,
    /// How many devices it runs on; 0 is the CPU.
    pub devices: RangeInclusive<usize>,
    /// Scopes that have a meaning for it.
    pub scopes: Cow<'static, [Scope]>,
    /// Whether it does n³ tasks, so that the ceilings of arithmetic bind it.
    pub is_cubic: bool,
}

/// How an implementation solves.
pub trait Method: Send + Sync {
    fn abilities(&self, parameters: &Parameters) -> Abilities;

    /// Whether parameters that are each in range go together.
    ///
    /// # Errors
    /// What does not, in one line.
    fn check(&self, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// The values that a parameter may have, where they are listed; otherwise all of its range.
    fn values(&self, _parameter: &Parameter) -> Option<Vec<u32>> {
        None
    }

    /// Whether `n` vertices can be solved with these parameters.
    ///
    /// # Errors
    /// Why not, in one line.
    fn fits(&self, _n: usize, _parameters: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// Whether it solves several graphs, at once or one after the other.
    fn solves_batches(&self) -> bool {
        false
    }

    /// Whether it solves so many graphs.
    ///
    /// # Errors
    /// What does, in one line.
    fn takes_batch(&self, graphs: usize) -> Result<(), String> {
        if graphs == 1 || self.solves_batches() {
            return Ok(());
        }
        Err(format!(
            "it solves one graph, and not a batch of {graphs}: choose batched, register-blocked or cpu-parallel"
        ))
    }

    /// How many iterations of k a solve of n vertices does: n, where the result is the distances. A plain triple loop
    /// that ends after fewer iterations of k finds the shortest paths with intermediate vertices below that number, and its time
    /// over that share of the iterations estimates the time of all, as each does the same work. The result is verified as what
    /// it is, and records mark the time as an estimate.
    fn iterations(&self, n: usize, _parameters: &Parameters) -> usize {
        n
    }

    /// Threads of the host that solve, where they are pinned to cores meanwhile. None where a device solves.
    fn host_threads(&self) -> Option<Threads> {
        None
    }

    /// What this machine lacks of what it needs in addition to a device, with the remedy. None where nothing is missing.
    fn missing(&self) -> Option<String> {
        None
    }

    /// Whether what solves takes a GPU itself, which is then none of the machine's devices: a foreign program may.
    fn takes_gpu(&self) -> bool {
        false
    }

    /// Leaves it no GPU but that of this UUID, as CUDA writes it. Called before the first solve; a later call has no effect.
    fn take_gpu(&self, _uuid: &str) {}

    /// Bytes that a solve takes on each device, or on the host in addition to input and output.
    fn bytes(&self, problem: &Problem, parameters: &Parameters) -> u64;

    /// Bytes a task with these parameters where distances are `f32`, and the model behind them, where [`Traffic`] does not have them of all
    /// parameters.
    fn bytes_per_task(&self, parameters: &Parameters) -> Option<(f64, String)> {
        self.schedule()?.bytes_per_task(parameters)
    }

    /// Tasks that a solve does, where it does all that [`Abilities::is_cubic`] speaks of: n³, or half of them where weights are
    /// declared symmetric and it makes use of that. Rates and floors are of these.
    fn tasks_of_solve(&self, problem: &Problem, parameters: &Parameters) -> f64 {
        self.schedule().map_or(problem.cubed(), |schedule| schedule.tasks_of_solve(problem, parameters))
    }

    /// Whether it does half of the tasks of graphs that are declared undirected.
    fn halves(&self, parameters: &Parameters) -> bool {
        let of = |element: &ElementType| {
            let problem = Problem::undirected(*element);
            self.tasks_of_solve(&problem, parameters) < problem.cubed()
        };
        self.abilities(parameters).elements.iter().any(of)
    }

    /// A time that no solve can beat, in seconds, where more is known than the ceilings of the machine: it can only raise the
    /// floor that those set.
    fn floor_seconds(&self, _problem: &Problem, _parameters: &Parameters) -> f64 {
        0.0
    }

    /// Parameters other than the defaults with which it is verified.
    fn also_checked(&self) -> Vec<Parameters> {
        Vec::new()
    }

    /// Its launches on one device, if that is what it is made of.
    fn schedule(&self) -> Option<&dyn Schedule> {
        None
    }

    /// The file that it was given by, where it is no part of this program: a user kernel, which is measured with more care.
    fn given(&self) -> Option<&GivenFile> {
        None
    }

    /// Its kernels and the file that they are in, if it has some.
    fn kernels(&self, target: Target, parameters: &Parameters) -> Option<(KernelSource, Vec<KernelUse>)> {
        self.schedule()
            .map(|schedule| (schedule.source(target, parameters), schedule.kernels(target, parameters)))
    }

    /// Compiles and loads what it runs on `machine`, for the first time in a process; [`Method::prepare`] finds it there.
    ///
    /// # Errors
    /// When a kernel does not compile or load.
    fn load(&self, _: ElementType, _: Machine, _: &Parameters) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Makes everything that a solve of `problem` needs, outside of every clock: buffers, kernels, graphs, what the driver says
    /// of them. What reads weights is left to the solve. Begins by [`Method::takes_batch`].
    ///
    /// # Errors
    /// When there is no room, a kernel does not compile, or it solves no batches and is given one.
    fn prepare(
        &self,
        problem: &Problem,
        machine: Machine,
        parameters: &Parameters,
    ) -> Result<Box<dyn Prepared>, DeviceError>;
}

/// Everything that solves of one problem need. May be run as often as one likes.
pub trait Prepared {
    /// Queues one solve of `graph`, an n x n matrix, under `clock`, which is called at every [`Point`](crate::Point), in order.
    /// The distances go to `distances`; they are there after [`Prepared::collect`].
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

    /// Gives back the memory on devices that [`Prepared::run`] works in, until [`Prepared::allocate`]. Whatever has
    /// [`Scope::Everything`] among its [`Abilities::scopes`] can do both.
    ///
    /// # Errors
    /// When it cannot be given back, or work that used it went wrong.
    fn free(&mut self) -> Result<(), DeviceError> {
        Err(keeps_its_memory())
    }

    /// Gets again what [`Prepared::free`] gave back, contents undefined, and nothing that it did not.
    ///
    /// # Errors
    /// When there is no room.
    fn allocate(&mut self) -> Result<(), DeviceError> {
        Err(keeps_its_memory())
    }

    /// The copies and the solve one by one, so that the matrix may lie in ordinary memory, if that can be done.
    fn in_pieces(&mut self) -> Option<&mut dyn InPieces> {
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
    fn repeating<'a>(
        &'a mut self,
        _graph: &HostBuffer,
    ) -> Result<Option<Box<dyn Repeating + 'a>>, DeviceError> {
        Ok(None)
    }
}

/// A solve whose matrix is copied to and from its device in pieces of whole rows, through small buffers, so that the host needs no second
/// matrix in page-locked memory. All copies in come first, then the solve, then the copies out.
pub trait InPieces {
    /// Queues the copy of these rows, which are at the beginning of `from`, to the device.
    ///
    /// # Errors
    /// When a device refuses it, or `from` is too small.
    fn copy_in(&mut self, rows: Range<usize>, from: &HostBuffer) -> Result<(), DeviceError>;

    /// Queues the solve.
    ///
    /// # Errors
    /// When a device refuses something.
    fn solve(&mut self) -> Result<(), DeviceError>;

    /// Queues the copy of these rows of the distances to the beginning of `to`.
    ///
    /// # Errors
    /// When a device refuses it, or `to` is too small.
    fn copy_out(&mut self, rows: Range<usize>, to: &mut HostBuffer) -> Result<(), DeviceError>;

    /// Where the distances are on the device once the solve has ended, and how their rows lie. What puts the weights there before, n x n
    /// with 0 on the diagonal, needs no copies in.
    ///
    /// # Errors
    /// When there is no room of the solve any more.
    fn distances(&self) -> Result<(&Buffer, Rows), DeviceError>;

    /// Waits for what was queued, and takes the same away. The rest of the room is given back, until [`Prepared::allocate`].
    ///
    /// # Errors
    /// What went wrong in the solve.
    fn take_distances(&mut self) -> Result<(Buffer, Rows), DeviceError>;
}

fn keeps_its_memory() -> DeviceError {
    DeviceError::other(format!(
        "this implementation cannot give back its memory between two solves: leave scope {} out of its abilities",
        Scope::Everything
    ))
}

/// Solves of one graph on matrices that stay on the device.
pub trait Repeating {
    /// Queues so many solves, each of the graph's own weights.
    ///
    /// # Errors
    /// When a device refuses something.
    fn queue(&mut self, solves: usize) -> Result<(), DeviceError>;

    /// Waits for what was queued, and gives a number for each solve that names its result: equal ones for equal bits.
    ///
    /// # Errors
    /// What went wrong in the solves.
    fn names(&mut self) -> Result<Vec<u64>, DeviceError>;

    /// Copies the last result to the host.
    ///
    /// # Errors
    /// When a device refuses it.
    fn download(&mut self, distances: &mut HostBuffer) -> Result<(), DeviceError>;
}

impl Implementation {
    /// What its parameters are where none is set.
    pub fn defaults(&self) -> Parameters {
        self.parameters.iter().map(|parameter| (parameter.name, parameter.default)).collect()
    }

    /// Whether it needs a device in addition to the CPU.
    pub fn needs_device(&self) -> bool {
        *self.method.abilities(&Parameters::default()).devices.start() > 0
    }

    /// Its schedule on a device, if that is what it is made of.
    pub fn schedule(&self) -> Option<&dyn Schedule> {
        self.method.schedule()
    }

    /// Bytes a task with these parameters where distances are `f32`, and the model behind them.
    pub fn bytes_per_task(&self, parameters: &Parameters) -> (f64, String) {
        self.method
            .bytes_per_task(parameters)
            .unwrap_or_else(|| (self.traffic.bytes_per_task, self.traffic.model.to_string()))
    }

    /// Whether it takes these parameters.
    ///
    /// # Errors
    /// What it does not, in one line.
    pub fn check(&self, parameters: &Parameters) -> Result<(), String> {
        parameters.check(&self.name, &self.parameters)?;
        self.method.check(parameters)
    }

    /// Whether `n` vertices can be solved with these parameters.
    ///
    /// # Errors
    /// Why not, in one line.
    pub fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        self.method.fits(n, parameters)
    }

    /// The type of distances that it is looked at with where none is asked for: `f32`, or else the first that it takes.
    pub fn usual_element(&self) -> ElementType {
        let known = self.method.abilities(&Parameters::default()).elements;
        let first = known.first().copied().unwrap_or_default();
        if known.contains(&ElementType::F32) { ElementType::F32 } else { first }
    }

    /// Whether it solves in this element type, and can be run on this machine.
    ///
    /// # Errors
    /// What it solves in or what is missing, in one line.
    pub fn takes(&self, element: ElementType, parameters: &Parameters) -> Result<(), String> {
        let known = self.method.abilities(parameters).elements;
        if known.contains(&element) {
            let missing = self.method.missing();
            return missing.map_or(Ok(()), |reason| Err(format!("{}: {reason}", self.name)));
        }
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        Err(format!("{} does not solve in {element}: it takes {}", self.name, known.join(", ")))
    }
}
