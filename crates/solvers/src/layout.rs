//! How an implementation wants the matrix to lie in device memory, and the kernels that bring it there and back.

use super::Problem;
use repro_device::{Argument, Buffer, Device, DeviceError, Kernel, KernelSource, Launch, Queue, Rows};
use repro_graph::ElementType;

/// Side of the tiles of every tiled layout so far.
pub const TILE: usize = 32;
const THREADS: u32 = 256;
/// Bytes that a thread loads or stores at once at most, from and to multiples of as many.
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
    /// Row-major, both sides rounded up to a multiple of this: no change when n is one already.
    PaddedRows(usize),
    /// Contiguous row-major tiles of this side, one row of tiles behind the other; both sides are rounded up to a multiple of it.
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
        // Each row of the padded matrix is a row of blocks; one that is in place already needs none.
        let Self::PaddedRows(multiple) = self else { return Ok(()) };
        let most = MOST_BLOCKS_IN_Y / multiple * multiple;
        if n <= most || n.is_multiple_of(multiple) {
            return Ok(());
        }
        Err(format!(
            "n = {n} is more than the {most} rows that can be padded to a multiple of {multiple}: choose a multiple of {multiple}"
        ))
    }

    /// Where the rows of the n x n matrices lie that copies go to and come from.
    pub fn rows(self, problem: &Problem) -> Rows {
        let bytes = problem.n * problem.element.bytes();
        let pitch = if self == Self::PitchedRows { bytes.next_multiple_of(ACCESS) } else { bytes };
        Rows { count: problem.rows(), bytes, pitch }
    }

    /// Bytes of the matrices that copies go to and come from, and of a buffer of its own.
    pub fn device_bytes(self, problem: &Problem) -> u64 {
        (self.rows(problem).device_bytes() + self.working_bytes(problem)) as u64
    }

    /// Bytes of a buffer of its own; 0 when it works in place.
    pub fn working_bytes(self, problem: &Problem) -> usize {
        let side = self.side(problem.n);
        if self.is_in_place(problem.n) { 0 } else { side * side * problem.element.bytes() }
    }
}

/// Blocks that look at a result: enough for any GPU.
const DIGEST_BLOCKS: usize = 1024;

/// The kernels of `layout.cu` and `tiles.cu`, loaded.
pub struct LayoutKernels {
    kernels: Vec<Kernel>,
    /// To tiles and back; none in the layouts that have no use for them.
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

    /// Queues that a number which names the distances in `matrix`, rows of `n` entries, is added to entry `slot` of `sums`.
    pub fn digest(
        &self,
        queue: &dyn Queue,
        rows: Rows,
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

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::WeightRange;

    const PADDED: Layout = Layout::PaddedRows(TILE);

    #[test]
    fn rows_that_a_grid_cannot_pad_are_refused() {
        assert_eq!(PADDED.fits(65_504), Ok(()));
        assert!(PADDED.fits(65_505).unwrap_err().contains("choose a multiple of 32"));
        assert_eq!(PADDED.fits(65_536), Ok(()));
        assert_eq!(Layout::DoublyTiled.fits(65_537), Ok(()));
        assert!(PADDED.fits(usize::MAX).is_err());
    }

    #[test]
    fn only_sizes_that_fit_the_tiles_are_worked_on_in_place() {
        assert!(Layout::RowMajor.is_in_place(33));
        assert!(PADDED.is_in_place(64));
        assert!(!PADDED.is_in_place(65));
        assert!(!Layout::DoublyTiled.is_in_place(64));
        assert!(!Layout::Tiles(64).is_in_place(64));
        assert!(Layout::PaddedRows(24).is_in_place(72));
        assert_eq!((Layout::PaddedRows(24).side(70), Layout::Tiles(5).side(11)), (72, 15));
        let weights =
            WeightRange { largest: 1.0, negative: false, complete: true, grain: 1.0, symmetric: false };
        let of = |n, element| Problem::one(n, element, weights);
        assert_eq!(Layout::DoublyTiled.working_bytes(&of(33, ElementType::F32)), 64 * 64 * 4);
        assert_eq!(Layout::DoublyTiled.working_bytes(&of(33, ElementType::U16)), 64 * 64 * 2);
        assert_eq!(PADDED.working_bytes(&of(64, ElementType::F32)), 0);
        assert_eq!(Layout::PitchedRows.working_bytes(&of(65, ElementType::F32)), 0);
        let pitch = |layout: Layout, n, element| layout.rows(&of(n, element)).pitch;
        assert_eq!(pitch(Layout::PitchedRows, 65, ElementType::F32), 68 * 4);
        assert_eq!(pitch(Layout::PitchedRows, 65, ElementType::U16), 72 * 2);
        assert_eq!(pitch(Layout::PitchedRows, 64, ElementType::F32), 64 * 4);
        assert_eq!(pitch(Layout::RowMajor, 65, ElementType::F32), 65 * 4);
    }
}
