//! What a test reads of a contender in one run: a figure with its interval and its unit.

use super::evidence::RunEvidence;
use super::noise::halves;
use super::{MissingReason, verdict};
use crate::lists::distinct;
use crate::published::{Claim, Contender, Figure, PublishedPaper, Relation, Test};
use crate::results::{counted_figure, gpu_of};
use crate::store::{CountRow, CounterRow, KernelRecord, KernelTimeRow};
use crate::timing::{DeviceCeilings, Estimate, Scope, assumed_by_clock};
use repro_base::CellId;
use serde::Serialize;

/// A figure, or why a run has none.
pub type Metric<T = Estimate> = Result<T, MissingReason>;

/// Reads the figures of one test of a paper in one run.
pub struct MetricReader<'a> {
    pub evidence: &'a RunEvidence<'a>,
    pub paper: &'a PublishedPaper,
    pub test: &'a Test,
}

impl<'a> MetricReader<'a> {
    /// A figure of the run's device alone.
    pub fn of_machine(&self) -> Metric {
        let ceilings = self.ceilings()?;
        if self.test.figure == Figure::CopyGigabytesASecond {
            return Ok(Estimate::exact(ceilings.copy_gbs));
        }
        let latency = ceilings.chained_load.ok_or(MissingReason::NotMeasured)?;
        Ok(latency.all_multiprocessors.over(latency.one_multiprocessor))
    }

    /// A figure that depends on no n: the most local memory that a kernel of the contender takes.
    pub fn without_size(&self, of: &Contender) -> Metric {
        let most = self.kernels(of).iter().map(|one| one.resources.local_bytes).max();
        // The emulated device has no registers to run out of.
        let is_known = self.test.figure == Figure::LocalBytes && !self.evidence.run.is_emulated();
        let bytes = most.filter(|_| is_known).ok_or(MissingReason::NotMeasured)?;
        Ok(Estimate::exact(f64::from(bytes)))
    }

    /// A figure of a solve, or of one of its kernels, by a clock, on the graphs that `beside` was measured on too.
    pub fn at(&self, of: &Contender, beside: Option<&Contender>, n: usize, clock: Scope) -> Metric {
        let cells = self.cells(of, beside, n)?;
        let first = cells[0];
        // The mean over graphs of the medians, and of the ends of their intervals; papers average over graphs, too.
        let each =
            || cells.iter().map(|cell| self.seconds_of_cell(of, cell, clock)).collect::<Metric<Vec<_>>>();
        let seconds = || verdict::mean(&each()?).ok_or(MissingReason::NotMeasured);
        let rate = || Ok(Estimate::exact((n as f64).powi(3)).over(seconds()?));
        let gigabytes = || Ok(rate()?.times(self.bytes_a_task(of)? * 1e-9));
        let copy = || Ok(self.ceilings()?.copy_gbs);
        let bytes = || self.counter_bytes(first);
        let wrong: Option<usize> = cells.iter().map(|cell| self.evidence.wrong_results(cell)).sum();
        match self.test.figure {
            Figure::Seconds => seconds(),
            Figure::TasksASecond => rate(),
            Figure::GigabytesASecond => gigabytes(),
            Figure::ShareOfCopy => Ok(gigabytes()?.over(Estimate::exact(copy()?)).times(100.0)),
            Figure::KernelSeconds => self.kernel_seconds(of, first).map(|(own, _)| own),
            Figure::KernelShare => self.kernel_seconds(of, first).map(|(own, all)| own.times(100.0 / all)),
            Figure::LocalBytes => self.without_size(of),
            // A solve that did not end well gives no other figure.
            _ if wrong.is_none() => Err(MissingReason::NotMeasured),
            Figure::WrongResults => self.wrong_results(&cells, wrong.unwrap_or_default()),
            Figure::DramShareOfCopy => Ok(bytes()?.over(seconds()?).times(100e-9 / copy()?)),
            Figure::CountedDramBytes | Figure::CountedL2Bytes => bytes(),
            Figure::MovedBytes => self.moved_bytes(first),
            Figure::MultiprocessorThroughput => self.multiprocessor(of, first),
            _ => self.counted(of, &cells),
        }
    }

