//! A row of a history.

use crate::plan::GraphSource;
use crate::regression::programs::PROGRAMS_COMPARED;
use crate::results::{StoredRun, SummaryRow};
use crate::timing::{Estimate, Scope, median, median_confidence};
use repro_types::CellId;
use serde::{Deserialize, Serialize};

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
    /// Whether it was measured beside another build, which takes its turns on the same device and slows small cells.
    pub beside: bool,
    /// Eight hexadecimal digits that tell graphs of one name apart. The last column, since its fixed width shows whether a last
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

    /// Checks what must hold in a row.
    ///
    /// # Errors
    /// What does not, with its value.
    pub fn check(&self) -> Result<(), String> {
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
        let digest = &self.graph_digest;
        if digest.len() != DIGITS || !digest.bytes().all(|c| c.is_ascii_hexdigit()) {
            return Err(format!("graph_digest = {digest} is not of {DIGITS} hexadecimal digits"));
        }
        match self.texts().find(|text| text.contains(['\n', '\r'])) {
            Some(text) => Err(format!("{text:?} is more than one line")),
            None => Ok(()),
        }
    }

    fn texts(&self) -> impl Iterator<Item = &String> {
        let Self { time, commit, experiment, device, device_uuid, driver, compiler, host_cpu, .. } = self;
        let CellId { implementation, params, graph, .. } = &self.cell;
        let of_run = [time, commit, experiment, implementation, params, graph];
        of_run.into_iter().chain([device, device_uuid, driver, compiler, host_cpu])
    }
}

/// The rows of a run: one for each cell that has a median, of scope `kernel`, and of programs of the clock that they are compared by, in the order
/// of the summary.
pub fn rows_of(run: &StoredRun) -> Vec<HistoryRow> {
    let manifest = &run.manifest;
    let host_cpu = run.environment().map_or("", |environment| &environment.host.cpu);
    let row = |summary: &SummaryRow| {
        let clock = Median::of(run, summary).filter(|clock| clock.seconds.value > 0.0)?;
        let on_gpu = match Scope::PROGRAM.contains(&clock.scope) {
            true => run.is_program_on_gpu(&summary.implementation),
            false => run.is_on_device(&summary.implementation),
        };
        let device = device_of(run).filter(|_| on_gpu);
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
            samples: clock.samples,
            seconds: clock.seconds,
            ci_confidence: clock.confidence,
            device: of_device(device.map(|device| &device.info.name)),
            device_uuid: of_device(device.map(|device| &device.info.uuid)),
            driver: of_device(device.and_then(|device| device.driver.as_ref())),
            compiler: of_device(device.and_then(|device| device.compiler.as_ref())),
            host_cpu: one_line(host_cpu),
            sm_mhz: device.and_then(|_| clock_of(run, &summary.cell())),
            beside: manifest.pair.is_some(),
            graph_digest: digest(run.graph_source(&summary.graph)),
        })
    };
    run.results.summary.iter().filter_map(row).collect()
}

/// What a history keeps of a cell's times.
struct Median {
    scope: Scope,
    samples: usize,
    seconds: Estimate,
    confidence: f64,
}

