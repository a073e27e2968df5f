//! Which implementations are checked, over which sizes and kinds of graphs, and why one is not.

use crate::device::Selection;
use crate::device::emulated::Instruments;
use crate::graph::{ElementType, RandomGraph};
use crate::implementation::{self, Implementation, Parameters, Target};
use crate::plan::{ConfigError, GraphSource, Variant, implementation_named, wrong_option};
use crate::store::Environment;
use crate::verify::Part;
use std::sync::Arc;
use thiserror::Error;

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

/// What a worker has opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AvailableDevices {
    NoDevice,
    /// So many GPUs.
    Gpus(usize),
    /// As many emulated devices as are needed.
    Emulated,
}

impl AvailableDevices {
    pub fn of(environment: &Environment) -> Self {
        match &environment.device {
            None => Self::NoDevice,
            Some(device) if device.info.emulated => Self::Emulated,
            Some(_) => Self::Gpus(1 + environment.further_devices.len()),
        }
    }
}

/// Why no check of a variant was made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum SkipReason {
    #[error("needs a device")]
    NoDevice,
    /// It is a program that takes a GPU itself.
    #[error("takes a GPU itself, and there is none")]
    NoGpu,
    #[error("needs {needed} devices")]
    TooFewDevices { needed: usize },
    /// Its types, what is missing for it, which n go with it, or where its checks are made.
    #[error("{0}")]
    Other(String),
}

/// A kind of graph.
#[derive(Clone, Copy)]
pub(super) struct GraphCase {
    pub name: &'static str,
    pub element: ElementType,
    density: f64,
    negative: bool,
    undirected: bool,
}

const fn case(
    name: &'static str,
    element: ElementType,
    density: f64,
    negative: bool,
    undirected: bool,
) -> GraphCase {
    GraphCase { name, element, density, negative, undirected }
}

const KINDS: [GraphCase; 11] = [
    case("dense", ElementType::F32, 1.0, false, false),
    case("sparse", ElementType::F32, 0.02, false, false),
    case("no edges", ElementType::F32, 0.0, false, false),
    case("dense, negative", ElementType::F32, 1.0, true, false),
    case(ROUNDED, ElementType::F32, 0.02, true, false),
    case("i32", ElementType::I32, 0.02, true, false),
    case("u16", ElementType::U16, 0.02, false, false),
    case("f64", ElementType::F64, 0.02, true, false),
    case("undirected", ElementType::F32, 0.02, false, true),
    case("undirected i32", ElementType::I32, 0.02, false, true),
    case("undirected u16", ElementType::U16, 0.02, false, true),
];

impl GraphCase {
    pub fn graph(&self) -> GraphSource {
        let max_weight = match self.element {
            // So that no path of 1,024 vertices is beyond what 16 bits hold.
            ElementType::U16 => 30,
            // So that sums of f32 may be rounded, but for few vertices.
            _ if self.name == ROUNDED => 65_535,
            _ => 1000,
        };
        let Self { density, negative, undirected, .. } = *self;
        let complete = RandomGraph::complete(1);
        GraphSource::Random(RandomGraph { density, max_weight, negative, undirected, ..complete })
    }

    /// Whether it makes a difference to a variant, where it is there for those to which it does.
    fn is_for(&self, variant: &Variant) -> bool {
        let known = variant.implementation.known();
        !self.undirected || known.is_some_and(|known| known.capabilities(&variant.parameters).halves)
    }

