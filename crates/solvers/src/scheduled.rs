//! An implementation that is a schedule of launches on one queue of one device.

use super::layout::{Layout, LayoutKernels};
use super::one_launch_a_k::SYNCHRONIZE;
use super::{
    Abilities, Batches, Clock, GivenFile, InPieces, Machine, Method, Parameter, Parameters, Point, Prepared,
    Problem, Recording, Repeating, Schedule, Scope, Solve, Target,
};
use repro_device::{Buffer, Device, DeviceError, HostBuffer, Kernel, LaunchGraph, Rows};
use repro_graph::ElementType;
use std::num::NonZeroU32;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// A schedule as a method.
pub struct Scheduled(Arc<dyn Schedule>);

impl Scheduled {
    /// For [`Implementation::method`](crate::Implementation).
    pub fn of(schedule: impl Schedule + 'static) -> Box<dyn Method> {
        Box::new(Self(Arc::new(schedule)))
    }

    fn kernels(
        &self,
        target: Target,
        device: &dyn Device,
        parameters: &Parameters,
    ) -> Result<(Vec<Kernel>, LayoutKernels), DeviceError> {
        self.0.fits_on(device.info(), target, parameters).map_err(DeviceError::other)?;
        let uses = self.0.kernels(target, parameters);
        let names: Vec<&str> = uses.iter().map(|kernel| kernel.name).collect();
        let kernels = device.load(&self.0.source(target, parameters), &names)?;
        Ok((kernels, LayoutKernels::load(device, target.element, self.0.layout(parameters))?))
    }
}

impl Method for Scheduled {
    fn abilities(&self, parameters: &Parameters) -> Abilities {
        let waits = self.0.launches_a_wait(parameters).is_some();
        let has = |scope: &Scope| !(Scope::PROGRAM.contains(scope) || waits && *scope == Scope::CudaGraph);
        Abilities {
            elements: self.0.elements().to_vec().into(),
            devices: 1..=1,
            scopes: Scope::ALL.into_iter().filter(has).collect(),
            is_cubic: true,
        }
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        self.0.check(parameters)
    }

    fn values(&self, parameter: &Parameter) -> Option<Vec<u32>> {
        self.0.values(parameter)
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        self.0.layout(parameters).fits(n)?;
        self.0.fits(n, parameters)
    }

    fn bytes(&self, problem: &Problem, parameters: &Parameters) -> u64 {
        let target = Target::of(problem);
        let scratch = self.0.scratch_bytes(problem.n, target, parameters);
        let layout = self.0.layout(parameters);
        (layout.rows(problem).device_bytes() + layout.working_bytes(problem) + scratch) as u64
    }

    fn solves_batches(&self) -> bool {
        self.0.batches() != Batches::No
    }

    fn also_checked(&self) -> Vec<Parameters> {
        self.0.also_checked()
    }

    fn schedule(&self) -> Option<&dyn Schedule> {
        Some(&*self.0)
    }

    fn given(&self) -> Option<&GivenFile> {
        self.0.given()
    }

    fn load(
        &self,
        element: ElementType,
        machine: Machine,
        parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        let device = machine.device()?;
        self.kernels(Target::on(device.info(), element), &*device, parameters).map(|_| ())
    }

