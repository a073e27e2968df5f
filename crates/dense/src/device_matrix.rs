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
mod tests {
    use super::*;
    use crate::DenseSolver;
    use repro_device::Selection;
    use shortest_paths::{Algorithm, Element, Options, SearchError, solve};

    fn solver() -> DenseSolver {
        DenseSolver::open(Selection::Emulated(None)).unwrap()
    }

    /// Weights as another library has them: with paths that there are not, and numbers on the diagonal.
    fn weights<T: Element>(n: usize) -> Vec<T> {
        let weight = |at: usize| match (at * 7919 + at / n * 31) % 23 {
            rest @ 0..8 => T::from_f64(rest as f64 * 5.0),
            _ => T::ABSENT,
        };
        (0..n * n).map(weight).collect()
    }

    fn left_on(solver: &DenseSolver) -> usize {
        let matrix = solver.solve_there(
            foreign(&Arc::new(vec![0_i32])),
            1,
            ElementType::I32,
            false,
            &Control::default(),
        );
        let allocation = matrix.unwrap().allocation;
        let number = allocation.number;
        let others = move |own: &mut DeviceState, _: &AtomicBool| {
            Ok(Some(own.left.keys().filter(|key| **key != number).count()))
        };
        allocation.device.ask(&Control::default(), others).unwrap()
    }

    fn foreign<T: Element>(weights: &Arc<Vec<T>>) -> ForeignMemory {
        ForeignMemory::of_host(weights.clone())
    }

    /// The distances are those that searches find; whether half of the tasks have sufficed.
    fn agrees<T: Element>(solver: &DenseSolver, n: usize, weights: Vec<T>, zeros_absent: bool) -> bool {
        let given = Arc::new(weights.clone());
        let there =
            solver.solve_there(foreign(&given), n, T::TYPE, zeros_absent, &Control::default()).unwrap();
        assert_eq!(Arc::strong_count(&given), 1, "the weights went back to their owner");
        assert_eq!(*given, weights, "and are what they were");
        let clean = |(at, weight): (usize, T)| match () {
            () if at / n == at % n => T::ZERO,
            () if weight.is_absent() || zeros_absent && weight == T::ZERO => T::ABSENT,
            () => weight,
        };
        let clean = weights.into_iter().enumerate().map(clean).collect();
        let graph = DistanceMatrix::from_row_major(n, clean).unwrap();
        let options = Options { algorithm: Some(Algorithm::Dijkstra), ..Options::default() };
        let expected = solve(&graph, &options).unwrap().distances;
        let found = there.to_host::<T>(&Control::default()).unwrap();
        assert!(found.iter().zip(&expected).all(|(one, two)| one.bitwise_eq(*two)), "{} of n = {n}", T::TYPE);
        assert!(there.distance::<T>(n - 1, n / 2).unwrap().bitwise_eq(expected[(n - 1) * n + n / 2]));
        assert_eq!((there.n(), there.element(), there.device_info().emulated), (n, T::TYPE, true));
        assert_ne!(there.address(), 0);
        there.used_symmetry()
    }

    #[test]
    fn weights_that_lie_on_a_device_are_solved_there_and_the_distances_stay() {
        let solver = solver();
        assert!(!agrees::<f32>(&solver, 31, weights(31), true));
        assert_eq!(left_on(&solver), 0);
    }

    mod long {
        use super::*;

        #[test]
        #[ignore = "long"]
        fn weights_of_every_type_are_solved_on_their_device_as_are_those_as_long_both_ways() {
            let solver = solver();
            let long = [0, 20_000, 32_767, 1, 0, 20_000, 1, 1, 0_u16];
            refuses(&solver, 3, &long, ["as long as 40000, ", "u16 holds distances up to 32766"]);
            let large = ["the weight at [0, 1] is 268435456, ", "no weight in i32"];
            refuses(&solver, 2, &[0, 1 << 28, 1, 0], large);
            for n in [1, 31, 64] {
                agrees::<f32>(&solver, n, weights(n), false);
                agrees::<i32>(&solver, n, weights(n), false);
                agrees::<u16>(&solver, n, weights(n), n == 31);
            }
            // As long both ways, and not.
            for both_ways in [true, false] {
                let weight = |i: usize, j: usize| match (i * j + i + j) % 13 {
                    rest @ 0..4 => rest as f32 + if both_ways { 1.0 } else { i as f32 },
                    _ => f32::INFINITY,
                };
                let weights = (0..66 * 66).map(|at| weight(at / 66, at % 66)).collect();
                assert_eq!(agrees(&solver, 66, weights, false), both_ways);
            }
            assert_eq!(left_on(&solver), 0);
        }
    }

