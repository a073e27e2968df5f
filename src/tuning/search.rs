//! Which point to try next: random ones first, then steps around the best. Nothing here measures anything.
//!
//! A point is a position in the list of values of each parameter. The same seed and the same answers give the same sequence, so a search
//! that was stopped is continued by giving it the recorded answers again.

use super::cost::Cost;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;

/// For each parameter, a position in its list of values.
pub type Point = Vec<usize>;

/// Up to so many points, all are put in a random order; of more, points are drawn.
const MOST_IN_ORDER: usize = 1 << 16;
/// So many draws without a new point that may be tried, and a search ends: of the points of some implementations one in a thousand may be.
const MOST_DRAWS: usize = 50_000;

/// The points that there are.
pub struct Space<'a> {
    /// How many values each parameter has, 1 or more.
    pub lengths: Vec<usize>,
    /// The point that is tried first.
    pub first: Point,
    /// Whether a point may be tried at all. A refused one costs nothing.
    pub accepts: Box<dyn Fn(&Point) -> bool + 'a>,
}

/// A search for the point with the least cost. Answer each [`Search::propose`] with [`Search::answer`].
pub struct Search<'a> {
    space: Space<'a>,
    /// How many points are random before the first step, the first point among them.
    random: usize,
    source: ChaCha8Rng,
    /// All points in random order, the next one last; None where there are too many.
    order: Option<Vec<usize>>,
    seen: BTreeSet<Point>,
    best: Option<(Point, Cost)>,
}

impl<'a> Search<'a> {
    pub fn new(space: Space<'a>, random: usize, seed: u64) -> Self {
        let mut source = ChaCha8Rng::seed_from_u64(seed);
        let all = space.lengths.iter().try_fold(1_usize, |all, &length| all.checked_mul(length));
        let order = all.filter(|all| *all <= MOST_IN_ORDER).map(|all| {
            let mut order: Vec<usize> = (0..all).collect();
            for end in (1..order.len()).rev() {
                order.swap(end, below(&mut source, end + 1));
            }
            order
        });
        Self { space, random, source, order, seen: BTreeSet::new(), best: None }
    }

    /// The next point, never an earlier one and never a refused one. None where none was found.
    pub fn propose(&mut self) -> Option<Point> {
        let point = self.choose()?;
        self.seen.insert(point.clone());
        Some(point)
    }

    /// Takes note of what a point costs; None where it failed. Whether it is the best until now.
    pub fn answer(&mut self, point: &Point, cost: Option<Cost>) -> bool {
        let is_best = cost.is_some_and(|cost| self.best.as_ref().is_none_or(|(_, least)| cost < *least));
        if is_best {
            self.best = cost.map(|cost| (point.clone(), cost));
        }
        is_best
    }

    fn choose(&mut self) -> Option<Point> {
        if self.seen.is_empty() && (self.space.accepts)(&self.space.first) {
            return Some(self.space.first.clone());
        }
        if self.seen.len() < self.random
            && let Some(point) = self.at_random()
        {
            return Some(point);
        }
        // Once all around the best was tried, something better can only be elsewhere.
        self.neighbour().or_else(|| self.at_random())
    }

    /// A point beside the best: one parameter has the nearest value, on one side, that may be tried.
    fn neighbour(&self) -> Option<Point> {
        let (best, _) = self.best.as_ref()?;
        let beside = |at: usize, values: &mut dyn Iterator<Item = usize>| {
            values.map(|value| with(best, at, value)).find(|point| (self.space.accepts)(point))
        };
        let both = (0..best.len()).flat_map(|at| {
            let above = beside(at, &mut (best[at] + 1..self.space.lengths[at]));
            let below = beside(at, &mut (0..best[at]).rev());
            [above, below]
        });
        both.flatten().find(|point| !self.seen.contains(point))
    }

    fn at_random(&mut self) -> Option<Point> {
        let Self { space, source, order, seen, .. } = self;
        let most = order.as_ref().map_or(MOST_DRAWS, Vec::len);
        let draw = |_| match order {
            Some(order) => order.pop().map(|number| point_of(&space.lengths, number)),
            None => Some(space.lengths.iter().map(|&length| below(source, length)).collect()),
        };
        let mut points = (0..most).map_while(draw);
        points.find(|point| !seen.contains(point) && (space.accepts)(point))
    }
}

fn with(point: &Point, at: usize, value: usize) -> Point {
    let mut other = point.clone();
    other[at] = value;
    other
}

/// The point of a number below the product of all lengths.
fn point_of(lengths: &[usize], mut number: usize) -> Point {
    let position = |&length: &usize| {
        let position = number % length;
        number /= length;
        position
    };
    lengths.iter().map(position).collect()
}

