//! What was compared with what, and which numbers of ours stand for words of the paper.

use super::{contender, figure, kernel, list};
use crate::claims::{ClaimResult, Comparison, Reading, Threshold};
use crate::published::Figure;
use crate::show::digits;

/// What every figure of a result is, and how vague words were read; empty where nothing was compared.
pub fn compared_as(result: &ClaimResult) -> String {
    let Some(comparison) = &result.comparison else { return String::new() };
    let readings: Vec<String> = result.readings.iter().map(reading).collect();
    let read = match readings.is_empty() {
        true => String::new(),
        false => format!(". Read by us: {}", list(&readings)),
    };
    format!("{}{read}", self::comparison(comparison))
}

fn comparison(of: &Comparison) -> String {
    match of {
        Comparison::Seconds { slower, faster, scope } => format!(
            "seconds of {} over those of {}, medians of scope {scope}",
            contender(slower),
            contender(faster)
        ),
        Comparison::MeanSeconds { slower, faster, scope } => format!(
            "the mean over all sizes of the seconds of {} over those of {}, medians of scope {scope}",
            contender(slower),
            contender(faster)
        ),
        Comparison::PairSeconds { scope } => {
            format!("seconds of the first named over those of the second, medians of scope {scope}")
        }
        Comparison::MeanPairSeconds { scope } => format!(
            "the mean over all sizes of the seconds of the first named over those of the second, medians of scope {scope}"
        ),
        Comparison::SecondsUnder { slower, faster, clock } => format!(
            "seconds of {} over those of {} by the clock {clock}",
            contender(slower),
            contender(faster)
        ),
        Comparison::BaselinesOver { faster, scope } => format!(
            "seconds of each baseline over those of {}, medians of scope {scope}",
            contender(faster)
        ),
        Comparison::GrowthOverPublished { contender: of } => format!(
            "how much the time of {} grows from one size of the table to the next, over what the table's own does",
            contender(of)
        ),
        Comparison::SlowestGraph => {
            "seconds on the slowest of several graphs over those on the fastest".to_string()
        }
        Comparison::BestOverOthers => {
            "seconds with what the paper found best over those with the other that each line names".to_string()
        }
        Comparison::Unsynchronized => {
            "the reading of the clock that does not wait over the true time; and the copy back that follows over a copy back"
                .to_string()
        }
        Comparison::ReadingGrowth => "the reading of the clock that does not wait, at 2n over at n".to_string(),
        Comparison::ReadingSpread => {
            "the longest copy back after the clock that does not wait over the shortest, over all shapes of blocks".to_string()
        }
        Comparison::Clocks { over, under } => format!("{over} over {under}, of the same work"),
        Comparison::ShareOfSizes { slower, faster } => format!(
            "the share of the sizes at which {} takes longer than {}, with its interval by Wilson's score: chance alone would give a half",
            contender(slower),
            contender(faster)
        ),
        Comparison::StepOverTrend { scope } => format!(
            "growth of time past a multiple of multiprocessors x 32 to the next n, 16 above, over that of n³ and over the same step whole warps away, scope {scope}; a jump would be one more wave of as many threads as the GPU holds at once"
        ),
        Comparison::OverEvents => "each clock over the events, of the same solves".to_string(),
        Comparison::SystemOverOthers => {
            "the operating system's timer over each of the other two, of the same solves".to_string()
        }
        Comparison::OverLinear { scope } => format!("time at 2n over twice the time at n, scope {scope}"),
        Comparison::CopyGrowth => "each copy, pageable: seconds at 2n over those at n".to_string(),
        Comparison::CountedFigure { figure } => {
            format!("{}, counted on the emulated device", counted(*figure))
        }
        Comparison::Counts => "counts of one solve on the emulated device".to_string(),
        Comparison::LocalBytes => "local memory a thread, as the driver reports it".to_string(),
        Comparison::BanksOfLayout => {
            "how many words of a half-warp lie in one of 16 banks, calculated from the layout".to_string()
        }
        Comparison::WaitsOverNone { scope } => {
            format!("seconds with a wait of the host after every launch over those without any, scope {scope}")
        }
        Comparison::MovedBytes => {
            "bytes of global memory, loaded and stored, that the launches of κ move over those of κ = 1, by a model that counts confirm".to_string()
        }
        Comparison::CountsOver { implementation } => {
            format!("counts on the emulated device over those of the counterpart in {implementation}")
        }
        Comparison::MemoryCut { before, after } => format!(
            "{} over {}, counted on the emulated device: shared memory a block, and global bytes a task",
            contender(before),
            contender(after)
        ),
        Comparison::ThreadsABlock => {
            "threads a block of every kernel, and shared memory of the last, counted on the emulated device".to_string()
        }
        Comparison::Occupancy { gpu, threads } => format!(
            "threads of resident blocks over the {threads} that a multiprocessor of a {gpu} holds; the published whole percent is read as rounded or cut off"
        ),
        Comparison::RestLaunches => "launches of CalcRestBlocks with κ = Q".to_string(),
        Comparison::StoredBytesATask => {
            "bytes that CalcRestBlocks stores a task, κ = 1 over κ, counted on the emulated device".to_string()
        }
        Comparison::RestSeconds => {
            "seconds a tile of CalcRestBlocks with κ over those with κ = 1, at κ of at most a quarter of Q".to_string()
        }
        Comparison::SecondBestKappa => {
            "seconds with the second best κ over those with κ = 1: several are two or more".to_string()
        }
        Comparison::SpreadLead => {
            "seconds without over those with the lead block on all multiprocessors, at every κ that is faster than κ = 1".to_string()
        }
        Comparison::PublishedFigure => "the published figure itself, on the paper's own GPU".to_string(),
        Comparison::ShareOfCopyLimit { bytes } => {
            format!("tasks/s as a share of what the measured copy allows at {bytes} bytes a task")
        }
        Comparison::LaneCycles { published_ghz: None } => {
            "cycles that a lane has in the time of a task, at the highest clock; the published figure is of three operations a lane and cycle"
                .to_string()
        }
        Comparison::LaneCycles { published_ghz: Some(ghz) } => format!(
            "cycles that a lane has in the time of a task, at the highest clock; the published time at {} lanes times GHz, of that GPU's specification and not of the paper",
            digits(*ghz)
        ),
        Comparison::SecondsATaskFlat => "seconds a task at n over those at the largest n".to_string(),
        Comparison::OneResident => {
            "seconds with one block resident on a multiprocessor, forced by shared memory that nothing uses, over those with as many as fit"
                .to_string()
        }
        Comparison::WholeTilesOverStages => {
            "seconds with whole tiles in shared memory over those with the best depth of stages".to_string()
        }
        Comparison::KernelShare { kernel: name, of } => {
            format!("the share of a solve of {} that its {} kernel takes", contender(of), kernel(name))
        }
        Comparison::HalfTheBytes => {
            "seconds in distances of four bytes over those in two; and over those of the kernel that each other line names, which moves as many bytes with fewer instructions"
                .to_string()
        }
        Comparison::FastestBeside { base } => {
            format!("seconds of {} over those of the fastest GPU implementation beside it", contender(base))
        }
        Comparison::WrongResults => "samples whose result was not the reference's".to_string(),
    }
}

