//! A matrix in ordinary memory to a device and back, through page-locked buffers.
//!
//! To page-lock a whole matrix takes longer than to copy it, and a second matrix would take its memory again. So two small buffers are
//! locked, once, and rows pass through them. All threads of the pool fill and empty them.
//!
//! Also here: where a dense graph is solved and how long that is expected to take, by a stated rule of its size. Nothing is measured and no
//! device opened for it.
//!
//! | place | seconds for n vertices |
//! |---|---|
//! | a thread of the CPU | n³ numbers, at [`CPU_BYTES`] of them a second |
//! | a GPU | [`OPENING`] once, n² numbers there and back at [`COPIED_BYTES`] a second, and n³ tasks at [`GPU_TASKS`] a second |
//!
//! On two threads of a virtual machine with AVX-512, `cpu-parallel` was measured at 1.2 to 2.4 times the rule's rate from n = 256 on; without AVX-512 it is about half of that.

use rayon::ThreadPool;
use rayon::prelude::*;
use repro_device::cuda::driver_status;
use repro_device::{Device, DeviceError, HostBuffer, Queue, Selection};
use repro_graph::ElementType;
use repro_solvers::DeviceSolve;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Bytes of each of the two buffers, unless the matrix is smaller or a row is larger.
pub const PIECE_BYTES: usize = 32 << 20;

/// Bytes that one thread copies at a time.
const CHUNK: usize = 1 << 20;

/// Two page-locked buffers for whole rows.
pub(crate) struct StagingBuffers([HostBuffer; 2]);

impl StagingBuffers {
    /// Buffers for a matrix of `rows` rows of `row_bytes` bytes.
    pub fn new(device: &dyn Device, row_bytes: usize, rows: usize) -> Result<Self, DeviceError> {
        let bytes = row_bytes * rows_a_piece(row_bytes).min(rows);
        Ok(Self([device.allocate_host(bytes)?, device.allocate_host(bytes)?]))
    }

    fn fits(&self, row_bytes: usize, rows: usize) -> bool {
        self.0[0].bytes() >= row_bytes * rows_a_piece(row_bytes).min(rows)
    }

    /// `kept`, if it is large enough, or new ones in its place.
    pub fn ready<'a>(
        kept: &'a mut Option<Self>,
        device: &dyn Device,
        row_bytes: usize,
        rows: usize,
    ) -> Result<&'a mut Self, DeviceError> {
        let usable = kept.take().filter(|buffers| buffers.fits(row_bytes, rows));
        let usable = match usable {
            Some(buffers) => buffers,
            None => Self::new(device, row_bytes, rows)?,
        };
        Ok(kept.insert(usable))
    }
}

pub(crate) fn rows_a_piece(row_bytes: usize) -> usize {
    (PIECE_BYTES / row_bytes.max(1)).max(1)
}

/// Ranges of rows that make up all `rows`.
fn pieces(rows: usize, row_bytes: usize) -> impl Iterator<Item = Range<usize>> {
    let each = rows_a_piece(row_bytes);
    (0..rows).step_by(each).map(move |first| first..rows.min(first + each))
}

/// Where the time of a solve on a device went, in seconds by the host's clock. Preparation, in which kernels are compiled at their first
/// use, is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveTimes {
    /// Seconds of the copies to the device and back, and of waiting for pages to be touched after the kernels had ended.
    pub copies: f64,
    /// Seconds of the kernels.
    pub kernels: f64,
}

/// Solves the `matrix` in place, with copies on the threads of `pool`. While kernels run, these threads touch the pages of `touched`.
/// Returns where the time went, or nothing if it ended early because `cancelled` was set.
///
/// # Errors
/// What a device refuses.
pub(crate) fn solve(
    solve: &mut DeviceSolve,
    queue: &dyn Queue,
    buffers: &mut StagingBuffers,
    matrix: &mut [u8],
    touched: &mut [i32],
    cancelled: &AtomicBool,
    pool: &ThreadPool,
) -> Result<Option<SolveTimes>, DeviceError> {
    let (_, rows) = solve.distances()?;
    let bytes = |piece: &Range<usize>| piece.start * rows.bytes..piece.end * rows.bytes;
    let begun = Instant::now();
    for (number, piece) in pieces(rows.count, rows.bytes).enumerate() {
        if cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let buffer = &mut buffers.0[number % 2];
        copy(pool, &matrix[bytes(&piece)], buffer.numbers_mut());
        solve.copy_in(piece, buffer)?;
    }
    queue.synchronize()?;
    let copied_in = Instant::now();
    let solved = pool.in_place_scope(|beside| {
        beside.spawn(|_| touch(touched));
        solve.solve()?;
        queue.synchronize().map(|()| Instant::now())
    })?;
    let copy_out = |_, piece, buffer: &mut HostBuffer| solve.copy_out(piece, buffer);
    if !take_out(copy_out, buffers, matrix, rows.bytes, cancelled, pool)? {
        return Ok(None);
    }
    let kernels = (solved - copied_in).as_secs_f64();
    Ok(Some(SolveTimes { copies: begun.elapsed().as_secs_f64() - kernels, kernels }))
}

