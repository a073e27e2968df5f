//! The kernels of a part: products, with the struct that they take; checksums of the part; and the closures of `register-blocked`.

use super::may_halve;
use crate::register_blocked::{RegisterBlocked, block_for_products, with_signs};
use crate::{KernelUse, Parameters, Solver, Target};
use bytemuck::{Pod, Zeroable};
use repro_device::{Argument, Device, DeviceError, Kernel, KernelSource, Launch, Queue};
use std::ops::Range;

/// Threads of a block that adds up a part's checksum.
pub const DIGEST_THREADS: u32 = 256;

/// The kernels of a device.
pub struct Kernels {
    pub multiply: Kernel,
    pub digest: Kernel,
    /// Threads of a block that multiplies, and bytes of its stages.
    pub threads: u32,
    pub stage_bytes: u32,
    pub closure: Vec<Kernel>,
    /// Blocks of each closure kernel that a multiprocessor holds.
    pub resident: Vec<u32>,
}

/// The file of its kernels.
pub fn source(target: Target, parameters: &Parameters) -> KernelSource {
    let text = include_str!("../../../../../kernels/distributed_blocked.cu");
    let source = KernelSource {
        architecture_specific: target.compute_capability == (9, 0),
        ..KernelSource::embedded("distributed_blocked.cu", text)
    };
    let source = source.for_element(target.element);
    let source = if may_halve(target, parameters) { source.with_define("SYMMETRIC", "1") } else { source };
    with_signs(source, target)
}

/// The target that closures are compiled for: not a symmetric one, as symmetry is found only when the matrix is there.
pub fn target_of_closure(target: Target) -> Target {
    Target { symmetric: false, ..target }
}

impl Kernels {
    /// Compiles and loads them, for tiles of this side.
    ///
    /// # Errors
    /// When a kernel does not compile or load.
    pub fn load(
        device: &dyn Device,
        tile: usize,
        target: Target,
        parameters: &Parameters,
    ) -> Result<Self, DeviceError> {
        let multiply = if tile == 64 { "multiply_tiles_of_64" } else { "multiply_tiles_of_128" };
        let [multiply, digest] = device
            .load(&source(target, parameters), &[multiply, "digest_part"])?
            .try_into()
            .map_err(|_| DeviceError::other("two kernels were asked for: this is a defect of repro"))?;
        let of_closure = Parameters::default();
        let target = target_of_closure(target);
        let none = || DeviceError::other("no closure has kernels: this is a defect of repro");
        let set = RegisterBlocked.kernels(target, &of_closure).ok_or_else(none)?;
        let closure = device.load(&set.source, &set.names())?;
        let resident = closure
            .iter()
            .zip(&set.uses)
            .map(|(kernel, used)| device.max_active_blocks(kernel, used.threads, used.dynamic_shared_bytes))
            .collect::<Result<_, _>>()?;
        let (threads, stage_bytes) = block_for_products(tile, target);
        Ok(Self { multiply, digest, threads, stage_bytes, closure, resident })
    }
}

/// The kernels of `distributed_blocked.cu`, without those of closures.
pub fn kernels(target: Target) -> Vec<KernelUse> {
    let multiply = |name, tile| {
        let (threads, dynamic_shared_bytes) = block_for_products(tile, target);
        KernelUse { dynamic_shared_bytes, ..KernelUse::new(name, threads) }
    };
    let digest = KernelUse { tasks_a_block: Some(0), ..KernelUse::new("digest_part", DIGEST_THREADS) };
    vec![multiply("multiply_tiles_of_64", 64), multiply("multiply_tiles_of_128", 128), digest]
}

/// Compiles and loads what a device runs.
pub fn load_kernels(device: &dyn Device, target: Target, parameters: &Parameters) -> Result<(), DeviceError> {
    let tiles: &[usize] = if target.compute_capability < (8, 0) { &[64] } else { &[64, 128] };
    tiles.iter().try_for_each(|tile| Kernels::load(device, *tile, target, parameters).map(|_| ()))
}

