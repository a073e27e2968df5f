//! `repro doctor`: what was found on a machine, what is missing, and what to do about it.

use crate::device::cuda::{self, CudaDevice, DriverStatus, Nvrtc};
use crate::device::links::{links, summary};
use crate::device::{Device, DeviceError, emulated, telemetry};
use crate::distributed::nccl::{NCCL_VARIABLE, Nccl};
use crate::implementation::{catalogue, stored_code};
use crate::measure::this_build;
use crate::store::HostInfo;
use repro_base::files::variable;
use repro_base::terminal::{Error, Exit, output};
use repro_machine_code::Disassembler;
use std::fmt::Display;

/// Show what was found on this machine, what is missing, and what to do about it
#[derive(clap::Args)]
#[command(after_help = "Exit codes:
  0  kernels can be timed on a GPU here
  1  they can be checked and counted on the emulated device, and the CPU timed
  2  this machine could not be looked at
  3  only implementations on the CPU can run

What is missing beside that, such as NVML or NCCL, does not change the code.")]
pub struct DoctorArgs {}

const TO_TIME: &str = "to time kernels on a GPU";

/// Looks for what helps most first.
pub fn run(_: &DoctorArgs) -> Result<Exit, Error> {
    let mut report = DoctorReport::default();
    machine(&mut report);
    let driver = cuda::driver_status();
    let cuda = driver.as_ref().map(|status| format!("supports CUDA {}", status.cuda));
    report.result("CUDA driver", TO_TIME, cuda);
    let device = driver.as_ref().ok().and_then(|status| devices(&mut report, status));
    let nvrtc = nvrtc(driver.as_ref().ok(), device.as_ref());
    let can_time = device.is_some() && nvrtc.is_ok();
    report.result("NVRTC", TO_TIME, nvrtc);
    let compiler = emulated::toolchain();
    let can_emulate = compiler.is_ok();
    let compiler = compiler.map(|found| format!("{}: {}", found.version(), found.program().display()));
    report.result("C++ compiler", "to check and count kernels on the emulated device", compiler);
    match telemetry::driver_version().map(|version| format!("driver {version}")) {
        Err(_) if driver.is_err() => report.found("NVML", "comes with the CUDA driver"),
        driver => report.result("NVML", "to record clocks and throttling", driver),
    }
    several_gpus(&mut report, driver.as_ref().map_or(&[], |status| &status.uuids));
    let disassembler = Disassembler::find()
        .map(|found| format!("{}: {} (from {})", found.version(), found.program().display(), found.origin()));
    report.result("disassembler", "for repro counts", disassembler);
    let files = |count| format!("{count} files of register-blocked, for capability 9.0");
    let stored = stored_code::index().map_or_else(|damaged| damaged, |index| files(index.code.len()));
    report.found("stored code", stored);
    let cache = emulated::cache_folder().map(|folder| folder.display().to_string());
    let remedy = "set REPRO_CACHE to a folder of your own to keep compiled kernels";
    let cache = cache.map_err(|error| format!("{error}: {remedy}"));
    report.result("kernel cache", "to keep compiled kernels", cache);
    let (exit, on_gpu) = match (can_time, can_emulate) {
        (true, _) => (Exit::Success, "can be timed"),
        (false, true) => {
            (Exit::Failed, "cannot be timed here, but checked and counted on the emulated device")
        }
        (false, false) => (Exit::Inconclusive, "cannot run here, neither on a GPU nor emulated"),
    };
    let (kernels, others): (Vec<_>, Vec<_>) = catalogue().into_iter().partition(|one| one.needs_device());
    let on_cpu: Vec<&str> = others.iter().map(|one| &*one.name).collect();
    let on_cpu = format!("On the CPU: {} can be timed.", on_cpu.join(", "));
    let on_gpu = format!("On a GPU: {} implementations {on_gpu}.", kernels.len());
    output::show(&report.text(&format!("{on_cpu}\n{on_gpu}\n")))?;
    Ok(exit)
}

/// This program and the host.
fn machine(report: &mut DoctorReport) {
    let build = this_build();
    let dirty = if build.dirty { " with uncommitted changes" } else { "" };
    let commit = build.commit.get(..12).unwrap_or(&build.commit);
    report.found("repro", format!("{} ({commit}{dirty}, {} build)", build.version, build.profile));
    let host = HostInfo::capture();
    report.found("CPU", format!("{}, {}", host.cpu, crate::lists::count_of(host.threads, "thread")));
    let simd = if host.simd.is_empty() { "none".into() } else { host.simd.join(", ") };
    report.found("CPU vectors", format!("{simd} (beside the compiler's baseline)"));
    report.found("memory", format!("{} MiB", host.memory_bytes >> 20));
    report.found("system", format!("{}, kernel {}", host.os, host.kernel));
}

