//! How far the runs of one build are apart: what all cells of a run share, such as a slow day, and what is each cell's own.
//!
//! Logarithms of medians are taken to be the sum of three: the cell's level, a shift of the run, and the rest. No estimate here is
//! carried off by one run: shifts are medians over cells, and one that stands out (Grubbs' test) is left out; the rest is that of
//! the run in the middle.

use super::bounds::PERCENTILE_95_OVER_MEDIAN;
use crate::results::percentile;
use crate::timing::{median, t_quantile};
use serde::Serialize;
use std::collections::BTreeMap;

/// The chance that a run is said to stand out that does not.
const GRUBBS_ERROR: f64 = 0.01;
/// How many times what is usual a run's own cells must differ by to stand out.
const STANDS_OUT: f64 = 3.0;
/// And by so much at least, relative.
const LEAST_STAND_OUT: f64 = 0.01;

/// What runs of one build tell of one kind of cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Between {
    /// How many runs could be held against another of their build and experiment.
    pub runs: usize,
    /// How many cells were measured in more than one of them.
    pub cells: usize,
    /// Standard deviation of the shift that all cells of a run have in common, relative.
    pub shared: f64,
    /// Its degrees of freedom: the runs, less one a build and experiment, less those left out.
    pub degrees: usize,
    /// Relative difference of a cell between two runs beyond what they share: the 95th percentile over cells, of the run in
    /// the middle.
    pub own: f64,
    pub stand_out: Vec<StandsOut>,
}

/// A run that differs from the others of its build by more than they do from each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StandsOut {
    pub run: String,
    /// By how much all of its cells, relative, where that is what stands out.
    pub shift: Option<f64>,
    /// By how much some of its cells, relative: the 95th percentile. None where it is usual.
    pub cells: Option<f64>,
}

/// The medians of the runs of one build in one experiment, by cell.
pub(super) type Medians<Cell> = BTreeMap<Cell, Vec<(usize, f64)>>;

/// From groups of runs that did the same work. A run is a place in `names`. None where no cell was measured twice.
pub(super) fn between<Cell: Ord>(groups: &[Group<Cell>], names: &[String]) -> Option<Between> {
    let own = median(&groups.iter().flat_map(|group| group.own()).map(|(_, own)| own).collect::<Vec<_>>())?;
    let mut stand_out: BTreeMap<usize, StandsOut> = BTreeMap::new();
    let named = |run: usize| StandsOut { run: names[run].clone(), shift: None, cells: None };
    let (mut squares, mut degrees) = (0.0, 0);
    for group in groups {
        let mut shifts: Vec<(usize, f64)> = group.shifts.iter().map(|(run, shift)| (*run, *shift)).collect();
        if let Some(at) = grubbs(&shifts.iter().map(|(_, shift)| *shift).collect::<Vec<_>>()) {
            let (run, shift) = shifts.swap_remove(at);
            let others = mean(shifts.iter().map(|(_, shift)| *shift));
            stand_out.entry(run).or_insert_with(|| named(run)).shift = Some((shift - others).exp() - 1.0);
        }
        let middle = mean(shifts.iter().map(|(_, shift)| *shift));
        squares += shifts.iter().map(|(_, shift)| (shift - middle).powi(2)).sum::<f64>();
        degrees += shifts.len() - 1;
        // Of two runs, neither is known to be the one that is off.
        for (run, cells) in group.own().filter(|_| group.shifts.len() > 2) {
            if cells > (STANDS_OUT * own).max(LEAST_STAND_OUT) {
                stand_out.entry(run).or_insert_with(|| named(run)).cells = Some(cells);
            }
        }
    }
    Some(Between {
        runs: groups.iter().map(|group| group.shifts.len()).sum(),
        cells: groups.iter().map(|group| group.rest.len()).sum(),
        shared: (squares / degrees.max(1) as f64).sqrt(),
        degrees,
        own: own.exp() - 1.0,
        stand_out: stand_out.into_values().collect(),
    })
}

/// How far each cell is from run to run beyond what they share: what the 95th percentile of the difference of two would be, relative.
/// Some cells move by more than others of their kind in every build. Of several groups the median; and no more than what would stand
/// out among cells that differ by `own`, so that one bad run does not hide what comes after it.
pub(super) fn of_cells<'a, Cell: Ord>(groups: &[Group<'a, Cell>], own: f64) -> BTreeMap<&'a Cell, f64> {
    let mut all: BTreeMap<&Cell, Vec<f64>> = BTreeMap::new();
    for (cell, rest) in groups.iter().flat_map(|group| &group.rest) {
        // Half of all normal values are within 0.674 standard deviations. Of two runs, each is half their difference from the middle.
        let factor = if rest.len() == 2 { 2.0 } else { std::f64::consts::SQRT_2 * PERCENTILE_95_OVER_MEDIAN };
        let apart: Vec<f64> = rest.iter().map(|(_, rest)| rest.abs()).collect();
        all.entry(*cell).or_default().extend(median(&apart).map(|apart| (apart * factor).exp() - 1.0));
    }
    let of_groups = |(cell, apart): (&'a Cell, Vec<f64>)| Some((cell, median(&apart)?.min(STANDS_OUT * own)));
    all.into_iter().filter_map(of_groups).collect()
}

