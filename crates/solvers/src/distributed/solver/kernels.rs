//! The kernels of a part: products, the number of a part, and the closures that `register-blocked` has.

use super::may_halve;
use crate::register_blocked::{RegisterBlocked, block_for_products, with_signs};
use crate::{KernelUse, Parameters, Solver, Target};
use repro_device::{Device, DeviceError, Kernel, KernelSource};

/// Threads of a block that adds up the number of a part.
pub const DIGEST_THREADS: u32 = 256;

/// The kernels of a device.
pub struct Kernels {
    pub multiply: Kernel,
    pub digest: Kernel,
    /// Of a block that multiplies, its threads and the bytes of its stages.
    pub threads: u32,
    pub stage_bytes: u32,
    pub closure: Vec<Kernel>,
    /// Blocks of each of those that a multiprocessor holds.
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

/// What a diagonal block is closed for: whether a matrix is symmetric is found when it is there.
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
            .map(|(kernel, used)| device.resident_blocks(kernel, used.threads, used.dynamic_shared_bytes))
            .collect::<Result<_, _>>()?;
        let (threads, stage_bytes) = block_for_products(tile, target);
        Ok(Self { multiply, digest, threads, stage_bytes, closure, resident })
    }
}

/// The kernels of that file, those of closures not among them.
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
