//! Checking implementations without timing them, over sizes and kinds of graphs.

use super::Observer;
use super::config::{ConfigError, GraphSource, Limits};
use super::grid::Grid;
use super::part::Part;
use super::protocol::{GraphRequest, Reply, Request, Variant};
use super::supervisor::{Answer, Executor};
use crate::device::Selection;
use crate::device::emulated::Instruments;
use crate::graph::{ElementType, RandomGraph};
use crate::implementation::{self, Implementation, Parameters};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// Around multiples of 32 and 64, where tiles end, and around nothing in particular.
const SIZES: [usize; 16] = [1, 2, 31, 32, 33, 63, 64, 65, 100, 127, 255, 256, 257, 512, 1000, 1024];

/// The same for the emulated device, whose checker sees every access of n³ tasks.
const EMULATED_SIZES: [usize; 11] = [1, 2, 31, 32, 33, 63, 64, 65, 100, 129, 257];
/// Beyond this, where a block of Harish & Narayanan and eight tiles end, one kind of graph and the default parameters must
/// do there.
const EVERY_KIND_EMULATED: usize = 256;
/// That kind.
const LARGEST_EMULATED: usize = 4;
/// The same for element types other than `f32`, whose kernels are of the same text: beyond a tile and its rest.
const OTHER_TYPES_EMULATED: usize = 100;
/// The largest n for it where it only stands in for a GPU that is not there: some seconds.
const MOST_EMULATED_UNASKED: usize = 100;

/// One check: opening, solving and comparing the largest graphs on slow machines included.
const LIMIT: Duration = Duration::from_secs(600);

const LIMITS: Limits =
    Limits { warm_up_s: 0.0, sample_s: 600.0, full_cell_s: 0.0, whole_reference_n: 8192, reference_rows: 64 };

/// A kind of graph.
struct Kind {
    name: &'static str,
    graph: RandomGraph,
    element: ElementType,
}

/// What is to be checked.
pub struct VerifyPlan {
    device: Selection,
    instruments: Instruments,
    /// The largest n for kernels on the emulated device.
    most_emulated: usize,
    sizes: Vec<usize>,
    variants: Vec<Variant>,
    kinds: Vec<Kind>,
    /// Whether the largest sizes are left to one kind of graph where kernels are emulated.
    usual_sizes: bool,
    /// Which of all these checks are made.
    part: Part,
}

impl VerifyPlan {
    /// Every implementation, with its defaults and with the parameters that it names for this, over the usual sizes or those
    /// given; on the emulated device those that it runs, with its checker if `check`. Every part has some checks of each
    /// implementation.
    ///
    /// # Errors
    /// When a name is unknown or a size is 0.
    pub fn new(
        device: Selection,
        sizes: Option<Vec<usize>>,
        only: Option<Vec<String>>,
        check: bool,
        part: Part,
    ) -> Result<Self, ConfigError> {
        let instruments = if check { Instruments::CHECK } else { Instruments::NONE };
        let most_emulated = match (&sizes, device) {
            (None, selection) if selection != Selection::Emulated => MOST_EMULATED_UNASKED,
            _ => usize::MAX,
        };
        let usual_sizes = sizes.is_none();
        let sizes = sizes.unwrap_or_else(|| match device {
            Selection::Emulated => EMULATED_SIZES.to_vec(),
            _ => SIZES.to_vec(),
        });
        let wrong = |option, problem: String| ConfigError::Option { option, problem };
        if sizes.contains(&0) {
            return Err(wrong("--sizes", "n = 0: a graph has at least 1 vertex".into()));
        }
        let implementations: Vec<Arc<Implementation>> = match only {
            None => {
                let wanted = |one: &Arc<Implementation>| device != Selection::Emulated || one.needs_device();
                implementation::catalogue().into_iter().filter(wanted).collect()
            }
            Some(names) => names
                .iter()
                .map(|name| {
                    implementation::find(name).ok_or_else(|| {
                        let known = implementation::names();
                        wrong("--only", format!("unknown implementation '{name}': expected one of {known}"))
                    })
                })
                .collect::<Result<_, _>>()?,
        };
        let kind = |name, element, density, negative| {
            // So that no path of 1,024 vertices is beyond what 16 bits hold.
            let max_weight = if element == ElementType::U16 { 30 } else { 1000 };
            Kind { name, graph: RandomGraph { density, max_weight, negative, seed: 1 }, element }
        };
        use ElementType::{F32, F64, I32, U16};
        let kinds = vec![
            kind("dense", F32, 1.0, false),
            kind("sparse", F32, 0.02, false),
            kind("no edges", F32, 0.0, false),
            kind("dense, negative", F32, 1.0, true),
            kind("sparse, negative", F32, 0.02, true),
            kind("i32", I32, 0.02, true),
            kind("u16", U16, 0.02, false),
            kind("f64", F64, 0.02, true),
        ];
        let variants = implementations.iter().flat_map(variants_of).collect();
        Ok(Self { device, instruments, most_emulated, sizes, variants, kinds, usual_sizes, part })
    }

