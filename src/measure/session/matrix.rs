//! The matrix that a worker has: whole, or in shards.

use crate::measure::hardware::Hardware;
use crate::measure::whole::WholeMatrix;
use crate::plan::Variant;
use crate::protocol::{Counted, Failure, FailureCause, GraphRequest, Reply, Sampled};
use crate::sharded::{ShardedMatrix, nothing_right};
use crate::timing::Clocks;
use std::path::Path;

/// A graph with what solves it.
pub enum Matrix {
    /// In the memory of this process.
    Whole(Box<WholeMatrix>),
    /// On devices of this process and of others, where no memory holds all of it.
    Sharded(Box<ShardedMatrix>),
}

impl Matrix {
    /// Makes the graph that is asked for.
    ///
    /// # Errors
    /// When there is no such graph, or no room for it.
    pub fn load(on: &Hardware, request: &GraphRequest) -> Result<Self, Failure> {
        Ok(match request.in_parts {
            false => Self::Whole(Box::new(WholeMatrix::load(on, request)?)),
            true => Self::Sharded(Box::new(ShardedMatrix::load(request)?)),
        })
    }

    /// In shards, if it is.
    pub fn sharded(&mut self) -> Option<&mut ShardedMatrix> {
        match self {
            Self::Whole(_) => None,
            Self::Sharded(matrix) => Some(matrix),
        }
    }

    /// Whole, for what is done with nothing else.
    ///
    /// # Errors
    /// When it is in shards.
    pub fn whole(&mut self) -> Result<&mut WholeMatrix, Failure> {
        match self {
            Self::Whole(matrix) => Ok(matrix),
            Self::Sharded(_) => {
                Err(Failure::new(FailureCause::Other, "a matrix in parts is timed by no such clock"))
            }
        }
    }

    /// Makes the variant's solve ready, and solves untimed for so long. Answers with [`Reply::Prepared`].
    pub fn prepare(
        &mut self,
        on: &mut Hardware,
        variant: &Variant,
        warm_up_s: f64,
    ) -> Result<Reply, Failure> {
        let (others_load, transport) = match self {
            Self::Whole(matrix) => (matrix.warm_up(on, variant, warm_up_s)?, None),
            Self::Sharded(matrix) => (None, matrix.warm_up(variant, &on.share(variant), warm_up_s)?),
        };
        Ok(Reply::Prepared { others_load, transport })
    }

    /// Takes one verified sample. A stranger's is taken on the fresh graph of this number.
    pub fn sample(
        &mut self,
        on: &mut Hardware,
        variant: &Variant,
        clocks: Clocks,
        fresh: u64,
    ) -> Result<Sampled, Failure> {
        match self {
            Self::Whole(matrix) => matrix.sample(on, variant, clocks, fresh),
            Self::Sharded(matrix) => matrix.sample(variant, &on.share(variant)),
        }
    }

    /// Solves once without a clock, and verifies.
    pub fn check(&mut self, on: &mut Hardware, variant: &Variant) -> Result<(), Failure> {
        match self {
            Self::Whole(matrix) => matrix.check(on, variant),
            Self::Sharded(matrix) => matrix.check(variant, &on.share(variant)),
        }
    }

    /// Solves once on devices that count, and verifies.
    pub fn count(&mut self, on: &mut Hardware, variant: &Variant) -> Result<Counted, Failure> {
        match self {
            Self::Whole(matrix) => matrix.count(on, variant),
            Self::Sharded(matrix) => matrix.count(variant, &on.share(variant)),
        }
    }

    /// Writes the last result, which was right, as one `.npy` file. Of a whole matrix none is kept.
    pub fn store_distances(&mut self, on: &Hardware, variant: &Variant, path: &Path) -> Result<(), Failure> {
        match self {
            Self::Whole(_) => Err(nothing_right()),
            Self::Sharded(matrix) => matrix.store_distances(&on.team, variant, path),
        }
    }
}
