//! A dense graph of which what a solver asks first is known.

use crate::{Arcs, DistanceMatrix, Element, Graph, MatrixError, SearchError, WeightSummary, WeightSurvey};
use std::ops::Deref;

/// The matrix of a graph, and what one look at all of it found: [`Graph::facts`] and [`Graph::m`] take no time. Readers make one while they
/// read, and [`WeightMatrix::new`] looks at a matrix that is there. It cannot be changed, but taken apart again.
///
/// ```
/// use repro_graph::DistanceMatrix;
/// use repro_graph::{Graph, WeightMatrix};
///
/// let matrix = DistanceMatrix::from_row_major(2, vec![0.0_f32, 1.5, f32::INFINITY, 0.0])?;
/// let graph = WeightMatrix::new(matrix);
/// assert_eq!((graph.m(), graph.facts().range.largest), (1, 1.5));
/// assert_eq!(graph.into_matrix().get(0, 1), 1.5);
/// # Ok::<(), repro_graph::MatrixError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WeightMatrix<T> {
    matrix: DistanceMatrix<T>,
    facts: WeightSummary,
    m: usize,
}

impl<T: Element> WeightMatrix<T> {
    /// Looks at every entry once, in parallel. O(n²) time, and no memory.
    pub fn new(matrix: DistanceMatrix<T>) -> Self {
        let survey = matrix.survey();
        Self::surveyed(matrix, survey)
    }

    /// Of a matrix that was looked at.
    pub(crate) fn surveyed(matrix: DistanceMatrix<T>, survey: WeightSurvey) -> Self {
        Self { matrix, facts: survey.weights, m: survey.edges }
    }

    /// This graph in another element type, of which each weight is a number. Beside each other are no more than the two matrices.
    ///
    /// # Errors
    /// When there is no room.
    pub fn convert<U: Element>(self) -> Result<WeightMatrix<U>, MatrixError> {
        Ok(WeightMatrix { matrix: self.matrix.convert()?, facts: self.facts, m: self.m })
    }

    /// The matrix alone.
    pub fn into_matrix(self) -> DistanceMatrix<T> {
        self.matrix
    }
}

impl<T> Deref for WeightMatrix<T> {
    type Target = DistanceMatrix<T>;

    fn deref(&self) -> &DistanceMatrix<T> {
        &self.matrix
    }
}

impl<T: Element> Graph<T> for WeightMatrix<T> {
    fn n(&self) -> usize {
        self.matrix.n()
    }

    fn m(&self) -> usize {
        self.m
    }

    #[inline]
    fn for_each_arc(&self, tail: usize, visit: impl FnMut(usize, T)) {
        self.matrix.for_each_arc(tail, visit);
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        self.matrix.weight(tail, head)
    }

    fn negative_loop(&self) -> Option<(usize, T)> {
        self.matrix.negative_loop()
    }

    fn fill_row(&self, tail: usize, row: &mut [T]) {
        self.matrix.fill_row(tail, row);
    }

    fn sparse(&self) -> Result<Option<Arcs<T>>, SearchError> {
        Arcs::of_sparse(self, self.m)
    }

    fn facts(&self) -> WeightSummary {
        self.facts
    }
}