/// A number below `end`. Its bias, of one in 2⁶⁴ / `end`, is of no account here.
fn below(source: &mut ChaCha8Rng, end: usize) -> usize {
    (source.next_u64() % end.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn space(lengths: &[usize], accepts: impl Fn(&Point) -> bool + 'static) -> Space<'static> {
        Space { lengths: lengths.to_vec(), first: vec![0; lengths.len()], accepts: Box::new(accepts) }
    }

    /// A cost that no other is as high as.
    fn plain(value: f64) -> Cost {
        Cost { value, tie: 0.0 }
    }

    /// Up to so many points and what they cost.
    fn searched(
        mut search: Search,
        points: usize,
        cost: impl Fn(&Point) -> Option<f64>,
    ) -> Vec<(Point, Option<f64>)> {
        let mut tried = Vec::new();
        while let Some(point) = (tried.len() < points).then(|| search.propose()).flatten() {
            let found = cost(&point);
            search.answer(&point, found.map(plain));
            tried.push((point, found));
        }
        tried
    }

    /// How far each parameter is from where it is best.
    fn apart(point: &Point, best: &[usize]) -> f64 {
        point.iter().zip(best).map(|(at, best)| at.abs_diff(*best) as f64).sum()
    }

    #[test]
    fn the_first_point_comes_first_and_steps_follow_the_random_ones() {
        let search = Search::new(space(&[10, 10], |_| true), 3, 7);
        let tried = searched(search, 4, |point| Some(apart(point, &[0, 0])));
        assert_eq!(tried[0].0, [0, 0]);
        // The first one is the best: the next is a step from it.
        assert_eq!(tried[3].0, [1, 0]);
    }

    #[test]
    fn a_step_passes_over_values_that_are_refused() {
        let search = Search::new(space(&[100], |point| point[0] % 40 == 0), 1, 7);
        let tried = searched(search, 9, |point| Some(-(point[0] as f64)));
        assert_eq!(tried.iter().map(|(point, _)| point[0]).collect::<Vec<_>>(), [0, 40, 80]);
    }

    #[test]
    fn a_failed_point_is_never_the_best() {
        let search = Search::new(space(&[4], |_| true), 1, 7);
        let tried = searched(search, 9, |point| (point[0] != 0).then_some(point[0] as f64));
        assert_eq!(tried.len(), 4);
        let mut search = Search::new(space(&[4], |_| true), 1, 7);
        search.answer(&vec![0], None);
        assert_eq!(search.best, None);
        search.answer(&vec![2], Some(plain(2.0)));
        search.answer(&vec![1], None);
        assert_eq!(search.best, Some((vec![2], plain(2.0))));
    }

    #[test]
    fn of_two_points_that_cost_the_same_the_second_figure_decides() {
        let mut search = Search::new(space(&[4], |_| true), 1, 7);
        let cost = |value, tie| Some(Cost { value, tie });
        assert!(search.answer(&vec![0], cost(2.0, 5.0)));
        assert!(!search.answer(&vec![1], cost(2.0, 6.0)) && search.answer(&vec![2], cost(2.0, 4.0)));
        assert!(!search.answer(&vec![3], cost(3.0, 0.0)));
        assert_eq!(search.best, Some((vec![2], Cost { value: 2.0, tie: 4.0 })));
    }

    #[test]
    fn where_all_is_refused_there_is_no_point_and_the_search_ends() {
        assert_eq!(Search::new(space(&[5, 5], |_| false), 4, 1).propose(), None);
        // More than are put in order.
        assert_eq!(Search::new(space(&[1 << 40, 1 << 40], |_| false), 4, 1).propose(), None);
    }

    #[test]
    fn few_that_may_be_tried_among_very_many_are_found() {
        // One in a thousand.
        let search = Search::new(space(&[1000, 1000], |point| point[0] % 1000 == 0), 30, 1);
        assert_eq!(searched(search, 30, |_| Some(1.0)).len(), 30);
    }

    #[test]
    fn another_seed_gives_another_sequence() {
        let of = |seed| searched(Search::new(space(&[50, 50], |_| true), 9, seed), 9, |_| Some(1.0));
        assert_ne!(of(1), of(2));
    }

    proptest! {
        #[test]
        fn points_are_those_of_the_seed_each_once_and_none_that_is_refused(
            lengths in prop::collection::vec(1_usize..400, 1..4),
            random in 0_usize..20,
            seed: u64,
            refused in 1_usize..5,
        ) {
            let accepts = move |point: &Point| point.iter().sum::<usize>() % 5 != refused;
            let run = || {
                let search = Search::new(space(&lengths, accepts), random, seed);
                searched(search, 60, |point| (point[0] % 3 != 1).then(|| apart(point, &[7, 3, 0])))
            };
            let tried = run();
            prop_assert_eq!(&tried, &run());
            let distinct: BTreeSet<&Point> = tried.iter().map(|(point, _)| point).collect();
            prop_assert_eq!(distinct.len(), tried.len());
            for (point, _) in &tried {
                prop_assert!(accepts(point));
                prop_assert!(point.iter().zip(&lengths).all(|(at, length)| at < length));
            }
            let all: usize = lengths.iter().product();
            if all <= 60 {
                let accepted = (0..all).filter(|number| accepts(&point_of(&lengths, *number))).count();
                prop_assert_eq!(tried.len(), accepted, "nothing that may be tried is left out");
            }
        }

        #[test]
        fn the_optimum_of_a_separable_function_is_found_within_its_steps(
            (lengths, best) in prop::collection::vec((1_usize..300, 0_usize..300), 1..4).prop_map(|all| {
                let lengths: Vec<usize> = all.iter().map(|(length, _)| *length).collect();
                let best: Vec<usize> = all.iter().map(|(length, best)| best % length).collect();
                (lengths, best)
            }),
            random in 1_usize..20,
            seed: u64,
        ) {
            // Each parameter moves towards its best at most as often as it has values, with two sides of all parameters tried each time.
            let steps: usize = lengths.iter().sum::<usize>() + 1;
            let most = random + steps * 2 * lengths.len();
            let search = Search::new(space(&lengths, |_| true), random, seed);
            let tried = searched(search, most, |point| Some(apart(point, &best)));
            prop_assert!(tried.iter().any(|(point, _)| *point == best), "{} points", tried.len());
        }
    }
}
