//! A row of a history.

use super::table::{TableRow, check_time};
use crate::plan::GraphSource;
use crate::regression::CellKind;
use crate::regression::rule::PROGRAM_CLOCKS;
use crate::results::{StoredRun, SummaryRow};
use crate::store::{Disturbance, Environment, SampleRow};
use crate::timing::{Estimate, Scope, median, median_confidence};
use repro_base::CellId;
use serde::{Deserialize, Serialize};
use std::hash::Hash;

/// Hexadecimal digits of [`HistoryRow::graph_digest`].
const DIGITS: usize = 8;

/// The time of one cell in one run, and on what it was measured. Texts hold no line end: a row is a line.
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
    /// Whether the GPU throttled during any sample, even one that was repeated; none for what ran on the CPU.
    pub throttled: Option<bool>,
    /// The largest share of the time of the cores that the cell was solved on which others used during a sample; none where the
    /// system does not say.
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

    /// The time as a timestamp; none if it does not parse, which the check of a row refuses.
    pub fn timestamp(&self) -> Option<jiff::Timestamp> {
        self.time.parse().ok()
    }

    /// The kind of its cell: times of one kind have the same noise.
    pub fn kind(&self) -> CellKind {
        let program = Some(self.scope).filter(|scope| Scope::PROGRAM.contains(scope));
        CellKind { program, ..CellKind::default_for(self.is_on_gpu(), self.cell.n) }
    }

    /// Whether a circumstance that passes changed its time.
    pub fn is_disturbed(&self) -> bool {
        // Load on the host's cores does not slow what a GPU computes.
        let others_load = self.others_load.filter(|_| !self.is_on_gpu());
        Disturbance::classify(others_load, self.throttled == Some(true)).is_some()
    }
}

impl TableRow for HistoryRow {
    const HEADER: &str = "time,commit,dirty,experiment,implementation,n,params,graph,scope,samples,median_s,ci_low_s,ci_high_s,\
                          ci_confidence,device,device_uuid,driver,compiler,host_cpu,sm_mhz,beside,\
                          power_w,temperature_c,throttled,others_load,graph_digest\n";

    fn check(&self) -> Result<(), String> {
        check_time(&self.time)?;
        let Estimate { value, low, high } = self.seconds;
        if !(value > 0.0 && low <= value && value <= high && high.is_finite()) {
            return Err(format!("median_s = {value:?} with the interval {low:?} to {high:?} is no time"));
        }
        let digest = &self.graph_digest;
        match digest.len() == DIGITS && digest.bytes().all(|c| c.is_ascii_hexdigit()) {
            true => Ok(()),
            false => Err(format!("graph_digest = {digest} is not of {DIGITS} hexadecimal digits")),
        }
    }

    /// Includes the device and the median, since two runs may be started in one second.
    fn identity(&self) -> impl Eq + Hash {
        let Self { time, commit, experiment, graph_digest, device_uuid, host_cpu, .. } = self;
        let texts = [time, commit, experiment, graph_digest, device_uuid, host_cpu];
        (texts, &self.cell, self.scope, self.seconds.value.to_bits())
    }
}

