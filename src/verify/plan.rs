//! Which implementations are checked, over which sizes and kinds of graphs, and why one is not.

use crate::device::Selection;
use crate::graph::ElementType::{self, F32, F64, I32, U16};
use crate::graph::RandomGraph;
use crate::implementation::{self, Implementation, Target};
use crate::lists::count_of;
use crate::plan::{ConfigError, Variant, implementation_named, wrong_option};
use crate::verify::Partition;
use std::sync::Arc;

/// Sizes around multiples of 32 and 64, where tiles end, and some with no such reason.
const SIZES: [usize; 16] = [1, 2, 31, 32, 33, 63, 64, 65, 100, 127, 255, 256, 257, 512, 1000, 1024];

/// Sizes for the emulated device, whose checker sees every access of n³ tasks: as above, and where vectors of four end and no tile does.
const EMULATED_SIZES: [usize; 11] = [1, 2, 31, 32, 33, 36, 63, 64, 65, 129, 257];
/// Up to this n, sizes end within a tile, at a vector, and just beyond a tile of 32.
const WITHIN_TILES: usize = 36;
/// A size beyond every tile of shards, the largest of which is 128.
const BEYOND_SHARDS: usize = 129;
/// The largest n on the emulated device where it only stands in for a missing GPU: some seconds.
const MOST_EMULATED_UNASKED: usize = 65;

/// What a worker has opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OpenDevices {
    /// None, for this reason.
    None(String),
    /// This many GPUs.
    Gpus(usize),
    /// As many emulated devices as are needed.
    Emulated,
}

/// A kind of graph.
pub(super) struct GraphCase {
    pub name: &'static str,
    pub element: ElementType,
    pub graph: RandomGraph,
    /// Up to which n it is emulated where the user chose no sizes: with other parameters than the defaults, and with the defaults or
    /// without tiles. The instructions and addresses of a kernel hardly depend on the weights, so that few kinds stand for all.
    emulated: [usize; 2],
}

const fn case(name: &'static str, element: ElementType, graph: RandomGraph, most: [usize; 2]) -> GraphCase {
    GraphCase { name, element, graph, emulated: most }
}

const DENSE: RandomGraph =
    RandomGraph { density: 1.0, max_weight: 1000, negative: false, undirected: false, seed: 1, graphs: 1 };
const SPARSE: RandomGraph = RandomGraph { density: 0.02, ..DENSE };

pub(super) static KINDS: [GraphCase; 11] = [
    case("dense", F32, DENSE, [2, 33]),
    case("sparse", F32, SPARSE, [2, 33]),
    case("no edges, or a ring", F32, RandomGraph { density: 0.0, ..DENSE }, [2, 33]),
    case("dense, negative", F32, RandomGraph { negative: true, ..DENSE }, [33, 33]),
    // Weights so large that sums of f32 may be rounded, but for few vertices.
    case("sparse, negative", F32, RandomGraph { negative: true, max_weight: 65_535, ..SPARSE }, [129, 257]),
    case("i32", I32, RandomGraph { negative: true, ..SPARSE }, [36, 65]),
    // Weights so small that every path of 1,024 vertices fits into 16 bits.
    case("u16", U16, RandomGraph { max_weight: 30, ..SPARSE }, [36, 65]),
    case("f64", F64, RandomGraph { negative: true, ..SPARSE }, [36, 65]),
    case("undirected", F32, RandomGraph { undirected: true, ..SPARSE }, [129, 129]),
    case("undirected i32", I32, RandomGraph { undirected: true, ..SPARSE }, [36, 65]),
    case("undirected u16", U16, RandomGraph { undirected: true, max_weight: 30, ..SPARSE }, [36, 65]),
];

/// Which check: its variant, kind of graph and size by index, and the order.
#[derive(Clone, Copy, Default)]
pub(super) struct Check {
    pub variant: usize,
    pub kind: usize,
    pub size: usize,
    pub order: u64,
}

/// What the user wants checked.
pub struct VerifyOptions {
    pub device: Selection,
    /// None: the usual sizes.
    pub sizes: Option<Vec<usize>>,
    /// Names of implementations. None: every one; on the emulated device those that it runs.
    pub only: Option<Vec<String>>,
    /// Whether the emulated device checks memory accesses, races and barriers.
    pub check: bool,
    /// The part of the checks to make: of up to ten parts, each has some checks of every implementation.
    pub part: Partition,
    /// In how many orders of blocks and threads the emulated device makes each check.
    pub orders: u64,
    /// Whether the first check that fails is the last.
    pub fail_fast: bool,
}

