//! A solve that is made of launches on one queue of one device.

use super::kernels::{BatchMode, KernelSet, LaunchList, LaunchSite};
use super::layout::{Layout, LayoutKernels};
use super::{Clock, Parameters, PreparedSolve, Problem, Target, TimingPoint, check_batch};
use repro_device::{Argument, Buffer, Device, DeviceError, HostBuffer, Kernel, LaunchGraph, PitchedRows};
use std::num::NonZeroU32;
use std::ops::Range;
use std::rc::Rc;

/// Finds the launches of a solve by its kernels.
type LaunchFinder<'a> = dyn Fn(&LaunchSite, &[Kernel]) -> Result<LaunchList, DeviceError> + 'a;

/// The memory of a solve.
struct DeviceBuffers {
    /// The rows that copies go to and come from.
    matrix: Buffer,
    /// The matrix in the kernels' layout; None when they work on `matrix` itself.
    working: Option<Buffer>,
    /// Scratch memory that the launches ask for.
    scratch: Option<Buffer>,
}

impl DeviceBuffers {
    /// What kernels work on.
    fn data(&self) -> &Buffer {
        self.working.as_ref().unwrap_or(&self.matrix)
    }
}

/// Kernels that are loaded, launches that are known and memory that is allocated.
pub struct DeviceSolve {
    // Fields are dropped in this order: what lives on the device goes before it.
    graph: Option<LaunchGraph>,
    /// The memory; None while it is given back.
    room: Option<DeviceBuffers>,
    kernels: Vec<Kernel>,
    layout_kernels: LayoutKernels,
    launches: LaunchList,
    layout: Layout,
    launches_per_sync: Option<NonZeroU32>,
    problem: Problem,
    device: Rc<dyn Device>,
}

fn without_memory() -> DeviceError {
    DeviceError::other("a solve without its memory: this is a defect of repro")
}

impl DeviceSolve {
    /// # Errors
    /// When a kernel does not load, a launch cannot be made, or there is no room.
    pub fn prepare(
        problem: &Problem,
        target: Target,
        parameters: &Parameters,
        device: Rc<dyn Device>,
        set: KernelSet,
        find: &LaunchFinder,
    ) -> Result<Self, DeviceError> {
        check_batch(problem.graphs, set.batch_mode != BatchMode::No).map_err(DeviceError::other)?;
        let working_bytes = set.layout.working_bytes(problem);
        // A layout's own buffer, and the kernels that fill it, are for one graph.
        if problem.graphs > 1 && working_bytes > 0 {
            return Err(DeviceError::other("a batch is solved in place: its layout has a buffer of its own"));
        }
        let (kernels, layout_kernels) = set.load(&*device, problem.element)?;
        let resident_blocks = kernels
            .iter()
            .zip(&set.uses)
            .map(|(kernel, used)| device.max_active_blocks(kernel, used.threads, used.dynamic_shared_bytes))
            .collect::<Result<Vec<_>, _>>()?;
        let rows = set.layout.rows(problem);
        let side = set.layout.side(problem.n);
        let at_once = if set.batch_mode == BatchMode::AtOnce { problem.graphs } else { 1 };
        let on = LaunchSite {
            problem,
            graph: 0,
            graphs: at_once,
            matrix_bytes: if working_bytes > 0 { working_bytes } else { rows.device_bytes() },
            pitch: if working_bytes > 0 { side } else { rows.pitch / problem.element.bytes() },
            parameters,
            target,
            multiprocessors: device.info().multiprocessors,
            resident_blocks: &resident_blocks,
        };
        let mut launches = LaunchList::default();
        for graph in 0..problem.graphs / at_once {
            launches.append(find(&LaunchSite { graph, ..on }, &kernels)?);
        }
        // Asked first: the driver may take very long to refuse.
        let needed = set.layout.device_bytes(problem) + launches.scratch_bytes() as u64;
        let free = device.memory()?.free;
        if needed > free {
            return Err(DeviceError::out_of_memory(&format!("n = {}", problem.n), needed, free));
        }
        let mut prepared = Self {
            graph: None,
            room: None,
            kernels,
            layout_kernels,
            launches,
            layout: set.layout,
            launches_per_sync: set.launches_per_sync,
            problem: *problem,
            device,
        };
        prepared.allocate()?;
        Ok(prepared)
    }

    fn room(&self) -> Result<&DeviceBuffers, DeviceError> {
        self.room.as_ref().ok_or_else(without_memory)
    }

    /// How the rows lie that copies go to and come from.
    fn rows(&self) -> PitchedRows {
        self.layout.rows(&self.problem)
    }

    /// Queues one solve of what is in the room's matrix.
    fn queue_solve(&self, replayed: bool, clock: &mut dyn Clock) -> Result<(), DeviceError> {
        match self.graph.as_ref().filter(|_| replayed) {
            // SAFETY: its launches use the room of `self` alone.
            Some(graph) => unsafe { self.device.queue().replay(graph) },
            None => self.launch(clock),
        }
    }

