//! What the runner asks of its worker process and what that answers: one JSON line each.

use crate::plan::{Experiment, GraphSource, Limits, RepeatRule, Variant};
use crate::store::{Build, Environment, RepeatTimes, Verification, WRONG_RESULT};
use repro_device::emulated::{Counts, Instruments};
use repro_device::telemetry::Telemetry;
use repro_device::{DeviceError, FailureKind};
use repro_graph::ElementType;
use repro_solvers::{DeviceTimes, ImplementationFile};
use repro_timing::{Ceilings, ExtraClocks, KernelSeconds, Seconds};
use repro_user::confine::foreign_text;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A graph to be made, with its reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphRequest {
    pub source: GraphSource,
    pub element: ElementType,
    pub n: usize,
    pub limits: Limits,
    /// Whether no memory holds a whole matrix of it.
    pub sharded: bool,
}

impl GraphRequest {
    /// A request for a graph whose matrix is in one process's memory.
    pub fn whole(source: GraphSource, element: ElementType, n: usize, limits: Limits) -> Self {
        Self { source, element, n, limits, sharded: false }
    }
}

/// What a worker opens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenRequest {
    pub device: String,
    /// Whose kernels are compiled.
    pub variants: Vec<Variant>,
    /// What they are compiled for.
    pub elements: Vec<ElementType>,
    /// Of an emulated device.
    pub instruments: Instruments,
    /// In which blocks and threads of an emulated device have their turns.
    pub order: u64,
}

