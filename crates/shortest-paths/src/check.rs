//! Walks every stored path and holds its length against the distance.

use crate::paths::{exact_integers, is_exact};
use crate::reduction::{longest, rounding};
use crate::{
    Control, Element, Graph, PathError, PathSentinels, SearchContext, Solution, SolveError, Stage,
    WeightSummary,
};
use rayon::prelude::*;
use repro_graph::{ElementType, PathBounds};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

/// What was walked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathCheckStats {
    /// Paths that exist and are right, those from a vertex to itself included.
    pub paths: u64,
    /// The arcs of all trees that these paths are in.
    pub arcs: u64,
    /// The largest difference between a path's length and the distance, in the unit of the weights.
    pub widest: f64,
}

impl PathCheckStats {
    fn and(self, other: Self) -> Self {
        Self {
            paths: self.paths + other.paths,
            arcs: self.arcs + other.arcs,
            widest: self.widest.max(other.widest),
        }
    }
}

impl<T: Element, G: Graph<Weight = T>> SearchContext<'_, G> {
    /// Checks these rows of a solution by [`SearchContext::check_row`] and, if `paths` says so, walks every stored path. Returns the
    /// statistics of the rows, then those of the paths.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check_solution(
        &self,
        solution: &Solution<T>,
        rows: &[usize],
        paths: bool,
        control: &Control,
    ) -> Result<[PathCheckStats; 2], SolveError> {
        let (n, targets) = (solution.n, solution.targets.as_deref());
        let columns = targets.map_or(n, <[usize]>::len);
        let source = |row: usize| solution.sources.as_ref().map_or(row, |sources| sources[row]);
        let distances = |row: usize| &solution.distances[row * columns..(row + 1) * columns];
        let of_row = |&row: &usize| self.check_row(source(row), distances(row), targets, control);
        let proven = merge(rows.par_iter().map(of_row).collect())?;
        let walked = match (&solution.next, &solution.predecessors) {
            (Some(next), _) if paths => self.check_next(&solution.distances, next, control)?,
            (None, Some(stored)) if paths => {
                let sources: Vec<usize> = (0..stored.len() / n.max(1)).map(source).collect();
                self.check_predecessors(&sources, targets, &solution.distances, stored, control)?
            }
            _ => PathCheckStats::default(),
        };
        Ok([proven, walked])
    }

    /// Checks a row of distances, to all vertices or to `targets`, against the graph. Each distance has to equal the length of a path that
    /// is walked arc by arc, and no arc may lead to a shorter one. That proves the row, whatever found it and the paths. Where sums are
    /// rounded, both hold within the error of rounding.
    ///
    /// # Errors
    /// The first distance that is wrong, [`SearchError::Cancelled`](crate::SearchError::Cancelled), and a lack of memory.
    pub fn check_row(
        &self,
        source: usize,
        distances: &[T],
        targets: Option<&[usize]>,
        control: &Control,
    ) -> Result<PathCheckStats, SolveError> {
        let row = match targets {
            None => Cow::Borrowed(distances),
            Some(targets) => {
                let mut row = self.row(source, control)?;
                targets.iter().zip(distances).for_each(|(&target, distance)| row[target] = *distance);
                Cow::Owned(row)
            }
        };
        let tree = self.predecessors(&[source], &row, PathSentinels::PLAIN, control)?;
        let walked = self.check_predecessors(&[source], None, &row, &tree, control)?;
        if !is_exact(&self.facts(), &row) {
            // Twice the error: that of a search, which compares reduced lengths, and that of Floyd-Warshall.
            let slack = 2.0 * rounding::<T>(row.len(), longest(&row) + self.spread());
            for tail in 0..row.len() {
                let label = row[tail].to_f64();
                let mut undercut = None;
                self.graph.for_each_arc(tail, |head, weight| {
                    if label + weight.to_f64() + slack < row[head].to_f64() {
                        undercut = Some(head);
                    }
                });
                if let Some(to) = undercut {
                    return Err(SolveError::NotDistances { from: source, to, found: row[to].to_f64() });
                }
            }
        }
        Ok(walked)
    }

    /// The difference between the highest potential and the lowest: reduced lengths, which a search compares, may exceed distances by this.
    fn spread(&self) -> f64 {
        self.potentials().unwrap_or_default().iter().fold(0.0, |most, p| most.max(-p))
    }

    /// Walks the path from each of `sources` to every vertex, or to each of `targets`, and compares its length with the distance. Each
    /// source has a row of n `predecessors`, and a row of `distances`, one for each vertex or target. Each arc of a tree is walked once:
    /// O(n log m) a source, or O(n) in a matrix.
    ///
    /// Where sums are exact, as [`SearchContext::predecessors`] defines it, the two are equal. Where sums of `f32` are rounded and no
    /// weight is negative, the distance lies within the bounds that `crates/graph/src/verify/bounds.rs` derives from the path. Otherwise
    /// they differ by no more than the rounding of 2 n additions.
    ///
    /// # Errors
    /// The first path, by source, that is wrong, and [`SearchError::Cancelled`](crate::SearchError::Cancelled).
    pub fn check_predecessors(
        &self,
        sources: &[usize],
        targets: Option<&[usize]>,
        distances: &[T],
        predecessors: &[i32],
        control: &Control,
    ) -> Result<PathCheckStats, SolveError> {
        let n = self.graph.n();
        let columns = targets.map_or(n, <[usize]>::len);
        check_size(columns, sources.len(), distances.len(), "the matrix of distances")?;
        check_size(n, sources.len(), predecessors.len(), "the matrix of predecessors")?;
        let mut chosen = sources.iter().chain(targets.unwrap_or_default());
        if let Some(&vertex) = chosen.find(|&&vertex| vertex >= n) {
            return Err(PathError::NotAVertex { vertex, n }.into());
        }
        let row = |at: usize| {
            let known = &distances[at * columns..(at + 1) * columns];
            let Some(targets) = targets else { return known.to_vec() };
            let mut row = vec![T::ABSENT; n];
            targets.iter().zip(known).for_each(|(&target, distance)| row[target] = *distance);
            row
        };
        let stored = |at: usize, v: usize| predecessors[at * n + v];
        self.check_trees(TreeDirection::Out, sources, targets, row, stored, control)
    }

    /// Checks n x n `next` vertices against n x n `distances`: the paths to one target form one tree.
    ///
    /// # Errors
    /// The first path, by target, that is wrong, and [`SearchError::Cancelled`](crate::SearchError::Cancelled).
    pub fn check_next(
        &self,
        distances: &[T],
        next: &[i32],
        control: &Control,
    ) -> Result<PathCheckStats, SolveError> {
        let n = self.graph.n();
        check_size(n, n, distances.len(), "the matrix of distances")?;
        check_size(n, n, next.len(), "the matrix of next vertices")?;
        let every: Vec<usize> = (0..n).collect();
        let column = |target: usize| (0..n).map(|v| distances[v * n + target]).collect();
        self.check_trees(TreeDirection::In, &every, None, column, |target, v| next[v * n + target], control)
    }

    /// Checks the tree of each root by the distances of vertices from or to it, of all or, if given, of `ends` alone.
    fn check_trees(
        &self,
        way: TreeDirection,
        roots: &[usize],
        ends: Option<&[usize]>,
        distances: impl Fn(usize) -> Vec<T> + Sync,
        stored: impl Fn(usize, usize) -> i32 + Sync,
        control: &Control,
    ) -> Result<PathCheckStats, SolveError> {
        let (trees, done) = (PathTrees::new(self, way), AtomicU64::new(0));
        let check = |at: usize| {
            control.check()?;
            let walked = trees.check(roots[at], &distances(at), ends, |v| stored(at, v));
            control.report(Stage::Check, done.fetch_add(1, Ordering::Relaxed) + 1, roots.len() as u64);
            Ok(walked?)
        };
        merge((0..roots.len()).into_par_iter().map(check).collect())
    }
}

