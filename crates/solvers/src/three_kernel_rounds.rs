//! The schedule of the blocked algorithm in three kernels a round: lund-smith-2010, section 3.2 and Figure 2.

use super::layout::{Layout, TILE};
use super::padding;
use super::square_blocks::{self, element_loop, tile_place, unrolled};
use super::{KernelUse, Launcher, PaperFigures, Parameter, Parameters, Schedule, Solve, Target};
use repro_device::gpus::PARAMETER_BYTES;
use repro_device::{Argument, DeviceError, DeviceInfo, KernelSource, Launch};
use repro_graph::ElementType;

/// Whether kernels that are rolled as they are have their tile size as a constant. Those who do not take it are as they are.
pub const UNROLLED: Parameter = unrolled(0);

/// Where the doubly dependent kernel keeps its tile. Kernels that do not take it have one place.
pub const TILE_PLACE: Parameter = tile_place(1);

/// Whether the doubly dependent kernel loops over the elements of a thread, where it may leave that out.
pub const ELEMENT_LOOP: Parameter = element_loop(1);

/// The cure of conflicts in `staged_bank_conflicts.cu`.
pub const CYCLIC: Parameter = Parameter {
    name: "cyclic",
    meaning: "1: rows of a 4 x 4 tile start with a k of their own, so that no two read one bank; 0: all with the same",
    default: 0,
    lowest: 0,
    highest: 1,
};

/// Which kernels run a round's three phases, and how.
pub struct ThreeKernelRounds {
    pub source: KernelSource,
    pub layout: Layout,
    /// Threads a block of the independent, the singly dependent and the doubly dependent kernel.
    pub threads: [u32; 3],
    /// Whether the tile size is the kernels' last argument.
    pub passes_tile: bool,
    /// The paper's figures of the doubly dependent kernel with tiles of 32 x 32.
    pub paper: PaperFigures,
    /// As [`Schedule::also_checked`].
    pub also_checked: Vec<Parameters>,
}

impl ThreeKernelRounds {
    /// Shared memory that a block of the doubly dependent kernel declares, bytes: what the paper counts, of its element type.
    fn declared_bytes(&self, element: ElementType, parameters: &Parameters) -> u64 {
        let paper = u64::from(self.paper(parameters).shared_bytes) - PARAMETER_BYTES;
        paper / size_of::<f32>() as u64 * element.bytes() as u64
    }

    /// The paper's figures, of which one tile is not in shared memory where it is in registers.
    fn paper(&self, parameters: &Parameters) -> PaperFigures {
        let moved = if parameters.get(&TILE_PLACE) == 0 { TILE * TILE * size_of::<f32>() } else { 0 };
        PaperFigures { shared_bytes: self.paper.shared_bytes - moved as u32, ..self.paper }
    }

    /// Threads a block of each kernel: with smaller tiles as many an element.
    fn threads(&self, parameters: &Parameters) -> [u32; 3] {
        let elements = |side: usize| (side * side) as u32;
        let tile = square_blocks::side(parameters);
        self.threads.map(|threads| threads * elements(tile) / elements(TILE))
    }
}

// SAFETY: its kernels take a matrix, its extent and the round, and the tile where it is passed; they stay within the tiles of
// the padded matrix, of which the grid has one block each: tiles of 32 x 32, or a quarter of one.
unsafe impl Schedule for ThreeKernelRounds {
    fn source(&self, target: Target, parameters: &Parameters) -> KernelSource {
        let mut source = self.source.clone().for_element(target.element);
        if square_blocks::side(parameters) != TILE {
            source = source.with_define("THREADS", &self.threads(parameters)[2].to_string());
        }
        if parameters.get(&UNROLLED) == 1 {
            source = square_blocks::with_constant_tile(source, parameters);
        }
        if parameters.get(&CYCLIC) == 1 {
            source = source.with_define("CYCLIC", "1");
        }
        match (parameters.get(&TILE_PLACE), parameters.get(&ELEMENT_LOOP)) {
            (1, 1) => source,
            (place, element_loop) => square_blocks::with_rest_tile(source, place, element_loop == 1),
        }
    }

    fn elements(&self) -> &[ElementType] {
        &[ElementType::F32, ElementType::I32, ElementType::U16]
    }

