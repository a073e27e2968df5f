//! What a sweep showed, in sentences computed from the records.

use super::columns::{Column, Columns};
use super::sweep::{Family, Timed};
use crate::lists::{distinct, extremes};
use crate::results::Results;
use crate::show::digits;
use crate::store::{KernelTimeRow, Manifest, spelled};
use crate::timing::Scope;

/// Of every n: which value is the fastest and which beat the lowest; what the kernels of the fastest and of the highest value
/// gain and lose against the lowest, in time, bytes and launches; and what another parameter changes at equal values.
pub fn findings(columns: &Columns, manifest: &Manifest, results: &Results) -> Vec<String> {
    let ceilings = manifest.environment.as_ref().and_then(|environment| environment.ceilings.device);
    let copy_gbs = ceilings.map(|device| device.copy_gbs);
    let mut findings = Vec::new();
    for (implementation, parameter) in &columns.swept() {
        for n in columns.sizes() {
            findings.extend(View { columns, results, implementation, parameter, n, copy_gbs }.findings());
        }
    }
    findings
}

/// A swept parameter at one n.
struct View<'a> {
    columns: &'a Columns<'a>,
    results: &'a Results,
    implementation: &'a str,
    parameter: &'a str,
    n: usize,
    copy_gbs: Option<f64>,
}

