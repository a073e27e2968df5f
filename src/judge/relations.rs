//! The comparisons of a test in one run, or on a paper's own numbers: every figure that it names, set against what it names.

use super::figures::Figures;
use super::{Gap, Missing, PointSubject, Unit};
use crate::published::{Claim, Combine, Contender, Figure, Relation, Test};
use crate::timing::{Estimate, Scope, median};

/// What was measured of a test, before it is judged.
pub type Measured = (PointSubject, Estimate);

/// The figure of a contender at n by a clock, over the graphs that these others have, too.
type Read<'a> = dyn Fn(&Contender, &[&Contender], Option<usize>, Scope) -> Result<Estimate, Gap> + 'a;

/// A test, and what its figures are read from.
pub struct Comparison<'a> {
    pub test: &'a Test,
    pub read: &'a Read<'a>,
    /// None of a paper's own numbers, which are of no single graph and of no device that is known.
    pub run: Option<&'a Figures<'a>>,
}

/// Every comparison, or what is missing for one, in the order of contenders and sizes.
pub fn compare(comparison: &Comparison) -> Vec<Result<Measured, Gap>> {
    let test = comparison.test;
    if test.figure.is_of_machine() {
        let figure = comparison.run.ok_or_else(|| unpublished(None, None)).and_then(Figures::of_machine);
        return vec![figure.map(|figure| (PointSubject::default(), figure))];
    }
    let sizes: Vec<Option<usize>> = match &test.all_sizes()[..] {
        [] => vec![None],
        all => all.iter().copied().map(Some).collect(),
    };
    let subjects: Vec<PointSubject> = match test.relation {
        Relation::AcrossSeries => vec![PointSubject::default()],
        _ => {
            let pairs = test.pairs.iter().map(|(first, second)| (first, Some(second.clone())));
            let all = pairs.chain(test.series.iter().map(|of| (of, None)));
            all.map(|(of, over)| PointSubject { of: Some(of.clone()), over, ..Default::default() }).collect()
        }
    };
    // What is at the largest size is set against nothing.
    let last = usize::from(test.relation == Relation::Largest);
    let of = |subject: &PointSubject| -> Vec<Result<Measured, Gap>> {
        let at = |n: &Option<usize>| {
            let figure = match (&subject.of, &subject.over) {
                (Some(first), Some(second)) => ratio(comparison, (first, second), *n)?,
                (Some(of), None) => single(comparison, of, *n)?,
                _ => {
                    let read = |of: &Contender| (comparison.read)(of, &[], *n, test.clock);
                    spread(&test.series.iter().map(read).collect::<Result<Vec<_>, _>>()?)
                }
            };
            Ok((PointSubject { n: *n, ..subject.clone() }, figure))
        };
        sizes[..sizes.len() - last].iter().map(at).collect()
    };
    let each: Vec<Vec<Result<Measured, Gap>>> = subjects.iter().map(of).collect();
    match test.combine {
        Combine::Each => each.into_iter().flatten().collect(),
        Combine::Mean => each.into_iter().map(|all| combined(all, Estimate::mean)).collect(),
        Combine::SecondLargest => second_largest(each, sizes.len()),
    }
}

/// The figure of the second over that of the first.
fn ratio(
    comparison: &Comparison,
    (first, second): (&Contender, &Contender),
    n: Option<usize>,
) -> Result<Estimate, Gap> {
    let Comparison { test, read, .. } = comparison;
    let below = read(first, &[second], n, test.clock)?;
    let above = read(second, &[first], n, test.over_clock.unwrap_or(test.clock))?;
    Ok(above.over(below))
}

/// What a test reads of one contender at n, set against what its relation names.
fn single(comparison: &Comparison, of: &Contender, n: Option<usize>) -> Result<Estimate, Gap> {
    let test = comparison.test;
    let read = |n: Option<usize>| (comparison.read)(of, &[], n, test.clock);
    let run = || comparison.run.ok_or_else(|| unpublished(Some(of), n));
    let size = n.unwrap_or_default();
    Ok(match test.relation {
        Relation::Clocks => run()?.clocks(of, size, test.over_clock.unwrap_or(test.clock))?,
        Relation::Doubled => read(Some(2 * size))?.over(read(n)?).times(0.5f64.powi(test.power)),
        Relation::Largest => {
            let last = test.all_sizes().last().copied().unwrap_or(size);
            let growth = (last as f64 / size as f64).powi(test.power);
            read(n)?.over(read(Some(last))?).times(growth)
        }
        Relation::AcrossGraphs => spread(&run()?.on_each_graph(of, size)?),
        Relation::Step => step(run()?, of, size)?,
        Relation::Value | Relation::Ratio | Relation::AcrossSeries => read(n)?,
    })
}

/// What a paper has no number of.
fn unpublished(of: Option<&Contender>, n: Option<usize>) -> Gap {
    Gap { of: of.cloned(), n, why: Missing::NotPlanned }
}

