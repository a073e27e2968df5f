//! Harish & Narayanan: lund-smith-2010, sections 2 and 3.1, and the second column of its Table 1.

use super::{Body, Implementation, KernelUse, Layout, Parameter, Parameters, Schedule, Traffic};
use crate::device::{Argument, Buffer, Device, DeviceError, Kernel, KernelSource, Launch};

// The paper does not name a block shape. Of fourteen shapes tried on an H200, rows of 256 were fastest at n = 8192.
const BLOCK_X: Parameter =
    Parameter { name: "block-x", meaning: "columns a block", default: 256, lowest: 1, highest: 1024 };
const BLOCK_Y: Parameter =
    Parameter { name: "block-y", meaning: "rows a block", default: 1, lowest: 1, highest: 1024 };

pub static IMPLEMENTATION: Implementation = Implementation {
    name: "harish-narayanan",
    summary: "one launch per k, one thread per task, everything in global memory",
    source: "lund-smith-2010 §3.1, Table 1 column 2",
    traffic: Traffic::EVERY_TASK,
    parameters: &[BLOCK_X, BLOCK_Y],
    body: Body::Device(&HarishNarayanan),
};

struct HarishNarayanan;

impl Schedule for HarishNarayanan {
    fn source(&self, _: &Parameters) -> KernelSource {
        KernelSource { file: "harish_narayanan.cu", text: include_str!("../../kernels/harish_narayanan.cu") }
    }

    fn kernels(&self, parameters: &Parameters) -> Vec<KernelUse> {
        let threads = parameters.get(&BLOCK_X) * parameters.get(&BLOCK_Y);
        vec![KernelUse { name: "harish_narayanan", threads, tasks_a_block: None, paper: None }]
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        let (x, y) = (parameters.get(&BLOCK_X), parameters.get(&BLOCK_Y));
        if x * y <= 1024 {
            return Ok(());
        }
        Err(format!("block-x = {x} and block-y = {y} make {} threads a block: at most 1024 fit", x * y))
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
        let block = (parameters.get(&BLOCK_X), parameters.get(&BLOCK_Y));
        let blocks = |threads: u32| (n as u32).div_ceil(threads);
        let launch = Launch { grid: (blocks(block.0), blocks(block.1)), block, dynamic_shared_bytes: 0 };
        for k in 0..n {
            let arguments = [Argument::Buffer(data), Argument::Int(n as i32), Argument::Int(k as i32)];
            device.launch(&kernels[0], launch, &arguments)?;
        }
        Ok(())
    }
}
