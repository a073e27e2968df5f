//! What a matrix of paths holds where no vertex is to be named.

use crate::SolveError;

/// What a predecessor or next vertex is where there is none. Vertices are counted from 0, and both numbers are
/// negative, so that neither is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSentinels {
    /// From a vertex to itself: the path has no arc.
    pub diagonal: i32,
    /// Where no path leads.
    pub unreachable: i32,
}

impl PathSentinels {
    /// Those that have a name in commands and in Python.
    pub const NAMED: [(&'static str, Self); 2] = [("plain", Self::PLAIN), ("scipy", Self::SCIPY)];
    /// -1 in both places.
    pub const PLAIN: Self = Self { diagonal: -1, unreachable: -1 };
    /// -9999 in both places, as in the predecessors of `scipy.sparse.csgraph`.
    pub const SCIPY: Self = Self { diagonal: -9999, unreachable: -9999 };

    /// Whether `i32` can name all of `n` vertices, and neither mark is the name of one.
    ///
    /// # Errors
    /// [`SolveError::TooManyVertices`] and [`SolveError::NotASentinel`].
    pub(crate) fn check(self, n: usize) -> Result<(), SolveError> {
        i32::try_from(n).map_err(|_| SolveError::TooManyVertices { n })?;
        let named = [self.diagonal, self.unreachable].into_iter().find(|mark| *mark >= 0);
        named.map_or(Ok(()), |mark| Err(SolveError::NotASentinel { sentinel: mark }))
    }
}

impl Default for PathSentinels {
    /// [`PathSentinels::PLAIN`].
    fn default() -> Self {
        Self::PLAIN
    }
}
