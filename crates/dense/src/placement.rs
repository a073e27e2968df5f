//! Where a dense graph is solved and how long that is taken to last, by a stated rule of its size. Nothing is measured or opened for it.
//!
//! | place | seconds for n vertices |
//! |---|---|
//! | a thread of the CPU | n³ numbers, at [`CPU_BYTES`] of them a second |
//! | a GPU | [`OPENING`] once, n² numbers there and back at [`COPIED_BYTES`] a second, and n³ tasks at [`GPU_TASKS`] a second |
//!
//! On two threads of a virtual machine with AVX-512, `cpu-parallel` was measured at 1.2 to 2.4 times the rule's rate from n = 256 on; without AVX-512 it is about half of that.

use repro_device::Selection;
use repro_device::cuda::driver_status;
use repro_graph::ElementType;

/// Bytes of distances that a thread goes through in a second.
const CPU_BYTES: f64 = 4e10;

/// Tasks that a GPU does in a second: a third of those of an H100, so that a slower GPU is not chosen in vain.
const GPU_TASKS: f64 = 5e12;

/// Bytes that are copied to a GPU or back in a second.
const COPIED_BYTES: f64 = 1e10;

/// Seconds that it takes to open a GPU and to load its kernels.
const OPENING: f64 = 0.3;

/// Where dense graphs of one size are to be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// What to open. [`Selection::Auto`] has become the CPU or the first GPU.
    pub selection: Selection,
    /// Seconds that a solve is taken to last, with the opening of a GPU; `None` for the emulated device.
    pub seconds: Option<f64>,
}

impl Placement {
    /// By what was selected. Of [`Selection::Auto`] it is a GPU that the driver sees where that is taken to be faster, and else the CPU. GPUs have no
    /// `f64` here.
    pub fn of(selection: Selection, element: ElementType, n: usize) -> Self {
        let (cpu, gpu) = (cpu_seconds(element, n), OPENING + gpu_seconds(element, n));
        match selection {
            Selection::Auto if element != ElementType::F64 && gpu < cpu && driver_status().is_ok() => {
                Self { selection: Selection::Cuda(None), seconds: Some(gpu) }
            }
            Selection::Auto => Self { selection: Selection::Cpu, seconds: Some(cpu) },
            Selection::Emulated(_) => Self { selection, seconds: None },
            Selection::Cuda(_) | Selection::CudaAll if element != ElementType::F64 => {
                Self { selection, seconds: Some(gpu) }
            }
            Selection::Cpu | Selection::Cuda(_) | Selection::CudaAll => {
                Self { selection, seconds: Some(cpu) }
            }
        }
    }
}

/// On all threads of the current rayon pool.
pub(crate) fn cpu_seconds(element: ElementType, n: usize) -> f64 {
    let threads = rayon::current_num_threads() as f64;
    (n as f64).powi(3) * element.bytes() as f64 / (CPU_BYTES * threads)
}

/// On a GPU that is open.
pub(crate) fn gpu_seconds(element: ElementType, n: usize) -> f64 {
    let n = n as f64;
    2.0 * n * n * element.bytes() as f64 / COPIED_BYTES + n.powi(3) / GPU_TASKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_graphs_and_f64_stay_on_the_cpu_and_large_ones_are_worth_a_gpu() {
        let seconds = |selection, element, n| Placement::of(selection, element, n).seconds;
        let cpu = |element, n| seconds(Selection::Cpu, element, n).unwrap();
        assert_eq!(Placement::of(Selection::Auto, ElementType::U16, 500).selection, Selection::Cpu);
        assert_eq!(Placement::of(Selection::Auto, ElementType::F64, 60_000).selection, Selection::Cpu);
        let gpu = Selection::Cuda(Some(1));
        assert_eq!(seconds(gpu, ElementType::F64, 9000), Some(cpu(ElementType::F64, 9000)));
        assert!(seconds(gpu, ElementType::F32, 500).unwrap() > cpu(ElementType::F32, 500));
        let threads = rayon::current_num_threads() as f64;
        assert!(seconds(gpu, ElementType::F32, 30_000).unwrap() < threads * cpu(ElementType::F32, 30_000));
        assert_eq!(seconds(Selection::Emulated(None), ElementType::F32, 9), None);
    }
}
