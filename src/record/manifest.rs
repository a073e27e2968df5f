//! `manifest.json`: everything about a run that is not a sample.

use super::environment::{Build, HostInfo};
use crate::device::{DeviceError, DeviceInfo, KernelResources};
use crate::implementation::PaperFigures;
use crate::timing::Ceilings;
use serde::{Deserialize, Serialize};

/// Raised when a reader of the last version would misunderstand the new one.
pub const SCHEMA_VERSION: u32 = 1;

/// A kernel's resources on this device, next to the paper's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRecord {
    #[serde(flatten)]
    pub resources: KernelResources,
    /// On the paper's GPU, where the paper states them.
    pub paper: Option<PaperFigures>,
}

/// An implementation as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImplementationRecord {
    pub implementation: String,
    pub params: String,
    /// The paper and place it follows.
    pub source: String,
    pub bytes_per_task: f64,
    pub traffic_model: String,
    /// Bytes a task as the paper counted, where it counted otherwise, and how.
    pub bytes_per_task_paper: Option<f64>,
    pub traffic_model_paper: Option<String>,
    /// Hash of the kernel file and its headers; none on the CPU.
    pub source_hash: Option<String>,
    pub kernels: Vec<KernelRecord>,
}

/// The device of a run and what drives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    pub info: DeviceInfo,
    /// The driver's own version, where NVML tells it.
    pub driver: Option<String>,
    pub compiler: Result<String, DeviceError>,
    /// Why clocks and throttling are not recorded, if they are not.
    pub telemetry_problem: Option<String>,
}

/// The whole manifest. `experiment` is the experiment as it was resolved from file and options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest<Experiment> {
    pub schema_version: u32,
    pub experiment: Experiment,
    pub command_line: Vec<String>,
    /// RFC 3339, UTC.
    pub started: String,
    /// When the run was continued.
    pub resumed: Vec<String>,
    /// When every cell was done; none while cells are missing.
    pub finished: Option<String>,
    pub build: Build,
    pub host: HostInfo,
    /// The device, or why there is none.
    pub device: Result<DeviceRecord, DeviceError>,
    pub implementations: Vec<ImplementationRecord>,
    pub ceilings: Ceilings,
}

impl<Experiment: PartialEq> Manifest<Experiment> {
    /// What differs between the run that `self` describes and one that would continue it: results of the two must not
    /// be mixed. Empty when they may.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let device = |manifest: &Self| {
            let record = manifest.device.as_ref().ok();
            record.map(|record| (record.info.clone(), record.driver.clone()))
        };
        let compiler = |manifest: &Self| Some(manifest.device.as_ref().ok()?.compiler.as_ref().ok()?.clone());
        let kernels = |manifest: &Self| -> Vec<(String, Option<String>)> {
            let all = manifest.implementations.iter();
            all.map(|record| (record.implementation.clone(), record.source_hash.clone())).collect()
        };
        // Not the memory: a virtual machine's can grow while it runs.
        let host = |manifest: &Self| {
            (manifest.host.cpu.clone(), manifest.host.threads, manifest.host.kernel.clone())
        };
        let build = |manifest: &Self| {
            (
                manifest.build.version.clone(),
                manifest.build.commit.clone(),
                manifest.build.dirty,
                manifest.build.profile.clone(),
            )
        };
        [
            ("experiment or options", self.experiment != other.experiment),
            ("device or driver", device(self) != device(other)),
            ("compiler", compiler(self) != compiler(other)),
            ("kernels", kernels(self) != kernels(other)),
            ("build of repro", build(self) != build(other)),
            ("host", host(self) != host(other)),
        ]
        .into_iter()
        .filter(|(_, differs)| *differs)
        .map(|(what, _)| what)
        .collect()
    }
}
