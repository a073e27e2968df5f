//! What checks of implementations found, as text.

use crate::lists::{count_of, distinct, grouped};
use crate::report::text::Grid;
use crate::verify::Partition;
use crate::verify::plan::{Check, KINDS, OpenDevices, VerifyPlan};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The most problems that are shown of a variant, each different: one mistake fails most checks.
const PROBLEMS_SHOWN: usize = 3;

/// The results of a plan's checks.
pub struct VerifyReport {
    pub(super) plan: VerifyPlan,
    /// Checks that were to be made.
    pub planned: usize,
    /// The checks that were made, each with what is wrong.
    pub(super) results: Vec<(Check, Result<(), String>)>,
}

impl VerifyReport {
    /// Checks that were made and failed.
    pub fn wrong(&self) -> usize {
        self.results.iter().filter(|(_, result)| result.is_err()).count()
    }

    /// Checks that were planned and not made.
    pub fn missing(&self) -> usize {
        self.planned - self.results.len()
    }

    /// The size and the kind of graph of a check, and the order if there are several.
    pub(super) fn place(&self, check: Check) -> String {
        let order =
            if self.plan.options.orders > 1 { format!(", order {}", check.order) } else { String::new() };
        format!("n = {}, {}{order}", self.plan.sizes[check.size], KINDS[check.kind].name)
    }

    /// What was wrong, a line each: of each variant the first [`PROBLEMS_SHOWN`] that differ, and how many checks failed besides.
    fn problems(&self) -> String {
        let failed = self.results.iter().filter_map(|(check, result)| Some((check, result.as_ref().err()?)));
        let mut text = String::new();
        for (at, failed) in grouped(failed.map(|(check, problem)| (check.variant, (problem, check)))) {
            let (variant, checks) = (&self.plan.variants[at], failed.len());
            let mut differing = grouped(failed);
            differing.truncate(PROBLEMS_SHOWN);
            for (problem, checks) in &differing {
                let _ = writeln!(text, "{variant} {}: {problem}", self.place(*checks[0]));
            }
            let more = checks - differing.len();
            if more > 0 {
                let _ = writeln!(text, "{variant}: {} failed", count_of(more, "more check"));
            }
        }
        text
    }

    /// Why variants were not checked on kinds of graphs, a line a reason.
    pub(super) fn not_run(&self) -> Vec<String> {
        let reasons = (0..self.plan.variants.len()).flat_map(|at| {
            let of_kind = |kind| Some((self.plan.why_not(at, kind)?, KINDS[kind].name));
            grouped((0..KINDS.len()).filter_map(of_kind)).into_iter().map(move |reason| (reason, at))
        });
        let line = |((reason, kinds), variants): ((String, Vec<&str>), Vec<usize>)| {
            let of =
                if kinds.len() == KINDS.len() { String::new() } else { format!("on {}: ", kinds.join("; ")) };
            format!("{of}{reason}: {}", self.named(&variants))
        };
        grouped(reasons).into_iter().map(line).collect()
    }

    /// Names of these variants; an implementation's alone where all of its variants are among them.
    fn named(&self, variants: &[usize]) -> String {
        let name = |at: &usize| {
            let variant = &self.plan.variants[*at];
            let mut all = self.plan.variants.iter().enumerate();
            let has_other = all
                .any(|(other, of)| of.implementation == variant.implementation && !variants.contains(&other));
            if has_other { variant.to_string() } else { variant.implementation.to_string() }
        };
        distinct(variants.iter().map(name)).join(", ")
    }

    /// How many checks were right and how many were made, of each variant and kind of graph with any checks.
    fn grid(&self) -> Grid {
        let plan = &self.plan;
        let mut cells: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
        for (check, result) in &self.results {
            let (right, made) = cells.entry((check.variant, check.kind)).or_default();
            *right += usize::from(result.is_ok());
            *made += 1;
        }
        let kinds: BTreeSet<usize> = cells.keys().map(|(_, kind)| *kind).collect();
        let rows = distinct(cells.keys().map(|(at, _)| *at)).into_iter().map(|at| {
            let right_of_made = |(right, made): &(usize, usize)| format!("{right} of {made}");
            let cell = |kind: &usize| cells.get(&(at, *kind)).map_or("not run".to_string(), right_of_made);
            std::iter::once(plan.variants[at].to_string()).chain(kinds.iter().map(cell)).collect()
        });
        let sizes: Vec<String> = plan.sizes.iter().map(ToString::to_string).collect();
        let part = plan.options.part;
        let part =
            if part == Partition::WHOLE { String::new() } else { format!(", part {part} of the checks") };
        let titles = std::iter::once("").chain(kinds.iter().map(|kind| KINDS[*kind].name));
        Grid::new(format!("Right results{part}, n = {}", sizes.join(", ")), titles, rows)
    }

