//! What stored runs of one machine measured, looked up cell by cell.

use super::said::{Contender, Lack, Remark, Sizes};
use crate::graph::ElementType;
use crate::lists::distinct;
use crate::results::{CellKind, Noise, NoiseFloor, StoredRun, VariantFacts};
use crate::store::{CountRow, KernelRecord, KernelTimeRow};
use crate::timing::{DeviceCeilings, Estimate, Scope, SolvedOn};
use repro_types::{CellId, Parameters};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The runs of one machine, and what was counted on the emulated device, which is the same on every machine.
#[derive(Clone)]
pub struct Evidence<'a> {
    /// The machine's label.
    pub machine: String,
    timed: Vec<Measurements<'a>>,
    counted: Vec<&'a StoredRun>,
    noise: Rc<Noise>,
    /// By which every interval and all noise are multiplied: 1, unless somebody asks what would be if.
    uncertainty: f64,
}

/// What one run measured, read as if it were known so many times as badly.
#[derive(Clone, Copy)]
pub struct Measurements<'a> {
    pub run: &'a StoredRun,
    uncertainty: f64,
}

/// An implementation with its parameters as records write them.
pub type Variant<'a> = (&'a str, &'a str);

impl<'a> Evidence<'a> {
    /// `timed` are runs of one machine, oldest first; `counted` are runs with counts, of any.
    pub fn new(machine: &str, timed: &[&'a StoredRun], counted: &[&'a StoredRun]) -> Self {
        Self {
            machine: machine.to_string(),
            noise: Rc::new(Noise::of(timed, Scope::Kernel)),
            timed: timed.iter().map(|run| Measurements::new(run)).collect(),
            counted: counted.to_vec(),
            uncertainty: 1.0,
        }
    }

    /// The same records, read as if everything were known `factor` times as badly: each interval is so many times as wide, and
    /// so is the noise.
    pub fn with_uncertainty(&self, factor: f64) -> Self {
        let timed = self.timed.iter().map(|run| Measurements { uncertainty: factor, ..*run });
        Self {
            machine: self.machine.clone(),
            noise: self.noise.clone(),
            timed: timed.collect(),
            counted: self.counted.clone(),
            uncertainty: factor,
        }
    }

    pub fn runs(&self) -> &[Measurements<'a>] {
        &self.timed
    }

    /// By which every interval and all noise are multiplied.
    pub fn uncertainty(&self) -> f64 {
        self.uncertainty
    }

    /// Whether an implementation ran on a device in these runs, or would have.
    pub fn is_on_device(&self, implementation: &str) -> bool {
        let known = |run: &Measurements| Some(run.run.results.facts.any(implementation)?.solved_on);
        self.timed.iter().find_map(known) != Some(SolvedOn::Cpu)
    }

    /// The implementations on devices of these runs, each once.
    pub fn on_devices(&self) -> BTreeSet<&str> {
        let all = self.timed.iter().flat_map(|run| run.run.results.facts.implementations());
        all.filter(|name| self.is_on_device(name)).collect()
    }

    /// What is recorded of an implementation with its default parameters.
    pub fn facts(&self, implementation: &str) -> Option<&VariantFacts> {
        let facts = || self.timed.iter().map(|run| &run.run.results.facts);
        let plain = facts().find_map(|facts| facts.variant((implementation, "")));
        plain.or_else(|| facts().find_map(|facts| facts.any(implementation)))
    }

    /// What two medians of one run differ by when nothing changes, relative.
    pub fn within(&self, implementation: &str, n: usize) -> f64 {
        self.noise.within(CellKind::of(self.is_on_device(implementation), n)) * self.uncertainty
    }

    /// Why nothing is known of these together at `sizes`: which of them was never timed there, or that no run has all.
    pub fn lacking(&self, contenders: &[Contender], sizes: Sizes) -> Lack {
        let is_timed = |of: &&Contender| {
            self.timed.iter().any(|run| {
                let params = match of.params.as_str() {
                    "" => run.params_of(&of.implementation),
                    given => Some(given.to_string()),
                };
                params.is_some_and(|params| {
                    !run.sizes_of((&of.implementation, &params), Scope::Kernel).is_empty()
                })
            })
        };
        let untimed: Vec<Contender> = contenders.iter().filter(|of| !is_timed(of)).cloned().collect();
        match untimed.is_empty() {
            true => Lack::NotTogether { contenders: contenders.to_vec(), sizes },
            false => Lack::NotMeasured { contenders: untimed, sizes },
        }
    }

