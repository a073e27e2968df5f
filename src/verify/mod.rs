//! Whether implementations give right results, without a clock, over sizes and kinds of graphs, and what was wrong.

mod plan;
mod report;

use crate::graph::ElementType;
use crate::lists::grouped;
use crate::measure::{
    Answer, Executor, Failure, FailureCause, GraphRequest, Observer, Opening, Reply, Request,
};
use crate::plan::Limits;
use crate::store::Environment;
pub use plan::VerifyPlan;
use plan::{AvailableDevices, Check};
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
pub struct Part {
    /// Counts from 1.
    number: usize,
    of: usize,
}

impl Part {
    /// Everything.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Whether the piece of work at this place belongs to it.
    pub fn has(self, place: usize) -> bool {
        place % self.of == self.number - 1
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("expected K/N with K from 1 to N, for example 3/10".to_string()),
        }
    }
}

/// Checks everything in `plan`; ends early when interrupted. None where that was before there was anything to check on.
///
/// # Errors
/// When no worker can be had, or the device that was asked for is missing.
pub fn verify(
    mut plan: VerifyPlan,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Option<VerifyReport>, String> {
    let Some(environment) = open(&plan, 0, executor)? else { return Ok(None) };
    if let Some(problem) = environment.device_problem.as_ref().filter(|_| plan.device.is_demanded()) {
        return Err(format!("--device {}: {problem}{}", plan.device, plan.device.instead()));
    }
    plan.available = AvailableDevices::of(&environment);
    let device_problem = environment.device_problem.filter(|_| environment.device.is_none());
    if let Some(reason) = plan.nothing_to_check(device_problem.as_deref()) {
        return Err(reason);
    }
    let mut report = VerifyReport { planned: plan.planned(), plan, results: Vec::new(), device_problem };
    for order in 0..report.plan.orders {
        if order > 0 && open(&report.plan, order, executor)?.is_none() {
            break;
        }
        if check_in_order(order, executor, observer, &mut report).is_err() {
            break;
        }
    }
    Ok(Some(report))
}

/// Has the worker open the device with its blocks and threads in this order. None when interrupted.
fn open(plan: &VerifyPlan, order: u64, executor: &mut dyn Executor) -> Result<Option<Environment>, String> {
    let opening = Opening {
        device: plan.device.to_string(),
        variants: plan.variants.clone(),
        elements: ElementType::ALL.to_vec(),
        instruments: plan.instruments,
        order,
    };
    match executor.ask(&Request::Open(opening), LIMIT) {
        Ok(Reply::Opened(opened)) => match opened.unusable {
            // Every check would say the same.
            Some(problem) => Err(problem),
            None => Ok(Some(opened.environment)),
        },
        Ok(_) => Err("the worker process does not answer".into()),
        Err(Failure { cause, message }) => match cause {
            FailureCause::Interrupted => Ok(None),
            FailureCause::TimedOut => Err("the worker process does not answer".into()),
            FailureCause::Died => Err(format!("the worker process is lost: {message}")),
            _ => Err(message),
        },
    }
}

/// Makes all checks of one order.
fn check_in_order(
    order: u64,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    report: &mut VerifyReport,
) -> Result<(), VerifyStopped> {
    let plan = &report.plan;
    let is_made = |check: &Check| {
        let variant = &plan.variants[check.variant];
        plan.lacks(variant).is_none() && order < plan.orders_of(variant)
    };
    let checks = plan.checks().filter(is_made).map(|check| Check { order, ..check });
    for ((size, kind), checks) in grouped(checks.map(|check| ((check.size, check.kind), check))) {
        let place = report.place(checks[0]);
        observer.progress(&place, report.results.len(), report.planned, None);
        let kind = &report.plan.kinds[kind];
        let n = report.plan.sizes[size];
        let graph = GraphRequest::whole(kind.graph(), kind.element, n, LIMITS);
        let not_loaded = problem_of(executor.ask(&Request::LoadGraph(graph), LIMIT))?;
        for check in checks {
            observer.progress(&place, report.results.len(), report.planned, None);
            let variant = report.plan.variants[check.variant].clone();
            let problem = match &not_loaded {
                Some(problem) => Some(problem.clone()),
                None => problem_of(executor.ask(&Request::Check { variant: variant.clone() }, LIMIT))?,
            };
            let is_known =
                |(past, known): &(Check, Option<String>)| past.variant == check.variant && known.is_some();
            // What was wrong is below the table, once.
            if problem.is_some() && !report.results.iter().any(is_known) {
                observer.note(&format!("{variant} {place}: failed"));
            }
            let is_last = report.plan.fail_fast && problem.is_some();
            report.results.push((check, problem));
            if is_last {
                return Err(VerifyStopped);
            }
        }
    }
    Ok(())
}

/// That it was interrupted, or stopped at a check that failed.
struct VerifyStopped;

fn problem_of(answer: Answer) -> Result<Option<String>, VerifyStopped> {
    match answer {
        Ok(_) => Ok(None),
        Err(failure) if failure.cause == FailureCause::Interrupted => Err(VerifyStopped),
        Err(failure) => Ok(Some(failure.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Selection;
    use crate::measure::Opened;
    use crate::plan::Variant;
    use crate::results::fixtures::environment;
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
                    Ok(Reply::Opened(Box::new(Opened { environment, unusable: None })))
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
        let only = ["distributed-blocked", "cpu-naive"].map(String::from).to_vec();
        VerifyPlan::new(device, Some(vec![64]), Some(only), true, Part::WHOLE, 1).unwrap()
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
        let text = checked.table(None);
        assert_eq!((checked.wrong(), checked.missing(), asked.len()), (0, 0, checked.planned), "{text}");
        assert!(asked.iter().all(|variant| variant.devices() <= 1), "{asked:?}");
        for devices in [2, 3, 4, 6, 9] {
            let expected = format!("not run: needs {devices} devices: distributed-blocked (");
            let line = text.lines().find(|line| line.starts_with(&expected));
            assert!(line.is_some_and(|line| line.contains(&format!("devices={devices};"))), "{text}");
        }
        // Six sets of parameters on seven kinds of graphs, and one of them on three that are undirected.
        let expected =
            "45 checks were not made: they need more devices than the 1 that was opened; --device cuda:all";
        let last: Vec<&str> = text.lines().rev().take(2).collect();
        assert!(
            last[1].starts_with(expected) && last[0] == format!("all {} checks passed", asked.len()),
            "{text}"
        );
        // Whoever has named them all is not told to.
        let text = checked_on(1, on_gpus(Selection::CudaAll)).0.table(None);
        assert!(text.contains("45 checks were not made") && !text.contains("--device cuda:all"), "{text}");
    }

    #[test]
    fn of_each_variant_the_first_check_that_fails_is_told_while_checks_run_and_what_was_wrong_in_the_end() {
        let plan = on_gpus(Selection::Cpu);
        let mut noted = Notes::default();
        let mut worker = Gpus { open: 0, compile: false, checked: Vec::new() };
        let checked = verify(plan, &mut worker, &mut noted).unwrap().unwrap();
        let variants: BTreeSet<&str> = noted.0.iter().filter_map(|note| note.split(" n = ").next()).collect();
        assert!(
            variants.contains("cpu-naive") && checked.wrong() > variants.len(),
            "{}",
            checked.table(None)
        );
        assert_eq!(noted.0.len(), variants.len(), "{:?}", noted.0);
        assert!(noted.0.iter().all(|note| note.ends_with(": failed")), "{:?}", noted.0);
    }

    #[test]
    fn every_cell_that_was_not_run_has_a_reason() {
        let plan = on_gpus(Selection::CudaAll);
        let (checked, _) = checked_on(9, plan);
        let text = checked.table(None);
        let reasons: Vec<&str> = text.lines().filter(|line| line.starts_with("not run")).collect();
        let [of_type, undirected] = reasons[..] else { panic!("{text}") };
        assert_eq!(of_type, "not run, f64: takes f32, i32, u16 alone: distributed-blocked");
        // Those that are not asked for half of the tasks.
        let those = "not run, undirected; undirected i32; undirected u16: does all n³ tasks of any graph: ";
        assert!(undirected.starts_with(those) && undirected.contains("devices=3;rows=1"), "{text}");
        assert!(!undirected.contains("half=1"), "{text}");
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["", "3", "0/10", "11/10", "1/0", "-1/3", "a/b", "1/2/3"] {
            assert!(text.parse::<Part>().is_err(), "{text}");
        }
        assert_eq!("3/10".parse::<Part>().unwrap().to_string(), "3/10");
    }
}
