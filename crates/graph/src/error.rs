//! Why a search ends without a result.

use crate::{ElementType, NegativeCycle};
use thiserror::Error;

/// Why a search ends without a result. Every message names the thing, its value and a remedy; vertices are counted from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SearchError {
    /// Distances do not exist.
    #[error(transparent)]
    NegativeCycle(#[from] NegativeCycle),
    /// A distance, or a number that it exceeds, is no number of the element type.
    #[error(
        "the distance from vertex {from} to vertex {to} (counted from 0) is {length}, and this library uses {element} up to {most}: \
         choose smaller weights or another element type"
    )]
    OutOfRange { element: ElementType, from: usize, to: usize, length: f64, most: f64 },
    /// There is no room for a result or a workspace.
    #[error(
        "{what} needs {bytes} bytes, but {available} bytes are available: free memory, or choose a smaller graph or fewer sources"
    )]
    NotEnoughMemory { what: &'static str, bytes: u128, available: u64 },
    /// Whoever waits for it does so no longer.
    #[error("cancelled")]
    Cancelled,
}
