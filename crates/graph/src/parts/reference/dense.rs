//! The search on a matrix that is read row by row.

use rayon::prelude::*;
use std::ops::Range;

use crate::bounds::lower;
use crate::potentials::{
    self, COLUMNS, NO_PARENT, SWEEPS_BETWEEN_CYCLE_CHECKS, cycle_among, negative_cycle, tolerance,
};
use crate::search::{From, Paths, nearest_of, relax};
use crate::weights::{Extremes, Weights};
use crate::{BlockError, Blocks, Element, Unverifiable};

/// Bytes of rows that are read at a time: enough for all threads, and not much compared with a graph that has to be read by block.
const BATCH_BYTES: usize = 64 << 20;

/// Bytes of rows that one thread looks at in one go.
const ROWS_BYTES: usize = 4 << 20;

/// Sweeps over a matrix after which nothing more is tried. Random graphs take about ten.
const MOST_SWEEPS: usize = 256;

fn rows_of(n: usize, bytes: usize, size: usize) -> usize {
    (bytes / (n * size)).clamp(1, n)
}

/// Reads whole rows.
fn read<T: Element>(graph: &dyn Blocks, rows: Range<usize>, into: &mut Vec<T>) -> Result<(), BlockError> {
    let n = graph.n();
    into.resize(rows.len() * n, T::ZERO);
    graph.read(rows, 0..n, n, bytemuck::cast_slice_mut(into))
}

/// A few rows at a time, on all threads.
fn batches<T: Element>(n: usize) -> impl ParallelIterator<Item = Range<usize>> {
    let rows = rows_of(n, ROWS_BYTES, size_of::<T>());
    (0..n.div_ceil(rows)).into_par_iter().map(move |batch| batch * rows..n.min((batch + 1) * rows))
}

/// The weights of all edges, and the least of one between two different vertices.
pub(super) fn weights<T: Element>(graph: &dyn Blocks) -> Result<(Weights, f64), BlockError> {
    let n = graph.n();
    let seen = batches::<T>(n).map_init(Vec::new, |numbers, rows| {
        read::<T>(graph, rows.clone(), numbers)?;
        let mut all = Extremes::none();
        let mut lightest = f64::INFINITY;
        for (u, row) in rows.zip(numbers.chunks_mut(n)) {
            let diagonal = std::mem::replace(&mut row[u], T::ABSENT);
            let edges = Extremes::of_row(row);
            lightest = lightest.min(edges.least());
            row[u] = diagonal;
            all = all.or(Extremes::of_row(row));
        }
        Ok((all, lightest))
    });
    let none = || (Extremes::none(), f64::INFINITY);
    let (all, lightest) = seen.try_reduce(none, |a, b| Ok((a.0.or(b.0), a.1.min(b.1))))?;
    Ok((all.weights(), lightest))
}

/// The least weight above 0 that leads to each vertex.
pub(super) fn entering<T: Element>(graph: &dyn Blocks) -> Result<Vec<f64>, BlockError> {
    let n = graph.n();
    let mut least = vec![f64::INFINITY; n];
    let mut numbers = Vec::new();
    let batch = rows_of(n, BATCH_BYTES, size_of::<T>());
    for first in (0..n).step_by(batch) {
        read::<T>(graph, first..n.min(first + batch), &mut numbers)?;
        least.par_chunks_mut(COLUMNS).enumerate().for_each(|(block, least)| {
            let columns = block * COLUMNS..block * COLUMNS + least.len();
            numbers.chunks(n).for_each(|row| lower(least, &row[columns.clone()]));
        });
    }
    Ok(least)
}

/// Potentials, and what no edge weighs less than with them.
pub(super) struct Potentials {
    pub labels: Vec<f64>,
    pub lightest: f64,
}

