//! Shortest paths of anybody's graph: distances between all vertices or from chosen ones, the paths themselves, and the reason
//! when there are none.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod arcs;
mod build;
mod control;
mod dijkstra;
mod error;
mod graph;
mod heap;
mod marks;
mod potentials;
mod room;
mod rows;
mod tree;
mod weight;

pub use arcs::Arcs;
pub use build::{ArcsBuilder, Dropped, GraphError};
pub use control::{Control, Progress, Stage};
pub use error::{SinkError, SolveError};
pub use graph::{Facts, Graph};
pub use marks::Marks;
pub use potentials::potentials;
pub use rows::{Row, Searches, Want};
pub use weight::Weight;