pub(crate) fn check_size(n: usize, rows: usize, found: usize, what: &'static str) -> Result<(), PathError> {
    let expected = n.saturating_mul(rows);
    if found == expected { Ok(()) } else { Err(PathError::WrongLength { what, expected, found }) }
}

/// The sum of all, or the first error.
fn merge(walked: Vec<Result<PathCheckStats, SolveError>>) -> Result<PathCheckStats, SolveError> {
    walked.into_iter().try_fold(PathCheckStats::default(), |sum, walked| Ok(sum.and(walked?)))
}

/// Which end of the paths of a tree is its root.
#[derive(Clone, Copy, PartialEq)]
enum TreeDirection {
    /// Paths begin at the root.
    Out,
    /// Paths end at the root.
    In,
}

impl TreeDirection {
    /// Start and end of a path or an arc, whose end `near` is nearer to the root.
    fn ends(self, near: usize, far: usize) -> (usize, usize) {
        if self == Self::Out { (near, far) } else { (far, near) }
    }
}

/// Trees of paths, and how far distances may be from lengths of paths.
struct PathTrees<'g, G> {
    graph: &'g G,
    way: TreeDirection,
    facts: WeightSummary,
    /// The bounds of right distances, for `f32` without negative weights.
    bounds: Option<PathBounds>,
    /// The difference between the highest and the lowest potential.
    spread: f64,
}

