//! Random graphs that are the same on every machine and with any number of threads; graphs whose shortest paths are as long as paths can
//! be, and graphs whose vertices have other numbers.

use crate::blocks::by_element;
use crate::{
    BlockError, Blocks, DeclaredWeights, DistanceMatrix, Element, ElementType, GraphError, MatrixError,
    WeightRange,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use thiserror::Error;

/// Presence is decided by 16 random bits, so densities come in steps of 1/65536.
const PRESENCE_STEPS: f64 = 65536.0;

/// The stream of the heights. No row has this number: a matrix of 2^64 - 1 rows does not exist.
const POTENTIAL_STREAM: u64 = u64::MAX;

/// A random graph, directed unless it says otherwise, whatever its number of vertices.
///
/// The graph of n vertices is the top-left part of the graph of any larger n, so results for several n are
/// comparable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomGraph {
    /// The probability, 0 to 1, that an edge between two different vertices exists; in effect rounded to a
    /// multiple of 1/65536.
    #[serde(default = "every_edge")]
    pub density: f64,
    /// Weights are integers drawn evenly from 1 to this, at most 65535.
    #[serde(default = "up_to_a_thousand")]
    pub max_weight: u32,
    /// Whether some weights become negative. Each vertex gets an integer height p from 0 to `max_weight` / 2, and
    /// edge (u, v) weighs w + p(u) - p(v). Heights cancel around every cycle, so no cycle becomes negative.
    #[serde(default)]
    pub negative: bool,
    /// Whether edges lead both ways: edge (v, u) weighs what edge (u, v) does. Not with negative weights, which would be negative cycles.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undirected: bool,
    /// Graphs of different seeds are independent.
    pub seed: u64,
    /// How many graphs are solved at once as a batch, of this seed and the next ones. [`generate`] draws the first.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub graphs: usize,
}

