//! Who takes the entries of a text file while it is read: the readers here keep a matrix of `f32`, another crate its own graph.

use super::{Element, read::Problem};

pub use super::text::{BOM, Lines, parse_weight, tokens, unexpected};
pub use super::{
    dimacs::read as read_dimacs,
    edges::{Edges, Keep},
    matrix_market::read as read_matrix_market,
};

/// Takes the entries of a file as they are read. Vertices are counted from 0.
pub trait EntrySink<T: Element> {
    /// Why an entry is not taken, other than what is wrong with the text.
    type Error: From<Problem>;

    /// The header gives this number of vertices, which is believed only so far: memory should grow with the entries. `dense` says that every
    /// entry is listed.
    ///
    /// # Errors
    /// When there cannot be as many.
    fn begin(&mut self, n: usize, dense: bool) -> Result<(), Self::Error>;

    /// An arc of this weight; +infinity, in integers [`Element::ABSENT`], is none.
    ///
    /// # Errors
    /// When the arc cannot be taken.
    fn add(&mut self, from: usize, to: usize, weight: T) -> Result<(), Self::Error>;
}

/// Keeps entries as the readers of this crate do.
pub(super) struct EntryCollector {
    keep: Keep,
    edges: Option<Edges>,
}

impl EntryCollector {
    pub fn new(keep: Keep) -> Self {
        Self { keep, edges: None }
    }

    /// The edges; `None` if no header was read.
    pub fn into_edges(self) -> Option<Edges> {
        self.edges
    }
}

impl EntrySink<f32> for EntryCollector {
    type Error = Problem;

    fn begin(&mut self, n: usize, dense: bool) -> Result<(), Problem> {
        // A file that lists every entry is not smaller than the matrix.
        let keep = if dense { Keep::Matrix } else { self.keep };
        self.edges = Some(Edges::new(n, keep)?);
        Ok(())
    }

    fn add(&mut self, from: usize, to: usize, weight: f32) -> Result<(), Problem> {
        self.edges.as_mut().map_or(Ok(()), |edges| edges.add(from, to, weight))
    }
}
