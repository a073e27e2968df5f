//! Why there is no verdict.

use super::{contender, list};
use crate::claims::{Contender, Lack, NotImplemented, Sizes};

pub(super) fn lack(of: &Lack) -> String {
    match of {
        Lack::NotMeasured { contenders, sizes } => {
            format!("No run has samples of {}{}.", names(contenders), self::sizes(*sizes))
        }
        Lack::NotTogether { contenders, sizes } => {
            format!("No run has {} beside each other{}.", names(contenders), self::sizes(*sizes))
        }
        Lack::NoRunOf { experiment } => {
            format!("No run here has what it needs: repro run {experiment} measures it.")
        }
        Lack::NotCounted { contenders } => format!(
            "No run here has counts of {} from the emulated device (--device emulated).",
            names(contenders)
        ),
        Lack::NoCopy => "No run here measured a copy in the GPU's memory.".to_string(),
        Lack::NoClocks { implementation } => {
            format!(
                "No run here has {implementation} under the clocks that this needs: repro run timers does."
            )
        }
        Lack::NoKernelTimes { implementation } => {
            format!("No run here has the times of each kernel of {implementation}.")
        }
        Lack::NotImplemented { what } => not_implemented(*what).to_string(),
        Lack::OtherGpu { tested_by } if tested_by.is_empty() => {
            "A figure of another GPU, shown beside ours.".to_string()
        }
        Lack::OtherGpu { tested_by } => format!(
            "A figure of another GPU, shown beside ours. What the paper concludes from it is tested as {}.",
            list(tested_by)
        ),
        Lack::NoRule => "No rule compares this claim: a defect of this build.".to_string(),
        Lack::UnknownGpu { gpu } => format!("The limits of a {gpu} are not known here."),
        Lack::NothingTriedRefutes { fastest, n, ratio } => format!(
            "The fastest of what was tried, {} at n = {n}, is {ratio:.2} times as fast: within what is claimed, but what was not tried proves nothing.",
            contender(fastest)
        ),
    }
}

fn names(contenders: &[Contender]) -> String {
    list(&contenders.iter().map(contender).collect::<Vec<_>>())
}

fn sizes(of: Sizes) -> String {
    match of {
        Sizes::Any => String::new(),
        Sizes::At(n) => format!(" at n = {n}"),
        Sizes::From(n) => format!(" from n = {n} on"),
        Sizes::OfTable => " at a size of the paper's table".to_string(),
    }
}

fn not_implemented(what: NotImplemented) -> &'static str {
    match what {
        NotImplemented::GeneralizedOnCpu => {
            "The generalized algorithm is implemented for GPUs alone: nothing here runs it in the caches of a CPU."
        }
        NotImplemented::OneArchitecture => {
            "What runs of one GPU show says nothing of others: a verdict here is of one machine."
        }
        NotImplemented::StoppedInRound => {
            "No kernel here can be stopped in the middle of a round to look at its values."
        }
        NotImplemented::AccessesOfOneAddress => {
            "No kernel here varies how many threads ask for global memory at the same moment and nothing else."
        }
    }
}