/// What is to be checked.
pub struct VerifyPlan {
    pub(super) options: VerifyOptions,
    pub(super) open: OpenDevices,
    pub(super) sizes: Vec<usize>,
    pub(super) variants: Vec<Variant>,
}

impl VerifyPlan {
    /// Plans every implementation that is asked for, with its defaults and with the parameters that it lists for verification.
    ///
    /// # Errors
    /// When a name is unknown, a size is 0, or the number of orders is 0, or above 1 on a device that is not emulated.
    pub fn new(options: VerifyOptions) -> Result<Self, ConfigError> {
        let (orders, is_emulated) = (options.orders, options.device.is_emulated());
        if orders == 0 || orders > 1 && !is_emulated {
            let problem = format!(
                "{orders} orders: expected 1, or more with --device emulated: a GPU chooses the order of blocks and threads itself"
            );
            return Err(wrong_option("--orders", problem));
        }
        let usual = if is_emulated { &EMULATED_SIZES[..] } else { &SIZES };
        let sizes = options.sizes.clone().unwrap_or_else(|| usual.to_vec());
        if sizes.contains(&0) {
            return Err(wrong_option("--sizes", "n = 0: a graph has at least 1 vertex"));
        }
        let is_usual = |one: &&Arc<Implementation>| !is_emulated || one.needs_device();
        let name = |one: &Arc<Implementation>| one.name.to_string();
        let usual = || implementation::catalogue().iter().filter(is_usual).map(name).collect();
        let named = options.only.clone().unwrap_or_else(usual);
        let named = named.iter().map(|name| implementation_named(name)).collect::<Result<Vec<_>, _>>();
        let implementations = named.map_err(|problem| wrong_option("--only", problem))?;
        let variant = |(of, parameters)| Variant { implementation: of, parameters };
        let all =
            implementations.iter().flat_map(|one| one.verified_parameters().map(move |of| (one.into(), of)));
        let variants = all.map(variant).collect();
        Ok(Self { options, open: OpenDevices::None(String::new()), sizes, variants })
    }

    /// Why a check is not made. None where it is.
    fn reason(&self, check: Check) -> Option<String> {
        let (variant, n, kind) = (&self.variants[check.variant], self.sizes[check.size], &KINDS[check.kind]);
        let known = variant.implementation.known()?;
        let able = known.capabilities(&variant.parameters);
        let needed = *able.devices.start();
        if let Some(missing) = known.solver.missing() {
            return Some(missing);
        }
        Some(match &self.open {
            OpenDevices::None(problem) if needed > 0 => format!("needs a device ({problem})"),
            OpenDevices::None(_) | OpenDevices::Emulated if able.takes_gpu => {
                format!("takes a GPU itself, and --device {} has none", self.options.device)
            }
            OpenDevices::Gpus(open) if *open < needed => {
                let is_all = self.options.device == Selection::CudaAll;
                let remedy = if is_all { "" } else { ", and --device cuda:all opens all that there are" };
                format!("needs more than {}{remedy}", count_of(*open, "GPU"))
            }
            // No size fits, so the size is the reason, whatever the kind of graph.
            _ if self.sizes.iter().all(|n| variant.fits(*n).is_err()) => return variant.fits(n).err(),
            _ if !able.elements.contains(&kind.element) => {
                let elements: Vec<String> = able.elements.iter().map(ToString::to_string).collect();
                format!("takes {} alone", elements.join(", "))
            }
            _ if kind.graph.undirected && !able.halves => "does all n³ tasks of any graph".to_string(),
            OpenDevices::Emulated if needed > 0 && self.takes_long(variant, n, kind) => {
                "takes too long on the emulated device, unless --sizes asks for it".to_string()
            }
            _ => return variant.fits(n).err(),
        })
    }

    /// Whether a check takes long on the emulated device, and the user did not choose its size.
    fn takes_long(&self, variant: &Variant, n: usize, kind: &GraphCase) -> bool {
        if self.options.sizes.is_some() {
            return false;
        }
        let [other_sets, defaults] = kind.emulated;
        let tile = tile(variant);
        let most = if variant.parameters.is_empty() || tile == Some(1) { defaults } else { other_sets };
        // Parameters may need more vertices than `most`: then the least size that fits is checked.
        let least = self.sizes.iter().copied().find(|n| variant.fits(*n).is_ok()).unwrap_or(1);
        let is_due = n == least || n <= most && self.shows_another_end(tile, n, least);
        let stands_in = !self.options.device.is_emulated();
        stands_in && n > MOST_EMULATED_UNASKED || !is_due
    }