/// Names the devices and opens the first, since a driver that lists one may still refuse it.
fn devices(report: &mut DoctorReport, status: &DriverStatus) -> Option<CudaDevice> {
    let Some((first, others)) = status.devices.split_first() else {
        let problem = "the driver finds no GPU: see nvidia-smi, and CUDA_VISIBLE_DEVICES";
        report.result("CUDA device", TO_TIME, Err::<&str, _>(problem));
        return None;
    };
    let device = CudaDevice::open(0);
    let described = device.as_ref().map(|device| {
        let info = device.info();
        let (major, minor) = info.compute_capability;
        let (count, memory, l2) = (info.multiprocessors, info.memory_bytes >> 20, info.l2_bytes >> 10);
        let kind = format!("{first}, compute capability {major}.{minor}, {count} multiprocessors");
        format!("{kind}, {memory} MiB, {l2} KiB L2")
    });
    report.result("cuda:0", TO_TIME, described);
    for (at, name) in others.iter().enumerate() {
        report.found(&format!("cuda:{}", at + 1), name);
    }
    device.ok()
}

fn nvrtc(driver: Option<&DriverStatus>, device: Option<&CudaDevice>) -> Result<String, DeviceError> {
    let major = driver.and_then(|status| status.cuda.split('.').next()?.parse().ok());
    let found = cuda::find_nvrtc(major)?;
    let version = match device {
        Some(device) => device.compiler()?,
        None => Nvrtc::load(&found)?.version(),
    };
    Ok(format!("{version}: {} (from {})", found.path.display(), found.origin))
}

/// NCCL, and what joins several GPUs with these UUIDs.
fn several_gpus(report: &mut DoctorReport, uuids: &[String]) {
    let at = |nccl: Nccl| format!("{}: {} (from {})", nccl.version(), nccl.path().display(), nccl.origin());
    match Nccl::find().map(at) {
        // Nobody misses it who has no use for it and did not name it.
        Err(_) if uuids.len() < 2 && variable(NCCL_VARIABLE).is_none() => {
            report.found("NCCL", "not found; only solves on several GPUs need it");
        }
        nccl => report.result("NCCL", "to solve on several GPUs together", nccl),
    }
    if uuids.len() > 1 {
        let uuids: Vec<&str> = uuids.iter().map(String::as_str).collect();
        let joined = summary(&links(&uuids), "cuda:");
        report.found("GPU links", joined.unwrap_or("unknown, since NVML does not answer".into()));
    }
}

/// In the order in which it was looked for.
#[derive(Default)]
struct DoctorReport {
    lines: String,
    /// What is missing and what to do about it.
    problems: Vec<String>,
}

impl DoctorReport {
    fn found(&mut self, what: &str, value: impl Display) {
        self.lines += &format!("  {what:<14} {value}\n");
    }

    /// What was found, or what is wrong and what to do. Without it something does not work: its `purpose`.
    fn result(&mut self, what: &str, purpose: &str, result: Result<impl Display, impl Display>) {
        let problem = match result {
            Ok(value) => return self.found(what, value),
            Err(problem) => problem.to_string(),
        };
        // Most problems begin with it, as "no CUDA driver" does.
        let is_named = problem.starts_with(&format!("no {what}"));
        let name = if is_named { String::new() } else { format!("{what}, ") };
        let number = self.problems.len() + 1;
        self.problems.push(format!("  {number}. {name}{purpose}: {problem}\n"));
        self.lines += &format!("! {what:<14} missing: see {number} below\n");
    }

    /// What was found, what can be run, and what to do, in the order in which it was looked for.
    fn text(&self, can_be_run: &str) -> String {
        let to_do = if self.problems.is_empty() { "" } else { "\nTo do, what helps most first:\n" };
        format!("{}\n{can_be_run}{to_do}{}", self.lines, self.problems.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_told_once_and_what_was_looked_for_first_comes_first() {
        let mut findings = DoctorReport::default();
        findings.found("CPU", "Abacus 3, 2 threads");
        let missing = |problem: &str| Err::<String, _>(problem.to_string());
        findings.result("CUDA driver", "to time kernels on a GPU", missing("no driver: install it"));
        let purpose = "to check and count kernels on the emulated device";
        findings.result("C++ compiler", purpose, missing("no compiler: install g++"));
        // What a problem names itself is not named before it.
        findings.result("NVML", "to read clocks", missing("no NVML (libnvidia-ml): install it"));
        findings.result("kernel cache", "to keep compiled kernels", missing("no home: set REPRO_CACHE"));
        insta::assert_snapshot!(findings.text("On the CPU: cpu-naive can be timed.\n"), @"
          CPU            Abacus 3, 2 threads
        ! CUDA driver    missing: see 1 below
        ! C++ compiler   missing: see 2 below
        ! NVML           missing: see 3 below
        ! kernel cache   missing: see 4 below

        On the CPU: cpu-naive can be timed.

        To do, what helps most first:
          1. CUDA driver, to time kernels on a GPU: no driver: install it
          2. C++ compiler, to check and count kernels on the emulated device: no compiler: install g++
          3. to read clocks: no NVML (libnvidia-ml): install it
          4. kernel cache, to keep compiled kernels: no home: set REPRO_CACHE
        ");
    }
}