    fn prepare(
        &self,
        problem: &Problem,
        machine: Machine,
        parameters: &Parameters,
    ) -> Result<Box<dyn Prepared>, DeviceError> {
        let device = machine.device()?;
        self.0.check(parameters).map_err(DeviceError::other)?;
        self.takes_batch(problem.graphs).map_err(DeviceError::other)?;
        // A buffer of its own, and what fills it, is of one graph.
        if problem.graphs > 1 && self.0.layout(parameters).working_bytes(problem) > 0 {
            return Err(DeviceError::other(
                "a batch is solved where it lies: the layout has a buffer of its own",
            ));
        }
        let target = Target::on(device.info(), problem.element).with_weights(problem);
        let (kernels, layout_kernels) = self.kernels(target, &*device, parameters)?;
        let uses = self.0.kernels(target, parameters);
        let resident_blocks = kernels
            .iter()
            .zip(uses)
            .map(|(kernel, used)| device.resident_blocks(kernel, used.threads, used.dynamic_shared_bytes))
            .collect::<Result<_, _>>()?;
        // Asked first: the driver may take very long to refuse.
        let (needed, free) = (self.bytes(problem, parameters), device.memory()?.free);
        if needed > free {
            return Err(DeviceError::out_of_memory(&format!("n = {}", problem.n), needed, free));
        }
        let room = Room::allocate(&*device, &*self.0, problem, target, parameters)?;
        let mut prepared = ScheduledSolve {
            schedule: self.0.clone(),
            problem: *problem,
            target,
            parameters: parameters.clone(),
            kernels,
            layout_kernels,
            resident_blocks,
            graph: None,
            room: Some(room),
            recording: Recording::default(),
            device,
        };
        prepared.recording = prepared.schedule.record(&prepared.as_solve()?, &prepared.kernels)?;
        Ok(Box::new(prepared))
    }
}

/// The memory of a solve.
struct Room {
    /// The rows that copies go to and come from.
    matrix: Buffer,
    /// In the schedule's layout; none when it works on the matrix itself.
    working: Option<Buffer>,
    /// What the schedule asked for in addition to it.
    scratch: Option<Buffer>,
}

impl Room {
    fn allocate(
        device: &dyn Device,
        schedule: &dyn Schedule,
        problem: &Problem,
        target: Target,
        parameters: &Parameters,
    ) -> Result<Self, DeviceError> {
        let layout = schedule.layout(parameters);
        let some = |bytes| if bytes > 0 { device.allocate(bytes).map(Some) } else { Ok(None) };
        Ok(Self {
            matrix: device.allocate(layout.rows(problem).device_bytes())?,
            working: some(layout.working_bytes(problem))?,
            scratch: some(schedule.scratch_bytes(problem.n, target, parameters))?,
        })
    }
}

/// A schedule with its kernels loaded and its memory allocated.
struct ScheduledSolve {
    // Fields are dropped in this order: what lives on the device goes before it.
    graph: Option<LaunchGraph>,
    /// None while it is given back.
    room: Option<Room>,
    kernels: Vec<Kernel>,
    layout_kernels: LayoutKernels,
    resident_blocks: Vec<u32>,
    schedule: Arc<dyn Schedule>,
    problem: Problem,
    target: Target,
    parameters: Parameters,
    recording: Recording,
    device: Rc<dyn Device>,
}

fn without_memory() -> DeviceError {
    DeviceError::other("a solve without its memory: this is a defect of repro")
}

impl ScheduledSolve {
    fn layout(&self) -> Layout {
        self.schedule.layout(&self.parameters)
    }

    fn room(&self) -> Result<&Room, DeviceError> {
        self.room.as_ref().ok_or_else(without_memory)
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
        if let Some(every) = self.launches_a_wait() {
            return Err(DeviceError::other(format!(
                "the host waits after every {every} launches, and a CUDA graph holds no waits: read no clock of CUDA graphs, or \
                 set {} to 0",
                SYNCHRONIZE.name
            )));
        }
        if self.graph.is_none() {
            let made = self.device.queue().capture(&mut || self.launch(&mut crate::Untimed))?;
            self.graph = Some(made);
        }
        Ok(())
    }

    /// Queues the change to the schedule's layout, or back, if it has one.
    fn change_layout(&self, pack: bool) -> Result<(), DeviceError> {
        let Room { matrix, working, .. } = self.room()?;
        let Some(working) = working else { return Ok(()) };
        let (queue, n) = (self.device.queue(), self.problem.n);
        if pack {
            self.layout_kernels.pack(queue, self.layout(), n, matrix, working)
        } else {
            self.layout_kernels.unpack(queue, self.layout(), n, working, matrix)
        }
    }

    fn launches_a_wait(&self) -> Option<NonZeroU32> {
        self.schedule.launches_a_wait(&self.parameters)
    }

