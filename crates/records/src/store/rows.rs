//! What a run records in addition to its samples, a file of rows each: counts, the times of kernels and of devices, repeated solves, and what the
//! GPU's own counters say.

use super::files::{RecordError, read_records};
use csv::StringRecord;
use repro_base::CellId;
use repro_device::emulated::{Counts, FIELDS};
use repro_device::telemetry::Telemetry;
use repro_solvers::DeviceTimes;
use repro_timing::KernelSeconds;
use serde::de::{DeserializeOwned, Error};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;

pub(super) const COUNTS: &str = "counts.csv";
pub(super) const KERNELS: &str = "kernels.csv";
pub(super) const REPEATS: &str = "repeats.csv";
pub(super) const DEVICES: &str = "devices.csv";
/// A profiler writes it after the run.
pub(super) const COUNTERS: &str = "counters.csv";

/// The rows of a run other than its samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtraRows {
    pub counts: Vec<CountRow>,
    pub kernel_times: Vec<KernelTimeRow>,
    pub repeats: Vec<RepeatsRow>,
    pub devices: Vec<DeviceTimeRow>,
    pub counters: Vec<CounterRow>,
}

/// The cell that a row is about, whose columns come first, and what was found of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRow<T> {
    pub cell: CellId,
    pub of: T,
}

impl<T> Deref for CellRow<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.of
    }
}

impl<T: Serialize> Serialize for CellRow<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.cell, &self.of).serialize(serializer)
    }
}

/// Reads a CSV file of rows about cells, by the names of its columns; a missing file has no rows.
///
/// # Errors
/// The file, the line and what is wrong with it.
pub fn read_cell_rows<T: DeserializeOwned>(path: &Path) -> Result<Vec<CellRow<T>>, RecordError> {
    let row = |record: &StringRecord, headers: &StringRecord| {
        let (cell, of) = (record.deserialize(Some(headers))?, record.deserialize(Some(headers))?);
        Ok(CellRow { cell, of })
    };
    read_records(path, row)
}

/// A row of `counters.csv`.
pub type CounterRow = CellRow<Counters>;
/// A row of `kernels.csv`.
pub type KernelTimeRow = CellRow<KernelTime>;
/// A row of `devices.csv`.
pub type DeviceTimeRow = CellRow<DeviceTime>;
/// A row of `repeats.csv`.
pub type RepeatsRow = CellRow<RepeatTimes>;

/// The time of a kernel of a cell, and the bytes that it moves according to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelTime {
    pub kernel: String,
    pub launches: u64,
    /// Time of all launches in one solve, each from the event before it to the event before the next; the median of some solves.
    pub seconds: f64,
    /// Global memory, bytes that threads load in one solve, by the implementation's model if it has one.
    pub loaded_bytes: Option<u64>,
    /// Global memory, bytes that threads store in one solve, by the implementation's model if it has one.
    pub stored_bytes: Option<u64>,
}

impl KernelTimeRow {
    /// `moved` are the bytes that it loads and stores, by a model.
    pub fn new(cell: &CellId, of: &KernelSeconds, moved: Option<(u64, u64)>) -> Self {
        let KernelSeconds { kernel, launches, seconds } = of.clone();
        let (loaded_bytes, stored_bytes) = moved.unzip();
        Self { cell: cell.clone(), of: KernelTime { kernel, launches, seconds, loaded_bytes, stored_bytes } }
    }
}

/// What the GPU's own counters say of a kernel of a cell, as `scripts/nsight-limits` writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    pub kernel: String,
    /// The GPU that counted, by its unique identifier.
    pub gpu: String,
    /// In a solve.
    pub launches: u64,
    /// How many of those launches were counted.
    pub profiled: u64,
    /// Bytes between the L2 cache and DRAM in a solve: those of the counted launches, scaled up to all launches.
    pub dram_bytes: u64,
    /// Bytes between the multiprocessors' caches and the L2 cache in a solve, by the launches that were counted.
    pub l2_bytes: u64,
    /// Traffic to DRAM, percent of its peak while the kernel ran.
    pub dram_percent: f64,
    /// The busiest unit of the multiprocessors, percent of its peak.
    pub multiprocessor_percent: f64,
    /// Cycles in which a scheduler issued an instruction, percent of all.
    pub issue_percent: f64,
    /// The least and the most of any launch that was counted.
    pub dram_percent_low: f64,
    pub dram_percent_high: f64,
    pub multiprocessor_percent_low: f64,
    pub multiprocessor_percent_high: f64,
    pub issue_percent_low: f64,
    pub issue_percent_high: f64,
}

/// Where the time of a sample went on a device that had a part of the matrix. Seconds are between events of that device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceTime {
    /// The sample's number within its cell, as in `samples.csv`.
    pub sample: usize,
    /// Its number among all devices of the solve.
    pub device: usize,
    /// The host that it is in; empty where one process had all devices.
    pub host: String,
    /// From the first event of the solve to the last.
    pub solve_s: f64,
    /// Time in which it had tiles to work on.
    pub compute_s: f64,
    /// Time in which it had no tiles and waited for a panel.
    pub waiting_s: f64,
    /// Time that its broadcasts took, during work on tiles or not.
    pub communication_s: f64,
}