fn counted(figure: Figure) -> &'static str {
    match figure {
        Figure::GlobalBytesATask => "bytes of global memory a task",
        Figure::GlobalBytesCut => "bytes of global memory a task, of the one over those of the other",
        Figure::SharedBytes => "shared memory a block, with what the paper's GPU adds",
        Figure::ResidentBlocksByShared => {
            "blocks that fit on a multiprocessor of the paper's GPU by shared memory"
        }
        Figure::WorstLoadSteps16 => "the most ways that a half-warp's load conflicts in, 16 banks",
        Figure::LoadSectorsUsed => "bytes loaded over bytes of the 32-byte sectors that they lie in",
    }
}

/// A word of a paper and the number that stands for it.
fn reading(of: &Reading) -> String {
    let percent = |share: f64| format!("{}%", figure::exact((share * 1000.0).round() / 10.0));
    match of.threshold {
        Threshold::Hardly => {
            format!("no gain, nearly the same and very little are within {}", percent(of.value))
        }
        Threshold::Significant => format!("significant is {} and more", percent(of.value)),
        Threshold::Weakly => {
            format!("depends weakly is a change of at most {} while n doubles", percent(of.value))
        }
        Threshold::Agree => format!("clocks agree within {}", percent(of.value)),
        Threshold::Inflated => format!("absurdly long is {} times and more", of.value),
        Threshold::LargeN => format!("large n begins at {}", of.value),
        Threshold::SmallN => format!("small n ends at {}", of.value),
        Threshold::SameSize => format!("of one size are figures within {} of each other", percent(of.value)),
        Threshold::Limits => format!(
            "what limits gives at least {} of what it alone would give, and what decides is at least that share",
            percent(of.value)
        ),
        Threshold::Rounding => match of.value {
            1.0 => "a number allows what rounds to it".to_string(),
            _ => format!("a number allows {} times what rounds to it", of.value),
        },
    }
}

/// The name of a threshold where it is moved.
pub(super) fn threshold(of: Threshold) -> &'static str {
    match of {
        Threshold::Hardly => "hardly",
        Threshold::Significant => "significant",
        Threshold::Weakly => "weakly",
        Threshold::Agree => "agree",
        Threshold::Inflated => "absurdly long",
        Threshold::LargeN => "large n",
        Threshold::SmallN => "small n",
        Threshold::SameSize => "of one size",
        Threshold::Limits => "limited by",
        Threshold::Rounding => "rounding",
    }
}