    /// Makes the graph of launches, if there is none yet.
    fn capture(&mut self) -> Result<(), DeviceError> {
        if let Some(every) = self.launches_per_sync {
            return Err(DeviceError::other(format!(
                "the host waits after every {every} launches, and a CUDA graph holds no waits: read no clock of CUDA graphs, or \
                 choose parameters by which it does not wait"
            )));
        }
        if self.graph.is_none() {
            self.graph = Some(self.device.queue().capture(&mut || self.launch(&mut crate::NoClock))?);
        }
        Ok(())
    }

    /// Queues the change to the kernels' layout, or back, if they have one.
    fn change_layout(&self, pack: bool) -> Result<(), DeviceError> {
        let DeviceBuffers { matrix, working, .. } = self.room()?;
        let Some(working) = working else { return Ok(()) };
        let (queue, n) = (self.device.queue(), self.problem.n);
        self.layout_kernels.convert(queue, self.layout, n, matrix, working, pack)
    }

    /// Queues all launches of one solve, and waits where that is wanted.
    fn launch(&self, clock: &mut dyn Clock) -> Result<(), DeviceError> {
        let (queue, room) = (self.device.queue(), self.room()?);
        let shown = || self.device.allocate_host(self.problem.matrix_bytes());
        let mut seen = clock.wants_matrix().then(shown).transpose()?;
        let mut arguments: Vec<Argument> = Vec::new();
        let mut unsynced = 0;
        for planned in self.launches.launches() {
            arguments.clear();
            for argument in &planned.arguments {
                arguments.push(argument.on(room.data(), room.scratch.as_ref())?);
            }
            let kernel = &self.kernels[planned.kernel];
            clock.launching(&kernel.name, queue)?;
            // SAFETY: the list promises what a launch asks for, and the buffers live as long as `self`, graphs included.
            unsafe { queue.launch(kernel, planned.launch, &arguments) }?;
            if let Some(seen) = &mut seen {
                self.change_layout(false)?;
                queue.download_rows(room.matrix.whole(), seen, self.rows())?;
                queue.synchronize()?;
                clock.launched(&kernel.name, seen);
            }
            unsynced += 1;
            if self.launches_per_sync.is_some_and(|every| unsynced == every.get()) {
                queue.synchronize()?;
                unsynced = 0;
            }
        }
        Ok(())
    }
}

impl PreparedSolve for DeviceSolve {
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        if clock.wants_graph() {
            self.capture()?;
        }
        let queue = self.device.queue();
        let queues = [queue];
        clock.record_point(TimingPoint::Start, &queues)?;
        let rows = self.rows();
        queue.upload_rows(graph, self.room()?.matrix.whole(), rows)?;
        clock.record_point(TimingPoint::CopiedIn, &queues)?;
        self.change_layout(true)?;
        clock.record_point(TimingPoint::Packed, &queues)?;
        self.queue_solve(clock.wants_graph(), clock)?;
        clock.record_point(TimingPoint::Solved, &queues)?;
        self.change_layout(false)?;
        clock.record_point(TimingPoint::Unpacked, &queues)?;
        queue.download_rows(self.room()?.matrix.whole(), distances, rows)?;
        clock.record_point(TimingPoint::CopiedOut, &queues)
    }

    fn collect(&mut self) -> Result<(), DeviceError> {
        self.device.queue().synchronize()
    }

    fn free(&mut self) -> Result<(), DeviceError> {
        self.collect()?;
        // The graph's launches use the room.
        self.graph = None;
        self.room = None;
        Ok(())
    }

    fn allocate(&mut self) -> Result<(), DeviceError> {
        if self.room.is_none() {
            let device = &self.device;
            let some = |bytes| if bytes > 0 { device.allocate(bytes).map(Some) } else { Ok(None) };
            let room = DeviceBuffers {
                matrix: device.allocate(self.rows().device_bytes())?,
                working: some(self.layout.working_bytes(&self.problem))?,
                scratch: some(self.launches.scratch_bytes())?,
            };
            self.launches.bind(room.data(), room.scratch.as_ref())?;
            self.room = Some(room);
        }
        Ok(())
    }

    fn in_pieces(&mut self) -> Option<&mut DeviceSolve> {
        Some(self)
    }

    fn repeating<'a>(&'a mut self, graph: &HostBuffer) -> Result<Option<BackToBackSolve<'a>>, DeviceError> {
        if self.launches_per_sync.is_some() {
            return Ok(None);
        }
        BackToBackSolve::new(self, graph).map(Some)
    }
}

/// The copies and the solve one by one: a matrix is copied to and from its device in pieces of whole rows, through small buffers, so that the host
/// needs no second matrix in page-locked memory. All copies in come first, then the solve, then the copies out.
impl DeviceSolve {
    /// How some rows lie in host memory and on the device.
    fn piece(&self, rows: &Range<usize>) -> (PitchedRows, Range<usize>) {
        let all = self.rows();
        (PitchedRows { count: rows.len(), ..all }, rows.start * all.pitch..rows.end * all.pitch)
    }

