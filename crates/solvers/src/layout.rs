//! What is to be solved, with the matrix in one memory or sharded over several devices, of one process or many; how an implementation wants
//! the matrix to lie in device memory, and the kernels that bring it there and back.

use crate::Clock;
use repro_base::half_tasks;
use repro_device::{Argument, Buffer, Device, DeviceError, Kernel, KernelSource, Launch, PitchedRows, Queue};
use repro_graph::{Block, Blocks, ElementType, WeightRange};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Side of the tiles of every tiled layout so far.
pub const TILE: usize = 32;
const THREADS: u32 = 256;
/// The most bytes that a thread loads or stores at once, at addresses that are multiples of this.
const ACCESS: usize = 16;

/// The most blocks that CUDA takes in a grid's second dimension; its first has room for 2^31 - 1.
pub const MOST_BLOCKS_IN_Y: usize = 65_535;

/// Where entry (i, j) lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// n x n, row-major, as it was copied in.
    RowMajor,
    /// n x n, row-major, with rows that begin at multiples of 16 bytes: the copies put them there.
    PitchedRows,
    /// Row-major, both sides rounded up to a multiple of this: no change when n is a multiple already.
    PaddedRows(usize),
    /// Contiguous row-major tiles of this side, one row of tiles after the other; both sides are rounded up to a multiple of it.
    Tiles(usize),
    /// Tiles of 32 x 32 and in them of 4 x 4, all row-major and contiguous (lund-smith-2010, section 4.3).
    DoublyTiled,
}

impl Layout {
    /// Rows and columns in memory for a graph of `n` vertices.
    pub fn side(self, n: usize) -> usize {
        match self {
            Self::RowMajor | Self::PitchedRows => n,
            Self::PaddedRows(multiple) | Self::Tiles(multiple) => n.next_multiple_of(multiple),
            Self::DoublyTiled => n.next_multiple_of(TILE),
        }
    }

    /// Whether kernels work on the matrix where it was copied to.
    pub fn is_in_place(self, n: usize) -> bool {
        !matches!(self, Self::DoublyTiled | Self::Tiles(_)) && self.side(n) == n
    }

    /// Whether a matrix of `n` vertices can be brought into this layout.
    ///
    /// # Errors
    /// Why not, in one line.
    pub fn fits(self, n: usize) -> Result<(), String> {
        // Each row of the padded matrix is a row of blocks; a matrix that is in place already needs no launch.
        let Self::PaddedRows(multiple) = self else { return Ok(()) };
        let most = MOST_BLOCKS_IN_Y / multiple * multiple;
        if n <= most || n.is_multiple_of(multiple) {
            return Ok(());
        }
        Err(format!(
            "n = {n} is more than the {most} rows that can be padded to a multiple of {multiple}: choose a multiple of {multiple}"
        ))
    }

    /// How the rows lie in the n x n matrices that copies go to and come from.
    pub fn rows(self, problem: &Problem) -> PitchedRows {
        let bytes = problem.n * problem.element.bytes();
        let pitch = if self == Self::PitchedRows { bytes.next_multiple_of(ACCESS) } else { bytes };
        PitchedRows { count: problem.rows(), bytes, pitch }
    }

    /// Bytes of the matrices that copies go to and come from, and of the layout's own buffer.
    pub fn device_bytes(self, problem: &Problem) -> u64 {
        (self.rows(problem).device_bytes() + self.working_bytes(problem)) as u64
    }

    /// Bytes of the layout's own buffer; 0 when kernels work in place.
    pub fn working_bytes(self, problem: &Problem) -> usize {
        let side = self.side(problem.n);
        if self.is_in_place(problem.n) { 0 } else { side * side * problem.element.bytes() }
    }
}

/// The most blocks that compute a digest: enough for any GPU.
const DIGEST_BLOCKS: usize = 1024;

/// The kernels of `layout.cu` and `tiles.cu`, loaded.
pub struct LayoutKernels {
    kernels: Vec<Kernel>,
    /// The conversions to [`Layout::Tiles`] and back; empty in other layouts.
    tiles: Vec<Kernel>,
}

const TILES: KernelSource = KernelSource::embedded("tiles.cu", include_str!("../../../kernels/tiles.cu"));