    /// What the schedule works on.
    fn as_solve(&self) -> Result<Solve<'_>, DeviceError> {
        let room = self.room()?;
        Ok(Solve {
            data: room.working.as_ref().unwrap_or(&room.matrix),
            scratch: room.scratch.as_ref(),
            graph: 0,
            graphs: self.problem.graphs,
            n: self.problem.n,
            pitch: self.layout().rows(&self.problem).pitch / self.problem.element.bytes(),
            parameters: &self.parameters,
            multiprocessors: self.device.info().multiprocessors,
            resident_blocks: &self.resident_blocks,
            target: self.target,
            recording: &self.recording,
        })
    }

    /// Queues all launches of one solve, and waits where the schedule wants it.
    fn launch(&self, clock: &mut dyn Clock) -> Result<(), DeviceError> {
        let on = self.as_solve()?;
        if self.schedule.batches() == Batches::AtOnce {
            return self.launch_on(&on, clock);
        }
        (0..on.graphs).try_for_each(|graph| self.launch_on(&Solve { graph, graphs: 1, ..on }, clock))
    }

    fn launch_on(&self, on: &Solve, clock: &mut dyn Clock) -> Result<(), DeviceError> {
        let queue = self.device.queue();
        let every = self.launches_a_wait();
        let mut launches = 0_u32;
        let rows = self.layout().rows(&self.problem);
        let mut seen = match clock.looks() {
            true => Some(self.device.allocate_host(self.problem.matrix_bytes())?),
            false => None,
        };
        self.schedule.solve(on, &mut |kernel, launch, arguments| {
            let kernel = &self.kernels[kernel];
            clock.launching(&kernel.name, queue)?;
            // SAFETY: the schedule promises what a launch asks for, and the buffers live as long as `self`, graphs included.
            unsafe { queue.launch(kernel, launch, arguments) }?;
            if let Some(seen) = &mut seen {
                self.change_layout(false)?;
                queue.download_rows(self.room()?.matrix.whole(), seen, rows)?;
                queue.synchronize()?;
                clock.launched(&kernel.name, seen);
            }
            launches = launches.wrapping_add(1);
            if every.is_some_and(|every| launches % every == 0) { queue.synchronize() } else { Ok(()) }
        })
    }
}

impl Prepared for ScheduledSolve {
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
        clock.reached(Point::Start, &queues)?;
        let rows = self.layout().rows(&self.problem);
        queue.upload_rows(graph, self.room()?.matrix.whole(), rows)?;
        clock.reached(Point::CopiedIn, &queues)?;
        self.change_layout(true)?;
        clock.reached(Point::Packed, &queues)?;
        self.queue_solve(clock.wants_graph(), clock)?;
        clock.reached(Point::Solved, &queues)?;
        self.change_layout(false)?;
        clock.reached(Point::Unpacked, &queues)?;
        queue.download_rows(self.room()?.matrix.whole(), distances, rows)?;
        clock.reached(Point::CopiedOut, &queues)
    }

    fn collect(&mut self) -> Result<(), DeviceError> {
        self.device.queue().synchronize()
    }

    fn free(&mut self) -> Result<(), DeviceError> {
        self.collect()?;
        // Its launches use the room.
        self.graph = None;
        self.room = None;
        Ok(())
    }

    fn allocate(&mut self) -> Result<(), DeviceError> {
        if self.room.is_none() {
            let room =
                Room::allocate(&*self.device, &*self.schedule, &self.problem, self.target, &self.parameters);
            self.room = Some(room?);
        }
        Ok(())
    }

    fn in_pieces(&mut self) -> Option<&mut dyn InPieces> {
        Some(self)
    }

    fn repeating<'a>(
        &'a mut self,
        graph: &HostBuffer,
    ) -> Result<Option<Box<dyn Repeating + 'a>>, DeviceError> {
        if self.launches_a_wait().is_some() {
            return Ok(None);
        }
        Repeated::of(self, graph).map(|repeated| Some(Box::new(repeated) as Box<dyn Repeating>))
    }
}

impl ScheduledSolve {
    /// How some rows lie in host memory and on the device.
    fn piece(&self, rows: &Range<usize>) -> (Rows, Range<usize>) {
        let all = self.layout().rows(&self.problem);
        (Rows { count: rows.len(), ..all }, rows.start * all.pitch..rows.end * all.pitch)
    }
}