    /// Whether it is one of those that stand for all kinds where an emulated solve takes long: which instructions a kernel executes, and where
    /// it loads and stores, hardly depends on the weights.
    fn stands_for_others(&self) -> bool {
        self.element != ElementType::F32 || self.name == ROUNDED || self.undirected
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

/// Which check: its variant, kind of graph and size by index, and the order.
#[derive(Clone, Copy, Default)]
pub(super) struct Check {
    pub variant: usize,
    pub kind: usize,
    pub size: usize,
    pub order: u64,
}

/// What is to be checked.
pub struct VerifyPlan {
    pub(super) device: Selection,
    /// What that is on this machine, once it is open.
    pub(super) available: AvailableDevices,
    pub(super) instruments: Instruments,
    pub(super) sizes: Vec<usize>,
    pub(super) variants: Vec<Variant>,
    pub(super) kinds: Vec<GraphCase>,
    /// Whether the sizes are not chosen by the user: where kernels are emulated, the largest are left to one kind of graph.
    pub(super) usual_sizes: bool,
    /// Which of all these checks are made.
    pub(super) part: Part,
    /// In how many orders of blocks and threads each is made.
    pub(super) orders: u64,
    /// Whether the first check that fails is the last.
    pub(super) fail_fast: bool,
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
        let variant = |(of, parameters)| Variant { implementation: of, parameters };
        let all =
            implementations.iter().flat_map(|one| one.verified_parameters().map(move |of| (one.into(), of)));
        let variants: Vec<Variant> = all.map(variant).collect();
        let is_needed = |kind: &GraphCase| variants.iter().any(|variant| kind.is_for(variant));
        let kinds = KINDS.into_iter().filter(is_needed).collect();
        let available = AvailableDevices::NoDevice;
        let fail_fast = false;
        Ok(Self {
            device,
            available,
            instruments,
            sizes,
            variants,
            kinds,
            usual_sizes,
            part,
            orders,
            fail_fast,
        })
    }

    /// Ends with the first check that fails.
    pub fn until_one_fails(self) -> Self {
        Self { fail_fast: true, ..self }
    }

    /// What a variant needs and this machine lacks.
    pub(super) fn lacks(&self, variant: &Variant) -> Option<SkipReason> {
        let needed = variant.devices();
        match self.available {
            AvailableDevices::NoDevice if variant.needs_device() => Some(SkipReason::NoDevice),
            AvailableDevices::NoDevice | AvailableDevices::Emulated if variant.takes_gpu() => {
                Some(SkipReason::NoGpu)
            }
            AvailableDevices::Gpus(here) if here < needed => Some(SkipReason::TooFewDevices { needed }),
            _ => None,
        }
    }

    /// Whether a variant needs more devices than there are.
    pub(super) fn lacks_devices(&self, variant: &Variant) -> bool {
        matches!(self.lacks(variant), Some(SkipReason::TooFewDevices { .. }))
    }

    /// Whether a check is among those that are made where nothing lacks.
    pub(super) fn includes(&self, check: Check) -> bool {
        // Neighbours go to different parts, whichever way one looks.
        if !self.part.has(check.variant + check.size * self.kinds.len() + check.kind) {
            return false;
        }
        let (variant, n, kind) =
            (&self.variants[check.variant], self.sizes[check.size], &self.kinds[check.kind]);
        if variant.solves(n, kind.element).is_err() || !kind.is_for(variant) {
            return false;
        }
        if self.available != AvailableDevices::Emulated || !variant.needs_device() {
            return true;
        }
        // Parameters may want more vertices than the sizes of every kind have.
        let is_least = || self.sizes.iter().all(|least| *least >= n || variant.fits(*least).is_err());
        let stands_in = !self.device.is_emulated();
        !self.usual_sizes
            || (kind.is_emulated(n, variant) || is_least()) && (!stands_in || n <= MOST_EMULATED_UNASKED)
    }

    /// Every check in the first order, the kinds of graphs of one size after another.
    pub(super) fn checks(&self) -> impl Iterator<Item = Check> {
        let (variants, kinds) = (self.variants.len(), self.kinds.len());
        let check = move |at| Check {
            variant: at % variants,
            kind: at / variants % kinds,
            size: at / variants / kinds,
            order: 0,
        };
        (0..variants * kinds * self.sizes.len()).map(check).filter(|check| self.includes(*check))
    }

    /// In how many orders a variant is checked: a CPU knows only one.
    pub(super) fn orders_of(&self, variant: &Variant) -> u64 {
        if variant.needs_device() { self.orders } else { 1 }
    }

    /// How many checks there are of variants that are `counted`.
    pub(super) fn count(&self, counted: impl Fn(&Variant) -> bool) -> usize {
        let variants = self.checks().map(|check| &self.variants[check.variant]);
        let orders = variants.filter(|variant| counted(variant)).map(|one| self.orders_of(one));
        usize::try_from(orders.fold(0, u64::saturating_add)).unwrap_or(usize::MAX)
    }

    /// How many checks it makes.
    pub(super) fn planned(&self) -> usize {
        self.count(|variant| self.lacks(variant).is_none())
    }

    /// Why no check of the variant of index `at` is made on the kind of graph of this index. None where one is.
    pub(super) fn why_not(&self, at: usize, kind: usize) -> Option<SkipReason> {
        let variant = &self.variants[at];
        let lacks = self.lacks(variant);
        let mut checks = (0..self.sizes.len()).map(|size| Check { variant: at, kind, size, order: 0 });
        if lacks.is_some() || checks.any(|check| self.includes(check)) {
            return lacks;
        }
        let known = variant.implementation.known()?;
        let elements = known.capabilities(&variant.parameters).elements;
        let mut unfit = self.sizes.iter().map(|n| variant.fits(*n).err());
        Some(SkipReason::Other(match known.solver.missing() {
            _ if !elements.contains(&self.kinds[kind].element) => {
                let known: Vec<String> = elements.iter().map(ToString::to_string).collect();
                format!("takes {} alone", known.join(", "))
            }
            Some(reason) => reason,
            None if !self.kinds[kind].is_for(variant) => "does all n³ tasks of any graph".to_string(),
            None => match unfit.clone().all(|reason| reason.is_some()) {
                true => unfit.find_map(|reason| reason).unwrap_or_default(),
                false if self.part == Part::WHOLE => {
                    "takes too long on the emulated device, unless --sizes asks for it".to_string()
                }
                false => "is in other parts of the checks".to_string(),
            },
        }))
    }

    /// Why none of its checks can be made, if that is so of the whole plan: a run that checked nothing must not look like one that passed.
    /// The device has this `problem`.
    pub(super) fn nothing_to_check(&self, problem: Option<&str>) -> Option<String> {
        if self.planned() > 0 || self.part != Part::WHOLE {
            return None;
        }
        let with = problem.map_or(String::new(), |problem| format!(": {problem}"));
        let reason = |variant: &Variant| {
            let lacks = self.lacks(variant);
            let lacking = |lacks: &SkipReason| format!("{variant} {lacks}{with}");
            let size = || self.sizes.iter().find_map(|n| variant.fits(*n).err());
            let element = || {
                let known = variant.implementation.known()?;
                self.kinds.iter().find_map(|kind| known.takes(kind.element, &variant.parameters).err())
            };
            // A program may lack more than a GPU, and knows what.
            let more_than_gpu = lacks.as_ref().filter(|lacks| **lacks != SkipReason::NoGpu).map(lacking);
            more_than_gpu.or_else(size).or_else(element).or_else(|| lacks.as_ref().map(lacking))
        };
        let reason = self.variants.iter().find_map(reason);
        let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
        Some(format!("there is nothing to check{reason}; choose other --sizes, --only or --device"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emulated(plan: VerifyPlan) -> VerifyPlan {
        VerifyPlan { available: AvailableDevices::Emulated, ..plan }
    }

    #[test]
    fn ten_parts_make_every_check_once_and_each_has_some_of_every_implementation() {
        let plan = |part: Part| {
            emulated(VerifyPlan::new(Selection::Emulated(None), None, None, true, part, 1).unwrap())
        };
        let whole = plan(Part::WHOLE);
        let made = |plan: &VerifyPlan, at| -> Vec<(usize, usize)> {
            let places =
                (0..plan.sizes.len()).flat_map(|size| (0..plan.kinds.len()).map(move |kind| (size, kind)));
            places
                .filter(|&(size, kind)| plan.includes(Check { variant: at, kind, size, order: 0 }))
                .collect()
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
        let plan = VerifyPlan::new(Selection::Emulated(None), None, None, true, Part::WHOLE, 1);
        let plan = emulated(plan.unwrap());
        for (at, variant) in plan.variants.iter().enumerate() {
            for (kind, of) in plan.kinds.iter().enumerate() {
                let why_not = plan.why_not(at, kind).map(|reason| reason.to_string());
                let known = variant.implementation.known().unwrap();
                let is_due = of.is_for(variant) && known.takes(of.element, &variant.parameters).is_ok();
                assert_eq!(why_not.is_none(), is_due, "{variant} {}: {why_not:?}", of.name);
            }
            for (size, n) in plan.sizes.iter().enumerate() {
                for element in ElementType::ALL {
                    let mut kinds = (0..plan.kinds.len()).filter(|kind| plan.kinds[*kind].element == element);
                    let is_end = matches!(n, 1..=65) || (*n == 129 && element == ElementType::F32);
                    let is_due = is_end && variant.solves(*n, element).is_ok();
                    let is_checked =
                        kinds.any(|kind| plan.includes(Check { variant: at, kind, size, order: 0 }));
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
        let refused = whole.nothing_to_check(Some("no driver")).unwrap();
        assert!(refused.contains("nothing to check: katz-kider needs a device: no driver"), "{refused}");
        let part = plan("katz-kider", "1/10".parse().unwrap());
        assert_eq!(part.planned(), 0);
        assert_eq!(part.nothing_to_check(Some("no driver")), None);
        let whole = plan("cpu-naive", Part::WHOLE);
        assert_eq!(whole.nothing_to_check(None), None);
    }

    #[test]
    fn orders_are_of_the_emulated_device_and_multiply_what_runs_on_it() {
        let plan = |device, orders| {
            let only = Some(vec!["cpu-naive".to_string(), "katz-kider".to_string()]);
            VerifyPlan::new(device, Some(vec![8]), only, true, Part::WHOLE, orders)
        };
        let checks = |orders| emulated(plan(Selection::Emulated(None), orders).unwrap()).planned();
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
}
