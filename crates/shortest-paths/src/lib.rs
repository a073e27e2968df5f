//! Shortest paths of anybody's graph: distances between all vertices or from chosen ones, the paths themselves, and the reason
//! when there are none.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod arcs;
mod build;
mod check;
mod control;
mod dijkstra;
mod error;
mod graph;
mod heap;
mod marks;
mod paths;
mod potentials;
mod room;
mod rows;
mod tree;
mod walk;
mod weight;

pub use arcs::Arcs;
pub use build::{ArcsBuilder, Dropped, GraphError};
pub use check::Walked;
pub use control::{Control, Progress, Stage};
pub use error::{SinkError, SolveError};
pub use graph::{Facts, Graph};
pub use marks::Marks;
pub use potentials::potentials;
pub use rows::{Row, Searches, Want};
pub use walk::{PathError, walk, walk_next, weights_along};
pub use weight::Weight;
