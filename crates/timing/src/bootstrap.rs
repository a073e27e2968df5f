//! How far the ratio of two medians may be off by the samples alone, and how far medians lie apart from card to card.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use repro_base::{Estimate, Scope, median};

/// By how much medians of one cell differ between processes and cards of a model when nothing changes, from which n on: on four H100s of one
/// host with two processes each, the largest over Table 1, Gaioso's kernels and the frontier. Below 1,024, where launches and clocks show, it is
/// what 95% of the cells of two H200s' runs of one build stay within, and so it is on CPUs.
pub const ON_GPU: [(usize, f64); 5] =
    [(0, 0.37), (1024, 0.047), (2048, 0.024), (4096, 0.008), (16384, 0.002)];
/// The same on CPUs, whose caches and clock rates show.
pub const ON_CPU: [(usize, f64); 2] = [(0, 0.86), (1024, 0.38)];

/// From which n on cells differ as much as one with n vertices, and by how much.
pub fn assumed_noise(on_gpu: bool, n: usize) -> (usize, f64) {
    let all: &[(usize, f64)] = if on_gpu { &ON_GPU } else { &ON_CPU };
    *all.iter().rfind(|(from, _)| *from <= n).unwrap_or(&all[0])
}

/// Clocks of copies alone.
const COPIES: [Scope; 4] =
    [Scope::CopyInPageable, Scope::CopyOutPageable, Scope::CopyOutUnsynced, Scope::CopyOutUnsyncedLoaded];

/// What a time of a cell by this clock is assumed to differ by between cards and processes, and whether three cards show it. They show
/// nothing of hosts, which make copies and, where these decide, launches.
pub fn assumed_by_clock(on_device: bool, clock: Scope, n: usize) -> (f64, bool) {
    let is_of_gpu = on_device && !COPIES.contains(&clock);
    // A clock that does not wait reads launches alone while the queue holds them: 1,024, one a vertex.
    let are_launches = clock == Scope::HostUnsynced && n <= 1024;
    let (from, assumed) = assumed_noise(is_of_gpu, if are_launches { 0 } else { n });
    (assumed, is_of_gpu && from > 0)
}

/// Resamples that fall beyond either end of an interval: fewer would leave its ends to chance.
const BEYOND_AN_END: f64 = 10.0;
/// At least so many resamples, however low the confidence.
const LEAST_RESAMPLES: usize = 1000;
/// Up to so many ratios of medians, the distribution over all resamples is computed exactly, which takes less than drawing some.
const MOST_WRITTEN_DOWN: usize = 10_000;

/// The median of `over` divided by that of `under`, with the percentile bootstrap interval of `confidence` (Efron & Tibshirani, An
/// Introduction to the Bootstrap, section 13.3): from all resamples where they are few enough, else from some that are drawn with `seed`.
/// Each list is resampled by itself. The same samples and `seed` give the same interval.
///
/// None without samples, or where a median is not positive.
///
/// The interval never leaves the range of the ratios that the samples can make: few samples may have a narrow interval by luck,
/// and so whoever decides by it must ask for enough of them.
pub fn independent_ratio(over: &[f64], under: &[f64], confidence: f64, seed: u64) -> Option<Estimate> {
    let value = ratio_of_medians(over, under)?;
    let tail = tail(confidence);
    let ends = if places(over.len()) * places(under.len()) <= MOST_WRITTEN_DOWN {
        exact(of_lists(&medians(over), &medians(under)), tail)
    } else {
        drawn([over, under], tail, seed, |random, over, under| {
            (0..over.len()).for_each(|_| over.take(below(random, over.len())));
            (0..under.len()).for_each(|_| under.take(below(random, under.len())));
        })
    };
    let (low, high) = ends?;
    Some(Estimate { value, low: low.min(value), high: high.max(value) })
}

/// As [`independent_ratio`], for samples that were taken in pairs, one after the other. The two of a pair are drawn together, so that what
/// moved both stays in both. Samples of the longer list that have no partner are left out.
pub fn paired_ratio(over: &[f64], under: &[f64], confidence: f64, seed: u64) -> Option<Estimate> {
    let pairs = over.len().min(under.len());
    let (over, under) = (&over[..pairs], &under[..pairs]);
    let value = ratio_of_medians(over, under)?;
    let tail = tail(confidence);
    let ends = if choices(2 * pairs - 1, pairs) <= MOST_WRITTEN_DOWN {
        exact(of_pairs(over, under), tail)
    } else {
        drawn([over, under], tail, seed, |random, over, under| {
            for _ in 0..over.len() {
                let at = below(random, over.len());
                over.take(at);
                under.take(at);
            }
        })
    };
    let (low, high) = ends?;
    Some(Estimate { value, low: low.min(value), high: high.max(value) })
}

