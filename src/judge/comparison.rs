//! The comparisons of a test, from one run or from a paper's own numbers: each figure against the one that the test names for it.

use super::evidence::RunEvidence;
use super::metric::MetricReader;
use super::{ComparisonSubject, MissingComparison, MissingReason, verdict};
use crate::published::{Combine, Contender, PublishedPaper, Relation, Test};
use crate::timing::{Estimate, Scope, median};

/// What was measured of a subject, before it is judged.
pub type MeasuredComparison = (ComparisonSubject, Estimate);

/// A measured comparison, or what is missing for it.
pub type ComparisonResult = Result<MeasuredComparison, MissingComparison>;

const WARP: usize = 32;

/// A test, and what its figures are read from.
#[derive(Clone, Copy)]
pub struct TestEvaluation<'a> {
    pub paper: &'a PublishedPaper,
    /// Which of the claim's tests it is.
    pub place: usize,
    pub test: &'a Test,
    /// None for the paper's own numbers, whose graph and device are not known.
    pub evidence: Option<&'a RunEvidence<'a>>,
}

impl<'a> TestEvaluation<'a> {
    /// Every comparison, or what is missing for one, in the order of contenders and sizes.
    pub fn comparisons(&self) -> Vec<ComparisonResult> {
        let test = self.test;
        let is_of_any_n = |of: &Contender| self.paper.number(test.figure, &of.implementation, None).is_some();
        let sizes: Vec<Option<usize>> = match &test.all_sizes()[..] {
            [] => vec![None],
            _ if self.evidence.is_none() && test.contenders().all(is_of_any_n) => vec![None],
            all => all.iter().copied().map(Some).collect(),
        };
        // The largest size is what the others are compared with.
        let sizes = &sizes[..sizes.len() - usize::from(test.relation == Relation::Largest)];
        let pairs = test.pairs.iter().map(|(first, second)| (Some(first), Some(second)));
        let mut contenders: Vec<_> = pairs.chain(test.series.iter().map(|of| (Some(of), None))).collect();
        if test.figure.is_of_machine() || test.relation == Relation::AcrossSeries {
            contenders = vec![(None, None)];
        }
        let at = |(of, over): (Option<&Contender>, Option<&Contender>), n: Option<usize>| {
            self.measure(ComparisonSubject { test: self.place, of: of.cloned(), over: over.cloned(), n })
        };
        let over_sizes = |of| sizes.iter().map(move |n| at(of, *n));
        match test.combine {
            Combine::Each => contenders.into_iter().flat_map(over_sizes).collect(),
            Combine::Mean => contenders.into_iter().map(|of| mean(over_sizes(of))).collect(),
            Combine::SecondLargest => {
                let of_size = |n: &Option<usize>| second_largest(contenders.iter().map(|of| at(*of, *n)));
                sizes.iter().map(of_size).collect()
            }
        }
    }

    fn measure(&self, at: ComparisonSubject) -> ComparisonResult {
        let mut figure = self.figure(&at)?;
        if self.test.over_own {
            figure = figure.over(Self { evidence: None, ..*self }.figure(&at)?);
        }
        // After a division by next to nothing there is no number, and so no comparison.
        if figure.is_finite() { Ok((at, figure)) } else { Err(at.missing(MissingReason::NotMeasured)) }
    }

    /// The figure of a subject, divided by what the test's relation names.
    fn figure(&self, at: &ComparisonSubject) -> Result<Estimate, MissingComparison> {
        let (test, of) = (self.test, at.of.as_ref());
        let over_clock = test.over_clock.unwrap_or(test.clock);
        let read = |n: Option<usize>| self.read(of, None, n, test.clock);
        let n = at.n.unwrap_or_default();
        Ok(match test.relation {
            Relation::Value => read(at.n)?,
            Relation::Ratio => {
                let over = at.over.as_ref();
                let below = self.read(of, over, at.n, test.clock)?;
                self.read(over, of, at.n, over_clock)?.over(below)
            }
            Relation::Doubled => read(Some(2 * n))?.over(read(at.n)?).times(0.5f64.powi(test.power)),
            Relation::Largest => {
                let last = test.all_sizes().last().copied().unwrap_or(n);
                let growth = (last as f64 / n as f64).powi(test.power);
                read(at.n)?.over(read(Some(last))?).times(growth)
            }
            Relation::AcrossSeries => {
                let read = |of: &Contender| self.read(Some(of), None, at.n, test.clock);
                spread(&test.series.iter().map(read).collect::<Result<Vec<_>, _>>()?)
            }
            Relation::Clocks | Relation::AcrossGraphs | Relation::Step => {
                let none = || at.missing(MissingReason::NotPlanned);
                let (run, of) = self.run().zip(of).ok_or_else(none)?;
                match test.relation {
                    Relation::Clocks => {
                        let apart = read(at.n)?.over(self.read(Some(of), None, at.n, over_clock)?);
                        run.by_sample(of, n, [test.clock, over_clock]).unwrap_or(apart)
                    }
                    Relation::Step => self.step(&run, at)?,
                    _ => spread(&run.on_each_graph(of, n).map_err(|why| at.missing(why))?),
                }
            }
        })
    }