    #[test]
    fn distances_live_as_long_as_their_matrix_and_no_longer() {
        let solver = solver();
        let control = Control::default();
        let given = Arc::new(vec![0.0_f32, 3.0, 4.0, 0.0]);
        let solve = || solver.solve_there(foreign(&given), 2, ElementType::F32, false, &control).unwrap();
        let (one, two) = (solve(), solve());
        assert_eq!(left_on(&solver), 2);
        assert_ne!(one.address(), two.address());
        drop(one);
        assert_eq!(left_on(&solver), 1);
        // The solver itself may go first, and the last owner may be any thread.
        drop(solver);
        assert_eq!(two.to_host::<f32>(&control).unwrap(), *given);
        assert!(two.to_host::<u16>(&control).unwrap_err().to_string().contains("distances are f32, not u16"));
        assert!(two.distance::<f32>(0, 2).unwrap_err().to_string().contains("no entry [0, 2]"));
        std::thread::spawn(move || drop(two)).join().unwrap();
    }

    /// The error, after which nothing is left on the device and the weights are their owner's.
    fn refused<T: Element>(solver: &DenseSolver, n: usize, weights: Vec<T>, control: &Control) -> DenseError {
        let given = Arc::new(weights);
        let found = solver.solve_there(foreign(&given), n, T::TYPE, false, control);
        // The thread has done by then what it had begun.
        assert_eq!(left_on(solver), 0);
        assert_eq!(Arc::strong_count(&given), 1);
        found.unwrap_err()
    }

    fn refuses<T: Element>(solver: &DenseSolver, n: usize, weights: &[T], parts: [&str; 2]) {
        let error = refused(solver, n, weights.to_vec(), &Control::default()).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }

    #[test]
    fn what_cannot_be_solved_there_is_refused_by_its_place_and_goes_back() {
        let solver = &solver();
        refuses(solver, 2, &[0.0, 1.0, f32::NAN, 0.0], ["the weight at [1, 0] is NaN, ", "no weight in f32"]);
        let negative = ["the weight at [1, 0] is -0.5, and", "to the host first"];
        refuses(solver, 2, &[0.0_f32, 1.0, -0.5, 0.0], negative);
        let long = [0.0, 3e38, f32::INFINITY, 1.0, 0.0, 3e38, 1.0, 1.0, 0.0];
        refuses(solver, 3, &long, ["", "which is no f32"]);
        refuses(solver, 1, &[0.0_f64], ["", "takes weights in f64"]);
        // A size that is not that of the memory.
        refuses(solver, 3, &[0; 8], ["", "no room for"]);
        let cycle = refused(solver, 2, vec![0.0_f32, 1.0, -1.0, -7.0], &Control::default());
        let DenseError::NegativeCycle(cycle) = cycle else { panic!("no cycle") };
        assert_eq!((cycle.cycle, cycle.weight), (vec![1], -7.0));
        let flag = AtomicBool::new(true);
        let ended = refused(solver, 300, weights::<f32>(300), &Control::default().cancelled_by(&flag));
        assert!(matches!(ended, DenseError::Search(SearchError::Cancelled)));
        let one = foreign(&Arc::new(vec![0]));
        let nowhere = DenseSolver::cpu().solve_there(one, 1, ElementType::I32, false, &Control::default());
        assert!(matches!(nowhere, Err(DenseError::NoDevice { element: ElementType::I32 })));
    }
}
