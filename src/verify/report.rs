//! What checks of implementations found, as text.

use crate::device::Selection;
use crate::implementation::Parameters;
use crate::lists::{distinct, grouped};
use crate::plan::Variant;
use crate::report::text::Grid;
use crate::verify::Part;
use crate::verify::plan::{AvailableDevices, Check, SkipReason, VerifyPlan};
use std::collections::BTreeMap;
use std::fmt::Write;

/// So many problems of an implementation with its parameters are shown, each different: one mistake fails most checks.
const PROBLEMS_SHOWN: usize = 3;

/// What was found.
pub struct VerifyReport {
    pub(super) plan: VerifyPlan,
    /// Checks that were to be made.
    pub planned: usize,
    /// None when right.
    pub(super) results: Vec<(Check, Option<String>)>,
    /// Why implementations on a device were not checked.
    pub(super) device_problem: Option<String>,
}

impl VerifyReport {
    /// Checks that were made and failed.
    pub fn wrong(&self) -> usize {
        self.results.iter().filter(|(_, problem)| problem.is_some()).count()
    }

    /// Checks that were planned and not made.
    pub fn missing(&self) -> usize {
        self.planned - self.results.len()
    }

    /// The size and the kind of graph of a check, and the order if there are several.
    pub(super) fn place(&self, check: Check) -> String {
        let order = if self.plan.orders > 1 { format!(", order {}", check.order) } else { String::new() };
        format!("n = {}, {}{order}", self.plan.sizes[check.size], self.plan.kinds[check.kind].name)
    }

    /// What was wrong, a line each: of each variant the first [`PROBLEMS_SHOWN`] that differ, and how many checks failed besides.
    fn problems(&self) -> String {
        let mut text = String::new();
        let mut of_variants: BTreeMap<usize, (Vec<&str>, usize)> = BTreeMap::new();
        for (check, problem) in &self.results {
            let Some(problem) = problem else { continue };
            let (shown, more) = of_variants.entry(check.variant).or_default();
            if shown.len() < PROBLEMS_SHOWN && !shown.contains(&problem.as_str()) {
                shown.push(problem);
                let (variant, place) = (&self.plan.variants[check.variant], self.place(*check));
                let _ = writeln!(text, "{variant} {place}: {problem}");
            } else {
                *more += 1;
            }
        }
        for (at, (_, more)) in of_variants.iter().filter(|(_, (_, more))| *more > 0) {
            let checks = if *more == 1 { "check" } else { "checks" };
            let _ = writeln!(text, "{}: {more} more {checks} failed", self.plan.variants[*at]);
        }
        text
    }

    /// How many checks of this variant on this kind of graph were right, and how many were made.
    fn right_of_made(&self, at: usize, kind: usize) -> (usize, usize) {
        let is_of = |check: &Check| (check.variant, check.kind) == (at, kind);
        let made = || self.results.iter().filter(|(check, _)| is_of(check));
        (made().filter(|(_, problem)| problem.is_none()).count(), made().count())
    }

    /// The variants that have a row. Parameters that no size goes with are nothing that was left out.
    fn shown(&self) -> Vec<(usize, &Variant)> {
        let is_shown = |(at, variant): &(usize, &Variant)| {
            variant.parameters == Parameters::default()
                || self.plan.lacks_devices(variant)
                || self.results.iter().any(|(check, _)| check.variant == *at)
        };
        self.plan.variants.iter().enumerate().filter(is_shown).collect()
    }

    /// Why the table says "not run", a line a reason with the kinds of graphs and the implementations that it is the reason of. What no
    /// device or no GPU is the reason of has a line of its own.
    fn not_run(&self) -> Vec<String> {
        let (mut reasons, mut is_stopped) = (Vec::new(), false);
        for (at, _) in self.shown() {
            let of_kinds = (0..self.plan.kinds.len()).filter(|kind| self.right_of_made(at, *kind).1 == 0);
            let of_kinds = of_kinds.map(|kind| (self.plan.why_not(at, kind), self.plan.kinds[kind].name));
            for (reason, kinds) in grouped(of_kinds) {
                match reason {
                    None => is_stopped = true,
                    Some(SkipReason::NoDevice | SkipReason::NoGpu) => {}
                    Some(reason) => reasons.push(((reason, kinds), at)),
                }
            }
        }
        let lines = grouped(reasons).into_iter().map(|((reason, kinds), variants)| {
            let kinds = match kinds.len() == self.plan.kinds.len() {
                true => String::new(),
                false => format!(", {}", kinds.join("; ")),
            };
            format!("not run{kinds}: {reason}: {}", self.named(&variants))
        });
        let stopped = is_stopped.then(|| "not run otherwise: stopped before".to_string());
        lines.chain(stopped).collect()
    }

    /// These variants, and an implementation without parameters where they are all that it has in the table.
    fn named(&self, variants: &[usize]) -> String {
        let shown = self.shown();
        let name = |at: &usize| {
            let implementation = &self.plan.variants[*at].implementation;
            let mut of_it = shown.iter().filter(|(_, shown)| shown.implementation == *implementation);
            match of_it.all(|(at, _)| variants.contains(at)) {
                true => implementation.to_string(),
                false => self.plan.variants[*at].to_string(),
            }
        };
        distinct(variants.iter().map(name)).join(", ")
    }

