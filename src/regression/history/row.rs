//! A row of a history.

use super::table::Row;
use crate::plan::GraphSource;
use crate::regression::CellKind;
use crate::regression::kind::PROGRAM_CLOCKS;
use crate::results::{StoredRun, SummaryRow};
use crate::store::{SampleRow, is_loaded};
use crate::timing::{Estimate, Scope, median, median_confidence};
use repro_types::CellId;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::hash::Hash;

/// Hexadecimal digits of [`HistoryRow::graph_digest`].
const DIGITS: usize = 8;

/// What one cell took in one run, and on what. Texts hold no line end: a row is a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryRow {
    /// When the run was started, RFC 3339.
    pub time: String,
    /// Git's commit of the build, or "unknown".
    pub commit: String,
    /// Whether the build had uncommitted changes.
    pub dirty: bool,
    /// Name of the experiment.
    pub experiment: String,
    pub cell: CellId,
    /// What the clock enclosed.
    pub scope: Scope,
    /// How many samples the median is of.
    pub samples: usize,
    /// The median with its interval.
    pub seconds: Estimate,
    /// The confidence that the interval has, 0 to 1: 0 for one sample, which has no interval.
    pub ci_confidence: f64,
    /// The GPU's model; empty for what ran on the CPU.
    pub device: String,
    /// Tells GPUs of one model apart; empty for what ran on the CPU.
    pub device_uuid: String,
    pub driver: String,
    /// What compiled the kernels, with its version; empty for what ran on the CPU.
    pub compiler: String,
    pub host_cpu: String,
    /// Median of the multiprocessors' clock over the samples, MHz; none where it was not read.
    pub sm_mhz: Option<u32>,
    /// Whether it was measured in turn with another build, which takes its turns on the same device and slows small cells.
    pub beside: bool,
    /// Median of the GPU's power over the samples, W; none where it was not read.
    pub power_w: Option<f64>,
    /// Median of the GPU's temperature over the samples, °C; none where it was not read.
    pub temperature_c: Option<u32>,
    /// Whether the GPU held its clocks down during any sample, also one that was repeated for it; none for what ran on the CPU.
    pub throttled: Option<bool>,
    /// The most that others used of the host over a sample, as a share of the time of the cores that it was solved on; none
    /// where the system does not say.
    pub others_load: Option<f64>,
    /// Eight hexadecimal digits that distinguish graphs of one name. The last column, since its fixed width shows whether a last
    /// line without a line end is whole: a number that lost digits would still be a number.
    pub graph_digest: String,
}

impl HistoryRow {
    /// The model that computed: the GPU's, or the CPU's.
    pub fn model(&self) -> &str {
        if self.device.is_empty() { &self.host_cpu } else { &self.device }
    }

    /// Whether it was measured on a GPU.
    pub fn is_on_gpu(&self) -> bool {
        !self.device.is_empty()
    }

    /// The time since 1970; none where it is no time, which [`HistoryRow::check`] refuses.
    pub fn timestamp(&self) -> Option<jiff::Timestamp> {
        self.time.parse().ok()
    }

    /// Whether the interval says something: one sample has none.
    pub fn has_interval(&self) -> bool {
        self.samples > 1 && self.ci_confidence > 0.0
    }

    /// Whether a circumstance that passes changed its time: the GPU was throttled, or others used the cores. It says nothing
    /// of the build.
    pub fn is_disturbed(&self) -> bool {
        self.throttled == Some(true) || self.others_load.is_some_and(is_loaded)
    }
}

impl Row for HistoryRow {
    const HEADER: &str = "time,commit,dirty,experiment,implementation,n,params,graph,scope,samples,median_s,ci_low_s,ci_high_s,\
                          ci_confidence,device,device_uuid,driver,compiler,host_cpu,sm_mhz,beside,\
                          power_w,temperature_c,throttled,others_load,graph_digest\n";

    fn check(&self) -> Result<(), String> {
        if self.timestamp().is_none() {
            return Err(format!("time = {} is not of RFC 3339", self.time));
        }
        let Estimate { value, low, high } = self.seconds;
        if !(value.is_finite() && value > 0.0) {
            return Err(format!("median_s = {value} is no time"));
        }
        if !(high.is_finite() && low <= value && value <= high) {
            return Err(format!("the interval {low} to {high} does not hold the median {value}"));
        }
        if !(0.0..=1.0).contains(&self.ci_confidence) {
            return Err(format!("ci_confidence = {} is not from 0 to 1", self.ci_confidence));
        }
        if self.samples == 0 {
            return Err("samples = 0: a median is of at least one".into());
        }
        for (name, value) in [("power_w", self.power_w), ("others_load", self.others_load)] {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
                return Err(format!("{name} = {value} is not a number from 0 on"));
            }
        }
        let digest = &self.graph_digest;
        if digest.len() != DIGITS || !digest.bytes().all(|c| c.is_ascii_hexdigit()) {
            return Err(format!("graph_digest = {digest} is not of {DIGITS} hexadecimal digits"));
        }
        Ok(())
    }

    /// The device and the median too: two runs may be started in one second.
    fn identity(&self) -> impl Eq + Hash {
        let Self { time, commit, experiment, graph_digest, device_uuid, host_cpu, .. } = self;
        let texts = [time, commit, experiment, graph_digest, device_uuid, host_cpu];
        (texts, &self.cell, self.scope, self.seconds.value.to_bits())
    }
}