const UNSEEN: u8 = 0;
const ON_WALK: u8 = 1;
const WALKED: u8 = 2;

impl<'g, T: Element, G: Graph<Weight = T>> PathTrees<'g, G> {
    fn new(searches: &SearchContext<'g, G>, way: TreeDirection) -> Self {
        let (graph, facts) = (searches.graph, searches.facts);
        let bounds = (T::TYPE == ElementType::F32 && facts.least >= 0.0).then(|| {
            let mut least = vec![f64::INFINITY; graph.n()];
            for tail in 0..least.len() {
                graph.for_each_arc(tail, |head, weight| {
                    let entered = if way == TreeDirection::Out { head } else { tail };
                    if weight.to_f64() > 0.0 {
                        least[entered] = least[entered].min(weight.to_f64());
                    }
                });
            }
            PathBounds::new(facts.range.grain, least)
        });
        Self { graph, way, facts, bounds, spread: searches.spread() }
    }

    fn check(
        &self,
        root: usize,
        distances: &[T],
        ends: Option<&[usize]>,
        stored: impl Fn(usize) -> i32,
    ) -> Result<PathCheckStats, PathError> {
        let n = distances.len();
        let walks = self.walk(root, distances, ends, stored)?;
        let exact = is_exact(&self.facts, distances);
        let bounds = match &self.bounds {
            Some(bounds) if !exact => {
                let parent = |v: usize| Ok::<_, PathError>((walks.parents[v], walks.weights[v]));
                Some(bounds.of_tree(n, &walks.order, parent)?)
            }
            _ => None,
        };
        let unit = 2.0 * n as f64 / exact_integers(T::TYPE);
        let mut walked = PathCheckStats { paths: 0, arcs: walks.order.len() as u64 - 1, widest: 0.0 };
        for &v in ends.unwrap_or(&walks.order) {
            let (length, distance) = (walks.lengths[v], distances[v].to_f64());
            if v != root && distance == f64::INFINITY {
                continue;
            }
            let (low, high) = match &bounds {
                Some((low, high)) => (low[v].into(), high[v].into()),
                None if exact => (length, length),
                None => {
                    let error = unit * (walks.reach + self.spread);
                    (length - error, length + error)
                }
            };
            if !(low <= distance && distance <= high) {
                let (from, to) = self.way.ends(root, v);
                return Err(PathError::Length { from, to, length, distance, low, high });
            }
            walked.paths += 1;
            walked.widest = walked.widest.max((length - distance).abs());
        }
        Ok(walked)
    }