impl DeviceTimeRow {
    pub fn new(cell: &CellId, sample: usize, host: &str, times: &DeviceTimes) -> Self {
        let of = DeviceTime {
            sample,
            device: times.device,
            host: host.to_string(),
            solve_s: times.solve,
            compute_s: times.compute,
            waiting_s: times.waiting,
            communication_s: times.communication,
        };
        Self { cell: cell.clone(), of }
    }
}

/// The outcome of a cell's solves that were made one after another on the device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepeatTimes {
    /// The number of solves, each with a copy of the graph within the device and a checksum of the result.
    pub solves: u64,
    /// How many of these had a result that differs in any bit from the first one, which the host verified.
    pub different: u64,
    /// From before the first to after the last, by the host's clock.
    pub seconds: f64,
    /// Energy that the GPU used meanwhile, by its own counter; None where it has no such counter.
    pub joules: Option<f64>,
    /// Lowest clock of the multiprocessors, MHz.
    pub sm_mhz: Option<u32>,
    /// Highest power, W.
    pub power_w: Option<f64>,
    /// Highest temperature, degrees Celsius.
    pub temperature_c: Option<u32>,
    /// Why clocks were held down, with + between reasons.
    pub throttled_by: String,
}

impl RepeatTimes {
    /// Adds what the GPU's telemetry reported meanwhile.
    #[must_use]
    pub fn watched(self, telemetry: Option<Telemetry>) -> Self {
        let Telemetry { sm_mhz, power_w, temperature_c, throttled_by, .. } = telemetry.unwrap_or_default();
        Self { sm_mhz, power_w, temperature_c, throttled_by: throttled_by.join("+"), ..self }
    }
}

/// All launches of one kernel in one solve. Files have a column a figure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountRow {
    pub cell: CellId,
    pub kernel: String,
    pub counts: Counts,
    /// Tasks that its blocks did, those of padding vertices included. None for a kernel that does no tasks.
    pub tasks: Option<u64>,
    /// How many of its launches left a matrix that the plain algorithm has after no iteration. None where this was not checked.
    pub unlike_plain: Option<u64>,
}

impl CountRow {
    pub fn new(cell: &CellId, kernel: &str, counts: &Counts, tasks: Option<u64>) -> Self {
        Self { cell: cell.clone(), kernel: kernel.to_string(), counts: *counts, tasks, unlike_plain: None }
    }
}

impl Serialize for CountRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("CountRow", FIELDS.len() + 7)?;
        row.serialize_field("implementation", &self.cell.implementation)?;
        row.serialize_field("n", &self.cell.n)?;
        row.serialize_field("params", &self.cell.params)?;
        row.serialize_field("kernel", &self.kernel)?;
        for (name, place) in FIELDS {
            row.serialize_field(name, place(&mut { self.counts }))?;
        }
        row.serialize_field("graph", &self.cell.graph)?;
        row.serialize_field("tasks", &self.tasks)?;
        row.serialize_field("unlike_plain", &self.unlike_plain)?;
        row.end()
    }
}

/// Reads a row by the names of its columns, in whatever order; unknown columns are ignored.
impl<'de> Deserialize<'de> for CountRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let columns = BTreeMap::<String, String>::deserialize(deserializer)?;
        let text = |name| columns.get(name).ok_or_else(|| D::Error::missing_field(name));
        let number = |name, text: &str| {
            text.parse::<u64>().map_err(|error| D::Error::custom(format!("column `{name}`: {error}")))
        };
        let known = |name| {
            let given = columns.get(name).filter(|text| !text.is_empty());
            given.map(|text| number(name, text)).transpose()
        };
        // Early runs with one graph had no column for its name.
        let graph = columns.get("graph").map_or("", String::as_str);
        let n = number("n", text("n")?)? as usize;
        let cell = CellId::new(text("implementation")?, n, text("params")?, graph);
        let mut counts = Counts::default();
        for (name, place) in FIELDS {
            *place(&mut counts) = number(name, text(name)?)?;
        }
        let (tasks, unlike_plain) = (known("tasks")?, known("unlike_plain")?);
        Ok(Self { cell, kernel: text("kernel")?.clone(), counts, tasks, unlike_plain })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{read_rows, write_rows};

    #[test]
    fn a_column_that_is_missing_or_comes_twice_and_what_is_no_count_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counts.csv");
        assert_eq!(read_rows::<CountRow>(&path).unwrap(), []);
        let counts = Counts { launches: 200, ..Counts::default() };
        let row = CountRow::new(&CellId::new("a", 64, "x=1", "g"), "k", &counts, Some(300));
        let text = String::from_utf8(write_rows(&[row], true)).unwrap();
        for (from, to, told) in [
            ("atomics", "other", "missing field `atomics`"),
            ("atomics", "threads", "`threads` comes twice"),
            ("x=1,k,200", "x=1,k,-1", "invalid digit"),
        ] {
            std::fs::write(&path, text.replace(from, to)).unwrap();
            let error = read_rows::<CountRow>(&path).unwrap_err().to_string();
            assert!(error.contains("counts.csv") && error.contains(told), "{error}");
        }
    }
}
