//! What the runner asks of its worker process and what that answers: one JSON line each.

mod failure;

use crate::plan::{Experiment, GraphSource, Limits, RepeatRule, Variant};
use crate::store::{Build, Environment, Repeated, Verification};
pub use failure::{Failure, FailureCause, REST_DIFFERS, Result};
use repro_device::emulated::{Counts, Instruments};
use repro_device::telemetry::Telemetry;
use repro_graph::ElementType;
use repro_solvers::{DeviceTimes, ImplementationFile};
use repro_timing::{Ceilings, Clocks, KernelSeconds, Seconds};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A graph to be made, with its reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphRequest {
    pub source: GraphSource,
    /// `f32` where an older build asks.
    #[serde(default)]
    pub element: ElementType,
    pub n: usize,
    pub limits: Limits,
    /// Whether no memory holds a whole matrix of it.
    #[serde(default)]
    pub sharded: bool,
}

impl GraphRequest {
    /// One of a matrix in the memory of one process.
    pub fn whole(source: GraphSource, element: ElementType, n: usize, limits: Limits) -> Self {
        Self { source, element, n, limits, sharded: false }
    }
}

/// What a worker opens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    pub device: String,
    /// Whose kernels are compiled.
    pub variants: Vec<Variant>,
    /// What they are compiled for.
    pub elements: Vec<ElementType>,
    /// Of an emulated device.
    pub instruments: Instruments,
    /// In which blocks and threads of an emulated device have their turns.
    #[serde(default)]
    pub order: u64,
}

impl Opening {
    /// That of `variants` of an experiment, on its device and in its element types.
    pub fn of(experiment: &Experiment, variants: Vec<Variant>, instruments: Instruments) -> Self {
        let (device, elements) = (experiment.device.clone(), experiment.elements());
        Self { device, variants, elements, instruments, order: 0 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Request {
    /// Make implementations of these files known, before anything asks for one by its name. Not answered: a worker that cannot ends.
    Register { given: Vec<ImplementationFile> },
    /// Say which build it is and which of `variants` it cannot run, without a look at any device. Answered by
    /// [`Reply::Introduced`].
    Introduce { variants: Vec<Variant> },
    /// Look around: device, compiler, kernels. Answered by [`Reply::Opened`].
    Open(Opening),
    /// Measure the ceilings, those of arithmetic in these types, and how long a load takes where that is asked for. Answered by
    /// [`Reply::Ceilings`].
    MeasureCeilings {
        elements: Vec<ElementType>,
        #[serde(default)]
        load_latency: bool,
    },
    /// Make the graph of `n` vertices and its reference. Answered by [`Reply::GraphReady`].
    LoadGraph(GraphRequest),
    /// Solve untimed until `warm_up_s` have passed; not at all when that is 0. Answered by [`Reply::Prepared`].
    Prepare { variant: Variant, warm_up_s: f64 },
    /// Take one sample, read by the usual clocks and by these. Answered by [`Reply::Sampled`]. That of a user kernel is taken on the fresh graph of
    /// this number.
    Sample {
        variant: Variant,
        clocks: Clocks,
        #[serde(default)]
        fresh: u64,
    },
    /// Solve so many times with events between the launches. Answered by [`Reply::KernelTimes`].
    TimeKernels { variant: Variant, solves: usize },
    /// Open the emulated device, make the graph, solve once, verify and count: to be asked of a worker that was asked nothing
    /// else. Answered by [`Reply::Counted`].
    CountBeside {
        variant: Variant,
        /// The emulated device, where it is not the usual one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        device: Option<String>,
        /// In which its blocks and threads have their turns.
        #[serde(default)]
        order: u64,
        #[serde(default)]
        between_launches: bool,
        #[serde(flatten)]
        graph: GraphRequest,
    },
    /// Open the device, make the graph, load the variant's kernels and solve for the first time: to be asked of a worker that
    /// was asked nothing else. Answered by [`Reply::Sampled`].
    FirstRun {
        device: String,
        variant: Variant,
        #[serde(flatten)]
        graph: GraphRequest,
    },
    /// Solve once and verify, without a clock. Answered by [`Reply::Right`].
    Check { variant: Variant },
    /// Solve again and again on the device. Answered by [`Reply::Repeated`].
    Repeat { variant: Variant, rule: RepeatRule },
    /// Solve once and verify on a device that counts, and where that is asked for once more, to look at the matrix between the
    /// launches. Answered by [`Reply::Counted`].
    Count {
        variant: Variant,
        #[serde(default)]
        between_launches: bool,
    },
    /// Write the result of the last solve, which was right, as one `.npy` file, which must not exist. Answered by [`Reply::Right`].
    StoreDistances { variant: Variant, path: PathBuf },
    /// Let the other processes go: nothing more is asked. Answered by [`Reply::Right`].
    Leave,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    Introduced(Introduced),
    Opened(Box<Opened>),
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
    Sampled(Box<Sampled>),
    /// The medians of all solves, each of which was right.
    KernelTimes {
        kernels: Vec<KernelSeconds>,
    },
    /// None where the implementation cannot do it.
    Repeated {
        repeated: Option<Repeated>,
    },
    /// The result was right, or is stored.
    Right,
    Counted(Box<Counted>),
    Failed(Failure),
}

/// Who a worker is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Introduced {
    pub build: Build,
    /// The element types that it knows; of builds that do not say it is one.
    pub elements: Vec<ElementType>,
    /// What it was asked about and does not know.
    pub unknown: Vec<Unknown>,
}

/// A variant that a build cannot run anywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unknown {
    pub variant: Variant,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    pub environment: Environment,
    /// What is wrong with a user's file of which no kernel loads: none of the parameters and types of distance that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
}

/// A result that was compared with the reference and was right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RightResult {
    /// How it was verified, and within what.
    pub verification: Verification,
    pub digest: String,
}