    /// Follows the stored vertices from each vertex, or from each of `ends`, up to one that was walked before.
    fn walk(
        &self,
        root: usize,
        distances: &[T],
        ends: Option<&[usize]>,
        stored: impl Fn(usize) -> i32,
    ) -> Result<WalkedTree, PathError> {
        let n = distances.len();
        let mut states = vec![UNSEEN; n];
        let mut walks = WalkedTree {
            order: vec![root],
            parents: vec![root; n],
            weights: vec![0.0; n],
            lengths: vec![0.0; n],
            reach: 0.0,
        };
        states[root] = WALKED;
        let mut walk = Vec::new();
        for at in 0..ends.map_or(n, <[usize]>::len) {
            let vertex = ends.map_or(at, |ends| ends[at]);
            let (from, to) = self.way.ends(root, vertex);
            let (is_stored, distance) = (stored(vertex) >= 0, distances[vertex].to_f64());
            if vertex != root && is_stored == (distance == f64::INFINITY) {
                return Err(PathError::Reach { from, to, distance, stored: is_stored });
            }
            let mut at = vertex;
            while is_stored && states[at] == UNSEEN {
                let Ok(parent) = usize::try_from(stored(at)) else {
                    return Err(PathError::BreaksOff { from, to, at });
                };
                if parent >= n {
                    return Err(PathError::NotStored { from, to, at, found: stored(at), n });
                }
                let (tail, head) = self.way.ends(parent, at);
                let weight = self.graph.weight(tail, head);
                walks.weights[at] = weight.ok_or(PathError::NoArc { from, to, tail, head })?.to_f64();
                walks.parents[at] = parent;
                states[at] = ON_WALK;
                walk.push(at);
                at = parent;
            }
            if states[at] == ON_WALK {
                return Err(PathError::Cycle { from, to, at });
            }
            while let Some(at) = walk.pop() {
                walks.lengths[at] = walks.lengths[walks.parents[at]] + walks.weights[at];
                walks.reach = walks.reach.max(walks.lengths[at].abs());
                states[at] = WALKED;
                walks.order.push(at);
            }
        }
        Ok(walks)
    }
}

