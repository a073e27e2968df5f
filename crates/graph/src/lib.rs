//! Graphs as arcs and as matrices: where they come from, how they are searched and written, and how a result is checked. It uses no device
//! and no solver.

mod arcs;
mod blocks;
mod build;
mod element;
mod generate;
mod graph;
mod matrix;
mod memory;
pub mod memory_check;
mod npy;
#[cfg(test)]
#[path = "oracle_tests.rs"]
mod oracle;
mod random_edges;
pub mod read;
pub mod search;
mod survey;
mod verify;
mod weights;
pub mod write;

pub use arcs::Arcs;
pub use blocks::{Block, BlockError, Blocks, DeclaredWeights};
pub use build::{ArcsBuilder, DroppedArcs, GraphError, filter_arcs};
pub use element::Element;
pub use generate::{GenerateError, RandomGraph, generate, random_blocks};
pub use generate::{generate_cycle, renumbered};
pub use graph::Graph;
pub use graph::{Digest, digest, file_digest};
pub use matrix::{DistanceMatrix, MatrixError, for_each_pair};
pub use memory::{available as available_memory, zeros};
pub use memory_check::SearchError;
pub use npy::{NpyFile, NpyHeader, read_npy};
pub use random_edges::{RandomEdges, drawn_blocks, generate_edges};
pub use repro_base::ElementType;
pub use search::{Label, NegativeCycle, potentials};
pub use survey::{WeightSurvey, is_symmetric};
pub use verify::{
    ClosureFn, Mismatch, PathBounds, Piece, Reference, RowGroup, RowsReference, Unverifiable, shortest_from,
    weight_range_of_blocks,
};
pub use weights::{WeightRange, WeightSummary};