/// Copies rows of `row_bytes` bytes to `matrix`. `fill` gets a piece's number and rows, and queues its copy to a buffer; this is emptied
/// into `matrix` while the next is on the way. False if it ended early because `cancelled` was set.
///
/// # Errors
/// What a device refuses.
pub(crate) fn take_out(
    mut fill: impl FnMut(usize, Range<usize>, &mut HostBuffer) -> Result<(), DeviceError>,
    buffers: &mut StagingBuffers,
    matrix: &mut [u8],
    row_bytes: usize,
    cancelled: &AtomicBool,
    pool: &ThreadPool,
) -> Result<bool, DeviceError> {
    let bytes = |piece: &Range<usize>| piece.start * row_bytes..piece.end * row_bytes;
    let rows = matrix.len() / row_bytes.max(1);
    let mut before: Option<(usize, Range<usize>)> = None;
    for (number, piece) in pieces(rows, row_bytes).enumerate() {
        if cancelled.load(Ordering::Relaxed) {
            return Ok(false);
        }
        fill(number, piece.clone(), &mut buffers.0[number % 2])?;
        if let Some((number, piece)) = before.replace((number, piece)) {
            copy(pool, buffers.0[number % 2].numbers(), &mut matrix[bytes(&piece)]);
        }
    }
    if let Some((number, piece)) = before {
        copy(pool, buffers.0[number % 2].numbers(), &mut matrix[bytes(&piece)]);
    }
    Ok(true)
}

/// Writes a number to each page, so that the system has mapped all pages before they are filled.
fn touch(numbers: &mut [i32]) {
    const PAGE: usize = 4096 / size_of::<i32>();
    let chunks = numbers.par_chunks_mut(CHUNK / size_of::<i32>());
    chunks.for_each(|chunk| chunk.iter_mut().step_by(PAGE).for_each(|first| *first = -1));
}

/// Copies as many bytes as both have, on all threads of the pool.
fn copy(pool: &ThreadPool, from: &[u8], to: &mut [u8]) {
    pool.install(|| {
        let chunks = to.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK));
        chunks.for_each(|(to, from)| {
            let both = to.len().min(from.len());
            to[..both].copy_from_slice(&from[..both]);
        });
    });
}

/// Bytes of distances that a thread goes through in a second.
const CPU_BYTES: f64 = 4e10;

/// Tasks that a GPU does in a second: a third of those of an H100, so that a slower GPU is not chosen in vain.
const GPU_TASKS: f64 = 5e12;

/// Bytes that are copied to a GPU or back in a second.
const COPIED_BYTES: f64 = 1e10;

/// Seconds that it takes to open a GPU and to load its kernels.
const OPENING: f64 = 0.3;

/// Where dense graphs of one size are to be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// What to open. [`Selection::Auto`] has become the CPU or the first GPU.
    pub selection: Selection,
    /// Seconds that a solve is expected to take, with the opening of a GPU; `None` for the emulated device.
    pub seconds: Option<f64>,
}

impl Placement {
    /// The place for `selection`. [`Selection::Auto`] becomes a GPU if the driver sees one that is expected to be faster, and else the CPU.
    /// GPUs have no `f64` here.
    pub fn new(selection: Selection, element: ElementType, n: usize) -> Self {
        let (cpu, gpu) = (cpu_seconds(element, n), OPENING + gpu_seconds(element, n));
        match selection {
            Selection::Auto if element != ElementType::F64 && gpu < cpu && driver_status().is_ok() => {
                Self { selection: Selection::Cuda(None), seconds: Some(gpu) }
            }
            Selection::Auto => Self { selection: Selection::Cpu, seconds: Some(cpu) },
            Selection::Emulated(_) => Self { selection, seconds: None },
            Selection::Cuda(_) | Selection::CudaAll if element != ElementType::F64 => {
                Self { selection, seconds: Some(gpu) }
            }
            Selection::Cpu | Selection::Cuda(_) | Selection::CudaAll => {
                Self { selection, seconds: Some(cpu) }
            }
        }
    }
}

/// Seconds of a solve on all threads of the current rayon pool.
pub(crate) fn cpu_seconds(element: ElementType, n: usize) -> f64 {
    let threads = rayon::current_num_threads() as f64;
    (n as f64).powi(3) * element.bytes() as f64 / (CPU_BYTES * threads)
}

/// Seconds of a solve on a GPU that is open.
pub(crate) fn gpu_seconds(element: ElementType, n: usize) -> f64 {
    let n = n as f64;
    2.0 * n * n * element.bytes() as f64 / COPIED_BYTES + n.powi(3) / GPU_TASKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_rows_and_together_all_of_them() {
        for (rows, row_bytes) in
            [(1, 4), (5, PIECE_BYTES), (5, PIECE_BYTES + 1), (4, PIECE_BYTES / 3), (7, 0)]
        {
            let all: Vec<_> = pieces(rows, row_bytes).collect();
            assert!(all.iter().all(|piece| !piece.is_empty()));
            assert!(all.windows(2).all(|two| two[0].end == two[1].start));
            assert_eq!((all[0].start, all[all.len() - 1].end), (0, rows));
        }
        assert_eq!(pieces(4, PIECE_BYTES / 3).next(), Some(0..3));
    }

    #[test]
    fn small_graphs_and_f64_stay_on_the_cpu_and_large_ones_are_worth_a_gpu() {
        let seconds = |selection, element, n| Placement::new(selection, element, n).seconds;
        let cpu = |element, n| seconds(Selection::Cpu, element, n).unwrap();
        assert_eq!(Placement::new(Selection::Auto, ElementType::U16, 500).selection, Selection::Cpu);
        assert_eq!(Placement::new(Selection::Auto, ElementType::F64, 60_000).selection, Selection::Cpu);
        let gpu = Selection::Cuda(Some(1));
        assert_eq!(seconds(gpu, ElementType::F64, 9000), Some(cpu(ElementType::F64, 9000)));
        assert!(seconds(gpu, ElementType::F32, 500).unwrap() > cpu(ElementType::F32, 500));
        let threads = rayon::current_num_threads() as f64;
        assert!(seconds(gpu, ElementType::F32, 30_000).unwrap() < threads * cpu(ElementType::F32, 30_000));
        assert_eq!(seconds(Selection::Emulated(None), ElementType::F32, 9), None);
    }
}