/// The paths of one tree.
struct WalkedTree {
    /// Vertices with a path, the root first and each after its parent.
    order: Vec<usize>,
    parents: Vec<usize>,
    /// The weight of the arc between a vertex and its parent.
    weights: Vec<f64>,
    /// The length of the path between a vertex and the root.
    lengths: Vec<f64>,
    /// The largest magnitude of these lengths.
    reach: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arcs, SearchError, graphs_of_tests::arcs_of};

    fn graph() -> Arcs<i32> {
        arcs_of(4, &[(0, 1, 2), (1, 2, 3), (0, 2, 5), (2, 1, 0), (3, 0, 1)])
    }

    fn path_error(checked: Result<PathCheckStats, SolveError>) -> Result<PathCheckStats, PathError> {
        checked.map_err(|error| match error {
            SolveError::Path(error) => error,
            other => panic!("{other}"),
        })
    }

    fn checked(row: [i32; 4], distances: [i32; 4]) -> Result<PathCheckStats, PathError> {
        let graph = graph();
        let checked = SearchContext::new(&graph, &Control::default()).unwrap().check_predecessors(
            &[0],
            None,
            &distances,
            &row,
            &Control::default(),
        );
        path_error(checked)
    }

    #[test]
    fn every_kind_of_wrong_path_is_found() {
        let far = <i32 as repro_graph::Element>::ABSENT;
        let right = [0, 2, 5, far];
        assert_eq!(checked([-1, 0, 0, -1], right), Ok(PathCheckStats { paths: 3, arcs: 2, widest: 0.0 }));
        assert!(checked([-9999, 0, 1, -9999], right).is_ok());
        assert!(matches!(checked([-1, 2, 1, -1], right), Err(PathError::Cycle { from: 0, .. })));
        assert!(matches!(checked([-1, 3, 1, -1], right), Err(PathError::NoArc { tail: 3, head: 1, .. })));
        assert!(matches!(checked([-1, 0, 4, -1], right), Err(PathError::NotStored { found: 4, .. })));
        assert!(matches!(
            checked([-1, -1, 1, -1], right),
            Err(PathError::Reach { to: 1, stored: false, .. })
        ));
        assert!(matches!(checked([-1, 0, 1, 0], right), Err(PathError::Reach { to: 3, stored: true, .. })));
        assert!(matches!(checked([-1, 2, 0, -1], right), Err(PathError::Length { to: 1, length: 5.0, .. })));
        assert!(matches!(checked([-1, 0, 0, -1], [0, 2, 4, far]), Err(PathError::Length { to: 2, .. })));
    }

    #[test]
    fn of_paths_to_chosen_targets_only_their_own_distances_are_needed() {
        let (graph, control) = (graph(), Control::default());
        let searches = SearchContext::new(&graph, &control).unwrap();
        let checked = |row: [i32; 4], distances: [i32; 2]| {
            path_error(searches.check_predecessors(&[0], Some(&[1, 3]), &distances, &row, &control))
        };
        let far = <i32 as repro_graph::Element>::ABSENT;
        let stats = PathCheckStats { paths: 1, arcs: 1, widest: 0.0 };
        assert_eq!(checked([-1, 0, -1, -1], [2, far]), Ok(stats));
        assert!(matches!(checked([-1, 2, 0, -1], [2, far]), Err(PathError::Length { to: 1, .. })));
        assert!(matches!(checked([-1, 2, -1, -1], [2, far]), Err(PathError::BreaksOff { to: 1, at: 2, .. })));
        assert!(matches!(checked([-1, 0, -1, -1], [2, 7]), Err(PathError::Reach { to: 3, .. })));
        let strange = path_error(searches.check_predecessors(&[0], Some(&[4]), &[2], &[-1; 4], &control));
        assert!(matches!(strange, Err(PathError::NotAVertex { vertex: 4, .. })));
    }

    #[test]
    fn a_rounded_path_that_is_a_little_longer_than_the_shortest_is_found() {
        let third = 1.0_f32 / 3.0;
        let graph = arcs_of(1000, &[(0, 1, third), (1, 2, third), (0, 2, 2.0 * third + 1e-6)]);
        let searches = SearchContext::new(&graph, &Control::default()).unwrap();
        let row: Vec<f32> = searches.row(0, &Control::default()).unwrap();
        let mut stored = vec![-1; 1000];
        (stored[1], stored[2]) = (0, 1);
        assert_eq!(
            searches.check_predecessors(&[0], None, &row, &stored, &Control::default()).unwrap().paths,
            3
        );
        stored[2] = 0;
        let error = searches.check_predecessors(&[0], None, &row, &stored, &Control::default()).unwrap_err();
        assert!(matches!(error, SolveError::Path(PathError::Length { from: 0, to: 2, .. })), "{error}");
    }

    #[test]
    fn matrices_of_the_wrong_size_are_refused_and_a_flag_ends_the_walk() {
        let (graph, control) = (graph(), Control::default());
        let searches = SearchContext::new(&graph, &control).unwrap();
        let flag = std::sync::atomic::AtomicBool::new(true);
        let control = control.cancelled_by(&flag);
        let ended = searches.check_next(&[0; 16], &[0; 16], &control);
        assert!(matches!(ended, Err(SolveError::Search(SearchError::Cancelled))));
        let few = path_error(searches.check_predecessors(&[0], None, &[0; 4], &[], &control));
        assert!(matches!(few, Err(PathError::WrongLength { .. })));
        let few = path_error(searches.check_next(&[0; 4], &[0; 16], &control));
        assert!(matches!(few, Err(PathError::WrongLength { .. })));
        let strange = path_error(searches.check_predecessors(&[4], None, &[0; 4], &[0; 4], &control));
        assert!(matches!(strange, Err(PathError::NotAVertex { .. })));
    }
}