    /// The run to answer a question of the paper `paper`, with what it answers, which is never empty: a run of an
    /// experiment on that paper before any other; of those the one that answers most; then one that reproduces a
    /// published table; then the one with most cells; then the latest.
    ///
    /// All numbers of one comparison come from one run: another may be of another GPU of the same model.
    pub fn fullest<T>(
        &self,
        paper: &str,
        ask: impl Fn(&Measurements<'a>) -> Vec<T>,
    ) -> Option<(&Measurements<'a>, Vec<T>)> {
        let answers = self.timed.iter().map(|run| (run, ask(run))).filter(|(_, answer)| !answer.is_empty());
        // The last of equals, and runs are sorted by time.
        answers.max_by_key(|(run, answer)| {
            let experiment = &run.run.manifest.experiment;
            let own = experiment.paper.as_deref() == Some(paper);
            (own, answer.len(), experiment.table.is_some(), run.run.results.summary.len())
        })
    }

    /// Seconds of `slower` over those of `faster` at `n`, the interval widened by the noise of the noisier of the two.
    pub fn ratio(
        &self,
        run: &Measurements,
        (faster, slower): (Variant, Variant),
        n: usize,
        scope: Scope,
    ) -> Option<Estimate> {
        let shared =
            run.graphs_of(faster, n, scope).intersection(&run.graphs_of(slower, n, scope)).copied().collect();
        let of = |variant| run.seconds(variant, n, scope, &shared);
        let noise = self.noise_of(run, faster, n).max(self.noise_of(run, slower, n));
        Some(of(slower)?.over(of(faster)?).widened(noise))
    }

    /// The same by `scope` at every size of those `wanted` at which `faster` was timed, with the parameters that the experiment names
    /// first for either.
    pub fn ratios(
        &self,
        run: &Measurements,
        (faster, slower): (&str, &str),
        scope: Scope,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, Estimate)> {
        let (Some(fast), Some(slow)) = (run.params_of(faster), run.params_of(slower)) else {
            return Vec::new();
        };
        self.ratios_between(run, ((faster, fast.as_str()), (slower, slow.as_str())), scope, wanted)
    }

    /// The same of two variants, faster and slower.
    pub fn ratios_between(
        &self,
        run: &Measurements,
        pair: (Variant, Variant),
        scope: Scope,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, Estimate)> {
        let sizes = run.sizes_of(pair.0, Scope::Kernel).into_iter().filter(|n| wanted(*n));
        sizes.filter_map(|n| Some((n, self.ratio(run, pair, n, scope)?))).collect()
    }

    /// Seconds of `implementation` by `scope` kernel at every size of those `wanted`, as [`Self::seconds`] has them, with the
    /// parameters that the experiment names first for it.
    pub fn times(
        &self,
        run: &Measurements,
        implementation: &str,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, Estimate)> {
        let Some(params) = run.params_of(implementation) else { return Vec::new() };
        let variant = (implementation, params.as_str());
        let sizes = run.sizes_of(variant, Scope::Kernel).into_iter().filter(|n| wanted(*n));
        sizes.filter_map(|n| Some((n, self.seconds(run, variant, n, Scope::Kernel)?))).collect()
    }

    /// Seconds of `variant` at `n`, the interval widened by its noise.
    pub fn seconds(&self, run: &Measurements, variant: Variant, n: usize, scope: Scope) -> Option<Estimate> {
        Some(self.own_seconds(run, variant, n, scope)?.widened(self.noise_of(run, variant, n)))
    }

    /// Seconds of `variant` at `n` with the interval of its own samples.
    pub fn own_seconds(
        &self,
        run: &Measurements,
        variant: Variant,
        n: usize,
        scope: Scope,
    ) -> Option<Estimate> {
        let graphs = run.graphs_of(variant, n, scope);
        run.seconds(variant, n, scope, &graphs)
    }

    /// One clock over another, of the same cell in the same run, widened by the noise within runs.
    pub fn clocks(
        &self,
        run: &Measurements,
        variant: Variant,
        n: usize,
        (over, under): (Scope, Scope),
    ) -> Option<Estimate> {
        let graphs = run.graphs_of(variant, n, over);
        let of = |scope| run.seconds(variant, n, scope, &graphs);
        Some(of(over)?.over(of(under)?).widened(self.within(variant.0, n)))
    }

    /// The copy bandwidth that `run` measured, GB/s, within what all runs of this machine measured.
    pub fn copy_gbs(&self, run: &Measurements) -> Option<Estimate> {
        let all = self.timed.iter().filter_map(|run| run.ceilings()).map(|ceilings| ceilings.copy_gbs);
        Some(stretched(Estimate::among(run.ceilings()?.copy_gbs, all), self.uncertainty))
    }

    fn noise_of(&self, run: &Measurements, (implementation, params): Variant, n: usize) -> f64 {
        self.noise.of_cell(run.run, implementation, params, n) * self.uncertainty
    }

    /// Rows of one kernel at the largest n that was counted of it, from the latest run that has any.
    pub fn counts(&self, variant: Variant, kernel: &str) -> Option<(&'a StoredRun, &'a CountRow)> {
        let of = |row: &&CountRow| row.cell.variant() == variant && row.kernel == kernel;
        let rows = self
            .counted
            .iter()
            .filter_map(|run| Some((*run, counts_of(run).filter(of).max_by_key(|row| row.cell.n)?)));
        rows.max_by_key(|(_, row)| row.cell.n)
    }

    /// The run with most counts of `implementation`.
    pub fn counted(&self, implementation: &str) -> Option<(&'a StoredRun, Vec<&'a CountRow>)> {
        self.counted_with(implementation, |_| true)
    }

    /// The same of those of its cells that are `wanted`.
    pub fn counted_with(
        &self,
        implementation: &str,
        wanted: impl Fn(&CellId) -> bool,
    ) -> Option<(&'a StoredRun, Vec<&'a CountRow>)> {
        let of = |row: &&CountRow| row.cell.implementation == implementation && wanted(&row.cell);
        let runs = self.counted.iter().map(|run| (*run, counts_of(run).filter(of).collect::<Vec<_>>()));
        runs.filter(|(_, rows)| !rows.is_empty()).max_by_key(|(_, rows)| rows.len())
    }

    /// The GPU's name, where the runs have one that is not emulated.
    pub fn gpu(&self) -> Option<&str> {
        let run = self.timed.iter().find(|run| !run.run.is_emulated())?;
        Some(&run.run.device()?.info.name)
    }

    /// Whether a noise floor is known for cells of this kind.
    pub fn noise_floors(&self) -> Vec<NoiseFloor> {
        self.noise.floors()
    }
}

impl<'a> Measurements<'a> {
    pub(super) fn new(run: &'a StoredRun) -> Self {
        Self { run, uncertainty: 1.0 }
    }

