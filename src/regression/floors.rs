//! Noise floors: how far runs of one build lie apart, as pairs of one build on this machine showed, or else a stated default.

use super::comparison::NoiseFloor;
use super::rule::{CellKind, clocks};
use crate::results::{StoredRun, percentile};
use crate::store::{Environment, write_atomically};
use crate::timing::{Scope, assumed_noise, median};
use repro_base::CellId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How many pairs of one build a calibration needs to show how far apart its runs lie.
pub const CALIBRATION_PAIRS: usize = 5;
/// Two processes of one build on a CPU seldom differ by more; between two starts of one virtual machine, 59% were seen.
const DEFAULT_ON_CPU: f64 = 0.25;
/// The floor is the span of most cells times this. Ten runs span three standard deviations, and the difference of two runs has to be a
/// one-in-a-thousand event to lie beyond the floor.
const FLOOR_FACTOR: f64 = 1.5;
/// The share of cells that counts as most: one outlier does not move the floor of its kind.
const MOST: f64 = 0.8;
/// The standard error of a median over that of a mean, of normally distributed samples.
const MEDIAN_OVER_MEAN: f64 = 1.2533;

/// Why the file of floors could not be used.
#[derive(Debug, Error)]
pub enum FloorsError {
    #[error("cannot read {}: {source}; mend it, or move it away and calibrate anew", path.display())]
    Read { path: PathBuf, source: csv::Error },
    #[error("cannot write {}: {problem}; choose another file with --floors", path.display())]
    Write { path: PathBuf, problem: String },
}

/// A row of the file of floors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FloorRow {
    /// Model of the GPU; empty where there is none.
    gpu: String,
    cpu: String,
    /// Hardware threads of the host.
    threads: usize,
    on_gpu: bool,
    from_n: usize,
    program: Option<Scope>,
    /// Relative.
    floor: f64,
    /// From how many pairs of one build the floor comes, and from how many cells.
    pairs: usize,
    cells: usize,
    /// When the first run of these pairs was started, and the commit of its build.
    started: String,
    commit: String,
}

impl FloorRow {
    fn kind(&self) -> CellKind {
        CellKind { on_gpu: self.on_gpu, from_n: self.from_n, program: self.program }
    }

    fn noise_floor(&self) -> NoiseFloor {
        NoiseFloor { share: self.floor, calibrated_by: Some(self.pairs) }
    }

    /// The key of the row: no two rows of a file share it.
    fn key(&self) -> (&str, &str, usize, CellKind) {
        (&self.gpu, &self.cpu, self.threads, self.kind())
    }
}

/// The calibrated noise floors, of one machine or more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoiseFloors(Vec<FloorRow>);

