//! What rows of a result must be.

use super::super::protocol::Failure;
use crate::record::Compared;

/// Rows of the right result of a graph, from a search that is not Floyd-Warshall and that needs no matrix.
pub trait RightRows {
    /// Finds what is right in these rows, where that is still to do.
    ///
    /// # Errors
    /// When right cannot be told from wrong.
    fn find(&mut self, rows: &[usize]) -> Result<(), Failure>;

    /// Compares the numbers of a row that was found, from column `first` on, in the order of bytes of this machine. Whatever is no path
    /// counts as one absent edge.
    ///
    /// # Errors
    /// The first that is wrong, in one line.
    fn check(&self, row: usize, first: usize, numbers: &[u8]) -> Result<(), String>;

    /// How rows are compared.
    fn how(&self) -> Compared;
}
