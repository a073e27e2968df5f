//! The thread that a device belongs to, and what it does for others.

use crate::DenseError;
use crate::pieces::{self, SolveTimes, StagingBuffers};
use crate::trees::TreeKernel;
use rayon::ThreadPool;
use repro_device::cuda::CudaDevice;
use repro_device::emulated::{EmulatedDevice, Instruments};
use repro_device::{Buffer, Device, DeviceError, DeviceInfo, FailureKind, HostBuffer, Selection};
use repro_graph::{DistanceMatrix, Element, ElementType, WeightRange};
use repro_solvers::{DeviceSolve, Implementation, Parameters, PreparedSolve, Problem, default_for_device};
use shortest_paths::{Arcs, Control, PathSentinels};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a wait for the device looks at the caller's flag.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What a caller can do whose matrix does not fit on the device.
const REMEDY: &str = "choose --device cpu, or chosen sources and another algorithm";

/// A job for the thread.
pub(crate) type DeviceTask = Box<dyn FnOnce(&mut DeviceState) + Send>;

/// What the thread keeps between jobs.
pub(crate) struct DeviceState {
    pub device: Rc<dyn Device>,
    pub buffers: Option<StagingBuffers>,
    kept: Option<ResidentSolve>,
    /// Distances that belong to a [`DeviceMatrix`](crate::DeviceMatrix), by their numbers.
    pub left: HashMap<u64, Buffer>,
}

/// A solve whose distances stay on the device.
struct ResidentSolve {
    number: u64,
    problem: Problem,
    prepared: Box<dyn PreparedSolve>,
    /// Memory of the host for their predecessors, if there was room.
    predecessors: Option<Vec<i32>>,
}

/// A device on a thread of its own, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct DeviceThread {
    /// None once it has to end.
    jobs: Mutex<Option<Sender<DeviceTask>>>,
    thread: Option<JoinHandle<()>>,
    info: DeviceInfo,
    /// The process that the thread belongs to: a fork of it has no such thread.
    process: u32,
}

impl Drop for DeviceThread {
    fn drop(&mut self) {
        // Without jobs the thread ends. A process that ends while the thread gives its device back crashes in the driver.
        self.end();
        if let Some(thread) = self.thread.take().filter(|_| self.process == std::process::id()) {
            // Whether it has panicked does not matter any more.
            drop(thread.join());
        }
    }
}

