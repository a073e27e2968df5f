//! Graphs that no memory holds whole: made in blocks on the devices that solve them, and verified by rows.

mod right_rows;
mod rows;
mod source;

pub(super) use right_rows::RightRows;

use super::config::Limits;
use super::protocol::{Failure, FailureCause, GraphRequest};
use crate::graph::{Blocks, ElementType};
use crate::implementation::{Clock, DeviceTimes, InParts, Output, Problem};
use crate::record::{Compared, Verification};
use rows::{own_rows, spread_rows};
use serde::{Deserialize, Serialize};
use source::open;

/// A graph of which a process has some blocks.
pub struct GraphInParts {
    problem: Problem,
    blocks: Box<dyn Blocks>,
    right: Box<dyn RightRows>,
    /// Rows that all processes compare together.
    rows: Vec<usize>,
    /// Of the first result that was found right.
    digest: Option<u64>,
}

/// What one process, or several together, found of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// [`InParts::digest`]; of several processes the sum modulo 2^64.
    pub digest: u64,
    /// Numbers compared in the rows that all processes compare together.
    pub compared: u64,
}

impl Found {
    /// Of both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { digest: self.digest.wrapping_add(other.digest), compared: self.compared + other.compared }
    }
}

impl GraphInParts {
    /// Opens the graph that is asked for. What of it is on a device comes with each solve.
    ///
    /// # Errors
    /// When there is no such graph, or it cannot be told from its rows whether a result is right.
    pub fn load(request: &GraphRequest) -> Result<Self, Failure> {
        let GraphRequest { source, element, n, limits, .. } = request;
        check_host_memory(request)?;
        let (blocks, right) = open(source, *element, *n)?;
        let problem =
            Problem { n: *n, element: *element, weights: source.weights(), output: Output::Distances };
        Ok(Self { problem, blocks, right, rows: spread_rows(*n, limits.reference_rows), digest: None })
    }

    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Puts the graph on the devices, outside of `clock`, and solves it there under it.
    ///
    /// # Errors
    /// What the solver or a device reports.
    pub fn solve(&self, parts: &mut dyn InParts, clock: &mut dyn Clock) -> Result<Vec<DeviceTimes>, Failure> {
        parts.load(&*self.blocks)?;
        Ok(parts.solve(0..self.problem.n, clock)?)
    }

    /// Compares what this process has of some rows with a search on the graph, and gives the digest of its part: rows that all
    /// processes compare, and some of each process's own, so that every part has one.
    ///
    /// # Errors
    /// The first number that is wrong, or what a device reports.
    pub fn find(&mut self, parts: &mut dyn InParts) -> Result<Found, Failure> {
        let mut found = Found { digest: parts.digest()?, compared: 0 };
        let own = own_rows(&parts.blocks());
        self.right.find(&[&self.rows[..], &own[..]].concat())?;
        let bytes = self.problem.element.bytes();
        for (row, is_common) in
            self.rows.iter().map(|row| (*row, true)).chain(own.iter().map(|row| (*row, false)))
        {
            for (first, numbers) in parts.row(row)? {
                self.right.check(row, first, &numbers).map_err(wrong)?;
                found.compared += if is_common { (numbers.len() / bytes) as u64 } else { 0 };
            }
        }
        Ok(found)
    }

    /// What all processes found together: how it was verified, and the digest as records have it.
    ///
    /// # Errors
    /// When a part of a row is nowhere, or the result is another than one that was right.
    pub fn conclude(&mut self, found: Found) -> Result<(Verification, String), Failure> {
        let (rows, n) = (self.rows.len() as u64, self.problem.n as u64);
        if found.compared != rows * n {
            return Err(wrong(format!(
                "{rows} rows of {n} numbers were to be compared, and the devices have {} numbers of them",
                found.compared
            )));
        }
        let verification = Verification { how: self.right.how(), rows: Some(self.rows.len()) };
        let earlier = *self.digest.get_or_insert(found.digest);
        // Rows may agree where the rest does not. Exact results of one graph are equal in every bit.
        if earlier != found.digest && verification.how == Compared::Exact {
            return Err(wrong(
                "the compared rows are right, but the rest differs from an earlier right result",
            ));
        }
        Ok((verification, format!("{:016x}", found.digest)))
    }
}

fn wrong(problem: impl std::fmt::Display) -> Failure {
    Failure::new(FailureCause::WrongResult, format!("wrong result: {problem}"))
}

/// Bytes of host memory that a graph in parts takes: what of its right rows is compared, the least and the greatest right value of each
/// number and what they are found from, and a row as the devices give it. Its own edges are few beside them.
pub(super) fn host_memory(n: usize, element: ElementType, limits: &Limits) -> u128 {
    let rows = limits.reference_rows.min(n) + rows::MOST_OWN;
    (n as u128).saturating_mul(element.bytes() as u128).saturating_mul(3 * rows as u128 + 1)
}

fn check_host_memory(request: &GraphRequest) -> Result<(), Failure> {
    let needed = host_memory(request.n, request.element, &request.limits);
    match crate::graph::available_memory() {
        Some(available) if needed > u128::from(available) => Err(Failure::new(
            FailureCause::OutOfMemory,
            format!(
                "{} rows of n = {} need {} MiB of host memory and {} MiB are free: give a smaller n, or fewer reference_rows",
                request.limits.reference_rows,
                request.n,
                needed >> 20,
                available >> 20
            ),
        )),
        _ => Ok(()),
    }
}
