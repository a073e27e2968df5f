//! The edges of a graph row by row: compressed sparse rows.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use thiserror::Error;

use super::{by_element, fill::fill_rows};
use crate::{BlockError, Blocks, Element, ElementType, MatrixError, memory};

/// Below this many bytes nobody is asked whether there is room.
const ALWAYS_FITS: u128 = 64 << 20;

/// Why edges cannot be kept as rows.
#[derive(Debug, Error, PartialEq)]
pub enum SparseError {
    #[error("n = {n} is more than a list of edges can number: choose an n below 4294967296")]
    TooManyVertices { n: usize },
    #[error(
        "{edges} edges between n = {n} vertices need {bytes} bytes, but {available} bytes are available: choose fewer edges or free memory"
    )]
    NotEnoughMemory { n: usize, edges: u128, bytes: u128, available: u64 },
    #[error("vertex {vertex} has more than 4294967295 edges: choose fewer")]
    TooManyOfOne { vertex: usize },
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}

/// The edges of a graph, sorted by where they start and then by where they end; of parallel edges the shortest alone. Eight bytes an
/// edge and eight a vertex. Its weights are `f32` and exact in its element type.
pub struct SparseRows {
    element: ElementType,
    /// Where each row begins, and the end of the last.
    starts: Vec<u64>,
    edges: Vec<u64>,
}

/// Edges that can be gone through in any order and more than once.
pub(crate) trait EdgeSource: Sync {
    /// How many there are, parallel ones and all.
    fn count(&self) -> u64;

    /// Gives `take` the start, the end and the weight of those with these numbers. No self loop is among them, and no weight is NaN
    /// or infinite.
    fn visit(&self, numbers: Range<u64>, take: &mut dyn FnMut(usize, usize, f32));
}

/// Edges that one task goes through.
const EDGES_A_TASK: u64 = 1 << 16;

impl SparseRows {
    /// Whether rows of `n` vertices can be kept.
    ///
    /// # Errors
    /// When there are none or too many of them.
    pub(crate) fn check_vertices(n: usize) -> Result<(), SparseError> {
        if n == 0 {
            return Err(MatrixError::Empty.into());
        }
        if u32::try_from(n).is_err() {
            return Err(SparseError::TooManyVertices { n });
        }
        check_room(n, 0)
    }

    /// # Errors
    /// When there is no room, or `element` has no number for a weight.
    pub(crate) fn of(n: usize, element: ElementType, source: &impl EdgeSource) -> Result<Self, SparseError> {
        Self::check_vertices(n)?;
        check_room(n, source.count())?;
        let starts = count(n, source)?;
        let mut edges = scatter(&starts, source);
        let mut rows = split(&starts, &mut edges);
        rows.par_iter_mut().for_each(|row| row.sort_unstable());
        let lengths: Vec<u32> = rows.par_iter_mut().map(|row| keep_shortest(row)).collect();
        let starts = close_gaps(&starts, &lengths, &mut edges);
        let sparse = Self { element, starts, edges };
        sparse.check_held()?;
        Ok(sparse)
    }

    /// The number of vertices.
    pub fn n(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The edges from vertex `u`: their ends, ascending, and their weights.
    pub fn row(&self, u: usize) -> impl ExactSizeIterator<Item = (usize, f32)> + Clone {
        self.packed(u).iter().map(|&edge| unpack(edge))
    }

    /// Of the edge from `u` to `v`, if there is one.
    pub fn weight(&self, u: usize, v: usize) -> Option<f32> {
        let edges = self.packed(u);
        let at = edges.binary_search_by_key(&v, |&edge| unpack(edge).0).ok()?;
        Some(unpack(edges[at]).1)
    }

    fn packed(&self, u: usize) -> &[u64] {
        &self.edges[self.starts[u] as usize..self.starts[u + 1] as usize]
    }

    fn fill<T: Element>(&self, u: usize, columns: &Range<usize>, row: &mut [T]) {
        row.fill(T::ABSENT);
        let edges = self.packed(u);
        let first = edges.partition_point(|&edge| unpack(edge).0 < columns.start);
        for (end, weight) in edges[first..].iter().map(|&edge| unpack(edge)) {
            let Some(entry) = row.get_mut(end - columns.start) else { break };
            *entry = T::from_f64(weight.into());
        }
        if columns.contains(&u) {
            row[u - columns.start] = T::ZERO;
        }
    }

    /// Whether every weight is a number of the element type.
    fn check_held(&self) -> Result<(), MatrixError> {
        let element = self.element;
        let refused = (0..self.n()).into_par_iter().find_map_first(|row| {
            let is_lost = |weight: f64| {
                by_element!(element, T => {
                    let kept = T::from_f64(weight);
                    kept.is_absent() || kept.to_f64() != weight
                })
            };
            let (column, weight) = self.row(row).find(|(_, weight)| is_lost((*weight).into()))?;
            Some(MatrixError::NotOfType { row, column, value: weight.into(), element })
        });
        refused.map_or(Ok(()), Err)
    }
}

impl Blocks for SparseRows {
    fn n(&self) -> usize {
        Self::n(self)
    }