    fn opening(&self, variants: Vec<Variant>) -> Request {
        let elements = ElementType::ALL.to_vec();
        Request::Open { device: self.device.to_string(), variants, elements, instruments: self.instruments }
    }

    /// Whether the variant of index `at` is checked at the size and on the kind of graph of these indices.
    fn includes(&self, at: usize, size: usize, kind: usize, emulated: bool) -> bool {
        // Neighbours go to different parts, whichever way one looks.
        if !self.part.has(at + size * self.kinds.len() + kind) {
            return false;
        }
        let (variant, n) = (&self.variants[at], self.sizes[size]);
        let Some(known) = variant.implementation.known() else { return false };
        let element = self.kinds[kind].element;
        if known.fits(n, &variant.parameters).and(known.takes(element, &variant.parameters)).is_err() {
            return false;
        }
        let is_default = variant.parameters == Parameters::default();
        let most = if element == ElementType::F32 { EVERY_KIND_EMULATED } else { OTHER_TYPES_EMULATED };
        let every_kind = !self.usual_sizes || n <= most || (is_default && kind == LARGEST_EMULATED);
        !emulated || !variant.needs_device() || (n <= self.most_emulated && every_kind)
    }

    /// How many checks it makes.
    fn checks(&self, emulated: bool, has_device: bool) -> usize {
        let made = |at: usize, size, kind| {
            (has_device || !self.variants[at].needs_device()) && self.includes(at, size, kind, emulated)
        };
        let of_size_and_kind =
            |size, kind| (0..self.variants.len()).filter(|at| made(*at, size, kind)).count();
        let of_size = |size| (0..self.kinds.len()).map(|kind| of_size_and_kind(size, kind)).sum::<usize>();
        (0..self.sizes.len()).map(of_size).sum()
    }
}

/// What was found.
pub struct Checked {
    /// Checks that were to be made.
    planned: usize,
    part: Part,
    /// With what the emulated device watched, if it was the device.
    emulated: Option<Instruments>,
    variants: Vec<Variant>,
    kinds: Vec<&'static str>,
    sizes: Vec<usize>,
    /// Variant, kind and size by index; None when right.
    results: Vec<((usize, usize, usize), Option<String>)>,
    /// Why implementations on a device were not checked.
    device_problem: Option<String>,
}

