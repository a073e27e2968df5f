//! Host schedules: which kernels are launched, in which order, on which layout; the same on every device.

use super::Parameters;
use super::layout::{Layout, LayoutKernels};
use repro_device::emulated::LaunchCounts;
use repro_device::{Buffer, Device, DeviceError, HostBuffer, Kernel, KernelResources, KernelSource};
use serde::{Deserialize, Serialize};

/// A kernel of a schedule and the threads a block that it is launched with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelUse {
    pub name: &'static str,
    pub threads: u32,
    /// Shared memory a block that its launches add to what it declares.
    pub dynamic_shared_bytes: u32,
    /// Tasks that each of its blocks does, those of padding vertices included; None when the kernel does all n³ of a solve.
    pub tasks_a_block: Option<u64>,
    /// What the paper says of it on its GPU.
    pub paper: Option<PaperFigures>,
}

/// What all launches of one kernel do in one solve, by a model in place of a count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelTraffic {
    pub kernel: String,
    pub launches: u64,
    pub blocks: u64,
    /// Those of padding vertices included.
    pub tasks: u64,
    /// Global memory, bytes that threads load.
    pub loaded_bytes: u64,
    /// Global memory, bytes that threads store.
    pub stored_bytes: u64,
}

/// A kernel's resources as a paper states them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaperFigures {
    /// Shared memory a block, bytes.
    pub shared_bytes: u32,
    /// Blocks a multiprocessor by shared memory alone.
    pub resident_blocks: u32,
    /// Threads a block.
    pub threads: u32,
}

/// How an implementation solves on a device.
pub trait Schedule: Sync {
    fn source(&self, parameters: &Parameters) -> KernelSource;

    /// Its kernels in the order in which [`Schedule::solve`] gets them.
    fn kernels(&self, parameters: &Parameters) -> Vec<KernelUse>;

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

    /// Parameters beside the defaults with which it is verified.
    fn also_checked(&self) -> Vec<Parameters> {
        Vec::new()
    }

    /// Tasks that `kernel` does in `blocks` blocks of a solve of `n` vertices. None when there is no such kernel.
    fn tasks(&self, kernel: &str, n: usize, blocks: u64, parameters: &Parameters) -> Option<u64> {
        let kernels = self.kernels(parameters);
        let used = kernels.iter().find(|used| used.name == kernel)?;
        Some(used.tasks_a_block.map_or((n as u64).pow(3), |tasks| tasks * blocks))
    }

    /// Bytes of global memory a task and the model behind them, where they depend on parameters.
    fn bytes_per_task(&self, _parameters: &Parameters) -> Option<(f64, String)> {
        None
    }

    /// What each kernel does to global memory, where there is a model of it. Tested against what the emulated device counts.
    fn model(&self, _n: usize, _parameters: &Parameters) -> Option<Vec<KernelTraffic>> {
        None
    }

    fn layout(&self) -> Layout;

    /// Queues every launch of one solve of `n` vertices on `data`, which lies in [`Schedule::layout`].
    ///
    /// # Errors
    /// When the device refuses a launch.
    fn solve(
        &self,
        device: &dyn Device,
        kernels: &[Kernel],
        data: &Buffer,
        n: usize,
        parameters: &Parameters,
    ) -> Result<(), DeviceError>;
}

/// Device memory for one graph size, shared by all implementations, which run one after another.
pub struct WorkingMemory {
    n: usize,
    /// n x n, row-major: where copies go to and come from.
    pub matrix: Buffer,
    /// For layouts that need room of their own.
    working: Option<Buffer>,
}

impl WorkingMemory {
    /// Allocates the matrix for `n` vertices.
    ///
    /// # Errors
    /// When there is no room.
    pub fn allocate(device: &dyn Device, n: usize) -> Result<Self, DeviceError> {
        let matrix = allocate_if_free(device, n, n * n * size_of::<f32>())?;
        Ok(Self { n, matrix, working: None })
    }

    /// Makes sure that there is room for `layout` beside the matrix.
    ///
    /// # Errors
    /// When there is not.
    pub fn make_room(&mut self, device: &dyn Device, layout: Layout) -> Result<(), DeviceError> {
        let needed = layout.working_bytes(self.n);
        if needed > self.working.as_ref().map_or(0, Buffer::bytes) {
            self.working = None;
            self.working = Some(allocate_if_free(device, self.n, needed)?);
        }
        Ok(())
    }
}