impl LayoutKernels {
    pub fn load(device: &dyn Device, element: ElementType, layout: Layout) -> Result<Self, DeviceError> {
        let names = ["pad_rows", "unpad_rows", "tile_twice", "untile_twice", "digest_rows"];
        let tiles = match layout {
            Layout::Tiles(_) => device.load(&TILES.for_element(element), &["to_tiles", "from_tiles"])?,
            _ => Vec::new(),
        };
        Ok(Self { kernels: device.load(&KernelSource::LAYOUT.for_element(element), &names)?, tiles })
    }

    /// Queues the change from `matrix` (n x n, row-major) to `working` in `layout`, or back.
    pub fn convert(
        &self,
        queue: &dyn Queue,
        layout: Layout,
        n: usize,
        matrix: &Buffer,
        working: &Buffer,
        pack: bool,
    ) -> Result<(), DeviceError> {
        let (side, back) = (layout.side(n), usize::from(!pack));
        // The layout's extent as the kernel counts it: tiles a side, or entries a row.
        let (kernel, extent, across, down, tile) = match layout {
            Layout::DoublyTiled => (&self.kernels[2 + back], side / TILE, side / TILE, side / TILE, None),
            Layout::Tiles(tile) => (&self.tiles[back], side / tile, side / tile, side / tile, Some(tile)),
            Layout::RowMajor | Layout::PitchedRows | Layout::PaddedRows(_) => {
                // Rows are the grid's second dimension: see `fits`.
                let rows = if pack { side } else { n };
                (&self.kernels[back], side, side.div_ceil(THREADS as usize), rows, None)
            }
        };
        let int = |value: usize| Argument::Int(value as i32);
        let (plain, laid_out) =
            ([Argument::Buffer(matrix), int(n)], [Argument::Buffer(working), int(extent)]);
        let both = if pack { [plain, laid_out] } else { [laid_out, plain] };
        let arguments: Vec<Argument> = both.into_iter().flatten().chain(tile.map(int)).collect();
        // SAFETY: all kernels take a matrix, its extent, the other matrix and that one's, and those of `tiles.cu` the side of a tile; threads
        // beyond either do nothing.
        unsafe { queue.launch(kernel, Launch::rows_of(across, down, THREADS), &arguments) }
    }

    /// Queues the digest of the distances in `matrix`, rows of `n` entries, which is added to entry `slot` of `sums`.
    pub fn digest(
        &self,
        queue: &dyn Queue,
        rows: PitchedRows,
        n: usize,
        matrix: &Buffer,
        sums: &Buffer,
        slot: usize,
    ) -> Result<(), DeviceError> {
        let launch = Launch::rows_of(rows.count.min(DIGEST_BLOCKS), 1, THREADS);
        let pitch = rows.pitch / (rows.bytes / n);
        let [rows, n, pitch, slot] = [rows.count, n, pitch, slot].map(|value| Argument::Int(value as i32));
        let arguments = [Argument::Buffer(matrix), rows, n, pitch, Argument::Buffer(sums), slot];
        // SAFETY: the kernel reads n entries of each of the rows, and the caller's sums have that entry.
        unsafe { queue.launch(&self.kernels[4], launch, &arguments) }
    }
}

/// What is to be solved. Never the weights themselves: what reads those is part of the solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    /// Vertices of each graph.
    pub n: usize,
    /// How many graphs are solved at once, a batch: one matrix below the other. At least 1.
    pub graphs: usize,
    pub element: ElementType,
    /// What is declared of the weights of all graphs.
    pub weights: WeightRange,
}

impl Problem {
    /// The problem of a single graph.
    pub fn one(n: usize, element: ElementType, weights: WeightRange) -> Self {
        Self { n, graphs: 1, element, weights }
    }

    /// Rows of all matrices.
    pub fn rows(&self) -> usize {
        self.graphs * self.n
    }

    /// Numbers of the n x n matrices.
    pub fn entries(&self) -> usize {
        self.rows() * self.n
    }

    /// Tasks of a solve that leaves none out.
    pub fn full_task_count(&self) -> f64 {
        self.graphs as f64 * (self.n as f64).powi(3)
    }