/// Checks everything in `plan`; ends early when interrupted.
///
/// # Errors
/// When no worker can be had, or the device that was asked for is missing.
pub fn verify(
    plan: &VerifyPlan,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Checked, String> {
    let opened = executor.ask(&plan.opening(plan.variants.clone()), LIMIT);
    let environment = match opened {
        Answer::Reply(Reply::Opened(opened)) => opened.environment,
        Answer::Reply(Reply::Failed(failure)) => return Err(failure.message),
        Answer::Died(words) => return Err(format!("the worker process is lost: {words}")),
        _ => return Err("the worker process does not answer".into()),
    };
    if let Some(problem) = environment.device_problem.as_ref().filter(|_| plan.device.is_demanded()) {
        return Err(format!("--device {}: {problem}", plan.device));
    }
    let emulated = environment.device.as_ref().is_some_and(|device| device.info.emulated);
    let planned = plan.checks(emulated, environment.device.is_some());
    let mut checked = Checked {
        planned,
        part: plan.part,
        emulated: emulated.then_some(plan.instruments),
        variants: plan.variants.clone(),
        kinds: plan.kinds.iter().map(|kind| kind.name).collect(),
        sizes: plan.sizes.clone(),
        results: Vec::new(),
        device_problem: environment.device_problem.filter(|_| environment.device.is_none()),
    };
    for (size_at, &n) in plan.sizes.iter().enumerate() {
        for (kind_at, Kind { name: kind, graph, element }) in plan.kinds.iter().enumerate() {
            let available = |variant: &Variant| !variant.needs_device() || checked.device_problem.is_none();
            let included: Vec<(usize, &Variant)> = (plan.variants.iter().enumerate())
                .filter(|(at, variant)| available(variant) && plan.includes(*at, size_at, kind_at, emulated))
                .collect();
            if included.is_empty() {
                continue;
            }
            observer.progress(&format!("n = {n}, {kind}"), checked.results.len(), planned, None);
            let source = GraphSource::Random(graph.clone());
            let graph = GraphRequest { source, element: *element, n, limits: LIMITS };
            let request = Request::LoadGraph { graph };
            let loaded = problem_of(executor.ask(&request, LIMIT));
            if loaded == Some(Stopped::Interrupted) {
                return Ok(checked);
            }
            for (at, variant) in included {
                let problem = match &loaded {
                    Some(problem) => Some(problem.clone()),
                    None => problem_of(executor.ask(&Request::Check { variant: variant.clone() }, LIMIT)),
                };
                let problem = match problem {
                    Some(Stopped::Interrupted) => return Ok(checked),
                    Some(Stopped::Problem(problem)) => {
                        observer.note(&format!("{variant} n = {n}, {kind}: {problem}"));
                        Some(problem)
                    }
                    None => None,
                };
                checked.results.push(((at, kind_at, size_at), problem));
            }
        }
    }
    Ok(checked)
}

#[derive(Clone, Debug, PartialEq)]
enum Stopped {
    Interrupted,
    Problem(String),
}

fn problem_of(answer: Answer) -> Option<Stopped> {
    let problem = match answer {
        Answer::Interrupted => return Some(Stopped::Interrupted),
        Answer::Reply(Reply::Failed(failure)) => failure.message,
        Answer::Reply(_) => return None,
        Answer::TimedOut => format!("no result after {} s", LIMIT.as_secs()),
        Answer::Died(words) => words,
    };
    Some(Stopped::Problem(problem))
}

fn variants_of(implementation: &Arc<Implementation>) -> Vec<Variant> {
    let others = implementation.method.also_checked();
    std::iter::once(Parameters::default())
        .chain(others)
        .map(|parameters| Variant { implementation: implementation.into(), parameters })
        .collect()
}

impl Checked {
    /// Checks that were made and failed.
    pub fn wrong(&self) -> usize {
        self.results.iter().filter(|(_, problem)| problem.is_some()).count()
    }

    /// Checks that were planned and not made.
    pub fn missing(&self) -> usize {
        self.planned - self.results.len()
    }

    /// Checks that were to be made.
    pub fn planned(&self) -> usize {
        self.planned
    }

    /// A row an implementation, a column a kind of graph, and below it what was wrong.
    pub fn table(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(ToString::to_string).collect();
        let titles = std::iter::once("").chain(self.kinds.iter().copied());
        // Parameters that no size goes with are nothing that was left out.
        let told = |(at, variant): &(usize, &Variant)| {
            variant.parameters == Parameters::default() || self.results.iter().any(|((i, ..), _)| i == at)
        };
        let rows = self.variants.iter().enumerate().filter(told).map(|(at, variant)| {
            let cells = (0..self.kinds.len()).map(|kind| {
                let of_cell = self.results.iter().filter(|((i, k, _), _)| (*i, *k) == (at, kind));
                let (right, made) = of_cell.fold((0, 0), |(right, made), (_, problem)| {
                    (right + usize::from(problem.is_none()), made + 1)
                });
                if made == 0 { "not run".to_string() } else { format!("{right} of {made}") }
            });
            std::iter::once(variant.to_string()).chain(cells).collect()
        });
        let grid = Grid {
            title: match self.part {
                Part::WHOLE => format!("Right results, n = {}", sizes.join(", ")),
                part => format!("Right results, part {part} of the checks, n = {}", sizes.join(", ")),
            },
            header: titles.map(str::to_string).collect(),
            rows: rows.collect(),
        };
        let mut text = grid.terminal(None);
        for ((at, kind, size), problem) in &self.results {
            if let Some(problem) = problem {
                let name = &self.variants[*at];
                let _ = writeln!(text, "{name} n = {}, {}: {problem}", self.sizes[*size], self.kinds[*kind]);
            }
        }
        let ran_kernels = self.results.iter().any(|((at, ..), _)| self.variants[*at].needs_device());
        if let Some(instruments) = self.emulated.filter(|_| ran_kernels) {
            let checker = if instruments.check {
                "with its checker of memory accesses, races and barriers"
            } else {
                "without its checker"
            };
            let _ = writeln!(text, "kernels ran on the emulated device, {checker}");
        }
        if let Some(problem) = &self.device_problem {
            let _ = writeln!(text, "implementations on a device were not checked: {problem}");
        }
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

    fn checked(planned: usize, results: &[Option<&str>]) -> Checked {
        Checked {
            planned,
            part: Part::WHOLE,
            emulated: Some(Instruments::CHECK),
            variants: variants_of(&implementation::find("cpu-naive").unwrap()),
            kinds: vec!["dense"],
            sizes: vec![1],
            results: results.iter().map(|problem| ((0, 0, 0), problem.map(str::to_string))).collect(),
            device_problem: None,
        }
    }

    #[test]
    fn checks_that_were_not_made_are_not_said_to_have_passed() {
        let last = |checked: Checked| checked.table().lines().last().unwrap().to_string();
        assert_eq!(last(checked(2, &[None, None])), "all 2 checks passed");
        assert_eq!(last(checked(3, &[None, None])), "2 of 3 checks made, all passed so far");
        assert_eq!(last(checked(3, &[])), "none of 3 checks made");
        assert_eq!(last(checked(2, &[None, Some("wrong")])), "1 of 2 checks failed");
        assert_eq!(last(checked(3, &[None, Some("wrong")])), "2 of 3 checks made, 1 of them failed");
    }

    #[test]
    fn ten_parts_make_every_check_once_and_each_has_some_of_every_implementation() {
        let plan = |part: Part| VerifyPlan::new(Selection::Emulated, None, None, true, part).unwrap();
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
    fn the_emulated_device_is_not_named_where_no_kernel_ran() {
        assert!(!checked(1, &[None]).table().contains("emulated device"));
    }
}
