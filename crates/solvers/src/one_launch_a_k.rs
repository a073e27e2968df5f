//! The schedule of one launch per k and one thread per task: lund-smith-2010, section 3.1, and pogorilyy-cuda, equation (4).

use super::layout::MOST_BLOCKS_IN_Y;
use super::{KernelUse, Launcher, Layout, Parameter, Parameters, Schedule, Solve, Target};
use repro_device::{Argument, DeviceError, KernelSource, Launch};
use repro_graph::ElementType;
use std::num::NonZeroU32;

/// What the kernels' common text is written for.
const ELEMENTS: &[ElementType] = &[ElementType::F32, ElementType::I32, ElementType::U16];

/// Explicit synchronization by the CPU, as pogorilyy-cuda has it after every k.
pub const SYNCHRONIZE: Parameter = Parameter {
    name: "synchronize",
    meaning: "the host waits after every so many launches, 0: never",
    default: 0,
    lowest: 0,
    highest: 65_535,
};

/// Whether all threads of a block wait for each other before they read what they wrote to shared memory. Kernels without such
/// accesses do not take it.
pub const BARRIER: Parameter = Parameter {
    name: "barrier",
    meaning: "1: a barrier before shared memory is read, 0: none",
    default: 1,
    lowest: 0,
    highest: 1,
};

/// Which kernel does the tasks of a k, and in which blocks.
pub struct OneLaunchAK {
    pub source: KernelSource,
    pub kernel: &'static str,
    /// Columns and rows a block: see [`block`].
    pub block: &'static [Parameter; 2],
    /// Dynamic shared memory that the kernel needs, in words a thread.
    pub shared_words: u32,
    /// As [`Schedule::also_checked`].
    pub also_checked: Vec<Parameters>,
}

/// The parameters of a block shape with these defaults.
pub const fn block(columns: u32, rows: u32) -> [Parameter; 2] {
    [
        Parameter { name: "block-x", meaning: "columns a block", default: columns, lowest: 1, highest: 1024 },
        Parameter { name: "block-y", meaning: "rows a block", default: rows, lowest: 1, highest: 1024 },
    ]
}

impl OneLaunchAK {
    /// Columns and rows.
    fn shape(&self, parameters: &Parameters) -> (u32, u32) {
        let [columns, rows] = self.block;
        (parameters.get(columns), parameters.get(rows))
    }

    fn shared_bytes(&self, threads: u32) -> u32 {
        self.shared_words * threads * size_of::<f32>() as u32
    }
}

// SAFETY: its kernels take a matrix, n and k; threads beyond the matrix do nothing.
unsafe impl Schedule for OneLaunchAK {
    fn source(&self, target: Target, parameters: &Parameters) -> KernelSource {
        let source = self.source.clone().for_element(target.element);
        if parameters.get(&BARRIER) == 0 { source.with_define("NO_BARRIER", "1") } else { source }
    }

    fn elements(&self) -> &[ElementType] {
        ELEMENTS
    }

    fn kernels(&self, _: Target, parameters: &Parameters) -> Vec<KernelUse> {
        let (x, y) = self.shape(parameters);
        let dynamic_shared_bytes = self.shared_bytes(x * y);
        let name = self.kernel;
        vec![KernelUse { name, threads: x * y, dynamic_shared_bytes, tasks_a_block: None, paper: None }]
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        let (x, y) = self.shape(parameters);
        if x * y <= 1024 {
            return Ok(());
        }
        Err(format!("block-x = {x} and block-y = {y} make {} threads a block: at most 1024 fit", x * y))
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        let (_, y) = self.shape(parameters);
        let most = MOST_BLOCKS_IN_Y * y as usize;
        if n <= most {
            return Ok(());
        }
        Err(format!(
            "n = {n} needs a grid of {} rows of blocks, and CUDA has {MOST_BLOCKS_IN_Y}: set block-y to {} or more",
            n.div_ceil(y as usize),
            n.div_ceil(MOST_BLOCKS_IN_Y)
        ))
    }

    fn launches_a_wait(&self, parameters: &Parameters) -> Option<NonZeroU32> {
        NonZeroU32::new(parameters.get(&SYNCHRONIZE))
    }

    fn also_checked(&self) -> Vec<Parameters> {
        self.also_checked.clone()
    }

    fn layout(&self, _: &Parameters) -> Layout {
        Layout::RowMajor
    }

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        let (x, y) = self.shape(on.parameters);
        let blocks = |threads: u32| (on.n as u32).div_ceil(threads);
        let shape = Launch {
            dynamic_shared_bytes: self.shared_bytes(x * y),
            ..Launch::of((blocks(x), blocks(y), 1), (x, y, 1))
        };
        for k in 0..on.n {
            let [n, k] = [on.n, k].map(|integer| Argument::Int(integer as i32));
            launch(0, shape, &[Argument::Buffer(on.data), n, k])?;
        }
        Ok(())
    }
}
