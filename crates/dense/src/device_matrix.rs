//! Distances that stay in the memory of a device.

use crate::DenseError;
use crate::device_thread::{DeviceState, DeviceThread, any_weights, in_pieces, pool_of};
use crate::pieces::{self, StagingBuffers};
use crate::weights::{place_weights, rows_side_by_side, weights_are_symmetric};
use repro_device::{DeviceError, DeviceInfo, ForeignMemory, HostBuffer};
use repro_graph::{DistanceMatrix, Element, ElementType, WeightRange};
use repro_solvers::Problem;
use shortest_paths::Control;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// n x n distances in the memory of a device, row by row and side by side, where kernels of other libraries may use them. All work on them
/// has ended. They are freed when this is dropped, on whatever thread.
#[derive(Debug)]
pub struct DeviceMatrix {
    allocation: DeviceAllocation,
    address: u64,
    n: usize,
    element: ElementType,
    halved: bool,
}

/// The buffer that the device's thread keeps under this number, until this is dropped.
#[derive(Debug)]
struct DeviceAllocation {
    device: Arc<DeviceThread>,
    number: u64,
}

impl Drop for DeviceAllocation {
    fn drop(&mut self) {
        let number = self.number;
        // Without a thread there is nothing to free.
        drop(self.device.send(Box::new(move |own| drop(own.left.remove(&number)))));
    }
}

/// `n` x `n` weights in somebody else's memory on the device, row by row.
pub(crate) struct ForeignWeights {
    pub memory: ForeignMemory,
    pub n: usize,
    pub element: ElementType,
    /// Whether a 0 off the diagonal is no edge.
    pub zeros_absent: bool,
}

impl DeviceMatrix {
    pub(crate) fn solved(
        device: &Arc<DeviceThread>,
        number: u64,
        weights: ForeignWeights,
        control: &Control,
    ) -> Result<Self, DenseError> {
        let (n, element) = (weights.n, weights.element);
        // Made first: whatever comes of the job, the one that frees its result is then queued after it.
        let allocation = DeviceAllocation { device: device.clone(), number };
        let job =
            move |own: &mut DeviceState, cancelled: &AtomicBool| own.solve_there(number, weights, cancelled);
        let (address, halved) = device.ask(control, job)?;
        Ok(Self { allocation, address, n, element, halved })
    }

    /// The number of vertices.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The type of the distances.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Whether half of the tasks have sufficed, because the weights are symmetric.
    pub fn used_symmetry(&self) -> bool {
        self.halved
    }

    /// Where the first distance is, as kernels know it: an address of the host where the device is the emulated one.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The device that holds the distances.
    pub fn device_info(&self) -> &DeviceInfo {
        self.allocation.device.info()
    }

    /// A copy in the host's memory, row by row, made by all threads of the current rayon pool.
    ///
    /// # Errors
    /// When `T` is another type, there is no room on the host, the flag of `control` is set, or the device fails.
    pub fn to_host<T: Element>(&self, control: &Control) -> Result<Vec<T>, DenseError> {
        self.check_type::<T>()?;
        let (number, n, threads) = (self.allocation.number, self.n, rayon::current_num_threads());
        let job =
            move |own: &mut DeviceState, cancelled: &AtomicBool| own.copy_out(number, n, threads, cancelled);
        self.allocation.device.ask(control, job)
    }

    /// The distance from one vertex to another, both below n.
    ///
    /// # Errors
    /// When `T` is another type, a vertex is not below n, or the device fails.
    pub fn distance<T: Element>(&self, from: usize, to: usize) -> Result<T, DenseError> {
        self.check_type::<T>()?;
        let (number, n) = (self.allocation.number, self.n);
        if from >= n || to >= n {
            let what =
                format!("no entry [{from}, {to}] in a matrix of {n} vertices: choose vertices below {n}");
            return Err(DeviceError::other(what).into());
        }
        self.allocation
            .device
            .ask(&Control::default(), move |own, _| own.entry(number, from * n + to).map(Some))
    }

