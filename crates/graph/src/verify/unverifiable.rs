//! Why it cannot be decided whether a result of a graph is right.

use thiserror::Error;

use super::Mismatch;
use crate::{BlockError, ElementType, NegativeCycle, SearchError};

/// Why right results of a graph cannot be distinguished from wrong ones. Known before anything is run on it.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Unverifiable {
    #[error(transparent)]
    NegativeCycle(NegativeCycle),
    #[error(
        "results cannot be verified: distances may be as long as {longest}, and {element} holds them up to {most}; choose smaller \
         weights or another element type"
    )]
    OutOfRange { element: ElementType, longest: f64, most: f64 },
    #[error(
        "results cannot be verified: in f64 they are compared where no sum is rounded, and these weights are multiples of {grain:e} \
         alone; use integer weights, or f32"
    )]
    Rounds { grain: f64 },
    #[error(
        "results cannot be verified: rounded to f32, a cycle through vertex {vertex} (counted from 0) is negative, and every pass \
         around it would be shorter; use weights of fewer digits or similar size, or integers"
    )]
    CycleRoundsBelowZero { vertex: usize },
    #[error(
        "results cannot be verified: sums on the path from vertex {row} to vertex {column} (counted from 0) may exceed the largest f32, \
         3.4e38, and would look like no path; scale the weights down"
    )]
    Overflow { row: usize, column: usize },
    #[error(
        "results cannot be verified: paths of up to {longest:e} may exceed the largest f32, 3.4e38, in rows that are not compared; \
         scale the weights down"
    )]
    MayOverflow { longest: f64 },
    #[error(
        "results cannot be verified: {accepted} of the {improved} distances that a path of several edges shortens differ from the \
         edge by no more than rounding, so that a solver which does nothing would pass; use weights of fewer digits, or integers"
    )]
    Indistinct { accepted: usize, improved: usize },
    #[error(
        "results cannot be verified: negative weights make sums that f64 resolves to {resolution:e}, and the smallest weight is \
         {smallest:e}; use weights of similar size"
    )]
    Unresolved { resolution: f64, smallest: f64 },
    #[error(
        "results for n = {n} cannot be verified: with negative weights whose sums are rounded, rows alone do not tell right from wrong; \
         use integer weights, or raise limits.whole_reference_n to {n}"
    )]
    NeedsWhole { n: usize },
    #[error(
        "a solve that ends after {through} of {n} vertices cannot be verified: its sums may be rounded or out of range, and only exact \
         ones are compared there; use integer weights, or solve whole"
    )]
    CutShort { through: usize, n: usize },
    #[error(
        "results cannot be verified: the least that sums can round to did not settle in {passes} passes; use weights of fewer \
         digits, or integers"
    )]
    Unsettled { passes: usize },
    #[error(
        "sharded results cannot be verified: with negative weights whose sums are rounded, rows alone do not tell right from wrong; use \
         integer weights, or solve on one device"
    )]
    RoundsSharded,
    #[error("results cannot be verified: {0}")]
    Search(String),
    #[error("results cannot be verified: {0}")]
    Unreadable(#[from] BlockError),
    /// A fault of the program, not of the graph.
    #[error("the reference is wrong: {0}")]
    WrongSolver(Mismatch),
}

impl From<SearchError> for Unverifiable {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::NegativeCycle(cycle) => Self::NegativeCycle(cycle),
            SearchError::OutOfRange { element, length, most, .. } => {
                Self::OutOfRange { element, longest: length.abs(), most }
            }
            other => Self::Search(other.to_string()),
        }
    }
}
