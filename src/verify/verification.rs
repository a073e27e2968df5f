//! Checking implementations without timing them, over sizes and kinds of graphs.

use crate::device::Selection;
use crate::device::emulated::Instruments;
use crate::graph::{ElementType, RandomGraph};
use crate::implementation::{self, Implementation, Parameters, Target};
use crate::lists::grouped;
use crate::measure::{Answer, Executor, GraphRequest, NoReply, Observer, Opening, Reply, Request};
use crate::plan::{ConfigError, GraphSource, Limits, Variant, implementation_named, wrong_option};
use crate::store::Environment;
use crate::verify::at_hand::{AtHand, NotRun};
use crate::verify::checked::{Check, Checked};
use crate::verify::part::Part;
use std::sync::Arc;
use std::time::Duration;

/// Around multiples of 32 and 64, where tiles end, and around nothing in particular.
const SIZES: [usize; 16] = [1, 2, 31, 32, 33, 63, 64, 65, 100, 127, 255, 256, 257, 512, 1000, 1024];

/// Sizes for the emulated device, whose checker sees every access of n³ tasks.
const EMULATED_SIZES: [usize; 11] = [1, 2, 31, 32, 33, 63, 64, 65, 100, 129, 257];
/// Up to here every kind of graph is solved with every set of parameters: beyond a tile of 32.
const EVERY_KIND_EMULATED: usize = 33;
/// Up to here, beyond a tile of 64, those that stand for others.
const EVERY_TYPE_EMULATED: usize = 65;
/// Up to here these with the defaults alone.
const DEFAULTS_EMULATED: usize = 100;
/// Up to here, beyond a tile of 128, those of `f32` with every set of parameters. Beyond, where a block of 256 threads ends, one with the
/// defaults, if the matrix is not padded to whole tiles, nor covered by smaller blocks.
const EVERY_VARIANT_EMULATED: usize = 129;
/// The largest n for it where it only stands in for a GPU that is not there: some seconds.
const MOST_EMULATED_UNASKED: usize = 100;

/// The kind of graph with sums that `f32` may round.
const ROUNDED: &str = "sparse, negative";

/// One check: opening, solving and comparing the largest graphs on slow machines included.
const LIMIT: Duration = Duration::from_secs(600);

const LIMITS: Limits =
    Limits { warm_up_s: 0.0, sample_s: 600.0, full_cell_s: 0.0, whole_reference_n: 8192, reference_rows: 64 };

/// A kind of graph.
pub(super) struct Kind {
    pub name: &'static str,
    graph: GraphSource,
    element: ElementType,
}

impl Kind {
    /// Whether it makes a difference to a variant, where it is there for those to which it does.
    fn is_for(&self, variant: &Variant) -> bool {
        let known = variant.implementation.known();
        !self.graph.weights().symmetric
            || known.is_some_and(|known| known.capabilities(&variant.parameters).halves)
    }

    /// Whether it is one of those that stand for all kinds where an emulated solve takes long: which instructions a kernel executes, and where
    /// it loads and stores, hardly depends on the weights.
    fn stands_for_others(&self) -> bool {
        self.element != ElementType::F32 || self.name == ROUNDED || self.graph.weights().symmetric
    }

    /// Whether it is among what is emulated of a variant where nobody chose the sizes.
    fn is_emulated(&self, n: usize, variant: &Variant) -> bool {
        let is_f32 = self.element == ElementType::F32;
        let is_default = variant.parameters == Parameters::default();
        let kernels =
            || variant.implementation.known()?.launched_kernels(Target::default(), &variant.parameters);
        let is_in_place = || kernels().is_some_and(|set| set.layout.is_in_place(n));
        match () {
            () if n <= EVERY_KIND_EMULATED => true,
            () if n <= EVERY_TYPE_EMULATED => self.stands_for_others(),
            () if n <= DEFAULTS_EMULATED => is_default && self.stands_for_others(),
            () if n <= EVERY_VARIANT_EMULATED => is_f32 && self.stands_for_others(),
            () => is_default && self.name == ROUNDED && is_in_place() && has_no_smaller_block(variant),
        }
    }
}

