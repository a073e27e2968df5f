//! What a matrix of paths holds where no vertex is to be named.

use crate::SolveError;

/// What a predecessor or next vertex is where there is none. Vertices are counted from 0, so neither number is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// From a vertex to itself: the path has no arc.
    pub diagonal: i32,
    /// Where no path leads.
    pub unreachable: i32,
}

impl Marks {
    /// -1 in both places.
    pub const PLAIN: Self = Self { diagonal: -1, unreachable: -1 };
    /// -9999 in both places, as in the predecessors of `scipy.sparse.csgraph`.
    pub const SCIPY: Self = Self { diagonal: -9999, unreachable: -9999 };

    /// Whether `i32` can name all vertices.
    ///
    /// # Errors
    /// [`SolveError::TooManyVertices`].
    pub(crate) fn check_vertices(n: usize) -> Result<(), SolveError> {
        if i32::try_from(n).is_ok() { Ok(()) } else { Err(SolveError::TooManyVertices { n }) }
    }
}

impl Default for Marks {
    /// [`Marks::PLAIN`].
    fn default() -> Self {
        Self::PLAIN
    }
}