fn one() -> usize {
    1
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

fn every_edge() -> f64 {
    1.0
}

pub(super) fn up_to_a_thousand() -> u32 {
    1000
}

/// Why no graph can be generated.
#[derive(Debug, Error, PartialEq)]
pub enum GenerateError {
    #[error("density = {0} is no probability: choose one from 0 to 1")]
    Density(f64),
    #[error("max_weight = {0} is out of range: choose one from 1 to 65535")]
    MaxWeight(u32),
    #[error("an undirected graph with negative weights has negative cycles: choose one of the two")]
    UndirectedNegative,
    #[error("edges_per_vertex = {0} is out of range: choose one of at least 1")]
    EdgesPerVertex(u32),
    #[error("no graph of {element} can be generated: {problem}")]
    OutOfRange { element: ElementType, problem: String },
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    #[error(transparent)]
    Arcs(#[from] GraphError),
}

impl RandomGraph {
    /// A complete graph with weights from 1 to 1000.
    pub fn complete(seed: u64) -> Self {
        Self {
            density: every_edge(),
            max_weight: up_to_a_thousand(),
            negative: false,
            undirected: false,
            seed,
            graphs: 1,
        }
    }

    /// Checks the ranges that the fields state.
    ///
    /// # Errors
    /// When `density` is not in 0..=1, `max_weight` not in 1..=65535, or weights are to be negative both ways.
    pub fn validate(&self) -> Result<(), GenerateError> {
        if !(0.0..=1.0).contains(&self.density) {
            return Err(GenerateError::Density(self.density));
        }
        if !(1..=65535).contains(&self.max_weight) {
            return Err(GenerateError::MaxWeight(self.max_weight));
        }
        if self.undirected && self.negative {
            return Err(GenerateError::UndirectedNegative);
        }
        Ok(())
    }

    /// The graph of this number in a batch, counted from 0.
    pub fn of_batch(&self, number: usize) -> Self {
        Self { seed: self.seed.wrapping_add(number as u64), graphs: 1, ..self.clone() }
    }

    /// What is known of the weights before they are drawn.
    pub fn weights(&self) -> WeightRange {
        // An edge gains and loses at most the largest height.
        let largest =
            f64::from(self.max_weight) + f64::from(if self.negative { self.max_weight / 2 } else { 0 });
        WeightRange {
            largest,
            negative: self.negative,
            complete: self.density >= 1.0,
            grain: 1.0,
            symmetric: self.undirected,
        }
    }

    fn heights(&self, n: usize) -> Vec<i32> {
        if !self.negative {
            return vec![0; n];
        }
        let mut stream = stream(self.seed, b"", POTENTIAL_STREAM);
        (0..n).map(|_| scale(stream.next_u32() >> 16, self.max_weight / 2 + 1) as i32).collect()
    }
}

/// The weights of `graph` with `n` vertices: integers, 0 on the diagonal, [`Element::ABSENT`] for no edge.
///
/// Row u is drawn from ChaCha8 keyed with the seed, stream u, one 32-bit word per column: its high half gives the weight and its low half
/// whether the edge exists. An undirected graph is drawn like this right of the diagonal and mirrored to the left: there it is equal to the
/// directed graph of the same seed.
///
/// # Errors
/// When a field of `graph` is out of range, a weight may be no number of the element type, `n` is 0 or the matrix does not fit
/// into memory.
pub fn generate<T: Element>(graph: &RandomGraph, n: usize) -> Result<DistanceMatrix<T>, GenerateError> {
    let rows = RandomRows::new(graph, n, T::TYPE)?;
    Ok(DistanceMatrix::from_rows(n, |u, row| rows.fill(u, 0, row))?)
}

/// The graph that [`generate`] makes of `graph` with `n` vertices, bit for bit, drawn where and when it is read. It takes
/// four bytes a vertex.
///
/// # Errors
/// When a field of `graph` is out of range, a weight may be no number of `element`, or `n` is 0.
pub fn random_blocks(
    graph: &RandomGraph,
    n: usize,
    element: ElementType,
) -> Result<Box<dyn Blocks>, GenerateError> {
    Ok(Box::new(RandomRows::new(graph, n, element)?))
}

/// The rows of a random graph, of which any part can be drawn without the rest.
struct RandomRows {
    graph: RandomGraph,
    element: ElementType,
    present_below: u32,
    heights: Vec<i32>,
}

/// Words drawn at a time: they stay in the nearest cache.
const WORDS: usize = 1024;

impl RandomRows {
    fn new(graph: &RandomGraph, n: usize, element: ElementType) -> Result<Self, GenerateError> {
        graph.validate()?;
        check_range(n, element, &graph.weights())?;
        let present_below = (graph.density * PRESENCE_STEPS).round() as u32;
        Ok(Self { graph: graph.clone(), element, present_below, heights: graph.heights(n) })
    }

    /// Draws what row `u` has from column `first` on.
    fn fill<T: Element>(&self, u: usize, first: usize, row: &mut [T]) {
        if self.graph.undirected && first < u {
            // Left of the diagonal: entries of the rows above, each of which has its own stream.
            let (left, right) = row.split_at_mut(row.len().min(u - first));
            for (v, entry) in (first..).zip(left) {
                self.fill_right(v, u, std::slice::from_mut(entry));
            }
            return self.fill_right(u, u, right);
        }
        self.fill_right(u, first, row);
    }

    /// Draws a part of row `u` from the row's own stream.
    fn fill_right<T: Element>(&self, u: usize, first: usize, row: &mut [T]) {
        let mut stream = stream(self.graph.seed, b"", u as u64);
        stream.set_word_pos(first as u128);
        let max_weight = self.graph.max_weight;
        let height = self.heights[u];
        let mut words = [0_u32; WORDS];
        for (entries, heights) in row.chunks_mut(WORDS).zip(self.heights[first..].chunks(WORDS)) {
            let words = &mut words[..entries.len()];
            stream.fill_bytes(bytemuck::cast_slice_mut(words));
            for ((entry, word), target_height) in entries.iter_mut().zip(words).zip(heights) {
                let word = u32::from_le(*word);
                let weight = 1 + scale(word >> 16, max_weight) as i32;
                let edge = T::from_f64((weight + height - target_height).into());
                *entry = if word & 0xffff < self.present_below { edge } else { T::ABSENT };
            }
        }
        if let Some(diagonal) = u.checked_sub(first).and_then(|at| row.get_mut(at)) {
            *diagonal = T::ZERO;
        }
    }
}

impl Blocks for RandomRows {
    fn n(&self) -> usize {
        self.heights.len()
    }

    fn element(&self) -> ElementType {
        self.element
    }

    fn declared_weights(&self) -> Option<DeclaredWeights> {
        // Edge (u, v) gained p(u) - p(v).
        let potentials = || self.heights.iter().map(|height| 0.0 - f64::from(*height)).collect();
        let potentials = self.graph.negative.then(potentials);
        Some(DeclaredWeights { weights: self.graph.weights(), potentials })
    }

    fn read_row(&self, row: usize, columns: Range<usize>, into: &mut [u8]) -> Result<(), BlockError> {
        by_element!(self.element, T => self.fill::<T>(row, columns.start, bytemuck::cast_slice_mut(into)));
        Ok(())
    }
}

/// The random numbers of a seed, tag and number; those of another tag or number are independent.
pub(super) fn stream(seed: u64, tag: &[u8], number: u64) -> ChaCha8Rng {
    // The seed's bytes are the key: `seed_from_u64` may be another function in the next version.
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..][..tag.len()].copy_from_slice(tag);
    let mut stream = ChaCha8Rng::from_seed(key);
    stream.set_stream(number);
    stream
}

/// Checks that the type holds each edge. Whether it holds paths is seen when their distances are known.
pub(super) fn check_range(
    n: usize,
    element: ElementType,
    weights: &WeightRange,
) -> Result<(), GenerateError> {
    if n == 0 {
        return Err(MatrixError::Empty.into());
    }
    weights.fits(2, element).map_err(|problem| GenerateError::OutOfRange { element, problem })
}

/// Spreads a 16-bit number evenly over 0..range, with range up to 2^16.
fn scale(sixteen_bits: u32, range: u32) -> u32 {
    (sixteen_bits * range) >> 16
}

/// The largest weight, unless a path of all vertices would then be too long for the element type.
const MOST: usize = 1000;
/// Weights that may have fractions are multiples of one over this, so that their sums are exact.
const PARTS: usize = 8;

/// A directed cycle through all `n` vertices in an order drawn from ChaCha8 with `seed`, with weights from 1 to 1000 or less, in floating
/// point with fractions. From every vertex there is one path to every other, of up to n - 1 edges: a solver that ends early, takes paths to
/// be short or weights to be whole is wrong here.
///
/// # Errors
/// When the distances are no numbers of the element type, `n` is 0 or the matrix does not fit into memory.
pub fn generate_cycle<T: Element>(n: usize, seed: u64) -> Result<DistanceMatrix<T>, GenerateError> {
    let longest: usize = match T::TYPE {
        // Exact sums.
        ElementType::F32 => (1 << 23) / PARTS,
        ElementType::U16 => 32_000,
        ElementType::I32 | ElementType::F64 => 1 << 27,
    };
    let most = (longest / n.max(1)).min(MOST);
    if most == 0 {
        let problem = format!("a path of {n} vertices is longer than {longest}");
        return Err(GenerateError::OutOfRange { element: T::TYPE, problem });
    }
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |below: usize| ((u64::from(stream.next_u32()) * below as u64) >> 32) as usize;
    let order = shuffled(n, &mut draw);
    let mut next = vec![(0, 0.0); n];
    for (at, &vertex) in order.iter().enumerate() {
        let whole = (1 + draw(most)) as f64;
        let fraction = if T::TYPE.is_integer() { 0.0 } else { draw(PARTS) as f64 / PARTS as f64 };
        next[vertex] = (order[(at + 1) % n], whole - fraction);
    }
    let matrix = DistanceMatrix::from_rows(n, |u, row| {
        row.fill(T::ABSENT);
        let (v, weight) = next[u];
        if u != v {
            row[v] = T::from_f64(weight);
        }
        row[u] = T::ZERO;
    })?;
    Ok(matrix)
}

/// The numbers below `n` in an order that `draw` decides, which gives a number below its argument.
fn shuffled(n: usize, mut draw: impl FnMut(usize) -> usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for last in (1..n).rev() {
        order.swap(last, draw(last + 1));
    }
    order
}

/// The graph with its vertices in an order drawn from ChaCha8 with `seed`: whoever remembers its distances has to find out which vertex is
/// which.
///
/// # Errors
/// When there is no room for another matrix.
pub fn renumbered<T: Element>(
    graph: &DistanceMatrix<T>,
    seed: u64,
) -> Result<DistanceMatrix<T>, MatrixError> {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let draw = |below: usize| ((u64::from(stream.next_u32()) * below as u64) >> 32) as usize;
    let n = graph.n();
    let old = shuffled(n, draw);
    DistanceMatrix::from_rows(n, |i, row| {
        let from = &graph.as_slice()[old[i] * n..][..n];
        for (weight, &j) in row.iter_mut().zip(&old) {
            *weight = from[j];
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::potentials;
    use proptest::prelude::*;

    #[test]
    fn the_graph_of_a_seed_never_changes() {
        let plain = generate::<f32>(&RandomGraph::complete(1), 4).unwrap();
        let mixed =
            RandomGraph { density: 0.75, max_weight: 100, negative: true, ..RandomGraph::complete(7) };
        let mixed = generate::<f32>(&mixed, 4).unwrap();
        let row = |graph: &DistanceMatrix, u| graph.row(u).to_vec();
        assert_eq!(row(&plain, 0), [0.0, 382.0, 930.0, 295.0]);
        assert_eq!(row(&plain, 3), [229.0, 665.0, 871.0, 0.0]);
        assert_eq!(row(&mixed, 0), [0.0, 60.0, 95.0, 71.0]);
        assert_eq!(row(&mixed, 3), [f32::INFINITY, 26.0, 47.0, 0.0]);
    }

    #[test]
    fn density_is_the_share_of_edges_present() {
        let n = 300;
        for density in [0.0, 0.1, 0.9, 1.0] {
            let graph = generate::<f32>(&RandomGraph { density, ..RandomGraph::complete(5) }, n).unwrap();
            let present = graph.as_slice().iter().filter(|w| w.is_finite()).count() - n;
            let share = present as f64 / (n * (n - 1)) as f64;
            assert!((share - density).abs() < 0.01, "{share} for {density}");
            assert!(density % 1.0 != 0.0 || share == density, "no edge and every edge are exact");
        }
    }

    #[test]
    fn an_undirected_graph_is_the_half_of_a_directed_one_both_ways_whatever_part_of_it_is_drawn() {
        let directed = RandomGraph { density: 0.6, ..RandomGraph::complete(4) };
        let undirected = RandomGraph { undirected: true, ..directed.clone() };
        let (one, both) =
            (generate::<f32>(&directed, 70).unwrap(), generate::<f32>(&undirected, 70).unwrap());
        let rows = RandomRows::new(&undirected, 70, ElementType::F32).unwrap();
        for u in 0..70 {
            for v in 0..70 {
                assert_eq!(both.row(u)[v], one.row(u.min(v))[u.max(v)]);
            }
            let mut some = [0.0_f32; 9];
            rows.fill(u, 30, &mut some);
            assert_eq!(some, both.row(u)[30..39]);
        }
        assert!(undirected.weights().symmetric && !directed.weights().symmetric);
        let negative = RandomGraph { negative: true, ..undirected };
        assert_eq!(negative.validate(), Err(GenerateError::UndirectedNegative));
    }

    #[test]
    fn out_of_range_fields_are_named_with_their_value() {
        let complete = RandomGraph::complete(0);
        for density in [-0.1, 1.1, f64::NAN] {
            assert!(matches!(
                RandomGraph { density, ..complete.clone() }.validate(),
                Err(GenerateError::Density(_))
            ));
        }
        for max_weight in [0, 65536] {
            let error = RandomGraph { max_weight, ..complete.clone() }.validate().unwrap_err();
            assert_eq!(error, GenerateError::MaxWeight(max_weight));
        }
        assert_eq!(generate::<f32>(&complete, 0), Err(GenerateError::Matrix(MatrixError::Empty)));
    }

    #[test]
    fn a_file_needs_only_the_seed_and_may_not_misspell_a_field() {
        assert_eq!(toml::from_str::<RandomGraph>("seed = 9").unwrap(), RandomGraph::complete(9));
        assert!(toml::from_str::<RandomGraph>("seed = 9\ndensty = 0.5").is_err());
    }

    proptest! {
        #[test]
        fn a_smaller_graph_is_the_top_left_part_of_a_larger_one(
            small in 1usize..40, more in 0usize..40, seed: u64, density in 0.0..=1.0f64, negative: bool,
        ) {
            let graph = RandomGraph { density, negative, ..RandomGraph::complete(seed) };
            let part = generate::<f32>(&graph, small).unwrap();
            let whole = generate::<f32>(&graph, small + more).unwrap();
            for i in 0..small {
                prop_assert_eq!(part.row(i), &whole.row(i)[..small]);
            }
        }

        #[test]
        fn every_weight_is_an_integer_in_range_and_no_cycle_is_negative(
            n in 1usize..40, seed: u64, max_weight in 1u32..=65535, negative: bool,
        ) {
            let graph = RandomGraph { density: 0.8, max_weight, negative, ..RandomGraph::complete(seed) };
            let matrix = generate::<f32>(&graph, n).unwrap();
            let most = if negative { 1.5 } else { 1.0 } * max_weight as f32;
            let least = if negative { 1.0 - 0.5 * max_weight as f32 } else { 0.0 };
            for weight in matrix.as_slice().iter().filter(|w| w.is_finite()) {
                prop_assert!(weight.fract() == 0.0 && (least.min(0.0)..=most).contains(weight), "{}", weight);
            }
            prop_assert!(potentials(&matrix, &|_| Ok(())).is_ok());
        }
    }

    /// The weights around a graph's only cycle, which leads through every vertex, from the largest on.
    fn around<T: Element>(graph: &DistanceMatrix<T>) -> Vec<f64> {
        let n = graph.n();
        let (mut at, mut weights) = (0, Vec::new());
        while weights.is_empty() || at != 0 && weights.len() < n {
            let out: Vec<usize> = (0..n).filter(|&v| v != at && !graph.get(at, v).is_absent()).collect();
            let [next] = out[..] else { panic!("{out:?} from {at}") };
            weights.push(graph.get(at, next).to_f64());
            at = next;
        }
        assert_eq!((at, weights.len()), (0, n));
        let largest = (0..n).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap();
        weights.rotate_left(largest);
        weights
    }

    #[test]
    fn every_vertex_is_reached_by_one_path_and_a_renumbered_graph_has_its_edges_between_other_numbers() {
        for n in [2, 70] {
            around(&generate_cycle::<u16>(n, 7).unwrap());
        }
        let (graph, another) = (generate_cycle::<f32>(50, 3).unwrap(), generate_cycle::<f32>(50, 2).unwrap());
        let [seven, again, eight] = [7, 7, 8].map(|seed| renumbered(&graph, seed).unwrap());
        assert_eq!(around(&graph), around(&seven));
        assert_eq!(seven, again);
        assert!(graph != another && graph != seven && seven != eight);
        assert_eq!(renumbered(&DistanceMatrix::<f32>::without_edges(1).unwrap(), 1).unwrap().n(), 1);
        assert_eq!(generate_cycle::<f32>(1, 1).unwrap().n(), 1);
        assert!(generate_cycle::<u16>(40_000, 1).is_err());
    }
}