/// Asks first: the driver may take very long to refuse.
fn allocate_if_free(device: &dyn Device, n: usize, bytes: usize) -> Result<Buffer, DeviceError> {
    let free = device.memory()?.free;
    if bytes as u64 > free {
        return Err(DeviceError::out_of_memory(&format!("n = {n}"), bytes as u64, free));
    }
    device.allocate(bytes)
}

/// A schedule with its kernels loaded on a device.
pub struct Solver {
    schedule: &'static dyn Schedule,
    parameters: Parameters,
    kernels: Vec<Kernel>,
    layout_kernels: LayoutKernels,
}

impl Solver {
    /// Compiles and loads what `schedule` needs.
    ///
    /// # Errors
    /// When a kernel does not compile or load.
    pub fn load(
        device: &dyn Device,
        schedule: &'static dyn Schedule,
        parameters: &Parameters,
    ) -> Result<Self, DeviceError> {
        schedule.check(parameters).map_err(DeviceError::other)?;
        let names: Vec<&str> = schedule.kernels(parameters).iter().map(|kernel| kernel.name).collect();
        Ok(Self {
            schedule,
            parameters: parameters.clone(),
            kernels: device.load(&schedule.source(parameters), &names)?,
            layout_kernels: LayoutKernels::load(device)?,
        })
    }

    pub fn layout(&self) -> Layout {
        self.schedule.layout()
    }

    /// What the driver says of each kernel, in the schedule's order.
    ///
    /// # Errors
    /// When the driver does not tell.
    pub fn resources(&self, device: &dyn Device) -> Result<Vec<KernelResources>, DeviceError> {
        let uses = self.schedule.kernels(&self.parameters);
        let of = |(kernel, used): (_, KernelUse)| {
            device.resources(kernel, used.threads, used.dynamic_shared_bytes)
        };
        self.kernels.iter().zip(uses).map(of).collect()
    }

    /// Queues the change from the row-major matrix into this schedule's layout, if it has another.
    ///
    /// # Errors
    /// When the device refuses a launch.
    pub fn pack(&self, device: &dyn Device, memory: &WorkingMemory, n: usize) -> Result<(), DeviceError> {
        match self.own_room(memory, n)? {
            None => Ok(()),
            Some(working) => self.layout_kernels.pack(device, self.layout(), n, &memory.matrix, working),
        }
    }

    /// Queues all launches of one solve.
    ///
    /// # Errors
    /// When the device refuses a launch.
    pub fn solve(&self, device: &dyn Device, memory: &WorkingMemory, n: usize) -> Result<(), DeviceError> {
        let data = self.own_room(memory, n)?.unwrap_or(&memory.matrix);
        self.schedule.solve(device, &self.kernels, data, n, &self.parameters)
    }

    /// Queues the change back to row-major.
    ///
    /// # Errors
    /// When the device refuses a launch.
    pub fn unpack(&self, device: &dyn Device, memory: &WorkingMemory, n: usize) -> Result<(), DeviceError> {
        match self.own_room(memory, n)? {
            None => Ok(()),
            Some(working) => self.layout_kernels.unpack(device, self.layout(), n, working, &memory.matrix),
        }
    }

    /// Queues one solve without a clock: copies `input` in, solves, copies out to `output`, both n x n. Gives what the
    /// schedule's own launches did, where the device counts.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub fn run(
        &self,
        device: &dyn Device,
        memory: &WorkingMemory,
        n: usize,
        input: &HostBuffer,
        output: &mut HostBuffer,
    ) -> Result<Vec<LaunchCounts>, DeviceError> {
        device.upload(input, &memory.matrix, n * n)?;
        self.pack(device, memory, n)?;
        device.take_counts();
        self.solve(device, memory, n)?;
        let launches = device.take_counts();
        self.unpack(device, memory, n)?;
        device.download(&memory.matrix, output, n * n)?;
        Ok(launches)
    }

    /// The buffer in this schedule's layout; none when it works on the matrix itself.
    fn own_room<'a>(&self, memory: &'a WorkingMemory, n: usize) -> Result<Option<&'a Buffer>, DeviceError> {
        let needed = self.layout().working_bytes(n);
        if needed == 0 {
            return Ok(None);
        }
        match &memory.working {
            Some(working) if working.bytes() >= needed => Ok(Some(working)),
            _ => Err(DeviceError::other("working memory for another layout: this is a defect of repro")),
        }
    }
}
