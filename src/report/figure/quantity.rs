//! The name of each quantity, the unit in which it is shown, the scale of its axis, and the records that have it.

use crate::lists::count_of;
use crate::plan::Quantity;
use crate::report::draw::Quantity as Unit;
use crate::report::text::{digits, interval, rate};

/// The records that a quantity comes from, and how it is shown.
pub(super) struct QuantityRule {
    /// The title of an axis or a column, with the unit.
    pub heading: &'static str,
    /// What the numbers at ticks measure.
    pub unit: Unit,
    /// Whether its axis is logarithmic unless a figure says otherwise.
    pub is_log: bool,
    pub records: Records,
}

/// Which records have a quantity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Records {
    Cells,
    KernelTimes,
    Counts,
    /// What the compiler and the driver say of kernels.
    Kernels,
}

/// The records that `quantity` comes from, and how it is shown.
pub(super) fn shown(quantity: Quantity) -> QuantityRule {
    use {Quantity as Q, Records as R};
    let (heading, unit, is_log, records) = match quantity {
        Q::Seconds => ("seconds of one solve", Unit::Seconds, true, R::Cells),
        Q::TasksASecond => ("10⁹ tasks/s", Unit::TasksPerSecond, true, R::Cells),
        Q::GigabytesASecond => ("effective GB/s", Unit::Other, true, R::Cells),
        Q::MovedGigabytesASecond => ("GB/s by the model", Unit::Other, true, R::Cells),
        Q::CountedGigabytesASecond => ("GB/s to DRAM by counters", Unit::Other, true, R::Cells),
        Q::SpeedUp => ("times as fast", Unit::Times, true, R::Cells),
        Q::RelativeTime => ("time over time", Unit::Times, true, R::Cells),
        Q::PublishedOverHere => ("published time over time here", Unit::Times, true, R::Cells),
        Q::ShareOfTrueTime => ("% of the true time", Unit::Percent, false, R::Cells),
        Q::ShareOfFloor => ("% of add + min in registers", Unit::Percent, false, R::Cells),
        Q::GraphsASecond => ("graphs a second", Unit::Whole, true, R::Cells),
        Q::KernelSeconds => ("seconds by kernel", Unit::Seconds, false, R::KernelTimes),
        Q::KernelShare => ("% of the kernels' time", Unit::Percent, false, R::KernelTimes),
        Q::ShareOfCopy => ("% of a copy's rate", Unit::Percent, false, R::Cells),
        Q::WrongResults => ("wrong results", Unit::Whole, false, R::Cells),
        Q::RepeatSolves => ("solves", Unit::Whole, false, R::Cells),
        Q::OtherResults => ("other results", Unit::Whole, false, R::Cells),
        Q::CountedDramGigabytes => ("GB to DRAM", Unit::Other, true, R::Cells),
        Q::CountedL2Gigabytes => ("GB to the L2 cache", Unit::Other, true, R::Cells),
        Q::DramShareOfCopy => ("DRAM traffic, % of a copy's", Unit::Percent, false, R::Cells),
        Q::MultiprocessorThroughput => ("busiest unit, % of its peak", Unit::Percent, false, R::KernelTimes),
        Q::Blocks => ("blocks", Unit::Whole, true, R::Counts),
        Q::StoredBytesATask => ("stored bytes a task", Unit::Other, false, R::Counts),
        Q::LoadSectorsUsed => ("bytes loaded over bytes of their sectors", Unit::Times, false, R::Counts),
        Q::SharedBytesOfPaper => ("shared bytes, with the paper's GPU's", Unit::Other, false, R::Counts),
        Q::ResidentBlocksByShared => ("blocks that fit by shared memory", Unit::Whole, false, R::Counts),
        Q::Occupancy => ("occupancy, %", Unit::Percent, false, R::Counts),
        Q::KernelLaunches => ("launches", Unit::Whole, true, R::KernelTimes),
        Q::Launches => ("launches", Unit::Whole, true, R::Counts),
        Q::LoadedGigabytes => ("GB loaded", Unit::Other, false, R::KernelTimes),
        Q::StoredGigabytes => ("GB stored", Unit::Other, false, R::KernelTimes),
        Q::Joules => ("joules a solve", Unit::Other, true, R::Cells),
        Q::TasksAJoule => ("10⁹ tasks a joule", Unit::TasksPerSecond, true, R::Cells),
        Q::Efficiency => ("efficiency, %", Unit::Percent, false, R::Cells),
        Q::Waiting => ("waiting, %", Unit::Percent, false, R::Cells),
        Q::GlobalBytesATask => ("bytes of global memory a task", Unit::Other, false, R::Counts),
        Q::SectorBytesATask => ("bytes in sectors a task", Unit::Other, false, R::Counts),
        Q::WorstLoadSteps32 => ("most steps of a load, 32 banks", Unit::Whole, false, R::Counts),
        Q::WorstLoadSteps16 => ("most steps of a load, 16 banks", Unit::Whole, false, R::Counts),
        Q::SharedBytes => ("shared bytes a block", Unit::Other, false, R::Kernels),
        Q::UnlikePlain => ("launches that leave another matrix", Unit::Whole, false, R::Counts),
        Q::Registers => ("registers a thread", Unit::Whole, false, R::Kernels),
        Q::LocalBytes => ("local bytes a thread", Unit::Other, false, R::Kernels),
        Q::Threads => ("threads a block", Unit::Whole, false, R::Kernels),
        Q::ResidentBlocks => ("resident blocks", Unit::Whole, false, R::Kernels),
    };
    QuantityRule { heading, unit, is_log, records }
}

/// A value in the unit of its heading.
pub(super) fn number(quantity: Quantity, value: f64) -> String {
    match shown(quantity).unit {
        Unit::TasksPerSecond => rate(value),
        Unit::Times => format!("{value:.3}"),
        Unit::Percent if value > 0.0 && value < 0.05 => "<0.1".to_string(),
        Unit::Percent => format!("{value:.1}"),
        // Without trailing zeros.
        Unit::Whole | Unit::Other => digits(value).parse().unwrap_or(value).to_string(),
        Unit::Seconds | Unit::Day => digits(value),
    }
}

/// A value with its interval, its samples and the published value, for a reader who points at it.
pub(super) fn value_tip(quantity: Quantity, value: &super::read::Value) -> String {
    let of = |value: f64| number(quantity, value);
    let ends = value.interval();
    let interval = ends.map_or(String::new(), |(low, high)| format!(" {}", interval(low, high, of)));
    let samples = value.samples.map_or(String::new(), |many| format!(", {}", count_of(many, "sample")));
    let published = value.published.map_or(String::new(), |value| format!("; published {}", of(value)));
    let estimated = if value.is_estimated { ", an estimate" } else { "" };
    format!(
        "{} {}{interval}{samples}{estimated}{published}",
        of(value.estimate.value),
        shown(quantity).heading
    )
}
