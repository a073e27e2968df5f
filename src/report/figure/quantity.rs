//! What each quantity is called, in which unit it is shown, and how its axis is divided.

use crate::lists::count_of;
use crate::plan::Quantity;
use crate::report::draw::Quantity as Unit;
use crate::report::text::{digits, interval, rate};

/// How a quantity is shown.
pub(super) struct Shown {
    /// Beside an axis and above a column, with its unit.
    pub heading: &'static str,
    /// What ticks are of.
    pub unit: Unit,
    /// Whether its axis is logarithmic unless a figure says otherwise.
    pub is_log: bool,
}

/// How `quantity` is shown.
pub(super) fn shown(quantity: Quantity) -> Shown {
    use Quantity as Q;
    let (heading, unit, is_log) = match quantity {
        Q::Seconds => ("seconds of one solve", Unit::Seconds, true),
        Q::TasksASecond => ("10⁹ tasks/s", Unit::TasksPerSecond, true),
        Q::GigabytesASecond => ("effective GB/s", Unit::Other, true),
        Q::MovedGigabytesASecond => ("GB/s by the model", Unit::Other, true),
        Q::CountedGigabytesASecond => ("GB/s to DRAM by counters", Unit::Other, true),
        Q::SpeedUp => ("times as fast", Unit::Times, true),
        Q::RelativeTime => ("time over time", Unit::Times, true),
        Q::PublishedOverHere => ("published time over time here", Unit::Times, true),
        Q::ShareOfTrueTime => ("% of the true time", Unit::Percent, false),
        Q::ShareOfFloor => ("% of add + min in registers", Unit::Percent, false),
        Q::GraphsASecond => ("graphs a second", Unit::Whole, true),
        Q::KernelSeconds => ("seconds by kernel", Unit::Seconds, false),
        Q::KernelShare => ("% of the kernels' time", Unit::Percent, false),
        Q::ShareOfCopy => ("% of a copy's rate", Unit::Percent, false),
        Q::WrongResults => ("wrong results", Unit::Whole, false),
        Q::RepeatSolves => ("solves", Unit::Whole, false),
        Q::OtherResults => ("other results", Unit::Whole, false),
        Q::CountedDramGigabytes => ("GB to DRAM", Unit::Other, true),
        Q::CountedL2Gigabytes => ("GB to the L2 cache", Unit::Other, true),
        Q::DramShareOfCopy => ("DRAM traffic, % of a copy's", Unit::Percent, false),
        Q::MultiprocessorThroughput => ("busiest unit, % of its peak", Unit::Percent, false),
        Q::Blocks => ("blocks", Unit::Whole, true),
        Q::StoredBytesATask => ("stored bytes a task", Unit::Other, false),
        Q::LoadSectorsUsed => ("bytes loaded over bytes of their sectors", Unit::Times, false),
        Q::SharedBytesOfPaper => ("shared bytes, with the paper's GPU's", Unit::Other, false),
        Q::ResidentBlocksByShared => ("blocks that fit by shared memory", Unit::Whole, false),
        Q::Occupancy => ("occupancy, %", Unit::Percent, false),
        Q::KernelLaunches | Q::Launches => ("launches", Unit::Whole, true),
        Q::LoadedGigabytes => ("GB loaded", Unit::Other, false),
        Q::StoredGigabytes => ("GB stored", Unit::Other, false),
        Q::Joules => ("joules a solve", Unit::Other, true),
        Q::TasksAJoule => ("10⁹ tasks a joule", Unit::TasksPerSecond, true),
        Q::Efficiency => ("efficiency, %", Unit::Percent, false),
        Q::Waiting => ("waiting, %", Unit::Percent, false),
        Q::GlobalBytesATask => ("bytes of global memory a task", Unit::Other, false),
        Q::SectorBytesATask => ("bytes in sectors a task", Unit::Other, false),
        Q::WorstLoadSteps32 => ("most steps of a load, 32 banks", Unit::Whole, false),
        Q::WorstLoadSteps16 => ("most steps of a load, 16 banks", Unit::Whole, false),
        Q::SharedBytes => ("shared bytes a block", Unit::Other, false),
        Q::UnlikePlain => ("launches that leave another matrix", Unit::Whole, false),
        Q::Registers => ("registers a thread", Unit::Whole, false),
        Q::LocalBytes => ("local bytes a thread", Unit::Other, false),
        Q::Threads => ("threads a block", Unit::Whole, false),
        Q::ResidentBlocks => ("resident blocks", Unit::Whole, false),
    };
    Shown { heading, unit, is_log }
}

/// A value in the unit of its heading.
pub(super) fn number(quantity: Quantity, value: f64) -> String {
    match shown(quantity).unit {
        Unit::TasksPerSecond => rate(value),
        Unit::Times => format!("{value:.3}"),
        Unit::Percent if value > 0.0 && value < 0.05 => "<0.1".to_string(),
        Unit::Percent => format!("{value:.1}"),
        // Without zeros that tell nothing.
        Unit::Whole | Unit::Other => digits(value).parse().unwrap_or(value).to_string(),
        Unit::Seconds | Unit::Day => digits(value),
    }
}

/// A value with its interval, samples and what is published in its place, for who points at it.
pub(super) fn told(quantity: Quantity, value: &super::read::Value) -> String {
    let of = |value: f64| number(quantity, value);
    let ends = value.interval();
    let interval = ends.map_or(String::new(), |(low, high)| format!(" {}", interval(low, high, of)));
    let samples = value.samples.map_or(String::new(), |many| format!(", {}", count_of(many, "sample")));
    let published = match value.published {
        Some((low, Some(high))) if high > low => format!("; published {} to {}", digits(low), digits(high)),
        Some((low, _)) => format!("; published {}", of(low)),
        None => String::new(),
    };
    let estimated = if value.is_estimated { ", an estimate" } else { "" };
    format!(
        "{} {}{interval}{samples}{estimated}{published}",
        of(value.estimate.value),
        shown(quantity).heading
    )
}
