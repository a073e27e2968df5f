//! The units of what tests compare.

use crate::lists::distinct;
use crate::published::{Claim, Figure, Relation, Test};
use serde::Serialize;

/// The unit of measured figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    #[default]
    None,
    Times,
    Percent,
    PercentOfLimit,
    Bytes,
    Blocks,
    Ways,
    Threads,
    Launches,
    Kernels,
    OfBytesMoved,
    OfAWave,
    WrongSamples,
    Seconds,
    TasksASecond,
    GigabytesASecond,
}

/// The unit of what the tests of a claim compare; none where they differ.
pub fn unit_of_claim(claim: &Claim) -> Unit {
    match distinct(claim.tests.iter().map(unit_of))[..] {
        [unit] => unit,
        _ => Unit::None,
    }
}

/// The unit of what a test compares.
pub fn unit_of(test: &Test) -> Unit {
    match test.figure {
        _ if test.relation == Relation::Step => Unit::OfAWave,
        _ if test.relation != Relation::Value => Unit::Times,
        Figure::Seconds | Figure::KernelSeconds => Unit::Seconds,
        Figure::TasksASecond => Unit::TasksASecond,
        Figure::GigabytesASecond | Figure::CopyGigabytesASecond => Unit::GigabytesASecond,
        Figure::LoadLatencyOfAllOverOne => Unit::Times,
        Figure::ShareOfCopy | Figure::DramShareOfCopy => Unit::PercentOfLimit,
        Figure::KernelShare | Figure::Occupancy => Unit::Percent,
        Figure::MultiprocessorThroughput => Unit::Percent,
        Figure::WrongResults => Unit::WrongSamples,
        Figure::Launches | Figure::UnlikePlain => Unit::Launches,
        Figure::Blocks | Figure::ResidentBlocksByShared => Unit::Blocks,
        Figure::Threads => Unit::Threads,
        Figure::WorstLoadSteps16 => Unit::Ways,
        Figure::Kernels => Unit::Kernels,
        Figure::LoadSectorsUsed => Unit::OfBytesMoved,
        _ => Unit::Bytes,
    }
}