impl View<'_> {
    fn findings(&self) -> Vec<String> {
        let median = |column: &Column, n| self.columns.median_over_graphs(column, n).filter(|_| n == self.n);
        let mut families = self.columns.families(self.implementation, self.parameter, median);
        families.sort_by(|a, b| a.others.cmp(&b.others));
        let plain = families.iter().find(|family| family.others.is_empty());
        let of = |family: &Family<f64>| {
            let plain = plain.filter(|_| !family.others.is_empty());
            let beside = plain.and_then(|plain| self.beside(&family.others, &family.timed, &plain.timed));
            [self.fastest(&family.others, &family.timed), beside]
        };
        families.iter().flat_map(of).flatten().collect()
    }

    fn fastest(&self, others: &str, timed: &[Timed<f64>]) -> Option<String> {
        let (first, rest) = timed.split_first()?;
        let best = rest.iter().min_by(|a, b| a.time.total_cmp(&b.time))?;
        let Self { implementation, parameter, n, .. } = self;
        let with = if others.is_empty() { String::new() } else { format!(", {others}") };
        let faster: Vec<String> =
            rest.iter().filter(|one| one.time < first.time).map(|one| one.value.to_string()).collect();
        let share = best.time / first.time;
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
        said += &self.change(first, best);
        if let Some(last) = rest.last().filter(|last| last.value != best.value) {
            said += &self.change(first, last);
        }
        Some(said)
    }

    /// What changes from one value to another: time by kernel, bytes with what they take at the copy bandwidth, launches.
    fn change(&self, from: &Timed<f64>, to: &Timed<f64>) -> String {
        let (before, after) = (self.kernels(from), self.kernels(to));
        if before.is_empty() || after.is_empty() {
            return String::new();
        }
        let names = distinct(before.iter().chain(&after).map(|row| row.kernel.as_str()));
        let seconds = |rows: &[&KernelTimeRow], name: &str| {
            rows.iter().find(|row| row.kernel == name).map_or(0.0, |row| row.seconds)
        };
        let gain = |name: &&str| milliseconds(seconds(&after, name) - seconds(&before, name));
        let by_kernel: Vec<String> =
            names.iter().map(|name| format!("{} {}", spelled(name), gain(name))).collect();
        let mut said = format!(" From {} to {}: {}", from.value, to.value, by_kernel.join(", "));
        let bytes = |rows: &[&KernelTimeRow]| -> Option<f64> {
            rows.iter().map(|row| Some((row.loaded_bytes? + row.stored_bytes?) as f64)).sum()
        };
        if let (Some(before), Some(after)) = (bytes(&before), bytes(&after)) {
            let gigabytes = (after - before) * 1e-9;
            said +=
                &format!("; {}{} GB moved", if gigabytes < 0.0 { "-" } else { "+" }, digits(gigabytes.abs()));
            if let Some(copy_gbs) = self.copy_gbs {
                said += &format!(", {} at the copy bandwidth", milliseconds(gigabytes / copy_gbs));
            }
        }
        let launches = |rows: &[&KernelTimeRow]| rows.iter().map(|row| row.launches).sum::<u64>();
        said += &format!("; {} launches in place of {}", launches(&after), launches(&before));
        if let (Some(before), Some(after)) = (self.saved_as_graph(from), self.saved_as_graph(to)) {
            said += &format!(
                ", of which a CUDA graph saves {:.2} ms in place of {:.2}",
                after * 1e3,
                before * 1e3
            );
        }
        said + "."
    }

    /// What another parameter changes at equal values: least and most.
    fn beside(&self, others: &str, timed: &[Timed<f64>], plain: &[Timed<f64>]) -> Option<String> {
        let ratio = |one: &Timed<f64>| {
            let same = plain.iter().find(|plain| plain.value == one.value)?;
            Some((one.value, one.time / same.time))
        };
        let ratios: Vec<(u32, f64)> = timed.iter().filter_map(ratio).collect();
        let (most, least) = extremes(&ratios)?;
        let Self { implementation, parameter, n, .. } = self;
        Some(format!(
            "{implementation}, n = {n}: {others} takes {:.3} ({parameter} = {}) to {:.3} ({parameter} = {}) of the time without it.",
            least.1, least.0, most.1, most.0
        ))
    }

    fn kernels(&self, of: &Timed<f64>) -> Vec<&KernelTimeRow> {
        let wanted = (self.n, of.column.variant());
        let same = |row: &&KernelTimeRow| (row.n, (&*row.implementation, &*row.params)) == wanted;
        self.results.kernel_times.iter().filter(same).collect()
    }

    /// Seconds that one CUDA graph saves over launch by launch.
    fn saved_as_graph(&self, of: &Timed<f64>) -> Option<f64> {
        let same =
            self.results.times.first(of.column.variant(), self.n, &self.columns.graphs(), Scope::CudaGraph);
        same.map(|time| of.time - time.value)
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{:+.2} ms", seconds * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{SummaryRow, Times};
    use crate::show::tables::fixtures::{cell, experiment, kernel_time, measured, scope};
    use crate::store::SampleRow;

    const NAME: &str = "generalized-blocked";
    const VALUES: [&str; 4] = ["kappa=1", "kappa=2", "kappa=3", "kappa=4"];

    fn findings_of(
        params: &[&str],
        seconds: &[f64],
        scopes: &[SampleRow],
        times: &[KernelTimeRow],
    ) -> Vec<String> {
        let columns: Vec<(&str, &str)> = params.iter().map(|params| (NAME, *params)).collect();
        let experiment = experiment(&columns, &[""]);
        let summary: Vec<SummaryRow> = params
            .iter()
            .zip(seconds)
            .map(|(params, one)| measured(cell(NAME, params, 128), &[*one]))
            .collect();
        let results =
            Results { times: Times::of(scopes), kernel_times: times.to_vec(), ..Results::default() };
        let columns = Columns::new(&experiment, &summary);
        let view = View {
            columns: &columns,
            results: &results,
            implementation: NAME,
            parameter: "kappa",
            n: 128,
            copy_gbs: Some(1000.0),
        };
        view.findings()
    }

    #[test]
    fn the_best_value_and_all_that_beat_the_lowest_are_told() {
        let said = findings_of(&VALUES, &[4.0, 2.0, 5.0, 3.0], &[], &[]);
        let expected = "generalized-blocked, n = 128: kappa = 2 is the fastest, in 0.500 of the time of kappa = 1; \
                        faster than that are 2, 4.";
        assert_eq!(said, [expected]);
    }

    #[test]
    fn a_lowest_value_that_nothing_beats_is_told_with_the_next() {
        let said = findings_of(&VALUES, &[4.0, 9.0, 8.0, 6.0], &[], &[]);
        let expected = "generalized-blocked, n = 128: kappa = 1 is the fastest; next is kappa = 4, in 1.500 of its time.";
        assert_eq!(said, [expected]);
    }

    #[test]
    fn kernels_bytes_and_launches_of_both_values_are_told_also_where_one_has_none() {
        let (lowest, best) = (cell(NAME, "kappa=1", 128), cell(NAME, "kappa=4", 128));
        let times = [
            kernel_time(&lowest, "lead_block", 1e-3, Some((1_000_000_000, 0))),
            kernel_time(&lowest, "rest_blocks", 3e-3, Some((2_000_000_000, 1_000_000_000))),
            kernel_time(&best, "lead_block", 1.5e-3, Some((1_000_000_000, 500_000_000))),
            kernel_time(&best, "reverse", 0.25e-3, Some((0, 500_000_000))),
        ];
        let scopes = [scope(&lowest, Scope::CudaGraph, 3.5), scope(&best, Scope::CudaGraph, 1.75)];
        let said = findings_of(&VALUES, &[4.0, 3.0, 5.0, 2.0], &scopes, &times);
        let expected = "From 1 to 4: lead block +0.50 ms, rest blocks -3.00 ms, reverse +0.25 ms; \
                        -2.000 GB moved, -2.00 ms at the copy bandwidth;";
        assert!(said[0].contains(expected), "{said:?}");
        assert!(said[0].ends_with("of which a CUDA graph saves 250.00 ms in place of 500.00."), "{said:?}");
    }

    #[test]
    fn another_parameter_is_compared_at_equal_values() {
        let params = ["kappa=1", "kappa=2", "kappa=1;spread-lead=1", "kappa=2;spread-lead=1"];
        let said = findings_of(&params, &[4.0, 2.0, 4.0, 1.0], &[], &[]);
        let expected = "generalized-blocked, n = 128: spread-lead=1 takes 1.000 (kappa = 1) to 0.500 (kappa = 2) of \
                        the time without it.";
        assert_eq!(said[2], expected);
    }
}
