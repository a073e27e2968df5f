//! The comparisons by which a claim is tested, in words.

use super::list;
use crate::judge::ClaimRow;
use crate::lists::count_of;
use crate::published::{Combine, Contender, Figure, Relation, Test};
use crate::report::text::spelled;

/// What the tests of a claim compare, test by test; empty if nothing tests it.
pub fn compared_as(row: &ClaimRow) -> String {
    let mut all: Vec<String> = row.tests.iter().map(test).collect();
    all.dedup();
    all.join("; ")
}

/// What a test compares: `seconds of the second over those of the first, medians of scope kernel`.
pub(super) fn test(of: &Test) -> String {
    let figure = figure(of);
    let what = match of.relation {
        Relation::Ratio => match &of.pairs[..] {
            [(first, second)] => {
                format!("{figure} of {} over that of {}", words(second), words(first))
            }
            _ => format!("{figure} of the first named over that of the second"),
        },
        Relation::Value => figure,
        Relation::Clocks => {
            let below = of.over_clock.unwrap_or(of.clock);
            format!("{} over {below}, of the same work", of.clock)
        }
        Relation::Doubled if of.power == 0 => format!("{figure}, at 2n over at n"),
        Relation::Doubled => format!("{figure}, at 2n over {} times that at n", 2u32.pow(of.power as u32)),
        Relation::Largest => {
            format!("{figure} over n to the power of {}, over the same at the largest n", of.power)
        }
        Relation::AcrossGraphs => {
            format!("{figure} on the slowest of several graphs over that on the fastest")
        }
        Relation::AcrossSeries => {
            let names: Vec<String> = of.series.iter().map(words).collect();
            format!("{figure}, the most over the least of {}", list(&names))
        }
        Relation::Step => format!(
            "increase of {figure} from a multiple of 32 x multiprocessors to the next n, 16 above, beyond the increase of n³ and beyond that \
             at steps whole warps away; as a share of what one more wave of as many threads as the GPU holds would add"
        ),
    };
    match of.combine {
        Combine::Each => what,
        Combine::Mean => format!("the mean over all sizes of: {what}"),
        Combine::SecondLargest => format!("the second-largest value at each n of: {what}"),
    }
}

/// What the figures of a test are, in a few words, without the contenders.
pub(super) fn name(of: &Test) -> String {
    let name = match (of.relation, of.figure) {
        (Relation::Clocks, _) => format!("{} over {}", of.clock, of.over_clock.unwrap_or(of.clock)),
        (_, Figure::KernelShare) => "one kernel's share".to_string(),
        (_, Figure::Seconds) => figure(of),
        (_, figure) => figure_words(figure).to_string(),
    };
    match of.combine {
        Combine::Each => name,
        Combine::Mean => format!("mean of {name}"),
        Combine::SecondLargest => format!("second largest of {name}"),
    }
}

/// What the figures of a test are, and by which clock, counters or counts they are known.
fn figure(of: &Test) -> String {
    let words = figure_words(of.figure);
    let by_counters = matches!(
        of.figure,
        Figure::CountedDramBytes
            | Figure::CountedL2Bytes
            | Figure::DramShareOfCopy
            | Figure::MultiprocessorThroughput
    );
    match (of.figure, of.over_clock.filter(|_| of.relation == Relation::Ratio)) {
        (Figure::Seconds, Some(second)) => format!("{words} by {second} and by {}", of.clock),
        (Figure::Seconds, None) => format!("{words} by {}", of.clock),
        _ if by_counters => format!("{words}, by the GPU's counters"),
        (figure, _) if figure.is_counted() => format!("{words}, counted on the emulated device"),
        _ => words.to_string(),
    }
}

fn figure_words(of: Figure) -> &'static str {
    match of {
        Figure::Seconds => "seconds",
        Figure::TasksASecond => "tasks/s",
        Figure::GigabytesASecond => "GB/s of what tasks ask for",
        Figure::ShareOfCopy => "tasks/s as a share of what the measured copy allows",
        Figure::DramShareOfCopy => "bytes to DRAM over what the measured copy moves in the time",
        Figure::CountedDramBytes => "bytes to DRAM",
        Figure::CountedL2Bytes => "bytes to the L2 cache",
        Figure::LoadLatencyOfAllOverOne => {
            "load latency with all multiprocessors loading, relative to one multiprocessor loading"
        }
        Figure::CopyGigabytesASecond => "a copy in the GPU's memory",
        Figure::KernelSeconds => "seconds of one kernel in a solve",
        Figure::KernelShare => "the share of a solve that one kernel takes",
        Figure::MovedBytes => "bytes of global memory, loaded and stored, by a model that counts confirm",
        Figure::LocalBytes => "local memory a thread, as the driver has it",
        Figure::MultiprocessorThroughput => "the busiest unit of the multiprocessors over its peak",
        Figure::WrongResults => "samples whose result was not the reference's",
        Figure::Launches => "launches",
        Figure::Kernels => "kernels",
        Figure::Blocks => "blocks",
        Figure::Threads => "threads a block",
        Figure::StoredBytes => "stored bytes",
        Figure::StoredBytesATask => "stored bytes a task",
        Figure::GlobalBytesATask => "bytes of global memory a task",
        Figure::SharedBytes => "shared memory a block",
        Figure::SharedBytesOfPaper => "shared memory a block, with what the paper's GPU adds",
        Figure::ResidentBlocksByShared => {
            "blocks that fit on a multiprocessor of the paper's GPU by shared memory"
        }
        Figure::Occupancy => {
            "threads of resident blocks over those that a multiprocessor of the paper's GPU holds"
        }
        Figure::WorstLoadSteps16 => "the most ways that a half-warp's load conflicts in, 16 banks",
        Figure::UnlikePlain => "launches after which the matrix is none of the plain algorithm's",
        Figure::LoadSectorsUsed => "bytes loaded over bytes of the 32-byte sectors that they lie in",
    }
}

/// A contender: `staged-load (padding-kib = 26), doubly dependent, 8 resident blocks`.
pub fn words(of: &Contender) -> String {
    let set: Vec<String> = of.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let set = if set.is_empty() { String::new() } else { format!(" ({})", set.join(", ")) };
    let name = of.kernel.as_ref().filter(|name| **name != of.implementation.replace('-', "_"));
    let name = name.map(|name| name.split('+').map(spelled).collect::<Vec<_>>().join(" and "));
    let resident = of.resident.map(|blocks| format!("{} resident", count_of(blocks as usize, "block")));
    let rest = [name, resident].into_iter().flatten().map(|part| format!(", {part}"));
    format!("{}{set}{}", of.implementation, rest.collect::<String>())
}
