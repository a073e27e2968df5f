//! Random graphs of a given number of edges a vertex, as GTgraph's generator `random` draws them.

use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

use super::blocks::by_element;
use super::generate::{check_range, stream, up_to_a_thousand};
use super::{ArcsBuilder, Blocks, DistanceMatrix, Element, ElementType, GenerateError, WeightRange};

/// Random bytes an edge: eight for its ends, four for its weight.
const EDGE_BYTES: usize = 12;

/// Random words of 32 bits an edge.
const EDGE_WORDS: u128 = EDGE_BYTES as u128 / 4;

/// Edges drawn at a time: their bytes stay in the nearest cache.
const BATCH: usize = 1024;

/// A random directed graph of n vertices and `edges_per_vertex` n edges drawn one by one.
///
/// gaioso-2013 (section VI) times its implementations on graphs of GTgraph's `random` generator with 6, 60 and 600 edges a
/// vertex. That generator (K. Madduri and D. A. Bader, GTgraph; its model G(n, m) with its default settings)
/// draws m edges with replacement, no self loops among them, and integer weights. So does this one: each edge starts at any
/// vertex and ends at any other, evenly and independently of all edges before it, and of parallel edges the shortest counts in
/// a distance matrix. Fewer than m entries are therefore finite: about p (1 - exp(-m / p)) of the p = n (n - 1) pairs.
///
/// It differs in three ways: the random numbers are ChaCha8's, so the graphs are not GTgraph's own; weights start at 1, where
/// GTgraph's start at 0; and the largest weight is 1000 unless given, where GTgraph stays within 100. gaioso-2013 does not say
/// with which weights it ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomEdges {
    /// How many edges are drawn for each vertex, at least 1. They start anywhere, so this is a vertex's average number.
    pub edges_per_vertex: u32,
    /// Weights are integers drawn evenly from 1 to this, at most 65535.
    #[serde(default = "up_to_a_thousand")]
    pub max_weight: u32,
    /// Graphs of different seeds are independent.
    pub seed: u64,
}

impl RandomEdges {
    /// Checks the ranges that the fields state.
    ///
    /// # Errors
    /// When `edges_per_vertex` is 0 or `max_weight` not in 1..=65535.
    pub fn validate(&self) -> Result<(), GenerateError> {
        if self.edges_per_vertex == 0 {
            return Err(GenerateError::EdgesPerVertex(self.edges_per_vertex));
        }
        if !(1..=65535).contains(&self.max_weight) {
            return Err(GenerateError::MaxWeight(self.max_weight));
        }
        Ok(())
    }

    /// What is known of the weights before they are drawn.
    pub fn weights(&self) -> WeightRange {
        WeightRange {
            largest: self.max_weight.into(),
            negative: false,
            complete: false,
            grain: 1.0,
            symmetric: false,
        }
    }

    /// Gives `take` the start, the end and the weight of these edges of the sequence in a graph of `n` vertices, at least 2 and fewer than
    /// 2^32.
    fn draw(&self, n: usize, edges: Range<u64>, mut take: impl FnMut(usize, usize, u32)) {
        // The tag keeps these numbers apart from those of a `RandomGraph` of the same seed.
        let mut stream = stream(self.seed, b"edges", 0);
        stream.set_word_pos(u128::from(edges.start) * EDGE_WORDS);
        let mut left = edges.end - edges.start;
        let mut bytes = [0; EDGE_BYTES * BATCH];
        while left > 0 {
            stream.fill_bytes(&mut bytes);
            let (drawn, _) = bytes.as_chunks::<EDGE_BYTES>();
            let count = left.min(BATCH as u64) as usize;
            for edge in &drawn[..count] {
                let [a, b, c, d, e, f, g, h, w @ ..] = *edge;
                let (start, end) = ends(u64::from_le_bytes([a, b, c, d, e, f, g, h]), n);
                let weight = 1 + ((u64::from(u32::from_le_bytes(w)) * u64::from(self.max_weight)) >> 32);
                take(start, end, weight as u32);
            }
            left -= count as u64;
        }
    }
}

/// The weights of `graph` with `n` vertices: integers, 0 on the diagonal, [`Element::ABSENT`] for no edge. One vertex has
/// no edges.
///
/// The edges are one sequence, drawn from ChaCha8 keyed with the seed, which depends on the seed and on n alone: with more edges
/// a vertex it goes on, and the largest weight changes no ends. Edge by edge it takes 12 bytes, little-endian: 64 bits for the
/// ends (x n / 2^64 is the start, and the fraction of it times n - 1 the end among the other vertices, which is even but for n²
/// / 2^64) and 32 for the weight.
///
/// # Errors
/// When a field of `graph` is out of range, a weight may be no number of the element type, `n` is 0 or the matrix does not fit
/// into memory.
pub fn generate_edges<T: Element>(graph: &RandomEdges, n: usize) -> Result<DistanceMatrix<T>, GenerateError> {
    graph.validate()?;
    check_range(n, T::TYPE, &graph.weights())?;
    let mut matrix = DistanceMatrix::without_edges(n)?;
    if n == 1 {
        return Ok(matrix);
    }
    // n² numbers fit into memory, so n is below 2^32 and the number of edges does not overflow.
    let drawn = u64::from(graph.edges_per_vertex) * n as u64;
    graph.draw(n, 0..drawn, |start, end, weight| matrix.add_edge(start, end, T::from_f64(weight.into())));
    Ok(matrix)
}

