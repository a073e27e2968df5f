//! `repro doctor`

use super::{Error, Exit, output};
use crate::device::DeviceError;
use crate::device::cuda::{self, CudaDevice, Disassembler, DriverStatus, Nvrtc};
use crate::device::emulated;
use crate::device::{Device, cache_folder, telemetry};
use crate::implementation::catalogue;
use crate::record::{Build, HostInfo};
use std::fmt::Write;

pub fn run() -> Result<Exit, Error> {
    let mut report = Report::default();
    let build = Build::current();
    let dirty = if build.dirty { " with uncommitted changes" } else { "" };
    let commit = build.commit.get(..12).unwrap_or(&build.commit);
    report.found("repro", format!("{} ({commit}{dirty}, {} build)", build.version, build.profile));
    let host = HostInfo::capture();
    report.found("CPU", format!("{}, {} threads", host.cpu, host.threads));
    let simd = if host.simd.is_empty() { "none".into() } else { host.simd.join(", ") };
    report.found("CPU vectors", format!("{simd} (beside the compiler's baseline)"));
    report.found("memory", format!("{} MiB", host.memory_bytes >> 20));
    report.found("system", format!("{}, kernel {}", host.os, host.kernel));
    let driver = cuda::driver_status();
    let device = device(&mut report, &driver);
    compiler(&mut report, &driver, device.as_ref());
    report.result(
        "disassembler",
        Disassembler::find().map(|found| {
            let place = found.program().display();
            format!("{}: {place} (from {}), for repro counts", found.version(), found.origin())
        }),
    );
    let emulated = emulated::toolchain();
    report.result(
        "C++ compiler",
        emulated
            .as_ref()
            .map(|found| format!("{}: {}", found.version(), found.program().display()))
            .map_err(Clone::clone),
    );
    report.result("NVML", telemetry::driver_version().map(|version| format!("driver {version}")));
    match cache_folder() {
        Some(folder) => report.found("kernel cache", folder.display().to_string()),
        None => report.problem("kernel cache", "no home folder: set REPRO_CACHE to keep compiled kernels"),
    }
    let on_device = match &device {
        Some(device) => device.compiler().map(|_| ()),
        None => {
            Err(driver.err().unwrap_or_else(|| DeviceError::unavailable("no CUDA device could be opened")))
        }
    };
    report.text += "\nImplementations:\n";
    for implementation in catalogue() {
        let status = match (implementation.needs_device(), &on_device) {
            (true, Err(_)) if emulated.is_ok() => {
                "can be checked and counted on the emulated device; to be timed it needs a CUDA device and NVRTC"
            }
            (true, Err(_)) => "cannot run: needs a CUDA device and NVRTC, or a C++ compiler, see above",
            _ => "can run",
        };
        writeln!(report.text, "  {:<18} {status}", implementation.name)?;
    }
    output::print(&report.text)?;
    Ok(Exit::Success)
}

/// Opens the first device, since a driver that lists one may still refuse it.
fn device(report: &mut Report, driver: &Result<DriverStatus, DeviceError>) -> Option<CudaDevice> {
    let status = match driver {
        Ok(status) => status,
        Err(error) => {
            report.problem("CUDA", &error.message);
            return None;
        }
    };
    report.found("CUDA", format!("driver supports CUDA {}", status.cuda));
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
            Err(error) => report.problem(&label, &error.message),
        }
    }
    first
}

fn compiler(report: &mut Report, driver: &Result<DriverStatus, DeviceError>, device: Option<&CudaDevice>) {
    let major = driver.as_ref().ok().and_then(|status| status.cuda.split('.').next()?.parse().ok());
    let found = match cuda::find_nvrtc(major) {
        Ok(found) => found,
        Err(error) => return report.problem("NVRTC", &error.message),
    };
    let place = format!("{} (from {})", found.path.display(), found.origin);
    match device {
        Some(device) => {
            report.result("NVRTC", device.compiler().map(|version| format!("{version}: {place}")))
        }
        None => {
            report.result("NVRTC", Nvrtc::load(&found).map(|nvrtc| format!("{}: {place}", nvrtc.version())))
        }
    }
}

#[derive(Default)]
struct Report {
    text: String,
}

impl Report {
    fn found(&mut self, what: &str, value: String) {
        self.text += &format!("  {what:<14} {value}\n");
    }

    fn problem(&mut self, what: &str, problem: &str) {
        self.text += &format!("! {what:<14} {problem}\n");
    }

    fn result(&mut self, what: &str, result: Result<String, DeviceError>) {
        match result {
            Ok(value) => self.found(what, value),
            Err(error) => self.problem(what, &error.message),
        }
    }
}