    fn run(&self) -> Option<MetricReader<'a>> {
        Some(MetricReader { evidence: self.evidence?, paper: self.paper, test: self.test })
    }

    /// A contender's figure at n by a clock, on the graphs that `beside` was measured on too; without a run, the paper's number for it.
    fn read(
        &self,
        of: Option<&Contender>,
        beside: Option<&Contender>,
        n: Option<usize>,
        clock: Scope,
    ) -> Result<Estimate, MissingComparison> {
        let figure = match (self.run(), of, n) {
            (Some(run), ..) if self.test.figure.is_of_machine() => run.of_machine(),
            (Some(run), Some(of), Some(n)) => run.at(of, beside, n, clock),
            (Some(run), Some(of), None) => run.without_size(of),
            // Between two variants of one implementation the paper does not distinguish.
            (None, Some(of), _) if beside.is_none_or(|beside| beside.implementation != of.implementation) => {
                let number = self.paper.number(self.test.figure, &of.implementation, n);
                number.map(Estimate::exact).ok_or(MissingReason::NotPlanned)
            }
            _ => Err(MissingReason::NotPlanned),
        };
        figure.map_err(|why| MissingComparison { of: of.cloned(), n, why })
    }

    /// How much more than n³ the time grows from n (a multiple of 32 × multiprocessors) to n + 16, over the median of the same at sizes
    /// whole warps away, minus 1; times the waves of n, a wave being as many threads as the GPU holds at once.
    fn step(&self, run: &MetricReader, at: &ComparisonSubject) -> Result<Estimate, MissingComparison> {
        /// Sizes grow in steps of half a warp, as in the paper that saw steps.
        const STEP: usize = 16;
        /// Growth alternates with n modulo a warp: a size is compared with those a whole number of warps away.
        const NEIGHBOURS: std::ops::RangeInclusive<usize> = 1..=4;
        let n = at.n.unwrap_or_default();
        let device = run.evidence.run.device().map(|device| &device.info);
        let device = device.filter(|of| n.is_multiple_of(of.multiprocessors as usize * WARP));
        let device = device.ok_or_else(|| at.missing(MissingReason::NoMultiple))?;
        let read = |n: usize| self.read(at.of.as_ref(), None, Some(n), self.test.clock);
        let beyond_cube = |n: usize| -> Result<Estimate, MissingComparison> {
            let cube = ((n + STEP) as f64 / n as f64).powi(3);
            Ok(read(n + STEP)?.over(read(n)?).times(1.0 / cube))
        };
        let away = NEIGHBOURS.flat_map(|warps| [n.saturating_sub(warps * WARP), n + warps * WARP]);
        let others: Vec<f64> = away.map(|n| Ok(beyond_cube(n)?.value)).collect::<Result<_, _>>()?;
        let growth = beyond_cube(n)?.times(1.0 / median(&others).unwrap_or(f64::NAN));
        let resident = f64::from(device.multiprocessors) * f64::from(device.threads_per_multiprocessor);
        let waves = ((n as f64).powi(2) / resident.max(1.0)).max(1.0);
        let beyond = Estimate { value: growth.value - 1.0, low: growth.low - 1.0, high: growth.high - 1.0 };
        Ok(beyond.times(waves))
    }
}

/// The most over the least.
fn spread(all: &[Estimate]) -> Estimate {
    extremes(all).map_or(Estimate::exact(f64::NAN), |(least, most)| most.over(least))
}

/// The least and the most of figures, by their values. None if there are no figures.
pub fn extremes(all: &[Estimate]) -> Option<(Estimate, Estimate)> {
    let by_value = |a: &&Estimate, b: &&Estimate| a.value.total_cmp(&b.value);
    Some((*all.iter().min_by(by_value)?, *all.iter().max_by(by_value)?))
}

/// All sizes of one subject as one comparison.
fn mean(all: impl Iterator<Item = ComparisonResult>) -> ComparisonResult {
    let (subjects, figures): (Vec<_>, Vec<_>) = all.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let of = ComparisonSubject { n: None, ..subjects.into_iter().next().unwrap_or_default() };
    let mean = verdict::mean(&figures).ok_or_else(|| of.missing(MissingReason::NotMeasured))?;
    Ok((of, mean))
}

/// The second largest figure of all contenders at a size. Missing if any of them is.
fn second_largest(all: impl Iterator<Item = ComparisonResult>) -> ComparisonResult {
    let mut all: Vec<MeasuredComparison> = all.collect::<Result<_, _>>()?;
    all.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    all.into_iter().nth(1).ok_or(ComparisonSubject::default().missing(MissingReason::NotMeasured))
}