/// Two or more runs of one build.
pub(super) struct Group<'a, Cell> {
    /// By run: the median over cells of how far it is from the mean of the cell.
    shifts: BTreeMap<usize, f64>,
    /// By cell and run: how far it is from the cell's median once the shifts are taken away.
    rest: Vec<(&'a Cell, Vec<(usize, f64)>)>,
}

impl<'a, Cell> Group<'a, Cell> {
    /// None of fewer than two runs with a cell in common.
    pub(super) fn of(medians: &'a Medians<Cell>) -> Option<Self> {
        let logarithms = |of: &Vec<(usize, f64)>| -> Vec<(usize, f64)> {
            of.iter().filter(|(_, s)| *s > 0.0).map(|(run, s)| (*run, s.ln())).collect()
        };
        let repeated: Vec<(&Cell, Vec<(usize, f64)>)> =
            medians.iter().map(|(cell, of)| (cell, logarithms(of))).filter(|(_, of)| of.len() > 1).collect();
        let mut from_mean: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (_, cell) in &repeated {
            let middle = mean(cell.iter().map(|(_, value)| *value));
            cell.iter().for_each(|(run, value)| from_mean.entry(*run).or_default().push(value - middle));
        }
        let shifts: BTreeMap<usize, f64> =
            from_mean.into_iter().filter_map(|(run, from_mean)| Some((run, median(&from_mean)?))).collect();
        let rest = repeated.into_iter().map(|(of, mut cell)| {
            cell.iter_mut().for_each(|(run, value)| *value -= shifts.get(run).unwrap_or(&0.0));
            // Which one bad run cannot move, as it would a mean.
            let middle = median(&cell.iter().map(|(_, value)| *value).collect::<Vec<_>>()).unwrap_or(0.0);
            cell.iter_mut().for_each(|(_, value)| *value -= middle);
            (of, cell)
        });
        let rest = rest.collect();
        (shifts.len() > 1).then_some(Self { shifts, rest })
    }

    /// By run: the 95th percentile over cells of the difference between two runs, as this run's distance from the middle tells it.
    fn own(&self) -> impl Iterator<Item = (usize, f64)> {
        // A normal value and the median of two of which it is one are half their difference apart; of more, the 95th percentile is
        // 1.96 standard deviations within a few percent, and that of a difference is the square root of two times that.
        let factor = if self.shifts.len() == 2 { 2.0 } else { std::f64::consts::SQRT_2 };
        self.shifts.keys().filter_map(move |run| {
            let of_run = self.rest.iter().flat_map(|(_, rest)| rest).filter(|(of, _)| of == run);
            Some((*run, percentile(&of_run.map(|(_, rest)| rest.abs()).collect::<Vec<_>>())? * factor))
        })
    }
}

