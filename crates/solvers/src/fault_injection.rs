//! Implementations that fail on purpose, each in its own way, so that tests can watch the rest of a run go on. Built
//! only with the feature `fault-injection`, and then found by name alone: see [`super::find`].

use super::{
    Body, Implementation, KernelUse, Layout, Parameters, Schedule, Traffic, cpu_naive, cpu_parallel,
};
use repro_device::{Argument, Buffer, Device, DeviceError, FailureKind, Kernel, KernelSource, Launch};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// All of them.
pub static FAULTS: &[&Implementation] = &[
    &WRONG,
    &WRONG_LATER,
    &UNWRITTEN,
    &NAN,
    &HANG,
    &CRASH,
    &PANIC,
    &LOST,
    &OUT_OF_MEMORY,
    &REMEMBERING,
    &SLOW,
    &SLEEPING,
    &CUDA_ILLEGAL_ADDRESS,
    &CUDA_NEVER_ENDS,
];

const fn fault(name: &'static str, summary: &'static str, body: Body) -> Implementation {
    let traffic = Traffic::EVERY_TASK;
    Implementation { name, summary, source: "fault injection", traffic, parameters: &[], body }
}

static WRONG: Implementation = fault(
    "fault-wrong",
    "right in every entry but the last",
    Body::Cpu(|matrix, n| {
        cpu_parallel::solve(matrix, n);
        spoil(matrix);
        Ok(())
    }),
);

static WRONG_LATER: Implementation = fault(
    "fault-wrong-later",
    "right twice in a process, and wrong from then on",
    Body::Cpu(|matrix, n| {
        static SOLVED: AtomicUsize = AtomicUsize::new(0);
        cpu_parallel::solve(matrix, n);
        if SOLVED.fetch_add(1, Ordering::Relaxed) >= 2 {
            spoil(matrix);
        }
        Ok(())
    }),
);

static UNWRITTEN: Implementation =
    fault("fault-unwritten", "leaves the input as it is", Body::Cpu(|_, _| Ok(())));

static NAN: Implementation = fault(
    "fault-nan",
    "one entry is NaN",
    Body::Cpu(|matrix, n| {
        cpu_parallel::solve(matrix, n);
        matrix[n * n / 2] = f32::NAN;
        Ok(())
    }),
);

static HANG: Implementation = fault(
    "fault-hang",
    "never ends",
    Body::Cpu(|_, _| {
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }),
);

static CRASH: Implementation = fault(
    "fault-crash",
    "ends its process without a word",
    Body::Cpu(|matrix, _| {
        spoil(matrix);
        std::process::abort()
    }),
);

static PANIC: Implementation =
    fault("fault-panic", "panics", Body::Cpu(|_, n| panic!("a panic on purpose\nat n = {n}")));

static LOST: Implementation = fault(
    "fault-lost",
    "reports that its device has vanished",
    Body::Cpu(|_, _| {
        let message = "the device has vanished on purpose: check nvidia-smi and the kernel log";
        Err(DeviceError::new(FailureKind::Lost, message))
    }),
);

static OUT_OF_MEMORY: Implementation = fault(
    "fault-out-of-memory",
    "reports that memory is short",
    Body::Cpu(|_, n| Err(DeviceError::out_of_memory(&format!("n = {n}"), 1 << 40, 1 << 20))),
);

static REMEMBERING: Implementation = fault(
    "fault-remembering",
    "right, from what it found of the first graph of its process, faster than anything can solve it",
    Body::Cpu(|matrix, n| {
        static FOUND: OnceLock<Vec<f32>> = OnceLock::new();
        let found = FOUND.get_or_init(|| {
            cpu_parallel::solve(matrix, n);
            matrix.to_vec()
        });
        matrix.copy_from_slice(found);
        Ok(())
    }),
);

static SLOW: Implementation = fault(
    "fault-slow",
    "right, after a tenth of a second",
    Body::Cpu(|matrix, n| {
        std::thread::sleep(Duration::from_millis(100));
        cpu_naive::solve(matrix, n);
        Ok(())
    }),
);

static SLEEPING: Implementation = fault(
    "fault-sleeping",
    "right, after as many milliseconds as REPRO_FAULT_SLEEP_MS says",
    Body::Cpu(|matrix, n| {
        let asked = std::env::var("REPRO_FAULT_SLEEP_MS").ok().and_then(|value| value.parse().ok());
        std::thread::sleep(Duration::from_millis(asked.unwrap_or(0)));
        cpu_naive::solve(matrix, n);
        Ok(())
    }),
);

static CUDA_ILLEGAL_ADDRESS: Implementation = fault(
    "fault-cuda-illegal-address",
    "a kernel that writes far outside of every allocation",
    Body::Device(&Faulty { kernel: "illegal_address" }),
);

static CUDA_NEVER_ENDS: Implementation = fault(
    "fault-cuda-never-ends",
    "a kernel that never ends",
    Body::Device(&Faulty { kernel: "never_ends" }),
);

/// Makes one entry wrong that no neighbouring entry gives away.
fn spoil(matrix: &mut [f32]) {
    if let Some(last) = matrix.last_mut() {
        *last += 1.0;
    }
}

/// One launch of one kernel.
struct Faulty {
    kernel: &'static str,
}

impl Schedule for Faulty {
    fn source(&self, _: &Parameters) -> KernelSource {
        KernelSource { file: "fault_injection.cu", text: include_str!("../../../kernels/fault_injection.cu") }
    }

    fn kernels(&self, _parameters: &Parameters) -> Vec<KernelUse> {
        let name = self.kernel;
        vec![KernelUse { name, threads: 32, dynamic_shared_bytes: 0, tasks_a_block: None, paper: None }]
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
        _parameters: &Parameters,
    ) -> Result<(), DeviceError> {
        let arguments = [Argument::Buffer(data), Argument::Int(n as i32)];
        device.launch(&kernels[0], Launch::rows_of((1, 1), 32), &arguments)
    }
}
