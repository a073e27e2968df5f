//! The comparisons of a test in one run: every figure that it names, set against what it names.

use super::figures::Figures;
use super::{Gap, Missing, PointSubject, Unit};
use crate::published::{Claim, Combine, Contender, Figure, Relation, Test};
use crate::timing::{Estimate, median};

/// What was measured of a test, before it is judged.
pub type Measured = (PointSubject, Estimate);

/// Every comparison, or what is missing for one, in the order of contenders and sizes.
pub fn compare(figures: &Figures) -> Vec<Result<Measured, Gap>> {
    let test = figures.test;
    if test.figure.is_of_machine() {
        return vec![figures.of_machine().map(|figure| (PointSubject::default(), figure))];
    }
    let sizes: Vec<Option<usize>> = match &test.all_sizes()[..] {
        [] => vec![None],
        all => all.iter().copied().map(Some).collect(),
    };
    let each: Vec<Vec<Result<Measured, Gap>>> = match test.relation {
        Relation::Ratio => {
            let of = |(first, second): &(Contender, Contender)| {
                let place = PointSubject {
                    of: Some(first.clone()),
                    over: Some(second.clone()),
                    ..PointSubject::default()
                };
                let at = |n: &Option<usize>| {
                    Ok((PointSubject { n: *n, ..place.clone() }, ratio(figures, (first, second), *n)?))
                };
                sizes.iter().map(at).collect()
            };
            test.pairs.iter().map(of).collect()
        }
        Relation::AcrossSeries => {
            let at = |n: &Option<usize>| {
                let read = |of: &Contender| figures.read(of, &[], *n, test.clock);
                let all: Vec<Estimate> = test.series.iter().map(read).collect::<Result<_, _>>()?;
                Ok((PointSubject { n: *n, ..PointSubject::default() }, spread(&all)))
            };
            vec![sizes.iter().map(at).collect()]
        }
        _ => {
            let of = |of: &Contender| {
                let place = PointSubject { of: Some(of.clone()), ..PointSubject::default() };
                let at = |n: &Option<usize>| {
                    Ok((PointSubject { n: *n, ..place.clone() }, single(figures, of, *n)?))
                };
                // What is at the largest size is set against nothing.
                let last = usize::from(test.relation == Relation::Largest);
                sizes[..sizes.len() - last].iter().map(at).collect()
            };
            test.series.iter().map(of).collect()
        }
    };
    match test.combine {
        Combine::Each => each.into_iter().flatten().collect(),
        Combine::Mean => each.into_iter().map(|all| combined(all, Estimate::mean)).collect(),
        Combine::SecondLargest => second_largest(each, sizes.len()),
    }
}

/// The figure of the second over that of the first.
fn ratio(
    figures: &Figures,
    (first, second): (&Contender, &Contender),
    n: Option<usize>,
) -> Result<Estimate, Gap> {
    let test = figures.test;
    let below = figures.read(first, &[second], n, test.clock)?;
    let above = figures.read(second, &[first], n, test.over_clock.unwrap_or(test.clock))?;
    Ok(above.over(below))
}

/// What a test reads of one contender at n, set against what its relation names.
fn single(figures: &Figures, of: &Contender, n: Option<usize>) -> Result<Estimate, Gap> {
    let test = figures.test;
    let read = |n: Option<usize>| figures.read(of, &[], n, test.clock);
    let size = n.unwrap_or_default();
    Ok(match test.relation {
        Relation::Clocks => read(n)?.over(figures.read(of, &[], n, test.over_clock.unwrap_or(test.clock))?),
        Relation::Doubled => read(Some(2 * size))?.over(read(n)?).times(0.5f64.powi(test.power)),
        Relation::Largest => {
            let last = test.all_sizes().last().copied().unwrap_or(size);
            let growth = (last as f64 / size as f64).powi(test.power);
            read(n)?.over(read(Some(last))?).times(growth)
        }
        Relation::AcrossGraphs => spread(&figures.on_each_graph(of, size)?),
        Relation::Step => step(figures, of, size)?,
        Relation::Value | Relation::Ratio | Relation::AcrossSeries => read(n)?,
    })
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
        Figure::ShareOfCopy => Unit::PercentOfLimit,
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