    /// Seconds by the first clock over those by the second, divided sample by sample, so that differences between solves cancel. None if
    /// the clocks do not enclose the same solve.
    pub fn by_sample(&self, of: &Contender, n: usize, clocks: [Scope; 2]) -> Option<Estimate> {
        if !clocks.iter().all(|clock| matches!(clock, Scope::HostSynced | Scope::OsSynced)) {
            return None;
        }
        let cells = self.cells(of, None, n).ok()?;
        let timed = |clock| cells.iter().filter_map(move |cell| self.evidence.run.cell(cell).timed(clock));
        let [above, below] = clocks.map(|clock| timed(clock).flat_map(|timed| &timed.samples));
        let ratios: Vec<f64> = above.zip(below).map(|(above, below)| above / below).collect();
        Estimate::of_median(&ratios)
    }

    /// The seconds on each graph.
    pub fn on_each_graph(&self, of: &Contender, n: usize) -> Metric<Vec<Estimate>> {
        let seconds = |cell: &&CellId| self.seconds_of_cell(of, cell, self.test.clock);
        self.cells(of, None, n)?.iter().map(seconds).collect()
    }

    /// The cells of `of` on the graphs that `beside` was measured on too. There must be as many as the test needs, and no wrong result:
    /// after one, only the number of wrong results counts.
    fn cells(&self, of: &Contender, beside: Option<&Contender>, n: usize) -> Metric<Vec<&'a CellId>> {
        let mut cells = self.evidence.planned(self.test, of, n);
        if let Some(beside) = beside {
            let others = self.evidence.planned(self.test, beside, n);
            cells.retain(|cell| others.iter().any(|other| other.graph == cell.graph));
        }
        let counts_wrong = self.test.figure == Figure::WrongResults;
        let is_wrong = |cell: &&CellId| self.evidence.wrong_results(cell).is_some_and(|wrong| wrong > 0);
        let (has, needs) = (cells.len(), self.test.edges_per_vertex.len());
        match has {
            0 => Err(MissingReason::NotPlanned),
            _ if !counts_wrong && cells.iter().any(is_wrong) => Err(MissingReason::WrongResult),
            _ if has < needs => Err(MissingReason::FewGraphs { has, needs }),
            _ => Ok(cells),
        }
    }

    /// The seconds of one cell by a clock.
    ///
    /// # Errors
    /// When the cell is no evidence: it was not measured, has too few samples, ran only some of its iterations although the test does not
    /// ask for that, or had another number of resident blocks.
    fn seconds_of_cell(&self, of: &Contender, cell: &CellId, clock: Scope) -> Metric {
        let run = self.evidence.run;
        if let Some(needs) = of.resident {
            let kernel = self.kernels(of).iter().find(|one| one.paper.is_some());
            let has = kernel.map(|one| one.resources.resident_blocks);
            if has != Some(needs) {
                return Err(MissingReason::Resident { has, needs });
            }
        }
        let is_estimate = run.row(cell).is_some_and(|row| row.iterations.is_some());
        if is_estimate && of.parameters.iter().all(|(name, _)| name != "iterations") {
            return Err(MissingReason::Estimate);
        }
        // A time of zero is no time, and nothing can be divided by it.
        let timed = run.cell(cell).timed(clock).filter(|timed| timed.seconds.low > 0.0);
        let timed = timed.ok_or(MissingReason::NotMeasured)?;
        let (has, needs) = (timed.samples.len(), self.test.samples);
        if has < needs {
            return Err(MissingReason::FewSamples { has, needs });
        }
        let assumed = self.assumed(run.is_on_device(&of.implementation), clock, cell.n);
        Ok(widened(timed.seconds, assumed.max(halves(&timed.samples).unwrap_or(0.0))))
    }

    /// What a time of a cell by this clock is assumed to differ by; nothing where cards show it.
    fn assumed(&self, on_device: bool, clock: Scope, n: usize) -> f64 {
        // What moves a kernel's times on a card or in a process, all graphs share.
        let assumes_noise = self.evidence.assumes_noise && self.test.relation != Relation::AcrossGraphs;
        let (assumed, is_of_card) = assumed_by_clock(on_device, clock, n);
        if is_of_card && !assumes_noise { 0.0 } else { assumed }
    }

    /// What the kernels of a contender take on the device.
    fn kernels(&self, of: &Contender) -> &'a [KernelRecord] {
        self.evidence.record(of).map_or(&[], |record| &record.kernels)
    }

    /// What the run measured of its device alone.
    fn ceilings(&self) -> Metric<&'a DeviceCeilings> {
        let ceilings = self.evidence.run.environment().and_then(|of| of.ceilings.device.as_ref());
        ceilings.ok_or(MissingReason::NotMeasured)
    }

    /// Bytes that a task moves, by the model of the implementation.
    fn bytes_a_task(&self, of: &Contender) -> Metric<f64> {
        let any = || self.evidence.run.results.facts.any(&of.implementation);
        Ok(self.evidence.record(of).or_else(any).ok_or(MissingReason::NotMeasured)?.bytes_per_task)
    }

    fn kernel_times(&self, cell: &CellId) -> Vec<&'a KernelTimeRow> {
        self.evidence.run.results.extra.kernel_times.iter().filter(|row| row.cell == *cell).collect()
    }

    /// Seconds of the contender's kernel or kernels, and of all kernels of the solve. The first have the relative interval of the whole
    /// solve, since the record has only one number per kernel.
    fn kernel_seconds(&self, of: &Contender, cell: &CellId) -> Metric<(Estimate, f64)> {
        let solve = self.seconds_of_cell(of, cell, self.test.clock)?;
        let rows = self.kernel_times(cell);
        let seconds = |kernel| rows.iter().find(|row| row.kernel == kernel).map(|row| row.seconds);
        let own = of.kernels().map(seconds).sum::<Option<f64>>().filter(|_| of.kernel.is_some());
        let own = own.ok_or(MissingReason::NoKernelTimes)?;
        Ok((solve.times(own / solve.value), rows.iter().map(|row| row.seconds).sum()))
    }

    fn moved_bytes(&self, cell: &CellId) -> Metric {
        let rows = self.kernel_times(cell);
        let moved = rows.iter().map(|row| Some(row.loaded_bytes? + row.stored_bytes?)).sum::<Option<u64>>();
        let moved = moved.filter(|_| !rows.is_empty()).ok_or(MissingReason::NoKernelTimes)?;
        Ok(Estimate::exact(moved as f64))
    }

    fn counters(&self, cell: &CellId) -> impl Iterator<Item = &'a CounterRow> {
        self.evidence.run.results.extra.counters.iter().filter(move |row| row.cell == *cell)
    }

    /// What the GPU's counters say of the contender's kernel in this cell.
    fn multiprocessor(&self, of: &Contender, cell: &CellId) -> Metric {
        let row = self.counters(cell).find(|row| Some(&row.kernel) == of.kernel.as_ref());
        let percent = |row: &CounterRow| Estimate {
            value: row.multiprocessor_percent,
            low: row.multiprocessor_percent_low,
            high: row.multiprocessor_percent_high,
        };
        let percent = row.map(percent).ok_or(MissingReason::NoCounters)?;
        Ok(widened(percent, self.assumed(true, Scope::Kernel, cell.n)))
    }

    /// Bytes of all kernels of this cell by the GPU's counters: to the L2 cache where the test asks for these, else to DRAM.
    fn counter_bytes(&self, cell: &CellId) -> Metric {
        let is_l2 = self.test.figure == Figure::CountedL2Bytes;
        let bytes = self.counters(cell).map(|row| if is_l2 { row.l2_bytes } else { row.dram_bytes });
        let bytes: Vec<u64> = bytes.collect();
        // Without all of its kernels the sum is not that of a solve.
        let has_all = bytes.len() >= self.kernel_times(cell).len().max(1);
        has_all.then(|| Estimate::exact(bytes.iter().sum::<u64>() as f64)).ok_or(MissingReason::NoCounters)
    }

    /// How many results were wrong. None being wrong counts only after each cell was solved in all orders that the test asks for.
    fn wrong_results(&self, cells: &[&CellId], wrong: usize) -> Metric {
        let solved = cells.iter().filter_map(|cell| Some(self.evidence.checked.get(cell)?.len())).min();
        let planned = usize::try_from(self.evidence.run.manifest.experiment.orders).unwrap_or(usize::MAX);
        let (has, needs) = (solved.unwrap_or(0).min(planned), self.test.orders as usize);
        if wrong == 0 && needs > 1 && has < needs {
            return Err(MissingReason::FewOrders { has, needs });
        }
        Ok(Estimate::exact(wrong as f64))
    }

    /// A figure that the emulated device counted. A kernel without a row in a counted solve was not launched.
    fn counted(&self, of: &Contender, cells: &[&CellId]) -> Metric {
        let (all, gpu) = (&self.evidence.run.results.extra.counts, gpu_of(self.paper));
        let of_cell =
            |cell: &&CellId| all.iter().filter(|row| row.cell == **cell).collect::<Vec<&CountRow>>();
        let rows =
            cells.iter().map(of_cell).find(|rows| !rows.is_empty()).ok_or(MissingReason::NotCounted)?;
        let own = rows.iter().find(|row| Some(&row.kernel) == of.kernel.as_ref());
        let count = match (self.test.figure, own) {
            (Figure::Kernels, _) => Some(rows.iter().filter(|row| row.counts.launches > 0).count() as f64),
            (Figure::UnlikePlain, Some(row)) => row.unlike_plain.map(|all| all as f64),
            (figure, Some(row)) => counted_figure(figure, row.counts, row.tasks, gpu.as_ref()),
            (Figure::Launches | Figure::Blocks, None) => Some(0.0),
            _ => None,
        };
        count.map(Estimate::exact).ok_or(MissingReason::NotCounted)
    }
}