    /// Queues the copy of these rows, which are at the beginning of `from`, to the device.
    ///
    /// # Errors
    /// When a device refuses it, or `from` is too small.
    pub fn copy_in(&mut self, rows: Range<usize>, from: &HostBuffer) -> Result<(), DeviceError> {
        let (piece, bytes) = self.piece(&rows);
        self.device.queue().upload_rows(from, self.room()?.matrix.part(bytes), piece)
    }

    /// Queues the solve.
    ///
    /// # Errors
    /// When a device refuses something.
    pub fn solve(&mut self) -> Result<(), DeviceError> {
        self.change_layout(true)?;
        self.queue_solve(false, &mut crate::NoClock)?;
        self.change_layout(false)
    }

    /// Queues the copy of these rows of the distances to the beginning of `to`.
    ///
    /// # Errors
    /// When a device refuses it, or `to` is too small.
    pub fn copy_out(&mut self, rows: Range<usize>, to: &mut HostBuffer) -> Result<(), DeviceError> {
        let (piece, bytes) = self.piece(&rows);
        self.device.queue().download_rows(self.room()?.matrix.part(bytes), to, piece)
    }

    /// Where the distances are on the device once the solve has ended, and how their rows lie. A caller that puts the weights there before
    /// the solve, n x n with 0 on the diagonal, needs no copies in.
    ///
    /// # Errors
    /// When the memory of the solve was given back.
    pub fn distances(&self) -> Result<(&Buffer, PitchedRows), DeviceError> {
        Ok((&self.room()?.matrix, self.rows()))
    }

    /// Waits for all work, and takes the distances' buffer away. The rest of the memory is given back, until [`PreparedSolve::allocate`].
    ///
    /// # Errors
    /// What went wrong in the solve.
    pub fn take_distances(&mut self) -> Result<(Buffer, PitchedRows), DeviceError> {
        self.collect()?;
        // The graph's launches use the room.
        self.graph = None;
        let room = self.room.take().ok_or_else(without_memory)?;
        Ok((room.matrix, self.rows()))
    }
}

/// The most solves whose digests are kept at once.
const NAMES: usize = 64;

/// Solves of one graph on matrices that stay on the device.
pub struct BackToBackSolve<'a> {
    solve: &'a DeviceSolve,
    /// The graph's weights.
    original: Buffer,
    /// A digest of each result.
    names: Buffer,
    host: HostBuffer,
    /// Solves that were queued and not waited for.
    queued: usize,
}

impl<'a> BackToBackSolve<'a> {
    fn new(solve: &'a mut DeviceSolve, graph: &HostBuffer) -> Result<Self, DeviceError> {
        solve.capture()?;
        let solve: &DeviceSolve = solve;
        let (device, rows) = (&solve.device, solve.rows());
        let bytes = NAMES * size_of::<u64>();
        let (original, names) = (device.allocate(rows.device_bytes())?, device.allocate(bytes)?);
        let mut host = device.allocate_host(bytes)?;
        host.numbers_mut::<u64>().fill(0);
        device.queue().upload_rows(graph, original.whole(), rows)?;
        device.queue().upload(&host, names.whole())?;
        Ok(Self { solve, original, names, host, queued: 0 })
    }

    /// Queues `solves` solves, or as many as there is room for digests, each of the graph's own weights.
    ///
    /// # Errors
    /// When a device refuses something.
    pub fn queue(&mut self, solves: usize) -> Result<(), DeviceError> {
        let Self { solve, original, names, .. } = self;
        let (queue, problem) = (solve.device.queue(), &solve.problem);
        let rows = solve.rows();
        for _ in 0..solves.min(NAMES - self.queued) {
            queue.copy(original.whole(), solve.room()?.matrix.whole())?;
            solve.change_layout(true)?;
            solve.queue_solve(true, &mut crate::NoClock)?;
            solve.change_layout(false)?;
            let matrix = &solve.room()?.matrix;
            solve.layout_kernels.digest(queue, rows, problem.n, matrix, names, self.queued)?;
            self.queued += 1;
        }
        Ok(())
    }

    /// Waits for what was queued, and gives a digest of each solve's result: equal digests for equal bits.
    ///
    /// # Errors
    /// What went wrong in the solves.
    pub fn result_digests(&mut self) -> Result<Vec<u64>, DeviceError> {
        let queue = self.solve.device.queue();
        queue.download(self.names.whole(), &mut self.host)?;
        queue.synchronize()?;
        let names = self.host.numbers::<u64>()[..self.queued].to_vec();
        self.host.numbers_mut::<u64>().fill(0);
        queue.upload(&self.host, self.names.whole())?;
        self.queued = 0;
        Ok(names)
    }

    /// Copies the last result to the host.
    ///
    /// # Errors
    /// When a device refuses it.
    pub fn download(&mut self, distances: &mut HostBuffer) -> Result<(), DeviceError> {
        let (queue, matrix) = (self.solve.device.queue(), &self.solve.room()?.matrix);
        queue.download_rows(matrix.whole(), distances, self.solve.rows())?;
        queue.synchronize()
    }
}
