//! Graphs as dense distance matrices, where they come from, and how a result is checked.

mod blocks;
mod bounds;
mod cycle;
mod digest;
mod dimacs;
mod edges;
mod element;
pub mod entries;
mod generate;
mod matrix;
mod matrix_market;
mod memory;
#[cfg(test)]
mod oracle;
mod parts;
mod potentials;
mod random_edges;
mod read;
mod search;
mod survey;
mod symmetric;
mod text;
mod unverifiable;
mod verify;
mod weights;

pub use blocks::{BlockError, Blocks, Promised};
pub use bounds::PathBounds;
pub use cycle::{generate_cycle, renumbered};
pub use digest::{Digest, digest};
pub use element::Element;
pub use generate::{GenerateError, RandomGraph, generate};
pub use matrix::{DistanceMatrix, MatrixError};
pub use memory::{available as available_memory, zeros};
pub use parts::{
    Block, NpyArray, NpyError, NpyProblem, NpyWriter, OpenError, Piece, RowGroup, RowsReference, SparseError,
    SparseRows, drawn_blocks, file_blocks, file_digest, matrix_blocks, npy_blocks, random_blocks, read_npy,
    weight_range_of_blocks,
};
pub use potentials::{NO_PARENT, NegativeCycle, cycle_among, label_tolerance, negative_cycle, potentials};
pub use random_edges::{RandomEdges, generate_edges};
pub use read::{
    EdgeList, Problem, ReadError, read_edges, read_edges_for_blocks, read_edges_from, read_graph,
};
pub use repro_types::{ElementType, WeightRange};
pub use search::{shortest_from, shortest_through};
pub use survey::Survey;
pub use symmetric::{Asymmetry, check_symmetric, is_symmetric};
pub use unverifiable::Unverifiable;
pub use verify::{Close, Mismatch, Reference, weight_range};
pub use weights::weight_range_of_edges;