    /// Tasks of a solve that updates each pair of vertices of a symmetric matrix once, a vertex with itself included.
    pub fn symmetric_task_count(&self) -> f64 {
        self.graphs as f64 * half_tasks(self.n)
    }

    /// Bytes of the n x n matrices.
    pub fn matrix_bytes(&self) -> usize {
        self.entries() * self.element.bytes()
    }
}

/// What a solve runs on: as many devices as its implementation asked for, none on the CPU.
pub type Devices = [Rc<dyn Device>];

/// The only or the first device.
///
/// # Errors
/// When there is none.
pub fn require_device(devices: &Devices) -> Result<Rc<dyn Device>, DeviceError> {
    devices.first().cloned().ok_or_else(|| DeviceError::unavailable("no device was opened"))
}

/// Where the time of a solve went on one device, in seconds between its own events.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceTimes {
    /// Its number among all devices of the solve.
    pub device: usize,
    /// From the first event of the solve to the last.
    pub solve: f64,
    /// Time in which the device had tiles to work on.
    pub compute: f64,
    /// Time in which the device had no tiles to work on and waited for a panel.
    pub waiting: f64,
    /// Time that its broadcasts took, during work on tiles or not. A receiver's includes the wait until the sender was ready.
    pub communication: f64,
}

/// A function that takes a block, with its numbers row after row.
pub type BlockSink<'a> = dyn FnMut(&Block, &[u8]) -> Result<(), DeviceError> + 'a;

/// A solve of a sharded matrix. Where several processes solve together, each does all of this for the parts on its own devices, in the same order as
/// the others; all but [`ShardedSolve::row`] wait for each other there.
pub trait ShardedSolve {
    /// Vertices of a round.
    fn round(&self) -> usize;

    /// What brings panels from one device to another; none where one device has all.
    fn transport(&self) -> Option<String>;

    /// The blocks that this process has. They overlap no other's; those of all processes make the matrix.
    fn blocks(&self) -> Vec<Block>;

    /// Puts the blocks of `graph` on the devices.
    ///
    /// # Errors
    /// When `graph` cannot be read or a device refuses the copy.
    fn load(&mut self, graph: &dyn Blocks) -> Result<(), DeviceError>;

    /// Takes account of the paths through the first `vertices`. `clock` is called at [`TimingPoint::Packed`](crate::TimingPoint) and
    /// [`TimingPoint::Solved`](crate::TimingPoint) with the queues of this process's devices. All vertices are a whole solve. Returns when
    /// the devices are done, with where their time went; empty on devices without a clock.
    ///
    /// # Errors
    /// What went wrong in the solve, here or in another process.
    ///
    /// # Panics
    /// When `vertices` are neither all nor a multiple of [`ShardedSolve::round`].
    fn solve(&mut self, vertices: usize, clock: &mut dyn Clock) -> Result<Vec<DeviceTimes>, DeviceError>;

    /// What this process has of a row: the first column of each piece, and its numbers in this machine's byte order.
    ///
    /// # Errors
    /// When a device refuses the copy.
    fn row(&mut self, row: usize) -> Result<Vec<(usize, Vec<u8>)>, DeviceError>;

    /// A number for the part of this process; those of all processes, added modulo 2^64, are equal for equal matrices, however they are
    /// shared among devices.
    ///
    /// # Errors
    /// When a device refuses the work.
    fn digest(&mut self) -> Result<u64, DeviceError>;

    /// Gives the blocks of this process one by one, with their numbers row after row.
    ///
    /// # Errors
    /// When a device refuses the copy, or `take` the block.
    fn store(&mut self, take: &mut BlockSink) -> Result<(), DeviceError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    const PADDED: Layout = Layout::PaddedRows(TILE);

    #[test]
    fn rows_that_a_grid_cannot_pad_are_refused() {
        assert_eq!(PADDED.fits(65_504), Ok(()));
        assert!(PADDED.fits(65_505).unwrap_err().contains("choose a multiple of 32"));
        assert_eq!(PADDED.fits(65_536), Ok(()));
        assert_eq!(Layout::DoublyTiled.fits(65_537), Ok(()));
        assert!(PADDED.fits(usize::MAX).is_err());
    }
}
