//! Whether implementations give right results, without a clock, over sizes and kinds of graphs, and what was wrong.

mod plan;
mod report;

use crate::device::emulated::Instruments;
use crate::graph::ElementType;
use crate::lists::grouped;
use crate::measure::{Answer, Executor, FailureCause, GraphRequest, Observer, OpenRequest, Reply, Request};
use crate::plan::{GraphSource, Limits};
use crate::store::Environment;
use plan::{Check, GraphCase, KINDS, OpenDevices};
pub use plan::{VerifyOptions, VerifyPlan};
pub use report::VerifyReport;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// One check: opening, solving and comparing the largest graphs on slow machines included.
const LIMIT: Duration = Duration::from_secs(600);

const LIMITS: Limits =
    Limits { warm_up_s: 0.0, sample_s: 600.0, full_cell_s: 0.0, whole_reference_n: 8192, reference_rows: 64 };

/// One of several equal parts, written `3/10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Counts from 1.
    number: usize,
    of: usize,
}

impl Partition {
    /// Everything.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Whether the piece of work at this place belongs to it.
    pub fn has(self, place: usize) -> bool {
        place % self.of == self.number - 1
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').map(|(number, of)| (number.parse(), of.parse()));
        match numbers {
            Some((Ok(number), Ok(of))) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("expected K/N with K from 1 to N, for example 3/10".to_string()),
        }
    }
}