/// The rows of a run: one for each cell that has a median, of scope `kernel`, and of programs of the clock that they are compared by, in the order
/// of the summary.
pub fn rows_of(run: &StoredRun) -> Vec<HistoryRow> {
    let manifest = &run.manifest;
    let host_cpu = run.environment().map_or("", |environment| &environment.host.cpu);
    let throttled: HashSet<CellId> = run
        .samples
        .iter()
        .filter(|row| row.in_use().is_some() && !row.throttled_by.is_empty())
        .map(SampleRow::cell)
        .collect();
    let row = |summary: &SummaryRow| {
        let cell = summary.cell();
        let read = run.cell(&cell);
        let kernel = read.timed(Scope::Kernel);
        let clock = kernel.or_else(|| PROGRAM_CLOCKS.into_iter().find_map(|scope| read.timed(scope)));
        let clock = clock.filter(|clock| clock.seconds.value > 0.0)?;
        let device = device_of(run).filter(|_| CellKind::timed(run, &cell, clock.scope).on_gpu);
        // By the clock of kernels, which every sample on a device has.
        let rows: Vec<&SampleRow> = kernel.into_iter().flat_map(|clock| clock.rows(&run.samples)).collect();
        let of_device = |text: Option<&String>| one_line(text.map_or("", String::as_str));
        Some(HistoryRow {
            time: manifest.started.clone(),
            commit: one_line(&manifest.build.commit),
            dirty: manifest.build.dirty,
            experiment: one_line(&manifest.experiment.name),
            cell: CellId {
                implementation: one_line(&summary.implementation),
                n: summary.n,
                params: one_line(&summary.params),
                graph: one_line(&summary.graph),
            },
            scope: clock.scope,
            samples: clock.samples.len(),
            seconds: clock.seconds,
            ci_confidence: median_confidence(clock.samples.len()),
            device: of_device(device.map(|device| &device.info.name)),
            device_uuid: of_device(device.map(|device| &device.info.uuid)),
            driver: of_device(device.and_then(|device| device.driver.as_ref())),
            compiler: of_device(device.and_then(|device| device.compiler.as_ref())),
            host_cpu: one_line(host_cpu),
            sm_mhz: device.and_then(|_| middle(&rows, |row| row.sm_mhz.map(f64::from)).map(whole)),
            beside: manifest.pair.is_some(),
            power_w: device.and_then(|_| middle(&rows, |row| row.power_w)),
            temperature_c: device
                .and_then(|_| middle(&rows, |row| row.temperature_c.map(f64::from)).map(whole)),
            throttled: device.map(|_| throttled.contains(&cell)),
            others_load: summary.others_load,
            graph_digest: digest(run.graph_source(&summary.graph)),
        })
    };
    run.results.summary.iter().filter_map(row).collect()
}

/// The name of the file that a run belongs into: after its GPU, or its CPU where it had none; `nvidia-h200.csv`.
pub fn file_for(run: &StoredRun) -> String {
    let cpu = || run.environment().map_or("", |environment| &environment.host.cpu);
    let name = device_of(run).map_or_else(cpu, |device| &device.info.name);
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_lowercase();
    format!("{}.csv", if slug.is_empty() { "unknown" } else { &slug })
}

/// The GPU of a run.
fn device_of(run: &StoredRun) -> Option<&crate::store::DeviceRecord> {
    run.environment()?.gpu()
}

/// The median of what samples have; none where none has it.
fn middle(rows: &[&SampleRow], of: fn(&SampleRow) -> Option<f64>) -> Option<f64> {
    median(&rows.iter().filter_map(|row| of(row)).collect::<Vec<_>>())
}

fn whole(value: f64) -> u32 {
    value.round() as u32
}

/// Of what the manifest says of the graph; of a file, of what is in it, wherever it lies.
fn digest(source: Option<&GraphSource>) -> String {
    let described = match source {
        Some(GraphSource::File { digest, .. }) => digest.clone(),
        // Numbers and names alone: writing them does not fail.
        source => serde_json::to_string(&source).unwrap_or_default(),
    };
    blake3::hash(described.as_bytes()).to_hex()[..DIGITS].to_string()
}

/// One line a row, whatever a driver calls itself.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "row_tests.rs"]
pub(crate) mod tests;
