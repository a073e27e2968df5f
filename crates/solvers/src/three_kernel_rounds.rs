//! The schedule of the blocked algorithm in three kernels a round: lund-smith-2010, section 3.2 and Figure 2.

use super::layout::{Layout, TILE};
use super::{KernelUse, PaperFigures, Parameters, Schedule};
use repro_device::{Argument, Buffer, Device, DeviceError, Kernel, KernelSource, Launch};

/// Which kernels run a round's three phases, and how.
pub struct ThreeKernelRounds {
    pub source: KernelSource,
    pub layout: Layout,
    /// Threads a block of the independent, the singly dependent and the doubly dependent kernel.
    pub threads: [u32; 3],
    /// Whether the tile size is the kernels' last argument.
    pub passes_tile: bool,
    /// What the paper says of the doubly dependent kernel.
    pub paper: PaperFigures,
}

impl Schedule for ThreeKernelRounds {
    fn source(&self, _: &Parameters) -> KernelSource {
        self.source
    }

    fn kernels(&self, _: &Parameters) -> Vec<KernelUse> {
        let [independent, singly, doubly] = self.threads;
        let used = |name, threads, paper| {
            let tasks_a_block = Some((TILE * TILE * TILE) as u64);
            KernelUse { name, threads, dynamic_shared_bytes: 0, tasks_a_block, paper }
        };
        vec![
            used("independent", independent, None),
            used("singly_dependent", singly, None),
            used("doubly_dependent", doubly, Some(self.paper)),
        ]
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn solve(
        &self,
        device: &dyn Device,
        kernels: &[Kernel],
        data: &Buffer,
        n: usize,
        _: &Parameters,
    ) -> Result<(), DeviceError> {
        let side = self.layout.side(n);
        let tiles = side / TILE;
        let others = tiles - 1;
        // Rows are found by their length where they are contiguous, tiles by their number a side.
        let extent = if self.layout == Layout::DoublyTiled { tiles } else { side };
        let mut arguments = [Argument::Buffer(data), Argument::Int(extent as i32), Argument::Int(0)].to_vec();
        if self.passes_tile {
            arguments.push(Argument::Int(TILE as i32));
        }
        for round in 0..tiles {
            arguments[2] = Argument::Int(round as i32);
            device.launch(&kernels[0], Launch::rows_of((1, 1), self.threads[0]), &arguments)?;
            if others > 0 {
                device.launch(&kernels[1], Launch::rows_of((others, 2), self.threads[1]), &arguments)?;
                let rest = Launch::rows_of((others, others), self.threads[2]);
                device.launch(&kernels[2], rest, &arguments)?;
            }
        }
        Ok(())
    }
}