/// The rows of a run in the order of its summary: one for each cell that has a median of scope `kernel` or, for external programs, of the
/// clock by which programs are compared.
pub fn rows_of(run: &StoredRun) -> Vec<HistoryRow> {
    let manifest = &run.manifest;
    let host_cpu = run.environment().map_or("", |environment| &environment.host.cpu);
    let gpu = run.environment().and_then(|environment| environment.gpu());
    let row = |summary: &SummaryRow| {
        let cell = summary.cell();
        let read = run.cell(&cell);
        let kernel = read.timed(Scope::Kernel);
        let clock = kernel.or_else(|| PROGRAM_CLOCKS.into_iter().find_map(|scope| read.timed(scope)));
        let clock = clock.filter(|clock| clock.seconds.value > 0.0)?;
        let device = gpu.filter(|_| CellKind::timed(run, &cell, clock.scope).on_gpu);
        // The samples by the clock of kernels, which every sample on a device has.
        let rows: Vec<&SampleRow> = kernel.into_iter().flat_map(|clock| clock.rows(&run.samples)).collect();
        let middle = |of: fn(&SampleRow) -> Option<f64>| {
            device.and_then(|_| median(&rows.iter().filter_map(|row| of(row)).collect::<Vec<_>>()))
        };
        let of_device = |text: Option<&String>| one_line(text.map_or("", String::as_str));
        let is_throttled = |row: &SampleRow| row.in_use().is_some() && !row.throttled_by.is_empty();
        Some(HistoryRow {
            time: manifest.started.clone(),
            commit: manifest.build.commit.clone(),
            dirty: manifest.build.dirty,
            experiment: manifest.experiment.name.clone(),
            scope: clock.scope,
            samples: clock.samples.len(),
            seconds: clock.seconds,
            ci_confidence: median_confidence(clock.samples.len()),
            device: of_device(device.map(|device| &device.info.name)),
            device_uuid: of_device(device.map(|device| &device.info.uuid)),
            driver: of_device(device.and_then(|device| device.driver.as_ref())),
            compiler: of_device(device.and_then(|device| device.compiler.as_ref())),
            host_cpu: one_line(host_cpu),
            sm_mhz: middle(|row| row.sm_mhz.map(f64::from)).map(|value| value.round() as u32),
            beside: manifest.pair.is_some(),
            power_w: middle(|row| row.power_w),
            temperature_c: middle(|row| row.temperature_c.map(f64::from)).map(|value| value.round() as u32),
            throttled: device.map(|_| run.samples.iter().any(|row| row.is_of(&cell) && is_throttled(row))),
            others_load: summary.others_load,
            graph_digest: digest(run.graph_source(&summary.graph)),
            cell,
        })
    };
    run.results.summary.iter().filter_map(row).collect()
}

/// The name of the file that a run belongs to, after its GPU, or its CPU if it had no GPU: `nvidia-h200.csv`.
pub fn file_for(run: &StoredRun) -> String {
    let name_of = |of: &Environment| of.gpu().map_or(&of.host.cpu, |device| &device.info.name).clone();
    let name = run.environment().map(name_of).unwrap_or_default();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_lowercase();
    format!("{}.csv", if slug.is_empty() { "unknown" } else { &slug })
}

/// The text on one line, with one blank for each run of white space: names from systems and drivers may have several.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Digest of the manifest's description of the graph; for a file, of its content, wherever it lies.
fn digest(source: Option<&GraphSource>) -> String {
    let described = match source {
        Some(GraphSource::File { digest, .. }) => digest.clone(),
        // The description holds only numbers and names, which always serialize.
        source => serde_json::to_string(&source).unwrap_or_default(),
    };
    blake3::hash(described.as_bytes()).to_hex()[..DIGITS].to_string()
}

#[cfg(test)]
pub(crate) mod tests {
    //! Checks on rows, and the row that other checks begin with.

    use super::*;
    use std::path::PathBuf;

    /// A row of a day, with an interval of ±0.1% around the median.
    pub fn row(day: u32, median_s: f64) -> HistoryRow {
        HistoryRow {
            time: format!("2026-03-{day:02}T12:00:00Z"),
            commit: format!("{day:040x}"),
            dirty: false,
            experiment: "table1".into(),
            cell: CellId::new("staged-load", 1024, "", ""),
            scope: Scope::Kernel,
            samples: 12,
            seconds: Estimate { value: median_s, low: median_s * 0.999, high: median_s * 1.001 },
            ci_confidence: 0.961,
            device: "NVIDIA H200".into(),
            device_uuid: "GPU-1".into(),
            driver: "580.1".into(),
            compiler: "NVRTC 13.0".into(),
            host_cpu: "CPU".into(),
            sm_mhz: Some(1980),
            beside: false,
            power_w: Some(400.0),
            temperature_c: Some(50),
            throttled: Some(false),
            others_load: None,
            graph_digest: "0123abcd".into(),
        }
    }

    fn reference(name: &str) -> StoredRun {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/reference").join(name);
        StoredRun::open(&folder).unwrap()
    }