/// Whether no block that it is known to have has its end at a smaller size.
fn has_no_smaller_block(variant: &Variant) -> bool {
    let known = variant.implementation.known();
    let columns = known.and_then(|known| known.parameters.iter().find(|one| one.name == "block-x"));
    columns.is_none_or(|columns| columns.default as usize > EVERY_VARIANT_EMULATED)
}

/// What is to be checked.
pub struct VerifyPlan {
    pub(super) device: Selection,
    pub(super) instruments: Instruments,
    pub(super) sizes: Vec<usize>,
    pub(super) variants: Vec<Variant>,
    pub(super) kinds: Vec<Kind>,
    /// Whether the sizes are not chosen by the user: where kernels are emulated, the largest are left to one kind of graph.
    usual_sizes: bool,
    /// Which of all these checks are made.
    pub(super) part: Part,
    /// In how many orders of blocks and threads each is made.
    pub(super) orders: u64,
    /// Whether the first check that fails is the last.
    fail_fast: bool,
}

impl VerifyPlan {
    /// Every implementation, with its defaults and with the parameters that it names for this, over the usual sizes or those
    /// given; on the emulated device those that it runs, with its checker if `check`. Of up to ten parts each has some checks of
    /// every implementation. On the emulated device each is made in so many orders of blocks and threads.
    ///
    /// # Errors
    /// When a name is unknown, a size is 0, or orders are not of the emulated device.
    pub fn new(
        device: Selection,
        sizes: Option<Vec<usize>>,
        only: Option<Vec<String>>,
        check: bool,
        part: Part,
        orders: u64,
    ) -> Result<Self, ConfigError> {
        let instruments = if check { Instruments::CHECK } else { Instruments::NONE };
        let usual_sizes = sizes.is_none();
        let usual = if device.is_emulated() { &EMULATED_SIZES[..] } else { &SIZES };
        let sizes = sizes.unwrap_or_else(|| usual.to_vec());
        if orders == 0 {
            return Err(wrong_option("--orders", "0 orders check nothing: expected at least 1"));
        }
        if orders > 1 && !device.is_emulated() {
            let problem = format!(
                "a GPU chooses the order of blocks and threads itself: add --device emulated, or do without {orders} orders"
            );
            return Err(wrong_option("--orders", problem));
        }
        if sizes.contains(&0) {
            return Err(wrong_option("--sizes", "n = 0: a graph has at least 1 vertex"));
        }
        let implementations: Vec<Arc<Implementation>> = match only {
            None => {
                let wanted = |one: &Arc<Implementation>| !device.is_emulated() || one.needs_device();
                implementation::catalogue().into_iter().filter(wanted).collect()
            }
            Some(names) => {
                let named = names.iter().map(|name| implementation_named(name)).collect::<Result<_, _>>();
                named.map_err(|problem| wrong_option("--only", problem))?
            }
        };
        let kind = |name, element, density, negative, undirected| {
            let max_weight = match (element, name) {
                // So that no path of 1,024 vertices is beyond what 16 bits hold.
                (ElementType::U16, _) => 30,
                // So that sums of f32 may be rounded, but for few vertices.
                (_, ROUNDED) => 65_535,
                _ => 1000,
            };
            let graph = GraphSource::Random(RandomGraph {
                density,
                max_weight,
                negative,
                undirected,
                ..RandomGraph::complete(1)
            });
            Kind { name, graph, element }
        };
        use ElementType::{F32, F64, I32, U16};
        let mut kinds = vec![
            kind("dense", F32, 1.0, false, false),
            kind("sparse", F32, 0.02, false, false),
            kind("no edges", F32, 0.0, false, false),
            kind("dense, negative", F32, 1.0, true, false),
            kind(ROUNDED, F32, 0.02, true, false),
            kind("i32", I32, 0.02, true, false),
            kind("u16", U16, 0.02, false, false),
            kind("f64", F64, 0.02, true, false),
            kind("undirected", F32, 0.02, false, true),
            kind("undirected i32", I32, 0.02, false, true),
            kind("undirected u16", U16, 0.02, false, true),
        ];
        let variants: Vec<Variant> = implementations.iter().flat_map(variants_of).collect();
        kinds.retain(|kind: &Kind| variants.iter().any(|variant| kind.is_for(variant)));
        Ok(Self { device, instruments, sizes, variants, kinds, usual_sizes, part, orders, fail_fast: false })
    }