impl NoiseFloors {
    /// Reads a file of floors; without a file nothing was calibrated.
    ///
    /// # Errors
    /// When it cannot be read, or a line of it is no floor.
    pub fn read(path: &Path) -> Result<Self, FloorsError> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let rows = csv::Reader::from_path(path).and_then(|mut reader| reader.deserialize().collect());
        rows.map(Self).map_err(|source| FloorsError::Read { path: path.to_path_buf(), source })
    }

    /// The noise floor of cells of this kind on a machine: calibrated, else the default.
    pub fn floor(&self, machine: Option<&Environment>, kind: CellKind) -> NoiseFloor {
        let row = machine.map(Environment::machine).and_then(|machine| {
            let gpu = machine.gpu.unwrap_or_default();
            self.0.iter().find(|row| row.key() == (&gpu, &machine.cpu, machine.threads, kind))
        });
        row.map_or(NoiseFloor { share: default_floor(kind), calibrated_by: None }, FloorRow::noise_floor)
    }

    /// The floors that the runs of pairs of one build show, by the clock of kernels or of programs. Cells measured under load or throttled
    /// are left out.
    pub fn of_pairs(runs: &[StoredRun]) -> Self {
        let mut medians: BTreeMap<CellKind, BTreeMap<&CellId, Vec<LogMedian>>> = BTreeMap::new();
        for run in runs {
            for (cell, timed) in clocks(Scope::Kernel).flat_map(|scope| run.results.times.by(scope)) {
                let of_kind = medians.entry(CellKind::timed(run, cell, timed.scope)).or_default();
                let is_steady = timed.rows(&run.samples).all(|row| row.disturbance().is_none());
                of_kind.entry(cell).or_default().extend(LogMedian::of(&timed.samples).filter(|_| is_steady));
            }
        }
        let first = runs.first().and_then(|run| Some((run.environment()?.machine(), &run.manifest)));
        let row = |(kind, cells): (CellKind, BTreeMap<&CellId, Vec<LogMedian>>)| {
            let (machine, manifest) = first.clone()?;
            let complete = cells.values().filter(|medians| medians.len() == runs.len());
            let spans: Vec<f64> = complete.map(|medians| span(medians)).collect();
            Some(FloorRow {
                gpu: machine.gpu.unwrap_or_default(),
                cpu: machine.cpu,
                threads: machine.threads,
                on_gpu: kind.on_gpu,
                from_n: kind.from_n,
                program: kind.program,
                floor: floor_of(&spans)?,
                pairs: runs.len() / 2,
                cells: spans.len(),
                started: manifest.started.clone(),
                commit: manifest.build.commit.clone(),
            })
        };
        Self(medians.into_iter().filter_map(row).collect())
    }

    /// Each kind with its floor, and the number of cells that the floor comes from.
    pub fn kinds(&self) -> impl Iterator<Item = (CellKind, NoiseFloor, usize)> {
        self.0.iter().map(|row| (row.kind(), row.noise_floor(), row.cells))
    }

    /// Writes these floors into a file, in place of those of the same machine and kind; the others in it stay.
    ///
    /// # Errors
    /// When the file is not one of floors, or cannot be written; it then stays as it was.
    pub fn save(&self, path: &Path) -> Result<(), FloorsError> {
        let mut rows = Self::read(path)?.0;
        rows.retain(|row| !self.0.iter().any(|new| new.key() == row.key()));
        rows.extend(self.0.iter().cloned());
        let failed = |problem: String| FloorsError::Write { path: path.to_path_buf(), problem };
        let mut writer = csv::Writer::from_writer(Vec::new());
        let written: csv::Result<()> = rows.iter().try_for_each(|row| writer.serialize(row));
        written.map_err(|error| failed(error.to_string()))?;
        let content = writer.into_inner().map_err(|error| failed(error.to_string()))?;
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(|error| failed(error.to_string()))?;
        write_atomically(path, &content).map_err(|error| failed(error.to_string()))
    }
}

/// How far runs of one build are assumed to lie apart on a machine that was not calibrated: on a GPU, as far as the times of the kernel
/// that varied most did on four H100s at n = 1024, 2048, 4096 and 16384, with two processes on each.
fn default_floor(kind: CellKind) -> f64 {
    // A program on a GPU is timed by the host's clock, which has the host's noise.
    if !kind.on_gpu || kind.program.is_some() {
        return DEFAULT_ON_CPU;
    }
    // Builds in turns share what makes small cells differ more.
    assumed_noise(true, kind.from_n.max(1024)).1
}

/// The logarithm of a cell's median in a run, and the standard error of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LogMedian {
    logarithm: f64,
    error: f64,
}

impl LogMedian {
    /// None if the median of the samples is not positive.
    fn of(seconds: &[f64]) -> Option<Self> {
        let middle = median(seconds).filter(|middle| *middle > 0.0 && middle.is_finite())?;
        let count = seconds.len() as f64;
        let squares = seconds.iter().map(|one| (one / middle - 1.0).powi(2)).sum::<f64>();
        let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
        Some(Self { logarithm: middle.ln(), error: MEDIAN_OVER_MEAN * deviation / count.sqrt() })
    }
}

/// How far the medians of a cell lie apart, as a logarithm, beyond what the samples at either end explain. 0 for fewer than two.
fn span(medians: &[LogMedian]) -> f64 {
    let by = |a: &&LogMedian, b: &&LogMedian| a.logarithm.total_cmp(&b.logarithm);
    match (medians.iter().min_by(by), medians.iter().max_by(by)) {
        (Some(low), Some(high)) => (high.logarithm - low.logarithm - low.error - high.error).max(0.0),
        _ => 0.0,
    }
}

/// The floor of cells with these spans, relative. None if there are no cells.
fn floor_of(spans: &[f64]) -> Option<f64> {
    percentile(spans, MOST).map(|span| (FLOOR_FACTOR * span).exp_m1())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_falls_with_n_and_is_that_of_the_cpu_for_programs_on_a_gpu() {
        let floor = |n| NoiseFloors::default().floor(None, CellKind::default_for(true, n)).share;
        assert_eq!(
            [32, 2047, 2048, 4095, 4096, 16383, 16384].map(floor),
            [0.047, 0.047, 0.024, 0.024, 0.008, 0.008, 0.002]
        );
        let program = CellKind { program: Some(Scope::Program), ..CellKind::default_for(true, 16384) };
        let on_cpu = CellKind::default_for(false, 64);
        assert_eq!([program, on_cpu].map(default_floor), [DEFAULT_ON_CPU; 2]);
    }
}
