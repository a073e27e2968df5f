//! The schedule of one launch per k and one thread per task: lund-smith-2010, section 3.1, and pogorilyy-cuda, equation (4).

use super::layout::MOST_BLOCKS_IN_Y;
use super::{KernelUse, Layout, Parameter, Parameters, Schedule};
use repro_device::{Argument, Buffer, Device, DeviceError, Kernel, KernelSource, Launch};

/// Which kernel does the tasks of a k, and in which blocks.
pub struct OneLaunchAK {
    pub source: KernelSource,
    pub kernel: &'static str,
    /// Columns and rows a block: see [`block`].
    pub block: &'static [Parameter; 2],
    /// Dynamic shared memory that the kernel needs, in words a thread.
    pub shared_words: u32,
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

impl Schedule for OneLaunchAK {
    fn source(&self, _: &Parameters) -> KernelSource {
        self.source
    }

    fn kernels(&self, parameters: &Parameters) -> Vec<KernelUse> {
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

    fn layout(&self) -> Layout {
        Layout::RowMajor
    }

    fn solve(
        &self,
        device: &dyn Device,
        kernels: &[Kernel],
        data: &Buffer,
        n: usize,
        parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        let block = self.shape(parameters);
        let blocks = |threads: u32| (n as u32).div_ceil(threads);
        let launch = Launch {
            grid: (blocks(block.0), blocks(block.1)),
            block,
            dynamic_shared_bytes: self.shared_bytes(block.0 * block.1),
        };
        for k in 0..n {
            let arguments = [Argument::Buffer(data), Argument::Int(n as i32), Argument::Int(k as i32)];
            device.launch(&kernels[0], launch, &arguments)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Parameters, find};

    #[test]
    fn more_rows_of_blocks_than_a_grid_has_are_refused_with_the_parameter_that_helps() {
        let found = find("harish-narayanan").unwrap();
        let none = Parameters::default();
        assert_eq!(found.fits(65_535, &none), Ok(()));
        assert_eq!(
            found.fits(65_536, &none).unwrap_err(),
            "n = 65536 needs a grid of 65536 rows of blocks, and CUDA has 65535: set block-y to 2 or more"
        );
        assert_eq!(found.fits(131_070, &Parameters::from([("block-x", 128), ("block-y", 2)])), Ok(()));
        assert!(found.fits(usize::MAX, &none).is_err());
    }
}