fn ratio_of_medians(over: &[f64], under: &[f64]) -> Option<f64> {
    let positive = |values: &[f64]| median(values).filter(|middle| *middle > 0.0 && middle.is_finite());
    Some(positive(over)? / positive(under)?)
}

/// The chance of a ratio beyond one end of an interval.
fn tail(confidence: f64) -> f64 {
    (1.0 - confidence.clamp(0.0, 1.0 - 1e-9)) / 2.0
}

/// The ends of the interval by random resamples: `draw` takes one of each list for every ratio of medians.
fn drawn(
    [over, under]: [&[f64]; 2],
    tail: f64,
    seed: u64,
    draw: impl Fn(&mut ChaCha8Rng, &mut Resample, &mut Resample),
) -> Option<(f64, f64)> {
    let resamples = LEAST_RESAMPLES.max((BEYOND_AN_END / tail).ceil() as usize);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut over, mut under) = (Resample::new(over), Resample::new(under));
    let mut ratios: Vec<f64> = (0..resamples)
        .map(|_| {
            draw(&mut random, &mut over, &mut under);
            over.median() / under.median()
        })
        // A sample of no time at all may be drawn often enough to be a median.
        .filter(|ratio| ratio.is_finite())
        .collect();
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| -> Option<f64> {
        let rank = (share * ratios.len() as f64).floor() as usize;
        ratios.get(rank.min(ratios.len().checked_sub(1)?)).copied()
    };
    Some((at(tail)?, at(1.0 - tail)?))
}

/// How many medians resamples of `count` samples can have.
fn places(count: usize) -> usize {
    if count % 2 == 1 { count } else { count * (count + 1) / 2 }
}

/// The medians that resamples can have, and the chance of each (Hutson & Ernst, The exact bootstrap mean and variance of an
/// L-estimator, Journal of the Royal Statistical Society B 62, 2000).
fn medians(samples: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    // The chance that at least half of the draws, in an even number, or more than half, in an odd one, are among the first few.
    let half = count.div_ceil(2);
    let among_first = |few: usize| at_least(count, half, few as f64 / count as f64);
    let first = |at: usize| among_first(at + 1) - among_first(at);
    if count % 2 == 1 {
        return sorted.iter().enumerate().map(|(at, value)| (*value, first(at))).collect();
    }
    // Half of the draws have their highest at one place, and the other half their lowest at a later one.
    let share = |places: usize| (places as f64 / count as f64).powi(half as i32);
    let choices = (1..=half).fold(1.0, |all, at| all * (half + at) as f64 / at as f64);
    let mut all = Vec::with_capacity(places(count));
    for (low, below) in sorted.iter().enumerate() {
        let mut rest = first(low);
        for (high, above) in sorted.iter().enumerate().skip(low + 1) {
            let highest = share(low + 1) - share(low);
            let chance = choices * highest * (share(count - high) - share(count - high - 1));
            rest -= chance;
            all.push(((below + above) / 2.0, chance));
        }
        all.push((*below, rest.max(0.0)));
    }
    all
}

/// The chance of at least `least` successes of `count`, each of this `chance`.
fn at_least(count: usize, least: usize, chance: f64) -> f64 {
    let mut ways = 1.0;
    let mut sum = 0.0;
    for successes in 0..=count {
        if successes >= least {
            sum += ways * chance.powi(successes as i32) * (1.0 - chance).powi((count - successes) as i32);
        }
        ways *= (count - successes) as f64 / (successes + 1) as f64;
    }
    sum
}

/// The ratios of medians of two lists, each with its chance.
fn of_lists(over: &[(f64, f64)], under: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let ratio = |(above, chance): &(f64, f64), (below, other): &(f64, f64)| (above / below, chance * other);
    over.iter().flat_map(|above| under.iter().map(move |below| ratio(above, below))).collect()
}