    /// Whether a matrix of `n` vertices ends in another way than smaller ones. The variant fits from `least` on. With tiles: within
    /// the first, just at its end, and in a third, so that one lies between two others; with tiles updated together, in another group.
    fn shows_another_end(&self, tile: Option<usize>, n: usize, least: usize) -> bool {
        let Some(tile @ 2..) = tile else { return n <= BEYOND_SHARDS || tile.is_some() };
        let third = 2 * tile.max(least - 1) + 1;
        let is_first = || self.sizes.iter().all(|smaller| !(third..n).contains(smaller));
        n <= WITHIN_TILES || n.abs_diff(tile) <= 1 || n >= third && is_first()
    }

    /// The checks in this order of blocks and threads, by size and then by kind of graph. Variants on the CPU have order 0 alone.
    pub(super) fn checks(&self, order: u64) -> impl Iterator<Item = Check> {
        let (variants, kinds) = (self.variants.len(), KINDS.len());
        let all = (0..variants * kinds * self.sizes.len()).map(move |at| Check {
            variant: at % variants,
            kind: at / variants % kinds,
            size: at / variants / kinds,
            order,
        });
        all.filter(move |check| {
            // Neighbouring variants, sizes or kinds go to different parts.
            self.options.part.has(check.variant + check.size * kinds + check.kind)
                && (order == 0 || self.variants[check.variant].needs_device())
                && self.reason(*check).is_none()
        })
    }

    /// How many checks are made in all orders.
    pub(super) fn planned(&self) -> usize {
        let further_orders = usize::try_from(self.options.orders - 1).unwrap_or(usize::MAX);
        self.checks(0).count().saturating_add(self.checks(1).count().saturating_mul(further_orders))
    }

    /// Why a variant is checked on no graph of a kind. None where it is checked, be it in another part of the checks.
    pub(super) fn why_not(&self, variant: usize, kind: usize) -> Option<String> {
        let reasons = (0..self.sizes.len()).map(|size| self.reason(Check { variant, kind, size, order: 0 }));
        reasons.collect::<Option<Vec<_>>>()?.pop()
    }
}

