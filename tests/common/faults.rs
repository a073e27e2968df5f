//! Implementations that fail on purpose, each in its own way, so that tests can watch the rest of a run go on: part of the program with the
//! feature `fault-injection`, and then found by name alone.

use repro::device::{DeviceError, FailureKind, Kernel, KernelSource, Launch};
use repro::graph::Element;
use repro::implementation::{
    BatchMode, Capabilities, CpuSolver, HostMethod, Implementation, KernelSet, KernelUse, LaunchArgument,
    LaunchList, LaunchSite, Layout, Parameters, PlannedLaunch, Solver, SolverThreads, Target, cpu_naive,
    cpu_parallel, register_unlisted,
};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Makes all of them known.
pub fn register() {
    let source = "fault injection";
    let on_cpu =
        FAULTS.map(|(name, summary)| Implementation::new(name, summary, source, HostMethod(Fault(name))));
    let summary = "a kernel that writes far outside of every allocation";
    let on_a_device = Implementation::new("fault-cuda-illegal-address", summary, source, Faulty);
    for fault in on_cpu.into_iter().chain([on_a_device]) {
        register_unlisted(fault).expect("no other implementation has this name");
    }
}

/// What goes wrong on the host, by name.
#[derive(Clone, Copy)]
struct Fault(&'static str);

const FAULTS: [(&str, &str); 11] = [
    ("fault-wrong", "right in every entry but the last"),
    ("fault-wrong-later", "right twice in a process, and wrong from then on"),
    ("fault-unwritten", "leaves the input as it is"),
    ("fault-nan", "one entry is NaN, or what no integer distance is"),
    ("fault-hang", "never ends"),
    ("fault-crash", "ends its process without a word"),
    ("fault-panic", "panics"),
    ("fault-lost", "reports that its device has vanished"),
    ("fault-out-of-memory", "reports that memory is short"),
    (
        "fault-remembering",
        "right, from what it found of its process's first graph, faster than anything can solve it",
    ),
    ("fault-sleeping", "right, after as many milliseconds as REPRO_FAULT_SLEEP_MS says"),
];

impl CpuSolver for Fault {
    /// Most of them solve as `cpu-parallel` does.
    fn capabilities(&self, _: &Parameters) -> Capabilities {
        Capabilities::on_cpu(SolverThreads::All)
    }

    fn solve<T: Element>(
        &self,
        matrix: &mut [T],
        n: usize,
        _: &Parameters,
        _: bool,
    ) -> Result<(), DeviceError> {
        match self.0 {
            "fault-wrong" => {
                cpu_parallel::solve(matrix, n);
                spoil(matrix);
            }
            "fault-wrong-later" => {
                static SOLVED: AtomicUsize = AtomicUsize::new(0);
                cpu_parallel::solve(matrix, n);
                if SOLVED.fetch_add(1, Ordering::Relaxed) >= 2 {
                    spoil(matrix);
                }
            }
            "fault-unwritten" => {}
            "fault-nan" => {
                cpu_parallel::solve(matrix, n);
                matrix[n * n / 2] = T::POISON;
            }
            "fault-hang" => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            "fault-crash" => {
                spoil(matrix);
                std::process::abort()
            }
            "fault-panic" => panic!("a panic on purpose\nat n = {n}"),
            "fault-lost" => {
                let message = "the device has vanished on purpose: check nvidia-smi and the kernel log";
                return Err(DeviceError::new(FailureKind::Lost, message));
            }
            "fault-out-of-memory" => {
                return Err(DeviceError::out_of_memory(&format!("n = {n}"), 1 << 40, 1 << 20));
            }
            "fault-remembering" => {
                static FOUND: OnceLock<Vec<u8>> = OnceLock::new();
                let found = FOUND.get_or_init(|| {
                    cpu_parallel::solve(matrix, n);
                    bytemuck::cast_slice(matrix).to_vec()
                });
                bytemuck::cast_slice_mut(matrix).copy_from_slice(found);
            }
            "fault-sleeping" => {
                let asked = std::env::var("REPRO_FAULT_SLEEP_MS").ok().and_then(|value| value.parse().ok());
                std::thread::sleep(Duration::from_millis(asked.unwrap_or(0)));
                cpu_naive::solve(matrix, n);
            }
            name => panic!("{name}: nothing says what goes wrong in it"),
        }
        Ok(())
    }
}

/// Makes one entry wrong that no neighbouring entry gives away.
fn spoil<T: Element>(matrix: &mut [T]) {
    if let Some(last) = matrix.last_mut() {
        *last = last.plus(T::from_f64(1.0));
    }
}

/// One launch of one kernel.
struct Faulty;

impl Solver for Faulty {
    fn capabilities(&self, _: &Parameters) -> Capabilities {
        Capabilities::of_launches()
    }

    fn kernels(&self, _: Target, _: &Parameters) -> Option<KernelSet> {
        let text = include_str!("../../kernels/fault_injection.cu");
        Some(KernelSet {
            source: KernelSource::embedded("fault_injection.cu", text),
            uses: vec![KernelUse::new("illegal_address", 32)],
            layout: Layout::RowMajor,
            batch_mode: BatchMode::No,
            launches_per_sync: None,
        })
    }

    fn launches(&self, on: &LaunchSite, _: &[Kernel]) -> Result<LaunchList, DeviceError> {
        let n = LaunchArgument::Int(on.problem.n as i32);
        let arguments = vec![LaunchArgument::Address(on.matrix()), n];
        let launch = Launch::rows_of(1, 1, 32);
        // SAFETY: none. It breaks the promise on purpose, in a worker process that is there to be lost.
        Ok(unsafe { LaunchList::new(0, vec![PlannedLaunch { kernel: 0, launch, arguments }]) })
    }
}
