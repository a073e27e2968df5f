//! What a test reads of a contender in one run: a figure with its interval.

use super::cells::{Cells, stretched};
use super::{Gap, Missing};
use crate::device::gpus::Gpu;
use crate::published::{Contender, Figure, Test};
use crate::results::counted_figure;
use crate::store::CounterRow;
use crate::timing::{DeviceCeilings, Estimate, Scope};
use repro_types::CellId;

/// Reads the figures of one test of a paper in one run.
pub struct Figures<'a> {
    pub cells: &'a Cells<'a>,
    pub test: &'a Test,
    /// By which every interval is wider than it is.
    pub uncertainty: f64,
    /// The paper's.
    pub gpu: Option<&'a Gpu>,
}

impl Figures<'_> {
    /// The figure of `of` at n by `clock`, over the graphs that all of `beside` have, too.
    ///
    /// # Errors
    /// What is missing.
    pub fn read(
        &self,
        of: &Contender,
        beside: &[&Contender],
        n: Option<usize>,
        clock: Scope,
    ) -> Result<Estimate, Gap> {
        let gap = |why| Gap { of: Some(of.clone()), n, why };
        match n {
            None => self.without_size(of).map_err(gap),
            Some(n) => self.at(of, &self.shared(of, beside, n).map_err(gap)?, n, clock).map_err(gap),
        }
        .map(|figure| stretched(figure, self.uncertainty))
    }

    /// Seconds by the clock of the test over those by another. Of clocks that enclose the same solve each sample is compared with itself, so
    /// that by how much solves differ does not count.
    ///
    /// # Errors
    /// What is missing.
    pub fn clocks(&self, of: &Contender, n: usize, over: Scope) -> Result<Estimate, Gap> {
        let clocks = [self.test.clock, over];
        let [above, below] = clocks.map(|clock| self.read(of, &[], Some(n), clock));
        let apart = above?.over(below?);
        if !clocks.iter().all(|clock| matches!(clock, Scope::HostSynced | Scope::OsSynced)) {
            return Ok(apart);
        }
        let cells = self.shared(of, &[], n).unwrap_or_default();
        let samples = |clock| cells.iter().filter_map(move |cell| self.cells.run.cell(cell).timed(clock));
        let [above, below] =
            clocks.map(|clock| samples(clock).flat_map(|timed| &timed.samples).collect::<Vec<_>>());
        let ratios: Vec<f64> = above.iter().zip(&below).map(|(above, below)| *above / *below).collect();
        Ok(Estimate::of_median(&ratios).map_or(apart, |ratio| stretched(ratio, self.uncertainty)))
    }

    /// The seconds on each graph.
    ///
    /// # Errors
    /// What is missing.
    pub fn on_each_graph(&self, of: &Contender, n: usize) -> Result<Vec<Estimate>, Gap> {
        let gap = |why| Gap { of: Some(of.clone()), n: Some(n), why };
        let planned = self.shared(of, &[], n).map_err(gap)?;
        let read = |cell: &&CellId| {
            let seconds = self.cells.seconds(self.test, of, cell, self.test.clock)?;
            Ok(stretched(seconds, self.uncertainty))
        };
        planned.iter().map(read).collect::<Result<_, _>>().map_err(gap)
    }

    /// The cells of `of` on the graphs that all of `beside` have, too: at least as many as the test needs.
    fn shared(&self, of: &Contender, beside: &[&Contender], n: usize) -> Result<Vec<&CellId>, Missing> {
        let mut own = self.cells.planned(self.test, of, n);
        for other in beside {
            let others = self.cells.planned(self.test, other, n);
            own.retain(|cell| others.iter().any(|one| one.graph == cell.graph));
        }
        let counts_wrong = self.test.figure == Figure::WrongResults;
        match own.len() {
            0 => Err(Missing::NotPlanned),
            _ if !counts_wrong && own.iter().any(|cell| self.cells.is_wrong(cell)) => {
                Err(Missing::WrongResult)
            }
            has if has < self.test.edges_per_vertex.len() => {
                Err(Missing::FewGraphs { has, needs: self.test.edges_per_vertex.len() })
            }
            _ => Ok(own),
        }
    }

    fn without_size(&self, of: &Contender) -> Result<Estimate, Missing> {
        let kernels = self.cells.kernels(of);
        let most = kernels.iter().map(|one| one.resources.local_bytes).max();
        // The emulated device has no registers to run out of.
        let is_known = self.test.figure == Figure::LocalBytes && !self.cells.run.is_emulated();
        let bytes = most.filter(|_| is_known).ok_or(Missing::NotMeasured)?;
        Ok(Estimate::exact(f64::from(bytes)))
    }

    /// What the run measured of the machine alone.
    ///
    /// # Errors
    /// When it did not.
    pub fn of_machine(&self) -> Result<Estimate, Gap> {
        let figure = match self.test.figure {
            Figure::LoadLatencyOfAllOverOne => self
                .ceilings()
                .and_then(|ceilings| ceilings.chained_load)
                .map(|latency| latency.all_multiprocessors.over(latency.one_multiprocessor)),
            _ => self.ceilings().map(|ceilings| Estimate::exact(ceilings.copy_gbs)),
        };
        figure.map(|figure| stretched(figure, self.uncertainty)).ok_or(Gap {
            of: None,
            n: None,
            why: Missing::NotMeasured,
        })
    }

    fn ceilings(&self) -> Option<DeviceCeilings> {
        self.cells.run.environment()?.ceilings.device
    }

    fn at(&self, of: &Contender, cells: &[&CellId], n: usize, clock: Scope) -> Result<Estimate, Missing> {
        let tasks = (n as f64).powi(3);
        let seconds = || self.mean_seconds(of, cells, clock);
        let rate = || Ok(Estimate::exact(tasks).over(seconds()?));
        match self.test.figure {
            Figure::Seconds => seconds(),
            Figure::TasksASecond => rate(),
            Figure::GigabytesASecond => Ok(rate()?.times(self.bytes_a_task(of)? * 1e-9)),
            Figure::ShareOfCopy => {
                let gbs = rate()?.times(self.bytes_a_task(of)? * 1e-9);
                let copy = self.ceilings().ok_or(Missing::NotMeasured)?.copy_gbs;
                Ok(gbs.over(Estimate::exact(copy)).times(100.0))
            }
            Figure::CountedDramBytes | Figure::CountedL2Bytes => self.counted_bytes(cells[0]),
            Figure::DramShareOfCopy => {
                let copy = self.ceilings().ok_or(Missing::NotMeasured)?.copy_gbs;
                Ok(self.counted_bytes(cells[0])?.over(seconds()?).times(100e-9 / copy))
            }
            Figure::KernelSeconds => Ok(self.kernel_seconds(of, cells[0])?.0),
            Figure::KernelShare => {
                let (own, all) = self.kernel_seconds(of, cells[0])?;
                Ok(own.times(100.0 / all))
            }
            Figure::MovedBytes => self.moved_bytes(cells).map(|bytes| Estimate::exact(bytes as f64)),
            Figure::WrongResults => {
                let wrong = self.cells.wrong(cells).ok_or(Missing::NotMeasured)?;
                if wrong == 0 {
                    self.check_orders(cells)?;
                }
                Ok(Estimate::exact(wrong as f64))
            }
            Figure::DramThroughput => self.of_counters(of, cells[0], CounterRow::dram),
            Figure::MultiprocessorThroughput => self.of_counters(of, cells[0], CounterRow::multiprocessor),
            Figure::IssueSlots => self.of_counters(of, cells[0], CounterRow::issue),
            Figure::CopyGigabytesASecond | Figure::LoadLatencyOfAllOverOne | Figure::LocalBytes => {
                self.without_size(of)
            }
            _ => self.counted(of, cells).map(Estimate::exact),
        }
    }

    /// The mean over graphs of the medians, and of the ends of their intervals; papers average over graphs, too.
    fn mean_seconds(&self, of: &Contender, cells: &[&CellId], clock: Scope) -> Result<Estimate, Missing> {
        let read = |cell: &&CellId| self.cells.seconds(self.test, of, cell, clock);
        let all: Vec<Estimate> = cells.iter().map(read).collect::<Result<_, _>>()?;
        Estimate::mean(&all).ok_or(Missing::NotMeasured)
    }

    /// As the paper counts them where it counts otherwise.
    fn bytes_a_task(&self, of: &Contender) -> Result<f64, Missing> {
        let any = || self.cells.run.results.facts.any(&of.implementation);
        let record = self.cells.record(of).or_else(any).ok_or(Missing::NotMeasured)?;
        let as_published = self.test.figure == Figure::GigabytesASecond;
        Ok(record.bytes_per_task_paper.filter(|_| as_published).unwrap_or(record.bytes_per_task))
    }

    /// Of the contender's kernel or kernels, and of all kernels of the solve, on one graph. The first has the relative interval of the solves that
    /// it is a part of, since the record has one number a kernel.
    fn kernel_seconds(&self, of: &Contender, cell: &CellId) -> Result<(Estimate, f64), Missing> {
        let solve = self.cells.seconds(self.test, of, cell, self.test.clock)?;
        let rows = self.cells.kernel_times(cell);
        let seconds = |kernel| rows.iter().find(|row| row.kernel == kernel).map(|row| row.seconds);
        let own = of.kernels().map(seconds).sum::<Option<f64>>().filter(|_| of.kernel.is_some());
        let own = own.ok_or(Missing::NoKernelTimes)?;
        Ok((solve.times(own / solve.value), rows.iter().map(|row| row.seconds).sum()))
    }

    fn moved_bytes(&self, cells: &[&CellId]) -> Result<u64, Missing> {
        self.check_ended(cells)?;
        let rows = self.cells.kernel_times(cells[0]);
        let moved = rows.iter().map(|row| Some(row.loaded_bytes? + row.stored_bytes?)).sum::<Option<u64>>();
        moved.filter(|_| !rows.is_empty()).ok_or(Missing::NoKernelTimes)
    }

    /// What the GPU's counters say of the contender's kernel in this cell.
    fn of_counters(
        &self,
        of: &Contender,
        cell: &CellId,
        figure: impl Fn(&CounterRow) -> Estimate,
    ) -> Result<Estimate, Missing> {
        self.check_ended(&[cell])?;
        let is_it = |row: &&CounterRow| row.cell() == *cell && Some(&row.kernel) == of.kernel.as_ref();
        let row = self.cells.run.results.counters.iter().find(is_it);
        row.map(figure).ok_or(Missing::NoCounters)
    }

    /// What the GPU's counters have of all kernels of this cell: bytes to the L2 cache where the test asks for these, else to DRAM.
    fn counted_bytes(&self, cell: &CellId) -> Result<Estimate, Missing> {
        self.check_ended(&[cell])?;
        let is_l2 = self.test.figure == Figure::CountedL2Bytes;
        let rows = self.cells.run.results.counters.iter().filter(|row| row.cell() == *cell);
        let bytes: Vec<u64> = rows.map(|row| if is_l2 { row.l2_bytes } else { row.dram_bytes }).collect();
        // Without all of its kernels it is no solve.
        let has_all = bytes.len() >= self.cells.kernel_times(cell).len().max(1);
        has_all.then(|| Estimate::exact(bytes.iter().sum::<u64>() as f64)).ok_or(Missing::NoCounters)
    }

    /// That every cell came to its end: what else was read of a solve without one is of no solve.
    fn check_ended(&self, cells: &[&CellId]) -> Result<(), Missing> {
        self.cells.wrong(cells).map(|_| ()).ok_or(Missing::NotMeasured)
    }

    /// That each cell was solved in all orders that the test asks for.
    fn check_orders(&self, cells: &[&CellId]) -> Result<(), Missing> {
        let run = self.cells.run;
        let solved = |cell: &&CellId| run.judged().filter(|(row, _)| row.is_of(cell)).count();
        let planned = usize::try_from(run.manifest.experiment.orders).unwrap_or(usize::MAX);
        let (has, needs) =
            (cells.iter().map(solved).min().unwrap_or(0).min(planned), self.test.orders as usize);
        if needs > 1 && has < needs { Err(Missing::FewOrders { has, needs }) } else { Ok(()) }
    }

    /// A figure that the emulated device counted. A kernel of a counted solve that has no row was not launched.
    fn counted(&self, of: &Contender, cells: &[&CellId]) -> Result<f64, Missing> {
        self.check_ended(cells)?;
        let rows = self.cells.counts(cells);
        if rows.is_empty() {
            return Err(Missing::NotCounted);
        }
        if self.test.figure == Figure::Kernels {
            return Ok(rows.iter().filter(|row| row.counts.launches > 0).count() as f64);
        }
        match rows.iter().find(|row| Some(&row.kernel) == of.kernel.as_ref()) {
            Some(row) if self.test.figure == Figure::UnlikePlain => row.unlike_plain.map(|all| all as f64),
            Some(row) => counted_figure(self.test.figure, (row.counts, row.tasks), self.gpu),
            None => matches!(self.test.figure, Figure::Launches | Figure::Blocks).then_some(0.0),
        }
        .ok_or(Missing::NotCounted)
    }
}