/// Which of `values` stands out from the others, by Grubbs' two-sided test (Technometrics 11, 1969). Of three it takes two that
/// agree by luck, and then what is left says nothing: four are the fewest.
fn grubbs(values: &[f64]) -> Option<usize> {
    let count = values.len() as f64;
    if values.len() < 4 {
        return None;
    }
    let middle = mean(values.iter().copied());
    let variance = values.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / (count - 1.0);
    let distance = |at: &usize| (values[*at] - middle).abs();
    let furthest = (0..values.len()).max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let t = t_quantile(1.0 - GRUBBS_ERROR / (2.0 * count), values.len() - 2);
    let critical = (count - 1.0) / count.sqrt() * (t * t / (count - 2.0 + t * t)).sqrt();
    (variance > 0.0 && distance(&furthest) / variance.sqrt() > critical).then_some(furthest)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
    sum / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    /// Twelve uniform values make a normal one, nearly.
    fn normal(random: &mut ChaCha8Rng) -> f64 {
        (0..12).map(|_| f64::from(random.next_u32()) / f64::from(u32::MAX)).sum::<f64>() - 6.0
    }

    /// Medians of twenty cells in `runs` runs.
    fn medians(seed: u64, runs: usize, shared: f64, own: f64) -> Medians<usize> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let shifts: Vec<f64> = (0..runs).map(|_| shared * normal(&mut random)).collect();
        let mut cell = |at: usize| {
            let of_run = |run: usize| (run, ((at as f64) + shifts[run] + own * normal(&mut random)).exp());
            (at, (0..runs).map(of_run).collect())
        };
        (0..20).map(&mut cell).collect()
    }

    fn told(medians: &Medians<usize>, runs: usize) -> Between {
        let names: Vec<String> = (0..runs).map(|run| format!("run-{run}")).collect();
        between(&[Group::of(medians).unwrap()], &names).unwrap()
    }

    fn typical(runs: usize, shared: f64, own: f64) -> (f64, f64) {
        let all: Vec<Between> = (0..200).map(|seed| told(&medians(seed, runs, shared, own), runs)).collect();
        let squares = mean(all.iter().map(|one| one.shared.powi(2)));
        (squares.sqrt(), mean(all.iter().map(|one| one.own)))
    }

    #[test]
    fn what_runs_share_and_what_is_each_cells_own_are_told_apart() {
        for runs in [2, 3, 6, 10] {
            let (shared, own) = typical(runs, 0.02, 0.01);
            assert!((0.017..0.023).contains(&shared), "{runs} runs: {shared}");
            // 1.96 times the standard deviation of a difference, of which 20 cells show a little less.
            assert!((0.022..0.032).contains(&own), "{runs} runs: {own}");
        }
        let (shared, own) = typical(6, 0.0, 0.01);
        assert!(shared < 0.005 && (0.022..0.032).contains(&own), "{shared} {own}");
    }

    #[test]
    fn one_slow_run_is_named_and_carries_nothing_off() {
        let steady = told(&medians(1, 6, 0.001, 0.003), 6);
        assert_eq!(steady.stand_out, []);
        let mut some_cells = medians(1, 6, 0.001, 0.003);
        some_cells.values_mut().take(2).for_each(|cell| cell[3].1 *= 1.5);
        let some = told(&some_cells, 6);
        assert!(some.own < 1.3 * steady.own && some.shared < 1.3 * steady.shared, "{steady:?} {some:?}");
        let [StandsOut { run, shift: None, cells: Some(by) }] = &some.stand_out[..] else {
            panic!("{some:?}")
        };
        assert!(run == "run-3" && *by > 0.3, "{some:?}");
        let mut whole = medians(1, 6, 0.001, 0.003);
        whole.values_mut().for_each(|cell| cell[3].1 *= 1.5);
        let whole = told(&whole, 6);
        assert!(whole.own < 1.3 * steady.own && whole.shared < 1.5 * steady.shared, "{whole:?}");
        assert_eq!(whole.degrees, 4);
        let [StandsOut { run, shift: Some(by), cells: None }] = &whole.stand_out[..] else {
            panic!("{whole:?}")
        };
        assert!(run == "run-3" && (by - 0.5).abs() < 0.01, "{whole:?}");
    }

    #[test]
    fn of_two_runs_neither_is_said_to_be_off() {
        let mut two = medians(1, 2, 0.001, 0.003);
        two.values_mut().for_each(|cell| cell[1].1 *= 1.5);
        let told = told(&two, 2);
        assert_eq!((told.stand_out.len(), told.degrees), (0, 1));
        assert!(told.shared > 0.25, "{told:?}");
    }

    #[test]
    fn a_run_whose_every_cell_another_run_lacks_tells_nothing() {
        let alone: Medians<usize> = BTreeMap::from([(1, vec![(0, 1.0)]), (2, vec![(1, 1.0)])]);
        assert!(Group::of(&alone).is_none());
        assert_eq!(between::<usize>(&[], &["a".into(), "b".into()]), None);
    }

    #[test]
    fn a_cell_that_moves_by_more_than_others_is_known_for_it_and_one_slow_run_does_not_hide_what_comes_next()
    {
        for runs in [2, 3, 6, 10] {
            let mut own: Vec<[f64; 2]> = Vec::new();
            for seed in 0..200 {
                let mut medians = medians(seed, runs, 0.01, 0.003);
                let mut random = ChaCha8Rng::seed_from_u64(1_000 + seed);
                let moving = medians.get_mut(&7).unwrap();
                moving.iter_mut().for_each(|(_, s)| *s *= (0.01 * normal(&mut random)).exp());
                medians.get_mut(&8).unwrap()[0].1 *= 1.5;
                let groups = [Group::of(&medians).unwrap()];
                let of_cells = of_cells(&groups, told(&medians, runs).own);
                own.push([of_cells[&7], of_cells[&8]]);
            }
            let middle = |at: usize| median(&own.iter().map(|own| own[at]).collect::<Vec<_>>()).unwrap();
            // The 95th percentile of a difference is 0.029; half of all differences of two are below 0.01.
            assert!((0.007..0.035).contains(&middle(0)), "{runs} runs: {}", middle(0));
            // Half as long again in one run of two shows in what is usual as well.
            assert!(middle(1) < if runs == 2 { 0.05 } else { 0.015 }, "{runs} runs: {}", middle(1));
        }
    }
}