/// The side of the tiles that a variant pads the matrix to, or of the blocks of threads whose columns are a parameter; 1 where it does
/// neither. None where the matrix is sharded.
fn tile(variant: &Variant) -> Option<usize> {
    let known = variant.implementation.known()?;
    let kernels = known.launched_kernels(Target::default(), &variant.parameters)?;
    let columns = known.parameters.iter().find(|one| one.name == "block-x");
    Some(columns.map_or(kernels.layout.side(1), |columns| columns.default as usize))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// All checks of these implementations at these sizes, or of all.
    pub(in crate::verify) fn options(
        device: Selection,
        sizes: Option<&[usize]>,
        only: Option<&[&str]>,
    ) -> VerifyOptions {
        let only = only.map(|names| names.iter().map(|name| name.to_string()).collect());
        let sizes = sizes.map(<[usize]>::to_vec);
        VerifyOptions {
            device,
            sizes,
            only,
            check: true,
            part: Partition::WHOLE,
            orders: 1,
            fail_fast: false,
        }
    }

    pub(in crate::verify) fn emulated(options: VerifyOptions) -> VerifyPlan {
        VerifyPlan { open: OpenDevices::Emulated, ..VerifyPlan::new(options).unwrap() }
    }

    /// With tiles and without, and few parameters.
    const SOME: Option<&[&str]> = Some(&["harish-narayanan", "katz-kider", "staged-load"]);

    fn assert_parts_make_every_check_once_and_have_some_of_every_implementation(only: Option<&[&str]>) {
        // Another test of this process does so, maybe between two plans.
        crate::distributed::register();
        let plan = |part| emulated(VerifyOptions { part, ..options(Selection::Emulated(None), None, only) });
        let made = |plan: &VerifyPlan| -> Vec<(usize, usize, usize)> {
            plan.checks(0).map(|check| (check.variant, check.size, check.kind)).collect()
        };
        let whole = plan(Partition::WHOLE);
        let mut together = Vec::new();
        for number in 1..=10 {
            let part = made(&plan(format!("{number}/10").parse().unwrap()));
            for (at, variant) in whole.variants.iter().enumerate() {
                let is_default = variant.parameters.is_empty();
                let is_there = part.iter().any(|(of, ..)| *of == at);
                assert!(is_there || !is_default, "{variant} in part {number}");
            }
            together.extend(part);
        }
        together.sort_unstable();
        let mut all = made(&whole);
        all.sort_unstable();
        assert_eq!(together, all);
    }

    fn assert_every_variant_is_emulated_where_tiles_end_in_every_type_that_it_takes(only: Option<&[&str]>) {
        crate::distributed::register();
        let plan = emulated(options(Selection::Emulated(None), None, only));
        let checked: BTreeSet<_> =
            plan.checks(0).map(|check| (check.variant, check.size, KINDS[check.kind].element)).collect();
        for (at, variant) in plan.variants.iter().enumerate() {
            let known = variant.implementation.known().unwrap();
            for (kind, of) in KINDS.iter().enumerate() {
                let why_not = plan.why_not(at, kind);
                let halves = known.capabilities(&variant.parameters).halves;
                let is_due =
                    (halves || !of.graph.undirected) && known.takes(of.element, &variant.parameters).is_ok();
                assert_eq!(why_not.is_none(), is_due, "{variant} {}: {why_not:?}", of.name);
            }
            for (size, n) in plan.sizes.iter().enumerate() {
                for element in ElementType::ALL {
                    let is_due = *n <= WITHIN_TILES && variant.solves(*n, element).is_ok();
                    assert!(
                        checked.contains(&(at, size, element)) || !is_due,
                        "{variant} n = {n}, {element}"
                    );
                }
            }
            // In a third tile of 32, of 64, or of 128, or just beyond a block of 256 threads; in one of 16 it ends at 33.
            let beyond = |n: usize| checked.iter().any(|(of, size, _)| *of == at && plan.sizes[*size] == n);
            assert!(tile(variant) == Some(16) || [65, 129, 257].into_iter().any(beyond), "{variant}");
        }
        let due = |name: &str, n: usize| {
            let is =
                |variant: &Variant| variant.implementation.known().is_some_and(|known| *known.name == *name);
            checked.iter().any(|(of, size, _)| is(&plan.variants[*of]) && plan.sizes[*size] == n)
        };
        let both = [("harish-narayanan", [2, 36, 257]), ("register-blocked", [64, 129, 257])];
        for (name, sizes) in both.into_iter().take(if only.is_some() { 1 } else { 2 }) {
            assert!(sizes.into_iter().all(|n| due(name, n)), "{name}");
        }
        assert!(due("staged-load", 65) && !due("staged-load", 64) && !due("staged-load", 129));
    }

    #[test]
    fn ten_parts_make_every_check_once_and_each_has_some_of_every_implementation() {
        assert_parts_make_every_check_once_and_have_some_of_every_implementation(SOME);
    }

    #[test]
    fn every_variant_is_emulated_where_tiles_end_in_every_type_that_it_takes() {
        assert_every_variant_is_emulated_where_tiles_end_in_every_type_that_it_takes(SOME);
    }

    mod long {
        #[test]
        #[ignore = "long"]
        fn so_are_all_implementations() {
            super::assert_parts_make_every_check_once_and_have_some_of_every_implementation(None);
            super::assert_every_variant_is_emulated_where_tiles_end_in_every_type_that_it_takes(None);
        }
    }

    #[test]
    fn orders_are_of_the_emulated_device_and_multiply_what_runs_on_it() {
        let of = |device, orders| VerifyOptions {
            orders,
            ..options(device, Some(&[8]), Some(&["cpu-naive", "katz-kider"]))
        };
        let checks = |orders| emulated(of(Selection::Emulated(None), orders)).planned();
        let of_cpu = 3 * checks(1) - checks(3);
        assert_eq!(checks(2) - checks(1), checks(3) - checks(2));
        assert!(of_cpu > 0 && checks(3) < 3 * checks(1));
        for (device, orders) in
            [(Selection::Auto, 2), (Selection::Cuda(None), 2), (Selection::Emulated(None), 0)]
        {
            let refused = VerifyPlan::new(of(device, orders)).err();
            assert!(refused.is_some_and(|error| error.to_string().contains("--orders")));
        }
        assert!(VerifyPlan::new(of(Selection::Auto, 1)).is_ok());
    }
}