/// An interval that is wider by half of a relative difference at either end.
fn widened(of: Estimate, noise: f64) -> Estimate {
    Estimate { low: of.low / (1.0 + noise / 2.0), high: of.high * (1.0 + noise / 2.0), ..of }
}

/// The unit of measured figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    #[default]
    None,
    Times,
    Percent,
    PercentOfLimit,
    Bytes,
    Blocks,
    Ways,
    Threads,
    Launches,
    Kernels,
    OfBytesMoved,
    OfAWave,
    WrongSamples,
    Seconds,
    TasksASecond,
    GigabytesASecond,
}

/// The unit of what the tests of a claim compare; none where they differ.
pub fn unit_of_claim(claim: &Claim) -> Unit {
    let [unit] = distinct(claim.tests.iter().map(unit_of))[..] else { return Unit::None };
    unit
}

/// The unit of what a test compares.
pub fn unit_of(test: &Test) -> Unit {
    match test.figure {
        _ if test.relation == Relation::Step => Unit::OfAWave,
        _ if test.relation != Relation::Value => Unit::Times,
        Figure::Seconds | Figure::KernelSeconds => Unit::Seconds,
        Figure::TasksASecond => Unit::TasksASecond,
        Figure::GigabytesASecond | Figure::CopyGigabytesASecond => Unit::GigabytesASecond,
        Figure::LoadLatencyOfAllOverOne => Unit::Times,
        Figure::ShareOfCopy | Figure::DramShareOfCopy => Unit::PercentOfLimit,
        Figure::KernelShare | Figure::Occupancy | Figure::MultiprocessorThroughput => Unit::Percent,
        Figure::WrongResults => Unit::WrongSamples,
        Figure::Launches | Figure::UnlikePlain => Unit::Launches,
        Figure::Blocks | Figure::ResidentBlocksByShared => Unit::Blocks,
        Figure::Threads => Unit::Threads,
        Figure::WorstLoadSteps16 => Unit::Ways,
        Figure::Kernels => Unit::Kernels,
        Figure::LoadSectorsUsed => Unit::OfBytesMoved,
        _ => Unit::Bytes,
    }
}
