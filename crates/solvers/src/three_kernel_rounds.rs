//! The schedule of the blocked algorithm in three kernels a round: lund-smith-2010, section 3.2 and Figure 2.

use super::layout::{Layout, TILE};
use super::{KernelUse, Launcher, PaperFigures, Parameters, Schedule, Solve, Target};
use repro_device::{Argument, DeviceError, KernelSource, Launch};
use repro_graph::ElementType;

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

// SAFETY: its kernels take a matrix, its extent and the round, and the tile where it is passed; they stay within the tiles of
// the padded matrix, of which the grid has one block each.
unsafe impl Schedule for ThreeKernelRounds {
    fn source(&self, target: Target, _: &Parameters) -> KernelSource {
        self.source.clone().for_element(target.element)
    }

    fn elements(&self) -> &'static [ElementType] {
        &[ElementType::F32, ElementType::I32, ElementType::U16]
    }

    fn kernels(&self, _: Target, _: &Parameters) -> Vec<KernelUse> {
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

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        let side = self.layout.side(on.n);
        let tiles = side / TILE;
        let others = tiles - 1;
        // Rows are found by their length where they are contiguous, tiles by their number a side.
        let extent = if self.layout == Layout::DoublyTiled { tiles } else { side };
        let mut arguments =
            [Argument::Buffer(on.data), Argument::Int(extent as i32), Argument::Int(0)].to_vec();
        if self.passes_tile {
            arguments.push(Argument::Int(TILE as i32));
        }
        for round in 0..tiles {
            arguments[2] = Argument::Int(round as i32);
            launch(0, Launch::rows_of((1, 1), self.threads[0]), &arguments)?;
            if others > 0 {
                launch(1, Launch::rows_of((others, 2), self.threads[1]), &arguments)?;
                launch(2, Launch::rows_of((others, others), self.threads[2]), &arguments)?;
            }
        }
        Ok(())
    }
}