    #[test]
    fn a_run_gives_a_row_for_each_cell_with_a_median_and_all_are_valid() {
        let run = reference("h200-e117a75b/table1");
        let rows = rows_of(&run);
        assert_eq!(rows.len(), run.results.summary.iter().filter(|row| row.median_s.is_some()).count());
        assert!(rows.iter().all(|row| row.check().is_ok() && row.time == run.manifest.started));
        for row in &rows {
            let on_gpu = !row.cell.implementation.starts_with("cpu-");
            assert_eq!(on_gpu, row.device == "NVIDIA H200" && row.sm_mhz.is_some(), "{row:?}");
            let is_read = row.power_w.is_some() && row.temperature_c.is_some() && !row.device_uuid.is_empty();
            assert_eq!(on_gpu, is_read && row.throttled == Some(false) && !row.driver.is_empty(), "{row:?}");
        }
        assert!(rows_of(&reference("emulated/structure")).is_empty(), "counts are no times");
    }

    #[test]
    fn a_sample_that_was_throttled_and_the_load_of_others_mark_their_cells_alone() {
        let mut run = reference("h200-e117a75b/table1");
        let cell =
            |name: &str| rows_of(&run).into_iter().find(|row| row.cell.implementation == name).unwrap().cell;
        let [gpu, cpu] = ["staged-load", "cpu-naive"].map(cell);
        let sample = run.samples.iter_mut().find(|row| row.is_of(&gpu)).unwrap();
        sample.throttled_by = "power cap".into();
        for row in &mut run.results.summary {
            row.others_load = (row.cell() == cpu).then_some(0.5);
        }
        let rows = rows_of(&run);
        let disturbed: Vec<&CellId> =
            rows.iter().filter(|row| row.is_disturbed()).map(|row| &row.cell).collect();
        assert!(
            disturbed.len() == 2 && disturbed.contains(&&gpu) && disturbed.contains(&&cpu),
            "{disturbed:?}"
        );
    }

    #[test]
    fn a_program_is_in_the_history_by_the_clock_around_its_solve_or_else_the_whole() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/stored/programs");
        let rows = rows_of(&StoredRun::open(&folder).unwrap());
        let of = |name: &str| -> Vec<(usize, Scope)> {
            let rows = rows.iter().filter(|row| row.cell.implementation == name);
            rows.map(|row| (row.cell.n, row.scope)).collect()
        };
        assert_eq!(of("cpu-naive"), [(16, Scope::Kernel), (256, Scope::Kernel)]);
        assert_eq!(of("scipy-floyd-warshall"), [(16, Scope::ProgramSolve), (256, Scope::ProgramSolve)]);
        assert_eq!(of("scipy-whole"), [(256, Scope::Program)]);
        for row in &rows {
            assert!(row.check().is_ok() && !row.is_on_gpu(), "{row:?}");
        }
    }

    #[test]
    fn a_file_is_called_after_the_gpu_or_the_cpu() {
        let mut run = reference("h200-e117a75b/table1");
        assert_eq!(file_for(&run), "nvidia-h200.csv");
        let environment = run.manifest.environment.as_mut().unwrap();
        environment.device.as_mut().unwrap().info.emulated = true;
        environment.host.cpu = "Intel(R) Xeon(R) CPU @ 2.70GHz".into();
        assert_eq!(file_for(&run), "intel-r-xeon-r-cpu-2-70ghz.csv");
        run.manifest.environment.as_mut().unwrap().host.cpu = "../..".into();
        assert_eq!(file_for(&run), "unknown.csv");
    }

    #[test]
    fn graphs_of_one_name_are_told_apart_and_a_file_is_the_same_wherever_it_lies() {
        let run = reference("h200-e117a75b/occupancy");
        let rows = rows_of(&run);
        let mut digests: Vec<&str> = rows.iter().map(|row| row.graph_digest.as_str()).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), run.manifest.experiment.graphs.len());
        let file = |path: &str, digest: &str| {
            super::digest(Some(&GraphSource::File { path: path.into(), digest: digest.into() }))
        };
        assert_eq!(file("a", "1"), file("b", "1"));
        assert_ne!(file("a", "1"), file("a", "2"));
    }
}
