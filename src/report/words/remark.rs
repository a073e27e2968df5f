//! What else a reader should know, a sentence each.

use super::contender;
use crate::claims::Remark;
use crate::show::{digits, rate_with_unit};

pub(super) fn remark(of: &Remark) -> String {
    match of {
        Remark::Order { held, of: 1 } => match held {
            1 => "The order is the paper's.".to_string(),
            _ => "The order is not the paper's.".to_string(),
        },
        Remark::Order { held: 0, .. } => "The order is the paper's at no size.".to_string(),
        Remark::Order { held, of } if held == of => format!("The order is the paper's at all {of} sizes."),
        Remark::Order { held, of } => format!("The order is the paper's at {held} of {of} sizes."),
        Remark::BySize { least, most } => format!("By size it is {least:.2} to {most:.2}."),
        Remark::ByVariant { contender: of, variants, least, most, run } => format!(
            "With {variants} sets of parameters of {} it is {least:.2} to {most:.2} at these sizes (run {run}).",
            contender(of)
        ),
        Remark::StaysFrom { low, n: Some(n), last, published } => {
            format!(
                "It stays above {low:.2} from n = {n} to {last}, where the paper has from {published} on."
            )
        }
        Remark::StaysFrom { low, n: None, last, .. } => {
            format!("It does not stay above {low:.2} up to n = {last}.")
        }
        Remark::Otherwise { faster, slower, least, most } => format!(
            "Not judged, since what they are compiled to is not alike: {} over {} is {least:.2} to {most:.2}.",
            contender(slower),
            contender(faster)
        ),
        Remark::FasterThanPublished { machine, least, most } => format!(
            "As times they are of another machine: here {least:.1} to {most:.1} times as fast as on {machine}."
        ),
        Remark::ReadsLeast { n, share } => {
            format!("It reads least of the true time at n = {n}: {:.1}%.", share * 100.0)
        }
        Remark::Resident { before, after } => format!(
            "Blocks that are resident on a multiprocessor: {before} of the slower one, {after} of the faster."
        ),
        Remark::NotSquareFaster { block: (x, y), n, ratio } => {
            format!("A block of {x} x {y}, which is not square, is {ratio:.2} times as fast at n = {n}.")
        }
        Remark::OccupancyHere { percent } => format!("On the GPU at hand it is {percent:.0}% in theory."),
        Remark::BestKappa { n, kappa, share, faster, tried, first, last } => format!(
            "n = {n}: the best κ is {kappa} ({share:.3} of the time); {faster} of {tried} tried are faster than κ = 1, from {first} to {last}."
        ),
        Remark::SpreadElsewhere { least, most } => {
            format!("At κ that are not faster than κ = 1 it gains {least:.2} to {most:.2} times.")
        }
        Remark::LosesEarlier { n } => {
            format!("At least one baseline takes longer at smaller n, too, from n = {n} on.")
        }
        Remark::CrossesAt { baseline, n } => {
            format!(
                "Against {} there is a crossover: up to n = {n} it is the faster one.",
                contender(baseline)
            )
        }
        Remark::LimitHere { tasks_per_s } => {
            format!("The limit is {} here.", rate_with_unit(*tasks_per_s))
        }
        Remark::CopyShare { first, last } => format!(
            "Both copies take {:.1}% of the whole at n = {}, {:.1}% at {}.",
            first.1, first.0, last.1, last.0
        ),
        Remark::BesideOther { best, other, ratio, n } => format!(
            "The fastest such, {}, takes {} times as long as {} at n = {n}.",
            contender(best),
            digits(*ratio),
            contender(other)
        ),
        Remark::Estimated { iterations, n } => format!(
            "The time of the core at n = {n} is an estimate from {iterations} of {n} iterations, all of which do the same work."
        ),
    }
}
