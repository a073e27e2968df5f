//! Whether rows of a result are right, by other means than those that found them.
//!
//! A row of distances is held against a search of this file: Dijkstra's algorithm with the standard library's heap, or, where weights are
//! negative, Bellman-Ford with a queue; both add up in `f64`. Then a tree of paths is grown by the distances alone and walked. Where sums are
//! exact that proves the row: the path to each vertex is as long as its distance, and no arc leads to a shorter one.

use crate::graph::{ElementType, label_tolerance};
use shortest_paths::{
    Algorithm, Control, Graph, Marks, PathError, Searches, SolveError, Weight, walk, weights_along,
};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use thiserror::Error;

/// Why a result is wrong. Vertices are counted from 0.
#[derive(Debug, Error)]
pub(super) enum Wrong {
    #[error(
        "the distance from vertex {from} to vertex {to} (counted from 0) came out as {found}, and an independent search finds {expected}: \
         this is a defect of repro or of the machine"
    )]
    Distance { from: usize, to: usize, found: f64, expected: f64 },
    #[error("a result is wrong: {0}")]
    Path(PathError),
    #[error("a result is wrong: {0}")]
    Row(SolveError),
}

/// Which rows are held against a search: so many of `rows`, evenly spread.
pub(super) fn sampled(rows: usize, count: usize) -> Vec<usize> {
    let count = count.min(rows);
    (0..count).map(|k| (2 * k + 1) * rows / (2 * count)).collect()
}

/// What a check needs to know in addition to the row.
#[derive(Clone, Copy)]
pub(super) struct Check<'a, 'g, G> {
    pub searches: &'a Searches<'g, G>,
    pub graph: &'g G,
    pub element: ElementType,
    pub algorithm: Algorithm,
    /// Columns, where they were chosen.
    pub targets: Option<&'a [usize]>,
    pub control: Control<'a>,
}

impl<G> Check<'_, '_, G> {
    /// Holds a row of distances against the other search.
    ///
    /// # Errors
    /// [`SolveError::Sink`] with the [`Wrong`] in it, [`SolveError::Cancelled`], and want of memory.
    pub fn row<T: Weight>(&self, source: usize, distances: &[T]) -> Result<(), SolveError>
    where
        G: Graph<T>,
    {
        self.control.check()?;
        let expected = search(self.graph, source, self.searches.facts().least);
        let slack = self.slack(&expected);
        let every = 0..expected.len();
        let columns: Box<dyn Iterator<Item = usize>> = match self.targets {
            Some(targets) => Box::new(targets.iter().copied()),
            None => Box::new(every),
        };
        for (column, found) in columns.zip(distances) {
            let (found, expected) = (found.to_f64(), expected[column]);
            let agree = found == expected || (found - expected).abs() <= slack;
            if !agree {
                return Err(sunk(Wrong::Distance { from: source, to: column, found, expected }));
            }
        }
        if self.targets.is_none() {
            let tree = self.searches.predecessors(&[source], distances, Marks::PLAIN, &self.control);
            let tree = tree.map_err(|error| match error {
                SolveError::NotDistances { .. } => sunk(Wrong::Row(error)),
                other => other,
            })?;
            self.paths(source, distances, &tree)?;
        }
        Ok(())
    }

    /// Walks every path of a row.
    ///
    /// # Errors
    /// As [`Check::row`].
    pub fn paths<T: Weight>(
        &self,
        source: usize,
        distances: &[T],
        predecessors: &[i32],
    ) -> Result<(), SolveError>
    where
        G: Graph<T>,
    {
        let walked = match self.targets {
            None => self
                .searches
                .check_predecessors(&[source], distances, predecessors, &self.control)
                .map(|_| ()),
            Some(targets) => {
                let mut each = targets.iter().zip(distances);
                each.try_for_each(|(&target, distance)| self.path(source, target, *distance, predecessors))
            }
        };
        walked.map_err(|error| match error {
            PathError::Cancelled => SolveError::Cancelled,
            other => sunk(Wrong::Path(other)),
        })
    }

    /// Walks the path to one target, where the distances of the vertices on it are not stored.
    fn path<T: Weight>(
        &self,
        source: usize,
        target: usize,
        distance: T,
        predecessors: &[i32],
    ) -> Result<(), PathError>
    where
        G: Graph<T>,
    {
        let distance = distance.to_f64();
        let path = walk(predecessors, source, target)?;
        let Some(path) = path else {
            let reach = PathError::Reach { from: source, to: target, distance, stored: false };
            return if distance == f64::INFINITY { Ok(()) } else { Err(reach) };
        };
        let weights = weights_along(self.graph, &path)?;
        let length: f64 = weights.iter().map(|weight| weight.to_f64()).sum();
        let size: f64 = weights.iter().map(|weight| weight.to_f64().abs()).sum();
        let slack = self.slack(&[size.max(length)]);
        let (low, high) = (length - slack, length + slack);
        if low <= distance && distance <= high {
            Ok(())
        } else {
            Err(PathError::Length { from: source, to: target, length, distance, low, high })
        }
    }

    /// By how much rounding may set distances of up to the longest of these apart. Searches round once; Floyd-Warshall rounds each sum.
    fn slack(&self, expected: &[f64]) -> f64 {
        let digits = match self.element {
            ElementType::I32 | ElementType::U16 => return 0.0,
            ElementType::F32 => f32::MANTISSA_DIGITS,
            ElementType::F64 => f64::MANTISSA_DIGITS,
        };
        let numbers = expected.iter().map(|length| length.abs()).filter(|length| *length < f64::INFINITY);
        let longest = numbers.fold(0.0, f64::max);
        let potentials = self.searches.potentials().unwrap_or_default();
        let spread = potentials.iter().fold(0.0, |most: f64, p| most.max(-p));
        let n = expected.len() as f64;
        let own = 4.0 * n / f64::from(f64::MANTISSA_DIGITS).exp2();
        let sums = if self.algorithm == Algorithm::FloydWarshall { 4.0 * n } else { 1.0 };
        (longest + spread) * (own + sums / f64::from(digits).exp2())
    }
}