impl DeviceThread {
    /// Opens a device on a new thread, and waits until it is open.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub fn open(selection: Selection) -> Result<Self, DenseError> {
        let (jobs, to_do) = channel::<DeviceTask>();
        let (opened, is_open) = channel();
        let run = move || match open(selection) {
            Ok(mut own) => {
                if opened.send(Ok(own.device.info().clone())).is_ok() {
                    serve(&to_do, &mut own);
                }
            }
            Err(error) => {
                let message = error.message + selection.instead();
                drop(opened.send(Err(DeviceError { message, ..error })));
            }
        };
        let named = std::thread::Builder::new().name("device".into()).spawn(run);
        let thread =
            named.map_err(|error| DeviceError::other(format!("no thread for the device: {error}")))?;
        let info = is_open.recv().map_err(|_| DenseError::ThreadEnded)??;
        Ok(Self { jobs: Mutex::new(Some(jobs)), thread: Some(thread), info, process: std::process::id() })
    }

    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Has the thread do `job`, and waits for its result or for the caller's cancellation. `job` learns of that by a flag of its own, and
    /// returns `None` where it ended early.
    ///
    /// # Errors
    /// Those of the job, [`SearchError::Cancelled`](shortest_paths::SearchError::Cancelled), and [`DenseError::ThreadEnded`].
    pub fn ask<R: Send + 'static>(
        &self,
        control: &Control,
        job: impl FnOnce(&mut DeviceState, &AtomicBool) -> Result<Option<R>, DenseError> + Send + 'static,
    ) -> Result<R, DenseError> {
        let (answer, answered) = channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let seen = cancelled.clone();
        let job: DeviceTask = Box::new(move |own| drop(answer.send(job(own, &seen))));
        self.send(job)?;
        let result = loop {
            match answered.recv_timeout(LOOK_EVERY) {
                Ok(result) => break result?,
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) => {
                    // What the thread still does then is of no use to anybody.
                    if let Err(error) = control.check() {
                        cancelled.store(true, Ordering::Relaxed);
                        return Err(error.into());
                    }
                }
            }
        };
        result.ok_or_else(|| control.check().err().map_or(DenseError::ThreadEnded, DenseError::Search))
    }

    /// Whether a matrix of `n` vertices fits on the device.
    ///
    /// # Errors
    /// The size that it needs and what there is, before anything is allocated.
    pub fn check_room(&self, n: usize, element: ElementType) -> Result<(), DenseError> {
        let problem = Problem::one(n, element, any_weights());
        self.ask(&Control::default(), move |own, _| {
            own.check_room(&default_for_device(), &problem, REMEDY).map(Some)
        })
    }

    /// Solves `matrix` in place, and keeps the distances on the device under the number `keep`, if there is one. Returns the matrix, where
    /// the time went, and whether half of the tasks have sufficed.
    ///
    /// # Errors
    /// What the device refuses. The matrix is lost then.
    pub fn solve<T: Element>(
        &self,
        matrix: DistanceMatrix<T>,
        weights: WeightRange,
        keep: Option<u64>,
        control: &Control,
    ) -> Result<(DistanceMatrix<T>, SolveTimes, bool), DenseError> {
        // The caller may choose the threads that copy.
        let threads = rayon::current_num_threads();
        self.ask(control, move |own, cancelled| own.solve(matrix, weights, keep, threads, cancelled))
    }

    /// The predecessors by the distances that were kept under this number, n x n; `None` where others have taken their place, or there is
    /// no room for trees too.
    ///
    /// # Errors
    /// What the device refuses, and distances that are not those of the graph.
    pub fn predecessors<T: Element>(
        &self,
        number: u64,
        incoming: Arcs<T>,
        marks: PathSentinels,
        control: &Control,
    ) -> Result<Option<Vec<i32>>, DenseError> {
        let threads = rayon::current_num_threads();
        self.ask(control, move |own, cancelled| {
            own.predecessors(number, &incoming, marks, threads, cancelled)
        })
    }

    /// Frees the distances kept under this number, and waits until they are free.
    pub fn forget(&self, number: u64) {
        let job = move |own: &mut DeviceState, _: &AtomicBool| {
            own.kept.take_if(|kept| kept.number == number);
            Ok(Some(()))
        };
        // Without a thread there is nothing to free.
        drop(self.ask(&Control::default(), job));
    }

    #[cfg(test)]
    pub fn has_kept(&self) -> bool {
        self.ask(&Control::default(), |own, _| Ok(Some(own.kept.is_some()))).unwrap()
    }

    /// Has `job` done by the thread, and does not wait for it.
    ///
    /// # Errors
    /// When there is no thread any more.
    pub fn send(&self, job: DeviceTask) -> Result<(), DenseError> {
        if self.process != std::process::id() {
            return Err(DenseError::ThreadEnded);
        }
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = jobs.as_ref().and_then(|jobs| jobs.send(job).ok());
        sent.ok_or(DenseError::ThreadEnded)
    }

    /// Has the thread give its device back when its jobs are done, and does not wait for it. No job is taken afterwards.
    pub fn end(&self) {
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Does jobs until no more can be sent, or one has panicked.
fn serve(to_do: &Receiver<DeviceTask>, own: &mut DeviceState) {
    for job in to_do {
        // A panic in a solve must not end the caller's process. The state that it left is not used again.
        if catch_unwind(AssertUnwindSafe(|| job(own))).is_err() {
            return;
        }
    }
}

fn open(selection: Selection) -> Result<DeviceState, DeviceError> {
    let device: Rc<dyn Device> = match selection {
        Selection::Emulated(capability) => {
            let mut options = EmulatedDevice::default_options(Instruments::CHECK);
            options.capability = capability.unwrap_or(options.capability);
            Rc::new(EmulatedDevice::open_with(0, options)?)
        }
        other => Rc::new(CudaDevice::open(other.cuda_ordinal().unwrap_or(0))?),
    };
    Ok(DeviceState { device, buffers: None, kept: None, left: HashMap::new() })
}

/// Weights of which nothing is declared.
pub(crate) fn any_weights() -> WeightRange {
    WeightRange { largest: 0.0, negative: false, complete: false, grain: 0.0, symmetric: false }
}

impl DeviceState {
    /// Checks that there is room for a solve; otherwise the error ends with `remedy`.
    pub fn check_room(
        &self,
        implementation: &Implementation,
        problem: &Problem,
        remedy: &str,
    ) -> Result<(), DenseError> {
        let parameters = Parameters::default();
        implementation.takes(problem.element, &parameters).map_err(DenseError::Size)?;
        implementation.fits(problem.n, &parameters).map_err(DenseError::Size)?;
        self.check_free(problem, implementation.solver.cost(problem, &parameters).bytes, remedy)
    }

    /// Checks that there is room for `needed` bytes more.
    pub fn check_free(&self, problem: &Problem, needed: u64, remedy: &str) -> Result<(), DenseError> {
        let free = self.device.memory()?.free;
        if needed > free {
            let what = format!("a matrix of {} vertices in {}", problem.n, problem.element);
            return Err(DeviceError::new(
                FailureKind::OutOfMemory,
                format!(
                    "{what} needs {needed} bytes on the device with its workspace, and {free} bytes are free there: {remedy}"
                ),
            )
            .into());
        }
        Ok(())
    }

    /// Frees the distances of the last solve and prepares the next. Also returns whether that leaves out half of the tasks.
    pub fn prepare(
        &mut self,
        problem: &Problem,
        remedy: &str,
    ) -> Result<(Box<dyn PreparedSolve>, bool), DenseError> {
        self.kept = None;
        let implementation = default_for_device();
        self.check_room(&implementation, problem, remedy)?;
        let (devices, parameters) = ([self.device.clone()], Parameters::default());
        let halved = implementation.solver.cost(problem, &parameters).tasks < problem.full_task_count();
        Ok((implementation.solver.prepare(problem, &devices, &parameters)?, halved))
    }

    /// `None` where it was cancelled.
    fn solve<T: Element>(
        &mut self,
        mut matrix: DistanceMatrix<T>,
        weights: WeightRange,
        keep: Option<u64>,
        threads: usize,
        cancelled: &AtomicBool,
    ) -> Result<Option<(DistanceMatrix<T>, SolveTimes, bool)>, DenseError> {
        let problem = Problem::one(matrix.n(), T::TYPE, weights);
        let (mut prepared, halved) = self.prepare(&problem, REMEDY)?;
        let solve = in_pieces(&mut *prepared)?;
        let row_bytes = problem.n * T::TYPE.bytes();
        let buffers = StagingBuffers::ready(&mut self.buffers, &*self.device, row_bytes, problem.n)?;
        let bytes = bytemuck::cast_slice_mut(matrix.as_mut_slice());
        // The queue's handles belong to this thread, so the pool does only the copies within the host's memory.
        let queue = self.device.queue();
        let mut predecessors = keep.and_then(|_| repro_graph::zeros::<i32>(problem.entries()).ok());
        let touched = predecessors.as_deref_mut().unwrap_or_default();
        let parts = pieces::solve(solve, queue, buffers, bytes, touched, cancelled, &pool_of(threads)?)?;
        // A caller that has cancelled would never free kept distances.
        let keep = keep.filter(|_| parts.is_some() && !cancelled.load(Ordering::Relaxed));
        self.kept = keep.map(|number| ResidentSolve { number, problem, prepared, predecessors });
        Ok(parts.map(|parts| (matrix, parts, halved)))
    }

    /// `None` where it was cancelled; `Some(None)` where nothing is kept under this number, or there is no room.
    fn predecessors<T: Element>(
        &mut self,
        number: u64,
        incoming: &Arcs<T>,
        marks: PathSentinels,
        threads: usize,
        cancelled: &AtomicBool,
    ) -> Result<Option<Option<Vec<i32>>>, DenseError> {
        let Some(ResidentSolve { problem, prepared, predecessors, .. }) =
            self.kept.as_mut().filter(|kept| kept.number == number)
        else {
            return Ok(Some(None));
        };
        let Some(mut predecessors) = predecessors.take() else { return Ok(Some(None)) };
        let (n, element) = (problem.n, problem.element);
        let Some(solved) = prepared.in_pieces() else { return Ok(Some(None)) };
        let row_bytes = n * size_of::<i32>();
        let at_once = pieces::rows_a_piece(row_bytes).min(n);
        if TreeKernel::bytes(element, n, incoming.m(), at_once) > self.device.memory()?.free {
            return Ok(Some(None));
        }
        let device = &*self.device;
        let (distances, rows) = solved.distances()?;
        let trees = TreeKernel::prepare(device, incoming, marks, distances, rows, at_once)?;
        let buffers = StagingBuffers::ready(&mut self.buffers, device, row_bytes, n)?;
        let grow = |number, sources, to: &mut HostBuffer| trees.launch_trees(number, sources, to);
        let bytes = bytemuck::cast_slice_mut(&mut predecessors);
        if !pieces::take_out(grow, buffers, bytes, row_bytes, cancelled, &pool_of(threads)?)? {
            return Ok(None);
        }
        match trees.first_wrong()? {
            None => Ok(Some(Some(predecessors))),
            Some((from, to)) => Err(DenseError::Wrong { from, to }),
        }
    }
}

/// The prepared solve as one whose matrix is copied in pieces.
pub(crate) fn in_pieces(prepared: &mut dyn PreparedSolve) -> Result<&mut DeviceSolve, DeviceError> {
    let cannot = || DeviceError::other("the solve cannot be done in pieces: this is a defect of repro");
    prepared.in_pieces().ok_or_else(cannot)
}

pub(crate) fn pool_of(threads: usize) -> Result<ThreadPool, DeviceError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| DeviceError::other(format!("no threads to copy with: {error}")))
}