    /// That checks need more devices than are open, if any does.
    fn too_few_devices(&self) -> Option<String> {
        let AvailableDevices::Gpus(open) = self.plan.available else { return None };
        let (checks, were, they) = match self.plan.count(|variant| self.plan.lacks_devices(variant)) {
            0 => return None,
            1 => (1, "check was", "it needs"),
            many => (many, "checks were", "they need"),
        };
        let opened = if open == 1 { "1 that was opened" } else { &format!("{open} that were opened") };
        let are_all = self.plan.device == Selection::CudaAll;
        let remedy = if are_all { "" } else { "; --device cuda:all opens all that there are" };
        Some(format!("{checks} {were} not made: {they} more devices than the {opened}{remedy}\n"))
    }

    /// A row an implementation, a column a kind of graph, and below it what was wrong, for a terminal of `width` columns or as wide as need
    /// be.
    pub fn table(&self, width: Option<u16>) -> String {
        let sizes: Vec<String> = self.plan.sizes.iter().map(ToString::to_string).collect();
        let titles = std::iter::once("").chain(self.plan.kinds.iter().map(|kind| kind.name));
        // Parameters that no size goes with are nothing that was left out.
        let rows = self.shown().into_iter().map(|(at, variant)| {
            let cells = (0..self.plan.kinds.len()).map(|kind| match self.right_of_made(at, kind) {
                (_, 0) => "not run".to_string(),
                (right, made) => format!("{right} of {made}"),
            });
            std::iter::once(variant.to_string()).chain(cells).collect()
        });
        let title = match self.plan.part {
            Part::WHOLE => format!("Right results, n = {}", sizes.join(", ")),
            part => format!("Right results, part {part} of the checks, n = {}", sizes.join(", ")),
        };
        let grid = Grid::new(title, titles, rows);
        let mut text = grid.terminal(width);
        self.not_run().iter().for_each(|line| text += &format!("{line}\n"));
        text.push_str(&self.problems());
        let ran_kernels =
            self.results.iter().any(|(check, _)| self.plan.variants[check.variant].needs_device());
        if self.plan.available == AvailableDevices::Emulated && ran_kernels {
            text += "kernels ran on the emulated device";
            if let Some((major, minor)) = self.plan.device.capability() {
                let _ = write!(text, " as compute capability {major}.{minor}");
            }
            text += match self.plan.instruments.check {
                true => ", with its checker of memory accesses, races and barriers",
                false => ", without its checker",
            };
            if self.plan.orders > 1 {
                let _ = write!(text, ", in {} orders of blocks and threads", self.plan.orders);
            }
            text.push('\n');
        }
        let takes_gpu = self.plan.variants.iter().any(Variant::takes_gpu);
        if takes_gpu && self.plan.available == AvailableDevices::Emulated {
            text += "programs that take a GPU were not checked: the emulated device is none\n";
        }
        if let Some(problem) = &self.device_problem {
            let _ = writeln!(text, "implementations on a device were not checked: {problem}");
        }
        text.extend(self.too_few_devices());
        let (made, planned) = (self.results.len(), self.planned);
        let _ = match self.wrong() {
            0 if made == planned => writeln!(text, "all {made} checks passed"),
            0 if made == 0 => writeln!(text, "none of {planned} checks made"),
            0 => writeln!(text, "{made} of {planned} checks made, all passed so far"),
            wrong if made == planned => writeln!(text, "{wrong} of {made} checks failed"),
            wrong => writeln!(text, "{made} of {planned} checks made, {wrong} of them failed"),
        };
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(orders: u64, planned: usize, results: &[Option<&str>]) -> VerifyReport {
        let (only, sizes) = (Some(vec!["cpu-naive".to_string()]), Some(vec![1]));
        let plan = VerifyPlan::new(Selection::Emulated(None), sizes, only, true, Part::WHOLE, orders);
        VerifyReport {
            plan: VerifyPlan { available: AvailableDevices::Emulated, ..plan.unwrap() },
            planned,
            results: results.iter().map(|problem| (Check::default(), problem.map(str::to_string))).collect(),
            device_problem: None,
        }
    }

    #[test]
    fn checks_that_were_not_made_are_not_said_to_have_passed() {
        let checked = |planned, results: &[Option<&str>]| checked(1, planned, results);
        let last = |checked: VerifyReport| checked.table(None).lines().last().unwrap().to_string();
        assert_eq!(last(checked(2, &[None, None])), "all 2 checks passed");
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
    }

    #[test]
    fn what_is_wrong_in_one_of_several_orders_names_the_order() {
        let one = checked(1, 1, &[Some("a race")]);
        assert!(one.table(None).contains("cpu-naive n = 1, dense: a race"), "{}", one.table(None));
        let several = VerifyReport {
            results: vec![
                (Check::default(), None),
                (Check { order: 2, ..Check::default() }, Some("a race".into())),
            ],
            ..checked(3, 2, &[])
        };
        assert!(
            several.table(None).contains("cpu-naive n = 1, dense, order 2: a race"),
            "{}",
            several.table(None)
        );
    }
}
