//! What a sweep showed, in sentences computed from the records.

use super::{Family, Sweep, Timed, fastest};
use crate::lists::{distinct, extremes};
use crate::show::subjects::procedures::Procedures;
use crate::show::{Context, digits};
use crate::store::spelled;
use crate::timing::Scope;

/// Of every n: which value is the fastest and which beat the lowest; what the kernels of the fastest and of the highest value
/// gain and lose against the lowest, in time, bytes and launches; and what another parameter changes at equal values.
pub fn sentences(context: &Context) -> Vec<String> {
    Sweep::all(context).iter().flat_map(Sweep::sentences).collect()
}

impl Sweep<'_> {
    fn sentences(&self) -> Vec<String> {
        let mut families: Vec<&Family> = self.families.iter().collect();
        families.sort_by_key(|family| (family.n, &family.others));
        let beside = |family: &Family| {
            let plain = self.plain(family.n).filter(|_| !family.others.is_empty())?;
            self.beside(family, plain)
        };
        families.iter().flat_map(|family| [self.fastest(family), beside(family)]).flatten().collect()
    }

    fn fastest(&self, Family { n, others, timed, .. }: &Family) -> Option<String> {
        let (first, rest) = timed.split_first()?;
        let best = fastest(rest)?;
        let Self { implementation, parameter, .. } = self;
        let with = if others.is_empty() { String::new() } else { format!(", {others}") };
        let faster: Vec<String> = rest
            .iter()
            .filter(|one| one.time.median < first.time.median)
            .map(|one| one.value.to_string())
            .collect();
        let share = best.time.median / first.time.median;
        let mut said = format!("{implementation}, n = {n}{with}: ");
        said += &if faster.is_empty() {
            format!(
                "{parameter} = {} is the fastest; next is {parameter} = {}, in {share:.3} of its time.",
                first.value, best.value
            )
        } else {
            format!(
                "{parameter} = {} is the fastest, in {share:.3} of the time of {parameter} = {}; faster than that are {}.",
                best.value,
                first.value,
                faster.join(", ")
            )
        };
        said += &self.change(*n, first, best);
        if let Some(last) = rest.last().filter(|last| last.value != best.value) {
            said += &self.change(*n, first, last);
        }
        Some(said)
    }

    /// What changes from one value to another: time by kernel, bytes with what they take at the copy bandwidth, launches.
    fn change(&self, n: usize, from: &Timed, to: &Timed) -> String {
        let kernels = |of: &Timed| Procedures::of(self.context, of.column, n);
        let (Some(before), Some(after)) = (kernels(from), kernels(to)) else { return String::new() };
        let names = distinct(before.names().chain(after.names()));
        let seconds = |of: &Procedures, name: &str| of.seconds_of(name).unwrap_or(0.0);
        let gain = |name: &&str| milliseconds(seconds(&after, name) - seconds(&before, name));
        let by_kernel: Vec<String> =
            names.iter().map(|name| format!("{} {}", spelled(name), gain(name))).collect();
        let mut said = format!(" From {} to {}: {}", from.value, to.value, by_kernel.join(", "));
        if let (Some(before), Some(after)) = (before.moved_bytes(), after.moved_bytes()) {
            let gigabytes = (after - before) * 1e-9;
            said +=
                &format!("; {}{} GB moved", if gigabytes < 0.0 { "-" } else { "+" }, digits(gigabytes.abs()));
            if let Some(copy_gbs) = self.copy_gbs {
                said += &format!(", {} at the copy bandwidth", milliseconds(gigabytes / copy_gbs));
            }
        }
        said += &format!("; {} launches in place of {}", after.launches(), before.launches());
        // Seconds that one CUDA graph saves over launch by launch.
        let saved =
            |of: &Timed| Some(of.time.median - self.context.seconds_by(of.column, n, Scope::CudaGraph)?);
        if let (Some(before), Some(after)) = (saved(from), saved(to)) {
            said += &format!(
                ", of which a CUDA graph saves {:.2} ms in place of {:.2}",
                after * 1e3,
                before * 1e3
            );
        }
        said + "."
    }

    /// What another parameter changes at equal values: least and most.
    fn beside(&self, family: &Family, plain: &Family) -> Option<String> {
        let ratio = |one: &Timed| {
            let same = plain.timed.iter().find(|plain| plain.value == one.value)?;
            Some((one.value, one.time.median / same.time.median))
        };
        let ratios: Vec<(u32, f64)> = family.timed.iter().filter_map(ratio).collect();
        let (most, least) = extremes(&ratios)?;
        let (Self { implementation, parameter, .. }, Family { n, others, .. }) = (self, family);
        Some(format!(
            "{implementation}, n = {n}: {others} takes {:.3} ({parameter} = {}) to {:.3} ({parameter} = {}) of the time without it.",
            least.1, least.0, most.1, most.0
        ))
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{:+.2} ms", seconds * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::SummaryRow;
    use crate::results::fixtures::{cell, experiment, measured, run};

    #[test]
    fn a_lowest_value_that_nothing_beats_is_told_with_the_next() {
        const NAME: &str = "generalized-blocked";
        let values = [("kappa=1", 4.0), ("kappa=2", 9.0), ("kappa=3", 8.0), ("kappa=4", 6.0)];
        let experiment = experiment(&values.map(|(params, _)| (NAME, params)), &[""]);
        let summary: Vec<SummaryRow> =
            values.iter().map(|(params, seconds)| measured(cell(NAME, params, 128), &[*seconds])).collect();
        let run = run(experiment, summary);
        let context = Context::new(&run, &[]);
        let sweep = Sweep::of(&context, NAME.to_string(), "kappa".to_string());
        let expected = "generalized-blocked, n = 128: kappa = 1 is the fastest; next is kappa = 4, in 1.500 of its time.";
        assert_eq!(sweep.sentences(), [expected]);
    }
}