impl Default for RightResult {
    /// In the place of what is known once all processes have answered.
    fn default() -> Self {
        Self { verification: Verification::EXACT, digest: String::new() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// As clocks showed them.
    pub seconds: Seconds,
    /// Iterations of k that were run, where those were not all n.
    pub iterations: Option<usize>,
    #[serde(flatten)]
    pub result: RightResult,
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

impl Sampled {
    /// With the seconds of a whole solve of `n` vertices: every iteration of k does the same work.
    #[must_use]
    pub fn of_a_whole_solve(self, n: usize) -> Self {
        let share = self.iterations.map_or(1.0, |iterations| n as f64 / iterations as f64);
        Self { seconds: self.seconds.times(share), ..self }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// What all launches of each kernel did together, in the order in which the kernels were first launched; the layout's
    /// kernels are not among them.
    pub kernels: Vec<(String, Counts)>,
    /// After how many launches of each kernel the matrix was none that the plain algorithm has after any iteration. Empty where nobody
    /// looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlike_plain: Vec<(String, u64)>,
    #[serde(flatten)]
    pub result: RightResult,
}

impl Counted {
    /// With what further launches did, of each kernel.
    pub fn add(&mut self, launches: impl IntoIterator<Item = (String, Counts)>) {
        for (kernel, counts) in launches {
            match self.kernels.iter_mut().find(|(known, _)| *known == kernel) {
                Some((_, known)) => *known += counts,
                None => self.kernels.push((kernel, counts)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::RandomGraph;

    #[test]
    fn seconds_of_some_iterations_become_those_of_all() {
        let sampled = |iterations| Sampled { iterations, seconds: Seconds::same(2.0), ..Sampled::default() };
        assert_eq!(sampled(Some(5)).of_a_whole_solve(100).seconds, Seconds::same(40.0));
        assert_eq!(sampled(None).of_a_whole_solve(100), sampled(None));
    }

    #[test]
    fn requests_are_lines_that_builds_of_before_read() {
        let (device, elements) = ("cpu".to_string(), vec![ElementType::F32]);
        let opening =
            Opening { device, variants: Vec::new(), elements, instruments: Instruments::NONE, order: 0 };
        let limits = Limits {
            warm_up_s: 0.0,
            sample_s: 1.0,
            full_cell_s: 2.0,
            whole_reference_n: 64,
            reference_rows: 8,
        };
        let graph =
            GraphRequest::whole(GraphSource::Random(RandomGraph::complete(1)), ElementType::F32, 9, limits);
        for (request, before) in [
            (Request::Open(opening), r#"{"request":"open","device":"cpu","variants":[],"instruments":{"#),
            (Request::LoadGraph(graph), r#"{"request":"load-graph","source":{"#),
        ] {
            let line = serde_json::to_string(&request).unwrap();
            let without = line.replace(r#""elements":["f32"],"#, "").replace(r#","order":0"#, "");
            assert!(without.starts_with(before), "{line}");
            assert_eq!(serde_json::from_str::<Request>(&without).unwrap(), request);
        }
    }
}
