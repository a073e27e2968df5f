//! What each quantity is called, in which unit it is shown, and how its axis is divided.

use crate::lists::count_of;
use crate::plan::Quantity;
use crate::report::draw::Quantity as Unit;
use crate::report::text::{digits, interval, whole_or_digits};

/// How a quantity is shown.
pub(super) struct Shown {
    /// Beside an axis and above a column, with its unit.
    pub heading: &'static str,
    /// By which values are multiplied in tables.
    factor: f64,
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
        Q::GigabytesASecond => ("effective GB/s", Unit::GigabytesPerSecond, true),
        Q::MovedGigabytesASecond => ("GB/s by the model", Unit::GigabytesPerSecond, true),
        Q::CountedGigabytesASecond => ("GB/s by counters", Unit::GigabytesPerSecond, true),
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
        Q::CountedDramBytes => ("bytes to DRAM", Unit::Bytes, true),
        Q::CountedL2Bytes => ("bytes to the L2 cache", Unit::Bytes, true),
        Q::DramShareOfCopy => ("DRAM traffic, % of a copy's", Unit::Percent, false),
        Q::MultiprocessorThroughput => ("busiest unit, % of its peak", Unit::Percent, false),
        Q::Blocks => ("blocks", Unit::Whole, true),
        Q::StoredBytesATask => ("stored bytes a task", Unit::Bytes, false),
        Q::LoadSectorsUsed => ("loaded bytes over those of sectors", Unit::Times, false),
        Q::SharedBytesOfPaper => ("shared bytes, with the paper's GPU's", Unit::Bytes, false),
        Q::ResidentBlocksByShared => ("blocks that fit by shared memory", Unit::Whole, false),
        Q::Occupancy => ("% of a multiprocessor's threads", Unit::Percent, false),
        Q::KernelLaunches | Q::Launches => ("launches", Unit::Whole, true),
        Q::LoadedGigabytes => ("GB loaded", Unit::Bytes, false),
        Q::StoredGigabytes => ("GB stored", Unit::Bytes, false),
        Q::Joules => ("joules a solve", Unit::Joules, true),
        Q::TasksAJoule => ("10⁹ tasks a joule", Unit::TasksPerJoule, true),
        Q::Efficiency => ("% of as many single devices", Unit::Percent, false),
        Q::Waiting => ("% of the devices' time", Unit::Percent, false),
        Q::GlobalBytesATask => ("bytes of global memory a task", Unit::Bytes, false),
        Q::SectorBytesATask => ("bytes in sectors a task", Unit::Bytes, false),
        Q::WorstLoadSteps32 => ("most ways of a load, 32 banks", Unit::Whole, false),
        Q::WorstLoadSteps16 => ("most ways of a load, 16 banks", Unit::Whole, false),
        Q::SharedBytes => ("shared bytes a block", Unit::Bytes, false),
        Q::UnlikePlain => ("launches that leave another matrix", Unit::Whole, false),
        Q::Registers => ("registers a thread", Unit::Whole, false),
        Q::LocalBytes => ("local bytes a thread", Unit::Bytes, false),
        Q::Threads => ("threads a block", Unit::Whole, false),
        Q::ResidentBlocks => ("resident blocks", Unit::Whole, false),
    };
    let factor = match quantity {
        Q::TasksASecond | Q::TasksAJoule => 1e-9,
        _ => 1.0,
    };
    Shown { heading, factor, unit, is_log }
}

/// A value in the unit of its heading.
pub(super) fn number(quantity: Quantity, value: f64) -> String {
    let scaled = value * shown(quantity).factor;
    match quantity {
        Quantity::SpeedUp | Quantity::RelativeTime | Quantity::PublishedOverHere => format!("{scaled:.3}"),
        _ if scaled.abs() >= 1000.0 => format!("{scaled:.0}"),
        _ => whole_or_digits(scaled),
    }
}

/// A value with its interval, samples and what is published in its place, for who points at it.
pub(super) fn told(quantity: Quantity, value: &super::read::Value) -> String {
    let of = |value: f64| number(quantity, value);
    let estimate = value.estimate;
    let interval = match estimate.low < estimate.high {
        true => format!(" {}", interval(estimate.low, estimate.high, of)),
        false => String::new(),
    };
    let samples = value.samples.map_or(String::new(), |many| format!(", {}", count_of(many, "sample")));
    let published = match value.published {
        Some((low, Some(high))) if high > low => format!("; published {} to {}", digits(low), digits(high)),
        Some((low, _)) => format!("; published {}", of(low)),
        None => String::new(),
    };
    let estimated = if value.is_estimated { ", an estimate" } else { "" };
    format!("{} {}{interval}{samples}{estimated}{published}", of(estimate.value), shown(quantity).heading)
}