/// As [`potentials`](crate::potentials()), beginning with those that the graph promises, which are checked by it.
pub(super) fn potentials<T: Element>(
    graph: &dyn Blocks,
    weights: &Weights,
) -> Result<Potentials, Unverifiable> {
    let n = graph.n();
    let tolerance = tolerance(n, weights);
    let promised = graph.promised().and_then(|promised| promised.potentials);
    let mut labels = promised.filter(|labels| labels.len() == n).unwrap_or_else(|| vec![0.0; n]);
    let mut parents = vec![NO_PARENT; n];
    let mut changed = vec![true; n];
    let mut numbers = Vec::new();
    let batch = rows_of(n, BATCH_BYTES, size_of::<T>());
    for sweep in 1..=MOST_SWEEPS {
        let before = labels.clone();
        let mut lightest = f64::INFINITY;
        for first in (0..n).step_by(batch) {
            let rows = first..n.min(first + batch);
            let active: Vec<usize> = rows.clone().filter(|&u| changed[u]).collect();
            if active.is_empty() {
                continue;
            }
            read::<T>(graph, rows, &mut numbers)?;
            // The way from a vertex to itself is no edge.
            active.iter().for_each(|&u| numbers[(u - first) * n + u] = T::ABSENT);
            let sources: Vec<(usize, f64)> = active.into_iter().map(|u| (u, labels[u])).collect();
            let blocks = labels.par_chunks_mut(COLUMNS).zip(parents.par_chunks_mut(COLUMNS)).enumerate();
            let least = blocks.map(|(block, (labels, parents))| {
                let columns = block * COLUMNS..block * COLUMNS + labels.len();
                let mut least = f64::INFINITY;
                for &(u, label) in &sources {
                    let row = &numbers[(u - first) * n..][columns.clone()];
                    if sweep == 1 {
                        least = slack(label, row, labels).min(least);
                    }
                    potentials::relax(label, u as u32, row, tolerance, labels, parents);
                }
                least
            });
            lightest = lightest.min(least.reduce(|| f64::INFINITY, f64::min));
        }
        for v in 0..n {
            changed[v] = labels[v] != before[v];
        }
        if !changed.contains(&true) {
            // Later sweeps pass over rows, of which nothing more than the tolerance is known then.
            let lightest = if sweep == 1 { lightest } else { -tolerance };
            return Ok(Potentials { labels, lightest });
        }
        if sweep % SWEEPS_BETWEEN_CYCLE_CHECKS == 0
            && let Some(cycle) = cycle_among(&parents)
        {
            let ends: Vec<_> = cycle.iter().copied().zip(cycle.iter().copied().cycle().skip(1)).collect();
            let known: Vec<f64> =
                ends.iter().map(|&(u, v)| entry::<T>(graph, u, v)).collect::<Result<_, _>>()?;
            let weight = |u, v| ends.iter().position(|edge| *edge == (u, v)).map_or(0.0, |at| known[at]);
            return Err(negative_cycle(cycle, weight).into());
        }
    }
    Err(Unverifiable::ManySweeps { sweeps: MOST_SWEEPS })
}

/// The least that an edge of a row exceeds the difference of the labels by.
fn slack<T: Element>(label: f64, row: &[T], labels: &[f64]) -> f64 {
    let slacks = row.iter().zip(labels).map(|(weight, known)| label + weight.to_f64() - known);
    slacks.fold(f64::INFINITY, |a, b| if a < b { a } else { b })
}

fn entry<T: Element>(graph: &dyn Blocks, u: usize, v: usize) -> Result<f64, BlockError> {
    let mut number = [T::ZERO];
    graph.read(u..u + 1, v..v + 1, 1, bytemuck::cast_slice_mut(&mut number))?;
    Ok(number[0].to_f64())
}

/// As of the matrix in memory. No edge weighs less than `lightest`, with `potentials` if there are any; so the search ends where no path
/// through another vertex can be shorter than those known, and most rows of a graph with many edges are never read. Intermediate vertices are all below
/// `through`.
pub(super) fn paths_from<T: Element>(
    graph: &dyn Blocks,
    potentials: Option<&[f64]>,
    lightest: f64,
    source: usize,
    through: usize,
) -> Result<Paths, BlockError> {
    let n = graph.n();
    let height = |v: usize| potentials.map_or(0.0, |p| p[v]);
    let mut tentative = vec![f64::INFINITY; n];
    let mut shift: Vec<f64> = (0..n).map(|v| 0.0 - height(v)).collect();
    let mut parents = vec![0_u64; n];
    let mut settled = Vec::new();
    let mut row = Vec::new();
    let mut nearest = Some((source, 0.0));
    while let Some((u, length)) = nearest {
        tentative[u] = f64::INFINITY;
        shift[u] = f64::INFINITY;
        settled.push(u);
        read::<T>(graph, u..u + 1, &mut row)?;
        let from = From { vertex: u as u64, base: length + height(u), row: &row };
        nearest = relax::<true, T>(from, &shift, &mut tentative, &mut parents);
        if through < n {
            nearest = nearest_of(&tentative[..through]);
        }
        if let Some((_, length)) = nearest
            && farthest(&tentative, &shift) <= length + lightest
        {
            break;
        }
    }
    // Paths to these are known and lead nowhere from there.
    settled.extend((0..n).filter(|&v| tentative[v] < f64::INFINITY));
    Paths::along(n, &settled, |v| {
        let parent = parents[v] as usize;
        Ok((parent, entry::<T>(graph, parent, v)?))
    })
}

/// The longest of the tentative lengths; +infinity where no way is known to some vertex.
fn farthest(tentative: &[f64], shift: &[f64]) -> f64 {
    let open = tentative.iter().zip(shift);
    open.map(|(length, shift)| if *shift == f64::INFINITY { f64::NEG_INFINITY } else { *length })
        .fold(f64::NEG_INFINITY, |a, b| if a > b { a } else { b })
}