/// Rows or columns of tiles that are left out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct SkippedTiles {
    pub first: i32,
    pub count: i32,
}

impl From<Range<usize>> for SkippedTiles {
    fn from(tiles: Range<usize>) -> Self {
        Self { first: tiles.start as i32, count: tiles.len() as i32 }
    }
}

/// The tiles of a rectangle, those in its gaps left out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct TileGrid {
    /// Tiles that are not left out.
    pub rows: i32,
    pub columns: i32,
    pub row_gaps: [SkippedTiles; 2],
    pub column_gap: SkippedTiles,
}

/// Operands that a product reads, and where its tiles are packed as operands.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Operands {
    pub left: u64,
    pub right: u64,
    pub to_left: u64,
    pub to_right: u64,
}

/// What kernels for symmetric matrices take in addition.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct MirrorArguments {
    pub to_left_turned: u64,
    pub to_right_turned: u64,
    pub to_turned: u64,
    pub first_row: i32,
    pub block: i32,
    pub devices: i32,
    pub own: i32,
    pub first_column: i32,
    pub side: i32,
    pub from_all: i32,
    /// Padding, as in the kernel's struct, which is a multiple of 8 bytes long.
    pub filling: i32,
}

/// `Product` in `distributed_blocked.cu`; addresses are those of a rectangle's first tile, row and column.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Product {
    pub from: u64,
    pub to: u64,
    pub operands: Operands,
    pub from_pitch: i32,
    pub to_pitch: i32,
    pub tiles: TileGrid,
    pub steps: i32,
    pub depth: i32,
    pub clears: i32,
    pub run: i32,
    pub mirroring: MirrorArguments,
}

impl Product {
    /// This product without these rows. Of two gaps the earlier comes first.
    #[must_use]
    pub fn without_rows(mut self, gaps: [Range<usize>; 2]) -> Self {
        let mut gaps: Vec<_> = gaps.into_iter().filter(|gap| !gap.is_empty()).collect();
        gaps.sort_unstable_by_key(|gap| gap.start);
        for (at, gap) in gaps.into_iter().enumerate() {
            self.tiles.rows -= gap.len() as i32;
            self.tiles.row_gaps[at] = gap.into();
        }
        // The gaps that are left are empty, and skip nothing.
        self
    }

    /// This product without these columns.
    #[must_use]
    pub fn without_columns(mut self, gap: Range<usize>) -> Self {
        self.tiles.columns -= gap.len() as i32;
        self.tiles.column_gap = gap.into();
        self
    }

    /// Bytes that a kernel takes that knows nothing of symmetric matrices: all before `mirroring`.
    const DIRECTED: usize = std::mem::offset_of!(Self, mirroring);

    /// Queues this product with `kernel`, with so many threads and so much dynamic shared memory a block.
    ///
    /// # Safety
    /// The kernel is one of `distributed_blocked.cu` for tiles, compiled for symmetric matrices if `symmetric`; all its addresses are null or lead to memory with room for the rectangle.
    ///
    /// # Errors
    /// When the device refuses the launch.
    pub unsafe fn launch(
        &self,
        queue: &dyn Queue,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
        symmetric: bool,
    ) -> Result<(), DeviceError> {
        let tiles = self.tiles.rows.max(0) * self.tiles.columns.max(0);
        if tiles == 0 {
            return Ok(());
        }
        let blocks = tiles.cast_unsigned().div_ceil(self.run.cast_unsigned()) as usize;
        let launch = Launch { dynamic_shared_bytes, ..Launch::rows_of(blocks, 1, threads) };
        let all = bytemuck::bytes_of(self);
        let taken = if symmetric { all } else { &all[..Self::DIRECTED] };
        let arguments = [Argument::Struct(taken), Argument::Int(1)];
        // SAFETY: the kernel takes the struct and an integer; for the rest the caller answers.
        unsafe { queue.launch(kernel, launch, &arguments) }
    }
}