    fn check_type<T: Element>(&self) -> Result<(), DenseError> {
        let (own, asked) = (self.element, T::TYPE);
        let what = || DeviceError::other(format!("distances are {own}, not {asked}: read them as {own}"));
        (own == asked).then_some(()).ok_or_else(|| what().into())
    }
}

impl DeviceState {
    /// The address of the distances, which stay under this number, and whether half of the tasks sufficed; `None` where it was cancelled.
    fn solve_there(
        &mut self,
        number: u64,
        weights: ForeignWeights,
        cancelled: &AtomicBool,
    ) -> Result<Option<(u64, bool)>, DenseError> {
        let ForeignWeights { memory, n, element, zeros_absent } = weights;
        let weights = self.device.import_memory(memory)?;
        let symmetric = weights_are_symmetric(&*self.device, element, &weights, n)?;
        // Negative weights are refused below: kernels need to know no more.
        let problem = Problem::one(n, element, WeightRange { symmetric, ..any_weights() });
        let remedy =
            "free some there, which PyTorch does by torch.cuda.empty_cache(), or copy the graph to the host";
        let (mut prepared, halved) = self.prepare(&problem, remedy)?;
        let solve = in_pieces(&mut *prepared)?;
        let (matrix, rows) = solve.distances()?;
        let is_compact = rows.pitch == rows.bytes;
        if !is_compact {
            // Rows with padding between them are copied to a buffer without it in the end.
            self.check_free(&problem, problem.matrix_bytes() as u64, remedy)?;
        }
        let range = place_weights(&*self.device, element, &weights, zeros_absent, matrix, rows)?;
        drop(weights);
        range.fits(n, element).map_err(DenseError::TooLong)?;
        let longest = range.longest(n);
        if longest > element.most() {
            return Err(DenseError::TooLong(format!(
                "paths may be as long as {longest}, which is no {element}: choose smaller weights"
            )));
        }
        if cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        solve.solve()?;
        let (matrix, rows) = solve.take_distances()?;
        let distances =
            if is_compact { matrix } else { rows_side_by_side(&*self.device, element, &matrix, rows)? };
        let address = distances.address();
        self.left.insert(number, distances);
        Ok(Some((address, halved)))
    }

    /// None where it was cancelled.
    fn copy_out<T: Element>(
        &mut self,
        number: u64,
        n: usize,
        threads: usize,
        cancelled: &AtomicBool,
    ) -> Result<Option<Vec<T>>, DenseError> {
        let row_bytes = n * size_of::<T>();
        // All numbers are written below.
        let mut distances = DistanceMatrix::<T>::from_rows(n, |_, _| ())?.into_row_major();
        let Self { device, buffers, left, .. } = self;
        let buffers = StagingBuffers::ready(buffers, &**device, row_bytes, n)?;
        let left = left.get(&number).ok_or_else(thread_gone)?;
        let queue = device.queue();
        let fill = |_, rows: Range<usize>, to: &mut HostBuffer| {
            queue.download(left.part(rows.start * row_bytes..rows.end * row_bytes), to)
        };
        let bytes = bytemuck::cast_slice_mut(&mut distances);
        let is_whole = pieces::take_out(fill, buffers, bytes, row_bytes, cancelled, &pool_of(threads)?)?;
        queue.synchronize()?;
        Ok(is_whole.then_some(distances))
    }

    fn entry<T: Element>(&self, number: u64, place: usize) -> Result<T, DenseError> {
        let start = place * size_of::<T>();
        let mut host = self.device.allocate_host(size_of::<T>())?;
        let left = self.left.get(&number).ok_or_else(thread_gone)?;
        self.device.queue().download(left.part(start..start + size_of::<T>()), &mut host)?;
        self.device.queue().synchronize()?;
        Ok(host.numbers()[0])
    }
}

fn thread_gone() -> DeviceError {
    DeviceError::other("internal error: the device no longer has these distances")
}

#[cfg(test)]
#[path = "device_matrix_tests.rs"]
mod tests;
