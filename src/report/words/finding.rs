//! What stands out, a sentence each.

use super::{contender, list};
use crate::judge::Verdict;
use crate::report::findings::{Fastest, Finding, What};
use crate::show::{digits, rate_with_unit};

/// `several` where the machine must be named.
pub fn finding(of: &Finding, several: bool) -> String {
    let said = match &of.what {
        What::Fastest(fastest) => self::fastest(fastest),
        What::Ratios { stated, by_verdict, one_sided } => {
            let counted = by_verdict.iter().map(|&(verdict, count)| {
                let came_out = came_out(verdict, count == 1);
                format!("{count} {came_out}{}", super::one_sided(verdict, *one_sided))
            });
            let all: Vec<String> = counted.collect();
            format!("Of {stated} stated speed-ups {}.", list(&all))
        }
        What::AllCoresSlower { run, n, all_cores_s, one_core_s } => format!(
            "In the run {run} all cores of the host took {} s at n = {n} where one took {} s: other programs used them, so that its times on the CPU are upper bounds.",
            digits(*all_cores_s),
            digits(*one_core_s)
        ),
    };
    if several { format!("{}: {said}", of.machine) } else { said }
}

/// What became of one speed-up, or of several.
fn came_out(verdict: Verdict, one: bool) -> &'static str {
    match verdict {
        Verdict::Differs if one => "differs",
        Verdict::FailsWhereDecided if one => "fails wherever it can be told",
        Verdict::FailsWhereDecided => "fail wherever it can be told",
        Verdict::Ambiguous if one => "was too close to tell",
        Verdict::NotMeasured if one => "was not measured",
        Verdict::Reproduced => "came out as published",
        Verdict::Exceeds => "exceeded the stated bound",
        Verdict::InPart => "came out in part",
        Verdict::Differs => "differ",
        Verdict::Ambiguous => "were too close to tell",
        Verdict::NotMeasured => "were not measured",
        Verdict::NotComparable => "could not be compared",
    }
}

fn fastest(of: &Fastest) -> String {
    let what = match of.on_gpu {
        true if of.devices > 1 => {
            "what the instructions of these GPUs allow at most, measured in registers or by issue slots"
        }
        true => "what its instructions allow at most, measured in registers or by issue slots",
        false => "the add + min rate of all cores that the same run measured in registers",
    };
    let doubt = if of.is_ceiling_low { ", which may be too low: under load, or passed" } else { "" };
    let share = |share: f64| format!(", {:.0}% of {what}{doubt}", share * 100.0);
    let share = of.share_of_ceiling.map_or(String::new(), share);
    format!(
        "The fastest kernel here is {} with {} {}at n = {}{share}.",
        contender(&of.implementation),
        rate_with_unit(of.tasks_per_s),
        if of.devices > 1 { format!("on {} GPUs ", of.devices) } else { String::new() },
        of.n
    )
}