    /// Ends with the first check that fails.
    pub fn until_one_fails(self) -> Self {
        Self { fail_fast: true, ..self }
    }

    /// Whether the variant of index `at` is checked at the size and on the kind of graph of these indices.
    fn includes(&self, at: usize, size: usize, kind: usize, emulated: bool) -> bool {
        // Neighbours go to different parts, whichever way one looks.
        if !self.part.has(at + size * self.kinds.len() + kind) {
            return false;
        }
        let (variant, n) = (&self.variants[at], self.sizes[size]);
        let element = self.kinds[kind].element;
        if variant.solves(n, element).is_err() || !self.kinds[kind].is_for(variant) {
            return false;
        }
        // Parameters may want more vertices than the sizes of every kind have.
        let is_least = || self.sizes.iter().all(|least| *least >= n || variant.fits(*least).is_err());
        let is_chosen = !self.usual_sizes || self.kinds[kind].is_emulated(n, variant) || is_least();
        let stands_in = self.usual_sizes && !self.device.is_emulated();
        let is_short = is_chosen && (!stands_in || n <= MOST_EMULATED_UNASKED);
        !emulated || !variant.needs_device() || is_short
    }

    /// Every check in the first order, the kinds of graphs of one size after another.
    fn checks(&self, at_hand: AtHand) -> impl Iterator<Item = Check> {
        let kinds = move |size| (0..self.kinds.len()).map(move |kind| (size, kind));
        let variants = move |(size, kind)| {
            (0..self.variants.len()).map(move |variant| Check { variant, kind, size, order: 0 })
        };
        (0..self.sizes.len())
            .flat_map(kinds)
            .flat_map(variants)
            .filter(move |check| self.includes(check.variant, check.size, check.kind, at_hand.is_emulated()))
    }

    /// Why no check of the variant of index `at` is made on the kind of graph of this index. None where one is.
    pub(super) fn why_not(&self, at: usize, kind: usize, at_hand: AtHand) -> Option<NotRun> {
        let variant = &self.variants[at];
        let mut sizes = 0..self.sizes.len();
        let lacks = at_hand.lacks(variant);
        if lacks.is_some() || sizes.any(|size| self.includes(at, size, kind, at_hand.is_emulated())) {
            return lacks;
        }
        let known = variant.implementation.known()?;
        let elements = known.capabilities(&variant.parameters).elements;
        let fits = |n: &usize| variant.fits(*n);
        Some(NotRun::Other(match known.solver.missing() {
            _ if !elements.contains(&self.kinds[kind].element) => {
                let known: Vec<String> = elements.iter().map(ToString::to_string).collect();
                format!("takes {} alone", known.join(", "))
            }
            Some(reason) => reason,
            None if !self.kinds[kind].is_for(variant) => "does all n³ tasks of any graph".to_string(),
            None if self.sizes.iter().all(|n| fits(n).is_err()) => {
                self.sizes.iter().find_map(|n| fits(n).err()).unwrap_or_default()
            }
            None if self.part == Part::WHOLE => {
                "takes too long on the emulated device, unless --sizes asks for it".to_string()
            }
            None => "is in other parts of the checks".to_string(),
        }))
    }

