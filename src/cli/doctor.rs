//! `repro doctor`

mod findings;

use crate::device::cuda::{self, CudaDevice, DriverStatus, Nvrtc};
use crate::device::{Device, DeviceError, emulated, telemetry};
use crate::implementation::{catalogue, stored};
use crate::measure::this_build;
use crate::store::HostInfo;
use repro_base::terminal::{Error, Exit, output};
use repro_machine_code::Disassembler;

use findings::{Findings, Need, Ready};

#[derive(clap::Args)]
#[command(after_help = "Exit codes:
  0  kernels can be timed on a GPU here
  1  they cannot be timed; they can be checked and counted on the emulated device, and the CPU can be timed
  2  this machine could not be looked at
  3  only implementations on the CPU can run

What is missing beside that, such as NVML or NCCL, does not change the code.")]
pub struct Arguments {}

pub fn run(_: &Arguments) -> Result<Exit, Error> {
    let mut report = Findings::default();
    let build = this_build();
    let dirty = if build.dirty { " with uncommitted changes" } else { "" };
    let commit = build.commit.get(..12).unwrap_or(&build.commit);
    report.found("repro", format!("{} ({commit}{dirty}, {} build)", build.version, build.profile));
    let host = HostInfo::capture();
    report.found("CPU", format!("{}, {} threads", host.cpu, host.threads));
    let simd = if host.simd.is_empty() { "none".into() } else { host.simd.join(", ") };
    report.found("CPU vectors", format!("{simd} (in addition to the compiler's baseline)"));
    report.found("memory", format!("{} MiB", host.memory_bytes >> 20));
    report.found("system", format!("{}, kernel {}", host.os, host.kernel));
    let driver = cuda::driver_status();
    let device = device(&mut report, &driver);
    compiler(&mut report, &driver, device.as_ref());
    match telemetry::driver_version() {
        Ok(version) => report.found("NVML", format!("driver {version}")),
        // It comes with the driver, which is named already where it is missing.
        Err(_) if driver.is_err() => report.missing_with("NVML", Need::Driver),
        Err(error) => report.missing("NVML", Need::Telemetry, &error.message),
    }
    findings::add(&mut report, driver.as_ref().map_or(&[], |status| &status.uuids));
    let emulated =
        emulated::toolchain().map(|found| format!("{}: {}", found.version(), found.program().display()));
    let can_emulate = emulated.is_ok();
    report.result("C++ compiler", Need::CxxCompiler, emulated);
    let disassembler = Disassembler::find()
        .map(|found| format!("{}: {} (from {})", found.version(), found.program().display(), found.origin()));
    report.result("disassembler", Need::Disassembler, disassembler);
    let stored = stored::index().map_or_else(
        |damaged| damaged,
        |index| format!("{} files of register-blocked, for compute capability 9.0", index.code.len()),
    );
    report.found("stored code", stored);
    match emulated::cache_folder() {
        Ok(folder) => report.found("kernel cache", folder.display().to_string()),
        Err(error) => report.missing(
            "kernel cache",
            Need::Cache,
            &format!("{error}: set REPRO_CACHE to a folder of your own to keep compiled kernels"),
        ),
    }
    let can_time = device.is_some_and(|device| device.compiler().is_ok());
    let ready = match (can_time, can_emulate) {
        (true, _) => Ready::Gpu,
        (false, true) => Ready::Emulated,
        (false, false) => Ready::Cpu,
    };
    let names = |on_device: bool| -> Vec<String> {
        let all = catalogue().into_iter().filter(|one| one.needs_device() == on_device);
        all.map(|one| one.name.to_string()).collect()
    };
    output::show(&report.text(ready, &names(true), &names(false)))?;
    Ok(match ready {
        Ready::Gpu => Exit::Success,
        Ready::Emulated => Exit::Failed,
        Ready::Cpu => Exit::Inconclusive,
    })
}

/// Opens the first device, since a driver that lists one may still refuse it.
fn device(report: &mut Findings, driver: &Result<DriverStatus, DeviceError>) -> Option<CudaDevice> {
    let status = match driver {
        Ok(status) => status,
        Err(error) => {
            report.missing("CUDA driver", Need::Driver, &error.message);
            return None;
        }
    };
    report.found("CUDA driver", format!("supports CUDA {}", status.cuda));
    if status.devices.is_empty() {
        report.missing(
            "CUDA device",
            Need::Device,
            "the driver finds no GPU: see nvidia-smi, and CUDA_VISIBLE_DEVICES",
        );
    }
    let mut first = None;
    for (ordinal, name) in status.devices.iter().enumerate() {
        let label = format!("cuda:{ordinal}");
        if ordinal > 0 {
            report.found(&label, name.clone());
            continue;
        }
        match CudaDevice::open(ordinal) {
            Ok(device) => {
                let info = device.info();
                let (major, minor) = info.compute_capability;
                report.found(
                    &label,
                    format!(
                        "{name}, compute capability {major}.{minor}, {} multiprocessors, {} MiB, {} KiB L2",
                        info.multiprocessors,
                        info.memory_bytes >> 20,
                        info.l2_bytes >> 10
                    ),
                );
                first = Some(device);
            }
            Err(error) => report.missing(&label, Need::Device, &error.message),
        }
    }
    first
}

fn compiler(report: &mut Findings, driver: &Result<DriverStatus, DeviceError>, device: Option<&CudaDevice>) {
    let major = driver.as_ref().ok().and_then(|status| status.cuda.split('.').next()?.parse().ok());
    let found = match cuda::find_nvrtc(major) {
        Ok(found) => found,
        Err(error) => return report.missing("NVRTC", Need::Nvrtc, &error.message),
    };
    let place = format!("{} (from {})", found.path.display(), found.origin);
    let version = match device {
        Some(device) => device.compiler(),
        None => Nvrtc::load(&found).map(|nvrtc| nvrtc.version()),
    };
    report.result("NVRTC", Need::Nvrtc, version.map(|version| format!("{version}: {place}")));
}
