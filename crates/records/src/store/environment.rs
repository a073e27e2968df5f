//! Where samples come from: devices and what drives them, how they solve together, and implementations as they were run.

use super::HostInfo;
use repro_base::Parameters;
use repro_device::{DeviceInfo, KernelResources};
use repro_solvers::distributed::DeviceLinks;
use repro_solvers::{PaperFigures, Pinning};
use repro_timing::{Ceilings, ProcessorKind};
use repro_user::confine::Protections;
use serde::{Deserialize, Serialize};

/// A kernel's resources on this device, next to the paper's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRecord {
    #[serde(flatten)]
    pub resources: KernelResources,
    /// The figures on the paper's GPU, where the paper states them.
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
    /// Hashes of the machine code, stored with the program, that its kernels use on this GPU, for any graphs of the run's types.
    /// Other kernels were compiled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stored_code: Vec<String>,
    pub solved_on: ProcessorKind,
    /// How many devices it takes: 0 on the CPU.
    pub devices: usize,
    /// Whether it does half of the tasks where the graph is declared undirected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub halves: bool,
    /// The default values of its parameters.
    pub defaults: Parameters,
    /// Why it cannot run here, if it cannot.
    pub problem: Option<String>,
    /// Where it comes from, if it is no part of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalRecord>,
    /// For a program that takes a GPU itself, the GPU that it ran on. Kernels run on the environment's device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
}

/// An implementation that a file describes. The file itself, with the source, is in the experiment's `given`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalRecord {
    /// The name of the file.
    pub file: String,
    /// The hash of the file and of everything that it names.
    pub hash: String,
    /// Where it ran as host code in a process of its own: what the system could not keep that process from. None for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfined: Option<Vec<String>>,
}

/// The device of a run and what drives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    pub info: DeviceInfo,
    /// The driver's own version, where NVML provides it.
    pub driver: Option<String>,
    pub compiler: Option<String>,
    /// Why kernels cannot be compiled, if they cannot.
    pub compiler_problem: Option<String>,
    /// Why clocks and throttling are not recorded, if they are not.
    pub telemetry_problem: Option<String>,
}

/// A device in addition to the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtraDevice {
    /// The host that it is in; empty where one process has all devices.
    pub host: String,
    #[serde(flatten)]
    pub device: DeviceRecord,
}

/// A host in addition to that of the first process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtraHost {
    /// Its name.
    pub host: String,
    #[serde(flatten)]
    pub info: HostInfo,
}

/// Where a run's samples come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    pub host: HostInfo,
    pub device: Option<DeviceRecord>,
    /// The devices that it had in addition to the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_devices: Vec<ExtraDevice>,
    /// The hosts that processes of other ranks ran on, each once. Empty where one process did all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_hosts: Vec<ExtraHost>,
    /// How its devices solve together. None where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<DeviceLinks>,
    /// Why there is no device, if there is none.
    pub device_problem: Option<String>,
    pub implementations: Vec<ImplementationRecord>,
    pub ceilings: Ceilings,
    /// The cores that threads of solves on the CPU are pinned to. None where that was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinning: Option<Pinning>,
    /// What this system keeps foreign programs from. None where the run has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protections: Option<Protections>,
}

/// What runs must have in common for their times to be compared: models and versions. Another GPU of the same model is the
/// same machine here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MachineIdentity {
    /// None without a GPU.
    pub gpu: Option<String>,
    pub driver: Option<String>,
    pub compiler: Option<String>,
    pub cpu: String,
    /// Hardware threads of the host.
    pub threads: usize,
}

impl Environment {
    /// The GPU; none where the device is the emulated one.
    pub fn gpu(&self) -> Option<&DeviceRecord> {
        self.device.as_ref().filter(|device| !device.info.emulated)
    }

    /// The model of the GPU, or of the CPU where there is no GPU.
    pub fn model(&self) -> &str {
        self.gpu().map_or(&self.host.cpu, |device| &device.info.name)
    }

    pub fn machine(&self) -> MachineIdentity {
        let gpu = self.gpu();
        MachineIdentity {
            gpu: gpu.map(|device| device.info.name.clone()),
            driver: gpu.and_then(|device| device.driver.clone()),
            compiler: gpu.and_then(|device| device.compiler.clone()),
            cpu: self.host.cpu.clone(),
            threads: self.host.threads,
        }
    }

    /// What differs between where a run's samples come from and where more would come from: the two must not be mixed.
    /// Empty when they may. Ceilings and free memory vary from minute to minute and do not count.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let device = |of: &Self| format!("{:?}", of.device.as_ref().map(|device| &device.info));
        let further = |of: &ExtraDevice| format!("{} {:?}", of.host, of.device.info);
        let together = |of: &Self| of.together.clone().unwrap_or_else(DeviceLinks::alone);
        let kernels = |of: &ImplementationRecord| format!("{} {:?}", of.implementation, of.source_hash);
        let host = |of: &HostInfo| format!("{} {} {}", of.cpu, of.threads, of.kernel);
        let parts = |of: &Self| {
            [
                ("device", device(of)),
                ("further devices", of.further_devices.iter().map(further).collect()),
                ("number of processes", together(of).processes.to_string()),
                ("NCCL", format!("{:?}", together(of).nccl)),
                ("driver", format!("{:?}", of.device.as_ref().map(|device| &device.driver))),
                ("compiler", format!("{:?}", of.device.as_ref().map(|device| &device.compiler))),
                ("kernels", of.implementations.iter().map(kernels).collect()),
                ("host", host(&of.host)),
            ]
        };
        let both = parts(self).into_iter().zip(parts(other));
        both.filter(|(own, other)| own != other).map(|((what, _), _)| what).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::environment;

    #[test]
    fn another_device_driver_or_compiler_is_told_apart_and_other_ceilings_are_not() {
        let mut base = environment(1);
        base.device.as_mut().unwrap().driver = Some("580.1".into());
        let with = |change: &dyn Fn(&mut DeviceRecord)| {
            let mut other = base.clone();
            other.device.as_mut().map(change);
            base.differences(&other)
        };
        assert!(with(&|_| ()).is_empty());
        assert_eq!(with(&|device| device.info.uuid = "GPU-2".into()), ["device"]);
        assert_eq!(with(&|device| device.driver = None), ["driver"]);
        assert_eq!(with(&|device| device.compiler = Some("NVRTC 12.9".into())), ["compiler"]);
        let mut other = base.clone();
        other.together =
            Some(DeviceLinks { processes: 4, nccl: Some("2.28.3".into()), ..DeviceLinks::default() });
        assert_eq!(base.differences(&other), ["number of processes", "NCCL"]);
        let mut later = other.clone();
        later.together.as_mut().map(|together| together.add_transport("NCCL 2.28.3"));
        assert!(other.differences(&later).is_empty());
        let mut other = base.clone();
        other.ceilings.cpu_tasks_per_s = Some(1.0);
        assert!(base.differences(&other).is_empty());
        other.device = None;
        assert_eq!(base.differences(&other), ["device", "driver", "compiler"]);
    }
}