fn sunk(wrong: Wrong) -> SolveError {
    SolveError::Sink(Box::new(wrong))
}

/// The distances from `source` in `f64`, +infinity where no path leads. There is no negative cycle.
fn search<T: Weight, G: Graph<T>>(graph: &G, source: usize, least: f64) -> Vec<f64> {
    let mut distances = vec![f64::INFINITY; graph.n()];
    distances[source] = 0.0;
    if least < 0.0 {
        // A cycle of weight 0 must not become shorter by rounding, again and again.
        let tolerance = if T::TYPE.is_integer() { 0.0 } else { label_tolerance(graph.n(), least) };
        let mut waits = vec![false; graph.n()];
        let mut queue = VecDeque::from([source]);
        while let Some(tail) = queue.pop_front() {
            waits[tail] = false;
            let from = distances[tail];
            graph.for_each_arc(tail, |head, weight| {
                let sum = from + weight.to_f64();
                if sum < distances[head] - tolerance {
                    distances[head] = sum;
                    if !std::mem::replace(&mut waits[head], true) {
                        queue.push_back(head);
                    }
                }
            });
        }
        return distances;
    }
    // The bits of numbers that are not negative are in their order.
    let mut heap = BinaryHeap::from([(Reverse(0.0_f64.to_bits()), source)]);
    while let Some((Reverse(bits), tail)) = heap.pop() {
        let from = f64::from_bits(bits);
        if from > distances[tail] {
            continue;
        }
        graph.for_each_arc(tail, |head, weight| {
            let sum = from + weight.to_f64();
            if sum < distances[head] {
                distances[head] = sum;
                heap.push((Reverse(sum.to_bits()), head));
            }
        });
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use shortest_paths::{Arcs, ArcsBuilder};

    fn graph<T: Weight>(arcs: &[(usize, usize, T)]) -> Arcs<T> {
        let mut builder = ArcsBuilder::growing();
        arcs.iter().for_each(|&(u, v, weight)| builder.add(u, v, weight).unwrap());
        builder.build().unwrap().0
    }

    fn check<T: Weight>(graph: &Arcs<T>, targets: Option<&[usize]>, row: &[T]) -> Result<(), SolveError> {
        let searches = Searches::new(graph, &Control::default()).unwrap();
        let control = Control::default();
        let (element, algorithm) = (T::TYPE, Algorithm::FloydWarshall);
        Check { searches: &searches, graph, element, algorithm, targets, control }.row(0, row)
    }

    #[test]
    fn right_rows_pass_and_each_wrong_number_is_found() {
        let far = <i32 as crate::graph::Element>::ABSENT;
        for last in [5, -2] {
            let graph = graph(&[(0, 1, 4), (0, 2, 3), (2, 1, last), (3, 0, 7)]);
            let right = [0, 4.min(3 + last), 3, far];
            assert!(check(&graph, None, &right).is_ok());
            assert!(check(&graph, Some(&[2, 3, 2]), &[3, far, 3]).is_ok());
            for at in 0..4 {
                for by in [-1, 1] {
                    let mut wrong = right;
                    wrong[at] = if wrong[at] == far { 8 } else { wrong[at] + by };
                    let error = check(&graph, None, &wrong).unwrap_err();
                    let SolveError::Sink(refused) = error else { panic!("{error}") };
                    let expected =
                        matches!(refused.downcast_ref(), Some(Wrong::Distance { to, .. }) if *to == at);
                    assert!(expected, "{refused}");
                }
            }
            assert!(check(&graph, Some(&[1]), &[right[1] + 1]).is_err());
        }
    }

    #[test]
    fn rounded_rows_pass_and_those_that_are_off_do_not() {
        let graph = graph(&[(0, 1, 0.1_f32), (1, 2, 0.2), (2, 3, 0.3)]);
        assert!(check(&graph, None, &[0.0, 0.1, 0.3, 0.6]).is_ok());
        assert!(check(&graph, None, &[0.0, 0.1, 0.3, 0.6001]).is_err());
    }

    #[test]
    fn paths_to_targets_are_walked_and_added_up() {
        let graph = graph(&[(0, 1, 4), (1, 2, 3)]);
        let searches = Searches::new(&graph, &Control::default()).unwrap();
        let targets = [2];
        let check = Check {
            searches: &searches,
            graph: &graph,
            element: ElementType::I32,
            algorithm: Algorithm::Dijkstra,
            targets: Some(&targets),
            control: Control::default(),
        };
        assert!(check.paths(0, &[7], &[-1, 0, 1]).is_ok());
        assert!(check.paths(0, &[8], &[-1, 0, 1]).is_err());
        assert!(check.paths(0, &[7], &[-1, 0, 0]).is_err());
        assert!(check.paths(0, &[7], &[-1, 0, -1]).is_err());
    }

    #[test]
    fn rows_are_spread_evenly() {
        assert_eq!(sampled(10, 2), [2, 7]);
        assert_eq!(sampled(3, 8), [0, 1, 2]);
        assert!(sampled(0, 8).is_empty() && sampled(5, 0).is_empty());
    }
}