    /// How kernels were emulated, if they were.
    fn emulation(&self) -> Option<String> {
        let VerifyPlan { options, open, variants, .. } = &self.plan;
        let ran_kernels = self.results.iter().any(|(check, _)| variants[check.variant].needs_device());
        let with = if options.check { "with" } else { "without" };
        let asked = options.device.is_emulated().then(|| format!(" (--device {})", options.device));
        let orders = options.orders;
        let orders =
            if orders > 1 { format!(", in {orders} orders of blocks and threads") } else { String::new() };
        (*open == OpenDevices::Emulated && ran_kernels).then(|| {
            format!(
                "kernels ran on the emulated device{}, {with} the checker of memory accesses, races and barriers{orders}\n",
                asked.unwrap_or_default()
            )
        })
    }

    /// What was not run, what was wrong and how many checks passed; unless all passed, below a table with a row a variant and a column a
    /// kind of graph, for a terminal of `width` columns or as wide as need be.
    pub fn text(&self, width: Option<u16>) -> String {
        let is_all = self.wrong() == 0 && self.missing() == 0;
        let mut text = if is_all { String::new() } else { self.grid().terminal(width) };
        text.extend(self.not_run().into_iter().map(|line| format!("not run: {line}\n")));
        text += &self.problems();
        text.extend(self.emulation());
        let (made, planned) = (self.results.len(), self.planned);
        text += &match self.wrong() {
            0 if made == planned => format!("all {made} checks passed\n"),
            0 if made == 0 => format!("none of {planned} checks made\n"),
            0 => format!("{made} of {planned} checks made, all passed so far\n"),
            wrong if made == planned => format!("{wrong} of {made} checks failed\n"),
            wrong => format!("{made} of {planned} checks made, {wrong} of them failed\n"),
        };
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Selection;
    use crate::verify::VerifyOptions;
    use crate::verify::plan::tests::{emulated, options};

    fn checked(orders: u64, planned: usize, results: &[Option<&str>]) -> VerifyReport {
        let usual = options(Selection::Emulated(None), Some(&[1]), Some(&["cpu-naive"]));
        let result = |problem: &Option<&str>| problem.map_or(Ok(()), |problem| Err(problem.to_string()));
        VerifyReport {
            plan: emulated(VerifyOptions { orders, ..usual }),
            planned,
            results: results.iter().map(|problem| (Check::default(), result(problem))).collect(),
        }
    }

    #[test]
    fn checks_that_were_not_made_are_not_said_to_have_passed_and_a_table_tells_those_that_were() {
        let checked = |planned, results: &[Option<&str>]| checked(1, planned, results);
        let last = |checked: VerifyReport| {
            let text = checked.text(None);
            assert!(text.starts_with("Right results, n = 1\n"), "{text}");
            text.lines().last().unwrap().to_string()
        };
        let all = checked(2, &[None, None]).text(None);
        assert!(!all.contains("Right results") && all.ends_with("all 2 checks passed\n"), "{all}");
        assert_eq!(last(checked(3, &[None, None])), "2 of 3 checks made, all passed so far");
        assert_eq!(last(checked(3, &[])), "none of 3 checks made");
        assert_eq!(last(checked(2, &[None, Some("wrong")])), "1 of 2 checks failed");
        assert_eq!(last(checked(3, &[None, Some("wrong")])), "2 of 3 checks made, 1 of them failed");
    }

    #[test]
    fn one_mistake_that_fails_every_check_is_shown_once_and_counted() {
        let problems = |results: &[Option<&str>]| checked(1, 9, results).problems();
        assert_eq!(problems(&[None, Some("a race")]), "cpu-naive n = 1, dense: a race\n");
        assert_eq!(
            problems(&[Some("a race"), Some("a race")]),
            "cpu-naive n = 1, dense: a race\ncpu-naive: 1 more check failed\n"
        );
        let different = problems(&["a", "b", "a", "c", "d", "e"].map(Some));
        let lines: Vec<&str> = different.lines().collect();
        assert_eq!(lines.len(), PROBLEMS_SHOWN + 1, "{different}");
        assert!(lines[2].ends_with("dense: c"), "{different}");
        assert_eq!(lines[3], "cpu-naive: 3 more checks failed");
        // Of several orders it names the one.
        let wrong = (Check { order: 2, ..Check::default() }, Err("a race".to_string()));
        let several = VerifyReport { results: vec![wrong], ..checked(3, 2, &[]) };
        assert_eq!(several.problems(), "cpu-naive n = 1, dense, order 2: a race\n");
    }
}