impl Median {
    fn of(run: &StoredRun, summary: &SummaryRow) -> Option<Self> {
        if let Some(value) = summary.median_s {
            let (low, high) = (summary.ci_low_s.unwrap_or(value), summary.ci_high_s.unwrap_or(value));
            return Some(Self {
                scope: Scope::Kernel,
                samples: summary.samples,
                seconds: Estimate { value, low, high },
                confidence: summary.ci_confidence.unwrap_or(0.0),
            });
        }
        summary.program_s?;
        let cell = run.cell(&summary.cell());
        let clock = PROGRAMS_COMPARED.into_iter().find_map(|scope| cell.timed(scope))?;
        let samples = clock.samples.len();
        Some(Self {
            scope: clock.scope,
            samples,
            seconds: clock.seconds,
            confidence: median_confidence(samples),
        })
    }
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

fn clock_of(run: &StoredRun, cell: &CellId) -> Option<u32> {
    let rows = run.cell(cell).timed(Scope::Kernel)?.rows(&run.samples);
    let clocks: Vec<f64> = rows.filter_map(|row| row.sm_mhz).map(f64::from).collect();
    median(&clocks).map(|clock| clock.round() as u32)
}

/// Of what the manifest says of the graph; of a file, of what is in it, wherever it lies.
fn digest(source: Option<&GraphSource>) -> String {
    let told = match source {
        Some(GraphSource::File { digest, .. }) => digest.clone(),
        // Numbers and names alone: writing them does not fail.
        source => serde_json::to_string(&source).unwrap_or_default(),
    };
    blake3::hash(told.as_bytes()).to_hex()[..DIGITS].to_string()
}

/// One line a row, whatever a driver calls itself.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
pub(crate) mod tests {
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
            graph_digest: "0123abcd".into(),
        }
    }

    fn reference(name: &str) -> StoredRun {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/reference").join(name);
        StoredRun::open(&folder).unwrap()
    }

    #[test]
    fn a_run_gives_a_row_for_each_cell_with_a_median_and_all_are_valid() {
        let run = reference("h200/table1");
        let rows = rows_of(&run);
        assert_eq!(rows.len(), run.results.summary.iter().filter(|row| row.median_s.is_some()).count());
        assert!(rows.iter().all(|row| row.check().is_ok() && row.time == run.manifest.started));
        for row in &rows {
            let on_gpu = !row.cell.implementation.starts_with("cpu-");
            assert_eq!(on_gpu, row.device == "NVIDIA H200" && row.sm_mhz.is_some(), "{row:?}");
            assert_eq!(on_gpu, !row.driver.is_empty() && !row.device_uuid.is_empty());
            assert_eq!(row.has_interval(), row.samples > 1);
        }
        assert!(rows_of(&reference("emulated/structure")).is_empty(), "counts are no times");
    }

    #[test]
    fn a_program_is_in_the_history_by_the_clock_around_its_solve_or_else_the_whole() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/formats/programs");
        let rows = rows_of(&StoredRun::open(&folder).unwrap());
        let of = |name: &str| -> Vec<(usize, Scope)> {
            let rows = rows.iter().filter(|row| row.cell.implementation == name);
            rows.map(|row| (row.cell.n, row.scope)).collect()
        };
        assert_eq!(of("cpu-naive"), [(16, Scope::Kernel), (256, Scope::Kernel)]);
        assert_eq!(of("scipy-floyd-warshall"), [(16, Scope::ProgramSolve), (256, Scope::ProgramSolve)]);
        assert_eq!(of("scipy-whole"), [(256, Scope::Program)]);
        for row in &rows {
            assert!(row.check().is_ok() && row.has_interval() && !row.is_on_gpu(), "{row:?}");
        }
    }

    #[test]
    fn a_file_is_called_after_the_gpu_or_the_cpu() {
        let mut run = reference("h200/table1");
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
        let run = reference("h200/occupancy");
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

    #[test]
    fn what_cannot_be_in_a_row_is_named_with_its_value() {
        let wrong = |change: fn(&mut HistoryRow)| {
            let mut changed = row(1, 1.0);
            change(&mut changed);
            changed.check().unwrap_err()
        };
        assert!(wrong(|row| row.time = "yesterday".into()).contains("time = yesterday"));
        assert!(wrong(|row| row.seconds.value = f64::NAN).contains("median_s = NaN"));
        assert!(wrong(|row| row.seconds.low = 2.0).contains("the interval 2 to"));
        assert!(wrong(|row| row.ci_confidence = 1.5).contains("1.5"));
        assert!(wrong(|row| row.samples = 0).contains("samples = 0"));
        assert!(wrong(|row| row.graph_digest = "0123abc".into()).contains("0123abc"));
        assert!(wrong(|row| row.driver = "a\nb".into()).contains("more than one line"));
    }
}
