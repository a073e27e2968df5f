//! Graphs as blocks.

use super::super::config::GraphSource;
use super::super::protocol::{Failure, FailureCause};
use super::RightRows;
use crate::graph::{
    self, BlockError, Blocks, DistanceMatrix, Element, ElementType, potentials, shortest_from,
};
use crate::implementation::cpu_parallel::Vectorized;
use crate::implementation::{ForElement, for_element};
use crate::record::Compared;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The blocks of a graph of `n` vertices, and what is right in its rows.
///
/// # Errors
/// When there is no such graph.
pub fn open(
    source: &GraphSource,
    element: ElementType,
    n: usize,
) -> Result<(Box<dyn Blocks>, Box<dyn RightRows>), Failure> {
    for_element(element, Open { source, n })
}

struct Open<'a> {
    source: &'a GraphSource,
    n: usize,
}

impl ForElement for Open<'_> {
    type Output = Result<(Box<dyn Blocks>, Box<dyn RightRows>), Failure>;

    fn run<T: Vectorized>(self) -> Self::Output {
        let failed = |error: &dyn std::fmt::Display| Failure::new(FailureCause::Graph, error);
        let matrix: DistanceMatrix<T> = match self.source {
            GraphSource::Random(random) => graph::generate(random, self.n).map_err(|error| failed(&error))?,
            GraphSource::Edges(edges) => {
                graph::generate_edges(edges, self.n).map_err(|error| failed(&error))?
            }
            GraphSource::File { path, .. } => {
                return Err(failed(&format!("{}: a file is not read in parts", path.display())));
            }
        };
        let heights = potentials(&matrix).map_err(|error| failed(&error))?;
        let matrix = Arc::new(matrix);
        let right = Rows { matrix: matrix.clone(), heights, found: BTreeMap::new() };
        Ok((Box::new(Whole(matrix)), Box::new(right)))
    }
}

/// Stands for generators by block: the matrix is in host memory after all.
struct Whole<T>(Arc<DistanceMatrix<T>>);

impl<T: Element> Blocks for Whole<T> {
    fn n(&self) -> usize {
        self.0.n()
    }

    fn element(&self) -> ElementType {
        T::TYPE
    }

    fn read(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        pitch: usize,
        into: &mut [u8],
    ) -> Result<(), BlockError> {
        let size = size_of::<T>();
        for (at, row) in rows.enumerate() {
            let from = bytemuck::cast_slice(&self.0.row(row)[columns.clone()]);
            into[at * pitch * size..][..from.len()].copy_from_slice(from);
        }
        Ok(())
    }
}

/// Rows by a search on that matrix.
struct Rows<T> {
    matrix: Arc<DistanceMatrix<T>>,
    heights: Option<Vec<f64>>,
    found: BTreeMap<usize, Vec<T>>,
}

impl<T: Element> RightRows for Rows<T> {
    fn find(&mut self, rows: &[usize]) -> Result<(), Failure> {
        let lacking: Vec<usize> = rows.iter().copied().filter(|row| !self.found.contains_key(row)).collect();
        let search = |row: usize| (row, shortest_from(&self.matrix, self.heights.as_deref(), row));
        self.found.extend(lacking.into_par_iter().map(search).collect::<Vec<_>>());
        Ok(())
    }

    fn check(&self, row: usize, first: usize, numbers: &[u8]) -> Result<(), String> {
        let bytes = numbers;
        let mut numbers = vec![T::ZERO; bytes.len() / size_of::<T>()];
        bytemuck::cast_slice_mut(&mut numbers).copy_from_slice(bytes);
        let right = self.found.get(&row).and_then(|right| right.get(first..first + numbers.len()));
        let Some(right) = right else {
            return Err(format!("row {row} has no columns {first} to {}", first + numbers.len()));
        };
        let differs = |(found, right): (&T, &T)| !found.settled().same(*right);
        match numbers.iter().zip(right).position(differs) {
            None => Ok(()),
            Some(at) => Err(format!(
                "the distance from vertex {row} to vertex {} (counted from 0) is {} but should be {}",
                first + at,
                numbers[at],
                right[at]
            )),
        }
    }

    fn how(&self) -> Compared {
        Compared::Exact
    }
}