    fn kernels(&self, _: Target, parameters: &Parameters) -> Vec<KernelUse> {
        let [independent, singly, doubly] = self.threads(parameters);
        let tile = square_blocks::side(parameters);
        let paper = (tile == TILE).then(|| self.paper(parameters));
        let used = |name, threads, dynamic_shared_bytes, paper| {
            let tasks_a_block = Some((tile as u64).pow(3));
            KernelUse { name, threads, dynamic_shared_bytes, tasks_a_block, paper }
        };
        vec![
            used("independent", independent, 0, None),
            used("singly_dependent", singly, 0, None),
            used("doubly_dependent", doubly, padding::bytes(parameters), paper),
        ]
    }

    fn fits_on(&self, device: &DeviceInfo, target: Target, parameters: &Parameters) -> Result<(), String> {
        padding::check(device, self.declared_bytes(target.element, parameters), parameters)
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        square_blocks::check(parameters)
    }

    fn also_checked(&self) -> Vec<Parameters> {
        self.also_checked.clone()
    }

    fn bytes_per_task(&self, parameters: &Parameters) -> Option<(f64, String)> {
        square_blocks::bytes_per_task(parameters)
    }

    fn layout(&self, _: &Parameters) -> Layout {
        self.layout
    }

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        let side = self.layout.side(on.n);
        let tile = square_blocks::side(on.parameters);
        let threads = self.threads(on.parameters);
        let tiles = side / tile;
        let others = tiles - 1;
        // Rows are found by their length where they are contiguous, tiles by their number a side.
        let extent = if self.layout == Layout::DoublyTiled { tiles } else { side };
        let mut arguments =
            [Argument::Buffer(on.data), Argument::Int(extent as i32), Argument::Int(0)].to_vec();
        if self.passes_tile {
            arguments.push(Argument::Int(tile as i32));
        }
        for round in 0..tiles {
            arguments[2] = Argument::Int(round as i32);
            launch(0, Launch::rows_of((1, 1), threads[0]), &arguments)?;
            if others > 0 {
                launch(1, Launch::rows_of((others, 2), threads[1]), &arguments)?;
                let doubly = Launch {
                    dynamic_shared_bytes: padding::bytes(on.parameters),
                    ..Launch::rows_of((others, others), threads[2])
                };
                launch(2, doubly, &arguments)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use repro_device::Device;
    use repro_device::emulated::{EmulatedDevice, Instruments};

    #[test]
    fn padding_is_refused_beyond_what_a_block_may_have_with_the_most_that_fits() {
        let device = EmulatedDevice::open(Instruments::NONE).unwrap();
        let fits = |name: &str, padding: u32, element| {
            let target = Target { element, ..Target::default() };
            let given = Parameters::from([("padding-kib", padding)]);
            find(name).unwrap().schedule().unwrap().fits_on(device.info(), target, &given)
        };
        for (name, most) in [
            ("katz-kider", 215),
            ("optimized-blocked", 215),
            ("tile-in-registers", 219),
            ("tile-in-registers-256", 219),
            ("staged-load", 226),
        ] {
            assert_eq!(fits(name, most, ElementType::F32), Ok(()), "{name}");
            let refused = fits(name, most + 1, ElementType::F32).unwrap_err();
            assert!(refused.contains(&format!("set padding-kib to {most} or less")), "{refused}");
        }
        assert_eq!(
            fits("katz-kider", 216, ElementType::F32).unwrap_err(),
            "padding-kib = 216 and the 12288 bytes that a block uses are more than the 227 KiB that emulated CUDA device gives a block: set \
             padding-kib to 215 or less"
        );
        assert_eq!(fits("katz-kider", 221, ElementType::U16), Ok(()));
    }

    #[test]
    fn padding_is_what_the_doubly_dependent_kernel_is_launched_with() {
        let found = find("staged-load").unwrap();
        let uses = found.schedule().unwrap();
        let bytes = |parameters: &Parameters| -> Vec<u32> {
            let kernels = uses.kernels(Target::default(), parameters);
            kernels.iter().map(|used| used.dynamic_shared_bytes).collect()
        };
        assert_eq!(bytes(&Parameters::default()), [0, 0, 0]);
        assert_eq!(bytes(&Parameters::from([("padding-kib", 26)])), [0, 0, 26 << 10]);
    }
}
