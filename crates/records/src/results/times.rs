//! The one look-up: what each clock read of each cell.

use crate::store::SampleRow;
use repro_base::CellId;
use repro_timing::{Estimate, Scope};
use std::collections::BTreeMap;

/// What one clock read of a cell, over the samples in use.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockTimes {
    pub scope: Scope,
    /// Indices of the samples' rows among those of the run, as they came.
    rows: Vec<usize>,
    /// Their seconds.
    pub samples: Vec<f64>,
    /// The median, with its interval.
    pub seconds: Estimate,
}

impl ClockTimes {
    /// Its rows among `all` rows of the run, in the order in which they came.
    pub fn rows<'a>(&'a self, all: &'a [SampleRow]) -> impl Iterator<Item = &'a SampleRow> {
        self.rows.iter().filter_map(|&at| all.get(at))
    }

    /// The mean, as papers give it.
    pub fn mean(&self) -> f64 {
        self.samples.iter().sum::<f64>() / self.samples.len() as f64
    }
}

/// What the records of a run say of one cell, which may have no time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellTimes {
    clocks: BTreeMap<Scope, ClockTimes>,
    /// Index, among the rows of the run, of the one that says what became of its last sample. A failure of a fresh process or of another
    /// clock does not affect the cell's own samples.
    last: Option<usize>,
    /// Whether that sample invalidates the earlier ones: then the cell has no time.
    pub(super) failed: bool,
    /// The most that others used of the host over a sample in use.
    pub(super) others_load: Option<f64>,
}

/// What is known of a cell without samples.
static UNKNOWN: CellTimes =
    CellTimes { clocks: BTreeMap::new(), last: None, failed: false, others_load: None };

/// Every clock of every cell of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times(BTreeMap<CellId, CellTimes>);

impl Times {
    /// The times of these samples, which are in the order in which they were measured.
    pub fn of(samples: &[SampleRow]) -> Self {
        let mut all = Self::default();
        let mut rows = samples.iter().enumerate().peekable();
        while let Some((_, first)) = rows.peek() {
            let id = first.cell();
            let cell = all.0.entry(id.clone()).or_default();
            // A sample has several rows, one after another.
            while let Some((at, row)) = rows.next_if(|(_, row)| row.is_of(&id)) {
                cell.add(at, row);
            }
        }
        for clock in all.0.values_mut().flat_map(|cell| cell.clocks.values_mut()) {
            clock.seconds = Estimate::of_median(&clock.samples).unwrap_or(clock.seconds);
        }
        all
    }

    /// What is known of a cell. None where no sample is of it.
    pub(super) fn known(&self, id: &CellId) -> Option<&CellTimes> {
        self.0.get(id)
    }

    /// What is known of a cell.
    pub fn cell(&self, id: &CellId) -> &CellTimes {
        self.known(id).unwrap_or(&UNKNOWN)
    }

    /// The cells that `scope` read, with what it read, in the order of their names.
    pub fn by(&self, scope: Scope) -> impl Iterator<Item = (&CellId, &ClockTimes)> {
        self.0.keys().filter_map(move |id| Some((id, self.cell(id).timed(scope)?)))
    }
}

impl CellTimes {
    fn add(&mut self, at: usize, row: &SampleRow) {
        if row.scope.counts_samples() {
            self.last = Some(at);
            self.failed = row.status.invalidates_cell();
        }
        let Some(seconds) = row.in_use() else { return };
        self.others_load = self.others_load.into_iter().chain(row.others_load).reduce(f64::max);
        let clock = self.clocks.entry(row.scope).or_insert_with(|| ClockTimes {
            scope: row.scope,
            rows: Vec::new(),
            samples: Vec::new(),
            seconds: Estimate::exact(seconds),
        });
        clock.rows.push(at);
        clock.samples.push(seconds);
    }

    /// The median by this clock, with its interval.
    pub fn time(&self, scope: Scope) -> Option<Estimate> {
        Some(self.timed(scope)?.seconds)
    }

    /// What this clock read.
    pub fn timed(&self, scope: Scope) -> Option<&ClockTimes> {
        self.clocks.get(&scope).filter(|_| !self.failed)
    }

    /// Every clock that read it, in the order of [`Scope`]; none for a cell that ended in a failure.
    pub fn clocks(&self) -> impl Iterator<Item = &ClockTimes> {
        self.clocks.values().filter(|_| !self.failed)
    }

    /// The row, of `all` of the run, that says what became of its last sample.
    pub(super) fn last<'a>(&self, all: &'a [SampleRow]) -> Option<&'a SampleRow> {
        all.get(self.last?)
    }
}

/// The value that a `share` (0 to 1) of `values` does not exceed, by nearest rank. None where there are no values.
pub fn percentile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.checked_sub(1)?).copied()
}