    /// How the run writes `implementation` with these parameters and all others at their defaults. None where it has no such cell.
    pub fn variant(&self, implementation: &str, wanted: &[(&str, u32)]) -> Option<String> {
        let plain = |set: &Parameters| self.run.results.facts.beyond_defaults(implementation, set);
        let wanted: Parameters = wanted.iter().copied().collect();
        let is_it = |params: &String| params.parse().is_ok_and(|given| plain(&given) == plain(&wanted));
        self.variants_of(implementation).into_iter().find(is_it)
    }

    /// Parameters of every variant of `implementation`, with how records write them.
    pub fn parsed_variants(&self, implementation: &str) -> Vec<(Parameters, String)> {
        let all = self.variants_of(implementation).into_iter();
        all.filter_map(|params| Some((params.parse().ok()?, params))).collect()
    }

    /// The median of an implementation at n by scope kernel in distances of type `element`, with its interval.
    pub fn in_element(
        &self,
        (implementation, params): Variant,
        n: usize,
        element: ElementType,
    ) -> Option<Estimate> {
        let experiment = &self.run.manifest.experiment;
        let graph = experiment.graphs.iter().find(|graph| graph.element == element)?;
        self.known(&CellId::new(implementation, n, params, &graph.name), Scope::Kernel)
    }

    /// The folder's name, marked where its records are not as they were written.
    pub fn name(&self) -> String {
        self.run.marked_name()
    }

    /// The parameters that the experiment names first for `implementation`.
    pub fn params_of(&self, implementation: &str) -> Option<String> {
        let columns = &self.run.manifest.experiment.columns;
        let column = columns.iter().find(|column| column.implementation == implementation)?;
        Some(column.parameters.to_string())
    }

    /// Which times of `implementation`, with the parameters that the experiment names first, are estimates.
    pub fn estimates(&self, implementation: &str, wanted: impl Fn(usize) -> bool) -> Vec<Remark> {
        let params = self.params_of(implementation);
        let of = self.run.results.summary.iter().filter(|row| {
            row.implementation == implementation && Some(&row.params) == params.as_ref() && wanted(row.n)
        });
        of.filter_map(|row| Some(Remark::Estimated { iterations: row.iterations?, n: row.n })).collect()
    }

