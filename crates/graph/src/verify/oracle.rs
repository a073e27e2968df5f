//! The paths that results are compared with: found on the graph itself by Dijkstra's algorithm, and by Bellman-Ford where weights are
//! negative. Neither has anything in common with Floyd-Warshall, so that the two do not share their mistakes.

use super::bounds::{InWeightSums, LowerBoundSource, Rounding};
use super::{Reference, Unverifiable, VerificationFacts};
use crate::search::{NextStep, ReweightedGraph, SearchLimits, SearchVisitor, Workspace, potentials_given};
use crate::{Arcs, DistanceMatrix, Element, Graph, Label, WeightSummary};
use rayon::prelude::*;
use std::borrow::Cow;

/// A graph, and what has to be known to say what is right.
pub(super) struct Oracle<'g, G> {
    graph: &'g G,
    pub facts: VerificationFacts,
    /// No arc weighs less, reduced by potentials if there are any; 0 where this was not looked for.
    lightest: f64,
}

impl<'g, T: Element> Oracle<'g, DistanceMatrix<T>> {
    pub fn of_matrix(graph: &'g DistanceMatrix<T>) -> Result<Self, Unverifiable> {
        Self::of_dense(graph, graph.survey().weights, None)
    }
}

impl<'g, T: Element> Oracle<'g, Arcs<T>> {
    pub fn of_arcs(graph: &'g Arcs<T>) -> Result<Self, Unverifiable> {
        let weights = graph.facts();
        let potentials = potentials_given(graph, &weights, &|_| Ok(()))?;
        Ok(Self { graph, facts: VerificationFacts::known(T::TYPE, weights, potentials), lightest: 0.0 })
    }
}

impl<'g, T: Element, G: Graph<Weight = T>> Oracle<'g, G> {
    /// For a graph with many arcs. `declared` potentials are used if they leave no arc negative.
    pub fn of_dense(
        graph: &'g G,
        weights: WeightSummary,
        declared: Option<Vec<f64>>,
    ) -> Result<Self, Unverifiable> {
        let reduced = |potentials: Option<Vec<f64>>| (lightest_arc(graph, potentials.as_deref()), potentials);
        let declared = declared.filter(|_| weights.range.negative).map(|declared| reduced(Some(declared)));
        let (lightest, potentials) = match declared.filter(|(lightest, _)| *lightest >= 0.0) {
            Some(known) => known,
            None => reduced(potentials_given(graph, &weights, &|_| Ok(()))?),
        };
        let facts = VerificationFacts::known(T::TYPE, weights, potentials);
        Ok(Self { graph, facts, lightest: lightest.max(0.0) })
    }

    /// One shortest path from `source` to each vertex, of those whose intermediate vertices are all below `through`: what Floyd-Warshall has found once
    /// it has been through that many vertices.
    pub fn paths(&self, source: usize, through: usize) -> Result<Paths, Unverifiable> {
        let n = self.graph.n();
        let mut workspace = Workspace::new(n)?;
        let mut found = FoundPaths {
            parents: vec![0; n],
            order: Vec::new(),
            is_settled: vec![false; n],
            lightest: self.lightest,
            source,
            through,
        };
        ReweightedGraph { graph: self.graph, potentials: self.facts.potentials.as_deref() }.search(
            &[source],
            SearchLimits::NONE,
            &mut workspace,
            &mut found,
            &|_| Ok(()),
        )?;
        // A search that ended early knows the paths to the other vertices too: they are leaves of its tree.
        let FoundPaths { parents, mut order, is_settled, .. } = found;
        order.extend((0..n).filter(|&v| !is_settled[v] && workspace.labels[v] < T::Label::FAR));
        Paths::along(n, &order, |v| {
            let parent = parents[v] as usize;
            Ok((parent, self.graph.weight(parent, v).map_or(f64::INFINITY, T::to_f64)))
        })
    }

    /// Rows of a graph whose results are exact.
    pub fn exact_rows(&self, sources: Vec<usize>, through: usize) -> Result<Reference<T>, Unverifiable> {
        let row = |&source: &usize| {
            Ok(self.paths(source, through)?.lengths.into_iter().map(T::from_f64).collect::<Vec<T>>())
        };
        let rows = sources.par_iter().map(row).collect::<Result<Vec<_>, Unverifiable>>()?;
        Ok(Reference { n: self.graph.n(), sources, low: rows.concat(), high: None, max_bound_gap: 0.0 })
    }