    fn element(&self) -> ElementType {
        self.element
    }

    fn sparse(&self) -> Option<&SparseRows> {
        Some(self)
    }

    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        pitch: usize,
        into: &mut [u8],
    ) -> Result<(), BlockError> {
        by_element!(self.element, T => fill_rows(self.n(), rows, &columns, pitch, into, |u, row: &mut [T]| {
            self.fill(u, &columns, row);
            Ok(())
        }))
    }
}

/// Whether there is room for so many edges between `n` vertices while they are put in order.
fn check_room(n: usize, edges: u64) -> Result<(), SparseError> {
    let bytes = u128::from(edges) * 8 + (n as u128) * 16;
    match memory::available() {
        Some(available) if bytes > ALWAYS_FITS && bytes > available.into() => {
            Err(SparseError::NotEnoughMemory { n, edges: edges.into(), bytes, available })
        }
        _ => Ok(()),
    }
}

/// The end, and a weight whose bits are ascending with its value: sorted, parallel edges are together, the shortest first.
fn pack(end: usize, weight: f32) -> u64 {
    // -0.0 + 0.0 is 0.0: equal weights have equal bits.
    let bits = (weight + 0.0).to_bits();
    let ascending = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    (end as u64) << 32 | u64::from(ascending)
}

fn unpack(edge: u64) -> (usize, f32) {
    let ascending = edge as u32;
    let bits = if ascending >> 31 == 1 { ascending & !(1 << 31) } else { !ascending };
    ((edge >> 32) as usize, f32::from_bits(bits))
}

/// Goes through all edges in parallel.
fn visit_all(source: &impl EdgeSource, take: impl Fn(usize, usize, f32) + Sync) {
    let count = source.count();
    (0..count.div_ceil(EDGES_A_TASK)).into_par_iter().for_each(|task| {
        let first = task * EDGES_A_TASK;
        source.visit(first..count.min(first + EDGES_A_TASK), &mut |start, end, weight| {
            take(start, end, weight);
        });
    });
}

/// Where each row begins.
fn count(n: usize, source: &impl EdgeSource) -> Result<Vec<u64>, SparseError> {
    let counts: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
    visit_all(source, |start, _, _| {
        counts[start].fetch_add(1, Relaxed);
    });
    let mut starts = Vec::with_capacity(n + 1);
    let mut total = 0;
    starts.push(0);
    for count in counts {
        total += u64::from(count.into_inner());
        starts.push(total);
    }
    // A count that wrapped is missing here.
    if total != source.count() {
        let vertex = (0..n).max_by_key(|&v| starts[v + 1] - starts[v]).unwrap_or(0);
        return Err(SparseError::TooManyOfOne { vertex });
    }
    Ok(starts)
}

/// The edges, each in its row.
fn scatter(starts: &[u64], source: &impl EdgeSource) -> Vec<u64> {
    let next: Vec<AtomicU64> =
        starts[..starts.len() - 1].iter().map(|&start| AtomicU64::new(start)).collect();
    let mut edges = Vec::new();
    edges.resize_with(source.count() as usize, || AtomicU64::new(0));
    visit_all(source, |start, end, weight| {
        let at = next[start].fetch_add(1, Relaxed);
        edges[at as usize].store(pack(end, weight), Relaxed);
    });
    // In place: the standard library keeps the allocation where the sizes are equal.
    edges.into_iter().map(AtomicU64::into_inner).collect()
}

fn split<'a>(starts: &[u64], mut edges: &'a mut [u64]) -> Vec<&'a mut [u64]> {
    let mut rows = Vec::with_capacity(starts.len() - 1);
    for row in starts.windows(2) {
        let (first, rest) = edges.split_at_mut((row[1] - row[0]) as usize);
        rows.push(first);
        edges = rest;
    }
    rows
}

/// Moves the first of the edges to each end to the front, and says how many there are.
fn keep_shortest(row: &mut [u64]) -> u32 {
    let mut kept = 0;
    for at in 0..row.len() {
        if kept == 0 || row[kept - 1] >> 32 != row[at] >> 32 {
            row[kept] = row[at];
            kept += 1;
        }
    }
    kept as u32
}

/// Moves rows together, of which only the first so many edges count.
fn close_gaps(starts: &[u64], lengths: &[u32], edges: &mut Vec<u64>) -> Vec<u64> {
    let mut closed = Vec::with_capacity(starts.len());
    let mut end = 0;
    closed.push(0);
    for (&start, &length) in starts.iter().zip(lengths) {
        let from = start as usize;
        edges.copy_within(from..from + length as usize, end);
        end += length as usize;
        closed.push(end as u64);
    }
    edges.truncate(end);
    closed
}