impl OpenRequest {
    /// Asks for `variants` of an experiment, on its device and in its element types.
    pub fn new(experiment: &Experiment, variants: Vec<Variant>, instruments: Instruments) -> Self {
        let (device, elements) = (experiment.device.clone(), experiment.elements());
        Self { device, variants, elements, instruments, order: 0 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Request {
    /// Make implementations of these files known, before anything asks for one by its name. Not answered: a worker that fails to do it
    /// exits.
    Register { given: Vec<ImplementationFile> },
    /// Say which build it is and which of `variants` it cannot run, without a look at any device. Answered by
    /// [`Reply::Introduced`].
    Introduce { variants: Vec<Variant> },
    /// Open the device, find the compiler and compile the kernels. Answered by [`Reply::Opened`].
    Open(OpenRequest),
    /// Measure the ceilings, those of arithmetic in these types, and how long a load takes where that is asked for. Answered by
    /// [`Reply::Ceilings`].
    MeasureCeilings { elements: Vec<ElementType>, load_latency: bool },
    /// Make the graph of `n` vertices and its reference. Answered by [`Reply::GraphReady`].
    LoadGraph(GraphRequest),
    /// Solve untimed until `warm_up_s` have passed; not at all when that is 0. Answered by [`Reply::Prepared`].
    Prepare { variant: Variant, warm_up_s: f64 },
    /// Take one sample with the usual clocks and `clocks`; of a user kernel, on the graph of number `fresh`, which it has not seen.
    /// Answered by [`Reply::Sampled`].
    Sample { variant: Variant, clocks: ExtraClocks, fresh: u64 },
    /// Solve so many times with events between the launches. Answered by [`Reply::KernelTimes`].
    TimeKernels { variant: Variant, solves: usize },
    /// Load the variant's kernels and solve for the first time: to be asked of a worker that has loaded none. Answered by
    /// [`Reply::Sampled`].
    FirstRun { variant: Variant },
    /// Solve once and verify, without a clock. Answered by [`Reply::Right`].
    Check { variant: Variant },
    /// Solve again and again on the device. Answered by [`Reply::Repeated`].
    Repeat { variant: Variant, rule: RepeatRule },
    /// Solve once and verify on a device that counts. With `between_launches`, solve again and compare the matrix after each launch.
    /// Answered by [`Reply::Counted`].
    Count { variant: Variant, between_launches: bool },
    /// Write the result of the last solve, which was right, as one `.npy` file, which must not exist. Answered by [`Reply::Right`].
    StoreDistances { variant: Variant, path: PathBuf },
    /// End, and release the other processes of a solve on several: nothing more is asked. Answered by [`Reply::Right`].
    Leave,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    Introduced(WorkerInfo),
    Opened(Box<OpenReply>),
    Ceilings(Ceilings),
    GraphReady,
    /// The device has room, the kernels are loaded, and the result of the warm-up, if there was one, was right.
    Prepared {
        /// What others used of the host before, as in records. None on a device.
        others_load: Option<f64>,
        /// What brings panels from device to device. None where the matrix is not sharded.
        #[serde(skip_serializing_if = "Option::is_none")]
        transport: Option<String>,
    },
    Sampled(Box<SampleReply>),
    /// The medians of all solves, each of which was right.
    KernelTimes {
        kernels: Vec<KernelSeconds>,
    },
    /// None where the implementation cannot do it.
    Repeated {
        repeated: Option<RepeatTimes>,
    },
    /// The result was right, or is stored.
    Right,
    Counted(Box<CountReply>),
    Failed(Failure),
}

/// Who a worker is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerInfo {
    pub build: Build,
    /// What it was asked about and does not know.
    pub unknown: Vec<UnsupportedVariant>,
}

/// A variant that a build cannot run anywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnsupportedVariant {
    pub variant: Variant,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenReply {
    pub environment: Environment,
    /// Why no kernel of a user's file loads, with any of the parameters and element types asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
}

/// A result that was compared with the reference and was right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResultProof {
    /// How it was verified, and within which tolerance.
    pub verification: Verification,
    pub digest: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampleReply {
    /// As clocks showed them.
    pub seconds: Seconds,
    /// Iterations of k that were run, where those were not all n.
    pub iterations: Option<usize>,
    #[serde(flatten)]
    pub result: ResultProof,
    pub telemetry: Option<Telemetry>,
    /// What others used of the host meanwhile, as in records. None on a device.
    pub others_load: Option<f64>,
    /// Where the time went on each device that had a part of the matrix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceSample>,
}

/// Where the time of a sample went on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceSample {
    /// The host that it is in; empty where one process has all devices.
    pub host: String,
    pub times: DeviceTimes,
}

impl SampleReply {
    /// With the seconds of a whole solve of `n` vertices: every iteration of k does the same work.
    #[must_use]
    pub fn of_a_whole_solve(self, n: usize) -> Self {
        let share = self.iterations.map_or(1.0, |iterations| n as f64 / iterations as f64);
        Self { seconds: self.seconds.times(share), ..self }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CountReply {
    /// What all launches of each kernel did together, in the order in which the kernels were first launched; the layout's
    /// kernels are not among them.
    pub kernels: Vec<(String, Counts)>,
    /// For each kernel, how many of its launches left a matrix that the plain algorithm has after no iteration. Empty where this was not
    /// asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlike_plain: Vec<(String, u64)>,
    #[serde(flatten)]
    pub result: ResultProof,
}

impl CountReply {
    /// Adds the counts of further launches, kernel by kernel.
    pub fn add(&mut self, launches: impl IntoIterator<Item = (String, Counts)>) {
        for (kernel, counts) in launches {
            match self.kernels.iter_mut().find(|(known, _)| *known == kernel) {
                Some((_, known)) => *known += counts,
                None => self.kernels.push((kernel, counts)),
            }
        }
    }
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureCause {
    /// The graph itself: nothing can run on it.
    Graph,
    /// Not enough memory, on the host or the device.
    OutOfMemory,
    /// No device or compiler for this implementation.
    Unavailable,
    /// Fewer devices than this implementation needs.
    TooFewDevices,
    /// The result is wrong.
    WrongResult,
    /// The device is lost to this process; the worker ends.
    DeviceLost,
    /// Another of several processes is lost; all of them end.
    MemberLost,
    /// No answer came in time; the worker was stopped.
    TimedOut,
    /// The worker ended without an answer: how, and what it wrote to its standard error last.
    Died,
    /// The user asked to stop; the worker was stopped.
    Interrupted,
    Other,
}

/// What was asked for, or why it failed.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    pub cause: FailureCause,
    pub message: String,
}

impl Failure {
    pub fn new(cause: FailureCause, message: impl fmt::Display) -> Self {
        Self { cause, message: message.to_string() }
    }

    /// A failure whose cause no caller needs to know.
    pub fn other(message: impl fmt::Display) -> Self {
        Self::new(FailureCause::Other, message)
    }

    /// The host or a device lacks memory: what for, and what to do instead.
    pub fn out_of_memory(message: impl fmt::Display) -> Self {
        Self::new(FailureCause::OutOfMemory, message)
    }

    /// Whether the worker is gone.
    pub fn ends_worker(&self) -> bool {
        matches!(self.cause, FailureCause::TimedOut | FailureCause::Died)
    }

    /// Of the graph itself.
    pub fn graph(message: impl fmt::Display) -> Self {
        Self::new(FailureCause::Graph, message)
    }

    /// A wrong result, with the prefix by which records recognize one.
    pub fn wrong_number(problem: impl fmt::Display) -> Self {
        Self::new(FailureCause::WrongResult, format!("{WRONG_RESULT}: {problem}"))
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        let cause = match error.kind {
            FailureKind::Unavailable => FailureCause::Unavailable,
            FailureKind::OutOfMemory => FailureCause::OutOfMemory,
            FailureKind::Lost => FailureCause::DeviceLost,
            FailureKind::Other => FailureCause::Other,
        };
        // It may quote a compiler or a file of somebody else, and goes into records.
        Self { cause, message: foreign_text(&error.message, MESSAGE_BYTES) }
    }
}

/// The message when the compared rows are right but the digest differs.
pub const REST_DIFFERS: &str =
    "the compared rows are right, but the rest differs from an earlier right result";

/// The longest message of a device that records take, in bytes.
const MESSAGE_BYTES: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_some_iterations_become_those_of_all() {
        let sampled =
            |iterations| SampleReply { iterations, seconds: Seconds::same(2.0), ..SampleReply::default() };
        assert_eq!(sampled(Some(5)).of_a_whole_solve(100).seconds, Seconds::same(40.0));
        assert_eq!(sampled(None).of_a_whole_solve(100), sampled(None));
    }

    #[test]
    fn counts_of_several_processes_add_up_by_kernel() {
        let launched = |kernel: &str| (kernel.to_string(), Counts { launches: 2, ..Counts::default() });
        let mut counted = CountReply::default();
        counted.add(["a", "b", "a"].map(launched));
        let launches: Vec<_> =
            counted.kernels.iter().map(|(name, counts)| (&name[..], counts.launches)).collect();
        assert_eq!(launches, [("a", 4), ("b", 2)]);
    }

    #[test]
    fn what_a_compiler_quotes_of_a_file_is_one_line_of_a_record_and_not_longer_than_it_may_be() {
        let quoted = DeviceError::other(format!("a.cu:1: error: \u{202e}x\x1b[2J\n{}", "y".repeat(9000)));
        let failure = Failure::from(quoted);
        assert!(failure.message.starts_with("a.cu:1: error: \u{fffd}x [2J / yyy"), "{}", failure.message);
        assert!(failure.message.ends_with("… (cut: 9,024 bytes)"), "{}", failure.message);
        assert!(failure.message.len() < MESSAGE_BYTES + 40);
    }
}