    /// Why none of its checks can be made, if that is so of the whole plan: a run that checked nothing must not look like one that passed.
    fn nothing_to_check(&self, planned: usize, at_hand: AtHand, problem: Option<&str>) -> Option<String> {
        if planned > 0 || self.part != Part::WHOLE {
            return None;
        }
        let with = problem.map_or(String::new(), |problem| format!(": {problem}"));
        let reason = |variant: &Variant| {
            let lacks = at_hand.lacks(variant);
            let lacking = |lacks: &NotRun| format!("{variant} {lacks}{with}");
            let size = || self.sizes.iter().find_map(|n| variant.fits(*n).err());
            let element = || {
                let known = variant.implementation.known()?;
                self.kinds.iter().find_map(|kind| known.takes(kind.element, &variant.parameters).err())
            };
            // A program may lack more than a GPU, and knows what.
            let more_than_gpu = lacks.as_ref().filter(|lacks| **lacks != NotRun::NoGpu).map(lacking);
            more_than_gpu.or_else(size).or_else(element).or_else(|| lacks.as_ref().map(lacking))
        };
        let reason =
            self.variants.iter().find_map(reason).map_or(String::new(), |reason| format!(": {reason}"));
        Some(format!("there is nothing to check{reason}; choose other --sizes, --only or --device"))
    }

    /// In how many orders a variant is checked: a CPU knows only one.
    fn orders_of(&self, variant: &Variant) -> u64 {
        if variant.needs_device() { self.orders } else { 1 }
    }

    /// How many checks there are of variants that `is_counted` on what is at hand.
    pub(super) fn count(&self, at_hand: AtHand, is_counted: impl Fn(AtHand, &Variant) -> bool) -> usize {
        let variants = self.checks(at_hand).map(|check| &self.variants[check.variant]);
        let orders = variants.filter(|variant| is_counted(at_hand, variant)).map(|one| self.orders_of(one));
        usize::try_from(orders.fold(0, u64::saturating_add)).unwrap_or(usize::MAX)
    }

    /// How many checks it makes.
    fn planned(&self, at_hand: AtHand) -> usize {
        self.count(at_hand, |at_hand, variant| at_hand.lacks(variant).is_none())
    }
}

/// Checks everything in `plan`; ends early when interrupted. None where that was before there was anything to check on.
///
/// # Errors
/// When no worker can be had, or the device that was asked for is missing.
pub fn verify<'a>(
    plan: &'a VerifyPlan,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Option<Checked<'a>>, String> {
    let Some(environment) = open(plan, 0, executor)? else { return Ok(None) };
    if let Some(problem) = environment.device_problem.as_ref().filter(|_| plan.device.is_demanded()) {
        return Err(format!("--device {}: {problem}{}", plan.device, plan.device.instead()));
    }
    let at_hand = AtHand::of(&environment);
    let mut checked = Checked {
        plan,
        at_hand,
        planned: plan.planned(at_hand),
        results: Vec::new(),
        device_problem: environment.device_problem.filter(|_| environment.device.is_none()),
    };
    if let Some(reason) = plan.nothing_to_check(checked.planned, at_hand, checked.device_problem.as_deref()) {
        return Err(reason);
    }
    for order in 0..plan.orders {
        if order > 0 && open(plan, order, executor)?.is_none() {
            break;
        }
        if check_in_order(order, executor, observer, &mut checked).is_err() {
            break;
        }
    }
    Ok(Some(checked))
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
        Err(NoReply::Refused(failure)) => Err(failure.message),
        Err(NoReply::Died(words)) => Err(format!("the worker process is lost: {words}")),
        Err(NoReply::Interrupted) => Ok(None),
        _ => Err("the worker process does not answer".into()),
    }
}

/// Makes all checks of one order.
fn check_in_order(
    order: u64,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    checked: &mut Checked,
) -> Result<(), Stopped> {
    let Checked { plan, at_hand, .. } = *checked;
    let is_made = |check: &Check| {
        let variant = &plan.variants[check.variant];
        at_hand.lacks(variant).is_none() && order < plan.orders_of(variant)
    };
    let checks = plan.checks(at_hand).filter(is_made).map(|check| Check { order, ..check });
    for ((size, kind), checks) in grouped(checks.map(|check| ((check.size, check.kind), check))) {
        let place = checked.place(checks[0]);
        observer.progress(&place, checked.results.len(), checked.planned, None);
        let Kind { graph, element, .. } = &plan.kinds[kind];
        let graph = GraphRequest::whole(graph.clone(), *element, plan.sizes[size], LIMITS);
        let not_loaded = problem_of(executor.ask(&Request::LoadGraph(graph), LIMIT))?;
        for check in checks {
            observer.progress(&place, checked.results.len(), checked.planned, None);
            let variant = &plan.variants[check.variant];
            let request = Request::Check { variant: variant.clone() };
            let problem = match &not_loaded {
                Some(problem) => Some(problem.clone()),
                None => problem_of(executor.ask(&request, LIMIT))?,
            };
            let is_known =
                |(past, known): &(Check, Option<String>)| past.variant == check.variant && known.is_some();
            // What was wrong is below the table, once.
            if problem.is_some() && !checked.results.iter().any(is_known) {
                observer.note(&format!("{variant} {place}: failed"));
            }
            let is_last = plan.fail_fast && problem.is_some();
            checked.results.push((check, problem));
            if is_last {
                return Err(Stopped);
            }
        }
    }
    Ok(())
}