/// The most over the least.
fn spread(all: &[Estimate]) -> Estimate {
    let by = |a: &&Estimate, b: &&Estimate| a.value.total_cmp(&b.value);
    match (all.iter().max_by(by), all.iter().min_by(by)) {
        (Some(most), Some(least)) => most.over(*least),
        _ => Estimate::exact(f64::NAN),
    }
}

/// All sizes of one contender as one comparison.
fn combined(
    all: Vec<Result<Measured, Gap>>,
    of: impl Fn(&[Estimate]) -> Option<Estimate>,
) -> Result<Measured, Gap> {
    let all: Vec<Measured> = all.into_iter().collect::<Result<_, _>>()?;
    let place = all.first().map(|(place, _)| PointSubject { n: None, ..place.clone() }).unwrap_or_default();
    let values: Vec<Estimate> = all.into_iter().map(|(_, value)| value).collect();
    let gap = Gap { of: place.of.clone(), n: None, why: Missing::NotMeasured };
    Ok((place, of(&values).ok_or(gap)?))
}

/// At each size, the second largest of all pairs, which all have to be there.
fn second_largest(each: Vec<Vec<Result<Measured, Gap>>>, sizes: usize) -> Vec<Result<Measured, Gap>> {
    let at = |at: usize| {
        let of_size: Result<Vec<Measured>, Gap> = each.iter().map(|all| all[at].clone()).collect();
        let mut of_size = of_size?;
        of_size.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        let second = of_size.into_iter().nth(1);
        second.ok_or(Gap { of: None, n: None, why: Missing::NotMeasured })
    };
    (0..sizes).map(at).collect()
}

const WARP: usize = 32;

/// Growth from n, a multiple of multiprocessors times 32, to 16 vertices more, over that of n³ and over the median of the same at sizes
/// whole warps away, on both sides: as a share of what one more wave of as many threads as the GPU holds at once would add.
fn step(figures: &Figures, of: &Contender, n: usize) -> Result<Estimate, Gap> {
    /// Sizes grow in steps of half a warp, as in the paper that saw steps.
    const STEP: usize = 16;
    /// Growth alternates with n modulo a warp: a size is compared with those a whole number of warps away.
    const NEIGHBOURS: std::ops::RangeInclusive<usize> = 1..=4;
    let info = figures.cells.run.device().map(|device| &device.info);
    let multiprocessors = info.map_or(0, |info| info.multiprocessors as usize);
    let Some(info) = info.filter(|_| multiprocessors > 0 && n.is_multiple_of(multiprocessors * WARP)) else {
        return Err(Gap { of: Some(of.clone()), n: Some(n), why: Missing::NoMultiple });
    };
    let read = |n: usize| figures.read(of, &[], Some(n), figures.test.clock);
    let beyond_cube = |n: usize| -> Result<Estimate, Gap> {
        let cube = ((n + STEP) as f64 / n as f64).powi(3);
        Ok(read(n + STEP)?.over(read(n)?).times(1.0 / cube))
    };
    let away = NEIGHBOURS.flat_map(|warps| [n.saturating_sub(warps * WARP), n + warps * WARP]);
    let others: Vec<f64> = away.map(|n| Ok(beyond_cube(n)?.value)).collect::<Result<_, Gap>>()?;
    let growth = beyond_cube(n)?.times(1.0 / median(&others).unwrap_or(f64::NAN));
    let resident = multiprocessors as f64 * f64::from(info.threads_per_multiprocessor);
    let waves = ((n as f64).powi(2) / resident.max(1.0)).max(1.0);
    let of_a_wave = |growth: f64| (growth - 1.0) * waves;
    Ok(Estimate { value: of_a_wave(growth.value), low: of_a_wave(growth.low), high: of_a_wave(growth.high) })
}

/// The unit of what the tests of a claim compare; none where they differ.
pub fn unit(claim: &Claim) -> Unit {
    let mut units = claim.tests.iter().map(unit_of);
    let first = units.next().unwrap_or_default();
    if units.all(|unit| unit == first) { first } else { Unit::None }
}

/// The unit of what a test compares.
pub fn unit_of(test: &Test) -> Unit {
    match (test.relation, test.combine, test.figure) {
        (Relation::Step, ..) => Unit::OfAWave,
        (Relation::Value, _, figure) => of_figure(figure),
        _ => Unit::Times,
    }
}

fn of_figure(figure: Figure) -> Unit {
    match figure {
        Figure::Seconds | Figure::KernelSeconds => Unit::Seconds,
        Figure::TasksASecond => Unit::TasksASecond,
        Figure::GigabytesASecond | Figure::CopyGigabytesASecond => Unit::GigabytesASecond,
        Figure::LoadLatencyOfAllOverOne => Unit::Times,
        Figure::ShareOfCopy | Figure::DramShareOfCopy => Unit::PercentOfLimit,
        Figure::KernelShare
        | Figure::DramThroughput
        | Figure::MultiprocessorThroughput
        | Figure::IssueSlots
        | Figure::Occupancy => Unit::Percent,
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