/// How many ways there are to choose `few` of `count`; `usize::MAX` where there are too many to count.
fn choices(count: usize, few: usize) -> usize {
    (1..=few).try_fold(1_usize, |all, at| Some(all.checked_mul(count - few + at)? / at)).unwrap_or(usize::MAX)
}

/// The ratios of medians of all resamples of pairs, each with its chance.
fn of_pairs(over: &[f64], under: &[f64]) -> Vec<(f64, f64)> {
    let count = over.len();
    let (mut over, mut under) = (Resample::new(over), Resample::new(under));
    let factorial = |of: usize| (1..=of).map(|one| one as f64).product::<f64>();
    let all = factorial(count) / (count as f64).powi(count as i32);
    let mut ratios = Vec::with_capacity(choices(2 * count - 1, count));
    each_resample(count, count, &mut Vec::new(), &mut |drawn| {
        for (at, times) in drawn.iter().enumerate() {
            for _ in 0..*times {
                over.take(at);
                under.take(at);
            }
        }
        let chance = drawn.iter().fold(all, |chance, times| chance / factorial(*times));
        ratios.push((over.median() / under.median(), chance));
    });
    ratios
}

/// Calls `each` with how often each sample is drawn, for every way to share `left` draws among `places` more samples.
fn each_resample(places: usize, left: usize, drawn: &mut Vec<usize>, each: &mut impl FnMut(&[usize])) {
    let times = if places == 1 { left..=left } else { 0..=left };
    for times in times {
        drawn.push(times);
        match places {
            1 => each(drawn),
            _ => each_resample(places - 1, left - times, drawn, each),
        }
        drawn.pop();
    }
}

/// The ends of the interval: beyond each of them the ratios have at most the chance `tail`.
fn exact(mut ratios: Vec<(f64, f64)>, tail: f64) -> Option<(f64, f64)> {
    // A sample of no time at all may be drawn often enough to be a median.
    ratios.retain(|(ratio, _)| ratio.is_finite());
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut seen = 0.0;
    let low = ratios.iter().find(|(_, chance)| is_beyond(&mut seen, *chance, tail))?;
    seen = 0.0;
    let high = ratios.iter().rev().find(|(_, chance)| is_beyond(&mut seen, *chance, tail))?;
    Some((low.0, high.0))
}

/// Adds a chance to those seen, and returns whether they are more than `tail`.
fn is_beyond(seen: &mut f64, chance: f64, tail: f64) -> bool {
    *seen += chance;
    *seen > tail
}

/// A number below `end`, all of them equally likely but for one in 2³² / `end`.
fn below(random: &mut impl Rng, end: usize) -> usize {
    ((u64::from(random.next_u32()) * end as u64) >> 32) as usize
}

/// Samples that are drawn from, and how often each was drawn: counting is faster than sorting every resample.
struct Resample {
    sorted: Vec<f64>,
    /// The place of each sample in `sorted`.
    rank: Vec<usize>,
    /// How often each sample was drawn, by rank.
    drawn: Vec<u32>,
}