/// That it was interrupted, or stopped at a check that failed.
struct Stopped;

fn problem_of(answer: Answer) -> Result<Option<String>, Stopped> {
    match answer {
        Ok(_) => Ok(None),
        Err(NoReply::Interrupted) => Err(Stopped),
        Err(why) => Ok(Some(why.message(&format!("no result after {} s", LIMIT.as_secs())))),
    }
}

fn variants_of(implementation: &Arc<Implementation>) -> Vec<Variant> {
    implementation
        .verified_parameters()
        .map(|parameters| Variant { implementation: implementation.into(), parameters })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Failure, FailureCause, Opened};
    use crate::results::fixtures::environment;
    use std::collections::BTreeSet;

    #[test]
    fn ten_parts_make_every_check_once_and_each_has_some_of_every_implementation() {
        let plan =
            |part: Part| VerifyPlan::new(Selection::Emulated(None), None, None, true, part, 1).unwrap();
        let whole = plan(Part::WHOLE);
        let made = |plan: &VerifyPlan, at| -> Vec<(usize, usize)> {
            let places =
                (0..plan.sizes.len()).flat_map(|size| (0..plan.kinds.len()).map(move |kind| (size, kind)));
            places.filter(|&(size, kind)| plan.includes(at, size, kind, true)).collect()
        };
        for at in 0..whole.variants.len() {
            let mut together = Vec::new();
            for number in 1..=10 {
                let part = made(&plan(format!("{number}/10").parse().unwrap()), at);
                let is_default = whole.variants[at].parameters == Parameters::default();
                assert!(!part.is_empty() || !is_default, "{} in part {number}", whole.variants[at]);
                together.extend(part);
            }
            together.sort_unstable();
            assert_eq!(together, made(&whole, at));
        }
    }

    #[test]
    fn every_variant_is_emulated_where_tiles_end_in_every_type_that_it_takes() {
        crate::distributed::register();
        let plan = VerifyPlan::new(Selection::Emulated(None), None, None, true, Part::WHOLE, 1).unwrap();
        for (at, variant) in plan.variants.iter().enumerate() {
            for (kind, of) in plan.kinds.iter().enumerate() {
                let why_not = plan.why_not(at, kind, AtHand::Emulated).map(|reason| reason.to_string());
                let known = variant.implementation.known().unwrap();
                let is_due = of.is_for(variant) && known.takes(of.element, &variant.parameters).is_ok();
                assert_eq!(why_not.is_none(), is_due, "{variant} {}: {why_not:?}", of.name);
            }
            for (size, n) in plan.sizes.iter().enumerate() {
                for element in ElementType::ALL {
                    let mut kinds = (0..plan.kinds.len()).filter(|kind| plan.kinds[*kind].element == element);
                    let is_end = matches!(n, 1..=65) || (*n == 129 && element == ElementType::F32);
                    let is_due = is_end && variant.solves(*n, element).is_ok();
                    let is_checked = kinds.any(|kind| plan.includes(at, size, kind, true));
                    assert!(is_checked || !is_due, "{variant} n = {n}, {element}");
                }
            }
        }
    }

    #[test]
    fn a_plan_without_any_check_gives_the_reason_and_a_part_without_one_is_fine() {
        let plan = |name: &str, part| {
            VerifyPlan::new(Selection::Cpu, Some(vec![8]), Some(vec![name.to_string()]), true, part, 1)
                .unwrap()
        };
        let whole = plan("katz-kider", Part::WHOLE);
        let refused = whole.nothing_to_check(0, AtHand::NoDevice, Some("no driver")).unwrap();
        assert!(refused.contains("nothing to check: katz-kider needs a device: no driver"), "{refused}");
        let part = plan("katz-kider", "1/10".parse().unwrap());
        assert_eq!(part.planned(AtHand::NoDevice), 0);
        assert_eq!(part.nothing_to_check(0, AtHand::NoDevice, Some("no driver")), None);
        let whole = plan("cpu-naive", Part::WHOLE);
        assert_eq!(whole.nothing_to_check(whole.planned(AtHand::NoDevice), AtHand::NoDevice, None), None);
    }

    #[test]
    fn orders_are_of_the_emulated_device_and_multiply_what_runs_on_it() {
        let plan = |device, orders| {
            let only = Some(vec!["cpu-naive".to_string(), "katz-kider".to_string()]);
            VerifyPlan::new(device, Some(vec![8]), only, true, Part::WHOLE, orders)
        };
        let checks = |orders| plan(Selection::Emulated(None), orders).unwrap().planned(AtHand::Emulated);
        let of_cpu = 3 * checks(1) - checks(3);
        assert_eq!(checks(2) - checks(1), checks(3) - checks(2));
        assert!(of_cpu > 0 && checks(3) < 3 * checks(1));
        for (device, orders) in
            [(Selection::Auto, 2), (Selection::Cuda(None), 2), (Selection::Emulated(None), 0)]
        {
            assert!(plan(device, orders).is_err_and(|error| error.to_string().contains("--orders")));
        }
        assert!(plan(Selection::Auto, 1).is_ok());
    }

    /// A worker that has opened so many GPUs, and finds right whatever these can run, unless none of its kernels compiles.
    struct Gpus {
        open: usize,
        compile: bool,
        checked: Vec<Variant>,
    }

    impl Executor for Gpus {
        fn ask(&mut self, request: &Request, _: Duration) -> Answer {
            let failed = |cause, why: &str| Err(NoReply::Refused(Failure::new(cause, why.to_string())));
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

    fn checked_on(open: usize, plan: &VerifyPlan) -> (Checked<'_>, Vec<Variant>) {
        let mut worker = Gpus { open, compile: true, checked: Vec::new() };
        let checked = verify(plan, &mut worker, &mut Notes::default()).unwrap().unwrap();
        (checked, worker.checked)
    }

    #[test]
    fn what_needs_more_gpus_than_are_open_is_not_run_and_nothing_has_failed() {
        let plan = on_gpus(Selection::Cuda(None));
        let (checked, asked) = checked_on(1, &plan);
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
        let text = checked_on(1, &on_gpus(Selection::CudaAll)).0.table(None);
        assert!(text.contains("45 checks were not made") && !text.contains("--device cuda:all"), "{text}");
    }

    #[test]
    fn of_each_variant_the_first_check_that_fails_is_told_while_checks_run_and_what_was_wrong_in_the_end() {
        let plan = on_gpus(Selection::Cpu);
        let mut noted = Notes::default();
        let mut worker = Gpus { open: 0, compile: false, checked: Vec::new() };
        let checked = verify(&plan, &mut worker, &mut noted).unwrap().unwrap();
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
        let (checked, _) = checked_on(9, &plan);
        let text = checked.table(None);
        let reasons: Vec<&str> = text.lines().filter(|line| line.starts_with("not run")).collect();
        let [of_type, undirected] = reasons[..] else { panic!("{text}") };
        assert_eq!(of_type, "not run, f64: takes f32, i32, u16 alone: distributed-blocked");
        // Those that are not asked for half of the tasks.
        let those = "not run, undirected; undirected i32; undirected u16: does all n³ tasks of any graph: ";
        assert!(undirected.starts_with(those) && undirected.contains("devices=3;rows=1"), "{text}");
        assert!(!undirected.contains("half=1"), "{text}");
    }
}