    /// The right values of rows, bit for bit or within bounds. `unknown` is the error where weights are negative and sums rounded.
    pub fn rows(&self, sources: Vec<usize>, unknown: Unverifiable) -> Result<Reference<T>, Unverifiable> {
        let (n, facts) = (self.graph.n(), &self.facts);
        if facts.surely_exact(n) {
            return self.exact_rows(sources, n);
        }
        facts.check_rounds(T::TYPE, n)?;
        if facts.weights.range.negative {
            return Err(unknown);
        }
        let longest = facts.weights.range.largest * (n - 1) as f64;
        if longest > f64::from(f32::MAX) && !facts.weights.range.complete {
            return Err(Unverifiable::MayOverflow { longest });
        }
        let paths = sources.par_iter().map(|&source| self.paths(source, n));
        let paths = paths.collect::<Result<Vec<Paths>, _>>()?;
        // Where no path is long enough to be rounded, the number of edges that it could have is not needed.
        let exact_below = Rounding::new(&facts.weights, 0.0).exact_below();
        let rounds = |paths: &Paths| paths.lengths.iter().any(|d| *d > exact_below && *d < f64::INFINITY);
        let entering =
            if paths.iter().any(rounds) { InWeightSums::of(self.graph) } else { InWeightSums::default() };
        let at = |source: usize| sources.binary_search(&source).unwrap_or(0);
        Reference::within(self.graph, facts, sources.clone(), |source, rounding| {
            let paths = &paths[at(source)];
            Ok((Cow::Borrowed(paths), rounding.bounds(paths, LowerBoundSource::Counted(&entering))))
        })
    }
}

/// The least weight of an arc, with potentials if there are any; +infinity where there is none. O(m).
fn lightest_arc(graph: &impl Graph, potentials: Option<&[f64]>) -> f64 {
    let height = |v: usize| potentials.map_or(0.0, |p| p[v]);
    let of_row = |tail| {
        let (mut least, base) = (f64::INFINITY, height(tail));
        graph.for_each_arc(tail, |head, weight| {
            least = f64::min(least, weight.to_f64() + base - height(head))
        });
        least
    };
    (0..graph.n()).into_par_iter().map(of_row).reduce(|| f64::INFINITY, f64::min)
}

/// The tree of a search, with the order in which its vertices were reached.
struct FoundPaths {
    parents: Vec<u32>,
    order: Vec<usize>,
    is_settled: Vec<bool>,
    lightest: f64,
    source: usize,
    through: usize,
}

impl<L: Label> SearchVisitor<L> for FoundPaths {
    #[inline]
    fn settle(&mut self, vertex: usize, labels: &[L]) -> NextStep {
        if !std::mem::replace(&mut self.is_settled[vertex], true) {
            self.order.push(vertex);
        }
        // Once no path from here on can shorten any label, the search ends: most arcs are never looked at in a graph with many.
        let least = labels[vertex].to_f64() + self.lightest;
        match vertex < self.through || vertex == self.source {
            false => NextStep::Skip,
            true if self.lightest <= 0.0 || labels.iter().any(|label| label.to_f64() > least) => {
                NextStep::Follow
            }
            true => NextStep::End,
        }
    }

    #[inline]
    fn lower(&mut self, tail: usize, head: usize) {
        if !self.is_settled[head] {
            self.parents[head] = tail as u32;
        }
    }
}

/// One shortest path from a source to each vertex, and what rounding can do to the sums on it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paths {
    /// The sum of the path's weights, added in `f64` along the path; +infinity where there is no path.
    pub lengths: Vec<f64>,
    /// How many edges of the path have a weight other than 0.
    pub edges: Vec<u32>,
    /// At least the largest magnitude among the lengths of the path's parts, however it is cut.
    pub reach: Vec<f64>,
}

impl Paths {
    /// The paths in a graph of `n` vertices that a search found: the vertices that it `settled`, each after the one before it on its path,
    /// the source first, and the `parent` of each with the weight of the edge that leads from there.
    ///
    /// # Errors
    /// Those of `parent`.
    pub fn along<E>(
        n: usize,
        settled: &[usize],
        parent: impl Fn(usize) -> Result<(usize, f64), E>,
    ) -> Result<Self, E> {
        let mut paths =
            Self { lengths: vec![f64::INFINITY; n], edges: vec![0; n], reach: vec![f64::INFINITY; n] };
        // The least and the greatest length of the path's beginnings, the empty one included.
        let mut extremes = vec![(0.0_f64, 0.0_f64); n];
        if let Some(&source) = settled.first() {
            (paths.lengths[source], paths.reach[source]) = (0.0, 0.0);
        }
        for &v in settled.iter().skip(1) {
            let (parent, weight) = parent(v)?;
            let length = paths.lengths[parent] + weight;
            let (least, most) = extremes[parent];
            extremes[v] = (least.min(length), most.max(length));
            paths.lengths[v] = length;
            paths.edges[v] = paths.edges[parent] + u32::from(weight != 0.0);
            paths.reach[v] = extremes[v].1 - extremes[v].0;
        }
        Ok(paths)
    }
}