/// Checks everything in `plan`; ends early when interrupted. None where that was before a device was opened.
///
/// # Errors
/// When no worker can be had, the device that was asked for is missing, or there is nothing to check: a run that checked nothing must not look
/// like one that passed.
pub fn verify(
    mut plan: VerifyPlan,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Option<VerifyReport>, String> {
    let Some(environment) = open(&plan, 0, executor)? else { return Ok(None) };
    let VerifyOptions { device, part, orders, .. } = plan.options;
    if let Some(problem) = environment.device_problem.as_ref().filter(|_| device.is_demanded()) {
        return Err(format!("--device {device}: {problem}{}", device.instead()));
    }
    plan.open = match environment.device {
        None => OpenDevices::None(environment.device_problem.unwrap_or_default()),
        Some(device) if device.info.emulated => OpenDevices::Emulated,
        Some(_) => OpenDevices::Gpus(1 + environment.further_devices.len()),
    };
    let mut report = VerifyReport { planned: plan.planned(), plan, results: Vec::new() };
    if report.planned == 0 && part == Partition::WHOLE {
        let why = report.not_run().join("; ");
        return Err(format!("there is nothing to check: {why}; choose other --sizes, --only or --device"));
    }
    for order in 0..orders {
        let is_open = order == 0 || open(&report.plan, order, executor)?.is_some();
        if !is_open || check_in_order(order, executor, observer, &mut report).is_none() {
            break;
        }
    }
    Ok(Some(report))
}

/// Has the worker open the device with its blocks and threads in this order. None when interrupted.
fn open(plan: &VerifyPlan, order: u64, executor: &mut dyn Executor) -> Result<Option<Environment>, String> {
    let opening = OpenRequest {
        device: plan.options.device.to_string(),
        variants: plan.variants.clone(),
        elements: ElementType::ALL.to_vec(),
        instruments: if plan.options.check { Instruments::CHECK } else { Instruments::NONE },
        order,
    };
    match executor.ask(&Request::Open(opening), LIMIT) {
        // Every check of a file that cannot be used would say the same.
        Ok(Reply::Opened(opened)) => opened.unusable.map_or(Ok(Some(opened.environment)), Err),
        Ok(_) => Err("the worker process does not answer".into()),
        Err(failure) if failure.cause == FailureCause::Interrupted => Ok(None),
        Err(failure) if matches!(failure.cause, FailureCause::TimedOut | FailureCause::Died) => {
            Err(format!("the worker process is lost: {}", failure.message))
        }
        Err(failure) => Err(failure.message),
    }
}

/// Makes all checks of one order. None where it was interrupted, or stopped at a check that failed.
fn check_in_order(
    order: u64,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    report: &mut VerifyReport,
) -> Option<()> {
    let checks: Vec<Check> = report.plan.checks(order).collect();
    for ((size, kind), checks) in grouped(checks.into_iter().map(|check| ((check.size, check.kind), check))) {
        let place = report.place(checks[0]);
        observer.progress(&place, report.results.len(), report.planned, None);
        let GraphCase { element, graph, .. } = &KINDS[kind];
        let graph = GraphSource::Random(graph.clone());
        let graph = GraphRequest::whole(graph, *element, report.plan.sizes[size], LIMITS);
        let loaded = result_of(executor.ask(&Request::LoadGraph(graph), LIMIT))?;
        for check in checks {
            observer.progress(&place, report.results.len(), report.planned, None);
            let variant = report.plan.variants[check.variant].clone();
            let result = match &loaded {
                Ok(()) => result_of(executor.ask(&Request::Check { variant: variant.clone() }, LIMIT))?,
                Err(problem) => Err(problem.clone()),
            };
            let is_known =
                |(past, known): &(Check, Result<_, _>)| past.variant == check.variant && known.is_err();
            // At once: the table may be minutes away.
            let problem = result.as_ref().err().filter(|_| !report.results.iter().any(is_known));
            problem.iter().for_each(|problem| observer.note(&format!("{variant} {place}: {problem}")));
            let failed = result.is_err();
            report.results.push((check, result));
            if failed && report.plan.options.fail_fast {
                return None;
            }
        }
    }
    Some(())
}

/// What an answer says is wrong. None where it was interrupted.
fn result_of(answer: Answer) -> Option<Result<(), String>> {
    match answer {
        Ok(_) => Some(Ok(())),
        Err(failure) if failure.cause == FailureCause::Interrupted => None,
        Err(failure) => Some(Err(failure.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Selection;
    use crate::measure::{Failure, OpenReply};
    use crate::plan::Variant;
    use crate::results::fixtures::environment;
    use crate::verify::plan::tests::options;
    use std::collections::BTreeSet;

    /// A worker that has opened so many GPUs, and finds right whatever these can run, unless none of its kernels compiles.
    struct Gpus {
        open: usize,
        compile: bool,
        checked: Vec<Variant>,
    }

    impl Executor for Gpus {
        fn ask(&mut self, request: &Request, _: Duration) -> Answer {
            let failed = |cause, why: &str| Err(Failure::new(cause, why));
            match request {
                Request::Open(_) => {
                    let environment = environment(self.open);
                    Ok(Reply::Opened(Box::new(OpenReply { environment, unusable: None })))
                }
                Request::LoadGraph(_) => Ok(Reply::GraphReady),
                Request::Check { .. } if !self.compile => failed(FailureCause::Other, "does not compile"),
                Request::Check { variant } if variant.devices() > self.open => {
                    failed(FailureCause::TooFewDevices, "needs more devices")
                }
                Request::Check { variant } => {
                    self.checked.push(variant.clone());
                    Ok(Reply::Right)
                }
                other => failed(FailureCause::Other, &format!("{other:?}")),
            }
        }
    }

    #[derive(Default)]
    struct Notes(Vec<String>);

    impl Observer for Notes {
        fn note(&mut self, text: &str) {
            self.0.push(text.to_string());
        }
        fn progress(&mut self, _: &str, _: usize, _: usize, _: Option<f64>) {}
    }

    /// Checks `distributed-blocked` and `cpu-naive` at one size where so many GPUs are open.
    fn on_gpus(device: Selection) -> VerifyPlan {
        crate::distributed::register();
        VerifyPlan::new(options(device, Some(&[64]), Some(&["distributed-blocked", "cpu-naive"]))).unwrap()
    }

    fn checked_on(open: usize, plan: VerifyPlan) -> (VerifyReport, Vec<Variant>) {
        let mut worker = Gpus { open, compile: true, checked: Vec::new() };
        let checked = verify(plan, &mut worker, &mut Notes::default()).unwrap().unwrap();
        (checked, worker.checked)
    }

    #[test]
    fn what_needs_more_gpus_than_are_open_is_not_run_and_nothing_has_failed() {
        let plan = on_gpus(Selection::Cuda(None));
        let (checked, asked) = checked_on(1, plan);
        let text = checked.text(None);
        assert_eq!((checked.wrong(), checked.missing(), asked.len()), (0, 0, checked.planned), "{text}");
        assert!(asked.iter().all(|variant| variant.devices() <= 1), "{asked:?}");
        let few = "not run: needs more than 1 GPU, and --device cuda:all opens all that there are: ";
        let line = text.lines().find(|line| line.starts_with(few)).expect(&text);
        for devices in [2, 3, 4, 6, 9] {
            assert!(line.contains(&format!("devices={devices};")), "{line}");
        }
        assert_eq!(text.lines().last().unwrap(), format!("all {} checks passed", asked.len()));
        // Whoever has named them all is not told to.
        let text = checked_on(1, on_gpus(Selection::CudaAll)).0.text(None);
        assert!(text.contains("not run: needs more than 1 GPU: distributed-blocked ("), "{text}");
    }

    #[test]
    fn of_each_variant_what_was_wrong_first_is_told_while_checks_run_and_all_that_was_in_the_end() {
        let plan = on_gpus(Selection::Cpu);
        let mut noted = Notes::default();
        let mut worker = Gpus { open: 0, compile: false, checked: Vec::new() };
        let checked = verify(plan, &mut worker, &mut noted).unwrap().unwrap();
        let variants: BTreeSet<&str> = noted.0.iter().filter_map(|note| note.split(" n = ").next()).collect();
        assert!(variants.contains("cpu-naive") && checked.wrong() > variants.len(), "{}", checked.text(None));
        assert_eq!(noted.0.len(), variants.len(), "{:?}", noted.0);
        assert!(noted.0.iter().all(|note| note.ends_with(": does not compile")), "{:?}", noted.0);
    }

    #[test]
    fn every_cell_that_was_not_run_has_a_reason() {
        let plan = on_gpus(Selection::CudaAll);
        let (checked, _) = checked_on(9, plan);
        let text = checked.text(None);
        let reasons: Vec<&str> = text.lines().filter(|line| line.starts_with("not run")).collect();
        let [of_type, undirected] = reasons[..] else { panic!("{text}") };
        assert_eq!(of_type, "not run: on f64: takes f32, i32, u16 alone: distributed-blocked");
        // Those that are not asked for half of the tasks.
        let those =
            "not run: on undirected; undirected i32; undirected u16: does all n³ tasks of any graph: ";
        assert!(undirected.starts_with(those) && undirected.contains("devices=3;rows=1"), "{text}");
        assert!(!undirected.contains("half=1"), "{text}");
        // Parameters that no size goes with are named once.
        let only = options(Selection::Cpu, Some(&[8]), Some(&["cpu-generalized-blocked"]));
        let text = checked_on(0, VerifyPlan::new(only).unwrap()).0.text(None);
        let reason = "not run: kappa is at most the number of tiles a side, and n = 8 has 1 of 8: ";
        assert!(text.contains(&format!("{reason}cpu-generalized-blocked (kappa=3;tile=8)\n")), "{text}");
        assert_eq!(text.matches("(kappa=3;tile=8)").count(), 1, "{text}");
    }

    #[test]
    fn a_plan_without_any_check_is_refused_with_the_reason_and_a_part_without_one_is_fine() {
        let checked = |name: &str, part| {
            let plan = VerifyOptions { part, ..options(Selection::Cpu, Some(&[8]), Some(&[name])) };
            let mut worker = Gpus { open: 0, compile: true, checked: Vec::new() };
            verify(VerifyPlan::new(plan).unwrap(), &mut worker, &mut Notes::default())
        };
        let refused = checked("katz-kider", Partition::WHOLE).err().unwrap();
        assert!(refused.starts_with("there is nothing to check: needs a device ("), "{refused}");
        assert!(refused.contains("): katz-kider; choose other --sizes"), "{refused}");
        let part = checked("katz-kider", "1/10".parse().unwrap()).unwrap().unwrap();
        assert_eq!(part.planned, 0);
        assert!(checked("cpu-naive", Partition::WHOLE).is_ok());
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["", "3", "0/10", "11/10", "1/0", "-1/3", "a/b", "1/2/3"] {
            assert!(text.parse::<Partition>().is_err(), "{text}");
        }
        assert_eq!("3/10".parse::<Partition>().unwrap().to_string(), "3/10");
    }
}