impl InPieces for ScheduledSolve {
    fn copy_in(&mut self, rows: Range<usize>, from: &HostBuffer) -> Result<(), DeviceError> {
        let (piece, bytes) = self.piece(&rows);
        self.device.queue().upload_rows(from, self.room()?.matrix.part(bytes), piece)
    }

    fn solve(&mut self) -> Result<(), DeviceError> {
        self.change_layout(true)?;
        self.queue_solve(false, &mut crate::Untimed)?;
        self.change_layout(false)
    }

    fn copy_out(&mut self, rows: Range<usize>, to: &mut HostBuffer) -> Result<(), DeviceError> {
        let (piece, bytes) = self.piece(&rows);
        self.device.queue().download_rows(self.room()?.matrix.part(bytes), to, piece)
    }

    fn distances(&self) -> Result<(&Buffer, Rows), DeviceError> {
        Ok((&self.room()?.matrix, self.layout().rows(&self.problem)))
    }

    fn take_distances(&mut self) -> Result<(Buffer, Rows), DeviceError> {
        self.collect()?;
        // Its launches use the room.
        self.graph = None;
        let room = self.room.take().ok_or_else(without_memory)?;
        Ok((room.matrix, self.layout().rows(&self.problem)))
    }
}

/// Solves whose results one number each is kept of.
const NAMES: usize = 64;

/// A solve that is repeated.
struct Repeated<'a> {
    solve: &'a ScheduledSolve,
    /// The graph's weights.
    original: Buffer,
    /// A number for each result.
    names: Buffer,
    host: HostBuffer,
    /// Solves that were queued and not waited for.
    queued: usize,
}

impl<'a> Repeated<'a> {
    fn of(solve: &'a mut ScheduledSolve, graph: &HostBuffer) -> Result<Self, DeviceError> {
        solve.capture()?;
        let solve: &ScheduledSolve = solve;
        let (device, rows) = (&solve.device, solve.layout().rows(&solve.problem));
        let bytes = NAMES * size_of::<u64>();
        let (original, names) = (device.allocate(rows.device_bytes())?, device.allocate(bytes)?);
        let mut host = device.allocate_host(bytes)?;
        host.numbers_mut::<u64>().fill(0);
        device.queue().upload_rows(graph, original.whole(), rows)?;
        device.queue().upload(&host, names.whole())?;
        Ok(Self { solve, original, names, host, queued: 0 })
    }
}

impl Repeating for Repeated<'_> {
    fn queue(&mut self, solves: usize) -> Result<(), DeviceError> {
        let Self { solve, original, names, .. } = self;
        let (queue, problem) = (solve.device.queue(), &solve.problem);
        let pitch = solve.layout().rows(problem).pitch / problem.element.bytes();
        for _ in 0..solves.min(NAMES - self.queued) {
            queue.copy(original.whole(), solve.room()?.matrix.whole())?;
            solve.change_layout(true)?;
            solve.queue_solve(true, &mut crate::Untimed)?;
            solve.change_layout(false)?;
            let slot = (&*names, self.queued);
            solve.layout_kernels.digest(
                queue,
                (problem.rows(), problem.n, pitch),
                &solve.room()?.matrix,
                slot,
            )?;
            self.queued += 1;
        }
        Ok(())
    }

    fn names(&mut self) -> Result<Vec<u64>, DeviceError> {
        let queue = self.solve.device.queue();
        queue.download(self.names.whole(), &mut self.host)?;
        queue.synchronize()?;
        let names = self.host.numbers::<u64>()[..self.queued].to_vec();
        self.host.numbers_mut::<u64>().fill(0);
        queue.upload(&self.host, self.names.whole())?;
        self.queued = 0;
        Ok(names)
    }

    fn download(&mut self, distances: &mut HostBuffer) -> Result<(), DeviceError> {
        let (queue, matrix) = (self.solve.device.queue(), &self.solve.room()?.matrix);
        queue.download_rows(matrix.whole(), distances, self.solve.layout().rows(&self.solve.problem))?;
        queue.synchronize()
    }
}
