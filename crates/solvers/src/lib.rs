//! The catalogue: every way to compute all-pairs shortest paths, one file each.
//!
//! A new implementation is one kernel file, one file here and one line in [`catalogue`].

mod cpu_columns;
pub mod cpu_naive;
pub mod cpu_parallel;
pub mod cpu_peak;
#[cfg(feature = "fault-injection")]
mod fault_injection;
mod generalized_blocked;
mod global_memory;
mod harish_narayanan;
mod katz_kider;
mod katz_kider_1024;
mod katz_kider_shifts;
mod layout;
mod one_launch_a_k;
mod optimized_blocked;
mod parameters;
mod schedule;
mod shared_buffer;
mod staged_load;
mod staged_load_256;
mod staged_plain_order;
mod staged_row_major;
mod three_kernel_rounds;
mod tile_in_registers;
mod tile_in_registers_256;
mod two_phase;

pub use layout::Layout;
pub use parameters::{Parameter, ParameterError, Parameters};
pub use schedule::{KernelTraffic, KernelUse, PaperFigures, Schedule, Solver, WorkingMemory};

use repro_device::DeviceError;

/// How many bytes of global or main memory one task moves, by the model under which effective GB/s are stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    pub bytes_per_task: f64,
    /// Where the number comes from, in words.
    pub model: &'static str,
    /// What the paper counted instead, where it differs.
    pub paper: Option<(f64, &'static str)>,
}

impl Traffic {
    /// Every task reads three words and writes one.
    pub const EVERY_TASK: Traffic =
        Traffic { bytes_per_task: 16.0, model: "3 words read and 1 written a task", paper: None };

    /// Every element of a tile is read, with one of each singly dependent tile, and written once for 32 tasks.
    pub const TILES_OF_32: Traffic = Traffic {
        bytes_per_task: 16.0 / 32.0,
        model: "3 words read and 1 written per 32 tasks",
        paper: None,
    };
}

/// How an implementation computes.
#[derive(Clone, Copy)]
pub enum Body {
    /// On the host: closes the row-major n x n matrix in place.
    Cpu(fn(&mut [f32], usize) -> Result<(), DeviceError>),
    /// On a device, by a schedule of launches.
    Device(&'static dyn Schedule),
}

/// One entry of the catalogue.
#[derive(Clone, Copy)]
pub struct Implementation {
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The paper and place that it follows.
    pub source: &'static str,
    pub traffic: Traffic,
    pub parameters: &'static [Parameter],
    pub body: Body,
}

impl Implementation {
    /// Whether it needs a device beside the CPU.
    pub fn needs_device(&self) -> bool {
        matches!(self.body, Body::Device(_))
    }

    /// Its schedule on a device; none for the CPU.
    pub fn schedule(&self) -> Option<&'static dyn Schedule> {
        match self.body {
            Body::Device(schedule) => Some(schedule),
            Body::Cpu(_) => None,
        }
    }

    /// Bytes a task with these parameters, and the model behind them.
    pub fn bytes_per_task(&self, parameters: &Parameters) -> (f64, String) {
        self.schedule()
            .and_then(|schedule| schedule.bytes_per_task(parameters))
            .unwrap_or_else(|| (self.traffic.bytes_per_task, self.traffic.model.to_string()))
    }

    /// Whether `n` vertices can be solved with these parameters.
    ///
    /// # Errors
    /// Why not, in one line.
    pub fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        let Some(schedule) = self.schedule() else { return Ok(()) };
        schedule.layout().fits(n)?;
        schedule.fits(n, parameters)
    }
}

/// All implementations, in the order in which tables show them; not the faults for tests.
pub fn catalogue() -> &'static [&'static Implementation] {
    CATALOGUE
}

static CATALOGUE: &[&Implementation] = &[
    &cpu_columns::NAIVE,
    &harish_narayanan::IMPLEMENTATION,
    &global_memory::IMPLEMENTATION,
    &shared_buffer::IMPLEMENTATION,
    &katz_kider::IMPLEMENTATION,
    &katz_kider_1024::IMPLEMENTATION,
    &katz_kider_shifts::IMPLEMENTATION,
    &optimized_blocked::IMPLEMENTATION,
    &tile_in_registers_256::IMPLEMENTATION,
    &tile_in_registers::IMPLEMENTATION,
    &staged_row_major::IMPLEMENTATION,
    &staged_plain_order::IMPLEMENTATION,
    &staged_load::IMPLEMENTATION,
    &staged_load_256::IMPLEMENTATION,
    &generalized_blocked::IMPLEMENTATION,
    &two_phase::IMPLEMENTATION,
    &cpu_columns::PARALLEL,
];

/// Implementations that misbehave on purpose: known by name, listed nowhere.
#[cfg(feature = "fault-injection")]
static UNLISTED: &[&Implementation] = fault_injection::FAULTS;
#[cfg(not(feature = "fault-injection"))]
static UNLISTED: &[&Implementation] = &[];

/// Tasks that `kernel` of an implementation did in `blocks` blocks of a solve of `n` vertices. None when it has no such kernel.
pub fn tasks_of(
    implementation: &Implementation,
    parameters: &Parameters,
    kernel: &str,
    n: usize,
    blocks: u64,
) -> Option<u64> {
    implementation.schedule()?.tasks(kernel, n, blocks, parameters)
}

/// The implementation of this name.
pub fn find(name: &str) -> Option<&'static Implementation> {
    CATALOGUE.iter().chain(UNLISTED).copied().find(|implementation| implementation.name == name)
}

/// All names, separated by commas, for messages.
pub fn names() -> String {
    catalogue().iter().map(|implementation| implementation.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_findable() {
        for implementation in CATALOGUE.iter().chain(UNLISTED) {
            assert!(std::ptr::eq(find(implementation.name).unwrap(), *implementation));
        }
        assert!(find("no-such-implementation").is_none());
    }

    #[test]
    fn every_kernel_named_by_a_schedule_is_in_its_file() {
        for implementation in CATALOGUE.iter().chain(UNLISTED) {
            if let Body::Device(schedule) = implementation.body {
                for parameters in schedule.also_checked().into_iter().chain([Parameters::default()]) {
                    assert_eq!(parameters.check(implementation.name, implementation.parameters), Ok(()));
                    assert_eq!(schedule.check(&parameters), Ok(()));
                    let source = schedule.source(&parameters);
                    let whole = source.expanded();
                    for kernel in schedule.kernels(&parameters) {
                        let declared = whole.contains(&format!(" {}(", kernel.name));
                        assert!(declared, "{} has no kernel {}", source.file, kernel.name);
                    }
                }
            }
        }
    }
}