    /// Whether its time at `n`, with the parameters that the experiment names first, is an estimate.
    pub fn is_estimated(&self, implementation: &str, n: usize) -> bool {
        !self.estimates(implementation, |of| of == n).is_empty()
    }

    /// Every set of parameters that `implementation` ran with, in the experiment's order.
    pub fn variants_of(&self, implementation: &str) -> Vec<String> {
        let columns = self.run.manifest.experiment.columns.iter();
        let of_it = columns.filter(|column| column.implementation == implementation);
        distinct(of_it.map(|column| column.parameters.to_string()))
    }

    /// The sizes that `variant` has samples of, ascending.
    pub fn sizes_of(&self, variant: Variant, scope: Scope) -> Vec<usize> {
        let read = self.run.results.times.by(scope).map(|(cell, _)| cell);
        let of = read.filter(|cell| cell.variant() == variant && is_f32(self.run, cell));
        of.map(|cell| cell.n).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn graphs_of(&self, (implementation, params): Variant, n: usize, scope: Scope) -> BTreeSet<&str> {
        let graphs = self.run.manifest.experiment.graphs.iter().map(|graph| graph.name.as_str());
        let is_read = |graph: &&str| {
            let cell = CellId::new(implementation, n, params, graph);
            is_f32(self.run, &cell) && self.run.cell(&cell).time(scope).is_some()
        };
        graphs.filter(is_read).collect()
    }

    /// The mean over `graphs` of the medians, and of the ends of their intervals; papers average over graphs, too.
    fn seconds(
        &self,
        (implementation, params): Variant,
        n: usize,
        scope: Scope,
        graphs: &BTreeSet<&str>,
    ) -> Option<Estimate> {
        let of_graph = |graph: &&str| self.cell(&CellId::new(implementation, n, params, graph), scope);
        let all: Vec<Estimate> = graphs.iter().map(of_graph).collect::<Option<_>>()?;
        Estimate::mean(&all)
    }

    /// The median of a cell and its interval. None where that reaches down to no time at all, which no solve takes and no
    /// ratio can be had of.
    pub fn cell(&self, cell: &CellId, scope: Scope) -> Option<Estimate> {
        self.known(cell, scope).filter(|_| is_f32(self.run, cell))
    }

    fn known(&self, cell: &CellId, scope: Scope) -> Option<Estimate> {
        let seconds = self.run.cell(cell).time(scope).filter(|seconds| seconds.low > 0.0)?;
        Some(stretched(seconds, self.uncertainty))
    }

    /// The GPU's ceilings as this run measured them.
    pub fn ceilings(&self) -> Option<DeviceCeilings> {
        self.run.environment()?.ceilings.device
    }

    /// What the kernels of `variant` take on this device.
    pub fn kernels_of(&self, (implementation, params): Variant) -> &[KernelRecord] {
        let all = self.run.environment().map_or(&[][..], |environment| &environment.implementations);
        let of = all.iter().find(|one| one.implementation == implementation && one.params == params);
        of.map_or(&[], |record| &record.kernels)
    }

    /// Times by kernel.
    pub fn kernel_times(&self) -> &'a [KernelTimeRow] {
        &self.run.results.kernel_times
    }
}

/// What papers measured and counted, they did in `f32`.
fn is_f32(run: &StoredRun, cell: &CellId) -> bool {
    run.manifest.experiment.element_of(&cell.graph) == ElementType::F32
}

fn counts_of(run: &StoredRun) -> impl Iterator<Item = &CountRow> {
    run.results.counts.iter().filter(|row| is_f32(run, &row.cell))
}

/// An interval `factor` times as wide, by ratios, so that it stays positive.
fn stretched(of: Estimate, factor: f64) -> Estimate {
    if factor == 1.0 || of.value <= 0.0 {
        return of;
    }
    let end = |end: f64| of.value * (end / of.value).powf(factor);
    Estimate { low: end(of.low), high: end(of.high), ..of }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_as_uncertain_is_half_as_wide_and_as_certain_as_it_was_is_the_same() {
        let of = Estimate { value: 2.0, low: 1.0, high: 8.0 };
        assert_eq!(stretched(of, 1.0), of);
        let half = stretched(of, 0.5);
        assert!((half.low - 2f64.sqrt()).abs() < 1e-9 && (half.high - 4.0).abs() < 1e-9, "{half:?}");
        assert_eq!(stretched(Estimate::exact(3.0), 2.0), Estimate::exact(3.0));
    }
}