impl Resample {
    fn new(samples: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..samples.len()).collect();
        order.sort_by(|&a, &b| samples[a].total_cmp(&samples[b]));
        let mut rank = vec![0; samples.len()];
        order.iter().enumerate().for_each(|(at, &sample)| rank[sample] = at);
        Self {
            sorted: order.iter().map(|&sample| samples[sample]).collect(),
            rank,
            drawn: vec![0; samples.len()],
        }
    }

    fn len(&self) -> usize {
        self.rank.len()
    }

    fn take(&mut self, sample: usize) {
        self.drawn[self.rank[sample]] += 1;
    }

    /// The median of as many draws as there are samples; afterwards none are drawn.
    fn median(&mut self) -> f64 {
        let count = self.len() as u32;
        // Of an even number, the two in the middle; of an odd one, the same twice.
        let (first, second) = ((count - 1) / 2, count / 2);
        let (mut seen, mut middle) = (0, [None; 2]);
        for (value, drawn) in self.sorted.iter().zip(&mut self.drawn) {
            seen += std::mem::take(drawn);
            for (place, found) in [first, second].into_iter().zip(&mut middle) {
                if seen > place && found.is_none() {
                    *found = Some(*value);
                }
            }
        }
        match middle {
            [Some(first), Some(second)] => (first + second) / 2.0,
            _ => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apart(over: &[f64], under: &[f64], confidence: f64) -> Option<Estimate> {
        independent_ratio(over, under, confidence, 1)
    }

    #[test]
    fn nothing_and_no_time_have_no_ratio_and_what_has_no_partner_is_no_pair() {
        for (over, under) in [(&[][..], 1.0), (&[1.0], 0.0), (&[f64::NAN], 1.0)] {
            assert_eq!(apart(over, &[under], 0.95), None);
        }
        let ratio = paired_ratio(&[1.0, 1.0, 9.0], &[1.0, 1.0], 0.95, 1).unwrap();
        assert_eq!((ratio.value, ratio.high), (1.0, 1.0));
    }

    /// That what is said of all resamples is what 20,000 drawn ones say, up to each of `middles`.
    fn assert_as_drawn(exact: &[(f64, f64)], middles: &[f64], mut draw: impl FnMut() -> f64) {
        let sum: f64 = exact.iter().map(|(_, chance)| chance).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        let drawn: Vec<f64> = (0..20_000).map(|_| draw()).collect();
        for middle in middles {
            let chance: f64 = exact.iter().filter(|(one, _)| one <= middle).map(|(_, chance)| chance).sum();
            let share = drawn.iter().filter(|one| *one <= middle).count() as f64 / drawn.len() as f64;
            assert!((chance - share).abs() < 0.02, "{middle} of {}: {chance} {share}", exact.len());
        }
    }

    #[test]
    fn all_resamples_say_what_many_drawn_ones_do() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for count in [3, 4, 6, 7, 12] {
            let samples: Vec<f64> = (0..count).map(|at| 1.0 + f64::from(at * at) / 10.0).collect();
            let exact = medians(&samples);
            assert_eq!(exact.len(), places(samples.len()));
            let mut resampled = Resample::new(&samples);
            let values: Vec<f64> = exact.iter().map(|(value, _)| *value).collect();
            assert_as_drawn(&exact, &values, || {
                (0..count).for_each(|_| resampled.take(below(&mut random, samples.len())));
                resampled.median()
            });
        }
        // And of pairs.
        let (over, under) = ([1.0, 1.2, 1.1, 1.5, 1.3, 0.9], [1.0, 1.1, 1.2, 1.0, 1.3, 1.0]);
        let exact = of_pairs(&over, &under);
        assert_eq!(exact.len(), 462);
        let (mut first, mut second) = (Resample::new(&over), Resample::new(&under));
        assert_as_drawn(&exact, &[1.0, 1.05, 1.1, 1.2], || {
            (0..6).map(|_| below(&mut random, 6)).for_each(|at| {
                first.take(at);
                second.take(at);
            });
            first.median() / second.median()
        });
    }

    /// Percentile intervals of the median are a little too narrow for few samples; by how much is what this holds.
    #[test]
    fn an_interval_of_95_percent_holds_the_true_ratio_about_as_often() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut uniform = || f64::from(random.next_u32()) / f64::from(u32::MAX);
        let mut draw = |count: usize| -> Vec<f64> { (0..count).map(|_| 1.0 + 0.02 * uniform()).collect() };
        for (samples, least) in [(6, 0.90), (20, 0.92)] {
            let held = (0..150)
                .filter(|&trial| {
                    let lists = (draw(samples), draw(samples));
                    let ratio = independent_ratio(&lists.0, &lists.1, 0.95, trial).unwrap();
                    (ratio.low..=ratio.high).contains(&1.0)
                })
                .count() as f64
                / 150.0;
            assert!(held >= least, "{samples} samples: {held}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_interval_holds_the_ratio_and_lies_within_what_the_samples_can_make(
            over in proptest::collection::vec(0.1f64..10.0, 1..30),
            under in proptest::collection::vec(0.1f64..10.0, 1..30),
        ) {
            let ratio = apart(&over, &under, 0.99).unwrap();
            let ends = |values: &[f64]| {
                values.iter().fold((f64::INFINITY, 0.0f64), |(low, high), one| (low.min(*one), high.max(*one)))
            };
            let (least, most) = (ends(&over).0 / ends(&under).1, ends(&over).1 / ends(&under).0);
            prop_assert!(least <= ratio.low && ratio.low <= ratio.value);
            prop_assert!(ratio.value <= ratio.high && ratio.high <= most);
        }
    }
}
