//! Clocks, power, temperature and throttling of a GPU through NVML, which is loaded when first asked for.

use crate::DeviceError;
use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use serde::{Deserialize, Serialize};
use std::sync::mpsc;
use std::time::Duration;

/// How often a running sample is looked at. A reading takes about a millisecond of one core.
const PERIOD: Duration = Duration::from_millis(100);

/// One look at a GPU, or the worst of several: lowest clocks, highest power and temperature, all throttle reasons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Telemetry {
    /// Clock of the multiprocessors, MHz.
    pub sm_mhz: Option<u32>,
    /// Clock of the memory, MHz.
    pub memory_mhz: Option<u32>,
    /// Power draw, W.
    pub power_w: Option<f64>,
    /// Degrees Celsius.
    pub temperature_c: Option<u32>,
    /// Why clocks are held below what was asked for; an idle GPU and a user's own clock setting do not count.
    pub throttled_by: Vec<String>,
}

impl Telemetry {
    /// Whether the GPU was slowed down against its will.
    pub fn is_throttled(&self) -> bool {
        !self.throttled_by.is_empty()
    }

    fn merge(&mut self, other: Telemetry) {
        let low = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        self.sm_mhz = low(self.sm_mhz, other.sm_mhz);
        self.memory_mhz = low(self.memory_mhz, other.memory_mhz);
        self.power_w = self.power_w.into_iter().chain(other.power_w).reduce(f64::max);
        self.temperature_c = self.temperature_c.into_iter().chain(other.temperature_c).max();
        for reason in other.throttled_by {
            if !self.throttled_by.contains(&reason) {
                self.throttled_by.push(reason);
            }
        }
    }
}

/// The driver's version from NVML, for example "580.159.04".
///
/// # Errors
/// When NVML is missing or does not start.
pub fn driver_version() -> Result<String, DeviceError> {
    start()?.sys_driver_version().map_err(|error| unavailable(&error))
}

pub(super) fn start() -> Result<Nvml, DeviceError> {
    Nvml::init().map_err(|error| unavailable(&error))
}

fn unavailable(error: &nvml_wrapper::error::NvmlError) -> DeviceError {
    DeviceError::unavailable(format!(
        "NVML does not answer ({error}): what it reports will not be recorded; it comes with the NVIDIA driver"
    ))
}

/// Watches one GPU from a thread of its own.
pub struct Monitor {
    requests: mpsc::Sender<MonitorRequest>,
    replies: mpsc::Receiver<Telemetry>,
}

enum MonitorRequest {
    Start,
    Stop,
}

impl Monitor {
    /// Starts watching the GPU with this UUID.
    ///
    /// # Errors
    /// When NVML is missing or does not know the GPU.
    pub fn open(uuid: &str) -> Result<Self, DeviceError> {
        let nvml = start()?;
        nvml.device_by_uuid(uuid).map_err(|error| unavailable(&error))?;
        let uuid = uuid.to_string();
        let (requests, inbox) = mpsc::channel();
        let (outbox, replies) = mpsc::channel();
        std::thread::spawn(move || watch(&nvml, &uuid, &inbox, &outbox));
        Ok(Self { requests, replies })
    }

    /// A sample begins. The first reading comes one period later, so that a short sample is not disturbed.
    pub fn start(&self) {
        let _ = self.requests.send(MonitorRequest::Start);
    }

    /// The window has ended: what was seen in it and right after it.
    pub fn stop(&self) -> Option<Telemetry> {
        self.requests.send(MonitorRequest::Stop).ok()?;
        self.replies.recv().ok()
    }
}

/// The energy counter of one GPU.
pub struct EnergyCounter {
    nvml: Nvml,
    uuid: String,
}

impl EnergyCounter {
    /// Opens the counter of the GPU with this UUID.
    ///
    /// # Errors
    /// When NVML is missing, or the GPU has no such counter.
    pub fn open(uuid: &str) -> Result<Self, DeviceError> {
        let counter = Self { nvml: start()?, uuid: uuid.to_string() };
        counter.joules().map(|_| counter)
    }

    /// What the GPU has taken since its driver was loaded, J. The driver updates it about ten times a second.
    ///
    /// # Errors
    /// When NVML does not provide it.
    pub fn joules(&self) -> Result<f64, DeviceError> {
        let device = self.nvml.device_by_uuid(self.uuid.as_str()).map_err(|error| unavailable(&error))?;
        let millijoules = device.total_energy_consumption().map_err(|error| unavailable(&error))?;
        Ok(millijoules as f64 * 1e-3)
    }
}

fn watch(nvml: &Nvml, uuid: &str, inbox: &mpsc::Receiver<MonitorRequest>, outbox: &mpsc::Sender<Telemetry>) {
    while let Ok(request) = inbox.recv() {
        if matches!(request, MonitorRequest::Stop) {
            let _ = outbox.send(read(nvml, uuid));
            continue;
        }
        let mut seen = Telemetry::default();
        while let Err(mpsc::RecvTimeoutError::Timeout) = inbox.recv_timeout(PERIOD) {
            seen.merge(read(nvml, uuid));
        }
        seen.merge(read(nvml, uuid));
        if outbox.send(seen).is_err() {
            return;
        }
    }
}

/// What does not answer is left out: some GPUs lack some sensors.
fn read(nvml: &Nvml, uuid: &str) -> Telemetry {
    let Ok(device) = nvml.device_by_uuid(uuid) else { return Telemetry::default() };
    Telemetry {
        sm_mhz: device.clock_info(Clock::SM).ok(),
        memory_mhz: device.clock_info(Clock::Memory).ok(),
        power_w: device.power_usage().ok().map(|milliwatts| f64::from(milliwatts) * 1e-3),
        temperature_c: device.temperature(TemperatureSensor::Gpu).ok(),
        throttled_by: device.current_throttle_reasons().map(slowing_reasons).unwrap_or_default(),
    }
}

fn slowing_reasons(reasons: ThrottleReasons) -> Vec<String> {
    [
        (ThrottleReasons::SW_POWER_CAP, "power-cap"),
        (ThrottleReasons::HW_SLOWDOWN, "hardware-slowdown"),
        (ThrottleReasons::SYNC_BOOST, "sync-boost"),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, "thermal"),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, "hardware-thermal"),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "power-brake"),
    ]
    .into_iter()
    .filter(|(flag, _)| reasons.contains(*flag))
    .map(|(_, name)| name.to_string())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_several_looks_is_kept() {
        let look = |sm, power, reasons: &[&str]| Telemetry {
            sm_mhz: Some(sm),
            power_w: Some(power),
            throttled_by: reasons.iter().map(ToString::to_string).collect(),
            ..Telemetry::default()
        };
        let mut seen = Telemetry::default();
        seen.merge(look(1980, 300.0, &[]));
        seen.merge(look(1500, 700.0, &["power-cap"]));
        seen.merge(look(1980, 400.0, &["power-cap"]));
        assert_eq!(seen, look(1500, 700.0, &["power-cap"]));
        assert!(seen.is_throttled());
    }

    #[test]
    fn an_idle_gpu_or_a_chosen_clock_is_not_throttled() {
        let harmless = ThrottleReasons::GPU_IDLE | ThrottleReasons::APPLICATIONS_CLOCKS_SETTING;
        assert!(slowing_reasons(harmless).is_empty());
        assert_eq!(slowing_reasons(harmless | ThrottleReasons::SW_POWER_CAP), ["power-cap"]);
    }
}