/// The graph that [`generate_edges`] makes of `graph` with `n` vertices, bit for bit. Its edges are drawn now and kept as
/// [`Arcs`](crate::Arcs), or as a matrix where that is smaller.
///
/// # Errors
/// As [`generate_edges`], and when there is no room for the edges.
pub fn drawn_blocks(
    graph: &RandomEdges,
    n: usize,
    element: ElementType,
) -> Result<Box<dyn Blocks>, GenerateError> {
    graph.validate()?;
    check_range(n, element, &graph.weights())?;
    let count = if n == 1 { 0 } else { u128::from(graph.edges_per_vertex) * n as u128 };
    let matrix = (n as u128).saturating_pow(2).saturating_mul(element.bytes() as u128);
    by_element!(element, T => {
        if count.saturating_mul(8) > matrix {
            return Ok(Box::new(generate_edges::<T>(graph, n)?));
        }
        // Fewer than n² of them, which must be many less than 2^64 to be drawn at all.
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let mut builder = ArcsBuilder::<T>::with_vertices(n)?;
        builder.reserve(usize::try_from(count).unwrap_or(usize::MAX))?;
        let mut added = Ok(());
        graph.draw(n, 0..count, |start, end, weight| {
            if added.is_ok() {
                added = builder.add(start, end, T::from_f64(weight.into()));
            }
        });
        added?;
        Ok(Box::new(builder.build()?.0))
    })
}

/// Two different vertices of `n`, at least 2, for a random number.
fn ends(random: u64, n: usize) -> (usize, usize) {
    let (start, fraction) = split(random, n as u64);
    let (end, _) = split(fraction, n as u64 - 1);
    // Counted among the others: those from `start` on move up by one.
    let end = end + u64::from(end >= start);
    (start as usize, end as usize)
}

/// The whole part and the fraction, in units of 2^-64, of `fraction` times `range`.
fn split(fraction: u64, range: u64) -> (u64, u64) {
    let product = u128::from(fraction) * u128::from(range);
    ((product >> 64) as u64, product as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edges(edges_per_vertex: u32) -> RandomEdges {
        RandomEdges { edges_per_vertex, max_weight: 1000, seed: 1 }
    }

    fn present(matrix: &DistanceMatrix) -> usize {
        matrix.as_slice().iter().filter(|weight| weight.is_finite()).count() - matrix.n()
    }

    #[test]
    fn the_graph_of_a_seed_never_changes() {
        let graph = generate_edges::<f32>(&RandomEdges { seed: 7, ..edges(2) }, 4).unwrap();
        let inf = f32::INFINITY;
        // These numbers come from another program, written from the definition of ChaCha.
        assert_eq!(graph.row(0), [0.0, 309.0, inf, inf]);
        assert_eq!(graph.row(1), [918.0, 0.0, 151.0, 802.0]);
        assert_eq!(graph.row(2), [13.0, inf, 0.0, inf]);
        assert_eq!(graph.row(3), [281.0, inf, inf, 0.0]);
        // Several batches.
        let graph = generate_edges::<f32>(&edges(6), 1000).unwrap();
        let sum =
            |row: usize| graph.row(row).iter().filter(|w| w.is_finite()).map(|&w| f64::from(w)).sum::<f64>();
        assert_eq!(present(&graph), 5984);
        assert_eq!((0..1000).map(sum).sum::<f64>(), 2_994_579.0);
        assert_eq!((0..1000).map(|row| row as f64 * sum(row)).sum::<f64>(), 1_487_426_714.0);
    }

    #[test]
    fn the_least_and_the_greatest_number_are_the_first_and_the_last_pair() {
        assert_eq!(ends(0, 2), (0, 1));
        assert_eq!(ends(u64::MAX, 2), (1, 0));
        assert_eq!(ends(u64::MAX, 5), (4, 3));
    }

    #[test]
    fn out_of_range_fields_are_named_with_their_value_and_what_to_choose() {
        let message = |graph: RandomEdges| generate_edges::<f32>(&graph, 4).unwrap_err().to_string();
        assert_eq!(message(edges(0)), "edges_per_vertex = 0 is out of range: choose one of at least 1");
        for max_weight in [0, 65536] {
            let expected = format!("max_weight = {max_weight} is out of range: choose one from 1 to 65535");
            assert_eq!(message(RandomEdges { max_weight, ..edges(1) }), expected);
        }
    }

    #[test]
    fn a_file_may_leave_out_the_largest_weight_and_may_not_misspell_a_field() {
        let read = |text: &str| toml::from_str::<RandomEdges>(text);
        assert_eq!(read("edges_per_vertex = 6\nseed = 1").unwrap(), edges(6));
        assert!(read("edges_per_vertex = 6").is_err());
        assert!(read("edges_per_vertex = 6\nseed = 1\nweight = 3").is_err());
    }

    proptest! {
        #[test]
        fn more_edges_a_vertex_only_add_to_the_graph(
            n in 1usize..40, few in 1u32..20, more in 0u32..20, seed: u64,
        ) {
            let of = |edges_per_vertex| generate_edges::<f32>(&RandomEdges { edges_per_vertex, max_weight: 1000, seed }, n);
            let (less, more) = (of(few).unwrap(), of(few + more).unwrap());
            prop_assert!(less.as_slice().iter().zip(more.as_slice()).all(|(less, more)| more <= less));
        }
    }
}
